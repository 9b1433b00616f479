// SPDX-License-Identifier: BSD-3-Clause
// Enumerates the circumstances under which a plan is proved.
#include "verify/circumstances.hpp"

#include <algorithm>
#include <random>
#include <set>

#include "base/contract.hpp"

namespace terrace {

namespace {

using PerRank = std::vector<bool>;

PerRank only(Rank ranks, Rank one, bool value) {
  TERRACE_ASSERT(one < ranks, one, ranks);
  PerRank result(ranks, !value);
  result[one] = value;
  return result;
}

void add_new(std::vector<PerRank>& list, PerRank choice) {
  if (std::find(list.begin(), list.end(), choice) == list.end()) list.push_back(std::move(choice));
}

std::vector<PerRank> aliasings(const Plan& plan, const VerifyOptions& options) {
  const Rank root = std::min(options.root, plan.ranks - 1);
  std::vector<PerRank> result;
  add_new(result, PerRank(plan.ranks, false));
  add_new(result, PerRank(plan.ranks, true));
  add_new(result, only(plan.ranks, root, true));
  add_new(result, only(plan.ranks, (root + plan.ranks / 2) % plan.ranks, true));
  return result;
}

/// Ranks whose reach makes a difference.
std::vector<Rank> exposing_ranks(const Plan& plan) {
  std::set<Rank> result;
  for (const Step& step : plan.body)
    if (step.kind == StepKind::expose) result.insert(step.by);
  return {result.begin(), result.end()};
}

std::vector<PerRank> mixes(const Plan& plan, const VerifyOptions& options) {
  std::vector<PerRank> result;
  std::mt19937_64 random(options.seed);
  for (std::uint32_t i = 0; i < options.random_reaches; ++i) {
    PerRank mix(plan.ranks);
    for (Rank rank = 0; rank < plan.ranks; ++rank) mix[rank] = random() % 2 != 0;
    result.push_back(std::move(mix));
  }
  return result;
}

std::vector<PerRank> reaches(const Plan& plan, const VerifyOptions& options) {
  std::vector<PerRank> result;
  add_new(result, PerRank(plan.ranks, false));
  if (plan.lowering != Lowering::owner) return result;
  add_new(result, PerRank(plan.ranks, true));
  for (PerRank& mix : mixes(plan, options)) add_new(result, std::move(mix));
  for (const Rank rank : exposing_ranks(plan))
    for (const bool value : {false, true}) add_new(result, only(plan.ranks, rank, value));
  return result;
}

std::string ranks_text(const PerRank& chosen, const std::string& word) {
  const auto count = std::count(chosen.begin(), chosen.end(), true);
  if (count == 0) return "";
  if (static_cast<std::size_t>(count) == chosen.size()) return word + " on all ranks";
  std::string text;
  for (std::size_t rank = 0; rank < chosen.size(); ++rank)
    if (chosen[rank]) text += (text.empty() ? "" : ", ") + std::to_string(rank);
  return word + " on rank" + (count > 1 ? "s " : " ") + text + " alone";
}

}  // namespace

namespace {

/// Returns circumstances as executors have to play them: ranks in place are bounced, where the plan
/// counts on that.
Circumstances allowed(Circumstances wanted, const Plan& plan) {
  for (Rank rank = 0; plan.bounces_in_place && rank < plan.ranks; ++rank)
    if (wanted.in_place[rank]) wanted.direct[rank] = false;
  return wanted;
}

}  // namespace

std::vector<Circumstances> circumstances_of(const Plan& plan, const VerifyOptions& options) {
  const std::vector<PerRank> all_reaches = reaches(plan, options);
  const std::vector<PerRank> all_aliasings = aliasings(plan, options);
  std::vector<Circumstances> result;
  const std::uint32_t main_strips = plan.lowering == Lowering::owner ? plan.ring + 1u : 1;
  for (const PerRank& direct : all_reaches)
    for (const PerRank& in_place : all_aliasings)
      result.push_back(allowed({main_strips, false, in_place, direct}, plan));
  if (plan.lowering != Lowering::owner) return result;
  // Other numbers of strips change only what is the first and what the last: a few reaches do.
  for (const std::uint32_t strips : {1u, 2u, 2u * plan.ring + 1})
    for (std::size_t reach = 0; reach < std::min<std::size_t>(all_reaches.size(), 3); ++reach)
      for (std::size_t alias = 0; alias < std::min<std::size_t>(all_aliasings.size(), 2); ++alias)
        result.push_back(
            allowed({strips, strips == 2, all_aliasings[alias], all_reaches[reach]}, plan));
  return result;
}

std::string to_text(const Circumstances& circumstances, const Plan& plan) {
  std::string text =
      std::to_string(circumstances.strips) + (circumstances.strips == 1 ? " strip" : " strips");
  const std::string in_place = ranks_text(circumstances.in_place, "in place");
  text += in_place.empty() ? ", not in place" : ", " + in_place;
  if (plan.lowering != Lowering::owner) return text;
  const std::string direct = ranks_text(circumstances.direct, "direct");
  return text + (direct.empty() ? ", bounced on all ranks" : ", " + direct);
}

}  // namespace terrace
