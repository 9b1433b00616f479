// SPDX-License-Identifier: BSD-3-Clause
// The calls of fortran_body.f90, made from C: for jobs in which some ranks are Fortran programs.
#include <mpi.h>
#include <stdio.h>

enum { kCount = 30 };
static int rank, ranks, failures;

static void expect_all(const double* got, double right) {
  for (int i = 0; i < kCount; ++i) failures += got[i] != right;
}

static int use_freed(MPI_Comm comm, int key, void* attached, void* extra) {
  (void)key, (void)attached, (void)extra;
  for (int i = 0; i < 6; ++i) {
    int one = 1, total = 0;
    MPI_Allreduce(&one, &total, 1, MPI_INTEGER, MPI_SUM, comm);
    failures += total != ranks;
  }
  MPI_Barrier(comm);
  return MPI_SUCCESS;
}

static void call_collectives(int number) {
  double given[kCount], got[kCount];
  for (int i = 0; i < kCount; ++i) given[i] = rank + number;
  MPI_Allreduce(given, got, kCount, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD);
  expect_all(got, ranks * (ranks - 1) / 2 + ranks * number);
  MPI_Allreduce(MPI_IN_PLACE, given, kCount, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD);
  expect_all(given, ranks - 1 + number);
  const int root = number % ranks;
  int word = rank;
  MPI_Bcast(&word, 1, MPI_INTEGER, root, MPI_COMM_WORLD);
  failures += word != root;
  word = rank + 1;
  if (rank == root) {
    MPI_Reduce(MPI_IN_PLACE, &word, 1, MPI_INTEGER, MPI_SUM, root, MPI_COMM_WORLD);
    failures += word != ranks * (ranks + 1) / 2;
  } else {
    MPI_Reduce(&word, NULL, 1, MPI_INTEGER, MPI_SUM, root, MPI_COMM_WORLD);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

/// Maps x -> a x + b, one after the other.
static void compose(void* in, void* inout, int* count, MPI_Datatype* type) {
  const double* first = in;
  double* second = inout;
  (void)type;
  for (int i = 0; i < 2 * *count; i += 2) {
    second[i + 1] = first[i] * second[i + 1] + first[i + 1];
    second[i] *= first[i];
  }
}

static void reduce_by_operator(int number) {
  enum { kMaps = 20 };
  double maps[2 * kMaps], whole[2 * kMaps], a = 1, b = 0;
  MPI_Op op;
  MPI_Op_create(compose, 0, &op);
  for (int i = 0; i < 2 * kMaps; i += 2)
    maps[i] = 1 + (rank + number) % 2, maps[i + 1] = rank + number;
  MPI_Allreduce(maps, whole, kMaps, MPI_DOUBLE_COMPLEX, op, MPI_COMM_WORLD);
  for (int r = 0; r < ranks; ++r) b += a * (r + number), a *= 1 + (r + number) % 2;
  for (int i = 0; i < 2 * kMaps; i += 2) failures += whole[i] != a || whole[i + 1] != b;
  MPI_Op_free(&op);
}

static void call_uneven_collectives(int root) {
  enum { kMost = 64 };
  int numbers[kMost], places[kMost], ones[kMost], in_turn[kMost], bytes[kMost], row[kMost],
      column[kMost], own[kMost], all[kMost * kMost];
  MPI_Datatype types[kMost];
  for (int i = 0; i < ranks; ++i) {
    numbers[i] = i + 1, places[i] = i * (i + 1) / 2, ones[i] = 1, in_turn[i] = i;
    bytes[i] = 4 * i, types[i] = MPI_INTEGER, row[i] = 1;
  }
  for (int i = 0; i <= rank; ++i) own[i] = rank;
  MPI_Allgatherv(own, rank + 1, MPI_INTEGER, all, numbers, places, MPI_INTEGER, MPI_COMM_WORLD);
  MPI_Scatterv(all, numbers, places, MPI_INTEGER, own, rank + 1, MPI_INTEGER, root, MPI_COMM_WORLD);
  for (int i = 0; i <= rank; ++i) failures += own[i] != rank;
  MPI_Gatherv(own, rank + 1, MPI_INTEGER, all, numbers, places, MPI_INTEGER, root, MPI_COMM_WORLD);
  MPI_Alltoallv(row, ones, in_turn, MPI_INTEGER, column, ones, in_turn, MPI_INTEGER,
                MPI_COMM_WORLD);
  for (int i = 0; i < ranks; ++i) row[i] = 100 * rank + i;
  MPI_Alltoallw(row, ones, bytes, types, column, ones, bytes, types, MPI_COMM_WORLD);
  for (int i = 0; i < ranks; ++i) failures += column[i] != 100 * i + rank;
  MPI_Reduce_scatter(all, own, numbers, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD);
  for (int i = 0; i <= rank; ++i) failures += own[i] != rank;
}

static void call_collectives_with_blocks(int number) {
  enum { kMost = 64 };
  int row[kMost], column[kMost], word = rank + number, total;
  const int root = number % ranks;
  MPI_Allgather(&word, 1, MPI_INTEGER, row, 1, MPI_INTEGER, MPI_COMM_WORLD);
  column[rank] = word;
  MPI_Allgather(MPI_IN_PLACE, 0, MPI_INTEGER, column, 1, MPI_INTEGER, MPI_COMM_WORLD);
  for (int i = 0; i < ranks; ++i) failures += row[i] != i + number || column[i] != row[i];
  for (int i = 0; i < ranks; ++i) row[i] = 100 * rank + i;
  MPI_Alltoall(row, 1, MPI_INTEGER, column, 1, MPI_INTEGER, MPI_COMM_WORLD);
  for (int i = 0; i < ranks; ++i) failures += column[i] != 100 * i + rank;
  MPI_Scatter(row, 1, MPI_INTEGER, &word, 1, MPI_INTEGER, root, MPI_COMM_WORLD);
  failures += word != 100 * root + rank;
  MPI_Gather(&word, 1, MPI_INTEGER, column, 1, MPI_INTEGER, root, MPI_COMM_WORLD);
  MPI_Reduce_scatter_block(row, &word, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD);
  failures += word != 50 * ranks * (ranks - 1) + ranks * rank;
  word = rank + 1;
  MPI_Scan(MPI_IN_PLACE, &word, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD);
  failures += word != (rank + 1) * (rank + 2) / 2;
  word = rank + 1, total = 0;
  MPI_Exscan(&word, &total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD);
  failures += total != rank * (rank + 1) / 2;
  call_uneven_collectives(root);
}

static void probe_after_barrier(int number) {
  int is_found, word = number;
  for (int peer = 1; rank == 0 && peer < ranks; ++peer)
    MPI_Send(&word, 1, MPI_INTEGER, peer, 3, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) return;
  MPI_Iprobe(0, 3, MPI_COMM_WORLD, &is_found, MPI_STATUS_IGNORE);
  MPI_Recv(&word, 1, MPI_INTEGER, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  failures += !is_found || word != number;
}

static void free_communicator(int number, int key) {
  MPI_Comm own;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  if (rank % 2 == 0) MPI_Comm_set_attr(own, key, NULL);
  for (int i = 0; i < 6; ++i) {
    int sum = 0;
    MPI_Allreduce(&rank, &sum, 1, MPI_INTEGER, MPI_SUM, own);
    failures += sum != ranks * (ranks - 1) / 2;
  }
  if (rank % 2 == 1) MPI_Comm_set_attr(own, key, NULL);
  if (number < 4)
    MPI_Comm_free(&own);
  else
    MPI_Comm_disconnect(&own);
}

static void split_by_process_set(void) {
  MPI_Info info;
  MPI_Comm own = MPI_COMM_NULL;
  int size = 1;
  MPI_Info_create(&info);
  MPI_Info_set(info, "mpi_pset_name", "mpi://SELF");
  MPI_Comm_split_type(MPI_COMM_WORLD, rank == 0 ? MPI_UNDEFINED : 7304, 0, info, &own);
  failures += (own == MPI_COMM_NULL) != (rank == 0);
  if (own != MPI_COMM_NULL) MPI_Comm_size(own, &size);
  failures += size != 1;
  if (own != MPI_COMM_NULL) MPI_Comm_free(&own);
  MPI_Info_free(&info);
}

int main(int argc, char** argv) {
  int key;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  for (int number = 1; number <= 60; ++number) call_collectives(number);
  for (int number = 1; number <= 6; ++number) reduce_by_operator(number);
  for (int number = 1; number <= 60; ++number) call_collectives_with_blocks(number);
  for (int number = 1; number <= 6; ++number) probe_after_barrier(number);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, use_freed, &key, NULL);
  for (int number = 1; number <= 6; ++number) free_communicator(number, key);
  split_by_process_set();
  if (rank == 0 && failures == 0) printf("all right 0\n");
  if (failures != 0) printf("wrong results: %d\n", failures);
  MPI_Finalize();
  return failures != 0;
}
