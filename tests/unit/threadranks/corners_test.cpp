// SPDX-License-Identifier: BSD-3-Clause
// Corners of the standard: what programs may do that few do.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "unit/threadranks/ranks.hpp"

using terrace::testing_ranks::class_of;
using terrace::testing_ranks::run_ranks;

namespace {

int other_of(int rank) {
  return 1 - rank;
}

}  // namespace

// Goal: messages of a communicator arrive, can be cancelled, and begin anew, after the program has
// freed it and others lie where it lay.
TEST(Corners, communicators_outlive_their_requests_needs) {
  run_ranks(2, [](int rank) {
    const int other = other_of(rank);
    MPI_Comm comm, later[8];
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    int in[3] = {-1, -1, -1}, out = rank, nothing = 0, flag = 0;
    MPI_Request requests[4], never, forgotten;
    MPI_Recv_init(&in[2], 1, MPI_INT, other, 3, comm, &requests[3]);
    MPI_Send_init(&out, 1, MPI_INT, other, 3, comm, &requests[2]);
    MPI_Irecv(&in[0], 1, MPI_INT, other, 1, comm, &requests[0]);
    MPI_Irecv(&in[1], 1, MPI_INT, other, 2, comm, &requests[1]);
    MPI_Irecv(&nothing, 1, MPI_INT, other, 9, comm, &never);
    MPI_Irecv(&nothing, 1, MPI_INT, other, 9, comm, &forgotten);
    if (rank == 0) MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send(&out, 1, MPI_INT, other, 1, comm);
    MPI_Send(&out, 1, MPI_INT, other, 2, comm);
    MPI_Comm_free(&comm);
    for (MPI_Comm& one : later) MPI_Comm_dup(MPI_COMM_SELF, &one);
    if (rank == 1) MPI_Barrier(MPI_COMM_WORLD);
    MPI_Startall(2, &requests[2]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    for (const int word : in) EXPECT_EQ(word, other);
    MPI_Status status;
    MPI_Cancel(&never);
    MPI_Wait(&never, &status);
    MPI_Test_cancelled(&status, &flag);
    EXPECT_TRUE(flag);
    MPI_Request_free(&forgotten);
    MPI_Request_free(&requests[2]);
    MPI_Request_free(&requests[3]);
    for (MPI_Comm& one : later) MPI_Comm_free(&one);
  });
}

namespace {

thread_local int handled = 0;
thread_local MPI_Comm handled_on = MPI_COMM_NULL;
void handle(MPI_Comm* comm, int*, ...) {
  ++handled;
  handled_on = *comm;
}

/// A receive on its way of a message that is longer, in `comm`.
MPI_Request too_long(MPI_Comm comm, int* in) {
  const int out[4] = {1, 2, 3, 4};
  MPI_Request request;
  MPI_Irecv(in, 1, MPI_INT, 0, 0, comm, &request);
  MPI_Send(out, 4, MPI_INT, 0, 0, comm);
  return request;
}

}  // namespace

// Goal: what goes wrong with a request is told as its communicator's error handler wants it; that
// of MPI_COMM_WORLD would end the job.
TEST(Corners, waits_fail_on_the_requests_communicator) {
  run_ranks(1, [](int) {
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(handle, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    MPI_Errhandler_free(&handler);
    int in = 0, index = -1, count = 0, flag = 0, indices[1];
    MPI_Status status;
    MPI_Request request = too_long(comm, &in);
    EXPECT_EQ(class_of(MPI_Wait(&request, &status)), MPI_ERR_TRUNCATE);
    EXPECT_EQ(request, MPI_REQUEST_NULL);
    request = too_long(comm, &in);
    EXPECT_EQ(class_of(MPI_Test(&request, &flag, &status)), MPI_ERR_TRUNCATE);
    request = too_long(comm, &in);
    EXPECT_EQ(class_of(MPI_Waitany(1, &request, &index, &status)), MPI_ERR_TRUNCATE);
    request = too_long(comm, &in);
    EXPECT_EQ(MPI_Waitall(1, &request, &status), MPI_ERR_IN_STATUS);
    EXPECT_EQ(class_of(status.MPI_ERROR), MPI_ERR_TRUNCATE);
    request = too_long(comm, &in);
    const MPI_Comm kept = comm;
    MPI_Comm_free(&comm);  // the request keeps it, and its handler
    EXPECT_EQ(MPI_Waitsome(1, &request, &count, indices, &status), MPI_ERR_IN_STATUS);
    EXPECT_EQ(class_of(status.MPI_ERROR), MPI_ERR_TRUNCATE);
    EXPECT_EQ(handled, 5);
    EXPECT_EQ(handled_on, kept);
  });
}

// Goal: a message that its sender has taken back is not there for probes.
TEST(Corners, probes_do_not_see_cancelled_messages) {
  run_ranks(2, [](int rank) {
    std::vector<char> block(50000);
    int flag = -1;
    if (rank == 0) {
      MPI_Request request;
      MPI_Status status;
      MPI_Isend(block.data(), 50000, MPI_CHAR, 1, 5, MPI_COMM_WORLD, &request);
      MPI_Cancel(&request);
      MPI_Wait(&request, &status);
      MPI_Test_cancelled(&status, &flag);
      EXPECT_TRUE(flag);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) {
      MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
      EXPECT_FALSE(flag);
    }
  });
}

// Goal: a matched message that is too long is told by the wait, not by the call that begins.
TEST(Corners, matched_messages_are_truncated_when_waited_for) {
  run_ranks(1, [](int) {
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    const int out[4] = {1, 2, 3, 4};
    int in = 0;
    MPI_Message message;
    MPI_Request request;
    MPI_Status status;
    MPI_Send(out, 4, MPI_INT, 0, 0, MPI_COMM_SELF);
    MPI_Mprobe(0, 0, MPI_COMM_SELF, &message, &status);
    EXPECT_EQ(MPI_Imrecv(&in, 1, MPI_INT, &message, &request), MPI_SUCCESS);
    EXPECT_EQ(class_of(MPI_Wait(&request, &status)), MPI_ERR_TRUNCATE);
    MPI_Send(out, 4, MPI_INT, 0, 0, MPI_COMM_SELF);
    MPI_Mprobe(0, 0, MPI_COMM_SELF, &message, &status);
    EXPECT_EQ(class_of(MPI_Mrecv(&in, 1, MPI_INT, &message, &status)), MPI_ERR_TRUNCATE);
    EXPECT_EQ(in, 1);
    EXPECT_EQ(message, MPI_MESSAGE_NULL);
  });
}

// Goal: where a rank gives itself more than it wants, it is told, and nothing beyond is written.
TEST(Corners, blocks_longer_than_their_places_are_refused) {
  run_ranks(2, [](int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    const int out[32] = {}, longer[2] = {8, 8}, shorter[2] = {4, 4}, apart[2] = {0, 8};
    int in[32], places[2] = {0, 4};
    std::fill(std::begin(in), std::end(in), -1);
    const MPI_Comm comm = MPI_COMM_WORLD;
    EXPECT_EQ(MPI_Allgather(out, 8, MPI_INT, in, 4, MPI_INT, comm), MPI_ERR_TRUNCATE);
    EXPECT_EQ(MPI_Alltoall(out, 8, MPI_INT, in, 4, MPI_INT, comm), MPI_ERR_TRUNCATE);
    EXPECT_EQ(MPI_Allgatherv(out, 8, MPI_INT, in, shorter, places, MPI_INT, comm),
              MPI_ERR_TRUNCATE);
    EXPECT_EQ(MPI_Alltoallv(out, longer, apart, MPI_INT, in, shorter, places, MPI_INT, comm),
              MPI_ERR_TRUNCATE);
    EXPECT_EQ(MPI_Allgather(out, 4, MPI_INT, in, 8, MPI_INT, comm), MPI_ERR_COUNT);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    EXPECT_EQ(MPI_Gather(out, 8, MPI_INT, in, 4, MPI_INT, 0, MPI_COMM_SELF), MPI_ERR_TRUNCATE);
    EXPECT_EQ(MPI_Scatter(out, 8, MPI_INT, in, 4, MPI_INT, 0, MPI_COMM_SELF), MPI_ERR_TRUNCATE);
    EXPECT_EQ(MPI_Scatterv(out, longer, apart, MPI_INT, in, 4, MPI_INT, 0, MPI_COMM_SELF),
              MPI_ERR_TRUNCATE);
    EXPECT_EQ(std::count(std::begin(in), std::end(in), -1), 32);
  });
}

// Goal: arguments that make no sense are errors, and crash nothing.
TEST(Corners, nonsense_is_refused) {
  run_ranks(1, [](int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int one[2] = {0, 0}, count = 0;
    MPI_Comm comm;
    MPI_Group world, group;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    EXPECT_EQ(MPI_Dims_create(0, 2, one), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Cart_create(MPI_COMM_WORLD, -1, one, one, 0, &comm), MPI_ERR_DIMS);
    EXPECT_EQ(MPI_Group_incl(world, -1, one, &group), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Group_incl(world, 2, one, &group), MPI_ERR_RANK);
    one[0] = 7;
    EXPECT_EQ(MPI_Group_excl(world, 1, one, &group), MPI_ERR_RANK);
    EXPECT_EQ(MPI_Comm_split_type(MPI_COMM_WORLD, 12345, 0, MPI_INFO_NULL, &comm), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Op_commutative(MPI_OP_NULL, &count), MPI_ERR_OP);
    EXPECT_EQ(MPI_Waitall(-1, &request, &status), MPI_ERR_COUNT);
    MPI_Group_free(&world);
  });
}

// Goal: MPI pairs its operators with predefined types alone, and a program hears of others. (Such a
// call once ended in a null pointer.)
TEST(Corners, operators_of_mpi_do_not_take_types_of_the_program) {
  run_ranks(1, [](int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    MPI_Datatype two;
    MPI_Type_contiguous(2, MPI_INT, &two);
    MPI_Type_commit(&two);
    int in[2] = {1, 2}, out[2] = {3, 4};
    EXPECT_EQ(MPI_Allreduce(in, out, 1, two, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_OP);
    EXPECT_EQ(MPI_Reduce_local(in, out, 1, two, MPI_MAX), MPI_ERR_OP);
    EXPECT_EQ(MPI_Allreduce(in, out, 1, MPI_WCHAR, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_OP);
    EXPECT_EQ(out[0], 3);
    MPI_Type_free(&two);
  });
}

// Goal: a rank that is in place where it may not be hears of it. (The address that MPI_IN_PLACE
// stands for was read, or written to.)
TEST(Corners, in_place_is_refused_where_mpi_does_not_allow_it) {
  run_ranks(1, [](int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    int mine[2] = {1, 2}, counts[] = {2}, places[] = {0};
    EXPECT_EQ(MPI_Allgather(mine, 2, MPI_INT, MPI_IN_PLACE, 2, MPI_INT, MPI_COMM_WORLD),
              MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Scatter(MPI_IN_PLACE, 2, MPI_INT, mine, 2, MPI_INT, 0, MPI_COMM_WORLD),
              MPI_ERR_BUFFER);
    EXPECT_EQ(
        MPI_Scatterv(MPI_IN_PLACE, counts, places, MPI_INT, mine, 2, MPI_INT, 0, MPI_COMM_WORLD),
        MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Alltoallv(mine, counts, places, MPI_INT, MPI_IN_PLACE, counts, places, MPI_INT,
                            MPI_COMM_WORLD),
              MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Gather(MPI_IN_PLACE, 2, MPI_INT, mine, 2, MPI_INT, 0, MPI_COMM_WORLD),
              MPI_SUCCESS);
  });
}

// Goal: of a block that is shorter than wanted, in a type with gaps, what has come is put in place,
// and what lies behind stays; one that is longer does not reach the program.
TEST(Corners, blocks_with_gaps_may_be_shorter_than_wanted) {
  run_ranks(2, [](int rank) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Datatype every_second;
    MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &every_second);
    MPI_Type_commit(&every_second);
    const int mine[2] = {10 + rank, 20 + rank};
    int all[8] = {-1, -1, -1, -1, -1, -1, -1, -1};
    int wanted[2] = {1, 2};
    const int places[2] = {0, 2};
    EXPECT_EQ(MPI_Gatherv(mine, 1, MPI_INT, all, wanted, places, every_second, 0, MPI_COMM_WORLD),
              MPI_SUCCESS);
    const std::vector<int> nothing(8, -1), blocks = {10, -1, -1, -1, 11, -1, -1, -1};
    EXPECT_EQ(std::vector<int>(all, all + 8), rank == 0 ? blocks : nothing);
    wanted[1] = 1;
    const int error = MPI_Gatherv(mine, rank == 0 ? 1 : 2, MPI_INT, all, wanted, places,
                                  every_second, 0, MPI_COMM_WORLD);
    EXPECT_EQ(error, rank == 0 ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
    EXPECT_EQ(std::vector<int>(all, all + 8), rank == 0 ? blocks : nothing);
    MPI_Type_free(&every_second);
  });
}

// Goal: every class of errors has a sentence.
TEST(Corners, classes_of_errors_have_sentences) {
  run_ranks(1, [](int) {
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    for (const int error_class : {MPI_ERR_KEYVAL, MPI_ERR_INFO, MPI_ERR_WIN, MPI_ERR_NO_SUCH_FILE,
                                  MPI_ERR_SESSION, MPI_ERR_VALUE_TOO_LARGE}) {
      MPI_Error_string(error_class, text, &length);
      EXPECT_EQ(std::string(text).find("error "), std::string::npos) << text;
    }
  });
}

// Goal: a tool that asks for what is not there learns so, and the job goes on.
TEST(Corners, tools_are_told_what_is_not_there) {
  run_ranks(1, [](int) {
    int provided = -1;
    EXPECT_EQ(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), MPI_SUCCESS);
    EXPECT_EQ(provided, MPI_THREAD_SINGLE);
    for (const auto ask : {MPI_T_event_get_num, MPI_T_source_get_num}) {
      int how_many = -1;
      EXPECT_EQ(ask(&how_many), MPI_SUCCESS);
      EXPECT_EQ(how_many, 0);
    }
    int index = 0, stamp = -1;
    MPI_T_cvar_handle handle = MPI_T_CVAR_HANDLE_NULL;
    EXPECT_EQ(MPI_T_cvar_get_index("any", &index), MPI_T_ERR_INVALID_NAME);
    EXPECT_EQ(MPI_T_cvar_read(handle, &index), MPI_T_ERR_INVALID_HANDLE);
    EXPECT_EQ(MPI_T_category_get_index("any", &index), MPI_T_ERR_INVALID_NAME);
    EXPECT_EQ(MPI_T_event_get_index("any", &index), MPI_T_ERR_INVALID_NAME);
    EXPECT_EQ(MPI_T_category_changed(&stamp), MPI_SUCCESS);
    EXPECT_EQ(stamp, 0);
    EXPECT_EQ(MPI_T_finalize(), MPI_SUCCESS);
    EXPECT_EQ(MPI_T_cvar_get_index("any", &index), MPI_T_ERR_NOT_INITIALIZED);
  });
}

/// Goal: elements of no bytes are not combined, and each call returns.
TEST(Corners, elements_of_no_bytes_can_be_combined) {
  run_ranks(3, [](int) {
    MPI_Datatype nothing;
    MPI_Type_contiguous(0, MPI_INT, &nothing);
    MPI_Type_commit(&nothing);
    MPI_Op op;
    MPI_Op_create([](void*, void*, int*, MPI_Datatype*) {}, 1, &op);
    int in[3] = {1, 2, 3}, out[3] = {4, 5, 6};
    const int counts[3] = {1, 2, 3};
    const MPI_Comm all = MPI_COMM_WORLD;
    EXPECT_EQ(MPI_Allreduce(in, out, 3, nothing, op, all), MPI_SUCCESS);
    EXPECT_EQ(MPI_Reduce(in, out, 3, nothing, op, 1, all), MPI_SUCCESS);
    EXPECT_EQ(MPI_Scan(in, out, 3, nothing, op, all), MPI_SUCCESS);
    EXPECT_EQ(MPI_Exscan(in, out, 3, nothing, op, all), MPI_SUCCESS);
    EXPECT_EQ(MPI_Reduce_scatter_block(in, out, 1, nothing, op, all), MPI_SUCCESS);
    EXPECT_EQ(MPI_Reduce_scatter(in, out, counts, nothing, op, all), MPI_SUCCESS);
    MPI_Request request;
    EXPECT_EQ(MPI_Iallreduce(in, out, 3, nothing, op, all, &request), MPI_SUCCESS);
    EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    EXPECT_TRUE(out[0] == 4 && out[1] == 5 && out[2] == 6);
    MPI_Op_free(&op);
    MPI_Type_free(&nothing);
  });
}

TEST(Corners, what_is_nothing_has_a_name) {
  run_ranks(2, [](int rank) {
    char name[MPI_MAX_OBJECT_NAME];
    int length = 0;
    EXPECT_EQ(MPI_Comm_get_name(MPI_COMM_NULL, name, &length), MPI_SUCCESS);
    EXPECT_STREQ(name, "MPI_COMM_NULL");
    EXPECT_EQ(MPI_Type_get_name(MPI_DATATYPE_NULL, name, &length), MPI_SUCCESS);
    EXPECT_STREQ(name, "MPI_DATATYPE_NULL");
    if (rank == 0) MPI_Type_set_name(MPI_INT, "whole");
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(MPI_Type_get_name(MPI_INT, name, &length), MPI_SUCCESS);
    EXPECT_STREQ(name, rank == 0 ? "whole" : "MPI_INT");
  });
}

TEST(Corners, nothing_from_nobody_has_no_type) {
  run_ranks(1, [](int) {
    MPI_Request request;
    EXPECT_EQ(MPI_Irecv(nullptr, 0, MPI_DATATYPE_NULL, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request),
              MPI_SUCCESS);
    EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    EXPECT_EQ(MPI_Recv(nullptr, 0, MPI_DATATYPE_NULL, MPI_PROC_NULL, 0, MPI_COMM_WORLD,
                       MPI_STATUS_IGNORE),
              MPI_SUCCESS);
  });
}

// Goal: looks at several requests tell what a test would, and leave the requests as they are.
TEST(Corners, several_requests_tell_their_statuses) {
  run_ranks(2, [](int rank) {
    int values[2] = {}, flag = -1, index = -1, done = -1, indices[3];
    MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status statuses[3];
    EXPECT_EQ(MPI_Request_get_status_any(3, requests, &index, &flag, statuses), MPI_SUCCESS);
    EXPECT_TRUE(flag && index == MPI_UNDEFINED);
    EXPECT_EQ(MPI_Request_get_status_some(3, requests, &done, indices, statuses), MPI_SUCCESS);
    EXPECT_EQ(done, MPI_UNDEFINED);
    for (int tag = 0; rank == 0 && tag < 2; ++tag)
      MPI_Irecv(values + tag, 1, MPI_INT, 1, tag, MPI_COMM_WORLD, requests + 1 + tag);
    if (rank == 0) {
      MPI_Request_get_status_all(3, requests, &flag, statuses);
      EXPECT_FALSE(flag);
      MPI_Request_get_status_any(3, requests, &index, &flag, statuses);
      EXPECT_TRUE(!flag && index == MPI_UNDEFINED);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) MPI_Send(&rank, 1, MPI_INT, 0, 1, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    for (flag = 0; rank == 0 && !flag;)
      MPI_Request_get_status_any(3, requests, &index, &flag, statuses);
    if (rank == 0) {
      EXPECT_TRUE(index == 2 && statuses[0].MPI_TAG == 1);
      MPI_Request_get_status_some(3, requests, &done, indices, statuses);
      EXPECT_TRUE(done == 1 && indices[0] == 2 && statuses[0].MPI_SOURCE == 1);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1) MPI_Send(&rank, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    for (flag = 0; rank == 0 && !flag;) MPI_Request_get_status_all(3, requests, &flag, statuses);
    if (rank == 0) {
      EXPECT_TRUE(statuses[1].MPI_TAG == 0 && statuses[2].MPI_TAG == 1);
      EXPECT_EQ(MPI_Waitall(3, requests, statuses), MPI_SUCCESS);
      EXPECT_TRUE(values[0] == 1 && values[1] == 1);
    }
  });
}

namespace {

int fails(void*, MPI_Status*) {
  return MPI_ERR_NAME;
}
int does_nothing(void*) {
  return MPI_SUCCESS;
}
int cancels_nothing(void*, int) {
  return MPI_SUCCESS;
}

}  // namespace

// Goal: what a general request's function returns is what the wait returns.
TEST(Corners, functions_of_general_requests_fail_as_they_say) {
  run_ranks(1, [](int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Request request;
    MPI_Grequest_start(fails, does_nothing, cancels_nothing, nullptr, &request);
    MPI_Grequest_complete(request);
    EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_ERR_NAME);
  });
}

namespace {

thread_local int another_key = MPI_KEYVAL_INVALID;
int copies_and_attaches(MPI_Comm comm, int, void*, void*, void*, int* flag) {
  *flag = 0;
  static std::vector<std::vector<char>> fillers;  // lie where something has been given back
  for (const std::size_t bytes : {16, 32, 64, 128}) fillers.emplace_back(bytes, '\xff');
  char* word = nullptr;
  int is_there = 0;
  MPI_Comm_get_attr(comm, another_key, &word, &is_there);
  return is_there ? MPI_Comm_delete_attr(comm, another_key)
                  : MPI_Comm_set_attr(comm, another_key, nullptr);
}

}  // namespace

// Goal: functions of attributes may attach others to the communicator, and take others away.
TEST(Corners, functions_of_attributes_may_touch_others) {
  run_ranks(1, [](int) {
    int keys[4];
    MPI_Comm comm, copy;
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &another_key, nullptr);
    for (int& key : keys) {
      MPI_Comm_create_keyval(copies_and_attaches, MPI_COMM_NULL_DELETE_FN, &key, nullptr);
      MPI_Comm_set_attr(comm, key, nullptr);
    }
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(MPI_Comm_dup(comm, &copy), MPI_SUCCESS);
      MPI_Comm_free(&copy);
    }
    MPI_Comm_free(&comm);
  });
}

namespace {

std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t all = 0, resident = 0;
  file >> all >> resident;
  return resident * 4096;
}

}  // namespace

