// SPDX-License-Identifier: BSD-3-Clause
// A team of threads: its memory, its plans, and a slot for each rank, which holds the rank's
// endpoint and shows the others what the rank is doing.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "api/lanes.hpp"
#include "base/result.hpp"
#include "engine/placement.hpp"
#include "engine/recorder.hpp"
#include "engine/team_endpoint.hpp"
#include "team/memory.hpp"

namespace terrace {

/// Numbers of what a thread does in a team instead of beginning a collective: it joins, or it tests
/// a call or waits for it.
inline constexpr std::uint8_t kJoining = kCollectiveCount, kCompleting = kCollectiveCount + 1;

/// A call's arguments, which must be equal on all ranks.
struct CheckedCall {
  Collective collective = Collective::barrier;
  std::size_t count = 0;
  Type type = Type::int8;
  Operator op = Operator::sum;
  Rank root = 0;

  bool operator==(const CheckedCall&) const = default;
};

/// "allreduce of 4 float64 by sum", "bcast of 4 int8 from rank 0".
std::string to_text(const CheckedCall& request);

/// The first rank whose call differs from that of rank 0; 0: there is none.
Rank first_difference(const std::vector<CheckedCall>& requests);
/// Names both calls, which were not made.
std::string difference_text(const CheckedCall& first, Rank rank, const CheckedCall& differing);

/// The way in which threads wait. Which plans they run depends on whether they outnumber the PUs in
/// any case.
enum class Waiting : std::uint8_t {
  by_oversubscription,  ///< spinning, unless threads outnumber the PUs
  spinning,             ///< even then
  yielding,             ///< a waiting thread yields its core at once
};

struct ThreadTeamOptions {
  std::size_t scratch_bytes = 0;
  Waiting waiting = Waiting::by_oversubscription;
  bool checks_calls = false;
  bool is_reproducible = false;
  double stall_seconds = 30;
};

class RankCalls;
class ThreadTeam;

/// Goes on with the thread's started calls, and reports waits that last too long.
class TeamWaitEnvironment final : public WaitEnvironment {
 public:
  /// `memory`: of the team or lane whose calls are waited for; null: not all ranks have prepared
  /// it.
  void report_for(const ThreadTeam& team, Rank rank, const TeamMemory* memory = nullptr) {
    team_ = &team;
    rank_ = rank;
    memory_ = memory;
  }
  void progress() noexcept override;
  void sleep(const WaitTarget& wait_target, std::uint64_t seen,
             std::uint64_t most_ns) noexcept override;
  void stalled(double seconds) noexcept override;
  void mismatched(const CallMismatch& mismatch) noexcept override { mismatch_ = mismatch; }
  /// The peer's different call, if that is why a call was given up.
  const std::optional<CallMismatch>& mismatch() const { return mismatch_; }

 private:
  const ThreadTeam* team_ = nullptr;
  Rank rank_ = 0;
  const TeamMemory* memory_ = nullptr;
  std::optional<CallMismatch> mismatch_;
};

/// The state of one rank. Only its thread writes here.
struct alignas(kLinePairBytes) RankSlot {
  RankSlot();
  ~RankSlot();

  /// The number of calls begun, above 8 bits that tell what this rank does (a Collective, kJoining
  /// or kCompleting) and, in the lowest bit, whether it is inside a call.
  std::atomic<std::uint64_t> record{0};
  /// The endpoint, if nothing comes before a blocking call; null before it is taken, after the team
  /// broke, while started calls are pending, and where arguments are compared.
  TeamEndpoint* usable = nullptr;
  bool is_broken = false;
  bool has_arrived = false;  ///< guarded by the team's mutex, like the next
  bool is_joining = false;
  CheckedCall request;   ///< of the call being checked; read by peers between two barriers
  void* part = nullptr;  ///< of a split, at the part's leader; read likewise
  std::unique_ptr<Recorder> recorder;
  std::unique_ptr<EndpointRecorder> records;
  std::unique_ptr<TeamEndpoint> endpoint;
  TeamWaitEnvironment wait_environment;
  std::atomic<std::uint32_t> open_calls{0};  ///< started and not waited for, or prepared
  std::unique_ptr<RankCalls> calls;          ///< null: none was started or prepared

  // relaxed, both: as for `seen`.
  void count_open_calls(int change) {
    open_calls.fetch_add(static_cast<std::uint32_t>(change), std::memory_order_relaxed);
  }
  std::uint32_t seen_open_calls() const { return open_calls.load(std::memory_order_relaxed); }

  static constexpr std::uint64_t kInside = 1;
  static constexpr std::uint64_t kOneCall = 256;

