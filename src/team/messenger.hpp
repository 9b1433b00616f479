// SPDX-License-Identifier: BSD-3-Clause
// Messages of one rank to and from ranks of other nodes, with which it shares no memory: MPI's in
// programs, and in tests those of a network in memory, which may be slow and unfair.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/rank.hpp"

namespace terrace {

/// A value of a message. Both ranks of a message know how many it has, and their lengths.
struct MessageValue {
  std::byte* at = nullptr;
  std::size_t bytes = 0;
};

enum class MessageState : std::uint8_t {
  on_its_way,
  over,
  failed,  ///< the user has been told, and the call cannot go on
};

/// The k-th message that a rank sends to another is the k-th that the other receives from it. Ranks
/// are numbered as in the plan, over all nodes.
class Messenger {
 public:
  virtual ~Messenger() = default;
  /// Starts a message and returns at once. Its values are read until it has gone.
  virtual void send(Rank to, std::span<const MessageValue> values) noexcept = 0;
  /// The next message of that rank writes its values to these places, not before it has been sent:
  /// it may be what tells this rank that peers have read what is there. Only one message is
  /// expected at a time.
  virtual void expect(Rank from, std::span<const MessageValue> places) noexcept = 0;
  /// Whether the expected message has come, all of it. Asked until it has, and not again.
  virtual MessageState look_for_expected() noexcept = 0;
  /// Whether all messages that this rank has sent have gone, but for the `newest` last ones.
  virtual MessageState look_for_gone(std::uint32_t newest) noexcept = 0;
};

}  // namespace terrace
