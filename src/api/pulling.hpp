// SPDX-License-Identifier: BSD-3-Clause
// Whether pulling pays: found out per collective and class of size by the first calls themselves,
// so with the peers, the buffers and the pages that are in question. All ranks count calls alike,
// and hear the same times, so all decide alike.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

#include "collectives/collectives.hpp"

namespace terrace {

class Pulling {
 public:
  /// Whether the next call is to be pulled. First all that bounce, then all that pull: what bounced
  /// calls gain by not waiting for each other would not be seen between others.
  bool pulls() const { return is_settled() ? pays_ : calls_ >= kOfEach; }
  bool is_settled() const { return calls_ > 2 * kOfEach; }
  /// A call is over that took this rank so long.
  void took(std::uint64_t ns) { ns_[calls_++] = ns; }
  /// The trials are over, and ranks have to tell each other what they have found.
  bool is_due() const { return calls_ == 2 * kOfEach; }
  /// The median, without the first, which touches pages and scratch for the first time.
  std::uint64_t usual_ns(bool pulled) const {
    std::array<std::uint64_t, kOfEach - 1> some;
    std::copy_n(ns_.begin() + (pulled ? kOfEach : 0) + 1, some.size(), some.begin());
    std::nth_element(some.begin(), some.begin() + some.size() / 2, some.end());
    return some[some.size() / 2];
  }
  /// The longest of all ranks' times.
  void settle(std::uint64_t bounced_ns, std::uint64_t pulled_ns) {
    pays_ = pulled_ns + pulled_ns / kMargin < bounced_ns;
    ++calls_;
  }

 private:
  static constexpr std::uint32_t kOfEach = 6;
  /// What is no more than a tenth faster stays as it was.
  static constexpr std::uint64_t kMargin = 10;

  std::uint32_t calls_ = 0;
  bool pays_ = false;
  std::array<std::uint64_t, 2 * kOfEach> ns_{};
};

/// A team's, by collective and binary logarithm of a block's bytes.
using Pullings = std::map<std::pair<Collective, int>, Pulling>;

}  // namespace terrace
