// SPDX-License-Identifier: BSD-3-Clause
// Performance variables by MPI_T: the MPI's own, as they are without Terrace, and those of Terrace.
#include <stdint.h>
#include <stdlib.h>

#include "situation.h"
// After EXPECT.
#include "performance_variables.h"

static const char kOurs[] = "terrace_";

/// A variable's name and class. Open MPI 4 counts some that it does not tell of.
static int describe(int index, char* name, int room, int* its_class) {
  int length = room, verbosity, bound, is_readonly, is_continuous, is_atomic;
  MPI_Datatype type;
  MPI_T_enum values;
  if (MPI_T_pvar_get_info(index, name, &length, &verbosity, its_class, &type, &values, NULL, NULL,
                          &bound, &is_readonly, &is_continuous, &is_atomic) != MPI_SUCCESS)
    return 0;
  EXPECT(length == (int)strlen(name) + 1);
  if (strncmp(name, kOurs, strlen(kOurs)) != 0) return 1;
  EXPECT(type == MPI_UNSIGNED_LONG_LONG && values == MPI_T_ENUM_NULL);
  EXPECT(bound == MPI_T_BIND_NO_OBJECT && verbosity == MPI_T_VERBOSITY_USER_BASIC);
  EXPECT(!is_readonly && is_continuous && !is_atomic);
  EXPECT(*its_class == class_of(name));
  int wanted = 0, few = 8;
  char begin[8];
  EXPECT(MPI_T_pvar_get_info(index, NULL, &wanted, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                             NULL, NULL) == MPI_SUCCESS);
  EXPECT(wanted == length);
  EXPECT(MPI_T_pvar_get_info(index, begin, &few, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                             NULL, NULL) == MPI_SUCCESS);
  EXPECT(few == 8 && strcmp(begin, "terrace") == 0);
  return 1;
}

/// Every variable is found by its name, where that has no twin.
static void list(void) {
  int count = 0;
  EXPECT(MPI_T_pvar_get_num(&count) == MPI_SUCCESS);
  for (int index = 0; index < count; ++index) {
    char name[512] = "";
    int its_class = 0, found = -1;
    if (!describe(index, name, sizeof name, &its_class)) continue;
    if (rank == 0) printf("variable %d %s\n", index, name);
    EXPECT(MPI_T_pvar_get_index(name, its_class, &found) == MPI_SUCCESS);
    EXPECT(found == index || strncmp(name, kOurs, strlen(kOurs)) != 0);
  }
}

/// What is not there. (MPICH 4.0 crashes without Terrace.)
static void ask_in_vain(void) {
  char none[8];
  int length = sizeof none, count = 0;
  EXPECT(MPI_T_pvar_get_num(&count) == MPI_SUCCESS);
  EXPECT(MPI_T_pvar_get_info(count, none, &length, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                             NULL, NULL) == MPI_T_ERR_INVALID_INDEX);
  EXPECT(MPI_T_pvar_get_index("terrace_nothing", MPI_T_PVAR_CLASS_COUNTER, &length) != MPI_SUCCESS);
  EXPECT(MPI_T_pvar_get_index("terrace_bcast_bytes_run", MPI_T_PVAR_CLASS_COUNTER, &length) ==
         MPI_T_ERR_INVALID_NAME);
}

/// What was counted is what was called, on communicators that live and that are gone.
static void count_calls(void) {
  MPI_T_pvar_session session, other;
  EXPECT(MPI_T_pvar_session_create(&session) == MPI_SUCCESS);
  EXPECT(MPI_T_pvar_session_create(&other) == MPI_SUCCESS);
  MPI_T_pvar_handle run = handle_of(session, "terrace_allreduce_calls_run"),
                    fallen_back = handle_of(session, "terrace_allreduce_calls_fallen_back"),
                    bytes = handle_of(session, "terrace_allreduce_bytes_run"),
                    founded = handle_of(session, "terrace_teams_founded"),
                    rested = handle_of(session, "terrace_teams_rested"),
                    again = handle_of(other, "terrace_allreduce_calls_run");
  EXPECT(value_of(session, run) == 0 && value_of(session, fallen_back) == 0);
  for (int life = 0; life < 2; ++life) {
    MPI_Comm own;
    MPI_Comm_dup(MPI_COMM_WORLD, &own);
    use(own);
    MPI_Comm_free(&own);
  }
  use(MPI_COMM_WORLD);
  EXPECT(value_of(session, run) == 2 * (24 - 19) + (24 - 2));
  EXPECT(value_of(session, fallen_back) == 2 * 19 + 2);
  EXPECT(value_of(session, bytes) == sizeof(int) * value_of(session, run));
  EXPECT(value_of(session, founded) == 1);
  EXPECT(value_of(session, rested) == 2);  // the second life's, and then the world's
  unsigned long long before = 0, forty_two = 42;
  EXPECT(MPI_T_pvar_readreset(session, run, &before) == MPI_SUCCESS && before == 32);
  EXPECT(value_of(session, run) == 0 && value_of(other, again) == 32);
  EXPECT(MPI_T_pvar_write(session, run, &forty_two) == MPI_SUCCESS);
  use(MPI_COMM_WORLD);
  EXPECT(value_of(session, run) == 42 + 24 && value_of(other, again) == 32 + 24);
  EXPECT(MPI_T_pvar_start(session, run) == MPI_T_ERR_PVAR_NO_STARTSTOP);
  EXPECT(MPI_T_pvar_stop(session, run) == MPI_T_ERR_PVAR_NO_STARTSTOP);
  EXPECT(MPI_T_pvar_read(other, run, &before) == MPI_T_ERR_INVALID_HANDLE);
  EXPECT(MPI_T_pvar_reset(session, run) == MPI_SUCCESS && value_of(session, run) == 0);
  use(MPI_COMM_WORLD);
  // MPICH 5 crashes in it by its standard ABI, also without Terrace.
  const MPI_T_pvar_handle all =
      (uintptr_t)MPI_T_PVAR_ALL_HANDLES == 1 ? again : MPI_T_PVAR_ALL_HANDLES;
  EXPECT(MPI_T_pvar_reset(other, all) == MPI_SUCCESS);
  EXPECT(value_of(session, run) == 24 && value_of(other, again) == 0);
  EXPECT(MPI_T_pvar_handle_free(session, &run) == MPI_SUCCESS && run == MPI_T_PVAR_HANDLE_NULL);
  EXPECT(MPI_T_pvar_session_free(&session) == MPI_SUCCESS);
  EXPECT(value_of(other, again) == 0);
  EXPECT(MPI_T_pvar_session_free(&other) == MPI_SUCCESS);
}

static int has_ours(void) {
  int index = 0;
  return MPI_T_pvar_get_index("terrace_barrier_calls_run", MPI_T_PVAR_CLASS_COUNTER, &index) ==
         MPI_SUCCESS;
}

int main(int argc, char** argv) {
  int provided = 0, index = 0;
  EXPECT(MPI_T_pvar_get_num(&index) != MPI_SUCCESS);  // MPI_T has not begun
  MPI_T_init_thread(MPI_THREAD_SINGLE, &provided);
  const int had_ours = has_ours();  // before MPI begins
  MPI_Init(&argc, &argv);
  begin();
  EXPECT(had_ours == has_ours());
  if (had_ours) count_calls(), ask_in_vain();
  list();
  const int wrong = sum_up();
  MPI_T_finalize();  // Open MPI 4 crashes in it after MPI_Finalize
  MPI_Finalize();
  return wrong != 0;
}
