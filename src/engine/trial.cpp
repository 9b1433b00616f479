// SPDX-License-Identifier: BSD-3-Clause
// A screening drops ways that are far behind after two calls each; each round of the match
// that follows drops further ones.
#include "engine/trial.hpp"

#include <algorithm>

#include "base/contract.hpp"
#include "measure/median.hpp"

namespace terrace {

namespace {

/// After these calls pages are touched, caches filled and plans written.
constexpr std::uint32_t kWarmUp = 8;
constexpr int kGlance = 2, kGlanceAtSlowBeginner = 4, kRounds = 3, kMostRounds = 8, kCheck = 6;
/// Calls that are timed together in the screening of oversubscribed ranks.
constexpr std::uint32_t kTogetherAtGlance = 16;
/// In a row of calls ranks may run ahead of each other, as they do in a program: that takes some
/// first calls, which do not count.
constexpr int kRow = 9, kFirstOfRow = 3;
/// Calls that take less are timed together, in turns of a few; a run is a row of such turns.
constexpr double kShortNs = 20'000, kShortInTurnsNs = 200'000;
constexpr int kTurnsOfRun = 5;
/// Open MPI's messages between two ranks get faster after the first sixteen.
constexpr std::uint32_t kFirstOfSlowBeginner = 24;
/// A way that takes this many times as long as the default drops out: after the screening or a
/// round.
constexpr double kFarBehind = 3, kBehind = 1.4;
/// The time that code and data which have left the caches may add to a call.
constexpr double kColdNs = 500;
/// A smaller gain is not worth a change.
constexpr double kGain = 1.04;
/// Standard deviations that make a decision sure. Of the pairs of calls of two ways that were timed
/// in one round, the faster way must win this many standard deviations more than half (the test of
/// Mann and Whitney, round by round: what the machine does in one round happens to both). By chance
/// 1 decision in 1500 passes.
constexpr double kSure = 3.2;
/// A way that wins this share of pairs, but not certainly, gets further rounds.
constexpr double kPromising = 0.6;
/// A way whose time has changed by this factor since it was chosen is reconsidered.
constexpr double kDrift = 1.5;
/// A check costs some four calls: 0.05 % of these, and less as long as nothing changes.
constexpr std::uint32_t kFirstCheck = 8192, kLastCheck = 1 << 20;
/// The budget: this share of the time of the calls so far, or of the first calls.
constexpr double kShare = 0.02, kCallsInAdvance = 1000;
/// A stage that waits longer than this many calls is reconsidered then.
constexpr double kLongestRest = 1 << 20;

double allowed_ns(double calls, double call_ns) {
  return kShare * std::max(calls, kCallsInAdvance) * call_ns;
}

}  // namespace

Trial::Trial(std::size_t contenders, std::size_t usual, const TrialTerms& terms)
    : usual_(usual),
      terms_(terms),
      between_checks_(kFirstCheck),
      standing_(usual),
      plays_(contenders, true),
      medians_(contenders, 0) {
  TERRACE_ASSERT(usual < contenders, usual, contenders);
  const bool fits = terms.opening_ns <= allowed_ns(0, terms.predicted_ns);
  rest(kWarmUp, fits || terms.is_urgent ? Stage::screening : Stage::survey);
}

void Trial::has_rested(std::uint64_t now_ns) {
  TERRACE_ASSERT(!is_timing() && !is_due());
  calls_ += rest_;
  TERRACE_ASSERT(stage_ == Stage::rest || at_ < order_.size(), stage_, at_);
  if (stage_ == Stage::rest) return begin(next_stage_);
  const Turn& turn = order_[at_++];
  if (turn.counts) stays_.push_back({turn_began_ns_, now_ns});
  begin_turn(now_ns);
}

/// Begins the next turn, unless the stage is over.
void Trial::begin_turn(std::uint64_t now_ns) {
  turn_began_ns_ = now_ns;
  has_met_for_turn_ = false;
  rest_ = is_due() ? 0 : order_[at_].calls;
}

void Trial::met(std::uint64_t now_ns) {
  TERRACE_ASSERT(wants_meeting());
  turn_began_ns_ = now_ns;
  has_met_for_turn_ = true;
}

void Trial::rest(std::uint32_t calls, Stage next) {
  stage_ = Stage::rest;
  next_stage_ = next;
  rest_ = calls;
  order_.clear();
}

/// Begins a stage if the budget allows it, or if it saves more than it costs; otherwise waits until
/// the budget allows it.
void Trial::begin_if_it_fits(Stage stage, double cost_ns) {
  const double wanted = spent_ns_ + cost_ns;
  if (cost_ns <= 0 || wanted <= allowed_ns(calls_, call_ns_)) return begin(stage);
  const double calls = wanted / kShare / std::max(call_ns_, 1.0) - calls_;
  rest(static_cast<std::uint32_t>(std::clamp(calls, 1.0, kLongestRest)), stage);
}

void Trial::add_row(std::size_t contender, int first, int calls) {
  TERRACE_ASSERT(contender < plays_.size() && first <= calls, contender, first, calls);
  order_.insert(order_.end(), static_cast<std::size_t>(first), {contender, false});
  order_.insert(order_.end(), static_cast<std::size_t>(calls - first), {contender, true});
}

/// The first turn does not count, so its begin does not matter.
void Trial::add_run(std::size_t contender) {
  const bool begins_slowly =
      terms_.last_begins_slowly && round_ == 0 && contender + 1 == plays_.size();
  const std::uint32_t first = begins_slowly ? kFirstOfSlowBeginner : 0;
  order_.push_back({contender, false, std::max(first, terms_.together)});
  order_.insert(order_.end(), kTurnsOfRun, {contender, true, terms_.together});
}

/// Extra time of `calls` calls of each way, compared with the way that is taken now.
double Trial::expected_ns_of(const std::vector<double>& call_ns, std::uint32_t calls) const {
  double longer = terms_.tell_ns;
  for (std::size_t one = 0; one < plays_.size(); ++one)
    if (plays_[one]) longer += calls * (call_ns[one] - call_ns_);
  return longer;
}

std::uint32_t Trial::calls_of_run() const {
  return terms_.together * (1 + kTurnsOfRun);
}

void Trial::add_screening() {
  for (std::size_t one = 0; one < plays_.size(); ++one) {
    const bool begins_slowly = terms_.last_begins_slowly && one + 1 == plays_.size();
    if (plays_[one]) add_row(one, 0, begins_slowly ? kGlanceAtSlowBeginner : kGlance);
  }
  if (stage_ != Stage::screening_of_turns) return;
  for (Turn& turn : order_) turn.calls = kTogetherAtGlance;
  begin_turn(0);
}

void Trial::begin(Stage stage) {
  stage_ = stage;
  at_ = 0;
  stays_.clear();
  order_.clear();
  if (stage == Stage::check || stage == Stage::survey) return add_row(standing_, 1, kCheck);
  if (stage == Stage::screening) std::fill(plays_.begin(), plays_.end(), true);
  if (stage == Stage::screening || stage == Stage::screening_of_turns) return add_screening();
  if (round_ == 0) times_.assign(plays_.size(), {});
  // To and fro: what gets faster or slower meanwhile does so for all.
  for (std::size_t i = 0; i < plays_.size(); ++i) {
    const std::size_t one = round_ % 2 == 0 ? i : plays_.size() - 1 - i;
    if (!plays_[one]) continue;
    if (stage == Stage::runs)
      add_run(one);
    else
      add_row(one, kFirstOfRow, kRow);
  }
  if (stage == Stage::runs) begin_turn(0);
}

void Trial::stayed(const Stay& stay) {
  TERRACE_ASSERT(is_timing() && !is_due());
  ++calls_;
  if (order_[at_++].counts) stays_.push_back(stay);
}

/// Groups the times of calls by contender.
std::vector<std::vector<double>> Trial::times_of(std::span<const Stay> all_ranks) const {
  std::vector<std::vector<double>> times(plays_.size());
  TERRACE_ASSERT(std::count_if(order_.begin(), order_.end(), [](const Turn& turn) {
                   return turn.counts;
                 }) == static_cast<std::ptrdiff_t>(stays_.size()));
  const std::size_t calls = stays_.size();
  std::size_t call = 0;
  for (const Turn& turn : order_) {
    if (!turn.counts) continue;
    Stay whole = all_ranks[call];
    for (std::size_t i = call; i < all_ranks.size(); i += calls) {
      whole.begin = std::max(whole.begin, all_ranks[i].begin);
      whole.end = std::max(whole.end, all_ranks[i].end);
    }
    const double ns = whole.end > whole.begin ? static_cast<double>(whole.end - whole.begin) : 1;
    times[turn.contender].push_back(ns / turn.calls);
    ++call;
  }
  return times;
}

void Trial::hear(std::span<const Stay> all_ranks) {
  TERRACE_ASSERT(is_due() && !stays_.empty() && all_ranks.size() % stays_.size() == 0,
                 all_ranks.size(), stays_.size());
  const std::vector<std::vector<double>> times = times_of(all_ranks);
  switch (stage_) {
    case Stage::survey:
      return hear_survey(times[standing_]);
    case Stage::screening:
    case Stage::screening_of_turns:
      return drop_slow(times);
    case Stage::match:
    case Stage::runs:
      return end_round(times);
    case Stage::check:
      return look_for_drift(times[standing_]);
    case Stage::rest:
      break;  // which is never due
  }
}

/// If calls take far longer than predicted, the choice rests on nothing, and any way may be better.
void Trial::hear_survey(const std::vector<double>& times) {
  TERRACE_ASSERT(!times.empty());
  call_ns_ = measure::median(times);
  const bool is_wrong =
      terms_.predicted_ns > 0 && call_ns_ > kFarBehind * terms_.predicted_ns + kColdNs;
  if (is_wrong) return begin(Stage::screening);
  spent_ns_ += terms_.tell_ns;
  begin_if_it_fits(Stage::screening, terms_.opening_ns);
}

void Trial::drop_slow(const std::vector<std::vector<double>>& times) {
  // The first call may find caches cold, and either may be preempted: take the faster.
  std::vector<double> least(times.size(), 0);
  TERRACE_ASSERT(plays_[usual_] && !times[usual_].empty(), usual_);
  for (std::size_t one = 0; one < times.size(); ++one)
    if (plays_[one]) least[one] = *std::min_element(times[one].begin(), times[one].end());
  const double best = call_ns_ = least[usual_];
  spent_ns_ += terms_.opening_ns + terms_.tell_ns;
  terms_.opening_ns = 0;
  const bool were_turns = stage_ == Stage::screening_of_turns;
  std::size_t left = 0;
  for (std::size_t one = 0; one < plays_.size(); ++one) {
    for (const double ns : times[one])
      spent_ns_ += (were_turns ? kTogetherAtGlance : 1) * (ns - best);
    // The usual way always takes part.
    plays_[one] = one == usual_ || (plays_[one] && least[one] < kFarBehind * best + kColdNs);
    left += plays_[one];
  }
  round_ = 0;
  if (left > 1) {
    if (!is_timed_together(best)) return begin(Stage::match);
    if (terms_.begin_together && !were_turns)
      return begin_if_it_fits(Stage::screening_of_turns,
                              expected_ns_of(least, kTogetherAtGlance * kGlanceAtSlowBeginner));
    return begin_if_it_fits(Stage::runs, expected_ns_of(least, calls_of_run()));
  }
  standing_ = usual_;
  usual_ns_ = 0;
  rest(kWarmUp, Stage::check);
}

bool Trial::is_timed_together(double call_ns) const {
  const double short_ns = terms_.begin_together ? kShortInTurnsNs : kShortNs;
  return terms_.only_together || call_ns < short_ns;
}

void Trial::end_round(const std::vector<std::vector<double>>& times) {
  TERRACE_ASSERT(times.size() == times_.size() && times.size() == plays_.size(), times.size());
  double best = 0;
  for (std::size_t one = 0; one < times.size(); ++one) {
    times_[one].insert(times_[one].end(), times[one].begin(), times[one].end());
    medians_[one] = measure::median(times_[one]);
    if (plays_[one] && (best == 0 || medians_[one] < best)) best = medians_[one];
  }
  call_ns_ = medians_[usual_];
  spent_ns_ += expected_ns_of(medians_, calls_of_run());  // now seen
  std::size_t left = 0;
  for (std::size_t one = 0; one < times.size(); ++one) {
    plays_[one] = plays_[one] && (one == usual_ || medians_[one] < kBehind * best);
    left += plays_[one];
  }
  if (++round_ >= kRounds || left == 1) {
    const std::size_t best_one = certainly_fastest();
    if (best_one != usual_ || round_ == kMostRounds || !keep_promising()) return decide(best_one);
  }
  if (stage_ == Stage::match) return begin(stage_);
  begin_if_it_fits(Stage::runs, expected_ns_of(medians_, calls_of_run()));
}

/// Round by round.
Trial::Comparison Trial::with_usual(std::size_t one) const {
  const auto rounds = static_cast<std::size_t>(round_);
  const std::size_t calls = times_[usual_].size() / rounds;
  TERRACE_ASSERT(rounds != 0 && times_[one].size() == times_[usual_].size(), one, rounds);
  std::vector<double> ratios;
  double won = 0;
  for (std::size_t round = 0; round < rounds; ++round) {
    const auto of = [&](std::size_t way) {
      return std::span(times_[way]).subspan(round * calls, calls);
    };
    const auto median_of = [&](std::size_t way) {
      return measure::median(std::vector<double>(of(way).begin(), of(way).end()));
    };
    ratios.push_back(median_of(one) / median_of(usual_));
    won += measure::share_won(of(one), of(usual_));
  }
  const auto n = static_cast<double>(calls);
  const double variance = (2 * n + 1) / (12 * n * n * round_);
  const double share = won / static_cast<double>(rounds), lead = share - 0.5;
  const bool is_sure = lead > 0 && lead * lead >= kSure * kSure * variance;
  const double ratio = measure::median(ratios);
  const bool is_faster = ratio * kGain < 1;
  return {ratio, is_faster && is_sure, is_faster && share > kPromising};
}

std::size_t Trial::certainly_fastest() const {
  std::size_t best = usual_;
  double best_ratio = 1;
  for (std::size_t one = 0; one < plays_.size(); ++one) {
    if (one == usual_ || !plays_[one]) continue;
    const Comparison compared = with_usual(one);
    if (!compared.is_certain || compared.ratio >= best_ratio) continue;
    best = one;
    best_ratio = compared.ratio;
  }
  return best;
}

/// Whether further rounds may show some way to be faster. The others drop out.
bool Trial::keep_promising() {
  bool are_there = false;
  for (std::size_t one = 0; one < plays_.size(); ++one) {
    if (one == usual_ || !plays_[one]) continue;
    plays_[one] = with_usual(one).is_promising;
    are_there |= plays_[one];
  }
  return are_there;
}

void Trial::decide(std::size_t best) {
  TERRACE_ASSERT(best < plays_.size() && plays_[best], best);
  between_checks_ =
      matches_ > 0 && best == standing_ ? std::min(2 * between_checks_, kLastCheck) : kFirstCheck;
  standing_ = best;
  call_ns_ = medians_[best];
  are_of_runs_ = stage_ == Stage::runs;
  // A check times single calls; after runs, it is yet to be seen what these take.
  usual_ns_ = stage_ == Stage::match ? medians_[best] : 0;
  ++matches_;
  rest(usual_ns_ > 0 ? between_checks_ : kWarmUp, Stage::check);
}

void Trial::look_for_drift(const std::vector<double>& times) {
  TERRACE_ASSERT(!times.empty());
  const double now = measure::median(times);
  const bool has_drifted = usual_ns_ > 0 && (now > kDrift * usual_ns_ || kDrift * now < usual_ns_);
  if (has_drifted) return begin_if_it_fits(Stage::screening, terms_.tell_ns);
  if (usual_ns_ > 0)
    between_checks_ = std::min(2 * between_checks_, kLastCheck);
  else
    usual_ns_ = now;
  rest(between_checks_, Stage::check);
}

}  // namespace terrace
