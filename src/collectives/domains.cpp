// SPDX-License-Identifier: BSD-3-Clause
// Lists of ranks that several algorithms use.
#include "collectives/domains.hpp"

namespace terrace {

std::vector<std::vector<Rank>> domains_of(const Hierarchy& hierarchy) {
  std::vector<std::vector<Rank>> domains;
  for (const Group& child : hierarchy.all.children) domains.push_back(child.ranks);
  if (domains.empty()) domains.push_back(hierarchy.all.ranks);
  return domains;
}

std::vector<Rank> others_from(const std::vector<Rank>& ranks, Rank rank) {
  std::vector<Rank> result;
  for (Rank other : ranks)
    if (other > rank) result.push_back(other);
  for (Rank other : ranks)
    if (other < rank) result.push_back(other);
  return result;
}

void keep_own_blocks(PlanBuilder& plan, const std::vector<Rank>& ranks) {
  for (Rank rank : ranks) plan.copy(rank, input(rank, rank), output(rank, rank));
}

}  // namespace terrace
