// SPDX-License-Identifier: BSD-3-Clause
// `terrace measure`: measures the costs of this machine, and writes them as a machine file.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/cache_aligned.hpp"
#include "base/host.hpp"
#include "base/pause.hpp"
#include "base/text_file.hpp"
#include "interruption.hpp"
#include "job_network.hpp"
#include "launch.hpp"
#include "machine/machine.hpp"
#include "machine/synthetic.hpp"
#include "machine_files/read_machine_model.hpp"
#include "measure/known_costs.hpp"
#include "measure/survey.hpp"
#include "model/machine_costs.hpp"
#include "os/binding.hpp"
#include "refusals.hpp"
#include "subcommands.hpp"
#include "this_machine.hpp"

namespace terrace::measure_verb {

namespace {

using measure::Findings;
using measure::Summary;
using nlohmann::ordered_json;

constexpr Verb kVerb{"terrace measure"};

struct Options {
  std::string path;
  std::string mpi;
  double seconds = 20;
};

/// At most, for the network.
constexpr double kNetworkSeconds = 5;
/// Factor between the ends of a median's interval above which other programs must have run.
constexpr double kWideInterval = 3;
/// Differences of times may come out as 0.
constexpr double kShortestNs = 0.1;

std::string short_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

double rounded(double value) {
  return std::stod(short_text(value));
}

// ---------------------------------------------------------------------------------------------
// The machine, as the survey asks for it.

std::vector<double> cache_bytes_of(const Machine& machine) {
  std::vector<double> bytes;
  for (const auto& [level, otherwise] :
       {std::pair{"l1", 32768.0}, {"l2", 1048576.0}, {"l3", 0.0}}) {
    const auto caches = resources_at(machine, level);
    const auto size = caches.empty() ? 0.0 : static_cast<double>(caches.front()->bytes);
    if (size > 0 || otherwise > 0) bytes.push_back(size > 0 ? size : otherwise);
  }
  return bytes;
}

std::vector<std::vector<std::uint32_t>> sharers_of_memory(
    const Machine& machine, const std::vector<measure::CoreAt>& cores) {
  std::vector<std::vector<std::uint32_t>> sharers;
  for (const Resource* memory : resources_at(machine, "numa")) {
    std::vector<std::uint32_t> pus;
    for (const measure::CoreAt& core : cores)
      if (memory->pus.contains(core.pu)) pus.push_back(core.pu);
    if (!pus.empty()) sharers.push_back(std::move(pus));
  }
  return sharers;
}

// ---------------------------------------------------------------------------------------------
// The file.

/// Writes numbers with their sources.
class Writer {
 public:
  explicit Writer(const Machine& machine) : machine_(machine), day_(today()) {}

  ordered_json file(const Findings& found, const std::optional<JobNetwork>& network,
                    const std::string& name, const std::string& words);

  /// Count of the numbers that were measured and cannot be.
  int impossible() const { return impossible_; }
  /// Count of the measured numbers whose intervals are wide.
  int doubtful() const { return doubtful_; }

 private:
  ordered_json measured(const Summary& one, const char* unit, double otherwise,
                        const std::string& what = "") const {
    if (one.count == 0)
      return assumed(otherwise, unit, "the measurement ended before it came to this");
    if (!model::is_possible(one.median, unit)) {
      ++impossible_;
      return assumed(otherwise, unit,
                     "what was measured, " + short_text(one.median) + ' ' + unit +
                         ", cannot be: the machine was too busy");
    }
    if (one.high > kWideInterval * std::max(one.low, kShortestNs)) ++doubtful_;
    return {{"value", rounded(one.median)},
            {"unit", unit},
            {"source", "measured " + day_ + (what.empty() ? "" : ", " + what) + ", median of " +
                           std::to_string(one.count) + ", 95 % interval " + short_text(one.low) +
                           " to " + short_text(one.high)}};
  }
  /// The measured value; `otherwise` if there is none, or one that cannot be.
  static double value_of(const Summary& one, const char* unit, double otherwise) {
    return one.count > 0 && model::is_possible(one.median, unit) ? one.median : otherwise;
  }
  static ordered_json assumed(double value, const char* unit, const std::string& why) {
    return {{"value", rounded(value)}, {"unit", unit}, {"source", "assumed, because " + why}};
  }
  static ordered_json told(const ordered_json& value, const std::string& source) {
    return {{"value", value}, {"source", source}};
  }

