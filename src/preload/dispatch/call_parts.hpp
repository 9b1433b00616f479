// SPDX-License-Identifier: BSD-3-Clause
// The parts that calls over several nodes are composed of: those of a node's team, and those of a
// lane between nodes. A part that fails ends the job, since what one node has begun must be
// finished on all.
#pragma once

#include <cstddef>
#include <vector>

#include "preload/dispatch/run_or_fall_back.hpp"
#include "preload/mpi/calls.hpp"
#include "preload/nodes/multi_node_communicator.hpp"

namespace terrace::preload {

/// Beyond so many nodes, a message for each pair costs more than the MPI's algorithms.
inline constexpr std::size_t kMostNodesInPairs = 16;
/// Longer blocks are the MPI's. Collected blocks for each pair gained nothing beyond this length
/// between two nodes of `./dev nodes`; sums were tried up to 2 MiB, where they gained.
inline constexpr std::size_t kMostCollected = std::size_t{64} << 10;
inline constexpr std::size_t kMostCollectedSums = std::size_t{4} << 20;

CallIdentity identity_of_call(Dispatch& dispatch, const Elements& elements);

/// For each rank of equal nodes: its number, its node and its place.
template <class Visit>
void for_each_rank(const NodeLayout& layout, Visit visit) {
  for (Rank node = 0; node < layout.nodes(); ++node)
    for (Rank place = 0; place < layout.ranks_of[node].size(); ++place)
      visit(layout.ranks_of[node][place], node, place);
}

/// The parts of one call.
class CallParts {
 public:
  CallParts(Dispatch& dispatch, const Elements& elements);

  const NodeLayout& layout() const { return over_.layout; }
  std::byte* buffer(std::size_t which, std::size_t bytes) { return over_.buffer(which, bytes); }
  Rank node() const { return over_.node(); }
  Rank place() const { return over_.place(); }
  Rank rank() const { return over_.rank; }
  Rank ranks() const { return static_cast<Rank>(layout().node_of.size()); }
  Rank ranks_on_node() const { return over_.ranks_on_node(); }
  Rank nodes() const { return static_cast<Rank>(layout().nodes()); }

  /// The place that speaks for each node in a call with this root.
  Rank speaker(Rank root) const {
    const Rank its = layout().place_of[root];
    return layout().have_all(its) ? its : 0;
  }
  /// Whether this rank's node has the root, which does not speak for it.
  bool has_mute_root(Rank root) const {
    return layout().node_of[root] == node() && layout().place_of[root] != speaker(root);
  }

  /// Announces the call to this node's ranks, where its node parts do not identify it; they compare
  /// it in the next part.
  void tell_node();
  /// All ranks compare their calls: before one that the MPI makes.
  void compare_calls();
  /// This node's part. `root`: a place on the node.
  void on_node(Collective collective, const void* input, void* output, const Elements& elements,
               Rank root);

  // The parts of this rank's lane, on its ranks alone. Roots are nodes.
  void barrier() { judge(lane().barrier()); }
  void bcast(void* bytes, std::size_t count, Rank root);
  /// `sum`: this rank's operand, and the result at the root.
  void reduce(void* sum, const Elements& elements, const MpiCall& call, Rank root);
  void allreduce(void* sum, const Elements& elements, const MpiCall& call);
  void gather(const Block& own, const std::vector<Block>& all, Rank root) {
    judge(lane().gather(own, all, root));
  }
  void scatter(const std::vector<Block>& all, const Block& own, Rank root) {
    judge(lane().scatter(all, own, root));
  }
  void move_in_pairs(const std::vector<Block>& out, const std::vector<Block>& in) {
    judge(lane().move_in_pairs(out, in));
  }

  /// A call on all ranks, with blocks of one length, by the MPI's own collective.
  void move_by_mpi(Collective collective, std::byte* input, std::byte* output,
                   std::size_t block_bytes, Rank root);

 private:
  UnderlyingMpi& underlying() { return dispatch_.underlying(); }
  Lane& lane() { return over_.lane(); }
  Handle communicator() const { return over_.own_lane()->communicator; }
  bool is_mpis(std::size_t bytes) const;
  void reduce_by_mpi(Collective collective, const void* input, void* output, std::size_t count,
                     const MpiCall& call, int root);
  void judge(bool is_done) {
    if (!is_done) over_.end_job_because("the part between nodes has failed");
  }

  Dispatch& dispatch_;
  Team* team_;  ///< null: this rank is alone on its node
  MultiNodeCommunicator& over_;
};

}  // namespace terrace::preload
