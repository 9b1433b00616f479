/* SPDX-License-Identifier: BSD-3-Clause
 * Blocks that are longer than their taker wants, where errors are returned: the taker gets
 * MPI_ERR_TRUNCATE, what is beyond its buffer stays as it is, all other blocks come, and the
 * communicator goes on. The last rank gives rank 0 more than that wants; of a scatterv rank 0, the
 * root, gives the last rank more. Then blocks with gaps that are shorter than wanted: the rest of
 * them stays as it is. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kMost = 5000, kMostRanks = 8, kUntouched = -7 };

static int rank, size, wrong;
static int from[kMostRanks * kMost], to[kMostRanks * kMost];
static int given[kMostRanks], wanted[kMostRanks], places[kMostRanks], bytes[kMostRanks];
static MPI_Datatype types[kMostRanks];

static void expect(int holds, const char* call, const char* what, int count) {
  if (holds) return;
  printf("wrong: rank %d, %s of %d: %s\n", rank, call, count, what);
  ++wrong;
}

/* Block `number` of `to`: `count` values of its giver, then nothing new. */
static void expect_block(int number, int giver, int count, const char* call, int whole) {
  for (int i = 0; i < kMost; ++i) {
    const int value = to[number * kMost + i];
    if (value != (i < count ? giver + 1 : kUntouched)) {
      expect(0, call, "a block is not as it should be", whole);
      return;
    }
  }
}

static void expect_error(int error, int is_mine, const char* call, int count) {
  int class = MPI_SUCCESS;
  if (error != MPI_SUCCESS) MPI_Error_class(error, &class);
  if (is_mine)
    expect(class == MPI_ERR_TRUNCATE, call, "it does not return MPI_ERR_TRUNCATE", count);
  else
    expect(error == MPI_SUCCESS, call, "it returns an error", count);
}

static void reset(void) {
  for (int i = 0; i < kMostRanks * kMost; ++i) from[i] = rank + 1, to[i] = kUntouched;
}

static void try_lengths(int count) {
  const int last = size - 1, less = count / 2;
  for (int i = 0; i < size; ++i)
    given[i] = wanted[i] = count, places[i] = i * kMost, types[i] = MPI_INT,
    bytes[i] = places[i] * (int)sizeof(int);

  reset();
  if (rank == 0) wanted[last] = less;
  expect_error(MPI_Gatherv(from, count, MPI_INT, to, wanted, places, MPI_INT, 0, MPI_COMM_WORLD),
               rank == 0, "gatherv", count);
  for (int i = 0; rank == 0 && i < last; ++i) expect_block(i, i, count, "gatherv", count);
  for (int i = less; rank == 0 && i < kMost; ++i)
    expect(to[last * kMost + i] == kUntouched, "gatherv", "more came than fits", count);

  reset();
  expect_error(
      MPI_Alltoallv(from, given, places, MPI_INT, to, wanted, places, MPI_INT, MPI_COMM_WORLD),
      rank == 0, "alltoallv", count);
  for (int i = 0; i < size - (rank == 0); ++i) expect_block(i, i, count, "alltoallv", count);

  reset();
  expect_error(MPI_Alltoallw(from, given, bytes, types, to, wanted, bytes, types, MPI_COMM_WORLD),
               rank == 0, "alltoallw", count);
  for (int i = 0; i < size - (rank == 0); ++i) expect_block(i, i, count, "alltoallw", count);

  reset();
  expect_error(MPI_Scatterv(from, given, places, MPI_INT, to, rank == last ? less : count, MPI_INT,
                            0, MPI_COMM_WORLD),
               rank == last, "scatterv", count);
  if (rank != last) expect_block(0, 0, count, "scatterv", count);
  for (int i = less; rank == last && i < kMost; ++i)
    expect(to[i] == kUntouched, "scatterv", "more came than fits", count);
}

/* Every other int of a block. */
static void try_gaps(int count) {
  MPI_Datatype spread;
  MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &spread);
  MPI_Type_commit(&spread);
  const int last = size - 1;
  for (int i = 0; i < size; ++i) given[i] = wanted[i] = count, places[i] = i * kMost / 2;
  reset();
  MPI_Gatherv(from, rank == last ? count / 2 : count, MPI_INT, to, wanted, places, spread, 0,
              MPI_COMM_WORLD);
  for (int i = 0; rank == 0 && i < kMost; ++i) {
    const int is_value = i % 2 == 0 && i / 2 < count / 2;
    expect(to[last * kMost + i] == (is_value ? last + 1 : kUntouched), "gatherv with gaps",
           "what did not come has changed", count);
  }
  MPI_Type_free(&spread);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size < 2 || size > kMostRanks) return 2;
  for (int i = 0; i < 20; ++i) MPI_Barrier(MPI_COMM_WORLD);
  if (argc == 1) MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int counts[] = {4, 600, kMost};
  for (int i = 0; i < 3; ++i) try_lengths(counts[i]);
  for (int i = 0; i < 3; ++i) try_gaps(counts[i] / 2);
  int all = 0;
  MPI_Allreduce(&wrong, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0 && all == 0) printf("all right %d\n", rank);
  MPI_Finalize();
  return all != 0;
}
