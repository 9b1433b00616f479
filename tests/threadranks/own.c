/* SPDX-License-Identifier: BSD-3-Clause
 * own [CODE]: whether a rank's variables are its own. Every rank does the same; what another had
 * touched, too, would have been counted higher. Prints what is wrong, or "right". */
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <threads.h>

#define EXPECT(holds) \
  if (!(holds)) wrong(#holds)

static int faults;
static void wrong(const char* what) {
  printf("wrong: %s\n", what);
  ++faults;
}

int global = 10;
static int of_file;
int zeros[1000];
int* address = &global;
__thread int of_thread = 7;
__thread char large_of_thread[3000];
__thread int* address_of_thread = &global;
_Thread_local double aligned_of_thread __attribute__((aligned(256)));

static int constructed, of_thread_in_constructor, words_in_constructor;
__attribute__((constructor)) static void construct(int count, char** words) {
  ++constructed;
  of_thread_in_constructor = of_thread++;
  words_in_constructor = words[count] == NULL && words[0] != NULL ? count : -1;
}

static int at_exit_called;
static void at_exit(void) {
  ++at_exit_called;
}
__attribute__((destructor)) static void destruct(void) {
  printf("ended: %d %d\n", at_exit_called, global);
}

static int count_calls(void) {
  static int calls;
  return ++calls;
}

static void* thread(void* seen) {
  int* found = seen;
  found[0] = of_thread == 7 && large_of_thread[2999] == 0 && address_of_thread == &global &&
             aligned_of_thread == 0 && (size_t)&aligned_of_thread % 256 == 0;
  of_thread = 99;
  found[1] = ++global;
  return NULL;
}

static int thread_of_c(void* seen) {
  thread(seen);
  return 5;
}

int main(int count, char** words) {
  atexit(at_exit);
  for (int i = 0; i < 1000; ++i) {
    ++global;
    ++of_file;
    ++zeros[999];
    count_calls();
    ++of_thread;
  }
  memset(large_of_thread, 1, sizeof large_of_thread);
  EXPECT(constructed == 1 && of_thread_in_constructor == 7 && words_in_constructor == count);
  EXPECT(global == 1010 && *address == 1010 && address == &global);
  EXPECT(of_file == 1000 && zeros[999] == 1000 && count_calls() == 1001);
  EXPECT(of_thread == 1008 && address_of_thread == &global);
  EXPECT((size_t)&aligned_of_thread % 256 == 0);

  int seen[2] = {0, 0};
  pthread_t other;
  EXPECT(pthread_create(&other, NULL, thread, seen) == 0 && pthread_join(other, NULL) == 0);
  EXPECT(seen[0] == 1 && seen[1] == 1011);
  EXPECT(of_thread == 1008);
  pthread_attr_t small;
  pthread_attr_init(&small);
  EXPECT(pthread_attr_setstacksize(&small, PTHREAD_STACK_MIN) == 0);
  EXPECT(pthread_create(&other, &small, thread, seen) == 0 && pthread_join(other, NULL) == 0);
  thrd_t of_c;
  int result = 0;
  seen[0] = 0;
  EXPECT(thrd_create(&of_c, thread_of_c, seen) == thrd_success);
  EXPECT(thrd_join(of_c, &result) == thrd_success);
  EXPECT(seen[0] == 1 && global == 1013 && result == 5);

  EXPECT(getenv("LD_LIBRARY_PATH") == NULL && getenv("GLIBC_TUNABLES") == NULL);
  EXPECT(getenv("TERRACE_RUN") == NULL && getenv("TERRACE_RUN_PROGRAM") == NULL);
  EXPECT(getauxval(AT_PAGESZ) != 0);
  words[0][0] = 'X'; /* also its own */
  if (faults == 0) printf("right\n");
  if (count > 1) exit(atoi(words[1]));
  return 0;
}
