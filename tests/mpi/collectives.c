// SPDX-License-Identifier: BSD-3-Clause
// The four collectives over types, operators, sizes and roots, in place or not, on communicators
// of several shapes; results are compared with what each rank computes by itself.
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "by_node.h"

enum { kSum, kProd, kMin, kMax, kLand, kLor, kLxor, kBand, kBor, kBxor, kOps };
static const char* const op_names[kOps] = {"sum", "prod", "min",  "max", "land",
                                           "lor", "lxor", "band", "bor", "bxor"};
static int failures = 0;

static void fail(const char* what, const char* type, int op, int count, int root, int rank) {
  if (failures++ < 5)
    fprintf(stderr, "wrong: %s of %d %s, %s, root %d, at rank %d\n", what, count, type,
            op < 0 ? "-" : op_names[op], root, rank);
}

// Small whole numbers: sums and products of a few ranks are exact in every type, and zeros occur.
static int value(int rank, int i, int op) {
  const unsigned h = (unsigned)rank * 2654435761u + (unsigned)i * 40503u + (unsigned)op * 97u;
  return op == kProd ? (int)(h >> 7 & 1) + 1 : (int)(h >> 5 & 7);
}

#define COMBINE(T, a, b, op)                 \
  ((op) == kSum    ? (T)((a) + (b))          \
   : (op) == kProd ? (T)((a) * (b))          \
   : (op) == kMin  ? ((b) < (a) ? (b) : (a)) \
   : (op) == kMax  ? ((b) > (a) ? (b) : (a)) \
   : (op) == kLand ? (T)((a) && (b))         \
   : (op) == kLor  ? (T)((a) || (b))         \
                   : (T)(!(a) != !(b)))
#define COMBINE_BITS(T, a, b, op) \
  ((op) == kBand ? (T)((a) & (b)) : (op) == kBor ? (T)((a) | (b)) : (T)((a) ^ (b)))
#define COMBINE_INTEGER(T, a, b, op) \
  ((op) < kBand ? COMBINE(T, a, b, op) : COMBINE_BITS(T, a, b, op))

