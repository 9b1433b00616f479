// SPDX-License-Identifier: BSD-3-Clause
// Persistent collectives, one subject by name: what arrives at each start, in whatever order ranks
// start and complete them, and what functions of requests say of inactive ones. MPIs that have none
// have nothing to play.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "situation.h"

#if MPI_VERSION < 4 && !(defined OMPI_MAJOR_VERSION && OMPI_MAJOR_VERSION >= 5)

int main(void) {
  printf("there are no persistent collectives\n");
  return 0;
}

#else

// MPICH 4.0 declares statuses as arrays, and GCC takes MPI_STATUSES_IGNORE for one without room.
#pragma GCC diagnostic ignored "-Wstringop-overflow"

/// Blocks of `kLongCount` are longer than what ranks can leave behind for each other.
enum { kMostRanks = 16, kMostCount = 5000, kLongCount = 60000, kStarts = 40, kLongStarts = 8 };
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
  kAllgatherv,  // from here on, blocks differ in length
  kGatherv,
  kScatterv,
  kAlltoallv,
  kAlltoallw,
  kReduceScatter,
  kKinds
};
enum { kPlain, kInPlace, kWithLargeCounts, kForms };

/// Arrays of a call whose blocks differ in length.
typedef struct {
  int counts[kMostRanks], places[kMostRanks];
  MPI_Datatype types[kMostRanks];
#if MPI_VERSION >= 4
  MPI_Count large_counts[kMostRanks];
  MPI_Aint large_places[kMostRanks];
#endif
} Blocks;

typedef struct {
  int kind, count, root, spacing, form;
  int *in, *out;
  Blocks* blocks;
  MPI_Datatype type;
  MPI_Request request;
} Call;

static int is_uneven(int kind) {
  return kind >= kAllgatherv;
}

/// Whether only some ranks know the lengths of blocks: then these may have any.
static int tells_lengths(int kind) {
  return kind >= kGatherv && kind <= kAlltoallw;
}

static int may_be_spaced(int kind) {
  return kind == kBcast || (kind >= kAllgather && kind <= kAlltoall) ||
         (is_uneven(kind) && kind != kReduceScatter);
}

/// Elements of a block of those that a rank has of all ranks, or for all: of some, none.
static int length(const Call* call, int block) {
  if (!is_uneven(call->kind)) return call->count;
  const int other = call->kind == kScatterv                                ? call->root
                    : call->kind == kAlltoallv || call->kind == kAlltoallw ? rank
                                                                           : 0;
  return (other + block + 1) % 3 * call->count / 2;
}

static void describe(Call* call) {
  Blocks* const of = call->blocks = malloc(sizeof *call->blocks);
  const int in_bytes = call->kind == kAlltoallw ? call->spacing * (int)sizeof(int) : 1;
  for (int i = 0; i < size; ++i) {
    of->counts[i] = length(call, i);
    of->places[i] = i * call->count * in_bytes;
    of->types[i] = call->type;
    if (i % 2) MPI_Type_dup(call->type, &of->types[i]);
#if MPI_VERSION >= 4
    of->large_counts[i] = of->counts[i];
    of->large_places[i] = of->places[i];
#endif
  }
}

/// Initializes a call whose blocks differ in length. `SUFFIX`: of the function's name.
#define INITIALIZE_UNEVEN(SUFFIX, counts, places)                                                 \
  switch (call->kind) {                                                                           \
    case kAllgatherv:                                                                             \
      MPI_Allgatherv_init##SUFFIX(in, own, type, out, counts, places, type, comm, info, to);      \
      break;                                                                                      \
    case kGatherv:                                                                                \
      MPI_Gatherv_init##SUFFIX(in, own, type, out, counts, places, type, root, comm, info, to);   \
      break;                                                                                      \
    case kScatterv:                                                                               \
      MPI_Scatterv_init##SUFFIX(in, counts, places, type, out, own, type, root, comm, info, to);  \
      break;                                                                                      \
    case kAlltoallv:                                                                              \
      MPI_Alltoallv_init##SUFFIX(in, counts, places, type, out, counts, places, type, comm, info, \
                                 to);                                                             \
      break;                                                                                      \
    case kAlltoallw:                                                                              \
      MPI_Alltoallw_init##SUFFIX(in, counts, places, of->types, out, counts, places, of->types,   \
                                 comm, info, to);                                                 \
      break;                                                                                      \
    default:                                                                                      \
      MPI_Reduce_scatter_init##SUFFIX(in, out, counts, type, MPI_SUM, comm, info, to);            \
  }

