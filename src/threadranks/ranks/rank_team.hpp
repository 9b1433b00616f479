// SPDX-License-Identifier: BSD-3-Clause
// RankTeam: the ranks of a communicator as a team that runs plans.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>

#include "base/rank.hpp"
#include "engine/team_endpoint.hpp"

namespace terrace::threadranks {

/// The place where a rank runs.
struct RankHome {
  std::uint32_t shared_cores = 0;       ///< that the team's ranks share; 0: each has one of its own
  std::optional<std::uint32_t> worker;  ///< of a rank that is a fibre
  std::optional<std::uint32_t> pu;      ///< that its worker is bound to
};

/// The team of a communicator. Set up when all its members have arrived, which a member does
/// without waiting.
class RankTeam {
 public:
  /// `blocking`: a team of the same ranks, of which this one is a lane, and which outlives it. If
  /// that has been founded when this one is, they share plans.
  explicit RankTeam(Rank ranks, const RankTeam* blocking = nullptr);
  ~RankTeam();
  RankTeam(const RankTeam&) = delete;
  RankTeam& operator=(const RankTeam&) = delete;

  /// Prepares the rank's share of the memory. Once for each rank, by its thread or fibre. True: it
  /// is the last, and the team is founded, for which the others may wait.
  bool arrive(Rank rank, const RankHome& home);
  bool is_founded() const;
  /// The most calls that a rank has begun; 1 if some have arrived, and wait for others.
  std::uint64_t most_calls() const;
  /// After all have arrived.
  std::unique_ptr<TeamEndpoint> take_endpoint(Rank rank, WaitEnvironment& wait_environment,
                                              const WaitPolicy& waiting);

 private:
  struct Founding;
  Rank ranks_;
  const RankTeam* blocking_;  ///< null: it is no lane
  std::shared_ptr<FirstChoices> first_choices_of_lanes_ = std::make_shared<FirstChoices>();
  std::mutex mutex_;
  std::unique_ptr<Founding> founding_;
  std::atomic<Rank> arrived_{0};
  std::atomic<bool> is_founded_{false};
};

}  // namespace terrace::threadranks
