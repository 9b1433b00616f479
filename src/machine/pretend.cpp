// SPDX-License-Identifier: BSD-3-Clause
// Reads the three variables of a pretended machine and places ranks on it.
#include "machine/pretend.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "base/number.hpp"
#include "os/binding.hpp"

namespace terrace {
namespace {

constexpr const char* kMachine = "TERRACE_MACHINE";
constexpr const char* kNodes = "TERRACE_NODES";
constexpr const char* kBind = "TERRACE_BIND";
constexpr const char* kNotBound = "none";

/// The node that a rank is on, and its index among that node's ranks.
struct LocalRank {
  std::uint32_t node = 0;
  std::uint32_t position = 0;
};

std::optional<std::string> value_of(const Environment& environment, const char* name) {
  std::optional<std::string> value = environment(name);
  return value && value->empty() ? std::nullopt : value;
}

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> entries;
  for (std::size_t comma; (comma = text.find(',')) != std::string_view::npos;) {
    entries.push_back(text.substr(0, comma));
    text.remove_prefix(comma + 1);
  }
  entries.push_back(text);
  return entries;
}

/// Ranks per node for a number of nodes: blocks as equal as can be. No more nodes than ranks, so
/// that a typing error does not ask for gigabytes.
std::vector<std::uint32_t> equal_blocks(std::uint32_t node_count, Rank rank_count) {
  std::vector<std::uint32_t> blocks(std::min(node_count, rank_count));
  for (std::size_t node = 0; node < blocks.size(); ++node)
    blocks[node] = static_cast<std::uint32_t>(rank_count / blocks.size() +
                                              (node < rank_count % blocks.size() ? 1 : 0));
  return blocks;
}

Result<std::vector<std::uint32_t>> ranks_per_node(const Environment& environment, Rank rank_count) {
  const std::optional<std::string> text = value_of(environment, kNodes);
  if (!text) return std::vector<std::uint32_t>{rank_count};
  std::vector<std::uint32_t> counts;
  std::uint64_t sum = 0;
  for (std::string_view entry : split(*text)) {
    const auto count = number_from_text(entry, 1u);
    if (!count)
      return Error{ErrorCode::argument, std::string(kNodes) + " is '" + *text +
                                            "': expected a number of nodes, as in 2, or the ranks "
                                            "of each node, as in 4,4,2"};
    counts.push_back(*count);
    sum += *count;
  }
  if (counts.size() == 1) return equal_blocks(counts.front(), rank_count);
  if (sum != rank_count)
    return Error{ErrorCode::argument, std::string(kNodes) + " is '" + *text + "', which is " +
                                          std::to_string(sum) + " ranks: expected " +
                                          std::to_string(rank_count)};
  return counts;
}

Result<std::vector<LocalRank>> local_ranks_of(const Environment& environment, Rank rank_count) {
  Result<std::vector<std::uint32_t>> counts = ranks_per_node(environment, rank_count);
  if (!counts) return counts.error();
  std::vector<LocalRank> ranks;
  for (std::uint32_t node = 0; node < counts.value().size(); ++node)
    for (std::uint32_t position = 0; position < counts.value()[node]; ++position)
      ranks.push_back({node, position});
  return ranks;
}

/// The binding of the rank in each position under a level, for as many positions as differ.
Result<std::vector<PuSet>> bindings_by_level(const Machine& machine, const std::string& level) {
  std::vector<const Resource*> places = resources_at(machine, level == "pu" ? "pu" : "core");
  if (places.empty()) places = resources_at(machine, "pu");  // some virtual machines hide cores
  std::vector<PuSet> bindings;
  for (const Resource* place : places) {
    const Resource* around = level == "core" ? place : nullptr;
    for (const Resource* resource : resources_at(machine, level))
      if (resource->pus.contains(place->pus)) around = resource;
    if (around == nullptr) {
      std::string levels;
      for (const std::string& one : levels_of(machine)) levels += one + ", ";
      return Error{ErrorCode::argument, std::string(kBind) + " is '" + level +
                                            "': expected a level that each core of the machine "
                                            "lies in (" +
                                            levels + "none), or PUs for each rank, as in 0,1,2-3"};
    }
    bindings.push_back(around->pus);
  }
  return bindings;
}

Result<std::vector<PuSet>> bindings_by_list(const Machine& machine, const std::string& text,
                                            Rank rank_count) {
  const std::vector<std::string_view> entries = split(text);
  if (entries.size() != rank_count)
    return Error{ErrorCode::argument, std::string(kBind) + " is '" + text + "', which binds " +
                                          std::to_string(entries.size()) + " ranks: expected " +
                                          std::to_string(rank_count)};
  std::vector<PuSet> bindings;
  for (std::string_view entry : entries) {
    if (entry == kNotBound) {
      bindings.push_back(machine.node.pus);
      continue;
    }
    const std::string rank = "rank " + std::to_string(bindings.size());
    Result<PuSet> pus = pu_set_from_text(entry, '+');
    if (!pus)
      return Error{ErrorCode::argument, kBind + (", " + rank) + ": " + pus.error().sentence};
    if (!machine.node.pus.contains(pus.value()))
      return Error{ErrorCode::argument, kBind + (" binds " + rank) + " to PU " +
                                            std::string(entry) + ": expected PUs of " +
                                            machine.origin + ", " + to_text(machine.node.pus)};
    bindings.push_back(std::move(pus).value());
  }
  return bindings;
}

bool is_list(const std::string& text) {
  return text.find(',') != std::string::npos || (text.front() >= '0' && text.front() <= '9');
}

/// The bindings of all ranks as the variables want them.
Result<std::vector<PuSet>> pretended_bindings(const Machine& machine, const std::string& text,
                                              const std::vector<LocalRank>& ranks) {
  if (text == kNotBound) return std::vector<PuSet>(ranks.size(), machine.node.pus);
  if (is_list(text)) return bindings_by_list(machine, text, static_cast<Rank>(ranks.size()));
  Result<std::vector<PuSet>> by_position = bindings_by_level(machine, text);
  if (!by_position) return by_position.error();
  std::vector<PuSet> bindings;
  for (const LocalRank& rank : ranks)
    bindings.push_back(by_position.value()[rank.position % by_position.value().size()]);
  return bindings;
}

Result<std::vector<PuSet>> bindings_of(const Machine& machine, const Environment& environment,
                                       const std::vector<LocalRank>& ranks) {
  const std::optional<std::string> text = value_of(environment, kBind);
  if (text) return pretended_bindings(machine, *text, ranks);
  if (!machine.is_this_machine) return pretended_bindings(machine, "core", ranks);
  Result<PuSet> real = binding_of_this_thread();
  if (!real) return real.error();
  return std::vector<PuSet>(ranks.size(), real.value());
}

}  // namespace

