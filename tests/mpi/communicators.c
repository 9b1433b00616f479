// SPDX-License-Identifier: BSD-3-Clause
// Communicators that follow the hardware, under a real MPI on a pretended machine: the papers'
// examples, each group and each roots communicator of them, and what the papers leave open.
//
//   communicators SITUATION...
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "terrace/mpix.h"

#define MOST_RANKS 64
#define MOST_LEVELS 8

static int failures = 0;
static int world_rank, world_ranks;
static const char* doing = "";

static void expect(int holds, const char* what, ...) {
  if (holds) return;
  if (++failures > 5) return;
  va_list values;
  va_start(values, what);
  printf("rank %d, %s: ", world_rank, doing);
  vprintf(what, values);
  printf("\n");
  va_end(values);
}

/// A list of ranks of MPI_COMM_WORLD; none: no communicator.
typedef struct Ranks {
  int count;
  int rank[MOST_RANKS];
} Ranks;

static Ranks run_of(int first, int count, int stride) {
  Ranks ranks = {0, {0}};
  for (int i = 0; i < count; ++i) ranks.rank[ranks.count++] = first + i * stride;
  return ranks;
}

static Ranks nobody(void) {
  return run_of(0, 0, 1);
}

static Ranks ranks_of(MPI_Comm comm) {
  Ranks ranks = nobody();
  if (comm == MPI_COMM_NULL) return ranks;
  MPI_Group group, world;
  int numbers[MOST_RANKS];
  MPI_Comm_size(comm, &ranks.count);
  for (int i = 0; i < ranks.count; ++i) numbers[i] = i;
  MPI_Comm_group(comm, &group);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_translate_ranks(group, ranks.count, numbers, world, ranks.rank);
  MPI_Group_free(&group);
  MPI_Group_free(&world);
  return ranks;
}

static void expect_ranks(MPI_Comm comm, Ranks wanted, const char* what, int step) {
  const Ranks found = ranks_of(comm);
  expect(found.count == wanted.count, "step %d, %s: %d ranks, not %d", step, what, found.count,
         wanted.count);
  for (int i = 0; i < wanted.count && i < found.count; ++i)
    expect(found.rank[i] == wanted.rank[i], "step %d, %s: rank %d is %d, not %d", step, what, i,
           found.rank[i], wanted.rank[i]);
}

/// What a rank is to find at one step.
typedef struct Step {
  Ranks group;
  Ranks roots;
  const char* type;
  int siblings;
  int index;
} Step;

static void expect_level(MPI_Comm comm, const Step* wanted, int step) {
  int siblings = 0, index = -1;
  char* type = NULL;
  MPIX_Comm_get_hlevel_info(comm, &siblings, &index, &type);
  expect(strcmp(type, wanted->type) == 0, "step %d: type %s, not %s", step, type, wanted->type);
  expect(siblings == wanted->siblings && index == wanted->index, "step %d: part %d of %d", step,
         index, siblings);
}

static void free_all(MPI_Comm comms[], int count) {
  for (int i = 0; i < count; ++i)
    if (comms[i] != MPI_COMM_NULL) MPI_Comm_free(&comms[i]);
}

/// The loop of ParCo section 5, once by each function, and the same in one call.
static void expect_steps(const Step steps[], int count) {
  MPI_Comm plain[MOST_LEVELS], with_roots[MOST_LEVELS], roots[MOST_LEVELS], comm = MPI_COMM_WORLD;
  int rank, level = 0;
  doing = "MPIX_Comm_split_type";
  for (; comm != MPI_COMM_NULL && level < MOST_LEVELS; comm = plain[level++]) {
    int compared = MPI_UNEQUAL;
    MPI_Comm_rank(comm, &rank);
    MPIX_Comm_split_type(comm, MPIX_COMM_TYPE_PHYSICAL_TOPOLOGY, rank, MPI_INFO_NULL,
                         &plain[level]);
    expect_ranks(plain[level], level < count ? steps[level].group : nobody(), "group", level + 1);
    if (plain[level] == MPI_COMM_NULL) continue;
    MPI_Comm_compare(comm, plain[level], &compared);
    expect(compared == MPI_UNEQUAL, "step %d is no strict subset", level + 1);
    if (level < count) expect_level(plain[level], &steps[level], level + 1);
  }
  expect(level == count + 1, "%d steps, not %d", level, count + 1);
  free_all(plain, level);

  doing = "MPIX_Comm_hsplit_with_roots";
  comm = MPI_COMM_WORLD;
  for (level = 0; comm != MPI_COMM_NULL && level < MOST_LEVELS; comm = with_roots[level++]) {
    MPIX_Comm_hsplit_with_roots(comm, MPI_INFO_NULL, &with_roots[level], &roots[level]);
    expect_ranks(with_roots[level], level < count ? steps[level].group : nobody(), "group",
                 level + 1);
    expect_ranks(roots[level], level < count ? steps[level].roots : nobody(), "roots", level + 1);
    if (with_roots[level] != MPI_COMM_NULL && level < count)
      expect_level(with_roots[level], &steps[level], level + 1);
  }
  free_all(with_roots, level);
  free_all(roots, level);

  doing = "MPIX_Comm_hsplit_all";
  char* types[MOST_LEVELS];
  int levels = -1;
  MPIX_Comm_hsplit_all(MPI_COMM_WORLD, MPI_INFO_NULL, MOST_LEVELS, &levels, with_roots, roots,
                       types);
  expect(levels == count, "%d levels, not %d", levels, count);
  for (level = 0; level < MOST_LEVELS; ++level) {
    expect_ranks(with_roots[level], level < count ? steps[level].group : nobody(), "group",
                 level + 1);
    expect_ranks(roots[level], level < count ? steps[level].roots : nobody(), "roots", level + 1);
    expect(level >= count ? types[level] == NULL : strcmp(types[level], steps[level].type) == 0,
           "step %d: another type", level + 1);
    if (level < levels) expect_level(with_roots[level], &steps[level], level + 1);
  }
  free_all(with_roots, MOST_LEVELS);
  free_all(roots, MOST_LEVELS);
}

