// SPDX-License-Identifier: BSD-3-Clause
// Decisions of nonblocking calls. Blocking calls find out how to run calls: by measuring the
// machine, and by trials. All ranks learn that at the same blocking call, but a program may start a
// call before that one on some ranks, and after it on others. So rank 0 decides for each class of
// calls when it starts the first of them, and writes the decision where all can read it; other
// ranks cannot start that one call before. Decisions are numbered as calls are started, which all
// ranks do in the same order.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "base/cache_aligned.hpp"
#include "engine/team_endpoint.hpp"

namespace terrace::preload {

/// A decision in shared memory, written once, by rank 0.
struct alignas(kLineBytes) SharedDecision {
  std::atomic<std::uint64_t> is_made{0};
  std::uint32_t algorithm = 0;  ///< its number in the table
  std::uint32_t radix = 0, ring = 0, depth = 0;
  std::uint64_t strip_bytes = 0, scratch_span = 0;
  std::uint64_t calls = 0;  ///< a hash of the class
  std::uint32_t flags = 0;
};

/// Decisions that a team keeps. Later ones are those of the first call.
inline constexpr std::size_t kMostLaneDecisions = 1024;

/// The way in which one class of calls is run.
struct LaneDecision {
  ClassOfCalls calls{};
  std::uint64_t number = 0;
  bool is_known = false;
  bool is_of_others = false;     ///< rank 0 has started other calls: a fault of the program
  std::optional<Choice> choice;  ///< nothing: as a lane chooses by itself
};

/// The decisions of a team's lanes, as this rank knows them.
class LaneDecisions {
 public:
  LaneDecisions(SharedDecision* shared, Rank rank) : shared_(shared), rank_(rank) {}

  /// The decision for such calls, the first of which is being started now. `decide` gives rank 0
  /// its choice.
  std::shared_ptr<LaneDecision> for_calls(const ClassOfCalls& calls,
                                          const std::function<std::optional<Choice>()>& decide);
  /// Looks whether rank 0 has decided.
  bool is_known(LaneDecision& decision);
  /// From now on all is decided anew. All ranks do so between the same calls.
  void forget() { by_class_.clear(); }

 private:
  SharedDecision* shared_;
  Rank rank_;
  std::uint64_t next_ = 0;
  std::map<ClassOfCalls, std::shared_ptr<LaneDecision>> by_class_;
};

}  // namespace terrace::preload
