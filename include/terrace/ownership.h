// SPDX-License-Identifier: BSD-3-Clause
// Messages that transfer the ownership of their memory instead of being copied, for programs of any
// MPI from 3.0 on. C99 and C++.
//
//   double* values;
//   MPI_Alloc_mem(1000 * sizeof *values, MPI_INFO_NULL, &values);
//   fill(values);
//   MPIX_Give(&values, 1000, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD);  // null from now on
//
//   MPIX_Take(&values, 1000, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  // at rank 1
//   use(values);
//   MPI_Free_mem(values);
//
// Where ranks are threads of one process (`terrace run`), the receiver gets the very memory that
// the sender had. Under every other MPI the same program runs, and copies. All of it is in this
// header, compiled with your program's mpi.h; there is nothing to link.
//
// After A. Friedley, T. Hoefler, G. Bronevetsky, A. Lumsdaine, "Ownership passing: efficient
// distributed memory programming on multi-core systems", PPoPP 2013.
//
// `buffer` is the address of a pointer, as for MPI_Alloc_mem.
//
//   - Give memory that MPI_Alloc_mem or a take has returned, from its beginning. It may be longer
//     than the message. The rank that takes it frees it by MPI_Free_mem, or gives it on.
//   - A given message is an ordinary message: a receive or a take gets it, by source and tag, in
//     the order in which messages were sent, and a probe tells its length. A take also receives
//     messages of MPI_Send and its kin, in new memory.
//   - Elements must lie in memory without gaps: others are MPI_ERR_TYPE. More than INT_MAX elements
//     need thread ranks or an MPI from 4.0 on.
//
// Functions return MPI_SUCCESS or an error code, after they have called an error handler; by
// default that ends the job. Memory that could not be given still belongs to the program.
#ifndef TERRACE_OWNERSHIP_H
#define TERRACE_OWNERSHIP_H

#include <limits.h>
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What thread ranks have, and no other MPI: weak, so that a program starts without them. Not for
 * programs.
 */
#define TERRACE_OF_THREAD_RANKS __attribute__((weak, visibility("default")))
TERRACE_OF_THREAD_RANKS int terrace_ranks_give(void* buffer, MPI_Count count, MPI_Datatype type,
                                               int to, int tag, MPI_Comm comm);
TERRACE_OF_THREAD_RANKS int terrace_ranks_take(void* buffer, MPI_Count count, MPI_Datatype type,
                                               int from, int tag, MPI_Comm comm,
                                               MPI_Status* status);
TERRACE_OF_THREAD_RANKS int terrace_ranks_itake(void* buffer, MPI_Count count, MPI_Datatype type,
                                                int from, int tag, MPI_Comm comm,
                                                MPI_Request* request);

/* The same by copies. Not for programs either. */

#if MPI_VERSION >= 4
#define TERRACE_COUNTED(function) function##_c
#define TERRACE_MOST_ELEMENTS LLONG_MAX
typedef MPI_Count terrace_elements;
#else
#define TERRACE_COUNTED(function) function
#define TERRACE_MOST_ELEMENTS INT_MAX
typedef int terrace_elements;
#endif

/* A message on its way, and memory that goes when it has left. */
typedef struct terrace_given {
  MPI_Request request;
  void* memory;
  struct terrace_given* next;
} terrace_given;

/* In the order in which they were given. */
typedef struct terrace_all_given {
  pthread_mutex_t lock;
  terrace_given* first;
  terrace_given* last;
  int is_watched; /* MPI_Finalize waits for them */
} terrace_all_given;

static inline terrace_all_given* terrace_given_by_rank(void) {
  static terrace_all_given all = {PTHREAD_MUTEX_INITIALIZER, NULL, NULL, 0};
  return &all;
}

/* Frees the memory of messages that have left, up to the first that has not: that one is waited for
 * if `waits`. Under the lock. */
