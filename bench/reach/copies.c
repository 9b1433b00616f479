/* SPDX-License-Identifier: BSD-3-Clause
 * Times how long vectors get from process to process: through scratch that both copy (bounced), by
 * the kernel's copy from the owner's pages (pulled), or by plain copies where both have them mapped
 * (direct). No MPI: the bare traffic of a bcast, gather, allgather and alltoall.
 *
 *   copies RANKS BYTES[,BYTES...] ROUNDS SECONDS
 * Output: S,pattern,ranks,bytes,pages,way,round,us,right; or N,reason if the kernel does not copy.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MOST_RANKS = 8, SLOTS = 8, STRIP = 64 << 10 };
enum { BCAST, GATHER, ALLGATHER, ALLTOALL, PATTERNS };
enum { BOUNCED, PULLED, DIRECT, WAYS };
static const char* const kPatterns[] = {"bcast", "gather", "allgather", "alltoall"};
static const char* const kWays[] = {"bounced", "pulled", "direct"};

/* A stream of what one rank gives to one reader, or to all of them. */
typedef struct {
  _Alignas(128) _Atomic uint64_t shown;
  struct {
    _Alignas(128) _Atomic uint64_t strips;
  } read[MOST_RANKS];
  _Alignas(4096) char slots[SLOTS][STRIP];
} Stream;

typedef struct {
  _Alignas(128) _Atomic uint64_t arrived;
  _Alignas(128) double us;
  pid_t process;
  char* input;
  char* output;
  int right;
  Stream streams[MOST_RANKS]; /* by reader; the first, where all read the same */
} Place;

static Place* places;
static char* common; /* inputs where all have them mapped */
static size_t largest, room;
static int rank, ranks, pus;
static uint64_t arrivals, strips_before[MOST_RANKS][MOST_RANKS];
static char *input, *output;

static double now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static void relax(void) {
  if (ranks > pus) sched_yield();
}

/* release and acquire: all that ranks wrote before they met is seen after. */
static void meet(void) {
  atomic_store_explicit(&places[rank].arrived, ++arrivals, memory_order_release);
  for (int other = 0; other < ranks; ++other)
    while (atomic_load_explicit(&places[other].arrived, memory_order_acquire) < arrivals) relax();
}

/* Whether `to` gets something of `from`. */
static int gets(int pattern, int from, int to) {
  if (from == to) return 0;
  return pattern == BCAST ? from == 0 : pattern == GATHER ? to == 0 : 1;
}

static int is_per_reader(int pattern) {
  return pattern == ALLTOALL;
}

/* Offsets of what a reader gets in the owner's input, and of where it goes. */
static size_t given_at(int pattern, int reader, size_t bytes) {
  return is_per_reader(pattern) ? (size_t)reader * bytes : 0;
}
static size_t taken_at(int pattern, int owner, size_t bytes) {
  return pattern == BCAST ? 0 : (size_t)owner * bytes;
}

/* ---- bounced: all streams that a rank gives and takes, in turn, a strip at a time ---- */

static size_t length_of(uint64_t strip, size_t bytes) {
  const size_t begin = strip * STRIP;
  return bytes - begin < STRIP ? bytes - begin : STRIP;
}

/* Gives the next strip of stream `s` if a slot is free; `given` counts this call's. */
static int give(int pattern, int s, uint64_t given, size_t bytes) {
  Stream* stream = &places[rank].streams[s];
  const uint64_t number = strips_before[rank][s] + given;
  for (int to = 0; to < ranks; ++to)
    if (gets(pattern, rank, to) && (!is_per_reader(pattern) || to == s) &&
        atomic_load_explicit(&stream->read[to].strips, memory_order_acquire) + SLOTS <= number)
      return 0;
  memcpy(stream->slots[number % SLOTS], input + given_at(pattern, s, bytes) + given * STRIP,
         length_of(given, bytes));
  atomic_store_explicit(&stream->shown, number + 1, memory_order_release);
  return 1;
}

static int take(int pattern, int owner, uint64_t taken, size_t bytes) {
  const int s = is_per_reader(pattern) ? rank : 0;
  Stream* stream = &places[owner].streams[s];
  const uint64_t number = strips_before[owner][s] + taken;
  if (atomic_load_explicit(&stream->shown, memory_order_acquire) <= number) return 0;
  memcpy(output + taken_at(pattern, owner, bytes) + taken * STRIP, stream->slots[number % SLOTS],
         length_of(taken, bytes));
  atomic_store_explicit(&stream->read[rank].strips, number + 1, memory_order_release);
  return 1;
}