// check_T(comm, count, op): allreduce and reduce of T, in place and not, at one root.
#define DEFINE_CHECK(NAME, T, MPI_T, COMBINED)                                                \
  static void check_##NAME(MPI_Comm comm, int count, int op, MPI_Op mpi_op, int root) {       \
    int rank, size, i, r;                                                                     \
    MPI_Comm_rank(comm, &rank);                                                               \
    MPI_Comm_size(comm, &size);                                                               \
    T* in = malloc(((size_t)count + 1) * sizeof(T));                                          \
    T* out = malloc(((size_t)count + 1) * sizeof(T));                                         \
    T* right = malloc(((size_t)count + 1) * sizeof(T));                                       \
    const size_t bytes = (size_t)count * sizeof(T);                                           \
    for (i = 0; i < count; ++i) {                                                             \
      in[i] = (T)value(rank, i, op);                                                          \
      T all = (T)value(0, i, op);                                                             \
      for (r = 1; r < size; ++r) {                                                            \
        const T next = (T)value(r, i, op);                                                    \
        all = COMBINED(T, all, next, op);                                                     \
      }                                                                                       \
      right[i] = all;                                                                         \
    }                                                                                         \
    memset(out, 0x5a, bytes + sizeof(T));                                                     \
    MPI_Allreduce(in, out, count, MPI_T, mpi_op, comm);                                       \
    if (memcmp(out, right, bytes)) fail("allreduce", #T, op, count, 0, rank);                 \
    memcpy(out, in, bytes);                                                                   \
    MPI_Allreduce(MPI_IN_PLACE, out, count, MPI_T, mpi_op, comm);                             \
    if (memcmp(out, right, bytes)) fail("allreduce in place", #T, op, count, 0, rank);        \
    memset(out, 0x5a, bytes + sizeof(T));                                                     \
    MPI_Reduce(in, rank == root ? out : NULL, count, MPI_T, mpi_op, root, comm);              \
    if (rank == root && memcmp(out, right, bytes)) fail("reduce", #T, op, count, root, rank); \
    memcpy(out, in, bytes);                                                                   \
    MPI_Reduce(rank == root ? MPI_IN_PLACE : in, out, count, MPI_T, mpi_op, root, comm);      \
    if (rank == root && memcmp(out, right, bytes))                                            \
      fail("reduce in place", #T, op, count, root, rank);                                     \
    if (rank != root && memcmp(out, in, bytes))                                               \
      fail("reduce wrote where it must not", #T, op, count, root, rank);                      \
    if (((unsigned char*)out)[bytes] != 0x5a)                                                 \
      fail("a call wrote beyond", #T, op, count, root, rank);                                 \
    free(in), free(out), free(right);                                                         \
  }

DEFINE_CHECK(int8, int8_t, MPI_INT8_T, COMBINE_INTEGER)
DEFINE_CHECK(int16, int16_t, MPI_INT16_T, COMBINE_INTEGER)
DEFINE_CHECK(int32, int32_t, MPI_INT32_T, COMBINE_INTEGER)
DEFINE_CHECK(int64, int64_t, MPI_INT64_T, COMBINE_INTEGER)
DEFINE_CHECK(uint8, uint8_t, MPI_UINT8_T, COMBINE_INTEGER)
DEFINE_CHECK(uint16, uint16_t, MPI_UINT16_T, COMBINE_INTEGER)
DEFINE_CHECK(uint32, uint32_t, MPI_UINT32_T, COMBINE_INTEGER)
DEFINE_CHECK(uint64, uint64_t, MPI_UINT64_T, COMBINE_INTEGER)
DEFINE_CHECK(schar, signed char, MPI_SIGNED_CHAR, COMBINE_INTEGER)
DEFINE_CHECK(shorts, short, MPI_SHORT, COMBINE_INTEGER)
DEFINE_CHECK(ints, int, MPI_INT, COMBINE_INTEGER)
DEFINE_CHECK(longs, long, MPI_LONG, COMBINE_INTEGER)
DEFINE_CHECK(longlongs, long long, MPI_LONG_LONG, COMBINE_INTEGER)
DEFINE_CHECK(uchar, unsigned char, MPI_UNSIGNED_CHAR, COMBINE_INTEGER)
DEFINE_CHECK(ushorts, unsigned short, MPI_UNSIGNED_SHORT, COMBINE_INTEGER)
DEFINE_CHECK(uints, unsigned, MPI_UNSIGNED, COMBINE_INTEGER)
DEFINE_CHECK(ulongs, unsigned long, MPI_UNSIGNED_LONG, COMBINE_INTEGER)
DEFINE_CHECK(ulonglongs, unsigned long long, MPI_UNSIGNED_LONG_LONG, COMBINE_INTEGER)
DEFINE_CHECK(aint, MPI_Aint, MPI_AINT, COMBINE_INTEGER)
DEFINE_CHECK(floats, float, MPI_FLOAT, COMBINE)
DEFINE_CHECK(doubles, double, MPI_DOUBLE, COMBINE)

typedef void (*Check)(MPI_Comm, int, int, MPI_Op, int);
static const struct {
  Check check;
  int ops;
} kinds[] = {
    {check_int8, kOps},      {check_int16, kOps},      {check_int32, kOps},
    {check_int64, kOps},     {check_uint8, kOps},      {check_uint16, kOps},
    {check_uint32, kOps},    {check_uint64, kOps},     {check_schar, kOps},
    {check_shorts, kOps},    {check_ints, kOps},       {check_longs, kOps},
    {check_longlongs, kOps}, {check_uchar, kOps},      {check_ushorts, kOps},
    {check_uints, kOps},     {check_ulongs, kOps},     {check_ulonglongs, kOps},
    {check_aint, kMax + 1},  {check_floats, kMax + 1}, {check_doubles, kMax + 1},
};

static void check_bcast(MPI_Comm comm, int bytes, int root) {
  int rank, i;
  MPI_Comm_rank(comm, &rank);
  unsigned char* buffer = malloc((size_t)bytes + 1);
  for (i = 0; i < bytes; ++i) buffer[i] = rank == root ? (unsigned char)(i * 7 + root + 1) : 0xee;
  buffer[bytes] = 0x77;
  MPI_Bcast(buffer, bytes, MPI_BYTE, root, comm);
  for (i = 0; i < bytes && buffer[i] == (unsigned char)(i * 7 + root + 1); ++i) {
  }
  if (i < bytes) fail("bcast", "byte", -1, bytes, root, rank);
  if (buffer[bytes] != 0x77) fail("bcast wrote beyond", "byte", -1, bytes, root, rank);
  free(buffer);
}

static void check_types(MPI_Comm comm) {
  const MPI_Op ops[kOps] = {MPI_SUM, MPI_PROD, MPI_MIN,  MPI_MAX, MPI_LAND,
                            MPI_LOR, MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR};
  int size, step = 0;
  MPI_Comm_size(comm, &size);
  for (size_t kind = 0; kind < sizeof kinds / sizeof kinds[0]; ++kind)
    for (int op = 0; op < kinds[kind].ops; ++op)
      for (int count = 0; count <= 700; count = count < 2 ? count + 1 : count * 7 - 1)
        kinds[kind].check(comm, count, op, ops[op], step++ % size);
}

static void check_sizes(MPI_Comm comm, int least_count, int most_bytes) {
  int size, root;
  MPI_Comm_size(comm, &size);
  for (int count = least_count; (size_t)count * sizeof(double) <= (size_t)most_bytes;
       count = count * 5 + 3)
    for (root = 0; root < size; ++root) {
      check_doubles(comm, count, kSum, MPI_SUM, root);
      check_int32(comm, count, kMax, MPI_MAX, root);
    }
  for (root = 0; root < size; ++root) {
    for (int bytes = 0; bytes <= most_bytes; bytes = bytes < 2 ? bytes + 1 : bytes * 3 - 1)
      check_bcast(comm, bytes, root);
    check_bcast(comm, most_bytes, root);
    MPI_Barrier(comm);
  }
}

static void check_all(MPI_Comm comm, int most_bytes) {
  check_types(comm);
  check_sizes(comm, 1000, most_bytes);
}

static void check_orders_and_halves(int rank, int size) {
  MPI_Comm half, backwards;
  MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &backwards);
  check_all(backwards, 5000);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  check_all(half, 5000);
  MPI_Comm_free(&half);
  MPI_Comm_free(&backwards);
}

static void check_nodes(const char* ranks_per_node, int most_bytes) {
  MPI_Comm node = split_by_node(ranks_per_node);
  check_sizes(MPI_COMM_WORLD, 1, most_bytes);
  if (node == MPI_COMM_NULL) {
    ++failures;
    return;
  }
  check_all(node, most_bytes);
  MPI_Comm_free(&node);
}

int main(int argc, char** argv) {
  int rank, size, all = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int most_bytes = argc > 1 ? atoi(argv[1]) : 4 << 20;
  if (argc > 2) {
    check_nodes(argv[2], most_bytes);
  } else {
    check_all(MPI_COMM_WORLD, most_bytes);
    check_orders_and_halves(rank, size);
  }
  PMPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf(all ? "%d results are wrong\n" : "all right %d\n", all);
  MPI_Finalize();
  return all != 0;
}
