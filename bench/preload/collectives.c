/* SPDX-License-Identifier: BSD-3-Clause
 * Times the collectives of an MPI in batches, and messages between pairs of ranks: ping_pong (half
 * of a round trip) and stream (one of many that are sent at once). MPI_X is the library that
 * answers it (Terrace, if it is preloaded), PMPI_X always the MPI itself, so both run in turn in
 * one process; beside them hand-written floors in shared memory. Ranks may be threads, with a copy
 * of this program each. Prints one line per batch; run.py makes tables of them.
 *
 * A batch is a loop: ranks write their source, meet, call, and read the result. It has two times:
 * of the call alone, and of the whole iteration, which includes what a call leaves for the next
 * touches of its buffers. In loops without a barrier both are the iteration's.
 *
 *   collectives [--bytes LIST] [--collectives LIST] [--rounds N] [--batch-us T] [--beside NAME]
 * --bytes: of a rank's vector, or of each block. --beside: time PMPI_X as well, under this name.
 * --style reused: buffers are written before the first call of a batch only; else before each, as
 * programs do, whose new values lie in the caches of the core that wrote them. --style in_a_row:
 * likewise, and nothing keeps a rank from beginning its next call while others are in this one.
 * Output, by rank 0:
 *   S,collective,bytes,who,round,call_us,iteration_us,probe_before,probe_after,disturbed,right
 */
#define _GNU_SOURCE
#include <errno.h>
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

enum { SLOTS = 4, LINE_DOUBLES = 15, STRIP = 64 << 10, LOOP_BYTES = 64, MOST_RANKS = 64 };
enum { MOST_AT_ONCE = 64, FEW = 4 }; /* messages of a stream; calls of a batch at least */
enum {
  BARRIER,
  BCAST,
  REDUCE,
  ALLREDUCE,
  SCATTER,
  GATHER,
  ALLGATHER,
  ALLTOALL,
  REDUCE_SCATTER_BLOCK,
  SCAN,
  EXSCAN,
  PING_PONG,
  STREAM,
  COLLECTIVES
};
static const char* const kNames[] = {"barrier",   "bcast",    "reduce",
                                     "allreduce", "scatter",  "gather",
                                     "allgather", "alltoall", "reduce_scatter_block",
                                     "scan",      "exscan",   "ping_pong",
                                     "stream"};

typedef struct {
  _Alignas(128) _Atomic uint64_t turn;
  double payload[LINE_DOUBLES];
} Slot;

/* Microseconds of a message or collective: the call alone, and the whole iteration. */
typedef struct {
  double call, iteration;
} Times;

/* Memory that a rank shows to the others: all in one mapping, which a file without a name backs. */
typedef struct {
  Slot slots[SLOTS];
  _Alignas(128) _Atomic uint64_t arrived, ball, shown, read;
  _Alignas(128) _Atomic uint64_t passed;
  _Alignas(128) Times took;
  long switches;
  int right;
  _Alignas(4096) double strips[SLOTS][STRIP / sizeof(double)];
} Place;

static Place* places;
static int rank, ranks, pus, crowded;
static uint64_t arrivals, throws_, turns, strips_shown, passes;
/* Memory that the contender at hand reads and writes: private, or mapped by all ranks. */
static double *input, *output;
static double *private_input, *private_output;
static double *inputs[MOST_RANKS], *outputs[MOST_RANKS];

static volatile uint64_t seen; /* keeps compilers from dropping reads of results */
static size_t room;            /* doubles in each buffer */
static int reuses;             /* buffers, which are not written before each call */
static int goes_on;            /* to the next call, whatever others do */

typedef struct {
  int collective;
  size_t count; /* of a block */
} Point;

typedef struct {
  const char* name;
  void (*call)(const Point*);
  size_t calls;
} Contender;

static int is_rooted_out(int collective) {
  return collective == BCAST || collective == SCATTER;
}

static int is_rooted_in(int collective) {
  return collective == REDUCE || collective == GATHER;
}

