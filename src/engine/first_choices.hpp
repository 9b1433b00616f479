// SPDX-License-Identifier: BSD-3-Clause
// The first choices of sums, whose bits must not change: later choices of a class keep them.
#pragma once

#include <map>
#include <mutex>

#include "engine/contest.hpp"

namespace terrace {

/// Shared by endpoints of the same ranks whose sums must have the same bits: the first of them that
/// chooses decides for all.
class FirstChoices {
 public:
  /// Returns the first choice of the class: `mine`, if there was none.
  Choice at(const ClassOfCalls& calls, const Choice& mine) {
    const std::lock_guard lock(mutex_);
    return by_class_.try_emplace(calls, mine).first->second;
  }

 private:
  std::mutex mutex_;
  std::map<ClassOfCalls, Choice> by_class_;
};

}  // namespace terrace
