// SPDX-License-Identifier: BSD-3-Clause
// A plan as its pictures show it: every step in the earliest round in which it could run, if all
// steps took equally long.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "hierarchy/hierarchy.hpp"
#include "plan/plan.hpp"

namespace terrace {

/// A step in its round, from 1. A rank has at most one step in a round.
struct Act {
  const Step* step = nullptr;
  std::uint32_t round = 0;
  std::vector<Rank> takes_from;     ///< others whose memory or message it reads, once, ascending
  std::vector<Rank> stores_to;      ///< others into whose memory it writes, likewise
  std::vector<std::size_t> awaits;  ///< indices of acts that its waits name, where that is known
};

/// In statement order, for one strip, closing steps last. A step comes a round after its rank's
/// last one, after what made its operands, after what used the place of its targets, and after
/// what it waits for. Points into the plan.
std::vector<Act> acts_of(const Plan& plan);

std::uint32_t round_count(const std::vector<Act>& acts);

/// In a few letters, what a step does: "0+2", "=0", "=0 >1,2", "t0-1 0+2", "show", "hold",
/// "send 2", "from 0".
std::string label_of(const Act& act, const Plan& plan);

/// A sentence for each kind of label among these: what its signs mean.
std::vector<std::string> signs_of(const std::vector<Act>& acts, const Plan& plan);

/// Orders ranks for a picture: those of a group next to each other, in the hierarchy's order.
std::vector<Rank> order_in(const Hierarchy& hierarchy);

/// The innermost group of both.
const Group& meeting_of(const Hierarchy& hierarchy, Rank a, Rank b);

/// "between cores of one package", "between ranks" where nothing is known of the machine.
std::string distance_text(const Group& meeting);

}  // namespace terrace
