// SPDX-License-Identifier: BSD-3-Clause
// Neighbourhood collectives, one subject by name. The MPI's own, which programs reach as PMPI_X,
// say what must come: every byte of the buffers is compared with theirs.
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "situation.h"

// MPIs declare statuses and weights as arrays, and GCC takes MPI_STATUSES_IGNORE and MPI_UNWEIGHTED
// for some without room.
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#pragma GCC diagnostic ignored "-Wstringop-overread"

#if MPI_VERSION >= 4 || (defined OMPI_MAJOR_VERSION && OMPI_MAJOR_VERSION >= 5)
#define HAS_PERSISTENT 1
#else
#define HAS_PERSISTENT 0
#endif

enum { kMostBlocks = 24, kMostOutstanding = 9, kStarts = 4 };
enum { kAllgather, kAllgatherv, kAlltoall, kAlltoallv, kAlltoallw };
#if defined MPICH_NUMVERSION && MPICH_NUMVERSION < 40100000
enum { kKinds = kAlltoallw };  // MPICH 4.0 crashes in its own alltoallw
#else
enum { kKinds = kAlltoallw + 1 };
#endif
enum { kBlocking, kNonblocking, kPersistent, kModes };

// Numbers that are the same on all ranks, and others that are not.
static uint64_t common = 1, own = 1;

static int below(uint64_t* state, int end) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (int)((*state >> 33) % (uint64_t)end);
}

// ---- Graphs.

static MPI_Comm new_grid(void) {
  int sizes[3] = {0, 0, 0}, periods[3], dimensions = 1 + below(&common, 3);
  for (int i = 0; i < dimensions; ++i) periods[i] = below(&common, 3) > 0;
  MPI_Dims_create(size, dimensions, sizes);
  MPI_Comm grid;
  MPI_Cart_create(MPI_COMM_WORLD, dimensions, sizes, periods, 0, &grid);
  return grid;
}

/// Each rank knows all of it.
static MPI_Comm new_graph(void) {
  int joined[16][16] = {{0}}, ends[16], edges[256], count = 0;
  for (int i = 0; i < size; ++i)
    for (int j = 0; j <= i; ++j) joined[i][j] = joined[j][i] = below(&common, 2);
  for (int i = 0; i < size; ++i) {
    for (int j = 0; j < size; ++j)
      if (joined[i][j]) edges[count++] = j;
    ends[i] = count;
  }
  MPI_Comm graph;
  MPI_Graph_create(MPI_COMM_WORLD, size, ends, edges, 0, &graph);
  return graph;
}

/// Edges several times, to oneself, and ranks without any.
static MPI_Comm new_distributed_graph(int edges) {
  int sources[kMostBlocks], targets[kMostBlocks], in = 0, out = 0;
  for (int i = 0; i < edges; ++i) {
    const int giver = below(&common, size), taker = below(&common, size);
    if (taker == rank) sources[in++] = giver;
    if (giver == rank) targets[out++] = taker;
  }
  MPI_Comm graph;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in, sources, MPI_UNWEIGHTED, out, targets,
                                 MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
  return graph;
}

static MPI_Comm new_communicator(void) {
  switch (below(&common, 4)) {
    case 0:
      return new_graph();
    case 1:
      return new_grid();
    default:
      return new_distributed_graph(below(&common, kMostBlocks));
  }
}

static void degrees_of(MPI_Comm comm, int* in, int* out) {
  int kind, weighted;
  MPI_Topo_test(comm, &kind);
  if (kind == MPI_CART) {
    MPI_Cartdim_get(comm, in);
    *in *= 2;
    *out = *in;
  } else if (kind == MPI_GRAPH) {
    MPI_Graph_neighbors_count(comm, rank, in);
    *out = *in;
  } else {
    MPI_Dist_graph_neighbors_count(comm, in, out, &weighted);
  }
}

// ---- Calls.

/// One of a call's buffers. Elements lie `spacing` numbers apart.
typedef struct {
  int blocks, counts[kMostBlocks], places[kMostBlocks], spacing;
  MPI_Aint offsets[kMostBlocks];
  MPI_Datatype type, types[kMostBlocks];
  int* at;
  size_t numbers;
} Side;

