// SPDX-License-Identifier: BSD-3-Clause
// Asks a trial before each call, and lets ranks tell each other what they have measured.
#include "preload/nodes/node_trials.hpp"

#include <utility>
#include <vector>

#include "base/contract.hpp"
#include "base/ticks.hpp"

namespace terrace::preload {

namespace {

/// Costs of an exchange of results, and of the first calls of the MPI on a communicator.
constexpr double kTellNs = 100'000, kFirstCallsOfMpiNs = 100'000;

}  // namespace

Contest& NodeTrials::contest_of(Collective collective, std::size_t bytes) {
  const ClassOfCalls calls{collective, length_class(bytes), Order::by_machine, true};
  const auto found = contests_.find(calls);
  if (found != contests_.end()) return found->second;
  using How = Contender::How;
  std::vector<Contender> ways = {{How::composed, {}, 0}, {How::underlying_mpi, {}, 0}};
  TrialTerms terms;
  terms.opening_ns = kFirstCallsOfMpiNs;
  terms.tell_ns = kTellNs;
  terms.last_begins_slowly = true;
  terms.only_together = true;
  return contests_.try_emplace(calls, calls, std::move(ways), Trial(2, 0, terms)).first->second;
}

std::optional<bool> NodeTrials::falls_back(Collective collective, std::size_t bytes) {
  TERRACE_ASSERT(timed_ == nullptr);
  Contest& contest = contest_of(collective, bytes);
  if (contest.passes()) return is_fallback(contest.way());
  if (!step(contest)) return std::nullopt;
  if (contest.passes()) return is_fallback(contest.way());
  timed_ = &contest;
  begin_ns_ = monotonic_ns();
  return is_fallback(contest.next());
}

void NodeTrials::end_call() {
  if (timed_ == nullptr) return;
  std::exchange(timed_, nullptr)->trial.stayed({0, monotonic_ns() - begin_ns_});
}

/// Lets the trial take its step before the next call.
bool NodeTrials::step(Contest& contest) {
  Trial& trial = contest.trial;
  if (trial.is_timing() && !trial.is_due()) return true;
  if (!trial.is_timing()) trial.has_rested(monotonic_ns());
  if (trial.is_due() && !exchange_times(contest)) return false;
  if (!trial.is_timing()) contest.rest = trial.calls_of_rest();
  return true;
}

bool NodeTrials::exchange_times(Contest& contest) {
  constexpr const char* kWho =
      "a trial of calls over several nodes (TERRACE_TRIALS=off makes none)";
  Trial& trial = contest.trial;
  const std::uint32_t matches = trial.matches();
  std::vector<Stay> mine = trial.told();
  for (Stay& stay : mine) stay = {0, stay.end - stay.begin};
  std::vector<Stay> all(mine.size() * rank_count_);
  if (!underlying_.allgather(communicator_, mine.data(), all.data(), mine.size() * sizeof(Stay),
                             kWho))
    return false;
  for (const Stay& stay : all) TERRACE_REQUIRE(stay.begin == 0, stay.begin, stay.end);
  trial.hear(all);
  if (trial.matches() != matches && tell_) tell_(outcome_of(contest));
  return true;
}

}  // namespace terrace::preload