static void initialize_uneven(Call* call, MPI_Comm comm) {
  const MPI_Info info = MPI_INFO_NULL;
  const MPI_Datatype type = call->type;
  const int root = call->root, kind = call->kind;
  MPI_Request* const to = &call->request;
  describe(call);
  const Blocks* const of = call->blocks;
  const int own = length(call, rank), is_root = rank == root;
  const int is_in_place = call->form == kInPlace;
  const int has_own_input = kind != kScatterv && (kind != kGatherv || is_root);
  const void* const in = is_in_place && has_own_input ? MPI_IN_PLACE : call->in;
  void* const out = is_in_place && kind == kScatterv && is_root ? MPI_IN_PLACE : call->out;
#if MPI_VERSION >= 4
  if (call->form == kWithLargeCounts) {
    INITIALIZE_UNEVEN(_c, of->large_counts, of->large_places)
    return;
  }
#endif
  INITIALIZE_UNEVEN(, of->counts, of->places)
}

static void initialize_as(int form, Call* call, int kind, int count, int spacing, int root,
                          MPI_Comm comm) {
  const size_t numbers = (size_t)count * (size_t)size * (size_t)spacing + 1;
  *call = (Call){kind,
                 count,
                 root,
                 spacing,
                 form,
                 calloc(numbers, sizeof(int)),
                 calloc(numbers, sizeof(int)),
                 NULL,
                 MPI_INT,
                 MPI_REQUEST_NULL};
  const MPI_Info info = MPI_INFO_NULL;
  int *const in = call->in, *const out = call->out;
  MPI_Request* const to = &call->request;
  const MPI_Datatype type = call->type = spacing > 1 ? new_type(spacing) : MPI_INT;
  if (is_uneven(kind)) initialize_uneven(call, comm);
  switch (kind) {
    case kBarrier:
      MPI_Barrier_init(comm, info, to);
      break;
    case kBcast:
      MPI_Bcast_init(out, count, type, root, comm, info, to);
      break;
    case kReduce:
      MPI_Reduce_init(in, out, count, type, MPI_SUM, root, comm, info, to);
      break;
    case kAllreduce:
      MPI_Allreduce_init(in, out, count, type, MPI_SUM, comm, info, to);
      break;
    case kAllgather:
      MPI_Allgather_init(in, count, type, out, count, type, comm, info, to);
      break;
    case kGather:
      MPI_Gather_init(in, count, type, out, count, type, root, comm, info, to);
      break;
    case kScatter:
      MPI_Scatter_init(in, count, type, out, count, type, root, comm, info, to);
      break;
    case kAlltoall:
      MPI_Alltoall_init(in, count, type, out, count, type, comm, info, to);
      break;
    case kReduceScatterBlock:
      MPI_Reduce_scatter_block_init(in, out, count, type, MPI_SUM, comm, info, to);
      break;
    case kScan:
      MPI_Scan_init(in, out, count, type, MPI_SUM, comm, info, to);
      break;
    case kExscan:
      MPI_Exscan_init(in, out, count, type, MPI_SUM, comm, info, to);
  }
  EXPECT(call->request != MPI_REQUEST_NULL);
}

static void initialize(Call* call, int kind, int count, int spacing, int root, MPI_Comm comm) {
  initialize_as(kPlain, call, kind, count, spacing, root, comm);
}

/// Frees types, and overwrites arrays.
static void drop_arguments(Call* call) {
  for (int i = 1; i < size && call->blocks != NULL; i += 2) MPI_Type_free(&call->blocks->types[i]);
  if (call->blocks != NULL) memset(call->blocks, 0x55, sizeof *call->blocks);
  free(call->blocks);
  call->blocks = NULL;
  if (call->type != MPI_INT) MPI_Type_free(&call->type);
  call->type = MPI_INT;
}

