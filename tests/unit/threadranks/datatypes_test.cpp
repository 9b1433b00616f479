// SPDX-License-Identifier: BSD-3-Clause
// Derived datatypes: sizes and extents, packing, messages and collectives of elements with gaps.
#include <gtest/gtest.h>

#include <cfloat>
#include <cstddef>
#include <vector>

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

// Goal: the parts of an array that is shared out in blocks, cyclically, and not at all in one
// dimension, are all of it, and each once.
TEST(Datatypes, of_distributed_arrays_cover_them) {
  run_ranks(1, [](int) {
    const int sizes[] = {5, 4, 3}, parts[] = {2, 3, 1};
    const int hows[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC, MPI_DISTRIBUTE_NONE};
    const int arguments[] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG,
                             MPI_DISTRIBUTE_DFLT_DARG};
    std::vector<int> seen(60, 0), whole(60);
    for (int i = 0; i < 60; ++i) whole[static_cast<std::size_t>(i)] = i;
    for (int rank = 0; rank < 6; ++rank) {
      MPI_Datatype part;
      MPI_Type_create_darray(6, rank, 3, sizes, hows, arguments, parts, MPI_ORDER_C, MPI_INT,
                             &part);
      MPI_Type_commit(&part);
      MPI_Aint lower = -1, extent = 0;
      MPI_Type_get_extent(part, &lower, &extent);
      EXPECT_EQ(lower, 0);
      EXPECT_EQ(extent, 60 * 4);
      int bytes = 0, position = 0;
      MPI_Type_size(part, &bytes);
      std::vector<int> packed(static_cast<std::size_t>(bytes) / sizeof(int));
      MPI_Pack(whole.data(), 1, part, packed.data(), bytes, &position, MPI_COMM_WORLD);
      for (const int i : packed) ++seen[static_cast<std::size_t>(i)];
      // Rank 4 is at (1, 1, 0): rows 3 and 4, the second column alone.
      if (rank == 4) {
        EXPECT_EQ(packed, (std::vector<int>{39, 40, 41, 51, 52, 53}));
      }
      MPI_Type_free(&part);
    }
    EXPECT_EQ(seen, std::vector<int>(60, 1));
  });
}

// Goal: the bytes that every MPI packs, the greatest first, in lengths that differ from this
// machine's.
TEST(Datatypes, are_packed_for_other_machines) {
  run_ranks(1, [](int) {
    struct Mixed {
      long number;
      long double fraction;
    };
    const int lengths[] = {1, 1};
    const MPI_Aint places[] = {offsetof(Mixed, number), offsetof(Mixed, fraction)};
    const MPI_Datatype types[] = {MPI_LONG, MPI_LONG_DOUBLE};
    MPI_Datatype mixed;
    MPI_Type_create_struct(2, lengths, places, types, &mixed);
    MPI_Aint bytes = 0, position = 0;
    MPI_Pack_external_size("external32", 1, mixed, &bytes);
    ASSERT_EQ(bytes, 4 + 16);
    const Mixed mine{-2, -1.5L};
    std::vector<unsigned char> packed(20);
    MPI_Pack_external("external32", &mine, 1, mixed, packed.data(), bytes, &position);
    EXPECT_EQ(position, bytes);
    EXPECT_EQ(packed,
              (std::vector<unsigned char>{0xff, 0xff, 0xff, 0xfe, 0xbf, 0xff, 0x80, 0, 0, 0,
                                          0,    0,    0,    0,    0,    0,    0,    0, 0, 0}));
    Mixed back{};
    position = 0;
    MPI_Unpack_external("external32", packed.data(), bytes, &position, &back, 1, mixed);
    EXPECT_EQ(back.number, -2);
    EXPECT_EQ(back.fraction, -1.5L);
    MPI_Type_free(&mixed);
  });
}

