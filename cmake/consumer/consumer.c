// SPDX-License-Identifier: BSD-3-Clause
// The smallest program that uses an installed Terrace; the check of the installation builds it.
#include <terrace/terrace.h>

// Makes a team of one, sums its one number, and says by its exit status whether that went well.
int main(void) {
  double sum = 42;
  terrace_team* team;
  if (terrace_team_create(1, NULL, &team) != TERRACE_OK) return 1;
  if (terrace_allreduce(TERRACE_IN_PLACE, &sum, 1, TERRACE_DOUBLE, TERRACE_SUM, team, 0)) return 2;
  if (sum != 42) return 3;
  return terrace_team_destroy(team) == TERRACE_OK ? 0 : 4;
}
