// SPDX-License-Identifier: BSD-3-Clause
// Corners of what MPI allows, one by name, each of which has once gone wrong.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "situation.h"

enum { kMostRanks = 8, kCount = 3, kMost = kMostRanks * kCount };

/// What a rank gives, and has room for what it gets; `columns` has room for both, in turn.
static int given[kMost], got[kMost], columns[2 * kMost];

/// A call's arguments for one buffer, whose blocks have kCount numbers.
typedef struct {
  void* at;
  MPI_Datatype type;
  int count;                                   // in a block
  int counts[kMostRanks], places[kMostRanks];  // of each block, in extents
  int bytes[kMostRanks];                       // where it begins
  MPI_Datatype types[kMostRanks];
} Side;

static Side side_of(void* at, MPI_Datatype type, int count) {
  Side side = {at, type, count, {0}, {0}, {0}, {0}};
  MPI_Aint lower, extent;
  MPI_Type_get_extent(type, &lower, &extent);
  for (int i = 0; i < size; ++i) {
    side.counts[i] = count;
    side.places[i] = i * count;
    side.bytes[i] = i * count * (int)extent;
    side.types[i] = type;
  }
  return side;
}

/// kCount numbers, `stride` apart from `first` on, as one element of a row.
static MPI_Datatype row_of(MPI_Aint first, int stride) {
  int ones[kCount];
  MPI_Aint places[kCount];
  MPI_Datatype numbers, row;
  for (int i = 0; i < kCount; ++i) {
    ones[i] = 1;
    places[i] = first + i * stride * (int)sizeof(int);
  }
  MPI_Type_create_hindexed(kCount, ones, places, MPI_INT, &numbers);
  MPI_Type_create_resized(numbers, 0, kCount * stride * (int)sizeof(int), &row);
  MPI_Type_commit(&row);
  MPI_Type_free(&numbers);
  return row;
}

static void refill(void) {
  for (int i = 0; i < kMost; ++i) {
    given[i] = columns[2 * i] = rank * 1000 + i;
    got[i] = columns[2 * i + 1] = -1;
  }
}

/// Whether block i is rank i's: its first, or, of an alltoall, the one for this rank.
static void expect_blocks(int blocks, int is_for_each, const int* numbers, int stride) {
  for (int i = 0; i < blocks; ++i)
    for (int k = 0; k < kCount; ++k)
      EXPECT(numbers[(i * kCount + k) * stride] ==
             i * 1000 + (is_for_each ? rank * kCount : 0) + k);
}

/// All calls that move blocks; what comes is looked for in `numbers`.
static void move_blocks(const Side* in, const Side* out, const int* numbers, int stride) {
  const MPI_Comm world = MPI_COMM_WORLD;
  refill();
  MPI_Alltoall(in->at, in->count, in->type, out->at, out->count, out->type, world);
  expect_blocks(size, 1, numbers, stride), refill();
  MPI_Alltoallv(in->at, in->counts, in->places, in->type, out->at, out->counts, out->places,
                out->type, world);
  expect_blocks(size, 1, numbers, stride), refill();
  MPI_Alltoallw(in->at, in->counts, in->bytes, in->types, out->at, out->counts, out->bytes,
                out->types, world);
  expect_blocks(size, 1, numbers, stride), refill();
  MPI_Allgather(in->at, in->count, in->type, out->at, out->count, out->type, world);
  expect_blocks(size, 0, numbers, stride), refill();
  MPI_Allgatherv(in->at, in->count, in->type, out->at, out->counts, out->places, out->type, world);
  expect_blocks(size, 0, numbers, stride), refill();
  for (int root = 0; root < size; ++root) {
    const int blocks = rank == root ? size : 0;
    MPI_Gather(in->at, in->count, in->type, out->at, out->count, out->type, root, world);
    expect_blocks(blocks, 0, numbers, stride), refill();
    MPI_Gatherv(in->at, in->count, in->type, out->at, out->counts, out->places, out->type, root,
                world);
    expect_blocks(blocks, 0, numbers, stride), refill();
    MPI_Scatter(in->at, in->count, in->type, out->at, out->count, out->type, root, world);
    for (int k = 0; k < kCount; ++k) EXPECT(numbers[k * stride] == root * 1000 + rank * kCount + k);
    refill();
    MPI_Scatterv(in->at, in->counts, in->places, in->type, out->at, out->count, out->type, root,
                 world);
    for (int k = 0; k < kCount; ++k) EXPECT(numbers[k * stride] == root * 1000 + rank * kCount + k);
    refill();
  }
}

/// Both buffers at MPI_BOTTOM, or both at one address and their elements between each other's:
/// at all ranks, then at rank 0 alone, whose peers have other buffers.
static void same_addresses(void) {
  MPI_Aint given_at, got_at;
  MPI_Get_address(given, &given_at);
  MPI_Get_address(got, &got_at);
  MPI_Datatype types[4] = {row_of(given_at, 1), row_of(got_at, 1), row_of(0, 2),
                           row_of(sizeof(int), 2)};
  const Side in = side_of(given, MPI_INT, kCount), out = side_of(got, MPI_INT, kCount);
  use(MPI_COMM_WORLD);
  for (int ranks = size; ranks > 0; ranks = ranks > 1 ? 1 : 0) {
    Side from = side_of(MPI_BOTTOM, types[0], 1), to = side_of(MPI_BOTTOM, types[1], 1);
    if (rank < ranks)
      move_blocks(&from, &to, got, 1);
    else
      move_blocks(&in, &out, got, 1);
    from = side_of(columns, types[2], 1), to = side_of(columns, types[3], 1);
    if (rank < ranks)
      move_blocks(&from, &to, columns + 1, 2);
    else
      move_blocks(&in, &out, got, 1);
  }
  for (int i = 0; i < 4; ++i) MPI_Type_free(&types[i]);
}