typedef struct {
  int kind, mode, in, out, count;  ///< of those of blocks of one length
  MPI_Comm comm;
  Side given, taken;
  int* wanted;  ///< as the MPI leaves `taken`
  MPI_Request request;
} Call;

/// Lays blocks out behind each other, with room between them where the call may have that.
static void lay_out(Side* side, int blocks, const int* counts, int spacing, int has_room) {
  side->blocks = blocks;
  side->spacing = spacing;
  side->type = spacing > 1 ? new_type(spacing) : MPI_INT;
  int elements = 0;
  for (int i = 0; i < blocks; ++i) {
    if (has_room) elements += below(&own, 4);
    side->counts[i] = counts[i];
    side->places[i] = elements;
    side->offsets[i] = (MPI_Aint)sizeof(int) * elements * spacing;
    side->types[i] = side->type;
    elements += counts[i];
  }
  side->numbers = (size_t)(elements + 1) * (size_t)spacing;
  side->at = malloc(side->numbers * sizeof(int));
}

static void free_side(Side* side) {
  if (side->type != MPI_INT) MPI_Type_free(&side->type);
  free(side->at);
}

static int length(int longest) {
  const int count = below(&own, longest);
  return below(&own, 5) ? count : 0;
}

/// The counts of a call's blocks, which givers deal and tell their takers.
static void deal_counts(Call* call, int longest, int* given, int* taken) {
  for (int i = 0; i < kMostBlocks; ++i) given[i] = taken[i] = 0;
  const int own_count = length(longest);
  call->count = below(&common, longest);
  if (call->kind == kAllgatherv) {
    given[0] = own_count;
    PMPI_Neighbor_allgather(given, 1, MPI_INT, taken, 1, MPI_INT, call->comm);
  } else if (call->kind == kAlltoallv || call->kind == kAlltoallw) {
    int ones[kMostBlocks], places[kMostBlocks];
    for (int i = 0; i < kMostBlocks; ++i) ones[i] = 1, places[i] = i;
    for (int i = 0; i < call->out; ++i) given[i] = length(longest);
    MPI_Request request = MPI_REQUEST_NULL;
    if (call->mode == kBlocking)
      PMPI_Neighbor_alltoallv(given, ones, places, MPI_INT, taken, ones, places, MPI_INT,
                              call->comm);
    else
      PMPI_Ineighbor_alltoallv(given, ones, places, MPI_INT, taken, ones, places, MPI_INT,
                               call->comm, &request);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    for (int i = 0; i < kMostBlocks; ++i) given[i] = taken[i] = call->count;
  }
}

static Call new_call(MPI_Comm comm, int kind, int mode, int longest) {
  Call call;
  memset(&call, 0, sizeof call);
  call.comm = comm;
  call.kind = kind;
  call.mode = mode;
  call.request = MPI_REQUEST_NULL;
  degrees_of(comm, &call.in, &call.out);
  int given[kMostBlocks], taken[kMostBlocks];
  deal_counts(&call, longest, given, taken);
  const int is_gather = kind == kAllgather || kind == kAllgatherv;
  const int in_row = kind == kAllgather || kind == kAlltoall;
  lay_out(&call.given, is_gather ? 1 : call.out, given, 1 + below(&own, 2), !in_row && !is_gather);
  lay_out(&call.taken, call.in, taken, 1 + below(&own, 2), !in_row);
  if (is_gather) call.given.places[0] = 0;
  call.wanted = malloc(call.taken.numbers * sizeof(int));
  return call;
}

static void fill(Call* call) {
  for (size_t i = 0; i < call->given.numbers; ++i) call->given.at[i] = below(&own, 1 << 30);
  for (size_t i = 0; i < call->taken.numbers; ++i) call->taken.at[i] = call->wanted[i] = -7;
}

#define ARGUMENTS_OF_ALLGATHER g->at, call->count, g->type, out, call->count, t->type, call->comm
#define ARGUMENTS_OF_ALLGATHERV \
  g->at, g->counts[0], g->type, out, t->counts, t->places, t->type, call->comm
