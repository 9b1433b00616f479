// SPDX-License-Identifier: BSD-3-Clause
// The ring, and files.
#include "api/recorder.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <exception>

#include "base/bytes.hpp"

namespace terrace {

namespace {

Error refusal(ErrorCode code, const std::string& path, const std::string& why) {
  return {code, "cannot write '" + path + "': " + why};
}

bool write_all(int file, const std::string& text) {
  std::size_t done = 0;
  while (done < text.size()) {
    const ssize_t written = write(file, text.data() + done, text.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    done += static_cast<std::size_t>(written);
  }
  return true;
}

/// Of this process alone: others may write to the same path at the same time.
std::string draft_of(const std::string& path) {
  return path + ".part-" + std::to_string(getpid());
}

int open_draft(const std::string& draft) {
  return open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

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

/// In the order in which they come.
std::uint32_t Recorder::number_of(std::thread::id thread) {
  const auto known = std::find(threads_.begin(), threads_.end(), thread);
  if (known != threads_.end()) return static_cast<std::uint32_t>(known - threads_.begin());
  threads_.push_back(thread);
  return static_cast<std::uint32_t>(threads_.size() - 1);
}

void Recorder::add(Event event, std::string_view label) noexcept {
  const std::lock_guard lock(mutex_);
  try {
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
  add({begin_ns, end_ns, bytes, kNobody, 0, Activity::call, collective}, plan);
}

void Recorder::waited(std::optional<Rank> peer, std::uint64_t begin_ns,
                      std::uint64_t end_ns) noexcept {
  add({begin_ns, end_ns, 0, peer.value_or(kNobody), 0, Activity::wait}, "");
}

void Recorder::handed(Collective collective, std::size_t bytes, std::string_view why,
                      std::uint64_t begin_ns, std::uint64_t end_ns) noexcept {
  add({begin_ns, end_ns, bytes, kNobody, 0, Activity::handed, collective}, why);
}

TimelineEvent Recorder::shown(const Event& event, Rank rank) const {
  TimelineEvent shown;
  shown.rank = rank;
  shown.thread = event.thread;
  shown.begin_ns = static_cast<double>(event.begin_ns);
  shown.end_ns = static_cast<double>(event.end_ns);
  shown.activity = event.activity;
  if (event.peer != kNobody) shown.peer = event.peer;
  if (event.activity != Activity::wait)
    shown.label = std::string(to_text(event.collective)) + " of " + bytes_text(event.bytes) +
                  (event.activity == Activity::handed ? ", handed to the MPI: " : ", ") +
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

Progress SeatRecorder::complete(Run& run, const WaitPolicy& policy, World& world,
                                Collective collective, std::size_t bytes) noexcept {
  const std::uint64_t begin = world.now_ns();
  Progress progress = run.advance();
  while (progress == Progress::blocked) {
    const std::optional<Rank> peer = run.awaited();
    const std::uint64_t since = world.now_ns();
    wait_until(run, policy, world);
    recorder_.waited(peer ? std::optional(ranks_[*peer]) : std::nullopt, since, world.now_ns());
    progress = run.advance();
  }
  recorder_.called(collective, bytes, run.part().name, begin, world.now_ns());
  return progress;
}

std::string recording_path(const std::string& path, Rank rank) {
  std::string result = path;
  replace_all(result, "%r", std::to_string(rank));
  replace_all(result, "%p", std::to_string(getpid()));
  return result;
}

Result<bool> can_record_to(const std::string& path) {
  struct stat found {};
  const bool is_there = stat(path.c_str(), &found) == 0;
  if (is_there && !S_ISREG(found.st_mode))
    return refusal(ErrorCode::argument, path, "it is no regular file");
  if (is_there && faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0 && errno != ENOENT)
    return refusal(ErrorCode::argument, path, std::strerror(errno));
  // Not the path itself: another rank would take what we try for a file of the user's.
  const std::string draft = draft_of(path);
  const int file = open_draft(draft);
  if (file < 0) return refusal(ErrorCode::argument, path, std::strerror(errno));
  close(file);
  unlink(draft.c_str());
  return true;
}

Result<bool> write_recording(const std::string& path, const std::string& json) {
  const std::string draft = draft_of(path);
  const int file = open_draft(draft);
  if (file < 0) return refusal(ErrorCode::system, draft, std::strerror(errno));
  const bool is_written = write_all(file, json);
  const int failure = errno;
  close(file);
  if (is_written && rename(draft.c_str(), path.c_str()) == 0) return true;
  const std::string why = std::strerror(is_written ? errno : failure);
  unlink(draft.c_str());
  return refusal(ErrorCode::system, path, why);
}

}  // namespace terrace
