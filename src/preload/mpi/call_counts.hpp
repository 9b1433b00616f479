// SPDX-License-Identifier: BSD-3-Clause
// Counts of what Terrace has done in this process, always on: for MPI_T.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "engine/performance_variables.hpp"

namespace terrace::preload {

/// Counts of one communicator. Its calls come one after the other, so each count has one writer at
/// a time; another thread may read the sums.
class CommunicatorCounts {
 public:
  [[gnu::always_inline]] void ran(Collective collective, std::size_t bytes) {
    Cell& cell = cells_[static_cast<std::size_t>(collective)];
    add(cell.run, 1);
    add(cell.bytes, bytes);
  }
  void fallen_back(Collective collective) {
    add(cells_[static_cast<std::size_t>(collective)].fallen_back, 1);
  }

  /// Begins anew.
  void forget() {
    // relaxed: as in `add`.
    for (Cell& cell : cells_)
      for (auto* const count : {&cell.run, &cell.fallen_back, &cell.bytes})
        count->store(0, std::memory_order_relaxed);
  }

  CallCounts of(Collective collective) const {
    const Cell& cell = cells_[static_cast<std::size_t>(collective)];
    // relaxed, all three: numbers that order nothing; partners are the stores of `add`.
    return {cell.run.load(std::memory_order_relaxed),
            cell.fallen_back.load(std::memory_order_relaxed),
            cell.bytes.load(std::memory_order_relaxed)};
  }

 private:
  struct Cell {
    std::atomic<std::uint64_t> run{0}, fallen_back{0}, bytes{0};
  };
  [[gnu::always_inline]] static void add(std::atomic<std::uint64_t>& count, std::uint64_t more) {
    // relaxed, both: a count with one writer, which orders nothing; read in `of`.
    count.store(count.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
  }

  std::array<Cell, kAllCollectives> cells_{};
};

/// Sums over all communicators of this process, including freed ones.
CallCounts calls_so_far(Collective collective);

/// Teams that this process is or was in.
struct TeamCounts {
  std::uint64_t founded = 0;
  std::uint64_t reused = 0;  ///< communicators that had one which was idle
};
TeamCounts teams_so_far();
void count_founded_team();
void count_reused_team();

}  // namespace terrace::preload
