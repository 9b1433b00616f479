// SPDX-License-Identifier: BSD-3-Clause
// Findings of a team's blocking calls, for other teams of the same ranks that only start calls, and
// so find out nothing themselves.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "base/doubling_count.hpp"
#include "engine/team_endpoint.hpp"

namespace terrace {

/// Values that the members in a process must have alike at calls of some numbers: the first of them
/// that asks decides.
template <class Value>
class FirstDecides {
 public:
  Value at(std::uint64_t call, const Value& mine) {
    const std::lock_guard lock(mutex_);
    return by_call_.try_emplace(call, mine).first->second;
  }

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, Value> by_call_;
};

/// A rank's findings, taken while none of the blocking calls is in progress.
struct PublishedFindings {
  std::shared_ptr<const TeamFindings> latest;
  std::uint64_t version = 0;

  void publish(const TeamEndpoint& blocking) {
    if (version == blocking.findings_version()) return;
    latest = blocking.findings();
    version = blocking.findings_version();
  }
};

/// Findings that ranks of a team that starts calls settle alike, at calls 1, 2, 4, 8, ...
class SettledFindings {
 public:
  /// Called before each call of the team, which `calls` counts.
  void settle(DoublingCount& calls, const PublishedFindings& published, TeamEndpoint& endpoint) {
    if (!calls.add()) return;
    const auto all = by_call_.at(calls.value(), published.latest);
    if (all != nullptr) endpoint.use(all);
  }

 private:
  FirstDecides<std::shared_ptr<const TeamFindings>> by_call_;
};

}  // namespace terrace
