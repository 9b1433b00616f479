// SPDX-License-Identifier: BSD-3-Clause
// Collectives that combine elements, in blocks of one length.
#include "preload/dispatch/reductions.hpp"

#include "base/say.hpp"
#include "preload/dispatch/compare_with_mpi.hpp"
#include "preload/dispatch/hot_path.hpp"
#include "preload/dispatch/local_reduction.hpp"
#include "preload/dispatch/over_nodes.hpp"
#include "preload/mpi/calls.hpp"
#include "preload/transport/device_memory.hpp"
#include "preload/transport/packing.hpp"

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

/// A communicator mostly combines the same type by the same operator as last time.
const PredefinedReduction* find_kernel(Dispatch& dispatch, Handle type, Handle op) {
  PredefinedReduction& last = dispatch.comm_state().last_reduction;
  if (last.type == type && last.op == op && last.known != nullptr) return &last;
  return look_for_kernel(dispatch.underlying(), last, type, op);
}

/// (TERRACE_CHECK leaves these alone: only the program knows which differences its operator makes.)
std::optional<TypeLayout> find_local(Dispatch& dispatch, const MpiCall& call, std::int64_t count,
                                     Elements& elements) {
  UnderlyingMpi& underlying = dispatch.underlying();
  std::optional<TypeLayout> layout;
  if (count >= 0 && underlying.can_reduce(call.type, call.op))
    layout = underlying.layout_of(call.type);
  if (!layout) {
    dispatch.fall_back(kRefused);
    return std::nullopt;
  }
  elements = {static_cast<std::size_t>(count), layout->bytes};
  elements.in_rank_order = !underlying.commutes(call.op);
  elements.combination = Combination::of_others();
  return layout;
}

bool takes_buffers(Dispatch& dispatch, const MpiCall& call, bool is_predefined) {
  const UnderlyingMpi& underlying = dispatch.underlying();
  const bool has_output = gets_result(dispatch.rank_in_call());
  const bool shows_output = has_output || dispatch.collective() == Collective::exscan;
  if (underlying.is_in_place(call.input))
    return shows_output && holds_data(underlying, call.output, is_predefined);
  if (call.input == nullptr && is_predefined) return false;
  // MPIs compare both addresses of an exscan also at rank 0, which does not use its output. Null is
  // MPI_BOTTOM, with addresses in the type.
  const bool takes_equal = call.input == nullptr
                               ? underlying.takes_equal_buffers()
                               : underlying.takes_equal_buffers(dispatch.collective(), call.count);
  if (shows_output && call.input == call.output && !takes_equal) return false;
  // Nor do MPIs that refuse equal ones take MPI_IN_PLACE for it.
  if (shows_output && underlying.is_in_place(call.output) && !underlying.takes_equal_buffers())
    return false;
  return !has_output || holds_data(underlying, call.output, is_predefined);
}

