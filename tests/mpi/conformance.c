// SPDX-License-Identifier: BSD-3-Clause
// The rules of MPI 4.0 to 5.0 on split types that follow the hardware, each a function. It calls
// the MPI's own functions only, so it runs under an MPI alone as well as with Terrace before it.
//
//   conformance [OPTION VALUE]... RULE [[OPTION VALUE]... RULE]...
//
//     --packages 0,1,0,1   where the ranks are from here on; -1: in no one package
//     --numas 0,1,0,1      likewise, NUMA nodes
//     --bind 0,1,0,1       what TERRACE_BIND is to be from here on
//     --cpus 0,1,0,1       CPUs that the ranks are to bind themselves to at first, 0+1 for two
//     --seconds 20         after which a rank ends, so that its launcher cleans up
//     --library FILE       what is not in this MPI's mpi.h is asked of Terrace
//
// For each rule the ranks print `RULE fails at rank R: why`, and rank 0 `RULE is done` at the end.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "terrace/mpix.h"  // constants alone: it is not linked to the library

enum { kMostRanks = 16 };

// In some headers these are enumerators.
#if defined(MPI_COMM_TYPE_HW_GUIDED) || defined(MPI_ABI_VERSION) || \
    (defined(OMPI_MAJOR_VERSION) && OMPI_MAJOR_VERSION >= 5)
#define HAS_HARDWARE 1
static const int hw_guided = MPI_COMM_TYPE_HW_GUIDED;
static const int hw_unguided = MPI_COMM_TYPE_HW_UNGUIDED;
#else
#define HAS_HARDWARE 0
static const int hw_guided = MPIX_COMM_TYPE_HW_GUIDED;
static const int hw_unguided = MPIX_COMM_TYPE_HW_UNGUIDED;
#endif
#if defined(MPI_COMM_TYPE_RESOURCE_GUIDED) || defined(MPI_ABI_VERSION)
#define HAS_RESOURCES 1
static const int resource_guided = MPI_COMM_TYPE_RESOURCE_GUIDED;
#else
#define HAS_RESOURCES 0
static const int resource_guided = MPIX_COMM_TYPE_RESOURCE_GUIDED;
#endif

static int rank, ranks;
static int packages[kMostRanks], numas[kMostRanks];
static const char* rule = "";
static const char* library = NULL;

static void expect(int holds, const char* what, ...) {
  if (holds) return;
  va_list values;
  va_start(values, what);
  char why[200];
  vsnprintf(why, sizeof why, what, values);
  va_end(values);
  printf("%s fails at rank %d: %s\n", rule, rank, why);
  fflush(stdout);
}

/// The ranks of MPI_COMM_WORLD in a communicator: bit r for rank r; 0 for none.
static unsigned members(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return 0;
  unsigned own = 1u << rank, all = 0;
  MPI_Allreduce(&own, &all, 1, MPI_UNSIGNED, MPI_BOR, comm);
  return all;
}

static unsigned everybody(void) {
  return (1u << ranks) - 1;
}

/// Those in the same place as this rank; none if it is in no one place.
static unsigned together(const int places[]) {
  unsigned all = 0;
  for (int i = 0; i < ranks; ++i)
    if (places[rank] >= 0 && places[i] == places[rank]) all |= 1u << i;
  return all;
}

static MPI_Info info_with(const char* key, const char* value) {
  MPI_Info info;
  MPI_Info_create(&info);
  MPI_Info_set(info, key, value);
  return info;
}

static void expect_group(MPI_Comm* comm, unsigned wanted, const char* what) {
  const unsigned found = members(*comm);
  expect(found == wanted, "%s: ranks %#x, not %#x", what, found, wanted);
  if (*comm != MPI_COMM_NULL) MPI_Comm_free(comm);
}

static MPI_Comm guided(int type, const char* key, const char* value, int order) {
  MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Info info = info_with(key, value);
  const int error = MPI_Comm_split_type(MPI_COMM_WORLD, type, order, info, &comm);
  MPI_Info_free(&info);
  expect(error == MPI_SUCCESS, "%s: error %d", value, error);
  return error == MPI_SUCCESS ? comm : MPI_COMM_NULL;
}

static void expect_guided(const char* value, unsigned wanted) {
  MPI_Comm comm = guided(hw_guided, "mpi_hw_resource_type", value, 0);
  expect_group(&comm, wanted, value);
}

