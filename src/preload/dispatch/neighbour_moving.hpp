// SPDX-License-Identifier: BSD-3-Clause
// The buffers of a neighbourhood collective: as vector_moving.hpp has them, with a block for each
// neighbour in the order of the communicator's graph.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "preload/dispatch/vector_moving.hpp"
#include "preload/setup/comm_graph.hpp"

namespace terrace::preload {

/// A call as its team's endpoints take it.
struct AlongEdges {
  std::shared_ptr<const NeighbourPrograms> programs;
  EdgeBlocks blocks;
};

/// An exchange in progress.
class NeighbourMoving final : public KeptCall {
 public:
  NeighbourMoving(Dispatch& dispatch, const ExchangeAlongEdges& call, const Degrees& degrees)
      : underlying_(dispatch.underlying()),
        collective_(dispatch.collective()),
        is_regular_(call.is_regular),
        may_be_on_device_(has_devices()),
        input_(dispatch, call.input, {0, given_blocks(collective_, degrees)},
               given_blocks(collective_, degrees), may_be_on_device_,
               collective_ == Collective::neighbour_alltoall ? &degrees.have_takers : nullptr),
        output_(dispatch, call.output, {0, degrees.in}, degrees.in, may_be_on_device_,
                &degrees.have_givers) {}

  /// Whether the MPI would accept the arguments, as far as one rank can tell.
  bool is_sound() const { return input_.is_sound && output_.is_sound; }
  /// Whether a later call with the same arguments moves the same blocks.
  bool is_lasting() const { return is_sound() && input_.is_lasting() && output_.is_lasting(); }
  /// Whether a lasting exchange is that of this call, too.
  bool is_again(const ExchangeAlongEdges& call) const {
    return !has_devices() && call.is_regular == is_regular_ && input_.is_of(call.input) &&
           output_.is_of(call.output);
  }

  /// Makes the call ready, if it is not. Ends the job if there is no memory to pack in: this rank
  /// cannot tell the others that it does not continue. The graph is always the same.
  AlongEdges& prepare(TeamGraph& graph, Puller* puller) {
    if (edges_.programs == nullptr) settle(graph, puller);
    return edges_;
  }
  /// Packs what is given, before each start.
  void pack() {
    edges_.blocks.is_truncated = false;
    if (!input_.blocks.pack())
      say_once("the MPI could not pack a buffer: what its neighbours get is undefined");
  }
  /// Unpacks what has come. Returns whether a block was truncated.
  bool end() {
    if (output_.blocks.have_packed()) {
      for (std::size_t i = 0; i < came_.size(); ++i)
        output_.blocks.shorten(i, std::exchange(came_[i], 0));
      if (!output_.blocks.unpack()) say_once("the MPI could not unpack what has come for a buffer");
      output_.blocks.restore();
    }
    return edges_.blocks.is_truncated;
  }
  /// The program may free its types and its communicator before the exchange is over.
  void keep() { output_.keep(); }
  /// And before it is packed anew.
  void keep_input() { input_.keep(); }

 private:
  static std::size_t given_blocks(Collective collective, const Degrees& degrees) {
    if (collective == Collective::neighbour_alltoall) return degrees.out;
    const auto& takers = degrees.have_takers;
    return std::find(takers.begin(), takers.end(), true) != takers.end() ? 1 : 0;
  }
  static std::vector<LaidOutBlock> laid_out(const VectorSide& side) {
    std::vector<LaidOutBlock> blocks;
    for (const Block& block : side.blocks.row({0, side.blocks.size()}))
      blocks.push_back({block.at, block.bytes});
    return blocks;
  }
  void settle(TeamGraph& graph, Puller* puller) {
    if (!input_.blocks.make_room() || !output_.blocks.make_room()) {
      say(std::string("a rank has ") + kNoMemory +
          " of a neighbourhood collective: ending the job");
      underlying_.end_job();
    }
    given_ = laid_out(input_);
    taken_ = laid_out(output_);
    if (output_.blocks.have_packed()) came_.resize(taken_.size());
    edges_.programs = graph.programs(collective_);
    edges_.blocks = {given_, taken_, nullptr, puller};
    if (collective_ == Collective::neighbour_alltoall) edges_.blocks.takers = graph.takers();
    edges_.blocks.came = came_;
  }

  UnderlyingMpi& underlying_;
  Collective collective_;
  bool is_regular_;
  bool may_be_on_device_;
  VectorSide input_, output_;
  std::vector<LaidOutBlock> given_, taken_;
  std::vector<std::size_t> came_;  ///< bytes for each of `taken_`, if some are unpacked
  AlongEdges edges_;
};

/// The graph of a communicator whose calls this team runs; null: they fall back, on all ranks
/// alike.
const CommGraph* graph_for(Dispatch& dispatch, const Team& team, EdgeCall kind);

/// Whether the MPI would accept a call, where that has to be known, as there is no team yet;
/// otherwise the call falls back.
bool may_be_counted(Dispatch& dispatch, const ExchangeAlongEdges& call);

/// Says that a block was truncated.
void say_truncated(Collective collective);

}  // namespace terrace::preload
