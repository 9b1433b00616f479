// SPDX-License-Identifier: BSD-3-Clause
// From a call to a run: barriers, broadcasts, and what combines elements.
#include "preload/calls.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/say.hpp"
#include "preload/attempt.hpp"
#include "preload/check.hpp"
#include "preload/device_memory.hpp"
#include "preload/local_reduction.hpp"
#include "preload/packing.hpp"

namespace terrace::preload {

namespace {

constexpr const char* kRefused = "a type and operator that the MPI does not combine";
constexpr const char* kLongElement = "an element longer than the team's memory takes";

/// The elements of a reduction by a kernel; nothing if there is none.
std::optional<Elements> elements_of(MpiBelow& below, const Call& call) {
  const KnownType* type = below.find_type(call.type);
  const KnownOperator* op = below.find_operator(call.op);
  if (type == nullptr || op == nullptr || call.count < 0) return std::nullopt;
  const Reduction reduction = kernel_for(*type, op->op);
  if (reduction == nullptr) return std::nullopt;
  if (type->kind == Kind::fortran_logical && !below.is_one_true(call.type)) return std::nullopt;
  return Elements{static_cast<std::size_t>(call.count), type->bytes, reduction};
}

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

bool bcast_on(Attempt& attempt, Team& team, const Call& call, void* bytes, std::size_t count) {
  team.world.begin(Collective::bcast);
  const Rank root = static_cast<Rank>(call.root);
  if (!team.settings.checks) return team.seat->bcast(bytes, count, root);
  BcastCheck check(attempt.below(), attempt.membership(), bytes, count, call.root);
  const bool is_done = team.seat->bcast(bytes, count, root);
  check.compare(bytes);
  return is_done;
}

/// Its layout is this rank's private matter: peers see packed bytes.
bool bcast_packed(Attempt& attempt, Team& team, const Call& call, std::size_t bytes) {
  MpiBelow& below = attempt.below();
  const Packed packed = packed_buffer(bytes);
  const bool is_root = call.root == attempt.membership().rank;
  if (is_root && !pack_elements(below, call.communicator, call.output, call.count, call.type,
                                packed.get(), bytes))
    say_once("the MPI could not pack a buffer of MPI_Bcast: what arrives is undefined");
  const bool is_done = bcast_on(attempt, team, call, packed.get(), bytes);
  if (!is_root && !unpack_elements(below, call.communicator, packed.get(), bytes, call.output,
                                   call.count, call.type))
    say_once("the MPI could not unpack a buffer of MPI_Bcast");
  return is_done;
}

std::size_t bytes_of(const Elements& elements) {
  return elements.count * elements.bytes;
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
  Seat& seat = *team.seat;
  switch (the.collective) {
    case Collective::reduce:
      return seat.reduce(the.input, the.output, the.elements, static_cast<Rank>(the.call.root));
    case Collective::reduce_scatter_block:
      return seat.reduce_scatter_block(the.input, the.output, the.elements);
    case Collective::scan:
      return seat.scan(the.input, the.output, the.elements);
    case Collective::exscan:
      return seat.exscan(the.input, the.output, the.elements);
    default:
      return seat.allreduce(the.input, the.output, the.elements);
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

/// Peers see packed elements, and gaps in this rank's output stay as they are.
bool reduce_packed(Attempt& attempt, Team& team, const Reducing& the) {
  const Call& call = the.call;
  const std::size_t bytes = bytes_of(the.elements);
  const Packed packed = packed_buffer(bytes * input_blocks(the.collective, attempt.membership()));
  if (!pack_input(attempt, the, packed.get()))
    say_once("the MPI could not pack the input of a reduction: its result is undefined");
  const bool is_done =
      reduce_on(team, {the.collective, call, the.elements, packed.get(), packed.get(), 0});
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
    attempt.count_run(kNothing);
    return true;
  }
  elements.in_rank_order = !below.commutes(call.op);
  if (!team->seat->has_room_for(collective, elements, attempt.root()))
    return attempt.leave(kLongElement) != nullptr;
  LocalReduction reduction(below, call.communicator, call.type, *layout, call.op, elements.count);
  elements.combiner = &reduction;
  if (below.is_in_place(call.input)) the.input = call.output;
  const bool is_direct = layout->is_dense() && !uses_device(the);
  const bool is_done = is_direct ? reduce_on(*team, the) : reduce_packed(attempt, *team, the);
  return end_of(is_done, attempt, *team);
}

bool reduce_checked(Attempt& attempt, Team& team, const Reducing& the) {
  Membership& membership = attempt.membership();
  ReductionCheck check(attempt.below(), membership, the.collective, the.call, the.elements,
                       the.input, input_blocks(the.collective, membership));
  const bool is_done = reduce_on(team, the);
  if (gets_result(the.collective, the.call, membership)) check.compare(the.output);
  return is_done;
}

}  // namespace

bool run_barrier(const Call& call) {
  Attempt attempt(Collective::barrier, call.communicator);
  Team* team = attempt.team_for(0);
  if (team == nullptr) return false;
  team->world.begin(Collective::barrier);
  if (team->settings.checks) attempt.below().next_barrier(call.communicator);
  return end_of(team->seat->barrier(), attempt, *team);
}

bool run_bcast(const Call& call) {
  Attempt attempt(Collective::bcast, call.communicator, call.root);
  if (!attempt.is_sound() || call.count < 0) return false;
  const KnownType* known = attempt.below().find_type(call.type);
  const std::optional<std::size_t> element =
      known ? std::optional(known->bytes) : attempt.below().bytes_of_type(call.type);
  if (!element) return false;
  const std::size_t bytes = *element * static_cast<std::size_t>(call.count);
  if (bytes > 0 && !holds_data(attempt.below(), call.output, known != nullptr))
    return attempt.hand_back(kWrongBuffer) != nullptr;
  Team* team = attempt.team_for(bytes);
  if (team == nullptr) return false;
  if (bytes == 0) {
    attempt.count_run(kNothing);
    return true;
  }
  const bool is_dense = known && !known->has_gaps() && !is_on_device(call.output);
  const bool is_done = is_dense ? bcast_on(attempt, *team, call, call.output, bytes)
                                : bcast_packed(attempt, *team, call, bytes);
  return end_of(is_done, attempt, *team);
}

bool run_reduction(Collective collective, const Call& call) {
  Attempt attempt(collective, call.communicator, call.root);
  if (!attempt.is_sound()) return false;
  const std::optional<Elements> elements = elements_of(attempt.below(), call);
  if (!elements) return reduce_locally(attempt, collective, call);
  if (elements->count > 0 &&
      !takes_buffers(collective, call, attempt.membership(), attempt.below()))
    return attempt.hand_back(kWrongBuffer) != nullptr;
  Team* team = attempt.team_for(bytes_of(*elements));
  if (team == nullptr) return false;
  if (elements->count == 0) {
    attempt.count_run(kNothing);
    return true;
  }
  const void* input = attempt.below().is_in_place(call.input) ? call.output : call.input;
  const KnownType& type = *attempt.below().find_type(call.type);
  const Reducing the{collective, call,        *elements,
                     input,      call.output, static_cast<std::ptrdiff_t>(type.extent)};
  const bool is_packed = type.has_gaps() || uses_device(the);
  const bool is_done = is_packed               ? reduce_packed(attempt, *team, the)
                       : team->settings.checks ? reduce_checked(attempt, *team, the)
                                               : reduce_on(*team, the);
  return end_of(is_done, attempt, *team);
}

namespace {

/// A reduce_scatter on its way: its input's blocks one after the other, and this rank's result.
class Scattering {
 public:
  /// Of elements that lie `extent` apart; dense ones, with nothing in between.
  Scattering(Attempt& attempt, const Call& call, const Numbers& counts, std::size_t element_bytes,
             std::ptrdiff_t extent, bool is_dense)
      : attempt_(attempt),
        call_(call),
        element_bytes_(element_bytes),
        extent_(extent),
        is_dense_(is_dense) {
    const int ranks = attempt.membership().size, rank = attempt.membership().rank;
    is_in_place_ = attempt.below().is_in_place(call.input);
    if (is_on_device(call.output) || (!is_in_place_ && is_on_device(call.input))) is_dense_ = false;
    for (int i = 0; i < ranks; ++i) {
      if (i == rank) first_ = total_;
      counts_.push_back(counts[static_cast<std::size_t>(i)]);
      total_ += static_cast<std::size_t>(counts_.back());
    }
    own_count_ = counts_[static_cast<std::size_t>(rank)];
  }

