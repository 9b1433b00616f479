// SPDX-License-Identifier: BSD-3-Clause
// The real clock, yields and sleeps, and the loop that uses them in turn.
#include "team/waiting.hpp"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <climits>
#include <optional>
#include <utility>

#include "base/contract.hpp"
#include "base/ticks.hpp"

namespace terrace {

namespace {

static_assert(std::endian::native == std::endian::little, "futexes look at a counter's low half");

std::uint32_t* low_half(std::atomic<std::uint64_t>& counter) {
  return reinterpret_cast<std::uint32_t*>(&counter);
}

/// A process must drive its MPI between naps.
constexpr std::uint64_t kMpiNapNs = 100'000;

/// Yields after which oversubscribed ranks of an MPI sleep. If each rank has a session of its own,
/// no yield lets another run. Where yields do, ranks that sleep early stay asleep: while all others
/// are, yields return at once and are used up before a peer has woken, and each signal costs a
/// wake-up (docs/design/waiting.md has the figures).
constexpr std::uint32_t kYieldsInVain = 16, kYieldsAmongPeers = 400;

/// Oversubscribed ranks give the core back within microseconds; another program that computes keeps
/// it for a turn of the scheduler's, 1 to 4 ms, unless it is interrupted.
constexpr std::uint64_t kOtherProcessTurnNs = 500'000;

/// Longest turn: what takes longer is none, the job was stopped, or the machine slept.
constexpr std::uint64_t kLongestTurnNs = 10'000'000;

/// A yield that shows whether other processes are still there costs a turn, so it is done only once
/// in this many turns; more often at first, since a peer that computed or started looks the same.
constexpr std::uint64_t kFewTurns = 4, kManyTurns = 32;

/// Two readings of the clock cost as much as a tenth of a yield, so waits time their first yields
/// seldom if no other processes were seen lately.
constexpr std::uint32_t kWaitsPerLook = 8, kUnwatchedYields = 8;

/// Registers as a sleeper, polls once more, and sleeps.
void sleep_on(const WaitTarget& wait_target, Condition& condition, std::uint64_t most_ns,
              WaitEnvironment& wait_environment) {
  TERRACE_ASSERT(wait_target.counter != nullptr && wait_target.sleepers != nullptr);
  sleep_unless(
      *wait_target.counter, *wait_target.sleepers, [&] { return condition.holds(); },
      [&](std::uint64_t seen) { wait_environment.sleep(wait_target, seen, most_ns); });
}

/// An event comes after 100 us at the latest. A waiter that would pause often before it gives its
/// core away waits for one event instead of so many pauses; one that would pause less often pauses.
constexpr std::uint32_t kPausesPerEvent = 500;

/// Waits for events instead of pausing, on one signal after the other.
bool spin_by_events(Condition& condition, std::uint32_t spins) {
  for (std::uint32_t i = 0; i < spins / kPausesPerEvent; ++i) {
    const std::atomic<std::uint64_t>& counter = *condition.missing().counter;
    // acquire: as in `holds`, which decides; if a store comes after this, no event is waited for.
    const std::uint64_t seen = counter.load(std::memory_order_acquire);
    if (condition.holds()) return true;
    pause_until_changed(counter, seen);
  }
  return condition.holds();
}

/// Pauses after each poll: polling without a break takes the line away from its writer while it
/// writes, and costs up to half as much again (docs/design/waiting.md has the figures).
bool spin(Condition& condition, std::uint32_t spins) {
  if (pause_kind() == PauseKind::wfe && spins >= kPausesPerEvent)
    return spin_by_events(condition, spins);
  for (std::uint32_t i = 0; i < spins; ++i) {
    if (condition.holds()) return true;
    pause();
  }
  return false;
}

/// Reports a wait that lasts, each time that has doubled.
class StallReports {
 public:
  StallReports(const WaitPolicy& policy, WaitEnvironment& wait_environment)
      : wait_environment_(wait_environment), next_(policy.stall_seconds) {}
  /// The wait counts from here, if it does not yet.
  void begin(std::uint64_t now_ns) { start_ns_ = start_ns_.value_or(now_ns); }
  /// If none has begun, one does: a short wait need not read the clock.
  void look() {
    const std::uint64_t now = wait_environment_.now_ns();
    begin(now);
    const double waited_seconds = static_cast<double>(now - *start_ns_) * 1e-9;
    if (waited_seconds < next_) return;
    wait_environment_.stalled(waited_seconds);
    while (next_ <= waited_seconds) next_ *= 2;
  }

