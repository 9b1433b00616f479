// SPDX-License-Identifier: BSD-3-Clause
// Earliest: the first of many times, each of which changes often. A tournament tree: half of the
// times lie below either child of the root, and each node has the earlier of its two children's.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace terrace::simulate {

class Earliest {
 public:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  void set(std::uint32_t number, double time) {
    while (number >= room_) grow();
    std::size_t node = room_ + number;
    times_[node] = time;
    for (node /= 2; node != 0; node /= 2) {
      const double earlier = std::min(times_[2 * node], times_[2 * node + 1]);
      if (times_[node] == earlier) break;
      times_[node] = earlier;
    }
  }

  /// kNever: there is none, or all are.
  double time() const { return times_[1]; }
  /// Returns the earliest; of several, the one with the lowest number.
  std::uint32_t which() const {
    std::size_t node = 1;
    while (node < room_) node = 2 * node + (times_[2 * node] == times_[1] ? 0 : 1);
    return static_cast<std::uint32_t>(node - room_);
  }

  std::size_t bytes() const { return times_.capacity() * sizeof(double); }

 private:
  void grow() {
    const Earliest small = *this;
    room_ *= 2;
    times_.assign(2 * room_, kNever);
    for (std::uint32_t number = 0; number < small.room_; ++number)
      set(number, small.times_[small.room_ + number]);
  }

  std::size_t room_ = 1;
  std::vector<double> times_ = {kNever, kNever};  ///< node n's children are 2n and 2n + 1
};

}  // namespace terrace::simulate