/// Runs of `length` ranks within runs of `around`; their first ranks are the roots.
static Step run_step(int around, int length, const char* type) {
  const int parent = world_rank / around * around, first = world_rank / length * length;
  Step step = {run_of(first, length, 1), nobody(), type, around / length,
               (first - parent) / length};
  if (first == world_rank) step.roots = run_of(parent, around / length, length);
  return step;
}

/// ParCo section 5.1 with 32 ranks on 4 nodes; the first case of RR-9077 section 3.2.5 with 16 on
/// 2. A single node is no strict subset of itself, so 8 ranks have a step less.
static void bound_to_cores(void) {
  const Step steps[] = {run_step(world_ranks, 8, "Machine"), run_step(8, 4, "L3Cache"),
                        run_step(4, 2, "L1Cache"), run_step(2, 1, "Core")};
  const int skipped = world_ranks == 8;
  expect_steps(steps + skipped, 4 - skipped);
}

/// ParCo section 5.2, and the second case of RR-9077 section 3.2.5: ranks 0 and 1 on cores, 2 and 3
/// on an L2, 4 to 7 on a NUMA node.
static void bound_to_different_levels(void) {
  Step steps[] = {run_step(8, 4, "L3Cache"), run_step(4, 2, "L1Cache"), run_step(2, 1, "Core")};
  expect_steps(steps, world_rank < 2 ? 3 : world_rank < 4 ? 2 : 1);
}

/// Two switches of two nodes of two cores each.
static void switches(void) {
  const Step steps[] = {run_step(8, 4, "Switch0"), run_step(4, 2, "Machine"),
                        run_step(2, 1, "Core")};
  expect_steps(steps, 3);
}

static void not_bound(void) {
  MPI_Comm comm;
  doing = "ranks that are not bound";
  MPIX_Comm_split_type(MPI_COMM_WORLD, MPIX_COMM_TYPE_PHYSICAL_TOPOLOGY, 0, MPI_INFO_NULL, &comm);
  expect_ranks(comm, run_of(world_rank / 4 * 4, 4, 1), "group", 1);
  MPI_Comm deeper = MPI_COMM_WORLD;
  MPIX_Comm_split_type(comm, MPIX_COMM_TYPE_PHYSICAL_TOPOLOGY, 0, MPI_INFO_NULL, &deeper);
  expect(deeper == MPI_COMM_NULL, "deeper than the node");
  MPI_Comm_free(&comm);
}

static MPI_Info info_with(const char* key, const char* value) {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, key, value);
  return info;
}

static void expect_split(const char* key, const char* value, Ranks wanted, const char* type) {
  MPI_Comm comm;
  MPI_Info info = info_with(key, value);
  doing = value;
  MPIX_Comm_split_type(MPI_COMM_WORLD, MPIX_COMM_TYPE_PHYSICAL_TOPOLOGY, 0, info, &comm);
  expect_ranks(comm, wanted, "group", 1);
  if (comm != MPI_COMM_NULL) {
    char* found = NULL;
    MPIX_Comm_get_hlevel_info(comm, NULL, NULL, &found);
    expect(strcmp(found, type) == 0, "type %s, not %s", found, type);
    MPI_Comm_free(&comm);
  }
  MPI_Info_free(&info);
}

