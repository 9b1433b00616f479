// SPDX-License-Identifier: BSD-3-Clause
// Splits ranks by their localities: to the next level by the hierarchy, to a named level directly.
#include "communicators/split.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/contract.hpp"
#include "base/number.hpp"

namespace terrace::communicators {
namespace {

std::size_t node_at(const std::vector<LevelPlace>& places) {
  return static_cast<std::size_t>(
      std::find_if(places.begin(), places.end(),
                   [](const LevelPlace& place) { return place.level == kNode; }) -
      places.begin());
}

bool holds(const Group& group, Rank rank) {
  return std::binary_search(group.ranks.begin(), group.ranks.end(), rank);
}

/// The one that a rank is in, among its siblings.
std::optional<SplitStep> step_below(const Group& group, Rank rank) {
  const std::vector<const Group*> children = finer_children(group);
  for (std::size_t i = 0; i < children.size(); ++i)
    if (holds(*children[i], rank))
      return SplitStep{children[i], static_cast<int>(i), static_cast<int>(children.size())};
  return std::nullopt;
}

int height_of(const Group& group) {
  if (group.ranks.size() == 1) return 0;
  int height = 0;
  for (const Group& child : group.children) height = std::max(height, height_of(child));
  return height + 1;
}

/// Below a torus is the slice of it that a rank is in, of this dimension, and nothing else.
void put_in_slices(std::vector<Locality>& localities, std::span<const std::uint64_t> coordinates,
                   const std::string& level) {
  for (Rank rank = 0; rank < localities.size() && rank < coordinates.size(); ++rank) {
    std::vector<LevelPlace>& places = localities[rank].places;
    const auto torus = std::find_if(places.rbegin(), places.rend(),
                                    [](const LevelPlace& place) { return place.level == "torus"; });
    places.erase(torus.base(), places.end());
    if (!places.empty() && coordinates[rank] != 0) places.push_back({level, coordinates[rank]});
  }
}

std::vector<Child> next_level(std::span<const Locality> localities) {
  const Hierarchy hierarchy = hierarchy_of(localities);
  std::vector<Child> children;
  for (const Group* group : finer_children(hierarchy.all))
    children.push_back({group->level, group->ranks});
  return children;
}

}  // namespace

std::vector<Locality> within(Scope scope, std::span<const Locality> localities) {
  std::vector<Locality> result(localities.begin(), localities.end());
  if (scope == Scope::whole) return result;
  for (Locality& locality : result) {
    std::vector<LevelPlace>& places = locality.places;
    const std::size_t node = node_at(places);
    if (node == places.size()) continue;
    const auto at = places.begin() + static_cast<std::ptrdiff_t>(node);
    if (scope == Scope::network)
      places.erase(at + 1, places.end());
    else
      places.erase(places.begin(), at);
  }
  return result;
}

std::optional<std::size_t> torus_dimension(std::string_view level) {
  constexpr std::string_view kPrefix = "torus_dimension:";
  if (!level.starts_with(kPrefix)) return std::nullopt;
  return number_from_text<std::size_t>(level.substr(kPrefix.size()), 1);
}

std::vector<Child> split(std::span<const Locality> localities, const SplitRequest& request,
                         std::span<const std::uint64_t> coordinates) {
  std::vector<Locality> counted = within(request.scope, localities);
  if (request.level.empty()) return next_level(counted);
  if (torus_dimension(request.level)) put_in_slices(counted, coordinates, request.level);
  std::vector<Child> children = instances_of(counted, request.level);
  std::erase_if(children, [&](const Child& child) { return child.ranks.size() == counted.size(); });
  return children;
}

/// Ranks whose paths are equal up to the last place of that level belong together. (Groups of
/// hwloc's may lie inside each other: the inner one counts.)
std::vector<Child> instances_of(std::span<const Locality> localities, const std::string& level) {
  std::map<std::vector<std::pair<std::string, std::uint64_t>>, std::vector<Rank>> by_path;
  for (Rank rank = 0; rank < localities.size(); ++rank) {
    const std::vector<LevelPlace>& places = localities[rank].places;
    std::size_t end = places.size();
    while (end > 0 && places[end - 1].level != level) --end;
    if (end == 0) continue;
    std::vector<std::pair<std::string, std::uint64_t>> path;
    for (std::size_t i = 0; i < end; ++i) path.emplace_back(places[i].level, places[i].index);
    by_path[std::move(path)].push_back(rank);
  }
  std::vector<Child> children;
  for (auto& [path, ranks] : by_path) children.push_back({level, std::move(ranks)});
  std::sort(children.begin(), children.end(),
            [](const Child& a, const Child& b) { return a.ranks.front() < b.ranks.front(); });
  return children;
}

std::vector<const Group*> finer_children(const Group& group) {
  std::vector<const Group*> children;
  for (const Group& child : group.children)
    if (!stops_in(group, child)) children.push_back(&child);
  return children;
}

std::vector<SplitStep> way_to(const Hierarchy& hierarchy, Rank rank) {
  std::vector<SplitStep> way;
  const Group* group = &hierarchy.all;
  while (const std::optional<SplitStep> step = step_below(*group, rank)) {
    way.push_back(*step);
    group = step->group;
  }
  return way;
}

int distance(const Hierarchy& hierarchy, Rank a, Rank b) {
  if (a == b) return 0;
  const Group* group = &hierarchy.all;
  for (std::optional<SplitStep> step = step_below(*group, a); step && holds(*step->group, b);
       step = step_below(*group, a))
    group = step->group;
  return height_of(*group);
}

std::string shared_level(std::span<const Locality> localities, std::span<const Rank> ranks) {
  std::vector<Locality> theirs;
  for (const Rank rank : ranks) theirs.push_back(localities[rank]);
  TERRACE_ASSERT(!theirs.empty());
  return hierarchy_of(theirs).all.level;
}

}  // namespace terrace::communicators
