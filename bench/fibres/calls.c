/* SPDX-License-Identifier: BSD-3-Clause
 * Short calls in loops: prints "NAME,MICROSECONDS" of each batch, where a call's time is the
 * batch's by the number of its calls. Batches last about as long as the first argument says, in
 * seconds, and there are as many as the second says. Each batch's last result is checked. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { kLong = 4096 }; /* doubles: 32 KiB */

static int rank, ranks, faults;
static double *from, *to;

static void barrier(int call) {
  (void)call;
  MPI_Barrier(MPI_COMM_WORLD);
}

static void check(int is_right, const char* what) {
  if (is_right) return;
  ++faults;
  fprintf(stderr, "rank %d: %s is wrong\n", rank, what);
}

static void allreduce(int call) {
  from[0] = rank + call;
  MPI_Allreduce(from, to, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  check(to[0] == ranks * (ranks - 1) / 2.0 + (double)ranks * call, "allreduce");
}

static void allreduce_long(int call) {
  from[kLong - 1] = rank + call;
  MPI_Allreduce(from, to, kLong, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  check(to[kLong - 1] == ranks * (ranks - 1) / 2.0 + (double)ranks * call, "allreduce of 32 KiB");
}

static void bcast(int call) {
  from[0] = rank == 0 ? call : -1;
  MPI_Bcast(from, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  check(from[0] == call, "bcast");
}

static void alltoall(int call) {
  for (int i = 0; i < ranks; ++i) from[i] = rank * 1000 + i + call;
  MPI_Alltoall(from, 1, MPI_DOUBLE, to, 1, MPI_DOUBLE, MPI_COMM_WORLD);
  check(to[ranks - 1] == (ranks - 1) * 1000 + rank + call, "alltoall");
}

/* Each rank with its neighbour. */
static void ping_pong(int call) {
  const int peer = rank ^ 1;
  if (peer >= ranks) return;
  from[0] = call;
  if (rank < peer) MPI_Send(from, 1, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  MPI_Recv(to, 1, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (rank > peer) MPI_Send(from, 1, MPI_DOUBLE, peer, 0, MPI_COMM_WORLD);
  check(to[0] == call, "ping-pong");
}

static void ring(int call) {
  from[0] = rank + call;
  MPI_Sendrecv(from, 1, MPI_DOUBLE, (rank + 1) % ranks, 0, to, 1, MPI_DOUBLE,
               (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  check(to[0] == (rank + ranks - 1) % ranks + call, "ring");
}

static const struct {
  const char* name;
  void (*call)(int);
} kinds[] = {{"barrier", barrier},   {"allreduce", allreduce},
             {"bcast", bcast},       {"allreduce_32k", allreduce_long},
             {"alltoall", alltoall}, {"ping_pong", ping_pong},
             {"ring", ring}};

static double time_of(void (*call)(int), int calls) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int i = 0; i < calls; ++i) call(i);
  return MPI_Wtime() - start;
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const double seconds = count > 1 ? atof(words[1]) : 0.02;
  const int batches = count > 2 ? atoi(words[2]) : 5;
  const size_t room = ranks > kLong ? (size_t)ranks : kLong;
  from = calloc(room, sizeof *from);
  to = calloc(room, sizeof *to);
  for (size_t kind = 0; kind < sizeof kinds / sizeof kinds[0]; ++kind) {
    double took = 0;
    int calls = 1;
    for (; took < seconds / 4 && calls < 1 << 20; calls *= 4) { /* the first ones are slower */
      took = time_of(kinds[kind].call, calls);
      MPI_Bcast(&took, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    }
    calls = (int)(calls / 4 * seconds / took) + 1;
    for (int batch = 0; batch < batches; ++batch) {
      took = time_of(kinds[kind].call, calls);
      if (rank == 0) printf("%s,%.4f\n", kinds[kind].name, took / calls * 1e6);
    }
  }
  free(from);
  free(to);
  MPI_Finalize();
  return faults != 0;
}
