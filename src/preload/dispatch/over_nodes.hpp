// SPDX-License-Identifier: BSD-3-Clause
// Calls of ranks on several nodes, composed of calls of each node's team and of messages between
// nodes. All refusals come before the first part: what has begun on one node must be finished on
// all. See docs/design/nodes.md.
#pragma once

#include <cstddef>

#include "preload/dispatch/block_moves.hpp"
#include "preload/mpi/settings.hpp"

namespace terrace::preload {

inline constexpr const char* kNotComposed =
    "its ranks are on several nodes, over which Terrace does not run this collective";

/// A call as all ranks know it.
struct CallOverNodes {
  Collective collective = Collective::barrier;
  std::size_t bytes = 0;  ///< of a vector, or of a block
  Rank root = 0;
  bool is_by_operands = false;  ///< combined in the order of ranks (in_rank_order.hpp)
};

/// Why a call falls back to the MPI, by rank 0's settings, also if a user's plan is for it; null:
/// it does not.
const char* why_not_over_nodes(const CallOverNodes& call, const NodeLayout& layout,
                               const TeamSettings& settings);
/// Why a call without a plan falls back; null: it is composed.
const char* why_not_composed(const CallOverNodes& call, const NodeLayout& layout,
                             const TeamSettings& settings);

/// TERRACE_CHECK: the MPI's collective runs after the composed call, which compares calls first.
inline bool checks_over_nodes(Dispatch& dispatch) {
  return dispatch.comm_state().over_nodes->settings.checks;
}

// Functions for calls with `Dispatch::is_composed`, whose buffers the MPI would accept. `may_...`:
// whether the call is composed; if not, it has been counted as fallen back, and the caller forwards
// it. The others always return true: done.
bool barrier_over_nodes(Dispatch& dispatch);  ///< false: the caller falls back

bool may_bcast_over_nodes(Dispatch& dispatch, std::size_t bytes);
/// Dense bytes in the host's memory.
bool bcast_over_nodes(Dispatch& dispatch, void* bytes, std::size_t count);

/// Reductions of blocks of one length, and scans.
bool may_reduce_over_nodes(Dispatch& dispatch, const Elements& elements, bool has_gaps);
/// Dense operands in the host's memory; without a result here, `output` is not used.
bool reduce_over_nodes(Dispatch& dispatch, const MpiCall& call, const Elements& elements,
                       bool has_gaps, const void* input, void* output);

/// Gather, scatter, allgather and alltoall.
bool may_move_over_nodes(Dispatch& dispatch, std::size_t block_bytes);
bool move_over_nodes(Dispatch& dispatch, const MovedOverNodes& blocks);

}  // namespace terrace::preload
