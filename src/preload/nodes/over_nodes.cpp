// SPDX-License-Identifier: BSD-3-Clause
// Node, network, node. Two nodes with ranks 0, 2 and 1, 3, in the order of each call:
//
//   barrier          all meet on each node; lane 0; all meet again
//   bcast            root 2: lane 1 (2 -> 3); on each node from 2, from 3
//   reduce           root 2: on each node to 2, to 3; lane 1 (3 -> 2)
//   allreduce        short: on each node to 0, to 1; lane 0; bcast on each node
//                    long: reduce_scatter on each node; both lanes; allgather on each node
//   gather           root 2: on each node to 2, to 3; lane 1 (3 -> 2: blocks 1 and 3)
//   scatter          root 2: lane 1; on each node from 2, from 3
//   allgather        both lanes; allgather on each node of what these have brought
//                    uneven nodes: gather to 0, to 1; lane 0; bcast on each node
//   alltoall         alltoall on each node: to 0 what goes to 0 and 1; then both lanes
//   reduce_scatter   on each node: to 0 the blocks 0 and 1; then both lanes, and the last sum
//
// Where nodes are uneven and the root's place does not exist on all, its node's leader speaks for
// it. No part waits for one that comes later on another rank: all ranks make their parts in the
// order of their calls.
#include "preload/nodes/over_nodes.hpp"

#include <climits>
#include <cstring>
#include <vector>

#include "base/contract.hpp"
#include "engine/signature.hpp"
#include "preload/nodes/plan_over_nodes.hpp"

namespace terrace::preload {

namespace {

constexpr const char* kOtherElements =
    "over several nodes, only predefined types without gaps and operators are composed";

/// Vectors from here on cross the network by all lanes: one core may not fill it.
constexpr std::size_t kLeastByLanes = std::size_t{256} << 10;
/// Longer vectors of more than two nodes are the MPI's between nodes: it knows its network, and
/// its algorithms send less of them in total.
constexpr std::size_t kMostByMessages = std::size_t{64} << 10;
/// Beyond so many nodes, a message for each pair costs more than the MPI's algorithms.
constexpr std::size_t kMostNodesInPairs = 16;
/// Longer blocks gain nothing by being collected.
constexpr std::size_t kMostCollected = 4096, kMostCollectedSums = std::size_t{512} << 10;

CallIdentity identity_of_call(Dispatch& dispatch, const Elements& elements) {
  return identity_of(
      {dispatch.collective(), bytes_of(elements), dispatch.root(), false, elements.combination, 0});
}

/// The parts of one call.
class Parts {
 public:
  Parts(Dispatch& dispatch, const Elements& elements)
      : dispatch_(dispatch),
        team_(dispatch.comm_state().team.get()),
        over_(*dispatch.comm_state().over_nodes) {
    over_.begin(identity_of_call(dispatch, elements));
  }

  const NodeLayout& layout() const { return over_.layout; }
  std::byte* buffer(std::size_t which, std::size_t bytes) { return over_.buffer(which, bytes); }
  Rank node() const { return over_.node(); }
  Rank place() const { return over_.place(); }
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

  /// This node's part. `root`: a place on the node.
  void on_node(Collective collective, const void* input, void* output, const Elements& elements,
               Rank root) {
    if (team_ == nullptr) {
      if (input != output && input != nullptr && output != nullptr)
        std::memcpy(output, input, bytes_of(elements));
      return;
    }
    const bool is_done = team_->make_call(collective, input, output, elements, root);
    end_run(is_done, *team_);
    if (!is_done) over_.end_job_because("the part on a node has failed");
  }

