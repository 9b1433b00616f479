// SPDX-License-Identifier: BSD-3-Clause
// How messages travel, and who gets which.
#include "threadranks/messages.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace terrace::threadranks {

namespace {

/// A blocking send copies messages up to here rather than wait for the receiver.
constexpr std::size_t kMostCopied = 8192;
/// From here on both sides copy, pieces of so many bytes.
constexpr std::size_t kLeastTogether = std::size_t{1} << 20;
constexpr std::size_t kPiece = std::size_t{128} << 10;

std::uint64_t pieces_of(std::uint64_t bytes) {
  return (bytes + kPiece - 1) / kPiece;
}

}  // namespace

bool Sending::take() noexcept {
  State expected = State::waiting;
  // acquire: pairs with the release of the mailbox's letter; nothing else is ordered by it.
  return state.compare_exchange_strong(expected, State::taken, std::memory_order_acquire);
}

bool Sending::cancel() noexcept {
  State expected = State::waiting;
  // relaxed: the sender touches nothing of the receiver's after it. Partner: `take`.
  return state.compare_exchange_strong(expected, State::cancelled, std::memory_order_relaxed);
}

bool Sending::is_done() const noexcept {
  // acquire: pairs with the release in `deliver`; the buffer has been read.
  const State seen = state.load(std::memory_order_acquire);
  return seen == State::done || seen == State::cancelled;
}

