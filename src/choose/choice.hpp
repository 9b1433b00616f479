// SPDX-License-Identifier: BSD-3-Clause
// A choice: how to run a call. It may depend only on values that are equal on all ranks of the
// call, so that all ranks choose alike without communicating.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "collectives/collectives.hpp"

namespace terrace {

/// The order in which operands are combined, by what it depends on.
enum class Order : std::uint8_t {
  by_machine,  ///< groups of the hierarchy combine first
  by_rank,     ///< as operators need it that do not commute: no rank comes before a lower one
  by_count,  ///< likewise, and on nothing but the number of ranks: runs of neighbours combine first
};

/// Whether an algorithm may run where sums are to be added up in that order. Scans go from rank 0
/// up in any order.
constexpr bool fits(const Algorithm& row, Order order) {
  const bool is_scan = row.collective == Collective::scan || row.collective == Collective::exscan;
  switch (row.bits) {
    case Bits::by_groups:
      return true;
    case Bits::by_rank:
      return order != Order::by_count || is_scan;
    case Bits::of_its_own:
    case Bits::different:
      break;
  }
  return order == Order::by_machine;
}

/// The call that is to be run.
struct Question {
  Collective collective = Collective::barrier;
  std::size_t bytes = 0;  ///< of the whole vector of one rank, or of each of its blocks
  Order order = Order::by_machine;
  bool is_exact = false;  ///< combining gives the same bits in any order

  bool operator==(const Question&) const = default;
};

/// The traits of a team, the same on all its ranks.
struct TeamTraits {
  Rank ranks = 0;
  bool can_be_direct = false;  ///< all ranks read and write each other's buffers
  /// The processing units that the ranks share, if they are fewer than ranks; 0: one for each.
  std::uint32_t shared_cores = 0;
  /// All ranks reach each other's heaps, or attach each other's memory: buffers there are as
  /// direct, others are bounced, and in each call only their owners know.
  bool reaches_heaps = false;
  std::size_t scratch_bytes = 0;  ///< of each rank; 0: without limit
  /// Ranks that share a core take turns in the order of their numbers, switched in user space.
  bool takes_turns_in_order = false;
  /// A rank may leave a call that it has started for as long as it likes, and then nothing else
  /// goes on with it: plans must start alone (`CallContract::starts_alone`), in one strip.
  bool leaves_calls = false;

  bool is_oversubscribed() const { return shared_cores != 0; }
  bool operator==(const TeamTraits&) const = default;
};

/// Cores that a team's ranks share if `job_ranks` ranks of the job share `pus` PUs; 0: one for
/// each.
constexpr std::uint32_t shared_cores_of(Rank team, std::uint32_t job_ranks, std::uint32_t pus) {
  if (job_ranks <= pus) return 0;
  const std::uint64_t share = std::uint64_t{team} * pus / job_ranks;
  return share == 0 ? 1 : static_cast<std::uint32_t>(share);
}

/// Strips as long as the vector.
inline constexpr std::size_t kWhole = ~std::size_t{0};
/// Scratch that is used again at once.
inline constexpr std::size_t kAtOnce = 1;

/// A way to run a call.
struct Choice {
  std::string_view algorithm;  ///< as its table has it; lives as long as the program
  std::uint32_t radix = 8;     ///< how many operands a rank reads at once
  std::size_t strip_bytes = 64 << 10;
  std::uint32_t ring = 2;  ///< scratch slots: how many strips the first rank may be ahead
  bool streams = false;    ///< store the result past the caches
  /// Copies go through scratch even where peers could reach the user's buffers: a rank then returns
  /// without waiting for those who still read.
  bool bounces = false;
  bool streams_scratch = false;  ///< store what peers take from scratch past the caches
  /// Bytes of each rank's scratch that calls go through before they reuse the first; 0: as much as
  /// a few calls like this one take.
  std::size_t scratch_span = 0;
  /// The only depth of the machine's groups that the algorithm sees (`with_one_depth`); 0: it sees
  /// all.
  std::uint32_t depth = 0;
  /// Values that would fit lines go the way of longer ones. Scratch has room for more calls of many
  /// blocks than the ring of lines, so ranks that take turns on cores run further ahead.
  bool avoids_lines = false;

  bool operator==(const Choice&) const = default;
};

/// "allreduce.tiled, strips of 64 KiB, stored past the caches".
std::string to_text(const Choice&);
/// ", strips of 64 KiB".
std::string strips_text(const Choice&);
/// ", groups of depth 2 alone": "" where an algorithm sees all groups.
std::string depth_text(const Choice&);
/// ", stored past the caches, through scratch, ...": "" where stores are plain.
std::string stores_text(const Choice&);

}  // namespace terrace
