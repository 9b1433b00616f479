// SPDX-License-Identifier: BSD-3-Clause
// Computes parents and children. See rank_trees.hpp.
#include "collectives/rank_trees.hpp"

#include <algorithm>
#include <bit>

#include "base/contract.hpp"

namespace terrace {

namespace {

constexpr std::uint32_t kChains = 4;  // the default of Open MPI's coll/tuned

/// Returns a member's parent. Where the others are no multiple of the chains, the first chains are
/// longer by one.
std::uint32_t parent_in_chains(std::uint32_t member, std::uint32_t size, std::uint32_t chains) {
  const std::uint32_t others = size - 1;
  std::uint32_t first = 1;
  for (std::uint32_t c = 0; c < chains; ++c) {
    if (member == first) return 0;
    first += others / chains + (c < others % chains ? 1 : 0);
  }
  return member - 1;
}

/// Members of one depth follow each other; a child is 2^depth beyond its parent, or twice that.
std::uint32_t parent_in_binary(std::uint32_t member) {
  const std::uint32_t width = std::bit_floor(member + 1) / 2;  // of its parent's depth
  const std::uint32_t first = width - 1;
  return first + (member - first - width) % width;
}

std::uint32_t parent_of(RankTree tree, std::uint32_t member, std::uint32_t size) {
  switch (tree) {
    case RankTree::linear:
      return 0;
    case RankTree::chain:
      return parent_in_chains(member, size, std::min(kChains, size - 1));
    case RankTree::pipeline:
      return member - 1;
    case RankTree::binary:
      return parent_in_binary(member);
    case RankTree::binomial:
      return member - std::bit_floor(member);
    case RankTree::binomial_runs:
      return member & (member - 1);
  }
  return 0;
}

bool has(const Group& group, Rank rank) {
  return std::binary_search(group.ranks.begin(), group.ranks.end(), rank);
}

}  // namespace

std::vector<std::vector<std::uint32_t>> children_in(RankTree tree, std::uint32_t size) {
  std::vector<std::vector<std::uint32_t>> children(size);
  for (std::uint32_t member = 1; member < size; ++member) {
    const std::uint32_t parent = parent_of(tree, member, size);
    TERRACE_ASSERT(parent < member, tree, member, size);
    children[parent].push_back(member);
  }
  return children;
}

std::vector<Rank> heads_of(const Group& group, Rank head) {
  if (group.children.empty()) return group.ranks;
  std::vector<Rank> heads;
  for (const Group& child : group.children)
    heads.push_back(has(child, head) ? head : child.leader());
  return heads;
}

std::vector<Rank> heads_from(const Group& group, Rank head) {
  std::vector<Rank> heads = heads_of(group, head);
  std::rotate(heads.begin(), std::find(heads.begin(), heads.end(), head), heads.end());
  return heads;
}

}  // namespace terrace