static int sends_blocks(int collective) {
  return collective == SCATTER || collective == ALLTOALL || collective == REDUCE_SCATTER_BLOCK;
}

static int gets_blocks(int collective) {
  return collective == GATHER || collective == ALLGATHER || collective == ALLTOALL;
}

static int combines(int collective) {
  return collective == REDUCE || collective == ALLREDUCE || collective == REDUCE_SCATTER_BLOCK ||
         collective == SCAN || collective == EXSCAN;
}

static int is_message(int collective) {
  return collective == PING_PONG || collective == STREAM;
}

/* This rank's partner for messages; the last of an odd number has none. */
static int partner(void) {
  const int other = rank ^ 1;
  return other < ranks ? other : -1;
}

static int is_sender(void) {
  return rank % 2 == 0;
}

/* Messages of a stream that are sent at once. */
static size_t at_once(size_t count) {
  const size_t fitting = count == 0 ? MOST_AT_ONCE : room / count;
  return fitting > MOST_AT_ONCE ? MOST_AT_ONCE : fitting;
}

static int gives(int collective) {
  if (is_message(collective)) return partner() >= 0 && (collective == PING_PONG || is_sender());
  return collective != BARRIER && (!is_rooted_out(collective) || rank == 0);
}

static int takes(int collective) {
  if (is_message(collective)) return partner() >= 0 && (collective == PING_PONG || !is_sender());
  return collective != BARRIER && (!is_rooted_in(collective) || rank == 0) &&
         (collective != BCAST || rank != 0) && (collective != EXSCAN || rank != 0);
}

static size_t input_blocks(const Point* point) {
  if (!gives(point->collective)) return 0;
  if (point->collective == STREAM) return at_once(point->count);
  return sends_blocks(point->collective) ? (size_t)ranks : 1;
}

static size_t output_blocks(const Point* point) {
  if (!takes(point->collective)) return 0;
  if (point->collective == STREAM) return at_once(point->count);
  return gets_blocks(point->collective) ? (size_t)ranks : 1;
}

/* Whether what this rank gets depends on what `other` brings. */
static int hears(int collective, int other) {
  if (!takes(collective)) return 0;
  if (is_rooted_out(collective)) return other == 0;
  if (collective == SCAN) return other <= rank;
  return collective == EXSCAN ? other < rank : 1;
}

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

/* ---- the MPI, and the library in front of it ---- */

#define WORLD MPI_COMM_WORLD
#define DOUBLES count, MPI_DOUBLE

static void throw_and_catch(int count) {
  const int other = partner();
  if (other < 0) return;
  if (is_sender()) MPI_Send(input, DOUBLES, other, 1, WORLD);
  MPI_Recv(output, DOUBLES, other, 1, WORLD, MPI_STATUS_IGNORE);
  if (!is_sender()) MPI_Send(input, DOUBLES, other, 1, WORLD);
}

/* All messages of a stream, and a word back when they are there. */
static void stream(int count) {
  MPI_Request requests[MOST_AT_ONCE];
  const int other = partner(), messages = (int)at_once((size_t)count);
  if (other < 0) return;
  for (int i = 0; i < messages; ++i)
    if (is_sender())
      MPI_Isend(input + i * count, DOUBLES, other, 2, WORLD, &requests[i]);
    else
      MPI_Irecv(output + i * count, DOUBLES, other, 2, WORLD, &requests[i]);
  MPI_Waitall(messages, requests, MPI_STATUSES_IGNORE);
  if (is_sender())
    MPI_Recv(NULL, 0, MPI_BYTE, other, 3, WORLD, MPI_STATUS_IGNORE);
  else
    MPI_Send(NULL, 0, MPI_BYTE, other, 3, WORLD);
}

