// SPDX-License-Identifier: BSD-3-Clause
// Nonblocking collectives and the functions that complete requests, one subject by name: what
// arrives, in whatever order ranks complete their calls, and whatever they do meanwhile. `cold`
// leaves out the blocking calls that come before a team, `multiple` asks for MPI_THREAD_MULTIPLE,
// `empty` expects collectives' statuses to be empty, and `seed=N` plays other random programs.
// With AS_TOOL it is a tool that counts the program's calls.
#define _GNU_SOURCE
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

// MPICH 4.0 declares statuses as arrays, and GCC takes MPI_STATUSES_IGNORE for one without room.
#pragma GCC diagnostic ignored "-Wstringop-overflow"

#ifdef AS_TOOL

#define COUNTED(NAME, PARAMETERS, ARGUMENTS) \
  static int count_of_##NAME;                \
  int MPI_##NAME PARAMETERS {                \
    const int error = PMPI_##NAME ARGUMENTS; \
    ++count_of_##NAME;                       \
    return error;                            \
  }

COUNTED(Wait, (MPI_Request * request, MPI_Status* status), (request, status))
COUNTED(Waitall, (int count, MPI_Request* requests, MPI_Status* to), (count, requests, to))
COUNTED(Waitany, (int count, MPI_Request* requests, int* index, MPI_Status* status),
        (count, requests, index, status))
COUNTED(Waitsome, (int count, MPI_Request* requests, int* n, int* indices, MPI_Status* to),
        (count, requests, n, indices, to))
COUNTED(Test, (MPI_Request * request, int* flag, MPI_Status* status), (request, flag, status))
COUNTED(Ibarrier, (MPI_Comm comm, MPI_Request* request), (comm, request))
COUNTED(Ibcast, (void* data, int n, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* to),
        (data, n, type, root, comm, to))
COUNTED(Iallreduce,
        (const void* in, void* out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
         MPI_Request* request),
        (in, out, n, type, op, comm, request))

/// How often one tests is up to its peers.
int MPI_Finalize(void) {
  int rank;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  fprintf(stderr,
          "counter of rank %d: wait %d, waitall %d, waitany %d, waitsome %d, ibarrier %d, "
          "ibcast %d, iallreduce %d%s\n",
          rank, count_of_Wait, count_of_Waitall, count_of_Waitany, count_of_Waitsome,
          count_of_Ibarrier, count_of_Ibcast, count_of_Iallreduce,
          count_of_Test > 0 ? "" : ", and no test");
  return PMPI_Finalize();
}

#else

#include "situation.h"

enum { kMostRanks = 16 };
enum {
  kBarrier,
  kBcast,
  kReduce,
  kAllreduce,
  kAllgather,
  kGather,
  kScatter,
  kAlltoall,
  kReduceScatterBlock,
  kScan,
  kExscan,
  kAllgatherv,
  kGatherv,
  kScatterv,
  kAlltoallv,
  kAlltoallw,
  kReduceScatter,
  kKinds
};
static const char* const kNames[kKinds] = {"ibarrier",   "ibcast",         "ireduce",
                                           "iallreduce", "iallgather",     "igather",
                                           "iscatter",   "ialltoall",      "ireduce_scatter_block",
                                           "iscan",      "iexscan",        "iallgatherv",
                                           "igatherv",   "iscatterv",      "ialltoallv",
                                           "ialltoallw", "ireduce_scatter"};
enum { kInts, kDoubles, kChars, kTypes };
enum { kSum, kMax, kOwn, kOperators };        // the last is the program's: a sum as well
enum { kDense, kSpread, kVector, kLayouts };  // elements with gaps, and one element with gaps

/// A communicator, and who this process is in it.
typedef struct {
  MPI_Comm comm;
  int rank, ranks;
} Group;

/// A nonblocking call at a rank. Ranks differ in `in`, and may differ in how their blocks lie.
typedef struct {
  Group in;
  int kind, number;
  int count, type, combine, root, is_in_place;
  int given_as, wanted_as;
  char *given, *wanted;  // room for a block of each rank with gaps, and more
  int given_counts[kMostRanks], wanted_counts[kMostRanks];  // of uneven blocks
  int given_places[kMostRanks], wanted_places[kMostRanks];
  MPI_Datatype given_types[kMostRanks], wanted_types[kMostRanks];
} Call;

static int is_cold, is_of_intel, are_empty;
static unsigned long first_seed = 1;

static Group group_of(MPI_Comm comm) {
  Group group = {comm, 0, 0};
  MPI_Comm_rank(comm, &group.rank);
  MPI_Comm_size(comm, &group.ranks);
  return group;
}

/// Enough calls for Terrace to be at work.
static void warm(MPI_Comm comm) {
  for (int i = 0; i < 25 && !is_cold; ++i) MPI_Barrier(comm);
}

static Group duplicate_of(MPI_Comm comm) {
  MPI_Comm own;
  MPI_Comm_dup(comm, &own);
  warm(own);
  return group_of(own);
}

// Elements.

static size_t bytes_of(int type) {
  return type == kInts ? sizeof(int) : type == kDoubles ? sizeof(double) : 1;
}

static MPI_Datatype predefined(int type) {
  return type == kInts ? MPI_INT : type == kDoubles ? MPI_DOUBLE : MPI_SIGNED_CHAR;
}

static void put(char* at, int type, long value) {
  const int number = (int)value;
  const double real = (double)value;
  const signed char small = (signed char)value;
  memcpy(at,
         type == kInts      ? (const void*)&number
         : type == kDoubles ? (const void*)&real
                            : &small,
         bytes_of(type));
}

static long get(const char* at, int type) {
  int number;
  double real;
  signed char small;
  if (type == kInts) return memcpy(&number, at, sizeof number), number;
  if (type == kDoubles) return memcpy(&real, at, sizeof real), (long)real;
  return memcpy(&small, at, 1), small;
}

// Kinds whose blocks differ in length.

static int is_uneven(int kind) {
  return kind >= kAllgatherv;
}

/// The kind that is like it, with blocks of one length.
static int even(int kind) {
  static const int kEven[] = {kAllgather, kGather,   kScatter,
                              kAlltoall,  kAlltoall, kReduceScatterBlock};
  return is_uneven(kind) ? kEven[kind - kAllgatherv] : kind;
}

/// Elements of the block that one rank gives for another: at most `count`.
static int elements(const Call* call, int from, int to) {
  // Open MPI waits forever for empty blocks in place.
  const int is_full = call->is_in_place && even(call->kind) == kAlltoall;
  if (!is_uneven(call->kind) || is_full) return call->count;
  if (even(call->kind) == kAllgather || even(call->kind) == kGather) to = 0;
  if (even(call->kind) == kReduceScatterBlock) from = 0;
  return call->count * (((from + to) * 3 + from * to + call->number) % 4) / 3;
}

/// Elements of a block that this rank gives, or wants.
static int elements_of(const Call* call, int block, int is_given) {
  const int rank = call->in.rank;
  if (is_given) return elements(call, rank, block);
  switch (even(call->kind)) {
    case kScatter:
      return elements(call, call->root, rank);
    case kReduceScatterBlock:
      return elements(call, 0, rank);
    default:
      return elements(call, block, rank);
  }
}

/// Where a block begins, in elements.
static int place_of(const Call* call, int block) {
  int place = 0;
  if (call->kind != kReduceScatter) return block * call->count;
  for (int before = 0; before < block; ++before) place += elements(call, 0, before);
  return place;
}

/// What rank `from` gives as element i of its block.
static long value_of(const Call* call, int from, int block, int i) {
  return (call->number * 7L + from * 3 + block * 5 + i) % (call->type == kChars ? 13 : 10007);
}

/// What the first ranks give, combined.
static long combined(const Call* call, int ranks, int block, int i) {
  long result = 0;
  for (int from = 0; from < ranks; ++from) {
    const long value = value_of(call, from, block, i);
    if (call->combine != kMax)
      result += value;
    else if (value > result)
      result = value;
  }
  return result;
}

/// Element i of a block that is to arrive.
static long right_value(const Call* call, int block, int i) {
  const Group* in = &call->in;
  switch (even(call->kind)) {
    case kBcast:
      return value_of(call, call->root, 0, i);
    case kAllgather:
    case kGather:
      return value_of(call, block, 0, i);
    case kScatter:
      return value_of(call, call->root, in->rank, i);
    case kAlltoall:
      return value_of(call, block, in->rank, i);
    case kReduceScatterBlock:
      return combined(call, in->ranks, in->rank, i);
    case kScan:
      return combined(call, in->rank + 1, 0, i);
    case kExscan:
      return combined(call, in->rank, 0, i);
    default:
      return combined(call, in->ranks, 0, i);
  }
}

// Blocks.

static int is_root(const Call* call) {
  return call->in.rank == call->root;
}

static int blocks_given(const Call* call) {
  switch (even(call->kind)) {
    case kBarrier:
      return 0;
    case kBcast:
      return is_root(call);
    case kScatter:
      return is_root(call) ? call->in.ranks : 0;
    case kAlltoall:
    case kReduceScatterBlock:
      return call->in.ranks;
    default:
      return 1;
  }
}

static int blocks_wanted(const Call* call) {
  switch (even(call->kind)) {
    case kBarrier:
      return 0;
    case kReduce:
      return is_root(call);
    case kGather:
      return is_root(call) ? call->in.ranks : 0;
    case kAllgather:
    case kAlltoall:
      return call->in.ranks;
    case kExscan:
      return call->in.rank > 0;
    default:
      return 1;
  }
}

static int is_exchange(int kind) {
  return kind == kBcast || (kAllgather <= even(kind) && even(kind) <= kAlltoall);
}

static int is_rooted(int kind) {
  return kind == kBcast || kind == kReduce || even(kind) == kGather || even(kind) == kScatter;
}

/// Whether this rank has its input, or a scatter's root its result, where the other buffer is.
static int is_in_place_here(const Call* call) {
  const int has_root = is_rooted(call->kind) && call->kind != kBcast;
  return call->is_in_place && (!has_root || is_root(call));
}

static char* cell_of(const Call* call, char* buffer, int as, int block, int i) {
  return buffer + (place_of(call, block) + i) * (as == kDense ? 1 : 2) * bytes_of(call->type);
}

static int is_untouched(const char* at, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i)
    if (at[i] != 'z') return 0;
  return 1;
}

/// This rank's blocks, the first of them as block `first` of the buffer.
static void fill(const Call* call, char* buffer, int as, int first) {
  for (int block = 0; block < blocks_given(call); ++block)
    for (int i = 0; i < elements(call, call->in.rank, block); ++i)
      put(cell_of(call, buffer, as, first + block, i), call->type,
          value_of(call, call->in.rank, block, i));
}

