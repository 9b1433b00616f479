// SPDX-License-Identifier: BSD-3-Clause
// A tool as profilers are: counts a program's calls and hands them to PMPI. With -DLIES it also
// spoils the results of allreduce and bcast, which TERRACE_CHECK must notice. COUNTER_BARRIER=fast
// makes barriers that wait for nobody, slow those that take 100 us longer.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int barriers, bcasts, reduces, allreduces;

int MPI_Barrier(MPI_Comm comm) {
  ++barriers;
  const char* const how = getenv("COUNTER_BARRIER");
  if (how != NULL && strcmp(how, "fast") == 0) return MPI_SUCCESS;
  const double begin = how != NULL ? MPI_Wtime() : 0;
  while (how != NULL && MPI_Wtime() < begin + 100e-6) continue;
  return PMPI_Barrier(comm);
}

int MPI_Bcast(void* buffer, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  ++bcasts;
  const int error = PMPI_Bcast(buffer, count, type, root, comm);
#ifdef LIES
  int bytes;
  PMPI_Type_size(type, &bytes);
  if (bytes * count > 3) ((char*)buffer)[3] ^= 1;
#endif
  return error;
}

int MPI_Reduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, int root,
               MPI_Comm comm) {
  ++reduces;
  return PMPI_Reduce(in, out, count, type, op, root, comm);
}

int MPI_Allreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm) {
  ++allreduces;
  const int error = PMPI_Allreduce(in, out, count, type, op, comm);
#ifdef LIES
  if (type == MPI_INT && count > 0) ++*(int*)out;
#endif
  return error;
}

#ifdef LIES
int MPI_Alltoall(const void* in, int count, MPI_Datatype type, void* out, int out_count,
                 MPI_Datatype out_type, MPI_Comm comm) {
  const int error = PMPI_Alltoall(in, count, type, out, out_count, out_type, comm);
  if (type == MPI_BYTE && count > 0) ++*(char*)out;
  return error;
}

int MPI_Scan(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  const int error = PMPI_Scan(in, out, count, type, op, comm);
  if (count > 0) ++*(char*)out;
  return error;
}
#endif

int MPI_Finalize(void) {
  int rank;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0)
    fprintf(stderr, "counter: %d barriers, %d bcasts, %d reduces, %d allreduces\n", barriers,
            bcasts, reduces, allreduces);
  return PMPI_Finalize();
}
