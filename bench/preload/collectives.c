/* SPDX-License-Identifier: BSD-3-Clause
 * Times the four collectives of an MPI in batches. MPI_X is whoever answers it (Terrace, if it is
 * preloaded), PMPI_X always the MPI itself, so both run in turn in one process; beside them hand-
 * written floors in shared memory. Prints one line per batch; run.py makes tables of them.
 *
 *   collectives [--bytes LIST] [--collectives LIST] [--rounds N] [--batch-us T] [--beside NAME]
 * --beside: time PMPI_X as well, under this name. Output, by rank 0:
 *   S,collective,bytes,who,round,us,probe_before,probe_after,disturbed,right
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

enum { MOST_RANKS = 64, SLOTS = 4, LINE_DOUBLES = 15, STRIP = 64 << 10, LOOP_BYTES = 64 };
enum { BARRIER, BCAST, REDUCE, ALLREDUCE, COLLECTIVES };
static const char* const kNames[] = {"barrier", "bcast", "reduce", "allreduce"};

typedef struct {
  _Alignas(128) _Atomic uint64_t turn;
  double payload[LINE_DOUBLES];
} Slot;

/* What a rank shows to the others: all in one mapping, which a file without a name backs. */
typedef struct {
  Slot slots[SLOTS];
  _Alignas(128) _Atomic uint64_t arrived, ball, shown, read;
  _Alignas(128) double us;
  long switches;
  int right;
  _Alignas(4096) double strips[SLOTS][STRIP / sizeof(double)];
} Place;

static Place* places;
static int rank, ranks, pus, crowded;
static uint64_t arrivals, throws_, turns, strips_shown;
static double *input, *output;

typedef struct {
  int collective;
  size_t count;
} Point;

typedef struct {
  const char* name;
  void (*call)(const Point*);
  size_t calls;
} Contender;

static double now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static void relax(void) {
  if (crowded) sched_yield();
}

/* Waits until `counter` of another rank is at least `value`. acquire: pairs with release stores. */
static void await(_Atomic uint64_t* counter, uint64_t value) {
  while (atomic_load_explicit(counter, memory_order_acquire) < value) relax();
}

static void show(_Atomic uint64_t* counter, uint64_t value) {
  atomic_store_explicit(counter, value, memory_order_release);
}

/* Yielding does not help where every rank is a scheduling group of its own (a session, with
 * autogroups): between batches, where time does not count, ranks sleep instead. */
static void meet(void) {
  show(&places[rank].arrived, ++arrivals);
  for (int other = 0; other < ranks; ++other)
    for (int looks = 0;
         atomic_load_explicit(&places[other].arrived, memory_order_acquire) < arrivals; ++looks) {
      if (crowded && looks > 20) usleep(20);
      relax();
    }
}

/* One-way latency of a line between ranks 0 and 1 in ns. */
static double probe(void) {
  static double found;
  if (crowded || ranks < 2) return 0;
  double best = 1e9;
  for (int attempt = 0; attempt < 4 && rank < 2; ++attempt) {
    const double start = now_us();
    for (int i = 0; i < 25; ++i) {
      ++throws_;
      if (rank == 0) show(&places[0].ball, throws_);
      await(&places[1 - rank].ball, throws_);
      if (rank == 1) show(&places[1].ball, throws_);
    }
    const double ns = (now_us() - start) * 1e3 / 50;
    if (ns < best) best = ns;
  }
  found = best;
  meet();
  return found;
}

/* ---- the MPI, and whoever stands in for it ---- */