static void instances_of_the_named_type(void) {
  expect_guided("NUMANode", together(numas));
}
static void the_standards_names(void) {
  expect_guided("Package", together(packages));
  expect_guided("NUMANode", together(numas));
}
static void numa_nodes(void) {
  expect_guided("NUMANode", together(numas));
}

static void one_instance_is_all(void) {
  expect_guided("NUMANode", everybody());
}

/// Whatever a rank gets: no rank is in two groups, and all members of a group got the same.
static void groups_are_disjoint(void) {
  MPI_Comm comm = guided(hw_guided, "mpi_hw_resource_type", "NUMANode", 0);
  unsigned own = members(comm), all[kMostRanks] = {0};
  MPI_Allgather(&own, 1, MPI_UNSIGNED, all, 1, MPI_UNSIGNED, MPI_COMM_WORLD);
  for (int i = 0; i < ranks; ++i)
    expect((own & all[i]) == 0 || own == all[i], "ranks %#x, and rank %d has %#x", own, i, all[i]);
  expect(numas[rank] < 0 || (own >> rank & 1u) != 0, "in no group");
  if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
}

static void spanning_ranks_get_none(void) {
  expect_guided("NUMANode", together(numas));
}
static void limited_ranks(void) {
  expect_guided("Package", everybody());
  expect_guided("Core", together(numas));  // here: cores
}

static void unknown_names_give_none(void) {
  expect_guided("nonsense", 0);
  expect_guided("hwloc://nonsense", 0);
}
static void names_are_whole(void) {
  expect_guided("corexyz", 0);
}

static void no_name_gives_none(void) {
  MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Comm_split_type(MPI_COMM_WORLD, hw_guided, 0, MPI_INFO_NULL, &comm);
  expect(comm == MPI_COMM_NULL, "a group without an info object");
  comm = guided(hw_guided, "another_key", "NUMANode", 0);
  expect_group(&comm, 0, "without the key");
}

/// Not in the table: what every MPI can do, and must go on to do.
static void shared_memory(void) {
  MPI_Comm comm = MPI_COMM_NULL;
  for (int i = 0; i < 5; ++i) {
    const int is_out = i % 2 && rank == ranks - 1;
    MPI_Comm_split_type(MPI_COMM_WORLD, is_out ? MPI_UNDEFINED : MPI_COMM_TYPE_SHARED, 0,
                        MPI_INFO_NULL, &comm);
    expect_group(&comm, is_out ? 0 : everybody() >> i % 2, "shared memory");
  }
}

