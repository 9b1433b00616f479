// SPDX-License-Identifier: BSD-3-Clause
// The ring of events, and writing it to files.
#include "engine/recorder.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <exception>

#include "base/bytes.hpp"
#include "base/contract.hpp"

namespace terrace {

namespace {

void replace_all(std::string& text, const char* from, const std::string& to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
    text.replace(at, std::strlen(from), to);
}

}  // namespace

std::uint16_t Recorder::number_of(std::string_view label) {
  const auto known = std::find(labels_.begin(), labels_.end(), label);
  if (known != labels_.end()) return static_cast<std::uint16_t>(known - labels_.begin());
  if (labels_.size() == kMostLabels) return static_cast<std::uint16_t>(kMostLabels - 1);
  labels_.emplace_back(label);
  return static_cast<std::uint16_t>(labels_.size() - 1);
}

/// Numbers threads in the order of arrival.
std::uint32_t Recorder::number_of(std::thread::id thread) {
  const auto known = std::find(threads_.begin(), threads_.end(), thread);
  if (known != threads_.end()) return static_cast<std::uint32_t>(known - threads_.begin());
  threads_.push_back(thread);
  return static_cast<std::uint32_t>(threads_.size() - 1);
}

void Recorder::add(Event event, std::string_view label) noexcept {
  TERRACE_ASSERT(event.begin_ns <= event.end_ns, event.begin_ns, event.end_ns);
  const std::lock_guard lock(mutex_);
  try {
    if (event.activity == Activity::started)
      taken_tracks_[event.thread - kFirstTrack] = false;
    else
      event.thread = number_of(std::this_thread::get_id());
    if (event.activity != Activity::wait) event.label = number_of(label);
  } catch (const std::exception&) {  // no memory
    ++dropped_;
    return;
  }
  if (events_.size() < most_events_)
    events_.push_back(event);  // there is room: see the constructor
  else
    events_[added_ % most_events_] = event;
  ++added_;
}

void Recorder::called(Collective collective, std::size_t bytes, std::string_view plan,
                      std::uint64_t begin_ns, std::uint64_t end_ns) noexcept {
  add({begin_ns, end_ns, bytes, kNoPeer, 0, Activity::call, collective}, plan);
}

void Recorder::waited(std::optional<Rank> peer, std::uint64_t begin_ns,
                      std::uint64_t end_ns) noexcept {
  add({begin_ns, end_ns, 0, peer.value_or(kNoPeer), 0, Activity::wait}, "");
}

void Recorder::fell_back(Collective collective, std::size_t bytes, std::string_view why,
                         std::uint64_t begin_ns, std::uint64_t end_ns) noexcept {
  add({begin_ns, end_ns, bytes, kNoPeer, 0, Activity::fallback, collective}, why);
}

/// Calls overlap in the last track if all are taken.
std::uint32_t Recorder::started() noexcept {
  const std::lock_guard lock(mutex_);
  auto* const free = std::find(taken_tracks_.begin(), taken_tracks_.end() - 1, false);
  *free = true;
  return kFirstTrack + static_cast<std::uint32_t>(free - taken_tracks_.begin());
}

void Recorder::ended(std::uint32_t track, Collective collective, std::size_t bytes,
                     std::string_view plan, std::uint64_t begin_ns, std::uint64_t end_ns) noexcept {
  TERRACE_ASSERT(track >= kFirstTrack && track <= kLastTrack, track);
  add({begin_ns, end_ns, bytes, kNoPeer, 0, Activity::started, collective, track}, plan);
}

TimelineEvent Recorder::shown(const Event& event, Rank rank) const {
  TERRACE_ASSERT(event.activity == Activity::wait || event.label < labels_.size(), event.label);
  TimelineEvent shown;
  shown.rank = rank;
  shown.thread = event.thread;
  shown.begin_ns = static_cast<double>(event.begin_ns);
  shown.end_ns = static_cast<double>(event.end_ns);
  shown.activity = event.activity;
  if (event.peer != kNoPeer) shown.peer = event.peer;
  if (event.activity != Activity::wait)
    shown.label = std::string(to_text(event.collective)) + " of " + bytes_text(event.bytes) +
                  (event.activity == Activity::fallback ? ", fell back to the MPI: " : ", ") +
                  labels_[event.label];
  return shown;
}

std::vector<TimelineEvent> Recorder::events(Rank rank) const {
  const std::lock_guard lock(mutex_);
  std::vector<TimelineEvent> all;
  all.reserve(events_.size());
  const std::size_t oldest = added_ > events_.size() ? added_ % most_events_ : 0;
  for (std::size_t i = 0; i < events_.size(); ++i)
    all.push_back(shown(events_[(oldest + i) % events_.size()], rank));
  return all;
}

std::uint64_t Recorder::lost() const {
  const std::lock_guard lock(mutex_);
  return added_ - events_.size() + dropped_;
}

Progress EndpointRecorder::complete(Run& run, const WaitPolicy& policy,
                                    WaitEnvironment& wait_environment, Collective collective,
                                    std::size_t bytes) noexcept {
  const std::uint64_t begin = wait_environment.now_ns();
  Progress progress = run.advance();
  while (progress == Progress::blocked) {
    const std::optional<Rank> peer = run.awaited();
    const std::uint64_t since = wait_environment.now_ns();
    wait_until(run, policy, wait_environment);
    waited(peer, since, wait_environment.now_ns());
    progress = run.advance();
  }
  recorder_.called(collective, bytes, run.program().name, begin, wait_environment.now_ns());
  return progress;
}

void EndpointRecorder::started(std::uint64_t now_ns) noexcept {
  track_ = recorder_.started();
  started_ns_ = now_ns;
}

void EndpointRecorder::ended(Collective collective, std::size_t bytes, std::string_view plan,
                             std::uint64_t now_ns) noexcept {
  recorder_.ended(track_, collective, bytes, plan, started_ns_, now_ns);
}

void EndpointRecorder::waited(std::optional<Rank> peer, std::uint64_t begin_ns,
                              std::uint64_t end_ns) noexcept {
  TERRACE_ASSERT(!peer || *peer < ranks_.size());
  recorder_.waited(peer ? std::optional(ranks_[*peer]) : std::nullopt, begin_ns, end_ns);
}

std::string recording_path(const std::string& path, Rank rank) {
  std::string result = path;
  replace_all(result, "%r", std::to_string(rank));
  replace_all(result, "%p", std::to_string(getpid()));
  return result;
}

}  // namespace terrace