  // The parts of this rank's lane, on its ranks alone. Roots are nodes.
  void barrier() { judge(lane().barrier()); }
  void bcast(void* bytes, std::size_t count, Rank root) {
    if (!is_mpis(count)) return judge(lane().bcast(bytes, count, root));
    barrier();  // compares the calls
    judge(underlying().next_bcast(communicator(), bytes, count, static_cast<int>(root)));
  }
  /// `sum`: this rank's operand, and the result at the root.
  void reduce(void* sum, const Elements& elements, const MpiCall& call, Rank root) {
    if (!is_mpis(bytes_of(elements))) return judge(lane().reduce(sum, elements, root));
    barrier();
    const bool is_root = node() == root;
    reduce_by_mpi(Collective::reduce, is_root ? in_place() : sum, is_root ? sum : nullptr,
                  elements.count, call, static_cast<int>(root));
  }
  void allreduce(void* sum, const Elements& elements, const MpiCall& call) {
    if (!is_mpis(bytes_of(elements))) return judge(lane().allreduce(sum, elements));
    barrier();
    reduce_by_mpi(Collective::allreduce, in_place(), sum, elements.count, call, 0);
  }
  void gather(const Block& own, const std::vector<Block>& all, Rank root) {
    judge(lane().gather(own, all, root));
  }
  void scatter(const std::vector<Block>& all, const Block& own, Rank root) {
    judge(lane().scatter(all, own, root));
  }
  void move_in_pairs(const std::vector<Block>& out, const std::vector<Block>& in) {
    judge(lane().move_in_pairs(out, in));
  }

 private:
  UnderlyingMpi& underlying() { return dispatch_.underlying(); }
  Lane& lane() { return over_.lane(); }
  Handle communicator() const { return over_.own_lane()->communicator; }
  const void* in_place() { return underlying().in_place(); }
  bool is_mpis(std::size_t bytes) const { return nodes() > 2 && bytes > kMostByMessages; }

  void reduce_by_mpi(Collective collective, const void* input, void* output, std::size_t count,
                     const MpiCall& call, int root) {
    judge(underlying().next_reduction(collective, communicator(), input, output, count, call.type,
                                      call.op, root));
  }

  void judge(bool is_done) {
    if (!is_done) over_.end_job_because("the part between nodes has failed");
  }

