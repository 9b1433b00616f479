// SPDX-License-Identifier: BSD-3-Clause
// Compares the calls of ranks: all ranks of a team must make the same calls in the same order.
#pragma once

#include <cstdint>
#include <optional>

#include "base/rank.hpp"
#include "team/memory.hpp"

namespace terrace {

/// A peer whose call of some number is another than one's own.
struct CallMismatch {
  Rank peer = 0;
  std::uint64_t call = 0;
  CallIdentity theirs, mine;  ///< equal if they differ in a call too long ago to be read
};
/// The earliest difference between what both have called that can still be read.
CallMismatch difference_between(const TeamMemory& memory, Rank rank, Rank peer);
/// Compares the last call that both `rank`, whose own thread asks, and a peer have begun.
std::optional<CallMismatch> find_mismatch(const TeamMemory& memory, Rank rank);
/// The call that a rank has begun last; of that rank itself, or for messages.
CallIdentity last_call_of(const RankMemory& memory);

}  // namespace terrace
