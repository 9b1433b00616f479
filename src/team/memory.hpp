// SPDX-License-Identifier: BSD-3-Clause
// The memory that a team shares: per rank a word, a ring of mailbox lines, and scratch. The code
// that sets up a team makes it shared (threads, a memfd); this file has only its layout.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/cache_aligned.hpp"
#include "base/contract.hpp"
#include "base/pages.hpp"
#include "base/rank.hpp"
#include "team/call_identity.hpp"

namespace terrace {

/// Slots in each rank's ring of lines. More slots let a broadcasting root run further ahead: where
/// ranks take turns on cores, each gets as many calls done while it has one.
inline constexpr std::uint32_t kLineSlots = 64;
/// Lines that one call may use, at most.
inline constexpr std::uint32_t kMostLines = 16;

/// Calls whose pieces of each rank's scratch may be read at a time.
inline constexpr std::size_t kPendingScratchReaders = 32;
/// Number of pieces of one size for which calls go on through scratch before they use it again,
/// unless they know better: a few, since scratch that stays in the caches is worth more, and more
/// small ones.
inline constexpr std::size_t pieces_in_a_row(std::size_t bytes) {
  constexpr std::size_t kFew = 8, kSmall = 64 << 10;
  return std::clamp(kSmall / std::max<std::size_t>(bytes, 1), kFew, kPendingScratchReaders);
}

/// Returns the slot of a use's line in the ring. Successive uses jump about: along a plain ring,
/// reading lines k and k + 1 makes prefetchers fetch k + 2, too early, and so take it from its
/// writer.
inline constexpr std::uint32_t line_slot(std::uint64_t use) {
  // 0 8 4 12 2 10 6 14 1 9 5 13 3 11 7 15, four bits each, the first lowest: which quadruple of
  // slots. The next 16 uses take the quadruples' next slots.
  constexpr std::uint64_t kOrder = 0xF7B3D591E6A2C480;
  static_assert(kLineSlots == 64);
  return static_cast<std::uint32_t>((kOrder >> (use % 16 * 4) & 15) * 4 + use / 16 % 4);
}

/// Bytes that fit beside the flag and the check in one line: with cache lines of 64 bytes 48 in the
/// flag's own, and 64 in its neighbour, which travels at the same time.
inline constexpr std::size_t kPayloadBytes = kLinePairBytes - 2 * sizeof(std::uint64_t);
/// Bytes of them in the flag's own cache line.
inline constexpr std::size_t kPayloadInFlagLine = kLineBytes - 2 * sizeof(std::uint64_t);

/// A rank's progress: 40 bits of call number above 24 bits of finished steps. Only its rank writes
/// `value`; it only grows, modulo 2^64, so it is compared by signed difference.
struct alignas(kLinePairBytes) ProgressWord {
  std::atomic<std::uint64_t> value{0};
  /// Waiters asleep on any signal of this rank, its word or one of its lines. Here, where its rank
  /// looks without a miss, and not in the lines, which peers keep taking away.
  std::atomic<std::uint32_t> sleepers{0};
  /// The call that this rank has begun last.
  std::atomic<std::uint64_t> call{0};
  /// The checks of that call and some before it, each at its number modulo their count. In the line
  /// of `value`, so that a rank that waits for that has these as well.
  std::array<std::atomic<std::uint64_t>, kCallsBesideWord> checks{};
};

/// A flag and its payload, which travel together. Only its rank writes it.
struct alignas(kLinePairBytes) Line {
  std::atomic<std::uint64_t> sequence{0};  ///< 1 + the use number whose payload this is
  std::uint64_t check = 0;                 ///< of the call; part of the payload
  std::byte payload[kPayloadBytes] = {};
};

/// Distances that a team's ranks measure: a board of each rank for each.
inline constexpr std::size_t kProbeBoards = 4;

/// The words that a rank shows another one while the two measure what lies between them (measure/).
struct alignas(kLinePairBytes) ProbeBoard {
  std::atomic<std::uint64_t> turn{0};
  alignas(kLinePairBytes) std::atomic<std::uint64_t> result{0};  ///< picoseconds
};

/// The way peers see a rank's buffers in one call; its owner decides.
enum class Reach : std::uint32_t {
  direct = 1,   ///< they load and store the user's buffers
  bounced = 2,  ///< they use copies in the owner's scratch
  pulled = 3,   ///< the kernel copies from the user's buffers for them, who only read
  attached =
      4,  ///< they load and store the user's buffers, which they attach to their memory first
};

inline constexpr const char* to_text(Reach reach) {
  switch (reach) {
    case Reach::direct:
      return "direct";
    case Reach::bounced:
      return "bounced";
    case Reach::pulled:
      return "pulled";
    case Reach::attached:
      break;
  }
  return "attached";
}

/// The payload of an announcing line.
struct Announcement {
  Reach reach = Reach::bounced;
  const std::byte* input = nullptr;
  std::byte* output = nullptr;
};
static_assert(sizeof(Announcement) <= kPayloadBytes);
static_assert(sizeof(ProgressWord) == kLinePairBytes && sizeof(Line) == kLinePairBytes);
static_assert(offsetof(ProgressWord, checks) + sizeof(ProgressWord::checks) <= kLineBytes,
              "in one cache line with value");
static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "lines are shared by processes");