/// Number i of what a rank gives to another in a start.
static int given(int start, int from, int to, int i) {
  return 1000 * start + 100 * from + 10 * to + i;
}

static void fill(const Call* call, int start) {
  for (int to = 0; to < size; ++to)
    for (int i = 0; i < call->count; ++i)
      call->in[(to * call->count + i) * call->spacing] = given(start, rank, to, i);
  const size_t bytes = sizeof(int) * (size_t)(call->count * size * call->spacing);
  memset(call->out, 0xff, bytes);
  const int is_own_block_in_place = call->form == kInPlace && call->kind <= kGatherv;
  const int to = is_own_block_in_place ? rank * call->count : 0;
  if (is_own_block_in_place || (call->kind == kBcast && rank == call->root))
    for (int i = 0; i < call->count; ++i)
      call->out[(to + i) * call->spacing] = given(start, rank, 0, i);
  else if (call->form == kInPlace)
    memcpy(call->out, call->in, bytes);
}

/// The sum of what ranks before `end` give to one.
static int sum_before(int end, int start, int to, int i) {
  int sum = 0;
  for (int from = 0; from < end; ++from) sum += given(start, from, to, i);
  return sum;
}

/// Number i of block `block` of the result, if this rank has one.
static int result(const Call* call, int start, int block, int i) {
  switch (call->kind) {
    case kBcast:
      return given(start, call->root, 0, i);
    case kReduce:
    case kAllreduce:
      return sum_before(size, start, 0, i);
    case kAllgather:
    case kGather:
    case kAllgatherv:
    case kGatherv:
      return given(start, block, 0, i);
    case kScatter:
    case kScatterv:
      return given(start, call->root, rank, i);
    case kAlltoall:
    case kAlltoallv:
    case kAlltoallw:
      return given(start, block, rank, i);
    case kReduceScatter:
      for (int before = 0; before < rank; ++before) i += length(call, before);
      return sum_before(size, start, i / call->count, i % call->count);
    case kReduceScatterBlock:
      return sum_before(size, start, rank, i);
    case kScan:
      return sum_before(rank + 1, start, 0, i);
    default:
      return sum_before(rank, start, 0, i);
  }
}

static void check(const Call* call, int start) {
  const int kind = call->kind, is_in_place = call->form == kInPlace;
  const int is_gather = kind == kGather || kind == kGatherv;
  if (kind == kBarrier || ((kind == kReduce || is_gather) && rank != call->root) ||
      (kind == kExscan && rank == 0) || (kind == kScatterv && is_in_place && rank == call->root))
    return;
  const int has_all = is_gather || kind == kAllgather || kind == kAllgatherv || kind == kAlltoall ||
                      kind == kAlltoallv || kind == kAlltoallw;
  for (int block = 0; block < (has_all ? size : 1); ++block)
    for (int i = 0; i < call->count; ++i) {
      const int at = (block * call->count + i) * call->spacing;
      const int is_there = i < length(call, has_all ? block : rank);
      if (is_there) EXPECT(call->out[at] == result(call, start, block, i));
      if (!is_there && !is_in_place) EXPECT(call->out[at] == -1);
      if (call->spacing > 1 && !is_in_place) EXPECT(call->out[at + 1] == -1);
    }
}

static void end(Call* call) {
  MPI_Request_free(&call->request);
  EXPECT(call->request == MPI_REQUEST_NULL);
  drop_arguments(call);
  free(call->in);
  free(call->out);
}

static int is_cold;

/// Leaves out blocking calls on what persistent ones are made on.
static void begin_cold(void) {
  is_cold = 1;
}

static MPI_Comm used_duplicate(void) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  if (!is_cold) use(comm);
  return comm;
}

/// Starts a call again and again with other numbers, beside blocking ones.
static void play_call(Call* call, int starts, MPI_Comm comm) {
  drop_arguments(call);  // which Open MPI 5 does not survive by itself
  for (int start = 0; start < starts; ++start) {
    fill(call, start);
    MPI_Start(&call->request);
    if (start % 7 == rank % 7) use(MPI_COMM_SELF);
    MPI_Wait(&call->request, MPI_STATUS_IGNORE);
    check(call, start);
    if (start % 10 == 0 && !is_cold) use(comm);
  }
  end(call);
}