static void complain(const Call* call, const char* what, int block, int i, long got, long right) {
  if (failures++ < 5)
    fprintf(
        stderr,
        "rank %d: %s number %d, %d elements of type %d, root %d, combined by %d%s, layouts %d and"
        " %d, %d ranks: %s %d of block %d is %ld, not %ld\n",
        call->in.rank, kNames[call->kind], call->number, call->count, call->type, call->root,
        call->combine, call->is_in_place ? ", in place" : "", call->given_as, call->wanted_as,
        call->in.ranks, what, i, block, got, right);
}

/// A buffer holds blocks with these values, and what is between them is as it was.
static void expect_blocks(const Call* call, char* buffer, int as, int blocks, int is_given) {
  const size_t bytes = bytes_of(call->type);
  const int is_combined = even(call->kind) == kReduceScatterBlock;
  for (int block = 0; block < blocks; ++block)
    for (int i = 0; i < elements_of(call, block, is_given); ++i) {
      const char* cell = cell_of(call, buffer, as, block, i);
      const long right =
          is_given ? value_of(call, call->in.rank, block, i) : right_value(call, block, i);
      const long got = get(cell, call->type);
      if (got != right)
        return complain(call, is_given ? "given element" : "element", block, i, got, right);
      if (as != kDense && !is_untouched(cell + bytes, bytes))
        return complain(call, "the gap behind element", block, i, 0, 0);
    }
  if (is_combined && call->is_in_place) return;
  for (int block = 0; block < blocks; ++block) {
    const int used = elements_of(call, block, is_given);
    const char* end = cell_of(call, buffer, as, block, used);
    const int is_last = block == blocks - 1 || is_combined;
    const char* next = is_last ? end + bytes : cell_of(call, buffer, as, block + 1, 0);
    if (is_combined && is_given && block < blocks - 1) continue;
    if (end < next && !is_untouched(end, (size_t)(next - end)))
      complain(call, "what follows element", block, used, 0, 0);
  }
}

static char* room_for(const Call* call) {
  const size_t bytes = (2 * (size_t)call->in.ranks * call->count + 2) * bytes_of(call->type);
  return memset(malloc(bytes), 'z', bytes);
}

/// The type by which a block lies so, and how many make a block. It is to be freed unless dense.
static MPI_Datatype type_of(const Call* call, int as, int* count) {
  MPI_Datatype inner = predefined(call->type), whole;
  *count = call->count;
  if (as == kDense) return inner;
  const int is_vector = as == kVector && call->count > 0 && !is_uneven(call->kind);
  const MPI_Aint extent = (is_vector ? call->count : 1) * 2 * (MPI_Aint)bytes_of(call->type);
  if (is_vector) MPI_Type_vector(call->count, 1, 2, predefined(call->type), &inner), *count = 1;
  MPI_Type_create_resized(inner, 0, extent, &whole);
  MPI_Type_commit(&whole);
  if (is_vector) MPI_Type_free(&inner);
  return whole;
}

static void add(void* in, void* inout, int* count, MPI_Datatype* type) {
  const int own = *type == MPI_INT ? kInts : *type == MPI_DOUBLE ? kDoubles : kChars;
  for (int i = 0; i < *count; ++i) {
    char* at = (char*)inout + i * bytes_of(own);
    put(at, own, get(at, own) + get((char*)in + i * bytes_of(own), own));
  }
}

// Calls.

static void start_combining(const Call* call, const void* given, void* wanted, MPI_Request* to) {
  const MPI_Datatype type = predefined(call->type);
  const MPI_Comm comm = call->in.comm;
  const int n = call->count;
  MPI_Op by = call->combine == kMax ? MPI_MAX : MPI_SUM;
  if (call->combine == kOwn) MPI_Op_create(add, 1, &by);
  switch (call->kind) {
    case kReduce:
      MPI_Ireduce(given, wanted, n, type, by, call->root, comm, to);
      break;
    case kAllreduce:
      MPI_Iallreduce(given, wanted, n, type, by, comm, to);
      break;
    case kReduceScatterBlock:
      MPI_Ireduce_scatter_block(given, wanted, n, type, by, comm, to);
      break;
    case kReduceScatter:
      MPI_Ireduce_scatter(given, wanted, call->given_counts, type, by, comm, to);
      break;
    case kScan:
      MPI_Iscan(given, wanted, n, type, by, comm, to);
      break;
    default:
      MPI_Iexscan(given, wanted, n, type, by, comm, to);
      break;
  }
  if (call->combine == kOwn) MPI_Op_free(&by);
}

static void start_moving(const Call* call, const void* given, void* wanted, MPI_Request* to) {
  int n, m;
  MPI_Datatype in = type_of(call, call->given_as, &n), out = type_of(call, call->wanted_as, &m);
  const MPI_Comm comm = call->in.comm;
  switch (call->kind) {
    case kBcast:
      MPI_Ibcast(wanted, m, out, call->root, comm, to);
      break;
    case kAllgather:
      MPI_Iallgather(given, n, in, wanted, m, out, comm, to);
      break;
    case kGather:
      MPI_Igather(given, n, in, wanted, m, out, call->root, comm, to);
      break;
    case kScatter:
      MPI_Iscatter(given, n, in, wanted, m, out, call->root, comm, to);
      break;
    default:
      MPI_Ialltoall(given, n, in, wanted, m, out, comm, to);
      break;
  }
  if (call->given_as != kDense) MPI_Type_free(&in);
  if (call->wanted_as != kDense) MPI_Type_free(&out);
}

/// Counts, places and types of uneven blocks, which are to stay as they are until the call is over.
static void describe_blocks(Call* call, MPI_Datatype in, MPI_Datatype out) {
  for (int block = 0; block < call->in.ranks; ++block) {
    const int bytes = call->kind == kAlltoallw ? (int)bytes_of(call->type) : 0;
    call->given_counts[block] = elements(call, call->in.rank, block);
    call->wanted_counts[block] = elements(call, block, call->in.rank);
    call->given_places[block] =
        place_of(call, block) * (bytes == 0 ? 1 : bytes * (call->given_as == kDense ? 1 : 2));
    call->wanted_places[block] =
        place_of(call, block) * (bytes == 0 ? 1 : bytes * (call->wanted_as == kDense ? 1 : 2));
    call->given_types[block] = in, call->wanted_types[block] = out;
  }
}

static void start_uneven(Call* call, const void* given, void* wanted, MPI_Request* to) {
  int n, m;
  const int rank = call->in.rank, root = call->root;
  MPI_Datatype in = type_of(call, call->given_as, &n), out = type_of(call, call->wanted_as, &m);
  const MPI_Comm comm = call->in.comm;
  const int *counts = call->wanted_counts, *places = call->wanted_places;
  describe_blocks(call, in, out);
  switch (call->kind) {
    case kAllgatherv:
      MPI_Iallgatherv(given, elements(call, rank, 0), in, wanted, counts, places, out, comm, to);
      break;
    case kGatherv:
      MPI_Igatherv(given, elements(call, rank, 0), in, wanted, counts, places, out, root, comm, to);
      break;
    case kScatterv:
      MPI_Iscatterv(given, call->given_counts, call->given_places, in, wanted,
                    elements(call, root, rank), out, root, comm, to);
      break;
    case kAlltoallv:
      MPI_Ialltoallv(given, call->given_counts, call->given_places, in, wanted, counts, places, out,
                     comm, to);
      break;
    default:
      MPI_Ialltoallw(given, call->given_counts, call->given_places, call->given_types, wanted,
                     counts, places, call->wanted_types, comm, to);
      break;
  }
  if (call->given_as != kDense) MPI_Type_free(&in);
  if (call->wanted_as != kDense) MPI_Type_free(&out);
}

/// Makes the call's buffers, and starts it. What it needs besides them is freed.
static void start(Call* call, MPI_Request* request) {
  const int is_here = is_in_place_here(call), kind = even(call->kind);
  call->given = room_for(call), call->wanted = room_for(call);
  const void* given = call->given;
  void* wanted = call->wanted;
  if (kind == kBcast || (is_here && kind != kScatter)) {
    const int is_gathered = kind == kAllgather || kind == kGather;
    fill(call, call->wanted, call->wanted_as, is_gathered ? call->in.rank : 0);
    given = MPI_IN_PLACE;
  } else {
    fill(call, call->given, call->given_as, 0);
    if (is_here) wanted = MPI_IN_PLACE;
  }
  if ((kind == kReduce || kind == kGather) && !is_root(call)) wanted = NULL;
  if (kind == kScatter && !is_root(call)) given = NULL;
  if (kind == kBarrier)
    MPI_Ibarrier(call->in.comm, request);
  else if (is_exchange(kind) && is_uneven(call->kind))
    start_uneven(call, given, wanted, request);
  else if (is_exchange(kind))
    start_moving(call, given, wanted, request);
  else {
    if (call->kind == kReduceScatter) describe_blocks(call, MPI_INT, MPI_INT);
    start_combining(call, given, wanted, request);
  }
}

/// The call is over: looks at what has come.
static void check(Call* call) {
  const int is_here = is_in_place_here(call), kind = even(call->kind);
  if (!is_here && kind != kBcast)
    expect_blocks(call, call->given, call->given_as, blocks_given(call), 1);
  if (is_here && kind == kScatter)
    expect_blocks(call, call->given, call->given_as, blocks_given(call), 1);
  else if (blocks_wanted(call) > 0)
    expect_blocks(call, call->wanted, call->wanted_as, blocks_wanted(call), 0);
  free(call->given), free(call->wanted);
  call->given = call->wanted = NULL;
}

/// By itself, in one of several ways.
static void complete(MPI_Request* request, int way) {
  int flag = 0, index = 0, count = 0;
  switch (way % 6) {
    case 0:
      MPI_Wait(request, MPI_STATUS_IGNORE);
      break;
    case 1:
      MPI_Waitall(1, request, MPI_STATUSES_IGNORE);
      break;
    case 2:
      MPI_Waitany(1, request, &index, MPI_STATUS_IGNORE);
      break;
    case 3:
      MPI_Waitsome(1, request, &count, &index, MPI_STATUSES_IGNORE);
      break;
    case 4:
      while (!flag) MPI_Test(request, &flag, MPI_STATUS_IGNORE);
      break;
    default:
      while (!flag) MPI_Testall(1, request, &flag, MPI_STATUSES_IGNORE);
      break;
  }
  EXPECT(index == 0 && *request == MPI_REQUEST_NULL);
}

static void make(Call call) {
  MPI_Request request;
  start(&call, &request);
  complete(&request, call.number / 3 + call.in.rank);
  check(&call);
}

