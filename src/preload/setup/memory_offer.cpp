// SPDX-License-Identifier: BSD-3-Clause
// Makes a team's memory within the limits of its leader's process, and looks at what others offer.
#include "preload/setup/memory_offer.hpp"

#include <algorithm>
#include <climits>
#include <cstring>
#include <string>
#include <utility>

#include "base/contract.hpp"
#include "base/pages.hpp"
#include "preload/setup/team.hpp"

namespace terrace::preload {

namespace {

/// Bytes that one process lends to all teams that it leads: beyond the first sum they get less
/// scratch, beyond the second none are made.
constexpr std::size_t kAmpleBytes = std::size_t{512} << 20;
constexpr std::size_t kMostBytes = std::size_t{2} << 30;

std::size_t scratch_for(Rank ranks, bool is_short_of_memory) {
  const std::size_t scratch = usual_scratch_bytes(ranks);
  return is_short_of_memory ? std::max(scratch / 8, least_scratch_bytes(ranks)) : scratch;
}

}  // namespace

void SharedMemoryOffer::refuse(const std::string& why_not) {
  is_made = 0;
  std::memcpy(why.data(), why_not.data(), std::min(why_not.size(), why.size() - 1));
}

std::unique_ptr<SharedMemory> make_memory(Rank ranks, SharedMemoryOffer& offer,
                                          SharedMemoryInUse& lent) {
  if (SharedMemoryInUse::total() > kAmpleBytes) idle_teams().discard_all();
  const std::size_t before = SharedMemoryInUse::total();
  offer.scratch_bytes = scratch_for(ranks, before > kAmpleBytes);
  offer.first_scratch_bytes = SharedMemory::can_allocate_later()
                                  ? std::min<std::size_t>(offer.scratch_bytes, kFirstScratchBytes)
                                  : offer.scratch_bytes;
  const std::size_t bytes = team_bytes(offer.scratch_bytes, ranks);
  std::string why = "teams of this process have lent out their limit of memory already";
  if (before + bytes - lanes_bytes(ranks) <= kMostBytes) {
    auto made = SharedMemory::make(bytes);
    if (made) {
      lent.take(share_bytes(offer.scratch_bytes) * ranks);
      offer.is_made = 1;
      offer.memory = made.value()->address();
      return std::move(made).value();
    }
    why = made.error().sentence;
  }
  offer.refuse(why);
  return nullptr;
}

void require_sound(const SharedMemoryOffer& offer, Rank ranks) {
  TERRACE_REQUIRE(offer.is_made <= 1 && offer.why.back() == '\0', offer.is_made, ranks);
  // Without a reason, the ranks would go on as if there were a team.
  TERRACE_REQUIRE(offer.is_made || offer.why.front() != '\0', ranks);
  require_sound(offer.settings);
  TERRACE_REQUIRE(offer.plan_bytes <= INT_MAX, offer.plan_bytes);
  if (!offer.is_made || ranks == 1) return;
  TERRACE_REQUIRE(offer.memory.process > 0 && offer.memory.file >= 0, offer.memory.process,
                  offer.memory.file);
  TERRACE_REQUIRE(offer.lives.file < 0 || offer.lives.process > 0, offer.lives.process,
                  offer.lives.file);
  TERRACE_REQUIRE(offer.scratch_bytes >= least_scratch_bytes(ranks), offer.scratch_bytes, ranks);
  TERRACE_REQUIRE(offer.scratch_bytes % kLinePairBytes == 0, offer.scratch_bytes, kLinePairBytes);
  TERRACE_REQUIRE(offer.first_scratch_bytes > 0, offer.first_scratch_bytes);
  TERRACE_REQUIRE(offer.first_scratch_bytes <= offer.scratch_bytes, offer.first_scratch_bytes,
                  offer.scratch_bytes);
}

void require_room(const SharedMemoryOffer& offer, Rank ranks) {
  if (!offer.is_made || ranks == 1) return;
  TERRACE_REQUIRE(page_bytes() + team_bytes(offer.scratch_bytes, ranks) <= offer.memory.bytes,
                  offer.scratch_bytes, ranks, offer.memory.bytes);
}

}  // namespace terrace::preload
