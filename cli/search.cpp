// SPDX-License-Identifier: BSD-3-Clause
// `terrace search`: the best of all plans in a family, proved and costed.
#include "explain/search.hpp"

#include <CLI/CLI.hpp>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/durations.hpp"
#include "call_options.hpp"
#include "placement_options.hpp"
#include "refusals.hpp"
#include "subcommands.hpp"

namespace search_verb {
namespace {

using nlohmann::ordered_json;
using namespace terrace;
using explain::Hit;
using explain::SearchResult;

constexpr Verb kVerb{"terrace search"};
constexpr Rank kLeastRanks = 2,
               kMostRanks = 64;  // proofs grow with the square of the ranks and more

struct Options {
  std::shared_ptr<CallOptions> call;
  std::string best = "5", out;
  bool as_json = false;
};

void print(const SearchResult& result, const Asked& asked) {
  std::cout << title_of(asked) << "\n\nthe best of " << result.plans
            << " different plans: every algorithm on " << result.nestings
            << " nestings of the ranks, with 2, 4, 8 and all operands a step\n";
  if (result.nestings_left > 0)
    std::cout << "(" << result.nestings_left << " deeper nestings were left out)\n";
  for (const Hit& hit : result.best)
    std::cout << "  " << std::setw(10) << std::right << duration_text(hit.prediction.cost.total)
              << "  " << std::left << std::setw(16) << hit.nesting << to_text(hit.prediction)
              << ", proved\n";
}

ordered_json json_of(const SearchResult& result, const Asked& asked) {
  ordered_json best = ordered_json::array();
  for (const Hit& hit : result.best)
    best.push_back({{"algorithm", hit.prediction.choice.algorithm},
                    {"nesting", hit.nesting},
                    {"way", to_text(hit.prediction)},
                    {"ns", hit.prediction.cost.total},
                    {"proved", true},
                    {"text", to_text(*hit.written)}});
  return {{"collective", to_text(asked.call.collective)},
          {"bytes", asked.call.bytes},
          {"ranks", asked.platform->places.size()},
          {"machine", asked.machine.name},
          {"plans", result.plans},
          {"nestings", result.nestings},
          {"nestings_left_out", result.nestings_left},
          {"best", std::move(best)}};
}

/// Under a name of its own, with a comment on what it was found for, and for calls of about as many
/// bytes.
void write(Plan plan, const Asked& asked, const std::string& path) {
  const std::string found_from = plan.name;
  plan.name = std::string(to_text(asked.call.collective)) + ".found";
  plan.least_bytes = asked.call.bytes / 2;
  if (asked.call.bytes > 0) plan.most_bytes = 2 * asked.call.bytes;
  std::ofstream file(path);
  file << "# the best of the family of " << found_from << " for " << bytes_text(asked.call.bytes)
       << ", " << asked.platform->places.size() << " ranks of " << asked.machine.name << "\n"
       << to_text(plan);
  if (!file.flush()) kVerb.fail("cannot write '" + path + "'; give another --out");
}

void run(const Options& options) {
  const std::unique_ptr<Asked> asked =
      terrace::asked(*options.call, kLeastRanks, kMostRanks, kVerb);
  explain::SearchLimits limits;
  limits.best = number_of(options.best, "--best", 1, 100);
  const SearchResult result = kVerb.value(explain::search(asked->call, *asked->platform, limits));
  if (options.as_json)
    std::cout << json_of(result, *asked).dump(2) << '\n';
  else
    print(result, *asked);
  std::cout << std::flush;
  if (!options.out.empty() && !result.best.empty())
    write(*result.best.front().written, *asked, options.out);
  if (!result.faults.empty()) kVerb.fail("a bug: " + result.faults.front());
}

}  // namespace
}  // namespace search_verb

void add_search_subcommand(CLI::App& app) {
  using namespace search_verb;
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("search", "Find the best plan in a family of plans");
  verb->footer(
      "Example:\n"
      "  terrace search allreduce 8 --machine westmere-x5650 --ranks 8 --out best.plan\n"
      "  TERRACE_PLAN=best.plan mpirun -n 8 terrace exec ./program      runs it\n"
      "The family: every algorithm of the collective, on every way to nest the ranks in groups of\n"
      "neighbours, with 2, 4, 8 and all operands a step. The best are proved.");
  options->call = add_call_options(*verb, Subject::collective);
  verb->add_option("--best", options->best, "how many to show [5]");
  verb->add_option("--out", options->out, "write the best plan there, as text");
  verb->add_flag("--json", options->as_json, "print JSON");
  verb->callback([options] { run(*options); });
}