/// 16 ranks on the cores of 2 nodes.
static void straight_to_levels(void) {
  const Ranks node = run_of(world_rank / 8 * 8, 8, 1), l3 = run_of(world_rank / 4 * 4, 4, 1);
  expect_split("mpix_hlevel", "L3Cache", l3, "L3Cache");
  expect_split("mpix_hlevel", "hwloc://Package", l3, "Package");
  expect_split("mpix_hlevel", "numanode", l3, "NUMANode");
  expect_split("mpix_hlevel", "Machine", node, "Machine");
  expect_split("mpix_hlevel", "core", run_of(world_rank, 1, 1), "Core");
  expect_split("mpix_hlevel", "L4Cache", nobody(), "");
  expect_split("mpix_hlevel", "nonsense", nobody(), "");
  expect_split("mpix_hlevel", "hwloc://nonsense", nobody(), "");
  expect_split("mpix_hlevel_scope", "node", node, "Machine");
  expect_split("mpix_hlevel_scope", "network", node, "Machine");
}

static void expect_dimension(const char* dimension, const char* scope, Ranks wanted) {
  MPI_Comm comm = MPI_COMM_WORLD, roots = MPI_COMM_WORLD;
  MPI_Info info = info_with("mpix_hlevel", dimension);
  if (scope) MPI_Info_set(info, "mpix_hlevel_scope", scope);
  doing = dimension;
  MPIX_Comm_split_type(MPI_COMM_WORLD, MPIX_COMM_TYPE_PHYSICAL_TOPOLOGY, 0, info, &comm);
  expect_ranks(comm, wanted, "slice", 1);
  free_all(&comm, 1);
  MPIX_Comm_hsplit_with_roots(MPI_COMM_WORLD, info, &comm, &roots);
  expect_ranks(comm, wanted, "slice", 2);
  free_all(&comm, 1);
  free_all(&roots, 1);
  MPI_Info_free(&info);
}

/// 12 nodes of a rank in a torus of 2x3x2: slices across any of its dimensions.
static void torus(void) {
  expect_dimension("torus_dimension:1", NULL, run_of(world_rank / 6 * 6, 6, 1));
  expect_dimension("Torus_Dimension:3", "network", run_of(world_rank % 2, 6, 2));
  expect_dimension("torus_dimension:4", NULL, nobody());
  expect_dimension("torus_dimension:0", NULL, nobody());
  expect_dimension("torus_dimension:2", "node", nobody());
  MPI_Comm comm = MPI_COMM_NULL, deeper = MPI_COMM_WORLD;
  MPI_Info info = info_with("mpix_hlevel", "torus_dimension:2");
  MPIX_Comm_split_type(MPI_COMM_WORLD, MPIX_COMM_TYPE_PHYSICAL_TOPOLOGY, 0, info, &comm);
  MPI_Info_free(&info);
  const int first = world_rank % 6 / 2 * 2;
  const Ranks both = {4, {first, first + 1, first + 6, first + 7}};
  expect_ranks(comm, both, "slice", 3);
  MPIX_Comm_split_type(comm, MPIX_COMM_TYPE_PHYSICAL_TOPOLOGY, 0, MPI_INFO_NULL, &deeper);
  expect_ranks(deeper, run_of(world_rank / 6 * 6 + first, 2, 1), "what is below", 1);
  free_all(&comm, 1);
  free_all(&deeper, 1);
}

/// A guided split of all ranks.
static MPI_Comm guided(int type, const char* key, const char* value) {
  MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Info info = info_with(key, value);
  doing = value;
  MPIX_Comm_split_type(MPI_COMM_WORLD, type, world_rank, info, &comm);
  MPI_Info_free(&info);
  return comm;
}

static void expect_guided(const char* value, Ranks wanted) {
  MPI_Comm comms[] = {guided(MPIX_COMM_TYPE_HW_GUIDED, "mpi_hw_resource_type", value),
                      guided(MPIX_COMM_TYPE_RESOURCE_GUIDED, "mpi_hw_resource_type", value),
                      strncmp(value, "hwloc://", 8) == 0
                          ? guided(MPIX_COMM_TYPE_RESOURCE_GUIDED, "mpi_pset_name", value)
                          : guided(MPIX_COMM_TYPE_HW_GUIDED, "mpi_hw_resource_type", value)};
  for (int i = 0; i < 3; ++i) expect_ranks(comms[i], wanted, "group", i);
  free_all(comms, 3);
}

static void expect_set(const char* name, Ranks wanted) {
  MPI_Comm comm = guided(MPIX_COMM_TYPE_RESOURCE_GUIDED, "mpi_pset_name", name);
  expect_ranks(comm, wanted, "group", 1);
  free_all(&comm, 1);
}

