// SPDX-License-Identifier: BSD-3-Clause
// `terrace doctor`: finds what in this system, container or batch job slows Terrace down or keeps
// it from working, and the setting to change.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/counted.hpp"
#include "base/number.hpp"
#include "doctor/findings.hpp"
#include "subcommands.hpp"
#include "system_trials.hpp"

namespace doctor_verb {
namespace {

using nlohmann::ordered_json;
using namespace terrace;

constexpr std::uint32_t kMostRanks = 65536;

struct Options {
  std::string ranks;
  std::string root;
  bool as_json = false;
};

std::string complaint_on_ranks(const std::string& text) {
  if (number_from_text(text, 1u, kMostRanks)) return "";
  return "'" + text + "' given, expected a number of ranks from 1 to " + std::to_string(kMostRanks);
}

std::size_t count_of(const std::vector<Finding>& findings, Verdict verdict) {
  return static_cast<std::size_t>(
      std::count_if(findings.begin(), findings.end(),
                    [verdict](const Finding& one) { return one.verdict == verdict; }));
}

std::string conclusion(const std::vector<Finding>& findings) {
  const std::string counts = counted(count_of(findings, Verdict::failure), "failure") + ", " +
                             counted(count_of(findings, Verdict::warning), "warning") + ", " +
                             counted(count_of(findings, Verdict::note), "note");
  switch (worst_of(findings)) {
    case Verdict::failure:
      return counts + ": all calls would fall back to the MPI";
    case Verdict::warning:
      return counts + ": Terrace works, but see the warnings";
    default:
      return counts + ": nothing stands in Terrace's way";
  }
}

ordered_json json_of(const std::vector<Finding>& findings) {
  ordered_json json = {{"verdict", to_text(worst_of(findings))},
                       {"findings", ordered_json::array()}};
  for (const Finding& one : findings)
    json["findings"].push_back({{"subject", one.subject},
                                {"verdict", to_text(one.verdict)},
                                {"found", one.found},
                                {"means", one.means},
                                {"change", one.change}});
  return json;
}

void print_row(const std::string& first, const std::string& second, const std::string& text) {
  if (text.empty()) return;
  const auto padded = [](std::string word, std::size_t width) {
    word.resize(std::max(width, word.size() + 1), ' ');
    return word;
  };
  std::cout << padded(first, 9) << padded(second, 30) << text << '\n';
}

void print_text(const std::vector<Finding>& findings) {
  for (const Finding& one : findings) {
    print_row(to_text(one.verdict), one.subject, one.found);
    print_row("", "  means", one.means);
    print_row("", "  to change", one.change);
  }
  if (worst_of(findings) < Verdict::warning) std::cout << conclusion(findings) << '\n';
}

void run(const Options& options) {
  const SystemView system(options.root);
  if (!options.root.empty() && !system.has("/proc"))
    throw CLI::ValidationError("--root", "'" + options.root + "' given, expected a folder with a " +
                                             "system's files: there is no proc in it");
  const Trials trials = system.is_this_system() ? try_this_system() : Trials{};
  const auto ranks = number_from_text<std::uint32_t>(options.ranks).value_or(0);
  const std::vector<Finding> findings = examine(system, trials, ranks);
  if (options.as_json)
    std::cout << json_of(findings).dump(2) << '\n';
  else
    print_text(findings);
  if (worst_of(findings) >= Verdict::warning)
    throw CLI::RuntimeError("terrace doctor: " + conclusion(findings), 1);
}

}  // namespace
}  // namespace doctor_verb

void add_doctor_subcommand(CLI::App& app) {
  using namespace doctor_verb;
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand(
      "doctor", "Find what hinders Terrace in this system, container or batch job");
  verb->footer(
      "Call it where the ranks will run, best under their launcher:\n"
      "  terrace doctor                              this system\n"
      "  docker run IMAGE terrace doctor --ranks 8   inside a container, for 8 ranks\n"
      "  srun -n 1 terrace doctor --json             inside a batch job, for programs\n"
      "Exit status: 0 nothing to change, 1 warnings or failures, 2 wrong arguments.");
  verb->add_option("--ranks", options->ranks, "ranks that will run on this node")
      ->check(complaint_on_ranks);
  verb->add_option("--root", options->root,
                   "look at copied files under this folder instead of the running system");
  verb->add_flag("--json", options->as_json, "print JSON");
  verb->callback([options] { run(*options); });
}