/// A rank that gives none gets none, or all get an error; no rank waits.
static void a_name_at_some_ranks(void) {
  MPI_Comm comm = MPI_COMM_NULL;
  const int has_name = rank == 0;
  MPI_Info info = info_with(has_name ? "mpi_hw_resource_type" : "another_key", "NUMANode");
  const int error = MPI_Comm_split_type(MPI_COMM_WORLD, hw_guided, 0, info, &comm);
  MPI_Info_free(&info);
  int is_wrong = error != MPI_SUCCESS, wrong = 0;
  MPI_Allreduce(&is_wrong, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  expect(wrong == 0 || wrong == ranks, "an error at %d ranks", wrong);
  if (wrong == 0 && !has_name) expect(comm == MPI_COMM_NULL, "a group without a name");
  if (error == MPI_SUCCESS && comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
}

static void shared_memory_is_shared(void) {
  MPI_Comm shared;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &shared);
  expect_guided("mpi_shared_memory", members(shared));
  MPI_Comm_free(&shared);
}

static void uris_are_names(void) {
  expect_guided("hwloc://NUMANode", together(numas));
}

/// An error on all ranks, or on none.
static void expect_error(int error, MPI_Comm* comm, int is_wanted, const char* what) {
  int is_wrong = error != MPI_SUCCESS, wrong = 0;
  MPI_Allreduce(&is_wrong, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  expect(wrong == ranks || (wrong == 0 && !is_wanted), "%s is an error at %d ranks", what, wrong);
  if (error == MPI_SUCCESS && *comm != MPI_COMM_NULL) MPI_Comm_free(comm);
}

static void both_keys_are_an_error(void) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Info both = info_with("mpi_hw_resource_type", "NUMANode");
  MPI_Info_set(both, "mpi_pset_name", "mpi://WORLD");
  const int error = MPI_Comm_split_type(MPI_COMM_WORLD, resource_guided, 0, both, &comm);
  MPI_Info_free(&both);
  expect_error(error, &comm, 1, "both keys at once");
}

static void both_guided_types_agree(void) {
  MPI_Comm comm = guided(resource_guided, "mpi_hw_resource_type", "NUMANode", 0);
  expect_group(&comm, together(numas), "RESOURCE_GUIDED");
}

static void process_sets(void) {
  MPI_Comm comm = guided(resource_guided, "mpi_pset_name", "mpi://WORLD", 0);
  expect_group(&comm, everybody(), "mpi://WORLD");
  comm = guided(resource_guided, "mpi_pset_name", "mpi://SELF", 0);
  expect_group(&comm, 1u << rank, "mpi://SELF");
  comm = guided(resource_guided, "mpi_pset_name", "mpi://nonsense", 0);
  expect_group(&comm, 0, "mpi://nonsense");
}

static void different_types_do_not_hang(void) {
  MPI_Comm comm = MPI_COMM_NULL;
  const int error = MPI_Comm_split_type(
      MPI_COMM_WORLD, rank == 0 ? MPI_COMM_TYPE_SHARED : hw_unguided, 0, MPI_INFO_NULL, &comm);
  expect_error(error, &comm, 1, "another split type");
}

static int size_of(MPI_Comm comm) {
  int size;
  MPI_Comm_size(comm, &size);
  return size;
}

static void unguided_shrinks_and_ends(void) {
  MPI_Comm comm = MPI_COMM_WORLD;
  for (int level = 0; comm != MPI_COMM_NULL; ++level) {
    MPI_Comm finer = MPI_COMM_WORLD;
    MPI_Comm_split_type(comm, hw_unguided, 0, MPI_INFO_NULL, &finer);
    if (finer != MPI_COMM_NULL)
      expect(size_of(finer) < size_of(comm), "level %d is no part", level);
    if (comm == MPI_COMM_WORLD)
      expect(members(finer) == together(packages), "%#x, not the packages", members(finer));
    const int is_endless = level > 8;
    if (comm != MPI_COMM_WORLD) MPI_Comm_free(&comm);
    expect(!is_endless, "it does not end");
    if (is_endless && finer != MPI_COMM_NULL) MPI_Comm_free(&finer);
    comm = is_endless ? MPI_COMM_NULL : finer;
  }
}

static void value_in(MPI_Info info, char value[64]) {
  int flag = 0;
  value[0] = 0;
  MPI_Info_get(info, "mpi_hw_resource_type", 63, value, &flag);
}

/// The type is told, the same to all members, and can be given to a guided split.
static void unguided_tells_the_type(void) {
  MPI_Comm comm = MPI_COMM_WORLD;
  char own[64], first[64];
  MPI_Info info = info_with("mpi_hw_resource_type", "untouched");
  MPI_Comm_split_type(MPI_COMM_WORLD, hw_unguided, 0, info, &comm);
  value_in(info, own);
  MPI_Info_free(&info);
  expect(comm != MPI_COMM_NULL && strcmp(own, "untouched") != 0, "no type is told");
  const unsigned group = members(comm);
  if (comm != MPI_COMM_NULL) {
    memcpy(first, own, sizeof first);
    MPI_Bcast(first, sizeof first, MPI_CHAR, 0, comm);
    expect(strcmp(first, own) == 0, "%s, and another member has %s", own, first);
    MPI_Comm_free(&comm);
  }
  MPI_Comm by_name = guided(hw_guided, "mpi_hw_resource_type", own, 0);
  expect_group(&by_name, group, "the same by its name");
}

static void packages_before_numa_nodes(void) {
  MPI_Comm comm = MPI_COMM_WORLD;
  MPI_Comm_split_type(MPI_COMM_WORLD, hw_unguided, 0, MPI_INFO_NULL, &comm);
  expect_group(&comm, together(packages), "the first split");
}

typedef int Question(MPI_Info*);

/// MPI_Get_hw_resource_info, or what Terrace has for MPIs without it.
static Question* resource_question(void) {
  void* found = dlsym(RTLD_DEFAULT, "MPI_Get_hw_resource_info");
  void* opened = found || !library ? NULL : dlopen(library, RTLD_NOW);
  if (opened) found = dlsym(opened, "MPIX_Get_hw_resource_info");
  return (Question*)found;
}

static void resources_lead_to_groups(void) {
  MPI_Info info;
  char key[MPI_MAX_INFO_KEY + 1], value[8] = "";
  int keys = 0, flag = 0;
  Question* const ask = resource_question();
  expect(ask != NULL && ask(&info) == MPI_SUCCESS, "nothing is told");
  if (ask == NULL) return;
  MPI_Info_get_nkeys(info, &keys);
  for (int i = 0; i < keys; ++i) {
    MPI_Info_get_nthkey(info, i, key);
    MPI_Info_get(info, key, 7, value, &flag);
    const int is_true = strcmp(value, "true") == 0;
    expect(is_true || strcmp(value, "false") == 0, "%s is %s", key, value);
    expect(strstr(key, "://") != NULL, "%s is no URI", key);
    MPI_Comm comm = guided(resource_guided, "mpi_hw_resource_type", key, 0);
    expect((comm != MPI_COMM_NULL) == is_true, "%s is %s, and a group says otherwise", key, value);
    if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
  }
  MPI_Info_free(&info);
}

/// All ranks return, and alike.
static void intercommunicators(void) {
  MPI_Comm half, both, comm = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 7, &both);
  MPI_Comm_set_errhandler(both, MPI_ERRORS_RETURN);
  MPI_Info info = info_with("mpi_hw_resource_type", "NUMANode");
  const int error = MPI_Comm_split_type(both, hw_guided, 0, info, &comm);
  MPI_Info_free(&info);
  expect_error(error, &comm, 0, "an intercommunicator");
  MPI_Comm_free(&both);
  MPI_Comm_free(&half);
}