void Sending::release() noexcept {
  // acq_rel: whoever is last must see what the other did, both call this.
  if (references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

/// A helper may come when all is done, and the layout's type is no more.
void Sending::copy_pieces() noexcept {
  const std::uint64_t bytes = together.bytes, pieces = pieces_of(bytes);
  // relaxed, both: a number for nobody else; the rest came with the letter. Partner: each other.
  while (together.begun.load(std::memory_order_relaxed) < pieces) {
    const std::uint64_t piece = together.begun.fetch_add(1, std::memory_order_relaxed);
    if (piece >= pieces) return;
    const std::uint64_t begin = piece * kPiece;
    std::memcpy(together.to + begin, together.from + begin, std::min(kPiece, bytes - begin));
    // release: pairs with the acquire in `copy_together`, whose rank then uses the bytes.
    together.done.fetch_add(1, std::memory_order_release);
  }
}

Message::Message(const Letter& letter)
    : source(letter.source), tag(letter.tag), kind(letter.kind), bytes(letter.bytes) {
  if (kind == LetterKind::whole)
    std::memcpy(whole.data(), letter.payload.data(), bytes);
  else
    address = letter.address();
}

Message::Message(Message&& other) noexcept
    : source(other.source),
      tag(other.tag),
      kind(other.kind),
      bytes(other.bytes),
      whole(other.whole),
      address(std::exchange(other.address, nullptr)) {}

/// Of a message that nobody has received.
Message::~Message() {
  if (address == nullptr) return;
  if (kind == LetterKind::copied) std::free(address);
  if (kind == LetterKind::shown) static_cast<Sending*>(address)->release();
}

bool Message::take() {
  return kind != LetterKind::shown || static_cast<Sending*>(address)->take();
}

Status Message::deliver(const Layout& to, Mailbox& receiver) {
  const std::uint64_t room = to.bytes(), copied = std::min(bytes, room);
  Status status{source, tag, bytes > room ? Outcome::truncated : Outcome::done, copied};
  if (kind == LetterKind::whole) {
    unpack(whole.data(), to, copied);
    return status;
  }
  if (kind == LetterKind::copied) {
    unpack(static_cast<const std::byte*>(address), to, copied);
    std::free(std::exchange(address, nullptr));
    return status;
  }
  Sending& sending = *static_cast<Sending*>(std::exchange(address, nullptr));
  const bool by_both = copied == bytes && bytes >= kLeastTogether &&
                       sending.layout.type->is_dense() && to.type->is_dense() &&
                       sending.sender != &receiver;
  if (by_both)
    copy_together(sending, to, copied);
  else
    copy_elements(sending.layout, to, copied);
  Mailbox& sender = *sending.sender;
  // release: pairs with the acquire in `is_done`; the buffer has been read.
  sending.state.store(Sending::State::done, std::memory_order_release);
  sending.release();
  sender.ring();
  return status;
}

/// Returns when all pieces are there, so the sender's last piece is waited for.
void Message::copy_together(Sending& sending, const Layout& to, std::uint64_t length) {
  sending.together.from = static_cast<const std::byte*>(sending.layout.buffer);
  sending.together.to = static_cast<std::byte*>(const_cast<void*>(to.buffer));
  sending.together.bytes = length;
  // relaxed: the letter keeps it, too, and is published by the mailbox.
  sending.references.fetch_add(1, std::memory_order_relaxed);
  Letter help;
  help.kind = LetterKind::help;
  help.put_address(&sending);
  sending.sender->put(help, sizeof(void*));
  sending.copy_pieces();
  const std::uint64_t pieces = pieces_of(length);
  // acquire: pairs with the release in `copy_pieces`.
  for (int looks = 0; sending.together.done.load(std::memory_order_acquire) < pieces; ++looks)
    looks < 1000 ? pause() : World().yield();
}

void Channel::receive(Receiving& receiving, Mailbox& own) {
  for (;;) {
    const auto message = find(receiving.source, receiving.tag);
    if (message == unexpected_.end()) break;
    if (message->take()) {
      receiving.status = message->deliver(receiving.to, own);
      receiving.is_done = true;
    }
    unexpected_.erase(message);
    if (receiving.is_done) return;
  }
  posted_.push_back(&receiving);
}

void Channel::arrive(const Letter& letter, Mailbox& own) {
  const auto receiving = std::find_if(posted_.begin(), posted_.end(), [&](const Receiving* one) {
    return one->wants(letter.source, letter.tag);
  });
  if (receiving == posted_.end()) {
    unexpected_.emplace_back(letter);
    return;
  }
  Message message(letter);
  if (!message.take()) return;
  Receiving& found = **receiving;
  posted_.erase(receiving);
  found.status = message.deliver(found.to, own);
  found.is_done = true;
}

Channel::Messages::iterator Channel::find(int source, int tag) {
  Receiving wanted;
  wanted.source = source;
  wanted.tag = tag;
  return std::find_if(unexpected_.begin(), unexpected_.end(), [&](const Message& message) {
    return wanted.wants(message.source, message.tag);
  });
}

bool Channel::withdraw(Receiving& receiving) {
  const auto found = std::find(posted_.begin(), posted_.end(), &receiving);
  if (found == posted_.end()) return false;
  posted_.erase(found);
  receiving.status.outcome = Outcome::cancelled;
  receiving.is_done = true;
  return true;
}

namespace {

Letter letter_for(const Address& address, std::uint64_t bytes, LetterKind kind) {
  Letter letter;
  letter.context = address.context;
  letter.source = address.source;
  letter.tag = address.tag;
  letter.kind = kind;
  letter.bytes = bytes;
  return letter;
}

/// Null: no memory for a copy.
std::byte* packed_copy(const Layout& from, std::size_t bytes) {
  auto* const copy = static_cast<std::byte*>(std::malloc(std::max<std::size_t>(bytes, 1)));
  if (copy != nullptr) pack(from, copy, bytes);
  return copy;
}

}  // namespace

Sending* send(const Address& address, const Layout& from, SendMode mode, Mailbox& sender,
              bool may_copy) {
  const std::size_t bytes = from.bytes();
  if (mode != SendMode::synchronous && bytes <= kLetterBytes) {
    Letter letter = letter_for(address, bytes, LetterKind::whole);
    pack(from, letter.payload.data(), bytes);
    address.mailbox->put(letter, bytes);
    return nullptr;
  }
  if (mode == SendMode::buffered ||
      (mode == SendMode::standard && may_copy && bytes <= kMostCopied))
    if (std::byte* const copy = packed_copy(from, bytes)) {
      Letter letter = letter_for(address, bytes, LetterKind::copied);
      letter.put_address(copy);
      address.mailbox->put(letter, sizeof(void*));
      return nullptr;
    }
  Letter letter = letter_for(address, bytes, LetterKind::shown);
  auto* const sending = new Sending;
  sending->layout = from;
  sending->sender = &sender;
  letter.put_address(sending);
  address.mailbox->put(letter, sizeof(void*));
  return sending;
}

void Messages::forget(std::uint32_t context) {
  const auto found = channels_.find(context);
  if (found != channels_.end() && found->second.is_empty()) channels_.erase(found);
}

void Messages::take(const Letter& letter) {
  if (letter.kind != LetterKind::help) {
    channels_[letter.context].arrive(letter, mailbox_);
    return;
  }
  Sending& sending = *static_cast<Sending*>(letter.address());
  sending.copy_pieces();
  sending.release();
}

}  // namespace terrace::threadranks
