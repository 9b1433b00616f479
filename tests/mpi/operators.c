// SPDX-License-Identifier: BSD-3-Clause
// Operators and types of the program's: reduce and allreduce must give what the ranks' order gives,
// in every layout, whatever becomes of handles. Operators multiply matrices, where the order shows.
#include <mpi.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "situation.h"

static int calls = 0;

enum { kEntries = 4, kMost = 7000 };
typedef struct {
  uint16_t of[kEntries];  // 2 by 2, by rows
} Matrix;

// Where the entries of an element lie, in units of uint16_t, and how far elements are apart.
typedef struct {
  const char* name;
  int at[kEntries];
  int extent;
} Shape;
static const Shape shapes[] = {
    {"contiguous", {0, 1, 2, 3}, 4},
    {"permuted", {3, 0, 2, 1}, 4},
    {"strided", {0, 2, 4, 6}, 8},
    {"struct with gaps", {0, 1, 4, 7}, 10},
    {"before its address", {-3, 0, 1, 2}, 6},
    {"interleaved", {0, 8, 16, 24}, 1},
    {"backwards", {0, 1, 2, 3}, -5},
};
enum { kShapes = sizeof shapes / sizeof shapes[0] };

static MPI_Datatype type_of(const Shape* shape) {
  MPI_Datatype places, type;
  int ones[kEntries] = {1, 1, 1, 1};
  MPI_Aint bytes[kEntries];
  for (int i = 0; i < kEntries; ++i) bytes[i] = 2 * shape->at[i];
  MPI_Type_create_hindexed(kEntries, ones, bytes, MPI_UINT16_T, &places);
  MPI_Type_create_resized(places, 2 * (shape->at[0] < 0 ? shape->at[0] : 0), 2 * shape->extent,
                          &type);
  MPI_Type_commit(&type);
  MPI_Type_free(&places);
  return type;
}

static const Shape* current = shapes;
static MPI_Datatype expected_type;

static uint16_t* entry(void* elements, int element, int i) {
  return (uint16_t*)elements + (ptrdiff_t)element * current->extent + current->at[i];
}
static Matrix get(void* elements, int element) {
  Matrix m;
  for (int i = 0; i < kEntries; ++i) m.of[i] = *entry(elements, element, i);
  return m;
}
static void put(void* elements, int element, Matrix m) {
  for (int i = 0; i < kEntries; ++i) *entry(elements, element, i) = m.of[i];
}

static Matrix product(Matrix x, Matrix y) {
  Matrix m;
  for (int i = 0; i < kEntries; ++i)
    m.of[i] = (uint16_t)((unsigned)x.of[i / 2 * 2] * y.of[i % 2] +
                         (unsigned)x.of[i / 2 * 2 + 1] * y.of[i % 2 + 2]);
  return m;
}
static Matrix sum(Matrix x, Matrix y) {
  for (int i = 0; i < kEntries; ++i) x.of[i] = (uint16_t)(x.of[i] + y.of[i]);
  return x;
}

static void multiply(void* in, void* inout, int* count, MPI_Datatype* type) {
  EXPECT(*type == expected_type);
  for (int i = 0; i < *count; ++i) put(inout, i, product(get(in, i), get(inout, i)));
}
static void add(void* in, void* inout, int* count, MPI_Datatype* type) {
  EXPECT(*type == expected_type);
  for (int i = 0; i < *count; ++i) put(inout, i, sum(get(in, i), get(inout, i)));
}
static void add_slowly(void* in, void* inout, int* count, MPI_Datatype* type) {
  if (rank == size - 1) usleep(2000);
  add(in, inout, count, type);
}

static Matrix element(int of_rank, int i) {
  const unsigned x = (unsigned)(of_rank * 7919 + i * 31);
  const Matrix m = {{(uint16_t)x, (uint16_t)(x + 1), (uint16_t)(x * x), 3}};
  return m;
}

// A buffer with room before and after; what no element has must stay as it is.
static uint16_t* new_buffer(int count, uint16_t** memory, size_t* length) {
  const size_t reach = (size_t)count * (size_t)abs(current->extent) + 64;
  *length = 2 * reach;
  *memory = malloc(*length * sizeof **memory);
  for (size_t i = 0; i < *length; ++i) (*memory)[i] = (uint16_t)(i * 13 + 7);
  return *memory + reach;
}

static void check(const char* what, const uint16_t* memory, size_t length, int count,
                  Matrix (*combine)(Matrix, Matrix), int has_result) {
  uint16_t *other_memory, *other;
  size_t other_length;
  other = new_buffer(count, &other_memory, &other_length);
  for (int i = 0; i < count; ++i) {
    Matrix m = element(0, i);
    for (int r = 1; r < size; ++r) m = combine(m, element(r, i));
    put(other, i, has_result ? m : element(rank, i));
  }
  if (memcmp(memory, other_memory, length * sizeof *memory) != 0 && failures++ < 5)
    fprintf(stderr, "wrong: %s of %d, %s, at rank %d\n", what, count, current->name, rank);
  free(other_memory);
}

