/* SPDX-License-Identifier: BSD-3-Clause */
/* The interface between the MPI of thread ranks (libmpi_abi.so.1, libmpi.so.12 and libmpi.so.40 in
 * lib/terrace/ranks) and its launcher: that of `terrace run`, or a test with plain threads. */
#ifndef TERRACE_RANK_ABI_H
#define TERRACE_RANK_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

typedef struct terrace_ranks_job terrace_ranks_job;

/* A message on its way through a transport. */
typedef struct terrace_ranks_request {
  uint64_t handle; /* the transport's */
} terrace_ranks_request;

/* Functions by which the processes of a job reach each other. Messages between two processes on one
 * channel (0 or 1) arrive in the order in which they were sent, in receives in the order of
 * posting. One thread at a time calls these functions. They do not fail: what cannot go on ends the
 * job. */
typedef struct terrace_ranks_transport {
  void* self; /* the first argument of all */
  void (*send)(void* self, int process, int channel, const void* from, size_t bytes,
               terrace_ranks_request* request);
  /* A message of at most so many bytes, of that process. */
  void (*receive)(void* self, int process, int channel, void* to, size_t bytes,
                  terrace_ranks_request* request);
  /* Whether it is complete; if so, the request is of no further use. */
  int (*test)(void* self, terrace_ranks_request* request);
  /* Gives up a receive for which no message has come. */
  void (*withdraw)(void* self, terrace_ranks_request* request);
} terrace_ranks_transport;

/* A process of a job of several, which number their ranks in the order of processes. */
typedef struct terrace_ranks_process {
  int ranks;
  const char* node; /* the name of its node, for messages */
} terrace_ranks_process;

typedef struct terrace_ranks_settings {
  size_t bytes; /* sizeof of this struct, as the caller knows it */
  int ranks;    /* in this process, 1 at least */
  /* Ends the job, for MPI_Abort and fatal errors; `why` is a sentence without a newline. Does not
   * return. */
  void (*abort)(int rank, int code, const char* why);
  /* Members for a job of several processes; otherwise all of these are 0 or null. */
  const terrace_ranks_transport* transport; /* lives longer than the job */
  const terrace_ranks_process* processes;
  int process_count;
  int process;        /* this one */
  int ranks_on_cores; /* of all processes that use the cores of this one, it included */
  /* If the ranks of this process are fibres, from MPI_Init to MPI_Finalize, so many kernel
   * threads run them; 0: they are threads. terrace_ranks_obstacle_to_workers says whether they can
   * be. */
  int workers;
  const int* worker_pus; /* by worker: where it runs; null: anywhere. Lives as long as the job */
  size_t worker_stack_bytes;    /* 0: the usual size of a thread's stack */
  void (*prepare_worker)(void); /* called by each kernel thread of a worker; may be null */
} terrace_ranks_settings;

/* Begins a job. Null if the settings make no sense, or there is no memory. There is one job at a
 * time in a process; another can be begun when that has been ended. */
terrace_ranks_job* terrace_ranks_begin(const terrace_ranks_settings* settings);
/* Why ranks cannot be fibres here, as a sentence without a period, or null. Tries them out. */
const char* terrace_ranks_obstacle_to_workers(size_t stack_bytes);
/* When all ranks of this process have left: returns when they have left in the job's other
 * processes too, so that no message is lost. */
void terrace_ranks_disconnect(terrace_ranks_job* job);
/* When all ranks have left. */
void terrace_ranks_end(terrace_ranks_job* job);

/* Tells that the rank's program has a place of its own for a variable of the MPI, by whose address
 * it knows a predefined object; its content is there already. Only an MPI has it whose handles are
 * such addresses, as Open MPI's are. */
void terrace_ranks_place(int rank, void* place);
/* The calling thread is now (a thread of) that rank of the process's job, by its number in the job.
 */
void terrace_ranks_enter(int rank);
/* The rank of the calling thread; -1: none. Threads that a rank makes do not inherit it:
 * terrace_ranks_enter must be called in them. */
int terrace_ranks_current(void);
/* The rank, whose own thread calls this, stays a thread: it is no fibre from now on. */
void terrace_ranks_keep_thread(int rank);
/* Sends the fibre that runs the rank's main a signal. 0: it is no fibre, and pthread_kill reaches
 * it. Safe in signal handlers. */
int terrace_ranks_signal(int rank, int signal);
/* Lets other ranks of the caller's worker run; where none of them can go on, sleeps for most_ns at
 * most, or yields if that is 0. Returns 0: the caller is no fibre, and nothing has been done. */
int terrace_ranks_pass(uint64_t most_ns);
/* The rank's program has ended with that code. If it had called MPI_Init and not MPI_Finalize, or
 * others call MPI_Init and it has not, the job is ended by `abort`, as they would wait for it in
 * vain. */
void terrace_ranks_leave(int rank, int code);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
