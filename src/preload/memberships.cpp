// SPDX-License-Identifier: BSD-3-Clause
// The list of communicators, and what happens to their memberships when they are freed.
#include "preload/memberships.hpp"

#include <array>
#include <atomic>
#include <mutex>
#include <set>

#include "base/say.hpp"
#include "preload/complaints.hpp"
#include "preload/short_lives.hpp"
#include "preload/trace.hpp"

namespace terrace::preload {

constinit thread_local Recent recent __attribute__((tls_model("initial-exec")));
std::atomic<std::uint64_t> communicator_generation{1};

namespace {

/// What this process knows of all its communicators. Never destroyed: MPI may outlive us.
struct Process {
  std::mutex mutex;  ///< guards `memberships` and what is finished
  std::set<Membership*> memberships;
  Tally finished;
  std::array<CallCounts, kCollectiveCount> finished_counts{};
  int world_rank = 0;
  int world_size = 1;
  bool reports = false;
  std::atomic<bool> is_finished{false};

  /// Under the lock.
  void finish(const Membership& membership) {
    finished.add(membership.tally);
    for (std::size_t i = 0; i < kCollectiveCount; ++i)
      add(finished_counts[i], membership.counts.of(static_cast<Collective>(i)));
  }
  static void add(CallCounts& sum, const CallCounts& more) {
    sum.run += more.run;
    sum.handed += more.handed;
    sum.bytes += more.bytes;
  }
};

Process& process() {
  static Process* const the = [] {
    auto* made = new Process;
    MpiBelow& below = *mpi_below();
    made->world_rank = below.rank_in(below.world()).value_or(0);
    made->world_size = below.size_of(below.world()).value_or(1);
    begin_recording(made->world_rank, made->world_size, below.is_spawned());
    made->reports = is_report_wanted() && made->world_rank == 0;
    if (made->world_rank == 0)
      for (const std::string& sentence : complaints()) say(sentence);
    return made;
  }();
  return *the;
}

/// The innermost of the communicators that this thread is freeing: callbacks may free others.
thread_local Ending* innermost __attribute__((tls_model("initial-exec"))) = nullptr;

std::unique_ptr<Membership> new_membership(MpiBelow& below, Handle communicator) {
  auto membership = std::make_unique<Membership>();
  membership->communicator = communicator;
  membership->is_reported = process().reports;
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
  return membership;
}

Membership* attach(MpiBelow& below, std::unique_ptr<Membership> membership) {
  if (!below.attach(membership->communicator, membership.get())) return nullptr;
  const std::lock_guard lock(process().mutex);
  process().memberships.insert(membership.get());
  return membership.release();
}

/// What was attached, with its endpoint in a team; null if it was taken back before. What it has
/// counted is finished.
std::unique_ptr<Membership> take_back(Membership* attached) {
  Process& all = process();
  const std::lock_guard lock(all.mutex);
  if (all.memberships.erase(attached) == 0) return nullptr;
  all.finish(*attached);
  attached->tally = Tally();
  attached->counts.forget();
  const std::uint64_t in_team = attached->team ? attached->team->calls() : 0;
  end_life(attached->calls + in_team);
  // release: pairs with the acquires in `recent_membership` and `membership_of`.
  communicator_generation.fetch_add(1, std::memory_order_release);
  return std::unique_ptr<Membership>(attached);
}

/// Tells if the last calls on a communicator did not match.
void compare_calls(Membership& membership) {
  if (membership.team && !membership.team->world.has_told_mismatch())
    membership.team->endpoint->compare_calls();
}

/// Its communicator is gone.
void lay_to_rest(std::unique_ptr<Team> team) {
  if (!team || team->world.has_told_mismatch()) return;
  team->endpoint->tell_outcomes_to(nullptr);
  const std::vector<int> ranks = team->world_ranks;
  const Ticket ticket = team->ticket;
  const std::uint64_t state = team->endpoint->state();
  resting_teams().rest(ranks, ticket, std::move(team), state);
}

/// While MPI ends, attributes go one by one, but their communicators are still there.
Membership* left_behind(Handle communicator) {
  Process& all = process();
  // relaxed: MPI_Finalize is one thread's; no partner.
  if (!all.is_finished.load(std::memory_order_relaxed)) return nullptr;
  const std::lock_guard lock(all.mutex);
  for (Membership* membership : all.memberships)
    if (membership->communicator == communicator) return membership;
  return nullptr;
}

}  // namespace

Membership* membership_of(MpiBelow& below, Handle communicator) {
  if (Membership* const known = recent_membership(communicator)) return known;
  // acquire: as in `recent_membership`, and before the look at what is attached.
  const std::uint64_t generation = communicator_generation.load(std::memory_order_acquire);
  process();
  if (below.is_null(communicator)) return nullptr;
  if (Membership* ending = Ending::membership_of(communicator)) return ending;
  Membership* membership = below.attached_to(communicator);
  if (membership == nullptr) membership = left_behind(communicator);
  if (membership == nullptr) membership = attach(below, new_membership(below, communicator));
  recent = {generation, communicator, membership};
  return membership;
}

Ending::Ending(Handle communicator) : communicator_(communicator), outer_(innermost) {
  MpiBelow* below = mpi_below();
  // The MPI refuses to free the world: it lives on as it is.
  if (below == nullptr || below->is_null(communicator) || communicator == below->world()) return;
  if (Membership* attached = below->attached_to(communicator)) {
    // Lives until it is detached, so that nothing else may get its address before.
    membership_ = take_back(attached);
    if (membership_) compare_calls(*membership_);
    below->detach(communicator);
    if (membership_) lay_to_rest(std::move(membership_->team));
  }
  if (!membership_) membership_ = new_membership(*below, communicator);
  membership_->stage = Stage::handed_back;
  membership_->why = "its communicator is being freed";
  innermost = this;
}

Ending::~Ending() {
  innermost = outer_;
  if (!membership_) return;
  const std::lock_guard lock(process().mutex);
  process().finish(*membership_);
}

void Ending::fail() {
  if (!membership_) return;
  membership_->why = "its communicator could not be freed";
  attach(*mpi_below(), std::move(membership_));
}

Membership* Ending::membership_of(Handle communicator) {
  for (const Ending* ending = innermost; ending != nullptr; ending = ending->outer_)
    if (ending->membership_ && ending->communicator_ == communicator)
      return ending->membership_.get();
  return nullptr;
}

void let_go(Membership* attached) {
  // relaxed: MPI_Finalize is one thread's; no partner.
  if (process().is_finished.load(std::memory_order_relaxed)) return;
  const auto taken = take_back(attached);
  if (!taken) return;
  compare_calls(*taken);
  lay_to_rest(std::move(taken->team));
}

CallCounts calls_so_far(Collective collective) {
  if (mpi_below() == nullptr) return {};
  Process& all = process();
  const std::lock_guard lock(all.mutex);
  CallCounts sum = all.finished_counts[static_cast<std::size_t>(collective)];
  for (const Membership* membership : all.memberships)
    Process::add(sum, membership->counts.of(collective));
  return sum;
}

void finish() {
  Process& all = process();
  // relaxed: as above.
  if (all.is_finished.exchange(true, std::memory_order_relaxed)) return;
  const std::lock_guard lock(all.mutex);
  for (Membership* membership : all.memberships) {
    if (membership->team) membership->team->world.end();
    compare_calls(*membership);
  }
  end_recording();
  if (!all.reports) return;
  Tally sum = all.finished;
  for (const Membership* membership : all.memberships) sum.add(membership->tally);
  if (const TeamCounts teams = teams_so_far(); teams.rested > 0)
    sum.note("founded " + std::to_string(teams.founded) + " teams, " +
             std::to_string(teams.rested) + " communicators had one that rested");
  const bool has_hierarchy = !locality_text().empty();
  say("report of rank 0 of " + std::to_string(all.world_size) + ", " + mpi_below()->library() +
      (has_hierarchy ? "" : "; flat hierarchy, since not started by `terrace exec`") + "\n" +
      sum.text() + "terrace: end of report");
}

}  // namespace terrace::preload
