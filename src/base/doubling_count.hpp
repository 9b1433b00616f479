// SPDX-License-Identifier: BSD-3-Clause
// A count of which the first, second, fourth, eighth, ... event stands out: for what is worth doing
// now and then, and ever less often.
#pragma once

#include <cstdint>

#include "base/contract.hpp"

namespace terrace {

class DoublingCount {
 public:
  /// Counts an event. True: its number is a power of two.
  bool add() {
    TERRACE_ASSERT(count_ < next_, count_, next_);
    if (++count_ != next_) return false;
    next_ *= 2;
    return true;
  }
  /// Whether the next event's number is.
  bool is_next() const { return count_ + 1 == next_; }
  std::uint64_t value() const { return count_; }

 private:
  std::uint64_t count_ = 0, next_ = 1;
};

}  // namespace terrace
