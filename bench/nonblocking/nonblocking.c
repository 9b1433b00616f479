// SPDX-License-Identifier: BSD-3-Clause
// Times blocking, nonblocking and persistent collectives: batches of each take turns within one
// launch. A timed call includes writing the whole source before it, and reading the whole result
// after it. Prints lines "kind,bytes,way,us per call"; ways: blocking, nonblocking, persistent,
// four (nonblocking calls at once). Arguments: even, uneven (blocks from and for rank 0 are twice
// as long as others) or neighbours (in a ring, each rank two), rounds, and bytes of each size.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  kAllreduce,
  kBcast,
  kAlltoall,
  kAllgather,
  kAlltoallv,
  kAllgatherv,
  kGatherv,
  kNeighbourAlltoall,
  kNeighbourAllgather,
  kBarrier
};
enum { kBlocking, kNonblocking, kPersistent, kFour, kWays };
enum { kOutstanding = 4 };
static const char* const kinds[] = {
    "allreduce",  "bcast",   "alltoall",           "allgather",           "alltoallv",
    "allgatherv", "gatherv", "neighbour_alltoall", "neighbour_allgather", "barrier"};
static const char* const ways[] = {"blocking", "nonblocking", "persistent", "four"};

static char* sources[kOutstanding];
static char* results[kOutstanding];
static int rank, size;
static volatile double seen;
static MPI_Comm ring;

enum { kMostRanks = 256 };
static int given[kMostRanks], wanted[kMostRanks], places[kMostRanks];

/// Lengths and places of uneven blocks.
static void describe(int kind, int bytes) {
  const int block = kind == kAlltoallv ? bytes / size : bytes;
  for (int i = 0; i < size; ++i) {
    const int is_to_first = kind == kAlltoallv && i == 0, is_of_first = rank == 0 || i == 0;
    given[i] = is_to_first || rank == 0 ? block : block / 2;
    wanted[i] = kind == kAlltoallv ? (is_of_first ? block : block / 2) : i == 0 ? block : block / 2;
    places[i] = i * block;
  }
}

