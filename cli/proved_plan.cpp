// SPDX-License-Identifier: BSD-3-Clause
// Prints the proof of a plan, as text and as JSON. See proved_plan.hpp.
#include "proved_plan.hpp"

#include <algorithm>
#include <iostream>

#include "placement_options.hpp"
#include "plan/lower.hpp"
#include "written_plan.hpp"

namespace terrace {

namespace {

using nlohmann::ordered_json;

std::vector<PlanVerdict> judge_all(const Plan& plan, Collective collective, Rank root,
                                   const Verb& verb) {
  if (plan.lowering != Lowering::none) return {judge(plan, collective, root, verb)};
  std::vector<PlanVerdict> verdicts;
  for (const Lowering lowering : {Lowering::lines, Lowering::owner}) {
    const auto lowered = lower(plan, lowering);
    if (lowered)
      verdicts.push_back(judge(lowered.value(), collective, root, verb));
    else
      verdicts.push_back({lowering, false, lowered.error().sentence, {}});
  }
  return verdicts;
}

const char* title_of(Lowering lowering) {
  return lowering == Lowering::lines ? "over lines (small values): "
                                     : "over exposed buffers (any size): ";
}

void print_count(const char* property, const std::vector<bool>& ranks) {
  std::cout << "  " << property << ": on " << std::count(ranks.begin(), ranks.end(), true) << " of "
            << ranks.size() << " ranks\n";
}

void print_properties(const Proof& proof) {
  print_count("a return implies that all have entered", proof.hears_all);
  print_count("a started call owes peers nothing more (one strip, bounced)", proof.starts_alone);
}

void print_verdict(const PlanVerdict& verdict) {
  std::cout << title_of(verdict.lowering);
  if (!verdict.is_possible) {
    std::cout << "not possible: " << verdict.complaint << '\n';
    return;
  }
  if (!verdict.complaint.empty()) {
    std::cout << "WRONG\n";
    return;
  }
  const Proof& proof = verdict.proof;
  std::cout << "proved\n  right result, no race, no deadlock, buffers outlive their readers, in "
            << proof.executions << " executions:\n  up to " << proof.most_strips
            << (proof.most_strips == 1 ? " strip, " : " strips, ");
  // A call that may be in place has several ways of it: on no rank, and on all.
  if (proof.aliasings > 1)
    std::cout << proof.aliasings << " ways to call in place";
  else
    std::cout << "never in place";
  if (proof.reach_assignments) std::cout << ", " << proof.reach_assignments << " mixes of reach";
  std::cout << "; " << proof.accesses << " accesses checked\n";
  if (proof.order.find('+') != std::string::npos)
    std::cout << "  combines " << proof.order << "\n  operators that do not commute: "
              << (proof.combines_in_rank_order ? "right, ranks come in order" : "not right")
              << '\n';
  print_properties(proof);
}

ordered_json json_of(const PlanVerdict& verdict) {
  ordered_json row = {{"lowering", name_of(verdict.lowering)},
                      {"possible", verdict.is_possible},
                      {"proved", verdict.is_possible && verdict.complaint.empty()}};
  if (!verdict.complaint.empty()) {
    row["complaint"] = verdict.complaint;
    return row;
  }
  const Proof& proof = verdict.proof;
  row["order"] = proof.order;
  row["combines_in_rank_order"] = proof.combines_in_rank_order;
  row["hears_all"] = proof.hears_all;
  row["starts_alone"] = proof.starts_alone;
  row["executions"] = proof.executions;
  row["accesses"] = proof.accesses;
  return row;
}

/// Prints verdicts on all ways to run a plan. It is wrong if one is, or if there is no way.
void add_verdicts(const std::vector<PlanVerdict>& verdicts, bool prints, ProvedPlan& proved) {
  bool is_possible = false;
  for (const PlanVerdict& verdict : verdicts) {
    proved.json["ways"].push_back(json_of(verdict));
    if (prints) print_verdict(verdict);
    is_possible = is_possible || verdict.is_possible;
    if (verdict.is_possible && proved.complaint.empty()) proved.complaint = verdict.complaint;
  }
  if (!is_possible) proved.complaint = verdicts.front().complaint;
}

}  // namespace

ProvedPlan prove_file(const FileToProve& file, const Verb& verb) {
  const Plan plan = plan_in_file(file.path, verb);
  if (plan.ranks > file.most_ranks)
    verb.refuse(file.path + ": `ranks " + std::to_string(plan.ranks) + "` given, expected " +
                std::to_string(file.most_ranks) + " at most");
  const Collective collective = collective_of(plan, file.collective, verb);
  const Rank root = number_of(file.root, "--root", 0, plan.ranks - 1);
  ProvedPlan proved;
  proved.json = {{"name", plan.name},
                 {"collective", to_text(collective)},
                 {"ranks", plan.ranks},
                 {"root", root},
                 {"messages", plan.has_messages()}};
  const std::vector<PlanVerdict> verdicts = judge_all(plan, collective, root, verb);
  if (file.prints)
    std::cout << plan.name << ": " << to_text(collective) << " of " << plan.ranks << " ranks\n";
  add_verdicts(verdicts, file.prints, proved);
  return proved;
}

ProvedPlan prove_on_graph(const GraphCall& call, bool prints, const Verb& verb) {
  ProvedPlan proved;
  const char* const collective = to_text(call.row->collective);
  proved.json = {{"name", call.row->name},
                 {"collective", collective},
                 {"ranks", call.ranks},
                 {"edges", call.edges.size()}};
  const Plan plan = verb.value(lower_neighbours(call.written()));
  const std::vector<PlanVerdict> verdicts = {judge(plan, call.wanted(), 0, verb)};
  if (prints)
    std::cout << call.row->name << ": " << collective << " of " << call.ranks
              << (call.ranks == 1 ? " rank along " : " ranks along ") << call.edges.size()
              << (call.edges.size() == 1 ? " edge\n" : " edges\n");
  add_verdicts(verdicts, prints, proved);
  return proved;
}

}  // namespace terrace
