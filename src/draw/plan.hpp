// SPDX-License-Identifier: BSD-3-Clause
// Pictures of plans, in the manner of the HPDC'13 paper's Figures 3 to 7: ranks side by side in
// their domains, time going down in rounds, and which rank takes which value when.
#pragma once

#include <cstdint>
#include <string>

#include "hierarchy/hierarchy.hpp"
#include "plan/plan.hpp"

namespace terrace {

/// More ranks than this cannot be told apart side by side.
inline constexpr Rank kMostDrawnRanks = 256;

struct PlanPicture {
  std::uint32_t most_rounds = 40;  ///< later ones are left out, and a sentence says so
  bool shows_waits = false;        ///< of lowered plans, in SVG: who waits for which step
};

/// A table for people: a line per round, a column per rank; a line per step where ranks are many.
/// `hierarchy` has the plan's ranks.
std::string picture_text(const Plan& plan, const Hierarchy& hierarchy,
                         const PlanPicture& options = {});

/// `hierarchy` has the plan's ranks, no more than kMostDrawnRanks.
std::string svg_of(const Plan& plan, const Hierarchy& hierarchy, const PlanPicture& options = {});

}  // namespace terrace