#define DEFINE_CALL(name, X)                                             \
  static void name(const Point* point) {                                 \
    const int count = (int)point->count;                                 \
    switch (point->collective) {                                         \
      case BARRIER:                                                      \
        X##Barrier(WORLD);                                               \
        break;                                                           \
      case BCAST:                                                        \
        X##Bcast(rank == 0 ? input : output, DOUBLES, 0, WORLD);         \
        break;                                                           \
      case REDUCE:                                                       \
        X##Reduce(input, output, DOUBLES, MPI_SUM, 0, WORLD);            \
        break;                                                           \
      case ALLREDUCE:                                                    \
        X##Allreduce(input, output, DOUBLES, MPI_SUM, WORLD);            \
        break;                                                           \
      case SCATTER:                                                      \
        X##Scatter(input, DOUBLES, output, DOUBLES, 0, WORLD);           \
        break;                                                           \
      case GATHER:                                                       \
        X##Gather(input, DOUBLES, output, DOUBLES, 0, WORLD);            \
        break;                                                           \
      case ALLGATHER:                                                    \
        X##Allgather(input, DOUBLES, output, DOUBLES, WORLD);            \
        break;                                                           \
      case ALLTOALL:                                                     \
        X##Alltoall(input, DOUBLES, output, DOUBLES, WORLD);             \
        break;                                                           \
      case REDUCE_SCATTER_BLOCK:                                         \
        X##Reduce_scatter_block(input, output, DOUBLES, MPI_SUM, WORLD); \
        break;                                                           \
      case SCAN:                                                         \
        X##Scan(input, output, DOUBLES, MPI_SUM, WORLD);                 \
        break;                                                           \
      case EXSCAN:                                                       \
        X##Exscan(input, output, DOUBLES, MPI_SUM, WORLD);               \
        break;                                                           \
      case PING_PONG:                                                    \
        throw_and_catch(count);                                          \
        break;                                                           \
      default:                                                           \
        stream(count);                                                   \
    }                                                                    \
  }
DEFINE_CALL(call_mpi, MPI_)
DEFINE_CALL(call_below, PMPI_)

/* ---- floors ---- */

/* n values of this rank's output at `begin` of a block, from what `other` shows; `step` is how far
 * its blocks lie apart there. */
static void take(int collective, int other, const double* theirs, size_t step, size_t begin,
                 size_t n, size_t count, int* is_first) {
  const double* from = theirs + (sends_blocks(collective) ? (size_t)rank * step : 0);
  double* to = output + (gets_blocks(collective) ? (size_t)other * count : 0) + begin;
  if (!combines(collective) || *is_first)
    memcpy(to, from, n * sizeof(double));
  else
    for (size_t i = 0; i < n; ++i) to[i] += from[i];
  *is_first = 0;
}

/* Two operands in one pass, as any collective of two ranks that combines. */
static int take_both(const Point* point, const double* theirs, size_t step, size_t begin,
                     size_t n) {
  if (ranks != 2 || !combines(point->collective) || !hears(point->collective, 1 - rank) ||
      point->collective == EXSCAN)
    return 0;
  const size_t block = sends_blocks(point->collective) ? (size_t)rank : 0;
  const double* mine = input + block * point->count + begin;
  const double* from = theirs + block * step;
  double* to = output + begin;
  for (size_t i = 0; i < n; ++i) to[i] = mine[i] + from[i];
  return 1;
}

/* A store and a look at the lines of those one hears from: all that a rank brings fits in one. */
static void exchange_lines(const Point* point) {
  const uint64_t turn = ++turns;
  const int collective = point->collective;
  const int is_empty = crowded || collective == BARRIER;
  const size_t count = is_empty ? 0 : point->count;
  Slot* mine = &places[rank].slots[turn % SLOTS];
  const size_t given = input_blocks(point) * count;
  for (size_t i = 0; i < given; ++i) mine->payload[i] = input[i];
  show(&mine->turn, turn);
  int is_first = 1;
  for (int other = 0; other < ranks; ++other) {
    if (!is_empty && !hears(collective, other)) continue;
    Slot* slot = &places[other].slots[turn % SLOTS];
    await(&slot->turn, turn);
    if (count) take(collective, other, slot->payload, count, 0, count, count, &is_first);
  }
}

