// SPDX-License-Identifier: BSD-3-Clause
// `terrace plan`: prints the plan of an algorithm on a machine, or proves a user's plan.
#include <CLI/CLI.hpp>
#include <iomanip>
#include <iostream>
#include <nlohmann/json.hpp>

#include "collectives/collectives.hpp"
#include "graph_call.hpp"
#include "placement_options.hpp"
#include "plan/call_contract.hpp"
#include "plan/lower.hpp"
#include "plan/rank_program.hpp"
#include "plan/step_forms.hpp"
#include "proved_plan.hpp"
#include "refusals.hpp"
#include "subcommands.hpp"
#include "written_plan.hpp"

namespace plan_verb {
namespace {

using nlohmann::ordered_json;
using namespace terrace;

constexpr Verb kVerb{"terrace plan"};
constexpr Rank kMostRanks = 1024;

struct Options {
  std::string what;
  std::string ranks, root = "0", radix = "8", depth = "0", lowering, collective, graph;
  bool lists = false, as_json = false, explains_steps = false;
  std::shared_ptr<PlacementOptions> placement;
};

// ---------------------------------------------------------------------------------------------
// The table, and the plans of its rows.

const char* bits_text(const Algorithm& row) {
  return row.bits == Bits::different ? "; sums differ in their last bits from rank to rank" : "";
}

/// Prints the two lines of a row of any table.
void list_row(std::string_view name, std::string_view description, const std::string& use) {
  const std::size_t column = std::max<std::size_t>(name.size() + 1, 23);
  std::cout << std::left << std::setw(static_cast<int>(column)) << name << description << '\n'
            << std::setw(23) << "" << use << '\n';
}

void list_row(const Algorithm& row) {
  const char* const sizes =
      row.fits_lines ? row.fits_long ? "any size" : "small values" : "long vectors";
  list_row(row.name, row.description,
           std::string("for ") + sizes + "; " + std::string(row.source) + bits_text(row));
}

/// Columns of the listing that not every table has.
struct Listed {
  bool fits_lines, fits_long, is_chosen, has_graph;
};

template <class Row>
ordered_json json_of(const Row& row, const Listed& listed) {
  return {{"name", row.name},
          {"collective", to_text(row.collective)},
          {"lines", listed.fits_lines},
          {"owner", listed.fits_long},
          {"chosen", listed.is_chosen},
          {"graph", listed.has_graph},
          {"description", row.description},
          {"source", row.source}};
}

void list_graph_algorithms(bool as_json, ordered_json& all) {
  if (!as_json) std::cout << "\nAlong the edges of a graph, which --graph describes:\n";
  for (const GraphAlgorithm& row : graph_algorithms()) {
    all.push_back(json_of(row, {false, true, true, true}));
    if (!as_json) list_row(row.name, row.description, "for any size; " + std::string(row.source));
  }
}

void list_algorithms(bool as_json) {
  ordered_json all = ordered_json::array();
  for (const auto table : {algorithms(), algorithms_by_name()}) {
    const bool is_chosen = table.data() == algorithms().data();
    if (!as_json && !is_chosen)
      std::cout << "\nBy name only, most of them to reproduce the papers:\n";
    for (const Algorithm& row : table) {
      all.push_back(json_of(row, {row.fits_lines, row.fits_long, is_chosen, false}));
      if (!as_json) list_row(row);
    }
  }
  list_graph_algorithms(as_json, all);
  if (as_json) std::cout << all.dump(2) << '\n';
}

void print_plan(const Algorithm& row, const Options& options) {
  if (options.ranks.empty()) kVerb.refuse("expected --ranks N, how many ranks the plan is for");
  const Rank ranks = number_of(options.ranks, "--ranks", 1, kMostRanks);
  const Rank root = number_of(options.root, "--root", 0, ranks - 1);
  const std::uint32_t radix = number_of(options.radix, "--radix", 2, kMostRanks);
  const Lowering lowering = lowering_from(options.lowering, kVerb);
  const Hierarchy hierarchy =
      hierarchy_at(*options.placement, ranks, kVerb).value_or(flat_hierarchy(ranks));
  const std::uint32_t depth = number_of(options.depth, "--depth", 0, kMostDepth);
  Plan plan = row.write({with_one_depth(hierarchy, depth), root, radix});
  if (lowering != Lowering::none) plan = kVerb.value(lower(plan, lowering));
  if (!options.as_json) {
    std::cout << to_text(plan);
    return;
  }
  ordered_json json = {
      {"name", row.name}, {"collective", to_text(row.collective)}, {"ranks", ranks},
      {"root", root},     {"lowering", name_of(lowering)},         {"text", to_text(plan)}};
  if (lowering != Lowering::none) json["starts_alone"] = all_start_alone(plan);
  std::cout << json.dump(2) << '\n';
}

void print_plan(const GraphCall& call, const Options& options) {
  const Plan plan = plan_of(call, options.lowering, kVerb);
  if (!options.as_json) {
    std::cout << to_text(plan);
    return;
  }
  ordered_json json = {{"name", call.row->name},
                       {"collective", to_text(call.row->collective)},
                       {"ranks", call.ranks},
                       {"edges", call.edges.size()},
                       {"lowering", name_of(plan.lowering)},
                       {"text", to_text(plan)}};
  if (plan.lowering != Lowering::none) json["starts_alone"] = all_start_alone(plan);
  std::cout << json.dump(2) << '\n';
}

// ---------------------------------------------------------------------------------------------
// A user's plan.

void prove(const Options& options) {
  const ProvedPlan proved = prove_file(
      {options.what, options.collective, options.root, kMostRanks, !options.as_json}, kVerb);
  if (options.as_json) std::cout << proved.json.dump(2) << '\n';
  std::cout << std::flush;
  if (!proved.complaint.empty()) throw CLI::RuntimeError(proved.complaint, 1);
}

/// Options of files mean nothing to algorithms, and the other way round.
void refuse_if_given(const CLI::App& verb, std::initializer_list<const char*> names,
                     const std::string& why) {
  for (const char* name : names)
    if (verb.count(name) > 0) kVerb.refuse(name + why);
}

/// Prints the steps as Markdown, or as JSON.
void print_steps(bool as_json) {
  if (!as_json) {
    std::cout << step_page();
    return;
  }
  ordered_json all = ordered_json::array();
  for (const StepForm& form : step_forms())
    all.push_back({{"keyword", form.keyword},
                   {"operands", form.operands},
                   {"written_by", form.written_by},
                   {"effect", form.effect},
                   {"waits", form.waits},
                   {"signal", form.signal},
                   {"example", form.example}});
  std::cout << all.dump(2) << '\n';
}

void run(const Options& options, const CLI::App& verb) {
  if ((options.explains_steps || options.lists) && !options.graph.empty())
    kVerb.refuse((options.lists ? "--list" : "--steps") +
                 std::string(" and --graph given, expected one of the two"));
  if (options.explains_steps) return print_steps(options.as_json);
  if (options.lists) return list_algorithms(options.as_json);
  if (options.what.empty()) kVerb.refuse("expected the name of an algorithm, a file, or --list");
  if (const GraphOptions on{options.graph, options.ranks}; runs_on_graph(options.what, on, kVerb)) {
    refuse_with_graph(
        verb, {"--root", "--radix", "--depth", "--collective", "--machine", "--nodes", "--bind"},
        kVerb);
    return print_plan(call_on_graph(options.what, on, kMostRanks, kVerb), options);
  }
  if (const Algorithm* row = find_algorithm(options.what)) {
    refuse_if_given(verb, {"--collective"}, " is for files; an algorithm has its own");
    return print_plan(*row, options);
  }
  check_is_file(options.what, kVerb);
  refuse_if_given(verb,
                  {"--ranks", "--radix", "--depth", "--lower", "--machine", "--nodes", "--bind"},
                  " is for algorithms; a file contains the whole plan");
  prove(options);
}

}  // namespace
}  // namespace plan_verb

