// SPDX-License-Identifier: BSD-3-Clause
// The threads that a measurement runs on, each pinned to its own PU where there are enough, and
// the bare tools against which everything is measured: a barrier of lines, a probe, a clock.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/rank.hpp"
#include "team/memory.hpp"

namespace terrace::bench {

/// Monotonic time in nanoseconds; reading it takes some 20 ns.
double now_ns();

/// Involuntary context switches of this thread so far.
long involuntary_switches();

/// The PUs this process may use, in order.
std::vector<int> allowed_pus();

/// The least that a barrier can be: a store, then a look at every other rank's line.
class BareBarrier {
 public:
  BareBarrier(Rank ranks, bool yields) : places_(ranks), yields_(yields) {}
  void arrive(Rank rank);

 private:
  struct alignas(kLinePairBytes) Place {
    std::atomic<std::uint64_t> arrived{0};
  };
  std::vector<Place> places_;
  bool yields_;
};

class Crew {
 public:
  explicit Crew(Rank ranks);

  /// Runs `body` once on every rank's thread; returns when all have. With OpenMP the threads are
  /// those of one parallel region, so that orphaned OpenMP constructs work inside.
  void run(const std::function<void(Rank)>& body);

  Rank ranks() const { return ranks_; }
  std::uint32_t pus() const { return static_cast<std::uint32_t>(pus_.size()); }
  bool is_oversubscribed() const { return ranks_ > pus(); }
  void barrier(Rank rank) { barrier_.arrive(rank); }

  /// One-way latency in ns of a line between rank 0 and rank 1, from a short ping-pong; all ranks
  /// call it, the others just pass. 0 where it means nothing (one rank, or ranks share PUs).
  double probe(Rank rank);

 private:
  Rank ranks_;
  std::vector<int> pus_;
  BareBarrier barrier_;
  struct alignas(kLinePairBytes) Ball {
    std::atomic<std::uint64_t> count{0};
  };
  Ball balls_[2];
  std::uint64_t throws_[2] = {0, 0};
  double probed_ = 0;
};

}  // namespace terrace::bench