  Dispatch& dispatch_;
  Team* team_;  ///< null: this rank is alone on its node
  OverNodes& over_;
};

/// The user's plan, if it is for such a call.
PlanOverNodes* plan_for(Dispatch& dispatch, std::size_t bytes) {
  PlanOverNodes* const plan = dispatch.comm_state().over_nodes->plan();
  const bool is_for =
      plan != nullptr && plan->is_for(dispatch.collective(), bytes, dispatch.root());
  return is_for ? plan : nullptr;
}

bool is_refused(Dispatch& dispatch, CallOverNodes call) {
  call.root = dispatch.root();
  const OverNodes& over = *dispatch.comm_state().over_nodes;
  const char* const why = plan_for(dispatch, call.bytes) != nullptr
                              ? why_not_over_nodes(call, over.layout, over.settings)
                              : why_not_composed(call, over.layout, over.settings);
  if (why != nullptr) dispatch.fall_back_and_warn(why);
  return why != nullptr;
}

/// Whether the call falls back to the MPI by a trial. Of sums whose last bits depend on their order
/// there are none, unless the user allows that.
bool is_mpis_by_trial(Dispatch& dispatch, const Elements& elements) {
  OverNodes& over = *dispatch.comm_state().over_nodes;
  if (plan_for(dispatch, bytes_of(elements)) != nullptr) return false;
  const TrialSetting trials = over.settings.trials;
  const bool has_bits_to_keep = combines(dispatch.collective()) && !elements.is_exact;
  if (trials == TrialSetting::off || (has_bits_to_keep && trials != TrialSetting::any_sums))
    return false;
  const std::optional<bool> falls_back =
      over.trials().falls_back(dispatch.collective(), bytes_of(elements));
  if (!falls_back) over.end_job_because("the MPI refused to exchange the times of a trial");
  if (falls_back != true) return false;
  const CallIdentity identity = identity_of_call(dispatch, elements);
  over.begin(identity);  // to be compared with calls that other ranks compose
  if (Team* const team = dispatch.comm_state().team.get()) team->endpoint->pass(identity);
  fallback_over_nodes_of = &over.trials();
  dispatch.fall_back(kByTrial);
  return true;
}

bool end_composed(Dispatch& dispatch, const char* how) {
  OverNodes& over = *dispatch.comm_state().over_nodes;
  over.trials().end_call();
  over.release_large_buffers();
  dispatch.count_composed(how);
  return true;
}

/// The whole call by the user's plan.
bool run_by_plan(Dispatch& dispatch, PlanOverNodes& plan, const Elements& elements,
                 const void* input, void* output) {
  OverNodes& over = *dispatch.comm_state().over_nodes;
  over.begin(identity_of_call(dispatch, elements));
  if (!plan.run(dispatch.comm_state().team.get(),
                {dispatch.collective(), input, output, elements, dispatch.root()}))
    over.end_job_because("its plan could not be run to its end");
  return end_composed(dispatch, plan.name().c_str());
}

/// A rank that has one block numbers it by its own rank.
bool move_by_plan(Dispatch& dispatch, PlanOverNodes& plan, const MovedOverNodes& blocks) {
  const Elements elements{blocks.block_bytes};
  const std::size_t before = dispatch.comm_state().over_nodes->rank * blocks.block_bytes;
  const auto block_0 = [before](std::byte* own) {
    return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(own) - before);
  };
  const Collective collective = dispatch.collective();
  const bool gives_one = collective == Collective::gather || collective == Collective::allgather;
  return run_by_plan(dispatch, plan, elements, gives_one ? block_0(blocks.input) : blocks.input,
                     collective == Collective::scatter ? block_0(blocks.output) : blocks.output);
}

/// The root's node has the data before its speaker sends it to other nodes.
void bcast_parts(Dispatch& dispatch, void* bytes, std::size_t count) {
  const Elements elements{count};
  Parts parts(dispatch, elements);
  const Rank root = dispatch.root();
  const Rank speaker = parts.speaker(root);
  const bool begins_on_node = parts.has_mute_root(root);
  if (begins_on_node)
    parts.on_node(Collective::bcast, bytes, bytes, elements, parts.layout().place_of[root]);
  if (parts.place() == speaker) parts.bcast(bytes, count, parts.layout().node_of[root]);
  if (!begins_on_node) parts.on_node(Collective::bcast, bytes, bytes, elements, speaker);
}

/// A reduction's buffers, dense and in the host's memory. `output` is null where this rank has no
/// result.
struct Operands {
  const void* input;
  void* output;
};

void short_allreduce_parts(Parts& parts, const MpiCall& call, const Elements& elements,
                           const Operands& of) {
  parts.on_node(Collective::reduce, of.input, of.output, elements, 0);
  if (parts.place() == 0) parts.allreduce(of.output, elements, call);
  parts.on_node(Collective::bcast, of.output, of.output, {bytes_of(elements)}, 0);
}

/// Each rank of a node has a slice, which it combines with its lane. What does not divide is short.
void long_allreduce_parts(Parts& parts, const MpiCall& call, const Elements& elements,
                          const Operands& of) {
  Elements slice = elements, rest = elements;
  slice.count = elements.count / parts.ranks_on_node();
  rest.count = elements.count - slice.count * parts.ranks_on_node();
  const std::size_t slice_bytes = slice.count * slice.bytes;
  const std::size_t done = slice_bytes * parts.ranks_on_node();
  std::byte* const sum = parts.buffer(0, slice_bytes);
  if (rest.count > 0)
    short_allreduce_parts(parts, call, rest,
                          {static_cast<const std::byte*>(of.input) + done,
                           static_cast<std::byte*>(of.output) + done});
  parts.on_node(Collective::reduce_scatter_block, of.input, sum, slice, 0);
  parts.allreduce(sum, slice, call);
  parts.on_node(Collective::allgather, sum, of.output, {slice_bytes}, 0);
}

void allreduce_parts(Dispatch& dispatch, const MpiCall& call, const Elements& elements,
                     const Operands& of) {
  Parts parts(dispatch, elements);
  const bool by_lanes = dispatch.bytes() >= kLeastByLanes && parts.layout().is_even() &&
                        elements.count >= parts.ranks_on_node();
  if (by_lanes)
    long_allreduce_parts(parts, call, elements, of);
  else
    short_allreduce_parts(parts, call, elements, of);
}

/// The root's node gets the result by its speaker, and all of that node, if that is not the root.
void reduce_parts(Dispatch& dispatch, const MpiCall& call, const Elements& elements,
                  const Operands& of) {
  Parts parts(dispatch, elements);
  const Rank root = dispatch.root();
  const Rank speaker = parts.speaker(root);
  const bool ends_on_node = parts.has_mute_root(root);
  const bool needs_place = of.output == nullptr && (parts.place() == speaker || ends_on_node);
  void* const sum = needs_place ? parts.buffer(0, dispatch.bytes()) : of.output;
  parts.on_node(Collective::reduce, of.input, sum, elements, speaker);
  if (parts.place() == speaker) parts.reduce(sum, elements, call, parts.layout().node_of[root]);
  if (ends_on_node) parts.on_node(Collective::bcast, sum, sum, {dispatch.bytes()}, speaker);
}

/// For each rank of equal nodes: its number, its node and its place.
template <class Visit>
void for_each_rank(const NodeLayout& layout, Visit visit) {
  for (Rank node = 0; node < layout.nodes(); ++node)
    for (Rank place = 0; place < layout.ranks_of[node].size(); ++place)
      visit(layout.ranks_of[node][place], node, place);
}

/// Each rank of a node combines the blocks of its lane: those of its place on all nodes.
void reduce_scatter_parts(Dispatch& dispatch, const Elements& elements, const Operands& of) {
  Parts parts(dispatch, elements);
  const std::size_t bytes = bytes_of(elements);
  const Rank nodes = parts.nodes(), places = parts.ranks_on_node();
  std::byte* const by_place = parts.buffer(0, bytes * nodes * places);
  std::byte* const sums = parts.buffer(1, bytes * nodes);
  std::byte* const others = parts.buffer(2, bytes * nodes);
  for_each_rank(parts.layout(), [&](Rank rank, Rank node, Rank place) {
    std::memcpy(by_place + (place * nodes + node) * bytes,
                static_cast<const std::byte*>(of.input) + rank * bytes, bytes);
  });
  Elements of_lane = elements;
  of_lane.count *= nodes;
  parts.on_node(Collective::reduce_scatter_block, by_place, sums, of_lane, 0);
  std::vector<Block> out, in;
  for (Rank node = 0; node < nodes; ++node) {
    out.push_back({sums + node * bytes, bytes});
    in.push_back({others + node * bytes, bytes});
  }
  parts.move_in_pairs(out, in);
  std::memcpy(others + parts.node() * bytes, sums + parts.node() * bytes, bytes);
  std::memcpy(of.output, others, bytes);
  for (Rank node = 1; node < nodes; ++node) {  // in their order
    const void* const both[] = {of.output, others + node * bytes};
    void* const sum = of.output;
    elements.reduction(both, 2, &sum, 1, elements.count, Stores::cached);
  }
}

void reduction_parts(Dispatch& dispatch, const MpiCall& call, const Elements& elements,
                     const Operands& of) {
  if (dispatch.collective() == Collective::reduce)
    reduce_parts(dispatch, call, elements, of);
  else if (dispatch.collective() == Collective::reduce_scatter_block)
    reduce_scatter_parts(dispatch, elements, of);
  else
    allreduce_parts(dispatch, call, elements, of);
}

/// The blocks of each node's ranks, which follow each other in a buffer of all ranks' blocks or, if
/// they do not, in memory of their own.
class BlocksOfNodes {
 public:
  BlocksOfNodes(const NodeLayout& layout, std::byte* all, std::size_t block_bytes)
      : layout_(layout), all_(all), block_bytes_(block_bytes) {
    for (Rank node = 0; node < layout.nodes(); ++node) {
      const std::size_t bytes = layout.ranks_of[node].size() * block_bytes;
      own_.push_back(packed_buffer(layout.is_in_a_row(node) ? 0 : bytes));
      blocks_.push_back({layout.is_in_a_row(node)
                             ? all + layout.ranks_of[node].front() * block_bytes
                             : own_.back().get(),
                         bytes});
    }
  }
  const std::vector<Block>& blocks() const { return blocks_; }
  void collect() {
    for_scattered(
        [&](std::byte* in_all, std::byte* own) { std::memcpy(own, in_all, block_bytes_); });
  }
  void spread() {
    for_scattered(
        [&](std::byte* in_all, std::byte* own) { std::memcpy(in_all, own, block_bytes_); });
  }

