// SPDX-License-Identifier: BSD-3-Clause
// Node, network, node: the leader of each node speaks for it in the MPI's own collective.
#include "preload/dispatch/over_nodes.hpp"

#include <climits>
#include <cstring>
#include <string>

#include "base/say.hpp"
#include "preload/mpi/packing.hpp"
#include "preload/setup/nodes.hpp"
#include "preload/transport/device_memory.hpp"

namespace terrace::preload {

namespace {

constexpr const char* kHow = "node, network, node";
constexpr const char* kOtherElements =
    "over several nodes, only predefined types without gaps and operators are composed";

/// The parts of one call.
class Parts {
 public:
  explicit Parts(Dispatch& dispatch)
      : dispatch_(dispatch),
        team_(dispatch.comm_state().team.get()),
        over_(*dispatch.comm_state().over_nodes) {}

  bool is_leader() const { return over_.is_leader(); }
  bool is_here(Rank rank) const { return over_.layout.node_of[rank] == over_.node(); }
  Rank place_of(Rank rank) const { return over_.layout.place_of[rank]; }
  int node_of(Rank rank) const { return static_cast<int>(over_.layout.node_of[rank]); }

  /// This node's part. `root`: a place on the node.
  void on_node(Collective collective, const void* input, void* output, const Elements& elements,
               Rank root) {
    if (team_ == nullptr) {
      if (input != output) std::memcpy(output, input, elements.count * elements.bytes);
      return;
    }
    const bool is_done = team_->make_call(collective, input, output, elements, root);
    end_run(is_done, *team_);
    if (!is_done) end_job_because("the part on a node has failed");
  }

  // The parts between nodes, which leaders make.
  void barrier() { judge(underlying().next_barrier(leaders())); }
  void bcast(void* bytes, std::size_t count, int root_node) {
    judge(underlying().next_bcast(leaders(), bytes, count, root_node));
  }
  void reduce(const void* input, void* output, const MpiCall& call, int root_node) {
    judge(underlying().next_reduction(dispatch_.collective(), leaders(), input, output,
                                      static_cast<std::size_t>(call.count), call.type, call.op,
                                      root_node));
  }

 private:
  UnderlyingMpi& underlying() { return dispatch_.underlying(); }
  Handle leaders() const { return over_.leaders->communicator; }

  void judge(bool is_done) {
    if (!is_done) end_job_because("the MPI refused the part between nodes");
  }

  void end_job_because(const char* why) {
    std::string leaders;
    for (const int rank : over_.leaders_in_world)
      leaders += (leaders.empty() ? "" : ", ") + std::to_string(rank);
    say(std::string(to_text(dispatch_.collective())) + " of " +
        std::to_string(dispatch_.comm_state().size) + " ranks on " +
        std::to_string(over_.layout.nodes()) + " nodes, which ranks " + leaders +
        " of MPI_COMM_WORLD lead: " + why +
        ". All ranks of a communicator must make the same calls in the same order. Ending the job "
        "(with TERRACE_ACROSS_NODES=0, such calls fall back to the MPI)");
    underlying().end_job();
  }