// Each kind of call by itself.

/// Of each thread: ranks' threads would count on differently.
static __thread int next_number;

static Call call_of(Group in, int kind, int count, int type) {
  Call call = {.in = in, .kind = kind, .count = count, .type = type, .combine = kSum};
  call.number = ++next_number;
  return call;
}

/// All sizes, roots and places.
static void make_kind(Group in, int kind) {
  const int counts[] = {0, 1, 5, 600, 3000}, sizes = kind == kBarrier ? 1 : 5;
  for (int i = 0; i < sizes; ++i)
    for (int type = 0; type < kTypes; ++type)
      for (int is_in_place = 0; is_in_place < 2; ++is_in_place)
        for (int root = 0; root < (is_rooted(kind) ? in.ranks : 1); ++root) {
          Call call = call_of(in, kind, counts[i], type);
          call.is_in_place = is_in_place && kind != kBcast;
          call.root = root;
          call.combine = next_number % 2 ? kSum : kMax;
          make(call);
        }
}

/// Calls like the one before, and then one of them differs.
static void make_alike(Group in, int kind) {
  for (int i = 0; i < 60; ++i) {
    Call call = call_of(in, kind, i == 30 ? 7 : 5, i == 40 ? kDoubles : kInts);
    call.root = i < 20 ? 0 : (in.ranks - 1);
    call.is_in_place = i == 50;
    call.combine = i == 45 ? kMax : kSum;
    make(call);
  }
}

/// Ranks' blocks lie differently.
static void make_with_gaps(Group in, int kind) {
  const int counts[] = {1, 5, 600};
  for (int i = 0; i < 3; ++i)
    for (int given_as = 0; given_as < kLayouts; ++given_as)
      for (int wanted_as = 0; wanted_as < kLayouts; ++wanted_as) {
        Call call = call_of(in, kind, counts[i], next_number % kTypes);
        call.given_as = (given_as + in.rank) % kLayouts;
        call.wanted_as = (wanted_as + (kind == kAllgatherv ? 0 : in.rank / 2)) % kLayouts;
        call.root = next_number % in.ranks;
        call.is_in_place = kind != kBcast && next_number % 4 == 0;
        if (call.is_in_place) call.given_as = call.wanted_as;
        make(call);
      }
}

