// SPDX-License-Identifier: BSD-3-Clause
// What programs share that are run over several nodes: the split by node, looked at by names.
#pragma once
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { kMostOverNodes = 64 };

/// The communicator of this rank's node, or MPI_COMM_NULL if MPI_Comm_split_type is wrong: its
/// ranks, and no others, have one host name, and nodes have as many as `expected` says ("2,1").
static inline MPI_Comm split_by_node(const char* expected) {
  char names[kMostOverNodes][MPI_MAX_PROCESSOR_NAME] = {{0}}, found[256] = "";
  int rank, size, length, node_size, is_right;
  MPI_Comm node;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Get_processor_name(names[rank], &length);
  PMPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, names, MPI_MAX_PROCESSOR_NAME, MPI_CHAR,
                 MPI_COMM_WORLD);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &node_size);
  int of_own_name = 0;
  for (int r = 0; r < size; ++r) of_own_name += !strcmp(names[r], names[rank]);
  is_right = node_size == of_own_name;
  for (int first = 0; first < size; first += of_own_name) {  // nodes are filled one by one
    for (of_own_name = 0; first + of_own_name < size; ++of_own_name)
      if (strcmp(names[first + of_own_name], names[first])) break;
    snprintf(found + strlen(found), sizeof found - strlen(found), "%s%d", first ? "," : "",
             of_own_name);
  }
  is_right = is_right && !strcmp(found, expected);
  PMPI_Allreduce(MPI_IN_PLACE, &is_right, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  if (is_right) return node;
  if (rank == 0) fprintf(stderr, "wrong: nodes have %s ranks, not %s\n", found, expected);
  MPI_Comm_free(&node);
  return MPI_COMM_NULL;
}
