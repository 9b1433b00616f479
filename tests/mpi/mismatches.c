/* SPDX-License-Identifier: BSD-3-Clause
 * Calls that do not match: the last rank's differs from its peers' in one thing.
 *
 * mismatches CALL DIFFERENCE COUNT AFTER. CALL: a collective. DIFFERENCE: nothing, collective,
 * root, size, operator, type. COUNT: doubles of a vector or block. AFTER: what comes next, barrier,
 * free or finalize. What is wrong shows in CALL or there; "nobody noticed" is printed where it does
 * not, and "a wrong value" where CALL gives one to a rank to which one contributed that makes
 * another call.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMostRanks = 16 };

static int rank, size, count, root;
static MPI_Comm world;
static MPI_Op op = MPI_SUM;
static MPI_Datatype type = MPI_DOUBLE;
static double *from, *to;
static int counts[kMostRanks], places[kMostRanks];
static MPI_Datatype types[kMostRanks];

static void barrier(void) {
  MPI_Barrier(world);
}
static void bcast(void) {
  MPI_Bcast(to, count, type, root, world);
}
static void reduce(void) {
  MPI_Reduce(from, to, count, type, op, root, world);
}
static void allreduce(void) {
  MPI_Allreduce(from, to, count, type, op, world);
}
static void allgather(void) {
  MPI_Allgather(from, count, type, to, count, type, world);
}
static void gather(void) {
  MPI_Gather(from, count, type, to, count, type, root, world);
}
static void scatter(void) {
  MPI_Scatter(from, count, type, to, count, type, root, world);
}
static void alltoall(void) {
  MPI_Alltoall(from, count, type, to, count, type, world);
}
static void reduce_scatter_block(void) {
  MPI_Reduce_scatter_block(from, to, count, type, op, world);
}
static void reduce_scatter(void) {
  MPI_Reduce_scatter(from, to, counts, type, op, world);
}
static void scan(void) {
  MPI_Scan(from, to, count, type, op, world);
}
static void exscan(void) {
  MPI_Exscan(from, to, count, type, op, world);
}
static void allgatherv(void) {
  MPI_Allgatherv(from, counts[rank], type, to, counts, places, type, world);
}
static void gatherv(void) {
  MPI_Gatherv(from, counts[rank], type, to, counts, places, type, root, world);
}
static void scatterv(void) {
  MPI_Scatterv(from, counts, places, type, to, counts[rank], type, root, world);
}
static void alltoallv(void) {
  MPI_Alltoallv(from, counts, places, type, to, counts, places, type, world);
}
static void alltoallw(void) {
  int bytes[kMostRanks];
  for (int i = 0; i < size; ++i) bytes[i] = places[i] * (int)sizeof(double), types[i] = type;
  MPI_Alltoallw(from, counts, bytes, types, to, counts, bytes, types, world);
}

static const struct {
  const char* name;
  void (*call)(void);
} calls[] = {{"barrier", barrier},
             {"bcast", bcast},
             {"reduce", reduce},
             {"allreduce", allreduce},
             {"allgather", allgather},
             {"gather", gather},
             {"scatter", scatter},
             {"alltoall", alltoall},
             {"reduce_scatter_block", reduce_scatter_block},
             {"reduce_scatter", reduce_scatter},
             {"scan", scan},
             {"exscan", exscan},
             {"allgatherv", allgatherv},
             {"gatherv", gatherv},
             {"scatterv", scatterv},
             {"alltoallv", alltoallv},
             {"alltoallw", alltoallw}};
enum { kCalls = sizeof calls / sizeof *calls };

static int differ(const char* difference) {
  if (strcmp(difference, "root") == 0) root = 1;
  if (strcmp(difference, "size") == 0) count /= 2;
  if (strcmp(difference, "operator") == 0) op = MPI_MAX;
  if (strcmp(difference, "type") == 0) type = MPI_LONG_LONG;
  return strcmp(difference, "collective") == 0;
}

static int is_any_of(const char* word, const char* words) {
  char wanted[64];
  snprintf(wanted, sizeof wanted, " %s ", word);
  return strstr(words, wanted) != NULL;
}

/// Whether a rank must not come back from this call: what it gets, ranks with another call give,
/// too.
static int takes_from_others(const char* call, const char* difference, int is_last) {
  const int combines =
      is_any_of(call, " reduce allreduce reduce_scatter_block reduce_scatter scan exscan ");
  if (strcmp(difference, "nothing") == 0 || (strcmp(difference, "type") == 0 && !combines))
    return 0;
  /* Less is taken as it is, and more is an error. */
  if (strcmp(difference, "size") == 0 && is_any_of(call, " gatherv scatterv alltoallv alltoallw "))
    return 0;
  if (is_any_of(call, " reduce gather gatherv ")) return rank == root;
  if (is_any_of(call, " bcast scatter scatterv ")) return is_last && rank != root;
  if (is_any_of(call, " scan exscan ")) return is_last;
  return strcmp(call, "barrier") != 0;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_dup(MPI_COMM_WORLD, &world);
  size_t call = 0;
  while (argc == 5 && call < kCalls && strcmp(calls[call].name, argv[1]) != 0) ++call;
  if (argc != 5 || call == kCalls || size > kMostRanks) return 2;
  const int most = count = atoi(argv[3]);
  from = calloc((size_t)(most * size), sizeof *from);
  to = calloc((size_t)(most * size), sizeof *to);
  for (int i = 0; i < most * size; ++i) from[i] = 1;
  for (int i = 0; i < 20; ++i) MPI_Barrier(world);
  const int is_other = rank == size - 1 && differ(argv[2]);
  for (int i = 0; i < size; ++i) counts[i] = count, places[i] = i * most;
  const char* const mine = !is_other                         ? argv[1]
                           : strcmp(argv[1], "barrier") == 0 ? "bcast"
                                                             : "barrier";
  for (size_t i = 0; i < kCalls; ++i)
    if (strcmp(calls[i].name, mine) == 0) calls[i].call();
  if (takes_from_others(mine, argv[2], rank == size - 1))
    fprintf(stderr, "a wrong value at rank %d\n", rank);
  if (strcmp(argv[4], "barrier") == 0) MPI_Barrier(world);
  if (strcmp(argv[4], "free") == 0) MPI_Comm_free(&world);
  /* No rank goes on before all are through: not by the communicator in question. */
  if (strcmp(argv[4], "finalize") != 0) MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0 && strcmp(argv[4], "finalize") != 0) printf("nobody noticed\n");
  /* Of what is given less than wanted, all comes, and nothing else is touched. */
  const int is_short = rank == 0 && strcmp(argv[1], "gatherv") == 0 && strcmp(argv[2], "size") == 0;
  for (int i = 0; is_short && i < most; ++i)
    if (to[(size - 1) * most + i] != (i < most / 2)) return 3;
  free(from);
  free(to);
  MPI_Finalize();
  if (strcmp(argv[4], "finalize") == 0) printf("rank %d is through\n", rank);
  return 0;
}
