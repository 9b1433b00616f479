// SPDX-License-Identifier: BSD-3-Clause
// Mixed blocking collectives, all 17, for as long as wanted, next to all else that programs do with
// an MPI: communicators come and go, messages, windows and other collectives are pending, ranks are
// late. What each rank must get, it computes from the seed. A difference names the seed and the
// call, which come again with the same seed and episode.
//
// soak SEED SECONDS [--episode N (this one alone)] [--steps N (of an episode)] [--threads N]
//      [--brisk 1 (nearly all values short, hardly anything else: many more calls in the same
//      time)] [--windows 0 (none, for MPIs that make none there)]
//      [--tame 1 (for MPIs alone, without Terrace)] [--devices LIBRARY (a fake GPU's, opened while
//      calls are on; buffers lie in its memory from then on)] [--devices-at RANK (that one alone)]
#include <dirent.h>
#include <dlfcn.h>
#include <malloc.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "soak_types.h"

enum {
  kMostRanks = 16,
  kGroups = 6,
  kMostPending = 3,
  kMostThreads = 4,
  kMargin = 128,  // around buffers, of bytes that must not be touched
  kUntouched = 0x5a,
  kHangsAfter = 100,  // seconds
  kWindowNumbers = 64,
  kFirstCalls = 4,     // on a communicator; it has a team by then
  kMostSpaced = 4096,  // elements with gaps: these take much memory
};

typedef enum {
  barrier,
  bcast,
  gather,
  gatherv,
  scatter,
  scatterv,
  allgather,
  allgatherv,
  alltoall,
  alltoallv,
  alltoallw,
  reduce,
  allreduce,
  reduce_scatter,
  reduce_scatter_block,
  scan,
  exscan,
  kCollectives
} Collective;
static const char* const names[kCollectives] = {
    "barrier",   "bcast",     "gather",     "gatherv",        "scatter",
    "scatterv",  "allgather", "allgatherv", "alltoall",       "alltoallv",
    "alltoallw", "reduce",    "allreduce",  "reduce_scatter", "reduce_scatter_block",
    "scan",      "exscan"};

/// Some ranks; on an intercommunicator, those of the other side too. Every rank of the world takes
/// part in each step, on the group that it is in, if any.
typedef struct {
  MPI_Comm comm;  // MPI_COMM_NULL: this rank is in none
  int rank, size, remote_size;
  uint64_t salt;  // tells groups of one step apart: their data must differ
  int is_inter, calls;
} Group;

/// What was begun at one step and is completed at another.
typedef struct {
  enum { kNothing, kRing, kNonblocking, kGet } what;
  MPI_Request requests[2];
  unsigned char *given, *got;
  int bytes, from;
  uint64_t key, sum;
  int64_t number, result;
} Pending;

/// A thread that calls, with all that its calls need.
typedef struct {
  MPI_Comm world, messages;
  MPI_Win window;
  int64_t numbers[kWindowNumbers];  // in the window
  int rank, ranks, thread;
  uint64_t seed, episode, state, own_state;
  unsigned step, steps;
  Types types;
  MPI_Op operators[2];  // the program's
  Group groups[kGroups];
  Pending pending[kMostPending];
  int churn;   // of 1000 steps, how many make a communicator
  int beside;  // ... do something else than a collective
  // The step at hand.
  Collective collective;
  Group* group;
  Operator op;
  uint64_t key;
  int root, count, in_place, family;
  uint64_t calls, made;
} Player;

static Player players[kMostThreads];
static __thread Player* me;  // for operators
static int failures = 0;
static int is_threaded = 0, is_tame = 0, is_brisk = 0, has_windows = 1;

