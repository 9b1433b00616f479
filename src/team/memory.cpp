// SPDX-License-Identifier: BSD-3-Clause
// Lays out and prepares a team's memory.
#include "team/memory.hpp"

#include <algorithm>
#include <new>

#include "base/contract.hpp"

namespace terrace {

namespace {

constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kBoardBytes = kProbeBoards * sizeof(ProbeBoard);
constexpr std::size_t kRecordBytes = kRememberedCalls * sizeof(CallRecord);
constexpr std::size_t kHeadBytes =
    sizeof(ProgressWord) + kLineSlots * sizeof(Line) + kBoardBytes + kRecordBytes;
static_assert(kRecordBytes % kLinePairBytes == 0 && kHeadBytes % kLinePairBytes == 0);

CallIdentity identity_in(const CallRecord& record) {
  // acquire, all: before the looks at `ProgressWord::call` that tell whether its rank has gone on
  // too far meanwhile; they pair with the releases in `EndpointState::tell`.
  return {record.bytes.load(std::memory_order_acquire), record.what.load(std::memory_order_acquire),
          record.lengths.load(std::memory_order_acquire)};
}

std::uint64_t last_begun(const RankMemory& memory) {
  // seq_cst: pairs with the release in `EndpointState::tell`, so the records up to here are there,
  // and with the writing in `EndpointState::last_mismatch`.
  return memory.word->call.load(std::memory_order_seq_cst);
}

/// Whether the record of a call has not been written over by that of a later one.
bool is_remembered(const RankMemory& memory, std::uint64_t call) {
  return last_begun(memory) - call < kRememberedCalls - 1;
}

/// Whether both have called the same up to a call that both have begun; nothing: it is too long
/// ago.
std::optional<bool> have_called_alike(const RankMemory& one, const RankMemory& other,
                                      std::uint64_t call) {
  const auto check_in = [call](const RankMemory& memory) {
    // acquire: as in `identity_in`.
    return memory.records[call % kRememberedCalls].check.load(std::memory_order_acquire);
  };
  const bool are_alike = check_in(one) == check_in(other);
  if (!is_remembered(one, call) || !is_remembered(other, call)) return std::nullopt;
  return are_alike;
}

}  // namespace

std::size_t share_bytes(std::size_t scratch_bytes) {
  return (kHeadBytes + scratch_bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
}

TeamMemory laid_out(std::byte* place, Rank ranks, std::size_t scratch_bytes) {
  const std::size_t share = share_bytes(scratch_bytes);
  TERRACE_REQUIRE(reinterpret_cast<std::uintptr_t>(place) % kPageBytes == 0, place);
  TeamMemory memory;
  memory.scratch_bytes = scratch_bytes;
  for (Rank rank = 0; rank < ranks; ++rank, place += share)
    memory.ranks.push_back(
        {reinterpret_cast<ProgressWord*>(place),
         reinterpret_cast<Line*>(place + sizeof(ProgressWord)),
         reinterpret_cast<ProbeBoard*>(place + kHeadBytes - kRecordBytes - kBoardBytes),
         reinterpret_cast<CallRecord*>(place + kHeadBytes - kRecordBytes), place + kHeadBytes});
  return memory;
}

void prepare(const RankMemory& memory, std::uint64_t first_call) {
  TERRACE_ASSERT(memory.word != nullptr && memory.lines != nullptr);
  TERRACE_ASSERT(memory.boards != nullptr && memory.records != nullptr);
  ProgressWord* word = new (memory.word) ProgressWord;
  // relaxed: the creator of the team orders this before any peer's first use.
  word->value.store(word_done(first_call), std::memory_order_relaxed);
  for (std::uint32_t slot = 0; slot < kLineSlots; ++slot) {
    Line* line = new (memory.lines + slot) Line;
    // relaxed: likewise. No use number of this team gives this sequence before 2^64 uses.
    line->sequence.store(first_call, std::memory_order_relaxed);
  }
  for (std::size_t i = 0; i < kProbeBoards; ++i) new (memory.boards + i) ProbeBoard;
  for (std::size_t i = 0; i < kRememberedCalls; ++i) new (memory.records + i) CallRecord;
}

Mismatch difference_between(const TeamMemory& memory, Rank rank, Rank peer) {
  TERRACE_ASSERT(rank < memory.rank_count() && peer < memory.rank_count(), rank, peer);
  TERRACE_ASSERT(rank != peer, rank);
  const RankMemory &mine = memory.ranks[rank], &theirs = memory.ranks[peer];
  const std::uint64_t mine_last = last_begun(mine), theirs_last = last_begun(theirs);
  const std::uint64_t both = std::min(mine_last, theirs_last);
  const std::uint64_t past = std::max(mine_last, theirs_last);
  const std::uint64_t first = past < kRememberedCalls ? 1 : past - kRememberedCalls + 2;
  for (std::uint64_t call = first; call <= both; ++call) {
    const std::size_t place = call % kRememberedCalls;
    const Mismatch found{peer, call, identity_in(theirs.records[place]),
                         identity_in(mine.records[place])};
    const bool was_there = is_remembered(mine, call) && is_remembered(theirs, call);
    if (was_there && found.theirs != found.mine) return found;
  }
  const CallIdentity own = last_call_of(mine);
  return {peer, mine_last, own, own};
}

std::optional<Mismatch> find_mismatch(const TeamMemory& memory, Rank rank) {
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

ThreadMemory::ThreadMemory(Rank ranks, std::size_t scratch_bytes)
    : place_(static_cast<std::byte*>(
          ::operator new(share_bytes(scratch_bytes) * ranks, std::align_val_t(kPageBytes)))),
      memory_(laid_out(place_, ranks, scratch_bytes)) {}

ThreadMemory::~ThreadMemory() {
  ::operator delete(place_, std::align_val_t(kPageBytes));
}

}  // namespace terrace