static int gives_stream(int pattern, int from, int s) {
  if (is_per_reader(pattern)) return gets(pattern, from, s);
  for (int to = 0; to < ranks; ++to)
    if (s == 0 && gets(pattern, from, to)) return 1;
  return 0;
}

static void bounce(int pattern, size_t bytes) {
  const uint64_t strips = (bytes + STRIP - 1) / STRIP;
  uint64_t given[MOST_RANKS] = {0}, taken[MOST_RANKS] = {0};
  for (int open = 1; open;) {
    int moved = 0;
    open = 0;
    for (int other = 0; other < ranks; ++other) {
      if (gives_stream(pattern, rank, other) && given[other] < strips) {
        const int done = give(pattern, other, given[other], bytes);
        given[other] += (uint64_t)done;
        moved |= done;
        open |= given[other] < strips;
      }
      if (gets(pattern, other, rank) && taken[other] < strips) {
        const int done = take(pattern, other, taken[other], bytes);
        taken[other] += (uint64_t)done;
        moved |= done;
        open |= taken[other] < strips;
      }
    }
    if (!moved) relax();
  }
}

/* Everybody counts all streams alike; who does not read one counts as having read it. */
static void count_strips(int pattern, size_t bytes) {
  const uint64_t strips = (bytes + STRIP - 1) / STRIP;
  meet();
  for (int from = 0; from < ranks; ++from)
    for (int s = 0; s < ranks; ++s) {
      if (!gives_stream(pattern, from, s)) continue;
      strips_before[from][s] += strips;
      atomic_store_explicit(&places[from].streams[s].read[rank].strips, strips_before[from][s],
                            memory_order_release);
    }
  meet();
}

/* ---- pulled and direct ---- */

static int pull(int owner, const char* from, char* to, size_t bytes) {
  for (size_t done = 0; done < bytes;) {
    struct iovec local = {to + done, bytes - done}, remote = {(char*)from + done, bytes - done};
    const ssize_t got = process_vm_readv(places[owner].process, &local, 1, &remote, 1, 0);
    if (got <= 0) return 0;
    done += (size_t)got;
  }
  return 1;
}

/* A gather's root would do all of the work: its peers push. */
static int push(int owner, const char* from, char* to, size_t bytes) {
  for (size_t done = 0; done < bytes;) {
    struct iovec local = {(char*)from + done, bytes - done}, remote = {to + done, bytes - done};
    const ssize_t put = process_vm_writev(places[owner].process, &local, 1, &remote, 1, 0);
    if (put <= 0) return 0;
    done += (size_t)put;
  }
  return 1;
}

static void pull_all(int pattern, size_t bytes) {
  if (pattern == GATHER) {
    if (rank != 0) push(0, input, places[0].output + taken_at(pattern, rank, bytes), bytes);
    return;
  }
  for (int i = 1; i < ranks; ++i) {
    const int owner = (rank + i) % ranks;
    if (gets(pattern, owner, rank))
      pull(owner, places[owner].input + given_at(pattern, rank, bytes),
           output + taken_at(pattern, owner, bytes), bytes);
  }
}

/* Inputs are in common memory; of a gather, the root's output as well, so that all copy. */
static void copy_all(int pattern, size_t bytes) {
  if (pattern == GATHER) {
    if (rank != 0)
      memcpy(common + (size_t)(ranks * ranks + rank) * largest,
             common + (size_t)(rank * ranks) * largest, bytes);
    return;
  }
  for (int i = 1; i < ranks; ++i) {
    const int owner = (rank + i) % ranks;
    if (gets(pattern, owner, rank))
      memcpy(output + taken_at(pattern, owner, bytes),
             common + (size_t)(owner * ranks) * largest + given_at(pattern, rank, bytes), bytes);
  }
}

/* ---- timing ---- */

static char mark(int from, int to, int round) {
  return (char)(from * 31 + to * 7 + round + 1);
}

static void prepare(int pattern, int way, size_t bytes, int round) {
  char* from = way == DIRECT ? common + (size_t)(rank * ranks) * largest : input;
  for (int to = 0; to < (is_per_reader(pattern) ? ranks : 1); ++to)
    memset(from + (size_t)to * bytes, mark(rank, is_per_reader(pattern) ? to : 0, round), bytes);
}

static int is_right(int pattern, int way, size_t bytes, int round) {
  for (int from = 0; from < ranks; ++from) {
    if (!gets(pattern, from, rank)) continue;
    const char* got = way == DIRECT && pattern == GATHER
                          ? common + (size_t)(ranks * ranks + from) * largest
                          : output + taken_at(pattern, from, bytes);
    const char wanted = mark(from, is_per_reader(pattern) ? rank : 0, round);
    if (got[0] != wanted || got[bytes / 2] != wanted || got[bytes - 1] != wanted) return 0;
  }
  return 1;
}

