// SPDX-License-Identifier: BSD-3-Clause
// Backoff for programs that poll in loops of their own.
#pragma once

#include <algorithm>
#include <cstdint>

namespace terrace {

/// The number of fruitless polls after which a rank yields its core: a program that polls may do
/// other work in between, and next to other processes the core is gone for milliseconds. So each
/// yield that brought nothing doubles the distance to the next one, until a poll finds something.
class PollBackoff {
 public:
  static constexpr std::uint32_t kLeast = 16, kMost = 1024;

  /// After a fruitless poll.
  bool ends() noexcept {
    if (++looks_ < length_) return false;
    looks_ = 0;
    length_ = std::min(2 * length_, kMost);
    return true;
  }
  void renew() noexcept {
    looks_ = 0;
    length_ = kLeast;
  }

 private:
  std::uint32_t looks_ = 0, length_ = kLeast;
};

}  // namespace terrace
