// SPDX-License-Identifier: BSD-3-Clause
// Rank r on CPU r, around and around, whatever the launcher did.
#pragma once

#include <sched.h>
#include <unistd.h>

static inline void pin(int rank) {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  CPU_SET(rank % (int)sysconf(_SC_NPROCESSORS_ONLN), &mine);
  sched_setaffinity(0, sizeof mine, &mine);
}
