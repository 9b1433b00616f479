// SPDX-License-Identifier: BSD-3-Clause
// What a rank does while it waits for peers in a team's call: it drives the underlying MPI, notices
// dead ranks, and reports stalls and calls that do not match.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/rank.hpp"
#include "preload/mpi/underlying_mpi.hpp"
#include "preload/waiting/departures.hpp"
#include "team/call_mismatch.hpp"
#include "team/memory.hpp"
#include "team/waiting.hpp"

namespace terrace::preload {

class MultiNodeCommunicator;

/// The process behind a rank.
struct Peer {
  int world_rank = 0;  ///< in MPI_COMM_WORLD
  std::int64_t process = 0;
};

/// Waits as usual, and also drives the underlying MPI, whose progress peers may need.
class MpiWaitEnvironment final : public WaitEnvironment {
 public:
  MpiWaitEnvironment(UnderlyingMpi& underlying, const TeamMemory& memory, Rank rank,
                     Departure* departures, std::optional<std::uint32_t> lane = {})
      : underlying_(underlying),
        memory_(memory),
        rank_(rank),
        departures_(departures),
        lane_(lane) {}

  /// Sets the peers, for messages and for liveness checks.
  void meet(std::vector<Peer> peers) { peers_ = std::move(peers); }
  const std::vector<Peer>& peers() const { return peers_; }

  /// The team runs one node's parts of calls over these nodes, and messages say so.
  void speak_for_node(MultiNodeCommunicator& over_nodes) { over_nodes_ = &over_nodes; }
  bool speaks_for_node() const { return over_nodes_ != nullptr; }

  /// A call of the team begins.
  void begin() {
    rounds_ = 0;
    awaits_start_ = false;
  }
  /// Whether what is waited for is the next call, which this rank cannot start yet.
  void await_start(bool awaits_start) { awaits_start_ = awaits_start; }
  Rank rank() const { return rank_; }
  UnderlyingMpi& underlying() const { return underlying_; }
  /// World ranks of the team, once peers are set.
  std::vector<int> world_ranks() const;
  void progress() noexcept override;
  void mismatched(const CallMismatch& mismatch) noexcept override;
  /// The job is being ended because of it.
  bool has_told_mismatch() const { return has_told_mismatch_; }
  /// Begins to serve a communicator whose calls follow this one, after `lives` others.
  void begin_life(std::uint64_t call, std::uint64_t lives) {
    calls_before_ = call;
    life_ = lives + 1;
  }
  /// Tells peers that this rank makes no further call on the communicator, which it frees.
  void end_life() noexcept;
  /// Tells peers that this rank is in MPI_Finalize, or has been through it.
  void tell_finalizing(Finalizing state) noexcept;
  /// MPI_Finalize deletes attributes: Terrace's turn has come.
  void end() { is_ending_ = true; }
  void stalled(double seconds) noexcept override;

  /// Says `sentence` and ends the job; first gives living lower ranks time to do so.
  void end_with(const std::string& sentence) noexcept;

  // Called by the liveness thread while another thread is in the MPI, after this team's last call.
  std::optional<Rank> dead_peer() const;
  void end_for_dead_peer() noexcept;

 private:
  std::string own_text() const;
  std::string call_text() const;
  std::string number_text(std::uint64_t call) const;
  std::string name_of(Rank rank) const;
  std::string name_in_mismatch(Rank rank) const;
  std::string missing_ranks() const;
  void poll_peers() noexcept;
  void poll_liveness(std::uint64_t call) noexcept;
  void poll_departures(std::uint64_t call) noexcept;
  std::string departure_of(Rank peer, std::uint64_t call) const;
  std::string end_of(Rank dead) const;
  void end_for(Rank peer, const std::string& what, const std::string& call) noexcept;

  UnderlyingMpi& underlying_;
  const TeamMemory& memory_;
  Rank rank_;
  Departure* departures_;              ///< of all ranks
  std::optional<std::uint32_t> lane_;  ///< of nonblocking calls
  std::vector<Peer> peers_;
  std::uint64_t calls_before_ = 0;  ///< of communicators that are gone
  std::uint64_t life_ = 1;          ///< counts the communicators, this one included
  bool awaits_start_ = false;
  bool has_told_mismatch_ = false;
  bool is_ending_ = false;
  /// Null unless the team runs parts of calls over nodes. Destroyed after the team's last call.
  MultiNodeCommunicator* over_nodes_ = nullptr;
  std::uint32_t rounds_ = 0;        ///< of waiting in this call
  std::uint64_t next_poll_ns_ = 0;  ///< of what peers do
  int polls_after_departure_ = 0;   ///< that have found a peer gone elsewhere
};

}  // namespace terrace::preload
