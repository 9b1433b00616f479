// SPDX-License-Identifier: BSD-3-Clause
// Terrace for threads: collectives of a team of threads that share memory, made by OpenMP, pthreads
// or std::thread. C99; <terrace/terrace.hpp> is a thin C++ layer on top.
#ifndef TERRACE_TERRACE_H
#define TERRACE_TERRACE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define TERRACE_NOTHROW noexcept
extern "C" {
#else
#define TERRACE_NOTHROW
#endif

#if defined(__GNUC__)
#define TERRACE_API __attribute__((visibility("default")))
#else
#define TERRACE_API
#endif

/** The outcome of a call. Only TERRACE_OK is zero. */
typedef enum terrace_status {
  TERRACE_OK = 0,
  TERRACE_ERR_ARGUMENT = 1,    /**< an argument is wrong: this call did not take place */
  TERRACE_ERR_UNSUPPORTED = 2, /**< valid, but not implemented: this call did not take place */
  TERRACE_ERR_MEMORY = 3,      /**< out of memory: this call did not take place */
  TERRACE_ERR_SYSTEM = 4,      /**< the operating system refused */
  TERRACE_ERR_MISMATCH = 5,    /**< the ranks made different calls; see `checks_calls` */
  TERRACE_ERR_BROKEN = 6       /**< from now on the team accepts only terrace_team_destroy() */
} terrace_status;

/** A name for a status, as in "TERRACE_ERR_ARGUMENT". Never null, even for unknown numbers.
 */
TERRACE_API const char* terrace_error_string(terrace_status status) TERRACE_NOTHROW;

/** The error of the last failed call of this thread: a sentence that says what happened, at which
 * rank, and what to do. "" if none failed yet. Valid until this thread's next failed call; a call
 * that succeeds does not change it. */
TERRACE_API const char* terrace_last_error(void) TERRACE_NOTHROW;

/** The version of the library, "major.minor.patch". */
TERRACE_API const char* terrace_version(void) TERRACE_NOTHROW;

/** Element types. */
typedef enum terrace_type {
  TERRACE_INT8 = 0,
  TERRACE_INT16 = 1,
  TERRACE_INT32 = 2,
  TERRACE_INT64 = 3,
  TERRACE_UINT8 = 4,
  TERRACE_UINT16 = 5,
  TERRACE_UINT32 = 6,
  TERRACE_UINT64 = 7,
  TERRACE_FLOAT32 = 8,
  TERRACE_FLOAT64 = 9,
  TERRACE_FLOAT = TERRACE_FLOAT32,
  TERRACE_DOUBLE = TERRACE_FLOAT64
} terrace_type;

/** Operators that combine elements. Integer sums and products wrap around. Logical operators yield
 * 0 or 1 and count any value but 0 as true; like the bitwise ones, they take integers only. */
typedef enum terrace_operator {
  TERRACE_SUM = 0,
  TERRACE_PRODUCT = 1,
  TERRACE_MINIMUM = 2,
  TERRACE_MAXIMUM = 3,
  TERRACE_LOGICAL_AND = 4,
  TERRACE_LOGICAL_OR = 5,
  TERRACE_LOGICAL_XOR = 6,
  TERRACE_BITWISE_AND = 7,
  TERRACE_BITWISE_OR = 8,
  TERRACE_BITWISE_XOR = 9
} terrace_operator;

/** Bytes per element; 0 for an unknown type. */
TERRACE_API size_t terrace_type_bytes(terrace_type type) TERRACE_NOTHROW;

/** Given as `input`: the input is in `output`, which is then overwritten. */
#ifdef __cplusplus
#define TERRACE_IN_PLACE (reinterpret_cast<const void*>(static_cast<intptr_t>(-1)))
#else
#define TERRACE_IN_PLACE ((const void*)(intptr_t)-1)
#endif

/** Threads that make collective calls together. Each is a rank of the team, 0 to ranks - 1. */
typedef struct terrace_team terrace_team;

/** The way a thread waits for its peers. */
typedef enum terrace_waiting {
  TERRACE_WAIT_AUTO = 0,     /**< spins if each thread has a core of its own, else yields */
  TERRACE_WAIT_SPINNING = 1, /**< polls for some microseconds before it yields its core */
  TERRACE_WAIT_YIELDING = 2  /**< yields its core at once, for other threads with work */
} terrace_waiting;

/** Settings of a team. Zero means the default everywhere, so begin with
 * `terrace_team_options options = {0};`. */
typedef struct terrace_team_options {
  /** Memory per rank for intermediate results, in bytes; 0: 4 MiB. At least 64 KiB are taken.
   * Pages are used when needed. */
  size_t scratch_bytes;
  terrace_waiting waiting;
  /** Not 0: treat the machine as flat, whatever it is. For comparisons. */
  int is_flat;
  /** Not 0: compare the ranks' arguments before each call, and return TERRACE_ERR_MISMATCH on every
   * rank if they differ. For debugging: costs two barriers per call. */
  int checks_calls;
  /** Not 0: results of reductions have the same bits on any machine and under any binding: the
   * order depends on the number of ranks alone. Runs of up to 8 neighbours, as even as possible,
   * are combined from their lowest rank to their highest, then the runs likewise. Scans go from
   * rank 0 up, one rank after the other. */
  int is_reproducible;
  /** A wait that lasts this long is reported on stderr: who waits in which call, and for whom.
   * 0: 30 seconds. Negative: never. */
  double stall_seconds;
  /** Must be zero. */
  size_t reserved[4];
} terrace_team_options;

/** Makes a team of `ranks` threads. One thread calls it, before any of them uses the team.
 *
 * A team costs some 10 microseconds to make; the first of a process also reads the machine, which
 * takes milliseconds. Make it outside the loop.
 *
 * @param ranks    How many threads: 1 to TERRACE_MOST_RANKS.
 * @param options  Settings, or null for the defaults.
 * @param team     Receives the team, or null after an error.
 *
 * @return TERRACE_OK, or
 *   - TERRACE_ERR_ARGUMENT  `ranks` out of range, `team` null, an unknown option, or a variable of
 *                           the environment (TERRACE_MACHINE, TERRACE_BIND, TERRACE_NODES) that
 *                           is wrong;
 *   - TERRACE_ERR_UNSUPPORTED  such a variable is set, but the library was built without hwloc;
 *   - TERRACE_ERR_MEMORY, TERRACE_ERR_SYSTEM  as their names say.
 */
TERRACE_API terrace_status terrace_team_create(int ranks, const terrace_team_options* options,
                                               terrace_team** team) TERRACE_NOTHROW;

#define TERRACE_MOST_RANKS 1024

/** Takes this thread's place in the team: prepares the rank's memory from where the thread runs,
 * notes where it is bound, and returns when all ranks have joined.
 *
 * Collective, and optional: the first call of each rank joins. Do it yourself to keep that time
 * out of a measured loop, and bind threads before it. Again later: does nothing.
 *
 * A rank is not tied to a thread: another thread may continue as rank 3 when the former has
 * finished its calls, as in successive OpenMP regions.
 *
 * @return TERRACE_OK, or
 *   - TERRACE_ERR_ARGUMENT  `team` is null, the rank out of range, or in use by another thread;
 *   - TERRACE_ERR_BROKEN    the team cannot be used any more.
 */
TERRACE_API terrace_status terrace_team_join(terrace_team* team, int rank) TERRACE_NOTHROW;

/** Frees a team. No thread may be in a call of it, nor make one later. Null is allowed.
 *
 * @return TERRACE_OK, or
 *   - TERRACE_ERR_ARGUMENT  a rank is seen to be in a call, or has calls that were started and not
 *                           waited for, or prepared and not freed: the team lives on;
 *   - TERRACE_ERR_MISMATCH  the team is freed, but its ranks' last calls differed, which none of
 *                           them could notice.
 */
TERRACE_API terrace_status terrace_team_destroy(terrace_team* team) TERRACE_NOTHROW;

/** Divides a team as MPI communicators are divided (terrace/mpix.h): into teams of the ranks that
 * share a resource of the next level (a package, an L3, a core). Given to this function again, a
 * part divides further, until there is nothing left to divide. Collective.
 *
 * A part has the options of the team. One of its threads must destroy it after its last call; the
 * team may be destroyed before.
 *
 * @param part          Receives the team of this rank's group, the same at all ranks of it; or null
 *                      if nothing divides the team, or this rank's binding spans several of the
 *                      parts.
 * @param rank_in_part  Receives this thread's rank there, in the order of the ranks here; -1 if
 *                      there is no part.
 *
 * @return TERRACE_OK, or as collectives; TERRACE_ERR_ARGUMENT also for a null address, while other
 *   ranks get their parts; TERRACE_ERR_MEMORY at all ranks of a part that could not be made.
 */
TERRACE_API terrace_status terrace_team_split(terrace_team* team, int rank, terrace_team** part,
                                              int* rank_in_part) TERRACE_NOTHROW;

/** Returns how many ranks the team has; 0 if `team` is null. */
TERRACE_API int terrace_team_ranks(const terrace_team* team) TERRACE_NOTHROW;

/** The groups of ranks that the machine and the threads' bindings induce, as indented text, one
 * group a line. "" before all ranks have joined. Valid as long as the team. */
TERRACE_API const char* terrace_team_hierarchy(const terrace_team* team) TERRACE_NOTHROW;

/** The algorithm that this rank's last blocking call ran, as in "allreduce.all_read"; "" before the
 * first.
 * Call it in the rank's own thread. Valid as long as the team. */
TERRACE_API const char* terrace_last_plan(const terrace_team* team, int rank) TERRACE_NOTHROW;

/*
 * Collectives. Each blocks until this rank's part is done and its buffers may be reused. Every rank
 * of the team makes the same calls in the same order, with the same `count`, `type`, `op` and
 * `root`; ranks may differ in buffers and in TERRACE_IN_PLACE. Calls of
 * different teams are independent.
 *
 * All of them can return
 *   - TERRACE_ERR_ARGUMENT     `team` is null, the rank out of range or in use by another thread,
 *                              or as listed below. Nothing was sent: the other ranks keep waiting
 *                              for this one, which may repeat the call with right arguments;
 *   - TERRACE_ERR_UNSUPPORTED  no such kernel: a logical or bitwise operator on floats;
 *   - TERRACE_ERR_MEMORY       likewise, nothing was sent;
 *   - TERRACE_ERR_MISMATCH     with `checks_calls` only: nothing was sent, on no rank;
 *   - TERRACE_ERR_BROKEN       the ranks' calls do not match, which the rule above excludes:
 *                              `output` is unspecified, and the team must be destroyed. Peers may
 *                              also still use the buffers until they have returned.
 */

/** Returns when every rank has called it.
 *
 * @code
 *   #pragma omp parallel
 *   terrace_barrier(team, omp_get_thread_num());
 * @endcode
 */
TERRACE_API terrace_status terrace_barrier(terrace_team* team, int rank) TERRACE_NOTHROW;

/** Copies `count` elements from the root's `buffer` to every other rank's.
 *
 * @param buffer  Read at the root, written elsewhere. May be null if `count` is 0.
 * @param count   Elements, not bytes. Zero is valid.
 * @param root    The rank that has the elements.
 *
 * @return TERRACE_OK, or those above; TERRACE_ERR_ARGUMENT also for a null buffer, or
 *   TERRACE_IN_PLACE as buffer, with count > 0, an unknown type, a root out of range, or more bytes
 *   than fit an address space.
 */
TERRACE_API terrace_status terrace_bcast(void* buffer, size_t count, terrace_type type, int root,
                                         terrace_team* team, int rank) TERRACE_NOTHROW;

/** Combines `count` elements from every rank and leaves the result on one.
 *
 * @param input   This rank's contribution. At the root also TERRACE_IN_PLACE, or the same address
 *                as `output`. Must not overlap `output` otherwise.
 * @param output  Receives the result at the root; ignored elsewhere, and may be null.
 * @param count   Elements, not bytes. Zero is valid.
 * @param root    The rank that receives.
 *
 * @return TERRACE_OK, or those above; TERRACE_ERR_ARGUMENT also for a null buffer with count > 0,
 *   TERRACE_IN_PLACE elsewhere than in the root's input, buffers that overlap in part, an unknown
 *   type or operator, a root out of range, or more bytes than fit an address space.
 */
TERRACE_API terrace_status terrace_reduce(const void* input, void* output, size_t count,
                                          terrace_type type, terrace_operator op, int root,
                                          terrace_team* team, int rank) TERRACE_NOTHROW;

/** Combines `count` elements from every rank and leaves the result on every rank.
 *
 * @param input   This rank's contribution, or TERRACE_IN_PLACE to take it from `output`, or the
 *                same address as `output`. Must not overlap `output` otherwise.
 * @param output  Receives the result: `count` elements of `type`.
 * @param count   Elements, not bytes. Zero is valid.
 *
 * @return TERRACE_OK, or those above; TERRACE_ERR_ARGUMENT also for a null buffer with count > 0,
 *   TERRACE_IN_PLACE as output, buffers that overlap in part, an unknown type or operator, or more
 *   bytes than fit an address space.
 *
 * All ranks get the same bits, and the same inputs on a team with the same bindings give the same
 * bits as long as the team lives; later teams' too, as long as what is known of the machine is kept
 * (docs/guarantees.md). For the same bits anywhere see is_reproducible in terrace_team_options.
 *
 * @code
 *   double mine = local_residual, total;
 *   terrace_allreduce(&mine, &total, 1, TERRACE_DOUBLE, TERRACE_SUM, team, rank);
 * @endcode
 */
TERRACE_API terrace_status terrace_allreduce(const void* input, void* output, size_t count,
                                             terrace_type type, terrace_operator op,
                                             terrace_team* team, int rank) TERRACE_NOTHROW;

/** Copies `count` elements from every rank to every rank.
 *
 * @param input   This rank's block: `count` elements. TERRACE_IN_PLACE, or the address of block
 *                `rank` of `output`, if they lie there already. Must not overlap `output`
 * otherwise.
 * @param output  Receives one block of `count` elements per rank, in the order of the ranks.
 * @param count   Elements of one block, not bytes. Zero is valid.
 *
 * @return TERRACE_OK, or those above; TERRACE_ERR_ARGUMENT also for a null buffer with count > 0,
 *   buffers that overlap otherwise than in place, an unknown type, or more bytes than fit an
 *   address space.
 */
TERRACE_API terrace_status terrace_allgather(const void* input, void* output, size_t count,
                                             terrace_type type, terrace_team* team,
                                             int rank) TERRACE_NOTHROW;

/** Copies `count` elements from every rank to one.
 *
 * @param input   This rank's block: `count` elements. At the root also TERRACE_IN_PLACE, or the
 *                address of block `root` of `output`. Must not overlap `output` otherwise.
 * @param output  Receives one block of `count` elements per rank at the root, in the order of the
 *                ranks; ignored elsewhere, and may be null.
 * @param count   Elements of one block, not bytes. Zero is valid.
 * @param root    The rank that receives.
 *
 * @return TERRACE_OK, or those of terrace_allgather; TERRACE_ERR_ARGUMENT also for
 *   TERRACE_IN_PLACE elsewhere than at the root, and a root out of range.
 */
TERRACE_API terrace_status terrace_gather(const void* input, void* output, size_t count,
                                          terrace_type type, int root, terrace_team* team,
                                          int rank) TERRACE_NOTHROW;

/** Copies `count` elements from one rank to every rank, to each its own.
 *
 * @param input   One block of `count` elements per rank at the root, in the order of the ranks;
 *                ignored elsewhere, and may be null.
 * @param output  Receives this rank's block. At the root also TERRACE_IN_PLACE (cast to `void*`),
 *                or the address of block `root` of `input`: its block stays where it is.
 * @param count   Elements of one block, not bytes. Zero is valid.
 * @param root    The rank that has the elements.
 *
 * @return As terrace_gather.
 */
TERRACE_API terrace_status terrace_scatter(const void* input, void* output, size_t count,
                                           terrace_type type, int root, terrace_team* team,
                                           int rank) TERRACE_NOTHROW;

/** Copies `count` elements from every rank to every rank, to each its own: block b of rank r's
 * input becomes block r of rank b's output.
 *
 * @param input   One block of `count` elements per rank. TERRACE_IN_PLACE, or the same address as
 *                `output`, to take them from there. Must not overlap `output` otherwise.
 * @param output  Receives one block of `count` elements per rank.
 * @param count   Elements of one block, not bytes. Zero is valid.
 *
 * @return As terrace_allgather.
 */
TERRACE_API terrace_status terrace_alltoall(const void* input, void* output, size_t count,
                                            terrace_type type, terrace_team* team,
                                            int rank) TERRACE_NOTHROW;

/** Combines one block of `count` elements per rank from every rank, and leaves block r of the
 * result on rank r.
 *
 * @param input   One block of `count` elements per rank. TERRACE_IN_PLACE, or the same address as
 *                `output`, to take them from there; `output` then begins with the result, and what
 *                follows it stays. Must not overlap `output` otherwise.
 * @param output  Receives the result: `count` elements of `type`.
 * @param count   Elements of one block, not bytes. Zero is valid.
 *
 * @return As terrace_allgather; TERRACE_ERR_ARGUMENT also for an unknown operator,
 *   TERRACE_ERR_UNSUPPORTED as for terrace_allreduce.
 */
TERRACE_API terrace_status terrace_reduce_scatter_block(const void* input, void* output,
                                                        size_t count, terrace_type type,
                                                        terrace_operator op, terrace_team* team,
                                                        int rank) TERRACE_NOTHROW;

/** Combines `count` elements from ranks 0 to `rank`, and leaves each rank its own result.
 *
 * @param input   This rank's contribution, or TERRACE_IN_PLACE to take it from `output`, or the
 *                same address as `output`. Must not overlap `output` otherwise.
 * @param output  Receives the combination of the inputs of ranks 0 to `rank`, in that order.
 * @param count   Elements, not bytes. Zero is valid.
 *
 * @return As terrace_allreduce.
 */
TERRACE_API terrace_status terrace_scan(const void* input, void* output, size_t count,
                                        terrace_type type, terrace_operator op, terrace_team* team,
                                        int rank) TERRACE_NOTHROW;

/** Combines `count` elements from ranks 0 to `rank` - 1, and leaves each rank its own result.
 *
 * @param input   This rank's contribution, or TERRACE_IN_PLACE to take it from `output`, or the
 *                same address as `output`. Must not overlap `output` otherwise.
 * @param output  Receives the combination of the inputs of the ranks before this one, in their
 *                order. Rank 0 receives nothing: its `output` stays as it is, and may be null if
 *                `input` is not TERRACE_IN_PLACE.
 * @param count   Elements, not bytes. Zero is valid.
 *
 * @return As terrace_allreduce.
 */
TERRACE_API terrace_status terrace_exscan(const void* input, void* output, size_t count,
                                          terrace_type type, terrace_operator op,
                                          terrace_team* team, int rank) TERRACE_NOTHROW;

/*
 * Started calls. terrace_start_X begins the call that terrace_X makes, with the same arguments, and
 * returns without waiting for any rank. The thread may do other work until it completes the call by
 * terrace_wait, terrace_test or terrace_wait_all; before that, the program must neither write the
 * input nor use the output, and both must stay there.
 *
 * Started calls match started ones, and blocking calls blocking ones: every rank starts the same
 * calls in the same order, and makes the same blocking calls in the same order. Any number may be
 * pending, blocking calls may come between, and each rank completes its calls in any order. Four of
 * a team run at a time: each begins when the one four starts before it is over.
 *
 * Progress. Where a call needs more of this rank than the start could do, it goes on whenever the
 * thread that started it makes a blocking call of the team, and whenever it waits or tests, for any
 * team. A thread that does none of that may hold up its peers, with long vectors more often: call
 * terrace_test now and then. Nothing depends on where calls are completed.
 *
 * A rank's calls belong to the thread that started them until it has completed all of them. Another
 * that makes, starts or completes calls as that rank gets TERRACE_ERR_ARGUMENT, unless the first
 * has ended.
 *
 * Starts return what the blocking function returns, TERRACE_ERR_ARGUMENT also if `call` is null.
 * Differences between ranks are found when the call is completed, with `checks_calls` as well.
 */

/** A call that a rank has started or prepared. */
typedef struct terrace_call terrace_call;

/** Starts what the function without `start_` does.
 *
 * @param call  Receives the call, to be completed by this thread; null after an error.
 *
 * @return TERRACE_OK, or as said above. After an error, nothing was started.
 *
 * @code
 *   terrace_call* call;
 *   terrace_start_allreduce(&mine, &total, 1, TERRACE_DOUBLE, TERRACE_SUM, team, rank, &call);
 *   compute_what_needs_no_total();
 *   terrace_wait(&call);
 * @endcode
 */
TERRACE_API terrace_status terrace_start_barrier(terrace_team* team, int rank,
                                                 terrace_call** call) TERRACE_NOTHROW;
TERRACE_API terrace_status terrace_start_bcast(void* buffer, size_t count, terrace_type type,
                                               int root, terrace_team* team, int rank,
                                               terrace_call** call) TERRACE_NOTHROW;
TERRACE_API terrace_status terrace_start_reduce(const void* input, void* output, size_t count,
                                                terrace_type type, terrace_operator op, int root,
                                                terrace_team* team, int rank,
                                                terrace_call** call) TERRACE_NOTHROW;
TERRACE_API terrace_status terrace_start_allreduce(const void* input, void* output, size_t count,
                                                   terrace_type type, terrace_operator op,
                                                   terrace_team* team, int rank,
                                                   terrace_call** call) TERRACE_NOTHROW;
TERRACE_API terrace_status terrace_start_allgather(const void* input, void* output, size_t count,
                                                   terrace_type type, terrace_team* team, int rank,
                                                   terrace_call** call) TERRACE_NOTHROW;
TERRACE_API terrace_status terrace_start_gather(const void* input, void* output, size_t count,
                                                terrace_type type, int root, terrace_team* team,
                                                int rank, terrace_call** call) TERRACE_NOTHROW;
TERRACE_API terrace_status terrace_start_scatter(const void* input, void* output, size_t count,
                                                 terrace_type type, int root, terrace_team* team,
                                                 int rank, terrace_call** call) TERRACE_NOTHROW;
TERRACE_API terrace_status terrace_start_alltoall(const void* input, void* output, size_t count,
                                                  terrace_type type, terrace_team* team, int rank,
                                                  terrace_call** call) TERRACE_NOTHROW;
TERRACE_API terrace_status terrace_start_reduce_scatter_block(const void* input, void* output,
                                                              size_t count, terrace_type type,
                                                              terrace_operator op,
                                                              terrace_team* team, int rank,
                                                              terrace_call** call) TERRACE_NOTHROW;
TERRACE_API terrace_status terrace_start_scan(const void* input, void* output, size_t count,
                                              terrace_type type, terrace_operator op,
                                              terrace_team* team, int rank,
                                              terrace_call** call) TERRACE_NOTHROW;
TERRACE_API terrace_status terrace_start_exscan(const void* input, void* output, size_t count,
                                                terrace_type type, terrace_operator op,
                                                terrace_team* team, int rank,
                                                terrace_call** call) TERRACE_NOTHROW;

/** Prepares a call, which terrace_start starts as often as one likes, with the same buffers and
 * what they hold then. Collective: every rank prepares the same calls in the same order. But it
 * waits for none, and ranks may start their prepared calls in any order: each matches only itself.
 *
 * A prepared call takes memory of its own: about 30 KiB of a rank, and scratch as it is used.
 *
 * @param call  Receives the call, to be freed by terrace_call_free; null after an error.
 *
 * @return TERRACE_OK, or what the blocking function returns for such arguments, whose buffers are
 *   checked here only.
 */
TERRACE_API terrace_status terrace_prepare_barrier(terrace_team* team, int rank,
                                                   terrace_call** call) TERRACE_NOTHROW;
TERRACE_API terrace_status terrace_prepare_bcast(void* buffer, size_t count, terrace_type type,
                                                 int root, terrace_team* team, int rank,
                                                 terrace_call** call) TERRACE_NOTHROW;
TERRACE_API terrace_status terrace_prepare_reduce(const void* input, void* output, size_t count,
                                                  terrace_type type, terrace_operator op, int root,
                                                  terrace_team* team, int rank,
                                                  terrace_call** call) TERRACE_NOTHROW;
TERRACE_API terrace_status terrace_prepare_allreduce(const void* input, void* output, size_t count,
                                                     terrace_type type, terrace_operator op,
                                                     terrace_team* team, int rank,
                                                     terrace_call** call) TERRACE_NOTHROW;
TERRACE_API terrace_status terrace_prepare_allgather(const void* input, void* output, size_t count,
                                                     terrace_type type, terrace_team* team,
                                                     int rank, terrace_call** call) TERRACE_NOTHROW;
TERRACE_API terrace_status terrace_prepare_gather(const void* input, void* output, size_t count,
                                                  terrace_type type, int root, terrace_team* team,
                                                  int rank, terrace_call** call) TERRACE_NOTHROW;
TERRACE_API terrace_status terrace_prepare_scatter(const void* input, void* output, size_t count,
                                                   terrace_type type, int root, terrace_team* team,
                                                   int rank, terrace_call** call) TERRACE_NOTHROW;
TERRACE_API terrace_status terrace_prepare_alltoall(const void* input, void* output, size_t count,
                                                    terrace_type type, terrace_team* team, int rank,
                                                    terrace_call** call) TERRACE_NOTHROW;
TERRACE_API terrace_status terrace_prepare_reduce_scatter_block(
    const void* input, void* output, size_t count, terrace_type type, terrace_operator op,
    terrace_team* team, int rank, terrace_call** call) TERRACE_NOTHROW;
TERRACE_API terrace_status terrace_prepare_scan(const void* input, void* output, size_t count,
                                                terrace_type type, terrace_operator op,
                                                terrace_team* team, int rank,
                                                terrace_call** call) TERRACE_NOTHROW;
TERRACE_API terrace_status terrace_prepare_exscan(const void* input, void* output, size_t count,
                                                  terrace_type type, terrace_operator op,
                                                  terrace_team* team, int rank,
                                                  terrace_call** call) TERRACE_NOTHROW;

/** Starts a prepared call, as the functions above start others.
 *
 * @return TERRACE_OK, or
 *   - TERRACE_ERR_ARGUMENT  `call` is null or was not prepared, is active, or belongs to another
 *                           thread;
 *   - TERRACE_ERR_BROKEN    the team cannot be used any more.
 */
TERRACE_API terrace_status terrace_start(terrace_call* call) TERRACE_NOTHROW;

/** Asks whether a call is over, and goes on with all calls of this thread. Never waits.
 *
 * @param call     The address of a call. Set to null if it is over, unless it was prepared.
 * @param is_done  Receives 1 if the call is over, as after terrace_wait; 0 if not.
 *
 * @return As terrace_wait.
 */
TERRACE_API terrace_status terrace_test(terrace_call** call, int* is_done) TERRACE_NOTHROW;

/** Returns when a call is over: this rank's part is done, and its buffers may be used again.
 *
 * @param call  The address of a call. Set to null, unless it was prepared: that may be started
 *              again.
 *
 * @return TERRACE_OK, or
 *   - TERRACE_ERR_ARGUMENT  `call` or what it points to is null, the call is over and waited for,
 *                           prepared and not started, or belongs to another thread. Nothing has
 *                           changed;
 *   - TERRACE_ERR_MISMATCH  with `checks_calls` only: nothing was sent, on no rank. It is over;
 *   - TERRACE_ERR_BROKEN    the ranks' calls do not match, in this call or another one: the team
 *                           must be destroyed. It is over, and so are all of this rank.
 */
TERRACE_API terrace_status terrace_wait(terrace_call** call) TERRACE_NOTHROW;

/** Waits for several calls, also of different teams; nulls are skipped.
 *
 * @return As terrace_wait: of the first that fails. The others have been waited for, too.
 */
TERRACE_API terrace_status terrace_wait_all(size_t count, terrace_call* calls[]) TERRACE_NOTHROW;

/** Frees a prepared call, and sets it to null. Not collective. Null is allowed.
 *
 * @return TERRACE_OK, or
 *   - TERRACE_ERR_ARGUMENT  `call` is null, or the call is active, which lives on;
 *   - TERRACE_ERR_BROKEN    it is freed, but its last start did not match that of other ranks.
 */
TERRACE_API terrace_status terrace_call_free(terrace_call** call) TERRACE_NOTHROW;

#ifdef __cplusplus
}
#endif
#endif