#define ARGUMENTS_OF_ALLTOALL g->at, call->count, g->type, out, call->count, t->type, call->comm
#define ARGUMENTS_OF_ALLTOALLV \
  g->at, g->counts, g->places, g->type, out, t->counts, t->places, t->type, call->comm
#define ARGUMENTS_OF_ALLTOALLW \
  g->at, g->counts, g->offsets, g->types, out, t->counts, t->offsets, t->types, call->comm

/// Calls by functions with these names.
#define MAKE(BEGIN, END, ...)                                        \
  do {                                                               \
    const Side *const g = &call->given, *const t = &call->taken;     \
    switch (call->kind) {                                            \
      case kAllgather:                                               \
        BEGIN##allgather##END(ARGUMENTS_OF_ALLGATHER __VA_ARGS__);   \
        break;                                                       \
      case kAllgatherv:                                              \
        BEGIN##allgatherv##END(ARGUMENTS_OF_ALLGATHERV __VA_ARGS__); \
        break;                                                       \
      case kAlltoall:                                                \
        BEGIN##alltoall##END(ARGUMENTS_OF_ALLTOALL __VA_ARGS__);     \
        break;                                                       \
      case kAlltoallv:                                               \
        BEGIN##alltoallv##END(ARGUMENTS_OF_ALLTOALLV __VA_ARGS__);   \
        break;                                                       \
      default:                                                       \
        BEGIN##alltoallw##END(ARGUMENTS_OF_ALLTOALLW __VA_ARGS__);   \
    }                                                                \
  } while (0)
#define COMMA ,

/// MPIs do not take the same blocks for each other in all calls.
static void ask_the_mpi(Call* call) {
  int* const out = call->wanted;
  MPI_Request request;
  if (call->mode == kBlocking) {
    MAKE(PMPI_Neighbor_, );
  } else {
    MAKE(PMPI_Ineighbor_, , COMMA & request);
    PMPI_Wait(&request, MPI_STATUS_IGNORE);
  }
}

static void make(Call* call) {
  int* const out = call->taken.at;
  MAKE(MPI_Neighbor_, );
}

static void start(Call* call) {
  int* const out = call->taken.at;
  MAKE(MPI_Ineighbor_, , COMMA & call->request);
}

static void initialize(Call* call) {
#if HAS_PERSISTENT
  int* const out = call->taken.at;
  MAKE(MPI_Neighbor_, _init, COMMA MPI_INFO_NULL COMMA & call->request);
#else
  (void)call;
#endif
}

static void check(const Call* call) {
  const size_t bytes = call->taken.numbers * sizeof(int);
  const int is_right = memcmp(call->taken.at, call->wanted, bytes) == 0;
  if (!is_right && failures < 5)
    fprintf(stderr, "rank %d: kind %d, mode %d, %d sources, %d targets\n", rank, call->kind,
            call->mode, call->in, call->out);
  EXPECT(is_right);
}

static void free_call(Call* call) {
  free_side(&call->given);
  free_side(&call->taken);
  free(call->wanted);
}

// ---- Subjects.

/// A rank is now and then late.
static void dawdle(void) {
  if (below(&own, 8) == 0) usleep((unsigned)below(&own, 300));
}

/// Blocks of a few bytes, of some hundred, of some thousand; and long ones.
static int longest_of_turn(void) {
  static const int kLongest[] = {4, 20, 300, 3000, 60000};
  return kLongest[below(&common, 5)];
}

static void block(MPI_Comm comm) {
  Call call = new_call(comm, below(&common, kKinds), kBlocking, longest_of_turn());
  for (int i = 0; i < 2; ++i) {  // the second like the first
    fill(&call);
    ask_the_mpi(&call);
    dawdle();
    make(&call);
    check(&call);
  }
  free_call(&call);
}

static void complete(Call* calls, int count) {
  MPI_Request requests[kMostOutstanding];
  for (int i = 0; i < count; ++i) requests[i] = calls[i].request;
  if (below(&own, 2)) {
    MPI_Waitall(count, requests, MPI_STATUSES_IGNORE);
  } else {
    for (int left = count, which; left > 0; --left) {
      dawdle();
      MPI_Waitany(count, requests, &which, MPI_STATUS_IGNORE);
      EXPECT(which >= 0 && which < count);
      if (which >= 0 && which < count) check(&calls[which]);
    }
  }
  for (int i = 0; i < count; ++i) calls[i].request = requests[i];
}

