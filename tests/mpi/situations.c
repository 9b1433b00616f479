// SPDX-License-Identifier: BSD-3-Clause
// Legal programs that break a careless library between them and their MPI, one by name.
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "situation.h"

/// The receive of rank 0 needs progress at rank 1, which waits for rank 0 in a collective.
static void pending_isend(void) {
  enum { kBytes = 100 << 20 };
  char* big = calloc(kBytes, 1);
  MPI_Request request;
  use(MPI_COMM_WORLD);
  for (int round = 0; round < 2; ++round) {
    if (rank == 1) {
      memset(big, 7 + round, kBytes);
      MPI_Isend(big, kBytes, MPI_BYTE, 0, 5, MPI_COMM_WORLD, &request);
    }
    if (rank == 0) {
      MPI_Recv(big, kBytes, MPI_BYTE, 1, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      EXPECT(big[0] == 7 + round && big[kBytes - 1] == 7 + round);
    }
    use(MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  free(big);
}

/// Rank 0 reads from all the others, who wait for it in a barrier.
static void passive_target(void) {
  enum { kCount = 100000 };
  double *window_memory, *got = malloc(kCount * sizeof(double));
  MPI_Win window;
  MPI_Win_allocate(kCount * sizeof(double), sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD,
                   &window_memory, &window);
  use(MPI_COMM_WORLD);
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < kCount; ++i) window_memory[i] = rank * 10 + round;
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
      for (int target = 1; target < size; ++target) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, window);
        MPI_Get(got, kCount, MPI_DOUBLE, target, 0, kCount, MPI_DOUBLE, window);
        MPI_Win_unlock(target, window);
        EXPECT(got[0] == target * 10 + round && got[kCount - 1] == target * 10 + round);
      }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  MPI_Win_free(&window);
  free(got);
}

/// Communicators that planners make: for a few calls each, and then one for many.
static void live(MPI_Comm comm, int calls) {
  for (int call = 0; call < calls; ++call) {
    const int mine = rank + call;
    int sum = 0;
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm);
    EXPECT(sum == size * call + size * (size - 1) / 2);
  }
}

/// Three ranks in each of their orders, three times; then one of the last orders for long.
static void short_lives(void) {
  static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2},
                                   {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  MPI_Comm other;
  for (int life = 0; life < 19; ++life) {
    MPI_Comm_split(MPI_COMM_WORLD, 0, orders[life < 18 ? life % 6 : 5][rank], &other);
    live(other, life < 18 ? 40 : 1200);
    MPI_Comm_free(&other);
  }
}

