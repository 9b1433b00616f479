// SPDX-License-Identifier: BSD-3-Clause
// Teaches: broadcasting a struct. Rank 1 alone "reads" the settings of a run; the others get a copy
// of their own. Anything without addresses in it can be sent as bytes.
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <terrace/terrace.h>

enum { kRanks = 3, kReader = 1 };

typedef struct {
  double step;
  int32_t most_steps;
  char solver[20];
} Settings;

typedef struct {
  terrace_team* team;
  int rank;
  terrace_status status;
  Settings settings;
} Thread;

static void* work(void* argument) {
  Thread* self = argument;
  if (self->rank == kReader) {
    self->settings.step = 0.25;
    self->settings.most_steps = 400;
    strcpy(self->settings.solver, "jacobi");
  }
  self->status = terrace_bcast(&self->settings, sizeof self->settings, TERRACE_UINT8, kReader,
                               self->team, self->rank);
  return NULL;
}

int main(void) {
  terrace_team* team;
  if (terrace_team_create(kRanks, NULL, &team) != TERRACE_OK) return 1;
  pthread_t threads[kRanks];
  Thread ranks[kRanks];
  memset(ranks, 0, sizeof ranks);
  for (int rank = 0; rank < kRanks; ++rank) {
    ranks[rank].team = team;
    ranks[rank].rank = rank;
    pthread_create(&threads[rank], NULL, work, &ranks[rank]);
  }
  int failed = 0;
  for (int rank = 0; rank < kRanks; ++rank) {
    pthread_join(threads[rank], NULL);
    const Settings* settings = &ranks[rank].settings;
    printf("rank %d: %s, %d steps of %.2f\n", rank, settings->solver, (int)settings->most_steps,
           settings->step);
    failed |= ranks[rank].status != TERRACE_OK;
  }
  terrace_team_destroy(team);
  return failed;
}
