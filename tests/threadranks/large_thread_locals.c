/* SPDX-License-Identifier: BSD-3-Clause
 * Thread-local memory of LARGE_BYTES: each thread has its own, which begins as the program says. */
#include <pthread.h>
#include <stdio.h>

__thread char large[LARGE_BYTES];
__thread int last = 7;

static void* use(void* right) {
  *(int*)right = last == 7 && large[0] == 0 && large[LARGE_BYTES - 1] == 0;
  last = large[LARGE_BYTES - 1] = 1;
  return NULL;
}

int main(void) {
  int right = 0, right_in_thread = 0;
  pthread_t thread;
  use(&right);
  pthread_create(&thread, NULL, use, &right_in_thread);
  pthread_join(thread, NULL);
  if (right && right_in_thread && last == 1) printf("right\n");
  return 0;
}
