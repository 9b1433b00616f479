// SPDX-License-Identifier: BSD-3-Clause
// Teaches: a team of threads, from making it to freeing it. One thread makes the team, each of
// three threads is a rank of it, all of them add up their numbers, and rank 0 prints.
#include <pthread.h>
#include <stdio.h>
#include <terrace/terrace.h>

enum { kRanks = 3 };

typedef struct {
  terrace_team* team;
  int rank;
  int failed;
} Thread;

static void* work(void* argument) {
  Thread* self = argument;
  int64_t mine = self->rank + 1, sum = 0;
  terrace_status status =
      terrace_allreduce(&mine, &sum, 1, TERRACE_INT64, TERRACE_SUM, self->team, self->rank);
  if (status != TERRACE_OK) {
    fprintf(stderr, "%s: %s\n", terrace_error_string(status), terrace_last_error());
    self->failed = 1;
  } else if (self->rank == 0) {
    printf("%d ranks, the sum of 1 to %d is %d\n", kRanks, kRanks, (int)sum);
  }
  return NULL;
}

int main(void) {
  terrace_team* team;
  if (terrace_team_create(kRanks, NULL, &team) != TERRACE_OK) {
    fprintf(stderr, "%s\n", terrace_last_error());
    return 1;
  }
  pthread_t threads[kRanks];
  Thread ranks[kRanks];
  int failed = 0;
  for (int rank = 0; rank < kRanks; ++rank) {
    ranks[rank] = (Thread){team, rank, 0};
    pthread_create(&threads[rank], NULL, work, &ranks[rank]);
  }
  for (int rank = 0; rank < kRanks; ++rank) {
    pthread_join(threads[rank], NULL);
    failed |= ranks[rank].failed;
  }
  terrace_team_destroy(team);
  return failed;
}