/// Ranks as in ParCo section 5.2, on one node: some are restricted to no one instance.
static void guided_splits(void) {
  const Ranks all = run_of(0, 8, 1), self = run_of(world_rank, 1, 1),
              half = run_of(world_rank / 4 * 4, 4, 1);
  expect_guided("NUMANode", half);
  expect_guided("hwloc://NUMANode", half);
  expect_guided("hwloc://numanode", half);
  expect_guided("Package", half);
  expect_guided("hwloc://L2Cache", world_rank < 4 ? run_of(world_rank / 2 * 2, 2, 1) : nobody());
  expect_guided("Core", world_rank < 2 ? self : nobody());
  expect_guided("Machine", all);  // one instance is all ranks, and no strict subset
  expect_guided("corexyz", nobody());
  expect_guided("hwloc://nonsense", nobody());
  expect_set("mpi://WORLD", all);
  expect_set("mpi://SELF", self);
  expect_set("mpi://nonsense", nobody());

  MPI_Comm shared = guided(MPIX_COMM_TYPE_HW_GUIDED, "mpi_hw_resource_type", "mpi_shared_memory");
  MPI_Comm same;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &same);
  expect_ranks(shared, ranks_of(same), "group", 1);
  MPI_Comm_free(&shared);
  MPI_Comm_free(&same);
}

/// Keys that are missing, on all ranks or on some, values that differ, and both keys at once.
static void guided_without_guidance(void) {
  MPI_Comm comm = MPI_COMM_WORLD;
  doing = "guidance";
  MPIX_Comm_split_type(MPI_COMM_WORLD, MPIX_COMM_TYPE_HW_GUIDED, 0, MPI_INFO_NULL, &comm);
  expect(comm == MPI_COMM_NULL, "a group without an info object");
  comm = guided(MPIX_COMM_TYPE_HW_GUIDED, "another_key", "Package");
  expect(comm == MPI_COMM_NULL, "a group without the key");
  comm = guided(MPIX_COMM_TYPE_HW_GUIDED, "mpi_pset_name", "hwloc://Package");
  expect(comm == MPI_COMM_NULL, "a process set is hardware");

  const int has_key = world_rank % 2 == 0;
  comm =
      guided(MPIX_COMM_TYPE_HW_GUIDED, has_key ? "mpi_hw_resource_type" : "another_key", "Package");
  expect_ranks(comm, has_key ? run_of(world_rank / 4 * 4, 2, 2) : nobody(), "half of a group", 1);
  free_all(&comm, 1);

  // Wrong, and as under MPICH it ends no job.
  comm = guided(MPIX_COMM_TYPE_HW_GUIDED, "mpi_hw_resource_type",
                world_rank == 3 ? "Core" : "Package");
  expect(comm == MPI_COMM_NULL, "a group of ranks that name different resources");

  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Info both = info_with("mpi_hw_resource_type", "Package");
  MPI_Info_set(both, "mpi_pset_name", "mpi://WORLD");
  const int error =
      MPIX_Comm_split_type(MPI_COMM_WORLD, MPIX_COMM_TYPE_RESOURCE_GUIDED, 0, both, &comm);
  expect(error != MPI_SUCCESS && comm == MPI_COMM_NULL, "both keys are no error");
  MPI_Info_free(&both);
}

/// Two packages of two NUMA nodes of two cores: packages come first. The info object tells.
static void unguided_splits(void) {
  const char* const types[] = {"hwloc://Package", "hwloc://NUMANode", "hwloc://Core"};
  MPI_Comm comm = MPI_COMM_WORLD, finer = MPI_COMM_NULL;
  doing = "HW_UNGUIDED";
  for (int level = 0; level < 4; ++level) {
    char value[64] = "untouched";
    int flag = 0, length = 4 >> level;
    MPI_Info info = info_with("mpi_hw_resource_type", "untouched");
    MPIX_Comm_split_type(comm, MPIX_COMM_TYPE_HW_UNGUIDED, 0, info, &finer);
    MPI_Info_get(info, "mpi_hw_resource_type", 63, value, &flag);
    const char* wanted = level < 3 ? types[level] : "untouched";
    expect(strcmp(value, wanted) == 0, "level %d is %s, not %s", level, value, wanted);
    expect_ranks(finer, level < 3 ? run_of(world_rank / length * length, length, 1) : nobody(),
                 "group", level);
    if (level < 3) {
      MPI_Comm by_name = guided(MPIX_COMM_TYPE_HW_GUIDED, "mpi_hw_resource_type", value);
      expect_ranks(by_name, ranks_of(finer), "group by what was told", level);
      free_all(&by_name, 1);
      doing = "HW_UNGUIDED";
    }
    MPI_Info_free(&info);
    if (comm != MPI_COMM_WORLD) MPI_Comm_free(&comm);
    comm = finer;
  }
}

