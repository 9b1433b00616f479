// SPDX-License-Identifier: BSD-3-Clause
// Programs that a careless library between them and their MPI would disturb, or leave hanging, one
// by name: ranks that die, stop or stall, and the rarer ways to use MPI.
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5
#include <mpi-ext.h>
#endif

#include "situation.h"

#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define HAS_MPI_4 1
#else
#define HAS_MPI_4 0
#endif

/// The last rank dies in its own way while the others go on, and says when.
static void dies_by(void (*way)(void)) {
  use(MPI_COMM_WORLD);
  if (rank == size - 1) {
    struct timeval now;
    gettimeofday(&now, NULL);
    printf("dying at %.3f\n", (double)now.tv_sec + (double)now.tv_usec * 1e-6), fflush(stdout);
    way();
  }
  for (;;) MPI_Barrier(MPI_COMM_WORLD);
}

/// Killed, although a child of its own that has all its files lives on for a while.
static void be_killed(void) {
  if (fork() == 0) {
    for (int file = 0; file < 3; ++file) close(file);
    sleep(20);
    _exit(0);
  }
  raise(SIGKILL);
}
static void leave(void) {
  _exit(0);
}
static void become_another(void) {
  execlp("sleep", "sleep", "60", (char*)NULL);
}
static void dies_by_signal(void) {
  dies_by(be_killed);
}
static void ends_early(void) {
  dies_by(leave);
}
static void becomes_another(void) {
  dies_by(become_another);
}

/// The last rank ends MPI while the others wait for it.
static void finalizes_early(void) {
  use(MPI_COMM_WORLD);
  if (rank == size - 1) exit(MPI_Finalize());
  for (;;) MPI_Barrier(MPI_COMM_WORLD);
}

