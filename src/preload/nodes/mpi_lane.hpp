// SPDX-License-Identifier: BSD-3-Clause
// Carries a lane's messages by the MPI's, long ones in pieces:
//
//     begun      oldest ..... newest   not begun yet
//     [over]     [ 5 ][ 6 ][ 7 ][ 8 ]  [ 9 ][ 10 ]...    when 5 is over, 9 is begun
//
// MPIs send short messages at once, and before a long one the receiver must say that it is ready.
// Over TCP these words wait behind the data that goes the same way: under Open MPI 5, two nodes
// that sent each other 1 MiB over 1 Gbit/s took 15.5 ms, and 8.7 in pieces of 32 KiB, which is what
// the wire takes; over a wire as fast as memory, 0.85 and 0.40 ms (`./dev nodes`, Zen 5).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "preload/mpi/underlying_mpi.hpp"
#include "preload/nodes/lane.hpp"

namespace terrace::preload {

class MpiLane final : public LaneTransport {
 public:
  static constexpr std::size_t kPieceBytes = std::size_t{32} << 10;
  /// Of one message: enough for a network on which a piece takes 1 ms to be over.
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
