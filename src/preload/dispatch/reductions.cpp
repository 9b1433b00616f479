// SPDX-License-Identifier: BSD-3-Clause
// Collectives that combine elements, in blocks of one length.
#include "preload/dispatch/reductions.hpp"

#include "base/say.hpp"
#include "preload/diagnose/check.hpp"
#include "preload/dispatch/calls.hpp"
#include "preload/dispatch/local_reduction.hpp"
#include "preload/dispatch/repetition.hpp"
#include "preload/mpi/packing.hpp"
#include "preload/transport/device_memory.hpp"

namespace terrace::preload {

namespace {

[[gnu::noinline]] const PredefinedReduction* look_for_kernel(UnderlyingMpi& underlying,
                                                             PredefinedReduction& last, Handle type,
                                                             Handle op) {
  const PredefinedType* known = underlying.find_type(type);
  const PredefinedOperator* by = underlying.find_operator(op);
  if (known == nullptr || by == nullptr) return nullptr;
  const Reduction kernel = kernel_for(*known, by->op);
  if (kernel == nullptr) return nullptr;
  if (known->kind == TypeClass::fortran_logical && !underlying.is_one_true(type)) return nullptr;
  last = {type, op, known, kernel, is_exact(known->kind), false};
  last.combination = combination_of(known->kind, known->bytes, by->op);
  const bool is_plain = by->op == Operator::sum || by->op == Operator::product;
  last.is_exact_for_two = last.is_exact || (known->kind == TypeClass::floating && is_plain);
  return &last;
}

}  // namespace

/// What a communicator has combined last it mostly combines again.
const PredefinedReduction* find_kernel(Dispatch& dispatch, Handle type, Handle op) {
  PredefinedReduction& last = dispatch.comm_state().last_reduction;
  if (last.type == type && last.op == op && last.known != nullptr) return &last;
  return look_for_kernel(dispatch.underlying(), last, type, op);
}

namespace {

/// Blocks of a vector that this rank brings to a reduction.
std::size_t input_blocks(Collective collective, const CommState& comm_state) {
  return collective == Collective::reduce_scatter_block ? static_cast<std::size_t>(comm_state.size)
                                                        : 1;
}

bool gets_result(Collective collective, const MpiCall& call, const CommState& comm_state) {
  if (collective == Collective::reduce) return call.root == comm_state.rank;
  return collective != Collective::exscan || comm_state.rank > 0;
}

/// Whether the MPI would take the buffers of a reduction with elements.
inline bool takes_buffers(Collective collective, const MpiCall& call, const CommState& comm_state,
                          const UnderlyingMpi& underlying, bool is_predefined = true) {
  const bool has_output = gets_result(collective, call, comm_state);
  if (underlying.is_in_place(call.input))
    return (has_output || collective == Collective::exscan) &&
           holds_data(underlying, call.output, is_predefined);
  if (call.input == nullptr && is_predefined) return false;
  // Of an exscan MPIs compare both addresses also at rank 0, to which the output means nothing.
  if ((has_output || collective == Collective::exscan) && call.input == call.output &&
      !underlying.takes_equal_buffers())
    return false;
  return !has_output || holds_data(underlying, call.output, is_predefined);
}

/// A reduction on its way: where its input is, where its output goes, and how.
struct Reducing {
  Collective collective;
  const MpiCall& call;
  const Elements& elements;
  const void* input;
  void* output;
  std::ptrdiff_t extent;  ///< from one element to the next
};

bool uses_device(const Reducing& the) {
  return has_devices() && (owner_of(the.input) || owner_of(the.output));
}

bool reduce_on(Team& team, const Reducing& the) {
  team.world.begin(the.collective);
  TeamEndpoint& endpoint = *team.endpoint;
  switch (the.collective) {
    case Collective::reduce:
      return endpoint.reduce(the.input, the.output, the.elements, static_cast<Rank>(the.call.root));
    case Collective::reduce_scatter_block:
      return endpoint.reduce_scatter_block(the.input, the.output, the.elements);
    case Collective::scan:
      return endpoint.scan(the.input, the.output, the.elements);
    case Collective::exscan:
      return endpoint.exscan(the.input, the.output, the.elements);
    default:
      return endpoint.allreduce(the.input, the.output, the.elements);
  }
}

/// Block after block, since the MPI counts packed bytes in an int.
bool pack_input(Dispatch& dispatch, const Reducing& the, std::byte* packed) {
  const MpiCall& call = the.call;
  const std::size_t bytes = bytes_of(the.elements);
  const std::ptrdiff_t stride = static_cast<std::ptrdiff_t>(the.elements.count) * the.extent;
  const auto* from = static_cast<const std::byte*>(the.input);
  bool is_done = true;
  const std::size_t blocks = input_blocks(the.collective, dispatch.comm_state());
  for (std::size_t i = 0; i < blocks; ++i, from += stride, packed += bytes)
    is_done &= pack_elements(dispatch.underlying(), call.communicator, from, call.count, call.type,
                             packed, bytes);
  return is_done;
}

[[gnu::cold, gnu::noinline]] bool reduce_checked(Dispatch& dispatch, Team& team,
                                                 const Reducing& the) {
  CommState& comm_state = dispatch.comm_state();
  ReductionCheck check(dispatch.underlying(), comm_state, the.collective, the.call, the.elements,
                       the.input, input_blocks(the.collective, comm_state));
  const bool is_done = reduce_on(team, the);
  const bool has_result = gets_result(the.collective, the.call, comm_state);
  if (is_done) check.compare(has_result ? the.output : nullptr);
  return is_done;
}

/// All ranks alike: what differs between them are the places of their buffers alone.
bool reduce_dense(Dispatch& dispatch, Team& team, const Reducing& the) {
  if (!team.settings.checks) [[likely]]
    return reduce_on(team, the);
  const bool is_checked = the.elements.reduction != nullptr &&
                          !dispatch.underlying().find_type(the.call.type)->has_gaps();
  return is_checked ? reduce_checked(dispatch, team, the) : reduce_on(team, the);
}

/// Peers see packed elements, and gaps in this rank's output stay as they are.
bool reduce_packed(Dispatch& dispatch, Team& team, const Reducing& the) {
  const MpiCall& call = the.call;
  const std::size_t bytes = bytes_of(the.elements);
  const Packed packed = packed_buffer(bytes * input_blocks(the.collective, dispatch.comm_state()));
  if (!pack_input(dispatch, the, packed.get()))
    say_once("the MPI could not pack the input of a reduction: its result is undefined");
  const bool is_done = reduce_dense(
      dispatch, team, {the.collective, call, the.elements, packed.get(), packed.get(), 0});
  if (gets_result(the.collective, call, dispatch.comm_state()) &&
      !unpack_elements(dispatch.underlying(), call.communicator, packed.get(), bytes, the.output,
                       call.count, call.type))
    say_once("the MPI could not unpack the result of a reduction");
  return is_done;
}

/// What the MPI alone knows how to combine: by operators and on types of the program's, and its own
/// where we have no kernel. (TERRACE_CHECK leaves these alone: only the program knows which
/// differences its operator makes.)
[[gnu::noinline]] bool reduce_locally(Dispatch& dispatch, Collective collective,
                                      const MpiCall& call) {
  UnderlyingMpi& underlying = dispatch.underlying();
  if (call.count < 0 || !underlying.can_reduce(call.type, call.op))
    return dispatch.fall_back(kRefused) != nullptr;
  const std::optional<TypeLayout> layout = underlying.layout_of(call.type);
  if (!layout) return dispatch.fall_back(kRefused) != nullptr;
  Elements elements{static_cast<std::size_t>(call.count), layout->bytes};
  Reducing the{collective, call, elements, call.input, call.output, layout->extent};
  const bool tells_addresses = layout->true_lower != 0;
  if (elements.count > 0 &&
      !takes_buffers(collective, call, dispatch.comm_state(), underlying, !tells_addresses))
    return dispatch.fall_back(kWrongBuffer) != nullptr;
  Team* team = dispatch.team_for(bytes_of(elements));
  if (team == nullptr) return false;
  if (elements.count == 0) {
    dispatch.count_run(nullptr);
    return true;
  }
  elements.in_rank_order = !underlying.commutes(call.op);
  elements.combination = Combination::of_others();
  if (!team->endpoint->has_room_for(collective, elements, dispatch.root()))
    return dispatch.decline(kLongElement) != nullptr;
  if (dispatch.hands_over(*team, elements)) return false;
  LocalReduction reduction(underlying, call.communicator, call.type, *layout, call.op,
                           elements.count);
  elements.combiner = &reduction;
  if (underlying.is_in_place(call.input)) the.input = call.output;
  const bool is_direct = layout->is_dense() && !uses_device(the);
  const bool is_done = is_direct ? reduce_on(*team, the) : reduce_packed(dispatch, *team, the);
  return end_of(is_done, dispatch, *team);
}

}  // namespace

bool run_reduction(Collective collective, const MpiCall& call) {
  Dispatch dispatch(collective, call.communicator, call.root);
  if (!dispatch.is_sound()) return false;
  const PredefinedReduction* const by = find_kernel(dispatch, call.type, call.op);
  if (by == nullptr || call.count < 0) return reduce_locally(dispatch, collective, call);
  const PredefinedType& type = *by->known;
  Elements elements{static_cast<std::size_t>(call.count), type.bytes, by->kernel};
  elements.is_exact = dispatch.comm_state().size == 2 ? by->is_exact_for_two : by->is_exact;
  elements.combination = by->combination;
  if (elements.count > 0 &&
      !takes_buffers(collective, call, dispatch.comm_state(), dispatch.underlying()))
    return dispatch.fall_back(kWrongBuffer) != nullptr;
  Team* team = dispatch.team_for(bytes_of(elements));
  if (team == nullptr) return false;
  if (elements.count == 0) {
    dispatch.count_run(nullptr);
    return true;
  }
  if (dispatch.hands_over(*team, elements)) return false;
  const void* input = dispatch.underlying().is_in_place(call.input) ? call.output : call.input;
  const Reducing the{collective, call,        elements,
                     input,      call.output, static_cast<std::ptrdiff_t>(type.extent)};
  const bool is_packed = type.has_gaps() || uses_device(the);
  if (is_packed) return end_of(reduce_packed(dispatch, *team, the), dispatch, *team);
  const bool is_done = reduce_dense(dispatch, *team, the);
  if (is_done)
    remember(dispatch, *team, call, input == call.output,
             gets_result(collective, call, dispatch.comm_state()));
  return end_of(is_done, dispatch, *team);
}

}  // namespace terrace::preload
