/* SPDX-License-Identifier: BSD-3-Clause
 * Splits along the hardware, for 4 ranks on a pretended machine of two packages with two cores each
 * (TERRACE_MACHINE). Rank 0 prints "right". */
#include <mpi.h>
#include <string.h>

#include "expect.h"

/* Of a communicator, which it frees; 0: MPI_COMM_NULL. */
static int size_of(MPI_Comm comm) {
  int size = 0;
  if (comm == MPI_COMM_NULL) return 0;
  MPI_Comm_size(comm, &size);
  MPI_Comm_free(&comm);
  return size;
}

static MPI_Info info_with(const char* key, const char* value) {
  MPI_Info info;
  MPI_Info_create(&info);
  if (key != NULL) MPI_Info_set(info, key, value);
  return info;
}

/* How many ranks share it. */
static int shared(int type, const char* key, const char* value) {
  MPI_Comm comm;
  MPI_Info info = info_with(key, value);
  EXPECT(MPI_Comm_split_type(MPI_COMM_WORLD, type, 0, info, &comm) == MPI_SUCCESS);
  MPI_Info_free(&info);
  return size_of(comm);
}

static void guided(void) {
  const char* const key = "mpi_hw_resource_type";
  EXPECT(shared(MPI_COMM_TYPE_HW_GUIDED, key, "hwloc://Package") == 2);
  EXPECT(shared(MPI_COMM_TYPE_HW_GUIDED, key, "Core") == 1);
  EXPECT(shared(MPI_COMM_TYPE_HW_GUIDED, key, "hwloc://Machine") == 4);
  EXPECT(shared(MPI_COMM_TYPE_HW_GUIDED, key, "mpi_shared_memory") == 4);
  EXPECT(shared(MPI_COMM_TYPE_HW_GUIDED, key, "hwloc://L5Cache") == 0);
  EXPECT(shared(MPI_COMM_TYPE_HW_GUIDED, NULL, NULL) == 0);
  EXPECT(shared(MPI_COMM_TYPE_RESOURCE_GUIDED, key, "Package") == 2);
  EXPECT(shared(MPI_COMM_TYPE_RESOURCE_GUIDED, "mpi_pset_name", "mpi://SELF") == 1);
  EXPECT(shared(MPI_COMM_TYPE_RESOURCE_GUIDED, "mpi_pset_name", "mpi://WORLD") == 4);
  EXPECT(shared(MPI_COMM_TYPE_SHARED, NULL, NULL) == 4);
}

/* Level by level, which the info object names. */
static void unguided(void) {
  MPI_Comm package, core, nothing;
  MPI_Info info = info_with(NULL, NULL);
  char type[64] = "";
  int is_there = 0, its_rank = -1;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_UNGUIDED, -rank, info, &package);
  MPI_Info_get(info, "mpi_hw_resource_type", sizeof type - 1, type, &is_there);
  EXPECT(is_there && strcmp(type, "hwloc://Package") == 0);
  MPI_Comm_rank(package, &its_rank);
  EXPECT(its_rank == 1 - rank % 2);
  MPI_Comm_split_type(package, MPI_COMM_TYPE_HW_UNGUIDED, 0, MPI_INFO_NULL, &core);
  MPI_Comm_split_type(core, MPI_COMM_TYPE_HW_UNGUIDED, 0, MPI_INFO_NULL, &nothing);
  EXPECT(nothing == MPI_COMM_NULL);
  EXPECT(size_of(core) == 1);
  EXPECT(size_of(package) == 2);
  MPI_Info_free(&info);
}

/* A rank that takes no part does not know what the others ask for. */
static void without_some(void) {
  MPI_Comm comm;
  MPI_Info info = info_with("mpi_hw_resource_type", "Package");
  const int type = rank == 1 ? MPI_UNDEFINED : MPI_COMM_TYPE_HW_GUIDED;
  MPI_Comm_split_type(MPI_COMM_WORLD, type, 0, info, &comm);
  EXPECT(size_of(comm) == (rank == 0 ? 1 : rank == 1 ? 0 : 2));
  MPI_Info_free(&info);
}

/* Ranks that ask for different things all get the error. */
static void faults(void) {
  MPI_Comm comm;
  MPI_Info info = info_with("mpi_hw_resource_type", rank == 1 ? "Core" : "Package");
  const int type = rank == 3 ? MPI_COMM_TYPE_HW_UNGUIDED : MPI_COMM_TYPE_HW_GUIDED;
  EXPECT(MPI_Comm_split_type(MPI_COMM_WORLD, type, 0, info, &comm) != MPI_SUCCESS);
  EXPECT(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, info, &comm) ==
             MPI_SUCCESS &&
         comm == MPI_COMM_NULL); /* other names are none */
  MPI_Info_free(&info);
  info = info_with("mpi_hw_resource_type", "Package");
  MPI_Info_set(info, "mpi_pset_name", "mpi://SELF");
  EXPECT(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_RESOURCE_GUIDED, 0, info, &comm) !=
         MPI_SUCCESS);
  MPI_Info_free(&info);
  int error_class = MPI_SUCCESS;
  const MPI_Info no_info = (MPI_Info)(intptr_t)MPI_COMM_WORLD;
  const int error = MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_GUIDED, 0, no_info, &comm);
  MPI_Error_class(error, &error_class);
  EXPECT(error_class == MPI_ERR_INFO);
}

/* Two groups have no hardware together; a rank that takes no part knows of no error. */
static void of_two_groups(void) {
  MPI_Comm own, both, comm;
  MPI_Info info = info_with("mpi_hw_resource_type", "Package");
  MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &own);
  MPI_Intercomm_create(own, 0, MPI_COMM_WORLD, rank < 2 ? 2 : 0, 0, &both);
  MPI_Comm_set_errhandler(both, MPI_ERRORS_RETURN);
  const int type = rank == 1 ? MPI_UNDEFINED : MPI_COMM_TYPE_HW_GUIDED;
  const int error = MPI_Comm_split_type(both, type, 0, info, &comm);
  EXPECT(rank == 1 ? error == MPI_SUCCESS && comm == MPI_COMM_NULL : error != MPI_SUCCESS);
  MPI_Comm_free(&both);
  MPI_Comm_free(&own);
  MPI_Info_free(&info);
}

static void resources(void) {
  MPI_Info info;
  char is_one[8] = "";
  int is_there = 0;
  EXPECT(MPI_Get_hw_resource_info(&info) == MPI_SUCCESS);
  MPI_Info_get(info, "hwloc://Package", sizeof is_one - 1, is_one, &is_there);
  EXPECT(is_there && strcmp(is_one, "true") == 0);
  MPI_Info_get(info, "hwloc://L5Cache", sizeof is_one - 1, is_one, &is_there);
  EXPECT(!is_there);
  MPI_Info_free(&info);
}

int main(int argc, char** argv) {
  int all_right = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  EXPECT(ranks == 4);
  guided();
  unguided();
  without_some();
  faults();
  of_two_groups();
  resources();
  MPI_Allreduce(&right, &all_right, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (rank == 0) printf(all_right ? "right\n" : "wrong\n");
  MPI_Finalize();
  return 0;
}
