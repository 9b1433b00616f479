// SPDX-License-Identifier: BSD-3-Clause
// Writes the files of ranks, and joins them.
#include "preload/mpi/trace.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <exception>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "base/host.hpp"
#include "base/joined_timelines.hpp"
#include "base/own_program.hpp"
#include "base/say.hpp"
#include "base/text_file.hpp"
#include "preload/mpi/settings.hpp"

namespace terrace::preload {

namespace {

/// Other ranks check for dead peers each second.
constexpr useconds_t kForOthersUs = 1'200'000;

struct Recording {
  std::mutex mutex;
  std::string path;  ///< of all ranks, or with %r of this one
  Rank rank = 0, ranks = 1;
  bool is_joined = false;  ///< in the end, by the last rank
  bool is_over = false;
  RankClock clock;  ///< of this rank; what names it is known when it is written
};

Recording& recording() {
  static auto* const the = new Recording;  // never destroyed: MPI may outlive us
  return *the;
}

struct FallbackCall {
  Collective collective;
  std::size_t bytes;
  const char* why;
  std::uint64_t begin_ns;
};

/// The calls that fell back to the MPI on this thread and have not returned. MPIs and user-defined
/// operators make calls within calls; calls nested deeper than the array are only counted.
struct FallbacksNow {
  static constexpr std::size_t kMost = 8;
  FallbackCall calls[kMost];
  std::size_t depth;
  bool is_new;  ///< the innermost has not been forwarded yet
};
thread_local FallbacksNow fallbacks_now __attribute__((tls_model("initial-exec"))) = {};

/// Files written before this are from an earlier run. The clock of files may lag by a tick.
const std::filesystem::file_time_type kBegun =
    std::filesystem::file_time_type::clock::now() - std::chrono::milliseconds(20);

std::string path_of(const Recording& of, Rank rank) {
  return of.is_joined ? of.path + ".rank-" + std::to_string(rank) : of.path;
}

std::string program_name() {
  const std::string whole = own_program();
  return whole.substr(whole.rfind('/') + 1);
}

std::string title_of(const Recording& of, std::uint64_t lost) {
  return program_name() + ", " + std::to_string(of.ranks) + " ranks" +
         (lost > 0 ? ", the last " + std::to_string(Recorder::kEvents) + " events of each" : "");
}

/// Equal for processes with the same monotonic clock.
std::string name_of_clock() {
  std::error_code failure;
  return boot_id() + " " + std::filesystem::read_symlink("/proc/self/ns/time", failure).string();
}

std::string json_of_own(const Recording& of, const Recorder& recorder) {
  const Timeline timeline{title_of(of, recorder.lost()), of.ranks, {}, recorder.events(of.rank)};
  RankClock clock = of.clock;
  clock.clock = name_of_clock();
  const std::string json = to_json(timeline), end = json_end();
  return json.substr(0, json.size() - end.size()) + ",\n" + to_json(clock) + end;
}

/// The ranks' files, joined by rank 0's clock.
Result<std::string> joined(const Recording& of, std::uint64_t lost) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 30;
  std::vector<std::string> files;
  for (Rank rank = 0; rank < of.ranks; ++rank) {
    auto json = read_text_file(path_of(of, rank), kMostBytes);
    if (!json) return json.error();
    files.push_back(std::move(json).value());
  }
  return join_timelines(title_of(of, lost), files);
}

/// The rank that creates this file joins; two ranks may both see that all have written.
bool is_ours_to_join(const std::string& lock) {
  const int file = open(lock.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file >= 0) close(file);
  return file >= 0;
}

bool is_of_this_run(const std::string& path) {
  std::error_code failure;
  const auto written = std::filesystem::last_write_time(path, failure);
  return !failure && written >= kBegun;
}

void join(const Recording& of, std::uint64_t lost) {
  const std::string lock = of.path + ".joining";
  for (Rank rank = 0; rank < of.ranks; ++rank)
    if (!is_of_this_run(path_of(of, rank))) return;
  if (!is_ours_to_join(lock)) return;
  const auto all = joined(of, lost);
  const auto written = all ? write_text_file(of.path, all.value()) : Result<bool>(all.error());
  if (!written)
    say("TERRACE_TRACE: " + written.error().sentence + "; each rank's own file is there");
  else
    for (Rank rank = 0; rank < of.ranks; ++rank) unlink(path_of(of, rank).c_str());
  unlink(lock.c_str());
}

/// Removes what an earlier run left under these names.
void clear(const Recording& of) {
  if (!of.is_joined) return;
  unlink(path_of(of, of.rank).c_str());
  if (of.rank == 0) unlink((of.path + ".joining").c_str());
}

void write_own() {
  Recording& of = recording();
  Recorder* const own = recorder();
  const std::lock_guard lock(of.mutex);
  if (own == nullptr || of.is_over) return;
  of.is_over = true;
  const auto written = write_text_file(path_of(of, of.rank), json_of_own(of, *own));
  if (!written)
    say("TERRACE_TRACE: " + written.error().sentence + "; the record of rank " +
        std::to_string(of.rank) + " is lost");
  else if (of.is_joined)
    join(of, own->lost());
}

}  // namespace