/// A root's blocks may be read-only, its own as well.
static void scatter_constants(Group in) {
  static const int kConstants[2 * kMostRanks] = {1, 2, 3, 4, 5, 6, 7, 8};
  int counts[kMostRanks], places[kMostRanks], got[2] = {-1, -1};
  MPI_Request request;
  for (int i = 0; i < in.ranks; ++i) counts[i] = 1 + i % 2, places[i] = 2 * i;
  MPI_Iscatterv(kConstants, counts, places, MPI_INT, in.rank == 0 ? MPI_IN_PLACE : got,
                counts[in.rank], MPI_INT, 0, in.comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  for (int i = 0; i < counts[in.rank] && in.rank > 0; ++i)
    EXPECT(got[i] == kConstants[places[in.rank] + i]);
}

/// Rank 0 has what it gives at absolute addresses, by displacements.
static void move_from_bottom(Group in) {
#if MPI_VERSION >= 4 && !defined(OPEN_MPI)
  MPI_Count counts[kMostRanks];
  MPI_Aint from[kMostRanks], to[kMostRanks], at;
  MPI_Datatype types[kMostRanks];
  int given[kMostRanks] = {0}, got[kMostRanks];
  void* const bottom = MPI_BOTTOM;  // GCC takes a null constant for a mistake
  MPI_Request request;
  MPI_Get_address(given, &at);
  for (int i = 0; i < in.ranks; ++i) {
    counts[i] = 1, types[i] = MPI_INT, given[i] = 10 * in.rank + i;
    to[i] = (MPI_Aint)sizeof(int) * i, from[i] = to[i] + (in.rank == 0 ? at : 0);
  }
  const void* const begin = in.rank == 0 ? bottom : given;
  for (int is_blocking = 0; is_blocking < 2; ++is_blocking) {
    for (int i = 0; i < in.ranks; ++i) got[i] = -1;
    if (is_blocking) {
      MPI_Alltoallw_c(begin, counts, from, types, got, counts, to, types, in.comm);
    } else {
      MPI_Ialltoallw_c(begin, counts, from, types, got, counts, to, types, in.comm, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < in.ranks; ++i) EXPECT(got[i] == 10 * i + in.rank);
  }
#else
  (void)in;
#endif
}

/// Some ranks have their numbers at absolute addresses.
static void make_at_bottom(Group in) {
  static int numbers[600];
  MPI_Request request;
  MPI_Datatype type;
  MPI_Aint at;
  MPI_Get_address(numbers, &at);
  for (int round = 0; round < 2 * in.ranks; ++round) {
    const int root = round % in.ranks, count = round < in.ranks ? 600 : 3;
    for (int i = 0; i < count; ++i) numbers[i] = in.rank == root ? round + i : -1;
    if ((in.rank + round) % 2) {
      MPI_Type_create_hindexed(1, &count, &at, MPI_INT, &type);
      MPI_Type_commit(&type);
      MPI_Ibcast(MPI_BOTTOM, 1, type, root, in.comm, &request);
      MPI_Type_free(&type);
    } else {
      MPI_Ibcast(numbers, count, MPI_INT, root, in.comm, &request);
    }
    complete(&request, round);
    for (int i = 0; i < count; ++i) EXPECT(numbers[i] == round + i);
  }
}

static void kinds(void) {
  const Group world = group_of(MPI_COMM_WORLD);
  warm(MPI_COMM_WORLD);
  for (int kind = 0; kind < kKinds; ++kind) {
    make_kind(world, kind);
    make_alike(world, kind);
    if (is_exchange(kind)) make_with_gaps(world, kind);
  }
  make_at_bottom(world);
  scatter_constants(world);
  move_from_bottom(world);
}

// Random programs: the same calls on all ranks, each of which completes them as it likes.

enum { kSlots = 26, kFirstPersistent = 24, kGroups = 4, kOwnTag = 12 };
enum { kFree, kCalled, kReceives, kSends, kInactive, kStarted };

typedef struct {
  Group groups[kGroups];
  int group_count;
  unsigned long shared, own;  // what is random: for all ranks alike, and for this one
  MPI_Request requests[kSlots];
  int states[kSlots];
  Call calls[kSlots];
  int *data[kSlots], counts[kSlots], tags[kSlots], sources[kSlots];
  int outstanding, limit, number, slots, received;
} Player;

static unsigned random_below(unsigned long* state, unsigned below) {
  *state = *state * 6364136223846793005ul + 1442695040888963407ul;
  return (unsigned)(*state >> 33) % below;
}

static int is_active(const Player* player, int slot) {
  const int state = player->states[slot];
  return state != kFree && state != kInactive;
}

static int has_active(const Player* player, int first, int slots) {
  for (int slot = first; slot < first + slots; ++slot)
    if (is_active(player, slot)) return 1;
  return 0;
}

static void check_message(Player* player, int slot, const MPI_Status* status) {
  int count = -1;
  for (int i = 0; i < player->counts[slot]; ++i)
    EXPECT(player->data[slot][i] == player->tags[slot] + i);
  free(player->data[slot]);
  if (player->states[slot] != kReceives || status == MPI_STATUS_IGNORE) return;
  MPI_Get_count(status, MPI_INT, &count);
  EXPECT(status->MPI_SOURCE == player->sources[slot]);
  EXPECT(status->MPI_TAG == player->tags[slot]);
  EXPECT(count == player->counts[slot]);
}

/// What is in the slot is over, as some function has said.
static void take(Player* player, int slot, const MPI_Status* status) {
  const int state = player->states[slot];
  EXPECT(is_active(player, slot));
  if (!is_active(player, slot)) return;
  EXPECT((player->requests[slot] == MPI_REQUEST_NULL) == (state != kStarted));
  if (state == kCalled) check(&player->calls[slot]);
  if (state == kReceives || state == kSends) check_message(player, slot, status);
  player->states[slot] = state == kStarted ? kInactive : kFree;
  --player->outstanding;
}

/// Takes some of the slots, which a function has named.
static void take_some(Player* player, int first, int slots, int count, const int* indices,
                      const MPI_Status* statuses, int must_be_one) {
  if (count == MPI_UNDEFINED) {
    EXPECT(!has_active(player, first, slots));
    return;
  }
  EXPECT(0 <= count && count <= slots && (count > 0 || !must_be_one));
  for (int i = 0; i < count && i < slots; ++i) {
    EXPECT(0 <= indices[i] && indices[i] < slots);
    take(player, first + indices[i], statuses == MPI_STATUSES_IGNORE ? statuses : statuses + i);
  }
}

static void take_all(Player* player, int first, int slots, const MPI_Status* statuses) {
  for (int i = 0; i < slots; ++i)
    if (is_active(player, first + i))
      take(player, first + i, statuses == MPI_STATUSES_IGNORE ? statuses : statuses + i);
}

static void take_any(Player* player, int first, int slots, int index, const MPI_Status* status) {
  if (index == MPI_UNDEFINED)
    EXPECT(!has_active(player, first, slots));
  else
    take(player, first + index, status);
}

/// Waits for, or tests, one slot.
static void complete_one(Player* player, int slot, int way, MPI_Status* status) {
  MPI_Request* request = &player->requests[slot];
  int flag = 1, is_over = 0;
  if (way == 0) MPI_Wait(request, status);
  if (way == 2) MPI_Request_get_status(*request, &is_over, MPI_STATUS_IGNORE);
  if (way == 2) EXPECT(player->states[slot] == kFree || *request != MPI_REQUEST_NULL);
  if (way != 0) MPI_Test(request, &flag, status);
  EXPECT(flag || !is_over);
  if (flag && is_active(player, slot)) take(player, slot, status);
}

/// Some of the slots by one of the functions.
static void complete_some(Player* player, int way, int first, int slots, int ignores) {
  MPI_Status statuses[kSlots], *to = ignores ? MPI_STATUSES_IGNORE : statuses;
  MPI_Status* one = ignores ? MPI_STATUS_IGNORE : statuses;
  MPI_Request* requests = player->requests + first;
  int indices[kSlots], index = -1, flag = 0, count = -1;
  if (way < 3) {
    complete_one(player, first, way, one);
  } else if (way == 3) {
    MPI_Waitany(slots, requests, &index, one);
    take_any(player, first, slots, index, one);
  } else if (way == 4) {
    MPI_Waitsome(slots, requests, &count, indices, to);
    take_some(player, first, slots, count, indices, to, 1);
  } else if (way == 5) {
    MPI_Testany(slots, requests, &index, &flag, one);
    if (flag) take_any(player, first, slots, index, one);
  } else if (way == 6) {
    MPI_Testsome(slots, requests, &count, indices, to);
    take_some(player, first, slots, count, indices, to, 0);
  } else if (way == 7) {
    MPI_Testall(slots, requests, &flag, to);
    if (flag) take_all(player, first, slots, to);
  } else {
    MPI_Waitall(slots, requests, to);
    take_all(player, first, slots, to);
  }
}

/// As this rank likes; now and then all.
static void complete_as_one_likes(Player* player) {
  int way = (int)random_below(&player->own, 9);
  const int first = (int)random_below(&player->own, (unsigned)player->slots);
  const int slots = 1 + (int)random_below(&player->own, (unsigned)(player->slots - first));
  if (way == 8 && random_below(&player->own, 4)) way = 3;
  complete_some(player, way, first, slots, (int)random_below(&player->own, 2));
}

static void make_room(Player* player, int more) {
  while (player->outstanding + more > player->limit) {
    const int slot = (int)random_below(&player->own, kFirstPersistent);
    const int is_persistent_left = !has_active(player, 0, kFirstPersistent);
    if (is_active(player, slot)) complete_some(player, 0, slot, 1, 1);
    if (is_persistent_left) complete_some(player, 8, 0, player->slots, 1);
  }
}

static int free_slot(Player* player) {
  for (;;) {
    const int slot = (int)random_below(&player->own, kFirstPersistent);
    if (player->states[slot] == kFree) return slot;
  }
}

static Group random_group(Player* player) {
  return player->groups[random_below(&player->shared, (unsigned)player->group_count)];
}

static void start_call(Player* player) {
  const int counts[] = {1, 1, 2, 5, 5, 10, 100, 600, 3000, 0};
  make_room(player, 1);
  const int slot = free_slot(player), kind = (int)random_below(&player->shared, kKinds);
  Call* call = &player->calls[slot];
  *call = call_of(random_group(player), kind, counts[random_below(&player->shared, 10)],
                  (int)random_below(&player->shared, kTypes));
  call->number = ++player->number;
  call->root = (int)random_below(&player->shared, (unsigned)call->in.ranks);
  call->is_in_place = random_below(&player->shared, 4) == 0 && kind != kBcast;
  // What falls back to the MPI: its own requests come between.
  const unsigned rare = random_below(&player->shared, 40);
  if (rare == 0) call->count = 40000;
  call->combine = rare == 1 ? kOwn : rare % 2 ? kSum : kMax;
  if (rare < 8 && is_exchange(kind)) {
    // MPICH 5.0 waits forever for allgatherv if ranks' results lie differently.
    unsigned long* const random = kind == kAllgatherv ? &player->shared : &player->own;
    call->wanted_as = (int)random_below(random, kLayouts);
    call->given_as =
        call->is_in_place ? call->wanted_as : (int)random_below(&player->own, kLayouts);
  }
  start(call, &player->requests[slot]);
  player->states[slot] = kCalled;
  ++player->outstanding;
}

/// To the next rank, from the one before.
static void start_message(Player* player) {
  const Group in = random_group(player);
  const int count = random_below(&player->shared, 5) ? 3 : 30000, tag = ++player->number % 30000;
  make_room(player, 2);  // the send must not wait for the receive
  for (int is_sent = 0; is_sent < 2; ++is_sent) {
    const int slot = free_slot(player);
    int* data = player->data[slot] = malloc(count * sizeof *data);
    for (int i = 0; i < count; ++i) data[i] = is_sent ? tag + i : -1;
    player->counts[slot] = count, player->tags[slot] = tag;
    player->sources[slot] = (in.rank + in.ranks - 1) % in.ranks;
    if (is_sent)
      MPI_Isend(data, count, MPI_INT, (in.rank + 1) % in.ranks, tag, in.comm,
                &player->requests[slot]);
    else
      MPI_Irecv(data, count, MPI_INT, tag % 2 ? player->sources[slot] : MPI_ANY_SOURCE, tag,
                in.comm, &player->requests[slot]);
    player->states[slot] = is_sent ? kSends : kReceives;
    ++player->outstanding;
  }
}

static void call_blocking(Group in, int kind, int number) {
  int given[kMostRanks] = {0}, got[kMostRanks], word = in.rank + number;
  const int root = number % in.ranks;
  for (int i = 0; i < in.ranks; ++i) given[i] = 100 * in.rank + i;
  switch (kind) {
    case 0:
      MPI_Barrier(in.comm);
      break;
    case 1:
      MPI_Bcast(&word, 1, MPI_INT, root, in.comm);
      EXPECT(word == root + number);
      break;
    case 2:
      MPI_Allreduce(MPI_IN_PLACE, &word, 1, MPI_INT, MPI_SUM, in.comm);
      EXPECT(word == in.ranks * (in.ranks - 1) / 2 + in.ranks * number);
      break;
    case 3:
      MPI_Alltoall(given, 1, MPI_INT, got, 1, MPI_INT, in.comm);
      for (int i = 0; i < in.ranks; ++i) EXPECT(got[i] == 100 * i + in.rank);
      break;
    default:
      MPI_Allgather(&word, 1, MPI_INT, got, 1, MPI_INT, in.comm);
      for (int i = 0; i < in.ranks; ++i) EXPECT(got[i] == i + number);
      break;
  }
}

static void start_persistent(Player* player) {
  const int slot = kSlots - 1;
  if (player->slots < kSlots || player->states[slot] != kInactive) return;
  MPI_Start(&player->requests[slot]);
  MPI_Send(&player->number, 1, MPI_INT, 0, kOwnTag, MPI_COMM_SELF);
  player->states[slot] = kStarted;
  ++player->outstanding;
}

static void step(Player* player) {
  const unsigned what = random_below(&player->shared, 20);
  if (random_below(&player->shared, 50) == 0)
    player->limit =
        random_below(&player->shared, 3) ? 2 + (int)random_below(&player->shared, 8) : 20;
  if (what < 12)
    start_call(player);
  else if (what < 15)
    start_message(player);
  else if (what < 17)
    call_blocking(random_group(player), (int)random_below(&player->shared, 5), ++player->number);
  else if (random_below(&player->own, 3) == 0)
    start_persistent(player);
  for (unsigned times = random_below(&player->own, 3); times > 0; --times)
    complete_as_one_likes(player);
}

static void play_randomly(Player* player, int steps, unsigned long seed) {
  player->shared = seed;
  player->own = seed * 31 + (unsigned long)player->groups[0].rank * 1000003 + 7;
  player->limit = 9;
  player->slots = kSlots;
  for (int slot = 0; slot < kSlots; ++slot) player->requests[slot] = MPI_REQUEST_NULL;
  for (int slot = kFirstPersistent; slot < kSlots; ++slot) {
    MPI_Recv_init(&player->received, 1, MPI_INT, 0, kOwnTag, MPI_COMM_SELF,
                  &player->requests[slot]);
    player->states[slot] = kInactive;
  }
  if (is_of_intel) player->slots = kFirstPersistent;  // it takes inactive ones for complete
  for (int i = 0; i < steps; ++i) step(player);
  for (int i = 0; i < 50 && player->outstanding > 0; ++i) complete_as_one_likes(player);
  complete_some(player, 8, 0, kSlots, 1);
  EXPECT(player->outstanding == 0);
  for (int slot = kFirstPersistent; slot < kSlots; ++slot)
    MPI_Request_free(&player->requests[slot]);
}

/// Started in one order, and waited for in another at each rank.
static void complete_in_all_orders(Group in, unsigned long seed) {
  enum { kCalls = 20 };
  static Call calls[kCalls];
  MPI_Request requests[kCalls];
  int order[kCalls];
  unsigned long own = seed * 77 + (unsigned long)in.rank;
  for (int kind = 0; kind < kKinds; ++kind) {
    for (int i = 0; i < kCalls; ++i) {
      order[i] = in.rank == 0 ? i : kCalls - 1 - i;
      calls[i] = call_of(in, i % 3 ? kind : kBcast, i % 4 ? 5 : 3000, i % kTypes);
      calls[i].root = i % in.ranks;
      start(&calls[i], &requests[i]);
      if (i % 7 == 6) call_blocking(in, i % 5, i);
    }
    for (int i = 0; i < kCalls && in.rank > 1; ++i) {
      const int j = (int)random_below(&own, kCalls), k = order[i];
      order[i] = order[j], order[j] = k;
    }
    for (int i = 0; i < kCalls; ++i) {
      complete(&requests[order[i]], i + kind);
      check(&calls[order[i]]);
    }
  }
}

static void orders(void) {
  static Player player;
  MPI_Comm backwards, half;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &backwards);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  warm(MPI_COMM_WORLD), warm(backwards), warm(half);
  complete_in_all_orders(group_of(MPI_COMM_WORLD), 1);
  complete_in_all_orders(group_of(backwards), 2);
  for (unsigned long seed = first_seed; seed < first_seed + 4; ++seed) {
    memset(&player, 0, sizeof player);
    player.groups[0] = group_of(MPI_COMM_WORLD);
    player.groups[1] = group_of(backwards);
    player.groups[2] = duplicate_of(MPI_COMM_WORLD);
    player.groups[3] = group_of(half);  // ranks in different halves take the same steps
    player.group_count = kGroups;
    play_randomly(&player, 700, seed);
    MPI_Comm_free(&player.groups[2].comm);
  }
  MPI_Comm_free(&backwards);
  MPI_Comm_free(&half);
}

// Programs that end only if no rank owes its peers anything once it has started a call.

enum { kMany = 20, kWord = 11 };

/// Calls of one kind, whose roots are `root`.
static void start_many(Group in, int kind, int count, int root, Call* calls,
                       MPI_Request* requests) {
  for (int i = 0; i < kMany; ++i) {
    calls[i] = call_of(in, kind, count, i % kTypes);
    calls[i].root = root;
    start(&calls[i], &requests[i]);
  }
}

static void finish_many(Call* calls, MPI_Request* requests) {
  MPI_Waitall(kMany, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; i < kMany; ++i) check(&calls[i]);
}

static void send_word(Group in, int to) {
  const int word = 7;
  MPI_Send(&word, 1, MPI_INT, to, kWord, in.comm);
}

static void receive_word(Group in, int from) {
  int word = 0;
  MPI_Recv(&word, 1, MPI_INT, from, kWord, in.comm, MPI_STATUS_IGNORE);
  EXPECT(word == 7);
}

/// One rank waits for the call before it sends what the others wait for between start and wait.
static void receive_before_waiting(Group in, int kind) {
  // Long ones are Terrace's: Intel MPI's own wait forever.
  const int is_any_length = kGatherv <= kind && kind <= kAlltoallw;
  const int counts[] = {1, 600, is_any_length ? 300000 : 3000};
  for (int round = 0; round < 6; ++round) {
    const int first = round % in.ranks;
    Call call = call_of(in, kind, counts[round % 3], kInts);
    MPI_Request request;
    call.root = round < 3 ? first : in.ranks - 1;
    start(&call, &request);
    if (in.rank != first) receive_word(in, first);
    complete(&request, round);
    for (int to = 0; to < in.ranks && in.rank == first; ++to)
      if (to != first) send_word(in, to);
    check(&call);
  }
}

/// Rank 0 has started more calls than lanes, and is elsewhere until its peers have finished them.
static void leave_many(Group in, int kind, int count) {
  const int last = in.ranks - 1;
  Call calls[kMany];
  MPI_Request requests[kMany];
  start_many(in, kind, count, even(kind) == kGather ? last : 0, calls, requests);
  if (in.rank == 0 && last > 0) receive_word(in, last);
  finish_many(calls, requests);
  if (in.rank == last && last > 0) send_word(in, 0);
}

/// Likewise, in a blocking call on another communicator that its peers come to last.
static void leave_many_for_a_barrier(Group in, Group other, int kind) {
  Call calls[kMany];
  MPI_Request requests[kMany];
  start_many(in, kind, 100, 0, calls, requests);
  if (in.rank == 0) MPI_Barrier(other.comm);
  finish_many(calls, requests);
  if (in.rank != 0) MPI_Barrier(other.comm);
}

static void sleep_after_a_start(Group in) {
  for (int round = 0; round < 4; ++round) {
    Call calls[kMany];
    MPI_Request requests[kMany];
    start_many(in, round % 2 ? kAllreduce : kBcast, 5, 0, calls, requests);
    if (in.rank == round % in.ranks) usleep(50000);
    finish_many(calls, requests);
  }
}

/// Nothing but tests of one call, the last or the first.
static void test_alone(Group in, int kind) {
  for (int tested = 0; tested < kMany; tested += kMany - 1) {
    Call calls[kMany];
    MPI_Request requests[kMany];
    int flag = 0;
    start_many(in, kind, 5, in.ranks - 1, calls, requests);
    while (!flag) MPI_Test(&requests[tested], &flag, MPI_STATUS_IGNORE);
    finish_many(calls, requests);
  }
}

/// A message that comes only when its sender has finished its calls, tested for with them. `way`:
/// by which function.
static void test_with_a_message(Group in, int way) {
  Call calls[kMany];
  MPI_Request requests[kMany + 1];
  const int last = in.ranks - 1;
  int word = 0, flag = 0, count = 0, over = 0, index, indices[kMany + 1];
  start_many(in, way % 2 ? kAllreduce : kBcast, 5, last, calls, requests);
  if (in.rank == 0 && last > 0)
    MPI_Irecv(&word, 1, MPI_INT, last, kWord, in.comm, &requests[kMany]);
  else
    requests[kMany] = MPI_REQUEST_NULL, word = 7, over = 1;
  while (over <= kMany) {
    if (way == 0) {
      MPI_Testall(kMany + 1, requests, &flag, MPI_STATUSES_IGNORE);
      over = flag ? kMany + 1 : 0;
    } else if (way == 1) {
      MPI_Testsome(kMany + 1, requests, &count, indices, MPI_STATUSES_IGNORE);
      over += count;
    } else if (way == 2) {
      MPI_Testany(kMany + 1, requests, &index, &flag, MPI_STATUS_IGNORE);
      over += flag;
    } else if (way == 3) {
      MPI_Waitany(kMany + 1, requests, &index, MPI_STATUS_IGNORE);
      ++over;
    } else {
      MPI_Waitsome(kMany + 1, requests, &count, indices, MPI_STATUSES_IGNORE);
      over += count;
    }
  }
  EXPECT(word == 7);
  finish_many(calls, requests);
  if (in.rank == last && last > 0) send_word(in, 0);
}

/// What rank 0 receives needs its sender, which waits for rank 0 in a call.
static void wait_while_sending(Group in, int way) {
  enum { kLong = 1 << 20 };
  static int numbers[kLong];
  MPI_Request send = MPI_REQUEST_NULL, request;
  const int last = in.ranks - 1;
  Call call = call_of(in, kAllreduce, 5, kInts);
  for (int i = 0; i < kLong; ++i) numbers[i] = in.rank == last ? way + i : -1;
  if (in.rank == last && last > 0) MPI_Isend(numbers, kLong, MPI_INT, 0, kWord, in.comm, &send);
  if (in.rank == 0 && last > 0) {
    MPI_Recv(numbers, kLong, MPI_INT, last, kWord, in.comm, MPI_STATUS_IGNORE);
    EXPECT(numbers[0] == way && numbers[kLong - 1] == way + kLong - 1);
  }
  start(&call, &request);
  complete(&request, way);
  check(&call);
  MPI_Wait(&send, MPI_STATUS_IGNORE);
}

/// Its tests of a call alone must drive the MPI, which sends it what keeps its peer from the call.
static void test_any_while_receiving(Group in, int way) {
  enum { kLong = 1 << 20 };
  static int numbers[kLong];
  MPI_Request receive = MPI_REQUEST_NULL, request;
  const int last = in.ranks - 1;
  Call call = call_of(in, kAllreduce, 5, kInts);
  if (in.rank == last && last > 0) MPI_Send(numbers, kLong, MPI_INT, 0, kWord, in.comm);
  if (in.rank == 0 && last > 0) MPI_Irecv(numbers, kLong, MPI_INT, last, kWord, in.comm, &receive);
  start(&call, &request);
  for (int over = 0, index; !over;)
    if (way == 0)
      MPI_Testany(1, &request, &index, &over, MPI_STATUS_IGNORE);
    else
      MPI_Testsome(1, &request, &over, &index, MPI_STATUSES_IGNORE);
  check(&call);
  MPI_Wait(&receive, MPI_STATUS_IGNORE);
}

static void progress(void) {
  const Group world = group_of(MPI_COMM_WORLD);
  Group other = duplicate_of(MPI_COMM_WORLD);
  warm(MPI_COMM_WORLD);
  for (int kind = 0; kind < kKinds; ++kind) {
    receive_before_waiting(world, kind);
    leave_many(world, kind, 5);
    leave_many(other, kind, 600);
    leave_many_for_a_barrier(world, other, kind);
    test_alone(world, kind);
  }
  sleep_after_a_start(world);
  for (int way = 0; way < 5; ++way) test_with_a_message(world, way);
  for (int way = 0; way < 6; ++way) wait_while_sending(world, way);
  for (int way = 0; way < 2; ++way) test_any_while_receiving(world, way);
  MPI_Comm_free(&other.comm);
}

/// Messages of peers, also of late ones, arrive without a call of MPI's if a thread goes on with
/// calls.
static void arrive_unattended(void) {
  enum { kNumbersLong = 16 << 10, kNapUs = 100, kMostNaps = 200000 };
  static int given[kNumbersLong], sum[kNumbersLong];
  const Group world = group_of(MPI_COMM_WORLD);
  warm(MPI_COMM_WORLD);
  for (int round = 0; round < 3 * world.ranks; ++round) {
    MPI_Request request;
    const volatile int* const last = &sum[kNumbersLong - 1];
    const int right = world.ranks * (round + 1);
    for (int i = 0; i < kNumbersLong; ++i) given[i] = round + 1;
    if (world.rank == round % world.ranks) usleep(20000);
    MPI_Iallreduce(given, sum, kNumbersLong, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    for (int naps = 0; *last != right && naps < kMostNaps; ++naps) usleep(kNapUs);
    EXPECT(*last == right);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < kNumbersLong; ++i) EXPECT(sum[i] == right);
  }
}

// Statuses.

enum { kPlaces = 5, kTag = 13, kNumbers = 3 };
enum { kCollective, kNull, kIdle, kMessage };  // what a request stands for
static const int kOfPlaces[kPlaces] = {kCollective, kNull, kIdle, kMessage, kCollective};

static void spoil(MPI_Status* statuses, int count) {
  memset(statuses, 0x55, count * sizeof *statuses);
}

static void expect_status(const MPI_Status* status, int what, const Group* in) {
  int count = -1, is_cancelled = -1;
  MPI_Get_count(status, MPI_INT, &count);
  MPI_Test_cancelled(status, &is_cancelled);
  if (what == kCollective && !are_empty) return;  // which MPIs write as they like
  EXPECT(!is_cancelled);
  EXPECT(count == (what == kMessage ? kNumbers : 0));
  EXPECT(status->MPI_TAG == (what == kMessage ? kTag : MPI_ANY_TAG));
  EXPECT(status->MPI_SOURCE ==
         (what == kMessage ? (in->rank + in->ranks - 1) % in->ranks : MPI_ANY_SOURCE));
}

/// Requests of each sort, all of which are over; Intel MPI takes inactive ones for complete.
static void prepare_requests(Group in, MPI_Request* requests, int* numbers) {
  const int given[kNumbers] = {1, 2, 3};
  static char word[2] = "z";
  MPI_Request send;
  MPI_Isend(given, kNumbers, MPI_INT, (in.rank + 1) % in.ranks, kTag, in.comm, &send);
  MPI_Irecv(numbers, kNumbers + 2, MPI_INT, MPI_ANY_SOURCE, kTag, in.comm, &requests[3]);
  MPI_Ibarrier(in.comm, &requests[0]);
  requests[1] = requests[2] = MPI_REQUEST_NULL;
  if (!is_of_intel) MPI_Send_init(word, 1, MPI_CHAR, in.rank, 99, in.comm, &requests[2]);
  MPI_Ibcast(word, 1, MPI_CHAR, 0, in.comm, &requests[4]);
  for (int i = 0; i < kPlaces; ++i)
    for (int flag = 0; !flag;) MPI_Request_get_status(requests[i], &flag, MPI_STATUS_IGNORE);
  MPI_Wait(&send, MPI_STATUS_IGNORE);
}

static void expect_all_taken(MPI_Request* requests, const int* numbers) {
  for (int i = 0; i < kPlaces; ++i) EXPECT((requests[i] == MPI_REQUEST_NULL) || i == 2);
  for (int i = 0; i < kNumbers; ++i) EXPECT(numbers[i] == i + 1);
  if (is_of_intel) return;
  EXPECT(requests[2] != MPI_REQUEST_NULL);
  MPI_Request_free(&requests[2]);
}

/// One status after the other, by Wait and its kin.
static void look_at_each(Group in, int way, MPI_Request* requests, MPI_Status* status) {
  for (int i = 0; i < kPlaces; ++i) {
    int flag = 0, index = -1, count = -1, is_any = way == 2 || way == 4;
    spoil(status, 1);
    if (way == 0) MPI_Wait(&requests[i], status);
    if (way == 1) MPI_Test(&requests[i], &flag, status);
    if (way == 2) MPI_Waitany(1, &requests[i], &index, status);
    if (way == 3) MPI_Waitall(1, &requests[i], status);
    if (way == 4) MPI_Testany(1, &requests[i], &index, &flag, status);
    if (way == 5) MPI_Testall(1, &requests[i], &flag, status);
    if (way == 6) MPI_Waitsome(1, &requests[i], &count, &index, status);
    if (way == 7) MPI_Testsome(1, &requests[i], &count, &index, status);
    if (way == 1 || way == 4 || way == 5) EXPECT(flag);
    const int is_active = kOfPlaces[i] == kCollective || kOfPlaces[i] == kMessage;
    if (is_any) EXPECT(index == (is_active ? 0 : MPI_UNDEFINED));
    if (way >= 6) EXPECT(count == (is_active ? 1 : MPI_UNDEFINED));
    if (is_active && way >= 6) EXPECT(index == 0);
    // MPICH 4.0 writes none where it tests for any of inactive ones.
    if (is_active || (way < 6 && way != 4)) expect_status(status, kOfPlaces[i], &in);
  }
}

/// All at once, or one after the other out of all.
static void look_at_all(Group in, int way, MPI_Request* requests) {
  MPI_Status statuses[kPlaces];
  int flag = 0, index = -1, count = -1, indices[kPlaces], seen = 0;
  spoil(statuses, kPlaces);
  if (way < 2) {
    if (way == 0) MPI_Waitall(kPlaces, requests, statuses);
    if (way == 1) MPI_Testall(kPlaces, requests, &flag, statuses);
    EXPECT(flag == way);
    for (int i = 0; i < kPlaces; ++i) expect_status(&statuses[i], kOfPlaces[i], &in);
    return;
  }
  for (int round = 0; round <= kPlaces && count != MPI_UNDEFINED && index != MPI_UNDEFINED;
       ++round) {
    index = 0, count = 1, flag = 1;
    if (way == 2) MPI_Waitany(kPlaces, requests, &index, statuses);
    if (way == 3) MPI_Testany(kPlaces, requests, &index, &flag, statuses);
    if (way == 4) MPI_Waitsome(kPlaces, requests, &count, indices, statuses);
    if (way == 5) MPI_Testsome(kPlaces, requests, &count, indices, statuses);
    if (way < 4) indices[0] = index;
    EXPECT(flag);
    for (int i = 0; i < count && index != MPI_UNDEFINED; ++i) {
      expect_status(&statuses[i], kOfPlaces[indices[i]], &in);
      seen += 1 << indices[i];
    }
  }
  EXPECT(seen == 1 + 8 + 16);
  EXPECT(way < 4 ? index == MPI_UNDEFINED : count == MPI_UNDEFINED);
}

/// What asks without taking, as often as one likes.
static void ask_without_taking(Group in, MPI_Request* requests) {
  MPI_Status statuses[kPlaces];
  int flag = 0;
  for (int i = 0; i < 2 * kPlaces; ++i) {
    spoil(statuses, 1);
    MPI_Request_get_status(requests[i % kPlaces], &flag, statuses);
    EXPECT(flag);
    expect_status(statuses, kOfPlaces[i % kPlaces], &in);
  }
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
  int index = -1, count = -1, indices[kPlaces];
  for (int round = 0; round < 2; ++round) {
    spoil(statuses, kPlaces);
    MPI_Request_get_status_all(kPlaces, requests, &flag, statuses);
    EXPECT(flag);
    for (int i = 0; i < kPlaces; ++i) expect_status(&statuses[i], kOfPlaces[i], &in);
    spoil(statuses, kPlaces);
    MPI_Request_get_status_any(kPlaces, requests, &index, &flag, statuses);
    EXPECT(flag && (index == 0 || index == 3 || index == 4));
    if (index >= 0 && index < kPlaces) expect_status(&statuses[0], kOfPlaces[index], &in);
    spoil(statuses, kPlaces);
    MPI_Request_get_status_some(kPlaces, requests, &count, indices, statuses);
    EXPECT(count == 3);
    for (int i = 0; i < count; ++i) expect_status(&statuses[i], kOfPlaces[indices[i]], &in);
    MPI_Request_get_status_any(kPlaces, requests, &index, &flag, MPI_STATUS_IGNORE);
    MPI_Request_get_status_some(kPlaces, requests, &count, indices, MPI_STATUSES_IGNORE);
    EXPECT(flag && count == 3);
  }
#endif
  EXPECT(requests[0] != MPI_REQUEST_NULL && requests[4] != MPI_REQUEST_NULL);
}

/// Nothing is taken while the last rank has not come.
static void look_in_vain(Group in) {
  const int last = in.ranks - 1;
  MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL}, before;
  int flag, index, count, indices[3];
  if (in.rank == last && last > 0)
    for (int from = 0; from < last; ++from) receive_word(in, from);
  MPI_Ibarrier(in.comm, &requests[1]);
  before = requests[1];
  for (int round = 0; round < 3 && in.rank < last; ++round) {
    flag = index = count = 7;
    MPI_Test(&requests[1], &flag, MPI_STATUS_IGNORE);
    EXPECT(flag == 0);
    MPI_Testall(3, requests, &flag, MPI_STATUSES_IGNORE);
    EXPECT(flag == 0);
    MPI_Testany(3, requests, &index, &flag, MPI_STATUS_IGNORE);
    EXPECT(flag == 0 && index == MPI_UNDEFINED);
    MPI_Testsome(3, requests, &count, indices, MPI_STATUSES_IGNORE);
    EXPECT(count == 0);
    MPI_Request_get_status(requests[1], &flag, MPI_STATUS_IGNORE);
    EXPECT(flag == 0);
#if MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)
    MPI_Request_get_status_all(3, requests, &flag, MPI_STATUSES_IGNORE);
    EXPECT(flag == 0);
    MPI_Request_get_status_any(3, requests, &index, &flag, MPI_STATUS_IGNORE);
    EXPECT(flag == 0);
    MPI_Request_get_status_some(3, requests, &count, indices, MPI_STATUSES_IGNORE);
    EXPECT(count == 0);
#endif
    EXPECT(requests[1] == before);
  }
  if (in.rank < last) send_word(in, last);
  MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
  EXPECT(requests[1] == MPI_REQUEST_NULL);
}

