// SPDX-License-Identifier: BSD-3-Clause
// Calls of ranks on several nodes, composed of calls of each node's team and of messages between
// nodes. All refusals come before the first part: what has begun on one node must be finished on
// all. See docs/design/nodes.md.
#pragma once

#include <cstddef>

#include "preload/dispatch/collective_calls.hpp"
#include "preload/dispatch/run_or_fall_back.hpp"
#include "preload/nodes/nodes.hpp"
#include "preload/setup/settings.hpp"

namespace terrace::preload {

inline constexpr const char* kNotComposed =
    "its ranks are on several nodes, over which Terrace does not run this collective";

/// Whether calls of this collective may be composed.
bool is_composed_over_nodes(Collective collective);

/// What all ranks know of a call.
struct CallOverNodes {
  Collective collective = Collective::barrier;
  std::size_t bytes = 0;  ///< of a vector, or of a block
  Rank root = 0;
  /// The MPI can combine packed elements: predefined ones by a predefined operator, without gaps.
  bool is_predefined = true;
};

/// Why a call falls back to the MPI, by rank 0's settings; null: it is composed.
const char* why_not_composed(const CallOverNodes& call, const NodeLayout& layout,
                             const TeamSettings& settings);

// For calls with `Dispatch::is_composed`, whose buffers the MPI would accept. True: done. False:
// the caller falls back.
bool barrier_over_nodes(Dispatch& dispatch);
/// `bytes` in all; `is_dense`: they can be used where they lie.
bool bcast_over_nodes(Dispatch& dispatch, const MpiCall& call, std::size_t bytes, bool is_dense);
/// Reduce, allreduce and reduce_scatter_block by a kernel.
bool reduction_over_nodes(Dispatch& dispatch, const MpiCall& call, const Elements& elements,
                          bool has_gaps);

/// Dense blocks of a call that moves them: all of them in the order of ranks, or one. In place, the
/// input is a part of the output, or the other way round.
struct MovedOverNodes {
  std::byte* input;
  std::byte* output;
  std::size_t block_bytes;
};
/// Whether gather, scatter, allgather or alltoall is composed; if not, it is counted as fallen
/// back.
bool may_move_over_nodes(Dispatch& dispatch, std::size_t block_bytes);
void move_over_nodes(Dispatch& dispatch, const MovedOverNodes& blocks);

/// By the program's operators, or of the program's types.
bool refuse_over_nodes(Dispatch& dispatch);

}  // namespace terrace::preload
