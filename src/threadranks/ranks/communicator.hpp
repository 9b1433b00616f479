// SPDX-License-Identifier: BSD-3-Clause
// Groups and communicators: the part that all members share, including a team, and the state of
// each member.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/contract.hpp"
#include "base/doubling_count.hpp"
#include "base/hash.hpp"
#include "base/rank.hpp"
#include "engine/last_call.hpp"
#include "engine/published_findings.hpp"
#include "threadranks/handles/integer_handles.hpp"
#include "threadranks/matching/match_queues.hpp"
#include "threadranks/ranks/rank_team.hpp"
#include "threadranks/ranks/topology.hpp"

namespace terrace::threadranks {

class Communicator;
class MemberNeighbours;
class RankState;
class RanksJob;
class SharedGraph;

/// Ranks of the job, in the order of their ranks in the group. Belongs to one rank.
struct RankGroup : Numbered<ObjectKind::group> {
  RankGroup() = default;
  explicit RankGroup(std::vector<Rank> its_members) : members(std::move(its_members)) {}

  std::vector<Rank> members;

  /// The rank in this group of a rank of the job; negative: it is not a member.
  int rank_of(Rank rank) const;
};

/// The members of a communicator that are in one process, by their indices, in ascending order.
struct ProcessMembers {
  int process = 0;
  std::vector<int> places;
};

/// The members of a communicator that spans processes.
struct SpanningMembers {
  std::vector<ProcessMembers> processes;  ///< in the order of their first members
  std::size_t own = 0;                    ///< the index of this process
  bool are_in_order = false;              ///< the members of one process follow each other
  std::vector<std::size_t> process_of;    ///< an index in `processes`, by place

  const ProcessMembers& here() const { return processes[own]; }
};

/// Null: all members are in this process.
std::unique_ptr<const SpanningMembers> spanning_members(const RanksJob& job,
                                                        const std::vector<Rank>& members);

/// Nonblocking calls of a communicator that run at once without waiting for each other: the n-th
/// has lane n % kLanes, which is a team of its own, so that all that is proved of teams holds.
inline constexpr std::size_t kLanes = 4;

/// Numbers for the messages of a communicator: of its blocking calls, then of each lane.
inline constexpr std::uint32_t kContextsOfTeam = 4, kContextStep = (1 + kLanes) * kContextsOfTeam;

/// The part of a communicator that its members in this process share. An intercommunicator has the
/// members of both groups.
struct SharedCommunicator {
  /// `blocking`: the team of the communicator of which this is a lane, which outlives it.
  SharedCommunicator(const RanksJob& job, std::uint32_t its_context, std::vector<Rank> its_members,
                     std::size_t its_first_group = 0, const RankTeam* blocking = nullptr);

  /// Returns a communicator of the same members for nonblocking calls; made for the first that
  /// asks.
  SharedCommunicator& lane(std::size_t number, const RanksJob& job);

  std::uint32_t context;  ///< for messages; the next three numbers are for our own messages
  std::vector<Rank> members;
  std::size_t first_group;  ///< members of the first of two groups; 0: there is one group
  std::unique_ptr<const SpanningMembers> spanning;  ///< null: all are in this process
  RankTeam team;                                    ///< of the members in this process
  std::atomic<int> references;                      ///< of those
  const std::shared_ptr<SharedGraph> graph;         ///< empty without a topology
  // The rest is for calls that are started:
  FirstDecides<std::uint64_t> orders;  ///< of blocking and nonblocking calls so far
  SettledFindings findings;

  Rank members_here() const {
    return static_cast<Rank>(spanning ? spanning->here().places.size() : members.size());
  }

