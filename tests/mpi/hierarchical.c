// SPDX-License-Identifier: BSD-3-Clause
// Collectives by levels (terrace/hierarchical.h) under a real MPI on a pretended machine: from and
// to each root, the same as the MPI's own; and what section 6 of the paper counts.
//
//   hierarchical SITUATION...
#include "terrace/hierarchical.h"

#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define COUNT 5
#define MOST_RANKS 64

static int failures = 0;
static int own, ranks;
static MPIX_Hierarchy* hierarchy;

static void expect(int holds, const char* what, int number) {
  if (holds || ++failures > 5) return;
  printf("rank %d: %s (%d)\n", own, what, number);
}

static void broadcasts(void) {
  for (int root = 0; root < ranks; ++root) {
    int values[COUNT];
    for (int i = 0; i < COUNT; ++i) values[i] = own == root ? 100 * root + i : -1;
    MPIX_Hbcast(values, COUNT, MPI_INT, root, hierarchy);
    for (int i = 0; i < COUNT; ++i) expect(values[i] == 100 * root + i, "bcast, root", root);
  }
}

/// 2x2 matrices: their product depends on the order.
static void multiply(void* in, void* inout, int* length, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *length; ++i) {
    const unsigned* a = (const unsigned*)in + 4 * i;
    unsigned* b = (unsigned*)inout + 4 * i;
    const unsigned c[4] = {a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3],
                           a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3]};
    memcpy(b, c, sizeof c);
  }
}

static void ordered_reductions(void) {
  MPI_Op product;
  MPI_Datatype matrix;
  MPI_Op_create(multiply, 0, &product);
  MPI_Type_contiguous(4, MPI_UNSIGNED, &matrix);
  MPI_Type_commit(&matrix);
  const unsigned mine[4] = {1u + (unsigned)own, 2, 3, 5u + (unsigned)own};
  unsigned found[4] = {0}, right[4] = {0};
  MPIX_Hreduce(mine, found, 1, matrix, product, ranks - 1, hierarchy);
  MPI_Reduce(mine, right, 1, matrix, product, ranks - 1, MPI_COMM_WORLD);
  expect(memcmp(found, right, sizeof right) == 0, "an ordered reduction", 0);
  MPI_Type_free(&matrix);
  MPI_Op_free(&product);
}

static void reductions(void) {
  for (int root = 0; root < ranks; ++root) {
    int mine[COUNT], sums[COUNT], in_place[COUNT];
    for (int i = 0; i < COUNT; ++i) mine[i] = in_place[i] = (own + 1) * (i + 1), sums[i] = -1;
    const int sum = ranks * (ranks + 1) / 2;
    MPIX_Hreduce(mine, sums, COUNT, MPI_INT, MPI_SUM, root, hierarchy);
    for (int i = 0; i < COUNT; ++i) {
      expect(sums[i] == (own == root ? sum * (i + 1) : -1), "reduce, root", root);
      expect(mine[i] == (own + 1) * (i + 1), "reduce wrote an input, root", root);
    }
    MPIX_Hreduce(own == root ? MPI_IN_PLACE : in_place, own == root ? in_place : NULL, COUNT,
                 MPI_INT, MPI_SUM, root, hierarchy);
    for (int i = 0; i < COUNT && own == root; ++i)
      expect(in_place[i] == sum * (i + 1), "reduce in place, root", root);
  }
  ordered_reductions();
}

/// Every other element at the senders, all of them at the root.
static void gathers(void) {
  MPI_Datatype spread;
  MPI_Type_vector(COUNT, 1, 2, MPI_INT, &spread);
  MPI_Type_commit(&spread);
  for (int root = 0; root < ranks; ++root) {
    int mine[2 * COUNT], all[COUNT * MOST_RANKS];
    for (int i = 0; i < 2 * COUNT; ++i) mine[i] = i % 2 ? -1 : 100 * own + i / 2;
    for (int i = 0; i < COUNT * ranks; ++i)
      all[i] = own == root && i / COUNT == own ? 100 * own + i % COUNT : -1;
    const int is_in_place = root % 2 && own == root;
    MPIX_Hgather(is_in_place ? MPI_IN_PLACE : mine, 1, spread, all, COUNT, MPI_INT, root,
                 hierarchy);
    for (int i = 0; i < COUNT * ranks && own == root; ++i)
      expect(all[i] == 100 * (i / COUNT) + i % COUNT, "gather, root", root);
  }
  MPI_Type_free(&spread);
}