/* Copies a strip of each block that others read to where they read it. */
static void give_strip(const Point* point, uint64_t number, size_t begin, size_t n) {
  for (int other = 0; other < ranks && number > SLOTS; ++other)
    if (other != rank) await(&places[other].read, number - SLOTS);
  const size_t blocks = input_blocks(point);
  for (size_t block = 0; block < blocks; ++block)
    if (blocks == 1 || block != (size_t)rank)
      memcpy(places[rank].strips[number % SLOTS] + block * n, input + block * point->count + begin,
             n * sizeof(double));
  show(&places[rank].shown, number);
}

static void take_strip(const Point* point, uint64_t number, size_t begin, size_t n) {
  int is_first = 1;
  const int peer = 1 - rank;
  if (ranks == 2 && hears(point->collective, peer)) {
    await(&places[peer].shown, number);
    if (take_both(point, places[peer].strips[number % SLOTS], n, begin, n)) return;
  }
  for (int other = 0; other < ranks; ++other) {
    if (!hears(point->collective, other)) continue;
    if (other != rank) await(&places[other].shown, number);
    const double* theirs = other == rank ? input + begin : places[other].strips[number % SLOTS];
    take(point->collective, other, theirs, other == rank ? point->count : n, begin, n, point->count,
         &is_first);
  }
}

/* Strips through shared slots: the givers copy in, the takers read; no rank runs more than the
 * slots ahead. */
static void copy_strips(const Point* point) {
  const size_t blocks = sends_blocks(point->collective) ? (size_t)ranks : 1;
  const size_t strip = STRIP / sizeof(double) / blocks;
  const uint64_t first = strips_shown;
  const size_t strip_count = (point->count + strip - 1) / strip;
  const int is_giver = gives(point->collective), is_taker = takes(point->collective);
  for (size_t s = 0; s < strip_count; ++s) {
    const size_t begin = s * strip;
    const size_t n = point->count - begin < strip ? point->count - begin : strip;
    if (is_giver) give_strip(point, first + s + 1, begin, n);
    if (is_taker) take_strip(point, first + s + 1, begin, n);
    show(&places[rank].read, first + s + 1);
  }
  strips_shown = first + strip_count;
  if (!is_giver) show(&places[rank].shown, strips_shown);
}

static void pass_barrier(void) {
  show(&places[rank].passed, ++passes);
  for (int other = 0; other < ranks; ++other) await(&places[other].passed, passes);
}

/* This rank's share of the elements, for all ranks that want them: every input is read once. */
static void split(const Point* point) {
  const size_t lines = point->count / 8;
  const size_t begin = lines * (size_t)rank / (size_t)ranks * 8;
  const size_t end =
      rank + 1 == ranks ? point->count : lines * (size_t)(rank + 1) / (size_t)ranks * 8;
  const int is_bcast = point->collective == BCAST;
  if (!is_bcast && ranks == 2) {
    double* const second = outputs[point->collective == ALLREDUCE ? 1 : 0];
    for (size_t i = begin; i < end; ++i) outputs[0][i] = second[i] = inputs[0][i] + inputs[1][i];
    return;
  }
  for (int other = 0; other < ranks && is_bcast; ++other)
    if (other != 0)
      memcpy(outputs[other] + begin, inputs[0] + begin, (end - begin) * sizeof(double));
  for (size_t i = begin; i < end && !is_bcast; ++i) {
    double sum = 0;
    for (int other = 0; other < ranks; ++other) sum += inputs[other][i];
    for (int other = 0; other < (point->collective == ALLREDUCE ? ranks : 1); ++other)
      outputs[other][i] = sum;
  }
}

/* Buffers that all ranks map: each makes its output, or its share, between two bare barriers. */
static void read_directly(const Point* point) {
  const int collective = point->collective;
  pass_barrier();
  if (collective == BCAST || collective == REDUCE || collective == ALLREDUCE) {
    split(point);
  } else if (collective == GATHER) {
    memcpy(outputs[0] + (size_t)rank * point->count, input, point->count * sizeof(double));
  } else {
    int is_first = 1;
    if (ranks != 2 || !take_both(point, inputs[1 - rank], point->count, 0, point->count))
      for (int other = 0; other < ranks; ++other)
        if (hears(collective, other))
          take(collective, other, inputs[other], point->count, 0, point->count, point->count,
               &is_first);
  }
  pass_barrier();
}

