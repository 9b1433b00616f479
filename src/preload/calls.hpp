// SPDX-License-Identifier: BSD-3-Clause
// The calls, as the adapters hand them in: run on a team, or to be handed on.
#pragma once

#include <cstdint>

#include "collectives/collectives.hpp"
#include "preload/below.hpp"

namespace terrace::preload {

/// The user's arguments. `input` is null where the call has none; a bcast's buffer is `output`.
struct Call {
  Handle communicator = 0;
  const void* input = nullptr;
  void* output = nullptr;
  std::int64_t count = 0;
  Handle type = 0;
  Handle op = 0;
  int root = 0;
};

/// One of the two buffers of an exchange: a block, or one for each rank.
struct UserBlocks {
  void* buffer = nullptr;  ///< of an input, never written
  std::int64_t count = 0;  ///< of elements in a block
  Handle type = 0;

  UserBlocks(const void* user_buffer, std::int64_t user_count, Handle user_type)
      : buffer(const_cast<void*>(user_buffer)), count(user_count), type(user_type) {}
};

/// The user's arguments of a call that moves blocks.
struct Exchange {
  Handle communicator = 0;
  UserBlocks input;
  UserBlocks output;
  int root = 0;
};

// True: done. False: the caller hands the call to the next in the chain.
bool run_barrier(const Call& call);
bool run_bcast(const Call& call);
/// Reduce, allreduce, reduce_scatter_block, scan, exscan.
bool run_reduction(Collective collective, const Call& call);
/// Allgather, gather, scatter, alltoall.
bool run_exchange(Collective collective, const Exchange& call);

}  // namespace terrace::preload
