// SPDX-License-Identifier: BSD-3-Clause
// How ranks hear of each other: a counter that its rank publishes, with all that lies before it,
// and sleeping until it changes. Templates, so that the litmus tests explore what runs
// (docs/design/weak-memory.md).
#pragma once

#include <atomic>
#include <cstdint>

#include "base/contract.hpp"

namespace terrace {

/// Wakes all who sleep on a counter.
void wake(std::atomic<std::uint64_t>& counter) noexcept;

/// Publishes `value` and wakes those who sleep on it, if any are seen. A sleeper who registers at
/// that very moment may be missed, which is why no sleep is unbounded (docs/design/waiting.md).
template <template <class> class Atomic>
void publish(Atomic<std::uint64_t>& counter, const Atomic<std::uint32_t>& sleepers,
             std::uint64_t value) noexcept {
  // release: all that this rank has read and written comes before it for a rank that acquires the
  // counter. Partner: `last_published`.
  counter.store(value, std::memory_order_release);
  // relaxed: may miss a sleeper who registers now; its nap is bounded. Partner: `sleep_unless`.
  if (sleepers.load(std::memory_order_relaxed) != 0) wake(counter);
}

/// Returns what a rank has published last, as far as is known here; what it did before lies before
/// this.
template <template <class> class Atomic>
[[gnu::always_inline]] inline std::uint64_t last_published(
    const Atomic<std::uint64_t>& counter) noexcept {
  // acquire: pairs with the store in `publish`.
  return counter.load(std::memory_order_acquire);
}

/// Registers as a sleeper, asks once more whether what it waits for `holds`, and if not sleeps
/// while the counter has the value that it had before.
template <template <class> class Atomic, class Holds, class Sleep>
[[gnu::always_inline]] inline void sleep_unless(Atomic<std::uint64_t>& counter,
                                                Atomic<std::uint32_t>& sleepers, Holds&& holds,
                                                Sleep&& sleep) {
  // relaxed: the kernel has a full fence between this and its own look at the counter. Partner: the
  // load of `sleepers` in `publish`, which may come too early to see this, whatever the order here,
  // and then costs this sleeper the rest of its nap.
  sleepers.fetch_add(1, std::memory_order_relaxed);
  // acquire: what was published before this value is seen by `holds`. Partner: the store in
  // `publish`, or the count of a mailbox's `notify_sleeper`.
  const std::uint64_t seen = counter.load(std::memory_order_acquire);
  if (!holds()) sleep(seen);
  // relaxed: a spurious wake-up does no harm.
  [[maybe_unused]] const std::uint32_t before = sleepers.fetch_sub(1, std::memory_order_relaxed);
  TERRACE_ASSERT(before != 0);
}

}  // namespace terrace
