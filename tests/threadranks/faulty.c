/* SPDX-License-Identifier: BSD-3-Clause
 * A fault for each of three sanitizers, each of which sees one of them. */
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int shared;
static void* touch(void* nothing) {
  ++shared;
  return nothing;
}

int main(int count, char** words) {
  (void)words;
  pthread_t thread;
  if (pthread_create(&thread, NULL, touch, NULL) != 0) return 1;
  ++shared;
  pthread_join(thread, NULL);
  volatile int large = INT_MAX;
  large += count;
  volatile char* const block = malloc(16);
  block[15 + count] = 1;
  puts("after");
  return 0;
}
