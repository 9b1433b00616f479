// SPDX-License-Identifier: BSD-3-Clause
// Derived datatypes: sizes and extents, packing, messages and collectives of elements with gaps.
#include <gtest/gtest.h>

#include "unit/threadranks/ranks.hpp"

using terrace::testing_ranks::run_ranks;

namespace {

struct Mixed {
  double value;
  char letter;
};

/// Of doubles and chars, as C pads them.
MPI_Datatype mixed_type() {
  const int lengths[] = {1, 1};
  const MPI_Aint places[] = {offsetof(Mixed, value), offsetof(Mixed, letter)};
  const MPI_Datatype types[] = {MPI_DOUBLE, MPI_CHAR};
  MPI_Datatype made;
  MPI_Type_create_struct(2, lengths, places, types, &made);
  MPI_Type_commit(&made);
  return made;
}

}  // namespace

// Goal: what types say of themselves.
TEST(Datatypes, tell_sizes_and_extents) {
  run_ranks(1, [](int) {
    MPI_Datatype mixed = mixed_type(), column, sub;
    int size;
    MPI_Aint lower, extent;
    MPI_Type_size(mixed, &size);
    MPI_Type_get_extent(mixed, &lower, &extent);
    EXPECT_EQ(size, 9);
    EXPECT_EQ(extent, 16);
    MPI_Type_vector(4, 1, 5, MPI_INT, &column);
    MPI_Type_get_extent(column, &lower, &extent);
    EXPECT_EQ(extent, (3 * 5 + 1) * 4);
    const int sizes[] = {4, 6}, parts[] = {2, 3}, starts[] = {1, 2};
    MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &sub);
    MPI_Type_get_extent(sub, &lower, &extent);
    EXPECT_EQ(extent, 4 * 6 * 4);
    MPI_Type_get_true_extent(sub, &lower, &extent);
    EXPECT_EQ(lower, (1 * 6 + 2) * 4);
    int integers, addresses, types, combiner;
    MPI_Type_get_envelope(sub, &integers, &addresses, &types, &combiner);
    EXPECT_EQ(combiner, MPI_COMBINER_SUBARRAY);
    EXPECT_EQ(integers, 1 + 3 * 2 + 1);
    MPI_Type_free(&mixed);
    MPI_Type_free(&column);
    MPI_Type_free(&sub);
  });
}

// Goal: a column of one matrix becomes a row of another, in one copy, and packed.
TEST(Datatypes, change_layouts_on_the_way) {
  for (const int rows : {3, 30, 3000})
    run_ranks(2, [rows](int rank) {
      constexpr int kColumns = 7;
      std::vector<int> matrix(static_cast<std::size_t>(rows * kColumns), -1);
      MPI_Datatype column;
      MPI_Type_vector(rows, 1, kColumns, MPI_INT, &column);
      MPI_Type_commit(&column);
      MPI_Status status;
      if (rank == 0) {
        for (int i = 0; i < rows * kColumns; ++i) matrix[static_cast<std::size_t>(i)] = i;
        MPI_Send(&matrix[2], 1, column, 1, 0, MPI_COMM_WORLD);
        MPI_Ssend(&matrix[3], rows, MPI_INT, 1, 1, MPI_COMM_WORLD);
      } else {
        std::vector<int> row(static_cast<std::size_t>(rows));
        MPI_Recv(row.data(), rows, MPI_INT, 0, 0, MPI_COMM_WORLD, &status);
        for (int i = 0; i < rows; ++i)
          ASSERT_EQ(row[static_cast<std::size_t>(i)], i * kColumns + 2);
        MPI_Recv(&matrix[4], 1, column, 0, 1, MPI_COMM_WORLD, &status);
        for (int i = 0; i < rows * kColumns; ++i)
          ASSERT_EQ(matrix[static_cast<std::size_t>(i)], i % kColumns == 4 ? 3 + i / kColumns : -1);
        int elements, count;
        MPI_Get_count(&status, column, &count);
        MPI_Get_elements(&status, column, &elements);
        EXPECT_EQ(count, 1);
        EXPECT_EQ(elements, rows);
      }
      MPI_Bcast(&matrix[2], 1, column, 0, MPI_COMM_WORLD);
      for (int i = 0; i < rows; ++i)
        ASSERT_EQ(matrix[static_cast<std::size_t>(i * kColumns + 2)], i * kColumns + 2);
      MPI_Type_free(&column);
    });
}

// Goal: packed and unpacked again, and pairs combined where they have a gap.
TEST(Datatypes, are_packed) {
  run_ranks(3, [](int rank) {
    MPI_Datatype mixed = mixed_type();
    const Mixed in[2] = {{1.5, 'a'}, {2.5, 'b'}};
    Mixed out[2] = {};
    char packed[64];
    int position = 0;
    MPI_Pack(in, 2, mixed, packed, sizeof packed, &position, MPI_COMM_WORLD);
    EXPECT_EQ(position, 18);
    position = 0;
    MPI_Unpack(packed, sizeof packed, &position, out, 2, mixed, MPI_COMM_WORLD);
    EXPECT_EQ(out[1].value, 2.5);
    EXPECT_EQ(out[1].letter, 'b');
    struct {
      short value;
      int index;
    } mine{static_cast<short>(rank == 1 ? -4 : rank), rank}, least{};
    MPI_Allreduce(&mine, &least, 1, MPI_SHORT_INT, MPI_MINLOC, MPI_COMM_WORLD);
    EXPECT_EQ(least.value, -4);
    EXPECT_EQ(least.index, 1);
    MPI_Type_free(&mixed);
  });
}