// Goal: of many communicators in use, most hold no more memory than they have touched, where the
// system has huge pages, too.
TEST(Corners, many_communicators_take_little_memory) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "what sanitizers keep of memory is also resident";
#endif
  constexpr int kRanks = 4;
  constexpr std::size_t kMany = 64;
  std::atomic<std::size_t> before{0}, after{0};
  run_ranks(kRanks, [&](int rank) {
    std::vector<MPI_Comm> comms(kMany);
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0) before = resident_bytes();
    for (MPI_Comm& comm : comms) {
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
      MPI_Barrier(comm);
    }
    if (rank == 0) after = resident_bytes();
    for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
  });
  EXPECT_LT(after, before + (kMany << 20)) << after - before;
}

// Goal: buffers are attached to a rank, a communicator and a session, one to each, and given back.
TEST(Buffers, are_given_back_as_they_were) {
  run_ranks(1, [](int) {
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Session session;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    char first[100], second[200], third[300];
    EXPECT_EQ(MPI_Buffer_attach_c(first, 100), MPI_SUCCESS);
    EXPECT_EQ(MPI_Comm_attach_buffer(MPI_COMM_WORLD, second, 200), MPI_SUCCESS);
    EXPECT_EQ(MPI_Session_attach_buffer_c(session, third, 300), MPI_SUCCESS);
    EXPECT_EQ(MPI_Buffer_attach(first, 100), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Comm_attach_buffer_c(MPI_COMM_WORLD, second, 200), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Session_attach_buffer(session, third, 300), MPI_ERR_BUFFER);
    const int out = 7;
    int in = 0;
    MPI_Bsend(&out, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
    MPI_Request requests[3];
    EXPECT_EQ(MPI_Buffer_flush(), MPI_SUCCESS);
    EXPECT_EQ(MPI_Comm_flush_buffer(MPI_COMM_WORLD), MPI_SUCCESS);
    EXPECT_EQ(MPI_Session_flush_buffer(session), MPI_SUCCESS);
    EXPECT_EQ(MPI_Buffer_iflush(&requests[0]), MPI_SUCCESS);
    EXPECT_EQ(MPI_Comm_iflush_buffer(MPI_COMM_WORLD, &requests[1]), MPI_SUCCESS);
    EXPECT_EQ(MPI_Session_iflush_buffer(session, &requests[2]), MPI_SUCCESS);
    EXPECT_EQ(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE), MPI_SUCCESS);
    MPI_Recv(&in, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT_EQ(in, 7);
    void* place = nullptr;
    MPI_Count bytes = 0;
    int few = 0;
    MPI_Buffer_detach_c(&place, &bytes);
    EXPECT_TRUE(place == first && bytes == 100);
    MPI_Comm_detach_buffer(MPI_COMM_WORLD, &place, &few);
    EXPECT_TRUE(place == second && few == 200);
    MPI_Session_detach_buffer_c(session, &place, &bytes);
    EXPECT_TRUE(place == third && bytes == 300);
    MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 5);
    MPI_Buffer_detach(&place, &few);
    EXPECT_TRUE(place == MPI_BUFFER_AUTOMATIC && few == 0);
    MPI_Session_finalize(&session);
  });
}