static void call(int kind, int bytes) {
  void *from = sources[0], *to = results[0];
  switch (kind) {
    case kAllreduce:
      MPI_Allreduce(from, to, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      break;
    case kBcast:
      MPI_Bcast(from, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
      break;
    case kAlltoall:
      MPI_Alltoall(from, bytes / size, MPI_BYTE, to, bytes / size, MPI_BYTE, MPI_COMM_WORLD);
      break;
    case kAllgather:
      MPI_Allgather(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, MPI_COMM_WORLD);
      break;
    case kAlltoallv:
      MPI_Alltoallv(from, given, places, MPI_BYTE, to, wanted, places, MPI_BYTE, MPI_COMM_WORLD);
      break;
    case kAllgatherv:
      MPI_Allgatherv(from, given[0], MPI_BYTE, to, wanted, places, MPI_BYTE, MPI_COMM_WORLD);
      break;
    case kGatherv:
      MPI_Gatherv(from, given[0], MPI_BYTE, to, wanted, places, MPI_BYTE, 0, MPI_COMM_WORLD);
      break;
    case kNeighbourAlltoall:
      MPI_Neighbor_alltoall(from, bytes / 2, MPI_BYTE, to, bytes / 2, MPI_BYTE, ring);
      break;
    case kNeighbourAllgather:
      MPI_Neighbor_allgather(from, bytes / 2, MPI_BYTE, to, bytes / 2, MPI_BYTE, ring);
      break;
    default:
      MPI_Barrier(MPI_COMM_WORLD);
  }
}

static void start(int kind, int bytes, int i, MPI_Request* request) {
  void *from = sources[i], *to = results[i];
  switch (kind) {
    case kAllreduce:
      MPI_Iallreduce(from, to, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, request);
      break;
    case kBcast:
      MPI_Ibcast(from, bytes, MPI_BYTE, 0, MPI_COMM_WORLD, request);
      break;
    case kAlltoall:
      MPI_Ialltoall(from, bytes / size, MPI_BYTE, to, bytes / size, MPI_BYTE, MPI_COMM_WORLD,
                    request);
      break;
    case kAllgather:
      MPI_Iallgather(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, MPI_COMM_WORLD, request);
      break;
    case kAlltoallv:
      MPI_Ialltoallv(from, given, places, MPI_BYTE, to, wanted, places, MPI_BYTE, MPI_COMM_WORLD,
                     request);
      break;
    case kAllgatherv:
      MPI_Iallgatherv(from, given[0], MPI_BYTE, to, wanted, places, MPI_BYTE, MPI_COMM_WORLD,
                      request);
      break;
    case kGatherv:
      MPI_Igatherv(from, given[0], MPI_BYTE, to, wanted, places, MPI_BYTE, 0, MPI_COMM_WORLD,
                   request);
      break;
    case kNeighbourAlltoall:
      MPI_Ineighbor_alltoall(from, bytes / 2, MPI_BYTE, to, bytes / 2, MPI_BYTE, ring, request);
      break;
    case kNeighbourAllgather:
      MPI_Ineighbor_allgather(from, bytes / 2, MPI_BYTE, to, bytes / 2, MPI_BYTE, ring, request);
      break;
    default:
      MPI_Ibarrier(MPI_COMM_WORLD, request);
  }
}

/// The communicator of persistent calls, of which the first ones alone run on Terrace.
static MPI_Comm of_persistent;

static void renew_communicator(void) {
  if (of_persistent != MPI_COMM_NULL) MPI_Comm_free(&of_persistent);
  MPI_Comm_dup(MPI_COMM_WORLD, &of_persistent);
  for (int i = 0; i < 64; ++i) MPI_Barrier(of_persistent);
}

static void init(int kind, int bytes, MPI_Request* request) {
  void *from = sources[0], *to = results[0];
  const MPI_Info none = MPI_INFO_NULL;
  switch (kind) {
    case kAllreduce:
      MPI_Allreduce_init(from, to, bytes / 8, MPI_DOUBLE, MPI_SUM, of_persistent, none, request);
      break;
    case kBcast:
      MPI_Bcast_init(from, bytes, MPI_BYTE, 0, of_persistent, none, request);
      break;
    case kAlltoall:
      MPI_Alltoall_init(from, bytes / size, MPI_BYTE, to, bytes / size, MPI_BYTE, of_persistent,
                        none, request);
      break;
    case kAllgather:
      MPI_Allgather_init(from, bytes, MPI_BYTE, to, bytes, MPI_BYTE, of_persistent, none, request);
      break;
    case kAlltoallv:
      MPI_Alltoallv_init(from, given, places, MPI_BYTE, to, wanted, places, MPI_BYTE, of_persistent,
                         none, request);
      break;
    case kAllgatherv:
      MPI_Allgatherv_init(from, given[0], MPI_BYTE, to, wanted, places, MPI_BYTE, of_persistent,
                          none, request);
      break;
    case kGatherv:
      MPI_Gatherv_init(from, given[0], MPI_BYTE, to, wanted, places, MPI_BYTE, 0, of_persistent,
                       none, request);
      break;
    case kNeighbourAlltoall:
      MPI_Neighbor_alltoall_init(from, bytes / 2, MPI_BYTE, to, bytes / 2, MPI_BYTE, ring, none,
                                 request);
      break;
    case kNeighbourAllgather:
      MPI_Neighbor_allgather_init(from, bytes / 2, MPI_BYTE, to, bytes / 2, MPI_BYTE, ring, none,
                                  request);
      break;
    default:
      MPI_Barrier_init(of_persistent, none, request);
  }
}

/// Bytes that this rank gives in a call of even blocks.
static int bytes_given(int kind, int bytes) {
  switch (kind) {
    case kBcast:
      return rank == 0 ? bytes : 0;
    case kNeighbourAllgather:
      return bytes / 2;
    default:
      return bytes;
  }
}

/// Bytes that this rank receives in one.
static int bytes_wanted(int kind, int bytes) {
  switch (kind) {
    case kBcast:
      return rank == 0 ? 0 : bytes;
    case kAllgather:
      return bytes * size;
    default:
      return bytes;
  }
}

static int is_uneven(int kind) {
  return kAlltoallv <= kind && kind <= kGatherv;
}

/// Blocks of uneven kinds that this rank gives, or receives.
static int blocks_of(int kind, int is_given) {
  if (kind == kAlltoallv) return size;
  if (is_given) return 1;
  return kind == kAllgatherv || rank == 0 ? size : 0;
}

static void write_all(char* source, int bytes, double value) {
  double* const numbers = (double*)source;
  for (int i = 0; i < bytes / 8; ++i) numbers[i] = value + i;
}

static void read_all(const char* result, int bytes) {
  const long* const words = (const long*)result;
  long all = 0;
  for (int i = 0; i < bytes / 8; ++i) all ^= words[i];
  seen = (double)all;
}

static void write_source(int kind, int bytes, int k, double value) {
  if (!is_uneven(kind)) write_all(sources[k], bytes_given(kind, bytes), value);
  for (int i = 0; is_uneven(kind) && i < blocks_of(kind, 1); ++i)
    write_all(sources[k] + places[i], given[i], value);
}

static void read_result(int kind, int bytes, int k) {
  if (!is_uneven(kind))
    read_all(kind == kBcast ? sources[k] : results[k], bytes_wanted(kind, bytes));
  for (int i = 0; is_uneven(kind) && i < blocks_of(kind, 0); ++i)
    read_all(results[k] + places[i], wanted[i]);
}

static double batch(int kind, int bytes, int way, int calls, MPI_Request* persistent) {
  MPI_Request requests[kOutstanding];
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int i = 0; i < calls; i += way == kFour ? kOutstanding : 1) {
    const int outstanding = way == kFour ? kOutstanding : 1;
    for (int k = 0; k < outstanding; ++k) write_source(kind, bytes, k, i + rank);
    if (way == kBlocking) call(kind, bytes);
    for (int k = 0; k < outstanding && (way == kNonblocking || way == kFour); ++k)
      start(kind, bytes, k, requests + k);
    if (way == kPersistent) MPI_Start(persistent);
    if (way == kFour) MPI_Waitall(kOutstanding, requests, MPI_STATUSES_IGNORE);
    if (way == kNonblocking) MPI_Wait(requests, MPI_STATUS_IGNORE);
    if (way == kPersistent) MPI_Wait(persistent, MPI_STATUS_IGNORE);
    for (int k = 0; k < outstanding; ++k) read_result(kind, bytes, k);
  }
  return (MPI_Wtime() - begin) / calls * 1e6;
}

static void measure(int kind, int bytes, int rounds) {
  const int calls = bytes >= 65536 ? 400 : 4000;
  MPI_Request persistent;
  describe(kind, bytes);
  init(kind, bytes, &persistent);
  for (int round = -1; round < rounds; ++round)  // the first is not counted
    for (int i = 0; i < kWays; ++i) {
      const int way = (i + round + 1) % kWays;
      const double us = batch(kind, bytes, way, calls, &persistent);
      if (rank == 0 && round >= 0) printf("%s,%d,%s,%.4f\n", kinds[kind], bytes, ways[way], us);
    }
  MPI_Request_free(&persistent);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const int is_uneven = argc > 1 && strcmp(argv[1], "uneven") == 0;
  const int is_of_neighbours = argc > 1 && strcmp(argv[1], "neighbours") == 0;
  const int first = is_uneven ? kAlltoallv : is_of_neighbours ? kNeighbourAlltoall : kAllreduce;
  const int last = is_uneven ? kGatherv : is_of_neighbours ? kNeighbourAllgather : kAllgather;
  const int is_periodic = 1;
  MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &is_periodic, 0, &ring);
  for (int i = 0; i < 64; ++i) MPI_Barrier(ring);  // a preloaded library takes it over
  const int rounds = argc > 2 ? atoi(argv[2]) : 5;
  int most = 8;
  for (int i = 3; i < argc; ++i) most = atoi(argv[i]) > most ? atoi(argv[i]) : most;
  for (int k = 0; k < kOutstanding; ++k) {
    sources[k] = aligned_alloc(4096, (size_t)most + 4096);
    results[k] = aligned_alloc(4096, (size_t)most * (size_t)size + 4096);
    memset(sources[k], 0, (size_t)most);
    memset(results[k], 0, (size_t)most * (size_t)size);
  }
  of_persistent = MPI_COMM_NULL;
  for (int i = 3; i < argc; ++i) {
    renew_communicator();
    for (int kind = first; kind <= last; ++kind) measure(kind, atoi(argv[i]), rounds);
  }
  if (!is_uneven && !is_of_neighbours) measure(kBarrier, 0, rounds);
  MPI_Finalize();
  return 0;
}
