// SPDX-License-Identifier: BSD-3-Clause
// Interactive pages: one HTML file without network that shows plans, as simulated if times are
// known, or timelines, side by side. The page itself is draw/page/, and what it shows is JSON in
// it.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "base/timeline.hpp"
#include "draw/timeline.hpp"
#include "hierarchy/hierarchy.hpp"
#include "plan/plan.hpp"
#include "simulate/outcome.hpp"

namespace terrace {

/// More than a browser shows without delay.
inline constexpr std::size_t kMostPageSteps = 20'000;
inline constexpr std::size_t kMostPageViews = 4;

/// A plan, and how a call of it runs.
struct PlanView {
  std::string title;    ///< "allreduce.tree of 8 B"
  std::string machine;  ///< "2 Intel Xeon X5650 ...", or its shape; "" if none is known
  std::vector<std::pair<std::string, std::string>> facts;  ///< "lowering": "lines"
  const Plan* plan = nullptr;
  const Hierarchy* hierarchy = nullptr;  ///< of the plan's ranks
  bool is_direct = true;                 ///< else waits are those of bounced ranks
  /// Outcome with the steps of its last call, those of the plan; null: times are not known.
  const simulate::SimulationOutcome* outcome = nullptr;
};

/// Writes what a page says of a plan or timeline, as a JSON object.
std::string page_view(const PlanView& view);
std::string page_view(const Timeline& timeline, const TimelinePicture& options);

/// The file: all of these next to each other.
std::string page_of(const std::string& title, const std::vector<std::string>& views);

}  // namespace terrace
