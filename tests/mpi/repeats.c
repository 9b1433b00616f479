// SPDX-License-Identifier: BSD-3-Clause
// Exchanges of blocks that are mostly like the last one of their kind, and now and then differ in
// one argument: count, type, root, or in place. Each call has values and buffers of its own, and
// nonsense where an argument means nothing on a rank.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kAllgather, kAlltoall, kGather, kScatter, kKinds };
enum { kLongs, kPairsOfInts, kSpread, kTypes };
enum { kMost = 20, kMostRanks = 8, kCells = 2 * kMost * kMostRanks, kCalls = 2000 };

static int rank, size, failures = 0;
static MPI_Datatype spread;  // a long, and a gap as long as it

static struct { int count, root, in_place, given_as, wanted_as; } shape;

static unsigned long state = 1;
static int any(int end) {
  state = state * 6364136223846793005ul + 1442695040888963407ul;
  return (int)(state >> 33) % end;
}

static long value(int call, int from, int to, int i) {
  return ((call * 10L + from) * 10 + to) * 100 + i;
}

static int count_as(int type) {
  return type == kPairsOfInts ? 2 * shape.count : shape.count;
}

static MPI_Datatype type_as(int type) {
  return type == kLongs ? MPI_LONG : type == kPairsOfInts ? MPI_INT : spread;
}

static long* cell(long* cells, int type, int i) {
  return cells + (type == kSpread ? 2 * i : i);
}

static void exchange(int kind, int call) {
  const int gives_all = kind == kAlltoall || kind == kScatter, n = shape.count;
  const int has_given = kind != kScatter || rank == shape.root;
  const int has_wanted = kind != kGather || rank == shape.root;
  long* const given = calloc(kCells, sizeof(long));
  long* const wanted = calloc(kCells, sizeof(long));
  for (int to = 0; to < size; ++to)
    for (int i = 0; i < n; ++i)
      *cell(given, shape.given_as, to * n + i) = value(call, rank, gives_all ? to : 0, i);
  void *out = given, *in = wanted;
  if (shape.in_place && (kind == kAllgather || rank == shape.root)) {
    if (kind == kScatter) {
      in = MPI_IN_PLACE;
    } else {
      out = MPI_IN_PLACE;
      for (int i = 0; i < n; ++i)
        *cell(wanted, shape.wanted_as, rank * n + i) = value(call, rank, 0, i);
    }
  }
  const int out_count = has_given ? count_as(shape.given_as) : -1;
  const int in_count = has_wanted ? count_as(shape.wanted_as) : -1;
  const MPI_Datatype out_type = has_given ? type_as(shape.given_as) : MPI_DATATYPE_NULL;
  const MPI_Datatype in_type = has_wanted ? type_as(shape.wanted_as) : MPI_DATATYPE_NULL;
  if (kind == kAllgather)
    MPI_Allgather(out, out_count, out_type, in, in_count, in_type, MPI_COMM_WORLD);
  else if (kind == kAlltoall)
    MPI_Alltoall(out, out_count, out_type, in, in_count, in_type, MPI_COMM_WORLD);
  else if (kind == kGather)
    MPI_Gather(out, out_count, out_type, in, in_count, in_type, shape.root, MPI_COMM_WORLD);
  else
    MPI_Scatter(out, out_count, out_type, in, in_count, in_type, shape.root, MPI_COMM_WORLD);
  for (int from = 0; has_wanted && in != MPI_IN_PLACE && from < (kind == kScatter ? 1 : size);
       ++from)
    for (int i = 0; i < n; ++i) {
      const int source = kind == kScatter ? shape.root : from;
      const long right = value(call, source, gives_all ? rank : 0, i);
      const long got = *cell(wanted, shape.wanted_as, from * n + i);
      if (got != right && failures++ < 10)
        fprintf(stderr, "wrong: call %d of kind %d, at rank %d, from %d: %ld, not %ld\n", call,
                kind, rank, source, got, right);
    }
  free(given), free(wanted);
}

int main(int argc, char** argv) {
  int all = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Type_create_resized(MPI_LONG, 0, 2 * sizeof(long), &spread);
  MPI_Type_commit(&spread);
  for (int kind = 0; kind < kKinds; ++kind) {
    shape.count = 1, shape.root = shape.in_place = shape.given_as = shape.wanted_as = 0;
    for (int call = 0; call < kCalls; ++call) {
      const int what = any(20);  // mostly nothing
      if (what == 0) shape.count = 1 + any(kMost);
      if (what == 1) shape.root = any(size);
      if (what == 2) shape.in_place = kind != kAlltoall && any(3) == 0;
      if (what == 3) shape.given_as = any(kTypes);
      if (what == 4) shape.wanted_as = any(kTypes);
      exchange(kind, call);
    }
  }
  MPI_Type_free(&spread);
  PMPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf(all ? "%d results are wrong\n" : "all right %d\n", all);
  MPI_Finalize();
  return all != 0;
}
