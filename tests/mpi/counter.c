// SPDX-License-Identifier: BSD-3-Clause
// A tool as profilers are: counts a program's calls, in C and in Fortran as gfortran spells it, and
// hands them to PMPI. Each rank says at the end what it has seen. Some of its functions end with
// the jump to PMPI, others come back; that they do so is not seen from without.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>

static int returned;

#define ENDING_WITH(NAME, PARAMETERS, ARGUMENTS) \
  static int count_of_##NAME;                    \
  int MPI_##NAME PARAMETERS {                    \
    ++count_of_##NAME;                           \
    return PMPI_##NAME ARGUMENTS;                \
  }
#define COMING_BACK(NAME, PARAMETERS, ARGUMENTS) \
  static int count_of_##NAME;                    \
  int MPI_##NAME PARAMETERS {                    \
    ++count_of_##NAME;                           \
    const int error = PMPI_##NAME ARGUMENTS;     \
    ++returned;                                  \
    return error;                                \
  }

#define COMBINED(COUNT) \
  (const void* in, void* out, COUNT n, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
#define MOVED(...) \
  (const void* in, int n, MPI_Datatype type, void* out, __VA_ARGS__, MPI_Datatype to, MPI_Comm comm)
#define GATHERED(...)                                                                           \
  (const void* in, int n, MPI_Datatype type, void* out, __VA_ARGS__, MPI_Datatype to, int root, \
   MPI_Comm comm)
#define SCATTERED(...)                                                                          \
  (const void* in, __VA_ARGS__, MPI_Datatype type, void* out, int m, MPI_Datatype to, int root, \
   MPI_Comm comm)
#define EXCHANGED(TYPES)                                                             \
  (const void* in, const int* n, const int* at, TYPES type, void* out, const int* m, \
   const int* out_at, TYPES to, MPI_Comm comm)

ENDING_WITH(Barrier, (MPI_Comm comm), (comm))
COMING_BACK(Bcast, (void* data, int n, MPI_Datatype type, int root, MPI_Comm comm),
            (data, n, type, root, comm))
ENDING_WITH(Reduce,
            (const void* in, void* out, int n, MPI_Datatype type, MPI_Op op, int root,
             MPI_Comm comm),
            (in, out, n, type, op, root, comm))
ENDING_WITH(Allreduce, COMBINED(int), (in, out, n, type, op, comm))
COMING_BACK(Reduce_scatter_block, COMBINED(int), (in, out, n, type, op, comm))
COMING_BACK(Reduce_scatter, COMBINED(const int*), (in, out, n, type, op, comm))
COMING_BACK(Scan, COMBINED(int), (in, out, n, type, op, comm))
ENDING_WITH(Exscan, COMBINED(int), (in, out, n, type, op, comm))
COMING_BACK(Allgather, MOVED(int m), (in, n, type, out, m, to, comm))
ENDING_WITH(Alltoall, MOVED(int m), (in, n, type, out, m, to, comm))
COMING_BACK(Gather, GATHERED(int m), (in, n, type, out, m, to, root, comm))
ENDING_WITH(Scatter, SCATTERED(int n), (in, n, type, out, m, to, root, comm))
ENDING_WITH(Allgatherv, MOVED(const int* m, const int* at), (in, n, type, out, m, at, to, comm))
COMING_BACK(Gatherv, GATHERED(const int* m, const int* at),
            (in, n, type, out, m, at, to, root, comm))
COMING_BACK(Scatterv, SCATTERED(const int* n, const int* at),
            (in, n, at, type, out, m, to, root, comm))
ENDING_WITH(Alltoallv, EXCHANGED(MPI_Datatype), (in, n, at, type, out, m, out_at, to, comm))
COMING_BACK(Alltoallw, EXCHANGED(const MPI_Datatype*), (in, n, at, type, out, m, out_at, to, comm))
ENDING_WITH(Comm_free, (MPI_Comm * comm), (comm))
COMING_BACK(Iprobe, (int source, int tag, MPI_Comm comm, int* found, MPI_Status* status),
            (source, tag, comm, found, status))

#if MPI_VERSION >= 4
COMING_BACK(Allreduce_c, COMBINED(MPI_Count), (in, out, n, type, op, comm))
#else
static const int count_of_Allreduce_c = 0;
#endif

static int count_in_fortran;

/// The MPI's, as the library for Fortran spells it.
static void* in_fortran(const char* name) {
  ++count_in_fortran;
  return dlsym(RTLD_DEFAULT, name);
}

void mpi_barrier_(int* comm, int* error) {
  ((void (*)(int*, int*))in_fortran("pmpi_barrier_"))(comm, error);
}

void mpi_allreduce_(void* in, void* out, int* n, int* type, int* op, int* comm, int* error) {
  ((void (*)(void*, void*, int*, int*, int*, int*, int*))in_fortran("pmpi_allreduce_"))(
      in, out, n, type, op, comm, error);
}

int MPI_Finalize(void) {
  int rank;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  fprintf(stderr,
          "counter of rank %d: barrier %d, bcast %d, reduce %d, allreduce %d, "
          "reduce_scatter_block %d, reduce_scatter %d, scan %d, exscan %d, allgather %d, "
          "alltoall %d, gather %d, scatter %d, allgatherv %d, gatherv %d, scatterv %d, "
          "alltoallv %d, alltoallw %d, comm_free %d, iprobe %d, in Fortran %d\n",
          rank, count_of_Barrier, count_of_Bcast, count_of_Reduce,
          count_of_Allreduce + count_of_Allreduce_c, count_of_Reduce_scatter_block,
          count_of_Reduce_scatter, count_of_Scan, count_of_Exscan, count_of_Allgather,
          count_of_Alltoall, count_of_Gather, count_of_Scatter, count_of_Allgatherv,
          count_of_Gatherv, count_of_Scatterv, count_of_Alltoallv, count_of_Alltoallw,
          count_of_Comm_free, count_of_Iprobe, count_in_fortran);
  return PMPI_Finalize();
}
