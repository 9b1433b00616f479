// SPDX-License-Identifier: BSD-3-Clause
// Reads what ranks have left of their calls, and finds the first that differs.
#include "team/call_mismatch.hpp"

#include <algorithm>

#include "base/contract.hpp"

namespace terrace {

namespace {

std::uint64_t last_begun(const RankMemory& memory) {
  return terrace::last_begun(memory.word->call);
}

/// Whether the record of a call has not been written over by that of a later one.
bool is_remembered(const RankMemory& memory, std::uint64_t call) {
  return terrace::is_remembered(last_begun(memory), call, kRememberedCalls);
}

/// Whether both have called the same up to a call that both have begun; nothing: it is too long
/// ago.
std::optional<bool> have_called_alike(const RankMemory& one, const RankMemory& other,
                                      std::uint64_t call) {
  const std::size_t place = call % kRememberedCalls;
  const bool are_alike = check_in(one.records[place]) == check_in(other.records[place]);
  if (!is_remembered(one, call) || !is_remembered(other, call)) return std::nullopt;
  return are_alike;
}

}  // namespace

CallMismatch difference_between(const TeamMemory& memory, Rank rank, Rank peer) {
  TERRACE_ASSERT(rank < memory.rank_count() && peer < memory.rank_count(), rank, peer);
  TERRACE_ASSERT(rank != peer, rank);
  const RankMemory &mine = memory.ranks[rank], &theirs = memory.ranks[peer];
  const std::uint64_t mine_last = last_begun(mine), theirs_last = last_begun(theirs);
  const std::uint64_t both = std::min(mine_last, theirs_last);
  const std::uint64_t past = std::max(mine_last, theirs_last);
  const std::uint64_t first = past < kRememberedCalls ? 1 : past - kRememberedCalls + 2;
  for (std::uint64_t call = first; call <= both; ++call) {
    const std::size_t place = call % kRememberedCalls;
    const CallMismatch found{peer, call, identity_in(theirs.records[place]),
                             identity_in(mine.records[place])};
    const bool was_there = is_remembered(mine, call) && is_remembered(theirs, call);
    if (was_there && found.theirs != found.mine) return found;
  }
  const CallIdentity own = last_call_of(mine);
  return {peer, mine_last, own, own};
}

std::optional<CallMismatch> find_mismatch(const TeamMemory& memory, Rank rank) {
  TERRACE_ASSERT(rank < memory.rank_count(), rank, memory.rank_count());
  const RankMemory& own = memory.ranks[rank];
  for (Rank peer = 0; peer < memory.rank_count(); ++peer) {
    const std::uint64_t both = std::min(last_begun(own), last_begun(memory.ranks[peer]));
    if (both != 0 && have_called_alike(own, memory.ranks[peer], both) == false)
      return difference_between(memory, rank, peer);
  }
  return std::nullopt;
}

CallIdentity last_call_of(const RankMemory& memory) {
  return identity_in(memory.records[last_begun(memory) % kRememberedCalls]);
}

}  // namespace terrace
