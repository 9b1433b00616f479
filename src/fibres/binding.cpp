// SPDX-License-Identifier: BSD-3-Clause
// Tells from how long a worker's kernel thread waits for its core whether others use it.
#include "fibres/binding.hpp"

#include <algorithm>

namespace terrace {

bool Binding::is_bound_after(const ThreadTimes& spent, std::uint64_t waits, std::uint64_t now_ns) {
  const std::uint64_t wanted_ns = spent.ran_ns + spent.waited_ns;
  const bool computes = waits * kLeastBetweenWaitsNs <= spent.ran_ns;
  const bool is_shared = spent.waited_ns * kSharedPart > wanted_ns;
  const bool speaks_against = is_bound_ ? is_shared && computes : !computes;
  other_looks_ = speaks_against ? other_looks_ + 1 : 0;
  if (is_bound_) {
    if (other_looks_ < kLooksInARow) return true;
    own_since_ns_ = now_ns;
    patience_ns_ = std::min(2 * patience_ns_, kMostPatienceNs);
  } else {
    if (spent.waited_ns * kOwnPart > wanted_ns) own_since_ns_ = now_ns;
    if (other_looks_ < kLooksInARow && now_ns - own_since_ns_ < patience_ns_) return false;
  }
  is_bound_ = !is_bound_;
  other_looks_ = 0;
  return is_bound_;
}

}  // namespace terrace
