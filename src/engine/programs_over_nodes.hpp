// SPDX-License-Identifier: BSD-3-Clause
// A rank's programs of a plan with messages, as its node's team runs them.
#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "plan/rank_program.hpp"
#include "team/messenger.hpp"

namespace terrace {

/// Outlives the endpoint that runs it.
struct ProgramsOverNodes {
  std::optional<RankProgram> lines;  ///< for values that fit a line, if the plan has such a form
  RankProgram owner;                 ///< for any others
  /// Bytes of each rank's scratch that calls use, allocated on all nodes. The same on all ranks, by
  /// which all cut vectors alike.
  std::size_t scratch_bytes = 0;
  Messenger* messenger = nullptr;

  /// The program for vectors or blocks of so many bytes, the same on all ranks.
  const RankProgram& for_bytes(std::size_t bytes) const;
};

/// Makes the programs of `rank`, by the plan's number, whose node's team has these ranks of the
/// plan. Without scratch and messenger.
Result<ProgramsOverNodes> programs_over_nodes(const Plan& plan, Rank rank,
                                              std::span<const Rank> ranks_on_node);

}  // namespace terrace
