// SPDX-License-Identifier: BSD-3-Clause
// Postconditions: what each rank's output must hold when a collective has ended, as the ordered
// list of the input blocks that are combined in it. `verify` checks a plan against them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/rank.hpp"

namespace terrace {

/// Block `block` of rank `rank`'s input.
struct Term {
  Rank rank = 0;
  std::uint16_t block = 0;

  auto operator<=>(const Term&) const = default;
};

/// The terms of one output block, in the order in which a non-commutative operator needs them.
using Terms = std::vector<Term>;

struct Postcondition {
  /// [rank][block]: nothing where the collective says nothing about that rank's output block.
  std::vector<std::vector<std::optional<Terms>>> outputs;
  /// No rank may return before all have entered: a barrier, and whatever implies one.
  bool all_hear = false;
  /// All ranks must combine in the same way, so that they get the same bits.
  bool same_bits = false;
  /// Calls may have their output where their input is.
  bool may_be_in_place = true;
  /// Some rank hears of it wherever the ranks' calls differ.
  bool all_are_told = true;
};

}  // namespace terrace
