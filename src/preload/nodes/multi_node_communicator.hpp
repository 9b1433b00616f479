// SPDX-License-Identifier: BSD-3-Clause
// A communicator whose ranks are on several nodes: which ranks are together, and this rank's lane,
// by which composed calls cross the network. See docs/design/nodes.md.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/contract.hpp"
#include "preload/mpi/call_trials.hpp"
#include "preload/mpi/idle_pool.hpp"
#include "preload/mpi/settings.hpp"
#include "preload/mpi/underlying_mpi.hpp"
#include "preload/nodes/lane.hpp"
#include "preload/nodes/plan_messenger.hpp"

namespace terrace::preload {

/// Spins of ranks that wait while one of their node waits for the network: hardly any wait is over
/// within the time of more.
inline constexpr std::uint32_t kSpinsOverNodes = 100;

/// The places of a communicator's ranks. Nodes are numbered by their first ranks, which lead them.
struct NodeLayout {
  std::vector<Rank> node_of;                    ///< by rank
  std::vector<Rank> place_of;                   ///< by rank: its number among the ranks of its node
  std::vector<std::vector<Rank>> ranks_of;      ///< by node, ascending
  std::vector<std::string> hosts;               ///< by node
  std::size_t least_ranks = 0, most_ranks = 0;  ///< of a node

  std::size_t nodes() const { return ranks_of.size(); }
  Rank leader_of(Rank rank) const { return ranks_of[node_of[rank]].front(); }
  bool is_leader(Rank rank) const { return place_of[rank] == 0; }
  /// Whether all nodes have a rank in this place, so that a lane joins them.
  bool have_all(Rank place) const { return place < least_ranks; }
  bool is_even() const { return least_ranks == most_ranks; }
  /// Whether the ranks of a node follow each other.
  bool is_in_a_row(Rank node) const;
  /// The nodes that have a rank in this place, ascending.
  std::vector<Rank> lane_of(Rank place) const;
};

inline constexpr const char* kOneRankPerNode = "one rank per node";

/// Whether a call of this collective over several nodes may move blocks between all pairs of them.
bool moves_in_pairs(Collective collective);
/// Whether calls of this collective over several nodes may be composed.
bool is_composed_over_nodes(Collective collective);

/// Why calls on these nodes are not composed: half a sentence; "" if they are.
std::string objection_to(const NodeLayout& layout, std::size_t most_ranks_on_node);

/// A lane and the communicator of its ranks.
struct OwnLane {
  /// `recorded`: the ranks' numbers in MPI_COMM_WORLD, if timelines of all of them are recorded;
  /// then their clocks are compared.
  OwnLane(UnderlyingMpi& underlying, Handle its_communicator, const NodeLayout& layout, Rank rank,
          const std::vector<int>& recorded);

  /// `of_all` is a communicator of all ranks, for plans with messages.
  void connect_all(UnderlyingMpi& underlying, Handle of_all, const NodeLayout& layout, Rank rank);

  const Handle communicator;
  Lane lane;
  std::unique_ptr<PlanMessenger> messenger;  ///< null: no plan has needed one
};

/// Lanes that no communicator uses now. MPI_Finalize frees their communicators. Freeing one earlier
/// is not possible: MPI_Comm_free is collective, and delete callbacks run in a different order on
/// each rank.
IdlePool<OwnLane>& idle_lanes();

/// A rank's knowledge of the nodes of its communicator. Speaks for its lane: differing calls end
/// the job.
class MultiNodeCommunicator final : public LaneObserver {
 public:
  /// `are_recorded`: all ranks record timelines (TERRACE_TRACE).
  MultiNodeCommunicator(UnderlyingMpi& underlying, Handle communicator, NodeLayout its_layout,
                        Rank its_rank, std::vector<int> its_world_ranks, bool are_recorded);
  /// Lets another communicator of these ranks have the lane.
  ~MultiNodeCommunicator() override;
  MultiNodeCommunicator(const MultiNodeCommunicator&) = delete;
  MultiNodeCommunicator& operator=(const MultiNodeCommunicator&) = delete;

