// SPDX-License-Identifier: BSD-3-Clause
// `terrace explain`: which algorithm for a call, why, and where the answer changes.
#include "explain/explanation.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iomanip>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/bytes.hpp"
#include "base/durations.hpp"
#include "bench_results.hpp"
#include "call_options.hpp"
#include "engine/tunings.hpp"
#include "explain_report.hpp"
#include "machine_files/read_machine_model.hpp"
#include "refusals.hpp"
#include "subcommands.hpp"
#include "timed_here.hpp"

namespace explain_verb {
namespace {

using nlohmann::ordered_json;
using namespace terrace;
using explain::Change;
using explain::CostShare;
using explain::Explanation;

constexpr Verb kVerb{"terrace explain"};
constexpr Rank kLeastRanks = 2, kMostRanks = 256;
constexpr double kSecondsTimed = 1;

struct Options {
  std::shared_ptr<CallOptions> call;
  std::string report;  ///< a file
  bool shows_steps = false, leaves_out_changes = false, is_timed = false, as_json = false;
};

std::string percent(double part, double whole) {
  return std::to_string(std::lround(100 * part / whole)) + " %";
}

// ---------------------------------------------------------------------------------------------
// For people.

/// One line a level: how many groups of how many ranks, and what a line costs across them.
void print_levels(const Group& group) {
  std::vector<const Group*> level = {&group};
  std::cout << "levels\n";
  while (!level.empty()) {
    std::vector<const Group*> inner;
    std::size_t least = ~std::size_t{0}, most = 0;
    for (const Group* one : level) {
      least = std::min(least, one->ranks.size());
      most = std::max(most, one->ranks.size());
      for (const Group& child : one->children) inner.push_back(&child);
    }
    if (most > 1)
      std::cout << "  " << std::left << std::setw(10) << level.front()->level << level.size()
                << (level.size() == 1 ? " group of " : " groups of ")
                << (least == most ? "" : std::to_string(least) + " to ") << most << " ranks\n";
    level = std::move(inner);
  }
}

void print_candidates(const Explanation& explanation, const Asked& asked, const Timed& timed) {
  const Prediction& winner = explanation.candidates.front();
  std::cout << "\ncandidates, each in its fastest way" << (timed.us.empty() ? "\n" : ":");
  if (!timed.us.empty())
    std::cout << " predicted, and timed here while a signal took "
              << duration_text(timed.signals.front()) << "\n";
  for (std::size_t i = 0; i < explanation.candidates.size(); ++i) {
    const Prediction& one = explanation.candidates[i];
    std::cout << "  " << std::setw(10) << std::right << duration_text(one.cost.total) << "  ";
    if (!timed.us.empty()) {
      const double ns = 1e3 * timed.us[i].value;
      std::cout << std::setw(10) << duration_text(ns)
                << (are_apart(one.cost.total, ns) ? " *" : "  ") << "  ";
    }
    std::cout << to_text(one) << '\n';
    if (&one != &winner)
      std::cout << "              " << explain::difference(one.cost, winner.cost, asked.machine)
                << '\n';
  }
  if (!timed.us.empty()) std::cout << "  * more than 20 % apart\n";
  for (const std::string& why : explanation.left_out) std::cout << "           -  " << why << '\n';
}

void print_shares(const Prediction& winner, const Asked& asked) {
  std::cout << "\nwhere " << winner.choice.algorithm
            << " spends its time, along its critical path\n";
  double sum = 0;
  const std::vector<CostShare> shares = explain::shares_of(winner.cost, asked.machine);
  for (const CostShare& share : shares) sum += share.ns;
  for (const CostShare& share : shares) {
    std::cout << "  " << std::setw(10) << std::right << duration_text(share.ns) << "  "
              << std::setw(5) << percent(share.ns, sum) << "  " << share.place << ": ";
    for (std::size_t i = 0; i < share.parts.size(); ++i)
      std::cout << (i ? ", " : "") << explain::reason(share.parts[i].cause) << ' '
                << duration_text(share.parts[i].ns);
    std::cout << '\n';
  }
}

/// Prints what a tuning in force here says of such a call; teams take that first.
void print_tuned(const Asked& asked) {
  if (!asked.machine.name.starts_with(model::kThisMachine) || !tuning_in_force()) return;
  for (const TunedTeam& team : tuning_in_force()->tuning.teams) {
    if (!is_of(team, static_cast<Rank>(asked.platform->places.size()), asked.call.is_direct))
      continue;
    const TunedRow* const row = find_row(team.rows, asked.call.collective, asked.call.bytes);
    if (row == nullptr) continue;
    std::cout << "The tuning in force says " << to_text(*row);
    for (std::size_t i = 0; i < team.signals.size(); ++i)
      std::cout << (i > 0 ? ", " : " where a signal takes ") << duration_text(team.signals[i]);
    std::cout << '\n';
  }
}

/// Whether Terrace would run what is predicted to be the fastest.
void print_chosen(const Explanation& explanation) {
  const Prediction& winner = explanation.candidates.front();
  if (!explanation.chosen) {
    std::cout << "\nCalls across nodes fall back to the MPI\n";
    return;
  }
  const Prediction& chosen = *explanation.chosen;
  std::cout << "\nBy predictions alone, a team on this machine would choose\n  " << std::setw(10)
            << std::right << duration_text(chosen.cost.total) << "  " << to_text(chosen);
  if (chosen.cost.total > winner.cost.total)
    std::cout << ", predicted to be " << std::fixed << std::setprecision(2)
              << chosen.cost.total / winner.cost.total << " times as slow as the fastest";
  std::cout << '\n';
}

void print_changes(const std::vector<Change>& changes) {
  std::cout << "\nfastest by size\n";
  for (const Change& change : changes)
    std::cout << "  from " << std::setw(9) << std::left << bytes_text(change.from_bytes)
              << change.algorithm << '\n';
}

// ---------------------------------------------------------------------------------------------
// For programs.

ordered_json json_of(const Prediction& candidate, const model::MachineModel& machine) {
  ordered_json levels = ordered_json::array();
  for (const CostShare& share : explain::shares_of(candidate.cost, machine)) {
    ordered_json causes;
    for (const model::CostPart& part : share.parts) causes[to_text(part.cause)] = part.ns;
    levels.push_back({{"level", share.place}, {"ns", share.ns}, {"causes", std::move(causes)}});
  }
  const Choice& choice = candidate.choice;
  return {{"algorithm", choice.algorithm},
          {"way", to_text(candidate)},
          {"lowering", candidate.plan->lowering == Lowering::lines ? "lines" : "owner"},
          {"radix", choice.radix},
          {"depth", choice.depth},
          {"strips", candidate.cost.strips},
          {"ns", candidate.cost.total},
          {"levels", std::move(levels)}};
}

ordered_json json_of(const Explanation& explanation, const Asked& asked, const Timed& timed) {
  const Prediction& winner = explanation.candidates.front();
  ordered_json candidates = ordered_json::array();
  for (const Prediction& one : explanation.candidates) {
    candidates.push_back(json_of(one, asked.machine));
    if (const std::size_t number = candidates.size() - 1; number < timed.us.size()) {
      const bench::Median& us = timed.us[number];
      candidates.back()["timed_ns"] = 1e3 * us.value;
      candidates.back()["timed_95_percent"] = {1e3 * us.low, 1e3 * us.high};
    }
    if (&one != &winner)
      candidates.back()["why_not"] = explain::difference(one.cost, winner.cost, asked.machine);
  }
  ordered_json json = {
      {"collective", to_text(asked.call.collective)}, {"bytes", asked.call.bytes},
      {"ranks", asked.platform->places.size()},       {"machine", asked.machine.name},
      {"candidates", std::move(candidates)},          {"left_out", explanation.left_out}};
  if (explanation.chosen) json["chosen"] = json_of(*explanation.chosen, asked.machine);
  return json;
}

std::vector<Choice> ways_of(const Explanation& explanation) {
  std::vector<Choice> ways;
  for (const Prediction& one : explanation.candidates) ways.push_back(one.choice);
  return ways;
}

void run(const Options& options) {
  if (!options.report.empty())
    return explain_report(options.report, *options.call, options.is_timed, kVerb);
  const std::unique_ptr<Asked> its = terrace::asked(*options.call, kLeastRanks, kMostRanks, kVerb);
  const Asked& asked = *its;
  const Explanation explanation = kVerb.value(explain::explain(asked.call, *asked.platform));
  std::vector<Change> changes;
  if (!options.leaves_out_changes && asked.call.collective != Collective::barrier)
    changes = kVerb.value(explain::changes_of(asked.call, *asked.platform));
  const Timed timed =
      options.is_timed ? timed_here(asked, ways_of(explanation), kSecondsTimed, kVerb) : Timed{};
  if (options.as_json) {
    ordered_json json = json_of(explanation, asked, timed);
    for (const Change& change : changes)
      json["changes"].push_back(
          {{"from_bytes", change.from_bytes}, {"algorithm", change.algorithm}});
    std::cout << json.dump(2) << '\n';
    return;
  }
  const Prediction& winner = explanation.candidates.front();
  std::cout << title_of(asked) << "\n\n";
  print_levels(asked.platform->hierarchy.all);
  print_candidates(explanation, asked, timed);
  print_shares(winner, asked);
  if (options.shows_steps)
    std::cout << '\n'
              << model::to_text(winner.cost, *winner.plan, asked.machine, winner.choice.algorithm);
  print_chosen(explanation);
  print_tuned(asked);
  if (!changes.empty()) print_changes(changes);
}

}  // namespace
}  // namespace explain_verb