/// What a rank is restricted to leads to a communicator, what it is not leads to none.
static void resources(void) {
  MPI_Info info;
  char key[MPI_MAX_INFO_KEY + 1], value[8] = "";
  int keys = 0, flag = 0, is_in_one = 0;
  doing = "MPIX_Get_hw_resource_info";
  MPIX_Get_hw_resource_info(&info);
  MPI_Info_get_nkeys(info, &keys);
  expect(keys > 4, "%d types", keys);
  for (int i = 0; i < keys; ++i) {
    MPI_Info_get_nthkey(info, i, key);
    MPI_Info_get(info, key, 7, value, &flag);
    is_in_one += strcmp(value, "true") == 0;
    MPI_Comm comm = guided(MPIX_COMM_TYPE_RESOURCE_GUIDED, "mpi_hw_resource_type", key);
    expect((comm != MPI_COMM_NULL) == (strcmp(value, "true") == 0), "%s is %s", key, value);
    free_all(&comm, 1);
  }
  expect(is_in_one > 0, "in no machine");
  MPI_Info_free(&info);
}

/// One package is one instance, also for ranks that are not bound.
static void single_instances(void) {
  expect_guided("Package", run_of(0, world_ranks, 1));
  expect_guided("Core", nobody());
  MPI_Comm comm;
  MPIX_Comm_split_type(MPI_COMM_WORLD, MPIX_COMM_TYPE_HW_UNGUIDED, 0, MPI_INFO_NULL, &comm);
  expect(comm == MPI_COMM_NULL, "ranks that are not bound were divided");
}

static void expect_shared(MPI_Comm comm, int count, const int ranks[], const char* wanted) {
  char* type = NULL;
  MPIX_Comm_get_min_hlevel(comm, count, ranks, &type);
  const char* right = "Unknown";
  for (int i = 0; i < count; ++i)
    if (ranks[i] == world_rank) right = wanted;
  expect(strcmp(type, right) == 0, "%d ranks from %d share %s, not %s", count,
         count ? ranks[0] : -1, type, right);
}

/// 16 ranks on the cores of 2 nodes.
static void questions(void) {
  doing = "questions";
  expect_shared(MPI_COMM_WORLD, 16, run_of(0, 16, 1).rank, "System - Cluster");
  expect_shared(MPI_COMM_WORLD, 2, run_of(0, 2, 8).rank, "System - Cluster");
  expect_shared(MPI_COMM_WORLD, 8, run_of(8, 8, 1).rank, "Machine");
  expect_shared(MPI_COMM_WORLD, 3, run_of(4, 3, 1).rank, "L3Cache");
  expect_shared(MPI_COMM_WORLD, 2, run_of(6, 2, 1).rank, "L1Cache");
  expect_shared(MPI_COMM_WORLD, 1, &world_rank, "Core");
  expect_shared(MPI_COMM_WORLD, 0, NULL, "");
  const int far[][2] = {{0, 0}, {1, 1}, {2, 2}, {4, 3}, {8, 4}};
  for (int i = 0; i < 5; ++i) {
    int levels = -1;
    const int other = world_rank ^ far[i][0];
    MPIX_Comm_distance(MPI_COMM_WORLD, world_rank, other, &levels);
    expect(levels == far[i][1], "%d levels to rank %d, not %d", levels, other, far[i][1]);
  }
  int levels = 0, sizes[MOST_LEVELS], coordinates[MOST_LEVELS];
  char* types[MOST_LEVELS];
  MPIX_Comm_get_hcoords(MPI_COMM_WORLD, 13, MOST_LEVELS, &levels, sizes, coordinates, types);
  expect(levels == 4, "%d levels, not 4", levels);
  const int wanted[] = {1, 1, 0, 1};
  for (int i = 0; i < 4 && levels == 4; ++i)
    expect(sizes[i] == 2 && coordinates[i] == wanted[i], "level %d: %d of %d", i, coordinates[i],
           sizes[i]);
  expect(levels == 4 && strcmp(types[1], "L3Cache") == 0, "another type");
  MPIX_Comm_get_hcoords(MPI_COMM_WORLD, 13, 1, &levels, NULL, coordinates + 1, NULL);
  expect(levels == 4 && coordinates[1] == 1 && coordinates[2] == 0, "more than there is room for");
}

