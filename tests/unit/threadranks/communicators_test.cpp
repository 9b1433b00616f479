// SPDX-License-Identifier: BSD-3-Clause
// Communicators, groups and grids.
#include <gtest/gtest.h>

#include "unit/threadranks/ranks.hpp"

using terrace::testing_ranks::run_ranks;

namespace {

int sum_over(MPI_Comm comm, int value) {
  int sum = 0;
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, comm);
  return sum;
}

int rank_in(MPI_Comm comm) {
  int rank = -1;
  MPI_Comm_rank(comm, &rank);
  return rank;
}

}  // namespace

// Goal: split orders by key; what is sent in one communicator is not received in another.
TEST(Communicators, are_split_by_color_and_key) {
  run_ranks(6, [](int rank) {
    MPI_Comm part;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &part);
    EXPECT_EQ(rank_in(part), (5 - rank) / 2);
    EXPECT_EQ(sum_over(part, rank), rank % 2 ? 9 : 6);
    MPI_Comm none;
    MPI_Comm_split(MPI_COMM_WORLD, rank == 3 ? MPI_UNDEFINED : 1, 0, &none);
    EXPECT_EQ(none == MPI_COMM_NULL, rank == 3);
    if (none != MPI_COMM_NULL) MPI_Comm_free(&none);
    const int in_world = 100 + rank, in_part = 200 + rank, next = (rank_in(part) + 1) % 3;
    int got = 0;
    MPI_Send(&in_world, 1, MPI_INT, rank, 0, MPI_COMM_WORLD);
    MPI_Send(&in_part, 1, MPI_INT, next, 0, part);
    MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, part, MPI_STATUS_IGNORE);
    EXPECT_GE(got, 200);
    MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    EXPECT_EQ(got, 100 + rank);
    MPI_Comm_free(&part);
    EXPECT_EQ(part, MPI_COMM_NULL);
  });
}

// Goal: groups and what is made of them; of a group alone, while others do something else.
TEST(Communicators, are_made_of_groups) {
  run_ranks(5, [](int rank) {
    MPI_Group all, odd, rest;
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    const int odd_ranks[] = {3, 1};
    MPI_Group_incl(all, 2, odd_ranks, &odd);
    MPI_Group_difference(all, odd, &rest);
    int size = 0, translated[2] = {};
    MPI_Group_size(rest, &size);
    EXPECT_EQ(size, 3);
    const int both[] = {0, 1};
    MPI_Group_translate_ranks(odd, 2, both, all, translated);
    EXPECT_EQ(translated[0], 3);
    MPI_Comm of_odd, of_rest = MPI_COMM_NULL;
    MPI_Comm_create(MPI_COMM_WORLD, odd, &of_odd);
    if (rank % 2) {
      EXPECT_EQ(rank_in(of_odd), rank == 3 ? 0 : 1);
      MPI_Comm_free(&of_odd);
    } else {
      EXPECT_EQ(of_odd, MPI_COMM_NULL);
      MPI_Comm_create_group(MPI_COMM_WORLD, rest, 7, &of_rest);
      EXPECT_EQ(sum_over(of_rest, rank), 6);
      MPI_Comm_free(&of_rest);
    }
    MPI_Group_free(&all);
    MPI_Group_free(&odd);
    MPI_Group_free(&rest);
  });
}

// Goal: attributes go along with duplicates as their keys want it.
TEST(Communicators, hand_attributes_to_duplicates) {
  run_ranks(2, [](int) {
    int key, flag = 0;
    static thread_local int deleted = 0;
    int five = 5;
    MPI_Comm_create_keyval(
        [](MPI_Comm, int, void* extra, void* in, void* out, int* copies) {
          *static_cast<void**>(out) = static_cast<char*>(in) + *static_cast<int*>(extra);
          *copies = 1;
          return MPI_SUCCESS + 0;
        },
        [](MPI_Comm, int, void*, void*) {
          ++deleted;
          return MPI_SUCCESS + 0;
        },
        &key, &five);
    char place[10];
    MPI_Comm_set_attr(MPI_COMM_WORLD, key, place);
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    void* got = nullptr;
    MPI_Comm_get_attr(copy, key, &got, &flag);
    EXPECT_TRUE(flag);
    EXPECT_EQ(got, place + 5);
    MPI_Comm_free(&copy);
    EXPECT_EQ(deleted, 1);
    int* greatest = nullptr;
    MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &greatest, &flag);
    EXPECT_GE(*greatest, 32767);
    MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
    EXPECT_EQ(deleted, 2);
  });
}

// Goal: neighbours in a grid, also past its edge, and rows of it.
TEST(Communicators, form_grids) {
  int sizes[3] = {0, 3, 0};
  MPI_Dims_create(36, 3, sizes);
  EXPECT_EQ(std::vector<int>(sizes, sizes + 3), (std::vector<int>{4, 3, 3}));
  run_ranks(6, [](int rank) {
    const int extents[] = {2, 3}, periods[] = {0, 1}, rows[] = {0, 1};
    MPI_Comm grid, row;
    MPI_Cart_create(MPI_COMM_WORLD, 2, extents, periods, 0, &grid);
    int from, to, coordinates[2];
    MPI_Cart_coords(grid, rank, 2, coordinates);
    EXPECT_EQ(coordinates[0] * 3 + coordinates[1], rank);
    MPI_Cart_shift(grid, 0, 1, &from, &to);
    EXPECT_EQ(to, rank < 3 ? rank + 3 : MPI_PROC_NULL + 0);
    EXPECT_EQ(from, rank < 3 ? MPI_PROC_NULL + 0 : rank - 3);
    MPI_Cart_shift(grid, 1, 1, &from, &to);
    EXPECT_EQ(to, rank / 3 * 3 + (rank + 1) % 3);
    MPI_Cart_sub(grid, rows, &row);
    EXPECT_EQ(sum_over(row, rank), rank < 3 ? 3 : 12);
    MPI_Comm_free(&row);
    MPI_Comm_free(&grid);
  });
}

// Goal: errors come back as the program wants, and truncated messages are errors.
TEST(Communicators, treat_errors_as_told) {
  run_ranks(1, [](int) {
    MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
    EXPECT_EQ(MPI_Send(nullptr, 0, MPI_INT, 7, 0, MPI_COMM_SELF), MPI_ERR_RANK);
    EXPECT_EQ(MPI_Send(nullptr, -1, MPI_INT, 0, 0, MPI_COMM_SELF), MPI_ERR_COUNT);
    int words[2] = {1, 2};
    MPI_Status status;
    MPI_Send(words, 2, MPI_INT, 0, 0, MPI_COMM_SELF);
    EXPECT_EQ(MPI_Recv(words, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &status), MPI_ERR_TRUNCATE);
    int length;
    char text[MPI_MAX_ERROR_STRING];
    MPI_Error_string(MPI_ERR_TRUNCATE, text, &length);
    EXPECT_STREQ(text, "message truncated on receive");
  });
}