/// The last rank frees a communicator on which the others wait for it.
static void frees_early(void) {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  use(comm);
  if (rank == size - 1) {
    MPI_Comm_free(&comm);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  for (;;) MPI_Barrier(comm);
}

/// The last rank ends MPI seconds before the others, who wait for rank 0 in a call that the last
/// one has made, and then on a communicator without it.
static void finalizes_first(void) {
  MPI_Comm others;
  int one = 1, sum = 0;
  use(MPI_COMM_WORLD);
  MPI_Comm_split(MPI_COMM_WORLD, rank == size - 1, rank, &others);
  use(others);
  if (rank == 0) sleep(5);
  MPI_Reduce(&one, &sum, 1, MPI_INT, MPI_SUM, 1, MPI_COMM_WORLD);
  EXPECT(rank != 1 || sum == size);
  if (rank == 0) sleep(5);
  if (rank != size - 1) use(others);
  if (rank == 1 && !failures) puts("all right 0"), fflush(stdout);
  MPI_Finalize();
  exit(failures != 0);
}

#ifdef OMPI_HAVE_MPI_EXT_FTMPI
/// The last rank revokes the communicator on which the others wait for it; then all go on with
/// another one.
static void revoked(void) {
  MPI_Comm comm, next;
  int class = 0;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  use(comm);
  if (rank == size - 1) {
    usleep(300000);
    MPIX_Comm_revoke(comm);
  }
  MPI_Error_class(MPI_Barrier(comm), &class);
  EXPECT(class == MPIX_ERR_REVOKED);
  MPIX_Comm_shrink(comm, &next);
  use(next);
  MPI_Comm_free(&next);
  MPI_Comm_free(&comm);
}
#endif

/// The last rank is stopped for some seconds; its children come and go.
static void stopped(void) {
  use(MPI_COMM_WORLD);
  if (rank == size - 1) {
    const pid_t own = getpid(), child = fork();
    if (child == 0) {
      sleep(4);
      kill(own, SIGCONT);
      execlp("true", "true", (char*)NULL);
      _exit(1);
    }
    raise(SIGSTOP);
    waitpid(child, NULL, 0);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  use(MPI_COMM_WORLD);
}

/// The last rank comes late to a team's set-up, and leaves behind a child like itself.
static void forked(void) {
  pid_t child = -1;
  for (int i = 0; i < 2; ++i) MPI_Barrier(MPI_COMM_WORLD);
  if (rank == size - 1) {
    child = fork();
    if (child == 0) {
      pause();
      _exit(1);
    }
    sleep(1);
  }
  use(MPI_COMM_WORLD);
  if (child < 0) return;
  kill(child, SIGKILL);
  waitpid(child, NULL, 0);
}

/// The last rank comes two seconds late.
static void stalled(void) {
  double value = 1, sum = 0;
  use(MPI_COMM_WORLD);
  if (rank == size - 1) sleep(2);
  MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  EXPECT(sum == size);
}

/// Blocking collectives of all kinds, here and there, between what is pending.
static void interleaved(void) {
  enum { kCount = 500, kPending = 4 };
  static double in[kCount], out[kCount], wide[kCount], blocking[kCount], sums[kCount];
  MPI_Request pending[kPending];
  use(MPI_COMM_WORLD);
#if HAS_MPI_4
  MPI_Allreduce_init(in, sums, kCount, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                     &pending[3]);
#endif
  const double ranks = size * (size - 1) / 2.0;
  for (int round = 0; round < 20; ++round) {
    const int root = round % size, other = (round + 1) % size;
    for (int i = 0; i < kCount; ++i) in[i] = rank + round + i;
    memset(wide, rank == root ? 1 : 0, sizeof wide);
    MPI_Ibarrier(MPI_COMM_WORLD, &pending[0]);
    MPI_Allreduce(in, blocking, kCount, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    EXPECT(blocking[7] == ranks + size * (round + 7.0));
    MPI_Ibcast(wide, kCount, MPI_DOUBLE, root, MPI_COMM_WORLD, &pending[1]);
    blocking[0] = rank == other ? round : -1;
    MPI_Bcast(blocking, 1, MPI_DOUBLE, other, MPI_COMM_WORLD);
    EXPECT(blocking[0] == round);
    MPI_Iallreduce(in, out, kCount, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, &pending[2]);
    MPI_Barrier(MPI_COMM_WORLD);
#if HAS_MPI_4
    MPI_Start(&pending[3]);
#else
    MPI_Iallreduce(in, sums, kCount, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &pending[3]);
#endif
    MPI_Reduce(in, blocking, kCount, MPI_DOUBLE, MPI_MIN, other, MPI_COMM_WORLD);
    if (rank == other) EXPECT(blocking[9] == round + 9);
    if (rank % 2) use(MPI_COMM_SELF);
    for (int i = 0; i < kPending; ++i)
      MPI_Wait(&pending[rank % 2 ? i : kPending - 1 - i], MPI_STATUS_IGNORE);
    EXPECT(wide[kCount - 1] != 0 && wide[0] == wide[kCount - 1]);
    EXPECT(out[3] == size - 1 + round + 3 && sums[3] == ranks + size * (round + 3.0));
  }
#if HAS_MPI_4
  MPI_Request_free(&pending[3]);
#endif
}

/// Reading on behind them crashes.
static void* bytes_at_end_of_page(size_t count) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char* pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED || mprotect(pages + page, page, PROT_NONE) != 0) abort();
  return pages + page - count;
}

/// Arrays are as long as the other group, which may be shorter than one's own.
static void exchange_between(MPI_Comm between, int others) {
  int* counts = bytes_at_end_of_page(sizeof *counts * (size_t)others);
  int* places = bytes_at_end_of_page(sizeof *places * (size_t)others);
  MPI_Datatype* types = bytes_at_end_of_page(sizeof *types * (size_t)others);
  int out[8] = {0}, in[8] = {0};
  for (int i = 0; i < others; ++i)
    counts[i] = 1, places[i] = i * (int)sizeof(int), types[i] = MPI_INT, out[i] = rank;
  MPI_Alltoallw(out, counts, places, types, in, counts, places, types, between);
  for (int i = 0; i < others; ++i) EXPECT(in[i] == 2 * i + 1 - rank % 2);
}

/// Both sides of an intercommunicator, its merger, and the end of all three.
static void intercommunicators(void) {
  MPI_Comm half, between, merged;
  use(MPI_COMM_WORLD);
  for (int round = 0; round < 3; ++round) {
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 3, &between);
    MPI_Intercomm_merge(between, rank % 2, &merged);
    int others, value = 7;
    MPI_Comm_remote_size(between, &others);
    for (int call = 0; call < 5; ++call) {
      int one = 1, sum = 0;
      MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, between);
      EXPECT(sum == others);
      exchange_between(between, others);
      use(half), use(merged);
      int root = rank == 0 ? MPI_ROOT : rank % 2 ? 0 : MPI_PROC_NULL;
      int word = rank == 0 ? value + call : 0;
      MPI_Bcast(&word, 1, MPI_INT, root, between);
      EXPECT(rank % 2 == 0 || word == value + call);
    }
    MPI_Comm_disconnect(&between);
    use(merged), use(half);
    if (round % 2) {
      MPI_Comm_disconnect(&merged), MPI_Comm_free(&half);
    } else {
      MPI_Comm_free(&merged), MPI_Comm_disconnect(&half);
    }
  }
}