  bool takes_buffers(bool is_predefined) const {
    const bool has_output = holds_data(attempt_.below(), call_.output, is_predefined);
    if (is_in_place_) return has_output;
    if (call_.input == nullptr && is_predefined) return false;
    return own_count_ == 0 ||
           (has_output && (call_.input != call_.output || attempt_.below().takes_equal_buffers()));
  }

  /// Dense, and apart from the output, which in place would lie across several blocks of the input.
  void begin() {
    const auto* from = static_cast<const std::byte*>(is_in_place_ ? call_.output : call_.input);
    auto* at = const_cast<std::byte*>(from);
    if (!is_dense_) at = (packed_input_ = packed_buffer(total_ * element_bytes_)).get();
    bool is_done = true;
    for (const std::int64_t count : counts_) {
      const std::size_t elements = static_cast<std::size_t>(count);
      const Block block{at, elements * element_bytes_};
      if (!is_dense_ && count > 0)
        is_done &= pack_elements(attempt_.below(), call_.communicator, from, count, call_.type, at,
                                 block.bytes);
      input_.push_back(block);
      from += count * extent_;
      at += block.bytes;
    }
    if (!is_done)
      say_once("the MPI could not pack the input of a reduction: its result is undefined");
    output_ = {static_cast<std::byte*>(call_.output),
               static_cast<std::size_t>(own_count_) * element_bytes_};
    if (is_dense_ && !is_in_place_ && call_.input != call_.output) return;
    packed_output_ = packed_buffer(output_.bytes + 1);
    output_.at = packed_output_.get();
  }

