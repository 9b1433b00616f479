// SPDX-License-Identifier: BSD-3-Clause
// All the plans there are: every algorithm on every machine shape, with every root, lowered every
// way it can be. Each lowered plan comes once, however many shapes lead to it.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <set>
#include <string>

#include "collectives/collectives.hpp"
#include "machines/shapes.hpp"
#include "plan/lower.hpp"
#include "verify/verify.hpp"

namespace terrace::testing_plans {

struct Case {
  std::string name;  ///< algorithm, shape, ranks, root, radix, lowering
  const Algorithm* algorithm = nullptr;
  Rank root = 0;
  Plan written;
  Plan lowered;
};

inline void lower_both_ways(const Algorithm& row, const Shape& shape, const std::string& name,
                            std::set<std::string>& seen,
                            const std::function<void(const Case&)>& visit) {
  const Plan written = row.write(shape);
  for (const Lowering lowering : {Lowering::lines, Lowering::owner}) {
    if (lowering == Lowering::lines ? !row.fits_lines : !row.fits_long) continue;
    Result<Plan> lowered = lower(written, lowering);
    const std::string full = name + (lowering == Lowering::lines ? ", lines" : ", owner");
    ASSERT_TRUE(lowered) << full << ": " << lowered.error().sentence;
    if (lowered.value().lines > VerifyOptions().line_slots) continue;  // nobody runs it
    const bool is_new = seen.insert(std::string(row.name) + to_text(lowered.value()) +
                                    (is_rooted(row.collective) ? std::to_string(shape.root) : ""))
                            .second;
    if (is_new) visit({full, &row, shape.root, written, lowered.value()});
  }
}

/// Visits the plans of `ranks` ranks. Radices: 8 as usual, and small ones that make trees deep.
inline void for_each_plan(Rank ranks, const std::vector<std::uint32_t>& radices,
                          const std::function<void(const Case&)>& visit) {
  std::set<std::string> seen;
  for (const shapes::NamedHierarchy& named : shapes::hierarchies(ranks))
    for (const Algorithm& row : algorithms())
      for (const std::uint32_t radix : radices)
        for (Rank root = 0; root < (is_rooted(row.collective) ? ranks : 1); ++root)
          lower_both_ways(row, {named.hierarchy, root, radix},
                          std::string(row.name) + " on " + named.name + ", " +
                              std::to_string(ranks) + " ranks, root " + std::to_string(root) +
                              ", radix " + std::to_string(radix),
                          seen, visit);
}

}  // namespace terrace::testing_plans
