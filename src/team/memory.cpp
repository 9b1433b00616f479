// SPDX-License-Identifier: BSD-3-Clause
// Lays out and prepares a team's memory.
#include "team/memory.hpp"

#include <new>

#include "base/contract.hpp"

namespace terrace {

namespace {

constexpr std::size_t kBoardBytes = kProbeBoards * sizeof(ProbeBoard);
constexpr std::size_t kRecordBytes = kRememberedCalls * sizeof(CallRecord);
constexpr std::size_t kHeadBytes =
    sizeof(ProgressWord) + kLineSlots * sizeof(Line) + kBoardBytes + kRecordBytes;
static_assert(kRecordBytes % kLinePairBytes == 0 && kHeadBytes % kLinePairBytes == 0);

}  // namespace

std::size_t share_bytes(std::size_t scratch_bytes, std::size_t page) {
  return whole_pages(kHeadBytes + scratch_bytes, page);
}

TeamMemory laid_out(std::byte* place, Rank ranks, std::size_t scratch_bytes, std::size_t page) {
  const std::size_t share = share_bytes(scratch_bytes, page);
  TERRACE_REQUIRE(reinterpret_cast<std::uintptr_t>(place) % page == 0, place, page);
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

ThreadMemory::ThreadMemory(Rank ranks, std::size_t scratch_bytes)
    : place_(static_cast<std::byte*>(
          ::operator new(share_bytes(scratch_bytes) * ranks, std::align_val_t(page_bytes())))),
      memory_(laid_out(place_, ranks, scratch_bytes)) {}

ThreadMemory::~ThreadMemory() {
  ::operator delete(place_, std::align_val_t(page_bytes()));
}

}  // namespace terrace
