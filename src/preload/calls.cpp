// SPDX-License-Identifier: BSD-3-Clause
// From a call to a run: has its communicator a team, can the team do this? The answers depend only
// on what MPI makes equal on all ranks of the call.
#include "preload/calls.hpp"

#include <climits>
#include <cstdlib>
#include <memory>

#include "preload/agreement.hpp"
#include "preload/check.hpp"
#include "preload/local_reduction.hpp"
#include "preload/memberships.hpp"
#include "preload/say.hpp"
#include "preload/team.hpp"

namespace terrace::preload {

namespace {

/// Programs make many communicators that they hardly use: this many calls say that it is in use.
constexpr std::uint32_t kCallsBeforeTeam = 3;

/// One more call on a communicator that has no team yet; perhaps it is time for one.
void count_call(MpiBelow& below, Membership& membership) {
  if (++membership.calls < kCallsBeforeTeam) {
    membership.why = "first calls of a communicator";
    return;
  }
  membership.team = agree_on_team(below, membership, membership.why);
  membership.stage = membership.team ? Stage::joined : Stage::handed_back;
}

/// A call on its way to a team.
class Attempt {
 public:
  Attempt(Collective collective, const Call& call)
      : collective_(collective), call_(call), below_(mpi_below()) {
    if (below_ == nullptr) return;
    membership_ = membership_of(*below_, call.communicator);
  }

  /// The team that runs the call, or null: hand it on. Only for arguments that the MPI would take:
  /// a rank that makes a wrong call may be alone with it, so such calls must not count.
  Team* team_for(std::size_t bytes) {
    bytes_ = bytes;
    if (membership_ == nullptr) return nullptr;
    if (membership_->stage == Stage::counting) count_call(*below_, *membership_);
    if (membership_->stage != Stage::joined) return hand_back(membership_->why.c_str());
    Team& team = *membership_->team;
    if (!team.settings.runs(collective_)) return hand_back("TERRACE_OFF");
    // The MPI counts packed bytes in an int.
    if (bytes > INT_MAX) return hand_back("2 GiB or more");
    if (team.hands_back(collective_, bytes)) return hand_back("the MPI is faster at this size");
    return &team;
  }

  Team* hand_back(const char* why) {
    if (membership_ && is_reporting())
      membership_->tally.count_handed_back(collective_, bytes_, why);
    return nullptr;
  }

  void count_run(const std::string& plan) {
    if (is_reporting()) membership_->tally.count_run(collective_, bytes_, plan);
  }

  /// Whether communicator and root are such as the MPI takes.
  bool is_sound() const {
    return membership_ != nullptr && call_.root >= 0 && call_.root < membership_->size;
  }
  Membership& membership() { return *membership_; }
  MpiBelow& below() { return *below_; }

