// SPDX-License-Identifier: BSD-3-Clause
// Fortran's functions under the names that compilers give them: an underscore behind, none, two, or
// all in capitals. Called from C, as no compiler here writes all of them.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int failures;

/// As the program would have been linked to it.
static void* function(const char* call, int mangling) {
  char name[64];
  static const char* const forms[] = {"mpi_%s_", "mpi_%s", "mpi_%s__", "MPI_%s"};
  snprintf(name, sizeof name, forms[mangling], call);
  if (mangling == 3)
    for (char* c = name; *c; ++c)
      if (*c >= 'a' && *c <= 'z') *c -= 'a' - 'A';
  void* found = dlsym(RTLD_DEFAULT, name);
  if (found == NULL) printf("%s is not there\n", name);
  failures += found == NULL;
  return found;
}

typedef void Barrier(MPI_Fint*, MPI_Fint*);
typedef void Bcast(void*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*);
typedef void Reduce(void*, void*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*);
typedef void Allreduce(void*, void*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*, MPI_Fint*);
typedef void Free(MPI_Fint*, MPI_Fint*);

static void call(int mangling) {
  Barrier* barrier = (Barrier*)function("barrier", mangling);
  Bcast* bcast = (Bcast*)function("bcast", mangling);
  Reduce* reduce = (Reduce*)function("reduce", mangling);
  Allreduce* allreduce = (Allreduce*)function("allreduce", mangling);
  Free* comm_free = (Free*)function("comm_free", mangling);
  if (!barrier || !bcast || !reduce || !allreduce || !comm_free) return;
  MPI_Comm own;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  int rank, size;
  MPI_Comm_rank(own, &rank);
  MPI_Comm_size(own, &size);
  MPI_Fint comm = MPI_Comm_c2f(own), type = MPI_Type_c2f(MPI_INT), op = MPI_Op_c2f(MPI_SUM);
  MPI_Fint count = 1, root = 0, error = -1;
  for (int i = 0; i < 10; ++i) {
    int given = rank + i, word = rank == 0 ? i : -1, sum = -1, total = -1;
    allreduce(&given, &total, &count, &type, &op, &comm, &error);
    failures += error != MPI_SUCCESS || total != size * (size - 1) / 2 + i * size;
    reduce(&given, &sum, &count, &type, &op, &root, &comm, &error);
    failures += error != MPI_SUCCESS || (rank == 0 && sum != total);
    bcast(&word, &count, &type, &root, &comm, &error);
    failures += error != MPI_SUCCESS || word != i;
    barrier(&comm, &error);
    failures += error != MPI_SUCCESS;
  }
  comm_free(&comm, &error);
  failures += error != MPI_SUCCESS || MPI_Comm_f2c(comm) != MPI_COMM_NULL;
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  for (int mangling = 0; mangling < 4; ++mangling) call(mangling);
  int rank, all = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf(all ? "%d results are wrong\n" : "all right %d\n", all);
  MPI_Finalize();
  return all != 0;
}
