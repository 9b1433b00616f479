// SPDX-License-Identifier: BSD-3-Clause
// The shared memory that a team's leader makes and offers to the others, with what else it alone
// decides.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "execute/call.hpp"
#include "preload/mpi/idle_pool.hpp"
#include "preload/mpi/settings.hpp"
#include "preload/transport/shared_memory.hpp"

namespace terrace::preload {

class SharedMemoryInUse;

/// Allocating memory takes a millisecond for 2 MiB, and many communicators need hardly any.
inline constexpr std::size_t kFirstScratchBytes = std::size_t{256} << 10;

/// The leader's message to the others. Sent as bytes.
struct SharedMemoryOffer {
  std::uint32_t is_made = 0;
  MemoryAddress memory;
  MemoryAddress lives;  ///< where ranks show that they live
  std::uint64_t scratch_bytes = 0;
  std::uint64_t first_scratch_bytes = 0;  ///< that are allocated at once
  TeamSettings settings;
  std::uint64_t plan_bytes = 0;  ///< of the user's plan, which follows
  std::uint32_t plan_keeps_rank_order = 0;
  std::array<char, 200> why{};  ///< not made
  Ticket ticket;                ///< for the pool, once its communicator is gone

  /// Says why nothing is offered.
  void refuse(const std::string& why_not);
};

/// Makes memory for a team of so many ranks, counts it as `lent`, and writes down where it is, or
/// why there is none (null).
std::unique_ptr<SharedMemory> make_memory(Rank ranks, SharedMemoryOffer& offer,
                                          SharedMemoryInUse& lent);

/// Offers of leaders of so many ranks, of this node or of another one, can be taken as they are.
void require_sound(const SharedMemoryOffer& offer, Rank ranks);

/// An offer that does not fit the memory that it names would let this node's ranks write beyond it.
/// (Pages of other nodes may have another length.)
void require_room(const SharedMemoryOffer& offer, Rank ranks);

}  // namespace terrace::preload
