// SPDX-License-Identifier: BSD-3-Clause
// From a call to a run: which communicator is it, has it a team, can the team do this? The answers
// depend only on what MPI makes equal on all ranks of the call.
#include "preload/calls.hpp"

#include <atomic>
#include <climits>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <set>

#include "preload/agreement.hpp"
#include "preload/check.hpp"
#include "preload/say.hpp"
#include "preload/team.hpp"

namespace terrace::preload {

namespace {

/// Programs make many communicators that they hardly use: this many calls say that it is in use.
constexpr std::uint32_t kCallsBeforeTeam = 3;

/// What this process knows of all its communicators. Never destroyed: MPI may outlive us.
struct Process {
  std::mutex mutex;  ///< guards `memberships` and `finished`
  std::set<Membership*> memberships;
  Tally finished;
  int world_rank = 0;
  int world_size = 1;
  bool reports = false;
  std::atomic<bool> has_reported{false};
  /// Grows when a communicator goes, so that what threads remember of it is void.
  std::atomic<std::uint64_t> generation{1};
};

Process& process() {
  static Process* const the = [] {
    auto* made = new Process;
    MpiBelow& below = *mpi_below();
    made->world_rank = below.rank_in(below.world()).value_or(0);
    made->world_size = below.size_of(below.world()).value_or(1);
    made->reports = is_report_wanted() && made->world_rank == 0;
    return made;
  }();
  return *the;
}

/// The communicator that this thread used last, in front of the MPI's attributes.
struct Recent {
  std::uint64_t generation = 0;
  Handle communicator = 0;
  Membership* membership = nullptr;
};
// A preloaded library is there from the start: its thread-local memory needs no look-up.
thread_local Recent recent __attribute__((tls_model("initial-exec")));

Membership* make_membership(MpiBelow& below, Handle communicator) {
  auto membership = std::make_unique<Membership>();
  membership->communicator = communicator;
  if (below.is_intercommunicator(communicator)) {
    membership->why = "an intercommunicator";
    membership->stage = Stage::handed_back;
  }
  membership->size = below.size_of(communicator).value_or(1);
  membership->rank = below.rank_in(communicator).value_or(0);
  if (membership->size < 2) {
    membership->why = "one rank alone";
    membership->stage = Stage::handed_back;
  }
  if (membership->stage == Stage::counting && !below.is_within_world(communicator)) {
    membership->why = "ranks from outside MPI_COMM_WORLD";
    membership->stage = Stage::handed_back;
  }
  if (!below.attach(communicator, membership.get())) return nullptr;
  const std::lock_guard lock(process().mutex);
  process().memberships.insert(membership.get());
  return membership.release();
}

Membership* membership_of(MpiBelow& below, Handle communicator) {
  Process& all = process();
  // acquire: pairs with the release in `release`: what is remembered is then known to be void.
  const std::uint64_t generation = all.generation.load(std::memory_order_acquire);
  if (recent.communicator == communicator && recent.generation == generation)
    return recent.membership;
  if (below.is_null(communicator)) return nullptr;
  Membership* membership = below.attached_to(communicator);
  if (membership == nullptr) membership = make_membership(below, communicator);
  recent = {generation, communicator, membership};
  return membership;
}

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
    if (membership_ && membership_->stage == Stage::counting) count_call(*below_, *membership_);
  }

  /// The team that runs the call, or null: hand it on.
  Team* team_for(std::size_t bytes) {
    bytes_ = bytes;
    if (membership_ == nullptr) return nullptr;
    if (membership_->stage != Stage::joined) return hand_back(membership_->why.c_str());
    Team& team = *membership_->team;
    if (!team.settings.runs(collective_)) return hand_back("TERRACE_OFF");
    // The MPI counts packed bytes in an int.
    if (bytes > INT_MAX) return hand_back("2 GiB or more");
    if (team.hands_back(collective_, bytes)) return hand_back("the MPI is faster at this size");
    return &team;
  }

  Team* hand_back(const char* why) {
    if (membership_ && process().reports)
      membership_->tally.count_handed_back(collective_, bytes_, why);
    return nullptr;
  }

