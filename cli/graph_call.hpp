// SPDX-License-Identifier: BSD-3-Clause
// Neighbourhood collectives in subcommands: the plan's name, and the graph that --graph describes.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

#include "collectives/neighbours.hpp"
#include "refusals.hpp"

namespace CLI {
class App;
}

namespace terrace {

/// A plan of a graph, and what it is to do.
struct GraphCall {
  const GraphAlgorithm* row = nullptr;  ///< never null
  Rank ranks = 0;
  std::vector<BlockEdge> edges;

  Plan written() const { return neighbours_pull(row->collective, ranks, edges); }
  Postcondition wanted() const { return postcondition(row->collective, ranks, edges); }
};

/// Adds --graph to the verb, for graphs of up to so many ranks.
void add_graph_option(CLI::App& verb, std::string& graph, Rank most_ranks);

/// The options of a verb that go with a plan's name.
struct GraphOptions {
  std::string graph;  ///< as typed; "": not given
  std::string ranks;  ///< likewise; no other number than the graph's
};

/// Whether the name is that of a plan of graphs. Refuses a graph that is given for another name,
/// and such a name without a graph.
bool runs_on_graph(const std::string& name, const GraphOptions& options, const Verb& verb);

/// Reads the graph of up to so many ranks for a plan that runs on one. Refuses as `verb` does.
GraphCall call_on_graph(const std::string& name, const GraphOptions& options, Rank most_ranks,
                        const Verb& verb);

/// The plan as written, or as `lowering` has it, which is what --lower was given. Refuses lines.
Plan plan_of(const GraphCall& call, const std::string& lowering, const Verb& verb);

/// Refuses an option that means nothing to the plan of a graph.
[[noreturn]] void refuse_with_graph(const char* option, const Verb& verb);
/// Refuses those of these options that were given to `verb`.
void refuse_with_graph(const CLI::App& verb, std::initializer_list<const char*> options,
                       const Verb& refusals);

}  // namespace terrace
