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

}  // namespace

Hierarchy without_shared_cores(Hierarchy hierarchy) {
  merge_shared_cores(hierarchy.all);
  return hierarchy;
}

}  // namespace terrace
