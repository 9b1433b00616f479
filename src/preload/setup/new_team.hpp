// SPDX-License-Identifier: BSD-3-Clause
// Ranks of one node on their way to a team: what they have told each other, and what each of them
// then does by itself. How they tell it each other is another matter: see team_setup.hpp and
// setup_by_starts.hpp.
//
//     rank infos  ─  offer of the leader  ─  join  ─  outcomes of all  ─  team
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "preload/setup/memory_offer.hpp"
#include "preload/setup/rank_info.hpp"
#include "preload/setup/team.hpp"
#include "preload/transport/xpmem_attach.hpp"

namespace terrace::preload {

/// The message of a rank to all others when it has joined, or could not. Sent as bytes.
struct SetupOutcome {
  bool is_joined = false;
  bool has_heaps = false;
  std::int16_t refusal = 0;      ///< of reading peers' memory
  double underlying_mpi_ns = 0;  ///< what a call of the MPI took
  bool has_lane = false;         ///< rank 0, over nodes: all lanes were idle
  Ticket lane;                   ///< likewise: of new ones
};
void require_sound(const SetupOutcome& outcome);

class NewTeam {
 public:
  NewTeam(UnderlyingMpi& underlying, std::vector<int> world_ranks, Rank own_rank);

  // Set as ranks tell it, and of all ranks of the communicator until they are grouped by node.
  std::vector<int> world_ranks;  ///< by rank: its number in MPI_COMM_WORLD
  std::vector<RankInfo> rank_infos;
  Rank own_rank;
  SharedMemoryOffer offer;
  std::string plan_text;                 ///< the user's plan, if the leader finds that it may run
  std::unique_ptr<SharedMemory> shared;  ///< the leader's, before it joins
  std::unique_ptr<Team> team;            ///< once this rank has joined

  bool is_leader() const { return own_rank == 0; }
  Rank ranks() const { return static_cast<Rank>(rank_infos.size()); }
  bool is_alone() const { return ranks() == 1; }
  int own_world_rank() const { return world_ranks[own_rank]; }

  /// This rank's info, but for its idle teams.
  RankInfo own_info(Handle communicator, std::uint64_t started_calls) const;
  /// Why they will not be a team, "" if they may.
  std::string hear(std::vector<RankInfo> told);

  /// Makes the memory that the leader offers, and says in `offer` whether there is any.
  void offer_memory();
  /// On the leader: the user's plan, "" if none is wanted or it may not run, which the user is
  /// told.
  std::string checked_plan();
  /// Takes the leader's offer, which is made.
  void take_offer(const SharedMemoryOffer& made);
  /// Does what may fail on this rank alone: maps memory, and tries to reach its peers'.
  SetupOutcome join();
  /// Closes the file of the team's memory, which no peer will open any more.
  void close_file();
  /// Gives up what this rank has made or mapped.
  void drop();
  /// Ends the set-up, which all ranks have joined: makes this rank's endpoint. `attacher`: null
  /// unless all can attach. `over_nodes`: null on one node.
  void complete(std::span<const SetupOutcome> outcomes, std::unique_ptr<Attacher> attacher,
                MultiNodeCommunicator* over_nodes);

  /// Says why TERRACE_REACH=attached is not heeded.
  void say_not_attached(const std::string& why);
  /// Why nonblocking calls on the communicator stay with the MPI; "" if they need not. The same on
  /// all ranks.
  std::string why_not_started() const;

 private:
  bool may_pull() const;
  void pull_if_all_can(std::span<const SetupOutcome> outcomes);
  void make_endpoint(MultiNodeCommunicator* over_nodes);
  std::vector<Peer> peers() const;

  UnderlyingMpi& underlying_;
  SharedMemoryInUse lent_;            ///< that this rank has made, until there is a team
  std::unique_ptr<PeerHeaps> heaps_;  ///< that this rank has mapped
};

}  // namespace terrace::preload
