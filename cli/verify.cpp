// SPDX-License-Identifier: BSD-3-Clause
// `terrace verify`: proves algorithms for all ranks, roots and lowerings on many machines.
#include <CLI/CLI.hpp>
#include <chrono>
#include <iomanip>
#include <iostream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "base/counted.hpp"
#include "base/ticks.hpp"
#include "collectives/collectives.hpp"
#include "collectives/graph_text.hpp"
#include "graph_call.hpp"
#include "placement_options.hpp"
#include "plan/lower.hpp"
#include "proved_plan.hpp"
#include "subcommands.hpp"
#include "verify/sequences.hpp"
#include "verify/verify.hpp"
#include "written_plan.hpp"

namespace verify_verb {
namespace {

using nlohmann::ordered_json;
using namespace terrace;

constexpr Verb kVerb{"terrace verify"};
constexpr Rank kMostRanks = 64, kMostRanksOfFiles = 1024;

struct Options {
  std::vector<std::string> names;
  std::string ranks = "1-9", radix, collective, root = "0", graph;
  bool all = false, as_json = false;
  std::shared_ptr<PlacementOptions> placement;
};

/// The way ranks take the PUs of a small machine: one after another, or every `stride`-th.
struct ProofLayout {
  const char* machine;
  std::uint32_t pus;
  std::uint32_t stride;
};

// Small machines, so that few ranks already meet every level, uneven groups and shared cores.
constexpr ProofLayout kLayouts[] = {
    {"pack:2 core:1 pu:1", 2, 1},      {"pack:2 core:2 pu:1", 4, 1},
    {"pack:2 core:3 pu:1", 6, 1},      {"pack:2 core:4 pu:1", 8, 1},
    {"pack:2 core:4 pu:1", 8, 5},      {"pack:3 core:3 pu:1", 9, 1},
    {"pack:4 core:2 pu:1", 8, 3},      {"pack:4 core:4 pu:1", 16, 1},
    {"pack:8 core:1 pu:1", 8, 1},      {"pack:2 l3:2 core:2 pu:1", 8, 1},
    {"pack:2 l3:2 core:2 pu:1", 8, 3}, {"pack:2 numa:2 l3:2 core:2 pu:1", 16, 1},
    {"pack:1 l3:3 core:3 pu:1", 9, 2}, {"pack:2 numa:2 l3:1 core:1 pu:2", 8, 1},
};

struct Totals {
  std::uint64_t plans = 0, executions = 0, accesses = 0, pairs = 0, triples = 0;
};

struct Span {
  Rank first = 1, last = 1;
};

Span span_of(const std::string& text) {
  const std::size_t dash = text.find('-');
  Span span;
  span.first = number_of(text.substr(0, dash), "--ranks", 1, kMostRanks);
  span.last = dash == std::string::npos
                  ? span.first
                  : number_of(text.substr(dash + 1), "--ranks", 1, kMostRanks);
  if (span.last < span.first)
    kVerb.refuse("--ranks '" + text + "' given, expected the smaller number first, as in \"" +
                 std::to_string(span.last) + "-" + std::to_string(span.first) + "\"");
  return span;
}

std::vector<Hierarchy> hierarchies_of(const Options& options, Rank ranks) {
  if (auto given = hierarchy_at(*options.placement, ranks, kVerb)) return {*given};
  std::vector<Hierarchy> result = {flat_hierarchy(ranks)};
  for (const ProofLayout& layout : kLayouts) {
    std::string binding;
    for (Rank rank = 0; rank < ranks; ++rank)
      binding += (rank ? "," : "") + std::to_string(rank * layout.stride % layout.pus);
    const PlacementOptions placement{
        {{"TERRACE_MACHINE", layout.machine}, {"TERRACE_BIND", binding}}};
    result.push_back(*hierarchy_at(placement, ranks, kVerb));
  }
  return result;
}

/// The algorithms that are to be proved.
struct ProvedRows {
  std::vector<const Algorithm*> rows;
  std::vector<const GraphAlgorithm*> on_graphs;

  std::size_t size() const { return rows.size() + on_graphs.size(); }

