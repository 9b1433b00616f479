// SPDX-License-Identifier: BSD-3-Clause
// Begins the pieces of a long message, and further ones as the oldest are over. Both ranks of a
// message know its length, so they cut it alike.
#include "preload/nodes/mpi_lane.hpp"

#include <algorithm>

#include "base/contract.hpp"
#include "base/message_pieces.hpp"

namespace terrace::preload {

namespace {

constexpr int kCallTag = 1, kInquiryTag = 2;

}  // namespace

bool MpiLane::begin_send(const void* bytes, std::size_t count, Rank to, Transfer& transfer) {
  TERRACE_ASSERT(to < rank_count_ && to != rank_, to, rank_count_, count);
  if (count > kMessagePieceBytes)
    return begin_long(Direction::out, to, static_cast<std::byte*>(const_cast<void*>(bytes)), count,
                      transfer);
  return underlying_.begin_send(communicator_, bytes, count, static_cast<int>(to), kCallTag,
                                transfer.request);
}

bool MpiLane::begin_receive(void* bytes, std::size_t most, Rank from, Transfer& transfer) {
  TERRACE_ASSERT(from < rank_count_ && from != rank_, from, rank_count_, most);
  if (most > kMessagePieceBytes)
    return begin_long(Direction::in, from, static_cast<std::byte*>(bytes), most, transfer);
  return underlying_.begin_receive(communicator_, bytes, most, static_cast<int>(from), kCallTag,
                                   transfer.request);
}

bool MpiLane::look(Transfer& transfer) {
  if (transfer.pieces != Transfer::kWhole) return look_at_pieces(transfer);
  const std::optional<bool> is_over = underlying_.is_over(transfer.request);
  transfer.is_over = is_over.value_or(true);
  return is_over.has_value();
}

bool MpiLane::take_unexpected(void* bytes, std::size_t most) {
  return underlying_.receive_if_any(communicator_, bytes, most, kCallTag);
}

bool MpiLane::begin_inquiry(const void* bytes, std::size_t count, Rank to, Transfer& transfer) {
  return underlying_.begin_send(communicator_, bytes, count, static_cast<int>(to), kInquiryTag,
                                transfer.request);
}

bool MpiLane::take_inquiry(void* bytes, std::size_t count) {
  return underlying_.receive_if_any(communicator_, bytes, count, kInquiryTag);
}

MpiLane::LongMessage& MpiLane::new_message(Transfer& transfer) {
  if (idle_.empty()) {
    transfer.pieces = static_cast<std::uint32_t>(messages_.size());
    return messages_.emplace_back();
  }
  transfer.pieces = idle_.back();
  idle_.pop_back();
  return messages_[transfer.pieces];
}

bool MpiLane::begin_piece(LongMessage& message, Handle& piece) {
  TERRACE_ASSERT(message.left > 0);
  const std::size_t bytes = std::min(message.left, kMessagePieceBytes);
  const int peer = static_cast<int>(message.peer);
  const bool is_begun =
      message.direction == Direction::out
          ? underlying_.begin_send(communicator_, message.next, bytes, peer, kCallTag, piece)
          : underlying_.begin_receive(communicator_, message.next, bytes, peer, kCallTag, piece);
  message.next += bytes;
  message.left -= bytes;
  message.open += is_begun;
  return is_begun;
}

bool MpiLane::begin_long(Direction direction, Rank peer, std::byte* bytes, std::size_t count,
                         Transfer& transfer) {
  LongMessage& message = new_message(transfer);
  message.direction = direction;
  message.peer = peer;
  message.next = bytes;
  message.left = count;
  message.oldest = message.open = 0;
  message.pieces.assign(
      std::min(kPiecesAtOnce, (count + kMessagePieceBytes - 1) / kMessagePieceBytes), 0);
  for (Handle& piece : message.pieces)
    if (!begin_piece(message, piece)) return false;
  return true;
}

/// Messages between two ranks come in their order, so it is the oldest piece that is over first.
bool MpiLane::look_at_pieces(Transfer& transfer) {
  TERRACE_REQUIRE(transfer.pieces < messages_.size(), transfer.pieces, messages_.size());
  LongMessage& message = messages_[transfer.pieces];
  TERRACE_ASSERT(message.open > 0 && message.open <= message.pieces.size(), transfer.pieces,
                 message.open);
  while (message.open > 0) {
    Handle& oldest = message.pieces[message.oldest];
    const std::optional<bool> is_over = underlying_.is_over(oldest);
    if (is_over != true) return is_over.has_value();
    --message.open;
    message.oldest = (message.oldest + 1) % message.pieces.size();
    if (message.left > 0 && !begin_piece(message, oldest)) return false;
  }
  TERRACE_ASSERT(message.left == 0, message.left, message.peer);
  idle_.push_back(transfer.pieces);
  transfer = {};
  return true;
}

}  // namespace terrace::preload