static void start_several(MPI_Comm comm) {
  Call calls[kMostOutstanding];
  const int count = 1 + below(&common, kMostOutstanding);
  for (int i = 0; i < count; ++i) {
    calls[i] = new_call(comm, below(&common, kKinds), kNonblocking, longest_of_turn());
    fill(&calls[i]);
    ask_the_mpi(&calls[i]);
  }
  for (int i = 0; i < count; ++i) {
    dawdle();
    start(&calls[i]);
  }
  complete(calls, count);
  for (int i = 0; i < count; ++i) {
    check(&calls[i]);
    free_call(&calls[i]);
  }
}

static void start_again_and_again(MPI_Comm comm) {
  if (!HAS_PERSISTENT) return;
  Call calls[kMostOutstanding];
  const int count = 1 + below(&common, 3);
  for (int i = 0; i < count; ++i) {
    calls[i] = new_call(comm, below(&common, kKinds), kPersistent, longest_of_turn());
    initialize(&calls[i]);
  }
  for (int turn = 0; turn < kStarts; ++turn) {
    for (int i = 0; i < count; ++i) {
      fill(&calls[i]);
      ask_the_mpi(&calls[i]);
    }
    for (int i = 0; i < count; ++i) MPI_Start(&calls[(i + rank) % count].request);
    complete(calls, count);
    for (int i = 0; i < count; ++i) check(&calls[i]);
  }
  for (int i = 0; i < count; ++i) {
    MPI_Request_free(&calls[i].request);
    free_call(&calls[i]);
  }
}

static void play_random(int graphs, int turns) {
  own = 1000u + (unsigned)rank;
  for (int i = 0; i < graphs; ++i) {
    MPI_Comm comm = new_communicator();
    // The blocking ones found the team, too.
    if (i % 4 == 0)
      for (int call = 0; call < 12; ++call) block(comm);
    else
      use(comm);
    for (int turn = 0; turn < turns; ++turn) {
      const int mode = below(&common, 8);
      if (mode == 0 && turn % 4 == 0)
        start_again_and_again(comm);
      else if (mode < 4)
        start_several(comm);
      else
        block(comm);
    }
    MPI_Comm_free(&comm);
  }
}

/// The greater of two words.
static void take_greater(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i)
    if (((int*)in)[i] > ((int*)inout)[i]) ((int*)inout)[i] = ((int*)in)[i];
}

/// Nonblocking calls set up the team, or persistent ones, and the blocking ones come then.
static void cold_graphs(void) {
  own = 3000u + (unsigned)rank;
  for (int i = 0; i < 12; ++i) {
    MPI_Comm comm = new_communicator();
    for (int turn = 0; turn < 20; ++turn) start_several(comm);
    for (int turn = 0; turn < 10; ++turn) block(comm);
    start_several(comm);
    MPI_Comm_free(&comm);
  }
}

/// The team is there when ranks first communicate along the ring, with another call of the MPI's
/// own pending on some of them.
static void either_order(void) {
  for (int life = 0; life < 4; ++life) {
    const int periodic = 1;
    MPI_Comm ring;
    MPI_Request request;
    MPI_Op last;
    MPI_Cart_create(MPI_COMM_WORLD, 1, &size, &periodic, 0, &ring);
    MPI_Op_create(take_greater, 1, &last);  // so it falls back to the MPI
    for (int i = 0; i < 40 + 6; ++i) {
      const int is_before = (i + rank) % 2, given[2] = {rank, rank};
      int own_word = rank, word = -1, taken[2] = {-1, -1};
      if (i < 40) {
        MPI_Iallreduce(&own_word, &word, 1, MPI_INT, MPI_MAX, ring, &request);
      } else {
        if (is_before) MPI_Iallreduce(&own_word, &word, 1, MPI_INT, last, ring, &request);
        MPI_Neighbor_alltoall(given, 1, MPI_INT, taken, 1, MPI_INT, ring);
        if (!is_before) MPI_Iallreduce(&own_word, &word, 1, MPI_INT, last, ring, &request);
        EXPECT(taken[0] == (rank + size - 1) % size && taken[1] == (rank + 1) % size);
      }
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      EXPECT(word == size - 1);
    }
    MPI_Op_free(&last);
    MPI_Comm_free(&ring);
  }
}

