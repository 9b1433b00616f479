// SPDX-License-Identifier: BSD-3-Clause
// Calls over several nodes that move blocks of one length.
#pragma once

#include <cstddef>

#include "preload/dispatch/call_parts.hpp"

namespace terrace::preload {

/// Dense blocks of a call that moves them: all of them in the order of ranks, or one. In place, the
/// input is a part of the output, or the other way round.
struct MovedOverNodes {
  std::byte* input;
  std::byte* output;
  std::size_t block_bytes;
};

/// All nodes have a rank in the root's place.
void gather_parts(CallParts& parts, Rank root, const MovedOverNodes& of);
void scatter_parts(CallParts& parts, Rank root, const MovedOverNodes& of);
/// Uses buffers 0 and 1 of the call.
void allgather_parts(CallParts& parts, const MovedOverNodes& of);
/// All nodes have as many ranks. Uses buffers 0 and 1 of the call.
void alltoall_parts(CallParts& parts, const MovedOverNodes& of);

}  // namespace terrace::preload
