// SPDX-License-Identifier: BSD-3-Clause
// Trees over members that are numbered from 0, the root, as Open MPI's coll/tuned builds them.
#pragma once

#include <cstdint>
#include <vector>

#include "collectives/nodes.hpp"

namespace terrace {

enum class RankTree : std::uint8_t {
  linear,         ///< all are children of the root
  chain,          ///< four chains hang on the root
  pipeline,       ///< one chain
  binary,         ///< two children each; those of the left are odd, those of the right even
  binomial,       ///< children 2^k further on, k from the first that is beyond one's own number
  binomial_runs,  ///< the same tree with children numbered so that each subtree is a run
};

/// The children of each of `size` members, in the order in which they are served. Parents have
/// lower numbers than their children.
std::vector<std::vector<std::uint32_t>> children_in(RankTree tree, std::uint32_t size);

/// The rank that stands for each part of `group` (its children, or its ranks): `head` for its own,
/// the leader for others; in order of the parts.
std::vector<Rank> heads_of(const Group& group, Rank head);

/// Lists the heads beginning with `head`, and going round.
std::vector<Rank> heads_from(const Group& group, Rank head);

}  // namespace terrace