static void some_want_none(void) {
  MPI_Comm comm = MPI_COMM_WORLD;
  const int is_out = rank == 0;
  MPI_Info info = info_with("mpi_hw_resource_type", "NUMANode");
  MPI_Comm_split_type(MPI_COMM_WORLD, is_out ? MPI_UNDEFINED : hw_guided, 0, info, &comm);
  MPI_Info_free(&info);
  expect_group(&comm, is_out ? 0 : together(numas) & ~1u, "without rank 0");
  comm = MPI_COMM_WORLD;
  MPI_Comm_split_type(MPI_COMM_WORLD, is_out ? MPI_UNDEFINED : MPI_COMM_TYPE_SHARED, 0,
                      MPI_INFO_NULL, &comm);
  expect((comm == MPI_COMM_NULL) == is_out, "shared memory, without rank 0");
  if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
}

static void keys_order_the_ranks(void) {
  MPI_Comm comm = guided(hw_guided, "mpi_hw_resource_type", "NUMANode", -rank);
  if (comm == MPI_COMM_NULL) {
    expect(0, "no group");
    return;
  }
  int own = -1, after = 0;
  MPI_Comm_rank(comm, &own);
  for (int i = rank + 1; i < ranks; ++i) after += numas[i] == numas[rank];
  expect(own == after, "rank %d, not %d", own, after);
  MPI_Comm_free(&comm);
}

static void attributes_stay_behind(void) {
  int key, flag = 0, value = 1;
  void* found;
  MPI_Comm parent;
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &key, NULL);
  MPI_Comm_dup(MPI_COMM_WORLD, &parent);
  MPI_Comm_set_attr(parent, key, &value);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Info info = info_with("mpi_hw_resource_type", "NUMANode");
  MPI_Comm_split_type(parent, hw_guided, 0, info, &comm);
  MPI_Info_free(&info);
  expect(comm != MPI_COMM_NULL, "no group");
  if (comm != MPI_COMM_NULL) MPI_Comm_get_attr(comm, key, &found, &flag);
  expect(!flag, "an attribute came along");
  if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
  MPI_Comm_free(&parent);
  MPI_Comm_free_keyval(&key);
}

/// A group goes on although its ranks are no longer where they were.
static void rebinding_breaks_nothing(void) {
  MPI_Comm comm = guided(hw_guided, "mpi_hw_resource_type", "NUMANode", 0);
  const unsigned before = members(comm);
  cpu_set_t own, all;
  sched_getaffinity(0, sizeof own, &own);
  memset(&all, 0xff, sizeof all);
  expect(sched_setaffinity(0, sizeof all, &all) == 0, "this rank could not be bound elsewhere");
  expect(before == together(numas) && members(comm) == before, "the group has changed");
  sched_setaffinity(0, sizeof own, &own);
  if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
}

/// They are restricted to no one NUMA node of several, but to the machine.
static void unbound_ranks_get_none(void) {
  expect_guided("NUMANode", 0);
  expect_guided("Machine", everybody());
}

enum Need { kNothing, kHardware, kResources };

