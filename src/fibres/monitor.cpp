// SPDX-License-Identifier: BSD-3-Clause
// The monitor: a thread that looks at the workers every millisecond. A fibre that sleeps in the
// system, or computes for long while others of its worker might run, loses the worker to a spare
// kernel thread, and goes on by itself until it waits in this room's code again. So whatever a
// fibre does, the others are no worse off than threads.
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

#include "base/contract.hpp"
#include "base/ticks.hpp"
#include "base/wait_at_most.hpp"
#include "fibres/kernel_thread.hpp"
#include "fibres/scheduler.hpp"

namespace terrace {

namespace {

constexpr std::uint64_t kBetweenLooksNs = 1'000'000;

/// A worker's binding is looked at once in so many looks, or in as many as there are workers.
constexpr std::size_t kLooksPerBinding = 10;

/// A fibre computes for so long before it counts as one that keeps others from running, about as
/// long as the kernel's scheduler lets a thread run beside others.
constexpr std::uint64_t kLongTurnNs = 10'000'000;

/// A fibre that is found asleep so often in a row, soon after it has had its worker back, is left
/// to its kernel thread: first for so long, then each time for twice as long, to a bound.
constexpr std::uint32_t kFewBlocks = 3;
constexpr std::uint64_t kInARowNs = 20'000'000, kFirstOutNs = 10'000'000;
constexpr std::uint32_t kMostDoublings = 6;

/// Until when a fibre stays out that has just been found asleep; 0: it comes back when it waits.
std::uint64_t out_until(Fibre& fibre, std::uint64_t now) {
  const bool is_in_a_row = now - std::max(fibre.blocked_ns, fibre.out_until_ns) < kInARowNs;
  fibre.blocks = is_in_a_row ? fibre.blocks + 1 : 1;
  fibre.blocked_ns = now;
  if (fibre.blocks <= kFewBlocks) return 0;
  return now + (kFirstOutNs << std::min(fibre.blocks - kFewBlocks - 1, kMostDoublings));
}

/// Returns what is seen of a worker that has switched so often since the last look.
Balance::Seen seen_of(const Worker& worker, const Fibre* current, std::uint64_t switches) {
  Balance::Seen seen;
  seen.has_current = current != nullptr;
  seen.switches = switches;
  // relaxed, all: a guess.
  seen.is_switching = seen.has_current && current->is_switching.load(std::memory_order_relaxed);
  seen.fibres = worker.fibres.load(std::memory_order_relaxed);
  seen.passes_in_vain = worker.passes_in_vain.load(std::memory_order_relaxed);
  return seen;
}

}  // namespace

bool heavy_fence(const std::atomic<bool>&) {
  return syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) == 0;
}

FibreScheduler::Parts::Parts(const FibreSettings& wanted) : settings(wanted) {
  TERRACE_REQUIRE(settings.workers > 0, settings.workers);
  TERRACE_REQUIRE(settings.bindings.empty() || settings.bindings.size() == settings.workers,
                  settings.bindings.size(), settings.workers);
  CPU_ZERO(&everywhere);
  sched_getaffinity(0, sizeof everywhere, &everywhere);
  pthread_sigmask(SIG_SETMASK, nullptr, &usual_signals);
  for (std::uint32_t number = 0; number < settings.workers; ++number) {
    workers.push_back(std::make_unique<Worker>());
    workers.back()->number = number;
  }
  syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
}

Fibre& FibreScheduler::Parts::new_fibre() {
  const std::lock_guard lock(mutex);
  return fibres.emplace_back();
}

bool FibreScheduler::Parts::has_usual_signals(const sigset_t& signals) const {
  for (int signal = 1; signal < NSIG; ++signal)
    if (sigismember(&signals, signal) != sigismember(&usual_signals, signal)) return false;
  return true;
}