 private:
  std::array<std::once_flag, kLanes> has_lane_;
  std::array<std::unique_ptr<SharedCommunicator>, kLanes> lanes_;
};

/// A collective of a request that a team runs as it is prepared, without an operation.
struct StartedCollective {
  Communicator* on = nullptr;  ///< whose team runs it; null: there is none
  bool is_over = true;
  const EdgeBlocks* edges = nullptr;  ///< of a neighbourhood collective, while it is in progress
  bool is_truncated = false;          ///< a block was longer than its place
};

/// A collective in progress. Advanced in the order of calls on its communicator.
class Operation {
 public:
  virtual ~Operation() = default;
  /// Whether it is complete.
  virtual bool advance(Communicator& on) = 0;
  /// Prepares a persistent one before each start, the first one included: with the same arguments,
  /// but what lies in the buffers now.
  virtual void restart() = 0;
  /// Instead of `restart`: starts a persistent one as it was prepared the last time. False: it was
  /// not prepared, or something is in progress.
  virtual bool start_again(Communicator&, StartedCollective&) { return false; }
  bool is_over = false;
  Completion outcome = Completion::done;
};

/// A program's buffer for buffered sends, which is given back as it is.
struct AttachedBuffer {
  bool is_attached = false;
  void* place = nullptr;
  std::int64_t bytes = 0;
};

/// A member's state of a communicator.
class Communicator : public Numbered<ObjectKind::communicator> {
 public:
  /// `place`: the member's index among the shared members. `blocking`: the communicator of which it
  /// is a lane.
  Communicator(RankState& state, SharedCommunicator& shared, int place,
               Communicator* blocking = nullptr);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  // On an intercommunicator, these are of this member's group, ...
  int rank() const { return place_ - first_; }
  int size() const { return static_cast<int>(members_.size()); }
  const std::vector<Rank>& members() const { return members_; }
  // ... and these of the other group, which messages go to. Otherwise both are the same.
  bool is_intercomm() const { return shared_.first_group > 0; }
  /// Whether there are members in other processes. Collectives are then SpanningCalls.
  bool spans() const { return shared_.spanning != nullptr; }
  const std::vector<Rank>& peers() const { return is_intercomm() ? remote_ : members_; }
  int peer_count() const { return static_cast<int>(peers().size()); }
  // Indices in the team of all members, by rank in a group.
  int place_of_member(int rank) const { return first_ + rank; }
  int place_of_peer(int rank) const { return first_peer_ + rank; }

  std::uint32_t context() const { return shared_.context; }
  RankState& state() const { return state_; }
  SharedCommunicator& shared() const { return shared_; }

  /// Null: it has none.
  const RankTopology* topology() const { return topology_.get(); }
  /// Before any call of its members.
  void set_topology(std::unique_ptr<RankTopology> topology);
  /// Its member's neighbours; null without a topology.
  MemberNeighbours* neighbours() const { return neighbours_.get(); }

  /// The address of the peer with that rank.
  Address address_of(int rank, int tag) const;
  MatchQueues& match_queues() { return match_queues_; }