  bool is_leader() const { return layout.is_leader(rank); }
  Rank node() const { return layout.node_of[rank]; }
  Rank place() const { return layout.place_of[rank]; }
  Rank ranks_on_node() const { return static_cast<Rank>(layout.ranks_of[node()].size()); }
  /// Takes a lane, new or idle.
  void use(std::unique_ptr<OwnLane> its_lane, const Ticket& its_ticket);
  OwnLane* own_lane() const { return own_lane_.get(); }
  /// Connects the lane with all others; see the lane's function of this name.
  void connect_all(Handle of_all);
  /// All ranks' numbers in MPI_COMM_WORLD, if all are recorded; else none.
  std::vector<int> recorded_ranks() const {
    return are_recorded_ ? world_ranks : std::vector<int>();
  }
  Lane& lane() {
    TERRACE_ASSERT(own_lane_ != nullptr);
    return own_lane_->lane;
  }
  /// The next call begins that is composed, or that falls back by a trial.
  void begin(const CallIdentity& identity);
  /// The call has been composed; for the timeline, if there is one.
  void record_call(const char* how);
  /// Number of calls that have begun.
  std::uint64_t calls() const { return calls_; }
  /// Called by a rank that waits on its node: another rank of its lane may make another call.
  void answer_inquiries() noexcept;
  /// The communicator is being freed, or MPI ends.
  void compare_last_calls();
  /// MPI_Finalize has begun.
  void end() { is_ending_ = true; }
  const CallIdentity& call() const { return call_; }  ///< the present one
  std::string call_text() const;                      ///< likewise, for messages
  /// Ends the job, since a call that was begun on one node cannot be given up on another.
  void end_job_because(const char* why);

  CallTrials& trials() { return trials_; }
  /// Memory for parts of the present call, which is kept for the next ones unless it is large:
  /// getting it would take longer than using it. Ends the job if there is none.
  std::byte* buffer(std::size_t which, std::size_t bytes);
  void release_large_buffers();
  static constexpr std::size_t kBuffers = 6;

  void mismatched(Rank peer, const CallIdentity& mine, const CallIdentity& theirs) override;
  void stalled(Rank peer, double seconds) override;
  void waits_long() override;
  std::uint64_t now_ns() override;
  void yield() override;

  const NodeLayout layout;
  const Rank rank;
  const std::vector<int> world_ranks;  ///< their numbers in MPI_COMM_WORLD
  TeamSettings settings;               ///< rank 0's

 private:
  /// Observes plans, in which ranks have their numbers in the communicator, not in the lane.
  class OfPlans final : public LaneObserver {
   public:
    explicit OfPlans(MultiNodeCommunicator& over_nodes) : over_nodes_(over_nodes) {}
    void mismatched(Rank peer, const CallIdentity& mine, const CallIdentity& theirs) override {
      over_nodes_.end_for_mismatch_with(peer, mine, theirs);
    }
    void stalled(Rank peer, double seconds) override { over_nodes_.say_stalled(peer, seconds); }
    void waits_long() override { over_nodes_.answer_inquiries(); }
    std::uint64_t now_ns() override { return over_nodes_.now_ns(); }
    void yield() override { over_nodes_.yield(); }

   private:
    MultiNodeCommunicator& over_nodes_;
  };

  void report_to_this();
  void end_for_mismatch_with(Rank peer, const CallIdentity& mine, const CallIdentity& theirs);
  void say_stalled(Rank peer, double seconds) const;
  std::string name_of(Rank its_rank) const;
  std::string own_text() const { return name_of(rank); }
  /// The rank of the communicator that has this number in this rank's lane.
  Rank in_lane(Rank peer) const;

  UnderlyingMpi& underlying_;
  const bool are_recorded_;
  std::uint64_t begun_ns_ = 0;  ///< when the call began, if it is recorded
  OfPlans of_plans_{*this};
  std::unique_ptr<OwnLane> own_lane_;
  Ticket ticket_;  ///< of the lane, for its place in the pool
  bool is_ending_ = false;
  std::uint64_t calls_ = 0;
  CallIdentity call_;
  CallTrials trials_;
  std::array<std::unique_ptr<std::byte[]>, kBuffers> buffers_;
  std::array<std::size_t, kBuffers> buffer_bytes_{};
};

}  // namespace terrace::preload
