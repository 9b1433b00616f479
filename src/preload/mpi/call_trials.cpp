// SPDX-License-Identifier: BSD-3-Clause
// Asks a trial before each call, and lets ranks tell each other what they have measured.
#include "preload/mpi/call_trials.hpp"

#include <utility>

#include "base/contract.hpp"
#include "base/ticks.hpp"

namespace terrace::preload {

Contest& CallTrials::contest_of(Collective collective, std::size_t bytes) {
  const ClassOfCalls calls{collective, length_class(bytes), Order::by_machine, true};
  if (last_ != nullptr && last_->calls == calls) return *last_;
  auto found = contests_.find(calls);
  if (found == contests_.end()) {
    std::vector<Contender> ways = {{.how = how_}, {.how = Contender::How::underlying_mpi}};
    found = contests_.try_emplace(calls, calls, std::move(ways), Trial(2, 0, terms_)).first;
  }
  return *(last_ = &found->second);
}

std::optional<bool> CallTrials::falls_back(Collective collective, std::size_t bytes) {
  end_call();  // of which an error handler has left the last one
  Contest& contest = contest_of(collective, bytes);
  if (contest.passes()) return is_fallback(contest.way());
  if (!step(contest)) return std::nullopt;
  if (contest.passes()) return is_fallback(contest.way());
  timed_ = &contest;
  begin_ns_ = monotonic_ns();
  return is_fallback(contest.next());
}

void CallTrials::end_call() {
  if (timed_ == nullptr) return;
  std::exchange(timed_, nullptr)->trial.stayed({begin_ns_, monotonic_ns()});
}

/// Lets the trial take its step before the next call.
bool CallTrials::step(Contest& contest) {
  Trial& trial = contest.trial;
  if (trial.is_timing() && !trial.is_due()) return true;
  if (!trial.is_timing()) trial.has_rested(monotonic_ns());
  if (trial.is_due() && !compare_notes(contest)) return false;
  if (!trial.is_timing()) contest.rest = trial.calls_of_rest();
  return true;
}

bool CallTrials::compare_notes(Contest& contest) {
  Trial& trial = contest.trial;
  const std::uint32_t matches = trial.matches();
  std::vector<Stay> all(trial.told().size() * rank_count_);
  if (!exchange_(trial.told(), all)) return false;
  trial.hear(all);
  if (trial.matches() != matches && tell_) tell_(outcome_of(contest));
  return true;
}

}  // namespace terrace::preload
