/* SPDX-License-Identifier: BSD-3-Clause */
/* The interface between the MPI of thread ranks (libmpi_abi.so.1, libmpi.so.12 in
 * lib/terrace/ranks) and its launcher: that of `terrace run`, or a test with plain threads. */
#ifndef TERRACE_RANK_ABI_H
#define TERRACE_RANK_ABI_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct terrace_ranks_job terrace_ranks_job;

typedef struct terrace_ranks_settings {
  size_t bytes; /* sizeof of this struct, as the caller knows it */
  int ranks;    /* of MPI_COMM_WORLD, 1 at least */
  /* Ends the job, for MPI_Abort and fatal errors; `why` is a sentence without a newline. Does not
   * return. */
  void (*abort)(int rank, int code, const char* why);
} terrace_ranks_settings;

/* Begins a job. Null if the settings make no sense, or there is no memory. There is one job at a
 * time in a process; another can be begun when that has been ended. */
terrace_ranks_job* terrace_ranks_begin(const terrace_ranks_settings* settings);
/* When all ranks have left. */
void terrace_ranks_end(terrace_ranks_job* job);

/* The calling thread is now (a thread of) that rank, of the process's job. */
void terrace_ranks_enter(int rank);
/* The rank of the calling thread; -1: none. Threads that a rank makes do not inherit it:
 * terrace_ranks_enter must be called in them. */
int terrace_ranks_current(void);
/* The rank's program has ended with that code. If it had called MPI_Init and not MPI_Finalize, or
 * others call MPI_Init and it has not, the job is ended by `abort`, as they would wait for it in
 * vain. */
void terrace_ranks_leave(int rank, int code);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