// Goal: a long double is IEEE's binary128 there, whatever it is here, and so are both parts of a
// complex one.
TEST(Datatypes, have_long_doubles_for_other_machines) {
  run_ranks(1, [](int) {
    const long double third[] = {1.0L / 3, -LDBL_MAX};
    std::vector<unsigned char> packed(32);
    MPI_Aint position = 0;
    MPI_Pack_external("external32", third, 1, MPI_C_LONG_DOUBLE_COMPLEX, packed.data(), 32,
                      &position);
    EXPECT_EQ(position, 32);
    EXPECT_EQ(std::vector<unsigned char>(packed.begin(), packed.begin() + 9),
              (std::vector<unsigned char>{0x3f, 0xfd, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55, 0x55}));
    EXPECT_EQ(std::vector<unsigned char>(packed.begin() + 16, packed.begin() + 23),
              (std::vector<unsigned char>{0xff, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff}));
    long double back[2] = {};
    position = 0;
    MPI_Unpack_external("external32", packed.data(), 32, &position, back, 1,
                        MPI_C_LONG_DOUBLE_COMPLEX);
    EXPECT_EQ(back[0], third[0]);
    EXPECT_EQ(back[1], third[1]);
  });
}

#ifdef MPI_COMPLEX32  // which MPICH's mpi.h does not have
// Goal: a complex number of which C has no type is two numbers there, too, the real one first.
TEST(Datatypes, have_complex_numbers_in_order_for_other_machines) {
  run_ranks(1, [](int) {
    std::vector<unsigned char> number(32), expected, packed(32);
    for (std::size_t i = 0; i < number.size(); ++i) number[i] = static_cast<unsigned char>(i);
    for (std::size_t i = 0; i < 16; ++i) expected.push_back(static_cast<unsigned char>(15 - i));
    for (std::size_t i = 0; i < 16; ++i) expected.push_back(static_cast<unsigned char>(31 - i));
    MPI_Aint position = 0;
    MPI_Pack_external("external32", number.data(), 1, MPI_COMPLEX32, packed.data(), 32, &position);
    EXPECT_EQ(packed, expected);
  });
}
#endif

// Goal: a type made with large counts tells them as such.
TEST(Datatypes, tell_large_counts) {
  run_ranks(1, [](int) {
    const MPI_Count huge = MPI_Count{1} << 33;
    MPI_Datatype type;
    MPI_Count bytes = 0, integers = -1, addresses = -1, counts = -1, types = -1, told[3] = {};
    int combiner = 0;
    MPI_Type_contiguous_c(huge, MPI_BYTE, &type);
    MPI_Type_size_c(type, &bytes);
    EXPECT_EQ(bytes, huge);
    MPI_Type_get_envelope_c(type, &integers, &addresses, &counts, &types, &combiner);
    EXPECT_EQ(combiner, int{MPI_COMBINER_CONTIGUOUS});
    EXPECT_EQ(integers, 0);
    EXPECT_EQ(counts, 1);
    MPI_Datatype inner;
    MPI_Type_get_contents_c(type, 0, 0, 1, 1, nullptr, nullptr, told, &inner);
    EXPECT_EQ(told[0], huge);
    EXPECT_EQ(inner, MPI_BYTE);
    MPI_Type_free(&type);
  });
}

namespace {

int deletions = 0;
int count_deletion(MPI_Datatype, int, void*, void*) {
  ++deletions;
  return MPI_SUCCESS;
}

}  // namespace