  /// The endpoint of the members in this process. Waits until earlier calls are complete and all
  /// members have arrived.
  TeamEndpoint& endpoint();
  /// Returns the endpoint without waiting; null: not yet. For the operation at the head of the
  /// queue.
  TeamEndpoint* endpoint_if_founded();
  void wake_members();
  /// Appends an operation to the queue, and begins it if it is the first.
  void enqueue(std::shared_ptr<Operation> operation);
  /// Begins a nonblocking call of the program. These are matched among themselves, in a queue and
  /// by a team of their own, as by all MPIs, so blocking ones need not wait for them.
  void enqueue_nonblocking(std::shared_ptr<Operation> operation);
  void advance();
  /// Whether no call of its queue is in progress.
  bool is_idle() const { return operations_.empty() && started_ == nullptr; }
  /// Returns the lane of the next nonblocking call, if that may be started as it was prepared: no
  /// other is in progress there, and nothing is due before. Otherwise null.
  Communicator* ready_lane() {
    Communicator* const lane = lanes_[next_lane()].get();
    return lane != nullptr && lane->is_ready() ? lane : nullptr;
  }
  /// Whether its team can start a prepared call at once: it is idle, and need not settle findings.
  bool is_ready() const {
    return is_idle() && endpoint_ != nullptr && !spans() && !team_calls_.is_next();
  }
  /// Starts a prepared call of the idle team. `started` must stay where it is until it is over.
  void start(StartedCollective& started, TeamEndpoint::PreparedCall& prepared, const void* input,
             void* output);
  /// Starts the program's next nonblocking call likewise, in this lane.
  void start_nonblocking(StartedCollective& started, TeamEndpoint::PreparedCall& prepared,
                         const void* input, void* output);
  /// Waits until it is over, unless it is being advanced already.
  void complete(StartedCollective& started);
  /// Fetches what the call in progress awaits.
  void prefetch_awaited() const {
    if (started_ != nullptr) endpoint_->prefetch_awaited();
  }
  [[noreturn]] void end_mismatched() const;
  /// Whether no nonblocking call is in progress.
  bool are_all_over() const {
    return std::all_of(lanes_.begin(), lanes_.end(),
                       [](const auto& lane) { return lane == nullptr || lane->is_idle(); });
  }
  /// Chooses by what another communicator's blocking calls find out, as a lane and a persistent
  /// request's communicator do: `settle_findings`, before each call of its team, looks for news at
  /// calls 1, 2, 4, 8, ...
  void use_findings_of(Communicator& other);
  void settle_findings();
  /// Publishes what blocking calls have found out, none of which must be in progress.
  void publish_findings();

  /// References of the program and of operations in progress; the last one to be released frees it.
  void retain();
  void release();
  /// Ends the job if calls so far do not match the other members', as far as they have been made.
  void compare_calls();

  /// Whether others have begun nonblocking calls of the team that this member has not.
  bool is_behind();
  /// Its name, for sentences.
  std::string what() const { return name.empty() ? "a communicator" : name; }

  /// Counts a complete collective of the program; `had_work`: there was something to do.
  void count_run(Collective collective, std::size_t bytes, bool had_work);

  std::string name;
  Attributes attributes;
  AttachedBuffer attached;
  std::shared_ptr<void> errhandler;  ///< the adapter's
  bool is_predefined = false;
  /// Whether all members are in each call of its team; not where it is for requests, of which
  /// members begin others meanwhile.
  bool may_wait_in_calls;
  std::array<LastCall, kCollectiveCount> last_calls;  ///< of its team, each for one like it

  /// The endpoint, if earlier calls are complete and all members have arrived; otherwise null.
  TeamEndpoint* idle_endpoint() const { return is_idle() ? endpoint_.get() : nullptr; }
  bool is_watched = false;  ///< by its rank's state, which advances it

  std::uint32_t spanning_calls = 0;  ///< so far

  /// The number of the next nonblocking call's lane.
  std::size_t next_lane() const { return begun_.value() % kLanes; }

 private:
  Communicator& lane(std::size_t number);
  void note_nonblocking();
  void end_started();
  void compare_order();
  std::string composed_name() const;

  RankState& state_;
  SharedCommunicator& shared_;
  int place_;
  Rank place_here_;                 ///< among the members in this process
  int first_ = 0, first_peer_ = 0;  ///< indices of the groups' first members
  std::vector<Rank> members_, remote_;
  MatchQueues& match_queues_;
  std::unique_ptr<RankTopology> topology_;
  std::unique_ptr<MemberNeighbours> neighbours_;
  int references_ = 1;
  bool has_arrived_ = false;
  bool is_advancing_ = false;
  std::unique_ptr<TeamEndpoint> endpoint_;
  std::deque<std::shared_ptr<Operation>> operations_;
  StartedCollective* started_ = nullptr;  ///< in progress, before all operations

