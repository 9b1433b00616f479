// SPDX-License-Identifier: BSD-3-Clause
// Reads a report's lines:
//
//     terrace: report of rank 0 of 2, Open MPI v5.0.11
//     terrace:   bcast      8 B to below 16 B     1930  ran bcast.flat
//     terrace: trial of allreduce of 64 KiB: allreduce.tiled 6.3 us; the MPI 14.1 us: stays
//
// Times with what the program does between are not of calls alone, and say nothing here.
#include "explain_report.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <regex>
#include <sstream>

#include "base/durations.hpp"
#include "base/text_file.hpp"
#include "bench_results.hpp"
#include "explain/explanation.hpp"
#include "timed_here.hpp"

namespace terrace {

namespace {

constexpr std::size_t kMostReportBytes = 16 << 20;
constexpr Rank kMostRanks = 256;
constexpr double kSecondsTimed = 0.3;

struct Row {
  std::string collective, size, plan;  ///< "allreduce", "64KiB", "allreduce.tiled"
  double calls = 0;
  double in_program_ns = 0;  ///< by its trial; 0: it had none
};

struct Report {
  std::string ranks;
  std::vector<Row> rows;
};

/// "64 KiB" as one word.
std::string joined(std::string size) {
  std::erase(size, ' ');
  return size;
}

double ns_of(const std::string& number, const std::string& unit) {
  const double scale = unit == "ns" ? 1 : unit == "us" ? 1e3 : unit == "ms" ? 1e6 : 1e9;
  return std::stod(number) * scale;
}

/// Returns the time of the way that a trial's sentence names by this algorithm, which it did not
/// put off.
double trial_ns(const std::string& sentence, const std::string& plan) {
  std::string name;
  for (const char letter : plan)
    name += letter == '.' ? std::string("\\.") : std::string(1, letter);
  const std::regex way("[:;] " + name + R"((?:,[^;]*?)? ([0-9.]+) (ns|us|ms|s)(?=[;:]))");
  std::smatch found;
  return std::regex_search(sentence, found, way) ? ns_of(found[1], found[2]) : 0;
}

Report report_in(const std::string& path, const Verb& verb) {
  static const std::regex title(R"(terrace: report of rank \d+ of (\d+),.*)");
  static const std::regex ran(
      R"(terrace:   (\w+) +(\d+ \w+)(?: to below \d+ \w+)? +(\d+)  ran (\S+?)(?:, (\w+))?)");
  static const std::regex trial(R"(terrace: trial of (\w+) of (\d+ \w+)(:.*))");
  Report report;
  std::istringstream lines(verb.value(read_text_file(path, kMostReportBytes)));
  std::smatch found;
  for (std::string line; std::getline(lines, line);) {
    if (std::regex_match(line, found, title)) {
      report.ranks = found[1];
    } else if (std::regex_match(line, found, ran)) {
      report.rows.push_back({found[1], joined(found[2]), found[4], std::stod(found[3]), 0});
    } else if (std::regex_match(line, found, trial)) {
      for (Row& row : report.rows)
        if (row.collective == found[1] && row.size == joined(found[2]))
          row.in_program_ns = trial_ns(found[3], row.plan);
    }
  }
  if (report.ranks.empty() || report.rows.empty())
    verb.refuse(path +
                ": expected what a program printed with TERRACE_REPORT=1, with rows that "
                "ran on Terrace");
  return report;
}

/// "first lines of values (l3), 63 %": where most of a call's path goes.
std::string most_of(const Prediction& prediction, const model::MachineModel& machine) {
  double sum = 0;
  const model::CostPart* most = nullptr;
  std::string place;
  const std::vector<explain::CostShare> shares = explain::shares_of(prediction.cost, machine);
  for (const explain::CostShare& share : shares)
    for (const model::CostPart& part : share.parts) {
      sum += part.ns;
      if (most != nullptr && part.ns <= most->ns) continue;
      most = &part;
      place = share.place;
    }
  if (most == nullptr) return "";
  return std::string(explain::reason(most->cause)) + " (" + place + "), " +
         std::to_string(std::lround(100 * most->ns / sum)) + " %";
}

/// All ways to make the calls of a row.
struct Explained {
  std::unique_ptr<Asked> asked;
  explain::Explanation ways;
};

Explained explained(const Row& row, const Report& report, CallOptions call, const Verb& verb) {
  call.what = row.collective;
  call.size = row.collective == "barrier" ? "" : row.size;
  call.is_bounced = true;
  if (call.ranks.empty()) call.ranks = report.ranks;
  std::unique_ptr<Asked> its = asked(call, 2, kMostRanks, verb);
  explain::Explanation ways = verb.value(explain::explain(its->call, *its->platform));
  return {std::move(its), std::move(ways)};
}

/// A row with its answers. 0: unknown, as for plans that are not predicted: a user's, or one for
/// blocks of different length.
struct ExplainedAnswer {
  Row row;
  double predicted_ns = 0, timed_ns = 0;
  std::string most;

