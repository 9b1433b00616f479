// SPDX-License-Identifier: BSD-3-Clause
// The state of a communicator: a count of calls, until a team is made of its ranks or it is clear
// that none will be; then the team: shared memory, plans, and this rank's endpoint.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/recorder.hpp"
#include "engine/team_endpoint.hpp"
#include "preload/mpi/call_trials.hpp"
#include "preload/mpi/idle_pool.hpp"
#include "preload/mpi/settings.hpp"
#include "preload/mpi/underlying_mpi.hpp"
#include "preload/setup/comm_graph.hpp"
#include "preload/setup/nonblocking_lanes.hpp"
#include "preload/transport/peer_heaps.hpp"
#include "preload/transport/shared_memory.hpp"
#include "preload/waiting/wait_environment.hpp"

namespace terrace::preload {

/// Shared memory that this process has made for teams; the total is limited.
class SharedMemoryInUse {
 public:
  SharedMemoryInUse() = default;
  ~SharedMemoryInUse() { give_back(); }
  SharedMemoryInUse(const SharedMemoryInUse&) = delete;
  SharedMemoryInUse& operator=(const SharedMemoryInUse&) = delete;
  void take(std::size_t bytes);
  /// Takes over what `other` has counted.
  void take(SharedMemoryInUse& other) { bytes_ += std::exchange(other.bytes_, 0); }
  void give_back();
  static std::size_t total();

 private:
  std::size_t bytes_ = 0;
};

/// Trials of calls whose blocks differ in length. Where only some ranks know the longest block of a
/// call, its class is that of the last such call.
struct UnevenTrials {
  /// The longest block of the last such call, in bytes.
  std::uint64_t& told(Collective collective) {
    return longest[static_cast<std::size_t>(collective)];
  }

  CallTrials trials;
  std::array<std::uint64_t, kCollectiveCount> longest{};
  std::uint32_t untold = 0;  ///< calls in a row of which no rank told lengths
};

/// Ranks that share memory. Set up by all its ranks together (team_setup.hpp). When its
/// communicator is freed, the team is kept for the next communicator of these ranks, or each rank
/// drops it on its own: memory is freed when the last process has unmapped it.
struct Team {
  Team(std::unique_ptr<SharedMemory> shared, std::size_t scratch_bytes, Rank ranks, Rank rank,
       Hierarchy hierarchy, const TeamSettings& settings, UnderlyingMpi& underlying);

  /// Peers' heaps are where they are announced, moved.
  void use(std::unique_ptr<PeerHeaps> mapped);
  /// Peers' memory can be read by the kernel.
  void use(std::unique_ptr<Puller> kernel) { puller = std::move(kernel); }
  /// Peers' memory can be attached.
  void use(std::unique_ptr<Attacher> module) { attacher = std::move(module); }
  /// Makes lanes ready, before peers use the team. False: there is no memory.
  bool prepare_lanes();
  /// Allocates this rank's scratch up to `bytes`; false: there is no memory.
  bool allocate_scratch(std::size_t bytes);
  /// Takes this rank's endpoint. The team's memory must be prepared on all ranks.
  void take_endpoint(const TeamTraits& traits, const WaitPolicy& waiting);
  /// Ends the job if ranks have started different numbers of calls before this blocking one.
  /// Returns whether the numbers were exchanged and are equal.
  bool confirm_starts(Collective collective);
  /// Lets the MPI be tried for uneven calls, where that may pay.
  void try_uneven_calls();
  /// Returns these trials; null: there are none.
  CallTrials* trials_of_uneven_calls() { return uneven_trials ? &uneven_trials->trials : nullptr; }
  /// Serves another communicator from the next call on.
  void begin_life();
  /// The most blocks that a rank may have in a neighbourhood collective.
  std::size_t most_blocks_along_edges() const;
  /// Makes a call by the endpoint's function of this name.
  bool make_call(Collective collective, const void* input, void* output, const Elements& elements,
                 Rank root) {
    wait_environment.begin();
    return endpoint->make_call(collective, input, output, elements, root);
  }
  /// A number that is equal on ranks that have made the same calls.
  std::uint64_t state() const;
  /// Calls for the present communicator.
  std::uint64_t calls() const { return endpoint->calls() - calls_before; }

  SharedMemoryInUse lent;
  std::unique_ptr<SharedMemory> shared;
  TeamMemory memory;
  std::size_t first_scratch_bytes = 0;  ///< that are allocated; the same on all ranks
  PlanCache plan_cache;
  std::unique_ptr<PeerHeaps> heaps;  ///< if every rank has one, and maps all
  /// If every rank can read from all others, and may. Where there are heaps or an attacher, only
  /// for blocks along edges.
  std::unique_ptr<Puller> puller;
  std::unique_ptr<Attacher> attacher;  ///< if every rank can attach all others' memory, and shall
  std::string why_not_reached;         ///< for reports, where one of these was refused
  TeamSettings settings;
  TeamGraphs graphs;  ///< whose programs endpoints refer to
  MpiWaitEnvironment wait_environment;
  TeamTraits traits;
  bool can_move = false;         ///< ranks, to other cores; the same on all of them
  double underlying_mpi_ns = 0;  ///< what a call of the MPI took; likewise
  std::unique_ptr<EndpointRecorder> records;
  std::optional<TeamEndpoint> endpoint;
  Lengths lengths;  ///< of the blocking call at hand, if its blocks differ; keeps its memory
  std::unique_ptr<UnevenTrials> uneven_trials;  ///< null: the MPI is not tried
  std::unique_ptr<NonblockingLanes> lanes;      ///< null: it is too large
  std::string why_not_started;   ///< for reports: why its nonblocking calls are the MPI's, or ""
  std::vector<int> world_ranks;  ///< by which idle teams are found
  Ticket ticket;                 ///< for its place in the pool
  std::uint64_t facts = 0;       ///< what its ranks have told of themselves, as a number
  std::uint64_t calls_before = 0;
};

/// Bytes of a team's shared memory: a share for each rank, their departures, and lanes.
std::size_t team_bytes(std::size_t scratch_bytes, Rank ranks);

/// Keeps teams whose communicators were freed while the program held requests for their calls.
std::vector<std::unique_ptr<Team>>& left_teams();
bool has_been_left(const Team& team);

/// Teams of this process whose communicators have been freed.
IdlePool<Team>& idle_teams();

}  // namespace terrace::preload