static void statuses(void) {
  const Group world = group_of(MPI_COMM_WORLD);
  MPI_Request requests[kPlaces];
  MPI_Status status;
  int numbers[kNumbers + 2];
  warm(MPI_COMM_WORLD);
  for (int way = 0; way < 8; ++way) {
    prepare_requests(world, requests, numbers);
    look_at_each(world, way, requests, &status);
    expect_all_taken(requests, numbers);
  }
  for (int way = 0; way < 6; ++way) {
    prepare_requests(world, requests, numbers);
    if (way == 3) ask_without_taking(world, requests);
    look_at_all(world, way, requests);
    expect_all_taken(requests, numbers);
    look_in_vain(world);
  }
}

// Communicators that end before the calls on them.

static const int kOfEnds[] = {kAllreduce, kBcast, kAlltoall, kReduce, kGather};

/// Calls that are not over when the communicator goes: one rank comes late.
static void end_with_pending(Group in, int count, int late, int is_disconnected) {
  Call calls[kMany];
  MPI_Request requests[kMany];
  for (int i = 0; i < 60; ++i) {  // many that differ come before
    start_many(in, kOfEnds[i % 5], 1 + i / 5, 0, calls, requests);
    finish_many(calls, requests);
  }
  if (in.rank == late % in.ranks) usleep(20000);
  for (int i = 0; i < count; ++i) {
    calls[i] = call_of(in, kOfEnds[i % 5], 50 + i, i % kTypes);
    calls[i].root = i % in.ranks;
    if (is_exchange(calls[i].kind)) calls[i].given_as = calls[i].wanted_as = i % kLayouts;
    start(&calls[i], &requests[i]);
  }
  if (is_disconnected)
    MPI_Comm_disconnect(&in.comm);
  else
    MPI_Comm_free(&in.comm);
  EXPECT(in.comm == MPI_COMM_NULL);
  if (in.rank == (late + 1) % in.ranks) usleep(10000);
  for (int i = count; i-- > 0;) {
    complete(&requests[i], i);
    check(&calls[i]);
  }
}

