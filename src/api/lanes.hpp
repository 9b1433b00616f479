// SPDX-License-Identifier: BSD-3-Clause
// Lanes: what started calls of a team of threads run in. Each is a team of its own of the same
// ranks, so that all that is proved of teams holds.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "engine/published_findings.hpp"
#include "team/team_pages.hpp"
#include "team/waiting.hpp"

namespace terrace {

/// Calls of a rank that run at once without waiting for each other: the n-th that it starts has
/// lane n % kLanes. A prepared call has a lane of its own.
inline constexpr std::size_t kLanes = 4;

/// The part of a lane that its ranks share.
class SharedLane {
 public:
  SharedLane(Rank ranks, std::size_t scratch_bytes)
      : pages_(ranks, scratch_bytes, false), ranks_(ranks) {}

  /// Prepares the rank's share of the memory; once, before it looks at anything here.
  void arrive(Rank rank);
  /// Whether all ranks have arrived, and calls can begin.
  bool is_ready() const;
  /// The signal that it is ready.
  WaitTarget arrivals() { return {&arrived_, &sleepers_}; }
  const TeamMemory& memory() const { return pages_.memory(); }

  SettledFindings findings;

 private:
  TeamPages pages_;
  const Rank ranks_;
  std::atomic<std::uint64_t> arrived_{0};
  std::atomic<std::uint32_t> sleepers_{0};
};

/// The lanes of a team. Each is made for the first rank that asks for it.
class TeamLanes {
 public:
  TeamLanes(Rank ranks, std::size_t scratch_bytes) : ranks_(ranks), scratch_bytes_(scratch_bytes) {}

  std::shared_ptr<SharedLane> lane(std::size_t number);
  /// The lane of each rank's call that was prepared as the `number`-th. Each rank asks once.
  std::shared_ptr<SharedLane> lane_of_prepared(std::uint64_t number);
  /// Visits the lanes of calls that were not prepared, if all ranks have arrived; no rank may be in
  /// a call.
  template <class Visit>
  void for_each_ready(const Visit& visit) const {
    for (const auto& lane : lanes_)
      if (lane != nullptr && lane->is_ready()) visit(*lane);
  }

 private:
  struct Offered {
    std::shared_ptr<SharedLane> lane;
    Rank takers = 0;  ///< so far
  };
  std::shared_ptr<SharedLane> new_lane() const;

  const Rank ranks_;
  const std::size_t scratch_bytes_;
  std::mutex mutex_;
  std::array<std::shared_ptr<SharedLane>, kLanes> lanes_;
  std::map<std::uint64_t, Offered> of_prepared_;  ///< that some rank has not asked for yet
};

}  // namespace terrace
