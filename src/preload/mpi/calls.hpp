// SPDX-License-Identifier: BSD-3-Clause
// The collectives as the adapters pass them in: each runs on a team or falls back to the MPI.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "collectives/collectives.hpp"
#include "mpi_calls/counts.hpp"
#include "preload/mpi/underlying_mpi.hpp"

namespace terrace::preload {

/// The user's arguments. `input` is null where the call has none; a bcast's buffer is `output`.
struct MpiCall {
  Handle communicator = 0;
  const void* input = nullptr;
  void* output = nullptr;
  std::int64_t count = 0;
  Handle type = 0;
  Handle op = 0;
  int root = 0;
};

/// A buffer of an exchange: one block, or one for each rank.
struct UserBlocks {
  void* buffer = nullptr;  ///< never written if it is an input
  std::int64_t count = 0;  ///< of elements in a block
  Handle type = 0;

  UserBlocks(const void* user_buffer, std::int64_t user_count, Handle user_type)
      : buffer(const_cast<void*>(user_buffer)), count(user_count), type(user_type) {}
};

/// The user's arguments of a call that moves blocks.
struct RegularExchange {
  Handle communicator = 0;
  UserBlocks input;
  UserBlocks output;
  int root = 0;
};

/// A buffer of a v-collective, whose blocks differ in length: one block, or one for each rank, or
/// for each neighbour.
struct VectorBlocks {
  void* buffer = nullptr;  ///< never written if it is an input
  MpiCounts counts;
  MpiCounts displacements;  ///< in extents of the type, or in bytes if there are several types
  Handle type = 0;
  std::function<Handle(std::size_t)> types;  ///< if each block has its own
};

struct VectorExchange {
  Handle communicator = 0;
  VectorBlocks input;
  VectorBlocks output;
  int root = 0;
};

/// A neighbourhood collective: neighbour_allgather (which neighbour_allgatherv is, too) or
/// neighbour_alltoall.
struct ExchangeAlongEdges {
  Handle communicator = 0;
  bool is_regular = true;  ///< all blocks have one length, or are those of an allgatherv
  VectorBlocks input;
  VectorBlocks output;
};

// True: done. False: the caller falls back to the next library in the chain.
bool run_barrier(const MpiCall& call);
bool run_bcast(const MpiCall& call);
/// Reduce, allreduce, reduce_scatter_block, scan, exscan.
bool run_reduction(Collective collective, const MpiCall& call);
/// Allgather, gather, scatter, alltoall.
bool run_exchange(Collective collective, const RegularExchange& call);
/// Allgatherv, gatherv, scatterv, alltoallv, alltoallw. Returns the call's error code in the
/// MPI's numbers, or nothing if the caller is to fall back to the MPI.
std::optional<int> run_vector_exchange(Collective collective, const VectorExchange& call);
/// Returns as above.
std::optional<int> run_neighbour_exchange(Collective collective, const ExchangeAlongEdges& call);
/// Ignores the call's own count.
bool run_reduce_scatter(const MpiCall& call, const MpiCounts& counts);

}  // namespace terrace::preload
