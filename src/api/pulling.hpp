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
  /// Whether the next call is to be pulled. Those that bounce follow each other, and so do those
  /// that pull: what bounced calls gain by not waiting for each other would not be seen otherwise.
  /// They bounce first and last, as all gets faster with time: caches and pages are filled.
  bool pulls() const {
    if (is_settled()) return pays_;
    return calls_ >= kInARow && calls_ < 3 * kInARow;
  }
  bool is_settled() const { return calls_ > kTrials; }
  /// A call is over that took this rank so long.
  void took(std::uint64_t ns) { ns_[calls_++] = ns; }
  /// The trials are over, and ranks have to tell each other what they have found.
  bool is_due() const { return calls_ == kTrials; }
  /// The median, without the first in each row, which has to do with what was before.
  std::uint64_t usual_ns(bool pulled) const {
    std::array<std::uint64_t, 2 * (kInARow - 1)> some;
    std::uint64_t* next = some.data();
    for (const std::uint32_t row : {pulled ? 1u : 0u, pulled ? 2u : 3u})
      next = std::copy_n(&ns_[row * kInARow + 1], kInARow - 1, next);
    std::nth_element(some.begin(), some.begin() + some.size() / 2, some.end());
    return some[some.size() / 2];
  }
  /// The longest of all ranks' times.
  void settle(std::uint64_t bounced_ns, std::uint64_t pulled_ns) {
    pays_ = pulled_ns + pulled_ns / kMargin < bounced_ns;
    ++calls_;
  }

 private:
  static constexpr std::uint32_t kInARow = 4, kTrials = 4 * kInARow;
  /// What is no more than a tenth faster stays as it was.
  static constexpr std::uint64_t kMargin = 10;

  std::uint32_t calls_ = 0;
  bool pays_ = false;
  std::array<std::uint64_t, kTrials> ns_{};
};

/// A team's, by collective and binary logarithm of a block's bytes.
using Pullings = std::map<std::pair<Collective, int>, Pulling>;

}  // namespace terrace
