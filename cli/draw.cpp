// SPDX-License-Identifier: BSD-3-Clause
// `terrace draw`: a machine, a hierarchy, a plan or a timeline as a picture, in SVG or plain text.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>

#include "base/bytes.hpp"
#include "base/text_file.hpp"
#include "call_options.hpp"
#include "choices.hpp"
#include "collectives/collectives.hpp"
#include "draw/hierarchy.hpp"
#include "draw/machine.hpp"
#include "draw/page.hpp"
#include "draw/plan.hpp"
#include "draw/read_timeline.hpp"
#include "draw/timeline.hpp"
#include "graph_call.hpp"
#include "placement_options.hpp"
#include "plan/lower.hpp"
#include "refusals.hpp"
#include "simulate/simulate.hpp"
#include "subcommands.hpp"
#include "written_plan.hpp"

namespace draw_verb {
namespace {

using namespace terrace;

constexpr Verb kVerb{"terrace draw"};
constexpr Rank kMostRanks = 4096;

struct Options {
  const CLI::App* kind = nullptr;  ///< what is to be drawn
  std::shared_ptr<PlacementOptions> placement;
  std::vector<std::string> what;      ///< algorithms, or files
  std::vector<std::string> machines;  ///< of a plan, as typed
  std::string svg;                    ///< a file; "-": standard output; "": letters
  std::string html;                   ///< likewise; "": no page
  std::string ranks, root = "0", radix, lowering, rounds, graph;
  std::string bytes, strip, mode;  ///< of a page's call; "": not given
  bool is_bounced = false;
  bool shows_waits = false;
  std::vector<std::string> files;           ///< of a timeline
  std::string from, to, most_ranks = "64";  ///< likewise
};

void write_file(const std::string& path, const std::string& picture) {
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
    write_file(options.svg, svg());
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

/// Returns the hierarchy of this machine, if options and environment name none.
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

/// A plan, and the groups of its ranks.
struct Placed {
  Plan plan;
  Hierarchy hierarchy;
};

Placed placed_on_graph(const Options& options, const GraphCall& call,
                       const PlacementOptions& placement) {
  refuse_with_graph(*options.kind, {"--root", "--radix", "--nodes"}, kVerb);
  return {plan_of(call, options.lowering, kVerb),
          hierarchy_at(placement, call.ranks, kVerb).value_or(flat_hierarchy(call.ranks))};
}

/// Places the plan as written, or as `--lower` has it.
Placed placed_plan(const Options& options, const std::string& what,
                   const PlacementOptions& placement) {
  if (const GraphOptions on{options.graph, options.ranks}; runs_on_graph(what, on, kVerb))
    return placed_on_graph(options, call_on_graph(what, on, kMostDrawnRanks, kVerb), placement);
  const Algorithm* const row = find_algorithm(what);
  Plan plan;
  if (row == nullptr) {
    check_is_file(what, kVerb);
    if (!options.ranks.empty())
      kVerb.refuse("--ranks is for algorithms; a file gives its number of ranks");
    plan = plan_in_file(what, kVerb);
  }
  const Rank ranks = row ? rank_count(options, 1'000'000) : plan.ranks;
  check_size(ranks);
  const Hierarchy hierarchy = hierarchy_at(placement, ranks, kVerb).value_or(flat_hierarchy(ranks));
  if (row != nullptr)
    plan = row->write({hierarchy, number_of(options.root, "--root", 0, ranks - 1),
                       options.radix.empty() ? Choice{}.radix
                                             : number_of(options.radix, "--radix", 2, kMostRanks)});
  if (const Lowering lowering = lowering_from(options.lowering, kVerb); lowering != Lowering::none)
    plan = kVerb.value(lower(plan, lowering));
  return {std::move(plan), hierarchy};
}

// ---------------------------------------------------------------------------------------------
// Pages.

/// The call of `terrace simulate`.
CallOptions call_on(const Options& options, const std::string& what, const std::string& machine) {
  CallOptions call;
  call.subject = Subject::algorithm;
  call.what = what;
  call.size = options.bytes.empty() ? "8" : options.bytes;
  call.machine = machine;
  call.ranks = options.ranks;
  const auto nodes = options.placement->variables.find("TERRACE_NODES");
  if (nodes != options.placement->variables.end()) call.nodes = nodes->second;
  call.root = options.root;
  call.graph = options.graph;
  if (!options.mode.empty()) call.mode = options.mode;
  call.is_bounced = options.is_bounced;
  return call;
}

void check_fits_page(std::size_t steps) {
  if (steps > kMostPageSteps)
    kVerb.refuse("the call runs " + std::to_string(steps) + " steps, expected " +
                 std::to_string(kMostPageSteps) +
                 " at most on a page: give fewer ranks or bytes, or longer strips (--strip)");
}

std::string view_with_times(const Options& options, const std::string& what,
                            const std::string& machine) {
  if (options.placement->variables.count("TERRACE_BIND") != 0)
    kVerb.refuse("--bind is for shapes; on a machine model each rank has a core");
  const CallOptions call = call_on(options, what, machine);
  RunOptions way;
  way.radix = options.radix;
  way.lowering = options.lowering;
  way.strip = options.strip;
  const std::unique_ptr<Asked> asked = terrace::asked(call, 1, kMostDrawnRanks, kVerb, &way);
  Choice choice;
  if (asked->row != nullptr) choice.algorithm = asked->row->name;
  choice.radix = radix_of(way).value_or(choice.radix);
  Drafts drafts(*asked->platform);
  const Draft draft = draft_of(call, *asked, choice, drafts, kVerb);
  simulate::SimulationSetting setting = setting_of(*asked, way, kVerb);
  setting.has_steps = true;
  setting.folds = false;
  const simulate::SimulationOutcome outcome = kVerb.value(
      simulate::simulate(asked->machine, asked->platform->places, *draft.parts, setting));
  check_fits_page(outcome.last_steps.size());
  PlanView view;
  view.title = draft.lowered->name;
  view.machine = asked->machine.title;
  if (asked->call.bytes > 0) view.facts.emplace_back("bytes", bytes_text(asked->call.bytes));
  view.facts.emplace_back("lowering", name_of(draft.lowered->lowering));
  view.facts.emplace_back("buffers", asked->call.is_direct ? "direct" : "bounced");
  if (options.mode == "paper") view.facts.emplace_back("counted", "as the HPDC'13 paper does");
  if (setting.calls > 1) view.facts.emplace_back("call", std::to_string(setting.calls));
  view.plan = draft.lowered.get();
  view.hierarchy = &asked->platform->hierarchy;
  view.is_direct = asked->call.is_direct;
  view.outcome = &outcome;
  return page_view(view);
}

/// Whether a machine among these plays calls.
bool has_times(const std::vector<std::string>& machines) {
  return std::any_of(machines.begin(), machines.end(), names_model);
}

std::string view_without_times(const Options& options, const std::string& what,
                               const std::string& machine) {
  const PlacementOptions placement =
      machine.empty() ? *options.placement : on_machine(*options.placement, machine);
  const auto [plan, hierarchy] = placed_plan(options, what, placement);
  const bool has_waits = plan.lowering != Lowering::none;
  if (options.is_bounced && !has_waits && !has_times(options.machines))
    kVerb.refuse("--bounced: waits differ by it, but no plan has any before it is lowered: add " +
                 std::string("--lower owner"));
  check_fits_page(plan.body.size() + plan.closing.size());
  PlanView view;
  view.title = plan.name;
  view.machine = machine;
  view.facts.emplace_back("lowering", name_of(plan.lowering));
  if (has_waits) view.facts.emplace_back("buffers", options.is_bounced ? "bounced" : "direct");
  view.plan = &plan;
  view.hierarchy = &hierarchy;
  view.is_direct = !options.is_bounced;
  return page_view(view);
}

bool describes_call(const Options& options) {
  return !options.bytes.empty() || !options.strip.empty() || !options.mode.empty();
}

/// Refuses what is asked of a call that no machine plays, rather than leave it out without a word.
void check_has_times(const Options& options, const std::vector<std::string>& machines) {
  if (describes_call(options) && !has_times(machines))
    kVerb.refuse(
        "--bytes, --strip and --mode are for calls that are simulated: name a machine model by "
        "--machine");
}

/// Refuses a plan without its graph, and a graph without its plan.
void check_graph(const Options& options) {
  for (const std::string& what : options.what)
    runs_on_graph(what, {options.graph, options.ranks}, kVerb);
}

/// Each plan on each machine. Without a name, the machine is the one that was measured, if any.
void write_plan_page(const Options& options) {
  if (!options.svg.empty() || options.shows_waits || !options.rounds.empty())
    kVerb.refuse(
        "--html excludes --svg, --rounds and --waits: the page shows all rounds and waits");
  std::vector<std::string> machines = options.machines;
  if (machines.empty()) machines.push_back(options.graph.empty() ? default_machine() : "");
  const std::size_t count = options.what.size() * machines.size();
  if (count > kMostPageViews)
    kVerb.refuse(std::to_string(count) + " plans on machines given, expected " +
                 std::to_string(kMostPageViews) + " at most side by side");
  check_has_times(options, machines);
  std::vector<std::string> views;
  std::string title;
  for (const std::string& what : options.what) {
    title += (title.empty() ? "" : ", ") + what;
    for (const std::string& machine : machines)
      views.push_back(names_model(machine) ? view_with_times(options, what, machine)
                                           : view_without_times(options, what, machine));
  }
  write_file(options.html, page_of(title, views));
}

// ---------------------------------------------------------------------------------------------

/// Options that are for pages alone.
void check_has_page(const Options& options) {
  if (options.what.size() > 1 || options.machines.size() > 1)
    kVerb.refuse("a picture is of one plan on one machine: --html FILE puts several side by side");
  if (describes_call(options) || options.is_bounced)
    kVerb.refuse("--bytes, --strip, --bounced and --mode are for pages, which have times: add " +
                 std::string("--html FILE"));
}

void draw_plan(const Options& options) {
  if (options.what.empty())
    kVerb.refuse("expected the name of an algorithm, or a file with a plan");
  check_graph(options);
  if (!options.html.empty()) return write_plan_page(options);
  check_has_page(options);
  const auto [plan, hierarchy] = placed_plan(options, options.what.front(), *options.placement);
  if (options.shows_waits && plan.lowering == Lowering::none)
    kVerb.refuse(
        "--waits: waits are derived when a plan is lowered: add --lower lines or --lower owner");
  PlanPicture picture;
  if (!options.rounds.empty())
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
  if (!options.html.empty()) {
    if (!options.svg.empty()) kVerb.refuse("--html excludes --svg");
    const std::string title = timeline.title.empty() ? "timeline" : timeline.title;
    return write_file(options.html, page_of(title, {page_view(timeline, picture)}));
  }
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
  options->kind = kind;
  kind->callback([options, draw] { draw(*options); });
  return kind;
}

void add_html(CLI::App& kind, const std::shared_ptr<Options>& options) {
  kind.add_option("--html", options->html,
                  "write a page to click through to this file; \"-\": to standard output");
}

/// Adds the options that say where ranks are, and how many.
void add_places(CLI::App& kind, const std::shared_ptr<Options>& options, const char* ranks,
                std::vector<std::string>* machines = nullptr) {
  options->placement = add_placement_options(kind, machines);
  kind.add_option("--ranks", options->ranks, ranks);
}

void add_plan_options(CLI::App& kind, const std::shared_ptr<Options>& options) {
  kind.add_option("what", options->what,
                  "an algorithm of `terrace plan --list`, or a file; with --html also several");
  kind.add_option("--root", options->root, "root of bcast, reduce, gather and scatter [0]");
  kind.add_option("--radix", options->radix, "how many operands a rank reads at once [8]");
  kind.add_option("--lower", options->lowering,
                  "as it runs: lines, for small values, or owner, for exposed buffers");
  kind.add_option("--rounds", options->rounds, "how many rounds to draw at most [40]");
  kind.add_flag("--waits", options->shows_waits, "with --lower and --svg: also draw waits");
  add_graph_option(kind, options->graph, kMostDrawnRanks);
  add_html(kind, options);
  kind.add_option("--bytes", options->bytes,
                  "of the call on the page, a rank's vector or block [8]");
  kind.add_option("--strip", options->strip, "likewise, of a strip, as `terrace simulate` has it");
  kind.add_flag("--bounced", options->is_bounced,
                "likewise: users' buffers are copied to scratch, as between processes");
  kind.add_option("--mode", options->mode,
                  "likewise: paper or real, as `terrace simulate` has it [real]");
}

void add_timeline_options(CLI::App& kind, const std::shared_ptr<Options>& options) {
  kind.add_option("file", options->files,
                  "a timeline (docs/reference/timeline.md), or one file for each rank");
  kind.add_option("--from", options->from, "begin this long after the first event");
  kind.add_option("--to", options->to, "end this long after it: 250ns, 1.5us, 20ms, 1s");
  kind.add_option("--most-ranks", options->most_ranks, "how many ranks to draw at most [64]");
  add_html(kind, options);
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
      "  terrace draw plan neighbour_alltoall.pull --graph ring:4\n"
      "  terrace draw plan allreduce.tree allreduce.tiled --ranks 12 --machine westmere-x5650\n"
      "      --bytes 4KiB --html both.html        side by side, in rounds or as simulated\n"
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
  add_places(*plan, options, "how many ranks the algorithm's plan is for", &options->machines);
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
