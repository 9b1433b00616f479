// SPDX-License-Identifier: BSD-3-Clause
// Puts envelopes into the ring, and beside it when they do not fit.
#include "threadranks/matching/mailbox.hpp"

#include <cstring>

#include "base/contract.hpp"

namespace terrace::threadranks {

void* Envelope::address() const {
  void* address;
  std::memcpy(&address, payload.data(), sizeof address);
  return address;
}

Mailbox::Mailbox() : slots_(std::make_unique<Slot[]>(kSlots)) {}

Mailbox::Slot* Mailbox::take_slot(std::uint64_t& ticket) {
  // acquire: pairs with the release in `take_aside`. Who has put envelopes aside sees true here
  // until they have been read, so that no later one overtakes them.
  if (has_more_.load(std::memory_order_acquire)) return nullptr;
  // relaxed: the exchange below decides.
  ticket = tail_.load(std::memory_order_relaxed);
  do {
    // acquire: pairs with the release in `pass`; the slot's last envelope has been read.
    if (ticket - taken_.load(std::memory_order_acquire) >= kSlots) return nullptr;
    // release: pairs with the acquire in `take_aside`, which waits for all tickets given out.
  } while (!tail_.compare_exchange_weak(ticket, ticket + 1, std::memory_order_release,
                                        std::memory_order_relaxed));
  // relaxed: the owner has passed the envelope before, as `taken_` says.
  TERRACE_ASSERT(slots_[ticket % kSlots].sequence.load(std::memory_order_relaxed) ==
                     (ticket < kSlots ? 0 : ticket - kSlots + 1),
                 ticket);
  return &slots_[ticket % kSlots];
}

void Mailbox::notify() {
  // relaxed: may miss an owner who goes to sleep now; its nap is bounded. Partner: `sleep_on`.
  if (sleepers_.load(std::memory_order_relaxed) == 0) return;
  // release: what this thread has published lies before it. Partner: the look in `sleep_on`.
  counter_.fetch_add(1, std::memory_order_release);
  wake(counter_);
}

}  // namespace terrace::threadranks
