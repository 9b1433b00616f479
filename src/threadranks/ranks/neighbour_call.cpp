// SPDX-License-Identifier: BSD-3-Clause
// Runs neighbourhood collectives on a communicator's team.
#include "threadranks/ranks/neighbour_call.hpp"

#include <utility>

#include "base/contract.hpp"
#include "threadranks/ranks/rank_state.hpp"

namespace terrace::threadranks {

namespace {

const Layout& layout_of(const LaidOutBlock& block) {
  TERRACE_ASSERT(block.layout != nullptr);
  return *static_cast<const Layout*>(block.layout);
}

/// A block that lies in one piece, as bytes.
Layout as_bytes(const LaidOutBlock& block) {
  return {block.at, block.bytes, predefined_type(kByte)};
}

class LayoutCopier final : public BlockCopier {
 public:
  void pack(const LaidOutBlock& from, std::byte* to) noexcept override {
    threadranks::pack(layout_of(from), to, from.bytes);
  }
  void unpack(const std::byte* from, const LaidOutBlock& to, std::size_t bytes) noexcept override {
    threadranks::unpack(from, layout_of(to), bytes);
  }
  void copy(const LaidOutBlock& from, const LaidOutBlock& to, std::size_t bytes) noexcept override {
    const auto any_layout = [](const LaidOutBlock& block) {
      return block.layout != nullptr ? layout_of(block) : as_bytes(block);
    };
    copy_elements(any_layout(from), any_layout(to), bytes);
  }
};

/// It has no state, so all ranks share it.
LayoutCopier layout_copier;

/// The programs of a graph. Ends the job if its members' edges do not match.
std::shared_ptr<const NeighbourPrograms> programs_of(SharedGraph& graph, Collective collective,
                                                     const RankState& state) {
  auto programs = graph.programs(collective);
  if (!programs)
    state.end_job(1, "the members of a communicator disagree about its neighbours: " +
                         programs.error().sentence);
  return programs.value();
}

}  // namespace

void NeighbourBlocks::add(Side& side, const Neighbour& neighbour, const Layout& layout) {
  Layout block = layout;
  if (neighbour.rank == kProcNull) block.count = 0;
  have_made_types_ |= block.type->predefined() == nullptr;
  block.type->retain();
  side.layouts.push_back(block);
}

void NeighbourBlocks::clear(Side& side) {
  for (const Layout& layout : side.layouts) layout.type->release();
  side.layouts.clear();
  side.blocks.clear();
}

void NeighbourBlocks::clear() {
  clear(given_);
  clear(taken_);
  have_made_types_ = false;
}

/// When all layouts have their places.
void NeighbourBlocks::settle(Side& side) {
  side.blocks.clear();
  for (const Layout& layout : side.layouts) {
    auto* const at = static_cast<std::byte*>(const_cast<void*>(layout.buffer));
    side.blocks.push_back({at, layout.bytes(), layout.type->is_dense() ? nullptr : &layout});
  }
}

EdgeBlocks& NeighbourBlocks::edges() {
  settle(given_);
  settle(taken_);
  return edges_ = {given_.blocks, taken_.blocks, &layout_copier};
}

Progress NeighbourCall::start(Communicator& on, TeamEndpoint& endpoint) {
  on.settle_findings();
  if (programs_ == nullptr) programs_ = programs_of(*graph_, collective_, on.state());
  return endpoint.start(endpoint.prepare_along_edges(programs_, blocks.edges()), nullptr, nullptr);
}

bool NeighbourCall::advance(Communicator& on) {
  TeamEndpoint* const endpoint = on.endpoint_if_founded();
  if (endpoint == nullptr) return false;
  const Progress progress = is_running_ ? endpoint->advance() : start(on, *endpoint);
  is_running_ = progress == Progress::blocked;
  if (is_running_) return false;
  if (progress != Progress::done) on.end_mismatched();
  if (blocks.are_truncated()) outcome = Completion::truncated;
  return true;
}

bool NeighbourCall::start_again(Communicator& on, StartedCollective& started) {
  if (programs_ == nullptr || !on.is_ready()) return false;
  EdgeBlocks& edges = blocks.edges();
  started.edges = &edges;
  on.start(started, on.idle_endpoint()->prepare_along_edges(programs_, edges), nullptr, nullptr);
  return true;
}

MemberNeighbours::MemberNeighbours(Communicator& communicator, RankNeighbours neighbours)
    : communicator_(communicator),
      all_(std::move(neighbours)),
      graph_(communicator.shared().graph) {
  if (!communicator.spans())
    graph_->leave(static_cast<std::size_t>(communicator.rank()), communicator.members().size(),
                  all_);
}

const std::shared_ptr<const NeighbourPrograms>& MemberNeighbours::programs(Collective collective) {
  auto& programs = programs_[collective == Collective::neighbour_allgather ? 0 : 1];
  if (programs == nullptr) programs = programs_of(*graph_, collective, communicator_.state());
  return programs;
}

}  // namespace terrace::threadranks
