// SPDX-License-Identifier: BSD-3-Clause
// The atomics of fibres, workers and their monitor (worker.hpp has the protocol). Templates, so
// that the litmus tests explore what runs (docs/design/weak-memory.md).
#pragma once

#include <sched.h>

#include <atomic>
#include <cstdint>

namespace terrace {

/// A fibre's hold on its worker, which the monitor may take away.
enum class FibreHold : std::uint8_t {
  free,     ///< it runs on its worker, or waits there
  claimed,  ///< the monitor is about to
  detached  ///< it has lost its worker, and runs on a kernel thread of its own
};

/// Is ordered with each heavy fence of another thread, at the cost of a compiler's fence.
[[gnu::always_inline]] inline void light_fence(const std::atomic<bool>&) {
  std::atomic_signal_fence(std::memory_order_seq_cst);
}
/// Runs a full memory barrier on each core that runs a thread of this process. False: it cannot.
bool heavy_fence(const std::atomic<bool>&);
/// Instead of looking again at once.
inline void rest_before_look(const std::atomic<FibreHold>&) {
  sched_yield();
}

/// A fibre is in the room's code from now on: it has its worker until `end_switching`, if this
/// returns `free`.
template <template <class> class Atomic>
[[gnu::always_inline]] inline FibreHold begin_switching(Atomic<bool>& is_switching,
                                                        const Atomic<FibreHold>& hold) {
  // relaxed, and no more than a compiler's fence: the monitor's heavy fence is the other half.
  is_switching.store(true, std::memory_order_relaxed);
  light_fence(is_switching);
  // acquire: pairs with the release in `end_claim`.
  FibreHold seen = hold.load(std::memory_order_acquire);
  if (seen == FibreHold::free) [[likely]]
    return seen;
  // acquire: as above.
  for (; seen == FibreHold::claimed; seen = hold.load(std::memory_order_acquire))
    rest_before_look(hold);
  return seen;
}

template <template <class> class Atomic>
[[gnu::always_inline]] inline void end_switching(Atomic<bool>& is_switching) {
  // release: pairs with the acquire in `is_claimed`: what the fibre did to the worker comes before.
  is_switching.store(false, std::memory_order_release);
  // A monitor that has found `is_switching` set before its heavy fence leaves the signals that the
  // fibre then sees.
  light_fence(is_switching);
}

/// The monitor is about to take a fibre's worker. False: the hold is another one.
template <template <class> class Atomic>
[[gnu::always_inline]] inline bool claim(Atomic<FibreHold>& hold, FibreHold before) {
  // relaxed, both: the heavy fence in `is_claimed` orders it. Partner: `begin_switching`.
  return hold.compare_exchange_strong(before, FibreHold::claimed, std::memory_order_relaxed,
                                      std::memory_order_relaxed);
}

/// Whether a fibre whose hold is claimed runs the program's code, and stays there until the claim
/// ends.
template <template <class> class Atomic>
[[gnu::always_inline]] inline bool is_claimed(const Atomic<bool>& is_switching) {
  // acquire: pairs with the release in `end_switching`.
  return heavy_fence(is_switching) && !is_switching.load(std::memory_order_acquire);
}

template <template <class> class Atomic>
[[gnu::always_inline]] inline void end_claim(Atomic<FibreHold>& hold, FibreHold after) {
  // release: pairs with the acquires in `begin_switching` and `take_back`: what has been done to
  // the worker, and where the fibre is.
  hold.store(after, std::memory_order_release);
}

/// A fibre that was detached, and whose context is saved, is free again. The monitor may have
/// claimed it for a signal, and then leaves it detached once more.
template <template <class> class Atomic>
[[gnu::always_inline]] inline void take_back(Atomic<FibreHold>& hold) {
  // acquire: pairs with the release in `end_claim`: the monitor has done with the fibre. What the
  // fibre did while it was detached is published by its arrival at home. relaxed: tried again.
  for (FibreHold before = FibreHold::detached; !hold.compare_exchange_weak(
           before, FibreHold::free, std::memory_order_acquire, std::memory_order_relaxed);
       before = FibreHold::detached)
    rest_before_look(hold);
}

}  // namespace terrace