static double read_clock(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static double now(void) {
  return read_clock(CLOCK_MONOTONIC);
}

/// The nodes of one machine share no other clock (./dev nodes).
static double time_of_day(void) {
  return read_clock(CLOCK_REALTIME);
}

static int describe(char* text, size_t bytes, const Player* p) {
  const Type* type = &p->types.types[p->family][0];
  return snprintf(text, bytes,
                  "%s at rank %d of %d (rank %d of the world), thread %d, step %u of seed %llu "
                  "episode %llu: %d of %s, %s, root %d%s\n",
                  names[p->collective], p->group ? p->group->rank : -1,
                  p->group ? p->group->size : 0, p->rank, p->thread, p->step,
                  (unsigned long long)p->seed, (unsigned long long)p->episode, p->count,
                  type->family ? type->family->name : "nothing", operator_names[p->op], p->root,
                  p->in_place ? ", in place" : "");
}

static void fail(const Player* p, const char* format, ...) {
  char what[300], where[600];
  va_list values;
  va_start(values, format);
  vsnprintf(what, sizeof what, format, values);
  va_end(values);
  describe(where, sizeof where, p);
  fprintf(stderr, "wrong: %s; %s", what, where);
  // What has gone wrong once goes on; ten sentences are enough.
  if (__atomic_add_fetch(&failures, 1, __ATOMIC_RELAXED) >= 10) MPI_Abort(MPI_COMM_WORLD, 1);
}

/// Hangs, or crashes: where?
static void say_where(int number) {
  char text[700] = "hangs: ";
  if (number != SIGALRM) memcpy(text, "dies:  ", 7), signal(number, SIG_DFL);
  for (int i = 0; i < kMostThreads; ++i) {
    if (players[i].ranks == 0) continue;
    const int length = describe(text + 7, sizeof text - 7, &players[i]);
    if (write(2, text, (size_t)length + 7) < 0) break;
  }
  sleep(3);  // the other ranks shall say where they are as well
  if (number == SIGALRM) _exit(3);
}

// ---- Random numbers: those that all ranks draw alike, and each rank's own.

static uint64_t draw(uint64_t* state) {
  return mixed(*state += 0x9e3779b97f4a7c15u);
}
static unsigned below(Player* p, unsigned most) {
  return (unsigned)(draw(&p->state) >> 16) % most;
}
static unsigned own_below(Player* p, unsigned most) {
  return (unsigned)(draw(&p->own_state) >> 16) % most;
}
/// Of the step at hand, known to all ranks.
static uint64_t known(const Player* p, int from, int to, int what) {
  return mixed(p->key + (uint64_t)from * 0xd6e8feb86659fd93u + (uint64_t)to * 0xa0761d6478bd642fu +
               (uint64_t)what * 0xe7037ed1a0b428dbu);
}

// ---- Buffers, and what they must be afterwards.

/// Calls that the MPI itself runs: what not every MPI does right is left out of these.
static int runs_below(const Player* p) {
  return is_tame || p->group->calls < kFirstCalls || p->group->size < 2;
}

typedef struct {
  unsigned char *memory, *image;
  size_t bytes;
  unsigned char* base;    // what the MPI gets
  unsigned char* device;  // where that is device memory
} Buffer;

/// A fake GPU's runtime, with a few blocks of its memory, in which buffers come to lie.
enum { kDeviceBlocks = 4, kDeviceBytes = 1 << 20 };
static struct {
  void* (*alloc)(size_t);
  long (*copies)(void);
  int (*cuda)(unsigned long long, unsigned long long, size_t);
  int (*hip)(void*, const void*, size_t, int);
  unsigned char* blocks[kDeviceBlocks];
  unsigned is_taken;
} device;
static const char* device_library = NULL;
static int device_rank = -1;

static void copy_device(void* to, const void* from, size_t bytes) {
  if (device.cuda)
    device.cuda((unsigned long long)(uintptr_t)to, (unsigned long long)(uintptr_t)from, bytes);
  else
    device.hip(to, from, bytes, 4);
}

static void open_device(void) {
  void* library = dlopen(device_library, RTLD_NOW);
  void (*begin)(void) = library ? (void (*)(void))dlsym(library, "fake_begin") : NULL;
  if (begin == NULL) {
    fprintf(stderr, "%s: %s\n", device_library, dlerror());
    MPI_Abort(MPI_COMM_WORLD, 1);
    return;
  }
  begin();
  *(void**)&device.alloc = dlsym(library, "fake_alloc");
  *(void**)&device.copies = dlsym(library, "fake_copies");
  *(void**)&device.cuda = dlsym(library, "cuMemcpy");
  *(void**)&device.hip = dlsym(library, "hipMemcpy");
  for (int b = 0; b < kDeviceBlocks; ++b) device.blocks[b] = device.alloc(kDeviceBytes);
}

/// For places from 0 to `span`, which may be below 0.
static Buffer new_buffer(ptrdiff_t span) {
  Buffer buffer;
  buffer.bytes = (size_t)span + 2 * kMargin;
  buffer.memory = malloc(buffer.bytes);
  buffer.image = malloc(buffer.bytes);
  memset(buffer.memory, kUntouched, buffer.bytes);
  memset(buffer.image, kUntouched, buffer.bytes);
  buffer.base = buffer.memory + kMargin;
  buffer.device = NULL;
  return buffer;
}

/// What the MPI gets lies in device memory from here on, if there is room.
static void move_to_device(const Player* p, Buffer* buffer) {
  if (device.alloc == NULL || runs_below(p) || buffer->bytes > kDeviceBytes || p->thread > 0)
    return;
  for (int b = 0; b < kDeviceBlocks; ++b) {
    if (device.is_taken >> b & 1) continue;
    device.is_taken |= 1u << b;
    buffer->device = device.blocks[b];
    copy_device(buffer->device, buffer->memory, buffer->bytes);
    buffer->base = buffer->device + kMargin;
    return;
  }
}

/// What has come there is looked at on the host.
static void move_to_host(Buffer* buffer) {
  if (buffer->device == NULL) return;
  copy_device(buffer->memory, buffer->device, buffer->bytes);
  buffer->base = buffer->memory + kMargin;
  for (int b = 0; b < kDeviceBlocks; ++b)
    if (buffer->device == device.blocks[b]) device.is_taken &= ~(1u << b);
}

static unsigned char* image_of(const Buffer* buffer) {
  return buffer->image + kMargin;
}

/// Of either sign.
static int zero_in(const unsigned char* at, int bytes) {
  for (int i = 0; i + 1 < bytes; ++i)
    if (at[i] != 0) return 0;
  return (at[bytes - 1] & 0x7f) == 0;
}

/// A zero may have either sign in products of complex numbers.
static void forgive_zeros(const Buffer* buffer, const Type* type, ptrdiff_t at, int count) {
  for (int i = 0; i < count; ++i, at += type->extent)
    for (int part = 0; part < 2; ++part) {
      const Kind kind = type->family->kinds[part];
      unsigned char* image = image_of(buffer) + at + type->places[part];
      const unsigned char* memory = buffer->base + at + type->places[part];
      const int is_zero = kind == f32 ? zero_in(memory, 4) : zero_in(memory, 8);
      if (is_zero && load(image, kind) == 0) memcpy(image, memory, (size_t)kind_bytes[kind]);
    }
}

/// Bytes that belong to no value may be anything where MPI's own types have them.
static void forgive(const Buffer* buffer, const Type* type, ptrdiff_t at, int count) {
  const Family* family = type->family;
  const int has_gaps = family->arithmetic == kPairs, is_long = family->kinds[0] == f80;
  if (family->arithmetic == kComplex) forgive_zeros(buffer, type, at, count);
  if (!has_gaps && !is_long) return;
  for (int i = 0; i < count; ++i, at += type->extent) {
    unsigned char* image = image_of(buffer) + at;
    const unsigned char* memory = buffer->base + at;
    if (is_long) {
      const ptrdiff_t gap = type->places[0] + kLongDoubleBytes;
      memcpy(image + gap, memory + gap, (size_t)kind_bytes[f80] - kLongDoubleBytes);
    }
    const ptrdiff_t end = type->places[0] + kind_bytes[family->kinds[0]];
    if (has_gaps) memcpy(image + end, memory + end, (size_t)(type->places[1] - end));
    const ptrdiff_t last = type->places[1] + kind_bytes[family->kinds[1]];
    if (has_gaps) memcpy(image + last, memory + last, (size_t)(type->extent - last));
  }
}

static void check(const Player* p, const Buffer* buffer, const char* which) {
  if (memcmp(buffer->memory, buffer->image, buffer->bytes) == 0) return;
  size_t at = 0, wrong = 0;
  for (size_t i = buffer->bytes; i-- > 0;)
    if (buffer->memory[i] != buffer->image[i]) at = i, ++wrong;
  fail(p, "%zu bytes of the %s of %zu, first at %td: is %d, expected %d", wrong, which,
       buffer->bytes - 2 * kMargin, (ptrdiff_t)at - kMargin, buffer->memory[at], buffer->image[at]);
}

static void end(Buffer* buffer) {
  free(buffer->memory), free(buffer->image);
}

/// What one rank has for another, or for all.
typedef struct {
  const Family* family;
  Operator op;
  uint64_t base;
  int is_tame;
} Source;

static Source source_of(const Player* p, const Family* family, int from, int to) {
  const Source source = {family, p->op, known(p, from, to, 1), runs_below(p)};
  return source;
}

static inline void element(const Source* source, int i, int64_t* parts) {
  const Family* family = source->family;
  uint64_t raw = (source->base + (uint64_t)i) * 0x9e3779b97f4a7c15u;
  raw ^= raw >> 32;
  for (int part = 0; part < family->parts; ++part, raw = mixed(raw))
    parts[part] = value_of(raw, family->kinds[part], source->op, source->is_tame);
}

static inline void put(unsigned char* at, const Type* type, int i, const int64_t* parts) {
  for (int part = 0; part < type->family->parts; ++part)
    store(at + i * type->extent + type->places[part], type->family->kinds[part], parts[part]);
}

static void put_block(const Player* p, unsigned char* at, const Type* type, int from, int to,
                      int count) {
  int64_t parts[kMostParts];
  const Source source = source_of(p, type->family, from, to);
  for (int i = 0; i < count; ++i) {
    element(&source, i, parts);
    put(at, type, i, parts);
  }
}

static MPI_Aint span_of(const Type* type, int count) {
  return count * type->extent + 64;
}

// ---- What moves.

/// One of the two buffers of a call, with a block or one for each rank.
typedef struct {
  int blocks;  // 0: this rank has no such buffer
  int first;   // number of the first
  const Type* types[kMostRanks];
  MPI_Datatype handles[kMostRanks];
  int counts[kMostRanks], places[kMostRanks];  // as the MPI gets them
  ptrdiff_t at[kMostRanks];                    // in bytes
  Buffer buffer;
} Side;

static int is_uneven(Collective collective) {
  return collective == gatherv || collective == scatterv || collective == allgatherv ||
         collective == alltoallv || collective == alltoallw;
}

/// How many elements one rank has for another.
static int count_of(const Player* p, int from, int to) {
  if (!is_uneven(p->collective) || p->count == 0) return p->count;
  // In place, what one rank gives is as long as what it gets.
  const int low = p->in_place && from > to ? to : from, high = from + to - low;
  const uint64_t raw = known(p, low, high, -7);
  return raw % 5 == 0 ? 0 : (int)(raw / 5 % ((uint64_t)p->count * 2));
}

/// Which layout a rank uses is its own affair.
static const Type* some_type(const Player* p, int salt) {
  const Family* family = &p->types.families[p->family];
  const uint64_t raw = known(p, p->group->rank, salt, -11);
  const int layout =
      raw % 2 || p->count > kMostSpaced ? 0 : (int)(raw / 2 % (uint64_t)layouts_of(family));
  return &p->types.types[p->family][layout];
}

/// Blocks one after the other, or, where they may be anywhere, in another order and with gaps.
static void lay_out(const Player* p, Side* side, int salt) {
  const int is_row = !is_uneven(p->collective) || side->blocks < 2;
  const int in_bytes = p->collective == alltoallw;
  const int turn = is_row ? 0 : (int)(known(p, p->group->rank, salt, -13) % (uint64_t)side->blocks);
  const Type* type = some_type(p, salt);
  ptrdiff_t end = 0;
  for (int n = 0; n < side->blocks; ++n) {
    const int b = (n + turn) % side->blocks;
    if (in_bytes) type = some_type(p, salt + 100 * b);
    const ptrdiff_t extent = in_bytes ? 1 : type->extent;
    if (in_bytes) end = aligned(end, 16) + 16;
    side->types[b] = type;
    side->handles[b] = type->handle;
    side->places[b] = (int)(end / extent);
    side->at[b] = side->places[b] * extent;
    end = side->at[b] + side->counts[b] * type->extent;
    if (in_bytes) end += 32;
    if (!is_row) end += (ptrdiff_t)(known(p, b, salt, -17) % 3) * type->extent;
  }
  side->buffer = new_buffer(end + 64);
}

static int goes_to_root(Collective collective) {
  return collective == gather || collective == gatherv;
}
static int comes_from_root(Collective collective) {
  return collective == scatter || collective == scatterv;
}
static int is_gather(Collective collective) {
  return goes_to_root(collective) || collective == allgather || collective == allgatherv;
}

/// From whom and to whom block b of an input and of an output goes. Of a gather to all, all blocks
/// go to "rank 0", as all ranks get the same.
static int target_of(const Player* p, int b) {
  if (goes_to_root(p->collective)) return p->root;
  return is_gather(p->collective) ? 0 : b;
}
static int giver(const Player* p) {
  return comes_from_root(p->collective) ? p->root : p->group->rank;
}
static int taker(const Player* p) {
  if (goes_to_root(p->collective)) return p->root;
  return is_gather(p->collective) ? 0 : p->group->rank;
}

static void make_sides(const Player* p, Side* in, Side* out) {
  const int size = p->group->size, rank = p->group->rank;
  const int is_root = rank == p->root;
  in->blocks = is_gather(p->collective) ? 1 : size;
  if (comes_from_root(p->collective) && !is_root) in->blocks = 0;
  out->blocks = comes_from_root(p->collective) ? 1 : size;
  if (goes_to_root(p->collective) && !is_root) out->blocks = 0;
  in->first = is_gather(p->collective) ? rank : 0;
  out->first = comes_from_root(p->collective) ? rank : 0;
  for (int b = 0; b < in->blocks; ++b)
    in->counts[b] = count_of(p, giver(p), target_of(p, in->first + b));
  for (int b = 0; b < out->blocks; ++b) {
    const int from = comes_from_root(p->collective) ? p->root : b;
    out->counts[b] = count_of(p, from, taker(p));
  }
  lay_out(p, in, 1);
  lay_out(p, out, 2);
}

/// Whether this rank has only one buffer.
static int is_in_place_here(const Player* p) {
  if (!p->in_place) return 0;
  const int is_rooted = goes_to_root(p->collective) || comes_from_root(p->collective);
  return !is_rooted || p->group->rank == p->root;
}

static void fill_sides(const Player* p, Side* in, Side* out) {
  const int is_here = is_in_place_here(p),
            gives_in_out = is_here && !comes_from_root(p->collective);
  for (int b = 0; b < in->blocks && !gives_in_out; ++b)
    put_block(p, in->buffer.base + in->at[b], in->types[b], giver(p), target_of(p, in->first + b),
              in->counts[b]);
  memcpy(in->buffer.image, in->buffer.memory, in->buffer.bytes);
  if (is_here && !gives_in_out) return;
  for (int b = 0; b < out->blocks; ++b) {
    const int from = comes_from_root(p->collective) ? p->root : b;
    const int is_input = gives_in_out && (!is_gather(p->collective) || b == p->group->rank);
    const int to = is_gather(p->collective) ? taker(p) : b;
    if (is_input)
      put_block(p, out->buffer.base + out->at[b], out->types[b], p->group->rank, to,
                out->counts[b]);
    put_block(p, image_of(&out->buffer) + out->at[b], out->types[b], from, taker(p),
              out->counts[b]);
  }
}

static void call_even(const Player* p, Side* in, Side* out, const void* from, void* to) {
  const MPI_Comm comm = p->group->comm;
  const MPI_Datatype none = MPI_DATATYPE_NULL;
  const int n = from == MPI_IN_PLACE || !in->blocks ? -1 : in->counts[0];
  const int m = to == MPI_IN_PLACE || !out->blocks ? -1 : out->counts[0];
  const MPI_Datatype type = n < 0 ? none : in->handles[0], other = m < 0 ? none : out->handles[0];
  switch (p->collective) {
    case gather:
      MPI_Gather(from, n, type, to, m, other, p->root, comm);
      break;
    case scatter:
      MPI_Scatter(from, n, type, to, m, other, p->root, comm);
      break;
    case allgather:
      MPI_Allgather(from, n, type, to, m, other, comm);
      break;
    default:
      MPI_Alltoall(from, n, type, to, m, other, comm);
      break;
  }
}

static void call_uneven(const Player* p, Side* in, Side* out, const void* from, void* to) {
  const MPI_Comm comm = p->group->comm;
  const MPI_Datatype none = MPI_DATATYPE_NULL;
  const int has_in = from != MPI_IN_PLACE && in->blocks,
            has_out = to != MPI_IN_PLACE && out->blocks;
  const int n = has_in ? in->counts[0] : -1, m = has_out ? out->counts[0] : -1;
  const MPI_Datatype type = has_in ? in->handles[0] : none,
                     other = has_out ? out->handles[0] : none;
  switch (p->collective) {
    case gatherv:
      MPI_Gatherv(from, n, type, to, out->counts, out->places, other, p->root, comm);
      break;
    case scatterv:
      MPI_Scatterv(from, in->counts, in->places, type, to, m, other, p->root, comm);
      break;
    case allgatherv:
      MPI_Allgatherv(from, n, type, to, out->counts, out->places, other, comm);
      break;
    case alltoallv:
      MPI_Alltoallv(from, in->counts, in->places, type, to, out->counts, out->places, other, comm);
      break;
    default:
      MPI_Alltoallw(from, in->counts, in->places, in->handles, to, out->counts, out->places,
                    out->handles, comm);
      break;
  }
}

static void move_blocks(Player* p) {
  Side in, out;
  make_sides(p, &in, &out);
  fill_sides(p, &in, &out);
  if (in.blocks && p->key % 3) move_to_device(p, &in.buffer);
  if (out.blocks && p->key % 5) move_to_device(p, &out.buffer);
  const int is_here = is_in_place_here(p), is_output = comes_from_root(p->collective);
  const void* from = in.blocks ? in.buffer.base : NULL;
  void* to = out.blocks ? out.buffer.base : NULL;
  if (is_here && is_output) to = MPI_IN_PLACE;
  if (is_here && !is_output) from = MPI_IN_PLACE;
  if (is_uneven(p->collective))
    call_uneven(p, &in, &out, from, to);
  else
    call_even(p, &in, &out, from, to);
  move_to_host(&in.buffer), move_to_host(&out.buffer);
  for (int b = 0; b < out.blocks; ++b) forgive(&out.buffer, out.types[b], out.at[b], out.counts[b]);
  check(p, &in.buffer, "input");
  check(p, &out.buffer, "output");
  end(&in.buffer), end(&out.buffer);
}

static void broadcast(Player* p) {
  const Type* type = some_type(p, 3);
  Buffer buffer = new_buffer(span_of(type, p->count));
  if (p->group->rank == p->root) put_block(p, buffer.base, type, p->root, 0, p->count);
  put_block(p, image_of(&buffer), type, p->root, 0, p->count);
  if (p->key % 3) move_to_device(p, &buffer);
  MPI_Bcast(buffer.base, p->count, type->handle, p->root, p->group->comm);
  move_to_host(&buffer);
  forgive(&buffer, type, 0, p->count);
  check(p, &buffer, "buffer");
  end(&buffer);
}

/// No rank may leave before all have arrived.
static void meet(Player* p) {
  const double begin = time_of_day();
  MPI_Barrier(p->group->comm);
  if (p->key % 16 != 0) return;
  double times[2] = {begin, -time_of_day()}, latest[2];
  PMPI_Allreduce(times, latest, 2, MPI_DOUBLE, MPI_MAX, p->group->comm);
  if (latest[0] > -latest[1])
    fail(p, "a rank left %.6f s before another came", latest[0] + latest[1]);
}

// ---- What combines.

/// An operator of the program's: what comes first stands in `in`.
static void combine_all(void* in, void* inout, int* count, MPI_Datatype* handle, Operator op) {
  const Type* type = type_with(&me->types, *handle);
  if (type == NULL) {
    fail(me, "an operator was given a type that is not its own");
    return;
  }
  int64_t first[kMostParts], next[kMostParts];
  for (int i = 0; i < *count; ++i) {
    for (int part = 0; part < type->family->parts; ++part) {
      const ptrdiff_t at = i * type->extent + type->places[part];
      first[part] = load((unsigned char*)in + at, type->family->kinds[part]);
      next[part] = load((unsigned char*)inout + at, type->family->kinds[part]);
    }
    combine(type->family, op, first, next);
    put(inout, type, i, first);
  }
}
static void add(void* in, void* inout, int* count, MPI_Datatype* type) {
  combine_all(in, inout, count, type, kAdd);
}
static void compose(void* in, void* inout, int* count, MPI_Datatype* type) {
  combine_all(in, inout, count, type, kCompose);
}

static MPI_Op handle_of(const Player* p, Operator op) {
  const MPI_Op all[] = {MPI_SUM,  MPI_PROD, MPI_MIN, MPI_MAX,  MPI_BAND,   MPI_BOR,
                        MPI_BXOR, MPI_LAND, MPI_LOR, MPI_LXOR, MPI_MINLOC, MPI_MAXLOC};
  return op < kAdd ? all[op] : p->operators[op - kAdd];
}

/// Elements from `begin` on of what ranks 0 to `last` give.
static void put_sum(const Player* p, unsigned char* at, const Type* type, int last, int begin,
                    int count) {
  int64_t sum[kMostParts], next[kMostParts];
  Source sources[kMostRanks];
  for (int from = 0; from <= last; ++from) sources[from] = source_of(p, type->family, from, 0);
  for (int i = 0; i < count; ++i) {
    element(&sources[0], begin + i, sum);
    for (int from = 1; from <= last; ++from) {
      element(&sources[from], begin + i, next);
      combine(type->family, p->op, sum, next);
    }
    put(at, type, i, sum);
  }
}

static void call_reduction(const Player* p, const void* in, void* out, MPI_Datatype type,
                           const int* counts) {
  const MPI_Comm comm = p->group->comm;
  const MPI_Op op = handle_of(p, p->op);
  switch (p->collective) {
    case reduce:
      MPI_Reduce(in, out, p->count, type, op, p->root, comm);
      break;
    case allreduce:
      MPI_Allreduce(in, out, p->count, type, op, comm);
      break;
    case reduce_scatter:
      MPI_Reduce_scatter(in, out, counts, type, op, comm);
      break;
    case reduce_scatter_block:
      MPI_Reduce_scatter_block(in, out, p->count, type, op, comm);
      break;
    case scan:
      MPI_Scan(in, out, p->count, type, op, comm);
      break;
    default:
      MPI_Exscan(in, out, p->count, type, op, comm);
      break;
  }
}

/// Which part of a reduction's result this rank gets.
typedef struct {
  int counts[kMostRanks];
  int total, first, count, last;
} Result;

static Result result_of(const Player* p) {
  const int scatters = p->collective == reduce_scatter,
            is_block = p->collective == reduce_scatter_block;
  const int size = p->group->size, rank = p->group->rank;
  Result result = {.total = 0, .first = 0, .count = p->count, .last = size - 1};
  for (int i = 0; i < size; ++i) {
    const uint64_t raw = known(p, i, 0, -19);
    int count = p->count;
    if (scatters && p->count > 0)
      count = raw % 5 == 0 ? 0 : (int)(raw / 5 % (uint64_t)p->count * 2);
    if (i == rank && (scatters || is_block)) result.first = result.total, result.count = count;
    result.counts[i] = count;
    result.total += count;
  }
  if (!scatters && !is_block) result.total = p->count;
  if (p->collective == scan) result.last = rank;
  if (p->collective == exscan) result.last = rank - 1;
  if (p->collective == reduce && rank != p->root) result.count = 0;
  return result;
}

static void combine_blocks(Player* p) {
  const Family* family = &p->types.families[p->family];
  const int may_be_spaced = p->op >= kAdd && p->count <= kMostSpaced && !runs_below(p);
  const int layouts = may_be_spaced ? layouts_of(family) : 1;
  const Type* type = &p->types.types[p->family][p->key / 64 % (uint64_t)layouts];
  const Result result = result_of(p);
  const int is_here = p->in_place && (p->collective != reduce || p->group->rank == p->root);
  Buffer in = new_buffer(span_of(type, result.total)),
         out = new_buffer(span_of(type, result.total));
  Buffer* given = is_here ? &out : &in;
  put_block(p, given->base, type, p->group->rank, 0, result.total);
  memcpy(given->image, given->memory, given->bytes);
  if (result.last >= 0) put_sum(p, image_of(&out), type, result.last, result.first, result.count);
  if (p->key % 3) move_to_device(p, &in);
  if (p->key % 5) move_to_device(p, &out);
  call_reduction(p, is_here ? MPI_IN_PLACE : in.base, out.base, type->handle, result.counts);
  move_to_host(&in), move_to_host(&out);
  forgive(&out, type, 0, result.total);
  // The input's rest, in place, and the first rank's result of an exscan, may be anything.
  const ptrdiff_t end_of_result = result.count * type->extent;
  const int is_open = result.last < 0;
  const ptrdiff_t from = is_open ? -16 : end_of_result - (type->layout == 2 ? 16 : 0);
  if (is_open || (is_here && result.total > result.count))
    memcpy(image_of(&out) + from, out.base + from, (size_t)(result.total * type->extent - from));
  check(p, &in, "input");
  check(p, &out, "output");
  end(&in), end(&out);
}

/// Sums that are rounded: near enough, and the same on all ranks.
static void sum_fractions(Player* p) {
  enum { kMost = 40 };
  double in[kMost], out[kMost], lowest[kMost], highest[kMost];
  const int count = 1 + (int)(p->key / 8 % kMost);
  for (int i = 0; i < count; ++i) in[i] = 1 / (double)(1 + known(p, p->group->rank, i, 1) % 100000);
  MPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, p->group->comm);
  PMPI_Allreduce(out, lowest, count, MPI_DOUBLE, MPI_MIN, p->group->comm);
  PMPI_Allreduce(out, highest, count, MPI_DOUBLE, MPI_MAX, p->group->comm);
  for (int i = 0; i < count; ++i) {
    double sum = 0;
    for (int r = 0; r < p->group->size; ++r) sum += 1 / (double)(1 + known(p, r, i, 1) % 100000);
    if (lowest[i] != highest[i]) fail(p, "ranks got %.17g and %.17g", lowest[i], highest[i]);
    if (out[i] - sum > 1e-12 * sum || sum - out[i] > 1e-12 * sum)
      fail(p, "a sum of fractions is %.17g, expected %.17g", out[i], sum);
  }
}

