// SPDX-License-Identifier: BSD-3-Clause
// Groups and communicators: the part that all members share, including a team, and the state of
// each member.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/contract.hpp"
#include "base/rank.hpp"
#include "engine/last_call.hpp"
#include "threadranks/matching/match_queues.hpp"
#include "threadranks/ranks/integer_handles.hpp"
#include "threadranks/ranks/rank_team.hpp"
#include "threadranks/ranks/topology.hpp"

namespace terrace::threadranks {

class RankState;
class RanksJob;

/// Ranks of the job, in the order of their ranks in the group. Belongs to one rank.
struct RankGroup : Numbered<ObjectKind::group> {
  RankGroup() = default;
  explicit RankGroup(std::vector<Rank> its_members) : members(std::move(its_members)) {}

  std::vector<Rank> members;

  /// The rank in this group of a rank of the job; negative: it is not a member.
  int rank_of(Rank rank) const;
};

/// The shared part of a communicator. An intercommunicator has the members of both groups.
struct SharedCommunicator {
  SharedCommunicator(std::uint32_t its_context, std::vector<Rank> its_members,
                     std::size_t its_first_group = 0)
      : context(its_context),
        members(std::move(its_members)),
        first_group(its_first_group),
        team(static_cast<Rank>(members.size())),
        references(static_cast<int>(members.size())) {}

  std::uint32_t context;  ///< for messages; the next number is for our own messages
  std::vector<Rank> members;
  std::size_t first_group;  ///< members of the first of two groups; 0: there is one group
  RankTeam team;
  std::atomic<int> references;
};

/// A collective in progress. Advanced in the order of calls on its communicator.
class Operation {
 public:
  virtual ~Operation() = default;
  /// Whether it is complete.
  virtual bool advance() = 0;
  bool is_over = false;
  Completion outcome = Completion::done;
};

/// A member's state of a communicator.
class Communicator : public Numbered<ObjectKind::communicator> {
 public:
  /// `place`: the member's index among the shared members.
  Communicator(RankState& state, SharedCommunicator& shared, int place);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  // On an intercommunicator, these are of this member's group, ...
  int rank() const { return place_ - first_; }
  int size() const { return static_cast<int>(members_.size()); }
  const std::vector<Rank>& members() const { return members_; }
  // ... and these of the other group, which messages go to. Otherwise both are the same.
  bool is_intercomm() const { return shared_.first_group > 0; }
  const std::vector<Rank>& peers() const { return is_intercomm() ? remote_ : members_; }
  int peer_count() const { return static_cast<int>(peers().size()); }
  // Indices in the team of all members, by rank in a group.
  int place_of_member(int rank) const { return first_ + rank; }
  int place_of_peer(int rank) const { return first_peer_ + rank; }

  std::uint32_t context() const { return shared_.context; }
  RankState& state() const { return state_; }
  SharedCommunicator& shared() const { return shared_; }

  /// The address of the peer with that rank.
  Address address_of(int rank, int tag) const;
  MatchQueues& match_queues() { return match_queues_; }

  /// The endpoint. Waits until earlier calls are complete and all members have arrived.
  TeamEndpoint& endpoint();
  /// The same without waiting; null: not yet. For the operation at the head of the queue.
  TeamEndpoint* endpoint_if_founded();
  /// Appends an operation to the queue, and begins it if it is the first.
  void begin(std::shared_ptr<Operation> operation);
  void advance();
  bool is_idle() const { return operations_.empty(); }

  /// References of the program and of operations in progress; the last one to be released frees it.
  void retain() { ++references_; }
  void release() {
    TERRACE_ASSERT(references_ > 0, references_);
    if (--references_ > 0) return;
    compare_calls();
    delete this;
  }
  /// Ends the job if calls so far do not match the other members', as far as they have been made.
  void compare_calls() {
    if (endpoint_) endpoint_->compare_calls();
  }

  /// Counts a complete collective of the program; `had_work`: there was something to do.
  void count_run(Collective collective, std::size_t bytes, bool had_work);

  std::string name;
  Attributes attributes;
  std::shared_ptr<void> errhandler;  ///< the adapter's
  std::unique_ptr<RankTopology> topology;
  bool is_predefined = false;
  std::array<LastCall, kCollectiveCount> last_calls;  ///< of blocking collectives

  /// The endpoint, if earlier calls are complete and all members have arrived; otherwise null.
  TeamEndpoint* idle_endpoint() const { return operations_.empty() ? endpoint_.get() : nullptr; }

 private:
  RankState& state_;
  SharedCommunicator& shared_;
  int place_;
  int first_ = 0, first_peer_ = 0;  ///< indices of the groups' first members
  std::vector<Rank> members_, remote_;
  MatchQueues& match_queues_;
  int references_ = 1;
  bool has_arrived_ = false;
  std::unique_ptr<TeamEndpoint> endpoint_;
  std::deque<std::shared_ptr<Operation>> operations_;
};

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

/// Reserves two context numbers for messages.
std::uint32_t new_context(RanksJob& job);

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
  bool call(TeamEndpoint& endpoint);
  /// After it.
  Communicator* made() const;

 private:
  Communicator* parent_ = nullptr;
  SharedCommunicator* own_ = nullptr;
  std::vector<SharedCommunicator*> all_;
};

/// How the leaders of two groups find each other: MPI_Intercomm_create's peer communicator, remote
/// leader and tag.
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