void FibreScheduler::Parts::watch() {
  std::vector<Watched> watched(workers.size());
  std::vector<WatchedBinding> bindings(workers.size());
  Balance balance(workers.size());
  const std::size_t turns = std::max(workers.size(), kLooksPerBinding);
  for (std::size_t look = 0;; ++look) {
    {
      std::unique_lock lock(mutex);
      // relaxed: under the mutex.
      if (wait_at_most(kBetweenLooksNs, monitor_sleeps, lock,
                       [&] { return stops.load(std::memory_order_relaxed); }))
        return;
    }
    for (std::size_t i = 0; i < workers.size(); ++i) look_at(*workers[i], watched[i], balance);
    if (const auto wanted = balance.next_move()) move(*wanted);
    if (const std::size_t turn = look % turns; !settings.bindings.empty() && turn < workers.size())
      look_at_binding(*workers[turn], bindings[turn]);
    // seq_cst: partner is `send`.
    if (signals_sent.load() != 0) deliver_all();
  }
}

void FibreScheduler::Parts::look_at(Worker& worker, Watched& watched, Balance& balance) {
  const std::uint64_t now = monotonic_ns();
  // relaxed, all: what is found here is looked at again when the fibre is claimed.
  const std::uint64_t switches = worker.switches.load(std::memory_order_relaxed);
  Fibre* const fibre = worker.current.load(std::memory_order_relaxed);
  balance.add(worker.number,
              Balance::sample_of(seen_of(worker, fibre, switches - watched.switches)), fibre);
  if (watched.since_ns == 0 || switches != watched.switches) {
    watched = {switches, now};
    return;
  }
  // relaxed: as above.
  if (fibre == nullptr || fibre->is_switching.load(std::memory_order_relaxed)) return;
  // relaxed, all: as above.
  const bool has_others = worker.fibres.load(std::memory_order_relaxed) > 1 ||
                          worker.arrivals.load(std::memory_order_relaxed) != nullptr;
  if (!has_others) return;
  // acquire: pairs with the release in `run_worker`.
  const WorkerThread* const thread = worker.thread.load(std::memory_order_acquire);
  if (thread == nullptr) return;
  const bool is_long = now - watched.since_ns >= kLongTurnNs;
  if (!is_long && !sleeps(thread->id)) return;
  if (!hand_over(worker, *fibre, is_long ? 0 : out_until(*fibre, now))) return;
  // relaxed: counts.
  (is_long ? computing : blocked).fetch_add(1, std::memory_order_relaxed);
  watched = {};
}

/// Binds the worker, or lets the kernel move it, where others use its core.
void FibreScheduler::Parts::look_at_binding(Worker& worker, WatchedBinding& watched) {
  // acquire: pairs with the release in `run_worker`.
  const WorkerThread* const thread = worker.thread.load(std::memory_order_acquire);
  const auto times = thread == nullptr ? std::nullopt : times_of(thread->id);
  const WorkerThread* const before = std::exchange(watched.thread, times ? thread : nullptr);
  if (!times) return;
  // relaxed: a count.
  const std::uint64_t waits = worker.waits.load(std::memory_order_relaxed);
  const ThreadTimes until_then = std::exchange(watched.times, *times);
  const std::uint64_t waits_until_then = std::exchange(watched.waits, waits);
  // It may have bound itself while the last look decided otherwise.
  if (thread != before) return bind(thread->id, worker);
  const ThreadTimes spent{times->ran_ns - until_then.ran_ns,
                          times->waited_ns - until_then.waited_ns};
  const bool wanted =
      watched.binding.is_bound_after(spent, waits - waits_until_then, monotonic_ns());
  // relaxed: a kernel thread that gets the worker right now is bound again by the next look.
  if (worker.is_bound.exchange(wanted, std::memory_order_relaxed) == wanted) return;
  bind(thread->id, worker);
}

