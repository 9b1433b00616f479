// SPDX-License-Identifier: BSD-3-Clause
// Makes the underlying MPI another: one with the barrier that OTHER_BARRIER says, and the gatherv
// that OTHER_GATHERV says, fast (it does nothing) or slow (it takes 100 us longer); with -DLIES one
// that spoils results, which TERRACE_CHECK must notice. With DIES_IN_MPI its last rank is killed in
// MPI_Allreduce. It has both names of a function, as an MPI, where a tool has one.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef LIES
#define STANDS_FOR(NAME, PARAMETERS, ARGUMENTS, SPOIL) \
  SPOILS_INPUT_OF(NAME, PARAMETERS, ARGUMENTS, , SPOIL)
#define SPOILS_INPUT_OF(NAME, PARAMETERS, ARGUMENTS, SPOIL_INPUT, SPOIL)        \
  int PMPI_##NAME PARAMETERS {                                                  \
    int(*real) PARAMETERS = (int(*) PARAMETERS)dlsym(RTLD_NEXT, "PMPI_" #NAME); \
    SPOIL_INPUT;                                                                \
    const int error = real ARGUMENTS;                                           \
    SPOIL;                                                                      \
    return error;                                                               \
  }                                                                             \
  int MPI_##NAME PARAMETERS __attribute__((alias("PMPI_" #NAME)));

static int bytes_of(MPI_Datatype type) {
  int bytes = 0;
  PMPI_Type_size(type, &bytes);
  return bytes;
}

STANDS_FOR(Bcast, (void* data, int n, MPI_Datatype type, int root, MPI_Comm comm),
           (data, n, type, root, comm), if (bytes_of(type) * n > 3)((char*)data)[3] ^= 1)
STANDS_FOR(Allreduce,
           (const void* in, void* out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
           (in, out, n, type, op, comm), if (type == MPI_INT && n > 0)++*(int*)out)
STANDS_FOR(Alltoall,
           (const void* in, int n, MPI_Datatype type, void* out, int m, MPI_Datatype to,
            MPI_Comm comm),
           (in, n, type, out, m, to, comm), if (type == MPI_BYTE && n > 0)++*(char*)out)
STANDS_FOR(Scan, (const void* in, void* out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
           (in, out, n, type, op, comm), if (n > 0)++*(char*)out)
// Results of these come later, so their inputs are spoiled.
SPOILS_INPUT_OF(Ibcast,
                (void* data, int n, MPI_Datatype type, int root, MPI_Comm comm, MPI_Request* to),
                (data, n, type, root, comm, to), if (bytes_of(type) * n > 3)((char*)data)[3] ^= 1, )
SPOILS_INPUT_OF(Iallreduce,
                (const void* in, void* out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm,
                 MPI_Request* to),
                (in, out, n, type, op, comm, to), if (type == MPI_INT && n > 0)++*(int*)in, )
SPOILS_INPUT_OF(Ialltoallv,
                (const void* in, const int* counts, const int* places, MPI_Datatype type, void* out,
                 const int* out_counts, const int* out_places, MPI_Datatype out_type, MPI_Comm comm,
                 MPI_Request* to),
                (in, counts, places, type, out, out_counts, out_places, out_type, comm, to),
                if (counts[0] > 0)++*(char*)in, )
#else
typedef enum { kAsItIs, kFast, kSlow } Speed;
static Speed barrier_is, gatherv_is;
static int (*real_barrier)(MPI_Comm);

static Speed speed_in(const char* variable) {
  const char* const how = getenv(variable);
  if (how == NULL) return kAsItIs;
  return strcmp(how, "fast") == 0 ? kFast : kSlow;
}

/// Once, as looking through the environment takes as long as a barrier.
__attribute__((constructor)) static void read_environment(void) {
  barrier_is = speed_in("OTHER_BARRIER");
  gatherv_is = speed_in("OTHER_GATHERV");
  real_barrier = (int (*)(MPI_Comm))dlsym(RTLD_NEXT, "PMPI_Barrier");
}

static void be_slow(Speed speed) {
  const double begin = MPI_Wtime();
  while (speed == kSlow && MPI_Wtime() < begin + 100e-6) continue;
}

int PMPI_Barrier(MPI_Comm comm) {
  if (barrier_is == kFast) return MPI_SUCCESS;
  be_slow(barrier_is);
  return real_barrier(comm);
}
int MPI_Barrier(MPI_Comm comm) __attribute__((alias("PMPI_Barrier")));

int PMPI_Gatherv(const void* in, int n, MPI_Datatype type, void* out, const int* counts,
                 const int* places, MPI_Datatype to, int root, MPI_Comm comm) {
  typedef int Gatherv(const void*, int, MPI_Datatype, void*, const int*, const int*, MPI_Datatype,
                      int, MPI_Comm);
  if (gatherv_is == kFast) return MPI_SUCCESS;
  be_slow(gatherv_is);
  Gatherv* const real = (Gatherv*)dlsym(RTLD_NEXT, "PMPI_Gatherv");
  return real(in, n, type, out, counts, places, to, root, comm);
}
int MPI_Gatherv(const void* in, int n, MPI_Datatype type, void* out, const int* counts,
                const int* places, MPI_Datatype to, int root, MPI_Comm comm)
    __attribute__((alias("PMPI_Gatherv")));

static int is_last(MPI_Comm comm) {
  int rank, size;
  PMPI_Comm_rank(comm, &rank);
  PMPI_Comm_size(comm, &size);
  return rank == size - 1;
}

int PMPI_Allreduce(const void* in, void* out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  typedef int Allreduce(const void*, void*, int, MPI_Datatype, MPI_Op, MPI_Comm);
  // Whatever the MPI makes of fewer is its own.
  if (n > 2 && getenv("DIES_IN_MPI") != NULL && is_last(comm)) {
    fprintf(stderr, "dying in the MPI\n");
    raise(SIGKILL);
  }
  return ((Allreduce*)dlsym(RTLD_NEXT, "PMPI_Allreduce"))(in, out, n, type, op, comm);
}
int MPI_Allreduce(const void* in, void* out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
    __attribute__((alias("PMPI_Allreduce")));
#endif