static inline void terrace_free_given(terrace_all_given* all, int waits) {
  while (all->first) {
    terrace_given* const given = all->first;
    int has_left = waits;
    if (waits)
      MPI_Wait(&given->request, MPI_STATUS_IGNORE);
    else
      MPI_Test(&given->request, &has_left, MPI_STATUS_IGNORE);
    if (!has_left) return;
    all->first = given->next;
    if (given->memory) MPI_Free_mem(given->memory);
    free(given);
  }
}

/* Frees what is left; MPI_Finalize calls it first, as it frees MPI_COMM_SELF. */
static inline int terrace_finish_given(MPI_Comm comm, int key, void* all, void* unused) {
  (void)comm, (void)key, (void)unused;
  terrace_free_given((terrace_all_given*)all, 1);
  return MPI_SUCCESS;
}

static inline void terrace_watch_given(terrace_all_given* all) {
  int key = MPI_KEYVAL_INVALID;
  if (all->is_watched) return;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, terrace_finish_given, &key, NULL);
  MPI_Comm_set_attr(MPI_COMM_SELF, key, all);
  MPI_Comm_free_keyval(&key);
  all->is_watched = 1;
}

static inline void terrace_keep_given(terrace_given* given) {
  terrace_all_given* const all = terrace_given_by_rank();
  pthread_mutex_lock(&all->lock);
  terrace_watch_given(all);
  given->next = NULL;
  if (all->first)
    all->last->next = given;
  else
    all->first = given;
  all->last = given;
  terrace_free_given(all, 0);
  pthread_mutex_unlock(&all->lock);
}

static inline int terrace_refuse(const char* function, MPI_Comm comm, int error,
                                 const char* sentence) {
  int rank = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  fprintf(stderr, "terrace: rank %d, %s: %s\n", rank, function, sentence);
  MPI_Comm_call_errhandler(comm, error);
  return error;
}

/* Checks arguments, and finds out how many bytes the elements are. */
static inline int terrace_elements_of(const char* function, const void* buffer, MPI_Count count,
                                      MPI_Datatype type, MPI_Comm comm, MPI_Aint* bytes) {
  MPI_Aint first = 0, extent = 0, true_first = 0, true_extent = 0;
  int size = 0, error = MPI_Type_size(type, &size);
  if (error == MPI_SUCCESS) error = MPI_Type_get_extent(type, &first, &extent);
  if (error == MPI_SUCCESS) error = MPI_Type_get_true_extent(type, &true_first, &true_extent);
  if (error != MPI_SUCCESS) return error;
  if (!buffer)
    return terrace_refuse(function, comm, MPI_ERR_BUFFER, "the address of the pointer is null");
  if (count < 0) return terrace_refuse(function, comm, MPI_ERR_COUNT, "the count is negative");
  if (count > TERRACE_MOST_ELEMENTS)
    return terrace_refuse(function, comm, MPI_ERR_COUNT,
                          "more than INT_MAX elements; give elements of a longer type");
  if (size > 0 && count > PTRDIFF_MAX / size)
    return terrace_refuse(function, comm, MPI_ERR_COUNT, "more bytes than there are addresses");
  *bytes = (MPI_Aint)count * size;
  if (first != 0 || true_first != 0 || extent != size || true_extent != size)
    return terrace_refuse(function, comm, MPI_ERR_TYPE,
                          "elements of this type have gaps; give and take them as MPI_BYTE");
  return MPI_SUCCESS;
}

static inline int terrace_give_copy(void* buffer, MPI_Count count, MPI_Datatype type, int to,
                                    int tag, MPI_Comm comm) {
  MPI_Aint bytes;
  terrace_given* given;
  int error = terrace_elements_of("MPIX_Give", buffer, count, type, comm, &bytes);
  if (error != MPI_SUCCESS) return error;
  given = (terrace_given*)malloc(sizeof *given);
  if (!given) return terrace_refuse("MPIX_Give", comm, MPI_ERR_NO_MEM, "there is no memory");
  memcpy(&given->memory, buffer, sizeof given->memory);
  if (!given->memory && bytes > 0) {
    char sentence[60];
    snprintf(sentence, sizeof sentence, "null is given as %lld bytes", (long long)bytes);
    error = terrace_refuse("MPIX_Give", comm, MPI_ERR_BUFFER, sentence);
  } else {
    error = TERRACE_COUNTED(MPI_Isend)(given->memory, (terrace_elements)count, type, to, tag, comm,
                                       &given->request);
  }
  if (error != MPI_SUCCESS) {
    free(given);
    return error;
  }
  memset(buffer, 0, sizeof given->memory);
  terrace_keep_given(given);
  return MPI_SUCCESS;
}