  /// relaxed, here and in InsideCall: nothing else is ordered by it. A look for mistakes, no lock.
  std::uint64_t seen() const { return record.load(std::memory_order_relaxed); }
};

/// Two ranks whose last calls differ.
struct LastMismatch {
  Rank rank = 0;
  CallMismatch found;  ///< as `rank` sees it
};

/// Marks a rank as inside a call, for as long as this lives.
class InsideCall {
 public:
  InsideCall(RankSlot& rank_slot, std::uint8_t activity) : rank_slot_(rank_slot) {
    const std::uint64_t calls =
        rank_slot.seen() / RankSlot::kOneCall + (activity >= kJoining ? 0 : 1);
    // relaxed: see RankSlot::seen.
    rank_slot.record.store(calls * RankSlot::kOneCall + activity * 2u + RankSlot::kInside,
                           std::memory_order_relaxed);
  }
  ~InsideCall() {
    // relaxed: see RankSlot::seen.
    rank_slot_.record.store(rank_slot_.seen() & ~RankSlot::kInside, std::memory_order_relaxed);
  }
  InsideCall(const InsideCall&) = delete;
  InsideCall& operator=(const InsideCall&) = delete;

 private:
  RankSlot& rank_slot_;
};

class ThreadTeam {
 public:
  ThreadTeam(Rank ranks, const ThreadTeamOptions& options, std::unique_ptr<Placement> placement);
  ~ThreadTeam();

  Rank rank_count() const { return static_cast<Rank>(rank_slots_.size()); }
  RankSlot& rank_slot(Rank rank) { return rank_slots_[rank]; }
  const RankSlot& rank_slot(Rank rank) const { return rank_slots_[rank]; }
  bool checks_calls() const { return options_.checks_calls; }
  const ThreadTeamOptions& options() const { return options_; }
  /// Only once all ranks have joined.
  const Hierarchy& hierarchy() const { return hierarchy_; }

  /// Prepares the rank's share of memory. The last rank to do so sets the team up. Errors:
  /// argument, if another thread uses the rank; system, if the team cannot be used.
  Result<bool> arrive(Rank rank);
  /// Arrives, waits until all ranks have done so, and takes the endpoint. Errors likewise.
  Result<bool> join(Rank rank);
  bool is_founded() const;
  /// Lets blocking calls go their short way, or not.
  void note_pending(Rank rank, bool are_pending);

  TeamLanes& lanes() { return lanes_; }
  /// A rank's endpoint of a lane, after all have arrived; null: the team could not be founded.
  std::unique_ptr<TeamEndpoint> lane_endpoint(Rank rank, const TeamMemory& memory,
                                              WaitEnvironment& wait_environment,
                                              EndpointRecorder* recorder) const;
  /// A recorder for an endpoint of a rank, by its thread; null: nothing is recorded.
  std::unique_ptr<EndpointRecorder> endpoint_recorder(Rank rank);
  WaitPolicy waiting() const;
  /// Whether a rank polls for a while before it gives its core away.
  bool spins() const { return is_founded() && endpoint_options_.waiting.spins != 0; }

  /// The rank makes no call any more, as its last one went wrong.
  void leave_broken(Rank rank);
  /// Whether a rank has left so. Its peers wait for it in vain.
  bool is_broken() const;

  /// "" if the requests of all ranks are equal, else who differs in what; the same answer on all
  /// ranks. Collective.
  std::string disagreement(Rank rank, const CheckedCall& request);

  /// Compares the calls of a team's ranks after the last one, unless the team is broken: the ranks
  /// may not have heard of each other in their last calls.
  std::optional<LastMismatch> last_mismatch() const;

  /// Some rank that is inside a call, or rank_count().
  Rank busy_rank() const;
  /// Some rank that has calls to wait for or free, and could; or rank_count().
  Rank rank_with_open_calls() const;
  /// Indented text, "" before all have joined.
  const char* hierarchy_text() const;
  /// A sentence on what `rank` waits for, for a person to read; `memory` as in TeamWaitEnvironment.
  std::string stall_text(Rank rank, double seconds, const TeamMemory* memory) const;

 private:
  void await_all(Rank rank, std::unique_lock<std::mutex>& lock);
  void await_all_for(std::uint64_t ns, std::unique_lock<std::mutex>& lock);
  bool have_all_arrived() const { return arrived_ == rank_count(); }
  void found_if_possible();
  void found();
  void take_endpoint(Rank rank);
  void write_trace() const;
  std::string missing_text(Rank rank, double seconds) const;

  ThreadTeamOptions options_;
  ThreadMemory memory_;
  std::unique_ptr<Placement> placement_;
  std::unique_ptr<PlanCache> plan_cache_;
  EndpointOptions endpoint_options_;
  Hierarchy hierarchy_;
  std::string hierarchy_text_;
  std::string trace_path_;  ///< of TERRACE_TRACE; "" where nothing is recorded
  TeamLanes lanes_;
  std::vector<RankSlot> rank_slots_;

  std::mutex mutex_;
  std::condition_variable all_arrived_;
  Rank arrived_ = 0;
  bool could_not_be_founded_ = false;
  std::atomic<bool> is_founded_{false};
  std::atomic<bool> is_broken_{false};
};

}  // namespace terrace
