// SPDX-License-Identifier: BSD-3-Clause
// Communicators that follow the hardware, for programs of any MPI from 3.1 on. C99.
//
// The interface of B. Goglin, E. Jeannot, F. Mansouri, G. Mercier, "Hardware topology management in
// MPI applications through hierarchical communicators", Parallel Computing 76 (2018), which
// proposed it for the MPI standard, with some more functions that the paper leaves open. Sections
// in brackets are the paper's.
//
//   mpicc program.c $(pkg-config --cflags --libs terrace-communicators)
//   target_link_libraries(program PRIVATE terrace::communicators MPI::MPI_C)
//
// The library knows the MPIs of all three binary interfaces (MPICH, Open MPI, that of MPI 5.0) and
// finds at run time which one the program has, so it is the same library for all of them.
//
// Fortran has the same in terrace/mpixf.fh and the modules terrace_mpix and terrace_mpix_f08.
#ifndef TERRACE_MPIX_H
#define TERRACE_MPIX_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The hierarchy. Members of a communicator that share a resource (a switch, a node, a package, a
 * NUMA node, a cache, a core) form a group; the groups form a tree.
 *
 *   - A group is a strict subset of the one around it [3.2.2]: resources that would divide the
 * ranks alike make one level, named after the innermost of them; but single cores are "Core", not
 *     "PU" [5.1].
 *   - A rank is in groups down to its binding, no further [3.2.4]: one that may run on two cores of
 *     an L3 is in a group of that L3, and in none of a core. A rank that is not bound stops at its
 *     node. What counts is the binding of the calling thread at the time of the call.
 *   - Types are hwloc's names: "Machine" (a node), "Package", "Die", "Group", "NUMANode",
 * "L3Cache", "L2Cache", "L1Cache", "Core", "PU"; "System - Cluster" for several nodes.
 *
 * Strings that functions return belong to the library and are valid until the process ends: do not
 * free them.
 *
 * Errors. Functions return MPI_SUCCESS or an error code, after they have called the communicator's
 * error handler; by default that ends the job. A sentence on stderr says what is wrong and at which
 * rank. In collective functions all ranks return the same error, whichever of them is wrong, and no
 * rank is left waiting:
 *
 *   MPI_ERR_COMM   the communicator is MPI_COMM_NULL or an intercommunicator
 *   MPI_ERR_ARG    an address is null, or the ranks ask for different things
 *   MPI_ERR_RANK   there is no such rank
 *   MPI_ERR_OTHER  ranks have different versions of the library
 *
 * It is no error if a rank cannot determine its place (hwloc fails, memory runs out, or one of
 * TERRACE_MACHINE, TERRACE_NODES and TERRACE_BIND is wrong or differs between ranks): the rank
 * prints a warning, and all ranks are known by their nodes only. If a rank has no memory even for
 * the other ranks' places, it alone returns MPI_ERR_OTHER; unless its error handler ends the job,
 * the others may wait for it.
 */

/** A split type in addition to those of MPI: into the groups of the next level [3.2.1]. */
#define MPIX_COMM_TYPE_PHYSICAL_TOPOLOGY 7301

/*
 * The split types of MPI 4.0 and 4.1 as the standard means them, on any MPI from 3.1 on (section
 * 7.4.2 of MPI 4.1). Your MPI's own split types have its numbers and its behaviour.
 *
 *   - HW_GUIDED: the ranks that are restricted to the same instance of the type that the info
 * object names under mpi_hw_resource_type ("NUMANode", "hwloc://NUMANode"); all of `comm` if they
 * share one. MPI_COMM_NULL, and no error, for a rank that is restricted to none, that gives no such
 *     key, or a name that nothing has. "mpi_shared_memory" is MPI_COMM_TYPE_SHARED.
 *   - RESOURCE_GUIDED: likewise; or a process set under mpi_pset_name: "mpi://WORLD" (all of
 *     `comm`), "mpi://SELF", or "hwloc://" and a type. Both keys at once are an error.
 *   - HW_UNGUIDED: as PHYSICAL_TOPOLOGY; and mpi_hw_resource_type is set in the info object.
 */
#define MPIX_COMM_TYPE_HW_GUIDED 7302
#define MPIX_COMM_TYPE_HW_UNGUIDED 7303
#define MPIX_COMM_TYPE_RESOURCE_GUIDED 7304

