// SPDX-License-Identifier: BSD-3-Clause
// Starts nonblocking collectives on the lanes of their communicator's team, or leaves them to the
// MPI: as all ranks decide alike.
#pragma once

#include "preload/mpi/calls.hpp"

namespace terrace::preload {

// True: started, and `*request` is the program's. False: the caller falls back to the next library
// in the chain.
bool start_barrier(const MpiCall& call, Handle& request);
bool start_bcast(const MpiCall& call, Handle& request);
/// Reduce, allreduce, reduce_scatter_block, scan, exscan.
bool start_reduction(Collective collective, const MpiCall& call, Handle& request);
/// Allgather, gather, scatter, alltoall.
bool start_exchange(Collective collective, const RegularExchange& call, Handle& request);

/// Allgatherv, gatherv, scatterv, alltoallv, alltoallw.
bool start_vector_exchange(Collective collective, const VectorExchange& call, Handle& request);
bool start_neighbour_exchange(Collective collective, const ExchangeAlongEdges& call,
                              Handle& request);
/// Ignores the call's own count.
bool start_reduce_scatter(const MpiCall& call, const MpiCounts& counts, Handle& request);

// Starts a call like the last one in its lane as that was prepared. False: nothing has happened.
bool start_again(Collective collective, const MpiCall& call, Handle& request);
bool start_again(Collective collective, const RegularExchange& call, Handle& request);

}  // namespace terrace::preload