/// Between the two sides of an intercommunicator, which is never Terrace's.
static void call_across(Player* p) {
  const Group* group = p->group;
  int64_t mine = (int64_t)(group->salt % 1000) * 100 + group->rank, got = -1;
  MPI_Allreduce(&mine, &got, 1, MPI_INT64_T, MPI_MAX, group->comm);
  // The sides' salts differ in the last bit.
  const int64_t expected = (int64_t)((group->salt ^ 1) % 1000) * 100 + group->remote_size - 1;
  if (got != expected) fail(p, "across: %lld, not %lld", (long long)got, (long long)expected);
  MPI_Barrier(group->comm);
}

// ---- What is pending beside.

static int64_t number_at(const Player* p, int rank, int i) {
  return (int64_t)mixed(p->seed + (uint64_t)(rank * 1000 + i));
}

/// A message to the next rank, while one from the rank before is on its way.
static void begin_ring(Player* p, Pending* pending) {
  const int sizes[] = {8, 4000, 100000, 1000000, 5000000};
  pending->bytes = sizes[below(p, 100) ? below(p, 4) : 4];
  pending->key = draw(&p->state);
  pending->given = malloc((size_t)pending->bytes);
  pending->got = malloc((size_t)pending->bytes);
  pending->from = (p->rank + p->ranks - 1) % p->ranks;
  memset(pending->given, (int)(pending->key + (unsigned)p->rank) & 255, (size_t)pending->bytes);
  MPI_Irecv(pending->got, pending->bytes, MPI_BYTE, pending->from, 5, p->messages,
            &pending->requests[0]);
  MPI_Isend(pending->given, pending->bytes, MPI_BYTE, (p->rank + 1) % p->ranks, 5, p->messages,
            &pending->requests[1]);
}