  void count_run(const std::string& plan) {
    if (process().reports) membership_->tally.count_run(collective_, bytes_, plan);
  }

  bool has_root() const {
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

constexpr const char* kNoKernel = "no kernel for this type and operator";
constexpr const char* kNothing = "nothing (no bytes)";

/// The elements of a reduction; nothing if type or operator are not ours.
std::optional<Elements> elements_of(const MpiBelow& below, const Call& call) {
  const KnownType* type = below.find_type(call.type);
  const KnownOperator* op = below.find_operator(call.op);
  if (type == nullptr || op == nullptr || call.count < 0) return std::nullopt;
  const Reduction reduction = kernel_for(*type, op->op);
  if (reduction == nullptr) return std::nullopt;
  return Elements{static_cast<std::size_t>(call.count), type->bytes, reduction, false};
}

/// A buffer for the packed form of a bcast.
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

/// Reduce and allreduce differ only in who gets the result.
bool run_reduction(Collective collective, const Call& call) {
  Attempt attempt(collective, call);
  if (!attempt.has_root()) return false;
  const std::optional<Elements> elements = elements_of(attempt.below(), call);
  if (!elements) return attempt.hand_back(kNoKernel) != nullptr;
  Team* team = attempt.team_for(bytes_of(*elements));
  if (team == nullptr) return false;
  if (elements->count == 0) {
    attempt.count_run(kNothing);
    return true;
  }
  const bool is_rooted = collective == Collective::reduce;
  const void* input = attempt.below().is_in_place(call.input) ? call.output : call.input;
  const auto reduce = [&] {
    return is_rooted
               ? team->seat->reduce(input, call.output, *elements, static_cast<Rank>(call.root))
               : team->seat->allreduce(input, call.output, *elements);
  };
  team->world.begin(collective);
  if (!team->settings.checks) return end_of(reduce(), attempt, *team);
  ReductionCheck check(attempt.below(), attempt.membership(), call, *elements, input, is_rooted);
  const bool is_done = reduce();
  if (!is_rooted || call.root == attempt.membership().rank) check.compare(call.output);
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
  if (!attempt.has_root() || call.count < 0) return false;
  const KnownType* known = attempt.below().find_type(call.type);
  const std::optional<std::size_t> element =
      known ? std::optional(known->bytes) : attempt.below().bytes_of_type(call.type);
  if (!element) return false;
  const std::size_t bytes = *element * static_cast<std::size_t>(call.count);
  Team* team = attempt.team_for(bytes);
  if (team == nullptr) return false;
  if (bytes == 0) {
    attempt.count_run(kNothing);
    return true;
  }
  const bool is_done = known ? bcast_on(attempt, *team, call, call.output, bytes)
                             : bcast_packed(attempt, *team, call, bytes);
  return end_of(is_done, attempt, *team);
}

bool run_reduce(const Call& call) {
  return run_reduction(Collective::reduce, call);
}

bool run_allreduce(const Call& call) {
  return run_reduction(Collective::allreduce, call);
}

void release(Membership* membership) {
  Process& all = process();
  const std::lock_guard lock(all.mutex);
  if (all.memberships.erase(membership) == 0) return;
  all.finished.add(membership->tally);
  // release: pairs with the acquire in `membership_of`.
  all.generation.fetch_add(1, std::memory_order_release);
  delete membership;
}

void finish() {
  Process& all = process();
  // relaxed: MPI_Finalize is one thread's; no partner.
  if (all.has_reported.exchange(true, std::memory_order_relaxed) || !all.reports) return;
  const std::lock_guard lock(all.mutex);
  Tally sum = all.finished;
  for (const Membership* membership : all.memberships) sum.add(membership->tally);
  const bool has_hierarchy = !locality_text().empty();
  say("report of rank 0 of " + std::to_string(all.world_size) + ", " + mpi_below()->library() +
      (has_hierarchy ? "" : "; flat hierarchy, since not started by `terrace exec`") + "\n" +
      sum.text() + "terrace: end of report");
}

}  // namespace terrace::preload