/// Rank 0 uses up the communicators of its MPI, as far as it has a limit, before its first
/// collective.
static void no_communicator_left(void) {
  enum { kMost = 20000 };
  static MPI_Comm made[kMost];
  int count = 0;
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  while (rank == 0 && count < kMost && MPI_Comm_dup(MPI_COMM_SELF, &made[count]) == MPI_SUCCESS)
    ++count;
  if (rank == 0 && count < kMost) printf("used up after %d\n", count);
  for (int call = 0; call < 10; ++call) {
    int given = rank + call, sum = -1;
    MPI_Allreduce(&given, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT(sum == size * (size - 1) / 2 + size * call);
  }
  while (count > 0) MPI_Comm_free(&made[--count]);
}

/// Communicators of the same ranks, one after the other, and two at a time; the last calls of each
/// are such that ranks leave them at different times.
static void many_lives(void) {
  MPI_Comm first, second;
  for (int life = 0; life < 50; ++life) {
    MPI_Comm_dup(MPI_COMM_WORLD, &first);
    MPI_Comm_dup(MPI_COMM_WORLD, &second);
    live(first, 25), live(second, 25);
    for (int call = 0; call < 30; ++call) {
      int given = life + call;
      MPI_Bcast(&given, 1, MPI_INT, life % size, first);
      EXPECT(given == life + call);
    }
    if (rank == life % size && life % 5 == 0) usleep(2000);
    MPI_Comm_free(life % 2 ? &first : &second);
    MPI_Comm_free(life % 2 ? &second : &first);
  }
}

/// Of one thread, whose communicators live shortly.
static void* live_shortly(void* parent) {
  MPI_Comm own;
  for (int life = 0; life < 60; ++life) {
    MPI_Comm_dup(*(MPI_Comm*)parent, &own);
    live(own, life % 3 == 0 ? 10 : 30);
    MPI_Comm_free(&own);
  }
  return NULL;
}

/// Several threads make them at once, so which is made first differs from rank to rank.
static void many_lives_of_threads(void) {
  enum { kThreads = 4 };
  pthread_t threads[kThreads];
  MPI_Comm parents[kThreads];
  for (int i = 0; i < kThreads; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &parents[i]);
  for (int i = 0; i < kThreads; ++i) {
    const int at = rank % 2 ? kThreads - 1 - i : i;
    pthread_create(&threads[at], NULL, live_shortly, &parents[at]);
  }
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  for (int i = 0; i < kThreads; ++i) MPI_Comm_free(&parents[i]);
}

/// Enough calls of uneven blocks for trials: what they bring is there already, as an MPI that does
/// nothing brings nothing.
static void uneven_trials(void) {
  enum { kCalls = 60000, kMost = 64 };
  int in[2] = {rank, rank}, out[2 * kMost], counts[kMost], places[kMost], total = 0;
  EXPECT(size <= kMost);
  for (int i = 0; i < size; ++i) {
    counts[i] = 1 + i % 2;
    places[i] = total;
    for (int k = 0; k < counts[i]; ++k) out[total++] = i;
  }
  for (int call = 0; call < kCalls; ++call) {
    MPI_Gatherv(in, counts[rank], MPI_INT, out, counts, places, MPI_INT, 0, MPI_COMM_WORLD);
    EXPECT(out[0] == 0 && out[total - 1] == size - 1);
    if (call % 1000 == 0) MPI_Barrier(MPI_COMM_WORLD);
  }
}

/// Enough calls of a class for a trial: of short ones, where each rank has a core, as many as it is
/// 2 % of. Ranks come late in turn.
static void trials(void) {
  enum { kCalls = 300, kShortCalls = 100 * kCalls, kMost = 20000 };
  static const int counts[] = {1, 100, kMost};
  int* given = malloc(kMost * sizeof(int) * (size_t)size);
  int* taken = malloc(kMost * sizeof(int) * (size_t)size);
  double in[2], out[2];
  const int barriers = size == 2 ? 100000 : 3000;
  for (int call = 0; call < barriers; ++call) MPI_Barrier(MPI_COMM_WORLD);
  for (int call = 0; call < 4 * kCalls; ++call) {
    in[0] = in[1] = 0.1 * (rank + 1) + call;
    MPI_Allreduce(in, out, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    EXPECT(out[0] == 0.1 * size + call && out[1] == out[0]);
  }
  for (int i = 0; i < 3; ++i) {
    const int calls = size == 2 && counts[i] < kMost ? kShortCalls : kCalls;
    for (int call = 0; call < calls; ++call) {
      const int count = counts[i], root = call % size;
      if (call % size == rank && call % 7 == 0) usleep(50);
      for (int k = 0; k < count; ++k) given[k] = rank == root ? call + k : -1;
      MPI_Bcast(given, count, MPI_INT, root, MPI_COMM_WORLD);
      EXPECT(given[0] == call && given[count - 1] == call + count - 1);
      for (int k = 0; k < count; ++k) given[k] = rank + k;
      MPI_Allreduce(given, taken, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      EXPECT(taken[count - 1] == size * (count - 1) + size * (size - 1) / 2);
      MPI_Allgather(given, count, MPI_INT, taken, count, MPI_INT, MPI_COMM_WORLD);
      EXPECT(taken[(size - 1) * count] == size - 1 && taken[count - 1] == count - 1);
    }
  }
  free(given), free(taken);
}

/// What rank 0 did before a barrier, the others see at their first look after it, as with the
/// MPI's own barrier, which looks at all that arrives.
static void seen_at_once(void) {
  const int zero = 0;
  int found, word = 7, *shown;
  MPI_Win window;
  MPI_Group all, others;
  MPI_Message message;
  MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &shown, &window);
  MPI_Win_get_group(window, &all);
  (rank == 0 ? MPI_Group_excl : MPI_Group_incl)(all, 1, &zero, &others);
  use(MPI_COMM_WORLD);
  for (int round = 0; round < 20; ++round) {
    if (rank == 0)
      MPI_Win_start(others, 0, window);
    else
      MPI_Win_post(others, 0, window);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) MPI_Win_complete(window);
    for (int peer = 1; rank == 0 && peer < size; ++peer)
      for (int tag = 1; tag <= 2; ++tag) MPI_Send(&word, 1, MPI_INT, peer, tag, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) continue;
    MPI_Win_test(window, &found);
    EXPECT(found);
    if (!found) MPI_Win_wait(window);
    MPI_Iprobe(0, 1, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
    EXPECT(found);
    MPI_Recv(&word, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Improbe(0, 2, MPI_COMM_WORLD, &found, &message, MPI_STATUS_IGNORE);
    EXPECT(found);
    if (!found) MPI_Mprobe(0, 2, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(&word, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  }
  MPI_Group_free(&others);
  MPI_Group_free(&all);
  MPI_Win_free(&window);
}

/// Rank 0 finishes a nonblocking collective first; the others only while they wait for it.
static void pending_iallreduce(void) {
  enum { kCount = 300000 };
  double *in = malloc(kCount * sizeof(double)), *out = malloc(kCount * sizeof(double));
  MPI_Request request;
  use(MPI_COMM_WORLD);
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < kCount; ++i) in[i] = rank + round;
    MPI_Iallreduce(in, out, kCount, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
    if (rank == 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
    use(MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank != 0) MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT(out[kCount - 1] == size * (size - 1) / 2 + size * round);
  }
  free(in), free(out);
}

static void* work_on(void* argument) {
  MPI_Comm comm = *(MPI_Comm*)argument;
  for (int i = 0; i < 500; ++i) {
    double in[20], out[20];
    for (int j = 0; j < 20; ++j) in[j] = rank + i + j;
    MPI_Allreduce(in, out, 1 + i % 20, MPI_DOUBLE, MPI_SUM, comm);
    EXPECT(out[0] == size * (size - 1) / 2 + (double)size * i);
    int root = i % size, word = rank == root ? i : -1;
    MPI_Bcast(&word, 1, MPI_INT, root, comm);
    EXPECT(word == i);
  }
  return NULL;
}

static void threads(void) {
  enum { kThreads = 3 };
  MPI_Comm comms[kThreads];
  pthread_t threads[kThreads];
  int provided;
  MPI_Query_thread(&provided);
  if (provided < MPI_THREAD_MULTIPLE) return;
  for (int i = 0; i < kThreads; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  for (int i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, work_on, &comms[i]);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  for (int i = 0; i < kThreads; ++i) MPI_Comm_free(&comms[i]);
  use(MPI_COMM_WORLD);
}

/// Types differ from rank to rank; only their signatures agree.
static void layouts(void) {
  enum { kRows = 50, kColumns = 9 };
  double matrix[kRows][kColumns], column[kRows];
  MPI_Datatype strided, backwards, absolute;
  MPI_Type_vector(kRows, 1, kColumns, MPI_DOUBLE, &strided);
  int lengths[2] = {1, 1}, places[2] = {1, 0};
  MPI_Type_indexed(2, lengths, places, MPI_DOUBLE, &backwards);
  MPI_Aint address;
  MPI_Get_address(column, &address);
  int whole = kRows;
  MPI_Type_create_hindexed(1, &whole, &address, MPI_DOUBLE, &absolute);
  MPI_Type_commit(&strided), MPI_Type_commit(&backwards), MPI_Type_commit(&absolute);
  use(MPI_COMM_WORLD);
  for (int root = 0; root < size; ++root) {
    for (int i = 0; i < kRows; ++i) {
      column[i] = -1;
      for (int j = 0; j < kColumns; ++j) matrix[i][j] = rank == root ? i * 100 + j + root : -1;
    }
    if (rank == root)
      MPI_Bcast(&matrix[0][3], 1, strided, root, MPI_COMM_WORLD);
    else if (rank % 2)
      MPI_Bcast(column, kRows, MPI_DOUBLE, root, MPI_COMM_WORLD);
    else
      MPI_Bcast(MPI_BOTTOM, 1, absolute, root, MPI_COMM_WORLD);
    for (int i = 0; i < kRows && rank != root; ++i) EXPECT(column[i] == i * 100 + 3 + root);
    if (rank == root)
      for (int i = 0; i < kRows; ++i) column[i] = i + root;
    if (rank == root)
      MPI_Bcast(column, kRows, MPI_DOUBLE, root, MPI_COMM_WORLD);
    else
      MPI_Bcast(&matrix[0][3], 1, strided, root, MPI_COMM_WORLD);
    for (int i = 0; i < kRows && rank != root; ++i) {
      EXPECT(matrix[i][3] == i + root);
      EXPECT(matrix[i][2] == -1 && matrix[i][4] == -1);
    }
    double pair[2] = {rank == root ? 1 : 0, rank == root ? 2 : 0};
    if (rank == root)
      MPI_Bcast(pair, 2, MPI_DOUBLE, root, MPI_COMM_WORLD);
    else
      MPI_Bcast(pair, 1, backwards, root, MPI_COMM_WORLD);
    if (rank != root) EXPECT(pair[0] == 2 && pair[1] == 1);
    MPI_Bcast(NULL, 0, MPI_DOUBLE, root, MPI_COMM_WORLD);
  }
  MPI_Type_free(&strided), MPI_Type_free(&backwards), MPI_Type_free(&absolute);
}

static void free_order(void) {
  for (int round = 0; round < 12; ++round) {
    MPI_Comm a, b, c;
    MPI_Comm_dup(MPI_COMM_WORLD, &a);
    MPI_Comm_dup(MPI_COMM_WORLD, &b);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &c);
    use(a), use(b), use(c);
    if (rank % 2) {
      MPI_Comm_free(&a), MPI_Comm_free(&c), MPI_Comm_free(&b);
    } else {
      MPI_Comm_free(&c), MPI_Comm_free(&b), MPI_Comm_free(&a);
    }
    use(MPI_COMM_WORLD);
  }
}

static void add_backwards(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((double*)inout)[i] = ((double*)in)[i] * 2 + ((double*)inout)[i];
}

/// Communicators that cannot be teams, among calls of those that can.
static void fall_back(void) {
  struct {
    double value;
    int where;
  } in = {rank, rank}, out;
  MPI_Op op;
  MPI_Comm half, between;
  MPI_Op_create(add_backwards, 0, &op);
  use(MPI_COMM_WORLD);
  for (int round = 0; round < 5; ++round) {
    MPI_Allreduce(&in, &out, 1, MPI_DOUBLE_INT, MPI_MAXLOC, MPI_COMM_WORLD);
    EXPECT(out.value == size - 1 && out.where == size - 1);
    double one = 1, sum = 0, right = 1;
    for (int i = 1; i < size; ++i) right = right * 2 + 1;
    MPI_Allreduce(&one, &sum, 1, MPI_DOUBLE, op, MPI_COMM_WORLD);
    EXPECT(sum > 0 && sum <= right);
    use(MPI_COMM_SELF);
    use(MPI_COMM_WORLD);
  }
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 3, &between);
  for (int round = 0; round < 5; ++round) {
    int one = 1, others = 0, n;
    MPI_Comm_remote_size(between, &n);
    MPI_Allreduce(&one, &others, 1, MPI_INT, MPI_SUM, between);
    EXPECT(others == n);
    MPI_Barrier(between);
  }
  MPI_Comm_free(&between), MPI_Comm_free(&half);
  MPI_Op_free(&op);
}

static void* make_barrier(void* communicator) {
  MPI_Barrier(*(MPI_Comm*)communicator);
  return NULL;
}

/// Once two threads have waited in set-ups of teams, they wait in the MPI's own calls: rank 1 comes
/// late to the second.
static void late_among_threads(void) {
  MPI_Comm parents[2];
  for (int i = 0; i < 2; ++i) {
    pthread_t thread;
    MPI_Comm_dup(MPI_COMM_WORLD, &parents[i]);
    if (i > 0 && rank == 1) usleep(3500000);
    pthread_create(&thread, NULL, make_barrier, &parents[i]);
    pthread_join(thread, NULL);
  }
  for (int i = 0; i < 2; ++i) MPI_Comm_free(&parents[i]);
}

/// One rank comes so late that the others sleep.
static void late_rank(void) {
  use(MPI_COMM_WORLD);
  for (int late = 0; late < size; ++late) {
    if (rank == late) usleep(200000);
    MPI_Barrier(MPI_COMM_WORLD);
    int word = rank == late ? late : -1;
    if (rank == late) usleep(50000);
    MPI_Bcast(&word, 1, MPI_INT, late, MPI_COMM_WORLD);
    EXPECT(word == late);
  }
}

/// All-hear calls, rooted ones and empty ones in a random order, in which ranks run far ahead.
static void mixed(void) {
  enum { kMost = 3000 };
  static double in[kMost], out[kMost];
  unsigned seed = 12345;
  for (int call = 0; call < 5000; ++call) {
    seed = seed * 1103515245u + 12345u;
    const int what = seed >> 16 & 3, root = (int)(seed >> 18 & 255) % size;
    const int count = (seed >> 26 & 15) ? (int)(seed >> 20 & 15) : (int)(seed >> 4 & 2047);
    for (int i = 0; i < count; ++i) in[i] = rank * 3 + call % 1000 + i;
    const double first = 3.0 * size * (size - 1) / 2 + (double)size * (call % 1000);
    if (what == 0) MPI_Barrier(MPI_COMM_WORLD);
    if (what == 1) {
      MPI_Bcast(in, count, MPI_DOUBLE, root, MPI_COMM_WORLD);
      EXPECT(count == 0 || in[count - 1] == root * 3 + call % 1000 + count - 1);
    }
    if (what == 2) {
      MPI_Reduce(in, out, count, MPI_DOUBLE, MPI_SUM, root, MPI_COMM_WORLD);
      EXPECT(count == 0 || rank != root || out[count - 1] == first + size * (count - 1.0));
    }
    if (what == 3) {
      MPI_Allreduce(in, out, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
      EXPECT(count == 0 || out[count - 1] == first + size * (count - 1.0));
    }
  }
}

/// Many small communicators in use, all of which rank 1 has no part in.
static void subsets(void) {
  for (int round = 0; round < 20; ++round) {
    MPI_Comm others;
    MPI_Comm_split(MPI_COMM_WORLD, rank == 1 ? MPI_UNDEFINED : 0, rank, &others);
    if (rank == 1) continue;
    use(others);
    MPI_Comm_free(&others);
  }
}

/// A communicator with a name, used twice as much as the world.
static void named(void) {
  MPI_Comm solver;
  MPI_Comm_dup(MPI_COMM_WORLD, &solver);
  MPI_Comm_set_name(solver, "solver");
  use(solver), use(MPI_COMM_WORLD), use(solver);
  MPI_Comm_free(&solver);
}

/// Rounded sums: any order is right within a bound, and all ranks must get the same bits.
static void rounded(void) {
  double in[100], out[100], of_rank_0[100];
  for (int call = 0; call < 20; ++call) {
    for (int i = 0; i < 100; ++i) in[i] = 1.0 / (rank + i + call + 1);
    MPI_Allreduce(in, out, 100, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    memcpy(of_rank_0, out, sizeof out);
    MPI_Bcast(of_rank_0, 100, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    EXPECT(memcmp(out, of_rank_0, sizeof out) == 0);
  }
}

/// Which operand a minimum of NaN and numbers is depends on the order, and MPIs differ; no check
/// may take that for an error.
static void not_numbers(void) {
  struct {
    float value;
    int place;
  } pairs[40], best[40];
  double in[40], out[40], zero = 0;
  for (int call = 0; call < 20; ++call) {
    for (int i = 0; i < 40; ++i) {
      in[i] = (i + rank + call) % 3 == 0 ? zero / zero : rank + i;
      pairs[i].value = (float)in[i];
      pairs[i].place = rank;
    }
    MPI_Allreduce(in, out, 40, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Reduce(in, out, 40, MPI_DOUBLE, MPI_MIN, 1, MPI_COMM_WORLD);
    MPI_Scan(in, out, 40, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(pairs, best, 40, MPI_FLOAT_INT, MPI_MAXLOC, MPI_COMM_WORLD);
  }
}

static int meet_all(MPI_Comm comm, int key, void* attached, void* extra) {
  (void)comm, (void)key, (void)attached, (void)extra;
  for (int i = 0; i < 8; ++i) MPI_Barrier(MPI_COMM_WORLD);
  return MPI_SUCCESS;
}

/// Callbacks on MPI_COMM_SELF may still make collectives while MPI ends. Ours stands before the
/// user's at some ranks and after it at others. (Likewise on MPI_COMM_WORLD, but Open MPI ends its
/// collectives before.)
static void calls_at_the_end(void) {
  int key;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, meet_all, &key, NULL);
  if (rank % 2) MPI_Barrier(MPI_COMM_SELF);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
#ifndef OPEN_MPI
  if (rank % 2) MPI_Comm_set_attr(MPI_COMM_WORLD, key, NULL);
#endif
  use(MPI_COMM_WORLD);
#ifndef OPEN_MPI
  if (rank % 2 == 0) MPI_Comm_set_attr(MPI_COMM_WORLD, key, NULL);
#endif
}

static int use_freed(MPI_Comm comm, int key, void* attached, void* extra) {
  (void)key, (void)attached, (void)extra;
  use(comm);
  return MPI_SUCCESS;
}

/// Callbacks may make collectives on the communicator that is being freed, and Terrace's stands
/// before the user's at some ranks and after it at others. Later ones with its handle must start
/// anew.
static void calls_while_freed(void) {
  int key;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, use_freed, &key, NULL);
  use(MPI_COMM_WORLD);
  for (int round = 0; round < 24; ++round) {
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, round % 2 ? rank % 2 : 0, round % 4 ? rank : size - rank, &comm);
    const int is_first = round % 3 == 2 ? rank % 2 : round % 3;
    if (is_first) MPI_Comm_set_attr(comm, key, NULL);
    if (round % 5) use(comm);
    if (!is_first) MPI_Comm_set_attr(comm, key, NULL);
    if (round % 8 < 4)
      MPI_Comm_free(&comm);
    else
      MPI_Comm_disconnect(&comm);
    EXPECT(comm == MPI_COMM_NULL);
    use(MPI_COMM_WORLD);
  }
}

static int refuse_once(MPI_Comm comm, int key, void* attached, void* extra) {
  (void)comm, (void)key, (void)extra;
  return (*(int*)attached)++ == 0 ? MPI_ERR_OTHER : MPI_SUCCESS;
}

/// A callback that refuses keeps its communicator alive.
static void refused_free(void) {
  int key;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, refuse_once, &key, NULL);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);  // MPICH asks the world's
  for (int round = 0; round < 6; ++round) {
    MPI_Comm comm;
    int calls = 0;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
    if (rank % 2 == round % 2) use(comm);
    MPI_Comm_set_attr(comm, key, &calls);
    if (rank % 2 != round % 2) use(comm);
    EXPECT(MPI_Comm_free(&comm) != MPI_SUCCESS && comm != MPI_COMM_NULL);
    use(comm);
    EXPECT(MPI_Comm_free(&comm) == MPI_SUCCESS && comm == MPI_COMM_NULL);
    use(MPI_COMM_WORLD);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

/// An error that the user's handler would return must be returned, not end the program.
static void returned_errors(void) {
  int value = 0;
  use(MPI_COMM_WORLD);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm own;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  use(own);
  EXPECT(MPI_Bcast(&value, 1, MPI_DATATYPE_NULL, 0, own) != MPI_SUCCESS);
  MPI_Comm_free(&own);
}

/// Buffers that MPI does not allow: the MPI decides, on all ranks as on one alone.
static void wrong_buffers(void) {
  MPI_Comm own;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);  // Open MPI asks the world's
  for (int round = 0; round < 2; ++round) {
    double a = rank, b = -1;
    if (round == 0 || rank == 0)
      EXPECT(MPI_Allreduce(&a, MPI_IN_PLACE, 1, MPI_DOUBLE, MPI_SUM, own) != MPI_SUCCESS);
#ifndef OPEN_MPI  // which crashes with the rest, or takes it
    if (round == 0 || rank == 0) {
      EXPECT(MPI_Allreduce(NULL, &b, 1, MPI_DOUBLE, MPI_SUM, own) != MPI_SUCCESS);
      EXPECT(MPI_Allreduce(&a, NULL, 1, MPI_DOUBLE, MPI_SUM, own) != MPI_SUCCESS);
      EXPECT(MPI_Allreduce(&a, &a, 1, MPI_DOUBLE, MPI_SUM, own) != MPI_SUCCESS);
      EXPECT(MPI_Exscan(&a, &a, 1, MPI_DOUBLE, MPI_SUM, own) != MPI_SUCCESS);
      EXPECT(MPI_Bcast(NULL, 1, MPI_DOUBLE, 0, own) != MPI_SUCCESS);
      if (rank == 0) EXPECT(MPI_Reduce(&a, NULL, 1, MPI_DOUBLE, MPI_SUM, 0, own) != MPI_SUCCESS);
    }
#endif
    EXPECT(MPI_Allreduce(NULL, NULL, 0, MPI_DOUBLE, MPI_SUM, own) == MPI_SUCCESS);
    use(own);
    EXPECT(a == rank && b == -1);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_free(&own);
}

static int errors;
static void count_error(MPI_Comm* comm, int* code, ...) {
  (void)comm, (void)code;
  ++errors;
}

static int class_of(int error) {
  int class = error;
  MPI_Error_class(error, &class);
  return class;
}

/// A type that was never committed is an error, said once, or none if this MPI does not look.
static void uncommitted(void) {
  int pair[2] = {rank, rank};
  MPI_Datatype type;
  MPI_Errhandler handler;
  MPI_Comm own;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  MPI_Comm_create_errhandler(count_error, &handler);
  MPI_Comm_set_errhandler(own, handler);
  MPI_Type_contiguous(2, MPI_INT, &type);
  const int right = class_of(PMPI_Bcast(pair, 1, type, 0, own)), said = errors;
  if (right != MPI_SUCCESS)  // then it touches no other rank, so it is no matter who else does it
    for (int call = 0; call < 4 * rank; ++call) MPI_Bcast(pair, 1, type, 0, own);
  errors = said;
  for (int call = 2; call <= 8; ++call) {  // before and after a team is made
    if (call == 6) use(own);
    const int before[2] = {pair[0], pair[1]};
    EXPECT(class_of(MPI_Bcast(pair, 1, type, 0, own)) == right && errors == call * said);
    EXPECT(memcmp(pair, before, sizeof pair) == 0);
  }
  use(own);
  MPI_Type_commit(&type);
  pair[0] = pair[1] = rank;
  MPI_Bcast(pair, 1, type, 0, own);
  EXPECT(pair[0] == 0 && pair[1] == 0 && errors == 8 * said);
  MPI_Type_free(&type), MPI_Comm_free(&own), MPI_Errhandler_free(&handler);
}

static void killed(void) {
  use(MPI_COMM_WORLD);
  printf("at work\n"), fflush(stdout);
  for (int i = 0;; ++i) {
    if (rank == size - 1 && i == 1000) raise(SIGKILL);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

/// An int cannot tell the size of such a type, and only some ranks use it: they must also count
/// the call, or they come to the agreement one call later than the others.
static void huge_types(void) {
  MPI_Datatype huge;
  MPI_Type_contiguous(1 << 28, MPI_DOUBLE, &huge);
  MPI_Type_commit(&huge);
  double nothing = 0;
  MPI_Bcast(&nothing, 0, rank == 0 ? huge : MPI_DOUBLE, 0, MPI_COMM_WORLD);
  use(MPI_COMM_WORLD);
  MPI_Bcast(&nothing, 0, rank == 0 ? huge : MPI_DOUBLE, 0, MPI_COMM_WORLD);
  use(MPI_COMM_WORLD);
  MPI_Type_free(&huge);
}

/// The last rank's call is refused; its peers wait for the one that it makes later.
static void wrong_at_one_rank(void) {
  MPI_Comm own;
  double value = rank, sum = 0;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
  use(own);
  MPI_Barrier(own);
  if (rank == size - 1) {
    EXPECT(MPI_Bcast(&value, 1, MPI_DOUBLE, size, own) != MPI_SUCCESS);
    sleep(3);
  }
  const double begin = MPI_Wtime();
  EXPECT(MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, own) == MPI_SUCCESS);
  EXPECT(sum == size * (size - 1) / 2 && (rank == size - 1 || MPI_Wtime() - begin > 2));
  MPI_Comm_free(&own);
}

/// Each of the next eight is wrong: the last rank's call after these is another than its peers'.
static void wrong_call(void) {
  double value = 1, sum = 0;
  use(MPI_COMM_WORLD);
  if (rank == size - 1)
    MPI_Bcast(&value, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  else
    MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void wrong_root(void) {
  double value = 1;
  use(MPI_COMM_WORLD);
  MPI_Bcast(&value, 1, MPI_DOUBLE, rank == size - 1 ? 1 : 0, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void wrong_size(void) {
  static double values[1000], sums[1000];
  use(MPI_COMM_WORLD);
  MPI_Allreduce(values, sums, rank == size - 1 ? 10 : 1000, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void wrong_gather(void) {
  double value = rank, values[64];
  use(MPI_COMM_WORLD);
  MPI_Gather(&value, 1, MPI_DOUBLE, values, 1, MPI_DOUBLE, rank == size - 1 ? 1 : 0,
             MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void wrong_scatterv(void) {
  double values[64] = {0}, value;
  int counts[64], places[64];
  for (int i = 0; i < size; ++i) counts[i] = 1, places[i] = i;
  use(MPI_COMM_WORLD);
  MPI_Scatterv(values, counts, places, MPI_DOUBLE, &value, 1, MPI_DOUBLE, rank == size - 1 ? 1 : 0,
               MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void wrong_blocks(void) {
  static double values[6400], results[6400];
  const int count = rank == size - 1 ? 10 : 100;
  use(MPI_COMM_WORLD);
  MPI_Alltoall(values, count, MPI_DOUBLE, results, count, MPI_DOUBLE, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
}

static void add(void* in, void* inout, int* count, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *count; ++i) ((double*)inout)[i] += ((double*)in)[i];
}

/// The program's operator commutes, says every rank but the last.
static void wrong_commuting(void) {
  double value = 1, sum = 0;
  MPI_Op op;
  MPI_Op_create(add, rank < size - 1, &op);
  use(MPI_COMM_WORLD);
  MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, op, MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
}

/// While other threads make right calls on communicators of their own, one thread's operator
/// differs.
static void* differ_in_operator(void* argument) {
  MPI_Comm comm = *(MPI_Comm*)argument;
  double in[20] = {1}, out[20];
  for (int i = 0; i < 200; ++i)
    MPI_Allreduce(in, out, 20, MPI_DOUBLE, rank == size - 1 && i == 100 ? MPI_MAX : MPI_SUM, comm);
  return NULL;
}

static void wrong_thread(void) {
  enum { kThreads = 3 };
  MPI_Comm comms[kThreads];
  pthread_t threads[kThreads];
  int provided;
  MPI_Query_thread(&provided);
  if (provided < MPI_THREAD_MULTIPLE) printf("no threads\n");
  for (int i = 0; i < kThreads; ++i) MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
  for (int i = 0; i < kThreads; ++i)
    pthread_create(&threads[i], NULL, i == 1 ? differ_in_operator : work_on, &comms[i]);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  for (int i = 0; i < kThreads; ++i) MPI_Comm_free(&comms[i]);
}

static const struct situation situations[] = {
    {"pending_isend", pending_isend},
    {"passive_target", passive_target},
    {"seen_at_once", seen_at_once},
    {"pending_iallreduce", pending_iallreduce},
    {"threads", threads},
    {"layouts", layouts},
    {"free_order", free_order},
    {"fall_back", fall_back},
    {"late_rank", late_rank},
    {"late_among_threads", late_among_threads},
    {"trials", trials},
    {"uneven_trials", uneven_trials},
    {"short_lives", short_lives},
    {"no_communicator_left", no_communicator_left},
    {"many_lives", many_lives},
    {"many_lives_of_threads", many_lives_of_threads},
    {"mixed", mixed},
    {"not_numbers", not_numbers},
    {"rounded", rounded},
    {"named", named},
    {"subsets", subsets},
    {"calls_at_the_end", calls_at_the_end},
    {"calls_while_freed", calls_while_freed},
    {"refused_free", refused_free},
    {"returned_errors", returned_errors},
    {"wrong_buffers", wrong_buffers},
    {"uncommitted", uncommitted},
    {"huge_types", huge_types},
    {"killed", killed},
    {"wrong_call", wrong_call},
    {"wrong_root", wrong_root},
    {"wrong_size", wrong_size},
    {"wrong_gather", wrong_gather},
    {"wrong_scatterv", wrong_scatterv},
    {"wrong_blocks", wrong_blocks},
    {"wrong_commuting", wrong_commuting},
    {"wrong_thread", wrong_thread},
    {"wrong_at_one_rank", wrong_at_one_rank},
};

int main(int argc, char** argv) {
  return PLAY(argc, argv, situations);
}
