// SPDX-License-Identifier: BSD-3-Clause
// Removes groups of ranks that share a core.
#include "hierarchy/shared_cores.hpp"

#include <algorithm>

namespace terrace {

namespace {

bool shares_core(const Group& group) {
  return (group.level == "core" || group.level == "pu") && group.ranks.size() > 1 &&
         group.children.empty();
}

void merge_shared_cores(Group& group) {
  if (std::any_of(group.children.begin(), group.children.end(), shares_core))
    group.children.clear();
  for (Group& child : group.children) merge_shared_cores(child);
}

void divide_by_core(Group& group, std::span<const std::uint32_t> cores) {
  for (Group& child : group.children) divide_by_core(child, cores);
  if (!group.children.empty()) return;
  for (const Rank rank : group.ranks) {
    const auto has_its_core = [&](const Group& child) { return child.index == cores[rank]; };
    auto found = std::find_if(group.children.begin(), group.children.end(), has_its_core);
    if (found == group.children.end())
      found = group.children.insert(found, Group{"core", cores[rank], {}, {}});
    found->ranks.push_back(rank);
  }
  if (group.children.size() == 1) group.children.clear();
}

}  // namespace

Hierarchy without_shared_cores(Hierarchy hierarchy) {
  merge_shared_cores(hierarchy.all);
  return hierarchy;
}

Hierarchy with_shared_cores(Hierarchy hierarchy, std::span<const std::uint32_t> cores) {
  TERRACE_ASSERT(cores.size() == hierarchy.rank_count(), cores.size());
  divide_by_core(hierarchy.all, cores);
  return hierarchy;
}

}  // namespace terrace