 private:
  template <class Move>
  void for_scattered(Move move) {
    for (Rank node = 0; node < layout_.nodes(); ++node) {
      if (layout_.is_in_a_row(node)) continue;
      for (std::size_t i = 0; i < layout_.ranks_of[node].size(); ++i)
        move(all_ + layout_.ranks_of[node][i] * block_bytes_, blocks_[node].at + i * block_bytes_);
    }
  }

  const NodeLayout& layout_;
  std::byte* all_;
  std::size_t block_bytes_;
  std::vector<Packed> own_;
  std::vector<Block> blocks_;
};

void gather_parts(Dispatch& dispatch, const MovedOverNodes& of) {
  const Elements block{of.block_bytes};
  Parts parts(dispatch, block);
  const Rank root = dispatch.root(), node = parts.layout().node_of[root];
  const Rank speaker = parts.layout().place_of[root];
  if (parts.place() != speaker)
    return parts.on_node(Collective::gather, of.input, nullptr, block, speaker);
  if (parts.node() != node) {
    const std::size_t bytes = parts.ranks_on_node() * of.block_bytes;
    std::byte* const own = parts.buffer(0, bytes);
    parts.on_node(Collective::gather, of.input, own, block, speaker);
    return parts.gather({own, bytes}, {}, node);
  }
  BlocksOfNodes blocks(parts.layout(), of.output, of.block_bytes);
  parts.on_node(Collective::gather, of.input, blocks.blocks()[node].at, block, speaker);
  parts.gather({}, blocks.blocks(), node);
  blocks.spread();
}

void scatter_parts(Dispatch& dispatch, const MovedOverNodes& of) {
  const Elements block{of.block_bytes};
  Parts parts(dispatch, block);
  const Rank root = dispatch.root(), node = parts.layout().node_of[root];
  const Rank speaker = parts.layout().place_of[root];
  if (parts.place() != speaker)
    return parts.on_node(Collective::scatter, nullptr, of.output, block, speaker);
  if (parts.node() != node) {
    const std::size_t bytes = parts.ranks_on_node() * of.block_bytes;
    std::byte* const own = parts.buffer(0, bytes);
    parts.scatter({}, {own, bytes}, node);
    return parts.on_node(Collective::scatter, own, of.output, block, speaker);
  }
  BlocksOfNodes blocks(parts.layout(), of.input, of.block_bytes);
  blocks.collect();
  parts.scatter(blocks.blocks(), {}, node);
  parts.on_node(Collective::scatter, blocks.blocks()[node].at, of.output, block, speaker);
}

/// By the leaders, where nodes are uneven.
void allgather_by_leaders(Parts& parts, const MovedOverNodes& of) {
  const Elements block{of.block_bytes};
  if (parts.place() == 0) {
    BlocksOfNodes blocks(parts.layout(), of.output, of.block_bytes);
    const Block& own = blocks.blocks()[parts.node()];
    parts.on_node(Collective::gather, of.input, own.at, block, 0);
    parts.move_in_pairs(std::vector<Block>(parts.nodes(), own), blocks.blocks());
    blocks.spread();
  } else {
    parts.on_node(Collective::gather, of.input, nullptr, block, 0);
  }
  const Elements all{of.block_bytes * parts.layout().node_of.size()};
  parts.on_node(Collective::bcast, of.output, of.output, all, 0);
}

/// Each rank gets the blocks of its place on all nodes, and shows them on its node.
void allgather_by_lanes(Parts& parts, const MovedOverNodes& of) {
  const Rank nodes = parts.nodes(), places = parts.ranks_on_node();
  const std::size_t bytes = of.block_bytes;
  std::byte* const of_lane = parts.buffer(0, bytes * nodes);
  std::byte* const all = parts.buffer(1, bytes * nodes * places);
  std::vector<Block> out(nodes, {of.input, bytes}), in;
  for (Rank node = 0; node < nodes; ++node) in.push_back({of_lane + node * bytes, bytes});
  parts.move_in_pairs(out, in);
  std::memcpy(of_lane + parts.node() * bytes, of.input, bytes);
  parts.on_node(Collective::allgather, of_lane, all, {bytes * nodes}, 0);
  for_each_rank(parts.layout(), [&](Rank rank, Rank node, Rank place) {
    std::memcpy(of.output + rank * bytes, all + (place * nodes + node) * bytes, bytes);
  });
}

void allgather_parts(Dispatch& dispatch, const MovedOverNodes& of) {
  Parts parts(dispatch, {of.block_bytes});
  if (parts.layout().is_even())
    allgather_by_lanes(parts, of);
  else
    allgather_by_leaders(parts, of);
}

/// What a node's ranks send to the ranks of one place is collected by its rank of that place.
void alltoall_parts(Dispatch& dispatch, const MovedOverNodes& of) {
  Parts parts(dispatch, {of.block_bytes});
  const NodeLayout& layout = parts.layout();
  const Rank nodes = parts.nodes(), places = parts.ranks_on_node();
  const std::size_t bytes = of.block_bytes, all_bytes = bytes * nodes * places;
  std::byte* const one = parts.buffer(0, all_bytes);
  std::byte* const other = parts.buffer(1, all_bytes);
  const auto by_place = [&](std::byte* in, Rank place, Rank node) {
    return in + (place * nodes + node) * bytes;
  };
  const auto by_node = [&](std::byte* in, Rank node, Rank place) {
    return in + (node * places + place) * bytes;
  };
  for_each_rank(layout, [&](Rank rank, Rank node, Rank place) {
    std::memcpy(by_place(one, place, node), of.input + rank * bytes, bytes);
  });
  parts.on_node(Collective::alltoall, one, other, {bytes * nodes}, 0);
  // From each rank of this node, what it sends to the ranks of this place.
  for_each_rank(layout, [&](Rank, Rank node, Rank place) {
    std::memcpy(by_node(one, node, place), by_place(other, place, node), bytes);
  });
  std::vector<Block> out, in;
  for (Rank node = 0; node < nodes; ++node) {
    out.push_back({by_node(one, node, 0), bytes * places});
    in.push_back({by_node(other, node, 0), bytes * places});
  }
  parts.move_in_pairs(out, in);
  std::memcpy(by_node(other, parts.node(), 0), by_node(one, parts.node(), 0), bytes * places);
  for_each_rank(layout, [&](Rank rank, Rank node, Rank place) {
    std::memcpy(of.output + rank * bytes, by_node(other, node, place), bytes);
  });
}

bool moves_in_pairs(Collective collective) {
  return collective == Collective::gather || collective == Collective::scatter ||
         collective == Collective::allgather || collective == Collective::alltoall ||
         collective == Collective::reduce_scatter_block;
}

}  // namespace