static void kinds(void) {
  static const int counts[] = {1, 7, 300, kMostCount};
  for (int kind = 0; kind < kAllgatherv; ++kind)
    for (int spacing = 1; spacing <= (may_be_spaced(kind) ? 2 : 1); ++spacing) {
      MPI_Comm comm = used_duplicate();
      for (int i = 0; i < 4; ++i) {
        Call call;
        initialize(&call, kind, counts[i], spacing, i % size, comm);
        play_call(&call, kStarts, comm);
      }
      MPI_Comm_free(&comm);
    }
}

/// Likewise, of blocks of different length: some of none, some in place, and long ones.
static void uneven(void) {
  static const int counts[] = {1, 40, kMostCount, kLongCount};
  for (int kind = kAllgatherv; kind < kKinds; ++kind)
    for (int spacing = 1; spacing <= (may_be_spaced(kind) ? 2 : 1); ++spacing) {
      MPI_Comm comm = used_duplicate();
      for (int form = 0; form < kForms; ++form)
        for (int i = 0; i < (tells_lengths(kind) ? 4 : 3); ++i) {
          Call call;
          initialize_as(form, &call, kind, counts[i], spacing, (i + form) % size, comm);
          play_call(&call, counts[i] == kLongCount ? kLongStarts : kStarts, comm);
        }
      MPI_Comm_free(&comm);
    }
}

enum { kCalls = 20, kMessages = 2, kAll = kCalls + kMessages };

/// Puts the numbers of calls in an order of this rank's own.
static void shuffle(int* order) {
  for (int i = 0; i < kCalls; ++i) order[i] = i;
  for (int i = kCalls - 1; i > 0; --i) {
    const int other = rand() % (i + 1), kept = order[i];
    order[i] = order[other];
    order[other] = kept;
  }
}

/// Completes all requests, by one function or another.
static void complete(MPI_Request* all, int way) {
  if (way == 0) MPI_Waitall(kAll, all, MPI_STATUSES_IGNORE);
  for (int i = kAll - 1; i >= 0 && way == 1; --i) MPI_Wait(&all[i], MPI_STATUS_IGNORE);
  for (int left = kAll; left > 0 && way > 1;) {
    int n = 1, indices[kAll] = {MPI_UNDEFINED};
    if (way == 2)
      MPI_Waitany(kAll, all, indices, MPI_STATUS_IGNORE);
    else
      MPI_Testsome(kAll, all, &n, indices, MPI_STATUSES_IGNORE);
    EXPECT(n != MPI_UNDEFINED && (n == 0 || (indices[0] >= 0 && indices[0] < kAll)));
    if (n == MPI_UNDEFINED || (n > 0 && indices[0] == MPI_UNDEFINED)) break;
    left -= n;
  }
}

/// Some calls of a communicator, more than have lanes, started and completed by each rank in an
/// order of its own, together with messages and nonblocking collectives.
static void orders(void) {
  MPI_Comm comm = used_duplicate();
  Call calls[kCalls];
  MPI_Request all[kAll], beside;
  const int next = (rank + 1) % size, last = (rank + size - 1) % size;
  int sent = 0, received = -1, one = 1;
  for (int i = 0; i < kCalls; ++i) {
    const int kind = 1 + i % (kKinds - 1);
    const int count = kind == kAlltoallv ? kLongCount : i == 5 ? kMostCount : 3 + i;
    initialize(&calls[i], kind, count, 1 + may_be_spaced(kind), i % size, comm);
  }
  MPI_Send_init(&sent, 1, MPI_INT, next, 0, comm, &all[kCalls]);
  MPI_Recv_init(&received, 1, MPI_INT, last, 0, comm, &all[kCalls + 1]);
  srand((unsigned)rank + 1);
  for (int start = 0; start < kStarts; ++start) {
    int order[kCalls], sum = 0;
    shuffle(order);
    sent = given(start, rank, 0, 0);
    for (int i = 0; i < kCalls; ++i) {
      fill(&calls[order[i]], start);
      all[i] = calls[order[i]].request;
    }
    MPI_Startall(kAll, all);
    MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm, &beside);
    complete(all, start % 4);
    MPI_Wait(&beside, MPI_STATUS_IGNORE);
    EXPECT(sum == size && received == given(start, last, 0, 0));
    for (int i = 0; i < kCalls; ++i) {
      EXPECT(all[i] == calls[order[i]].request);
      check(&calls[order[i]], start);
    }
  }
  for (int i = 0; i < kCalls; ++i) end(&calls[i]);
  MPI_Request_free(&all[kCalls]);
  MPI_Request_free(&all[kCalls + 1]);
  MPI_Comm_free(&comm);
}

