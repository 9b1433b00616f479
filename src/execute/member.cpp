// SPDX-License-Identifier: BSD-3-Clause
// What a rank remembers between calls. Invariant S: shared memory is written again only when
// every rank that reads it for an earlier use is known to have finished reading.
#include <algorithm>

#include "execute/run.hpp"

namespace terrace {

Member::Member(const TeamMemory& memory, Rank rank, std::uint64_t first_call)
    : memory_(memory),
      rank_(rank),
      call_(first_call),
      use_(first_call),
      all_done_(first_call),
      known_done_(memory.rank_count(), first_call) {}

bool Member::has_finished(Rank reader, std::uint64_t call) {
  std::uint64_t& known = known_done_[reader];
  if (known >= call) return true;
  // acquire: pairs with the publications of the reader's word; its readings lie before them.
  const std::uint64_t word = memory_.ranks[reader].word->value.load(std::memory_order_acquire);
  known = std::max(known, calls_done(word, call_));
  return known >= call;
}

bool Member::is_free(Claim& claim) {
  if (claim.readers == nullptr) return true;
  const auto is_done = [&](Rank reader) { return has_finished(reader, claim.call); };
  if (claim.call > all_done_ && !std::all_of(claim.readers->begin(), claim.readers->end(), is_done))
    return false;
  claim = {};
  return true;
}

}  // namespace terrace