static void duplicates(void) {
  int siblings = 0, index = -1;
  char* type = NULL;
  MPI_Comm comm, copy;
  doing = "duplicates";
  MPIX_Comm_get_hlevel_info(MPI_COMM_SELF, &siblings, &index, &type);
  expect(siblings == 1 && index == 0 && strcmp(type, "Unknown") == 0, "MPI_COMM_SELF has a level");
  MPIX_Comm_split_type(MPI_COMM_WORLD, MPIX_COMM_TYPE_PHYSICAL_TOPOLOGY, 0, MPI_INFO_NULL, &comm);
  MPI_Comm_dup(comm, &copy);
  MPI_Comm_free(&comm);
  MPIX_Comm_get_hlevel_info(copy, &siblings, &index, &type);
  expect(siblings == 2 && index == world_rank / 8, "part %d of %d", index, siblings);
  expect(strcmp(type, "Machine") == 0, "type %s", type);
  MPI_Comm_free(&copy);
}

static void expect_key(MPI_Comm comm, const char* key, const char* wanted) {
  MPI_Info info;
  char value[64] = "";
  int flag = 0;
  MPIX_Comm_get_info(comm, &info);
  MPI_Info_get(info, key, 63, value, &flag);
  expect(flag == (wanted != NULL), "%s is %s", key, flag ? "there" : "not there");
  expect(wanted == NULL || strcmp(value, wanted) == 0, "%s is %s, not %s", key, value, wanted);
  MPI_Info_free(&info);
}

static void info_keys(void) {
  MPI_Comm comm;
  doing = "info keys";
  MPIX_Comm_split_type(MPI_COMM_WORLD, MPIX_COMM_TYPE_PHYSICAL_TOPOLOGY, 0, MPI_INFO_NULL, &comm);
  expect_key(comm, "MPI_COMM_HLEVEL_TYPE", "Machine");
  expect_key(comm, "MPI_COMM_HLEVEL_NUM", "2");
  expect_key(comm, "MPI_COMM_HLEVEL_RANK", world_rank / 8 ? "1" : "0");
  expect_key(MPI_COMM_WORLD, "MPI_COMM_HLEVEL_TYPE", NULL);
  MPI_Comm_free(&comm);
}

/// Ranks in the reverse order: rank 0 of the new communicator is the last.
static void keys(void) {
  MPI_Comm comm;
  doing = "keys";
  MPIX_Comm_split_type(MPI_COMM_WORLD, MPIX_COMM_TYPE_PHYSICAL_TOPOLOGY, -world_rank, MPI_INFO_NULL,
                       &comm);
  expect_ranks(comm, run_of(world_rank / 8 * 8 + 7, 8, -1), "group", 1);
  int levels = -1, rank = -1;
  MPI_Comm_rank(comm, &rank);
  MPIX_Comm_distance(comm, 0, 1, &levels);  // known from the split, in the new order
  expect(levels == 1, "ranks 0 and 1 are %d levels apart", levels);
  MPIX_Comm_distance(comm, 0, 7, &levels);
  expect(levels == 3, "ranks 0 and 7 are %d levels apart", levels);
  MPI_Comm_free(&comm);
}

/// Some ranks want none; the others are divided as if they did, without them.
static void some_are_out(void) {
  MPI_Comm comm;
  doing = "MPI_UNDEFINED";
  const int is_out = world_rank % 8 == 0;
  MPIX_Comm_split_type(MPI_COMM_WORLD, is_out ? MPI_UNDEFINED : MPIX_COMM_TYPE_PHYSICAL_TOPOLOGY, 0,
                       MPI_INFO_NULL, &comm);
  expect_ranks(comm, is_out ? nobody() : run_of(world_rank / 8 * 8 + 1, 7, 1), "group", 1);
  if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
  MPIX_Comm_split_type(MPI_COMM_WORLD, is_out ? MPI_UNDEFINED : MPI_COMM_TYPE_SHARED, 0,
                       MPI_INFO_NULL, &comm);
  expect(is_out == (comm == MPI_COMM_NULL), "the MPI's own split type");
  if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
  MPIX_Comm_split_type(MPI_COMM_WORLD, MPI_UNDEFINED, 0, MPI_INFO_NULL, &comm);
  expect(comm == MPI_COMM_NULL, "all are out");
}

// As Fortran calls it.
void mpix_comm_hsplit_all_(const int* comm, const int* info, const int* most_levels, int* levels,
                           int* newcomms, int* rootscomms, char* types, int* error, int length);
#ifdef MPI_ABI_VERSION
#define COMM_IN_FORTRAN MPI_Comm_toint
#define COMM_OF_FORTRAN MPI_Comm_fromint
#define INFO_IN_FORTRAN MPI_Info_toint
#define INFO_OF_FORTRAN MPI_Info_fromint
#else
#define COMM_IN_FORTRAN MPI_Comm_c2f
#define COMM_OF_FORTRAN MPI_Comm_f2c
#define INFO_IN_FORTRAN MPI_Info_c2f
#define INFO_OF_FORTRAN MPI_Info_f2c
#endif