  /// Adds the algorithm of this name, if there is one.
  bool add(const std::string& name) {
    const std::size_t before = size();
    if (const Algorithm* row = find_algorithm(name)) rows.push_back(row);
    if (const GraphAlgorithm* row = find_graph_algorithm(name)) on_graphs.push_back(row);
    return size() > before;
  }
};

ProvedRows rows_of(const Options& options) {
  if (options.all && !options.names.empty())
    kVerb.refuse("--all and names given, expected one of the two");
  if (!options.all && options.names.empty())
    kVerb.refuse("expected --all, names of `terrace plan --list`, or files with plans");
  ProvedRows named;
  if (options.all) {
    for (const auto table : {algorithms(), algorithms_by_name()})
      for (const Algorithm& row : table) named.rows.push_back(&row);
    for (const GraphAlgorithm& row : graph_algorithms()) named.on_graphs.push_back(&row);
  }
  std::string algorithm, file;
  for (const std::string& name : options.names) (named.add(name) ? algorithm : file) = name;
  if (!algorithm.empty() && !file.empty())
    kVerb.refuse("'" + algorithm +
                 "' is an algorithm, and others are files: expected either algorithms or files");
  return named;
}

/// Small graphs: grids of one dimension and two, periodic and not, and edges that go one way.
std::vector<std::vector<EdgesOfRank>> graphs_of(Rank ranks) {
  Rank rows = 1;
  for (Rank divisor = 2; divisor * divisor <= ranks; ++divisor)
    if (ranks % divisor == 0) rows = divisor;
  std::vector<std::vector<EdgesOfRank>> graphs;
  for (const std::vector<Rank>& extents : {std::vector<Rank>{ranks}, {rows, ranks / rows}})
    for (const bool is_periodic : {false, true})
      graphs.push_back(cartesian_graph(extents, is_periodic));
  std::vector<EdgesOfRank>& upwards = graphs.emplace_back(ranks);
  for (Rank giver = 0; giver < ranks; ++giver)
    for (Rank taker = giver + 1; taker < ranks; ++taker) {
      upwards[giver].targets.push_back({taker});
      upwards[taker].sources.push_back({giver});
    }
  return graphs;
}

/// Proves plans, each different one once, and that their calls can follow each other in any order.
class Prover {
 public:
  explicit Prover(Rank ranks) : sequences_(ranks) {}

  void prove_all(const Algorithm& row, const Hierarchy& hierarchy, std::uint32_t radix) {
    const Rank roots = is_rooted(row.collective) ? hierarchy.rank_count() : 1;
    for (Rank root = 0; root < roots; ++root) {
      const Plan written = row.write({hierarchy, root, radix});
      if (row.fits_long) prove(row, written, Lowering::owner, root);
      if (!row.fits_lines) continue;
      // Blocks share lines where they are small: one to a line, two, or all of a rank's.
      const bool has_blocks = has_block_per_rank(row.collective);
      for (const std::uint32_t pockets : {1u, 2u, hierarchy.rank_count()})
        if (pockets == 1 || has_blocks) prove(row, written, Lowering::lines, root, pockets);
    }
  }

  void prove_all(const GraphCall& call) {
    const Plan written = call.written();
    const auto lowered = lower_neighbours(written);
    if (!lowered) fail(lowered.error(), written);
    prove(lowered.value(), call.wanted(), std::string(call.row->name), {});
  }

  void prove_sequences() {
    const auto pairs = sequences_.prove_pairs(), triples = sequences_.prove_triples();
    for (const auto* proved : {&pairs, &triples})
      if (!*proved) throw CLI::RuntimeError(proved->error().sentence, 1);
    totals_.pairs = pairs.value();
    totals_.triples = triples.value();
  }

  const Totals& totals() const { return totals_; }

 private:
  void prove(const Algorithm& row, const Plan& written, Lowering lowering, Rank root,
             std::uint32_t pockets = 1) {
    const auto lowered = lower(written, lowering, 2, pockets);
    if (!lowered) fail(lowered.error(), written);
    const Plan& plan = lowered.value();
    VerifyOptions options;
    options.root = root;
    if (plan.lines > options.line_slots && has_block_per_rank(row.collective)) return;  // not run
    prove(plan, postcondition(row, plan.ranks, root),
          std::string(row.name) + " " + std::to_string(root), options);
  }

