/* SPDX-License-Identifier: BSD-3-Clause
 * Thread-local memory of LARGE_BYTES: each thread has its own, which begins as the program says,
 * and as large a stack as without it. */
#include <pthread.h>
#include <stdio.h>

#define EIGHT 3, 3, 3, 3, 3, 3, 3, 3
#define SIXTY_FOUR EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT, EIGHT
#define FIVE_HUNDRED \
  SIXTY_FOUR, SIXTY_FOUR, SIXTY_FOUR, SIXTY_FOUR, SIXTY_FOUR, SIXTY_FOUR, SIXTY_FOUR, SIXTY_FOUR

enum { kFilled = 4 * 512 };

/* Pages of initial values, the first of which the file shares with what comes before. */
__thread int filled[kFilled] = {FIVE_HUNDRED, FIVE_HUNDRED, FIVE_HUNDRED, FIVE_HUNDRED};
__thread char large[LARGE_BYTES];
__thread int last = 7;

static void* use(void* right) {
  volatile char frame[1 << 18];
  int sum = 0;
  for (size_t i = 0; i < sizeof frame; i += 4096) frame[i] = 1;
  for (int i = 0; i < kFilled; ++i) sum += filled[i];
  *(int*)right =
      sum == 3 * kFilled && last == 7 && large[0] == 0 && large[LARGE_BYTES - 1] == 0 && frame[0];
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