/// Calls that are over, and whose requests are waited for when their communicator is gone.
static void end_with_requests(Group in) {
  Call calls[kMany];
  MPI_Request requests[kMany];
  int flag;
  start_many(in, kAlltoall, 5, 0, calls, requests);
  for (int i = 0; i < kMany; ++i)
    for (flag = 0; !flag;) MPI_Request_get_status(requests[i], &flag, MPI_STATUS_IGNORE);
  MPI_Comm_free(&in.comm);
  Group next = duplicate_of(MPI_COMM_WORLD);  // may get what belonged to it
  make(call_of(next, kAllreduce, 5, kInts));
  finish_many(calls, requests);
  MPI_Comm_free(&next.comm);
}

/// Short lives, which may leave calls behind at some ranks.
static void live_and_leave(int lives, int leaves_calls) {
  enum { kCalls = 10 };
  Call calls[kCalls];
  MPI_Request requests[kCalls];
  for (int life = 0; life < lives; ++life) {
    Group own = duplicate_of(MPI_COMM_WORLD);
    for (int i = 0; i < kCalls; ++i) {
      calls[i] = call_of(own, (life + i) % kKinds, 1 + (i * life) % 50, i % kTypes);
      calls[i].root = life % own.ranks;
      start(&calls[i], &requests[i]);
    }
    const int is_left = leaves_calls && (life + own.rank) % 3 == 0;
    if (!is_left) MPI_Waitall(kCalls, requests, MPI_STATUSES_IGNORE);
    MPI_Comm_free(&own.comm);
    if (is_left) MPI_Waitall(kCalls, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < kCalls; ++i) check(&calls[i]);
  }
}

/// Ranks set up a team while they are far apart, and some communicators end meanwhile.
static void set_up(void) {
  for (int life = 0; life < 40; ++life) {
    Group own = duplicate_of(MPI_COMM_WORLD);
    for (int i = 0; i < 18 + life; ++i) {
      if ((i + life + own.rank) % 9 == 0) usleep(300);
      Call call = call_of(own, (life + i) % kKinds, 5, i % kTypes);
      call.root = i % own.ranks;
      if (life % 4 == 3 && i % 5 == 0) call_blocking(own, i / 5 % 5, i);
      make(call);
    }
    MPI_Comm_free(&own.comm);
  }
}

