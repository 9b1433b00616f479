// SPDX-License-Identifier: BSD-3-Clause
// Rank infos: what ranks that may become a team report to each other, and what all of them
// conclude. Pure functions of the gathered rank infos, so all ranks conclude the same.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "choose/choice.hpp"
#include "heap/heap_interface.hpp"
#include "hierarchy/hierarchy.hpp"
#include "preload/mpi/idle_pool.hpp"
#include "preload/nodes/multi_node_communicator.hpp"
#include "preload/transport/cma.hpp"
#include "team/waiting.hpp"

namespace terrace::preload {

/// Sent as bytes between processes of the same build.
struct RankInfo {
  std::array<char, 64> stamp{};  ///< of the build
  std::array<char, 64> host{};   ///< with `boot`: which running system this is
  std::array<char, 40> boot{};
  std::uint64_t process_space = 0;  ///< the namespace in which `process` has its number
  std::int64_t process = 0;
  std::uint64_t scheduling_group = 0;  ///< the kernel's, as a number: yields stay within it
  std::uint32_t is_off = 0;
  std::uint32_t is_off_here = 0;         ///< for communicators of this name
  std::uint32_t is_virtual = 0;          ///< its machine, whose cores may move
  std::uint32_t expects_short_life = 0;  ///< of this communicator: rank 0's counts
  std::uint32_t has_unknown_gpu =
      0;  ///< buffers may lie on a device, and no known runtime can copy them
  std::uint32_t wants_plan = 0;          ///< TERRACE_PLAN is set: rank 0's counts
  std::uint32_t asks_across_nodes = 0;   ///< TERRACE_ACROSS_NODES=1
  std::uint32_t has_threads_in_mpi = 0;  ///< several that set up teams
  std::uint32_t lacks_communicator = 0;  ///< its MPI has none left
  std::uint32_t is_recorded = 0;         ///< by TERRACE_TRACE
  std::uint32_t cannot_start = 0;       ///< nonblocking calls: its program may complete them unseen
  std::uint64_t started_calls = 0;      ///< nonblocking ones on the communicator, before its team
  std::uint32_t sets_up_by_starts = 0;  ///< such a set-up has begun
  std::uint32_t ranks_on_node = 0;      ///< of the job; 0 unknown
  std::uint32_t pus_of_job = 1;         ///< on this node
  std::array<std::uint64_t, 16> binding{};  ///< bit c: may run on PU c
  std::array<char, 256> locality{};         ///< as `terrace exec` says; "" without it
  HeapAddress heap;                         ///< without a file if there is none
  MemoryProof proof;                        ///< for peers who try to read this process's memory
  IdleReport idle;                          ///< teams of the same ranks
};

/// The info of this process, on a communicator of that name.
RankInfo own_rank_info(const std::string& communicator);

/// The info of a rank of the same build is such that it can have reported.
void require_sound(const RankInfo& info);

/// Whether two ranks are on one node: in one running system, and see each other's processes there.
bool is_same_system(const RankInfo& a, const RankInfo& b);

/// Why these ranks cannot be a team, nor one for each node where all ask to compose calls: half
/// a sentence; "" if they can.
std::string objection(std::span<const RankInfo> ranks);

/// The nodes of these ranks.
NodeLayout layout_of_nodes(std::span<const RankInfo> ranks);

/// Whether all of them record timelines, by TERRACE_TRACE.
bool are_recorded(std::span<const RankInfo> ranks);

/// A hash of all but `idle`: ranks with the same infos would set up the same team.
std::uint64_t facts_of(std::span<const RankInfo> ranks);

/// The hierarchy of these ranks; flat unless every rank knows its place.
Hierarchy hierarchy_of(std::span<const RankInfo> ranks);

/// The hierarchy of ranks on several nodes, `node_of` each rank; flat within the nodes unless every
/// rank knows its place.
Hierarchy hierarchy_over_nodes(std::span<const RankInfo> ranks, std::span<const Rank> node_of);

/// Ranks, and PUs that they may use: of the job where known, of the team where that is tighter.
struct CpuDemand {
  std::uint32_t ranks = 0;
  std::uint32_t pus = 0;

  bool is_oversubscribed() const { return ranks > pus; }
};
CpuDemand cpu_demand_of(std::span<const RankInfo> ranks);

/// Whether the kernel schedules all of them in one group, so that a yield lets others of them run.
bool are_scheduled_together(std::span<const RankInfo> ranks);

/// Whether the system may move one of them to another core at any time.
bool are_free_to_move(std::span<const RankInfo> ranks);

}  // namespace terrace::preload
