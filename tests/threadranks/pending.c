/* SPDX-License-Identifier: BSD-3-Clause
 * Nonblocking and persistent collectives that do not match: the last rank's differs from its
 * peers'.
 *
 * pending DIFFERENCE HOW. DIFFERENCE: nothing, order (it is begun behind a barrier that others make
 * behind it), collective, root, size, operator, type. HOW: wait, test (again and again) or start (a
 * persistent request). "nobody noticed" is printed where nobody does.
 */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { kCount = 700 };

static int rank, size, count = kCount, root = 0;
static MPI_Op op = MPI_SUM;
static MPI_Datatype type = MPI_DOUBLE;
static double from[kCount], to[kCount];

static int differ(const char* difference) {
  if (strcmp(difference, "root") == 0) root = 1;
  if (strcmp(difference, "size") == 0) count /= 2;
  if (strcmp(difference, "operator") == 0) op = MPI_MAX;
  if (strcmp(difference, "type") == 0) type = MPI_LONG_LONG;
  return strcmp(difference, "collective") == 0;
}

static MPI_Request begun(int is_other) {
  MPI_Request request;
  if (is_other)
    MPI_Iexscan(from, to, count, type, op, MPI_COMM_WORLD, &request);
  else
    MPI_Ireduce(from, to, count, type, op, root, MPI_COMM_WORLD, &request);
  return request;
}

static MPI_Request started(int is_other) {
  MPI_Request request;
  if (is_other)
    MPI_Exscan_init(from, to, count, type, op, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  else
    MPI_Reduce_init(from, to, count, type, op, root, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
  MPI_Start(&request);
  return request;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc != 3) return 2;
  const int is_other = rank == size - 1 && differ(argv[1]);
  const int has_order = strcmp(argv[1], "order") == 0;
  if (has_order && rank == size - 1) MPI_Barrier(MPI_COMM_WORLD);
  MPI_Request request = strcmp(argv[2], "start") == 0 ? started(is_other) : begun(is_other);
  if (has_order && rank < size - 1) MPI_Barrier(MPI_COMM_WORLD);
  if (strcmp(argv[2], "test") == 0)
    for (int is_done = 0; !is_done;) MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
  else
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  if (strcmp(argv[2], "start") == 0) MPI_Request_free(&request);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) printf("nobody noticed\n");
  MPI_Finalize();
  return 0;
}
