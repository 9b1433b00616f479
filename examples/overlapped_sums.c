// SPDX-License-Identifier: BSD-3-Clause
// Teaches: computing while a collective goes on. Each rank has a part of every block's sums; while
// those of one block are combined, it computes the next. Two prepared calls take turns, each with
// buffers of its own, which may not be touched from its start to its wait.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <terrace/terrace.h>

enum { kRanks = 2, kBlocks = 10, kSums = 1000 };

static terrace_team* team;
static double part[kRanks][2][kSums], total[kRanks][2][kSums];
static double largest[kRanks];

static void compute(int block, int rank, double* sums) {
  for (int i = 0; i < kSums; ++i) sums[i] = (rank + 1) * (i * 7 % 31) + block;
}

static void use(const double* totals, double* result) {
  for (int i = 0; i < kSums; ++i)
    if (totals[i] > *result) *result = totals[i];
}

static int sum_up(int rank, terrace_call* calls[2]) {
  for (int turn = 0; turn < 2; ++turn)
    if (terrace_prepare_allreduce(part[rank][turn], total[rank][turn], kSums, TERRACE_DOUBLE,
                                  TERRACE_SUM, team, rank, &calls[turn]))
      return 1;
  for (int block = 0; block <= kBlocks; ++block) {
    const int turn = block % 2, before = 1 - turn;
    if (block < kBlocks) {
      compute(block, rank, part[rank][turn]);  // the call of the block before goes on meanwhile
      if (terrace_start(calls[turn])) return 1;
    }
    if (block > 0) {
      if (terrace_wait(&calls[before])) return 1;
      use(total[rank][before], &largest[rank]);
    }
  }
  return terrace_call_free(&calls[0]) || terrace_call_free(&calls[1]);
}

static void* run(void* its_rank) {
  terrace_call* calls[2] = {NULL, NULL};
  if (sum_up((int)(intptr_t)its_rank, calls)) fprintf(stderr, "%s\n", terrace_last_error());
  return NULL;
}

int main(void) {
  pthread_t threads[kRanks];
  if (terrace_team_create(kRanks, NULL, &team) != TERRACE_OK) {
    fprintf(stderr, "%s\n", terrace_last_error());
    return 1;
  }
  for (intptr_t rank = 0; rank < kRanks; ++rank)
    pthread_create(&threads[rank], NULL, run, (void*)rank);
  for (int rank = 0; rank < kRanks; ++rank) pthread_join(threads[rank], NULL);
  for (int rank = 0; rank < kRanks; ++rank)
    printf("rank %d: the largest sum is %g\n", rank, largest[rank]);
  return terrace_team_destroy(team) != TERRACE_OK;
}
