// SPDX-License-Identifier: BSD-3-Clause
// Calls that a rank has started or prepared, and goes on with whenever its thread waits or tests.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "api/lanes.hpp"
#include "api/thread_team.hpp"
#include "base/doubling_count.hpp"
#include "team/poll_backoff.hpp"
#include "terrace/terrace.h"

namespace terrace {

class RankCalls;
class RankLane;
class ThreadCalls;

struct ThreadCallArguments {
  CheckedCall request;
  const void* input = nullptr;
  void* output = nullptr;
  Elements elements;  ///< bytes, if nothing is combined
};

enum class CallState : std::uint8_t {
  unused,    ///< the record is free
  inactive,  ///< prepared, and not started
  pending,
  over,  ///< and not waited for
};

enum class CallOutcome : std::uint8_t {
  done,
  differing,  ///< under checks_calls: the ranks' arguments; nothing was sent
  broken,
};

}  // namespace terrace

/// The record of a call, which a rank uses again for a later one.
struct terrace_call final {
  terrace::ThreadCallArguments arguments;
  terrace::RankCalls* rank_calls = nullptr;
  terrace::RankLane* lane = nullptr;            ///< of the last start
  std::unique_ptr<terrace::RankLane> own_lane;  ///< of a prepared call; null: it was only started
  terrace::CallState state = terrace::CallState::unused;
  terrace::CallOutcome outcome = terrace::CallOutcome::done;
  bool is_compared = false;
  std::vector<terrace::CheckedCall> requests;  ///< of all ranks, where they are compared
  terrace_call* next = nullptr;                ///< in the lane, or among unused ones
};

namespace terrace {

using StartedCall = terrace_call;

/// A rank's part of a lane: an endpoint, and the calls that are not over, in the order of starts.
/// Only the first is under way.
class RankLane {
 public:
  explicit RankLane(RankCalls& calls);
  ~RankLane();
  RankLane(const RankLane&) = delete;
  RankLane& operator=(const RankLane&) = delete;

  /// Prepares the rank's share. Before the first call.
  void arrive(std::shared_ptr<SharedLane> shared);
  void enqueue(StartedCall& call);
  /// Goes on as far as possible without waiting.
  void advance() noexcept;
  void prefetch_awaited() const {
    if (is_calling_) endpoint_->prefetch_awaited();
  }
  /// The signal that the first call waits for.
  WaitTarget missing();
  bool is_idle() const { return first_ == nullptr; }
  /// Ends all calls, which cannot complete.
  void abandon() noexcept;
  /// Compares calls after the rank's last one here; false: they do not match.
  bool compare_calls() { return endpoint_ == nullptr || endpoint_->compare_calls(); }
  RankCalls& rank_calls() const { return calls_; }
  TeamWaitEnvironment& wait_environment() { return wait_environment_; }
  /// Waits by `wait` for a call here, which is recorded if that is wanted.
  template <class Wait>
  void wait_recorded(const Wait& wait) {
    const std::uint64_t begin = records_ ? wait_environment_.now_ns() : 0;
    const std::optional<Rank> awaited =
        records_ && is_calling_ ? endpoint_->awaited() : std::nullopt;
    wait();
    if (records_) records_->waited(awaited, begin, wait_environment_.now_ns());
  }

 private:
  friend class ThreadCalls;

  bool open();
  Progress begin_next() noexcept;
  Progress begin(StartedCall& call);
  Progress begin_checked(const ThreadCallArguments& arguments);
  bool ends_with(StartedCall& call);
  void end_first(CallOutcome outcome);

  RankCalls& calls_;
  std::shared_ptr<SharedLane> shared_;
  TeamWaitEnvironment wait_environment_;
  std::unique_ptr<EndpointRecorder> records_;  ///< null: nothing is recorded
  std::unique_ptr<TeamEndpoint> endpoint_;     ///< null: nothing has begun here
  DoublingCount team_calls_;
  /// The last call here: one with the same arguments but buffers is started as it was prepared.
  struct {
    CheckedCall request;
    bool is_in_place = false;
    TeamEndpoint::PreparedCall* prepared = nullptr;
    std::uint64_t version = 0;
  } last_call_;
  StartedCall* first_ = nullptr;
  StartedCall* last_ = nullptr;
  bool is_calling_ = false;  ///< the first call is under way
  bool is_abandoned_ = false;
  RankLane* next_of_thread_ = nullptr;
  RankLane* previous_of_thread_ = nullptr;
};

/// Lanes with calls of this thread's ranks, in all teams: each of its waits goes on with all.
class ThreadCalls {
 public:
  static ThreadCalls& here();
  ThreadCalls() = default;
  /// Leaves the calls of a thread that ends to the one that takes over its ranks.
  ~ThreadCalls();
  ThreadCalls(const ThreadCalls&) = delete;
  ThreadCalls& operator=(const ThreadCalls&) = delete;

  void add(RankLane& lane);
  void remove(RankLane& lane);
  void advance_all() noexcept;
  void prefetch_awaited() const;
  std::uint32_t busy_lanes() const { return busy_lanes_; }
  /// Whether there are lanes beside that of the call, if any, that this thread waits for.
  bool has_others() const { return busy_lanes_ > (waits_for_one ? 1u : 0u); }
  bool waits_for_one = false;

 private:
  RankLane* first_ = nullptr;
  std::uint32_t busy_lanes_ = 0;
};

/// The started and prepared calls of a rank.
class RankCalls {
 public:
  RankCalls(ThreadTeam& team, Rank rank) : team_(team), rank_(rank) {}

  /// Whether this thread may go on with the calls: no other does, or has ended.
  bool take_over();
  /// The rank takes part in the team from now on, if it has not before.
  terrace_status arrive();
  // If there is no memory, these two throw, and nothing has happened.

  StartedCall& start(const ThreadCallArguments& arguments);
  StartedCall& prepare(const ThreadCallArguments& arguments);
  void give_back(StartedCall& call);
  /// Starts a prepared call.
  void start_again(StartedCall& call);
  /// Whether it is over, after a look.
  bool test(StartedCall& call);
  void wait(StartedCall& call);
  /// Ends all pending calls, as the rank makes no other.
  void abandon() noexcept;

  bool is_busy() const { return busy_lanes_ > 0; }
  ThreadTeam& team() const { return team_; }
  Rank rank() const { return rank_; }
  const PublishedFindings& published() const { return published_; }
  /// Notes that a lane's first call begins, or that its last one has ended.
  void note_busy(RankLane& lane);
  void note_idle(RankLane& lane);
  void lose_thread() { thread_ = nullptr; }

 private:
  class Waiting;

  void reserve_record();
  StartedCall& take(const ThreadCallArguments& arguments);
  RankLane& next_lane();
  void start_in(RankLane& lane, StartedCall& call);
  bool looks_until_over(StartedCall& call);
  template <class Visit>
  void for_each_lane(const Visit& visit);

  ThreadTeam& team_;
  Rank rank_;
  std::array<std::unique_ptr<RankLane>, kLanes> lanes_;
  std::uint64_t started_ = 0, prepared_ = 0;
  PublishedFindings published_;
  std::deque<StartedCall> records_;
  StartedCall* unused_ = nullptr;
  ThreadCalls* thread_ = nullptr;  ///< that the busy lanes belong to
  std::uint32_t busy_lanes_ = 0;
  bool has_arrived_ = false;
  PollBackoff backoff_;
};

}  // namespace terrace