void add_explain_subcommand(CLI::App& app) {
  using namespace explain_verb;
  auto options = std::make_shared<Options>();
  CLI::App* verb =
      app.add_subcommand("explain", "Explain which algorithm is fastest for a call, and why");
  verb->footer(
      "Examples:\n"
      "  terrace explain allreduce 64KiB --machine magny-cours-6100 --ranks 32\n"
      "  terrace explain bcast 8 --machine rome-2x64 --ranks 128 --steps\n"
      "  terrace explain barrier --machine grace-4x72 --ranks 64 --json\n"
      "  terrace explain allreduce 64KiB --ranks 2 --timed      on this machine, once measured\n"
      "  terrace explain --report FILE --timed                  what a program called\n"
      "Times are predictions (docs/design/costs.md): of one call in which all ranks enter at "
      "once.");
  options->call = add_call_options(*verb, Subject::collective);
  verb->add_flag("--steps", options->shows_steps, "the critical path of the fastest, step by step");
  verb->add_flag("--here", options->leaves_out_changes,
                 "do not search for the sizes at which the answer changes");
  verb->add_flag("--timed", options->is_timed,
                 "also time the candidates here: as threads, or with --bounced as processes");
  verb->add_option(
      "--report", options->report,
      "explain the rows that a program printed with TERRACE_REPORT=1, instead of one call");
  verb->add_flag("--json", options->as_json, "print JSON");
  verb->callback([options] { run(*options); });
}
