// SPDX-License-Identifier: BSD-3-Clause
// Sets up a team of threads, and reports what its ranks are doing.
#include "api/thread_team.hpp"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <numeric>

#include "api/started_calls.hpp"
#include "base/contract.hpp"
#include "base/text_file.hpp"
#include "base/ticks.hpp"
#include "base/wait_at_most.hpp"
#include "engine/signature.hpp"

namespace terrace {
namespace {

/// The most ranks that a message names.
constexpr std::size_t kNamedRanks = 4;

constexpr double kLongestWait = 86'400;  // seconds

/// Nap of a rank that has started calls: what they need of it comes without a wake-up.
constexpr std::uint64_t kNapBesideCallsNs = 100'000;

std::string name_of(Rank rank) {
  return "rank " + std::to_string(rank);
}

std::string activity_text(std::uint64_t record) {
  const auto activity = static_cast<std::uint8_t>(record % RankSlot::kOneCall / 2);
  const std::string calls = std::to_string(record / RankSlot::kOneCall);
  if (record % 2 == 0) return "in no call, after " + calls;
  if (activity == kJoining) return "joining";
  if (activity == kCompleting) return "in a wait for a started call, after " + calls;
  return "in its call " + calls + ", " + to_text(static_cast<Collective>(activity));
}

/// "rank 0 (in no call, after 3), rank 2 (joining) and 5 more".
class RankList {
 public:
  void add(const std::string& entry) {
    if (count_++ >= kNamedRanks) return;
    text_ += (text_.empty() ? "" : ", ") + entry;
  }
  bool is_empty() const { return count_ == 0; }
  std::string text() const {
    if (count_ <= kNamedRanks) return text_;
    return text_ + " and " + std::to_string(count_ - kNamedRanks) + " more";
  }

 private:
  std::size_t count_ = 0;
  std::string text_;
};

std::string seconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g s", seconds);
  return text;
}

/// The trace file of a team, one for each of the process's teams, if the user wants it. "" if not,
/// or, with a warning, if it cannot be written.
std::string trace_path() {
  static std::atomic<std::uint32_t> teams{0};
  const char* const wanted = std::getenv("TERRACE_TRACE");
  if (wanted == nullptr || *wanted == '\0') return "";
  // relaxed: only to be different; no partner.
  const std::uint32_t team = teams.fetch_add(1, std::memory_order_relaxed);
  std::string path = recording_path(wanted, 0);
  if (team > 0) path += ".team-" + std::to_string(team + 1);
  const auto possible = can_write_text_file(path);
  if (possible) return path;
  std::fprintf(stderr, "terrace: TERRACE_TRACE: %s; nothing is recorded, and the program runs on\n",
               possible.error().sentence.c_str());
  return "";
}

WaitPolicy policy_of(const ThreadTeamOptions& options, bool is_oversubscribed) {
  WaitPolicy policy;
  const bool spins = options.waiting == Waiting::spinning ||
                     (options.waiting == Waiting::by_oversubscription && !is_oversubscribed);
  if (!spins) policy.spins = 0;
  policy.stall_seconds = options.stall_seconds;
  return policy;
}

}  // namespace

std::string to_text(const CheckedCall& request) {
  std::string text = to_text(request.collective);
  if (request.collective == Collective::barrier) return text;
  text += " of " + std::to_string(request.count) + ' ' + to_text(request.type);
  switch (request.collective) {
    case Collective::bcast:
    case Collective::scatter:
      return text + " from " + name_of(request.root);
    case Collective::gather:
      return text + " to " + name_of(request.root);
    case Collective::allgather:
    case Collective::alltoall:
      return text;
    default:
      break;
  }
  text += std::string(" by ") + to_text(request.op);
  if (request.collective == Collective::reduce) text += " to " + name_of(request.root);
  return text;
}

Rank first_difference(const std::vector<CheckedCall>& requests) {
  const auto differs = [&](const CheckedCall& one) { return one != requests.front(); };
  const auto found = std::find_if(requests.begin(), requests.end(), differs);
  return found == requests.end() ? 0 : static_cast<Rank>(found - requests.begin());
}

std::string difference_text(const CheckedCall& first, Rank rank, const CheckedCall& differing) {
  return "rank 0 calls " + to_text(first) + ", " + name_of(rank) + " calls " + to_text(differing) +
         ": all ranks of a team must make the same call; none was made";
}

RankSlot::RankSlot() = default;
RankSlot::~RankSlot() = default;

