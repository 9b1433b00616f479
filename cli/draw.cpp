// SPDX-License-Identifier: BSD-3-Clause
// `terrace draw`: a machine, a hierarchy, a plan or a timeline as a picture, in SVG or plain text.
#include <CLI/CLI.hpp>
#include <charconv>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>

#include "base/text_file.hpp"
#include "choices.hpp"
#include "collectives/collectives.hpp"
#include "draw/hierarchy.hpp"
#include "draw/machine.hpp"
#include "draw/plan.hpp"
#include "draw/read_timeline.hpp"
#include "draw/timeline.hpp"
#include "placement_options.hpp"
#include "plan/lower.hpp"
#include "refusals.hpp"
#include "subcommands.hpp"
#include "written_plan.hpp"

namespace draw_verb {
namespace {

using namespace terrace;

constexpr Verb kVerb{"terrace draw"};
constexpr Rank kMostRanks = 4096;

struct Options {
  std::shared_ptr<PlacementOptions> placement;
  std::string what;  ///< an algorithm, or a file
  std::string svg;   ///< a file; "-": standard output; "": letters
  std::string ranks, root = "0", radix = "8", lowering, rounds = "40";
  bool shows_waits = false;
  std::vector<std::string> files;           ///< of a timeline
  std::string from, to, most_ranks = "64";  ///< likewise
};

void write_svg(const std::string& path, const std::string& picture) {
  if (path == "-") {
    std::cout << picture;
    return;
  }
  std::ofstream file(path);
  file << picture << std::flush;
  if (!file)
    kVerb.fail("cannot write '" + path + "': does the folder exist, and may you write there?");
}

/// The picture as was asked for.
template <class Svg, class Text>
void show(const Options& options, Svg svg, Text text) {
  if (options.svg.empty())
    std::cout << text();
  else
    write_svg(options.svg, svg());
}

Rank rank_count(const Options& options, Rank most) {
  if (options.ranks.empty()) kVerb.refuse("expected --ranks P, how many ranks there are");
  return number_of(options.ranks, "--ranks", 1, most);
}

void draw_machine(const Options& options) {
  const Environment environment = environment_of(*options.placement);
  const Machine machine = kVerb.value(options.placement->as_typed(machine_of(environment)));
  std::vector<Locality> localities;
  if (!options.ranks.empty())
    localities = kVerb.value(options.placement->as_typed(
        localities_on(machine, environment, rank_count(options, kMostRanks))));
  show(
      options, [&] { return svg_of(machine, localities); },
      [&] {
        return to_text(machine) +
               (localities.empty() ? "" : "ranks:\n" + picture_text(hierarchy_of(localities)));
      });
}

/// Of this machine, if options and environment name none.
Hierarchy hierarchy_for(const Options& options, Rank ranks) {
  const Environment environment = environment_of(*options.placement);
  const Machine machine = kVerb.value(options.placement->as_typed(machine_of(environment)));
  return hierarchy_of(
      kVerb.value(options.placement->as_typed(localities_on(machine, environment, ranks))));
}

void draw_hierarchy(const Options& options) {
  const Hierarchy hierarchy = hierarchy_for(options, rank_count(options, kMostRanks));
  show(
      options, [&] { return svg_of(hierarchy); }, [&] { return picture_text(hierarchy); });
}

// ---------------------------------------------------------------------------------------------
// Plans.

void check_size(Rank ranks) {
  if (ranks > kMostDrawnRanks)
    kVerb.refuse("the plan has " + std::to_string(ranks) + " ranks, of which none could be seen: " +
                 "expected " + std::to_string(kMostDrawnRanks) + " at most");
}

void draw_plan(const Options& options) {
  if (options.what.empty())
    kVerb.refuse("expected the name of an algorithm, or a file with a plan");
  const Algorithm* const row = find_algorithm(options.what);
  Plan plan;
  if (row == nullptr) {
    check_is_file(options.what, kVerb);
    if (!options.ranks.empty())
      kVerb.refuse("--ranks is for algorithms; a file gives its number of ranks");
    plan = plan_in_file(options.what, kVerb);
  }
  const Rank ranks = row ? rank_count(options, 1'000'000) : plan.ranks;
  check_size(ranks);
  const Hierarchy hierarchy =
      hierarchy_at(*options.placement, ranks, kVerb).value_or(flat_hierarchy(ranks));
  if (row != nullptr)
    plan = row->write({hierarchy, number_of(options.root, "--root", 0, ranks - 1),
                       number_of(options.radix, "--radix", 2, kMostRanks)});
  if (const Lowering lowering = lowering_from(options.lowering, kVerb); lowering != Lowering::none)
    plan = kVerb.value(lower(plan, lowering));
  if (options.shows_waits && plan.lowering == Lowering::none)
    kVerb.refuse(
        "--waits: waits are derived when a plan is lowered: add --lower lines or --lower owner");
  PlanPicture picture;
  picture.most_rounds = number_of(options.rounds, "--rounds", 1, 1'000'000);
  picture.shows_waits = options.shows_waits;
  show(
      options, [&] { return svg_of(plan, hierarchy, picture); },
      [&] { return picture_text(plan, hierarchy, picture); });
}

// ---------------------------------------------------------------------------------------------
// Timelines.

/// "1.5us": a number with a unit, in nanoseconds.
double ns_of(const std::string& text, const std::string& option) {
  static constexpr std::pair<std::string_view, double> kUnits[] = {
      {"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, failure] = std::from_chars(text.data(), end, number);
  const std::string_view rest(stopped, static_cast<std::size_t>(end - stopped));
  if (failure == std::errc() && number >= 0)
    for (const auto& [unit, ns] : kUnits)
      if (rest == unit) return number * ns;
  throw CLI::ValidationError(option, "'" + text +
                                         "' given, expected a time such as 250ns, 1.5us, "
                                         "20ms or 1s");
}

/// Several files are the ranks of one job that no rank has joined.
Timeline timeline_in(const std::vector<std::string>& files) {
  const auto read = [](const std::string& file) {
    return kVerb.value(timeline_from_json(kVerb.value(read_text_file(file, kMostTimelineBytes))),
                       file);
  };
  Timeline all = read(files.front());
  for (std::size_t i = 1; i < files.size(); ++i) {
    const Timeline one = read(files[i]);
    all.ranks = std::max(all.ranks, one.ranks);
    all.events.insert(all.events.end(), one.events.begin(), one.events.end());
  }
  return all;
}

void draw_timeline(const Options& options) {
  if (options.files.empty())
    kVerb.refuse("expected a file with a timeline, as TERRACE_TRACE writes it");
  const Timeline timeline = timeline_in(options.files);
  TimelinePicture picture;
  if (!options.from.empty()) picture.begin_ns = ns_of(options.from, "--from");
  if (!options.to.empty()) picture.end_ns = ns_of(options.to, "--to");
  if (picture.end_ns <= picture.begin_ns)
    kVerb.refuse("--to lies before --from: expected it after");
  picture.most_ranks = number_of(options.most_ranks, "--most-ranks", 1, 1'000'000);
  show(
      options, [&] { return svg_of(timeline, picture); },
      [&] { return picture_text(timeline, picture); });
}

// ---------------------------------------------------------------------------------------------
// The verb.

CLI::App* add_kind(CLI::App& verb, const std::shared_ptr<Options>& options, const char* name,
                   const char* help, void (*draw)(const Options&)) {
  CLI::App* kind = verb.add_subcommand(name, help);
  kind->add_option("--svg", options->svg, "write SVG to this file; \"-\": to standard output");
  kind->callback([options, draw] { draw(*options); });
  return kind;
}

/// Where ranks are, and how many.
void add_places(CLI::App& kind, const std::shared_ptr<Options>& options, const char* ranks) {
  options->placement = add_placement_options(kind);
  kind.add_option("--ranks", options->ranks, ranks);
}

void add_plan_options(CLI::App& kind, const std::shared_ptr<Options>& options) {
  kind.add_option("what", options->what, "an algorithm of `terrace plan --list`, or a file");
  kind.add_option("--root", options->root, "root of bcast, reduce, gather and scatter [0]");
  kind.add_option("--radix", options->radix, "how many operands a rank reads at once [8]");
  kind.add_option("--lower", options->lowering,
                  "as it runs: lines, for small values, or owner, for exposed buffers");
  kind.add_option("--rounds", options->rounds, "how many rounds to draw at most [40]");
  kind.add_flag("--waits", options->shows_waits, "with --lower and --svg: also draw waits");
}

void add_timeline_options(CLI::App& kind, const std::shared_ptr<Options>& options) {
  kind.add_option("file", options->files,
                  "a timeline (docs/reference/timeline.md), or one file for each rank");
  kind.add_option("--from", options->from, "begin this long after the first event");
  kind.add_option("--to", options->to, "end this long after it: 250ns, 1.5us, 20ms, 1s");
  kind.add_option("--most-ranks", options->most_ranks, "how many ranks to draw at most [64]");
}

}  // namespace
}  // namespace draw_verb

void add_draw_subcommand(CLI::App& app) {
  using namespace draw_verb;
  CLI::App* verb =
      app.add_subcommand("draw", "Draw a machine, hierarchy, plan, timeline or choices");
  verb->footer(
      "Examples:\n"
      "  terrace draw plan allreduce.tree --ranks 8 --machine \"pack:2 core:4 pu:1\"\n"
      "  terrace draw plan allreduce.tiled --ranks 8 --svg tiled.svg\n"
      "  terrace draw machine --machine \"pack:2 [numa] l3:2 core:4 pu:1\" --svg machine.svg\n"
      "  terrace draw hierarchy --ranks 16 --nodes 2\n"
      "  terrace draw timeline run.json --from 20us --to 35us --svg run.svg\n"
      "  terrace draw choices allreduce --threads\n"
      "Without --svg, pictures are drawn in characters.");
  const auto make = [] { return std::make_shared<Options>(); };
  auto options = make();
  add_places(
      *add_kind(*verb, options, "machine", "boxes in boxes, and ranks in them", draw_machine),
      options, "show where this many ranks are");
  options = make();
  add_places(*add_kind(*verb, options, "hierarchy", "the tree of groups of ranks", draw_hierarchy),
             options, "how many ranks");
  options = make();
  CLI::App* plan = add_kind(*verb, options, "plan", "which rank takes which value when", draw_plan);
  add_places(*plan, options, "how many ranks the algorithm's plan is for");
  add_plan_options(*plan, options);
  options = make();
  add_timeline_options(*add_kind(*verb, options, "timeline",
                                 "what each rank did when, and waited for", draw_timeline),
                       options);
  add_choices_kind(*verb);
  verb->callback([verb] {
    if (verb->get_subcommands().empty() && verb->remaining().empty())
      kVerb.refuse("expected what to draw: machine, hierarchy, plan, timeline or choices");
  });
}
