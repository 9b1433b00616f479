// SPDX-License-Identifier: BSD-3-Clause
// Lanes: what the nonblocking calls of a team run on. Each is a team of its own of the same ranks,
// so that all that is proved of teams holds; the n-th call goes to lane n % kLanes. A program may
// leave a call that it has started for as long as it likes, without Terrace being called meanwhile:
// so lanes run plans that start alone, through their own scratch.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/last_call.hpp"
#include "engine/recorder.hpp"
#include "engine/team_endpoint.hpp"
#include "plan/lower.hpp"
#include "preload/setup/lane_decisions.hpp"
#include "preload/transport/shared_memory.hpp"
#include "preload/waiting/wait_environment.hpp"

namespace terrace::preload {

struct NonblockingCall;

/// Calls of a communicator that ranks can have started without waiting for each other: short ones,
/// and others. Long ones have few lanes with much scratch, all of which they go through.
inline constexpr std::size_t kShortLanes = 8, kLongLanes = 2;
/// Persistent calls that have a lane of their own, so that ranks may start them in any order: the
/// first of each communicator, as all ranks initialize them in the same order. Later ones are the
/// MPI's.
inline constexpr std::size_t kPersistentLanes = 16;
inline constexpr std::size_t kLanes = kShortLanes + kLongLanes + kPersistentLanes;
/// Bytes that a rank leaves behind in a short call at most, and in any. Longer calls are the MPI's.
inline constexpr std::size_t kMostShort = std::size_t{1} << 10, kMostLeft = std::size_t{128} << 10;

/// Whether several threads may touch lanes now: those of the program's, if the MPI allows them, and
/// Terrace's own while it is awake.
inline std::atomic<bool> lanes_have_threads{false};

/// Held by threads that touch lanes and their calls, where several may.
class LanesLock {
 public:
  LanesLock() : holds_(is_needed()) {
    if (!holds_) return;
    mutex().lock();
    // While this thread waited for the mutex, Terrace's may have fallen asleep.
    if (is_needed()) return;
    mutex().unlock();
    holds_ = false;
  }
  ~LanesLock() {
    if (holds_ || std::exchange(is_taken_late_, false)) mutex().unlock();
  }
  LanesLock(const LanesLock&) = delete;
  LanesLock& operator=(const LanesLock&) = delete;
  // acquire: pairs with the release in `need_no_longer`, so that the program's thread sees what
  // Terrace's has done to lanes.
  static bool is_needed() { return lanes_have_threads.load(std::memory_order_acquire); }
  /// From now on it is needed. The only thread, which is in a scope of such an object, holds it
  /// until the scope ends.
  static void need() {
    if (is_needed()) return;
    mutex().lock();
    is_taken_late_ = true;
    // relaxed: the only thread stores it, before it starts or wakes the second. Partner:
    // `is_needed`.
    lanes_have_threads.store(true, std::memory_order_relaxed);
  }
  /// Makes the lock unnecessary until `need` is called: for Terrace's own thread, which holds it,
  /// and touches no lanes until then.
  static void need_no_longer() {
    // relaxed: pairs with `need_always`, before that thread was started.
    if (program_has_threads_.load(std::memory_order_relaxed)) return;
    // release: pairs with the acquire in `is_needed`.
    lanes_have_threads.store(false, std::memory_order_release);
  }
  /// Makes the lock necessary for good: several threads of the program's may touch lanes.
  static void need_always() {
    // relaxed, both: before the first call in lanes, of which all threads know. Partners:
    // `need_no_longer` and `is_needed`.
    program_has_threads_.store(true, std::memory_order_relaxed);
    lanes_have_threads.store(true, std::memory_order_relaxed);
  }
  static std::mutex& mutex();

 private:
  static inline std::atomic<bool> program_has_threads_{false};
  static inline bool is_taken_late_ = false;  ///< by `need`, in a scope that did not need it before
  bool holds_;
};

/// Whether teams of so many ranks have lanes: beyond, no rank knows all waits of a plan.
constexpr bool may_have_lanes(Rank ranks) {
  return ranks <= kMostRanksTogether;
}
/// Bytes that the lanes of a team take, of which few are allocated; 0 if it has none.
std::size_t lanes_bytes(Rank ranks);

/// Each rank's scratch in a lane, which is allocated as it is used.
std::size_t lane_scratch(std::size_t lane, Rank ranks);

/// Facts of their team that lanes share.
struct LaneSettings {
  TeamTraits traits;  ///< of the team
  WaitPolicy waiting;
  bool is_reproducible = false;
  std::vector<Peer> peers;
};

struct NonblockingLane {
  NonblockingLane(UnderlyingMpi& underlying, TeamMemory its_memory, Rank rank,
                  Departure* departures, std::uint32_t number);