static void end_ring(Player* p, Pending* pending) {
  MPI_Status statuses[2];  // some compilers take "ignore" for an array without room
  MPI_Waitall(2, pending->requests, statuses);
  const int expected = (int)(pending->key + (unsigned)pending->from) & 255;
  for (int i = 0; i < pending->bytes; ++i)
    if (pending->got[i] != expected) {
      fail(p, "byte %d of a message of %d is %d, expected %d", i, pending->bytes, pending->got[i],
           expected);
      break;
    }
  free(pending->given), free(pending->got);
}

/// A collective on a group's communicator that is pending while others are made on it.
static void begin_nonblocking(Player* p, Pending* pending) {
  const Group* group = &p->groups[below(p, kGroups)];
  pending->requests[0] = MPI_REQUEST_NULL;
  pending->key = draw(&p->state);
  if (group->comm == MPI_COMM_NULL || group->is_inter) return;
  pending->number = (int64_t)(mixed(pending->key + (uint64_t)group->rank) % 1000);
  pending->sum = 0;
  for (int r = 0; r < group->size; ++r) pending->sum += mixed(pending->key + (uint64_t)r) % 1000;
  MPI_Iallreduce(&pending->number, &pending->result, 1, MPI_INT64_T, MPI_SUM, group->comm,
                 &pending->requests[0]);
}

