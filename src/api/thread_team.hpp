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

#include "base/result.hpp"
#include "engine/placement.hpp"
#include "engine/recorder.hpp"
#include "engine/team_endpoint.hpp"
#include "team/memory.hpp"

namespace terrace {

/// Number of what a thread does in a team while it joins, instead of a collective.
inline constexpr std::uint8_t kJoining = kCollectiveCount;

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

class ThreadTeam;

/// Reports waits that last too long; apart from that, waits as usual.
class TeamWaitEnvironment final : public WaitEnvironment {
 public:
  void report_for(const ThreadTeam& team, Rank rank) {
    team_ = &team;
    rank_ = rank;
  }
  void stalled(double seconds) noexcept override;
  void mismatched(const CallMismatch& mismatch) noexcept override { mismatch_ = mismatch; }
  /// The peer's different call, if that is why a call was given up.
  const std::optional<CallMismatch>& mismatch() const { return mismatch_; }

 private:
  const ThreadTeam* team_ = nullptr;
  Rank rank_ = 0;
  std::optional<CallMismatch> mismatch_;
};

/// The state of one rank. Only its thread writes here.
struct alignas(kLinePairBytes) RankSlot {
  /// The number of calls begun, above 8 bits that tell what this rank does (a Collective or
  /// kJoining) and, in the lowest bit, whether it is inside a call.
  std::atomic<std::uint64_t> record{0};
  TeamEndpoint* usable =
      nullptr;  ///< the endpoint; null before it is taken, and after the team broke
  bool is_broken = false;
  bool has_arrived = false;  ///< guarded by the team's mutex, like the next
  bool is_joining = false;
  CheckedCall request;   ///< of the call being checked; read by peers between two barriers
  void* part = nullptr;  ///< of a split, at the part's leader; read likewise
  std::unique_ptr<Recorder> recorder;
  std::unique_ptr<EndpointRecorder> records;
  std::unique_ptr<TeamEndpoint> endpoint;
  TeamWaitEnvironment wait_environment;

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
        rank_slot.seen() / RankSlot::kOneCall + (activity == kJoining ? 0 : 1);
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

  /// Prepares the rank's share of memory, waits until all ranks have done so, and takes the
  /// endpoint. Errors: argument, if another thread uses the rank; system, if the team cannot be
  /// used.
  Result<bool> join(Rank rank);

  /// "" if the requests of all ranks are equal, else who differs in what; the same answer on all
  /// ranks. Collective.
  std::string disagreement(Rank rank, const CheckedCall& request);

  /// Compares the calls of a team's ranks after the last one, unless the team is broken: the ranks
  /// may not have heard of each other in their last calls.
  std::optional<LastMismatch> last_mismatch() const;

  /// Some rank that is inside a call, or rank_count().
  Rank busy_rank() const;
  /// Indented text, "" before all have joined.
  const char* hierarchy_text() const;
  /// A sentence on what `rank` waits for, for a person to read.
  std::string stall_text(Rank rank, double seconds) const;

 private:
  void await_all(Rank rank, std::unique_lock<std::mutex>& lock);
  void found();
  void take_endpoint(Rank rank);
  void write_trace() const;
  std::string compare_requests() const;
  std::string missing_text(Rank rank, double seconds) const;

  ThreadTeamOptions options_;
  ThreadMemory memory_;
  std::unique_ptr<Placement> placement_;
  std::unique_ptr<PlanCache> plan_cache_;
  EndpointOptions endpoint_options_;
  Hierarchy hierarchy_;
  std::string hierarchy_text_;
  std::string trace_path_;  ///< of TERRACE_TRACE; "" where nothing is recorded
  std::vector<RankSlot> rank_slots_;

  std::mutex mutex_;
  std::condition_variable all_arrived_;
  Rank arrived_ = 0;
  bool could_not_be_founded_ = false;
  std::atomic<bool> is_founded_{false};
};

}  // namespace terrace