namespace {

/// A reduction in progress: its input, its output, and how elements are combined.
struct Reducing {
  Collective collective;
  const MpiCall& call;
  const Elements& elements;
  const void* input;
  void* output;
  std::ptrdiff_t extent;  ///< from one element to the next
};

const void* input_of(Dispatch& dispatch, const MpiCall& call) {
  return dispatch.underlying().is_in_place(call.input) ? call.output : call.input;
}

bool uses_device(const Reducing& the) {
  return has_devices() && (owner_of(the.input) || owner_of(the.output));
}

bool reduce_on(Team& team, const Reducing& the) {
  return team.make_call(the.collective, the.input, the.output, the.elements,
                        static_cast<Rank>(the.call.root));
}

/// Packs block after block, since the MPI counts packed bytes in an int.
bool pack_input(Dispatch& dispatch, const Reducing& the, std::byte* packed) {
  const MpiCall& call = the.call;
  const std::size_t bytes = bytes_of(the.elements);
  const std::ptrdiff_t stride = static_cast<std::ptrdiff_t>(the.elements.count) * the.extent;
  const auto* from = static_cast<const std::byte*>(the.input);
  bool is_done = true;
  const std::size_t blocks = operand_blocks(dispatch.rank_in_call());
  for (std::size_t i = 0; i < blocks; ++i, from += stride, packed += bytes)
    is_done &= pack_elements(dispatch.underlying(), call.communicator, from, call.count, call.type,
                             packed, bytes);
  return is_done;
}

template <class Run>
[[gnu::cold, gnu::noinline]] bool reduce_checked(Dispatch& dispatch, const Reducing& the, Run run) {
  const RankInCall who = dispatch.rank_in_call();
  auto* const output = gets_result(who) ? static_cast<std::byte*>(the.output) : nullptr;
  ReductionCheck check(dispatch.underlying(), dispatch.comm_state(), the.collective, the.call,
                       the.elements, {the.input, operand_blocks(who), output});
  return check.around(run);
}

/// Whether results can be compared with the MPI's, which has no other bytes between its own.
bool is_comparable(Dispatch& dispatch, const Reducing& the) {
  return the.elements.reduction != nullptr &&
         !dispatch.underlying().find_type(the.call.type)->has_gaps();
}

/// Reduces dense elements in the same way on all ranks, which differ only in the addresses of their
/// buffers.
bool reduce_dense(Dispatch& dispatch, Team& team, const Reducing& the) {
  if (!team.settings.checks) [[likely]]
    return reduce_on(team, the);
  const auto run = [&] { return reduce_on(team, the); };
  return is_comparable(dispatch, the) ? reduce_checked(dispatch, the, run) : run();
}

/// Peers see packed elements, which `run` combines; gaps in this rank's output stay as they are.
template <class Run>
bool reduce_packed(Dispatch& dispatch, const Reducing& the, Run run) {
  const MpiCall& call = the.call;
  const std::size_t bytes = bytes_of(the.elements);
  const RankInCall who = dispatch.rank_in_call();
  const Packed packed = packed_buffer(bytes * operand_blocks(who));
  if (!pack_input(dispatch, the, packed.get()))
    say_once("the MPI could not pack the input of a reduction: its result is undefined");
  const bool is_done =
      run(Reducing{the.collective, call, the.elements, packed.get(), packed.get(), 0});
  if (gets_result(who) && !unpack_elements(dispatch.underlying(), call.communicator, packed.get(),
                                           bytes, the.output, call.count, call.type))
    say_once("the MPI could not unpack the result of a reduction");
  return is_done;
}

bool reduce_packed(Dispatch& dispatch, Team& team, const Reducing& the) {
  return reduce_packed(
      dispatch, the, [&](const Reducing& packed) { return reduce_dense(dispatch, team, packed); });
}

/// Calls of ranks on several nodes.
[[gnu::noinline]] bool reduce_composed(Dispatch& dispatch, const Reducing& the, bool has_gaps) {
  if (!may_reduce_over_nodes(dispatch, the.elements, has_gaps)) return false;
  const auto compose = [&](const Reducing& dense) {
    const auto run = [&] {
      return reduce_over_nodes(dispatch, dense.call, dense.elements, has_gaps, dense.input,
                               dense.output);
    };
    const bool is_checked =
        dense.elements.count > 0 && checks_over_nodes(dispatch) && is_comparable(dispatch, dense);
    return is_checked ? reduce_checked(dispatch, dense, run) : run();
  };
  const bool is_packed = the.elements.count > 0 && (has_gaps || uses_device(the));
  return is_packed ? reduce_packed(dispatch, the, compose) : compose(the);
}

[[gnu::noinline]] bool reduce_locally(Dispatch& dispatch, const MpiCall& call) {
  Elements elements;
  const std::optional<TypeLayout> layout = find_local(dispatch, call, call.count, elements);
  if (!layout) return false;
  const bool tells_addresses = layout->true_lower != 0;
  const auto [team, is_over] =
      dispatch.destination_of(elements, takes_buffers(dispatch, call, !tells_addresses));
  if (team == nullptr && !dispatch.is_composed()) return is_over;
  LocalReduction reduction(dispatch.underlying(), call.communicator, call.type, *layout, call.op,
                           elements.count);
  elements.combiner = &reduction;
  const Reducing the{dispatch.collective(),    call,        elements,
                     input_of(dispatch, call), call.output, layout->extent};
  if (team == nullptr) return reduce_composed(dispatch, the, !layout->is_dense());
  const bool is_direct = layout->is_dense() && !uses_device(the);
  const bool is_done = is_direct ? reduce_on(*team, the) : reduce_packed(dispatch, *team, the);
  return end_of(is_done, dispatch, *team);
}

}  // namespace

bool run_reduction(Collective collective, const MpiCall& call) {
  Dispatch dispatch(collective, call.communicator, call.root);
  if (!dispatch.is_sound()) return false;
  const PredefinedReduction* const by = find_kernel(dispatch, call.type, call.op);
  if (by == nullptr || call.count < 0) return reduce_locally(dispatch, call);
  const PredefinedType& type = *by->known;
  Elements elements{static_cast<std::size_t>(call.count), type.bytes, by->kernel};
  elements.is_exact = dispatch.comm_state().size == 2 ? by->is_exact_for_two : by->is_exact;
  elements.combination = by->combination;
  const auto [team, is_over] = dispatch.destination_of(elements, takes_buffers(dispatch, call));
  const Reducing the{collective,  call,
                     elements,    input_of(dispatch, call),
                     call.output, static_cast<std::ptrdiff_t>(type.extent)};
  if (team == nullptr && dispatch.is_composed())
    return reduce_composed(dispatch, the, type.has_gaps());
  if (team == nullptr) return is_over;
  const bool is_packed = type.has_gaps() || uses_device(the);
  if (is_packed) return end_of(reduce_packed(dispatch, *team, the), dispatch, *team);
  const bool is_done = reduce_dense(dispatch, *team, the);
  if (is_done)
    remember(dispatch, *team, call, the.input == call.output, gets_result(dispatch.rank_in_call()));
  return end_of(is_done, dispatch, *team);
}

}  // namespace terrace::preload