bool is_composed_over_nodes(Collective collective) {
  return collective == Collective::barrier || collective == Collective::bcast ||
         collective == Collective::reduce || collective == Collective::allreduce ||
         moves_in_pairs(collective);
}

const char* why_not_over_nodes(const CallOverNodes& call, const NodeLayout& layout,
                               const TeamSettings& settings) {
  if (!is_composed_over_nodes(call.collective)) return kNotComposed;
  if (!settings.runs(call.collective)) return "TERRACE_OFF";
  if (settings.checks) return "TERRACE_CHECK compares calls on one node only";
  const bool is_sum = combines(call.collective);
  if (is_sum && settings.is_reproducible) return "sums over several nodes are not reproducible";
  if (is_sum && !call.is_predefined) return kOtherElements;
  const std::size_t blocks = moves_in_pairs(call.collective) ? layout.node_of.size() : 1;
  return call.bytes > INT_MAX / blocks ? "2 GiB or more" : nullptr;
}

const char* why_not_composed(const CallOverNodes& call, const NodeLayout& layout,
                             const TeamSettings& settings) {
  if (const char* const why = why_not_over_nodes(call, layout, settings)) return why;
  if (layout.most_ranks == 1) return kOneRankPerNode;  // which are together for a plan
  const bool is_to_one =
      call.collective == Collective::gather || call.collective == Collective::scatter;
  if (is_to_one && !layout.have_all(layout.place_of[call.root]))
    return "not all nodes have a rank in the root's place";
  if (moves_in_pairs(call.collective) && layout.nodes() > kMostNodesInPairs)
    return "a message for each pair of so many nodes would take too long";
  const bool needs_even = call.collective == Collective::alltoall ||
                          call.collective == Collective::reduce_scatter_block;
  if (needs_even && !layout.is_even()) return "nodes have different numbers of ranks";
  const bool is_alltoall = call.collective == Collective::alltoall;
  if (needs_even && call.bytes > (is_alltoall ? kMostCollected : kMostCollectedSums))
    return "long blocks go to their receivers directly";
  return nullptr;
}