  ordered_json core(const measure::CoreSummary& one) const;
  ordered_json caches(const Findings& found) const;
  ordered_json memory(const measure::MemorySummary& one) const;
  ordered_json own_distance(const Findings& found) const;
  ordered_json distance(const measure::LinkSummary& link, const std::string& level,
                        const Findings& found) const;
  ordered_json distances(const Findings& found) const;
  ordered_json network_between_nodes(const JobNetwork& network) const;

  const Machine& machine_;
  std::string day_;
  const model::MachineCosts costs_ = model::assumed_costs();
  mutable int impossible_ = 0, doubtful_ = 0;
};

ordered_json Writer::core(const measure::CoreSummary& one) const {
  return {{"clock", measured(one.clock, "GHz", costs_.core.clock)},
          {"call", measured(one.call, "ns", costs_.core.call)},
          {"step", measured(one.step, "ns", costs_.core.step)},
          {"look", measured(one.look, "ns", costs_.core.look)},
          {"publish", measured(one.publish, "ns", costs_.core.publish)},
          {"combine", measured(one.combine, "ns/line", costs_.core.combine)},
          {"copy", measured(one.copy, "ns/line", costs_.core.copy)},
          {"yield", measured(one.yield, "ns", costs_.core.yield)}};
}

ordered_json Writer::caches(const Findings& found) const {
  ordered_json all = ordered_json::array();
  static constexpr const char* kLevels[] = {"l1", "l2", "l3"};
  for (std::size_t i = 0; i < found.caches.size(); ++i) {
    const measure::CacheSummary& one = found.caches[i];
    const double line = costs_.cache_lines[std::min<std::size_t>(i, 2)];
    const bool is_own = i < 2;
    all.push_back(
        {{"level", kLevels[i]},
         {"shared_by", is_own ? "core" : kLevels[i]},
         {"bytes", {{"value", one.bytes}, {"unit", "B"}, {"source", "hwloc on this machine"}}},
         {"inclusive", told(false, "assumed, because it is not measured")},
         {"latency", measured(one.latency, "ns", 4 * line)},
         {"line", measured(one.line, "ns/line", line, "copies that are in this cache")},
         {"shared_line", measured(one.shared_line, "ns/line", line)}});
  }
  return all;
}

ordered_json Writer::memory(const measure::MemorySummary& one) const {
  const bool has_numa = !resources_at(machine_, "numa").empty();
  return {{"level", has_numa ? "numa" : "node"},
          {"latency", measured(one.latency, "ns", costs_.memory_latency)},
          {"bandwidth", measured(one.bandwidth, "GB/s", costs_.memory_bandwidth,
                                 "all cores of one memory reading")},
          {"core_bandwidth", measured(one.core_bandwidth, "GB/s", costs_.core_bandwidth)},
          {"allocates_on_write",
           told(true, "assumed, because ordinary stores own a line before they write to it")},
          {"streamed_store", measured(one.streamed_store, "ns/line",
                                      static_cast<double>(kLineBytes) / costs_.core_bandwidth)}};
}

ordered_json Writer::own_distance(const Findings& found) const {
  const Summary first = found.caches.empty() ? Summary{} : found.caches.front().latency;
  const Summary line = found.caches.empty() ? Summary{} : found.caches.front().line;
  const char* const kCache = "from the core's own first cache";
  ordered_json one = {{"name", "own"}, {"level", "core"}};
  for (const char* key : {"modified", "exclusive", "shared"})
    one[key] = measured(first, "ns", 1.5, kCache);
  one["ownership"] = assumed(0, "ns", "a core has its own lines");
  one["memory"] = measured(found.memory.latency, "ns", costs_.memory_latency);
  one["further_line"] = assumed(0.5, "ns", "loads of the first cache overlap");
  one["further_reader"] = assumed(0, "ns", "no other rank reads there");
  one["a"] = measured(first, "ns", 1.5, kCache);
  one["b"] = measured(line, "ns/line", 0.8, kCache);
  one["B"] = measured(line, "ns/line", 0.8, kCache);
  one["link"] = "between_two";
  return one;
}

/// The longest measured copy of values of at most `bytes`, with scratch reused at once.
const measure::CopySummary* copy_up_to(const measure::LinkSummary& link, double bytes) {
  const measure::CopySummary* found = nullptr;
  for (const measure::CopySummary& copy : link.copies)
    if (!copy.streams && copy.span == 0 && copy.bytes <= bytes) found = &copy;
  return found;
}

ordered_json Writer::distance(const measure::LinkSummary& link, const std::string& level,
                              const Findings& found) const {
  const model::LinkCosts& usual = costs_.links.front();
  const double signal = value_of(link.signal, "ns", usual.signal);
  const std::string pair = link.pairs.empty() ? ""
                                              : "PUs " + std::to_string(link.pairs[0].first) +
                                                    " and " + std::to_string(link.pairs[0].second);
  ordered_json one = {{"name", level}, {"level", level}};
  one["modified"] = measured(link.modified, "ns", usual.modified, pair);
  one["exclusive"] = measured(link.exclusive, "ns", usual.modified, pair);
  one["shared"] = assumed(
      value_of(link.exclusive, "ns", usual.modified), "ns",
      link.exclusive.count > 0 ? "two cores see no third one's copies" : "it was not measured");
  one["ownership"] = measured(link.ownership, "ns", std::max(0.0, signal - usual.modified), pair);
  one["memory"] = measured(link.memory, "ns", costs_.memory_latency, pair);
  one["further_line"] = measured(link.further_line, "ns", 0.08 * signal, pair);
  one["further_reader"] =
      assumed(0.08 * signal, "ns", "two cores have no further reader; a twelfth of a signal");
  one["a"] = measured(link.modified, "ns", usual.modified, pair);
  const double first_cache = found.caches.empty() ? 32768 : found.caches.front().bytes;
  const measure::CopySummary* const inner = copy_up_to(link, first_cache);
  const measure::CopySummary* const outer = copy_up_to(link, 1e12);
  const auto of = [&](const measure::CopySummary* copy, Summary measure::CopySummary::*number) {
    return measured(copy != nullptr ? copy->*number : Summary{}, "ns/line", 3, pair);
  };
  one["b"] = of(inner, &measure::CopySummary::read);
  one["b_outer"] = of(outer, &measure::CopySummary::read);
  one["w"] = of(inner, &measure::CopySummary::write);
  one["w_outer"] = of(outer, &measure::CopySummary::write);
  one["B"] = assumed(value_of(outer != nullptr ? outer->read : Summary{}, "ns/line", 3) / 2,
                     "ns/line", "one pair at a time was measured; half of b_outer");
  for (const measure::CopySummary& copy : link.copies)
    one["scratch"].push_back(
        {{"bytes", {{"value", copy.bytes}, {"unit", "B"}, {"source", "what was asked for"}}},
         {"span", {{"value", copy.span}, {"unit", "B"}, {"source", "what was asked for"}}},
         {"stores", copy.streams ? "streaming" : "cached"},
         {"write", measured(copy.write, "ns/line", 3, pair)},
         {"read", measured(copy.read, "ns/line", 3, pair)}});
  one["link"] = "between_two";
  return one;
}

/// The furthest distance is that of any two cores.
ordered_json Writer::distances(const Findings& found) const {
  ordered_json all = ordered_json::array({own_distance(found)});
  for (std::size_t i = 0; i < found.links.size(); ++i) {
    const bool is_last = i + 1 == found.links.size();
    all.push_back(distance(found.links[i], is_last ? "node" : found.links[i].level, found));
  }
  return all;
}

ordered_json Writer::network_between_nodes(const JobNetwork& network) const {
  const std::string by =
      network.library + (network.is_pretended ? " within nodes, as nodes are pretended" : "");
  const measure::LogGPSummary& loggp = network.found.loggp;
  ordered_json one = {{"level", model::kAnyTwoNodes},
                      {"L", measured(loggp.L, "ns", 1000, by)},
                      {"o", measured(loggp.o, "ns", 300, by)},
                      {"g", measured(loggp.g, "ns", 300, by)},
                      {"G", measured(loggp.G, "ns/B", 0.1, by)}};
  one["eager"] = network.found.eager
                     ? ordered_json{{"value", *network.found.eager},
                                    {"unit", "B"},
                                    {"source", "measured " + day_ + ", " + by +
                                                   ", the longest message, of powers of two up to "
                                                   "1 MiB, that left before its receiver asked for "
                                                   "it, two of three times"}}
                     : assumed(8192, "B", "the measurement ended before it came to this");
  return one;
}

/// Writes the file, with what lies between nodes, where that was seen.
ordered_json Writer::file(const Findings& found, const std::optional<JobNetwork>& network,
                          const std::string& name, const std::string& words) {
  ordered_json nodes = {{"value", 1}, {"unit", "nodes"}, {"source", "this machine alone"}};
  ordered_json networks = ordered_json::array();
  if (network) {
    nodes["value"] = network->nodes;
    nodes["source"] = network->is_pretended ? "pretended by TERRACE_NODES when this was measured"
                                            : "those of the job that measured the network";
    networks.push_back(network_between_nodes(*network));
  }
  return {{"format", model::kMachineFormat},
          {"name", name},
          {"title", measure::this_processor() + ", measured " + day_},
          {"machine", told(words, "hwloc on this machine")},
          {"nodes", nodes},
          {"line", {{"value", kLineBytes}, {"unit", "B"}, {"source", "what was measured"}}},
          {"core", core(found.core)},
          {"caches", caches(found)},
          {"memory", memory(found.memory)},
          {"distances", distances(found)},
          {"networks", networks}};
}

/// "/a/machine.json" to "/a/machine-far.json".
std::string far_path(const std::string& path) {
  const std::filesystem::path whole = path;
  return (whole.parent_path() / (whole.stem().string() + "-far" + whole.extension().string()))
      .string();
}

/// Prints which pause between two looks makes signals of the nearest cores fastest.
void print_pauses(const std::vector<Summary>& signals) {
  std::size_t best = 0;
  std::string each;
  for (std::size_t kind = 0; kind < signals.size(); ++kind) {
    if (signals[kind].median < signals[best].median) best = kind;
    each += (each.empty() ? "" : ", ") + short_text(signals[kind].median) + " ns by " +
            to_text(static_cast<PauseKind>(kind));
  }
  std::cout << "  waiting    a signal takes " << each << "; used here: " << to_text(pause_kind())
            << "; fastest: TERRACE_PAUSE=" << to_text(static_cast<PauseKind>(best)) << '\n';
}

void print(const Findings& found, const std::string& path) {
  std::cout << path << '\n';
  if (!found.links.empty() && !found.links.front().signals_by_pause.empty())
    print_pauses(found.links.front().signals_by_pause);
  for (const measure::LinkSummary& link : found.links)
    if (link.signal.count > 0)
      std::printf(
          "  %-10s a signal %.0f ns (95 %%: %.0f to %.0f), a modified line %.0f, from "
          "memory %.0f; %zu rounds\n",
          link.level.c_str(), link.signal.median, link.signal.low, link.signal.high,
          link.modified.median, link.memory.median, static_cast<std::size_t>(link.signal.count));
  std::fflush(stdout);
}

void print(const std::optional<JobNetwork>& network) {
  if (!network || network->found.loggp.L.count == 0) return;
  const measure::LogGPSummary& one = network->found.loggp;
  std::printf("  %-10s L %.0f ns, o %.0f, g %.0f, G %.3g ns/B; %d rounds\n", "network",
              one.L.median, one.o.median, one.g.median, one.G.median, one.L.count);
  std::fflush(stdout);
}

/// The cores that this process could use if its launcher had not bound it: those of the launcher's
/// parent.
std::vector<measure::CoreAt> cores_to_measure(const Machine& machine, bool is_launched) {
  if (is_launched)
    if (const Result<PuSet> binding = binding_of_process(getppid()))
      return usable_cores_of(machine, binding.value());
  return kVerb.value(usable_cores(machine));
}

measure::SurveyPlan survey_plan(const Machine& machine, const Options& options, bool is_launched) {
  measure::SurveyPlan plan;
  plan.cores = cores_to_measure(machine, is_launched);
  plan.cache_bytes = cache_bytes_of(machine);
  plan.memory_sharers = sharers_of_memory(machine, plan.cores);
  plan.seconds = options.seconds;
  plan.is_stopped = &is_interrupted;
  const bool is_shown = isatty(STDERR_FILENO) != 0;
  plan.progress = [is_shown](double share, const std::string& what) {
    if (is_shown) std::fprintf(stderr, "\r%3.0f %%  %-40s", 100 * share, what.c_str());
  };
  if (const std::string why = measure::why_not_measurable(plan); !why.empty()) kVerb.fail(why);
  return plan;
}

/// All that may be wrong, before anything is measured.
struct Prepared {
  std::string path;
  Machine machine;
  std::string words;
  measure::SurveyPlan plan;
};

Prepared prepared(const Options& options, bool is_launched) {
  Prepared made;
  made.path = options.path.empty() ? model::this_machine_path() : options.path;
  if (made.path.empty())
    kVerb.refuse("neither HOME nor XDG_CONFIG_HOME is set: name a file with -o");
  kVerb.value(prepare_text_file(made.path));
  made.machine = kVerb.value(read_this_machine());
  made.words = kVerb.value(words_of(made.machine));
  made.plan = survey_plan(made.machine, options, is_launched);
  return made;
}

void measure_node(const Prepared& made, const std::optional<JobNetwork>& network) {
  const std::vector<Findings> found = measure::survey(made.plan);
  if (isatty(STDERR_FILENO) != 0) std::fprintf(stderr, "\r%50s\r", "");
  std::error_code ignored;
  if (is_interrupted && std::filesystem::exists(made.path, ignored))
    throw CLI::RuntimeError("terrace measure: interrupted; " + made.path + " stays as it was",
                            kInterrupted);
  Writer writer(made.machine);
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::string at = i == 0 ? made.path : far_path(made.path);
    const char* const name = i == 0 ? model::kThisMachine : "this-machine-far";
    const std::string file = writer.file(found[i], network, name, made.words).dump(2) + '\n';
    // What cannot be read again must not take the place of what can.
    if (const auto again = model::machine_model_from_text(file, "what was measured"); !again)
      kVerb.fail(again.error().sentence + "; '" + at + "' stays as it was");
    kVerb.value(write_text_file(at, file));
    print(found[i], at);
    print(network);
  }
  if (found.size() > 1)
    std::cout
        << "The cores of this machine were near to each other at one time and far at another, "
           "as a virtual machine's are: there is a file for each.\n";
  if (writer.impossible() > 0)
    std::cerr
        << "terrace measure: " << writer.impossible()
        << " of the numbers that were measured cannot be, and are assumed instead: the machine "
           "was too busy; measure again when nothing else runs\n";
  if (writer.doubtful() > 0)
    std::cerr << "terrace measure: " << writer.doubtful()
              << " of the numbers are doubtful: their 95 % intervals span more than a factor of "
                 "three, as when other programs run; measure again when nothing else runs\n";
  if (is_interrupted)
    throw CLI::RuntimeError("terrace measure: interrupted; what was not reached is assumed",
                            kInterrupted);
}

void run(const Options& options) {
  const Launch launch = launch_of_this_rank();
  Prepared made;
  const auto prepare = [&] { made = prepared(options, launch.is_launched); };
  std::optional<JobNetwork> network;
  if (launch.ranks > 1)
    network = measure_network_of_job(launch, options.mpi,
                                     std::min(options.seconds, kNetworkSeconds), kVerb, prepare);
  else
    prepare();
  if (launch.rank > 0) return;  // rank 0 measures its node
  note_interruptions();
  measure_node(made, network);
}

}  // namespace

}  // namespace terrace::measure_verb

void add_measure_subcommand(CLI::App& app) {
  using namespace terrace::measure_verb;
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("measure", "Measure this machine, for predictions about it");
  verb->footer(
      "Examples:\n"
      "  terrace measure                        writes this machine's file, for commands that are\n"
      "                                         given no --machine\n"
      "  terrace measure -o mine.json --seconds 5\n"
      "  terrace explain allreduce 64KiB --ranks 2\n"
      "  mpirun -n 2 -N 1 terrace measure       the network between nodes as well, a rank on each\n"
      "Run nothing else meanwhile. Ctrl-C keeps an existing file as it is; if there is none, it\n"
      "writes the measurements so far.");
  verb->add_option("-o,--output", options->path,
                   "a file [~/.config/terrace/machine.json, or by XDG_CONFIG_HOME]");
  verb->add_option("--seconds", options->seconds,
                   "most seconds for measurements between cores [20]")
      ->check(CLI::Range(0.1, 3600.0));
  verb->add_option("--mpi", options->mpi,
                   "under mpirun: the MPI's library, such as /opt/mpich/lib/libmpi.so.12 [that of "
                   "the launcher]");
  verb->callback([options] { run(*options); });
}
