// SPDX-License-Identifier: BSD-3-Clause
// Collectives that combine elements, in blocks of one length.
#include "preload/reductions.hpp"

#include "base/say.hpp"
#include "preload/calls.hpp"
#include "preload/check.hpp"
#include "preload/device_memory.hpp"
#include "preload/local_reduction.hpp"
#include "preload/packing.hpp"
#include "preload/repetition.hpp"

namespace terrace::preload {

namespace {

/// Neither rounded, nor of values that MPIs treat differently, as NaN.
bool is_exact(Kind kind) {
  switch (kind) {
    case Kind::signed_integer:
    case Kind::unsigned_integer:
    case Kind::foreign_integer:
    case Kind::logical:
    case Kind::fortran_logical:
    case Kind::bits:
      return true;
    default:
      return false;
  }
}

[[gnu::noinline]] const KnownReduction* look_for_kernel(MpiBelow& below, KnownReduction& last,
                                                        Handle type, Handle op) {
  const KnownType* known = below.find_type(type);
  const KnownOperator* by = below.find_operator(op);
  if (known == nullptr || by == nullptr) return nullptr;
  const Reduction kernel = kernel_for(*known, by->op);
  if (kernel == nullptr) return nullptr;
  if (known->kind == Kind::fortran_logical && !below.is_one_true(type)) return nullptr;
  last = {type, op, known, kernel, is_exact(known->kind), false, combination_of(*known, by->op)};
  const bool is_plain = by->op == Operator::sum || by->op == Operator::product;
  last.is_exact_for_two = last.is_exact || (known->kind == Kind::floating && is_plain);
  return &last;
}

}  // namespace

/// What a communicator has combined last it mostly combines again.
const KnownReduction* find_kernel(Attempt& attempt, Handle type, Handle op) {
  KnownReduction& last = attempt.membership().last_reduction;
  if (last.type == type && last.op == op && last.known != nullptr) return &last;
  return look_for_kernel(attempt.below(), last, type, op);
}

namespace {

/// Blocks of a vector that this rank brings to a reduction.
std::size_t input_blocks(Collective collective, const Membership& membership) {
  return collective == Collective::reduce_scatter_block ? static_cast<std::size_t>(membership.size)
                                                        : 1;
}

bool gets_result(Collective collective, const Call& call, const Membership& membership) {
  if (collective == Collective::reduce) return call.root == membership.rank;
  return collective != Collective::exscan || membership.rank > 0;
}

/// Whether the MPI would take the buffers of a reduction with elements.
inline bool takes_buffers(Collective collective, const Call& call, const Membership& membership,
                          const MpiBelow& below, bool is_predefined = true) {
  const bool has_output = gets_result(collective, call, membership);
  if (below.is_in_place(call.input))
    return (has_output || collective == Collective::exscan) &&
           holds_data(below, call.output, is_predefined);
  if (call.input == nullptr && is_predefined) return false;
  // Of an exscan MPIs compare both addresses also at rank 0, to which the output means nothing.
  if ((has_output || collective == Collective::exscan) && call.input == call.output &&
      !below.takes_equal_buffers())
    return false;
  return !has_output || holds_data(below, call.output, is_predefined);
}

/// A reduction on its way: where its input is, where its output goes, and how.
struct Reducing {
  Collective collective;
  const Call& call;
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
bool pack_input(Attempt& attempt, const Reducing& the, std::byte* packed) {
  const Call& call = the.call;
  const std::size_t bytes = bytes_of(the.elements);
  const std::ptrdiff_t stride = static_cast<std::ptrdiff_t>(the.elements.count) * the.extent;
  const auto* from = static_cast<const std::byte*>(the.input);
  bool is_done = true;
  const std::size_t blocks = input_blocks(the.collective, attempt.membership());
  for (std::size_t i = 0; i < blocks; ++i, from += stride, packed += bytes)
    is_done &= pack_elements(attempt.below(), call.communicator, from, call.count, call.type,
                             packed, bytes);
  return is_done;
}

[[gnu::cold, gnu::noinline]] bool reduce_checked(Attempt& attempt, Team& team,
                                                 const Reducing& the) {
  Membership& membership = attempt.membership();
  ReductionCheck check(attempt.below(), membership, the.collective, the.call, the.elements,
                       the.input, input_blocks(the.collective, membership));
  const bool is_done = reduce_on(team, the);
  const bool has_result = gets_result(the.collective, the.call, membership);
  if (is_done) check.compare(has_result ? the.output : nullptr);
  return is_done;
}

/// All ranks alike: what differs between them are the places of their buffers alone.
bool reduce_dense(Attempt& attempt, Team& team, const Reducing& the) {
  if (!team.settings.checks) [[likely]]
    return reduce_on(team, the);
  const bool is_checked =
      the.elements.reduction != nullptr && !attempt.below().find_type(the.call.type)->has_gaps();
  return is_checked ? reduce_checked(attempt, team, the) : reduce_on(team, the);
}

/// Peers see packed elements, and gaps in this rank's output stay as they are.
bool reduce_packed(Attempt& attempt, Team& team, const Reducing& the) {
  const Call& call = the.call;
  const std::size_t bytes = bytes_of(the.elements);
  const Packed packed = packed_buffer(bytes * input_blocks(the.collective, attempt.membership()));
  if (!pack_input(attempt, the, packed.get()))
    say_once("the MPI could not pack the input of a reduction: its result is undefined");
  const bool is_done = reduce_dense(
      attempt, team, {the.collective, call, the.elements, packed.get(), packed.get(), 0});
  if (gets_result(the.collective, call, attempt.membership()) &&
      !unpack_elements(attempt.below(), call.communicator, packed.get(), bytes, the.output,
                       call.count, call.type))
    say_once("the MPI could not unpack the result of a reduction");
  return is_done;
}

/// What the MPI alone knows how to combine: by operators and on types of the program's, and its own
/// where we have no kernel. (TERRACE_CHECK leaves these alone: only the program knows which
/// differences its operator makes.)
[[gnu::noinline]] bool reduce_locally(Attempt& attempt, Collective collective, const Call& call) {
  MpiBelow& below = attempt.below();
  if (call.count < 0 || !below.can_reduce(call.type, call.op))
    return attempt.hand_back(kRefused) != nullptr;
  const std::optional<Layout> layout = below.layout_of(call.type);
  if (!layout) return attempt.hand_back(kRefused) != nullptr;
  Elements elements{static_cast<std::size_t>(call.count), layout->bytes};
  Reducing the{collective, call, elements, call.input, call.output, layout->extent};
  const bool tells_addresses = layout->true_lower != 0;
  if (elements.count > 0 &&
      !takes_buffers(collective, call, attempt.membership(), below, !tells_addresses))
    return attempt.hand_back(kWrongBuffer) != nullptr;
  Team* team = attempt.team_for(bytes_of(elements));
  if (team == nullptr) return false;
  if (elements.count == 0) {
    attempt.count_run(nullptr);
    return true;
  }
  elements.in_rank_order = !below.commutes(call.op);
  elements.combination = Combination::of_others();
  if (!team->endpoint->has_room_for(collective, elements, attempt.root()))
    return attempt.leave(kLongElement) != nullptr;
  if (attempt.hands_over(*team, elements)) return false;
  LocalReduction reduction(below, call.communicator, call.type, *layout, call.op, elements.count);
  elements.combiner = &reduction;
  if (below.is_in_place(call.input)) the.input = call.output;
  const bool is_direct = layout->is_dense() && !uses_device(the);
  const bool is_done = is_direct ? reduce_on(*team, the) : reduce_packed(attempt, *team, the);
  return end_of(is_done, attempt, *team);
}

}  // namespace

bool run_reduction(Collective collective, const Call& call) {
  Attempt attempt(collective, call.communicator, call.root);
  if (!attempt.is_sound()) return false;
  const KnownReduction* const by = find_kernel(attempt, call.type, call.op);
  if (by == nullptr || call.count < 0) return reduce_locally(attempt, collective, call);
  const KnownType& type = *by->known;
  Elements elements{static_cast<std::size_t>(call.count), type.bytes, by->kernel};
  elements.is_exact = attempt.membership().size == 2 ? by->is_exact_for_two : by->is_exact;
  elements.combination = by->combination;
  if (elements.count > 0 && !takes_buffers(collective, call, attempt.membership(), attempt.below()))
    return attempt.hand_back(kWrongBuffer) != nullptr;
  Team* team = attempt.team_for(bytes_of(elements));
  if (team == nullptr) return false;
  if (elements.count == 0) {
    attempt.count_run(nullptr);
    return true;
  }
  if (attempt.hands_over(*team, elements)) return false;
  const void* input = attempt.below().is_in_place(call.input) ? call.output : call.input;
  const Reducing the{collective, call,        elements,
                     input,      call.output, static_cast<std::ptrdiff_t>(type.extent)};
  const bool is_packed = type.has_gaps() || uses_device(the);
  if (is_packed) return end_of(reduce_packed(attempt, *team, the), attempt, *team);
  const bool is_done = reduce_dense(attempt, *team, the);
  if (is_done)
    remember(attempt, *team, call, input == call.output,
             gets_result(collective, call, attempt.membership()));
  return end_of(is_done, attempt, *team);
}

}  // namespace terrace::preload