static int is_empty(MPI_Status* status) {
  int count = -1;
  MPI_Get_count(status, MPI_INT, &count);
  return status->MPI_SOURCE == MPI_ANY_SOURCE && status->MPI_TAG == MPI_ANY_TAG && count == 0;
}

/// Inactive requests are passed over, stay what they are, and have empty statuses.
static void inactive(void) {
  MPI_Comm comm = used_duplicate();
  Call call;
  initialize(&call, kAllreduce, 3, 1, 0, comm);
  for (int round = 0; round < 3; ++round) {
    MPI_Request pair[2] = {call.request, MPI_REQUEST_NULL};
    MPI_Status status, statuses[2];
    int flag = 0, index = 0, n = 0, indices[2];
    MPI_Wait(&pair[0], &status);
    EXPECT(is_empty(&status));
    MPI_Test(&pair[0], &flag, &status);
    EXPECT(flag && is_empty(&status));
    MPI_Request_get_status(pair[0], &flag, &status);
    EXPECT(flag && is_empty(&status));
    MPI_Waitall(2, pair, statuses);
    EXPECT(is_empty(&statuses[0]) && is_empty(&statuses[1]));
    MPI_Testall(2, pair, &flag, statuses);
    EXPECT(flag);
    MPI_Waitany(2, pair, &index, &status);
    EXPECT(index == MPI_UNDEFINED);
    MPI_Testany(2, pair, &index, &flag, &status);
    EXPECT(flag && index == MPI_UNDEFINED);
    MPI_Waitsome(2, pair, &n, indices, statuses);
    EXPECT(n == MPI_UNDEFINED);
    MPI_Testsome(2, pair, &n, indices, statuses);
    EXPECT(n == MPI_UNDEFINED);
    EXPECT(pair[0] == call.request && pair[1] == MPI_REQUEST_NULL);
    fill(&call, round);
    MPI_Start(&pair[0]);
    MPI_Waitany(2, pair, &index, &status);
    EXPECT(index == 0 && is_empty(&status) && pair[0] == call.request);
    check(&call, round);
  }
  end(&call);
  MPI_Comm_free(&comm);
}

/// A call that is active when its communicator is freed, and others that were freed before.
static void ends(void) {
  for (int round = 0; round < 20; ++round) {
    MPI_Comm comm = used_duplicate();
    Call calls[3];
    for (int i = 0; i < 3; ++i)
      initialize(&calls[i], i == 2 ? kAlltoallw : kAllgather, 2 + i, 2, 0, comm);
    end(&calls[1]);
    for (int i = 0; i < 3; i += 2) {
      fill(&calls[i], round);
      MPI_Start(&calls[i].request);
    }
    MPI_Comm_free(&comm);
    for (int i = 0; i < 3; i += 2) {
      MPI_Wait(&calls[i].request, MPI_STATUS_IGNORE);
      check(&calls[i], round);
      end(&calls[i]);
    }
  }
}

