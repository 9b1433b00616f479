// SPDX-License-Identifier: BSD-3-Clause
// Long puts and gets of a member at one target, which end in any order: a flush waits for those
// that were begun before it.
//
//     begun 7, over 4: the first four     ended 0b101: of the others the first and the third
#pragma once

#include <atomic>
#include <bit>
#include <cstdint>

#include "base/contract.hpp"

namespace terrace::threadranks {

class LongCalls {
 public:
  /// At once, from the first that is not over on: each drive of the network asks for all of them.
  static constexpr std::uint64_t kMost = 64;

  // By the rank, which has its lock:
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

  /// By the thread that drives. The object may be gone afterwards.
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
  std::uint64_t ended_ = 0;  ///< of those from `over_` on
  std::atomic<std::uint64_t> over_{0};
};

}  // namespace terrace::threadranks