Environment process_environment() {
  return [](const std::string& name) -> std::optional<std::string> {
    const char* value = std::getenv(name.c_str());
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
  };
}

std::string announcement_of(const Environment& environment) {
  const std::optional<std::string> machine = value_of(environment, kMachine);
  const std::optional<std::string> nodes = value_of(environment, kNodes);
  const std::optional<std::string> bind = value_of(environment, kBind);
  std::string reasons;
  const auto add = [&](const std::string& what, const char* variable) {
    if (!reasons.empty()) reasons += ", ";
    reasons += what + " because " + variable + " is set";
  };
  if (machine) add("on the machine \"" + *machine + '"', kMachine);
  if (nodes) add("on nodes " + *nodes, kNodes);
  if (bind) add("bound to " + *bind, kBind);
  return reasons.empty() ? "" : "terrace: pretending to be " + reasons;
}

Result<Machine> machine_of(const Environment& environment) {
  const std::optional<std::string> description = value_of(environment, kMachine);
  if (!description) return read_this_machine();
  Result<Machine> machine = read_machine(*description);
  if (!machine)
    return Error{machine.error().code, std::string(kMachine) + ": " + machine.error().sentence};
  return machine;
}

Result<std::vector<Locality>> localities_on(const Machine& machine, const Environment& environment,
                                            Rank rank_count, Locate* locate) {
  const Result<std::vector<LocalRank>> ranks = local_ranks_of(environment, rank_count);
  if (!ranks) return ranks.error();
  const Result<std::vector<PuSet>> bindings = bindings_of(machine, environment, ranks.value());
  if (!bindings) return bindings.error();
  std::vector<Locality> localities;
  for (Rank rank = 0; rank < rank_count; ++rank)
    localities.push_back(locate(machine, bindings.value()[rank], ranks.value()[rank].node));
  return localities;
}

Result<std::vector<Locality>> localities_of_ranks(const Environment& environment, Rank rank_count) {
  const Result<Machine> machine = machine_of(environment);
  if (!machine) return machine.error();
  return localities_on(machine.value(), environment, rank_count);
}

Result<Locality> locality_of_rank(const Machine& machine, const Environment& environment, Rank rank,
                                  Rank rank_count) {
  if (rank >= rank_count)
    return Error{ErrorCode::argument, "there is no rank " + std::to_string(rank) + " among " +
                                          std::to_string(rank_count) +
                                          ": expected one below that number"};
  const Result<std::vector<Locality>> localities = localities_on(machine, environment, rank_count);
  if (!localities) return localities.error();
  return localities.value()[rank];
}

}  // namespace terrace
