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

#include "base/cache_aligned.hpp"
#include "base/contract.hpp"
#include "base/prefetch.hpp"
#include "base/rank.hpp"
#include "team/waiting.hpp"
#include "threadranks/matching/copied_messages.hpp"
#include "threadranks/matching/tickets.hpp"

namespace terrace::threadranks {

class MessageNetwork;

/// The content of an envelope's payload.
enum class Protocol : std::uint16_t {
  eager,       ///< the message itself
  copied,      ///< an address of a CopiedMessage, which its reader keeps or gives back
  handoff,     ///< an address of the message, in memory that is the receiver's from now on
  rendezvous,  ///< an address of a RendezvousSend: the receiver takes the message from where it
               ///< lies
  assist,      ///< an address of a RendezvousSend of the reader's own: its receiver wants help in
               ///< copying
  // Contents of envelopes from other processes:
  remote,     ///< an address of a RemoteSend: the receiver asks its sender for the message
  landed,     ///< an address of a Landing: the message that the reader has asked for is there
  withdrawn,  ///< an address of a RemoteSend, whose sender wants to cancel it
};

/// An envelope without its payload.
struct EnvelopeHeading {
  std::uint32_t context = 0;  ///< of the communicator
  std::int32_t source = 0;    ///< rank in it
  std::int32_t tag = 0;
  Protocol kind = Protocol::eager;
  std::uint64_t bytes = 0;  ///< of the message
};

/// The payload bytes that fit into an envelope's line, beside its number.
inline constexpr std::size_t kEnvelopeBytes =
    kLinePairBytes - sizeof(EnvelopeHeading) - sizeof(std::uint64_t);

struct Envelope : EnvelopeHeading {
  std::array<std::byte, kEnvelopeBytes> payload;

  void* address() const;
};

class Mailbox {
 public:
  Mailbox();
  /// Set before others know the mailbox: whether its owner has a core for itself, and so looks
  /// soon.
  bool owner_has_core = false;
  MessageNetwork* network = nullptr;  ///< to the job's other processes; null: there are none
  CopiedMessages copies;              ///< blocks for its owner's next messages
  Mailbox(const Mailbox&) = delete;
  Mailbox& operator=(const Mailbox&) = delete;

  /// Called by any rank: `write(payload)` fills the payload where the owner reads it. Envelopes of
  /// one thread are read in the order in which it puts them.
  template <class Write>
  void put(const EnvelopeHeading& heading, Write&& write) {
    TERRACE_ASSERT(heading.kind != Protocol::eager || heading.bytes <= kEnvelopeBytes,
                   heading.bytes);
    std::uint64_t ticket = 0;
    if (Slot* const slot = take_slot(ticket)) {
      static_cast<EnvelopeHeading&>(slot->envelope) = heading;
      write(slot->envelope.payload.data());
      say_filled(slot->sequence, ticket);
      // The owner has read the slots of later messages; they come back while this one is sent.
      for_lines_of(ticket + kSlotsAheadOfWriter, heading.bytes,
                   [](const std::byte* line) { prefetch_for_writing(line); });
    } else {
      const std::lock_guard lock(mutex_);
      Envelope& envelope = aside_.emplace_back();
      static_cast<EnvelopeHeading&>(envelope) = heading;
      write(envelope.payload.data());
      say_aside(has_more_);
    }
    notify();
  }
  /// Puts an envelope with an address as payload.
  void put_address(const EnvelopeHeading& heading, void* address) {
    put(heading, [address](std::byte* payload) { std::memcpy(payload, &address, sizeof address); });
  }

  /// Called by the owner: passes all arrived envelopes to `read`.
  template <class Read>
  void take_all(Read&& read) {
    take_until([] { return false; }, read);
  }
  /// Takes envelopes until `done()`.
  template <class Done, class Read>
  void take_until(Done&& done, Read&& read) {
    while (const Envelope* envelope = front()) {
      // Of messages that follow each other, the next ones have come. Of one that was awaited, they
      // have not, and its sender would lose their slots.
      if (finds_at_once_)
        for_lines_of(next_ + kSlotsAheadOfReader, envelope->bytes,
                     [](const std::byte* line) { __builtin_prefetch(line); });
      finds_at_once_ = true;
      read(*envelope);
      pass();
      if (done()) return;
    }
    finds_at_once_ = false;
    if (are_aside(has_more_)) take_aside(read);
  }

