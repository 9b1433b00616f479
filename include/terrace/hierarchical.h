// SPDX-License-Identifier: BSD-3-Clause
// Collectives by a loop over the levels of the hierarchy: at each level, your MPI's own collective
// among the roots of the groups. C99; hierarchical.hpp is the same for C++.
//
// Algorithm 4 of B. Goglin, E. Jeannot, F. Mansouri, G. Mercier, "Hardware topology management in
// MPI applications through hierarchical communicators", Parallel Computing 76 (2018), section 6,
// for any root and any binding, with the loop itself as a function that does whatever you like at
// every level.
//
//   MPIX_Hierarchy* hierarchy;
//   MPIX_Hierarchy_create(MPI_COMM_WORLD, MPI_INFO_NULL, &hierarchy);
//   MPIX_Hbcast(values, 1000, MPI_DOUBLE, 0, hierarchy);
//   MPIX_Hierarchy_free(&hierarchy);
//
// All of it is in this header, compiled with your program's mpi.h; link terrace-communicators.
//
// A group that is divided has one *step*: a communicator of a member for each part, which is the
// part's lowest rank, and of the ranks that are in no part, as their binding reaches further. A
// group that nothing divides has a step of all its ranks. So each rank hears of each collective,
// whatever the bindings are.
//
// Functions are collective over the communicator that the hierarchy was made of. They return the
// error codes of the MPI functions that they call, whose error handlers have been called. Where
// memory runs out, they call the error handler with MPI_ERR_NO_MEM. As in an MPI's collectives,
// other ranks may wait for one that returns an error, if its handler does not end the job.
#ifndef TERRACE_HIERARCHICAL_H
#define TERRACE_HIERARCHICAL_H

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "terrace/mpix.h"

