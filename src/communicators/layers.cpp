// SPDX-License-Identifier: BSD-3-Clause
// Walks down the hierarchy breadth first, and explains it in words.
#include "communicators/layers.hpp"

#include <algorithm>
#include <utility>

#include "base/contract.hpp"
#include "communicators/names.hpp"

namespace terrace::communicators {
namespace {

std::string rank_text(Rank rank) {
  return "rank " + std::to_string(rank);
}

std::string level_text(std::size_t level, const Group& group) {
  return "level " + std::to_string(level) + " (" + type_of(group.level) + ')';
}

std::vector<Rank> without(const std::vector<Rank>& ranks, Rank rank) {
  std::vector<Rank> others = ranks;
  std::erase(others, rank);
  return others;
}

bool stops_at_node(const Locality& locality) {
  return !locality.places.empty() && locality.places.back().level == kNode;
}

/// The network's levels, and the job.
bool is_above_nodes(const Group& group) {
  return uri_of(group.level) == type_of(group.level);
}

/// "Core 0 of Machine 3" where the parent does not say which machine that is.
std::string full_name(const Group& parent, const Group& group, const Locality& locality) {
  if (is_above_nodes(group)) return "the same " + name_of(group);
  if (!is_above_nodes(parent) || group.level == kNode) return name_of(group);
  for (const LevelPlace& place : locality.places)
    if (place.level == kNode)
      return name_of(group) + " of " + type_of(kNode) + ' ' + std::to_string(place.index);
  return name_of(group);
}

/// On a rank that is in `group` at a level.
std::string why_there(const Group& parent, const Group& group, Rank rank, std::size_t level,
                      const Locality& locality) {
  const std::vector<Rank> others = without(group.ranks, rank);
  const std::string name = full_name(parent, group, locality);
  if (!others.empty())
    return rank_text(rank) + " is with " + ranks_text(others) + " at " + level_text(level, group) +
           ": of all ranks that share " + name_of(parent) + ", these lie in " + name;
  return rank_text(rank) + " is alone at " + level_text(level, group) + ": of the ranks " +
         ranks_text(parent.ranks) + ", which share " + name_of(parent) + ", no other lies in " +
         name;
}

/// On a rank that is in `last`, and in nothing within it.
std::string why_no_further(const Group& last, const Locality& locality) {
  if (last.ranks.size() == 1)
    return "it is alone in " + name_of(last) + ", and one rank cannot be divided";
  if (stops_at_node(locality)) return "it is not bound, so it may run anywhere on " + name_of(last);
  if (finer_children(last).empty())
    return "the ranks " + ranks_text(last.ranks) + " are all bound to " + name_of(last) +
           ", so nothing divides them";
  return "its binding reaches beyond each of the parts that divide " + name_of(last) +
         " for the others";
}

bool is_in_one(const Locality& locality, const std::string& level) {
  return std::any_of(locality.places.begin(), locality.places.end(),
                     [&](const LevelPlace& place) { return place.level == level; });
}

std::string why_level_divides_nothing(std::span<const Locality> localities,
                                      const std::string& level) {
  if (const auto dimension = torus_dimension(level))
    return "all ranks have the same coordinate in dimension " + std::to_string(*dimension) +
           " of a torus, or are in none of the network that is known";
  const std::string type = type_of(level);
  const bool is_known = std::any_of(localities.begin(), localities.end(),
                                    [&](const Locality& one) { return is_in_one(one, level); });
  if (is_known) return "all ranks are in the same " + type + ", which is no strict subset";
  return "no rank is bound within one " + type + " that is known";
}

}  // namespace

std::string Layer::type() const {
  std::vector<std::string> types;
  for (const Group* group : groups)
    if (const std::string type = type_of(group->level);
        std::find(types.begin(), types.end(), type) == types.end())
      types.push_back(type);
  std::string text;
  for (const std::string& type : types) text += (text.empty() ? "" : ", ") + type;
  return text;
}

std::vector<Layer> layers_of(const Hierarchy& hierarchy) {
  std::vector<Layer> layers;
  for (std::vector<const Group*> parents = {&hierarchy.all};;) {
    Layer layer;
    for (const Group* parent : parents) {
      const std::vector<const Group*> children = finer_children(*parent);
      if (children.empty()) continue;
      std::vector<Rank> roots;
      for (const Group* child : children) roots.push_back(child->leader());
      layer.roots.push_back(std::move(roots));
      layer.groups.insert(layer.groups.end(), children.begin(), children.end());
    }
    if (layer.groups.empty()) return layers;
    parents = layer.groups;
    layers.push_back(std::move(layer));
  }
}

std::string name_of(const Group& group) {
  const std::string type = type_of(group.level);
  return is_above_nodes(group) ? type : type + ' ' + std::to_string(group.index);
}

std::string ranks_text(std::span<const Rank> ranks) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    std::size_t last = i;  // of a run of neighbours
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    text += (text.empty() ? "" : " ") + std::to_string(ranks[i]);
    if (last > i) text += '-' + std::to_string(ranks[last]);
    i = last;
  }
  return text;
}

std::string why(const Hierarchy& hierarchy, std::span<const Locality> localities, Rank rank,
                std::optional<std::size_t> level) {
  const std::vector<SplitStep> way = way_to(hierarchy, rank);
  const auto alone = static_cast<std::size_t>(
      std::find_if(way.begin(), way.end(),
                   [](const SplitStep& step) { return step.group->ranks.size() == 1; }) -
      way.begin());
  const std::size_t asked = level.value_or(alone + 1);
  TERRACE_ASSERT(asked >= 1 && rank < localities.size(), asked, rank);
  if (asked <= way.size()) {
    const Group& parent = asked == 1 ? hierarchy.all : *way[asked - 2].group;
    return why_there(parent, *way[asked - 1].group, rank, asked, localities[rank]);
  }
  const Group& last = way.empty() ? hierarchy.all : *way.back().group;
  return rank_text(rank) + " is in no group of level " + std::to_string(asked) + ": " +
         why_no_further(last, localities[rank]);
}

std::string why_undivided(std::span<const Locality> localities, const SplitRequest& request) {
  if (localities.size() == 1) return "there is one rank, which cannot be divided";
  if (!request.level.empty()) return why_level_divides_nothing(localities, request.level);
  const Group all = hierarchy_of(within(request.scope, localities)).all;
  if (request.scope == Scope::network) return "all ranks are on one node";
  if (stops_at_node(localities.front()))
    return "all ranks are on one node and not bound, so each may run anywhere on it (mpirun "
           "--bind-to core binds)";
  return "all ranks are bound to " + name_of(all) + ", so nothing divides them";
}

}  // namespace terrace::communicators
