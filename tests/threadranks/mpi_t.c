// SPDX-License-Identifier: BSD-3-Clause
// MPI_T under thread ranks: what its performance variables count is what was called.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong;
#define EXPECT(condition)                                      \
  do {                                                         \
    if (!(condition)) {                                        \
      printf("line %d: %s is not so\n", __LINE__, #condition); \
      ++wrong;                                                 \
    }                                                          \
  } while (0)

#include "../mpi/performance_variables.h"

enum { kCalls = 40, kLength = 5 };

/// Every variable tells what it is, and is found by its name.
static void list(void) {
  int count = 0;
  EXPECT(MPI_T_pvar_get_num(&count) == MPI_SUCCESS && count == 2 * 17 + 1);
  for (int index = 0; index < count; ++index) {
    char name[64], about[128], few[8];
    int length = sizeof name, about_length = sizeof about, verbosity, its_class, bound, is_readonly,
        is_continuous, is_atomic, found = -1, room = sizeof few, wanted = 0;
    MPI_Datatype type;
    MPI_T_enum values;
    EXPECT(MPI_T_pvar_get_info(index, name, &length, &verbosity, &its_class, &type, &values, about,
                               &about_length, &bound, &is_readonly, &is_continuous,
                               &is_atomic) == MPI_SUCCESS);
    EXPECT(length == (int)strlen(name) + 1 && about_length == (int)strlen(about) + 1);
    EXPECT(its_class == class_of(name) && type == MPI_UNSIGNED_LONG_LONG);
    EXPECT(verbosity == MPI_T_VERBOSITY_USER_BASIC && values == MPI_T_ENUM_NULL);
    EXPECT(bound == MPI_T_BIND_NO_OBJECT && !is_readonly && is_continuous && !is_atomic);
    EXPECT(MPI_T_pvar_get_index(name, its_class, &found) == MPI_SUCCESS && found == index);
    EXPECT(MPI_T_pvar_get_info(index, few, &room, NULL, NULL, NULL, NULL, NULL, &wanted, NULL, NULL,
                               NULL, NULL) == MPI_SUCCESS);
    EXPECT(room == 8 && strcmp(few, "terrace") == 0 && wanted == about_length);
  }
  int none = 0;
  EXPECT(MPI_T_pvar_get_info(count, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                             NULL, NULL) == MPI_T_ERR_INVALID_INDEX);
  EXPECT(MPI_T_pvar_get_index("terrace_nothing", MPI_T_PVAR_CLASS_COUNTER, &none) ==
         MPI_T_ERR_INVALID_NAME);
  EXPECT(MPI_T_pvar_get_index("terrace_bcast_bytes_run", MPI_T_PVAR_CLASS_COUNTER, &none) ==
         MPI_T_ERR_INVALID_NAME);
}

/// Calls of one collective that are blocking, nonblocking and persistent, and two of no elements.
static void reduce(MPI_Comm comm) {
  int in[kLength] = {1, 2, 3, 4, 5}, out[kLength];
  MPI_Request request;
  for (int call = 0; call < kCalls; ++call) MPI_Allreduce(in, out, kLength, MPI_INT, MPI_SUM, comm);
  MPI_Iallreduce(in, out, kLength, MPI_INT, MPI_SUM, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Allreduce_init(in, out, kLength, MPI_INT, MPI_SUM, comm, MPI_INFO_NULL, &request);
  for (int start = 0; start < 3; ++start) {
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
  MPI_Allreduce(in, out, 0, MPI_INT, MPI_SUM, comm);
  MPI_Iallreduce(in, out, 0, MPI_INT, MPI_SUM, comm, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}
enum { kReduced = kCalls + 1 + 3, kOfNothing = 2 };

static void exchange(MPI_Comm comm, int rank, int ranks) {
  int* const counts = malloc(sizeof(int) * (size_t)ranks);
  int* const places = malloc(sizeof(int) * (size_t)ranks);
  int total = 0;
  for (int i = 0; i < ranks; ++i) {
    counts[i] = i + 1;
    places[i] = total;
    total += counts[i];
  }
  double* const in = calloc((size_t)total, sizeof(double));
  double* const out = calloc((size_t)total, sizeof(double));
  MPI_Allgatherv(in, counts[rank], MPI_DOUBLE, out, counts, places, MPI_DOUBLE, comm);
  MPI_Reduce_scatter(in, out, counts, MPI_DOUBLE, MPI_SUM, comm);
  MPI_Gather(in, 1, MPI_DOUBLE, out, 1, MPI_DOUBLE, 0, comm);
  MPI_Barrier(comm);
  for (int i = 0; i < ranks; ++i) counts[i] = 0;
  MPI_Alltoallv(in, counts, places, MPI_DOUBLE, out, counts, places, MPI_DOUBLE, comm);
  free(counts), free(places), free(in), free(out);
}

static void count(int rank, int ranks) {
  MPI_T_pvar_session session, other;
  EXPECT(MPI_T_pvar_session_create(&session) == MPI_SUCCESS);
  EXPECT(MPI_T_pvar_session_create(&other) == MPI_SUCCESS);
  const MPI_T_pvar_handle bytes = handle_of(session, "terrace_allreduce_bytes_run"),
                          teams = handle_of(session, "terrace_teams_founded"),
                          again = handle_of(other, "terrace_allreduce_calls_run");
  MPI_T_pvar_handle run = handle_of(session, "terrace_allreduce_calls_run");
  EXPECT(value_of(session, run) == 0);
  reduce(MPI_COMM_WORLD);
  EXPECT(value_of(session, run) == kReduced + kOfNothing);
  EXPECT(value_of(session, bytes) == kReduced * kLength * sizeof(int));
  MPI_Comm half;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &half);
  reduce(half);
  MPI_Comm_free(&half);
  EXPECT(value_of(session, run) == 2 * (kReduced + kOfNothing));
  EXPECT(value_of(session, teams) >= 2);
  exchange(MPI_COMM_WORLD, rank, ranks);
  const char* const each[] = {"allgatherv", "reduce_scatter", "gather", "barrier"};
  for (int i = 0; i < 4; ++i) {
    char name[64];
    snprintf(name, sizeof name, "terrace_%s_calls_run", each[i]);
    EXPECT(value_of(other, handle_of(other, name)) == 1);
  }
  EXPECT(value_of(other, handle_of(other, "terrace_allgatherv_bytes_run")) ==
         (size_t)ranks * sizeof(double));
  unsigned long long before = 0, forty_two = 42;
  EXPECT(MPI_T_pvar_readreset(session, run, &before) == MPI_SUCCESS);
  EXPECT(before == 2 * (kReduced + kOfNothing) && value_of(session, run) == 0);
  EXPECT(value_of(other, again) == before);
  EXPECT(MPI_T_pvar_write(session, run, &forty_two) == MPI_SUCCESS);
  EXPECT(value_of(session, run) == 42 && value_of(other, again) == before);
  EXPECT(MPI_T_pvar_start(session, run) == MPI_T_ERR_PVAR_NO_STARTSTOP);
  EXPECT(MPI_T_pvar_stop(session, run) == MPI_T_ERR_PVAR_NO_STARTSTOP);
  EXPECT(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES) == MPI_SUCCESS);
  EXPECT(MPI_T_pvar_read(other, run, &before) == MPI_T_ERR_INVALID_HANDLE);
  EXPECT(MPI_T_pvar_reset(other, MPI_T_PVAR_ALL_HANDLES) == MPI_SUCCESS);
  EXPECT(value_of(other, again) == 0 && value_of(session, run) == 42);
  EXPECT(MPI_T_pvar_reset(session, run) == MPI_SUCCESS && value_of(session, run) == 0);
  EXPECT(MPI_T_pvar_handle_free(session, &run) == MPI_SUCCESS && run == MPI_T_PVAR_HANDLE_NULL);
  MPI_T_pvar_session gone = session;
  EXPECT(MPI_T_pvar_session_free(&session) == MPI_SUCCESS && session == MPI_T_PVAR_SESSION_NULL);
  EXPECT(MPI_T_pvar_read(gone, bytes, &before) == MPI_T_ERR_INVALID_SESSION);
  EXPECT(MPI_T_pvar_session_free(&other) == MPI_SUCCESS);
}

int main(int argc, char** argv) {
  int provided = 0, count_of = 0, rank = 0, ranks = 0;
  EXPECT(MPI_T_pvar_get_num(&count_of) == MPI_T_ERR_NOT_INITIALIZED);
  EXPECT(MPI_T_finalize() == MPI_T_ERR_NOT_INITIALIZED);
  EXPECT(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided) == MPI_SUCCESS);
  list();  // before MPI begins
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  count(rank, ranks);
  MPI_Finalize();
  EXPECT(MPI_T_finalize() == MPI_SUCCESS);
  EXPECT(MPI_T_pvar_get_num(&count_of) == MPI_T_ERR_NOT_INITIALIZED);
  if (wrong == 0) puts("right");
  return wrong != 0;
}