static int heard, heard_elsewhere;
static void hear(MPI_Comm* comm, int* code, ...) {
  (void)comm, (void)code;
  ++heard;
}
static void hear_elsewhere(MPI_Comm* comm, int* code, ...) {
  (void)comm, (void)code;
  ++heard_elsewhere;
}

/// As the MPI says it, and to whom: to the handler of the call's communicator, and no other.
#define EXPECT_AS_BELOW(NAME, ...)                                  \
  do {                                                              \
    heard = heard_elsewhere = 0;                                    \
    const int error = class_of(P##NAME(__VA_ARGS__)), once = heard; \
    heard = heard_elsewhere = 0;                                    \
    EXPECT(class_of(NAME(__VA_ARGS__)) == error && heard == once);  \
    EXPECT(heard_elsewhere == 0);                                   \
  } while (0)

static int class_of(int error) {
  int class = error;
  MPI_Error_class(error, &class);
  return class;
}

/// Types that cannot be communicated.
static void wrong_types(void) {
  MPI_Comm own;
  MPI_Errhandler handlers[2];
  MPI_Datatype uncommitted, nulls[kMostRanks];
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  use(own);
  MPI_Comm_create_errhandler(hear, &handlers[0]);
  MPI_Comm_create_errhandler(hear_elsewhere, &handlers[1]);
  MPI_Comm_set_errhandler(own, handlers[0]);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handlers[1]);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handlers[1]);
  MPI_Type_contiguous(kCount, MPI_INT, &uncommitted);
  const Side in = side_of(given, MPI_INT, 1), out = side_of(got, MPI_INT, 1);
  for (int i = 0; i < size; ++i) nulls[i] = MPI_DATATYPE_NULL;
  const MPI_Datatype wrong[2] = {MPI_DATATYPE_NULL, uncommitted};
  for (int i = 0; i < 2; ++i) {
    EXPECT_AS_BELOW(MPI_Bcast, given, 1, wrong[i], 0, own);
    EXPECT_AS_BELOW(MPI_Allgather, given, 1, wrong[i], got, 1, wrong[i], own);
    EXPECT_AS_BELOW(MPI_Gather, given, 1, wrong[i], got, 1, wrong[i], 0, own);
    EXPECT_AS_BELOW(MPI_Alltoall, given, 1, wrong[i], got, 1, wrong[i], own);
    EXPECT_AS_BELOW(MPI_Alltoallv, given, in.counts, in.places, wrong[i], got, out.counts,
                    out.places, wrong[i], own);
  }
  EXPECT_AS_BELOW(MPI_Alltoallw, given, in.counts, in.bytes, nulls, got, out.counts, out.bytes,
                  nulls, own);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  use(own);
  for (int i = 0; i < 2; ++i) MPI_Errhandler_free(&handlers[i]);
  MPI_Type_free(&uncommitted);
  MPI_Comm_free(&own);
}

/// Calls that the MPI refuses at first, when it runs them itself, are always refused, also where
/// the call before was alike; those that it takes are computed.
static void equal_buffers(void) {
  MPI_Comm own;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);  // which Open MPI's allreduce asks
  const int all = size * (size - 1) / 2;
  int first[4] = {0};
  for (int round = 0; round < 60; ++round)
    for (int count = 1; count <= 2; ++count) {
      int x[2] = {rank, rank}, y[2] = {rank, rank};
      const int seen[2] = {
          class_of(MPI_Allreduce(x, x, count, MPI_INT, MPI_SUM, own)),
#ifdef MPICH_VERSION  // Open MPI takes MPI_IN_PLACE for an address
          class_of(MPI_Exscan(y, MPI_IN_PLACE, count, MPI_INT, MPI_SUM, own)),
#endif
      };
      EXPECT(seen[0] != MPI_SUCCESS || x[count - 1] == all);
      for (int call = 0; call < 2; ++call) {
        int* const expected = &first[2 * call + count - 1];
        if (round == 0) *expected = seen[call];
        EXPECT(seen[call] == *expected);
      }
      MPI_Allreduce(MPI_IN_PLACE, y, count, MPI_INT, MPI_SUM, own);
      EXPECT(y[count - 1] == all);
      // The common way to reduce in place: others give a receive buffer that is not looked at.
      MPI_Reduce(rank == 0 ? MPI_IN_PLACE : y, y, count, MPI_INT, MPI_SUM, 0, own);
      EXPECT(y[count - 1] == (rank == 0 ? size * all : all));
    }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_free(&own);
}

static const struct situation corners[] = {
    {"equal_buffers", equal_buffers},
    {"wrong_types", wrong_types},
    {"same_addresses", same_addresses},
};

int main(int argc, char** argv) {
  return PLAY(argc, argv, corners);
}
