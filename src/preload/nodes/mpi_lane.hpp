// SPDX-License-Identifier: BSD-3-Clause
// Carries a lane's messages by the MPI's, long ones in pieces:
//
//     begun      oldest ..... newest   not begun yet
//     [over]     [ 5 ][ 6 ][ 7 ][ 8 ]  [ 9 ][ 10 ]...    when 5 is over, 9 is begun
//
// base/message_pieces.hpp says why.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "preload/mpi/underlying_mpi.hpp"
#include "preload/nodes/lane.hpp"

namespace terrace::preload {

class MpiLane final : public LaneTransport {
 public:
  /// Pieces of one message: 2 MiB.
  static constexpr std::size_t kPiecesAtOnce = 64;

  MpiLane(UnderlyingMpi& underlying, Handle communicator, Rank rank_count, Rank rank)
      : underlying_(underlying),
        communicator_(communicator),
        rank_count_(rank_count),
        rank_(rank) {}

  Rank rank_count() const override { return rank_count_; }
  Rank rank() const override { return rank_; }
  bool begin_send(const void* bytes, std::size_t count, Rank to, Transfer& transfer) override;
  bool begin_receive(void* bytes, std::size_t most, Rank from, Transfer& transfer) override;
  bool look(Transfer& transfer) override;
  bool take_unexpected(void* bytes, std::size_t most) override;
  bool begin_inquiry(const void* bytes, std::size_t count, Rank to, Transfer& transfer) override;
  bool take_inquiry(void* bytes, std::size_t count) override;

 private:
  enum class Direction : std::uint8_t { out, in };
  struct LongMessage {
    Direction direction;
    Rank peer;
    std::byte* next;             ///< what is not begun yet
    std::size_t left;            ///< bytes of it
    std::vector<Handle> pieces;  ///< on their way
    std::size_t oldest = 0;      ///< among them
    std::size_t open = 0;        ///< pieces that are not over
  };

  bool begin_piece(LongMessage& message, Handle& piece);
  bool begin_long(Direction direction, Rank peer, std::byte* bytes, std::size_t count,
                  Transfer& transfer);
  bool look_at_pieces(Transfer& transfer);
  LongMessage& new_message(Transfer& transfer);

  UnderlyingMpi& underlying_;
  Handle communicator_;
  Rank rank_count_, rank_;
  std::vector<LongMessage> messages_;
  std::vector<std::uint32_t> idle_;  ///< places in `messages_`
};

}  // namespace terrace::preload
