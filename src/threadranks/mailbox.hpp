// SPDX-License-Identifier: BSD-3-Clause
// A rank's mailbox: a ring of lines into which all ranks put messages for it, in one order.
// Messages that do not fit the ring wait beside it, so that senders never wait.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mutex>
#include <vector>

#include "base/apart.hpp"
#include "base/rank.hpp"
#include "team/waiting.hpp"

namespace terrace::threadranks {

/// What fits into a letter beside its address.
inline constexpr std::size_t kLetterBytes = 96;

/// What a letter's payload is.
enum class LetterKind : std::uint16_t {
  whole,  ///< the message itself
  given,  ///< an address of the message, in memory that is the receiver's from now on
  shown,  ///< an address of a Sending: the receiver takes the message from where it lies
  help,   ///< an address of a Sending of the reader's own: its receiver wants help in copying
};

/// All of a letter but its payload.
struct LetterHeading {
  std::uint32_t context = 0;  ///< of the communicator
  std::int32_t source = 0;    ///< rank in it
  std::int32_t tag = 0;
  LetterKind kind = LetterKind::whole;
  std::uint64_t bytes = 0;  ///< of the message
};

struct Letter : LetterHeading {
  std::array<std::byte, kLetterBytes> payload;

  void* address() const;
};

class Mailbox {
 public:
  Mailbox();
  /// Set before others know the mailbox: whether its owner has a core for itself, and so looks
  /// soon.
  bool owner_has_core = false;
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  /// From any rank: `write(payload)` fills the payload where the owner reads it. Letters of a
  /// thread are read in the order in which it puts them.
  template <class Write>
  void put(const LetterHeading& heading, Write&& write) {
    std::uint64_t ticket = 0;
    if (Slot* const slot = take_slot(ticket)) {
      static_cast<LetterHeading&>(slot->letter) = heading;
      write(slot->letter.payload.data());
      // release: pairs with the acquire in `front`; publishes the letter.
      slot->sequence.store(ticket + 1, std::memory_order_release);
    } else {
      const std::lock_guard lock(mutex_);
      Letter& letter = aside_.emplace_back();
      static_cast<LetterHeading&>(letter) = heading;
      write(letter.payload.data());
      // release: pairs with the acquire in `take_all`.
      has_more_.store(true, std::memory_order_release);
    }
    ring();
  }
  /// The same with an address as payload.
  void put_address(const LetterHeading& heading, void* address) {
    put(heading, [address](std::byte* payload) { std::memcpy(payload, &address, sizeof address); });
  }

  /// By the owner: hands all letters that are there to `read`.
  template <class Read>
  void take_all(Read&& read) {
    while (const Letter* letter = front()) {
      read(*letter);
      pass();
    }
    // acquire: pairs with the release in `put`; what lies there is looked at under the lock.
    if (has_more_.load(std::memory_order_acquire)) take_aside(read);
  }

  /// What the owner sleeps on.
  WaitTarget wait_target() { return {&counter_, &sleepers_}; }
  /// Wakes the owner, after something that it waits for has been published.
  void notify();

 private:
  static constexpr std::uint64_t kSlots = 256;
  static constexpr std::uint64_t kSlotsPerReport = 32;

  struct alignas(kLinePairBytes) Slot {
    std::atomic<std::uint64_t> sequence{0};  ///< 1 + the ticket of the letter that is there
    Letter letter;
  };
  static_assert(sizeof(Slot) == kLinePairBytes);

  /// The caller's own, to be filled and published by its ticket; null: letters have to wait beside
  /// the ring.
  Slot* take_slot(std::uint64_t& ticket);
  const Letter* front() const {
    const Slot& slot = slots_[next_ % kSlots];
    // acquire: pairs with the release in `put`; the letter was written before it.
    return slot.sequence.load(std::memory_order_acquire) == next_ + 1 ? &slot.letter : nullptr;
  }
  void pass() {
    // release: pairs with the acquire in `take_slot`; the letters before have been read.
    if (++next_ % kSlotsPerReport == 0) taken_.store(next_, std::memory_order_release);
  }
  template <class Read>
  void take_aside(Read&& read) {
    std::vector<Letter> letters;
    {
      const std::lock_guard lock(mutex_);
      letters.swap(aside_);
    }
    // A sender that put letters aside had put earlier ones into the ring.
    // acquire: pairs with the exchange of a ticket in `take_slot`, made before the lock was taken.
    const std::uint64_t end = tail_.load(std::memory_order_acquire);
    while (next_ < end) {
      if (const Letter* letter = front()) {
        read(*letter);
        pass();
      } else {
        pause();  // somebody has a ticket, and writes
      }
    }
    for (const Letter& letter : letters) read(letter);
    const std::lock_guard lock(mutex_);
    // release: pairs with the acquire in `put`, whose thread may use the ring again.
    if (aside_.empty()) has_more_.store(false, std::memory_order_release);
  }

  std::unique_ptr<Slot[]> slots_;
  alignas(kLinePairBytes) std::atomic<std::uint64_t> tail_{0};  ///< tickets given out
  alignas(kLinePairBytes) std::atomic<std::uint64_t> taken_{0};
  std::atomic<bool> has_more_{false};
  std::atomic<std::uint64_t> counter_{0};
  std::atomic<std::uint32_t> sleepers_{0};
  alignas(kLinePairBytes) std::uint64_t next_ = 0;  ///< the owner's
  std::mutex mutex_;
  std::vector<Letter> aside_;
};

}  // namespace terrace::threadranks
