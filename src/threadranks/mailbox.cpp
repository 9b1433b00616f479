// SPDX-License-Identifier: BSD-3-Clause
// Puts letters into the ring, and beside it.
#include "threadranks/mailbox.hpp"

#include <cstring>

namespace terrace::threadranks {

namespace {

void copy_letter(const Letter& from, Letter& to, std::size_t payload_bytes) {
  to.context = from.context;
  to.source = from.source;
  to.tag = from.tag;
  to.kind = from.kind;
  to.bytes = from.bytes;
  std::memcpy(to.payload.data(), from.payload.data(), payload_bytes);
}

}  // namespace

void* Letter::address() const {
  void* address;
  std::memcpy(&address, payload.data(), sizeof address);
  return address;
}

void Letter::put_address(void* address) {
  std::memcpy(payload.data(), &address, sizeof address);
}

Mailbox::Mailbox() : slots_(std::make_unique<Slot[]>(kSlots)) {}

void Mailbox::put(const Letter& letter, std::size_t payload_bytes) {
  // acquire: pairs with the release in `take_aside`. Who has put letters aside sees true here until
  // they have been read, so that no later one overtakes them.
  if (has_more_.load(std::memory_order_acquire) || !try_put(letter, payload_bytes))
    put_aside(letter, payload_bytes);
  ring();
}

bool Mailbox::try_put(const Letter& letter, std::size_t payload_bytes) {
  // relaxed: the exchange below decides.
  std::uint64_t ticket = tail_.load(std::memory_order_relaxed);
  do {
    // acquire: pairs with the release in `pass`; the slot's last letter has been read.
    if (ticket - taken_.load(std::memory_order_acquire) >= kSlots) return false;
    // release: pairs with the acquire in `take_aside`, which waits for all tickets given out.
  } while (!tail_.compare_exchange_weak(ticket, ticket + 1, std::memory_order_release,
                                        std::memory_order_relaxed));
  Slot& slot = slots_[ticket % kSlots];
  copy_letter(letter, slot.letter, payload_bytes);
  // release: pairs with the acquire in `front`; publishes the letter.
  slot.sequence.store(ticket + 1, std::memory_order_release);
  return true;
}

void Mailbox::put_aside(const Letter& letter, std::size_t payload_bytes) {
  const std::lock_guard lock(mutex_);
  copy_letter(letter, aside_.emplace_back(), payload_bytes);
  // release: pairs with the acquire in `take_all`.
  has_more_.store(true, std::memory_order_release);
}

void Mailbox::ring() {
  // relaxed: may miss an owner who goes to sleep now; its nap is bounded. Partner: `sleep_on`.
  if (sleepers_.load(std::memory_order_relaxed) == 0) return;
  // release: what this thread has published lies before it. Partner: the look in `sleep_on`.
  counter_.fetch_add(1, std::memory_order_release);
  wake(counter_);
}

}  // namespace terrace::threadranks