#ifdef __cplusplus
extern "C" {
#endif

#define TERRACE_MOST_LEVELS 64
#define TERRACE_MOST_PACKED (INT_MAX / 2) /* bytes; MPI_Pack_size may say more, in an int */

/** One of the groups that a rank is in, the outermost first. */
typedef struct MPIX_Hierarchy_level {
  MPI_Comm step; /**< MPI_COMM_NULL at ranks that others stand for. */
  int ranks;     /**< How many ranks the group has, all of them in the next two arrays. */
  int* rank;     /**< In the whole communicator, ascending. */
  int* member;   /**< Who stands for that rank: a rank of `step`. */
} MPIX_Hierarchy_level;

typedef struct MPIX_Hierarchy {
  MPI_Comm all; /**< A duplicate of what it was made of. */
  int own;      /**< This rank in it. */
  int levels;
  MPIX_Hierarchy_level level[TERRACE_MOST_LEVELS + 1];
  int* arrival; /**< At rank 0: whose blocks a gather brings, in this order. */
} MPIX_Hierarchy;

/** The work at a level: a collective on `step` with that `root`. `state` is the caller's.
 *
 * @return  MPI_SUCCESS, or an error, which ends the loop at this rank.
 */
typedef int MPIX_Level_function(MPI_Comm step, int root, void* state);

/* What the functions below have in common; not for programs. */

static inline void* terrace_room(MPI_Comm comm, size_t bytes, int* error) {
  void* const room = malloc(bytes > 0 ? bytes : 1);
  *error = room ? MPI_SUCCESS : MPI_Comm_call_errhandler(comm, MPI_ERR_NO_MEM);
  if (!room && *error == MPI_SUCCESS) *error = MPI_ERR_NO_MEM;
  return room;
}

/* The place of a rank in a group; -1 if it is in another. */
static inline int terrace_place_of(const MPIX_Hierarchy_level* level, int rank) {
  int begin = 0, end = level->ranks;
  while (begin < end) {
    const int middle = begin + (end - begin) / 2;
    if (level->rank[middle] < rank)
      begin = middle + 1;
    else
      end = middle;
  }
  return begin < level->ranks && level->rank[begin] == rank ? begin : -1;
}

/* Counts the groups of a rank that have the other rank as well. The whole has all. */
static inline int terrace_shared_levels(const MPIX_Hierarchy* hierarchy, int other) {
  int shared = 1;
  while (shared < hierarchy->levels && terrace_place_of(&hierarchy->level[shared], other) >= 0)
    ++shared;
  return shared;
}

/* The `i`-th level at which a rank acts on the way from `root` to all: first that at which it
 * hears, the innermost of those that it shares with the root; then from the outermost to the
 * innermost, as those who hear there have the longest way to go. */
static inline int terrace_level_on_way(const MPIX_Hierarchy* hierarchy, int root, int shared,
                                       int i) {
  if (hierarchy->own == root || i >= shared) return i;
  return i == 0 ? shared - 1 : i - 1;
}

static inline int terrace_act(const MPIX_Hierarchy* hierarchy, int root, int shared, int i,
                              MPIX_Level_function* function, void* state) {
  const int at = terrace_level_on_way(hierarchy, root, shared, i);
  const MPIX_Hierarchy_level* const level = &hierarchy->level[at];
  if (level->step == MPI_COMM_NULL) return MPI_SUCCESS;
  const int member = at < shared ? level->member[terrace_place_of(level, root)] : 0;
  return function(level->step, member, state);
}

/* Adds the level of `group`, which is divided into `part` and others, or not at all. */
static inline int terrace_add_level(MPIX_Hierarchy* hierarchy, MPI_Comm group, MPI_Comm part) {
  MPIX_Hierarchy_level* const level = &hierarchy->level[hierarchy->levels];
  int error, rank_in_part = 0, own[2] = {hierarchy->own, 0};
  if (part != MPI_COMM_NULL) MPI_Comm_rank(part, &rank_in_part);
  error = MPI_Comm_split(group, rank_in_part == 0 ? 0 : MPI_UNDEFINED, 0, &level->step);
  if (error) return error;
  ++hierarchy->levels;
  if (level->step != MPI_COMM_NULL) MPI_Comm_rank(level->step, &own[1]);
  if (part != MPI_COMM_NULL && (error = MPI_Bcast(&own[1], 1, MPI_INT, 0, part))) return error;
  MPI_Comm_size(group, &level->ranks);
  const size_t ranks = (size_t)level->ranks;
  int* const pairs = (int*)terrace_room(group, 2 * ranks * sizeof(int), &error);
  if (!error) level->rank = (int*)terrace_room(group, ranks * sizeof(int), &error);
  if (!error) level->member = (int*)terrace_room(group, ranks * sizeof(int), &error);
  if (!error) error = MPI_Allgather(own, 2, MPI_INT, pairs, 2, MPI_INT, group);
  for (size_t i = 0; !error && i < ranks; ++i) {
    level->rank[i] = pairs[2 * i];
    level->member[i] = pairs[2 * i + 1];
  }
  free(pairs);
  return error;
}

static inline int terrace_size_of(MPI_Comm comm) {
  int size = 0;
  if (comm != MPI_COMM_NULL) MPI_Comm_size(comm, &size);
  return size;
}

static inline int terrace_add_levels(MPIX_Hierarchy* hierarchy, MPI_Info info) {
  MPI_Comm parts[TERRACE_MOST_LEVELS];
  int count = 0, error;
  error =
      MPIX_Comm_hsplit_all(hierarchy->all, info, TERRACE_MOST_LEVELS, &count, parts, NULL, NULL);
  for (int i = 0; !error && i <= count; ++i) {
    const MPI_Comm group = i == 0 ? hierarchy->all : parts[i - 1];
    if (terrace_size_of(group) < 2) break; /* no other member */
    error = terrace_add_level(hierarchy, group, i < count ? parts[i] : MPI_COMM_NULL);
  }
  for (int i = 0; i < count; ++i) MPI_Comm_free(&parts[i]);
  return error;
}

/* Finds how many ranks each member of a step stands for, and whose come first. */
static inline void terrace_shares(const MPIX_Hierarchy_level* level, int members, int* counts,
                                  int* offsets) {
  for (int i = 0; i < members; ++i) counts[i] = 0;
  for (int i = 0; i < level->ranks; ++i) ++counts[level->member[i]];
  for (int i = 0, offset = 0; i < members; offset += counts[i++]) offsets[i] = offset;
}

/* One step of a gather to rank 0: what this rank has, `*held` blocks of `type`, to the member that
 * goes on. */
static inline int terrace_gather_step(const MPIX_Hierarchy_level* level, MPI_Datatype type,
                                      size_t bytes, char** blocks, int* held) {
  int error, member;
  const int members = terrace_size_of(level->step);
  MPI_Comm_rank(level->step, &member);
  int* const counts = (int*)terrace_room(level->step, 2 * (size_t)members * sizeof(int), &error);
  if (error) return error;
  terrace_shares(level, members, counts, counts + members);
  char* more = NULL;
  if (member == 0) more = (char*)terrace_room(level->step, (size_t)level->ranks * bytes, &error);
  if (!error)
    error = MPI_Gatherv(*blocks, *held, type, more, counts, counts + members, type, 0, level->step);
  free(counts);
  if (error) free(more);
  if (error || member > 0) return error;
  free(*blocks);
  *blocks = more;
  *held = level->ranks;
  return MPI_SUCCESS;
}

/* Gathers a block of each rank at rank 0, in the order of their arrival. `blocks` is this rank's
 * own, of malloc, and becomes all of them there. */
static inline int terrace_gather_blocks(const MPIX_Hierarchy* hierarchy, MPI_Datatype type,
                                        size_t bytes, char** blocks) {
  int error = MPI_SUCCESS, held = 1;
  for (int i = hierarchy->levels - 1; i >= 0 && !error; --i)
    if (hierarchy->level[i].step != MPI_COMM_NULL)
      error = terrace_gather_step(&hierarchy->level[i], type, bytes, blocks, &held);
  return error;
}

/* Sorts blocks, at rank 0, from the order of arrival to that of ranks. */
static inline int terrace_sort_blocks(const MPIX_Hierarchy* hierarchy, size_t bytes,
                                      char** blocks) {
  int error;
  const size_t ranks = (size_t)terrace_size_of(hierarchy->all);
  char* const sorted = (char*)terrace_room(hierarchy->all, ranks * bytes, &error);
  for (size_t i = 0; !error && i < ranks; ++i)
    memcpy(sorted + (size_t)hierarchy->arrival[i] * bytes, *blocks + i * bytes, bytes);
  if (error) return error;
  free(*blocks);
  *blocks = sorted;
  return MPI_SUCCESS;
}

/* Passes blocks on from rank 0 to another root. */
static inline int terrace_pass_on(const MPIX_Hierarchy* hierarchy, int root, MPI_Datatype type,
                                  size_t bytes, char** blocks) {
  int error;
  const int ranks = terrace_size_of(hierarchy->all);
  if (hierarchy->own == 0) return MPI_Send(*blocks, ranks, type, root, 0, hierarchy->all);
  if (hierarchy->own != root) return MPI_SUCCESS;
  free(*blocks);
  *blocks = (char*)terrace_room(hierarchy->all, (size_t)ranks * bytes, &error);
  return error ? error : MPI_Recv(*blocks, ranks, type, 0, 0, hierarchy->all, MPI_STATUS_IGNORE);
}

/* Arguments that a broadcast or a reduction hands to each level. */
typedef struct Terrace_values {
  const void* from; /* until `into` has them */
  void* into;
  int count;
  MPI_Datatype type;
  MPI_Op op;
} Terrace_values;

static inline int terrace_bcast_step(MPI_Comm step, int root, void* state) {
  const Terrace_values* const values = (const Terrace_values*)state;
  return MPI_Bcast(values->into, values->count, values->type, root, step);
}

static inline int terrace_reduce_step(MPI_Comm step, int root, void* state) {
  Terrace_values* const values = (Terrace_values*)state;
  int own;
  MPI_Comm_rank(step, &own);
  if (own != root)
    return MPI_Reduce(values->from == MPI_IN_PLACE ? values->into : values->from, NULL,
                      values->count, values->type, values->op, root, step);
  const int error =
      MPI_Reduce(values->from, values->into, values->count, values->type, values->op, root, step);
  values->from = MPI_IN_PLACE; /* from now on `into` has the values */
  return error;
}

static inline int terrace_is_root(int rank, const MPIX_Hierarchy* hierarchy) {
  return rank >= 0 && rank < terrace_size_of(hierarchy->all);
}

/** Frees its communicators. Collective. `*hierarchy` becomes null; it may be null. */
static inline int MPIX_Hierarchy_free(MPIX_Hierarchy** hierarchy) {
  int error = MPI_SUCCESS;
  if (!*hierarchy) return error;
  for (int i = 0; i < (*hierarchy)->levels; ++i) {
    MPIX_Hierarchy_level* const level = &(*hierarchy)->level[i];
    if (level->step != MPI_COMM_NULL && !error) error = MPI_Comm_free(&level->step);
    free(level->rank);
    free(level->member);
  }
  if ((*hierarchy)->all != MPI_COMM_NULL && !error) error = MPI_Comm_free(&(*hierarchy)->all);
  free((*hierarchy)->arrival);
  free(*hierarchy);
  *hierarchy = NULL;
  return error;
}

/** The hierarchy of a communicator's ranks, by MPIX_Comm_hsplit_all. Collective.
 *
 * @param info       As there: mpix_hlevel_scope, for instance.
 * @param hierarchy  Receives it; null where that fails.
 */
static inline int MPIX_Hierarchy_create(MPI_Comm comm, MPI_Info info, MPIX_Hierarchy** hierarchy) {
  int error;
  MPIX_Hierarchy* const made = (MPIX_Hierarchy*)terrace_room(comm, sizeof *made, &error);
  *hierarchy = made;
  if (error) return error;
  memset(made, 0, sizeof *made);
  made->all = MPI_COMM_NULL;
  error = MPI_Comm_dup(comm, &made->all);
  if (!error) error = MPI_Comm_rank(made->all, &made->own);
  if (!error) error = terrace_add_levels(made, info);
  char* ranks = NULL;
  if (!error) ranks = (char*)terrace_room(comm, sizeof(int), &error);
  if (!error) {
    memcpy(ranks, &made->own, sizeof(int));
    error = terrace_gather_blocks(made, MPI_INT, sizeof(int), &ranks);
  }
  if (!error && made->own == 0)
    made->arrival = (int*)(void*)ranks;
  else
    free(ranks);
  if (error) MPIX_Hierarchy_free(hierarchy);
  return error;
}

/** Calls a function at every level, on the way from a root to all others: at each rank first for
 * the step that it hears from, then for those in which others hear from it. The root of a step is
 * the member that knows already. */
static inline int MPIX_Hierarchy_downwards(const MPIX_Hierarchy* hierarchy, int root,
                                           MPIX_Level_function* function, void* state) {
  int error = MPI_SUCCESS;
  if (!terrace_is_root(root, hierarchy))
    return MPI_Comm_call_errhandler(hierarchy->all, MPI_ERR_ROOT), MPI_ERR_ROOT;
  const int shared = terrace_shared_levels(hierarchy, root);
  for (int i = 0; i < hierarchy->levels && !error; ++i)
    error = terrace_act(hierarchy, root, shared, i, function, state);
  return error;
}

/** Calls the function on the way from all ranks to a root: the same calls, the last one first. */
static inline int MPIX_Hierarchy_upwards(const MPIX_Hierarchy* hierarchy, int root,
                                         MPIX_Level_function* function, void* state) {
  int error = MPI_SUCCESS;
  if (!terrace_is_root(root, hierarchy))
    return MPI_Comm_call_errhandler(hierarchy->all, MPI_ERR_ROOT), MPI_ERR_ROOT;
  const int shared = terrace_shared_levels(hierarchy, root);
  for (int i = hierarchy->levels - 1; i >= 0 && !error; --i)
    error = terrace_act(hierarchy, root, shared, i, function, state);
  return error;
}

/** MPI_Bcast. */
static inline int MPIX_Hbcast(void* buffer, int count, MPI_Datatype type, int root,
                              const MPIX_Hierarchy* hierarchy) {
  Terrace_values values = {NULL, buffer, count, type, MPI_OP_NULL};
  return MPIX_Hierarchy_downwards(hierarchy, root, terrace_bcast_step, &values);
}

/** MPI_Reduce. The operands of a level are combined before those of the next, so an operator that
 * does not commute is left to MPI_Reduce. */
static inline int MPIX_Hreduce(const void* sendbuf, void* recvbuf, int count, MPI_Datatype type,
                               MPI_Op op, int root, const MPIX_Hierarchy* hierarchy) {
  int commutes = 0, error = MPI_Op_commutative(op, &commutes);
  if (error) return error;
  if (!commutes || hierarchy->levels == 0 || !terrace_is_root(root, hierarchy))
    return MPI_Reduce(sendbuf, recvbuf, count, type, op, root, hierarchy->all);
  Terrace_values values = {sendbuf, recvbuf, count, type, op};
  if (hierarchy->own == root)
    return MPIX_Hierarchy_upwards(hierarchy, root, terrace_reduce_step, &values);
  MPI_Aint low, extent, true_low, true_extent;
  MPI_Type_get_extent(type, &low, &extent);
  MPI_Type_get_true_extent(type, &true_low, &true_extent);
  const MPI_Aint stride = extent < 0 ? -extent : extent;
  const MPI_Aint span = true_extent + (count > 0 ? count - 1 : 0) * stride;
  const MPI_Aint before = true_low - (extent < 0 && count > 0 ? (count - 1) * stride : 0);
  char* const room = (char*)terrace_room(hierarchy->all, (size_t)span, &error);
  if (error) return error;
  values.into = room - before;
  error = MPIX_Hierarchy_upwards(hierarchy, root, terrace_reduce_step, &values);
  free(room);
  return error;
}

/** MPI_Gather. Blocks travel packed, and by rank 0 to other roots; such as are too long to be
 * packed are left to MPI_Gather. Buffers are not MPI_BOTTOM, which some MPIs' MPI_Pack refuses. */
static inline int MPIX_Hgather(const void* sendbuf, int sendcount, MPI_Datatype sendtype,
                               void* recvbuf, int recvcount, MPI_Datatype recvtype, int root,
                               const MPIX_Hierarchy* hierarchy) {
  int error, most = 0, bytes = 0;
  MPI_Aint low, extent = 0;
  const int ranks = terrace_size_of(hierarchy->all);
  if (!terrace_is_root(root, hierarchy))
    return MPI_Comm_call_errhandler(hierarchy->all, MPI_ERR_ROOT), MPI_ERR_ROOT;
  const int is_root = hierarchy->own == root;
  if (is_root && (error = MPI_Type_get_extent(recvtype, &low, &extent))) return error;
  const int is_in_place = is_root && sendbuf == MPI_IN_PLACE;
  if (is_in_place) {
    sendbuf = (const char*)recvbuf + (MPI_Aint)root * recvcount * extent;
    sendcount = recvcount;
    sendtype = recvtype;
  }
  /* The same at all ranks, so that all of them go the same way. */
  MPI_Count type_bytes = 0;
  if ((error = MPI_Type_size_x(sendtype, &type_bytes))) return error;
  if (sendcount == 0 || type_bytes == 0) return MPI_SUCCESS;
  if (type_bytes < 0 || type_bytes > TERRACE_MOST_PACKED / sendcount)
    return MPI_Gather(is_in_place ? MPI_IN_PLACE : sendbuf, sendcount, sendtype, recvbuf, recvcount,
                      recvtype, root, hierarchy->all);
  if ((error = MPI_Pack_size(sendcount, sendtype, hierarchy->all, &most))) return error;
  char* blocks = (char*)terrace_room(hierarchy->all, (size_t)most, &error);
  MPI_Datatype block = MPI_DATATYPE_NULL;
  if (!error) error = MPI_Pack(sendbuf, sendcount, sendtype, blocks, most, &bytes, hierarchy->all);
  if (!error) error = MPI_Type_contiguous(bytes, MPI_PACKED, &block);
  if (!error) error = MPI_Type_commit(&block);
  if (!error) error = terrace_gather_blocks(hierarchy, block, (size_t)bytes, &blocks);
  if (!error && hierarchy->own == 0) error = terrace_sort_blocks(hierarchy, (size_t)bytes, &blocks);
  if (!error && root != 0) error = terrace_pass_on(hierarchy, root, block, (size_t)bytes, &blocks);
  for (int rank = 0; is_root && rank < ranks && !error; ++rank) {
    int position = 0;
    error = MPI_Unpack(blocks + (size_t)rank * (size_t)bytes, bytes, &position,
                       (char*)recvbuf + (MPI_Aint)rank * recvcount * extent, recvcount, recvtype,
                       hierarchy->all);
  }
  if (block != MPI_DATATYPE_NULL) MPI_Type_free(&block);
  free(blocks);
  return error;
}

#ifdef __cplusplus
}
#endif

#endif