 private:
  WaitEnvironment& wait_environment_;
  std::optional<std::uint64_t> start_ns_;
  double next_;
};

/// Calls for progress, among ranks of the same kernel thread, to each look at the clock.
constexpr std::uint32_t kProgressPerClock = 64;

/// Looks, and lets ranks of the same kernel thread run, in turn. Returns whether the condition
/// holds; if not, no such rank can go on.
bool pass_until(Condition& condition, const WaitPolicy& policy, WaitEnvironment& wait_environment,
                bool begins, StallReports& stalls) {
  for (std::uint32_t left = policy.yields_per_progress, until_clock = kProgressPerClock;;) {
    if (condition.holds()) return true;
    if (!wait_environment.pass(std::exchange(begins, false))) return false;
    if (--left != 0) continue;
    left = policy.yields_per_progress;
    wait_environment.progress();
    condition.waits_long(1);
    if (--until_clock != 0) continue;
    until_clock = kProgressPerClock;
    stalls.look();
  }
}

/// Returns how long the next sleep of a wait may be, which has slept so often. A wake-up may be
/// missed by who begins to sleep at that moment, so the first sleeps are short.
std::uint64_t nap_of(Condition& condition, const WaitPolicy& policy,
                     WaitEnvironment& wait_environment, std::uint32_t slept) {
  const bool may_be_long = policy.longest_woken_nap_ns > policy.longest_nap_ns &&
                           condition.is_woken() && !wait_environment.may_have_to_progress();
  if (!may_be_long) return policy.longest_nap_ns;
  return std::min(policy.longest_woken_nap_ns, policy.longest_nap_ns << std::min(slept, 10u));
}

/// Yields, and returns whether other processes had the core.
bool yield_and_watch(WaitEnvironment& wait_environment) {
  const std::uint64_t start = wait_environment.now_ns();
  wait_environment.yield();
  const std::uint64_t end = wait_environment.now_ns();
  OtherProcesses& other_processes = wait_environment.other_processes();
  if (OtherProcesses::is_turn(end - start) && !wait_environment.were_peers_at_work(end))
    other_processes.had_the_core(end - start, end);
  return other_processes.are_near(end);
}

}  // namespace

bool OtherProcesses::are_to_be_looked_for(std::uint64_t now_ns) noexcept {
  if (were_near(now_ns)) return true;
  const std::uint64_t before = waits_.get();
  waits_.set(before + 1);
  return before % kWaitsPerLook == 0;
}

bool OtherProcesses::is_turn(std::uint64_t took_ns) noexcept {
  return took_ns >= kOtherProcessTurnNs;
}

void OtherProcesses::had_the_core(std::uint64_t took_ns, std::uint64_t now_ns) noexcept {
  TERRACE_ASSERT(is_turn(took_ns), took_ns);
  turns_.set(were_near(now_ns) ? std::min(2 * turns_.get(), kManyTurns) : kFewTurns);
  remembered_ns_.set(turns_.get() * std::min(took_ns, kLongestTurnNs));
  until_ns_.set(now_ns + remembered_ns_.get());
}

void wake(std::atomic<std::uint64_t>& counter) noexcept {
  syscall(SYS_futex, low_half(counter), FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

std::uint64_t WaitEnvironment::now_ns() noexcept {
  return monotonic_ns();
}

void WaitEnvironment::yield() noexcept {
  sched_yield();
}

void WaitEnvironment::sleep(const WaitTarget& wait_target, std::uint64_t seen,
                            std::uint64_t most_ns) noexcept {
  timespec time{};
  time.tv_sec = static_cast<time_t>(most_ns / 1'000'000'000u);
  time.tv_nsec = static_cast<long>(most_ns % 1'000'000'000u);
  syscall(SYS_futex, low_half(*wait_target.counter), FUTEX_WAIT, static_cast<std::uint32_t>(seen),
          &time, nullptr, 0);
}

WaitPolicy WaitPolicy::for_ranks(std::uint32_t ranks, std::uint32_t pus) {
  WaitPolicy policy;
  if (ranks > pus) policy.spins = 0;
  return policy;
}

WaitPolicy WaitPolicy::for_mpi_ranks(std::uint32_t ranks, std::uint32_t pus,
                                     bool yields_reach_peers) {
  WaitPolicy policy = for_ranks(ranks, pus);
  if (ranks > pus)
    policy.yields = yields_reach_peers ? kYieldsAmongPeers : kYieldsInVain;
  else
    policy.nap_after_ns = 2'000'000;
  policy.longest_nap_ns = policy.longest_woken_nap_ns = kMpiNapNs;
  return policy;
}

OtherProcesses& WaitEnvironment::other_processes() noexcept {
  thread_local OtherProcesses of_this_thread;
  return of_this_thread;
}

void yield_cpu(Condition& condition, const WaitPolicy& policy,
               WaitEnvironment& wait_environment) noexcept {
  if (wait_environment.pass(false)) return;
  if (wait_environment.other_processes().are_near(wait_environment.now_ns()))
    sleep_on(condition.missing(), condition, policy.longest_nap_ns, wait_environment);
  else
    yield_and_watch(wait_environment);
}

void wait_until(Condition& condition, const WaitPolicy& policy,
                WaitEnvironment& wait_environment) noexcept {
  TERRACE_ASSERT(policy.yields_per_progress != 0);
  TERRACE_ASSERT(policy.longest_nap_ns != 0 && policy.stall_seconds > 0);
  if (policy.spins_across != 0 && condition.awaits_another_core() &&
      spin(condition, policy.spins_across))
    return;
  StallReports stalls(policy, wait_environment);
  if (pass_until(condition, policy, wait_environment, true, stalls)) return;
  if (spin(condition, policy.spins)) return;
  const std::uint64_t start = wait_environment.now_ns();
  stalls.begin(start);
  const bool looks_at_once = wait_environment.other_processes().are_to_be_looked_for(start);
  bool beside_other_processes = wait_environment.other_processes().are_near(start);
  std::uint32_t round = 0, slept = 0;
  do {
    ++round;
    if (round % policy.yields_per_progress == 0) {
      wait_environment.progress();
      condition.waits_long(1);
    }
    const bool may_yield =
        !beside_other_processes &&
        (round <= policy.yields || wait_environment.now_ns() - start < policy.nap_after_ns);
    if (may_yield && (looks_at_once || round > kUnwatchedYields)) {
      beside_other_processes = yield_and_watch(wait_environment);
      continue;
    }
    if (may_yield) {
      wait_environment.yield();
      continue;
    }
    wait_environment.progress();
    const std::uint64_t nap_ns = nap_of(condition, policy, wait_environment, slept++);
    condition.waits_long(static_cast<std::uint32_t>(nap_ns / policy.longest_nap_ns));
    sleep_on(condition.missing(), condition, nap_ns, wait_environment);
    stalls.look();
    // Where ranks share kernel threads, a round begins when none of them can go on.
  } while (!pass_until(condition, policy, wait_environment, false, stalls));
}

}  // namespace terrace
