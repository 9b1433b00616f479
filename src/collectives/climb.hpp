// SPDX-License-Identifier: BSD-3-Clause
// The two halves of tree algorithms: reducing up a hierarchy and broadcasting down it.
#pragma once

#include "collectives/collectives.hpp"

namespace terrace {

/// A value and the rank that holds it.
struct HeldValue {
  Rank by = 0;
  Region where;
};

/// Combines the inputs of `group` in rank order within each group, up to `radix` operands a step,
/// and leaves the total in `target` of `head`, who must be a rank of the group.
void climb(PlanBuilder& plan, const Group& group, Rank head, std::uint32_t radix, Region target);

/// Gives every rank of `group` the value that `from` holds, each in its own output. In every child
/// group one rank receives it and passes it on; it is read by `radix - 1` ranks a round, or by all
/// at once where radix is 0.
void descend(PlanBuilder& plan, const Group& group, HeldValue from, std::uint32_t radix);

/// Descends in a vector of `tiles` tiles: the holder stores its share of them to all who receive
/// from it, while these read the others.
void descend_split(PlanBuilder& plan, const Group& group, HeldValue from, std::uint32_t tiles);

/// Every rank of `group` copies the value straight from `from`.
void read_all_at_once(PlanBuilder& plan, const Group& group, HeldValue from);

}  // namespace terrace