/* A line there, and one back. */
static void throw_lines(const Point* point) {
  const uint64_t turn = ++turns;
  const size_t bytes = point->count * sizeof(double);
  if (partner() < 0) return;
  Slot *mine = &places[rank].slots[turn % SLOTS], *theirs = &places[partner()].slots[turn % SLOTS];
  if (!is_sender()) await(&theirs->turn, turn);
  if (!is_sender()) memcpy(output, theirs->payload, bytes);
  memcpy(mine->payload, input, bytes);
  show(&mine->turn, turn);
  if (is_sender()) await(&theirs->turn, turn);
  if (is_sender()) memcpy(output, theirs->payload, bytes);
}

static void meet_partner(void) {
  show(&places[rank].passed, ++passes);
  await(&places[partner()].passed, passes);
}

/* Messages that the receiver takes from where they are, alone or each side a half of them. */
static void move(int from, size_t count, int both) {
  const size_t half = count / 16 * 8;
  meet_partner();
  const int is_receiver = rank != from;
  const size_t begin = both && is_receiver ? half : 0, end = both && !is_receiver ? half : count;
  if (both || is_receiver)
    memcpy(outputs[from ^ 1] + begin, inputs[from] + begin, (end - begin) * sizeof(double));
  meet_partner();
}

static void move_all(const Point* point, int both) {
  if (partner() < 0) return;
  const int first = rank & ~1;
  const size_t count =
      point->collective == STREAM ? at_once(point->count) * point->count : point->count;
  move(first, count, both);
  if (point->collective == PING_PONG) move(first + 1, count, both);
}

static void pull_messages(const Point* point) {
  move_all(point, 0);
}

static void move_messages_together(const Point* point) {
  move_all(point, 1);
}

/* ---- timing ---- */

/* Whether each rank waits for all others. */
static int is_symmetric(int collective) {
  return collective == BARRIER || collective == ALLREDUCE || collective == ALLGATHER ||
         collective == ALLTOALL || collective == REDUCE_SCATTER_BLOCK || collective == PING_PONG;
}

static int is_back_to_back(const Point* point) {
  const int is_short = point->count * sizeof(double) <= LOOP_BYTES;
  return crowded || goes_on || (is_symmetric(point->collective) && is_short);
}

/* Returns what `giver` brings in its block for `block`. */
static double value_of(int collective, int giver, size_t block, size_t call) {
  return (double)((call & 7) + (size_t)giver + (sends_blocks(collective) ? 16 * block : 0));
}

/* Returns the call whose values a call brings. */
static size_t written_for(size_t call) {
  return reuses ? 0 : call;
}

static void rewrite(const Point* point, size_t call) {
  if (written_for(call) != call) return;
  const size_t blocks = input_blocks(point);
  for (size_t block = 0; block < blocks; ++block) {
    const double value = value_of(point->collective, rank, block, call);
    for (size_t i = 0; i < point->count; ++i) input[block * point->count + i] = value;
  }
}

/* Reads all that has come, as a program does before it calls again. */
static void read_results(const Point* point) {
  const uint64_t* words = (const uint64_t*)output;
  const size_t count = output_blocks(point) * point->count;
  uint64_t all = 0;
  for (size_t i = 0; i < count; ++i) all ^= words[i];
  seen = all;
}

static int is_shared(const Contender* who) {
  return who->call == read_directly || who->call == pull_messages ||
         who->call == move_messages_together;
}

/* Returns the number of parts that a call's time is told of. */
static size_t parts(const Point* point) {
  if (point->collective == STREAM) return at_once(point->count);
  return point->collective == PING_PONG ? 2 : 1;
}