  std::array<std::unique_ptr<Communicator>, kLanes> lanes_;  ///< null: there was no such call
  DoublingCount begun_;                                      ///< nonblocking calls
  Hash order_;                              ///< of how many blocking ones came before each
  Communicator* const blocking_ = nullptr;  ///< whose lane it is
  /// Findings of its blocking calls, for its lanes and for persistent requests, which may outlive
  /// it; null: there is no reader. Used under the rank's lock, without which blocking calls go on.
  std::shared_ptr<PublishedFindings> published_;
  // The rest belongs to a lane, or to a persistent request's communicator.
  std::shared_ptr<const PublishedFindings> others_findings_;
  DoublingCount team_calls_;
};

/// Messages between processes that collectives are made of.
inline std::uint32_t spanning_context(const Communicator& communicator) {
  return communicator.context() + 2;
}

/// Context in which the two sides of partitioned messages meet.
inline std::uint32_t partitioned_context(const Communicator& communicator) {
  return communicator.context() + 3;
}

/// Keeps a communicator alive. Used by one rank.
class KeptCommunicator {
 public:
  KeptCommunicator() = default;
  KeptCommunicator(Communicator* communicator) : communicator_(communicator) {
    if (communicator_ != nullptr) communicator_->retain();
  }
  KeptCommunicator(const KeptCommunicator& other) : KeptCommunicator(other.communicator_) {}
  KeptCommunicator(KeptCommunicator&& other) noexcept
      : communicator_(std::exchange(other.communicator_, nullptr)) {}
  KeptCommunicator& operator=(KeptCommunicator other) noexcept {
    std::swap(communicator_, other.communicator_);
    return *this;
  }
  ~KeptCommunicator() {
    if (communicator_ != nullptr) communicator_->release();
  }

  Communicator* get() const { return communicator_; }
  Communicator* operator->() const { return communicator_; }
  explicit operator bool() const { return communicator_ != nullptr; }

 private:
  Communicator* communicator_ = nullptr;
};

/// A collective of all members, of whichever processes: copies `bytes` bytes from each one's
/// `input` to everyone's `output`, in the order of their places.
void allgather(Communicator& communicator, const void* input, void* output, std::size_t bytes);
void barrier(Communicator& communicator);
void bcast(Communicator& communicator, void* buffer, std::size_t bytes, int root);
/// A collective of an intracommunicator: sends each member a block of any length, and returns those
/// that the members have sent, by their ranks.
std::vector<std::vector<std::byte>> alltoallv(Communicator& communicator,
                                              std::vector<std::vector<std::byte>> sent);

/// Collective over `parent`: a communicator of the members with the same color, in the order of
/// their keys. Null if the color is negative, or if only one of two groups has the color.
Communicator* split(Communicator& parent, int color, int key);
/// Collective over `parent`: the same members.
Communicator* duplicate(Communicator& parent);
/// Collective over an intercommunicator: merges both groups, the one that is not `high` first.
Communicator* merge(Communicator& parent, bool is_high);

/// Makes a communicator with the same members, in one call of the parent's team.
class Duplication {
 public:
  /// Before the call.
  void prepare(Communicator& parent);
  template <class Endpoint>
  bool call(Endpoint& endpoint) {
    return endpoint.allgather(&own_, all_.data(), sizeof own_);
  }
  /// After it.
  Communicator* made() const;

 private:
  Communicator* parent_ = nullptr;
  std::uint32_t own_ = 0;  ///< a new context, of the first member; 0 of all others
  std::vector<std::uint32_t> all_;
};

/// The bridge by which the leaders of two groups find each other: MPI_Intercomm_create's peer
/// communicator, remote leader and tag.
struct LeaderBridge {
  Communicator* peers = nullptr;  ///< of both leaders; used by them alone
  int remote_leader = 0;          ///< rank there
  int tag = 0;
};
/// Collective over two communicators without a common member: the intercommunicator of their
/// groups. Null: they have a common member.
Communicator* between(Communicator& local, int leader, const LeaderBridge& meeting);
/// Collective over the group alone, which is part of `parent`.
Communicator* of_group(Communicator& parent, const RankGroup& group, int tag);

}  // namespace terrace::threadranks