 private:
  Collective collective_;
  const Call& call_;
  MpiBelow* below_;
  Membership* membership_ = nullptr;
  std::size_t bytes_ = 0;
};

/// After an overrun nothing that the team does can be trusted, nor undone.
bool end_of(bool is_done, Attempt& attempt, const Team& team) {
  if (!is_done)
    say_once("a peer overran its mailbox: please report this, and run with TERRACE=off");
  attempt.count_run(team.seat->last_plan());
  return true;
}

constexpr const char* kWrongBuffer = "a buffer that MPI does not allow";
constexpr const char* kRefused = "a type and operator that the MPI does not combine";
constexpr const char* kLongElement = "an element longer than the team's memory takes";
constexpr const char* kNothing = "nothing (no bytes)";

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

/// Whether data may lie there, as `MPI_IN_PLACE` does not. Types made by the program start from
/// null where they tell addresses (MPI_BOTTOM); predefined ones cannot.
bool holds_data(const MpiBelow& below, const void* buffer, bool is_predefined = true) {
  return (buffer != nullptr || !is_predefined) && !below.is_in_place(buffer);
}

/// Whether the MPI would take the buffers of a reduction with elements.
bool takes_buffers(const MpiBelow& below, const Call& call, bool gets_result,
                   bool is_predefined = true) {
  if (!gets_result) return holds_data(below, call.input, is_predefined);
  return holds_data(below, call.output, is_predefined) &&
         (call.input != nullptr || !is_predefined) &&
         (call.input != call.output || below.takes_equal_buffers());
}

/// A buffer for the packed form of elements.
using Packed = std::unique_ptr<std::byte, decltype(&std::free)>;
Packed packed_buffer(std::size_t bytes) {
  return {static_cast<std::byte*>(std::malloc(bytes)), &std::free};
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
  if (is_root &&
      !below.pack(call.communicator, call.output, call.count, call.type, packed.get(), bytes))
    say_once("the MPI could not pack a buffer of MPI_Bcast: what arrives is undefined");
  const bool is_done = bcast_on(attempt, team, call, packed.get(), bytes);
  if (!is_root &&
      !below.unpack(call.communicator, packed.get(), bytes, call.output, call.count, call.type))
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

  bool is_rooted() const { return collective == Collective::reduce; }
  bool gives_output_to(const Membership& membership) const {
    return !is_rooted() || call.root == membership.rank;
  }
};

bool reduce_on(Team& team, const Reducing& the) {
  team.world.begin(the.collective);
  return the.is_rooted() ? team.seat->reduce(the.input, the.output, the.elements,
                                             static_cast<Rank>(the.call.root))
                         : team.seat->allreduce(the.input, the.output, the.elements);
}

/// Peers see packed elements, and gaps in this rank's output stay as they are.
bool reduce_packed(Attempt& attempt, Team& team, const Reducing& the) {
  MpiBelow& below = attempt.below();
  const std::size_t bytes = bytes_of(the.elements);
  const Packed packed = packed_buffer(bytes);
  const Call& call = the.call;
  if (!below.pack(call.communicator, the.input, call.count, call.type, packed.get(), bytes))
    say_once("the MPI could not pack the input of a reduction: its result is undefined");
  const bool is_done =
      reduce_on(team, {the.collective, call, the.elements, packed.get(), packed.get()});
  if (the.gives_output_to(attempt.membership()) &&
      !below.unpack(call.communicator, packed.get(), bytes, the.output, call.count, call.type))
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
  Reducing the{collective, call, elements, call.input, call.output};
  const bool gets_result = the.gives_output_to(attempt.membership());
  const bool tells_addresses = layout->true_lower != 0;
  if (elements.count > 0 && !takes_buffers(below, call, gets_result, !tells_addresses))
    return attempt.hand_back(kWrongBuffer) != nullptr;
  Team* team = attempt.team_for(bytes_of(elements));
  if (team == nullptr) return false;
  if (elements.count == 0) {
    attempt.count_run(kNothing);
    return true;
  }
  elements.in_rank_order = !below.commutes(call.op);
  if (!team->seat->has_room_for(collective, elements, static_cast<Rank>(call.root)))
    return attempt.hand_back(kLongElement) != nullptr;
  LocalReduction reduction(below, call.communicator, call.type, *layout, call.op, elements.count);
  elements.combiner = &reduction;
  if (below.is_in_place(call.input)) the.input = call.output;
  const bool is_done =
      layout->is_dense() ? reduce_on(*team, the) : reduce_packed(attempt, *team, the);
  return end_of(is_done, attempt, *team);
}

bool reduce_checked(Attempt& attempt, Team& team, const Reducing& the) {
  ReductionCheck check(attempt.below(), attempt.membership(), the.call, the.elements, the.input,
                       the.is_rooted());
  const bool is_done = reduce_on(team, the);
  if (the.gives_output_to(attempt.membership())) check.compare(the.output);
  return is_done;
}

/// Reduce and allreduce differ only in who gets the result.
bool run_reduction(Collective collective, const Call& call) {
  Attempt attempt(collective, call);
  if (!attempt.is_sound()) return false;
  const std::optional<Elements> elements = elements_of(attempt.below(), call);
  if (!elements) return reduce_locally(attempt, collective, call);
  const bool is_rooted = collective == Collective::reduce;
  const bool gets_result = !is_rooted || call.root == attempt.membership().rank;
  if (elements->count > 0 && !takes_buffers(attempt.below(), call, gets_result))
    return attempt.hand_back(kWrongBuffer) != nullptr;
  Team* team = attempt.team_for(bytes_of(*elements));
  if (team == nullptr) return false;
  if (elements->count == 0) {
    attempt.count_run(kNothing);
    return true;
  }
  const void* input = attempt.below().is_in_place(call.input) ? call.output : call.input;
  const Reducing the{collective, call, *elements, input, call.output};
  const KnownType& type = *attempt.below().find_type(call.type);
  const bool is_done = type.has_gaps()         ? reduce_packed(attempt, *team, the)
                       : team->settings.checks ? reduce_checked(attempt, *team, the)
                                               : reduce_on(*team, the);
  return end_of(is_done, attempt, *team);
}

}  // namespace

bool run_barrier(const Call& call) {
  Attempt attempt(Collective::barrier, call);
  Team* team = attempt.team_for(0);
  if (team == nullptr) return false;
  team->world.begin(Collective::barrier);
  if (team->settings.checks) attempt.below().next_barrier(call.communicator);
  return end_of(team->seat->barrier(), attempt, *team);
}

bool run_bcast(const Call& call) {
  Attempt attempt(Collective::bcast, call);
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
  const bool is_dense = known && !known->has_gaps();
  const bool is_done = is_dense ? bcast_on(attempt, *team, call, call.output, bytes)
                                : bcast_packed(attempt, *team, call, bytes);
  return end_of(is_done, attempt, *team);
}

bool run_reduce(const Call& call) {
  return run_reduction(Collective::reduce, call);
}

bool run_allreduce(const Call& call) {
  return run_reduction(Collective::allreduce, call);
}

}  // namespace terrace::preload