/// Communicators that some ranks have freed long before another starts its call, and one that is
/// disconnected while two calls are active that end at different times.
static void late(void) {
  enum { kSecondsUntilRanksAreAskedFor = 4 };
  MPI_Comm comm = used_duplicate();
  Call one, two;
  if (rank == 0) sleep(kSecondsUntilRanksAreAskedFor);
  initialize(&one, kAllreduce, 2, 1, 0, comm);
  fill(&one, 1);
  MPI_Start(&one.request);
  MPI_Comm_free(&comm);
  MPI_Wait(&one.request, MPI_STATUS_IGNORE);
  check(&one, 1);
  end(&one);
  comm = used_duplicate();
  initialize(&one, kGather, 1, 1, 0, comm);
  initialize(&two, kGather, 1, 1, 0, comm);
  fill(&one, 2), fill(&two, 3);
  MPI_Start(rank == size - 1 ? &two.request : &one.request);
  if (rank == size - 1) sleep(kSecondsUntilRanksAreAskedFor);
  MPI_Start(rank == size - 1 ? &one.request : &two.request);
  MPI_Comm_disconnect(&comm);
  MPI_Wait(&one.request, MPI_STATUS_IGNORE);
  MPI_Wait(&two.request, MPI_STATUS_IGNORE);
  check(&one, 2), check(&two, 3);
  end(&one), end(&two);
}

/// No bytes, and one that is never started.
static void empty(void) {
  static const int kinds_of_none[] = {kAllreduce, kAllgatherv, kAlltoallv, kReduceScatter};
  MPI_Comm comm = used_duplicate();
  Call none[4], never;
  initialize(&never, kAlltoall, 4, 1, 0, comm);
  for (int i = 0; i < 4; ++i) initialize(&none[i], kinds_of_none[i], 0, 1, 0, comm);
  for (int start = 0; start < 3; ++start)
    for (int i = 0; i < 4; ++i) {
      MPI_Start(&none[i].request);
      MPI_Wait(&none[i].request, MPI_STATUS_IGNORE);
      EXPECT(none[i].request != MPI_REQUEST_NULL);
    }
  for (int i = 0; i < 4; ++i) end(&none[i]);
  end(&never);
  MPI_Comm_free(&comm);
}

/// A block that is longer than its taker wants, which each wait for the call says anew; then the
/// others have come, and what is behind the taker's block is as it was.
static void truncated(void) {
  static const int counts[] = {20, 2000, 2 * kLongCount};
  MPI_Comm comm = used_duplicate();
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  for (int i = 0; i < 3; ++i) {
    const int given_count = counts[i], wanted = given_count / 2, last = size - 1;
    int* from = calloc((size_t)given_count, sizeof *from);
    int* to = calloc((size_t)(size * given_count), sizeof *to);
    int lengths[kMostRanks], places[kMostRanks];
    for (int k = 0; k < size; ++k) lengths[k] = given_count, places[k] = k * given_count;
    lengths[last] = wanted;
    MPI_Request request;
    MPI_Gatherv_init(from, given_count, MPI_INT, to, lengths, places, MPI_INT, 0, comm,
                     MPI_INFO_NULL, &request);
    for (int start = 0; start < 3; ++start) {
      int error_class = MPI_SUCCESS;
      for (int k = 0; k < given_count; ++k) from[k] = given(start, rank, 0, k);
      for (int k = 0; k < size * given_count; ++k) to[k] = -1;
      MPI_Start(&request);
      MPI_Error_class(MPI_Wait(&request, MPI_STATUS_IGNORE), &error_class);
      EXPECT(error_class == (rank == 0 ? MPI_ERR_TRUNCATE : MPI_SUCCESS));
      EXPECT(request != MPI_REQUEST_NULL);
      for (int k = 0; k < last * given_count && rank == 0; ++k)
        EXPECT(to[k] == given(start, k / given_count, 0, k % given_count));
      for (int k = wanted; k < given_count; ++k) EXPECT(to[last * given_count + k] == -1);
    }
    MPI_Request_free(&request);
    free(from), free(to);
  }
  MPI_Comm_free(&comm);
}

int main(int argc, char** argv) {
  static const struct situation situations[] = {
      {"cold", begin_cold}, {"kinds", kinds},       {"uneven", uneven},
      {"orders", orders},   {"inactive", inactive}, {"ends", ends},
      {"empty", empty},     {"late", late},         {"truncated", truncated}};
  return PLAY(argc, argv, situations);
}

#endif
