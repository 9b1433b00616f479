// SPDX-License-Identifier: BSD-3-Clause
// Laying out and preparing a team's memory.
#include "team/memory.hpp"

#include <algorithm>
#include <new>

namespace terrace {

namespace {

constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kBoardBytes = kProbeBoards * sizeof(ProbeBoard);
constexpr std::size_t kHeadBytes = sizeof(Word) + kLineSlots * sizeof(Line) + kBoardBytes;

}  // namespace

std::size_t share_bytes(std::size_t scratch_bytes) {
  return (kHeadBytes + scratch_bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
}

TeamMemory laid_out(std::byte* place, Rank ranks, std::size_t scratch_bytes) {
  const std::size_t share = share_bytes(scratch_bytes);
  TeamMemory memory;
  memory.scratch_bytes = scratch_bytes;
  for (Rank rank = 0; rank < ranks; ++rank, place += share)
    memory.ranks.push_back(
        {reinterpret_cast<Word*>(place), reinterpret_cast<Line*>(place + sizeof(Word)),
         reinterpret_cast<ProbeBoard*>(place + kHeadBytes - kBoardBytes), place + kHeadBytes});
  return memory;
}

void prepare(const RankMemory& memory, std::uint64_t first_call) {
  Word* word = new (memory.word) Word;
  // relaxed: whoever made the team orders this before any peer's first use.
  word->value.store(word_done(first_call), std::memory_order_relaxed);
  for (std::uint32_t slot = 0; slot < kLineSlots; ++slot) {
    Line* line = new (memory.lines + slot) Line;
    // relaxed: likewise. No use number of this team gives this sequence before 2^64 uses.
    line->sequence.store(first_call, std::memory_order_relaxed);
  }
  for (std::size_t i = 0; i < kProbeBoards; ++i) new (memory.boards + i) ProbeBoard;
}

std::optional<Mismatch> find_mismatch(const TeamMemory& memory, Rank rank) {
  const Word& own = *memory.ranks[rank].word;
  // relaxed: this rank's own.
  const std::uint64_t mine = own.call.load(std::memory_order_relaxed);
  for (Rank peer = 0; peer < memory.rank_count(); ++peer) {
    const Word& word = *memory.ranks[peer].word;
    // acquire: pairs with the release in `Run::tell_signature`, so the signatures up to here are
    // there.
    const std::uint64_t theirs = word.call.load(std::memory_order_acquire);
    const std::uint64_t both = std::min(mine, theirs);
    if (both == 0 || std::max(mine, theirs) - both >= kRememberedCalls - 1) continue;
    const auto said_by = [both](const Word& one) {
      // acquire: before the look below, which tells whether the peer has gone on too far meanwhile.
      return one.signatures[both % kRememberedCalls].load(std::memory_order_acquire);
    };
    const Mismatch found{peer, said_by(word), said_by(own)};
    // relaxed: after the acquire in `said_by`.
    const std::uint64_t now = word.call.load(std::memory_order_relaxed);
    if (found.theirs != found.mine && now - both < kRememberedCalls - 1) return found;
  }
  return std::nullopt;
}

ThreadMemory::ThreadMemory(Rank ranks, std::size_t scratch_bytes)
    : place_(static_cast<std::byte*>(
          ::operator new(share_bytes(scratch_bytes) * ranks, std::align_val_t(kPageBytes)))),
      memory_(laid_out(place_, ranks, scratch_bytes)) {}

ThreadMemory::~ThreadMemory() {
  ::operator delete(place_, std::align_val_t(kPageBytes));
}

}  // namespace terrace