bool barrier_over_nodes(Dispatch& dispatch) {
  if (is_refused(dispatch, {Collective::barrier})) return false;
  if (is_mpis_by_trial(dispatch, {})) return false;
  if (PlanOverNodes* const plan = plan_for(dispatch, 0))
    return run_by_plan(dispatch, *plan, {}, nullptr, nullptr);
  Parts parts(dispatch, {});
  parts.on_node(Collective::barrier, nullptr, nullptr, {}, 0);
  if (parts.place() == 0) parts.barrier();
  parts.on_node(Collective::barrier, nullptr, nullptr, {}, 0);
  return end_composed(dispatch, kComposed);
}

bool may_bcast_over_nodes(Dispatch& dispatch, std::size_t bytes) {
  if (is_refused(dispatch, {Collective::bcast, bytes})) return false;
  return bytes == 0 || !is_mpis_by_trial(dispatch, {bytes});
}

bool bcast_over_nodes(Dispatch& dispatch, void* bytes, std::size_t count) {
  if (count == 0) return end_composed(dispatch, kNothing);
  if (PlanOverNodes* const plan = plan_for(dispatch, count))
    return run_by_plan(dispatch, *plan, {count}, bytes, bytes);
  bcast_parts(dispatch, bytes, count);
  return end_composed(dispatch, kComposed);
}