void begin_recording(int world_rank, int world_size, bool is_spawned) {
  const std::string wanted = trace_path();
  if (wanted.empty()) return;
  Recording& of = recording();
  of.rank = static_cast<Rank>(world_rank);
  of.ranks = static_cast<Rank>(world_size);
  of.clock.rank = of.clock.reference = of.rank;
  of.path = recording_path(wanted, of.rank);
  of.is_joined = wanted.find("%r") == wanted.npos && wanted.find("%p") == wanted.npos;
  const bool is_of_all = of.is_joined;
  if (is_spawned) {  // the ranks of several jobs have the same numbers
    of.path += ".spawned-" + std::to_string(getpid());
    of.is_joined = false;
  }
  const auto possible = can_write_text_file(of.path);
  if (!possible) {
    if (world_rank == 0 || !is_of_all)
      say("TERRACE_TRACE: " + possible.error().sentence +
          "; nothing is recorded, and the job runs on");
    return;
  }
  clear(of);
  // release: pairs with the acquire in `recorder`.
  the_recorder.store(new Recorder, std::memory_order_release);
}

void note_clock(Rank reference, std::int64_t ahead_ns) {
  Recording& of = recording();
  const std::lock_guard lock(of.mutex);
  if (of.clock.reference != of.rank) return;  // the first comparison counts
  of.clock.reference = reference;
  of.clock.ahead_ns = ahead_ns;
}

std::unique_ptr<EndpointRecorder> endpoint_recorder(const std::vector<int>& world_ranks) {
  Recorder* const own = recorder();
  if (own == nullptr) return nullptr;
  return std::make_unique<EndpointRecorder>(
      *own, std::vector<Rank>(world_ranks.begin(), world_ranks.end()));
}

void begin_fallback(Collective collective, std::size_t bytes, const char* why) {
  FallbacksNow& now = fallbacks_now;
  if (!now.is_new) ++now.depth;
  now.is_new = true;
  if (now.depth <= FallbacksNow::kMost)
    now.calls[now.depth - 1] = {collective, bytes, why, WaitEnvironment().now_ns()};
}

bool is_fallback_now() {
  return std::exchange(fallbacks_now.is_new, false);
}

void end_fallback() {
  FallbacksNow& now = fallbacks_now;
  if (now.depth == 0 || --now.depth >= FallbacksNow::kMost) return;
  const FallbackCall& call = now.calls[now.depth];
  recorder()->fell_back(call.collective, call.bytes, call.why, call.begin_ns,
                        WaitEnvironment().now_ns());
}

void end_recording() noexcept {
  try {
    write_own();
  } catch (const std::exception&) {
    say("TERRACE_TRACE: no memory to write the recorded calls");
  }
}

void end_recording_early() noexcept {
  if (recorder() == nullptr) return;
  end_recording();
  usleep(kForOthersUs);
}

}  // namespace terrace::preload