void FibreScheduler::Parts::deliver_all() {
  // seq_cst: signals that are sent from here on are another look's. Partner: `send`.
  signals_sent.store(0);
  std::vector<Fibre*> waiting;
  {
    const std::lock_guard lock(mutex);
    for (Fibre& fibre : fibres)
      // relaxed: looked at again.
      if (fibre.pending_signals.load(std::memory_order_relaxed) != 0) waiting.push_back(&fibre);
  }
  for (Fibre* const fibre : waiting) deliver(*fibre);
}

/// Delivers signals to a fibre that runs the program's code and may be there for long: to the
/// kernel thread on which it stays as long as it is claimed. A fibre that switches delivers its
/// signals itself.
void FibreScheduler::Parts::deliver(Fibre& fibre) {
  FibreHold before = FibreHold::detached;
  if (!claim(fibre.hold, before)) {
    before = FibreHold::free;
    if (!claim(fibre.hold, before)) return;
  }
  if (is_claimed(fibre.is_switching)) {
    // relaxed: written by the kernel thread that runs the fibre.
    const WorkerThread* const thread = before == FibreHold::detached
                                           ? fibre.detached_on
                                           : fibre.worker->thread.load(std::memory_order_relaxed);
    // acq_rel: partner is `deliver_signals`.
    std::uint64_t pending = fibre.pending_signals.exchange(0, std::memory_order_acq_rel);
    for (; pending != 0; pending &= pending - 1)
      syscall(SYS_tgkill, getpid(), thread->id, std::countr_zero(pending) + 1);
    // The kernel thread has been interrupted for them before it runs what follows.
    heavy_fence(fibre.is_switching);
  }
  end_claim(fibre.hold, before);
}

/// Names the fibre to its worker, which sends it when another one of it passes.
void FibreScheduler::Parts::move(const Balance::Move& wanted) {
  Worker& from = *workers[wanted.from];
  // acquire: pairs with the release in `give`.
  if (from.leaving.load(std::memory_order_acquire) != nullptr) return;
  from.leaving_to = workers[wanted.to].get();
  // release: pairs with the acquire in `give_leaving`.
  from.leaving.store(wanted.fibre, std::memory_order_release);
}

/// Takes the worker from the fibre, if that runs the program's code on it.
bool FibreScheduler::Parts::hand_over(Worker& worker, Fibre& fibre, std::uint64_t out_until_ns) {
  if (!claim(fibre.hold, FibreHold::free)) return false;
  // A fibre that neither switches nor is detached is its worker's current one, and the worker
  // stands still until it switches.
  bool is_given = false;
  // relaxed: after the acquire in `is_claimed`.
  if (is_claimed(fibre.is_switching) && worker.current.load(std::memory_order_relaxed) == &fibre) {
    // relaxed: written by the kernel thread that the worker has had since before the claim.
    WorkerThread* const thread = worker.thread.load(std::memory_order_relaxed);
    fibre.detached_on = thread;
    fibre.out_until_ns = out_until_ns;
    note_taken(worker);
    remove_from_ring(worker, fibre);
    // relaxed: the spare one stores itself.
    worker.thread.store(nullptr, std::memory_order_relaxed);
    note_given(worker);
    is_given = give_to_spare(worker);
    if (is_given) sched_setaffinity(thread->id, sizeof everywhere, &everywhere);
    if (!is_given) put_back(worker, fibre);
  }
  end_claim(fibre.hold, is_given ? FibreHold::detached : FibreHold::free);
  return is_given;
}

/// There is no kernel thread for its worker: all is as it was.
void FibreScheduler::Parts::put_back(Worker& worker, Fibre& fibre) {
  worker.at = worker.ring.size();
  worker.ring.push_back(&fibre);
  // relaxed, all: for this thread.
  worker.thread.store(std::exchange(fibre.detached_on, nullptr), std::memory_order_relaxed);
  worker.fibres.store(worker.ring.size(), std::memory_order_relaxed);
  worker.current.store(&fibre, std::memory_order_relaxed);
}

}  // namespace terrace