// Goal: types that Fortran selects by digits and range are those of its kinds, made once.
TEST(Datatypes, are_selected_by_precision) {
  run_ranks(3, [](int rank) {
    MPI_Datatype single, again, other, whole;
    MPI_Type_create_f90_real(6, 30, &single);
    MPI_Type_create_f90_real(6, 30, &again);
    MPI_Type_create_f90_real(7, MPI_UNDEFINED, &other);
    MPI_Type_create_f90_integer(10, &whole);
    EXPECT_EQ(single, again);
    EXPECT_NE(single, other);
    int size, integers, addresses, types, combiner;
    for (const auto& [type, bytes] :
         {std::pair{single, 4}, std::pair{other, 8}, std::pair{whole, 8}}) {
      MPI_Type_size(type, &size);
      EXPECT_EQ(size, bytes);
    }
    MPI_Type_get_envelope(single, &integers, &addresses, &types, &combiner);
    EXPECT_EQ(combiner, MPI_COMBINER_F90_REAL);
    EXPECT_EQ(integers, 2);
    EXPECT_EQ(types, 0);
    int contents[2];
    MPI_Type_get_contents(single, 2, 0, 0, contents, nullptr, nullptr);
    EXPECT_EQ(contents[0], 6);
    EXPECT_EQ(contents[1], 30);
    const double mine = rank + 0.5;
    double sum = 0;
    MPI_Allreduce(&mine, &sum, 1, other, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(sum, 4.5);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    EXPECT_EQ(MPI_Type_create_f90_real(40, 10, &other), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Type_create_f90_integer(100, &other), MPI_ERR_ARG);
    EXPECT_EQ(MPI_Type_free(&single), MPI_ERR_TYPE);
  });
}

// Goal: what is attached to a type goes along with its duplicates, and goes with it.
TEST(Datatypes, have_attributes) {
  run_ranks(1, [](int) {
    int key = 0, flag = 0, value = 5;
    int* found = nullptr;
    MPI_Type_create_keyval(MPI_TYPE_DUP_FN, count_deletion, &key, nullptr);
    MPI_Datatype type, copy;
    MPI_Type_contiguous(3, MPI_INT, &type);
    MPI_Type_set_attr(type, key, &value);
    MPI_Type_dup(type, &copy);
    MPI_Type_free(&type);
    EXPECT_EQ(deletions, 1);
    MPI_Type_get_attr(copy, key, &found, &flag);
    ASSERT_TRUE(flag);
    EXPECT_EQ(*found, 5);
    MPI_Type_delete_attr(copy, key);
    EXPECT_EQ(deletions, 2);
    MPI_Type_get_attr(copy, key, &found, &flag);
    EXPECT_FALSE(flag);
    MPI_Type_free(&copy);
    MPI_Type_free_keyval(&key);
  });
}

TEST(Datatypes, keep_attributes_while_the_program_has_a_handle) {
  run_ranks(1, [](int) {
    int key = 0, flag = 0, value = 7, count = 0;
    int* found = nullptr;
    MPI_Type_create_keyval(MPI_TYPE_DUP_FN, count_deletion, &key, nullptr);
    MPI_Datatype type, of_it, again;
    MPI_Type_contiguous(3, MPI_INT, &type);
    MPI_Type_set_attr(type, key, &value);
    MPI_Type_contiguous(2, type, &of_it);
    MPI_Type_get_contents(of_it, 1, 0, 1, &count, nullptr, &again);
    MPI_Type_free(&again);
    MPI_Type_get_attr(type, key, &found, &flag);
    ASSERT_TRUE(flag);
    EXPECT_EQ(*found, 7);
    MPI_Type_free(&type);
    MPI_Type_free(&of_it);
    MPI_Type_free_keyval(&key);
  });
}

TEST(Datatypes, of_a_value_and_its_index_are_found) {
  run_ranks(1, [](int) {
    const auto pair_of = [](MPI_Datatype value, MPI_Datatype index) {
      MPI_Datatype pair = MPI_BYTE;
      EXPECT_EQ(MPI_Type_get_value_index(value, index, &pair), MPI_SUCCESS);
      return pair;
    };
    EXPECT_EQ(pair_of(MPI_DOUBLE, MPI_INT), MPI_DOUBLE_INT);
    EXPECT_EQ(pair_of(MPI_INT, MPI_INT), MPI_2INT);
    EXPECT_EQ(pair_of(MPI_LONG_DOUBLE, MPI_INT), MPI_LONG_DOUBLE_INT);
    EXPECT_EQ(pair_of(MPI_REAL, MPI_REAL), MPI_2REAL);
    EXPECT_EQ(pair_of(MPI_INTEGER, MPI_INTEGER), MPI_2INTEGER);
    EXPECT_EQ(pair_of(MPI_DOUBLE, MPI_DOUBLE), MPI_DATATYPE_NULL);
    EXPECT_EQ(pair_of(MPI_INT, MPI_DOUBLE), MPI_DATATYPE_NULL);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Datatype pair;
    EXPECT_EQ(MPI_Type_get_value_index(MPI_DATATYPE_NULL, MPI_INT, &pair), MPI_ERR_TYPE);
  });
}