static char* program;

/// What parents and children do together.
static void work_with(MPI_Comm others) {
  MPI_Comm merged;
  int one = 1, sum = 0, count;
  MPI_Comm_remote_size(others, &count);
  for (int call = 0; call < 5; ++call) {
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, others);
    EXPECT(sum == count);
  }
  MPI_Intercomm_merge(others, 0, &merged);
  use(merged), use(MPI_COMM_WORLD), use(merged);
  MPI_Comm_free(&merged);
  MPI_Barrier(others);
}

/// Two ranks are born while some are already in the next collective.
static void spawns(void) {
  MPI_Comm children, parent;
  MPI_Comm_get_parent(&parent);
  if (parent != MPI_COMM_NULL) {
    work_with(parent);
    MPI_Comm_disconnect(&parent);
    return;
  }
  char* words[] = {"spawns", NULL};
  use(MPI_COMM_WORLD);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int error = MPI_Comm_spawn(program, words, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &children,
                                   MPI_ERRCODES_IGNORE);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  if (error != MPI_SUCCESS) {
    puts("this MPI cannot spawn");
    return;
  }
  use(MPI_COMM_WORLD);
  work_with(children);
  MPI_Comm_disconnect(&children);
  use(MPI_COMM_WORLD);
}

#if HAS_MPI_4
static MPI_Session session;

static MPI_Comm communicator_of_session(void) {
  MPI_Group group;
  MPI_Comm comm = MPI_COMM_NULL;
  EXPECT(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) == MPI_SUCCESS);
  EXPECT(MPI_Group_from_session_pset(session, "mpi://WORLD", &group) == MPI_SUCCESS);
  EXPECT(MPI_Comm_create_from_group(group, "manners", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm) ==
         MPI_SUCCESS);
  MPI_Group_free(&group);
  return comm;
}

/// Sums up where there is no MPI_COMM_WORLD.
static int end_session(MPI_Comm comm) {
  int all = 0;
  PMPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, comm);
  MPI_Comm_rank(comm, &rank);
  if (rank == 0) printf(all ? "%d results are wrong\n" : "all right %d\n", all);
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&session);
  return all != 0;
}

/// No MPI_Init anywhere.
static int with_sessions_only(void) {
  MPI_Comm comm = communicator_of_session(), own;
  use(comm);
  MPI_Comm_dup(comm, &own);
  use(own), use(comm), MPI_Barrier(own);
  MPI_Comm_free(&own);
  return end_session(comm);
}

/// A session begins before MPI_COMM_WORLD does, and ends after it.
static int with_session_around(int argc, char** argv) {
  MPI_Comm comm = communicator_of_session();
  use(comm);
  MPI_Init(&argc, &argv);
  begin();
  use(comm), use(MPI_COMM_WORLD), use(comm);
  MPI_Finalize();
  use(comm), MPI_Barrier(comm);
  MPI_Comm new_one, node;
  MPI_Comm_dup(comm, &new_one);
  use(new_one);
  MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
  use(node);
  MPI_Comm_free(&node);
  MPI_Comm_free(&new_one);
  return end_session(comm);
}
#endif

static const struct situation situations[] = {
    {"dies_by_signal", dies_by_signal},
    {"ends_early", ends_early},
    {"becomes_another", becomes_another},
    {"finalizes_early", finalizes_early},
    {"frees_early", frees_early},
    {"finalizes_first", finalizes_first},
#ifdef OMPI_HAVE_MPI_EXT_FTMPI
    {"revoked", revoked},
#endif
    {"forked", forked},
    {"stopped", stopped},
    {"stalled", stalled},
    {"interleaved", interleaved},
    {"intercommunicators", intercommunicators},
    {"spawns", spawns},
};

int main(int argc, char** argv) {
  program = argv[0];
  const char* wanted = argc > 1 ? argv[1] : "";
  if (strncmp(wanted, "session", 7) == 0) {
#if HAS_MPI_4
    return strcmp(wanted, "sessions") == 0 ? with_sessions_only() : with_session_around(argc, argv);
#else
    return puts("this MPI has no sessions") < 0;
#endif
  }
  return PLAY(argc, argv, situations);
}