/** Divides a communicator. Collective over `comm`.
 *
 * With MPIX_COMM_TYPE_PHYSICAL_TOPOLOGY, the new communicator has the ranks that share a resource
 * of the next level; given to this function again, it divides further, until there is nothing left
 * to divide [3.2.1, 3.2.2, 5]. Split types that are not defined above are MPI_Comm_split_type's.
 *
 * The new communicator's group can be asked for with MPIX_Comm_get_hlevel_info.
 *
 * @param comm        An intracommunicator.
 * @param split_type  The same at all ranks; or MPI_UNDEFINED at those that want no communicator.
 * @param key         Orders the ranks of the new communicator; equal keys: as in `comm`.
 * @param info        MPI_INFO_NULL, or an object with these keys, the same at all ranks [3.4]:
 *   - mpix_hlevel        the type of a resource, in any case, with or without "hwloc://" before it:
 *                        straight to the groups that share one such resource; or
 *                        "torus_dimension:2": straight to the ranks of a torus of TERRACE_NETWORK
 *                        that have the same coordinate in its second dimension;
 *   - mpix_hlevel_scope  "network": nodes are not divided; "node": as if all nodes were alike far
 *                        from each other.
 * @param newcomm     Receives a strict subset of `comm`; or MPI_COMM_NULL if this rank's binding
 *                    reaches no deeper, or its group cannot be divided, or it shares no resource of
 *                    the level that was asked for.
 */
int MPIX_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm* newcomm);

/** Divides a communicator likewise, and also makes a communicator of the roots of the parts
 * [3.2.3]. Collective over `oldcomm`.
 *
 * @param newcomm    As by MPIX_Comm_split_type with MPIX_COMM_TYPE_PHYSICAL_TOPOLOGY, in the order
 *                   of `oldcomm`.
 * @param rootscomm  At ranks that are 0 in their `newcomm`: a communicator of all such ranks of
 *                   `oldcomm`, in its order. MPI_COMM_NULL elsewhere.
 */
int MPIX_Comm_hsplit_with_roots(MPI_Comm oldcomm, MPI_Info info, MPI_Comm* newcomm,
                                MPI_Comm* rootscomm);

/** The whole hierarchy in one call, with one exchange of where the ranks are [3.4]. Collective over
 * `oldcomm`.
 *
 * @param info         As above. With mpix_hlevel, there is one level.
 * @param most_levels  The room in the arrays. Levels stop at the least room that any rank has.
 * @param levels       Receives how many levels this rank is in.
 * @param newcomms     Entry i receives this rank's communicator of level i, the outermost first;
 *                     MPI_COMM_NULL from `levels` on.
 * @param rootscomms   Likewise, the roots of the parts of level i that have one parent. Null at all
 *                     ranks if not wanted.
 * @param types        Likewise, the types; null from `levels` on. May be null.
 */
int MPIX_Comm_hsplit_all(MPI_Comm oldcomm, MPI_Info info, int most_levels, int* levels,
                         MPI_Comm newcomms[], MPI_Comm rootscomms[], char* types[]);

/** Finds which part of its parent a communicator is [3.3.1]. Local. Any address may be null.
 *
 * @param num_comms  Receives the number of parts that the parent was divided into.
 * @param index      Receives the number of this part, from 0, in the order of their lowest ranks.
 * @param type       Receives the resource that its members share.
 *
 * A communicator that was not made by a function above is the only part, 0 of 1, of type "Unknown";
 * a duplicate of one that was is what the other is.
 */
int MPIX_Comm_get_hlevel_info(MPI_Comm comm, int* num_comms, int* index, char** type);

/** MPI_Comm_get_info, with the above added as keys MPI_COMM_HLEVEL_TYPE, MPI_COMM_HLEVEL_NUM and
 * MPI_COMM_HLEVEL_RANK [4.1.1], which MPIs do not keep among a communicator's own. They are absent
 * for a communicator that was not made by a function above. Local. The program frees the object.
 */
int MPIX_Comm_get_info(MPI_Comm comm, MPI_Info* info_used);

/** The types of resource of which the calling rank is restricted to one instance, like MPI 4.1's
 * MPI_Get_hw_resource_info: keys are types as URIs ("hwloc://L3Cache"), values "true" or "false".
 * A type with "true" can be given as mpi_hw_resource_type. Local. The program frees the object.
 */
int MPIX_Get_hw_resource_info(MPI_Info* hw_info);

/*
 * Questions about places. They are local if `comm` was made by a function above, or was divided by
 * one, and then answer as of that time; otherwise the first such question is collective over
 * `comm`.
 */

/** The type of the innermost resource that the listed ranks share [3.3.2]: "System - Cluster" if
 * they are on different nodes, "Unknown" if the calling rank is not among them. */
int MPIX_Comm_get_min_hlevel(MPI_Comm comm, int nranks, const int ranks[], char** type);

/** The distance of two ranks: the number of levels of the hierarchy, from the bottom up to the
 * smallest group that contains both. 0 between a rank and itself. It is an ultrametric: never more
 * than the greater of their distances to a third rank. */
int MPIX_Comm_distance(MPI_Comm comm, int rank_a, int rank_b, int* levels);

/** A rank's coordinates in the hierarchy. For each level, the outermost first: the number of
 * groups that its group is divided into, the index of the rank's own, and its type.
 *
 * @param most_levels  The room in the arrays.
 * @param levels       Receives the number of levels, which may be more than there is room for.
 * @param sizes        Any of the three arrays may be null.
 */
int MPIX_Comm_get_hcoords(MPI_Comm comm, int rank, int most_levels, int* levels, int sizes[],
                          int coordinates[], char* types[]);

#ifdef __cplusplus
}
#endif

#endif