static void measure(int pattern, int way, size_t bytes, const char* pages, int round) {
  prepare(pattern, way, bytes, round);
  meet();
  const double start = now_us();
  if (way == BOUNCED) bounce(pattern, bytes);
  if (way == PULLED) pull_all(pattern, bytes);
  if (way == DIRECT) copy_all(pattern, bytes);
  meet(); /* no rank may change what others still read */
  places[rank].us = now_us() - start;
  places[rank].right = is_right(pattern, way, bytes, round);
  if (way == BOUNCED) count_strips(pattern, bytes);
  meet();
  if (rank == 0) {
    double us = 0;
    int right = 1;
    for (int other = 0; other < ranks; ++other) {
      if (places[other].us > us) us = places[other].us;
      right &= places[other].right;
    }
    printf("S,%s,%d,%zu,%s,%s,%d,%.3f,%d\n", kPatterns[pattern], ranks, bytes, pages, kWays[way],
           round, us, right);
    fflush(stdout);
  }
  meet();
}

static char* buffer(size_t bytes, int advice) {
  const size_t huge = 2 << 20;
  char* place =
      mmap(NULL, bytes + huge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) exit(1);
  place = (char*)(((uintptr_t)place + huge - 1) / huge * huge);
  madvise(place, bytes, advice);
  memset(place, 0, bytes);
  return place;
}

static int is_over(double start, double seconds) {
  places[rank].us = rank == 0 && now_us() - start > seconds * 1e6;
  meet();
  const int over = places[0].us > 0;
  meet();
  return over;
}

static void run(const size_t* bytes, int sizes, int rounds, double seconds) {
  const int advices[] = {MADV_NOHUGEPAGE, MADV_HUGEPAGE};
  const char* const pages[] = {"4 KiB", "2 MiB"};
  for (int kind = 0; kind < 2; ++kind) {
    input = places[rank].input = buffer(room, advices[kind]);
    output = places[rank].output = buffer(room, advices[kind]);
    meet();
    for (int pattern = 0; pattern < PATTERNS; ++pattern)
      for (int size = 0; size < sizes; ++size) {
        const double start = now_us();
        for (int round = 0; round < rounds; ++round) {
          for (int i = 0; i < WAYS; ++i)
            measure(pattern, (i + round) % WAYS, bytes[size], pages[kind], round);
          if (is_over(start, seconds) && round >= 4) break;
        }
      }
  }
}

static void pin(void) {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  CPU_SET(rank % pus, &mine);
  sched_setaffinity(0, sizeof mine, &mine);
}

static void* shared(size_t bytes) {
  void* place = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (place == MAP_FAILED) exit(1);
  return place;
}

/* A real call between two of the ranks. */
static int kernel_copies(void) {
  static char there = 5;
  char here = 0;
  there = (char)(rank + 1);
  meet();
  const int other = (rank + 1) % ranks;
  places[rank].right = pull(other, &there, &here, 1) && here == (char)(other + 1);
  if (!places[rank].right && rank == 0) printf("N,%s\n", strerror(errno));
  meet();
  int all = 1;
  for (int i = 0; i < ranks; ++i) all &= places[i].right;
  meet();
  return all;
}

int main(int count, char** words) {
  if (count != 5) return 2;
  ranks = atoi(words[1]);
  if (ranks < 2 || ranks > MOST_RANKS) return 2;
  size_t bytes[16];
  int sizes = 0;
  for (char* word = strtok(words[2], ","); word && sizes < 16; word = strtok(NULL, ",")) {
    bytes[sizes] = strtoul(word, NULL, 10);
    if (bytes[sizes] > largest) largest = bytes[sizes];
    ++sizes;
  }
  room = largest * (size_t)ranks;
  pus = (int)sysconf(_SC_NPROCESSORS_ONLN);
  places = shared(sizeof(Place) * (size_t)ranks);
  common = shared(room * (size_t)(ranks + 1));
  for (rank = 0; rank < ranks - 1; ++rank)
    if (fork() == 0) break;
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  places[rank].process = getpid();
  pin();
  meet();
  if (kernel_copies()) run(bytes, sizes, atoi(words[3]), atof(words[4]));
  meet();
  if (rank != ranks - 1) _exit(0);
  while (wait(NULL) > 0) continue;
  return 0;
}