/// Nothing to send, and so nowhere to send it from.
static void empty_gathers(void) {
  int untouched = 7;
  MPI_Datatype nothing;
  MPI_Type_contiguous(0, MPI_INT, &nothing);
  MPI_Type_commit(&nothing);
  for (int root = 0; root < ranks; ++root) {
    const int error = MPIX_Hgather(NULL, 0, MPI_INT, NULL, 0, MPI_INT, root, hierarchy);
    expect(error == MPI_SUCCESS, "a gather of nothing, root", root);
    MPIX_Hgather(&untouched, 3, nothing, own == root ? &untouched : NULL, 3, nothing, root,
                 hierarchy);
    expect(untouched == 7, "a gather of empty types, root", root);
  }
  MPI_Type_free(&nothing);
}

/// A block of more than 2 GiB in one element or in three, in its place already.
static void long_gathers(void) {
  MPIX_Hierarchy* alone;
  MPI_Datatype gib, long_type;
  char never_read = 0;
  MPI_Type_contiguous(1 << 30, MPI_CHAR, &gib);
  MPI_Type_contiguous(4, gib, &long_type);
  MPI_Type_commit(&gib);
  MPI_Type_commit(&long_type);
  MPIX_Hierarchy_create(MPI_COMM_SELF, MPI_INFO_NULL, &alone);
  int error = MPIX_Hgather(MPI_IN_PLACE, 0, MPI_CHAR, &never_read, 3, gib, 0, alone);
  expect(error == MPI_SUCCESS, "a gather of 3 GiB", error);
  error = MPIX_Hgather(MPI_IN_PLACE, 0, MPI_CHAR, &never_read, 1, long_type, 0, alone);
  expect(error == MPI_SUCCESS, "a gather of 4 GiB", error);
  MPIX_Hierarchy_free(&alone);
  MPI_Type_free(&gib);
  MPI_Type_free(&long_type);
}

/// Section 6: a flat tree sends p - 1 messages, one after the other, each of which takes 1 here.
/// Clocks travel with the messages.
static int flat_tree(MPI_Comm comm, int root, void* state) {
  int* const clock = (int*)state;
  int rank, size;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  if (rank != root) {
    int sent;
    MPI_Recv(&sent, 1, MPI_INT, root, 0, comm, MPI_STATUS_IGNORE);
    if (sent > *clock) *clock = sent;
    return MPI_SUCCESS;
  }
  for (int to = 0; to < size; ++to) {
    if (to == root) continue;
    ++*clock;
    MPI_Send(clock, 1, MPI_INT, to, 0, comm);
  }
  return MPI_SUCCESS;
}

static void flat_trees(void) {
  for (int root = 0; root < ranks; ++root) {
    int flat = 0, levels = 0, last = 0;
    flat_tree(MPI_COMM_WORLD, root, &flat);
    MPI_Allreduce(&flat, &last, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    expect(last == 7, "the flat tree's time is not 7", last);
    MPIX_Hierarchy_downwards(hierarchy, root, flat_tree, &levels);
    MPI_Allreduce(&levels, &last, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    /* Other roots than rank 0 climb first, and their messages pass by more ranks. */
    expect(root == 0 ? last == 3 : last < 7, "the time by levels is not 3", last);
  }
}

static void wrong_roots(void) {
  int value = 0;
  MPI_Comm_set_errhandler(hierarchy->all, MPI_ERRORS_RETURN);
  const int error = MPIX_Hbcast(&value, 1, MPI_INT, ranks, hierarchy);
  int class_of_error = MPI_SUCCESS;
  MPI_Error_class(error, &class_of_error);
  expect(class_of_error == MPI_ERR_ROOT, "a root that is not there", class_of_error);
}

typedef struct Situation {
  const char* name;
  void (*run)(void);
} Situation;

static const Situation situations[] = {
    {"broadcasts", broadcasts},       {"reductions", reductions},     {"gathers", gathers},
    {"empty_gathers", empty_gathers}, {"long_gathers", long_gathers}, {"flat_trees", flat_trees},
    {"wrong_roots", wrong_roots}};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &own);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  int found = 0;
  if (MPIX_Hierarchy_create(MPI_COMM_WORLD, MPI_INFO_NULL, &hierarchy)) return 1;
  for (int i = 1; i < argc; ++i)
    for (size_t k = 0; k < sizeof situations / sizeof *situations; ++k)
      if (strcmp(argv[i], situations[k].name) == 0) ++found, situations[k].run();
  expect(found == argc - 1 && found > 0, "no such situation", found);
  MPIX_Hierarchy_free(&hierarchy);
  expect(hierarchy == NULL, "not freed", 0);
  int all = 0;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (own == 0) printf("all right %d\n", all);
  MPI_Finalize();
  return all > 0;
}