  /// Proves a lowered plan for a call, unless that has been done.
  void prove(const Plan& plan, const Postcondition& wanted, const std::string& call,
             const VerifyOptions& options) {
    if (!seen_.insert(call + to_text(plan)).second) return;
    const auto proof = verify(plan, wanted, options);
    if (!proof) fail(proof.error(), plan);
    const std::vector<CallContract> contracts = contracts_of(plan);
    if (const auto agreed = verify_contracts(plan, contracts, options); !agreed)
      fail(agreed.error(), plan);
    if (const auto added = sequences_.add(plan, contracts, options); !added)
      fail(added.error(), plan);
    ++totals_.plans;
    totals_.executions += proof.value().executions;
    totals_.accesses += proof.value().accesses;
  }

  [[noreturn]] void fail(const Error& error, const Plan& plan) const {
    throw CLI::RuntimeError(error.sentence + "\n" + to_text(plan), 1);
  }

  Sequences sequences_;
  Totals totals_;
  std::set<std::string> seen_;
};

std::vector<std::uint32_t> radices_of(const Options& options) {
  if (!options.radix.empty()) return {number_of(options.radix, "--radix", 2, kMostRanks)};
  return {8, 2, 3};
}

Totals prove_ranks(const Options& options, const ProvedRows& named, Rank ranks) {
  Prover prover(ranks);
  for (const Hierarchy& hierarchy : hierarchies_of(options, ranks))
    for (const Algorithm* row : named.rows)
      for (const std::uint32_t radix : radices_of(options))
        prover.prove_all(*row, hierarchy, radix);
  for (const std::vector<EdgesOfRank>& graph : graphs_of(ranks))
    for (const GraphAlgorithm* row : named.on_graphs)
      prover.prove_all(GraphCall{row, ranks, kVerb.value(edges_of(graph))});
  prover.prove_sequences();
  return prover.totals();
}

double seconds_since(KernelClock::time_point start) {
  return std::chrono::duration<double>(KernelClock::now() - start).count();
}

std::string with_seconds(double seconds) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(1) << seconds << " s";
  return text.str();
}

void add(Totals& sum, const Totals& more) {
  sum.plans += more.plans;
  sum.executions += more.executions;
  sum.accesses += more.accesses;
  sum.pairs += more.pairs;
  sum.triples += more.triples;
}

/// Proves them all, and fails with what is wrong with the first that is. `prove` proves one by
/// name.
template <class Prove>
void prove_each(const Options& options, Prove prove) {
  ordered_json all = ordered_json::array();
  std::string complaint;
  for (const std::string& name : options.names) {
    ProvedPlan proved = prove(name);
    all.push_back(std::move(proved.json));
    if (complaint.empty()) complaint = proved.complaint;
  }
  if (options.as_json) std::cout << all.dump(2) << '\n';
  std::cout << std::flush;
  if (!complaint.empty()) throw CLI::RuntimeError(complaint, 1);
}

void prove_files(const Options& options) {
  prove_each(options, [&options](const std::string& path) {
    return prove_file({path, options.collective, options.root, kMostRanksOfFiles, !options.as_json},
                      kVerb);
  });
}

/// Proves plans of one graph, which the user describes.
void prove_named_on_one_graph(const Options& options, const CLI::App& verb) {
  if (options.all) kVerb.refuse("--all and --graph given, expected one of the two");
  refuse_with_graph(verb, {"--root", "--radix", "--collective", "--machine", "--nodes", "--bind"},
                    kVerb);
  const GraphOptions on{options.graph, verb.count("--ranks") > 0 ? options.ranks : ""};
  for (const std::string& name : options.names) runs_on_graph(name, on, kVerb);
  prove_each(options, [&](const std::string& name) {
    return prove_on_graph(call_on_graph(name, on, kMostRanksOfFiles, kVerb), !options.as_json,
                          kVerb);
  });
}

void refuse_if_given(const CLI::App& verb, std::initializer_list<const char*> names,
                     const std::string& why) {
  for (const char* name : names)
    if (verb.count(name) > 0) kVerb.refuse(name + why);
}

void run(const Options& options, const CLI::App& verb) {
  const ProvedRows named = rows_of(options);
  if (!options.graph.empty()) return prove_named_on_one_graph(options, verb);
  if (named.size() == 0) {
    for (const std::string& name : options.names) check_is_file(name, kVerb);
    refuse_if_given(verb, {"--ranks", "--radix", "--machine", "--nodes", "--bind"},
                    " is for algorithms; a file contains the whole plan");
    return prove_files(options);
  }
  refuse_if_given(verb, {"--collective", "--root"},
                  " is for files: algorithms are proved for theirs");
  if (named.rows.empty())
    refuse_with_graph(verb, {"--radix", "--machine", "--nodes", "--bind"}, kVerb);
  const Span span = span_of(options.ranks);
  const auto start = KernelClock::now();
  Totals sum;
  for (Rank ranks = span.first; ranks <= span.last; ++ranks) {
    const auto begin = KernelClock::now();
    const Totals totals = prove_ranks(options, named, ranks);
    add(sum, totals);
    if (!options.as_json)
      std::cout << counted(ranks, "rank") << ": " << counted(totals.plans, "plan") << " proved in "
                << with_seconds(seconds_since(begin)) << std::endl;
  }
  if (options.as_json) {
    std::cout << ordered_json({{"plans", sum.plans},
                               {"algorithms", named.size()},
                               {"ranks", {span.first, span.last}},
                               {"executions", sum.executions},
                               {"accesses", sum.accesses},
                               {"contracts", sum.plans},
                               {"pairs", sum.pairs},
                               {"triples", sum.triples},
                               {"faults", 0},
                               {"seconds", seconds_since(start)}})
                     .dump(2)
              << '\n';
    return;
  }
  // Plans of graphs have no root, and run over exposed buffers alone.
  const char* const scope =
      named.rows.empty() ? "on small graphs over exposed buffers" : "all roots, both lowerings";
  std::cout << "proved " << counted(sum.plans, "plan") << " of "
            << counted(named.size(), "algorithm") << " for " << options.ranks
            << (span.last == 1 ? " rank, " : " ranks, ") << scope << ", with their contracts, in "
            << sum.executions << " executions with " << sum.accesses << " accesses, and "
            << counted(sum.pairs, "ordered pair") << " and " << counted(sum.triples, "triple")
            << " of calls: no fault (" << with_seconds(seconds_since(start)) << ")\n";
}

}  // namespace
}  // namespace verify_verb