/* Makes room for a message that may come, and points the program's pointer to it. */
static inline int terrace_make_room(const char* function, void* buffer, MPI_Count count,
                                    MPI_Datatype type, int from, MPI_Comm comm, void** room) {
  MPI_Aint bytes;
  int error = terrace_elements_of(function, buffer, count, type, comm, &bytes);
  *room = NULL;
  if (error == MPI_SUCCESS && from != MPI_PROC_NULL)
    error = MPI_Alloc_mem(bytes > 0 ? bytes : 1, MPI_INFO_NULL, room);
  if (error == MPI_SUCCESS) memcpy(buffer, room, sizeof *room);
  return error;
}

static inline int terrace_take_copy(void* buffer, MPI_Count count, MPI_Datatype type, int from,
                                    int tag, MPI_Comm comm, MPI_Status* status) {
  void* room;
  const int error = terrace_make_room("MPIX_Take", buffer, count, type, from, comm, &room);
  if (error != MPI_SUCCESS) return error;
  return TERRACE_COUNTED(MPI_Recv)(room, room ? (terrace_elements)count : 0, type, from, tag, comm,
                                   status);
}

static inline int terrace_itake_copy(void* buffer, MPI_Count count, MPI_Datatype type, int from,
                                     int tag, MPI_Comm comm, MPI_Request* request) {
  void* room;
  const int error = terrace_make_room("MPIX_Itake", buffer, count, type, from, comm, &room);
  if (error != MPI_SUCCESS) return error;
  return TERRACE_COUNTED(MPI_Irecv)(room, room ? (terrace_elements)count : 0, type, from, tag, comm,
                                    request);
}

/** Sends memory away, with `count` elements that are a message. Returns at once, whether or not
 * it has been received, with `*buffer` null: there is nothing to wait for. Given to
 * MPI_PROC_NULL, the memory is freed.
 */
static inline int MPIX_Give(void* buffer, MPI_Count count, MPI_Datatype type, int to, int tag,
                            MPI_Comm comm) {
  return terrace_ranks_give ? terrace_ranks_give(buffer, count, type, to, tag, comm)
                            : terrace_give_copy(buffer, count, type, to, tag, comm);
}

/** Receives a message of at most `count` elements together with its memory. `*buffer`, which is not
 * looked at before, is its address then: yours to free or to give on, unless it is null, as it is
 * after MPI_PROC_NULL and may be after an error.
 *
 * A longer message is MPI_ERR_TRUNCATE; the first `count` elements are in `*buffer`.
 */
static inline int MPIX_Take(void* buffer, MPI_Count count, MPI_Datatype type, int from, int tag,
                            MPI_Comm comm, MPI_Status* status) {
  return terrace_ranks_take ? terrace_ranks_take(buffer, count, type, from, tag, comm, status)
                            : terrace_take_copy(buffer, count, type, from, tag, comm, status);
}

/** Begins to take; `*buffer` is valid when the request is over, and must stay where it is until
 * then. After a cancelled one it is null or yours to free.
 */
static inline int MPIX_Itake(void* buffer, MPI_Count count, MPI_Datatype type, int from, int tag,
                             MPI_Comm comm, MPI_Request* request) {
  return terrace_ranks_itake ? terrace_ranks_itake(buffer, count, type, from, tag, comm, request)
                             : terrace_itake_copy(buffer, count, type, from, tag, comm, request);
}

#ifdef __cplusplus
}
#endif

#endif
