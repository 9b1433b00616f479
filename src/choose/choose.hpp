// SPDX-License-Identifier: BSD-3-Clause
// Choosing a plan for a call. The key is symmetric: it holds only values that are equal on all
// ranks of the call, so all ranks choose alike without talking.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "collectives/collectives.hpp"

namespace terrace {

/// What the order in which operands are combined depends on.
enum class Order : std::uint8_t {
  by_machine,  ///< groups of the hierarchy combine first
  by_rank,     ///< as operators need it that do not commute: no rank comes before a lower one
  by_count,  ///< likewise, and on nothing but the number of ranks: runs of neighbours combine first
};

/// What a decision may depend on.
struct Question {
  Collective collective = Collective::barrier;
  std::size_t bytes = 0;  ///< of the whole vector of one rank
  Order order = Order::by_machine;
};

/// How the top level of a team's hierarchy divides its ranks.
enum class TeamForm : std::uint8_t {
  flat,     ///< not at all
  alone,    ///< into single ranks, as where each has a cache or package of its own
  domains,  ///< into groups
};

/// The form of teams on that hierarchy.
TeamForm form_of(const Hierarchy& hierarchy);

/// What a team is like, the same on all its ranks.
struct TeamTraits {
  Rank ranks = 0;
  bool can_be_direct = false;  ///< all ranks read and write each other's buffers
  bool is_crowded = false;     ///< ranks of the job outnumber the processing units
  /// All ranks reach each other's heaps, or attach each other's memory: buffers there are as
  /// direct, others are bounced, and in each call only their owners know.
  bool reaches_heaps = false;
  TeamForm form = TeamForm::flat;
};

/// Strips as long as the vector.
inline constexpr std::size_t kWhole = ~std::size_t{0};

/// One line of a table: from this many bytes on, this algorithm.
struct Choice {
  std::size_t from_bytes = 0;
  std::string_view algorithm;
  std::uint32_t radix = 8;
  std::size_t strip_bytes = 64 << 10;
  std::uint32_t ring = 2;  ///< scratch slots: how many strips the first rank may be ahead
  bool streams = false;    ///< store the result past the caches
  /// Copies go through scratch even where peers could reach the user's buffers: a rank then returns
  /// without waiting for those who still read.
  bool bounces = false;
  bool streams_scratch = false;  ///< store what peers take from scratch past the caches
  /// Calls go through so many bytes of each rank's scratch before they use the first again; 0: as
  /// many as a few calls like this take.
  std::size_t scratch_span = 0;
};

/// The choice for a question. Lines (flag and payload in one) are used wherever the algorithm and
/// the vector fit them. The tables are in choose.cpp, with the runs that they come from; those of
/// many ranks with a core each are predictions (many_ranks.inc).
Choice choose(const Question& question, const TeamTraits& traits);

/// How such a call is run where all ranks pull; nothing where that is not worth a try. Its plan
/// does nothing with peers' buffers but copy from them.
std::optional<Choice> choose_pulled(const Question& question, const TeamTraits& traits);

}  // namespace terrace
