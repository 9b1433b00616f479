// SPDX-License-Identifier: BSD-3-Clause
// The plan that a user wants run (TERRACE_PLAN): a file, or an algorithm of Terrace's by its name.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "hierarchy/hierarchy.hpp"
#include "preload/nodes/multi_node_communicator.hpp"

namespace terrace::preload {

/// Its text, for ranks like these; "" if none is wanted. Warns once if its file cannot be read.
std::string user_plan_text(const Hierarchy& hierarchy);

/// Says once why the user's plan does not run.
void refuse_user_plan(const std::string& why);

/// The ranks that are to run a plan.
struct PlannedRanks {
  Rank count = 0;
  std::size_t scratch_bytes = 0;      ///< of each
  const NodeLayout* nodes = nullptr;  ///< null: they share memory
};

/// Permission to run a plan.
struct Permission {
  bool keeps_rank_order = false;
  bool combines = false;
};

/// Whether the plan is right and fits: proved before anyone runs it. Nothing: the user has been
/// told.
std::optional<Permission> permission_of(const std::string& text, const PlannedRanks& ranks);

}  // namespace terrace::preload