static void end_nonblocking(Player* p, Pending* pending) {
  const int is_mine = pending->requests[0] != MPI_REQUEST_NULL;
  MPI_Wait(&pending->requests[0], MPI_STATUS_IGNORE);
  if (is_mine && pending->result != (int64_t)pending->sum)
    fail(p, "a pending allreduce gave %lld, not %lld", (long long)pending->result,
         (long long)pending->sum);
}

/// The target may be in a collective by now.
static void get_number(Player* p) {
  const int target = (int)own_below(p, (unsigned)p->ranks), i = (int)own_below(p, kWindowNumbers);
  int64_t got = 0;
  MPI_Win_lock(MPI_LOCK_SHARED, target, 0, p->window);
  MPI_Get(&got, 1, MPI_INT64_T, target, i, 1, MPI_INT64_T, p->window);
  MPI_Win_unlock(target, p->window);
  if (got != number_at(p, target, i)) fail(p, "a window's number %d is wrong", i);
}

static void complete(Player* p, Pending* pending) {
  if (pending->what == kRing) end_ring(p, pending);
  if (pending->what == kNonblocking) end_nonblocking(p, pending);
  pending->what = kNothing;
}

static void complete_all(Player* p) {
  for (int i = 0; i < kMostPending; ++i) complete(p, &p->pending[i]);
}