  /// The signal that the owner sleeps on.
  WaitTarget wait_target() { return {&counter_, &sleepers_}; }
  /// Wakes the owner, after something it waits for has been published.
  void notify();
  /// Wakes the owner even if it is about to sleep: its nap may be long.
  void notify_surely();

 private:
  static constexpr std::uint64_t kSlots = 256;
  static constexpr std::uint64_t kSlotsPerReport = 32;
  // Slots that are on their way while a message is sent or read.
  static constexpr std::uint64_t kSlotsAheadOfWriter = 8, kSlotsAheadOfReader = 4;

  struct alignas(kLinePairBytes) Slot {
    std::atomic<std::uint64_t> sequence{0};  ///< 1 + the ticket of the envelope that is there
    Envelope envelope;
  };
  static_assert(sizeof(Slot) == kLinePairBytes);
  static constexpr std::size_t kBytesOfFirstLine = kLineBytes - (sizeof(Slot) - kEnvelopeBytes);

  /// The caller's slot, to be filled and published by its ticket; null: envelopes have to wait
  /// beside the ring.
  Slot* take_slot(std::uint64_t& ticket) {
    if (!take_ticket(has_more_, tail_, taken_, kSlots, ticket)) return nullptr;
    // relaxed: the owner has passed the envelope before, as `taken_` says.
    TERRACE_ASSERT(slots_[ticket % kSlots].sequence.load(std::memory_order_relaxed) ==
                       (ticket < kSlots ? 0 : ticket - kSlots + 1),
                   ticket);
    return &slots_[ticket % kSlots];
  }
  const Envelope* front() const {
    const Slot& slot = slots_[next_ % kSlots];
    return is_filled(slot.sequence, next_) ? &slot.envelope : nullptr;
  }
  void pass() {
    TERRACE_ASSERT(front() != nullptr, next_);
    if (++next_ % kSlotsPerReport == 0) say_taken(taken_, next_);
  }
  /// The part of that ticket's slot that a message of so many bytes fills, one line or two.
  /// Inlined, since compilers drop calls that do nothing but prefetch.
  template <class Prefetch>
  [[gnu::always_inline]] void for_lines_of(std::uint64_t ticket, std::uint64_t bytes,
                                           Prefetch&& prefetch) const {
    const auto* const slot = reinterpret_cast<const std::byte*>(&slots_[ticket % kSlots]);
    prefetch(slot);
    if (bytes > kBytesOfFirstLine && bytes <= kEnvelopeBytes) prefetch(slot + kLineBytes);
  }
  template <class Read>
  void take_aside(Read&& read) {
    std::vector<Envelope> envelopes;
    {
      const std::lock_guard lock(mutex_);
      envelopes.swap(aside_);
    }
    const auto slot_of = [this](std::uint64_t ticket) -> Slot& { return slots_[ticket % kSlots]; };
    read_tickets(
        tail_, next_, [&](std::uint64_t ticket) -> auto& { return slot_of(ticket).sequence; },
        [&](std::uint64_t ticket) {
          read(slot_of(ticket).envelope);
          pass();
        });
    for (const Envelope& envelope : envelopes) read(envelope);
    const std::lock_guard lock(mutex_);
    if (aside_.empty()) say_none_aside(has_more_);
  }

  std::unique_ptr<Slot[]> slots_;
  alignas(kLinePairBytes) std::atomic<std::uint64_t> tail_{0};  ///< tickets given out
  alignas(kLinePairBytes) std::atomic<std::uint64_t> taken_{0};
  std::atomic<bool> has_more_{false};
  std::atomic<std::uint64_t> counter_{0};
  std::atomic<std::uint32_t> sleepers_{0};
  // The owner's:
  alignas(kLinePairBytes) std::uint64_t next_ = 0;
  bool finds_at_once_ = false;  ///< has found an envelope whenever it looked, of late
  std::mutex mutex_;
  std::vector<Envelope> aside_;
};

}  // namespace terrace::threadranks
