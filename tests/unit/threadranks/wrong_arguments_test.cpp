// SPDX-License-Identifier: BSD-3-Clause
// Arguments that MPI does not allow: handles that the program has freed, and what is wrong on all
// ranks alike, which must be the same error on all.
#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <string>
#include <vector>

#include "unit/threadranks/ranks.hpp"

using terrace::testing_ranks::class_of;
using terrace::testing_ranks::run_ranks;

namespace {

void return_errors() {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
}

thread_local int counted_errors = 0;
void counts_errors(MPI_Comm*, int*, ...) {
  ++counted_errors;
}

}  // namespace

// Goal: no rank begins a call that others refuse. (Rank 0 of an exscan, and ranks without elements
// or neighbours, did not look at their buffers, and waited for the others.)
TEST(WrongArguments, are_the_same_error_on_all_ranks) {
  run_ranks(3, [](int rank) {
    return_errors();
    int x[4] = {1, 1, 1, 1}, sum = 0;
    const int counts[] = {0, 2, 0};
    MPI_Request request;
    for (int round = 0; round < 2; ++round) {
      EXPECT_EQ(MPI_Exscan(x, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_BUFFER);
      EXPECT_EQ(MPI_Iexscan(x, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request),
                MPI_ERR_BUFFER);
      EXPECT_EQ(MPI_Exscan_init(x, MPI_IN_PLACE, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL,
                                &request),
                MPI_ERR_BUFFER);
      EXPECT_EQ(MPI_Reduce_scatter(x, MPI_IN_PLACE, counts, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
                MPI_ERR_BUFFER);
      EXPECT_EQ(MPI_Reduce_scatter(x, &sum, nullptr, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
                MPI_ERR_ARG);
      EXPECT_EQ(MPI_Allgatherv(x, 1, MPI_INT, x + 1, nullptr, counts, MPI_INT, MPI_COMM_WORLD),
                MPI_ERR_ARG);
      EXPECT_EQ(MPI_Exscan(x, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
      EXPECT_EQ(sum, rank);
      sum = 0;
    }
    // Rank 0 need not have a buffer for a result that it does not get.
    EXPECT_EQ(MPI_Exscan(x, rank == 0 ? nullptr : &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
              MPI_SUCCESS);
    EXPECT_EQ(sum, rank);
  });
}

TEST(WrongArguments, are_errors_of_ranks_without_neighbours) {
  run_ranks(3, [](int rank) {
    return_errors();
    const int self = rank, degree = rank == 0 ? 1 : 0, to = 1;
    int x[4] = {1, 1, 1, 1}, y[4] = {};
    MPI_Comm pair;
    MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &self, &degree, &to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                          &pair);
    EXPECT_EQ(MPI_Neighbor_allgather(MPI_IN_PLACE, 1, MPI_INT, y, 1, MPI_INT, pair),
              MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Neighbor_alltoall(x, 1, MPI_INT, MPI_IN_PLACE, 1, MPI_INT, pair), MPI_ERR_BUFFER);
    EXPECT_EQ(MPI_Neighbor_allgather(x, -1, MPI_INT, y, 1, MPI_INT, pair), MPI_ERR_COUNT);
    EXPECT_EQ(MPI_Neighbor_allgather(x, 1, MPI_INT, y, 1, MPI_DATATYPE_NULL, pair), MPI_ERR_TYPE);
    if (rank == 1) {
      EXPECT_EQ(MPI_Neighbor_allgatherv(x, 1, MPI_INT, y, nullptr, nullptr, MPI_INT, pair),
                MPI_ERR_ARG);
    }
    EXPECT_EQ(MPI_Neighbor_allgather(x, 1, MPI_INT, y, 1, MPI_INT, pair), MPI_SUCCESS);
    EXPECT_EQ(y[0], rank == 1 ? 1 : 0);
    MPI_Comm_free(&pair);
  });
}

// Goal: as the MPIs of its ABI do, a rank refuses a buffer that is sent and received, in each call.
TEST(WrongArguments, are_equal_buffers_in_each_call) {
  run_ranks(2, [](int rank) {
    return_errors();
    long x[2] = {1, 2}, y[2] = {};
    for (int round = 0; round < 4; ++round) {
      EXPECT_EQ(MPI_Allreduce(x, x, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_BUFFER);
      EXPECT_EQ(MPI_Allreduce(x, y, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
      EXPECT_EQ(y[1], 4);
      EXPECT_EQ(MPI_Allreduce(MPI_IN_PLACE, y, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD), MPI_SUCCESS);
      EXPECT_EQ(y[1], 8);
      EXPECT_EQ(MPI_Allreduce(x, x, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD), MPI_ERR_BUFFER);
      // A receive buffer that is not looked at may be the same.
      y[0] = y[1] = 3;
      EXPECT_EQ(
          MPI_Reduce(rank == 0 ? MPI_IN_PLACE : y, y, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD),
          MPI_SUCCESS);
      EXPECT_EQ(y[1], rank == 0 ? 6 : 3);
    }
  });
}

// Goal: a communicator is made of its parent's members alone.
TEST(WrongArguments, are_groups_that_a_communicator_does_not_have) {
  run_ranks(4, [](int rank) {
    return_errors();
    MPI_Comm half, made;
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &half);
    MPI_Group all;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    EXPECT_EQ(class_of(MPI_Comm_create_group(half, all, 0, &made)), MPI_ERR_GROUP);
    EXPECT_EQ(class_of(MPI_Comm_create(half, all, &made)), MPI_ERR_GROUP);
    EXPECT_EQ(class_of(MPI_Comm_create_group(MPI_COMM_WORLD, all, -1, &made)), MPI_ERR_TAG);
    for (const int leader : {-1, 4})
      EXPECT_EQ(class_of(MPI_Intercomm_create_from_groups(all, leader, all, 0, "w", MPI_INFO_NULL,
                                                          MPI_ERRORS_RETURN, &made)),
                MPI_ERR_RANK);
    made = MPI_COMM_WORLD;
    EXPECT_EQ(MPI_Intercomm_create_from_groups(all, 0, MPI_GROUP_EMPTY, 0, "w", MPI_INFO_NULL,
                                               MPI_ERRORS_RETURN, &made),
              MPI_SUCCESS);
    EXPECT_EQ(made, MPI_COMM_NULL);
    MPI_Group_free(&all);
    MPI_Comm_free(&half);
  });
}

// Goal: ranges that have no rank are refused, and steps do not overflow.
TEST(WrongArguments, are_ranges_without_ranks) {
  run_ranks(1, [](int) {
    return_errors();
    MPI_Group all, part;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    int wrong[][1][3] = {{{0, -1, 1}}, {{-1, 0, -1}}, {{0, 0, 0}}, {{0, 1, 1}}};
    for (auto& range : wrong)
      EXPECT_EQ(MPI_Group_range_incl(all, 1, range, &part), MPI_ERR_ARG) << range[0][1];
    int far[1][3] = {{0, 0, INT_MAX}}, back[1][3] = {{0, 0, INT_MIN}};
    for (auto* const range : {&far, &back}) {
      EXPECT_EQ(MPI_Group_range_incl(all, 1, *range, &part), MPI_SUCCESS);
      int size = 0;
      MPI_Group_size(part, &size);
      EXPECT_EQ(size, 1);
      MPI_Group_free(&part);
    }
    MPI_Group_free(&all);
  });
}

// Goal: no array is written or read outside of its room.
TEST(WrongArguments, are_arrays_without_room) {
  run_ranks(2, [](int) {
    return_errors();
    MPI_Comm grid, made;
    const int sizes[] = {2, 1}, periods[] = {0, 0};
    MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periods, 0, &grid);
    MPI_Comm_set_errhandler(grid, MPI_ERRORS_RETURN);
    int a[2] = {-5, -5}, b[2] = {}, c[2] = {};
    for (const int room : {-1, 0, 1}) {
      EXPECT_EQ(class_of(MPI_Cart_get(grid, room, a, b, c)), MPI_ERR_ARG);
      EXPECT_EQ(class_of(MPI_Cart_coords(grid, 0, room, a)), MPI_ERR_ARG);
    }
    EXPECT_EQ(a[0], -5);
    EXPECT_EQ(MPI_Cart_get(grid, 2, a, b, c), MPI_SUCCESS);
    EXPECT_EQ(a[0], 2);
    MPI_Comm_free(&grid);
    // A product that overflows is no small one.
    const int huge[] = {65536, 65536, 65536, 65536, 1}, none[] = {0, 0, 0, 0, 0};
    int place = 0;
    EXPECT_EQ(class_of(MPI_Cart_create(MPI_COMM_WORLD, 5, huge, none, 0, &made)), MPI_ERR_DIMS);
    EXPECT_EQ(class_of(MPI_Cart_map(MPI_COMM_WORLD, 5, huge, none, &place)), MPI_ERR_DIMS);
    EXPECT_EQ(class_of(MPI_Cart_map(MPI_COMM_WORLD, -1, none, none, &place)), MPI_ERR_DIMS);
    EXPECT_EQ(MPI_Cart_map(MPI_COMM_WORLD, 2, none, none, &place), MPI_SUCCESS);
    EXPECT_EQ(place, MPI_UNDEFINED);
    char packed[16] = {};
    int position = -4, value = 7;
    EXPECT_EQ(class_of(MPI_Pack(&value, 1, MPI_INT, packed, 16, &position, MPI_COMM_WORLD)),
              MPI_ERR_ARG);
    EXPECT_EQ(class_of(MPI_Unpack(packed, 16, &position, &value, 1, MPI_INT, MPI_COMM_WORLD)),
              MPI_ERR_ARG);
    EXPECT_EQ(MPI_Pack(&value, 0, MPI_INT, packed, 16, &position, MPI_COMM_WORLD), MPI_SUCCESS);
    MPI_Aint far = -4;
    EXPECT_EQ(class_of(MPI_Pack_external("external32", &value, 1, MPI_INT, packed, 16, &far)),
              MPI_ERR_ARG);
    EXPECT_EQ(class_of(MPI_Unpack_external("external32", packed, 16, &far, &value, 1, MPI_INT)),
              MPI_ERR_ARG);
    position = INT_MAX;
    EXPECT_EQ(class_of(MPI_Pack(&value, 1, MPI_INT, packed, 16, &position, MPI_COMM_WORLD)),
              MPI_ERR_TRUNCATE);
  });
}

// Goal: sizes whose sum is too large for a number are no small window; a lock of MPI_PROC_NULL is
// not taken for one of a rank.
TEST(WrongArguments, of_windows) {
  run_ranks(4, [](int rank) {
    return_errors();
    MPI_Win window;
    void* memory = nullptr;
    EXPECT_EQ(class_of(MPI_Win_allocate_shared(MPI_Aint{1} << 62, 1, MPI_INFO_NULL, MPI_COMM_WORLD,
                                               static_cast<void*>(&memory), &window)),
              terrace::testing_ranks::test_processes() > 1 ? MPI_ERR_RMA_SHARED : MPI_ERR_NO_MEM);
    int value = 0;
    MPI_Win_create(&value, sizeof value, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
    EXPECT_EQ(class_of(MPI_Win_unlock(MPI_PROC_NULL, window)), MPI_ERR_RMA_SYNC);
    EXPECT_EQ(MPI_Win_lock(MPI_LOCK_SHARED, MPI_PROC_NULL, 0, window), MPI_SUCCESS);
    EXPECT_EQ(MPI_Win_unlock(MPI_PROC_NULL, window), MPI_SUCCESS);
    EXPECT_EQ(MPI_Win_unlock(rank, window), MPI_SUCCESS);
    MPI_Win_free(&window);
  });
}

// Goal: a handle that was freed is none, also once others have been made; the program's own object
// in its place stays as it is.
TEST(FreedHandles, of_communicators_and_groups_are_none) {
  run_ranks(2, [](int rank) {
    return_errors();
    long in = 1, out = 0;
    for (int round = 0; round < 3; ++round) {
      MPI_Comm comm, other;
      MPI_Comm_dup(MPI_COMM_WORLD, &comm);
      for (int i = 0; i < 3; ++i) MPI_Allreduce(&in, &out, 1, MPI_LONG, MPI_SUM, comm);
      MPI_Comm freed = comm;
      MPI_Comm_free(&comm);
      EXPECT_EQ(MPI_Allreduce(&in, &out, 1, MPI_LONG, MPI_SUM, freed), MPI_ERR_COMM);
      MPI_Comm_dup(MPI_COMM_WORLD, &other);
      EXPECT_EQ(MPI_Allreduce(&in, &out, 1, MPI_LONG, MPI_SUM, freed), MPI_ERR_COMM);
      EXPECT_EQ(MPI_Send(&in, 1, MPI_LONG, rank, 0, freed), MPI_ERR_COMM);
      EXPECT_EQ(MPI_Comm_free(&freed), MPI_ERR_COMM);
      EXPECT_EQ(MPI_Allreduce(&in, &out, 1, MPI_LONG, MPI_SUM, other), MPI_SUCCESS);
      MPI_Comm_free(&other);
    }
    MPI_Group group, another;
    MPI_Comm_group(MPI_COMM_WORLD, &group);
    MPI_Group freed = group;
    int size = 0;
    MPI_Group_free(&group);
    EXPECT_EQ(MPI_Group_size(freed, &size), MPI_ERR_GROUP);
    MPI_Comm_group(MPI_COMM_WORLD, &another);
    EXPECT_EQ(MPI_Group_size(freed, &size), MPI_ERR_GROUP);
    EXPECT_EQ(MPI_Group_free(&freed), MPI_ERR_GROUP);
    MPI_Group_free(&another);
  });
}

TEST(FreedHandles, of_types_and_operators_are_none) {
  run_ranks(1, [](int) {
    return_errors();
    int in[2] = {1, 2}, out[2] = {}, size = 0;
    MPI_Datatype type, of_it;
    MPI_Type_vector(2, 1, 2, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_Type_contiguous(2, type, &of_it);  // which keeps the other
    MPI_Type_commit(&of_it);
    MPI_Datatype freed = type, again = type;
    MPI_Type_free(&type);
    EXPECT_EQ(MPI_Type_free(&again), MPI_ERR_TYPE);
    EXPECT_EQ(MPI_Type_size(of_it, &size), MPI_SUCCESS);
    EXPECT_EQ(size, 16);
    MPI_Type_free(&of_it);
    EXPECT_EQ(MPI_Type_size(freed, &size), MPI_ERR_TYPE);
    MPI_Type_contiguous(3, MPI_INT, &type);
    EXPECT_EQ(MPI_Send(in, 1, freed, MPI_PROC_NULL, 0, MPI_COMM_SELF), MPI_ERR_TYPE);
    EXPECT_EQ(MPI_Type_free(&freed), MPI_ERR_TYPE);
    MPI_Type_free(&type);
    MPI_Op op;
    MPI_Op_create([](void*, void*, int*, MPI_Datatype*) {}, 1, &op);
    MPI_Op freed_op = op;
    MPI_Op_free(&op);
    EXPECT_EQ(MPI_Allreduce(in, out, 1, MPI_INT, freed_op, MPI_COMM_SELF), MPI_ERR_OP);
    EXPECT_EQ(MPI_Op_free(&freed_op), MPI_ERR_OP);
  });
}

TEST(FreedHandles, of_requests_and_messages_are_none) {
  run_ranks(1, [](int) {
    return_errors();
    int in = 1, out = 0;
    MPI_Request request;
    MPI_Irecv(&out, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &request);
    MPI_Request over = request;
    MPI_Send(&in, 1, MPI_INT, 0, 1, MPI_COMM_SELF);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    EXPECT_EQ(MPI_Wait(&over, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
    EXPECT_EQ(MPI_Request_free(&over), MPI_ERR_REQUEST);
    MPI_Irecv(&out, 1, MPI_INT, 0, 2, MPI_COMM_SELF, &request);
    MPI_Request freed = request, twice = request;
    MPI_Request_free(&request);  // goes on, until its message comes
    EXPECT_EQ(MPI_Request_free(&twice), MPI_ERR_REQUEST);
    MPI_Send(&in, 1, MPI_INT, 0, 2, MPI_COMM_SELF);
    EXPECT_EQ(MPI_Wait(&freed, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
    MPI_Message message;
    MPI_Request sent;
    MPI_Isend(&in, 1, MPI_INT, 0, 3, MPI_COMM_SELF, &sent);
    MPI_Mprobe(0, 3, MPI_COMM_SELF, &message, MPI_STATUS_IGNORE);
    MPI_Message received = message;
    MPI_Mrecv(&out, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    EXPECT_EQ(MPI_Mrecv(&out, 1, MPI_INT, &received, MPI_STATUS_IGNORE), MPI_ERR_REQUEST);
    MPI_Wait(&sent, MPI_STATUS_IGNORE);
  });
}

TEST(FreedHandles, of_windows_files_and_others_are_none) {
  run_ranks(1, [](int) {
    return_errors();
    int word = 0;
    MPI_Win win;
    MPI_Win_create(&word, sizeof word, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win);
    const MPI_Win freed_win = win;
    MPI_Win_free(&win);
    EXPECT_EQ(MPI_Win_fence(0, freed_win), MPI_ERR_WIN);
    const std::string path = testing::TempDir() + "freed_handles";
    MPI_File file;
    MPI_Offset bytes = 0;
    MPI_File_open(MPI_COMM_SELF, path.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL,
                  &file);
    MPI_File closed = file;
    MPI_File_close(&file);
    EXPECT_EQ(MPI_File_get_size(closed, &bytes), MPI_ERR_FILE);
    EXPECT_EQ(MPI_File_close(&closed), MPI_ERR_FILE);
    std::remove(path.c_str());
    MPI_Info info;
    MPI_Info_create(&info);
    MPI_Info freed_info = info;
    MPI_Info_free(&info);
    EXPECT_EQ(MPI_Info_set(freed_info, "key", "value"), MPI_ERR_INFO);
    EXPECT_EQ(MPI_Info_free(&freed_info), MPI_ERR_INFO);
    MPI_Session session;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
    const MPI_Session ended = session;
    MPI_Session_finalize(&session);
    EXPECT_EQ(MPI_Session_get_num_psets(ended, MPI_INFO_NULL, &word), MPI_ERR_SESSION);
  });
}

TEST(FreedHandles, of_error_handlers_and_keys_are_none) {
  run_ranks(1, [](int) {
    return_errors();
    MPI_Errhandler handler, got;
    MPI_Comm_create_errhandler(counts_errors, &handler);
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_set_errhandler(comm, handler);  // which keeps it
    MPI_Comm_get_errhandler(comm, &got);
    MPI_Errhandler freed = handler;
    EXPECT_EQ(MPI_Errhandler_free(&handler), MPI_SUCCESS);
    EXPECT_EQ(MPI_Errhandler_free(&got), MPI_SUCCESS);
    EXPECT_EQ(MPI_Errhandler_free(&freed), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Send(nullptr, 0, MPI_INT, 9, 0, comm), MPI_ERR_RANK);
    int key, flag = 1;
    void* value = nullptr;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key, nullptr);
    MPI_Comm_set_attr(comm, key, &flag);
    int freed_key = key;
    MPI_Comm_free_keyval(&key);
    EXPECT_EQ(MPI_Comm_set_attr(MPI_COMM_SELF, freed_key, &flag), MPI_ERR_KEYVAL);
    int copy_of_number = freed_key;  // while an object has the attribute, as under MPICH
    EXPECT_EQ(MPI_Comm_free_keyval(&copy_of_number), MPI_SUCCESS);
    EXPECT_EQ(copy_of_number, MPI_KEYVAL_INVALID);
    EXPECT_EQ(MPI_Comm_free_keyval(&copy_of_number), MPI_ERR_KEYVAL);
    // What was attached before can still be asked for, and taken off.
    EXPECT_EQ(MPI_Comm_get_attr(comm, freed_key, &value, &flag), MPI_SUCCESS);
    EXPECT_EQ(value, &flag);
    EXPECT_EQ(MPI_Comm_delete_attr(comm, freed_key), MPI_SUCCESS);
    MPI_Comm_free(&comm);
  });
}

// Goal: classes and codes of errors are added and removed as MPI 5.0 allows, and stay otherwise.
TEST(WrongArguments, of_error_classes_are_refused) {
  run_ranks(1, [](int) {
    return_errors();
    int own = 0, code = 0, of_type = 0, length = 0, found = 0;
    char text[MPI_MAX_ERROR_STRING];
    MPI_Add_error_class(&own);
    EXPECT_EQ(MPI_Add_error_code(own, &code), MPI_SUCCESS);
    EXPECT_EQ(MPI_Add_error_code(MPI_ERR_TYPE, &of_type), MPI_SUCCESS);
    for (const int none : {code, 999999, -3, int{MPI_SUCCESS}})
      EXPECT_EQ(MPI_Add_error_code(none, &found), MPI_ERR_ARG) << none;
    for (const int none : {int{MPI_ERR_TYPE}, int{MPI_SUCCESS}, 999999})
      EXPECT_EQ(MPI_Add_error_string(none, "other"), MPI_ERR_ARG) << none;
    EXPECT_EQ(MPI_Add_error_string(code, "ours"), MPI_SUCCESS);
    for (const int none : {int{MPI_ERR_TYPE}, code, own, 999999})  // `own` has a code
      EXPECT_EQ(MPI_Remove_error_class(none), MPI_ERR_ARG) << none;
    for (const int none : {int{MPI_ERR_TYPE}, code, own, 999999})  // `code` has a text
      EXPECT_EQ(MPI_Remove_error_code(none), MPI_ERR_ARG) << none;
    MPI_Error_string(code, text, &length);
    EXPECT_STREQ(text, "ours");
    EXPECT_EQ(MPI_Remove_error_string(of_type), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Remove_error_string(code), MPI_SUCCESS);
    EXPECT_EQ(MPI_Remove_error_code(code), MPI_SUCCESS);
    EXPECT_EQ(MPI_Remove_error_code(of_type), MPI_SUCCESS);
    EXPECT_EQ(MPI_Remove_error_class(own), MPI_SUCCESS);
    EXPECT_EQ(MPI_Remove_error_class(own), MPI_ERR_ARG);
  });
}

namespace {

int queries(void* error, MPI_Status* status) {
  MPI_Status_set_elements(status, MPI_BYTE, 0);
  MPI_Status_set_cancelled(status, 0);
  return static_cast<const int*>(error)[0];
}
int frees(void* error) {
  return static_cast<const int*>(error)[1];
}
int cancels(void* error, int) {
  return static_cast<const int*>(error)[2];
}

/// A complete general request, whose functions return these errors.
MPI_Request general_request(int* errors) {
  MPI_Request request;
  MPI_Grequest_start(queries, frees, cancels, errors, &request);
  MPI_Grequest_complete(request);
  return request;
}

}  // namespace

// Goal: the caller hears of the error of each function of a general request, by its error handler.
TEST(WrongArguments, of_general_requests_functions_are_told) {
  run_ranks(1, [](int) {
    int flag = 0;
    MPI_Errhandler counts;
    counted_errors = 0;
    MPI_Comm_create_errhandler(counts_errors, &counts);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, counts);
    MPI_Status status;
    int of_query[] = {MPI_ERR_NAME, MPI_SUCCESS, MPI_SUCCESS};
    int of_free[] = {MPI_SUCCESS, MPI_ERR_PORT, MPI_SUCCESS};
    int of_cancel[] = {MPI_SUCCESS, MPI_SUCCESS, MPI_ERR_SERVICE};
    MPI_Request request = general_request(of_query);
    EXPECT_EQ(MPI_Request_get_status(request, &flag, &status), MPI_ERR_NAME);
    EXPECT_EQ(MPI_Test(&request, &flag, &status), MPI_ERR_NAME);
    request = general_request(of_query);
    EXPECT_EQ(MPI_Waitall(1, &request, &status), MPI_ERR_IN_STATUS);
    EXPECT_EQ(class_of(status.MPI_ERROR), MPI_ERR_NAME);
    request = general_request(of_free);
    EXPECT_EQ(MPI_Wait(&request, &status), MPI_ERR_PORT);
    request = general_request(of_free);
    EXPECT_EQ(MPI_Request_free(&request), MPI_ERR_PORT);
    MPI_Grequest_start(queries, frees, cancels, of_cancel, &request);
    EXPECT_EQ(MPI_Cancel(&request), MPI_ERR_SERVICE);
    MPI_Grequest_complete(request);
    EXPECT_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
    EXPECT_EQ(counted_errors, 6);
    MPI_Errhandler_free(&counts);
  });
}

TEST(Names, of_no_window_is_that_of_its_handle) {
  run_ranks(1, [](int) {
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length = 0;
    EXPECT_EQ(MPI_Win_get_name(MPI_WIN_NULL, name, &length), MPI_SUCCESS);
    EXPECT_STREQ(name, "MPI_WIN_NULL");
    EXPECT_EQ(length, 12);
  });
}

TEST(Names, of_the_abi_are_those_of_mpi_5) {
  run_ranks(1, [](int) {
    const auto value_of = [](MPI_Info info, const char* key) {
      char value[MPI_MAX_INFO_VAL + 1] = "";
      int length = sizeof value, flag = 0;
      MPI_Info_get_string(info, key, &length, value, &flag);
      return std::string(flag ? value : "none");
    };
    MPI_Info abi, fortran;
    MPI_Abi_get_info(&abi);
    EXPECT_EQ(value_of(abi, "mpi_aint_size"), "8");
    EXPECT_EQ(value_of(abi, "mpi_count_size"), "8");
    EXPECT_EQ(value_of(abi, "mpi_offset_size"), "8");
    MPI_Abi_get_fortran_info(&fortran);
    EXPECT_EQ(value_of(fortran, "mpi_logical_size"), "4");
    EXPECT_EQ(value_of(fortran, "mpi_double_precision_size"), "8");
    EXPECT_EQ(value_of(fortran, "mpi_integer8_supported"), "true");
    int keys = 0;
    MPI_Info_get_nkeys(fortran, &keys);
    EXPECT_EQ(keys, 23);
    MPI_Info_free(&abi);
    MPI_Info_free(&fortran);
  });
}

namespace {

/// All ways to write a number as so many factors, none greater than the one before.
void add_factorizations(int left, int count, int most, std::vector<int>& so_far,
                        std::vector<std::vector<int>>& all) {
  if (count == 0) {
    if (left == 1) all.push_back(so_far);
    return;
  }
  for (int factor = std::min(left, most); factor > 0; --factor) {
    if (left % factor != 0) continue;
    so_far.push_back(factor);
    add_factorizations(left / factor, count - 1, factor, so_far, all);
    so_far.pop_back();
  }
}

/// Least difference first, then the greatest least factor.
std::pair<int, int> rank_of(const std::vector<int>& factors) {
  return {factors.front() - factors.back(), -factors.back()};
}

}  // namespace

// Goal: as balanced as any way can be, also between dimensions that are given.
TEST(Dimensions, are_as_balanced_as_they_can_be) {
  for (int count = 1; count <= 5; ++count)
    for (int nodes = 1; nodes <= 500; ++nodes) {
      std::vector<std::vector<int>> all;
      std::vector<int> so_far, found(static_cast<std::size_t>(count), 0);
      add_factorizations(nodes, count, nodes, so_far, all);
      MPI_Dims_create(nodes, count, found.data());
      const auto best = std::min_element(all.begin(), all.end(), [](const auto& a, const auto& b) {
        return rank_of(a) < rank_of(b);
      });
      ASSERT_TRUE(std::find(all.begin(), all.end(), found) != all.end()) << nodes << " " << count;
      ASSERT_EQ(rank_of(found), rank_of(*best)) << nodes << " in " << count;
    }
  int mpichs[3] = {}, given[4] = {0, 4, 0, 0};
  MPI_Dims_create(5040, 3, mpichs);
  EXPECT_EQ(std::vector<int>(mpichs, mpichs + 3), (std::vector<int>{21, 16, 15}));
  MPI_Dims_create(4 * 5040, 4, given);
  EXPECT_EQ(std::vector<int>(given, given + 4), (std::vector<int>{21, 4, 16, 15}));
}

// Goal: numbers with many divisors, or with none, take no time.
TEST(Dimensions, are_found_at_once) {
  for (const int nodes : {2095133040, 2147483647, 1 << 30, 1836311903})
    for (int count = 1; count <= 20; ++count) {
      std::vector<int> found(static_cast<std::size_t>(count), 0);
      ASSERT_EQ(MPI_Dims_create(nodes, count, found.data()), MPI_SUCCESS);
      long product = 1;
      for (const int factor : found) product *= factor;
      ASSERT_EQ(product, nodes) << count;
    }
}