void TeamWaitEnvironment::progress() noexcept {
  ThreadCalls::here().advance_all();
}

void TeamWaitEnvironment::sleep(const WaitTarget& wait_target, std::uint64_t seen,
                                std::uint64_t most_ns) noexcept {
  const bool has_others = ThreadCalls::here().has_others();
  WaitEnvironment::sleep(wait_target, seen,
                         has_others ? std::min(most_ns, kNapBesideCallsNs) : most_ns);
}

void TeamWaitEnvironment::stalled(double seconds) noexcept {
  try {
    std::fprintf(stderr, "%s\n", team_->stall_text(rank_, seconds, memory_).c_str());
  } catch (const std::bad_alloc&) {
    // Without memory for the sentence there is nothing to say; the wait goes on.
  }
}

ThreadTeam::ThreadTeam(Rank ranks, const ThreadTeamOptions& options,
                       std::unique_ptr<Placement> placement)
    : options_(options),
      memory_(ranks, std::max(options.scratch_bytes, least_scratch_bytes(ranks))),
      placement_(std::move(placement)),
      lanes_(ranks, memory_.memory().scratch_bytes),
      rank_slots_(ranks) {}

/// Decides what depends on every rank's binding; done by the last rank to arrive.
void ThreadTeam::found() {
  hierarchy_ = placement_->hierarchy();
  TERRACE_REQUIRE(hierarchy_.rank_count() == rank_count(), hierarchy_.rank_count(), rank_count());
  const bool is_oversubscribed = rank_count() > placement_->usable_pus();
  hierarchy_text_ = to_text(hierarchy_);
  plan_cache_ = std::make_unique<PlanCache>(hierarchy_, Askers::all_ranks);
  endpoint_options_.reach = Reach::direct;
  endpoint_options_.is_reproducible = options_.is_reproducible;
  endpoint_options_.traits = {rank_count(), true,
                              shared_cores_of(rank_count(), rank_count(), placement_->usable_pus()),
                              false, memory_.memory().scratch_bytes};
  endpoint_options_.chooser =
      Chooser::shared(endpoint_options_.traits, hierarchy_, model::assumed_costs());
  endpoint_options_.measures = is_measuring_wanted();
  if (endpoint_options_.measures)
    endpoint_options_.machine =
        machine_start(hierarchy_, placement_->bindings(), endpoint_options_.traits);
  endpoint_options_.tries = are_trials_wanted();
  endpoint_options_.can_move = is_virtual_machine() || placement_->are_free_to_move();
  endpoint_options_.waiting = policy_of(options_, is_oversubscribed);
  // Shared, so that blocking and started sums have the same bits.
  endpoint_options_.first_choices = std::make_shared<FirstChoices>();
  trace_path_ = trace_path();
  // release: pairs with the acquire in `is_founded`, which may be asked from outside the team.
  is_founded_.store(true, std::memory_order_release);
}

Result<bool> ThreadTeam::arrive(Rank rank) {
  RankSlot& mine = rank_slots_[rank];
  if (mine.is_broken)
    return Error{ErrorCode::system, "the team broke in an earlier call of " + name_of(rank) +
                                        ": its ranks made different calls; destroy it, and find "
                                        "the call with the option checks_calls"};
  std::unique_lock lock(mutex_);
  if (mine.is_joining)
    return Error{ErrorCode::argument, name_of(rank) +
                                          " is joining from another thread: give each "
                                          "thread a rank of its own"};
  if (mine.has_arrived) return true;
  mine.is_joining = true;
  lock.unlock();
  prepare(memory_.memory().ranks[rank], 0);
  placement_->note(rank);
  mine.wait_environment.report_for(*this, rank, &memory_.memory());
  lock.lock();
  mine.is_joining = false;
  mine.has_arrived = true;
  ++arrived_;
  TERRACE_REQUIRE(arrived_ <= rank_count(), arrived_, rank_count(), rank);
  if (have_all_arrived()) found_if_possible();
  return true;
}

Result<bool> ThreadTeam::join(Rank rank) {
  if (const Result<bool> arrived = arrive(rank); !arrived) return arrived;
  RankSlot& mine = rank_slots_[rank];
  std::unique_lock lock(mutex_);
  mine.is_joining = true;
  await_all(rank, lock);
  mine.is_joining = false;
  if (could_not_be_founded_)
    return Error{ErrorCode::system,
                 "no memory to found the team: destroy it, and make it with fewer ranks"};
  lock.unlock();
  if (!mine.endpoint) take_endpoint(rank);
  note_pending(rank, mine.calls && mine.calls->is_busy());
  return true;
}