/// A grid of so many dimensions that some MPIs crash when they are asked for neighbours in it, as
/// the program does not.
static void many_dimensions(void) {
  int lengths[31], are_periodic[31];
  MPI_Comm comm;
  MPI_Request request;
  for (int i = 0; i < 31; ++i) lengths[i] = are_periodic[i] = 1;
  lengths[30] = size;
  MPI_Cart_create(MPI_COMM_WORLD, 31, lengths, are_periodic, 0, &comm);
  for (int i = 0; i < 30; ++i) {
    MPI_Ibarrier(comm, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  use(comm);
  MPI_Comm_free(&comm);
}

static void cold_persistent(void) {
  own = 4000u + (unsigned)rank;
  for (int i = 0; i < 12; ++i) {
    MPI_Comm comm = new_communicator();
    for (int turn = 0; turn < 5; ++turn) start_again_and_again(comm);
    block(comm);
    start_again_and_again(comm);
    MPI_Comm_free(&comm);
  }
}

static void any_graph(void) {
  play_random(12, 30);
}

static void grids(void) {
  own = 2000u + (unsigned)rank;
  for (int i = 0; i < 6; ++i) {
    MPI_Comm comm = new_grid();
    use(comm);
    for (int turn = 0; turn < 30; ++turn) block(comm);
    MPI_Comm_free(&comm);
  }
}

/// Rank 0 starts a call, and leaves MPI's collectives for a message that comes only when its
/// neighbour has completed it.
static void leaves(void) {
  static int from[2][1 << 18], to[2][1 << 18];
  const int count[] = {1, 40, 1500, 1 << 17};
  int sizes[1] = {size}, periods[1] = {1}, word = 0;
  MPI_Comm ring;
  MPI_Cart_create(MPI_COMM_WORLD, 1, sizes, periods, 0, &ring);
  use(ring);
  for (int turn = 0; turn < 80; ++turn) {
    MPI_Request request;
    const int n = count[turn % 4];
    for (int i = 0; i < 2 * n; ++i) from[0][i] = turn + rank + i;
    MPI_Ineighbor_alltoall(from, n, MPI_INT, to, n, MPI_INT, ring, &request);
    if (rank == 0) MPI_Recv(&word, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 1) MPI_Send(&turn, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
    const int below_me = (rank + size - 1) % size;
    EXPECT(size == 2 || to[0][0] == turn + below_me + n);
    EXPECT(rank != 0 || word == turn);
  }
  MPI_Comm_free(&ring);
}

/// The last rank starts an exchange in which it gets a short block of rank 0, which gives rank 1 a
/// long one; and goes on to a message that comes when rank 0 has completed it.
static void leaves_short_ones(void) {
  enum { kLong = 1 << 17 };
  static int from[kLong + 1], to[kLong];
  const int is_giver = rank == 0, is_taker = rank == 1 || rank == size - 1, zero = 0;
  const int targets[2] = {1, size - 1}, counts[2] = {kLong, 1}, places[2] = {0, kLong};
  const int count = rank == 1 ? kLong : 1;
  MPI_Comm graph;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, is_taker, &zero, MPI_UNWEIGHTED, 2 * is_giver,
                                 targets, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
  use(graph);
  for (int turn = 0; turn < 20; ++turn) {
    MPI_Request request;
    int word = -1;
    from[kLong] = turn;
    if (is_giver) usleep(500);
    MPI_Ineighbor_alltoallv(from, counts, places, MPI_INT, to, &count, &zero, MPI_INT, graph,
                            &request);
    if (rank == size - 1) MPI_Recv(&word, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (is_giver) MPI_Send(&turn, 1, MPI_INT, size - 1, 8, MPI_COMM_WORLD);
    EXPECT(rank != size - 1 || (to[0] == turn && word == turn));
  }
  MPI_Comm_free(&graph);
}

/// A block that is longer than its place is an error of its taker, and is cut, also if its taker
/// lays its elements out with gaps.
static void cut(void) {
  enum { kCounts = 3 };
  const int counts[kCounts] = {4, 400, 40000};
  int sizes[1] = {size}, periods[1] = {1};
  static int from[80000], to[160000];
  MPI_Comm ring;
  MPI_Cart_create(MPI_COMM_WORLD, 1, sizes, periods, 0, &ring);
  use(ring);
  MPI_Comm_set_errhandler(ring, MPI_ERRORS_RETURN);
  MPI_Datatype spaced = new_type(2);
  for (int turn = 0; turn < 8 * kCounts; ++turn) {
    const int n = counts[turn % kCounts], less = rank == 0 ? n / 2 : n;
    const int is_started = turn % 2, spacing = 1 + turn / 2 % 2;
    const MPI_Datatype type = spacing == 2 ? spaced : MPI_INT;
    const int given[2] = {n, n}, wanted[2] = {less, less}, places[2] = {0, n};
    for (int i = 0; i < 2 * n; ++i) from[i] = 1000 * rank + i;
    for (int i = 0; i < 2 * n * spacing; ++i) to[i] = -7;
    int error, class = MPI_SUCCESS;
    MPI_Request request;
    if (is_started) {
      MPI_Ineighbor_alltoallv(from, given, places, MPI_INT, to, wanted, places, type, ring,
                              &request);
      error = MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
      error = MPI_Neighbor_alltoallv(from, given, places, MPI_INT, to, wanted, places, type, ring);
    }
    MPI_Error_class(error, &class);
    EXPECT(class == (rank == 0 ? MPI_ERR_TRUNCATE : MPI_SUCCESS));
    EXPECT(to[spacing * (less - 1)] % 1000 == (n + less - 1) % 1000 || size == 2);
    EXPECT(less == n || to[spacing * less] == -7);
    EXPECT(spacing == 1 || to[spacing * (less - 1) + 1] == -7);
    MPI_Barrier(ring);
  }
  MPI_Type_free(&spaced);
  MPI_Comm_free(&ring);
}

/// Types and communicators may be freed while calls are in progress. (Open MPI itself crashes.)
static void freed(void) {
  static int from[6000], to[6000];
  int sizes[1] = {size}, periods[1] = {1};
  for (int turn = 0; turn < 12; ++turn) {
    MPI_Comm ring;
    MPI_Cart_create(MPI_COMM_WORLD, 1, sizes, periods, 0, &ring);
    for (int i = 0; i < 45; ++i) use(ring);  // otherwise it counts as short-lived
    MPI_Datatype spaced = new_type(3);
    const int count = turn % 2 ? 10 : 1000;
    for (int i = 0; i < 6000; ++i) from[i] = turn + 7 * rank + i, to[i] = -7;
    MPI_Request request;
    MPI_Ineighbor_alltoall(from, count, spaced, to, count, spaced, ring, &request);
    MPI_Type_free(&spaced);
    MPI_Comm_free(&ring);
    if (rank == turn % size) usleep(300);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    const int lower = (rank + size - 1) % size;
    EXPECT(size == 2 || to[0] == turn + 7 * lower + 3 * count);
    EXPECT(to[1] == -7 && to[3 * (count - 1)] != -7);
  }
}

#if MPI_VERSION >= 4

/// Functions with large counts, in a ring of three or more.
static void large_counts(void) {
  int sizes[1] = {size}, periods[1] = {1};
  MPI_Comm ring;
  MPI_Cart_create(MPI_COMM_WORLD, 1, sizes, periods, 0, &ring);
  use(ring);
  const MPI_Count one = 1, counts[2] = {1, 1};
  const MPI_Aint places[2] = {0, 1}, offsets[2] = {0, sizeof(int)};
  const MPI_Datatype types[2] = {MPI_INT, MPI_INT};
  const int lower = (rank + size - 1) % size, upper = (rank + 1) % size;
  for (int turn = 0; turn < 20; ++turn) {
    const int from[2] = {10 * rank + turn, 10 * rank + turn};
    int to[6][2];
    MPI_Request requests[5];
    memset(to, 0, sizeof to);
    MPI_Ineighbor_allgather_c(from, one, MPI_INT, to[0], one, MPI_INT, ring, &requests[0]);
    MPI_Ineighbor_allgatherv_c(from, one, MPI_INT, to[1], counts, places, MPI_INT, ring,
                               &requests[1]);
    MPI_Ineighbor_alltoall_c(from, one, MPI_INT, to[2], one, MPI_INT, ring, &requests[2]);
    MPI_Ineighbor_alltoallv_c(from, counts, places, MPI_INT, to[3], counts, places, MPI_INT, ring,
                              &requests[3]);
    MPI_Ineighbor_alltoallw_c(from, counts, offsets, types, to[4], counts, offsets, types, ring,
                              &requests[4]);
    MPI_Neighbor_alltoallv_c(from, counts, places, MPI_INT, to[5], counts, places, MPI_INT, ring);
    MPI_Waitall(5, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 6; ++i)
      EXPECT(to[i][0] == 10 * lower + turn && to[i][1] == 10 * upper + turn);
  }
  MPI_Comm_free(&ring);
}

#else

static void large_counts(void) {}

#endif

/// Arguments of blocks without a neighbour mean nothing: here no memory lies at their places.
static void off_the_edge(void) {
  int sizes[1] = {size}, periods[1] = {0};
  MPI_Comm line;
  MPI_Cart_create(MPI_COMM_WORLD, 1, sizes, periods, 0, &line);
  MPI_Datatype spaced = new_type(2);
  const MPI_Aint nowhere = (MPI_Aint)1 << 44;
  int from[2][8], to[2][8];
  for (int turn = 0; turn < 120; ++turn) {
    int counts[2] = {4, 4};
    MPI_Aint given[2] = {0, sizeof from[0]}, taken[2] = {0, sizeof to[0]};
    MPI_Datatype types[2] = {spaced, spaced};
    for (int side = 0; side < 2; ++side) {
      const int is_off = rank == (side == 0 ? 0 : size - 1);
      if (is_off) given[side] = taken[side] = nowhere, counts[side] = 1 << 28;
      for (int i = 0; i < 8; ++i) from[side][i] = 100 * rank + 10 * side + i, to[side][i] = -7;
    }
    MPI_Request request = MPI_REQUEST_NULL;
    if (turn % 2)
      MPI_Neighbor_alltoallw(from, counts, given, types, to, counts, taken, types, line);
    else
      MPI_Ineighbor_alltoallw(from, counts, given, types, to, counts, taken, types, line, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT(rank == 0 || (to[0][6] == 100 * (rank - 1) + 16 && to[0][7] == -7));
    EXPECT(rank == size - 1 || (to[1][6] == 100 * (rank + 1) + 6 && to[1][7] == -7));
  }
  MPI_Type_free(&spaced);
  MPI_Comm_free(&line);
}

/// MPIs crash in their own exchanges along such graphs, which programs may have all the same.
static void proc_null(void) {
  int none = MPI_PROC_NULL;
  MPI_Comm graph;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &none, MPI_UNWEIGHTED, 1, &none, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &graph);
  use(graph);
  MPI_Comm_free(&graph);
}

/// Graphs that only one end of an edge knows of harm nobody who does not communicate along them.
static void one_sided(void) {
  const int next = (rank + 1) % size;
  MPI_Comm graph;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, &next, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED,
                                 MPI_INFO_NULL, 0, &graph);
  use(graph);
  MPI_Comm_free(&graph);
}

int main(int argc, char** argv) {
  const struct situation situations[] = {{"any_graph", any_graph},
                                         {"cold_graphs", cold_graphs},
                                         {"cold_persistent", cold_persistent},
                                         {"many_dimensions", many_dimensions},
                                         {"either_order", either_order},
                                         {"grids", grids},
                                         {"leaves", leaves},
                                         {"cut", cut},
                                         {"one_sided", one_sided},
                                         {"leaves_short_ones", leaves_short_ones},
                                         {"off_the_edge", off_the_edge},
                                         {"proc_null", proc_null},
                                         {"freed", freed},
                                         {"large_counts", large_counts}};
  return PLAY(argc, argv, situations);
}
