// SPDX-License-Identifier: BSD-3-Clause
// Exchanges of blocks that are mostly like the last one of their kind, and now and then differ in
// one argument: count, type, root, or in place. Each call has values and buffers of its own, and
// nonsense where an argument means nothing on a rank. C and C++ without globals: ranks may be
// threads.
#pragma once
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kAllgather, kAlltoall, kGather, kScatter, kKindsOfExchange };
enum { kLongs, kPairsOfInts, kSpread, kTypesOfBlocks };

/// A call at a rank. Ranks differ in `rank` alone.
struct ExchangeCall {
  int rank, ranks, kind, number;
  int count, root, in_place, given_as, wanted_as;  // `count`: of longs in a block
  MPI_Datatype spread;                             // a long, and a gap as long as it
};

/// What rank `from` gives rank `to`, or all, as element i.
static inline long exchanged_value(const struct ExchangeCall* call, int from, int to, int i) {
  const int gives_all = call->kind == kAlltoall || call->kind == kScatter;
  return ((call->number * 10L + from) * 10 + (gives_all ? to : 0)) * 100 + i;
}

static inline int exchanged_count(const struct ExchangeCall* call, int as) {
  return as == kPairsOfInts ? 2 * call->count : call->count;
}

static inline MPI_Datatype exchanged_type(const struct ExchangeCall* call, int as) {
  return as == kLongs ? MPI_LONG : as == kPairsOfInts ? MPI_INT : call->spread;
}

static inline long* exchanged_cell(const struct ExchangeCall* call, long* cells, int as, int block,
                                   int i) {
  return cells + (block * call->count + i) * (as == kSpread ? 2 : 1);
}

/// How many of the values that came are wrong.
static inline int wrong_values(const struct ExchangeCall* call, long* wanted) {
  const int blocks = call->kind == kScatter ? 1 : call->ranks;
  int wrong = 0;
  for (int block = 0; block < blocks; ++block)
    for (int i = 0; i < call->count; ++i) {
      const int from = call->kind == kScatter ? call->root : block;
      const long right = exchanged_value(call, from, call->rank, i);
      const long got = *exchanged_cell(call, wanted, call->wanted_as, block, i);
      if (got != right && wrong++ == 0)
        fprintf(stderr, "wrong: call %d of kind %d, at rank %d, from %d: %ld, not %ld\n",
                call->number, call->kind, call->rank, from, got, right);
    }
  return wrong;
}

/// Makes the call. How many values are wrong at this rank.
static inline int wrong_in_exchange(const struct ExchangeCall* call) {
  const int kind = call->kind, root = call->root, n = call->count;
  const int has_given = kind != kScatter || call->rank == root;
  const int has_wanted = kind != kGather || call->rank == root;
  const int in_place = call->in_place && (kind == kAllgather || call->rank == root);
  const size_t cells = 2 * (size_t)n * (size_t)call->ranks;
  long* const given = (long*)calloc(cells, sizeof(long));
  long* const wanted = (long*)calloc(cells, sizeof(long));
  for (int to = 0; to < call->ranks; ++to)
    for (int i = 0; i < n; ++i)
      *exchanged_cell(call, given, call->given_as, to, i) =
          exchanged_value(call, call->rank, to, i);
  for (int i = 0; in_place && i < n; ++i)
    *exchanged_cell(call, wanted, call->wanted_as, call->rank, i) =
        exchanged_value(call, call->rank, call->rank, i);
  const void* const out = in_place && kind != kScatter ? MPI_IN_PLACE : given;
  void* const in = in_place && kind == kScatter ? MPI_IN_PLACE : wanted;
  const int out_count = has_given ? exchanged_count(call, call->given_as) : -1;
  const int in_count = has_wanted ? exchanged_count(call, call->wanted_as) : -1;
  const MPI_Datatype out_type =
      has_given ? exchanged_type(call, call->given_as) : MPI_DATATYPE_NULL;
  const MPI_Datatype in_type =
      has_wanted ? exchanged_type(call, call->wanted_as) : MPI_DATATYPE_NULL;
  if (kind == kAllgather)
    MPI_Allgather(out, out_count, out_type, in, in_count, in_type, MPI_COMM_WORLD);
  else if (kind == kAlltoall)
    MPI_Alltoall(out, out_count, out_type, in, in_count, in_type, MPI_COMM_WORLD);
  else if (kind == kGather)
    MPI_Gather(out, out_count, out_type, in, in_count, in_type, root, MPI_COMM_WORLD);
  else
    MPI_Scatter(out, out_count, out_type, in, in_count, in_type, root, MPI_COMM_WORLD);
  const int wrong = has_wanted && in == wanted ? wrong_values(call, wanted) : 0;
  free(given);
  free(wanted);
  return wrong;
}

/// The same numbers on each rank.
static inline int next_below(unsigned long* random, int end) {
  *random = *random * 6364136223846793005ul + 1442695040888963407ul;
  return (int)(*random >> 33) % end;
}

/// Makes so many exchanges of each kind. How many values are wrong at this rank.
static inline int wrong_in_repeated_exchanges(int calls) {
  unsigned long random = 1;
  int wrong = 0;
  struct ExchangeCall call;
  MPI_Comm_rank(MPI_COMM_WORLD, &call.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &call.ranks);
  for (call.kind = 0; call.kind < kKindsOfExchange; ++call.kind) {
    MPI_Type_create_resized(MPI_LONG, 0, 2 * sizeof(long), &call.spread);
    MPI_Type_commit(&call.spread);
    call.count = 1, call.root = call.in_place = call.given_as = call.wanted_as = 0;
    for (call.number = 0; call.number < calls; ++call.number) {
      const int what = next_below(&random, 20);  // mostly nothing
      if (what == 0) call.count = 1 + next_below(&random, 20);
      if (what == 1) call.root = next_below(&random, call.ranks);
      if (what == 2) call.in_place = call.kind != kAlltoall && next_below(&random, 3) == 0;
      if (what == 3) call.given_as = next_below(&random, kTypesOfBlocks);
      if (what == 4) call.wanted_as = next_below(&random, kTypesOfBlocks);
      wrong += wrong_in_exchange(&call);
    }
    MPI_Type_free(&call.spread);
  }
  return wrong;
}
