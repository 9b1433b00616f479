/* SPDX-License-Identifier: BSD-3-Clause
 * Ranks that call MPI in many ways, and do between their calls what programs do: sleep, compute,
 * fork, make threads, wait for pipes and conditions, get signals, use files. All ranks draw the
 * calls from one seed, so each knows what it has to get; what they do between calls, each draws by
 * itself.
 *
 * thread_ranks_soak SEED SECONDS [DEATH STEP]: the last rank dies in that step, by DEATH: abort,
 * segv, exit or mpi. At the end rank 0 prints the calls of each rank, and what the process held
 * when it was warm and at the end: files, kernel threads, kilobytes; and what its heap had in use
 * after many communicators, and after as many again. */
#include <dirent.h>
#include <errno.h>
#include <fenv.h>
#include <limits.h>
#include <malloc.h>
#include <mpi.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { kMostCount = 6000, kStepsOfAnEpisode = 200, kTag = 7, kLives = 1600 };

static int rank, size;
static uint64_t seed, own_state, common_state;
static long step, calls;
static _Thread_local volatile sig_atomic_t signals_seen;
static int64_t input[kMostCount], output[kMostCount];

static void fail(const char* what, long got, long wanted) {
  printf("FAULT: seed %llu step %ld rank %d of %d: %s: %ld instead of %ld\n",
         (unsigned long long)seed, step, rank, size, what, got, wanted);
  fflush(stdout);
  MPI_Abort(MPI_COMM_WORLD, 9);
}

static void expect(const char* what, long got, long wanted) {
  if (got != wanted) fail(what, got, wanted);
}