/// Programs that MPIs run, though they may not: ranks start a call before a blocking one, or after
/// it. `distance`: nonblocking calls for each blocking one.
static void differ_in_order(Group in, int distance) {
  for (int i = 0; i < 90; ++i) {
    const int is_here = i % distance == 0, is_before = (i + in.rank) % 2;
    Call call = call_of(in, i % 2 ? kAllreduce : kAlltoall, 5, kInts);
    MPI_Request request;
    if (is_here && is_before) MPI_Barrier(in.comm);
    start(&call, &request);
    if (is_here && !is_before) MPI_Barrier(in.comm);
    complete(&request, i);
    check(&call);
  }
}

static void either_order(void) {
  for (int distance = 1; distance < 6; ++distance) {
    Group own = duplicate_of(MPI_COMM_WORLD);
    differ_in_order(own, distance);
    MPI_Comm_free(&own.comm);
  }
  differ_in_order(group_of(MPI_COMM_WORLD), 1);
}

/// Communicators end in the midst of their set-up, while other ranks are far behind.
static void end_set_ups(void) {
  for (int calls = 19; calls < 25; ++calls)
    for (int is_disconnected = 0; is_disconnected < 2; ++is_disconnected) {
      Group own = duplicate_of(MPI_COMM_WORLD);
      for (int i = 0; i < calls; ++i) {
        if (own.rank > 0 && i == 10) usleep(20000);
        Call call = call_of(own, kBcast, 5, kInts);
        make(call);
      }
      if (is_disconnected)
        MPI_Comm_disconnect(&own.comm);
      else
        MPI_Comm_free(&own.comm);
    }
}

/// Returns whether the program can open as many files.
static int can_open(int files) {
  FILE* opened[kMany];
  int count = 0;
  while (count < files && (opened[count] = fopen("/dev/null", "r")) != NULL) ++count;
  for (int i = 0; i < count; ++i) fclose(opened[i]);
  return count == files;
}

static int open_files(void) {
  int count = 0;
  for (int file = 0; file < 1024; ++file) count += fcntl(file, F_GETFD) != -1;
  return count;
}

/// Returns the limit from before.
static rlim_t limit_files(rlim_t files) {
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  const rlim_t before = limit.rlim_cur;
  limit.rlim_cur = files;
  setrlimit(RLIMIT_NOFILE, &limit);
  return before;
}

enum { kComms = 100 };

/// Makes calls of that kind on many communicators, side by side.
static void make_on_all(const Group* groups, int kind, int rounds) {
  Call calls[kComms];
  MPI_Request requests[kComms];
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < kComms; ++i) {
      calls[i] = call_of(groups[i], kind, 5, kInts);
      start(&calls[i], &requests[i]);
    }
    MPI_Waitall(kComms, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < kComms; ++i) check(&calls[i]);
  }
}

/// Rank 0 comes to the set-ups of many communicators before the others, with few files to open.
static void many_set_ups(void) {
  enum { kFiles = 192, kBefore = 18, kAhead = 4, kTogether = 6 };
  Group groups[kComms];
  const rlim_t usual = limit_files(kFiles);
  for (int i = 0; i < kComms; ++i) groups[i] = duplicate_of(MPI_COMM_WORLD);
  for (int i = 0; i < 4; ++i) make(call_of(group_of(MPI_COMM_WORLD), kAllreduce, 5, kInts));
  make_on_all(groups, kBcast, kBefore);
  if (rank > 0) receive_word(group_of(MPI_COMM_WORLD), 0);
  make_on_all(groups, kBcast, kAhead);
  EXPECT(can_open(kMany));
  for (int to = 1; to < size && rank == 0; ++to) send_word(group_of(MPI_COMM_WORLD), to);
  make_on_all(groups, kAllreduce, kTogether);
  for (int i = 0; i < kComms; ++i) MPI_Comm_free(&groups[i].comm);
  limit_files(usual);
}

/// Rank 0 is far ahead of ranks that come late to a set-up, or of one that cannot open its files,
/// and has no way to say so. It keeps no files open for them.
static void wait_in_vain(int is_refused) {
  enum { kBefore = 19, kMeanwhile = 6, kAhead = 4200 };
  const Group world = group_of(MPI_COMM_WORLD);
  Group own = duplicate_of(MPI_COMM_WORLD);
  for (int i = 0; i < kBefore; ++i) make(call_of(own, kAllreduce, 5, kInts));
  const int files = open_files();
  if (is_refused) {
    const rlim_t usual = rank == 1 ? limit_files(0) : 0;
    for (int i = 0; i < kMeanwhile; ++i) make(call_of(own, kAllreduce, 5, kInts));
    if (rank == 1) limit_files(usual);
    EXPECT(rank > 0 || open_files() > files);
  }
  if (rank > 0) receive_word(world, 0);
  for (int i = 0; i < kAhead; ++i) make(call_of(own, kBcast, 5, kInts));
  EXPECT(open_files() == files);
  for (int to = 1; to < size && rank == 0; ++to) send_word(world, to);
  for (int i = 0; i < 5; ++i) make(call_of(own, kAllreduce, 5, kInts));
  MPI_Comm_free(&own.comm);
}

static void vain_set_ups(void) {
  for (int i = 0; i < 10; ++i) make(call_of(group_of(MPI_COMM_WORLD), kAllreduce, 5, kInts));
  wait_in_vain(0);
  wait_in_vain(1);
}

/// Rank 0 comes to set-ups far ahead of the others: it waits for none that has started a call, and
/// once for those that have not.
static void start_ahead(int calls_of_others, int comms, double seconds) {
  enum { kAhead = 22, kMostComms = 3 };
  const Group world = group_of(MPI_COMM_WORLD);
  Group groups[kMostComms];
  for (int i = 0; i < comms; ++i) groups[i] = duplicate_of(MPI_COMM_WORLD);
  for (int i = 0; i < calls_of_others; ++i) make(call_of(groups[0], kBcast, 5, kInts));
  if (rank > 0) receive_word(world, 0);
  const double begin = MPI_Wtime();
  for (int i = 0; i < kAhead * comms; ++i) make(call_of(groups[i % comms], kBcast, 5, kInts));
  EXPECT(rank > 0 || MPI_Wtime() - begin < seconds);
  for (int to = 1; to < size && rank == 0; ++to) send_word(world, to);
  for (int i = 0; i < 9 * comms; ++i) make(call_of(groups[i % comms], kAllreduce, 5, kInts));
  for (int i = 0; i < comms; ++i) MPI_Comm_free(&groups[i].comm);
}

static void start_one_before(void) {
  start_ahead(1, 3, 5);
}
static void start_none_before(void) {
  start_ahead(0, 3, 18);
}

/// Rank 1 ends MPI when a team has just been set up, of which it has made no call yet.
static void end_early(void) {
  enum { kBegin = 19, kTaken = 21, kCalls = 40 };
  const Group own = duplicate_of(MPI_COMM_WORLD);
  int flag;
  for (int i = 0; i < kCalls; ++i) {
    make(call_of(own, kAllreduce, 5, kInts));
    for (int n = 0; n < 100 && i == kBegin; ++n, usleep(200))  // lets the MPI end its calls
      MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, own.comm, &flag, MPI_STATUS_IGNORE);
    if (i == kTaken && rank == 1) {
      MPI_Finalize();
      exit(0);
    }
  }
}

static void ends(void) {
  const Group self = group_of(MPI_COMM_SELF), world = group_of(MPI_COMM_WORLD);
  warm(MPI_COMM_SELF), warm(MPI_COMM_WORLD);
  Call calls[kMany];
  MPI_Request requests[kMany];
  start_many(world, kAllreduce, 5, 0, calls, requests);
  for (int kind = 0; kind < kKinds; ++kind) make(call_of(self, kind, 5, kInts));
  finish_many(calls, requests);
  end_with_requests(duplicate_of(MPI_COMM_WORLD));
  live_and_leave(40, 0);
}

/// Calls of no bytes, elsewhere, while one is pending on what is gone.
static void do_nothing_after_the_end(void) {
  Call calls[kMany];
  MPI_Request requests[kMany], nothing;
  Group own = duplicate_of(MPI_COMM_WORLD);
  start_many(own, kAllreduce, 5, 0, calls, requests);
  finish_many(calls, requests);
  if (own.rank == 1) usleep(20000);
  start(calls, requests);
  MPI_Comm_free(&own.comm);
  for (int i = 0; i < 2; ++i) {
    MPI_Ibcast(&own, 0, MPI_INT, 0, MPI_COMM_WORLD, &nothing);
    MPI_Wait(&nothing, MPI_STATUS_IGNORE);
  }
  MPI_Wait(requests, MPI_STATUS_IGNORE);
  check(calls);
}

/// The last call of a communicator that is gone ends by a function that asks for several, which had
/// begun to sleep.
static void finish_some_after_the_end(void) {
  for (int round = 0; round < 40; ++round) {
    Group own = duplicate_of(MPI_COMM_WORLD);
    Call call = call_of(own, kAllreduce, 5, kInts);
    MPI_Request request;
    int count, index;
    if (own.rank == 1) usleep(2000);
    start(&call, &request);
    MPI_Comm_free(&own.comm);
    MPI_Waitsome(1, &request, &count, &index, MPI_STATUSES_IGNORE);
    EXPECT(count == 1 && index == 0);
    check(&call);
  }
}

/// Of MPIs themselves, MPICH and Intel MPI do not survive calls that are pending when their
/// communicator is disconnected, and Open MPI many when it is freed.
static void ends_with_pending(void) {
  warm(MPI_COMM_WORLD);
  for (int late = 0; late < 3; ++late)
    for (int is_disconnected = 0; is_disconnected < 2; ++is_disconnected) {
      end_with_pending(duplicate_of(MPI_COMM_WORLD), 3, late, is_disconnected);
      end_with_pending(duplicate_of(MPI_COMM_WORLD), kMany, late, is_disconnected);
    }
  live_and_leave(40, 1);
  do_nothing_after_the_end();
  finish_some_after_the_end();
}

/// A call while MPI ends, after whatever was attached to MPI_COMM_SELF later is gone.
static int make_last(MPI_Comm comm, int key, void* attached, void* extra) {
  (void)comm, (void)key, (void)attached, (void)extra;
  // Enough for a team, if there is none yet.
  for (int i = 0; i < (is_cold ? 30 : 3); ++i) {
    make(call_of(group_of(MPI_COMM_WORLD), kAllreduce, 5, kInts));
    if (is_cold) MPI_Barrier(MPI_COMM_WORLD);
  }
  return MPI_SUCCESS;
}