bool may_reduce_over_nodes(Dispatch& dispatch, const Elements& elements, bool has_gaps) {
  if (is_refused(dispatch, {dispatch.collective(), bytes_of(elements), 0, !has_gaps})) return false;
  return elements.count == 0 || !is_mpis_by_trial(dispatch, elements);
}

bool reduce_over_nodes(Dispatch& dispatch, const MpiCall& call, const Elements& elements,
                       const void* input, void* output) {
  if (elements.count == 0) return end_composed(dispatch, kNothing);
  if (PlanOverNodes* const plan = plan_for(dispatch, bytes_of(elements)))
    return run_by_plan(dispatch, *plan, elements, input, output);
  reduction_parts(dispatch, call, elements,
                  {input, gets_result(dispatch.rank_in_call()) ? output : nullptr});
  return end_composed(dispatch, kComposed);
}

bool may_move_over_nodes(Dispatch& dispatch, std::size_t block_bytes) {
  if (is_refused(dispatch, {dispatch.collective(), block_bytes})) return false;
  return block_bytes == 0 || !is_mpis_by_trial(dispatch, {block_bytes});
}

bool move_over_nodes(Dispatch& dispatch, const MovedOverNodes& blocks) {
  if (blocks.block_bytes == 0) return end_composed(dispatch, kNothing);
  if (PlanOverNodes* const plan = plan_for(dispatch, blocks.block_bytes))
    return move_by_plan(dispatch, *plan, blocks);
  switch (dispatch.collective()) {
    case Collective::gather:
      gather_parts(dispatch, blocks);
      break;
    case Collective::scatter:
      scatter_parts(dispatch, blocks);
      break;
    case Collective::allgather:
      allgather_parts(dispatch, blocks);
      break;
    default:
      alltoall_parts(dispatch, blocks);
      break;
  }
  return end_composed(dispatch, kComposed);
}

bool refuse_over_nodes(Dispatch& dispatch) {
  is_refused(dispatch, {dispatch.collective(), 0, 0, false});
  return false;
}

}  // namespace terrace::preload
