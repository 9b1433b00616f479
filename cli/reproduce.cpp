// SPDX-License-Identifier: BSD-3-Clause
// `terrace reproduce`: the claims of the HPDC'13 and ParCo'18 papers against the results of
// Terrace's models.
#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "papers/claim.hpp"
#include "papers/figures.hpp"
#include "subcommands.hpp"

namespace reproduce_verb {
namespace {

using nlohmann::ordered_json;
using namespace terrace::papers;

struct Options {
  std::vector<std::string> ids;
  bool as_json = false;
  bool as_curves = false;
};

std::vector<const PaperClaim*> claims_asked_for(const std::vector<std::string>& ids) {
  std::vector<const PaperClaim*> chosen;
  if (ids.empty())
    for (const PaperClaim& claim : claims()) chosen.push_back(&claim);
  for (const std::string& id : ids) {
    const PaperClaim* claim = find_claim(id);
    if (claim == nullptr) {
      std::string known;
      for (const PaperClaim& one : claims())
        known += (known.empty() ? "" : ", ") + std::string(one.id);
      throw CLI::ValidationError("terrace reproduce",
                                 "no claim '" + id + "', expected one of: " + known);
    }
    chosen.push_back(claim);
  }
  return chosen;
}

ordered_json json_of(const PaperClaim& claim) {
  const ClaimAnswer answer = claim.answer();
  ordered_json json = {{"id", claim.id},
                       {"place", claim.place},
                       {"paper", claim.paper},
                       {"ours", answer.ours},
                       {"verdict", name_of(answer.verdict)},
                       {"decides", claim.decides},
                       {"how", claim.how}};
  if (answer.share) json["share"] = *answer.share;
  if (!answer.box.empty()) json["box"] = answer.box;
  return json;
}

void print(const PaperClaim& claim) {
  const ClaimAnswer answer = claim.answer();
  std::cout << claim.id << "  " << name_of(answer.verdict) << "  (" << claim.place << ")\n"
            << "  paper    " << claim.paper << '\n'
            << "  Terrace  " << answer.ours << '\n'
            << "  how      " << claim.how << '\n'
            << "  decides  " << claim.decides << '\n';
  if (!answer.box.empty()) std::cout << "  box      " << answer.box << '\n';
}

void print_curves() {
  const auto all = figures();
  if (!all) throw CLI::RuntimeError("terrace reproduce: " + all.error().sentence, 1);
  ordered_json json = ordered_json::array();
  for (const Figure& figure : all.value()) {
    ordered_json curves = ordered_json::array();
    for (const Curve& curve : figure.curves)
      curves.push_back(
          {{"name", curve.name}, {"x", curve.x}, {"y", curve.y}, {"is_dashed", curve.is_dashed}});
    json.push_back({{"name", figure.name},
                    {"title", figure.title},
                    {"x_label", figure.x_label},
                    {"y_label", figure.y_label},
                    {"curves", std::move(curves)}});
  }
  std::cout << json.dump() << '\n';
}

void run(const Options& options) {
  if (options.as_curves) return print_curves();
  const std::vector<const PaperClaim*> chosen = claims_asked_for(options.ids);
  if (!options.as_json) {
    for (const PaperClaim* claim : chosen) print(*claim);
    return;
  }
  ordered_json all = ordered_json::array();
  for (const PaperClaim* claim : chosen) all.push_back(json_of(*claim));
  std::cout << all.dump(1) << '\n';
}

}  // namespace
}  // namespace reproduce_verb

void add_reproduce_subcommand(CLI::App& app) {
  using namespace reproduce_verb;
  auto options = std::make_shared<Options>();
  CLI::App* verb = app.add_subcommand("reproduce", "Compute what the papers claim, claim by claim");
  verb->footer(
      "Examples:\n"
      "  terrace reproduce               every claim: paper, Terrace, verdict, reason\n"
      "  terrace reproduce A2 A6         two of them\n"
      "  terrace reproduce --json        an array, for programs\n"
      "`./dev reproduce` writes docs/reproduction.md from it, and draws the papers' figures.");
  verb->add_option("CLAIM", options->ids, "claims, such as A2 [all]");
  CLI::Option* const json = verb->add_flag("--json", options->as_json, "print JSON");
  verb->add_flag("--curves", options->as_curves, "print the papers' figures as curves, in JSON")
      ->excludes(json);
  verb->callback([options] { run(*options); });
}