static void call_mpi(const Point* point) {
  const int count = (int)point->count;
  switch (point->collective) {
    case BARRIER:
      MPI_Barrier(MPI_COMM_WORLD);
      break;
    case BCAST:
      MPI_Bcast(rank == 0 ? input : output, count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
      break;
    case REDUCE:
      MPI_Reduce(input, output, count, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
      break;
    default:
      MPI_Allreduce(input, output, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
}

static void call_below(const Point* point) {
  const int count = (int)point->count;
  switch (point->collective) {
    case BARRIER:
      PMPI_Barrier(MPI_COMM_WORLD);
      break;
    case BCAST:
      PMPI_Bcast(rank == 0 ? input : output, count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
      break;
    case REDUCE:
      PMPI_Reduce(input, output, count, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
      break;
    default:
      PMPI_Allreduce(input, output, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  }
}

/* ---- floors ---- */

/* A store and a look at everybody's line: barrier, and allreduce of what fits beside the flag. */
static void exchange_lines(const Point* point) {
  const uint64_t turn = ++turns;
  Slot* mine = &places[rank].slots[turn % SLOTS];
  const size_t count = crowded ? 0 : point->count;
  for (size_t i = 0; i < count; ++i) mine->payload[i] = input[i];
  show(&mine->turn, turn);
  for (int other = 0; other < ranks; ++other) await(&places[other].slots[turn % SLOTS].turn, turn);
  for (size_t i = 0; i < count; ++i) {
    double sum = 0;
    for (int other = 0; other < ranks; ++other) sum += places[other].slots[turn % SLOTS].payload[i];
    output[i] = sum;
  }
}

/* Strips through shared slots: the givers copy in, the takers read; nobody runs more than the
 * slots ahead. With `all` everybody gives and takes; otherwise one side each. */
static void go_in_strips(const Point* point, int gives, int takes) {
  const size_t strip = STRIP / sizeof(double);
  const uint64_t first = strips_shown;
  const size_t strip_count = (point->count + strip - 1) / strip;
  for (size_t s = 0; s < strip_count; ++s) {
    const size_t begin = s * strip;
    const size_t n = point->count - begin < strip ? point->count - begin : strip;
    const uint64_t number = first + s + 1;
    if (gives) {
      for (int other = 0; other < ranks && number > SLOTS; ++other)
        if (other != rank) await(&places[other].read, number - SLOTS);
      memcpy(places[rank].strips[number % SLOTS], input + begin, n * sizeof(double));
      show(&places[rank].shown, number);
    }
    for (int other = 0; other < ranks && takes; ++other) {
      if (other == rank || (point->collective == BCAST && other != 0)) continue;
      await(&places[other].shown, number);
      const double* theirs = places[other].strips[number % SLOTS];
      if (point->collective == BCAST) {
        memcpy(output + begin, theirs, n * sizeof(double));
      } else {
        const double* sofar = other == (rank == 0) ? input : output;
        for (size_t i = 0; i < n; ++i) output[begin + i] = sofar[begin + i] + theirs[i];
      }
    }
    show(&places[rank].read, number);
  }
  strips_shown = first + strip_count;
  if (!gives) show(&places[rank].shown, strips_shown);
}

static void copy_strips(const Point* point) {
  const int gives = point->collective == ALLREDUCE || (point->collective == BCAST) == (rank == 0);
  const int takes = point->collective == ALLREDUCE || (point->collective == BCAST) != (rank == 0);
  go_in_strips(point, gives, takes);
}

/* ---- timing ---- */

static int is_back_to_back(const Point* point) {
  const int symmetric = point->collective == BARRIER || point->collective == ALLREDUCE;
  return crowded || (symmetric && point->count * sizeof(double) <= LOOP_BYTES);
}

static void rewrite(const Point* point, size_t call) {
  const double value = (double)((call & 7) + (size_t)rank);
  for (size_t i = 0; i < point->count; ++i) input[i] = value;
}

static double batch(const Point* point, const Contender* who, size_t calls) {
  double total = 0;
  const int loops = is_back_to_back(point);
  meet();
  const double begin = now_us();
  for (size_t i = 0; i < calls; ++i) {
    rewrite(point, i);
    if (!loops) meet();
    const double start = loops ? 0 : now_us();
    who->call(point);
    if (!loops) total += now_us() - start;
    if (!loops) meet();
  }
  if (loops) total = now_us() - begin;
  return total / (double)calls;
}

static int is_right(const Point* point, const Contender* who, size_t calls) {
  if (point->collective == BARRIER || (crowded && who->call == exchange_lines)) return 1;
  if ((point->collective == REDUCE) != (rank == 0) && point->collective != ALLREDUCE) return 1;
  double expected = (double)((calls - 1) & 7);
  for (int other = 1; other < ranks && point->collective != BCAST; ++other)
    expected += (double)(((calls - 1) & 7) + (size_t)other);
  for (size_t i = 0; i < point->count; ++i)
    if (output[i] != expected) return 0;
  return 1;
}

/* The most of what all ranks say. */
static double most(double us) {
  places[rank].us = us;
  meet();
  double result = 0;
  for (int other = 0; other < ranks; ++other)
    if (places[other].us > result) result = places[other].us;
  meet();
  return result;
}

static void calibrate(const Point* point, Contender* who, double batch_us) {
  double best = 1e12;
  size_t calls = 1;
  for (int attempt = 0; attempt < 6; ++attempt) {
    const double us = most(batch(point, who, calls));
    if (us < best) best = us;
    const double wanted = batch_us / 2 / best;
    calls = wanted < 1 ? 1 : wanted > 20.0 * (double)calls ? 20 * calls : (size_t)wanted;
    if (attempt >= 2 && best > batch_us / 10) break;
  }
  /* When ranks take turns, a few calls are mostly the skew of their start. */
  const size_t fewest = crowded ? 10 : 1;
  who->calls = batch_us / best > (double)fewest ? (size_t)(batch_us / best) : fewest;
}

static long switches(void) {
  struct rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  return usage.ru_nivcsw;
}

static void sample(const Point* point, const Contender* who, int round) {
  Place* mine = &places[rank];
  const double before = probe();
  const long start = switches();
  mine->us = batch(point, who, who->calls);
  mine->switches = switches() - start;
  mine->right = is_right(point, who, who->calls);
  meet();
  const double after = probe();
  if (rank == 0) {
    double us = 0;
    long disturbed = 0;
    int right = 1;
    for (int other = 0; other < ranks; ++other) {
      if (places[other].us > us) us = places[other].us;
      disturbed += crowded ? 0 : places[other].switches;
      right &= places[other].right;
    }
    printf("S,%s,%zu,%s,%d,%.4f,%.0f,%.0f,%d,%d\n", kNames[point->collective],
           point->count * sizeof(double), who->name, round, us, before, after, disturbed != 0,
           right);
    fflush(stdout);
  }
  meet();
}

static int is_over(double start, double most_seconds) {
  return most(rank == 0 && now_us() - start > most_seconds * 1e6) > 0;
}

static void measure(const Point* point, const char* beside, int rounds, double batch_us,
                    double most_seconds) {
  const int in_lines = crowded || point->collective == BARRIER ||
                       (point->collective == ALLREDUCE && point->count <= LINE_DOUBLES);
  Contender who[3] = {{"mpi", call_mpi, 1}, {"floor", in_lines ? exchange_lines : copy_strips, 1}};
  const int count = beside ? 3 : 2;
  if (beside) who[2] = (Contender){beside, call_below, 1};
  for (int i = 0; i < count; ++i) calibrate(point, &who[i], batch_us);
  const double start = now_us();
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < count; ++i) sample(point, &who[(i + round) % count], round);
    if (is_over(start, most_seconds) && round >= 2) break;
  }
}

/* ---- set-up ---- */

static void share_places(void) {
  char name[64];
  snprintf(name, sizeof name, "/dev/shm/terrace-bench-%d", (int)getpid());
  PMPI_Bcast(name, sizeof name, MPI_CHAR, 0, MPI_COMM_WORLD);
  const size_t bytes = sizeof(Place) * (size_t)ranks;
  int file = -1;
  if (rank == 0) file = open(name, O_RDWR | O_CREAT | O_EXCL, 0600);
  if (rank == 0 && (file < 0 || ftruncate(file, (off_t)bytes) != 0)) file = -1;
  PMPI_Barrier(MPI_COMM_WORLD);
  if (rank != 0) file = open(name, O_RDWR);
  places = file < 0 ? MAP_FAILED : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (places == MAP_FAILED) {
    fprintf(stderr, "collectives: cannot share memory through %s\n", name);
    PMPI_Abort(MPI_COMM_WORLD, 1);
  }
  memset(&places[rank], 0, sizeof(Place));
  PMPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0) unlink(name);
}

/* Every rank to one PU in turn. */
static void pin(void) {
  cpu_set_t all, mine;
  CPU_ZERO(&mine);
  pus = (int)sysconf(_SC_NPROCESSORS_ONLN);
  CPU_ZERO(&all);
  CPU_SET(rank % pus, &mine);
  sched_setaffinity(0, sizeof mine, &mine);
  crowded = ranks > pus;
}

static double* vector(size_t bytes) {
  void* place = NULL;
  if (posix_memalign(&place, 4096, bytes + 4096) != 0) PMPI_Abort(MPI_COMM_WORLD, 1);
  memset(place, 0, bytes + 4096);
  return place;
}

static const char* option(int count, char** words, const char* name, const char* otherwise) {
  for (int i = 1; i + 1 < count; ++i)
    if (strcmp(words[i], name) == 0) return words[i + 1];
  return otherwise;
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  pin();
  share_places();
  const char* beside = option(count, words, "--beside", NULL);
  const int rounds = atoi(option(count, words, "--rounds", "20"));
  const double batch_us = atof(option(count, words, "--batch-us", "300"));
  const double seconds = atof(option(count, words, "--seconds", "3"));
  const char* wanted = option(count, words, "--collectives", "barrier,bcast,reduce,allreduce");
  char* sizes = strdup(option(count, words, "--bytes", "8,64,512,4096,32768,262144,1048576"));
  size_t bytes[32], size_count = 0, largest = 8;
  for (char* word = strtok(sizes, ","); word && size_count < 32; word = strtok(NULL, ",")) {
    bytes[size_count] = strtoul(word, NULL, 10) / 8 * 8;
    if (bytes[size_count] > largest) largest = bytes[size_count];
    ++size_count;
  }
  input = vector(largest);
  output = vector(largest);
  for (int collective = 0; collective < COLLECTIVES; ++collective) {
    const char* found = strstr(wanted, kNames[collective]);
    /* "reduce" is part of "allreduce". */
    if (collective == REDUCE && found && found > wanted && found[-1] == 'l')
      found = strstr(found + 1, ",reduce");
    if (!found) continue;
    for (size_t i = 0; i < size_count; ++i) {
      const Point point = {collective, collective == BARRIER ? 0 : bytes[i] / sizeof(double)};
      measure(&point, beside, rounds, batch_us, seconds);
      if (collective == BARRIER) break;
    }
  }
  MPI_Finalize();
  return 0;
}