void ThreadTeam::note_pending(Rank rank, bool are_pending) {
  RankSlot& mine = rank_slots_[rank];
  const bool may_be_short = !are_pending && !mine.is_broken && !checks_calls();
  mine.usable = may_be_short ? mine.endpoint.get() : nullptr;
}

bool ThreadTeam::is_founded() const {
  // acquire: pairs with the release in `found`.
  return is_founded_.load(std::memory_order_acquire);
}

std::unique_ptr<TeamEndpoint> ThreadTeam::lane_endpoint(Rank rank, const TeamMemory& memory,
                                                        WaitEnvironment& wait_environment,
                                                        EndpointRecorder* recorder) const {
  if (!is_founded()) return nullptr;
  EndpointOptions options = endpoint_options_;
  options.recorder = recorder;
  options.wait_environment = &wait_environment;
  return std::make_unique<TeamEndpoint>(memory, rank, *plan_cache_, options);
}

WaitPolicy ThreadTeam::waiting() const {
  return is_founded() ? endpoint_options_.waiting : policy_of(options_, true);
}

void ThreadTeam::leave_broken(Rank rank) {
  RankSlot& mine = rank_slots_[rank];
  mine.usable = nullptr;
  mine.is_broken = true;
  // relaxed: a flag that orders nothing. Partner: `is_broken`.
  is_broken_.store(true, std::memory_order_relaxed);
  if (mine.calls && mine.calls->take_over()) mine.calls->abandon();
}

bool ThreadTeam::is_broken() const {
  // relaxed: see `leave_broken`.
  return is_broken_.load(std::memory_order_relaxed);
}

void ThreadTeam::take_endpoint(Rank rank) {
  RankSlot& mine = rank_slots_[rank];
  // relaxed: this rank has had the mutex since. No partner.
  TERRACE_REQUIRE(is_founded_.load(std::memory_order_relaxed), rank, rank_count());
  EndpointOptions options = endpoint_options_;
  options.wait_environment = &mine.wait_environment;
  mine.records = endpoint_recorder(rank);
  options.recorder = mine.records.get();
  mine.endpoint = std::make_unique<TeamEndpoint>(memory_.memory(), rank, *plan_cache_, options);
}

std::unique_ptr<EndpointRecorder> ThreadTeam::endpoint_recorder(Rank rank) {
  if (trace_path_.empty()) return nullptr;
  auto& recorder = rank_slots_[rank].recorder;
  if (recorder == nullptr) recorder = std::make_unique<Recorder>();
  std::vector<Rank> ranks(rank_count());
  std::iota(ranks.begin(), ranks.end(), Rank{0});
  return std::make_unique<EndpointRecorder>(*recorder, std::move(ranks));
}

ThreadTeam::~ThreadTeam() {
  if (trace_path_.empty()) return;
  try {
    write_trace();
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "terrace: TERRACE_TRACE: no memory to write the recorded calls\n");
  }
}

std::optional<LastMismatch> ThreadTeam::last_mismatch() const {
  std::vector<const TeamMemory*> used;
  if (is_founded()) used.push_back(&memory_.memory());
  lanes_.for_each_ready([&](const SharedLane& lane) { used.push_back(&lane.memory()); });
  if (is_broken()) used.clear();
  for (const TeamMemory* const memory : used)
    for (Rank rank = 0; rank < rank_count(); ++rank)
      if (const auto found = find_mismatch(*memory, rank)) return LastMismatch{rank, *found};
  return std::nullopt;
}

void ThreadTeam::write_trace() const {
  Timeline timeline{"a team of " + std::to_string(rank_count()) + " threads", rank_count(), {}, {}};
  std::uint64_t lost = 0;
  for (Rank rank = 0; rank < rank_count(); ++rank) {
    if (!rank_slots_[rank].recorder) continue;
    const std::vector<TimelineEvent> events = rank_slots_[rank].recorder->events(rank);
    timeline.events.insert(timeline.events.end(), events.begin(), events.end());
    lost += rank_slots_[rank].recorder->lost();
  }
  if (lost > 0)
    timeline.title += ", the last " + std::to_string(Recorder::kEvents) + " events of each";
  if (const auto written = write_text_file(trace_path_, to_json(timeline)); !written)
    std::fprintf(stderr, "terrace: TERRACE_TRACE: %s\n", written.error().sentence.c_str());
}

