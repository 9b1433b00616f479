// SPDX-License-Identifier: BSD-3-Clause
// Trials of whole calls: made by Terrace, or by the MPI (engine/trial.hpp). For calls that are more
// than one run of a plan, which an endpoint's trials do not time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/contest.hpp"

namespace terrace::preload {

class CallTrials {
 public:
  /// Gives each rank what all ranks have measured, in order of ranks: `mine` and `all` hold as many
  /// stays of each. False: it was refused.
  using Exchange = std::function<bool(const std::vector<Stay>& mine, std::vector<Stay>& all)>;

  /// `how` Terrace makes such calls, for reports. All but `exchange` is the same on all ranks.
  CallTrials(Contender::How how, const TrialTerms& terms, std::size_t rank_count, Exchange exchange)
      : how_(how), terms_(terms), rank_count_(rank_count), exchange_(std::move(exchange)) {}

  /// Whether the next call of this class falls back to the MPI, by what is known, or to time it
  /// there. Ask exactly once for each call; all ranks must ask alike. `end_call` must follow when
  /// the call is over. Nothing: an exchange was refused, and ranks may decide differently.
  std::optional<bool> falls_back(Collective collective, std::size_t bytes);
  void end_call();
  /// Whether the call that was asked for is timed by itself, so that it has to go the way it was
  /// told.
  bool is_timing() const { return timed_ != nullptr; }
  /// A sentence for each decision, for reports.
  void tell_outcomes_to(std::function<void(const std::string&)> tell) { tell_ = std::move(tell); }

 private:
  Contest& contest_of(Collective collective, std::size_t bytes);
  bool step(Contest& contest);
  bool compare_notes(Contest& contest);

  Contender::How how_;
  TrialTerms terms_;
  std::size_t rank_count_;
  Exchange exchange_;
  Contests contests_;
  Contest* last_ = nullptr;   ///< that was asked for
  Contest* timed_ = nullptr;  ///< whose call is being timed by itself
  std::uint64_t begin_ns_ = 0;
  std::function<void(const std::string&)> tell_;
};

/// Ends a call of which `falls_back` was asked.
class TriedCall {
 public:
  explicit TriedCall(CallTrials* trials) : trials_(trials) {}
  ~TriedCall() {
    if (trials_ != nullptr) trials_->end_call();
  }
  TriedCall(const TriedCall&) = delete;
  TriedCall& operator=(const TriedCall&) = delete;

 private:
  CallTrials* trials_;  ///< null: there are none
};

}  // namespace terrace::preload
