// SPDX-License-Identifier: BSD-3-Clause
// Builds the paper's machines and ranks, and splits them by Terrace's rules.
#include "papers/splitting.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "communicators/layers.hpp"
#include "communicators/split.hpp"
#include "hierarchy/hierarchy.hpp"
#include "machine/pretend.hpp"

namespace terrace::papers {
namespace {

/// Two NUMA nodes of one package and L3 each; an L2 and an L1 for each pair of cores.
constexpr const char* kFigure1 = "pack:2 [numa] l3:1 l2:2 l1:1 core:2 pu:1";

Result<std::vector<Locality>> localities(const char* node, std::uint32_t ranks,
                                         const std::string& nodes, const std::string& bindings) {
  const Result<Machine> machine = read_machine_synthetic(node);
  if (!machine) return machine.error();
  const std::map<std::string, std::string> set = {{"TERRACE_NODES", nodes},
                                                  {"TERRACE_BIND", bindings}};
  const Environment environment = [&](const std::string& name) -> std::optional<std::string> {
    const auto found = set.find(name);
    return found == set.end() ? std::nullopt : std::optional(found->second);
  };
  return localities_on(machine.value(), environment, ranks);
}

/// Each node below the switch that has it.
void add_switches(const std::vector<std::uint32_t>& nodes_of_switches,
                  std::vector<Locality>& localities) {
  if (nodes_of_switches.empty()) return;
  for (Locality& locality : localities) {
    std::uint64_t node = locality.places.front().index, of_switch = 0;
    while (node >= nodes_of_switches[of_switch]) node -= nodes_of_switches[of_switch++];
    locality.places.insert(locality.places.begin(), LevelPlace{"Switch", of_switch});
  }
}

std::string join(const std::vector<std::string>& words, const char* between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

std::string text_of(const std::vector<std::vector<Rank>>& groups) {
  std::vector<std::string> words;
  for (const std::vector<Rank>& ranks : groups) words.push_back(communicators::ranks_text(ranks));
  return join(words, " | ");
}

/// The ranks of each group of a step, and the roots of each parent.
struct SplittingStep {
  std::string groups, roots;
};

std::vector<SplittingStep> steps_of(const Hierarchy& hierarchy) {
  std::vector<SplittingStep> steps;
  for (const communicators::Layer& layer : communicators::layers_of(hierarchy)) {
    std::vector<std::vector<Rank>> groups;
    for (const Group* group : layer.groups) groups.push_back(group->ranks);
    steps.push_back({text_of(groups), text_of(layer.roots)});
  }
  return steps;
}

/// In what a step differs from the paper's; "" if in nothing.
std::string difference(const Example& example, const std::vector<SplittingStep>& steps) {
  if (steps.size() != example.groups.size())
    return std::to_string(steps.size()) + " steps instead of " +
           std::to_string(example.groups.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].groups != example.groups[i])
      return "step " + std::to_string(i + 1) + " makes " + steps[i].groups;
    if (steps[i].roots != example.roots[i])
      return "step " + std::to_string(i + 1) + " has the roots " + steps[i].roots;
  }
  return "";
}

std::string runs(Rank ranks, Rank length) {
  std::vector<std::vector<Rank>> groups;
  for (Rank first = 0; first < ranks; first += length) {
    groups.emplace_back();
    for (Rank rank = first; rank < first + length; ++rank) groups.back().push_back(rank);
  }
  return text_of(groups);
}

}  // namespace

const std::vector<Platform>& platforms() {
  static const std::vector<Platform> all = {
      {"SMP12E5", "group:6 pack:2 [numa] l3:1 core:8 pu:2", 1, {}, 96, 3},
      {"SMP20E7", "group:10 pack:2 [numa] l3:1 core:8 pu:1", 1, {}, 160, 3},
      {"NTW10E5", "pack:2 group:2 [numa] l3:1 core:6 pu:1", 10, {}, 240, 4},
      {"NTW24E5", "pack:2 group:2 [numa] l3:1 core:6 pu:1", 24, {12, 6, 4, 2}, 576, 5},
  };
  return all;
}

const std::vector<Platform>& nodes_of_hpdc13() {
  static const std::vector<Platform> all = {
      {"Westmere", "pack:2 [numa] l3:1 l2:6 core:1 pu:1", 1, {}, 12, 2},
      {"Magny-Cours", "pack:4 [numa] l3:1 l2:8 core:1 pu:1", 1, {}, 32, 2},
  };
  return all;
}

Result<std::vector<std::uint32_t>> programs_of(const Platform& platform) {
  const std::string nodes = platform.nodes > 1 ? std::to_string(platform.nodes) : "";
  auto ranks = localities(platform.node, platform.cores, nodes, "core");
  if (!ranks) return ranks.error();
  std::vector<Locality> places = std::move(ranks).value();
  add_switches(platform.switches, places);
  const Hierarchy hierarchy = hierarchy_of(places);
  std::vector<std::uint32_t> parts;
  for (const communicators::Layer& layer : communicators::layers_of(hierarchy)) {
    std::size_t most = 0;
    for (const std::vector<Rank>& roots : layer.roots) most = std::max(most, roots.size());
    parts.push_back(static_cast<std::uint32_t>(most));
  }
  return parts;
}

const std::vector<Example>& examples() {
  static const std::vector<Example> all = {
      {"5.1",
       32,
       "4",
       "core",
       {runs(32, 8), runs(32, 4), runs(32, 2), runs(32, 1)},
       {"0 8 16 24", "0 4 | 8 12 | 16 20 | 24 28",
        "0 2 | 4 6 | 8 10 | 12 14 | 16 18 | 20 22 | 24 26 | 28 30", runs(32, 2)}},
      {"5.2",
       8,
       "",
       "0,1,2+3,2+3,4-7,4-7,4-7,4-7",
       {"0-3 | 4-7", "0-1 | 2-3", "0 | 1"},
       {"0 4", "0 2", "0-1"}},
  };
  return all;
}

ClaimAnswer levels_of_platforms(const std::vector<Platform>& all) {
  bool holds = true;
  std::vector<std::string> words;
  for (const Platform& platform : all) {
    const auto parts = programs_of(platform);
    if (!parts) return {ClaimVerdict::not_reproduced, parts.error().sentence};
    holds = holds && parts.value().size() == platform.levels;
    std::vector<std::string> sizes;
    for (const std::uint32_t size : parts.value()) sizes.push_back(std::to_string(size));
    words.push_back(std::string(platform.name) + " " + std::to_string(sizes.size()) +
                    " levels of up to " + join(sizes, " x ") + " parts, " +
                    std::to_string(platform.cores) + " cores");
  }
  return {holds ? ClaimVerdict::reproduced : ClaimVerdict::not_reproduced, join(words, ", ")};
}

ClaimAnswer splits_of_examples(const std::vector<Example>& all) {
  std::vector<std::string> words;
  bool holds = true;
  for (const Example& example : all) {
    const auto ranks = localities(kFigure1, example.ranks, example.nodes, example.bindings);
    if (!ranks) return {ClaimVerdict::not_reproduced, ranks.error().sentence};
    const std::vector<SplittingStep> steps = steps_of(hierarchy_of(ranks.value()));
    const std::string other = difference(example, steps);
    holds = holds && other.empty();
    words.push_back("section " + std::string(example.section) + ": " +
                    (other.empty() ? "all " + std::to_string(steps.size()) +
                                         " steps with groups and roots as printed, then none"
                                   : other));
  }
  return {holds ? ClaimVerdict::reproduced : ClaimVerdict::not_reproduced, join(words, "; ")};
}

}  // namespace terrace::papers