  Dispatch& dispatch_;
  Team* team_;  ///< null: this rank is alone on its node
  const OverNodes& over_;
};

bool is_refused(Dispatch& dispatch, const CallOverNodes& call) {
  const char* const why = why_not_composed(call, dispatch.comm_state().over_nodes->settings);
  if (why != nullptr) dispatch.fall_back_and_warn(why);
  return why != nullptr;
}

bool end_composed(Dispatch& dispatch, const char* how) {
  dispatch.count_composed(how);
  return true;
}

/// The root's node has the data before its leader sends it to other nodes.
void bcast_parts(Dispatch& dispatch, void* bytes, std::size_t count) {
  Parts parts(dispatch);
  const Rank root = dispatch.root();
  const Elements elements{count};
  const bool begins_on_node = parts.is_here(root) && parts.place_of(root) != 0;
  if (begins_on_node)
    parts.on_node(Collective::bcast, bytes, bytes, elements, parts.place_of(root));
  if (parts.is_leader()) parts.bcast(bytes, count, parts.node_of(root));
  if (!begins_on_node) parts.on_node(Collective::bcast, bytes, bytes, elements, 0);
}

/// A reduction's buffers, dense and in the host's memory. `output` is null where this rank has no
/// result.
struct Operands {
  const void* input;
  void* output;
};

void allreduce_parts(Dispatch& dispatch, const MpiCall& call, const Elements& elements,
                     const Operands& of) {
  Parts parts(dispatch);
  parts.on_node(Collective::reduce, of.input, of.output, elements, 0);
  if (parts.is_leader()) parts.reduce(dispatch.underlying().in_place(), of.output, call, 0);
  parts.on_node(Collective::bcast, of.output, of.output, {dispatch.bytes()}, 0);
}

/// The leader of the root's node gets the result, and all of that node, if that is not the root.
void reduce_parts(Dispatch& dispatch, const MpiCall& call, const Elements& elements,
                  const Operands& of) {
  Parts parts(dispatch);
  const Rank root = dispatch.root();
  const bool ends_on_node = parts.is_here(root) && parts.place_of(root) != 0;
  const bool needs_place = of.output == nullptr && (parts.is_leader() || ends_on_node);
  const Packed place = packed_buffer(needs_place ? dispatch.bytes() : 0);
  void* const sum = needs_place ? place.get() : of.output;
  parts.on_node(Collective::reduce, of.input, sum, elements, 0);
  if (parts.is_leader()) {
    const void* const input = parts.is_here(root) ? dispatch.underlying().in_place() : sum;
    parts.reduce(input, parts.is_here(root) ? sum : nullptr, call, parts.node_of(root));
  }
  if (ends_on_node) parts.on_node(Collective::bcast, sum, sum, {dispatch.bytes()}, 0);
}

void reduction_parts(Dispatch& dispatch, const MpiCall& call, const Elements& elements,
                     const Operands& of) {
  if (dispatch.collective() == Collective::reduce)
    reduce_parts(dispatch, call, elements, of);
  else
    allreduce_parts(dispatch, call, elements, of);
}

}  // namespace

bool is_composed_over_nodes(Collective collective) {
  return collective == Collective::barrier || collective == Collective::bcast ||
         collective == Collective::reduce || collective == Collective::allreduce;
}

const char* why_not_composed(const CallOverNodes& call, const TeamSettings& settings) {
  if (!is_composed_over_nodes(call.collective)) return kNotComposed;
  if (!settings.runs(call.collective)) return "TERRACE_OFF";
  if (settings.checks) return "TERRACE_CHECK compares calls on one node only";
  const bool is_sum = combines(call.collective);
  if (is_sum && settings.is_reproducible) return "sums over several nodes are not reproducible";
  if (is_sum && !call.is_predefined) return kOtherElements;
  return call.bytes > INT_MAX ? "2 GiB or more" : nullptr;
}

bool barrier_over_nodes(Dispatch& dispatch) {
  if (is_refused(dispatch, {Collective::barrier})) return false;
  Parts parts(dispatch);
  parts.on_node(Collective::barrier, nullptr, nullptr, {}, 0);
  if (parts.is_leader()) parts.barrier();
  parts.on_node(Collective::barrier, nullptr, nullptr, {}, 0);
  return end_composed(dispatch, kHow);
}

bool bcast_over_nodes(Dispatch& dispatch, const MpiCall& call, std::size_t bytes, bool is_dense) {
  if (is_refused(dispatch, {Collective::bcast, bytes})) return false;
  if (bytes == 0) return end_composed(dispatch, kNothing);
  if (is_dense) {
    bcast_parts(dispatch, call.output, bytes);
    return end_composed(dispatch, kHow);
  }
  UnderlyingMpi& underlying = dispatch.underlying();
  const Packed packed = packed_buffer(bytes);
  const bool is_root = dispatch.rank_in_call().is_root();
  if (is_root && !pack_elements(underlying, call.communicator, call.output, call.count, call.type,
                                packed.get(), bytes))
    say_once("the MPI could not pack a buffer of MPI_Bcast: what arrives is undefined");
  bcast_parts(dispatch, packed.get(), bytes);
  if (!is_root && !unpack_elements(underlying, call.communicator, packed.get(), bytes, call.output,
                                   call.count, call.type))
    say_once("the MPI could not unpack a buffer of MPI_Bcast");
  return end_composed(dispatch, kHow);
}

bool reduction_over_nodes(Dispatch& dispatch, const MpiCall& call, const Elements& elements,
                          bool has_gaps) {
  const std::size_t bytes = elements.count * elements.bytes;
  if (is_refused(dispatch, {dispatch.collective(), bytes, !has_gaps})) return false;
  if (bytes == 0) return end_composed(dispatch, kNothing);
  UnderlyingMpi& underlying = dispatch.underlying();
  const void* const input = underlying.is_in_place(call.input) ? call.output : call.input;
  void* const output = gets_result(dispatch.rank_in_call()) ? call.output : nullptr;
  const bool is_on_a_device = is_on_device(input) || (output != nullptr && is_on_device(output));
  if (!is_on_a_device) {
    reduction_parts(dispatch, call, elements, {input, output});
    return end_composed(dispatch, kHow);
  }
  const Packed packed = packed_buffer(bytes);
  if (!pack_elements(underlying, call.communicator, input, call.count, call.type, packed.get(),
                     bytes))
    say_once("the MPI could not pack the input of a reduction: its result is undefined");
  reduction_parts(dispatch, call, elements, {packed.get(), packed.get()});
  if (output != nullptr && !unpack_elements(underlying, call.communicator, packed.get(), bytes,
                                            output, call.count, call.type))
    say_once("the MPI could not unpack the result of a reduction");
  return end_composed(dispatch, kHow);
}

bool refuse_over_nodes(Dispatch& dispatch) {
  is_refused(dispatch, {dispatch.collective(), 0, false});
  return false;
}

}  // namespace terrace::preload
