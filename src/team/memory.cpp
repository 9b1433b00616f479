// SPDX-License-Identifier: BSD-3-Clause
// Laying out and preparing a team's memory.
#include "team/memory.hpp"

#include <new>

namespace terrace {

namespace {

constexpr std::align_val_t kPageBytes{4096};

}  // namespace

RankMemory rank_memory_at(std::byte* place) {
  RankMemory memory;
  memory.word = reinterpret_cast<Word*>(place);
  memory.lines = reinterpret_cast<Line*>(place + sizeof(Word));
  memory.scratch = place + sizeof(Word) + kLineSlots * sizeof(Line);
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
}

ThreadMemory::ThreadMemory(Rank ranks, std::size_t scratch_bytes) {
  const std::size_t share = rank_memory_bytes(scratch_bytes);
  const std::size_t bytes = share * ranks;
  place_ = static_cast<std::byte*>(::operator new(bytes, kPageBytes));
  memory_.scratch_bytes = scratch_bytes;
  for (Rank rank = 0; rank < ranks; ++rank)
    memory_.ranks.push_back(rank_memory_at(place_ + share * rank));
}

ThreadMemory::~ThreadMemory() {
  ::operator delete(place_, kPageBytes);
}

}  // namespace terrace
