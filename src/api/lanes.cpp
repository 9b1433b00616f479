// SPDX-License-Identifier: BSD-3-Clause
// Makes lanes, and tells when all ranks have come.
#include "api/lanes.hpp"

#include "base/contract.hpp"

namespace terrace {

void SharedLane::arrive(Rank rank) {
  prepare(pages_.memory().ranks[rank], 0);
  // release: pairs with the acquire in `is_ready`, whose rank then uses this one's share; acquire,
  // so that the last to arrive passes on what the others have prepared.
  const std::uint64_t before = arrived_.fetch_add(1, std::memory_order_acq_rel);
  TERRACE_REQUIRE(before < ranks_, before, ranks_, rank);
  // relaxed: may miss a sleeper who registers now; its nap is bounded. Partner: `sleep_unless`.
  if (sleepers_.load(std::memory_order_relaxed) != 0) wake(arrived_);
}

bool SharedLane::is_ready() const {
  // acquire: pairs with the release in `arrive`.
  return arrived_.load(std::memory_order_acquire) == ranks_;
}

std::shared_ptr<SharedLane> TeamLanes::new_lane() const {
  return std::make_shared<SharedLane>(ranks_, scratch_bytes_);
}

std::shared_ptr<SharedLane> TeamLanes::lane(std::size_t number) {
  TERRACE_ASSERT(number < kLanes, number);
  const std::lock_guard lock(mutex_);
  if (!lanes_[number]) lanes_[number] = new_lane();
  return lanes_[number];
}

std::shared_ptr<SharedLane> TeamLanes::lane_of_prepared(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  Offered& offered = of_prepared_[number];
  if (!offered.lane) offered.lane = new_lane();
  std::shared_ptr<SharedLane> lane = offered.lane;
  if (++offered.takers == ranks_) of_prepared_.erase(number);
  return lane;
}

}  // namespace terrace