static const struct {
  const char* name;
  void (*run)(void);
  enum Need need;
} kRules[] = {
    {"shared_memory", shared_memory, kNothing},
    {"instances_of_the_named_type", instances_of_the_named_type, kHardware},
    {"the_standards_names", the_standards_names, kHardware},
    {"uris_are_names", uris_are_names, kHardware},
    {"one_instance_is_all", one_instance_is_all, kHardware},
    {"spanning_ranks_get_none", spanning_ranks_get_none, kHardware},
    {"groups_are_disjoint", groups_are_disjoint, kHardware},
    {"unbound_ranks_get_none", unbound_ranks_get_none, kHardware},
    {"numa_nodes", numa_nodes, kHardware},
    {"limited_ranks", limited_ranks, kHardware},
    {"unknown_names_give_none", unknown_names_give_none, kHardware},
    {"names_are_whole", names_are_whole, kHardware},
    {"no_name_gives_none", no_name_gives_none, kHardware},
    {"a_name_at_some_ranks", a_name_at_some_ranks, kHardware},
    {"shared_memory_is_shared", shared_memory_is_shared, kHardware},
    {"some_want_none", some_want_none, kHardware},
    {"keys_order_the_ranks", keys_order_the_ranks, kHardware},
    {"attributes_stay_behind", attributes_stay_behind, kHardware},
    {"rebinding_breaks_nothing", rebinding_breaks_nothing, kHardware},
    {"intercommunicators", intercommunicators, kHardware},
    {"different_types_do_not_hang", different_types_do_not_hang, kHardware},
    {"unguided_shrinks_and_ends", unguided_shrinks_and_ends, kHardware},
    {"unguided_tells_the_type", unguided_tells_the_type, kHardware},
    {"packages_before_numa_nodes", packages_before_numa_nodes, kHardware},
    {"both_guided_types_agree", both_guided_types_agree, kResources},
    {"process_sets", process_sets, kResources},
    {"both_keys_are_an_error", both_keys_are_an_error, kResources},
    {"resources_lead_to_groups", resources_lead_to_groups, kResources},
};

static void run_rule(const char* name) {
  for (size_t i = 0; i < sizeof kRules / sizeof kRules[0]; ++i) {
    if (strcmp(name, kRules[i].name) != 0) continue;
    rule = name;
    const int is_there = kRules[i].need == kHardware    ? HAS_HARDWARE
                         : kRules[i].need == kResources ? HAS_RESOURCES
                                                        : 1;
    if (!is_there && library == NULL) {
      if (rank == 0) printf("%s is absent\n", name);
      return;
    }
    kRules[i].run();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) printf("%s is done\n", name);
    return;
  }
  printf("%s fails at rank %d: there is no such rule\n", name, rank);
}

static void read_places(char* list, int places[]) {
  int count = 0;
  for (char* word = strtok(list, ","); word && count < kMostRanks; word = strtok(NULL, ","))
    places[count++] = atoi(word);
}

/// Before MPI_Init, as MPIs look only then; so by what launchers tell.
static void bind_myself(const char* list) {
  const char* const names[] = {"PMI_RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK"};
  const char* number = NULL;
  for (int i = 0; i < 3 && number == NULL; ++i) number = getenv(names[i]);
  for (int i = number ? atoi(number) : 0; i > 0 && list; --i)
    list = strchr(list, ',') ? strchr(list, ',') + 1 : NULL;
  cpu_set_t set;
  CPU_ZERO(&set);
  while (list && *list && *list != ',') {
    CPU_SET(strtoul(list, (char**)&list, 10), &set);
    list += *list == '+';
  }
  if (CPU_COUNT(&set) > 0 && sched_setaffinity(0, sizeof set, &set) != 0) perror("binding");
}

static void obey(const char* option, char* value) {
  if (strcmp(option, "--packages") == 0) read_places(value, packages);
  if (strcmp(option, "--numas") == 0) read_places(value, numas);
  if (strcmp(option, "--bind") == 0) setenv("TERRACE_BIND", value, 1);
  if (strcmp(option, "--seconds") == 0) alarm((unsigned)atoi(value));
  if (strcmp(option, "--library") == 0) library = value;
}

int main(int argc, char** argv) {
  for (int i = 1; i + 1 < argc; ++i)
    if (strcmp(argv[i], "--cpus") == 0) bind_myself(argv[i + 1]);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int i = 1; i < argc; ++i) {
    const int is_option = strncmp(argv[i], "--", 2) == 0 && i + 1 < argc;
    if (!is_option)
      run_rule(argv[i]);
    else
      obey(argv[i], argv[i + 1]);
    i += is_option;
  }
  MPI_Finalize();
  return 0;
}