void add_verify_subcommand(CLI::App& app) {
  using namespace verify_verb;
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("verify", "Prove algorithms: results, races, deadlocks");
  verb->footer(
      "Examples:\n"
      "  terrace verify --all --ranks 1-9         all algorithms on many small machines\n"
      "  terrace verify allreduce.tree --ranks 12 --machine \"pack:2 l3:3 core:2 pu:1\"\n"
      "  terrace verify neighbour_alltoall.pull --graph torus:4x4     the plan of a graph\n"
      "  terrace verify my.plan                   a plan that you wrote, as `terrace plan` does\n"
      "Each plan is lowered both ways and played by its waits alone with 1 strip and several,\n"
      "in place on no, all and single ranks, and with peers' buffers reached directly, through\n"
      "copies, and mixed. Then all pairs and triples of their calls are checked, calls of no\n"
      "bytes included. Plans of graphs have no root, run over exposed buffers alone and are never\n"
      "in place; without --graph they are proved for small grids and for edges that go one way.");
  verb->add_option("names", options->names, "algorithms of `terrace plan --list`, or files");
  verb->add_flag("--all", options->all, "all algorithms");
  verb->add_option("--ranks", options->ranks, "how many ranks: \"4\", or from and to: \"1-9\"");
  verb->add_option("--radix", options->radix, "how many operands a rank reads at once [8, 2, 3]");
  verb->add_option("--collective", options->collective,
                   "the collective of a file's plan [the first word of its name]");
  verb->add_option("--root", options->root, "root of a file's bcast or reduce [0]");
  add_graph_option(*verb, options->graph, kMostRanksOfFiles);
  options->placement = add_placement_options(*verb);
  verb->add_flag("--json", options->as_json, "print JSON");
  verb->callback([options, verb] { run(*options, *verb); });
}