void add_plan_subcommand(CLI::App& app) {
  using namespace plan_verb;
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("plan", "Print the plan of an algorithm, or prove your own");
  verb->footer(
      "Examples:\n"
      "  terrace plan --list                            all algorithms\n"
      "  terrace plan allreduce.tree --ranks 4          what each rank reads, combines, writes\n"
      "  terrace plan allreduce.tiled --ranks 8 --machine \"pack:2 core:4 pu:1\"\n"
      "  terrace plan bcast.tree --ranks 4 --root 2 --lower lines    with its waits\n"
      "  terrace plan neighbour_alltoall.pull --graph torus:4x4    blocks along the edges of a "
      "graph\n"
      "  terrace plan my.plan --collective allreduce    prove a plan that you wrote\n"
      "A plan is text: `plan NAME`, `ranks N`, then a line for each statement, as if one thread\n"
      "ran them from top to bottom: `0: out[0] = in[0] + in[1]`. Waits are derived.\n"
      "In a file for --graph, `0: 1 2` says that rank 0 gives its first block to rank 1, its "
      "second\n"
      "one to rank 2. A rank's sources are in the order of their ranks.");
  verb->add_option("what", options->what, "an algorithm of --list, or a file with a plan");
  verb->add_flag("--list", options->lists, "list the algorithms");
  verb->add_flag("--steps", options->explains_steps, "explain all kinds of steps");
  verb->add_option("--ranks", options->ranks, "how many ranks the algorithm's plan is for");
  verb->add_option("--root", options->root, "root of bcast and reduce [0]");
  verb->add_option("--radix", options->radix, "how many operands a rank reads at once [8]");
  verb->add_option("--depth", options->depth, kDepthHelp);
  verb->add_option("--lower", options->lowering,
                   "lines: small values in mailbox lines; owner: exposed buffers");
  verb->add_option("--collective", options->collective,
                   "the collective of a file's plan [the first word of its name]");
  add_graph_option(*verb, options->graph, kMostRanks);
  options->placement = add_placement_options(*verb);
  verb->add_flag("--json", options->as_json, "print JSON");
  verb->callback([options, verb] { run(*options, *verb); });
}