static void be_busy_beside(Player* p) {
  Pending* pending = &p->pending[below(p, kMostPending)];
  const unsigned what = below(p, 10);
  int flag;
  complete(p, pending);
  if (what < 4) {
    begin_ring(p, pending);
    pending->what = kRing;
  } else if (what < 7) {
    begin_nonblocking(p, pending);
    pending->what = kNonblocking;
  } else if (what < 8) {
    if (own_below(p, 2) && has_windows) get_number(p);
  } else {
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, p->messages, &flag, MPI_STATUS_IGNORE);
  }
}

// ---- Communicators.

static void describe_group(Player* p, Group* group, uint64_t salt) {
  group->is_inter = 0;
  group->rank = group->size = group->calls = 0;
  if (group->comm == MPI_COMM_NULL) return;
  MPI_Comm_rank(group->comm, &group->rank);
  MPI_Comm_size(group->comm, &group->size);
  MPI_Comm_test_inter(group->comm, &group->is_inter);
  MPI_Group all, mine;
  int leader = 0, leader_in_world = 0;
  MPI_Comm_group(p->world, &all);
  MPI_Comm_group(group->comm, &mine);
  MPI_Group_translate_ranks(mine, 1, &leader, all, &leader_in_world);
  MPI_Group_free(&all), MPI_Group_free(&mine);
  if (group->is_inter) {
    MPI_Comm_remote_size(group->comm, &group->remote_size);
    group->salt = (salt & ~(uint64_t)1) | (leader_in_world > 0);
  } else {
    group->salt = mixed(salt + (uint64_t)leader_in_world);
  }
}

static MPI_Comm across(Player* p, int first_of_second) {
  const int is_second = p->rank >= first_of_second;
  MPI_Comm side, both;
  MPI_Comm_split(p->world, is_second, 0, &side);
  MPI_Intercomm_create(side, 0, p->world, is_second ? 0 : first_of_second, 77, &both);
  MPI_Comm_free(&side);
  return both;
}

static MPI_Comm of_some(Player* p, unsigned mask, int on_all) {
  int members[kMostRanks], number = 0, is_member = 0;
  for (int r = 0; r < p->ranks; ++r)
    if (mask >> r & 1) members[number++] = r, is_member |= r == p->rank;
  MPI_Group all, some;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_group(p->world, &all);
  MPI_Group_incl(all, number, members, &some);
  if (on_all)
    MPI_Comm_create(p->world, some, &comm);
  else if (is_member)
    MPI_Comm_create_group(p->world, some, 78, &comm);
  MPI_Group_free(&all), MPI_Group_free(&some);
  return comm;
}