/* splitmix64 (Steele, Lea, Flood 2014) */
static uint64_t drawn(uint64_t* state) {
  uint64_t z = (*state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

static long own(long bound) {
  return (long)(drawn(&own_state) % (uint64_t)bound);
}

static long common(long bound) {
  return (long)(drawn(&common_state) % (uint64_t)bound);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* -- between calls ----------------------------------------------------------------------------- */

static void sleep_for(long microseconds) {
  struct timespec left = {0, microseconds * 1000};
  while (nanosleep(&left, &left) != 0 && errno == EINTR) {
  }
}

static void compute(double seconds) {
  const double end = now() + seconds;
  while (now() < end) {
  }
}

static void fork_a_child(void) {
  int ends[2], status = 0, word = 0;
  if (pipe(ends) != 0) fail("pipe", errno, 0);
  const pid_t child = fork();
  if (child < 0) fail("fork", errno, 0);
  if (child == 0) {
    word = rank + 1000;
    _exit(write(ends[1], &word, sizeof word) == sizeof word ? 17 : 18);
  }
  close(ends[1]);
  expect("bytes of a child", read(ends[0], &word, sizeof word), sizeof word);
  close(ends[0]);
  expect("a child's word", word, rank + 1000);
  while (waitpid(child, &status, 0) != child) {
    if (errno != EINTR) fail("waitpid", errno, 0);
  }
  expect("a child's end", WIFEXITED(status) ? WEXITSTATUS(status) : -1, 17);
}

typedef struct {
  pthread_t asker;
  int end;
  long microseconds;
  pthread_mutex_t mutex;
  pthread_cond_t condition;
  int is_ready;
} Helper;

static void* write_late(void* what) {
  const Helper* helper = what;
  sleep_for(helper->microseconds);
  const char word = 'x';
  if (write(helper->end, &word, 1) != 1) fail("write of a thread", errno, 0);
  return what;
}

static void wait_for_pipe(void) {
  int ends[2];
  char word = 0;
  if (pipe(ends) != 0) fail("pipe", errno, 0);
  Helper helper = {.end = ends[1], .microseconds = own(4000)};
  pthread_t thread;
  expect("pthread_create", pthread_create(&thread, NULL, write_late, &helper), 0);
  struct pollfd polled = {.fd = ends[0], .events = POLLIN};
  if (own(2) == 0)
    while (poll(&polled, 1, -1) != 1) {
    }
  expect("bytes of a thread", read(ends[0], &word, 1), 1);
  void* result = NULL;
  pthread_join(thread, &result);
  expect("what a thread returns", result == &helper, 1);
  close(ends[0]);
  close(ends[1]);
}

static void* signal_condition(void* what) {
  Helper* helper = what;
  compute(1e-6 * (double)helper->microseconds);
  pthread_mutex_lock(&helper->mutex);
  helper->is_ready = 1;
  pthread_cond_signal(&helper->condition);
  pthread_mutex_unlock(&helper->mutex);
  return NULL;
}

static void wait_for_condition(void) {
  Helper helper = {.microseconds = own(3000),
                   .mutex = PTHREAD_MUTEX_INITIALIZER,
                   .condition = PTHREAD_COND_INITIALIZER};
  pthread_t thread;
  expect("pthread_create", pthread_create(&thread, NULL, signal_condition, &helper), 0);
  pthread_mutex_lock(&helper.mutex);
  while (!helper.is_ready) pthread_cond_wait(&helper.condition, &helper.mutex);
  pthread_mutex_unlock(&helper.mutex);
  pthread_join(thread, NULL);
}

static void note_signal(int signal) {
  (void)signal;
  ++signals_seen;
}

static void* send_signal(void* what) {
  const Helper* helper = what;
  sleep_for(helper->microseconds);
  pthread_kill(helper->asker, SIGUSR1);
  return NULL;
}

/* It may arrive while this sleeps, computes, or waits in a call. */
static void get_signal(void) {
  Helper helper = {.asker = pthread_self(), .microseconds = own(3000)};
  pthread_t thread;
  const int before = signals_seen;
  expect("pthread_create", pthread_create(&thread, NULL, send_signal, &helper), 0);
  const long way = own(3);
  if (way == 0) compute(0.004);
  if (way == 1) MPI_Barrier(MPI_COMM_SELF);
  pthread_join(thread, NULL);
  while (signals_seen == before) sched_yield();
  expect("signals", signals_seen - before, 1);
}

static void use_a_file(void) {
  char text[64], back[64];
  FILE* const file = tmpfile();
  if (file == NULL) fail("tmpfile", errno, 0);
  snprintf(text, sizeof text, "%d %ld", rank, step);
  fputs(text, file);
  rewind(file);
  if (fgets(back, sizeof back, file) == NULL) fail("fgets", errno, 0);
  expect("what a file holds", strcmp(text, back), 0);
  fclose(file);
}

static void use_memory(void) {
  const size_t bytes = 16u << own(16);
  unsigned char* const block = malloc(bytes);
  memset(block, rank, bytes);
  for (int i = 0; i < 10; ++i) sched_yield();
  expect("what memory holds", block[(size_t)own((long)bytes)], rank & 255);
  free(block);
}

static void do_something(void) {
  switch (own(24)) {
    case 0:
      return sleep_for(own(4000));
    case 1:
      return compute(1e-6 * (double)own(own(20) == 0 ? 25000 : 500));
    case 2:
      return own(4) == 0 ? fork_a_child() : (void)0;
    case 3:
      return wait_for_pipe();
    case 4:
      return wait_for_condition();
    case 5:
      return get_signal();
    case 6:
      return use_a_file();
    case 7:
      return use_memory();
    case 8:
      sched_yield();
      return;
    default:
      return;
  }
}

/* -- calls ------------------------------------------------------------------------------------- */

static long some_count(void) {
  return common(4) == 0 ? 1 + common(kMostCount / size) : 1 + common(16);
}

static void fill(long count) {
  for (long i = 0; i < count; ++i) input[i] = rank * 1000003L + i + step;
  memset(output, 0x5a, sizeof output);
}

static void call_allreduce(MPI_Comm comm) {
  const long count = some_count();
  fill(count);
  MPI_Allreduce(input, output, (int)count, MPI_INT64_T, MPI_SUM, comm);
  const long ranks_sum = (long)size * (size - 1) / 2;
  for (long i = 0; i < count; ++i)
    expect("allreduce", output[i], ranks_sum * 1000003L + size * (i + step));
}

static void call_bcast(MPI_Comm comm) {
  const long count = some_count(), root = common(size);
  fill(count);
  MPI_Bcast(input, (int)count, MPI_INT64_T, (int)root, comm);
  for (long i = 0; i < count; ++i) expect("bcast", input[i], root * 1000003L + i + step);
}

static void call_alltoall(MPI_Comm comm) {
  const long count = 1 + common(kMostCount / size / 4);
  fill(count * size);
  MPI_Alltoall(input, (int)count, MPI_INT64_T, output, (int)count, MPI_INT64_T, comm);
  for (int from = 0; from < size; ++from)
    for (long i = 0; i < count; ++i)
      expect("alltoall", output[from * count + i], from * 1000003L + rank * count + i + step);
}

static void call_reduce(MPI_Comm comm) {
  const long count = some_count(), root = common(size);
  fill(count);
  MPI_Reduce(input, output, (int)count, MPI_INT64_T, MPI_MAX, (int)root, comm);
  for (long i = 0; rank == root && i < count; ++i)
    expect("reduce", output[i], (size - 1) * 1000003L + i + step);
}

static void exchange(MPI_Comm comm) {
  const long count = some_count(), shift = common(size), is_synchronous = common(2);
  const int to = (rank + (int)shift) % size, from = (rank + size - (int)shift) % size;
  MPI_Request requests[2];
  MPI_Status status;
  fill(count);
  MPI_Irecv(output, (int)count, MPI_INT64_T, from, kTag, comm, &requests[0]);
  (is_synchronous ? MPI_Issend : MPI_Isend)(input, (int)count, MPI_INT64_T, to, kTag, comm,
                                            &requests[1]);
  if (common(2)) {
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
  } else {
    for (int is_done = 0, which = 0, done = 0; done < 2; done += is_done)
      MPI_Testany(2, requests, &which, &is_done, &status);
  }
  for (long i = 0; i < count; ++i) expect("a message", output[i], from * 1000003L + i + step);
}

static void pass_around(MPI_Comm comm) {
  int64_t sum = 0;
  int is_there = 0;
  if (rank > 0) {
    if (common(2))
      while (!is_there) MPI_Iprobe(rank - 1, kTag, comm, &is_there, MPI_STATUS_IGNORE);
    MPI_Recv(&sum, 1, MPI_INT64_T, rank - 1, kTag, comm, MPI_STATUS_IGNORE);
  } else {
    common(2);
  }
  expect("what was passed around", sum, (long)rank * (rank - 1) / 2);
  sum += rank;
  if (rank + 1 < size) MPI_Send(&sum, 1, MPI_INT64_T, rank + 1, kTag, comm);
}

static void call_nonblocking(MPI_Comm comm) {
  MPI_Request requests[2];
  int is_done = 0;
  fill(8);
  MPI_Ibarrier(comm, &requests[0]);
  MPI_Iallgather(input, 1, MPI_INT64_T, output, 1, MPI_INT64_T, comm, &requests[1]);
  do_something();
  while (!is_done) MPI_Testall(2, requests, &is_done, MPI_STATUSES_IGNORE);
  for (int from = 0; from < size; ++from)
    expect("iallgather", output[from], from * 1000003L + step);
}

static void use_a_window(MPI_Comm comm) {
  int64_t* base;
  MPI_Win window;
  const int64_t one = 1;
  MPI_Win_allocate(sizeof *base, sizeof *base, MPI_INFO_NULL, comm, &base, &window);
  *base = 0;
  MPI_Win_fence(0, window);
  for (int i = 0; i < size; ++i)
    MPI_Accumulate(&one, 1, MPI_INT64_T, i, 0, 1, MPI_INT64_T, MPI_SUM, window);
  MPI_Win_fence(0, window);
  expect("a window", *base, size);
  MPI_Win_free(&window);
}

static void call(MPI_Comm comm) {
  ++calls;
  switch (common(16)) {
    case 0:
      return call_alltoall(comm);
    case 1:
      return call_bcast(comm);
    case 2:
      return call_reduce(comm);
    case 3:
      return exchange(comm);
    case 4:
      return pass_around(comm);
    case 5:
      return call_nonblocking(comm);
    case 6:
      return common(4) == 0 ? use_a_window(comm) : (void)0;
    case 7:
    case 8:
      MPI_Barrier(comm);
      return;
    default:
      return call_allreduce(comm);
  }
}

/* -- what a process holds, and the whole ------------------------------------------------------- */

static long entries_of(const char* path) {
  long count = 0;
  DIR* const folder = opendir(path);
  while (folder != NULL && readdir(folder) != NULL) ++count;
  if (folder != NULL) closedir(folder);
  return count;
}

static long kilobytes(void) {
  long pages = 0;
  FILE* const file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%*d %ld", &pages) != 1) fail("statm", errno, 0);
  fclose(file);
  return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

static void print_held(const char* when) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0)
    printf("%s: %ld files, %ld threads, %ld kB\n", when, entries_of("/proc/self/fd"),
           entries_of("/proc/self/task"), kilobytes());
  fflush(stdout);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void die(const char* how) {
  printf("dies at %.3f\n", now());
  fflush(stdout);
  if (strcmp(how, "abort") == 0) abort();
  if (strcmp(how, "segv") == 0) *(volatile int*)(uintptr_t)8 = 1;
  if (strcmp(how, "exit") == 0) _exit(3);
  MPI_Abort(MPI_COMM_WORLD, 3);
}

static void run_episode(const char* death, long death_step) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  const int rounding = rank % 2 ? FE_UPWARD : FE_TONEAREST;
  fesetround(rounding);
  for (long i = 0; i < kStepsOfAnEpisode; ++i, ++step) {
    if (death != NULL && step == death_step && rank == size - 1) die(death);
    do_something();
    errno = rank + 1;
    call(comm);
    expect("the rounding of sums", fegetround(), rounding);
  }
  fesetround(FE_TONEAREST);
  MPI_Comm_free(&comm);
}

/* Communicators of all ranks and of halves, each used and freed; returns how many. */
static int live_and_die(void) {
  const int lives = kLives / size;
  for (int i = 0; i < lives; ++i, ++step) {
    MPI_Comm all, half;
    MPI_Comm_dup(MPI_COMM_WORLD, &all);
    MPI_Comm_split(all, rank % 2, rank, &half);
    call_allreduce(all);
    call_bcast(all);
    MPI_Barrier(half);
    MPI_Comm_free(&half);
    MPI_Comm_free(&all);
  }
  return 2 * lives;
}

static long heap_in_use(void) {
  MPI_Barrier(MPI_COMM_WORLD);
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
  const long kilobytes_in_use = (long)(mallinfo2().uordblks / 1024);
#else
  const long kilobytes_in_use = 0;
#endif
  MPI_Barrier(MPI_COMM_WORLD);
  return kilobytes_in_use;
}

/* Of some rounds, that in which memory grew least: what comes late comes once, a leak each time. */
static void print_lives(void) {
  enum { kRounds = 8 };
  live_and_die();
  int lives = 0;
  long before = heap_in_use(), least = LONG_MAX, at_least_before = 0;
  for (int round = 0; round < kRounds; ++round) {
    lives = live_and_die();
    const long after = heap_in_use();
    if (after - before < least) {
      least = after - before;
      at_least_before = before;
    }
    before = after;
  }
  if (rank == 0)
    printf("lives: %d communicators, %ld kB in use, %ld before\n", lives, at_least_before + least,
           at_least_before);
}

int main(int argc, char** argv) {
  if (argc != 3 && argc != 5) return 2;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  seed = strtoull(argv[1], NULL, 10);
  common_state = seed;
  own_state = seed + 1 + (uint64_t)rank;
  signal(SIGUSR1, note_signal);
  const double start = now(), seconds = strtod(argv[2], NULL);
  for (int goes_on = 1, is_warm = 0; goes_on;) {
    run_episode(argc == 5 ? argv[3] : NULL, argc == 5 ? strtol(argv[4], NULL, 10) : -1);
    const double share = (now() - start) / seconds;
    goes_on = share < 1;
    MPI_Bcast(&goes_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
    int is_warm_now = share > 0.4;
    MPI_Bcast(&is_warm_now, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (is_warm_now && !is_warm) print_held("warm");
    is_warm = is_warm_now;
  }
  print_held("end");
  print_lives();
  if (rank == 0) printf("%ld calls\n", calls);
  MPI_Finalize();
  return 0;
}