  bool run(Team& team, const Elements& elements) {
    team.world.begin(Collective::reduce_scatter);
    const bool checks =
        team.settings.checks && elements.reduction != nullptr && is_dense_ && total_ <= INT_MAX;
    if (!checks) return team.seat->reduce_scatter(input_.data(), output_, elements);
    // The MPI's allreduce tells the same.
    Elements all = elements;
    all.count = total_;
    ReductionCheck check(attempt_.below(), attempt_.membership(), Collective::allreduce, call_, all,
                         input_[0].at, 1);
    const bool is_done = team.seat->reduce_scatter(input_.data(), output_, elements);
    check.narrow_to(first_, static_cast<std::size_t>(own_count_));
    check.compare(output_.at);
    return is_done;
  }

  void end() {
    if (!packed_output_ || own_count_ == 0) return;
    if (is_dense_)
      std::memcpy(call_.output, output_.at, output_.bytes);
    else if (!unpack_elements(attempt_.below(), call_.communicator, output_.at, output_.bytes,
                              call_.output, own_count_, call_.type))
      say_once("the MPI could not unpack the result of a reduction");
  }

 private:
  Attempt& attempt_;
  const Call& call_;
  std::size_t element_bytes_;
  std::ptrdiff_t extent_;
  bool is_dense_;
  bool is_in_place_;
  std::vector<std::int64_t> counts_;
  std::int64_t own_count_ = 0;
  std::size_t first_ = 0;  ///< elements before this rank's
  std::size_t total_ = 0;
  std::vector<Block> input_;
  Block output_;
  Packed packed_input_{nullptr, &std::free};
  Packed packed_output_{nullptr, &std::free};
};

/// The longest; nothing if one is negative.
std::optional<std::int64_t> longest_of(const Numbers& counts, int ranks) {
  std::int64_t longest = 0;
  for (int i = 0; i < ranks; ++i) {
    const std::int64_t count = counts[static_cast<std::size_t>(i)];
    if (count < 0) return std::nullopt;
    longest = std::max(longest, count);
  }
  return longest;
}

/// With a kernel, or a combiner.
bool scatter_on(Attempt& attempt, Scattering& scattering, const Elements& elements,
                bool is_predefined) {
  if (elements.count > 0 && !scattering.takes_buffers(is_predefined))
    return attempt.hand_back(kWrongBuffer) != nullptr;
  Team* team = attempt.team_for(bytes_of(elements));
  if (team == nullptr) return false;
  if (elements.count == 0) {
    attempt.count_run(kNothing);
    return true;
  }
  if (elements.combiner && !team->seat->has_room_for(Collective::reduce_scatter, elements, 0))
    return attempt.leave(kLongElement) != nullptr;
  scattering.begin();
  const bool is_done = scattering.run(*team, elements);
  scattering.end();
  return end_of(is_done, attempt, *team);
}

/// As `reduce_locally` does it.
bool scatter_locally(Attempt& attempt, const Call& call, const Numbers& counts,
                     std::int64_t longest) {
  MpiBelow& below = attempt.below();
  const auto layout =
      below.can_reduce(call.type, call.op) ? below.layout_of(call.type) : std::optional<Layout>();
  if (!layout) return attempt.hand_back(kRefused) != nullptr;
  Elements elements{static_cast<std::size_t>(longest), layout->bytes};
  elements.in_rank_order = !below.commutes(call.op);
  LocalReduction reduction(below, call.communicator, call.type, *layout, call.op, elements.count);
  elements.combiner = &reduction;
  Scattering scattering(attempt, call, counts, layout->bytes, layout->extent, layout->is_dense());
  return scatter_on(attempt, scattering, elements, layout->true_lower == 0);
}

}  // namespace

bool run_reduce_scatter(const Call& call, const Numbers& counts) {
  Attempt attempt(Collective::reduce_scatter, call.communicator);
  if (!attempt.is_sound() || !counts) return false;
  const auto longest = longest_of(counts, attempt.membership().size);
  if (!longest) return false;
  Call longest_block = call;
  longest_block.count = *longest;
  if (const auto elements = elements_of(attempt.below(), longest_block)) {
    const KnownType& type = *attempt.below().find_type(call.type);
    Scattering scattering(attempt, call, counts, type.bytes,
                          static_cast<std::ptrdiff_t>(type.extent), !type.has_gaps());
    return scatter_on(attempt, scattering, *elements, true);
  }
  return scatter_locally(attempt, call, counts, *longest);
}

}  // namespace terrace::preload
