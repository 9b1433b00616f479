// SPDX-License-Identifier: BSD-3-Clause
// The list of communicators, and what happens to their states when they are freed.
#include "preload/setup/comm_states.hpp"

#include <array>
#include <atomic>
#include <mutex>
#include <set>
#include <vector>

#include "base/say.hpp"
#include "preload/mpi/adapters.hpp"
#include "preload/mpi/trace.hpp"
#include "preload/setup/env_check.hpp"
#include "preload/setup/short_lived_comms.hpp"

namespace terrace::preload {

constinit thread_local Recent recent __attribute__((tls_model("initial-exec")));
std::atomic<std::uint64_t> communicator_generation{1};

namespace {

/// The states of all communicators of this process. Never destroyed: MPI may outlive us.
struct Process {
  std::mutex mutex;  ///< guards `comm_states` and what is finished
  std::set<CommState*> comm_states;
  CallTally finished;
  std::array<CallCounts, kAllCollectives> finished_counts{};
  int world_rank = 0;
  int world_size = 1;
  bool reports = false;
  std::atomic<bool> is_finished{false};

  /// The caller holds the lock.
  void finish(const CommState& comm_state) {
    finished.add(comm_state.tally);
    for (std::size_t i = 0; i < kAllCollectives; ++i)
      add(finished_counts[i], comm_state.counts.of(static_cast<Collective>(i)));
  }
  static void add(CallCounts& sum, const CallCounts& more) {
    sum.run += more.run;
    sum.fallen_back += more.fallen_back;
    sum.bytes += more.bytes;
  }
};

/// Rank for the report of a fault, which must not ask the MPI.
int rank_of_reports = 0;

/// Ends the job as a mismatch of calls does: launchers get time to pass the message on.
void end_job_for_fault() noexcept {
  say("rank " + std::to_string(rank_of_reports) + " of MPI_COMM_WORLD ends the job");
  underlying_mpi()->end_job();
}

Process& process() {
  static Process* const the = [] {
    auto* made = new Process;
    UnderlyingMpi& underlying = *underlying_mpi();
    made->world_rank = underlying.rank_in(underlying.world()).value_or(0);
    made->world_size = underlying.size_of(underlying.world()).value_or(1);
    begin_recording(made->world_rank, made->world_size, underlying.is_spawned());
    rank_of_reports = made->world_rank;
    contract::set_job_end(end_job_for_fault);
    made->reports = is_report_wanted() && made->world_rank == 0;
    if (made->world_rank == 0)
      for (const std::string& sentence : env_warnings()) say(sentence);
    return made;
  }();
  return *the;
}

/// The innermost communicator that this thread is freeing: callbacks may free others.
thread_local CommFreeGuard* innermost __attribute__((tls_model("initial-exec"))) = nullptr;

constexpr const char* kFaultTolerant = "the MPI runs with fault tolerance";

void let_fall_back(CommState& comm_state, const char* why) {
  comm_state.why = why;
  comm_state.stage = TeamStage::fallen_back;
}

std::unique_ptr<CommState> new_comm_state(UnderlyingMpi& underlying, Handle communicator) {
  auto comm_state = std::make_unique<CommState>();
  comm_state->communicator = communicator;
  comm_state->is_reported = process().reports;
  if (underlying.is_intercommunicator(communicator))
    let_fall_back(*comm_state, "an intercommunicator");
  if (is_off_for_fault_tolerance()) let_fall_back(*comm_state, kFaultTolerant);
  comm_state->size = underlying.size_of(communicator).value_or(1);
  comm_state->rank = underlying.rank_in(communicator).value_or(0);
  if (comm_state->size < 2) let_fall_back(*comm_state, "one rank alone");
  return comm_state;
}

CommState* attach(UnderlyingMpi& underlying, std::unique_ptr<CommState> comm_state) {
  if (!underlying.attach(comm_state->communicator, comm_state.get())) return nullptr;
  const std::lock_guard lock(process().mutex);
  process().comm_states.insert(comm_state.get());
  return comm_state.release();
}

/// Detaches a state and its endpoint in a team; null if it was detached before. Finishes its
/// counts.
std::unique_ptr<CommState> take_back(CommState* attached) {
  Process& all = process();
  const std::lock_guard lock(all.mutex);
  if (all.comm_states.erase(attached) == 0) return nullptr;
  all.finish(*attached);
  attached->tally = CallTally();
  attached->counts.forget();
  attached->last_calls = {};  // its team may go: the guard must not lead there
  if (attached->setup) SetupByStarts::leave(std::move(attached->setup));
  const std::uint64_t on_terrace = attached->over_nodes ? attached->over_nodes->calls()
                                   : attached->team     ? attached->team->calls()
                                                        : 0;
  note_lifetime(attached->calls + attached->started_calls + on_terrace);
  // release: pairs with the acquires in `recent_comm_state` and `comm_state_of`.
  communicator_generation.fetch_add(1, std::memory_order_release);
  return std::unique_ptr<CommState>(attached);
}

/// Reports it if the last calls on a communicator did not match.
void compare_calls(CommState& comm_state) {
  if (comm_state.over_nodes) comm_state.over_nodes->compare_last_calls();
  if (!comm_state.team || comm_state.team->wait_environment.has_told_mismatch()) return;
  const bool are_alike = comm_state.team->endpoint->compare_calls();
  if (are_alike && comm_state.team->lanes) comm_state.team->lanes->compare_calls();
}

/// Keeps or frees the team of a freed communicator.
void keep_or_free(std::unique_ptr<Team> team) {
  if (!team) return;
  if (team->wait_environment.has_told_mismatch()) return team->wait_environment.end_life();
  team->endpoint->tell_outcomes_to(nullptr);
  if (CallTrials* const trials = team->trials_of_uneven_calls()) trials->tell_outcomes_to(nullptr);
  team->endpoint->forget_later_calls();
  if (team->lanes) {
    const LanesLock lock;
    team->lanes->end_life();
    // Calls of these requests may not have begun: peers are told that this rank makes no more when
    // the last is gone.
    if (team->lanes->requests > 0) {
      idle_teams().release_ticket(team->world_ranks, team->ticket);
      left_teams().push_back(std::move(team));
      return;
    }
  }
  team->wait_environment.end_life();
  const std::vector<int> ranks = team->world_ranks;
  const Ticket ticket = team->ticket;
  const std::uint64_t state = team->state();
  idle_teams().keep(ranks, ticket, std::move(team), state);
}

/// While MPI ends, attributes are deleted one by one, but their communicators still exist.
CommState* left_behind(Handle communicator) {
  Process& all = process();
  // relaxed: MPI_Finalize is one thread's; no partner.
  if (!all.is_finished.load(std::memory_order_relaxed)) return nullptr;
  const std::lock_guard lock(all.mutex);
  for (CommState* comm_state : all.comm_states)
    if (comm_state->communicator == communicator) return comm_state;
  return nullptr;
}

}  // namespace

bool is_off_for_fault_tolerance() {
  static const bool is_off = [] {
    const bool is_tolerant = underlying_mpi()->is_fault_tolerant();
    if (is_tolerant && process().world_rank == 0)
      say(std::string(kFaultTolerant) +
          " (ULFM): Terrace is off, since its calls do not return when a communicator is revoked "
          "or a rank fails");
    return is_tolerant;
  }();
  return is_off;
}

CommState* comm_state_of(UnderlyingMpi& underlying, Handle communicator) {
  if (CommState* const known = recent_comm_state(communicator)) return known;
  // acquire: as in `recent_comm_state`, and before the look at what is attached.
  const std::uint64_t generation = communicator_generation.load(std::memory_order_acquire);
  process();
  if (underlying.is_null(communicator)) return nullptr;
  if (CommState* free_guard = CommFreeGuard::comm_state_of(communicator)) return free_guard;
  CommState* comm_state = underlying.attached_to(communicator);
  if (comm_state == nullptr) comm_state = left_behind(communicator);
  if (comm_state == nullptr)
    comm_state = attach(underlying, new_comm_state(underlying, communicator));
  recent = {generation, communicator, comm_state};
  return comm_state;
}

CommFreeGuard::CommFreeGuard(Handle communicator) : communicator_(communicator), outer_(innermost) {
  UnderlyingMpi* underlying = underlying_mpi();
  // The MPI refuses to free MPI_COMM_WORLD, which lives on unchanged.
  if (underlying == nullptr || underlying->is_null(communicator) ||
      communicator == underlying->world())
    return;
  if (CommState* attached = underlying->attached_to(communicator)) {
    // Lives until it is detached, so that no other state gets its address before.
    comm_state_ = take_back(attached);
    if (comm_state_) compare_calls(*comm_state_);
    underlying->detach(communicator);
    if (comm_state_) keep_or_free(std::move(comm_state_->team));  // first: it refers to over_nodes
    if (comm_state_) comm_state_->plan_over_nodes.reset();
    if (comm_state_) comm_state_->over_nodes.reset();
  }
  if (!comm_state_) comm_state_ = new_comm_state(*underlying, communicator);
  let_fall_back(*comm_state_, "its communicator is being freed");
  innermost = this;
}

CommFreeGuard::~CommFreeGuard() {
  innermost = outer_;
  if (!comm_state_) return;
  const std::lock_guard lock(process().mutex);
  process().finish(*comm_state_);
}

void CommFreeGuard::fail() {
  if (!comm_state_) return;
  comm_state_->why = "its communicator could not be freed";
  attach(*underlying_mpi(), std::move(comm_state_));
}

CommState* CommFreeGuard::comm_state_of(Handle communicator) {
  for (const CommFreeGuard* free_guard = innermost; free_guard != nullptr;
       free_guard = free_guard->outer_)
    if (free_guard->comm_state_ && free_guard->communicator_ == communicator)
      return free_guard->comm_state_.get();
  return nullptr;
}

CallCounts calls_so_far(Collective collective) {
  if (underlying_mpi() == nullptr) return {};
  Process& all = process();
  const std::lock_guard lock(all.mutex);
  CallCounts sum = all.finished_counts[static_cast<std::size_t>(collective)];
  for (const CommState* comm_state : all.comm_states)
    Process::add(sum, comm_state->counts.of(collective));
  return sum;
}

namespace {

std::atomic<bool> setups_have_ended{false};

}  // namespace

// relaxed, both: MPI_Finalize is one thread's, and the last of this process. No partner.
bool have_setups_ended() {
  return setups_have_ended.load(std::memory_order_relaxed);
}

void end_setups() {
  setups_have_ended.store(true, std::memory_order_relaxed);  // relaxed: as above
  // acquire: as in `underlying_mpi`. Null: there are none.
  if (known_underlying_mpi.load(std::memory_order_acquire) == nullptr) return;
  std::vector<SetupByStarts*> setups;
  {
    Process& all = process();
    const std::lock_guard lock(all.mutex);
    for (CommState* comm_state : all.comm_states)
      if (comm_state->setup) setups.push_back(comm_state->setup.get());
  }
  SetupByStarts::end_in_mpi(setups);
}

void tell_finalizing(Finalizing state) {
  // acquire: as in `underlying_mpi`. Null: this rank has no team.
  if (known_underlying_mpi.load(std::memory_order_acquire) == nullptr) return;
  const auto tell = [state](Team& team) { team.wait_environment.tell_finalizing(state); };
  idle_teams().for_each(tell);
  {
    const LanesLock lock;
    for (const auto& team : left_teams()) tell(*team);
  }
  Process& all = process();
  const std::lock_guard lock(all.mutex);
  for (CommState* comm_state : all.comm_states) {
    if (comm_state->team) tell(*comm_state->team);
    if (comm_state->setup) comm_state->setup->tell_finalizing(state);
  }
}

namespace {

void let_go(CommState* attached) {
  // relaxed: MPI_Finalize is one thread's; no partner.
  if (process().is_finished.load(std::memory_order_relaxed)) return;
  const auto taken = take_back(attached);
  if (!taken) return;
  compare_calls(*taken);
  keep_or_free(std::move(taken->team));
}

/// Its waits are in MPI_Finalize from now on.
void end(Team& team) {
  team.wait_environment.end();
  if (team.lanes) team.lanes->for_each([](NonblockingLane& lane) { lane.wait_environment.end(); });
}

/// Teams stay alive: other delete callbacks may still make calls, and the order of ours among them
/// differs from rank to rank.
void finish() {
  tell_finalizing(Finalizing::now);  // also where MPI_Finalize has not come by us
  Process& all = process();
  // relaxed: as above.
  if (all.is_finished.exchange(true, std::memory_order_relaxed)) return;
  const std::lock_guard lock(all.mutex);
  for (CommState* comm_state : all.comm_states) {
    if (comm_state->team) end(*comm_state->team);
    if (comm_state->over_nodes) comm_state->over_nodes->end();
    compare_calls(*comm_state);
  }
  for (const auto& team : left_teams()) end(*team);
  end_recording();
  if (!all.reports) return;
  CallTally sum = all.finished;
  for (const CommState* comm_state : all.comm_states) sum.add(comm_state->tally);
  if (const TeamCounts teams = teams_so_far(); teams.reused > 0)
    sum.note("founded " + std::to_string(teams.founded) + " teams, " +
             std::to_string(teams.reused) + " communicators had one that rested");
  const bool has_hierarchy = !locality_text().empty();
  say("report of rank 0 of " + std::to_string(all.world_size) + ", " + underlying_mpi()->library() +
      (has_hierarchy ? "" : "; flat hierarchy, since not started by `terrace exec`") + "\n" +
      sum.text() + "terrace: end of report");
}

}  // namespace

constinit const CommStateEvents comm_state_events{let_go, finish};

}  // namespace terrace::preload
