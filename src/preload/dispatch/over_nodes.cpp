// SPDX-License-Identifier: BSD-3-Clause
// Node, network, node. Two nodes with ranks 0, 2 and 1, 3, in the order of each call:
//
//   barrier          all meet on each node; lane 0; all meet again
//   bcast            root 2: lane 1 (2 -> 3); on each node from 2, from 3
//   reduce           root 2: on each node to 2, to 3; lane 1 (3 -> 2)
//   allreduce        short: on each node to 0, to 1; lane 0; bcast on each node
//                    long: reduce_scatter on each node; both lanes; allgather on each node
//   reduce_scatter   on each node: to 0 the blocks 0 and 1; then both lanes, and the last sum
//
// block_moves.hpp has the calls that move blocks, in_rank_order.hpp the reductions whose order or
// operator is not Terrace's to choose. Where nodes are uneven and the root's place does not exist
// on all, its node's leader speaks for it. No part waits for one that comes later on another rank:
// all ranks make their parts in the order of their calls.
#include "preload/dispatch/over_nodes.hpp"

#include <climits>
#include <cstring>
#include <vector>

#include "base/contract.hpp"
#include "preload/dispatch/in_rank_order.hpp"
#include "preload/setup/plan_over_nodes.hpp"

namespace terrace::preload {

namespace {

/// Vectors from here on cross the network by all lanes: one core may not fill it.
constexpr std::size_t kLeastByLanes = std::size_t{256} << 10;

/// Whether the order or the operator is not Terrace's to choose, or the MPI could not combine what
/// is packed.
bool is_by_operands(Dispatch& dispatch, const Elements& elements, bool has_gaps) {
  const Collective collective = dispatch.collective();
  const bool is_ordered =
      elements.in_rank_order ||
      (dispatch.comm_state().over_nodes->settings.is_reproducible && !elements.is_exact);
  return is_scan(collective) || is_ordered || has_gaps || elements.combiner != nullptr;
}

/// The user's plan, if it is for such a call.
PlanOverNodes* plan_for(Dispatch& dispatch, std::size_t bytes, bool by_operands = false) {
  const CommState& comm_state = dispatch.comm_state();
  const bool may_run = !by_operands && !comm_state.over_nodes->settings.checks;
  PlanOverNodes* const plan = may_run ? comm_state.plan_over_nodes.get() : nullptr;
  const bool is_for =
      plan != nullptr && plan->is_for(dispatch.collective(), bytes, dispatch.root());
  return is_for ? plan : nullptr;
}

bool is_refused(Dispatch& dispatch, CallOverNodes call) {
  call.root = dispatch.root();
  const MultiNodeCommunicator& over = *dispatch.comm_state().over_nodes;
  const char* const why = plan_for(dispatch, call.bytes, call.is_by_operands) != nullptr
                              ? why_not_over_nodes(call, over.layout, over.settings)
                              : why_not_composed(call, over.layout, over.settings);
  if (why != nullptr) dispatch.fall_back_and_warn(why);
  return why != nullptr;
}

/// Whether the call falls back to the MPI by a trial. Of sums whose last bits depend on their order
/// there are none, unless the user allows that.
bool is_mpis_by_trial(Dispatch& dispatch, const Elements& elements) {
  MultiNodeCommunicator& over = *dispatch.comm_state().over_nodes;
  if (plan_for(dispatch, bytes_of(elements)) != nullptr) return false;
  const TrialSetting trials = over.settings.trials;
  const bool has_bits_to_keep = combines(dispatch.collective()) && !elements.is_exact;
  if (over.settings.checks || trials == TrialSetting::off ||
      (has_bits_to_keep && trials != TrialSetting::any_sums))
    return false;
  const std::optional<bool> falls_back =
      over.trials().falls_back(dispatch.collective(), bytes_of(elements));
  if (!falls_back) over.end_job_because("the MPI refused to exchange the times of a trial");
  if (falls_back != true) return false;
  const CallIdentity identity = identity_of_call(dispatch, elements);
  over.begin(identity);  // to be compared with calls that other ranks compose
  if (Team* const team = dispatch.comm_state().team.get()) team->endpoint->pass(identity);
  fallback_by = &over.trials();
  dispatch.fall_back(kByTrial);
  return true;
}

bool end_composed(Dispatch& dispatch, const char* how) {
  MultiNodeCommunicator& over = *dispatch.comm_state().over_nodes;
  over.trials().end_call();
  over.release_large_buffers();
  over.record_call(how);
  dispatch.count_composed(how);
  return true;
}

/// The whole call by the user's plan.
bool run_by_plan(Dispatch& dispatch, PlanOverNodes& plan, const Elements& elements,
                 const void* input, void* output) {
  MultiNodeCommunicator& over = *dispatch.comm_state().over_nodes;
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
  CallParts parts(dispatch, elements);
  const Rank root = dispatch.root();
  const Rank speaker = parts.speaker(root);
  const bool begins_on_node = parts.has_mute_root(root);
  if (begins_on_node)
    parts.on_node(Collective::bcast, bytes, bytes, elements, parts.layout().place_of[root]);
  if (parts.place() == speaker) parts.bcast(bytes, count, parts.layout().node_of[root]);
  if (!begins_on_node) parts.on_node(Collective::bcast, bytes, bytes, elements, speaker);
}

void short_allreduce_parts(CallParts& parts, const MpiCall& call, const Elements& elements,
                           const Operands& of) {
  parts.on_node(Collective::reduce, of.input, of.output, elements, 0);
  if (parts.place() == 0) parts.allreduce(of.output, elements, call);
  parts.on_node(Collective::bcast, of.output, of.output, {bytes_of(elements)}, 0);
}

/// Each rank of a node has a slice, which it combines with its lane. What does not divide is short.
void long_allreduce_parts(CallParts& parts, const MpiCall& call, const Elements& elements,
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
  CallParts parts(dispatch, elements);
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
  CallParts parts(dispatch, elements);
  const Rank root = dispatch.root();
  const Rank speaker = parts.speaker(root);
  const bool ends_on_node = parts.has_mute_root(root);
  const bool needs_place = of.output == nullptr && (parts.place() == speaker || ends_on_node);
  void* const sum = needs_place ? parts.buffer(0, dispatch.bytes()) : of.output;
  parts.on_node(Collective::reduce, of.input, sum, elements, speaker);
  if (parts.place() == speaker) parts.reduce(sum, elements, call, parts.layout().node_of[root]);
  if (ends_on_node) parts.on_node(Collective::bcast, sum, sum, {dispatch.bytes()}, speaker);
}

/// Each rank of a node combines the blocks of its lane: those of its place on all nodes.
void reduce_scatter_parts(Dispatch& dispatch, const Elements& elements, const Operands& of) {
  CallParts parts(dispatch, elements);
  TERRACE_ASSERT(parts.layout().is_even(), parts.layout().least_ranks, parts.layout().most_ranks);
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
                     bool has_gaps, const Operands& of) {
  if (is_by_operands(dispatch, elements, has_gaps)) {
    CallParts parts(dispatch, elements);
    return combine_in_rank_order(parts, dispatch.rank_in_call(), elements, of);
  }
  if (dispatch.collective() == Collective::reduce)
    reduce_parts(dispatch, call, elements, of);
  else if (dispatch.collective() == Collective::reduce_scatter_block)
    reduce_scatter_parts(dispatch, elements, of);
  else
    allreduce_parts(dispatch, call, elements, of);
}

/// Says why calls in the order of ranks are not composed; null: they are.
const char* why_no_operands_move(const CallOverNodes& call, const NodeLayout& layout,
                                 const TeamSettings& settings) {
  const std::size_t ranks = layout.node_of.size();
  if (is_scan(call.collective) && !settings.is_reproducible &&
      call.bytes > kMostOfAllOperands / ranks)
    return "long scans over several nodes are the MPI's";
  const bool has_blocks = call.collective == Collective::reduce_scatter_block;
  return call.bytes > (has_blocks ? INT_MAX / ranks : INT_MAX / 2) ? "2 GiB or more" : nullptr;
}

}  // namespace

const char* why_not_over_nodes(const CallOverNodes& call, const NodeLayout& layout,
                               const TeamSettings& settings) {
  if (!is_composed_over_nodes(call.collective)) return kNotComposed;
  if (!settings.runs(call.collective)) return "TERRACE_OFF";
  const std::size_t blocks = moves_in_pairs(call.collective) ? layout.node_of.size() : 1;
  return call.bytes > INT_MAX / blocks ? "2 GiB or more" : nullptr;
}

const char* why_not_composed(const CallOverNodes& call, const NodeLayout& layout,
                             const TeamSettings& settings) {
  if (const char* const why = why_not_over_nodes(call, layout, settings)) return why;
  if (layout.most_ranks == 1) return kOneRankPerNode;  // which are together for a plan
  if (call.is_by_operands) return why_no_operands_move(call, layout, settings);
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
  CallParts parts(dispatch, {});
  parts.on_node(Collective::barrier, nullptr, nullptr, {}, 0);
  if (parts.place() == 0) parts.barrier();
  parts.on_node(Collective::barrier, nullptr, nullptr, {}, 0);
  if (checks_over_nodes(dispatch))
    dispatch.underlying().next_barrier(dispatch.comm_state().communicator);
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
  const bool by_operands = is_by_operands(dispatch, elements, has_gaps);
  if (is_refused(dispatch, {dispatch.collective(), bytes_of(elements), 0, by_operands}))
    return false;
  return elements.count == 0 || !is_mpis_by_trial(dispatch, elements);
}

bool reduce_over_nodes(Dispatch& dispatch, const MpiCall& call, const Elements& elements,
                       bool has_gaps, const void* input, void* output) {
  if (elements.count == 0) return end_composed(dispatch, kNothing);
  const bool by_operands = is_by_operands(dispatch, elements, has_gaps);
  if (PlanOverNodes* const plan = plan_for(dispatch, bytes_of(elements), by_operands))
    return run_by_plan(dispatch, *plan, elements, input, output);
  reduction_parts(dispatch, call, elements, has_gaps,
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
  CallParts parts(dispatch, {blocks.block_bytes});
  switch (dispatch.collective()) {
    case Collective::gather:
      gather_parts(parts, dispatch.root(), blocks);
      break;
    case Collective::scatter:
      scatter_parts(parts, dispatch.root(), blocks);
      break;
    case Collective::allgather:
      allgather_parts(parts, blocks);
      break;
    default:
      alltoall_parts(parts, blocks);
      break;
  }
  return end_composed(dispatch, kComposed);
}

}  // namespace terrace::preload
