// SPDX-License-Identifier: BSD-3-Clause
// Reads graphs from words and files. See graph_call.hpp.
#include "graph_call.hpp"

#include <CLI/CLI.hpp>

#include "base/bytes.hpp"
#include "base/paths.hpp"
#include "base/text_file.hpp"
#include "collectives/graph_text.hpp"
#include "placement_options.hpp"
#include "written_plan.hpp"

namespace terrace {

namespace {

/// "neighbour_allgather.pull and neighbour_alltoall.pull".
std::string names_of_all() {
  std::string names;
  for (const GraphAlgorithm& row : graph_algorithms())
    names += (names.empty() ? "" : " and ") + std::string(row.name);
  return names;
}

/// Refuses a name that a graph is given for.
[[noreturn]] void refuse_name(const std::string& name, const Verb& verb) {
  for (const GraphAlgorithm& row : graph_algorithms())
    if (name == to_text(row.collective))
      verb.refuse("'" + name + "' is a collective: expected " + std::string(row.name));
  const bool is_known = find_algorithm(name) != nullptr || is_there(name);
  verb.refuse((is_known ? "" : "'" + name + "' is no algorithm (terrace plan --list): ") +
              "--graph is for " + names_of_all());
}

std::vector<EdgesOfRank> graph_of(const std::string& text, Rank most_ranks, const Verb& verb) {
  if (names_grid(text))
    return verb.value(grid_from_text(text, most_ranks), "--graph '" + text + "'");
  if (!is_there(text)) verb.refuse("--graph '" + text + "' given, expected " + kGraphForms);
  const auto lines = read_text_file(text, kMostGraphBytes);
  if (!lines) verb.refuse("--graph " + lines.error().sentence + ", expected " + kGraphForms);
  return verb.value(graph_from_lines(lines.value(), most_ranks), text);
}

}  // namespace

void add_graph_option(CLI::App& verb, std::string& graph, Rank most_ranks) {
  verb.add_option("--graph", graph,
                  std::string("who gives blocks to whom in a neighbourhood collective: ") +
                      kGraphForms + "; up to " + std::to_string(most_ranks) + " ranks, and " +
                      bytes_text(kMostGraphBytes) + " of text");
}

bool runs_on_graph(const std::string& name, const GraphOptions& options, const Verb& verb) {
  const bool has_graph = !options.graph.empty();
  if (find_graph_algorithm(name) != nullptr) {
    if (!has_graph) verb.refuse(name + " runs on a graph: expected --graph with " + kGraphForms);
    return true;
  }
  if (has_graph) refuse_name(name, verb);
  return false;
}

GraphCall call_on_graph(const std::string& name, const GraphOptions& options, Rank most_ranks,
                        const Verb& verb) {
  GraphCall call;
  call.row = find_graph_algorithm(name);
  const std::vector<EdgesOfRank> graph = graph_of(options.graph, most_ranks, verb);
  call.ranks = static_cast<Rank>(graph.size());
  if (!options.ranks.empty() && number_of(options.ranks, "--ranks", 1, most_ranks) != call.ranks)
    verb.refuse("--ranks " + options.ranks + " given, and the graph has " +
                std::to_string(call.ranks) + ": leave --ranks out");
  call.edges = verb.value(edges_of(graph), "--graph '" + options.graph + "'");
  return call;
}

Plan plan_of(const GraphCall& call, const std::string& lowering, const Verb& verb) {
  switch (lowering_from(lowering, verb)) {
    case Lowering::none:
      return call.written();
    case Lowering::owner:
      return verb.value(lower_neighbours(call.written()));
    case Lowering::lines:
      break;
  }
  verb.refuse("--lower lines given: blocks along edges go through exposed buffers, expected owner");
}

void refuse_with_graph(const char* option, const Verb& verb) {
  verb.refuse(option + std::string(" means nothing to the plan of a graph: leave it out"));
}

void refuse_with_graph(const CLI::App& verb, std::initializer_list<const char*> options,
                       const Verb& refusals) {
  for (const char* option : options)
    if (verb.count(option) > 0) refuse_with_graph(option, refusals);
}

}  // namespace terrace
