// SPDX-License-Identifier: BSD-3-Clause
// Compares the ways to run a call. See explanation.hpp.
#include "explain/explanation.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/durations.hpp"

namespace terrace::explain {

namespace {

constexpr std::size_t kLeastBytes = 8, kMostBytes = std::size_t{16} << 20;
constexpr std::size_t kManyRanks = 32;  // plans of more take tens of milliseconds each
constexpr std::size_t kReasonsTold = 3;

struct Found {
  std::vector<Prediction> candidates;
  std::map<std::string_view, std::string> left_out;  ///< algorithm -> why
};

bool is_faster(const Prediction& a, const Prediction& b) {
  return std::pair(a.cost.total, a.choice.algorithm) < std::pair(b.cost.total, b.choice.algorithm);
}

/// The fastest way of each algorithm, the fastest first. Of ways with the same plan the first.
Result<Found> fastest(const Predicted& call, Drafts& drafts) {
  Found found;
  std::map<std::string_view, Prediction> best;
  std::set<std::tuple<const Plan*, std::size_t, bool, bool, bool, std::size_t>> tried;
  const auto ranks = static_cast<Rank>(drafts.platform().places.size());
  for (const Choice& choice : all_candidates(candidates_about(call, drafts.platform()))) {
    if (const Result<Draft> draft = drafts.find(call, choice);
        draft && !tried
                      .emplace(draft.value().lowered.get(), choice.strip_bytes, choice.streams,
                               choice.bounces, choice.streams_scratch, choice.scratch_span)
                      .second)
      continue;
    Result<Prediction> prediction = predict(call, choice, drafts);
    if (!prediction) {
      found.left_out.emplace(choice.algorithm, prediction.error().sentence);
      continue;
    }
    const auto known = best.find(choice.algorithm);
    if (known == best.end() || is_faster(prediction.value(), known->second))
      best.insert_or_assign(choice.algorithm, std::move(prediction).value());
  }
  for (auto& [algorithm, prediction] : best) {
    found.left_out.erase(algorithm);
    found.candidates.push_back(std::move(prediction));
  }
  std::sort(found.candidates.begin(), found.candidates.end(), is_faster);
  if (found.candidates.empty())
    return Error{ErrorCode::unsupported, std::string("no algorithm fits ") +
                                             to_text(call.collective) + " of " +
                                             std::to_string(ranks) + " ranks"};
  return found;
}

bool is_in_the_core(model::Cause cause) {
  return cause == model::Cause::program || cause == model::Cause::own ||
         cause == model::Cause::turn;
}

/// Says where the time of a part passes, in words.
std::string where(const model::CostPart& part, const model::MachineModel& machine) {
  if (is_in_the_core(part.cause)) return "";
  const bool is_message = part.cause == model::Cause::message;
  const std::string& name =
      is_message ? machine.networks[part.distance].level : machine.distances[part.distance].name;
  return " (" + name + ")";
}

}  // namespace

Result<Explanation> explain(const Predicted& call, const RankPlatform& platform) {
  const RankPlatform team = as_in_a_team(platform);
  Drafts drafts(team);
  Result<Found> found = fastest(call, drafts);
  if (!found) return found.error();
  Result<Prediction> chosen = predict_chosen(call, platform);
  Explanation explanation{std::move(found.value().candidates), std::nullopt, {}};
  if (chosen) explanation.chosen = std::move(chosen).value();
  for (const auto& [algorithm, why] : found.value().left_out)
    explanation.left_out.push_back(std::string(algorithm) + ": " + why);
  return explanation;
}

Result<std::vector<Change>> changes_of(Predicted call, const RankPlatform& platform) {
  std::vector<Change> changes;
  const RankPlatform team = as_in_a_team(platform);
  Drafts drafts(team);
  const std::size_t factor = platform.places.size() > kManyRanks ? 4 : 2;
  for (call.bytes = kLeastBytes; call.bytes <= kMostBytes; call.bytes *= factor) {
    const Result<Found> found = fastest(call, drafts);
    if (!found) return found.error();
    const std::string_view name = found.value().candidates.front().choice.algorithm;
    if (changes.empty() || changes.back().algorithm != name) changes.push_back({call.bytes, name});
  }
  return changes;
}

const char* reason(model::Cause cause) {
  switch (cause) {
    case model::Cause::program:
      return "the program's own steps";
    case model::Cause::signal:
      return "flags on their way";
    case model::Cause::latency:
      return "first lines of values";
    case model::Cause::lines:
      return "the lines behind them";
    case model::Cause::link:
      return "others on the same link";
    case model::Cause::readers:
      return "others who read the same line";
    case model::Cause::ownership:
      return "taking lines from those who have copies";
    case model::Cause::memory:
      return "what is in no cache";
    case model::Cause::own:
      return "loads, stores and arithmetic";
    case model::Cause::turn:
      return "waiting for a core that another rank has";
    case model::Cause::message:
      return "messages";
  }
  return "";
}

std::string difference(const model::Cost& slower, const model::Cost& faster,
                       const model::MachineModel& machine) {
  using Key = std::pair<model::Cause, std::uint32_t>;
  std::map<Key, double> more;
  for (const model::CostPart& part : slower.spent) more[{part.cause, part.distance}] += part.ns;
  for (const model::CostPart& part : faster.spent) more[{part.cause, part.distance}] -= part.ns;
  std::vector<model::CostPart> parts;
  for (const auto& [key, ns] : more) parts.push_back({key.first, key.second, ns});
  std::sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a.ns > b.ns; });
  std::string text;
  const auto tell = [&](const model::CostPart& part) {
    text += std::string(text.empty() ? "" : ", ") + (part.ns > 0 ? "+" : "") +
            duration_text(part.ns) + " for " + reason(part.cause) + where(part, machine);
  };
  const double least = 0.02 * slower.total;
  for (std::size_t i = 0; i < std::min(kReasonsTold, parts.size()); ++i)
    if (parts[i].ns > least) tell(parts[i]);
  if (!parts.empty() && parts.back().ns < -least) tell(parts.back());
  return text.empty() ? "hardly anything" : text;
}

std::vector<CostShare> shares_of(const model::Cost& cost, const model::MachineModel& machine) {
  std::vector<CostShare> shares = {{"in the core itself", 0, {}}};
  for (const model::Distance& distance : machine.distances)
    shares.push_back({distance.name, 0, {}});
  const std::size_t first_network = shares.size();
  for (const model::NetworkLevel& network : machine.networks)
    shares.push_back({network.level, 0, {}});
  for (const model::CostPart& part : cost.spent) {
    const bool is_message = part.cause == model::Cause::message;
    CostShare& share = shares[is_in_the_core(part.cause) ? 0
                              : is_message               ? first_network + part.distance
                                                         : 1 + part.distance];
    share.ns += part.ns;
    share.parts.push_back(part);
  }
  std::erase_if(shares, [](const CostShare& share) { return share.ns <= 0; });
  return shares;
}

}  // namespace terrace::explain