/// One rank's share of a team's memory, at the addresses of this process.
struct RankMemory {
  ProgressWord* word = nullptr;
  Line* lines = nullptr;         ///< kLineSlots of them
  ProbeBoard* boards = nullptr;  ///< kProbeBoards of them
  CallRecord* records =
      nullptr;  ///< kRememberedCalls of them, each call's at its number modulo that
  std::byte* scratch = nullptr;
  /// Distance from an address that this rank announces to the same byte's in this process.
  std::ptrdiff_t shift = 0;
};

struct TeamMemory {
  std::vector<RankMemory> ranks;
  std::size_t scratch_bytes = 0;  ///< per rank

  Rank rank_count() const { return static_cast<Rank>(ranks.size()); }
};

inline constexpr std::uint32_t kStepBits = 24;
inline constexpr std::uint64_t kDoneSteps = (std::uint64_t{1} << kStepBits) - 1;

/// The word of a rank that has finished `steps` steps of `call`.
inline constexpr std::uint64_t word_at(std::uint64_t call, std::uint64_t steps) {
  TERRACE_ASSERT(steps <= kDoneSteps, steps);
  return (call << kStepBits) | steps;
}
/// The word of a rank that has returned from `call`.
inline constexpr std::uint64_t word_done(std::uint64_t call) {
  return word_at(call, kDoneSteps);
}

/// Whether a counter has come as far as `target`, across a wrap.
inline constexpr bool has_reached(std::uint64_t counter, std::uint64_t target) {
  return static_cast<std::int64_t>(counter - target) >= 0;
}

/// The last call that a rank has returned from, read off its word, near `call`.
inline constexpr std::uint64_t calls_done(std::uint64_t word, std::uint64_t call) {
  const std::uint64_t done = ((word + 1) >> kStepBits) - 1;   // known modulo 2^40
  const std::uint64_t distance = (done - call) << kStepBits;  // its sign is that of the difference
  return call + static_cast<std::uint64_t>(static_cast<std::int64_t>(distance) >> kStepBits);
}

/// Bytes from one rank's share to the next: word, lines and scratch, in whole pages, which can then
/// lie near their rank.
std::size_t share_bytes(std::size_t scratch_bytes, std::size_t page = page_bytes());

/// Lays out a team's memory, shares one after the other, from a page's beginning on; touches none
/// of it.
TeamMemory laid_out(std::byte* place, Rank ranks, std::size_t scratch_bytes,
                    std::size_t page = page_bytes());

/// Makes a rank's word and lines ready for a team whose calls are numbered from `first_call` + 1.
/// To be done by the rank itself, so that its pages lie near it, before any peer uses them.
void prepare(const RankMemory& memory, std::uint64_t first_call);

/// Memory for a team of threads, allocated together; the ranks must `prepare` their shares.
class ThreadMemory {
 public:
  ThreadMemory(Rank ranks, std::size_t scratch_bytes);
  ~ThreadMemory();
  ThreadMemory(const ThreadMemory&) = delete;
  ThreadMemory& operator=(const ThreadMemory&) = delete;

  const TeamMemory& memory() const { return memory_; }

 private:
  std::byte* place_;
  TeamMemory memory_;
};

}  // namespace terrace