static Times batch(const Point* point, const Contender* who, size_t calls) {
  double within = 0;
  const int loops = is_back_to_back(point);
  input = is_shared(who) ? inputs[rank] : private_input;
  output = is_shared(who) ? outputs[rank] : private_output;
  if (!loops && calls <= FEW) {
    /* The batch before has filled the caches with another contender's memory. */
    rewrite(point, 0);
    meet();
    who->call(point);
  }
  meet();
  const double begin = now_us();
  for (size_t i = 0; i < calls; ++i) {
    rewrite(point, i);
    if (!loops) meet();
    const double start = loops ? 0 : now_us();
    who->call(point);
    if (!loops) within += now_us() - start;
    read_results(point);
  }
  const double all = now_us() - begin, each = (double)(calls * parts(point));
  return (Times){(loops ? all : within) / each, all / each};
}

static double expected(int collective, size_t block, size_t call) {
  if (is_message(collective)) return value_of(collective, partner(), 0, call);
  if (!combines(collective))
    return value_of(collective, is_rooted_out(collective) ? 0 : (int)block, (size_t)rank, call);
  double sum = 0;
  for (int other = 0; other < ranks; ++other)
    if (hears(collective, other)) sum += value_of(collective, other, (size_t)rank, call);
  return sum;
}

/* Each value in the first round, one of each line later. */
static int is_right(const Point* point, const Contender* who, size_t calls, int round) {
  if (crowded && who->call == exchange_lines) return 1;
  const size_t blocks = output_blocks(point);
  for (size_t block = 0; block < blocks; ++block) {
    const double value = expected(point->collective, block, written_for(calls - 1));
    for (size_t i = 0; i < point->count; i += round == 0 ? 1 : 8)
      if (output[block * point->count + i] != value) return 0;
  }
  return 1;
}

static double larger(double a, double b) {
  return a > b ? a : b;
}

/* The longest that any rank took, once all have met. */
static Times longest(void) {
  Times result = {0, 0};
  for (int other = 0; other < ranks; ++other) {
    result.call = larger(result.call, places[other].took.call);
    result.iteration = larger(result.iteration, places[other].took.iteration);
  }
  return result;
}

/* The most of what all ranks say. */
static double most(double us) {
  places[rank].took = (Times){us, us};
  meet();
  const double result = longest().iteration;
  meet();
  return result;
}

static int is_over(double start, double most_seconds) {
  return most(rank == 0 && now_us() - start > most_seconds * 1e6) > 0;
}

static void calibrate(const Point* point, Contender* who, double batch_us) {
  double best = 1e12;
  size_t calls = 1;
  for (int attempt = 0; attempt < 6; ++attempt) {
    const double us = most(batch(point, who, calls).iteration);
    if (us < best) best = us;
    const double wanted = batch_us / 2 / best;
    calls = wanted < 1 ? 1 : wanted > 20.0 * (double)calls ? 20 * calls : (size_t)wanted;
    if (attempt >= 2 && best > batch_us / 10) break;
  }
  /* When ranks take turns, a few calls are mostly the skew of their start; and of long vectors a
   * single one shows what was in the caches before it. */
  const size_t fewest = crowded ? 10 : FEW;
  who->calls = batch_us / best > (double)fewest ? (size_t)(batch_us / best) : fewest;
}

/* Probes of the machine as it was when calls of a point had settled. */
typedef struct {
  double probes[8];
  size_t count;
} Settled;

/* The library that answers MPI_X may try several ways on the first calls of a kind, and again where
 * the machine has changed: what counts is what comes of it. Terrace tries when calls have taken so
 * long that a trial is 2 % of it: some milliseconds of short calls, where ranks share cores some
 * hundred. Calls of a second at most. */
