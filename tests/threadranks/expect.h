/* SPDX-License-Identifier: BSD-3-Clause
 * A rank's checks: it prints each one that does not hold, and clears `right`. */
#pragma once

#include <stdio.h>

static int rank, ranks, right = 1;

static void expect(int holds, const char* what) {
  if (holds) return;
  printf("rank %d: not so: %s\n", rank, what);
  right = 0;
}
#define EXPECT(condition) expect(condition, #condition)
