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

enum { kMostRanks = 16, kMostCount = 5000, kStarts = 40 };
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
  kKinds
};

typedef struct {
  int kind, count, root, spacing;
  int *in, *out;
  MPI_Datatype type;
  MPI_Request request;
} Call;

static int may_be_spaced(int kind) {
  return kind == kBcast || (kind >= kAllgather && kind <= kAlltoall);
}

static void initialize(Call* call, int kind, int count, int spacing, int root, MPI_Comm comm) {
  const size_t numbers = (size_t)count * (size_t)size * (size_t)spacing + 1;
  *call = (Call){kind,
                 count,
                 root,
                 spacing,
                 calloc(numbers, sizeof(int)),
                 calloc(numbers, sizeof(int)),
                 MPI_INT,
                 MPI_REQUEST_NULL};
  const MPI_Info info = MPI_INFO_NULL;
  int *const in = call->in, *const out = call->out;
  MPI_Request* const to = &call->request;
  const MPI_Datatype type = call->type = spacing > 1 ? new_type(spacing) : MPI_INT;
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
    default:
      MPI_Exscan_init(in, out, count, type, MPI_SUM, comm, info, to);
  }
  EXPECT(call->request != MPI_REQUEST_NULL);
}

static void free_type(Call* call) {
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
  memset(call->out, 0xff, sizeof(int) * (size_t)(call->count * size * call->spacing));
  if (call->kind == kBcast && rank == call->root)
    for (int i = 0; i < call->count; ++i) call->out[i * call->spacing] = given(start, rank, 0, i);
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
      return given(start, block, 0, i);
    case kScatter:
      return given(start, call->root, rank, i);
    case kAlltoall:
      return given(start, block, rank, i);
    case kReduceScatterBlock:
      return sum_before(size, start, rank, i);
    case kScan:
      return sum_before(rank + 1, start, 0, i);
    default:
      return sum_before(rank, start, 0, i);
  }
}

static void check(const Call* call, int start) {
  const int kind = call->kind;
  if (kind == kBarrier || ((kind == kReduce || kind == kGather) && rank != call->root) ||
      (kind == kExscan && rank == 0))
    return;
  const int blocks = kind == kAllgather || kind == kGather || kind == kAlltoall ? size : 1;
  for (int block = 0; block < blocks; ++block)
    for (int i = 0; i < call->count; ++i) {
      const int at = (block * call->count + i) * call->spacing;
      EXPECT(call->out[at] == result(call, start, block, i));
      if (call->spacing > 1) EXPECT(call->out[at + 1] == -1);
    }
}

static void end(Call* call) {
  MPI_Request_free(&call->request);
  EXPECT(call->request == MPI_REQUEST_NULL);
  free_type(call);
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

/// Each collective, started again and again with other numbers, beside blocking ones.
static void kinds(void) {
  static const int counts[] = {1, 7, 300, kMostCount};
  for (int kind = 0; kind < kKinds; ++kind)
    for (int spacing = 1; spacing <= (may_be_spaced(kind) ? 2 : 1); ++spacing) {
      MPI_Comm comm = used_duplicate();
      for (int i = 0; i < 4; ++i) {
        Call call;
        initialize(&call, kind, counts[i], spacing, i % size, comm);
        free_type(&call);  // which Open MPI 5 does not survive by itself
        for (int start = 0; start < kStarts; ++start) {
          fill(&call, start);
          MPI_Start(&call.request);
          if (start % 7 == rank % 7) use(MPI_COMM_SELF);
          MPI_Wait(&call.request, MPI_STATUS_IGNORE);
          check(&call, start);
          if (start % 10 == 0 && !is_cold) use(comm);
        }
        end(&call);
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
    const int kind = 1 + i % (kKinds - 1), count = i == 5 ? kMostCount : 3 + i;
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
    for (int i = 0; i < 3; ++i) initialize(&calls[i], kAllgather, 2 + i, 2, 0, comm);
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
  MPI_Comm comm = used_duplicate();
  Call none, never;
  initialize(&never, kAlltoall, 4, 1, 0, comm);
  initialize(&none, kAllreduce, 0, 1, 0, comm);
  for (int start = 0; start < 3; ++start) {
    MPI_Start(&none.request);
    MPI_Wait(&none.request, MPI_STATUS_IGNORE);
    EXPECT(none.request != MPI_REQUEST_NULL);
  }
  end(&none);
  end(&never);
  MPI_Comm_free(&comm);
}

int main(int argc, char** argv) {
  static const struct situation situations[] = {
      {"cold", begin_cold}, {"kinds", kinds}, {"orders", orders}, {"inactive", inactive},
      {"ends", ends},       {"empty", empty}, {"late", late}};
  return PLAY(argc, argv, situations);
}

#endif