  TeamMemory memory;
  MpiWaitEnvironment wait_environment;
  WaitPolicy waiting;
  std::unique_ptr<EndpointRecorder> records;  ///< null: nothing is recorded
  std::optional<TeamEndpoint> endpoint;       ///< nothing before the first call
  std::array<LastCall, kCollectiveCount> last_calls;
  // This rank's calls that are not over, in their order; only the first has been started.
  NonblockingCall* first_call = nullptr;
  NonblockingCall* last_call = nullptr;
  std::shared_ptr<const TeamFindings> findings;  ///< that the endpoint uses
  bool is_behind = false;   ///< peers may wait for what this rank could not send yet
  bool is_claimed = false;  ///< by the thread that alone goes on with its calls
};

class NonblockingLanes {
 public:
  /// `place`: `lanes_bytes` of the team's shared memory.
  NonblockingLanes(UnderlyingMpi& underlying, std::byte* place, Rank ranks, Rank rank,
                   Departure* departures);

  /// Makes this rank's words ready; its peers may look at them once all ranks have done so. False:
  /// there is no memory.
  bool prepare(SharedMemory& shared, std::size_t offset);
  void use(LaneSettings settings) { settings_ = std::move(settings); }

  /// The lane of the next call, in which each rank leaves so many bytes behind.
  NonblockingLane& next(std::size_t bytes) { return *lanes_[next_number(bytes)]; }
  /// The lane of the next persistent call; null: all are taken. Ask once for each.
  NonblockingLane* next_persistent() {
    const std::size_t number = initialized_++;
    return number < kPersistentLanes ? lanes_[kShortLanes + kLongLanes + number].get() : nullptr;
  }
  /// A call was started in it.
  void count_start(std::size_t bytes) { ++started_[is_long(bytes)]; }
  /// Calls that this rank has started, but for persistent ones.
  std::uint64_t started() const { return started_[0] + started_[1]; }
  /// Whether, before the next call, all is to be forgotten that was decided: now and then, since
  /// blocking calls may have found out more.
  bool is_forgetting_due() const { return started() >= next_forgetting_; }
  void forget_decisions();
  /// Makes the lane's endpoint, if it has none.
  void open(NonblockingLane& lane, PlanCache& plan_cache);
  /// The decision for such a call, of which `blocking` knows how the team's calls are best run.
  std::shared_ptr<LaneDecision> decision_for(NonblockingLane& lane, const Question& question,
                                             const TeamEndpoint& blocking);
  bool is_known(LaneDecision& decision) { return decisions_.is_known(decision); }
  /// Lets the lane, which has started no call, choose as was decided.
  static void apply(const LaneDecision& decision, NonblockingLane& lane);

  /// Compares the last calls of lanes that are idle.
  void compare_calls();
  /// A number that is equal on ranks that have made the same calls.
  std::uint64_t state() const;
  /// Serves another communicator from the next call on, after `lives` others.
  void begin_life(std::uint64_t lives);
  void end_life();
  template <class Visit>
  void for_each(const Visit& visit) {
    for (const auto& lane : lanes_) visit(*lane);
  }

  /// Whether this rank has calls that are not over.
  bool has_calls() const {
    return std::any_of(lanes_.begin(), lanes_.end(),
                       [](const auto& lane) { return lane->first_call != nullptr; });
  }

  std::uint32_t requests = 0;  ///< for their calls, that the program holds

 private:
  static bool is_long(std::size_t bytes) { return bytes > kMostShort; }
  std::size_t next_number(std::size_t bytes) const {
    return is_long(bytes) ? kShortLanes + started_[1] % kLongLanes : started_[0] % kShortLanes;
  }
  TeamTraits traits_of(const NonblockingLane& lane) const;
  std::optional<Choice> decide(const NonblockingLane& lane, const Question& question,
                               const TeamEndpoint& blocking);

  Rank ranks_, rank_;
  LaneSettings settings_;
  std::uint64_t started_[2] = {};  ///< short ones, and others
  std::uint64_t initialized_ = 0;  ///< persistent ones of the present communicator
  std::uint64_t next_forgetting_ = 64;
  LaneDecisions decisions_;
  // Rank 0's.
  std::shared_ptr<Chooser> measured_, measured_for_;  ///< for lanes, and of the blocking team
  std::shared_ptr<FirstChoices> first_choices_ = std::make_shared<FirstChoices>();
  std::vector<std::unique_ptr<NonblockingLane>> lanes_;
};

}  // namespace terrace::preload
