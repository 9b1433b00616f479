// SPDX-License-Identifier: BSD-3-Clause
// The atomics of a mailbox's ring: senders take tickets, which number the ring's slots, and the
// owner reads the slots in the tickets' order. Templates, so that the litmus tests explore what
// runs (docs/design/weak-memory.md).
#pragma once

#include <atomic>
#include <cstdint>

#include "team/signals.hpp"

namespace terrace::threadranks {

/// Takes the next ticket of a ring of `slots`, of which the owner has `taken` some. False:
/// envelopes have to wait beside the ring.
template <template <class> class Atomic>
[[gnu::always_inline]] inline bool take_ticket(const Atomic<bool>& has_more,
                                               Atomic<std::uint64_t>& tail,
                                               const Atomic<std::uint64_t>& taken,
                                               std::uint64_t slots, std::uint64_t& ticket) {
  // acquire: pairs with the release in `Mailbox::take_aside`. Who has put envelopes aside sees true
  // here until they have been read, so that no later one overtakes them.
  if (has_more.load(std::memory_order_acquire)) return false;
  // relaxed: the exchange below decides.
  ticket = tail.load(std::memory_order_relaxed);
  do {
    // acquire: pairs with the release in `say_taken`; the slot's last envelope has been read.
    if (ticket - taken.load(std::memory_order_acquire) >= slots) return false;
    // release: pairs with the acquire in `Mailbox::take_aside`, which waits for all tickets given
    // out.
  } while (!tail.compare_exchange_weak(ticket, ticket + 1, std::memory_order_release,
                                       std::memory_order_relaxed));
  return true;
}

/// The slot of a ticket has its envelope.
template <template <class> class Atomic>
[[gnu::always_inline]] inline void say_filled(Atomic<std::uint64_t>& sequence,
                                              std::uint64_t ticket) {
  // release: pairs with the acquire in `is_filled`; publishes the envelope.
  sequence.store(ticket + 1, std::memory_order_release);
}

template <template <class> class Atomic>
[[gnu::always_inline]] inline bool is_filled(const Atomic<std::uint64_t>& sequence,
                                             std::uint64_t ticket) {
  // acquire: pairs with the release in `say_filled`; the envelope was written before it.
  return sequence.load(std::memory_order_acquire) == ticket + 1;
}

/// The owner has read all envelopes before the ticket `next`.
template <template <class> class Atomic>
[[gnu::always_inline]] inline void say_taken(Atomic<std::uint64_t>& taken, std::uint64_t next) {
  // release: pairs with the acquire in `take_ticket`; the envelopes before have been read.
  taken.store(next, std::memory_order_release);
}

/// Wakes the owner, after something it waits for has been published.
template <template <class> class Atomic>
[[gnu::always_inline]] inline void notify_sleeper(Atomic<std::uint64_t>& counter,
                                                  const Atomic<std::uint32_t>& sleepers) {
  // relaxed: may miss an owner who goes to sleep now; its nap is bounded. Partner: `sleep_unless`.
  if (sleepers.load(std::memory_order_relaxed) == 0) return;
  // release: what this thread has published lies before it. Partner: the look in `sleep_unless`.
  counter.fetch_add(1, std::memory_order_release);
  wake(counter);
}

}  // namespace terrace::threadranks
