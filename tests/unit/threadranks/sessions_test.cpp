// SPDX-License-Identifier: BSD-3-Clause
// MPI without MPI_Init: sessions, as often as one likes.
#include <gtest/gtest.h>

#include <string>

#include "unit/threadranks/ranks.hpp"

using terrace::testing_ranks::begin_job;
using terrace::testing_ranks::run_ranks_without_mpi;

namespace {

MPI_Comm communicator_of(MPI_Session session, const char* set, const char* word) {
  MPI_Group group;
  MPI_Comm comm;
  EXPECT_EQ(MPI_Group_from_session_pset(session, set, &group), MPI_SUCCESS);
  EXPECT_EQ(MPI_Comm_create_from_group(group, word, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm),
            MPI_SUCCESS);
  MPI_Group_free(&group);
  return comm;
}

int sum_of_ranks(MPI_Comm comm) {
  int rank, sum = -1;
  MPI_Comm_rank(comm, &rank);
  MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  return sum;
}

// Goal: communicators of both sets work, in two sessions at once and in others after them.
TEST(Sessions, make_communicators_of_sets_again_and_again) {
  run_ranks_without_mpi(3, [](int) {
    for (int time = 0; time < 3; ++time) {
      MPI_Session first, second;
      ASSERT_EQ(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &first), MPI_SUCCESS);
      ASSERT_EQ(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &second), MPI_SUCCESS);
      int flag = 1;
      MPI_Initialized(&flag);
      EXPECT_FALSE(flag);
      MPI_Comm all = communicator_of(first, "mpi://WORLD", "all");
      MPI_Comm again = communicator_of(second, "mpi://WORLD", "again");
      MPI_Comm self = communicator_of(second, "mpi://self", "self");
      EXPECT_EQ(sum_of_ranks(all), 3);
      EXPECT_EQ(sum_of_ranks(again), 3);
      EXPECT_EQ(sum_of_ranks(self), 0);
      MPI_Comm_free(&all);
      EXPECT_EQ(MPI_Session_finalize(&first), MPI_SUCCESS);
      EXPECT_EQ(first, MPI_SESSION_NULL);
      EXPECT_EQ(sum_of_ranks(again), 3);
      MPI_Comm_free(&again);
      MPI_Comm_free(&self);
      EXPECT_EQ(MPI_Session_finalize(&second), MPI_SUCCESS);
    }
  });
}

// Goal: a program learns what sets there are, with as much of a name as it has room for.
TEST(Sessions, tell_their_sets) {
  run_ranks_without_mpi(2, [](int) {
    MPI_Session session;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    int count = 0;
    MPI_Session_get_num_psets(session, MPI_INFO_NULL, &count);
    ASSERT_EQ(count, 2);
    const char* const sizes[] = {"2", "1"};
    for (int i = 0; i < count; ++i) {
      int length = 0, flag = 0, room = 16;
      MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, nullptr);
      std::string name(static_cast<std::size_t>(length), '?');
      MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, name.data());
      EXPECT_STREQ(name.c_str(), i == 0 ? "mpi://WORLD" : "mpi://SELF");
      char start[4] = "???";
      int few = 3;
      MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &few, start);
      EXPECT_STREQ(start, "mp");
      EXPECT_EQ(few, length);
      MPI_Info info;
      char value[16] = "";
      MPI_Session_get_pset_info(session, name.c_str(), &info);
      MPI_Info_get_string(info, "mpi_size", &room, value, &flag);
      EXPECT_TRUE(flag);
      EXPECT_STREQ(value, sizes[i]);
      MPI_Info_free(&info);
    }
    int length = 0;
    EXPECT_EQ(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 2, &length, nullptr), MPI_ERR_ARG);
    MPI_Group group;
    EXPECT_EQ(MPI_Group_from_session_pset(session, "mpi://NONE", &group), MPI_ERR_ARG);
    MPI_Session_finalize(&session);
  });
}

thread_local int codes_seen = 0;
void note(MPI_Session*, int* code, ...) {
  codes_seen += *code;
}

void ignore(MPI_Comm*, int*, ...) {}

// Goal: errors of a session call its own handler, and handlers of communicators are none of it.
TEST(Sessions, have_error_handlers_of_their_own) {
  run_ranks_without_mpi(2, [](int) {
    codes_seen = 0;
    MPI_Errhandler handler, found;
    MPI_Session_create_errhandler(note, &handler);
    MPI_Session session;
    MPI_Session_init(MPI_INFO_NULL, handler, &session);
    MPI_Session_get_errhandler(session, &found);
    EXPECT_EQ(found, handler);
    MPI_Errhandler_free(&found);
    MPI_Errhandler_free(&handler);
    MPI_Group group;
    EXPECT_EQ(MPI_Group_from_session_pset(session, "none", &group), MPI_ERR_ARG);
    EXPECT_EQ(codes_seen, MPI_ERR_ARG);
    MPI_Session_call_errhandler(session, MPI_ERR_OTHER);
    EXPECT_EQ(codes_seen, MPI_ERR_ARG + MPI_ERR_OTHER);
    MPI_Session_set_errhandler(session, MPI_ERRORS_RETURN);
    EXPECT_EQ(MPI_Group_from_session_pset(session, "none", &group), MPI_ERR_ARG);
    EXPECT_EQ(codes_seen, MPI_ERR_ARG + MPI_ERR_OTHER);
    MPI_Errhandler of_communicators;
    MPI_Comm_create_errhandler(ignore, &of_communicators);
    EXPECT_EQ(MPI_Session_set_errhandler(session, of_communicators), MPI_ERR_ARG);
    MPI_Errhandler_free(&of_communicators);
    MPI_Session_finalize(&session);
  });
}

// Goal: a rank that ends with a session open ends the job, as others may wait for it.
TEST(Sessions, that_stay_open_end_the_job) {
  EXPECT_DEATH(
      {
        begin_job(1);
        terrace_ranks_enter(0);
        MPI_Session session;
        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
        terrace_ranks_leave(0, 0);
      },
      "rank 0 has ended with code 0 and without MPI_Session_finalize");
}

// Goal: MPI is not there between sessions.
TEST(Sessions, are_needed_for_calls) {
  EXPECT_DEATH(
      {
        begin_job(1);
        terrace_ranks_enter(0);
        MPI_Session session;
        MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
        MPI_Session_finalize(&session);
        int rank;
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
      },
      "MPI is not initialized");
}

}  // namespace