/// Fortran's handles under this MPI, whether it has a Fortran or not: 16 ranks on 2 nodes. Intel
/// MPI 2021.18, as the standard ABI has it, does not get back its own.
static void as_fortran(void) {
  doing = "as Fortran";
  MPI_Info by_name = info_with("mpix_hlevel", "Machine");
  if (INFO_OF_FORTRAN(INFO_IN_FORTRAN(by_name)) != by_name) {
    MPI_Info_free(&by_name);
    return;
  }
  const int world = COMM_IN_FORTRAN(MPI_COMM_WORLD), info = INFO_IN_FORTRAN(by_name), most = 2;
  int levels = -1, made[2] = {-1, -1}, roots[2] = {-1, -1}, error = -1;
  char types[20];
  mpix_comm_hsplit_all_(&world, &info, &most, &levels, made, roots, types, &error, 10);
  expect(error == MPI_SUCCESS && levels == 1, "error %d, %d levels", error, levels);
  expect(memcmp(types, "Machine             ", 20) == 0, "types '%.20s'", types);
  MPI_Comm comm = COMM_OF_FORTRAN(made[0]), first = COMM_OF_FORTRAN(roots[0]);
  expect_ranks(comm, run_of(world_rank / 8 * 8, 8, 1), "group", 1);
  expect_ranks(first, world_rank % 8 ? nobody() : run_of(0, 2, 8), "roots", 1);
  expect(COMM_OF_FORTRAN(made[1]) == MPI_COMM_NULL, "a second level");
  free_all(&comm, 1);
  free_all(&first, 1);
  MPI_Info_free(&by_name);
}

static int class_of(int error) {
  int class = MPI_SUCCESS;
  MPI_Error_class(error, &class);
  return class;
}

/// One rank is wrong; all return the same error, and the next call works.
static void wrong_at_one_rank(void) {
  MPI_Comm comm = MPI_COMM_WORLD, roots = MPI_COMM_WORLD;
  const int is_wrong = world_rank == 3;
  int error, levels;
  doing = "errors";
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  error =
      MPIX_Comm_hsplit_with_roots(MPI_COMM_WORLD, MPI_INFO_NULL, is_wrong ? NULL : &comm, &roots);
  expect(class_of(error) == MPI_ERR_ARG, "null at one rank is error %d", error);
  expect((is_wrong || comm == MPI_COMM_NULL) && roots == MPI_COMM_NULL, "it left a communicator");

  MPI_Info info = info_with("mpix_hlevel", is_wrong ? "Core" : "L3Cache");
  error = MPIX_Comm_split_type(MPI_COMM_WORLD, MPIX_COMM_TYPE_PHYSICAL_TOPOLOGY, 0, info, &comm);
  expect(class_of(error) == MPI_ERR_ARG, "another level at one rank is error %d", error);
  MPI_Info_free(&info);

  info = info_with("mpix_hlevel_scope", is_wrong ? "elsewhere" : "node");
  error = MPIX_Comm_split_type(MPI_COMM_WORLD, MPIX_COMM_TYPE_PHYSICAL_TOPOLOGY, 0, info, &comm);
  expect(class_of(error) == MPI_ERR_ARG, "a wrong scope at one rank is error %d", error);
  MPI_Info_free(&info);

  error = MPIX_Comm_split_type(MPI_COMM_WORLD,
                               is_wrong ? MPI_COMM_TYPE_SHARED : MPIX_COMM_TYPE_PHYSICAL_TOPOLOGY,
                               0, MPI_INFO_NULL, &comm);
  expect(class_of(error) == MPI_ERR_ARG, "another split type at one rank is error %d", error);

  error = MPIX_Comm_distance(MPI_COMM_WORLD, 0, is_wrong ? world_ranks : 1, &levels);
  expect(class_of(error) == (is_wrong ? MPI_ERR_RANK : MPI_SUCCESS), "no such rank: %d", error);
  error = MPIX_Comm_hsplit_with_roots(MPI_COMM_NULL, MPI_INFO_NULL, &comm, &roots);
  expect(class_of(error) == MPI_ERR_COMM, "MPI_COMM_NULL is error %d", error);

  MPI_Comm half, both;
  MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, 0, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - world_rank % 2, 7, &both);
  MPI_Comm_set_errhandler(both, MPI_ERRORS_RETURN);
  error = MPIX_Comm_split_type(both, MPIX_COMM_TYPE_PHYSICAL_TOPOLOGY, 0, MPI_INFO_NULL, &comm);
  expect(class_of(error) == MPI_ERR_COMM, "an intercommunicator is error %d", error);
  MPI_Comm_free(&both);
  MPI_Comm_free(&half);
  keys();
}

