// SPDX-License-Identifier: BSD-3-Clause
// A member's long puts and gets at one target. They are numbered as they begin, and end in any
// order; a flush waits until all that began before it have ended. `over_` is the number of the
// first one that has not ended, and `ended_` has a bit for each one from there on:
//
//     seven have begun, 0 to 6, and all but 4 have ended: over_ = 4, ended_ = 0b110 (5 and 6)
//     4 ends as well:                                     over_ = 7, ended_ = 0
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>

#include "base/contract.hpp"

namespace terrace::threadranks {

class LongCalls {
 public:
  /// Calls from `over_` on: each drive of the network asks for all of them.
  static constexpr std::uint64_t kMost = 64;

  // Functions for the rank, which has its lock:
  bool has_room() const { return are_over(begun_ < kMost ? 0 : begun_ - kMost + 1); }
  /// The number of the next one.
  std::uint64_t begin() {
    TERRACE_REQUIRE(has_room(), begun_);
    return begun_++;
  }
  std::uint64_t begun() const { return begun_; }
  // acquire: pairs with the release in `end`; what was got is there.
  bool are_over(std::uint64_t calls) const {
    return over_.load(std::memory_order_acquire) >= calls;
  }

  /// Ends a call, in the thread that drives. The object may be gone afterwards.
  void end(std::uint64_t number) {
    // relaxed: only the thread that drives stores.
    const std::uint64_t over = over_.load(std::memory_order_relaxed);
    TERRACE_REQUIRE(number >= over && number - over < kMost, number, over);
    ended_ |= std::uint64_t{1} << (number - over);
    const auto more = static_cast<unsigned>(std::countr_one(ended_));
    if (more == 0) return;
    ended_ = more < kMost ? ended_ >> more : 0;
    // release: pairs with the acquire in `are_over`.
    over_.store(over + more, std::memory_order_release);
  }

 private:
  std::uint64_t begun_ = 0;
  std::uint64_t ended_ = 0;  ///< bit i: call `over_` + i
  std::atomic<std::uint64_t> over_{0};
};

}  // namespace terrace::threadranks
