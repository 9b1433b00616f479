// SPDX-License-Identifier: BSD-3-Clause
// Waiting: poll, spin, yield, sleep. Long spinning is wrong when ranks outnumber cores, early
// sleeping when they do not, and yielding next to other processes.
#pragma once

#include <atomic>
#include <cstdint>

#include "base/pause.hpp"
#include "team/call_mismatch.hpp"
#include "team/memory.hpp"
#include "team/signals.hpp"

namespace terrace {

/// A signal that a waiter can sleep on: a counter, and how many sleep on it.
struct WaitTarget {
  std::atomic<std::uint64_t>* counter = nullptr;
  std::atomic<std::uint32_t>* sleepers = nullptr;
};

/// A number that two threads may write at once: a fibre that has just lost its worker, and who runs
/// there now. Either value will do.
class RelaxedNumber {
 public:
  RelaxedNumber() = default;
  RelaxedNumber(const RelaxedNumber& other) noexcept : value_(other.get()) {}
  RelaxedNumber& operator=(const RelaxedNumber& other) noexcept {
    set(other.get());
    return *this;
  }
  // relaxed, both: it orders nothing; no partner.
  std::uint64_t get() const noexcept { return value_.load(std::memory_order_relaxed); }
  void set(std::uint64_t value) noexcept { value_.store(value, std::memory_order_relaxed); }

 private:
  std::atomic<std::uint64_t> value_{0};
};

/// Notices other programs on this core, by yields that return late. Next to them a rank sleeps
/// instead of yielding, since a yield forfeits the rest of its turn and a sleep does not
/// (docs/design/waiting.md).
class OtherProcesses {
 public:
  bool are_near(std::uint64_t now_ns) const noexcept { return now_ns < until_ns_.get(); }
  /// Whether a wait that begins now is to time all its yields.
  bool are_to_be_looked_for(std::uint64_t now_ns) noexcept;
  /// Whether a yield of that length has met more than peers that wait.
  static bool is_turn(std::uint64_t took_ns) noexcept;
  /// Records that a yield gave the core away for `took_ns`, a turn at least, until `now_ns`.
  void had_the_core(std::uint64_t took_ns, std::uint64_t now_ns) noexcept;

 private:
  /// Whether other processes were seen so lately that they may still be there.
  bool were_near(std::uint64_t now_ns) const noexcept {
    return now_ns < until_ns_.get() + remembered_ns_.get();
  }

  RelaxedNumber until_ns_, remembered_ns_;
  RelaxedNumber turns_;  ///< how many of their turns they are remembered for
  RelaxedNumber waits_;  ///< waits begun while none were near
};

/// The environment of waiting: a clock, yields, sleeps. This class has the real ones; tests replace
/// them.
class WaitEnvironment {
 public:
  virtual ~WaitEnvironment() = default;
  /// Monotonic time in nanoseconds.
  virtual std::uint64_t now_ns() noexcept;
  /// Lets another thread run on this core.
  virtual void yield() noexcept;
  /// Sleeps while the counter's value is `seen`, for `most_ns` at most.
  virtual void sleep(const WaitTarget& wait_target, std::uint64_t seen,
                     std::uint64_t most_ns) noexcept;
  /// Lets other ranks run that share this one's kernel thread, after a look in vain; `begins`: the
  /// first one of a wait, or the caller goes on in any case. False: there are none, or none of them
  /// can go on.
  virtual bool pass(bool begins) noexcept {
    (void)begins;
    return false;
  }
  /// Knowledge of other processes that use this thread's core. Kept per thread: what it learns in
  /// one team holds in all.
  virtual OtherProcesses& other_processes() noexcept;
  /// Whether those who had this core while a yield took long, until `now_ns`, were peers that
  /// compute. False also if that is not known.
  virtual bool were_peers_at_work(std::uint64_t now_ns) noexcept {
    (void)now_ns;
    return false;
  }
  /// Makes progress in this process where a peer depends on it: drives the underlying MPI.
  virtual void progress() noexcept {}
  /// Whether `progress` may have something to do for others during a wait, for which this thread
  /// is not woken.
  virtual bool may_have_to_progress() noexcept { return true; }
  /// A peer makes another call than this rank, which gives the call up.
  virtual void mismatched(const CallMismatch& mismatch) noexcept { (void)mismatch; }
  /// A wait has lasted `seconds`; called again each time that has doubled.
  virtual void stalled(double seconds) noexcept { (void)seconds; }
};

struct WaitPolicy {
  std::uint32_t spins = 1000;  ///< pauses before the first yield
  /// Pauses before a rank that waits for one of another core lets others of its core run. They are
  /// mostly done with what they can do by then, and looking at all of them takes longer.
  std::uint32_t spins_across = 0;
  std::uint32_t yields = 200;  ///< before the first sleep
  std::uint32_t yields_per_progress = 16;
  std::uint64_t nap_after_ns = 0;            ///< no sleep before a wait has lasted this long
  std::uint64_t longest_nap_ns = 1'000'000;  ///< also what a missed wake-up costs at most
  /// Longest sleep of waits that end by a wake-up, where nothing is to be done meanwhile. Of
  /// hundreds that sleep at the same time, those who wake up to look again take the core from the
  /// one that they wait for.
  std::uint64_t longest_woken_nap_ns = 1'000'000;
  double stall_seconds = 30;

  /// `ranks` participants of the whole job on this node share `pus` processing units.
  static WaitPolicy for_ranks(std::uint32_t ranks, std::uint32_t pus);
  /// Makes the policy inside an MPI process, where no sleep may be long: a peer may be unable to
  /// arrive until this process drives the underlying MPI. `yields_reach_peers`: the kernel
  /// schedules all ranks in one group, so that a yield lets others of them run.
  static WaitPolicy for_mpi_ranks(std::uint32_t ranks, std::uint32_t pus, bool yields_reach_peers);
};

/// The condition that a waiter waits for.
class Condition {
 public:
  /// Whether the wait is over. Loads with acquire.
  virtual bool holds() noexcept = 0;
  /// A signal that is still missing; its current value is read before `holds` is asked again.
  virtual WaitTarget missing() noexcept = 0;
  /// Called now and then during a long wait, to find out whether it is in vain; `naps`: how many
  /// short naps have gone by since.
  virtual void waits_long(std::uint32_t naps) noexcept { (void)naps; }
  /// Whether those who sleep on `missing` are woken by what it waits for.
  virtual bool is_woken() noexcept { return false; }
  /// Whether a rank is awaited that is known to take turns on another core.
  virtual bool awaits_another_core() noexcept { return false; }

 protected:
  ~Condition() = default;
};

/// Returns when the condition holds.
void wait_until(Condition& condition, const WaitPolicy& policy,
                WaitEnvironment& wait_environment) noexcept;

/// Yields once after a fruitless poll, for a caller that polls in a loop of its own while
/// oversubscribed; next to other processes, sleeps for as long as a wait would.
void yield_cpu(Condition& condition, const WaitPolicy& policy,
               WaitEnvironment& wait_environment) noexcept;

}  // namespace terrace