static void attach_last_call(void) {
  int key;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, make_last, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
}

static void finalize(void) {
  warm(MPI_COMM_WORLD);
}

/// Calls that do not match, and go to different lanes.
static void differ(void) {
  const Group world = group_of(MPI_COMM_WORLD);
  MPI_Request request;
  static int given[200], wanted[200 * kMostRanks];
  warm(MPI_COMM_WORLD);
  if (world.rank == 0)
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
  else
    MPI_Igather(given, 200, MPI_INT, wanted, 200, MPI_INT, 0, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void errors(void) {
  Group own = duplicate_of(MPI_COMM_WORLD);
  const MPI_Comm comms[] = {own.comm, MPI_COMM_WORLD, MPI_COMM_SELF};
  for (int i = 0; i < 3; ++i) MPI_Comm_set_errhandler(comms[i], MPI_ERRORS_RETURN);
  for (int round = 0; round < 4; ++round) {
    Call call = call_of(own, round % 2 ? kAllreduce : kBcast, 5, kInts);
    MPI_Request request, before;
    const int is_late = own.rank == own.ranks - 1;
    if (is_late && own.rank > 0) receive_word(own, 0);
    start(&call, &request);
    before = request;
    if (round < 2) EXPECT(MPI_Start(&request) != MPI_SUCCESS);
    if (round < 2) EXPECT(MPI_Startall(1, &request) != MPI_SUCCESS);
    if (round >= 2) MPI_Cancel(&request);
    EXPECT(request == before);
    if (own.rank == 0 && own.ranks > 1) send_word(own, own.ranks - 1);
    complete(&request, round);
    check(&call);
  }
  for (int i = 0; i < 3; ++i) MPI_Comm_set_errhandler(comms[i], MPI_ERRORS_ARE_FATAL);
  MPI_Comm_free(&own.comm);
}

/// The root, which has sent all, asks whether its bcast is over before it tells the others to begin
/// theirs: no answer may wait for them.
static void ask_first(void) {
  Group own = duplicate_of(MPI_COMM_WORLD);
  const int counts[] = {5, 2000, 25000};
  for (int round = 0; round < 6; ++round) {
    Call call = call_of(own, kBcast, counts[round / 2], kInts);
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    int flag = 0, index = 0, word = 0;
    if (own.rank != call.root) receive_word(own, call.root);
    start(&call, requests);
    if (own.rank == call.root) {
      MPI_Request_get_status(requests[0], &flag, MPI_STATUS_IGNORE);
      if (round % 2) MPI_Test(requests, &flag, MPI_STATUS_IGNORE);
      MPI_Irecv(&word, 1, MPI_INT, own.rank, 7, own.comm, requests + 1);
      if (round % 2 == 0) MPI_Testany(2, requests, &index, &flag, MPI_STATUS_IGNORE);
      MPI_Send(&word, 1, MPI_INT, own.rank, 7, own.comm);
      for (int peer = 0; peer < own.ranks; ++peer)
        if (peer != own.rank) send_word(own, peer);
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    check(&call);
  }
  MPI_Comm_free(&own.comm);
}

static int start_wrongly(Group in, int way) {
  int given[kMostRanks] = {0}, wanted[kMostRanks], counts[kMostRanks], places[kMostRanks] = {0};
  MPI_Request request;
  for (int i = 0; i < in.ranks; ++i) counts[i] = 1;
  if (way == 0)
    return MPI_Ireduce_scatter(given, MPI_IN_PLACE, counts, MPI_INT, MPI_SUM, in.comm, &request);
  if (way == 1)
    return MPI_Iallgatherv(given, 1, MPI_INT, wanted, counts, places, MPI_DATATYPE_NULL, in.comm,
                           &request);
  return MPI_Iallreduce(given, wanted, 1, MPI_DOUBLE, MPI_BAND, in.comm, &request);
}

/// One rank makes calls that its MPI refuses, while calls are counted.
static void wrong_alone(void) {
  Group own = duplicate_of(MPI_COMM_WORLD);
  MPI_Comm_set_errhandler(own.comm, MPI_ERRORS_RETURN);
  for (int i = 0; i < 50; ++i) {
    if (own.rank == 1 && i % 6 == 5) EXPECT(start_wrongly(own, i / 6 % 3) != MPI_SUCCESS);
    make(call_of(own, i % 2 ? kAllreduce : kAllgather, 5, kInts));
  }
  int one = 1, sum;
  for (int i = 0; i < 3; ++i) MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, own.comm);
  EXPECT(sum == own.ranks);
  MPI_Comm_free(&own.comm);
}

/// A rank wants less than another gives it: by MPI an error, which whoever completes the call gets.
static void truncate_blocks(void) {
  Group own = duplicate_of(MPI_COMM_WORLD);
  const int counts[] = {20, 2000, 200000};
  MPI_Comm_set_errhandler(own.comm, MPI_ERRORS_RETURN);
  for (int round = 0; round < 6; ++round) {
    const int given = counts[round % 3], wanted = given / 2, last = own.ranks - 1;
    int *from = malloc(given * sizeof *from), *to = malloc((wanted + 1) * sizeof *to);
    int places[kMostRanks] = {0}, error_class = MPI_SUCCESS, lengths[kMostRanks] = {0};
    MPI_Request requests[2];
    MPI_Status statuses[2];
    for (int i = 0; i < given; ++i) from[i] = round + i;
    for (int i = 0; i <= wanted; ++i) to[i] = -1;
    lengths[last] = wanted;
    MPI_Igatherv(from, own.rank == last ? given : 0, MPI_INT, to, lengths, places, MPI_INT, 0,
                 own.comm, &requests[0]);
    requests[1] = MPI_REQUEST_NULL;
    const int right = round % 2 ? MPI_ERR_TRUNCATE : MPI_ERR_IN_STATUS;
    const int error =
        round % 2 ? MPI_Wait(&requests[0], MPI_STATUS_IGNORE) : MPI_Waitall(2, requests, statuses);
    MPI_Error_class(error, &error_class);
    EXPECT(error_class == (own.rank == 0 ? right : MPI_SUCCESS));
    if (error_class == MPI_ERR_IN_STATUS)
      EXPECT(statuses[0].MPI_ERROR == MPI_ERR_TRUNCATE && statuses[1].MPI_ERROR == MPI_SUCCESS);
    EXPECT(requests[0] == MPI_REQUEST_NULL && to[wanted] == -1);
    make(call_of(own, kAllreduce, 5, kInts));
    free(from), free(to);
  }
  MPI_Comm_free(&own.comm);
}

// Threads.

enum { kThreads = 3 };
static Player players[kThreads];

static void* play_in_thread(void* argument) {
  Player* player = argument;
  play_randomly(player, 500, first_seed + (unsigned long)(player - players));
  return NULL;
}

/// Calls that one thread has started, and another waits for.
typedef struct {
  Call calls[kMany];
  MPI_Request requests[kMany];
  int way;
} Started;

static void* finish_in_thread(void* argument) {
  Started* started = argument;
  int index;
  for (int i = 0; i < kMany; ++i)
    if (started->way == 0)
      complete(&started->requests[i], i);
    else
      MPI_Waitany(kMany, started->requests, &index, MPI_STATUS_IGNORE);
  finish_many(started->calls, started->requests);
  return NULL;
}

/// Each waits for what this thread starts, while it starts more.
static void hand_over(const Group* groups) {
  static Started started[kThreads];
  pthread_t threads[kThreads];
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < kThreads; ++i) {
      started[i].way = (round + i) % 2;
      start_many(groups[(round + i) % 2 ? 0 : i], round % kKinds, 5, 0, started[i].calls,
                 started[i].requests);
      pthread_create(&threads[i], NULL, finish_in_thread, &started[i]);
    }
    for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  }
}

static void play_in_threads(void) {
  Group groups[kThreads];
  pthread_t threads[kThreads];
  int provided;
  MPI_Query_thread(&provided);
  if (provided < MPI_THREAD_MULTIPLE) {
    if (rank == 0) printf("not looked at: this MPI has no MPI_THREAD_MULTIPLE\n");
    return;
  }
  for (int i = 0; i < kThreads; ++i) {
    groups[i] = duplicate_of(MPI_COMM_WORLD);
    players[i].groups[0] = groups[i];
    players[i].group_count = 1;
  }
  for (int i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, play_in_thread, &players[i]);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  hand_over(groups);
  for (int i = 0; i < kThreads; ++i) MPI_Comm_free(&groups[i].comm);
}

static const struct situation subjects[] = {
    {"kinds", kinds},
    {"orders", orders},
    {"progress", progress},
    {"arrive_unattended", arrive_unattended},
    {"statuses", statuses},
    {"set_up", set_up},
    {"end_set_ups", end_set_ups},
    {"either_order", either_order},
    {"many_set_ups", many_set_ups},
    {"vain_set_ups", vain_set_ups},
    {"start_one_before", start_one_before},
    {"start_none_before", start_none_before},
    {"end_early", end_early},
    {"ends", ends},
    {"ends_with_pending", ends_with_pending},
    {"errors", errors},
    {"ask_first", ask_first},
    {"wrong_alone", wrong_alone},
    {"threads", play_in_threads},
    {"finalize", finalize},
    {"differ", differ},
    {"truncate", truncate_blocks},
};

static int has(int count, char** words, const char* word) {
  for (int i = 1; i < count; ++i)
    if (strcmp(words[i], word) == 0) return 1;
  return 0;
}

/// MPI ends right behind a call.
int main(int argc, char** argv) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  const int wants_threads = has(argc, argv, "multiple") || has(argc, argv, "threads");
  int provided, length;
  MPI_Init_thread(&argc, &argv, wants_threads ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE, &provided);
  if (has(argc, argv, "finalize")) attach_last_call();
  begin();
  MPI_Get_library_version(version, &length);
  is_of_intel = strstr(version, "Intel") != NULL;
  is_cold = has(argc, argv, "cold");
  are_empty = has(argc, argv, "empty");
  for (int i = 1; i < argc; ++i) sscanf(argv[i], "seed=%lu", &first_seed);
  for (size_t i = 0; i < sizeof subjects / sizeof *subjects; ++i)
    if (has(argc, argv, subjects[i].name)) subjects[i].run();
  const int wrong = sum_up();
  make(call_of(group_of(MPI_COMM_WORLD), kAllreduce, 5, kInts));
  MPI_Finalize();
  return wrong != 0 || failures != 0;
}

#endif