static void reduce_all_ways(MPI_Op op, Matrix (*combine)(Matrix, Matrix), MPI_Datatype type,
                            int count, MPI_Comm comm) {
  uint16_t *in_memory, *out_memory;
  size_t length;
  uint16_t* in = new_buffer(count, &in_memory, &length);
  uint16_t* out = new_buffer(count, &out_memory, &length);
  expected_type = type;
  for (int i = 0; i < count; ++i) put(in, i, element(rank, i));
  MPI_Allreduce(in, out, count, type, op, comm);
  check("allreduce", out_memory, length, count, combine, 1);
  for (int i = 0; i < count; ++i) put(out, i, element(rank, i));
  MPI_Allreduce(MPI_IN_PLACE, out, count, type, op, comm);
  check("allreduce in place", out_memory, length, count, combine, 1);
  const int root = calls / 2 % size;
  for (int i = 0; i < count; ++i) put(out, i, element(rank, i));
  MPI_Reduce(in, rank == root ? out : NULL, count, type, op, root, comm);
  check("reduce", out_memory, length, count, combine, rank == root);
  for (int i = 0; i < count; ++i) put(out, i, element(rank, i));
  MPI_Reduce(rank == root ? MPI_IN_PLACE : out, out, count, type, op, root, comm);
  check("reduce in place", out_memory, length, count, combine, rank == root);
  check("the input", in_memory, length, count, combine, 0);
  calls += 2;
  free(in_memory), free(out_memory);
}

static void layouts(MPI_Comm comm) {
  static const int counts[] = {1, 2, 50, kMost};
  MPI_Op times, plus;
  MPI_Op_create(multiply, 0, &times);
  MPI_Op_create(add, 1, &plus);
  for (int s = 0; s < kShapes; ++s) {
    current = &shapes[s];
    MPI_Datatype type = type_of(current);
    for (int i = 0; i < 4; ++i) {
      // Elements between each other's entries meet if there are many.
      const int count = shapes[s].extent == 1 && counts[i] > 8 ? 8 : counts[i];
      reduce_all_ways(times, product, type, count, comm);
      reduce_all_ways(plus, sum, type, count, comm);
    }
    MPI_Type_free(&type);
  }
  MPI_Op_free(&times), MPI_Op_free(&plus);
}

// Handles come again for operators and types that are others.
static void handles(MPI_Comm comm) {
  for (int round = 0; round < 30; ++round) {
    MPI_Op op;
    current = &shapes[round % 4];
    MPI_Datatype type = type_of(current);
    MPI_Op_create(round % 3 ? multiply : add, round % 3 == 0, &op);
    reduce_all_ways(op, round % 3 ? product : sum, type, 1 + round % 5 * 20, comm);
    MPI_Type_free(&type), MPI_Op_free(&op);
  }
}

static void slow_operator(MPI_Comm comm) {
  MPI_Op op;
  current = shapes;
  MPI_Datatype type = type_of(current);
  MPI_Op_create(add_slowly, 1, &op);
  for (int round = 0; round < 5; ++round) reduce_all_ways(op, sum, type, 3, comm);
  MPI_Type_free(&type), MPI_Op_free(&op);
}

// What the MPI does not combine is its own to refuse, by the communicator's error handler.
static void refusals(MPI_Comm comm) {
  MPI_Comm own;
  uint16_t in[16] = {0}, out[16] = {0};
  MPI_Comm_dup(comm, &own);
  MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
  current = &shapes[2];
  MPI_Datatype type = type_of(current);
  for (int round = 0; round < 6; ++round) {
    EXPECT(MPI_Allreduce(in, out, 1, type, MPI_SUM, own) != MPI_SUCCESS);
    EXPECT(MPI_Allreduce(in, out, 1, MPI_INT, MPI_OP_NULL, own) != MPI_SUCCESS);
    MPI_Barrier(own);
  }
  MPI_Type_free(&type);
  MPI_Comm_free(&own);
}

int main(int argc, char** argv) {
  MPI_Comm backwards;
  MPI_Init(&argc, &argv);
  begin();
  for (int i = 0; i < 3; ++i) MPI_Barrier(MPI_COMM_WORLD);
  layouts(MPI_COMM_WORLD);
  handles(MPI_COMM_WORLD);
  slow_operator(MPI_COMM_WORLD);
  refusals(MPI_COMM_WORLD);
  MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &backwards);
  rank = size - 1 - rank;
  for (int i = 0; i < 20; ++i) MPI_Barrier(backwards);
  layouts(backwards);
  MPI_Comm_free(&backwards);
  rank = size - 1 - rank;
  if (rank == 0) printf("%d calls of each collective\n", calls);
  const int wrong = sum_up();
  MPI_Finalize();
  return wrong != 0;
}