/// Rooms for levels that differ: the least counts.
static void little_room(void) {
  MPI_Comm comms[MOST_LEVELS];
  int levels = -1;
  doing = "little room";
  MPIX_Comm_hsplit_all(MPI_COMM_WORLD, MPI_INFO_NULL, world_rank == 5 ? 2 : MOST_LEVELS, &levels,
                       comms, NULL, NULL);
  expect(levels == 2, "%d levels, not 2", levels);
  expect(world_rank == 5 || comms[2] == MPI_COMM_NULL, "a third level");
  free_all(comms, 2);
}

/// Of a network that one of them is not in, which is taken for flat.
static void four_nodes(void) {
  const Step step = run_step(4, 1, "Core");
  expect_steps(&step, 1);
}

/// Where one rank does not know its place, all are known by their node, which they share.
static void nobody_is_placed(void) {
  MPI_Comm comm = MPI_COMM_WORLD;
  doing = "a rank in trouble";
  const int error = MPIX_Comm_split_type(MPI_COMM_WORLD, MPIX_COMM_TYPE_PHYSICAL_TOPOLOGY, 0,
                                         MPI_INFO_NULL, &comm);
  expect(error == MPI_SUCCESS && comm == MPI_COMM_NULL, "a part of a node that nobody knows");
}

static const struct {
  const char* name;
  void (*run)(void);
} kSituations[] = {
    {"bound_to_cores", bound_to_cores},
    {"bound_to_different_levels", bound_to_different_levels},
    {"switches", switches},
    {"not_bound", not_bound},
    {"straight_to_levels", straight_to_levels},
    {"guided_splits", guided_splits},
    {"guided_without_guidance", guided_without_guidance},
    {"unguided_splits", unguided_splits},
    {"resources", resources},
    {"single_instances", single_instances},
    {"questions", questions},
    {"duplicates", duplicates},
    {"info_keys", info_keys},
    {"keys", keys},
    {"as_fortran", as_fortran},
    {"some_are_out", some_are_out},
    {"wrong_at_one_rank", wrong_at_one_rank},
    {"little_room", little_room},
    {"torus", torus},
    {"four_nodes", four_nodes},
    {"nobody_is_placed", nobody_is_placed},
};

#if MPI_VERSION >= 4 || (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
static void expect_size(MPI_Comm comm, int wanted, const char* what) {
  int size = 0;
  if (comm != MPI_COMM_NULL) MPI_Comm_size(comm, &size);
  expect(size == wanted, "%s: %d ranks, not %d", what, size, wanted);
}

/// There is no MPI_COMM_WORLD: 4 ranks on 2 nodes, whose parts know it.
static int with_sessions_only(void) {
  MPI_Session session;
  MPI_Group group;
  MPI_Comm comm, nodes[2], cores[2] = {MPI_COMM_NULL, MPI_COMM_NULL};
  int levels = -1, failed = 0;
  doing = "sessions only";
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "communicators", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm);
  MPI_Group_free(&group);
  MPI_Comm_rank(comm, &world_rank);
  MPIX_Comm_hsplit_with_roots(comm, MPI_INFO_NULL, &nodes[0], &nodes[1]);
  expect_size(nodes[0], 2, "a node");
  expect_size(nodes[1], world_rank % 2 ? 0 : 2, "the roots of the nodes");
  if (nodes[0] != MPI_COMM_NULL)
    MPIX_Comm_hsplit_with_roots(nodes[0], MPI_INFO_NULL, &cores[0], &cores[1]);
  expect_size(cores[0], 1, "a core");
  MPIX_Comm_distance(comm, 0, 2, &levels);
  expect(levels == 2, "%d levels to the other node", levels);
  const int error = MPIX_Comm_distance(MPI_COMM_NULL, 0, 0, &levels);
  expect(class_of(error) == MPI_ERR_COMM, "MPI_COMM_NULL is error %d", error);
  free_all(cores, 2);
  free_all(nodes, 2);
  MPI_Reduce(&failures, &failed, 1, MPI_INT, MPI_SUM, 0, comm);
  if (world_rank == 0) printf("all right %d\n", failed);
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&session);
  return failures != 0;
}
#else
static int with_sessions_only(void) {
  return puts("this MPI has no sessions") < 0;
}
#endif

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "sessions") == 0) return with_sessions_only();
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_ranks);
  int found = 0;
  for (int i = 1; i < argc; ++i)
    for (size_t j = 0; j < sizeof kSituations / sizeof kSituations[0]; ++j)
      if (strcmp(argv[i], kSituations[j].name) == 0) {
        kSituations[j].run();
        ++found;
      }
  expect(found == argc - 1 && found > 0, "a situation that there is not");
  int all = 0;
  MPI_Reduce(&failures, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (world_rank == 0) printf("all right %d\n", all);
  MPI_Finalize();
  return failures != 0;
}
