// SPDX-License-Identifier: BSD-3-Clause
// Builds the tree of groups from the ranks' localities: descends level by level, and makes a group
// wherever ranks part.
#include "hierarchy/hierarchy.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "base/contract.hpp"

namespace terrace {
namespace {

using Localities = std::span<const Locality>;

constexpr const char* kNode = "node";
constexpr const char* kCore = "core";
constexpr const char* kPu = "pu";

/// Counts the first places that all `ranks` have in common, given that they share `depth`.
std::size_t shared_depth(Localities localities, const std::vector<Rank>& ranks, std::size_t depth) {
  const std::vector<LevelPlace>& first = localities[ranks.front()].places;
  for (;; ++depth)
    for (Rank rank : ranks) {
      const std::vector<LevelPlace>& places = localities[rank].places;
      if (depth == first.size() || depth == places.size() || places[depth] != first[depth])
        return depth;
    }
}

/// The name of what ranks with this path share when no rank outside shares `outer` places of it.
LevelPlace name_of(const std::vector<LevelPlace>& path, std::size_t depth, std::size_t outer) {
  if (depth == 0) return {kJobLevel, 0};
  // One core, no other rank on it: its PU says no more than the core itself.
  if (depth >= outer + 2 && path[depth - 1].level == kPu && path[depth - 2].level == kCore)
    return path[depth - 2];
  return path[depth - 1];
}

struct Parts {
  std::vector<std::vector<Rank>> shared;  ///< ranks that go on together; each list ascending
  std::vector<Rank> stopped;              ///< ranks bound to the resource itself, not inside it
};

Parts part(Localities localities, const std::vector<Rank>& ranks, std::size_t depth) {
  Parts parts;
  std::map<std::pair<std::string, std::uint64_t>, std::size_t> position;
  for (Rank rank : ranks) {
    const std::vector<LevelPlace>& places = localities[rank].places;
    if (depth == places.size()) {
      parts.stopped.push_back(rank);
      continue;
    }
    const auto [found, is_new] =
        position.try_emplace({places[depth].level, places[depth].index}, parts.shared.size());
    if (is_new) parts.shared.emplace_back();
    parts.shared[found->second].push_back(rank);
  }
  return parts;
}

void order_by_leader(std::vector<Group>& groups) {
  std::sort(groups.begin(), groups.end(),
            [](const Group& a, const Group& b) { return a.leader() < b.leader(); });
}

/// The group of `ranks`, whose parent's ranks share `outer` places.
Group group_of(Localities localities, std::vector<Rank> ranks, std::size_t outer) {
  const std::size_t depth = shared_depth(localities, ranks, outer);
  const LevelPlace place = name_of(localities[ranks.front()].places, depth, outer);
  Group group{place.level, place.index, std::move(ranks), {}};
  Parts parts = part(localities, group.ranks, depth);
  if (parts.shared.empty()) return group;
  for (std::vector<Rank>& shared : parts.shared)
    group.children.push_back(group_of(localities, std::move(shared), depth));
  for (Rank rank : parts.stopped) group.children.push_back({group.level, group.index, {rank}, {}});
  order_by_leader(group.children);
  return group;
}

/// Whatever tells nodes apart becomes a number; none at all if there is but one.
template <class Name>
std::vector<std::uint32_t> numbered(const std::vector<Name>& names) {
  std::map<Name, std::uint32_t> numbers;
  std::vector<std::uint32_t> nodes;
  for (const Name& name : names)
    nodes.push_back(
        numbers.try_emplace(name, static_cast<std::uint32_t>(numbers.size())).first->second);
  if (numbers.size() < 2) nodes.clear();
  return nodes;
}

std::vector<std::uint32_t> nodes_of(Localities localities) {
  constexpr std::uint64_t kNowhere = ~std::uint64_t{0};
  std::vector<std::uint64_t> indices;
  for (const Locality& locality : localities) {
    const auto node = std::find_if(locality.places.begin(), locality.places.end(),
                                   [](const LevelPlace& place) { return place.level == kNode; });
    indices.push_back(node == locality.places.end() ? kNowhere : node->index);
  }
  return numbered(indices);
}

std::vector<std::uint32_t> nodes_of(const Hierarchy& whole, std::span<const Rank> members) {
  TERRACE_ASSERT(std::all_of(members.begin(), members.end(),
                             [&](Rank rank) { return rank < whole.rank_count(); }));
  std::vector<std::uint32_t> nodes;
  for (const Rank rank : members)
    if (!whole.nodes.empty()) nodes.push_back(whole.nodes[rank]);
  return numbered(nodes);
}

using Renumbering = std::unordered_map<Rank, Rank>;  ///< rank of the whole -> rank of the result

/// Returns what is left of `group`: without ranks if none of its ranks is a member.
Group restricted(const Group& group, const Renumbering& renumbering) {
  Group result{group.level, group.index, {}, {}};
  for (Rank rank : group.ranks)
    if (const auto found = renumbering.find(rank); found != renumbering.end())
      result.ranks.push_back(found->second);
  std::sort(result.ranks.begin(), result.ranks.end());
  if (result.ranks.empty()) return result;

  bool is_split = false;
  for (const Group& child : group.children) {
    Group left = restricted(child, renumbering);
    if (left.ranks.empty()) continue;
    is_split = is_split || !stops_in(group, child);
    result.children.push_back(std::move(left));
  }
  if (!is_split) result.children.clear();  // only ranks bound to the resource itself are left
  if (result.children.size() == 1) {
    Group child = std::move(result.children.front());
    result.children.clear();
    if (group.level == kCore && child.level == kPu) return result;
    return child;
  }
  order_by_leader(result.children);
  return result;
}

/// Whether a group is as the header says: ranks ascend, and children divide them, ordered by
/// leader.
[[maybe_unused]] bool is_well_formed(const Group& group) {
  std::vector<Rank> all;
  for (const Group& child : group.children) {
    if (child.ranks.empty() || child.ranks.size() >= group.ranks.size()) return false;
    if (!all.empty() && child.leader() < group.children.front().leader()) return false;
    if (!is_well_formed(child)) return false;
    all.insert(all.end(), child.ranks.begin(), child.ranks.end());
  }
  std::sort(all.begin(), all.end());
  return std::is_sorted(group.ranks.begin(), group.ranks.end()) &&
         (group.children.empty() || all == group.ranks);
}

std::uint32_t depth_of(const Group& group) {
  std::uint32_t depth = 0;
  for (const Group& child : group.children) depth = std::max(depth, 1 + depth_of(child));
  return depth;
}

void append_at(const Group& group, std::uint32_t depth, std::vector<Group>& all) {
  if (depth == 0 || group.children.empty()) {
    all.push_back({group.level, group.index, group.ranks, {}});
    return;
  }
  for (const Group& child : group.children) append_at(child, depth - 1, all);
}

void write(const Group& group, std::size_t indent, std::string& text) {
  text.append(indent, ' ');
  text += group.level + ' ' + std::to_string(group.index) + ':';
  for (std::size_t i = 0; i < group.ranks.size(); ++i) {
    std::size_t last = i;  // of a run of neighbours
    while (last + 1 < group.ranks.size() && group.ranks[last + 1] == group.ranks[last] + 1) ++last;
    text += ' ' + std::to_string(group.ranks[i]);
    if (last > i) text += '-' + std::to_string(group.ranks[last]);
    i = last;
  }
  text += '\n';
  for (const Group& child : group.children) write(child, indent + 2, text);
}

}  // namespace

Hierarchy hierarchy_of(std::span<const Locality> localities) {
  if (localities.empty()) return flat_hierarchy(0);
  std::vector<Rank> ranks(localities.size());
  std::iota(ranks.begin(), ranks.end(), Rank{0});
  Hierarchy made{group_of(localities, std::move(ranks), 0), nodes_of(localities)};
  TERRACE_ASSERT(is_well_formed(made.all));
  return made;
}

bool stops_in(const Group& parent, const Group& child) {
  return child.ranks.size() == 1 && child.level == parent.level && child.index == parent.index;
}

Hierarchy flat_hierarchy(Rank rank_count) {
  std::vector<Rank> ranks(rank_count);
  std::iota(ranks.begin(), ranks.end(), Rank{0});
  return {{kJobLevel, 0, std::move(ranks), {}}, {}};
}

Hierarchy hierarchy_of_runs(Rank rank_count) {
  constexpr Rank kMostInRun = 8;  // what a reduction reads side by side
  Hierarchy hierarchy = flat_hierarchy(rank_count);
  const std::vector<Rank>& all = hierarchy.all.ranks;
  const Rank runs = (rank_count + kMostInRun - 1) / kMostInRun;
  for (Rank run = 0; run < runs && runs > 1; ++run) {
    const auto begin = [&](Rank of) {
      return all.begin() + std::ptrdiff_t{rank_count} * of / runs;
    };
    hierarchy.all.children.push_back({kRunLevel, run, {begin(run), begin(run + 1)}, {}});
  }
  return hierarchy;
}

Hierarchy restrict_to(const Hierarchy& whole, std::span<const Rank> members) {
  Renumbering renumbering;
  for (std::size_t i = 0; i < members.size(); ++i)
    renumbering.emplace(members[i], static_cast<Rank>(i));
  Hierarchy made{restricted(whole.all, renumbering), nodes_of(whole, members)};
  TERRACE_ASSERT(is_well_formed(made.all) && made.rank_count() == members.size());
  return made;
}

std::uint32_t depth_of(const Hierarchy& hierarchy) {
  return depth_of(hierarchy.all);
}

Hierarchy with_one_depth(const Hierarchy& whole, std::uint32_t depth) {
  if (depth == 0 || whole.all.children.empty()) return whole;
  Hierarchy result{{whole.all.level, whole.all.index, whole.all.ranks, {}}, whole.nodes};
  append_at(whole.all, depth, result.all.children);
  order_by_leader(result.all.children);
  TERRACE_ASSERT(is_well_formed(result.all), depth);
  return result;
}

std::string to_text(const Hierarchy& hierarchy) {
  std::string text;
  write(hierarchy.all, 0, text);
  return text;
}

}  // namespace terrace
