// SPDX-License-Identifier: BSD-3-Clause
// Sends by one of four protocols, and matches arriving messages with posted receives.
#include "threadranks/matching/match_queues.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

#include "base/contract.hpp"
#include "threadranks/matching/eager_limits.hpp"

namespace terrace::threadranks {

namespace {

/// Length from which on both sides copy, in pieces of this size. A sender without a core of its own
/// is seldom there to help with a short one.
constexpr std::size_t kLeastTogether = std::size_t{16} << 10;
constexpr std::size_t kLeastTogetherOversubscribed = std::size_t{1} << 20;
constexpr std::size_t kLeastPiece = std::size_t{8} << 10, kMostPiece = std::size_t{128} << 10;
constexpr std::uint64_t kFewPieces = 4;

std::uint64_t piece_bytes_for(std::uint64_t bytes) {
  const std::uint64_t pairs = bytes / kFewPieces / kLinePairBytes;
  return std::clamp<std::uint64_t>(pairs * kLinePairBytes, kLeastPiece, kMostPiece);
}

std::uint64_t pieces_of(const SharedCopy& copy) {
  return (copy.bytes + copy.piece_bytes - 1) / copy.piece_bytes;
}

bool is_to_be_shared(std::uint64_t bytes, const Mailbox& sender) {
  return bytes >= (sender.owner_has_core ? kLeastTogether : kLeastTogetherOversubscribed);
}

/// Null: there is no memory for a copy.
std::byte* packed_copy(const Layout& from, std::size_t bytes) {
  auto* const copy = static_cast<std::byte*>(std::malloc(std::max<std::size_t>(bytes, 1)));
  if (copy != nullptr) pack(from, copy, bytes);
  return copy;
}

}  // namespace

RendezvousSend::~RendezvousSend() {
  std::free(copy);
}

bool RendezvousSend::take() noexcept {
  for (State expected : {State::waiting, State::left})
    // acquire: pairs with the release in `buffer_send`; the copy was made before it.
    if (const bool is_left = expected == State::left;
        state.compare_exchange_strong(expected, State::taken, std::memory_order_acquire)) {
      was_left = is_left;
      return true;
    }
  return false;
}

bool RendezvousSend::buffer_send() noexcept {
  std::byte* const made = packed_copy(layout, layout.bytes());
  if (made == nullptr) return false;
  // A receiver that takes it meanwhile is not told of the copy: the exchange below fails then, and
  // the sender, which waits for the end, frees it.
  State expected = State::waiting;
  copy = made;
  // release: pairs with the acquire in `take`; publishes the copy. relaxed: nothing was read.
  return state.compare_exchange_strong(expected, State::left, std::memory_order_release,
                                       std::memory_order_relaxed);
}

bool RendezvousSend::cancel() noexcept {
  State expected = State::waiting;
  // relaxed: the sender touches nothing of the receiver's after it. Partner: `take`.
  was_cancelled =
      state.compare_exchange_strong(expected, State::cancelled, std::memory_order_relaxed);
  return was_cancelled;
}

void RendezvousSend::release() noexcept {
  // acq_rel: the last of the two must see what the other did; both call this.
  const int before = references.fetch_sub(1, std::memory_order_acq_rel);
  TERRACE_ASSERT(before >= 1, before);
  if (before == 1) delete this;
}

/// A helper may come when all is done, and the layout's type is freed.
void RendezvousSend::copy_pieces() noexcept {
  const std::uint64_t bytes = together.bytes, length = together.piece_bytes;
  TERRACE_ASSERT(length != 0 && together.to != nullptr && together.from != nullptr, length);
  const std::uint64_t pieces = pieces_of(together);
  // relaxed, both: only these two use the number; the rest came with the envelope. Partner: each
  // other.
  while (together.begun.load(std::memory_order_relaxed) < pieces) {
    const std::uint64_t piece = together.begun.fetch_add(1, std::memory_order_relaxed);
    if (piece >= pieces) return;
    const std::uint64_t begin = piece * length;
    std::memcpy(together.to + begin, together.from + begin, std::min(length, bytes - begin));
    // release: pairs with the acquire in `copy_together`, whose rank then uses the bytes.
    together.done.fetch_add(1, std::memory_order_release);
  }
}

ArrivedMessage::ArrivedMessage(const Envelope& envelope)
    : source(envelope.source), tag(envelope.tag), kind(envelope.kind), bytes(envelope.bytes) {
  TERRACE_REQUIRE(kind != Protocol::eager || bytes <= kEnvelopeBytes, bytes, source, tag);
  if (kind == Protocol::eager)
    std::memcpy(whole.data(), envelope.payload.data(), bytes);
  else
    address = envelope.address();
}

ArrivedMessage::ArrivedMessage(ArrivedMessage&& other) noexcept
    : source(other.source),
      tag(other.tag),
      kind(other.kind),
      bytes(other.bytes),
      whole(other.whole),
      address(std::exchange(other.address, nullptr)) {}

/// Frees a message that was not received.
ArrivedMessage::~ArrivedMessage() {
  if (address != nullptr) free_address();
}

void ArrivedMessage::free_address() noexcept {
  if (kind == Protocol::copied) CopiedMessages::give_back(*static_cast<CopiedMessage*>(address));
  if (kind == Protocol::handoff) std::free(address);
  if (kind == Protocol::remote) delete static_cast<RemoteSend*>(address);
  if (kind == Protocol::rendezvous) static_cast<RendezvousSend*>(address)->release();
}

bool ArrivedMessage::is_cancelled() const {
  return kind == Protocol::rendezvous &&
         static_cast<const RendezvousSend*>(address)->is_cancelled();
}

bool ArrivedMessage::take() {
  return kind != Protocol::rendezvous || static_cast<RendezvousSend*>(address)->take();
}

namespace {

/// The status of a message of `bytes` bytes in a buffer of `room` bytes.
Status status_of(int source, int tag, std::uint64_t bytes, std::uint64_t room) {
  return {source, tag, bytes > room ? Completion::truncated : Completion::done,
          std::min(bytes, room)};
}

}  // namespace

Status deliver_eager(const Envelope& envelope, const Layout& to) {
  TERRACE_ASSERT(envelope.kind == Protocol::eager && envelope.bytes <= kEnvelopeBytes,
                 envelope.bytes);
  const Status status = status_of(envelope.source, envelope.tag, envelope.bytes, to.bytes());
  unpack(envelope.payload.data(), to, status.bytes);
  return status;
}

Status ArrivedMessage::deliver(const Layout& to, Mailbox& receiver) {
  const Status status = status_of(source, tag, bytes, to.bytes());
  const std::uint64_t copied = status.bytes;
  if (kind == Protocol::eager) {
    unpack(whole.data(), to, copied);
    return status;
  }
  if (kind == Protocol::copied) {
    CopiedMessage& sent = *static_cast<CopiedMessage*>(std::exchange(address, nullptr));
    unpack(sent.bytes.data(), to, copied);
    receiver.copies.keep(sent);
    return status;
  }
  if (kind == Protocol::handoff) {
    unpack(static_cast<const std::byte*>(address), to, copied);
    std::free(std::exchange(address, nullptr));
    return status;
  }
  RendezvousSend& sending = *static_cast<RendezvousSend*>(std::exchange(address, nullptr));
  // relaxed: this rank has taken it itself.
  TERRACE_ASSERT(sending.state.load(std::memory_order_relaxed) == RendezvousSend::State::taken);
  TERRACE_ASSERT(sending.sender != nullptr);
  if (sending.was_left) {
    unpack(sending.copy, to, copied);
    sending.release();
    return status;
  }
  const bool by_both = copied == bytes && is_to_be_shared(bytes, *sending.sender) &&
                       sending.layout.type->is_dense() && to.type->is_dense() &&
                       sending.sender != &receiver;
  if (by_both)
    copy_together(sending, to, copied);
  else
    copy_elements(sending.layout, to, copied);
  Mailbox& sender = *sending.sender;
  // relaxed: who waits for the end also has a reference, and gives it back when it has seen that.
  [[maybe_unused]] const int before = sending.references.fetch_sub(1, std::memory_order_relaxed);
  TERRACE_ASSERT(before >= 2, before);
  // release: pairs with the acquire in `is_done`; the buffer has been read. Nothing of the
  // rendezvous send may be touched from here on.
  sending.is_read.store(true, std::memory_order_release);
  sender.notify();
  return status;
}

void* ArrivedMessage::take_memory() {
  if (kind == Protocol::handoff) return std::exchange(address, nullptr);
  if (kind != Protocol::rendezvous || !static_cast<RendezvousSend*>(address)->was_left)
    return nullptr;
  auto& sending = *static_cast<RendezvousSend*>(std::exchange(address, nullptr));
  void* const memory = std::exchange(sending.copy, nullptr);
  sending.release();
  return memory;
}

Status ArrivedMessage::hand_over(std::uint64_t room, void*& memory, Mailbox& receiver) {
  Status status = status_of(source, tag, bytes, room);
  memory = take_memory();
  if (memory != nullptr) return status;
  memory = std::malloc(std::max<std::size_t>(bytes, 1));
  // Without memory, nothing is copied, but the sender is told that its message was received.
  const bool has_memory = memory != nullptr;
  deliver({memory, has_memory ? bytes : 0, predefined_type(kByte)}, receiver);
  if (!has_memory) status.outcome = Completion::no_memory;
  return status;
}

/// Returns when all pieces are copied, which may mean waiting for the sender's last piece.
void ArrivedMessage::copy_together(RendezvousSend& sending, const Layout& to,
                                   std::uint64_t length) {
  TERRACE_REQUIRE(length <= sending.layout.bytes() && length <= to.bytes(), length,
                  sending.layout.bytes(), to.bytes());
  sending.together.from = static_cast<const std::byte*>(sending.layout.buffer);
  sending.together.to = static_cast<std::byte*>(const_cast<void*>(to.buffer));
  sending.together.bytes = length;
  sending.together.piece_bytes = piece_bytes_for(length);
  // relaxed: the envelope also keeps it, and is published by the mailbox.
  sending.references.fetch_add(1, std::memory_order_relaxed);
  EnvelopeHeading help;
  help.kind = Protocol::assist;
  sending.sender->put_address(help, &sending);
  sending.copy_pieces();
  const std::uint64_t pieces = pieces_of(sending.together);
  // acquire: pairs with the release in `copy_pieces`.
  for (int looks = 0; sending.together.done.load(std::memory_order_acquire) < pieces; ++looks)
    looks < 1000 ? pause() : WaitEnvironment().yield();
}

namespace {

/// Fetches a message that lies in another process: it is done when it has come.
[[gnu::cold, gnu::noinline]] void fetch(const ArrivedMessage& message, PostedRecv& receiving,
                                        Mailbox& own) {
  const Status status = status_of(message.source, message.tag, message.bytes, receiving.to.bytes());
  own.network->fetch(*static_cast<RemoteSend*>(message.address), message.bytes, status, receiving,
                     own);
}

[[gnu::always_inline]] inline void give_to(PostedRecv& receiving, ArrivedMessage& message,
                                           Mailbox& own) {
  TERRACE_ASSERT(!receiving.is_done && !receiving.is_landing);
  if (message.kind == Protocol::remote) [[unlikely]]
    return fetch(message, receiving, own);
  receiving.status = receiving.memory != nullptr
                         ? message.hand_over(receiving.to.bytes(), *receiving.memory, own)
                         : message.deliver(receiving.to, own);
  receiving.is_done = true;
}

}  // namespace

void MatchQueues::deliver(ArrivedMessage& message, PostedRecv& receiving, Mailbox& own) {
  give_to(receiving, message, own);
}

void MatchQueues::receive(PostedRecv& receiving, Mailbox& own) {
  while (!unexpected_.empty()) {
    const auto message = find(receiving.source, receiving.tag);
    if (message == unexpected_.end()) break;
    const bool is_taken = message->take();
    if (is_taken) give_to(receiving, *message, own);
    unexpected_.erase(message);
    if (is_taken) return;
  }
  post(receiving);
}

void MatchQueues::post(PostedRecv& receiving) {
  TERRACE_ASSERT(!receiving.is_done);
  TERRACE_ASSERT((first_posted_ == nullptr) == (last_posted_ == nullptr));
  receiving.before = last_posted_;
  receiving.behind = nullptr;
  (last_posted_ != nullptr ? last_posted_->behind : first_posted_) = &receiving;
  last_posted_ = &receiving;
}

void MatchQueues::unpost(PostedRecv& receiving) {
  TERRACE_ASSERT((receiving.before != nullptr ? receiving.before->behind : first_posted_) ==
                 &receiving);
  TERRACE_ASSERT((receiving.behind != nullptr ? receiving.behind->before : last_posted_) ==
                 &receiving);
  (receiving.before != nullptr ? receiving.before->behind : first_posted_) = receiving.behind;
  (receiving.behind != nullptr ? receiving.behind->before : last_posted_) = receiving.before;
}

void MatchQueues::arrive(const Envelope& envelope, Mailbox& own) {
  TERRACE_ASSERT(envelope.kind != Protocol::assist && envelope.kind != Protocol::landed);
  PostedRecv* found = first_posted_;
  while (found != nullptr && !found->wants(envelope.source, envelope.tag)) found = found->behind;
  if (found == nullptr) return arrive_unexpected(envelope);
  if (envelope.kind != Protocol::eager || found->memory != nullptr)
    return arrive_longer(envelope, *found, own);
  found->status = deliver_eager(envelope, found->to);
  found->is_done = true;
  unpost(*found);
}

void MatchQueues::arrive_unexpected(const Envelope& envelope) {
  unexpected_.emplace_back(envelope);
}

void MatchQueues::arrive_longer(const Envelope& envelope, PostedRecv& wanting, Mailbox& own) {
  ArrivedMessage message(envelope);
  if (!message.take()) return;
  give_to(wanting, message, own);
  unpost(wanting);
}

MatchQueues::Arrived::iterator MatchQueues::find(int source, int tag) {
  return std::find_if(unexpected_.begin(), unexpected_.end(), [&](const ArrivedMessage& message) {
    return matches(source, tag, message.source, message.tag);
  });
}

bool MatchQueues::withdraw(PostedRecv& receiving) {
  const PostedRecv* found = first_posted_;
  while (found != nullptr && found != &receiving) found = found->behind;
  if (found == nullptr) return false;
  unpost(receiving);
  receiving.status.outcome = Completion::cancelled;
  receiving.is_done = true;
  return true;
}

bool MatchQueues::drop(const RemoteSend& cancelled) {
  const auto found =
      std::find_if(unexpected_.begin(), unexpected_.end(), [&](const ArrivedMessage& message) {
        return message.kind == Protocol::remote &&
               *static_cast<const RemoteSend*>(message.address) == cancelled;
      });
  if (found == unexpected_.end()) return false;
  unexpected_.erase(found);
  return true;
}

namespace {

EnvelopeHeading heading_for(const Address& address, std::uint64_t bytes, Protocol kind) {
  return {address.context, address.source, address.tag, kind, bytes};
}

}  // namespace

void give(const Address& address, void* memory, std::uint64_t bytes, Mailbox& sender) {
  TERRACE_ASSERT(memory != nullptr || bytes == 0, bytes);
  if (address.mailbox == nullptr) [[unlikely]]
    return sender.network->give(address, memory, bytes);
  address.mailbox->put_address(heading_for(address, bytes, Protocol::handoff), memory);
}

namespace {

/// Whether a send copies its message before it looks whether its receiver is there: a rendezvous
/// takes as long as the copy. A synchronous send never does, even of nothing.
bool is_copied_at_once(std::size_t bytes, SendMode mode, bool may_copy) {
  if (mode == SendMode::synchronous) return false;
  const bool may_be_long = mode == SendMode::buffered || may_copy;
  return bytes <= (may_be_long ? kMostEagerInBlock : kMostEagerOfNonblocking);
}

/// Whether it is on its way, in one of the sender's blocks.
bool send_copied(const Address& address, const Layout& from, std::size_t bytes, Mailbox& sender) {
  TERRACE_ASSERT(bytes <= kMostEagerInBlock, bytes);
  CopiedMessage* const copied = sender.copies.take();
  if (copied == nullptr) return false;
  pack(from, copied->bytes.data(), bytes);
  address.mailbox->put_address(heading_for(address, bytes, Protocol::copied), copied);
  return true;
}

/// A message that does not lie in its envelope.
[[gnu::noinline]] RendezvousSend* send_longer(const Address& address, const Layout& from,
                                              SendMode mode, Mailbox& sender, bool may_copy) {
  const std::size_t bytes = from.bytes();
  if (is_copied_at_once(bytes, mode, may_copy) && send_copied(address, from, bytes, sender))
    return nullptr;
  // Without a free block, a blocking send takes memory from the heap, and a nonblocking one waits
  // for its receiver.
  const bool may_buffer = mode == SendMode::standard && may_copy && bytes <= kMostEagerOfBlocking;
  if (mode == SendMode::buffered ||
      (may_buffer && (bytes <= kMostEagerInBlock || !address.mailbox->owner_has_core)))
    if (std::byte* const copy = packed_copy(from, bytes)) {
      give(address, copy, bytes, sender);
      return nullptr;
    }
  auto* const sending = new RendezvousSend;
  sending->layout = from;
  sending->sender = &sender;
  sending->may_buffer = may_buffer;
  address.mailbox->put_address(heading_for(address, bytes, Protocol::rendezvous), sending);
  return sending;
}

}  // namespace

RendezvousSend* send(const Address& address, const Layout& from, SendMode mode, Mailbox& sender,
                     bool may_copy) {
  const std::size_t bytes = from.bytes();
  if (address.mailbox == nullptr) [[unlikely]]
    return sender.network->send(address, from, mode, sender);
  if (mode == SendMode::synchronous || bytes > kEnvelopeBytes)
    return send_longer(address, from, mode, sender, may_copy);
  address.mailbox->put(heading_for(address, bytes, Protocol::eager),
                       [&](std::byte* payload) { pack(from, payload, bytes); });
  return nullptr;
}

void Landing::finish() {
  if (packed) unpack(packed.get(), receiving.to, status.bytes);
  if (receiving.memory != nullptr) *receiving.memory = memory;
  receiving.status = status;
  receiving.is_landing = false;
  receiving.is_done = true;
}

void RankMessages::forget(std::uint32_t context) {
  const auto found = match_queues_.find(context);
  if (found == match_queues_.end() || !found->second.is_empty()) return;
  recent_ = nullptr;
  match_queues_.erase(found);
}

void RankMessages::take(const Envelope& envelope) {
  if (envelope.kind < Protocol::assist || envelope.kind == Protocol::remote) {
    match_queues(envelope.context).arrive(envelope, mailbox_);
    return;
  }
  if (envelope.kind == Protocol::landed) {
    const std::unique_ptr<Landing> landing(static_cast<Landing*>(envelope.address()));
    landing->finish();
    return;
  }
  if (envelope.kind == Protocol::withdrawn) {
    const std::unique_ptr<RemoteSend> sending(static_cast<RemoteSend*>(envelope.address()));
    if (match_queues(envelope.context).drop(*sending)) mailbox_.network->tell_cancelled(*sending);
    return;
  }
  RendezvousSend& sending = *static_cast<RendezvousSend*>(envelope.address());
  sending.copy_pieces();
  sending.release();
}

}  // namespace terrace::threadranks
