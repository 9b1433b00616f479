// SPDX-License-Identifier: BSD-3-Clause
// Records calls and the waits in them (TERRACE_TRACE) in a ring of bounded size, to be written as a
// timeline at the end. Turned off, it costs a branch per call.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/timeline.hpp"
#include "collectives/collectives.hpp"
#include "execute/run.hpp"

namespace terrace {

/// The events of one process, or of one rank of a team of threads.
class Recorder {
 public:
  /// Capacity in events. Memory is touched only as events arrive; when it is full, the oldest are
  /// dropped.
  static constexpr std::size_t kEvents = std::size_t{1} << 16;

  explicit Recorder(std::size_t most_events = kEvents) : most_events_(most_events) {
    events_.reserve(most_events);
  }

  /// May be called by several threads at once. Events are dropped if there is no memory.
  void called(Collective collective, std::size_t bytes, std::string_view plan,
              std::uint64_t begin_ns, std::uint64_t end_ns) noexcept;
  void waited(std::optional<Rank> peer, std::uint64_t begin_ns, std::uint64_t end_ns) noexcept;
  /// A call that fell back to the MPI, and why.
  void fell_back(Collective collective, std::size_t bytes, std::string_view why,
                 std::uint64_t begin_ns, std::uint64_t end_ns) noexcept;
  /// A call is being started: the track in which it lies until `ended`.
  std::uint32_t started() noexcept;
  void ended(std::uint32_t track, Collective collective, std::size_t bytes, std::string_view plan,
             std::uint64_t begin_ns, std::uint64_t end_ns) noexcept;

  /// All events as those of `rank`, the oldest first.
  std::vector<TimelineEvent> events(Rank rank) const;
  /// The number of dropped events.
  std::uint64_t lost() const;

 private:
  struct Event {
    std::uint64_t begin_ns = 0, end_ns = 0, bytes = 0;
    std::uint32_t peer = kNoPeer;
    std::uint16_t label = 0;  ///< in `labels_`
    Activity activity = Activity::call;
    Collective collective = Collective::barrier;
    std::uint32_t thread = 0;  ///< or track
  };
  static constexpr std::uint32_t kNoPeer = ~0u;
  static constexpr std::size_t kMostLabels = 1000;

  /// Adds an event of the calling thread, or of a track.
  void add(Event event, std::string_view label) noexcept;
  std::uint16_t number_of(std::string_view label);
  std::uint32_t number_of(std::thread::id thread);
  TimelineEvent shown(const Event& event, Rank rank) const;

  const std::size_t most_events_;
  mutable std::mutex mutex_;  ///< guards what follows
  std::vector<Event> events_;
  std::uint64_t added_ = 0, dropped_ = 0;
  std::vector<std::string> labels_;  ///< plans and reasons, each once
  std::vector<std::thread::id> threads_;
  std::array<bool, kLastTrack - kFirstTrack + 1> taken_tracks_{};
};

/// Records an endpoint's calls, of which one at a time is started; translates its team's ranks to
/// those of the timeline.
class EndpointRecorder {
 public:
  /// `ranks[i]`: the number in the timeline of the team's rank i.
  EndpointRecorder(Recorder& recorder, std::vector<Rank> ranks)
      : recorder_(recorder), ranks_(std::move(ranks)) {}

  /// Like terrace::complete, and records the times.
  Progress complete(Run& run, const WaitPolicy& policy, WaitEnvironment& wait_environment,
                    Collective collective, std::size_t bytes) noexcept;

  void started(std::uint64_t now_ns) noexcept;
  void ended(Collective collective, std::size_t bytes, std::string_view plan,
             std::uint64_t now_ns) noexcept;
  /// A wait, for a peer if that is known.
  void waited(std::optional<Rank> peer, std::uint64_t begin_ns, std::uint64_t end_ns) noexcept;

 private:
  Recorder& recorder_;
  std::vector<Rank> ranks_;
  std::uint32_t track_ = 0;  ///< of the started call
  std::uint64_t started_ns_ = 0;
};

/// The path with "%r" replaced by the rank and "%p" by the process's number.
std::string recording_path(const std::string& path, Rank rank);

}  // namespace terrace
