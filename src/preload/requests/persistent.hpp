// SPDX-License-Identifier: BSD-3-Clause
// Initializes persistent collectives: their lane, their plan and their buffers are found once, for
// all starts. No rank waits for another.
#pragma once

#include "preload/mpi/calls.hpp"

namespace terrace::preload {

// True: initialized, and `request` is the program's. False: the caller falls back to the next
// library in the chain.
bool initialize_barrier(const MpiCall& call, Handle& request);
bool initialize_bcast(const MpiCall& call, Handle& request);
/// Reduce, allreduce, reduce_scatter_block, scan, exscan.
bool initialize_reduction(Collective collective, const MpiCall& call, Handle& request);
/// Allgather, gather, scatter, alltoall.
bool initialize_exchange(Collective collective, const RegularExchange& call, Handle& request);
/// Allgatherv, gatherv, scatterv, alltoallv, alltoallw. What is pointed to is read now.
bool initialize_vector_exchange(Collective collective, const VectorExchange& call, Handle& request);
/// `counts`: one per rank, likewise.
bool initialize_reduce_scatter(const MpiCall& call, const MpiCounts& counts, Handle& request);
bool initialize_neighbour_exchange(Collective collective, const ExchangeAlongEdges& call,
                                   Handle& request);

}  // namespace terrace::preload
