// SPDX-License-Identifier: BSD-3-Clause
// All the plans there are: every algorithm on every machine shape, with every root, lowered every
// way it can be. Each lowered plan comes once, however many shapes lead to it.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <functional>
#include <set>
#include <span>
#include <string>

#include "collectives/collectives.hpp"
#include "machines/shapes.hpp"
#include "plan/lower.hpp"
#include "verify/verify.hpp"

namespace terrace::testing_plans {

/// TERRACE_VERIFY_RANKS, which widens the sweep, or narrows it in builds that watch each access.
inline Rank most_ranks(Rank unless_told) {
  const char* text = std::getenv("TERRACE_VERIFY_RANKS");
  return text == nullptr ? unless_told : static_cast<Rank>(std::atoi(text));
}

struct Case {
  std::string name;  ///< algorithm, shape, ranks, root, radix, lowering
  const Algorithm* algorithm = nullptr;
  Rank root = 0;
  Plan written;
  Plan lowered;
};

inline VerifyOptions options_of(const Case& one) {
  VerifyOptions options;
  options.root = one.root;
  return options;
}

/// How a plan is lowered: over lines with room for one value, for two, and for a block of each
/// rank.
struct Way {
  Lowering lowering;
  std::uint32_t pockets;
};

inline std::vector<Way> ways_of(const Algorithm& row, Rank ranks) {
  std::vector<Way> ways;
  for (const std::uint32_t pockets : {1u, 2u, ranks})
    if (row.fits_lines && (pockets == 1 || has_block_per_rank(row.collective)))
      ways.push_back({Lowering::lines, pockets});
  if (row.fits_long) ways.push_back({Lowering::owner, 1});
  return ways;
}

inline void lower_all_ways(const Algorithm& row, const Shape& shape, const std::string& name,
                           std::set<std::string>& seen,
                           const std::function<void(const Case&)>& visit) {
  const Plan written = row.write(shape);
  for (const Way& way : ways_of(row, shape.hierarchy.rank_count())) {
    Result<Plan> lowered = lower(written, way.lowering, 2, way.pockets);
    const std::string full =
        name + (way.lowering == Lowering::owner
                    ? ", owner"
                    : ", lines of " + std::to_string(way.pockets) + " pockets");
    ASSERT_TRUE(lowered) << full << ": " << lowered.error().sentence;
    if (lowered.value().lines > VerifyOptions().line_slots) continue;  // it is never run
    const bool is_new = seen.insert(std::string(row.name) + to_text(lowered.value()) +
                                    (is_rooted(row.collective) ? std::to_string(shape.root) : ""))
                            .second;
    if (is_new) visit({full, &row, shape.root, written, lowered.value()});
  }
}

/// Visits the plans of `ranks` ranks. Radices: 8 as usual, and small ones that make trees deep.
inline void for_each_plan(Rank ranks, const std::vector<std::uint32_t>& radices,
                          const std::function<void(const Case&)>& visit,
                          std::span<const Algorithm> rows = algorithms()) {
  std::set<std::string> seen;
  for (const shapes::NamedHierarchy& named : shapes::hierarchies(ranks))
    for (const Algorithm& row : rows)
      for (const std::uint32_t radix : radices)
        for (Rank root = 0; root < (is_rooted(row.collective) ? ranks : 1); ++root)
          lower_all_ways(row, {named.hierarchy, root, radix},
                         std::string(row.name) + " on " + named.name + ", " +
                             std::to_string(ranks) + " ranks, root " + std::to_string(root) +
                             ", radix " + std::to_string(radix),
                         seen, visit);
}

}  // namespace terrace::testing_plans