static void settle(const Point* point, const Contender* who, Settled* settled) {
  enum { MOST = sizeof settled->probes / sizeof *settled->probes };
  const double own = probe();
  const double seen = most(rank == 0 ? own : 0);
  for (size_t i = 0; i < settled->count && i < MOST; ++i)
    if (seen >= 0.8 * settled->probes[i] && seen <= 1.25 * settled->probes[i]) return;
  settled->probes[settled->count++ % MOST] = seen;
  const double start = now_us(), least_seconds = crowded ? 0.3 : 0.05;
  const size_t together = crowded ? 128 : 16, calls = crowded ? 2560 : 256;
  for (size_t made = 0; made < calls || !is_over(start, least_seconds); made += together) {
    batch(point, who, together);
    if (is_over(start, 1)) break;
  }
}

static long switches(void) {
  struct rusage usage;
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

static void sample(const Point* point, const Contender* who, int round) {
  Place* mine = &places[rank];
  const double before = probe();
  const long start = switches();
  mine->took = batch(point, who, who->calls);
  mine->switches = switches() - start;
  mine->right = is_right(point, who, who->calls, round);
  meet();
  const double after = probe();
  if (rank == 0) {
    const Times took = longest();
    long disturbed = 0;
    int right = 1;
    for (int other = 0; other < ranks; ++other) {
      disturbed += crowded ? 0 : places[other].switches;
      right &= places[other].right;
    }
    printf("S,%s,%zu,%s,%d,%.4f,%.4f,%.0f,%.0f,%d,%d\n", kNames[point->collective],
           point->count * sizeof(double), who->name, round, took.call, took.iteration, before,
           after, disturbed != 0, right);
    fflush(stdout);
  }
  meet();
}

/* Floors need half as many batches: they are shown, not compared pair by pair. */
static int is_floor(const Contender* who) {
  return who->call != call_mpi && who->call != call_below;
}

static int contenders(const Point* point, const char* beside, Contender* who) {
  int count = 0;
  who[count++] = (Contender){"mpi", call_mpi, 1};
  if (beside) who[count++] = (Contender){beside, call_below, 1};
  /* Floors do not keep what has not been read yet. */
  if (goes_on && !is_symmetric(point->collective)) return count;
  const size_t given = sends_blocks(point->collective) ? (size_t)ranks : 1;
  if (is_message(point->collective)) {
    if (point->collective == PING_PONG && point->count <= LINE_DOUBLES) {
      who[count++] = (Contender){"lines", throw_lines, 1};
    } else if (inputs[0]) {
      who[count++] = (Contender){"direct", pull_messages, 1};
      who[count++] = (Contender){"together", move_messages_together, 1};
    }
  } else if (crowded || point->count * given <= LINE_DOUBLES) {
    who[count++] = (Contender){"lines", exchange_lines, 1};
  } else {
    who[count++] = (Contender){"copied", copy_strips, 1};
    if (inputs[0]) who[count++] = (Contender){"direct", read_directly, 1};
  }
  return count;
}

static void measure(const Point* point, const char* beside, int rounds, double batch_us,
                    double most_seconds) {
  Contender who[4];
  Settled settled = {{0}, 0};
  const int count = contenders(point, beside, who);
  settle(point, &who[0], &settled);
  for (int i = 0; i < count; ++i) calibrate(point, &who[i], batch_us);
  const double start = now_us();
  for (int round = 0; round < rounds; ++round) {
    settle(point, &who[0], &settled);
    for (int i = 0; i < count; ++i) {
      const Contender* next = &who[(i + round) % count];
      if (!is_floor(next) || round % 2 == 0) sample(point, next, round);
    }
    if (is_over(start, most_seconds) && round >= 3) break;
  }
}

/* ---- set-up ---- */

/* A file without a name that rank `owner` makes and all map. */
static void* shared(int owner, size_t bytes) {
  char name[64] = "";
  int file = -1;
  if (rank == owner) {
    file = memfd_create("terrace-bench", 0);
    if (file >= 0 && ftruncate(file, (off_t)bytes) == 0)
      snprintf(name, sizeof name, "/proc/%d/task/%d/fd/%d", (int)getpid(), (int)gettid(), file);
  }
  PMPI_Bcast(name, sizeof name, MPI_CHAR, owner, MPI_COMM_WORLD);
  if (rank != owner) file = open(name, O_RDWR);
  void* place =
      file < 0 ? MAP_FAILED : mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (place == MAP_FAILED) {
    fprintf(stderr, "collectives: rank %d cannot map the memory of rank %d: %s\n", rank, owner,
            strerror(errno));
    PMPI_Abort(MPI_COMM_WORLD, 1);
  }
  PMPI_Barrier(MPI_COMM_WORLD);
  close(file);
  return place;
}

static void share_places(void) {
  places = shared(0, sizeof(Place) * (size_t)ranks);
  memset(&places[rank], 0, sizeof(Place));
  PMPI_Barrier(MPI_COMM_WORLD);
}

/* The buffers of floors that use memory which peers reach. */
static void share_buffers(size_t bytes) {
  for (int owner = 0; owner < ranks; ++owner) {
    inputs[owner] = shared(owner, bytes);
    outputs[owner] = shared(owner, bytes);
  }
  memset(inputs[rank], 0, bytes);
  memset(outputs[rank], 0, bytes);
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
  /* More ranks than PUs that spin in real time would take the machine from all other programs. */
  const struct sched_param ordinary = {0};
  if (crowded) sched_setscheduler(0, SCHED_OTHER, &ordinary);
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

static int is_wanted(const char* list, const char* name) {
  const size_t length = strlen(name);
  for (const char* at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
    if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == 0)) return 1;
  return 0;
}

static size_t read_sizes(const char* list, size_t* bytes, size_t most) {
  char* sizes = strdup(list);
  size_t found = 0;
  for (char* word = strtok(sizes, ","); word && found < most; word = strtok(NULL, ","))
    bytes[found++] = strtoul(word, NULL, 10) / 8 * 8;
  free(sizes);
  return found;
}

/* Blocks of all ranks lie in one buffer of the largest size. */
static void make_buffers(const char* wanted, const size_t* bytes, size_t size_count) {
  size_t largest = 8, blocks = 1;
  for (size_t i = 0; i < size_count; ++i) largest = bytes[i] > largest ? bytes[i] : largest;
  for (int collective = 0; collective < COLLECTIVES; ++collective)
    if (is_wanted(wanted, kNames[collective]) &&
        (sends_blocks(collective) || gets_blocks(collective)))
      blocks = (size_t)ranks;
  room = largest * blocks / sizeof(double);
  private_input = vector(largest * blocks);
  private_output = vector(largest * blocks);
  if (!crowded) share_buffers(largest * blocks);
}

int main(int count, char** words) {
  MPI_Init(&count, &words);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (ranks > MOST_RANKS) PMPI_Abort(MPI_COMM_WORLD, 1);
  pin();
  share_places();
  const char* beside = option(count, words, "--beside", NULL);
  const int rounds = atoi(option(count, words, "--rounds", "20"));
  const double batch_us = atof(option(count, words, "--batch-us", "300"));
  const double seconds = atof(option(count, words, "--seconds", "3"));
  const char* style = option(count, words, "--style", "rewritten");
  reuses = strcmp(style, "reused") == 0;
  goes_on = strcmp(style, "in_a_row") == 0;
  const char* wanted = option(count, words, "--collectives", "barrier,bcast,reduce,allreduce");
  size_t bytes[32];
  const size_t size_count =
      read_sizes(option(count, words, "--bytes", "8,64,512,4096,32768,262144,1048576"), bytes, 32);
  make_buffers(wanted, bytes, size_count);
  for (int collective = 0; collective < COLLECTIVES; ++collective) {
    if (!is_wanted(wanted, kNames[collective])) continue;
    for (size_t i = 0; i < size_count; ++i) {
      if (bytes[i] == 0 && collective != BARRIER && !is_message(collective)) continue;
      const Point point = {collective, collective == BARRIER ? 0 : bytes[i] / sizeof(double)};
      measure(&point, beside, rounds, batch_us, seconds);
      if (collective == BARRIER) break;
    }
  }
  MPI_Finalize();
  return 0;
}