static MPI_Comm idup(MPI_Comm comm) {
  MPI_Comm copy;
  MPI_Request request;
  MPI_Comm_idup(comm, &copy, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  return copy;
}

static MPI_Comm merged(Player* p, int first_of_second) {
  MPI_Comm both = across(p, first_of_second), comm;
  MPI_Intercomm_merge(both, p->rank < first_of_second, &comm);  // the second side comes first
  MPI_Comm_free(&both);
  return comm;
}

static MPI_Comm new_communicator(Player* p) {
  const int first_of_second = 1 + (int)below(p, (unsigned)p->ranks - 1);
  const unsigned way = below(p, 11), mask = 1 + below(p, (1u << p->ranks) - 1);
  const uint64_t key = draw(&p->state);
  const Group* other = &p->groups[below(p, kGroups)];
  const int order = (int)(mixed(key + (uint64_t)p->rank) % 100);
  int dims[1] = {p->ranks}, periods[1] = {1}, colour = (int)(mixed(key - (uint64_t)p->rank) % 3);
  MPI_Comm comm = MPI_COMM_NULL;
  switch (way) {
    case 0:
      MPI_Comm_dup(p->world, &comm);
      break;
    case 1:
      MPI_Comm_split(p->world, colour % 2, order, &comm);
      break;
    case 2:
      MPI_Comm_split(p->world, colour ? 1 : MPI_UNDEFINED, order, &comm);
      break;
    case 3:
      MPI_Comm_split(p->world, 0, -p->rank, &comm);
      break;
    case 4:
      MPI_Comm_split_type(p->world, MPI_COMM_TYPE_SHARED, order, MPI_INFO_NULL, &comm);
      break;
    case 5:
      comm = of_some(p, mask, 0);
      break;
    case 6:
      comm = of_some(p, mask, 1);
      break;
    case 7:
      if (other->comm != MPI_COMM_NULL && !other->is_inter) MPI_Comm_dup(other->comm, &comm);
      break;
    case 8:
      comm = across(p, first_of_second);
      break;
    case 9:
      comm = merged(p, first_of_second);
      break;
    default:
      if (key % 2)
        MPI_Cart_create(p->world, 1, dims, periods, 0, &comm);
      else
        comm = idup(p->world);
      break;
  }
  return comm;
}

/// The MPIs' own collectives do not survive this program, so they get no others before Terrace is
/// at work.
static void begin_with_barriers(MPI_Comm comm) {
  int is_inter = 1;
  if (comm != MPI_COMM_NULL) MPI_Comm_test_inter(comm, &is_inter);
  for (int i = 0; i < 20 && !is_inter; ++i) MPI_Barrier(comm);
}

static void make_group(Player* p, Group* group) {
  complete_all(p);
  if (group->comm != MPI_COMM_NULL) MPI_Comm_free(&group->comm);
  group->comm = new_communicator(p);
  begin_with_barriers(group->comm);
  describe_group(p, group, draw(&p->state));
  ++p->made;
}

// ---- Steps.

static void be_late(Player* p) {
  if (is_brisk && own_below(p, 16)) return;
  const unsigned what = own_below(p, 20000);
  if (what == 0)
    usleep(20000);
  else if (what < 100)
    usleep(own_below(p, 300));
  else if (what < 600)
    sched_yield();
}

/// Around all bounds at which something else happens; most are short.
static int some_count(Player* p, int bytes_of_element) {
  static const int short_ones[] = {48, 64, 112, 128, 256, 512, 1024, 1536, 3072, 4096};
  static const int middle_ones[] = {8192, 12288, 16384, 32768};
  static const int long_ones[] = {49152, 65536, 131072};
  static const int very_long_ones[] = {262144, 524288, 1048576, 2097152, 4194304};
  const unsigned kind = below(p, 1000), which = below(p, 60), off = below(p, 5);
  const int by = (int)off - 2;
  if (kind < 40) return 0;
  if (is_brisk && below(p, 256)) return 1 + (int)which % 8;
  if (kind < 640) return 1 + (int)which % (which < 40 ? 8 : 20);
  int bytes = short_ones[which % 10];
  if (kind >= 940) bytes = middle_ones[which % 4];
  if (kind >= 985) bytes = long_ones[which % 3];
  if (kind >= 999) bytes = very_long_ones[which < 30 ? 0 : which % (is_threaded ? 3 : 5)];
  const int count = bytes / bytes_of_element + by;
  return count > 0 ? count : 1;
}

static int combines(Collective collective) {
  return collective >= reduce;
}

static int bytes_of(const Family* family) {
  int bytes = 0;
  for (int part = 0; part < family->parts; ++part) bytes += kind_bytes[family->kinds[part]];
  return bytes;
}

static void draw_call(Player* p) {
  p->collective = (Collective)below(p, kCollectives);
  p->group = &p->groups[below(p, kGroups)];
  const uint64_t key = draw(&p->state);
  p->op = kBxor;
  p->family = (int)below(p, (unsigned)p->types.number);
  while (combines(p->collective) && !knows(&p->types.families[p->family], p->op)) {
    p->family = (int)below(p, (unsigned)p->types.number);
    p->op = (Operator)below(p, kOperators);
  }
  p->count = some_count(p, bytes_of(&p->types.families[p->family]));
  p->in_place = below(p, 4) == 0;
  const unsigned root = below(p, 5040);
  p->key = mixed(key ^ p->group->salt);
  p->root = p->group->size > 0 ? (int)root % p->group->size : 0;
}

static void call(Player* p) {
  draw_call(p);
  be_late(p);
  if (p->group->comm == MPI_COMM_NULL) return;
  ++p->calls;
  ++p->group->calls;
  if (p->collective == alltoallw && runs_below(p)) p->collective = alltoallv;
  if (p->group->is_inter)
    call_across(p);
  else if (p->collective == barrier)
    meet(p);
  else if (p->collective == bcast)
    broadcast(p);
  else if (p->collective == allreduce && p->key % 32 == 0)
    sum_fractions(p);
  else if (combines(p->collective))
    combine_blocks(p);
  else
    move_blocks(p);
}

static void take_step(Player* p) {
  const int what = (int)below(p, 1000);
  if (what < p->churn)
    make_group(p, &p->groups[below(p, kGroups)]);
  else if (what < p->churn + p->beside)
    be_busy_beside(p);
  else
    call(p);
}

static void play_episode(Player* p) {
  p->state = mixed(p->seed * 1000003 + p->episode * 101 + (uint64_t)p->thread);
  p->own_state = mixed(p->state + 7919 * (uint64_t)(p->rank + 1));
  p->churn = below(p, 4) ? 2 : 40;
  p->beside = 30;
  if (is_brisk) p->churn = 0, p->beside = 2;
  make_types(&p->types);
  MPI_Op_create(add, 1, &p->operators[0]);
  MPI_Op_create(compose, 0, &p->operators[1]);
  for (int g = 0; g < kGroups; ++g) p->groups[g].comm = MPI_COMM_NULL;
  MPI_Comm_dup(p->world, &p->groups[0].comm);
  begin_with_barriers(p->groups[0].comm);
  describe_group(p, &p->groups[0], draw(&p->state));
  for (int g = 1; g < kGroups; ++g) make_group(p, &p->groups[g]);
  for (p->step = 0; p->step < p->steps; ++p->step) {
    if (p->thread == 0 && p->step % 16 == 0) alarm(kHangsAfter);
    const int wants_device = device_library && (device_rank < 0 || device_rank == p->rank);
    if (wants_device && p->step == p->steps / 2 && device.alloc == NULL) open_device();
    take_step(p);
  }
  complete_all(p);
  for (int g = 0; g < kGroups; ++g)
    if (p->groups[g].comm != MPI_COMM_NULL) MPI_Comm_free(&p->groups[g].comm);
  for (int o = 0; o < 2; ++o) MPI_Op_free(&p->operators[o]);
  free_types(&p->types);
}

// ---- What this process has, which must not grow.

typedef struct {
  long files, maps, kilobytes;
} Holdings;

static Holdings holdings(void) {
  Holdings held = {0, 0, 0};
  char line[4096];
  malloc_trim(0);
  DIR* folder = opendir("/proc/self/fd");
  while (folder && readdir(folder)) ++held.files;
  if (folder) closedir(folder);
  FILE* maps = fopen("/proc/self/maps", "r");
  while (maps && fgets(line, sizeof line, maps)) ++held.maps;
  if (maps) fclose(maps);
  FILE* status = fopen("/proc/self/status", "r");
  while (status && fgets(line, sizeof line, status))
    // Not what is shared: teams touch more and more of theirs, whose length is known from maps.
    if (strncmp(line, "RssAnon:", 8) == 0) held.kilobytes = atol(line + 8);
  if (status) fclose(status);
  return held;
}

static long larger(long a, long b) {
  return a > b ? a : b;
}
static long smaller(long a, long b) {
  return a < b ? a : b;
}

/// The most of the second quarter of the time, and the least of the last.
typedef struct {
  Holdings before, after;
} Growth;

static void watch(Growth* growth, double share) {
  const Holdings held = holdings();
  Holdings *before = &growth->before, *after = &growth->after;
  if (share >= 0.25 && share < 0.5) {
    before->files = larger(before->files, held.files);
    before->maps = larger(before->maps, held.maps);
    before->kilobytes = larger(before->kilobytes, held.kilobytes);
  } else if (share >= 0.75) {
    const int is_first = after->files == 0;
    after->files = is_first ? held.files : smaller(after->files, held.files);
    after->maps = is_first ? held.maps : smaller(after->maps, held.maps);
    after->kilobytes = is_first ? held.kilobytes : smaller(after->kilobytes, held.kilobytes);
  }
}

static void judge(const Growth* growth, int rank) {
  const Holdings *before = &growth->before, *after = &growth->after;
  if (before->files == 0 || after->files == 0) return;
  printf("rank %d has %ld files, %ld maps, %ld kB; before %ld, %ld, %ld\n", rank, after->files,
         after->maps, after->kilobytes, before->files, before->maps, before->kilobytes);
}

// ---- All of it.

typedef struct {
  uint64_t seed, episode;
  double seconds;
  unsigned steps;
  int threads, is_one;
} Options;

static Options options;
static double begun;

static void* play(void* argument) {
  Player* p = argument;
  Growth growth = {{0, 0, 0}, {0, 0, 0}};
  int goes_on = 1;
  me = p;
  for (p->episode = options.episode; goes_on; ++p->episode) {
    play_episode(p);
    const double share = (now() - begun) / options.seconds;
    if (p->thread == 0) watch(&growth, share);
    goes_on = share < 1 && !options.is_one;
    PMPI_Bcast(&goes_on, 1, MPI_INT, 0, p->world);
  }
  if (p->thread == 0) judge(&growth, p->rank);
  return NULL;
}

static Player* new_player(int thread) {
  Player* p = &players[thread];
  p->thread = thread;
  p->seed = options.seed;
  p->steps = options.steps;
  p->world = MPI_COMM_WORLD;
  if (thread > 0) MPI_Comm_dup(MPI_COMM_WORLD, &p->world);
  MPI_Comm_dup(MPI_COMM_WORLD, &p->messages);
  MPI_Comm_rank(p->world, &p->rank);
  MPI_Comm_size(p->world, &p->ranks);
  for (int i = 0; i < kWindowNumbers; ++i) p->numbers[i] = number_at(p, p->rank, i);
  if (has_windows)
    MPI_Win_create(p->numbers, sizeof p->numbers, sizeof *p->numbers, MPI_INFO_NULL, p->world,
                   &p->window);
  return p;
}

static void free_player(Player* p) {
  if (has_windows) MPI_Win_free(&p->window);
  MPI_Comm_free(&p->messages);
  if (p->thread > 0) MPI_Comm_free(&p->world);
}

static void play_all(void) {
  pthread_t threads[kMostThreads];
  for (int t = 0; t < options.threads; ++t) new_player(t);
  begun = now();
  for (int t = 1; t < options.threads; ++t) pthread_create(&threads[t], NULL, play, &players[t]);
  play(&players[0]);
  for (int t = 1; t < options.threads; ++t) pthread_join(threads[t], NULL);
  alarm(kHangsAfter);
  for (int t = 0; t < options.threads; ++t) free_player(&players[t]);
}

static int read_options(int count, char** words) {
  options.steps = 2000;
  options.threads = 1;
  if (count < 3) return 0;
  options.seed = strtoull(words[1], NULL, 10);
  options.seconds = atof(words[2]);
  for (int i = 3; i + 1 < count; i += 2) {
    const int number = atoi(words[i + 1]);
    if (strcmp(words[i], "--episode") == 0)
      options.episode = (uint64_t)number, options.is_one = 1;
    else if (strcmp(words[i], "--steps") == 0)
      options.steps = (unsigned)number;
    else if (strcmp(words[i], "--threads") == 0)
      options.threads = number;
    else if (strcmp(words[i], "--tame") == 0)
      is_tame = number;
    else if (strcmp(words[i], "--brisk") == 0)
      is_brisk = number;
    else if (strcmp(words[i], "--windows") == 0)
      has_windows = number;
    else if (strcmp(words[i], "--devices") == 0)
      device_library = words[i + 1];
    else if (strcmp(words[i], "--devices-at") == 0)
      device_rank = number;
    else
      return 0;
  }
  is_threaded = options.threads > 1;
  return count % 2 == 1 && options.threads >= 1 && options.threads <= kMostThreads;
}

int main(int count, char** words) {
  const int signals[] = {SIGALRM, SIGSEGV, SIGBUS, SIGFPE, SIGABRT};
  int provided = 0, all_failures = 0, rank, size;
  if (!read_options(count, words)) {
    fprintf(stderr, "soak: expected SEED SECONDS [--episode N] [--steps N] [--threads 1 to %d]\n",
            kMostThreads);
    return 2;
  }
  MPI_Init_thread(&count, &words, is_threaded ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  for (size_t i = 0; i < sizeof signals / sizeof *signals; ++i) signal(signals[i], say_where);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (size < 2 || size > kMostRanks || (is_threaded && provided < MPI_THREAD_MULTIPLE)) {
    if (rank == 0) printf("soak: wants 2 to %d ranks, and threads if any\n", kMostRanks);
    MPI_Finalize();
    return 2;
  }
  // Memory that is used again costs no faults; at the end of an episode, it is given back.
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 256 << 20);
  play_all();
  if (device.copies) printf("rank %d: %ld copies between host and device\n", rank, device.copies());
  uint64_t calls = 0, made = 0, all_calls = 0;
  for (int t = 0; t < options.threads; ++t) calls += players[t].calls, made += players[t].made;
  PMPI_Reduce(&calls, &all_calls, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
  PMPI_Reduce(&failures, &all_failures, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    printf(
        "soak: seed %llu, %d ranks, %llu episodes: %llu calls by all ranks together, %llu "
        "communicators made, in %.1f s\nall right %d\n",
        (unsigned long long)options.seed, size,
        (unsigned long long)(players[0].episode - options.episode), (unsigned long long)all_calls,
        (unsigned long long)made, now() - begun, all_failures);
  MPI_Finalize();
  return all_failures != 0;
}
