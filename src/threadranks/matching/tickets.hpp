// SPDX-License-Identifier: BSD-3-Clause
// The atomics of a mailbox's ring: senders take tickets, which number the ring's slots, and the
// owner reads the slots in the tickets' order. Templates, so that the litmus tests explore what
// runs (docs/design/weak-memory.md).
#pragma once

#include <atomic>
#include <cstdint>

#include "base/pause.hpp"
#include "team/signals.hpp"

namespace terrace::threadranks {

/// Takes the next ticket of a ring of `slots`, of which the owner has `taken` some. False:
/// envelopes have to wait beside the ring.
template <template <class> class Atomic>
[[gnu::always_inline]] inline bool take_ticket(const Atomic<bool>& has_more,
                                               Atomic<std::uint64_t>& tail,
                                               const Atomic<std::uint64_t>& taken,
                                               std::uint64_t slots, std::uint64_t& ticket) {
  // relaxed: who has put envelopes aside sees its own true here, or a later value, until
  // `say_none_aside`; so no later envelope overtakes them.
  if (has_more.load(std::memory_order_relaxed)) return false;
  // relaxed: the exchange below decides.
  ticket = tail.load(std::memory_order_relaxed);
  do {
    // acquire: pairs with the release in `say_taken`; the slot's last envelope has been read.
    if (ticket - taken.load(std::memory_order_acquire) >= slots) return false;
    // relaxed, both: the slot's sequence publishes, and the lock beside the ring orders this before
    // the look in `read_tickets`.
  } while (!tail.compare_exchange_weak(ticket, ticket + 1, std::memory_order_relaxed,
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

/// There are envelopes beside the ring. Called under the lock that guards them.
template <template <class> class Atomic>
[[gnu::always_inline]] inline void say_aside(Atomic<bool>& has_more) {
  // relaxed: the lock publishes what lies there. Partners: `are_aside`, `take_ticket`.
  has_more.store(true, std::memory_order_relaxed);
}

template <template <class> class Atomic>
[[gnu::always_inline]] inline bool are_aside(const Atomic<bool>& has_more) {
  // relaxed: what lies there is looked at under the lock. Partner: `say_aside`.
  return has_more.load(std::memory_order_relaxed);
}

/// The owner has read all that lay beside the ring. Called under the lock.
template <template <class> class Atomic>
[[gnu::always_inline]] inline void say_none_aside(Atomic<bool>& has_more) {
  // relaxed: a sender that sees it goes on to the ring, which the owner reads later anyway.
  // Partner: `take_ticket`.
  has_more.store(false, std::memory_order_relaxed);
}

/// Instead of looking again at once.
inline void rest_before_look(const std::atomic<std::uint64_t>&) {
  pause();
}

/// The owner passes the envelopes of all tickets that have been given out to `read(ticket)`; those
/// of them that are still being written, when they are there. A sender that has put envelopes aside
/// had put earlier ones into the ring.
template <template <class> class Atomic, class SequenceOf, class Read>
[[gnu::always_inline]] inline void read_tickets(const Atomic<std::uint64_t>& tail,
                                                std::uint64_t& next, SequenceOf&& sequence_of,
                                                Read&& read) {
  // relaxed: the senders whose envelopes lay aside made their exchanges in `take_ticket` before
  // they took the lock.
  const std::uint64_t end = tail.load(std::memory_order_relaxed);
  while (next < end)
    if (is_filled(sequence_of(next), next))
      read(next);
    else
      rest_before_look(sequence_of(next));
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
