// SPDX-License-Identifier: BSD-3-Clause
// Sums that round must have the bits of the documented order, from the first call on: runs of up to
// 8 neighbours, as even as possible, from their lowest rank to their highest, then the runs; scans
// from rank 0 up. That order is written out here. A number that all results make is printed, by
// which two runs are compared. "reproducible pending": 20 nonblocking sums and a blocking one.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMost = 9000 };
static int failures = 0, rank, size;

static double element(int of_rank, int i) {
  return 1.0 / (of_rank * 37 % 23 + i % 101 + 2);
}

static double sum(double a, double b) {
  return a + b;
}
static double product(double a, double b) {
  return a * b;
}
static double mean(double a, double b) {
  return (a + b) / 2;
}

static void take_means(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i)
    ((double*)inout)[i] = mean(((double*)in)[i], ((double*)inout)[i]);
}

static double of_ranks(double (*combine)(double, double), int first, int last, int i) {
  double all = element(first, i);
  for (int r = first + 1; r < last; ++r) all = combine(all, element(r, i));
  return all;
}

static double of_all(double (*combine)(double, double), int i) {
  const int runs = (size + 7) / 8;
  double all = of_ranks(combine, 0, size / runs, i);
  for (int run = 1; run < runs; ++run)
    all = combine(all, of_ranks(combine, size * run / runs, size * (run + 1) / runs, i));
  return all;
}

static unsigned long long bits = 14695981039346656037u;

static void compare(const char* what, const double* got, const double* right, int count) {
  for (size_t i = 0; i < (size_t)count * sizeof *got; ++i)
    bits = (bits ^ ((const unsigned char*)got)[i]) * 1099511628211u;
  if (memcmp(got, right, (size_t)count * sizeof *got) != 0 && failures++ < 3)
    fprintf(stderr, "other bits: %s of %d at rank %d\n", what, count, rank);
}

static void check(MPI_Op op, double (*combine)(double, double), int count, int root) {
  static double in[kMost], out[kMost], right[kMost];
  for (int i = 0; i < count; ++i) {
    in[i] = element(rank, i);
    right[i] = of_all(combine, i);
  }
  MPI_Allreduce(in, out, count, MPI_DOUBLE, op, MPI_COMM_WORLD);
  compare("allreduce", out, right, count);
  MPI_Reduce(in, out, count, MPI_DOUBLE, op, root, MPI_COMM_WORLD);
  if (rank == root) compare("reduce", out, right, count);
  MPI_Allreduce(MPI_IN_PLACE, in, count, MPI_DOUBLE, op, MPI_COMM_WORLD);
  compare("allreduce in place", in, right, count);
}

static void check_parts(MPI_Op op, double (*combine)(double, double), int count) {
  static double in[kMost], out[kMost], right[kMost];
  for (int i = 0; i < count * size; ++i) in[i] = element(rank, i);
  for (int i = 0; i < count; ++i) right[i] = of_all(combine, rank * count + i);
  MPI_Reduce_scatter_block(in, out, count, MPI_DOUBLE, op, MPI_COMM_WORLD);
  compare("reduce_scatter_block", out, right, count);
  for (int i = 0; i < count; ++i) right[i] = of_ranks(combine, 0, rank + 1, i);
  MPI_Scan(in, out, count, MPI_DOUBLE, op, MPI_COMM_WORLD);
  compare("scan", out, right, count);
  for (int i = 0; i < count && rank > 0; ++i) right[i] = of_ranks(combine, 0, rank, i);
  MPI_Exscan(in, out, count, MPI_DOUBLE, op, MPI_COMM_WORLD);
  if (rank > 0) compare("exscan", out, right, count);
}

static void add_pending(void) {
  static double in[kMost], out[kMost];
  for (int call = 0; call < 20; ++call) {
    MPI_Request request;
    for (int i = 0; i < kMost; ++i) in[i] = rank + i + call;
    MPI_Iallreduce(in, out, kMost, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < kMost; ++i)
      failures += out[i] != size * (size - 1) / 2 + (double)size * (i + call);
  }
  MPI_Allreduce(in, out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  static const int counts[] = {1, 3, 100, kMost / 4, kMost};
  int all = 0;
  MPI_Op means;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Op_create(take_means, 1, &means);
  if (argc > 1) add_pending();
  for (int i = 0; i < 5 && argc < 2; ++i) {
    check(MPI_SUM, sum, counts[i], (i + 1) % size);
    check(MPI_PROD, product, counts[i], (i + 2) % size);
    check(means, mean, counts[i], i % size);
    if (counts[i] * size > kMost) continue;
    check_parts(MPI_SUM, sum, counts[i]);
    check_parts(means, mean, counts[i]);
  }
  MPI_Op_free(&means);
  PMPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("bits %llx\n", bits);
  if (rank == 0) printf(all ? "%d results are wrong\n" : "all right %d\n", all);
  MPI_Finalize();
  return all != 0;
}