  double total_ns() const { return row.calls * predicted_ns; }
};

void answer(ExplainedAnswer& to, const Explained& call, bool is_timed, const Verb& verb) {
  const auto& ways = call.ways.candidates;
  const auto found = std::find_if(ways.begin(), ways.end(), [&](const Prediction& one) {
    return one.choice.algorithm == to.row.plan;
  });
  if (found == ways.end()) return;
  to.predicted_ns = found->cost.total;
  to.most = most_of(*found, call.asked->machine);
  const std::size_t bytes = call.asked->call.bytes;
  if (is_timed && bytes > 0 && bytes % sizeof(double) == 0)
    to.timed_ns =
        1e3 * timed_here(*call.asked, {found->choice}, kSecondsTimed, verb).us.front().value;
}

void print(const ExplainedAnswer& one, double sum, bool is_timed) {
  const auto text = [](double ns) { return ns > 0 ? duration_text(ns) : std::string("-"); };
  const Row& row = one.row;
  const double measured = one.timed_ns > 0 ? one.timed_ns : row.in_program_ns;
  std::printf("%-20s %8s %10.0f  %-22s %10s %10s ", row.collective.c_str(), row.size.c_str(),
              row.calls, row.plan.c_str(), text(one.predicted_ns).c_str(),
              text(row.in_program_ns).c_str());
  if (is_timed) std::printf("%10s ", text(one.timed_ns).c_str());
  std::printf("%s %5.1f %%  %s\n", are_apart(one.predicted_ns, measured) ? "*" : " ",
              sum > 0 ? 100 * one.total_ns() / sum : 0, one.most.c_str());
}

}  // namespace

void explain_report(const std::string& path, const CallOptions& like, bool is_timed,
                    const Verb& verb) {
  const Report report = report_in(path, verb);
  std::vector<ExplainedAnswer> answers;
  std::map<std::pair<std::string, std::string>, Explained> calls;  // by collective and size
  double sum = 0;
  for (const Row& row : report.rows) {
    const auto collective = collective_from_text(row.collective);
    if (!collective) continue;
    answers.emplace_back().row = row;
    if (!is_vector(*collective)) {
      const auto [call, is_new] = calls.try_emplace({row.collective, row.size});
      if (is_new) call->second = explained(row, report, like, verb);
      answer(answers.back(), call->second, is_timed, verb);
    }
    sum += answers.back().total_ns();
  }
  std::stable_sort(answers.begin(), answers.end(),
                   [](const ExplainedAnswer& one, const ExplainedAnswer& other) {
                     return one.total_ns() > other.total_ns();
                   });
  std::printf("%s: %s ranks\n\n%-20s %8s %10s  %-22s %10s %10s %s  %s  most of a call\n",
              path.c_str(), report.ranks.c_str(), "", "", "calls", "ran", "predicted", "in trials",
              is_timed ? " timed here" : "", "of all");
  for (const ExplainedAnswer& one : answers) print(one, sum, is_timed);
  std::printf("\n* predicted and measured are more than 20 %% apart; -: not known\n");
  std::fflush(stdout);
}

}  // namespace terrace