/// The last rank to arrive sets the team up; if that fails, it fails for all.
void ThreadTeam::found_if_possible() {
  try {
    found();
  } catch (const std::bad_alloc&) {
    could_not_be_founded_ = true;
    // relaxed: as in `leave_broken`.
    is_broken_.store(true, std::memory_order_relaxed);
  }
  all_arrived_.notify_all();
}

void ThreadTeam::await_all(Rank rank, std::unique_lock<std::mutex>& lock) {
  // Longer waits count as unreported, and clocks could not represent them.
  for (double seconds = options_.stall_seconds; seconds < kLongestWait; seconds *= 2) {
    await_all_for(static_cast<std::uint64_t>(seconds * 1e9), lock);
    if (have_all_arrived()) return;
    std::fprintf(stderr, "%s\n", missing_text(rank, seconds).c_str());
  }
  while (!have_all_arrived()) await_all_for(static_cast<std::uint64_t>(kLongestWait * 1e9), lock);
}

/// A rank that has started calls, of other teams, goes on with them meanwhile.
void ThreadTeam::await_all_for(std::uint64_t ns, std::unique_lock<std::mutex>& lock) {
  const std::uint64_t end = monotonic_ns() + ns;
  ThreadCalls& calls = ThreadCalls::here();
  for (std::uint64_t now = monotonic_ns(); !have_all_arrived() && now < end; now = monotonic_ns()) {
    const std::uint64_t nap =
        calls.has_others() ? std::min(end - now, kNapBesideCallsNs) : end - now;
    if (wait_at_most(nap, all_arrived_, lock, [this] { return have_all_arrived(); })) return;
    lock.unlock();
    calls.advance_all();
    lock.lock();
  }
}

std::string ThreadTeam::missing_text(Rank rank, double seconds) const {
  RankList missing;
  for (Rank other = 0; other < rank_count(); ++other)
    if (!rank_slots_[other].has_arrived) missing.add(name_of(other));
  return "terrace: " + name_of(rank) + " of a team of " + std::to_string(rank_count()) +
         " has waited " + seconds_text(seconds) + " for " + missing.text() +
         " to join: are there as many threads as ranks?";
}

std::string ThreadTeam::disagreement(Rank rank, const CheckedCall& request) {
  rank_slots_[rank].request = request;
  TeamEndpoint& endpoint = *rank_slots_[rank].endpoint;
  if (!endpoint.barrier()) return "the ranks' calls got out of step";
  std::string found;
  for (Rank other = 1; other < rank_count() && found.empty(); ++other)
    if (rank_slots_[other].request != rank_slots_[0].request)
      found = difference_text(rank_slots_[0].request, other, rank_slots_[other].request);
  endpoint.barrier();  // from here on, peers may replace their requests
  return found;
}

Rank ThreadTeam::busy_rank() const {
  Rank rank = 0;
  while (rank < rank_count() && !(rank_slots_[rank].seen() & RankSlot::kInside)) ++rank;
  return rank;
}

Rank ThreadTeam::rank_with_open_calls() const {
  Rank rank = 0;
  const auto is_free = [&](const RankSlot& one) {
    const bool has_left = one.is_broken && !(one.calls && one.calls->is_busy());
    return has_left || one.seen_open_calls() == 0;
  };
  while (rank < rank_count() && is_free(rank_slots_[rank])) ++rank;
  return rank;
}

const char* ThreadTeam::hierarchy_text() const {
  return is_founded() ? hierarchy_text_.c_str() : "";
}

std::string ThreadTeam::stall_text(Rank rank, double seconds, const TeamMemory* memory) const {
  const std::uint64_t mine = rank_slots_[rank].seen();
  RankList elsewhere;
  for (Rank other = 0; other < rank_count(); ++other)
    if (const std::uint64_t seen = rank_slots_[other].seen(); seen != mine)
      elsewhere.add(name_of(other) + " is " + activity_text(seen));
  if (const auto mismatch = memory != nullptr ? find_mismatch(*memory, rank) : std::nullopt)
    elsewhere.add(to_text(*mismatch, name_of(rank), name_of(mismatch->peer)));
  const std::string where =
      elsewhere.is_empty()
          ? "the other ranks are there, too: do their counts, types, operators and "
            "roots agree? the option checks_calls tells"
          : elsewhere.text();
  return "terrace: " + name_of(rank) + " of a team of " + std::to_string(rank_count()) +
         " has waited " + seconds_text(seconds) + ' ' + activity_text(mine) + "; " + where;
}

}  // namespace terrace
