// SPDX-License-Identifier: BSD-3-Clause
// What programs share that are run over several nodes: the split by node, looked at by names.
#pragma once
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { kMostOverNodes = 64 };

typedef char Name[MPI_MAX_PROCESSOR_NAME];

/// How many of `count` names, from the first on, are the first one.
static inline int alike(const Name* names, int count) {
  int same = 0;
  while (same < count && !strcmp(names[same], names[0])) ++same;
  return same;
}

/// The communicator of this rank's node, or MPI_COMM_NULL if MPI_Comm_split_type is wrong: its
/// ranks, and no others, have one host name, and nodes have as many as `expected` says ("2,1").
static inline MPI_Comm split_by_node(const char* expected) {
  Name all[kMostOverNodes] = {{0}}, here[kMostOverNodes] = {{0}};
  char found[256] = "";
  int rank, size, length, node_size, of_own_name = 0, is_right;
  MPI_Comm node;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Get_processor_name(all[rank], &length);
  PMPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, sizeof(Name), MPI_CHAR, MPI_COMM_WORLD);
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
  MPI_Comm_size(node, &node_size);
  PMPI_Allgather(all[rank], sizeof(Name), MPI_CHAR, here, sizeof(Name), MPI_CHAR, node);
  for (int r = 0; r < size; ++r) of_own_name += !strcmp(all[r], all[rank]);
  is_right = alike(here, node_size) == node_size && node_size == of_own_name;
  for (int first = 0, count; first < size; first += count) {
    count = alike(all + first, size - first);
    const size_t end = strlen(found);
    snprintf(found + end, sizeof found - end, "%s%d", first ? "," : "", count);
  }
  if (strcmp(found, expected) || !is_right)
    fprintf(
        stderr, "wrong: nodes have %s ranks, expected %s; split by node has %d, %s, at rank %d\n",
        found, expected, node_size, is_right ? "all of this one" : "not those of this one", rank);
  is_right = is_right && !strcmp(found, expected);
  PMPI_Allreduce(MPI_IN_PLACE, &is_right, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
  if (!is_right) MPI_Comm_free(&node);
  return node;
}
