// SPDX-License-Identifier: BSD-3-Clause
// Goal: files have what was written, by whichever way, and views, pointers and errors are as MPI
// says. Method: what ranks write is compared with the bytes that the standard puts there, read
// without MPI.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "unit/threadranks/ranks.hpp"

namespace {

using terrace::testing_ranks::run_ranks;
using terrace::testing_ranks::run_ranks_without_mpi;
using terrace::testing_ranks::test_processes;

constexpr int kFileRanks = 3;
constexpr int kCreate = MPI_MODE_CREATE | MPI_MODE_RDWR;

class Files : public testing::Test {
 protected:
  void SetUp() override {
    const auto* const info = testing::UnitTest::GetInstance()->current_test_info();
    std::string name = info->name();
    std::replace(name.begin(), name.end(), '/', '-');
    path_ = testing::TempDir() + "terrace-" + name + "-" + std::to_string(getpid());
    unlink(path_.c_str());
  }
  void TearDown() override { unlink(path_.c_str()); }

  MPI_File open(int amode, MPI_Comm comm = MPI_COMM_WORLD) const {
    MPI_File file = MPI_FILE_NULL;
    EXPECT_EQ(MPI_File_open(comm, path_.c_str(), amode, MPI_INFO_NULL, &file), MPI_SUCCESS);
    return file;
  }
  template <class Number = int>
  std::vector<Number> content() const {
    std::ifstream file(path_, std::ios::binary);
    std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    std::vector<Number> numbers(bytes.size() / sizeof(Number));
    std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(Number));
    return numbers;
  }
  void fill(int count) const {
    std::vector<int> numbers(static_cast<std::size_t>(count));
    std::iota(numbers.begin(), numbers.end(), 0);
    std::ofstream(path_, std::ios::binary)
        .write(reinterpret_cast<const char*>(numbers.data()), count * 4);
  }

  std::string path_;
};

std::vector<int> numbers_from(int first, int count) {
  std::vector<int> numbers(static_cast<std::size_t>(count));
  std::iota(numbers.begin(), numbers.end(), first);
  return numbers;
}

int count_of(const MPI_Status& status, MPI_Datatype type = MPI_INT) {
  int count = -1;
  MPI_Get_count(&status, type, &count);
  return count;
}

TEST_F(Files, are_written_at_offsets_and_read_by_pointers) {
  run_ranks(kFileRanks, [&](int rank) {
    MPI_File file = open(kCreate);
    const std::vector<int> mine = numbers_from(10 * rank, 10);
    MPI_Status status;
    EXPECT_EQ(MPI_File_write_at(file, 40 * rank, mine.data(), 10, MPI_INT, &status), MPI_SUCCESS);
    EXPECT_EQ(count_of(status), 10);
    MPI_Barrier(MPI_COMM_WORLD);
    std::vector<int> all(10 * kFileRanks + 5, -1);
    EXPECT_EQ(MPI_File_read(file, all.data(), 10 * kFileRanks + 5, MPI_INT, &status), MPI_SUCCESS);
    EXPECT_EQ(count_of(status), 10 * kFileRanks);  // up to the file's end
    all.resize(10 * kFileRanks);
    EXPECT_EQ(all, numbers_from(0, 10 * kFileRanks));
    MPI_Offset size = 0;
    MPI_File_get_size(file, &size);
    EXPECT_EQ(size, 40 * kFileRanks);
    EXPECT_EQ(MPI_File_close(&file), MPI_SUCCESS);
    EXPECT_EQ(file, MPI_FILE_NULL);
  });
  EXPECT_EQ(content(), numbers_from(0, 10 * kFileRanks));
}

/// Each rank has every third block of `block` numbers.
class FilesOfBlocks : public Files, public testing::WithParamInterface<int> {};

TEST_P(FilesOfBlocks, are_merged_from_the_pieces_of_all_ranks) {
  const int block = GetParam(), blocks = 200000 / (block * kFileRanks) + 3;
  const int mine = block * blocks;
  run_ranks(kFileRanks, [&](int rank) {
    MPI_File file = open(kCreate);
    MPI_Datatype own, tile;
    MPI_Type_contiguous(block, MPI_INT, &own);
    MPI_Type_create_resized(own, 0, block * kFileRanks * 4, &tile);
    MPI_Type_commit(&tile);
    EXPECT_EQ(MPI_File_set_view(file, 8 + rank * block * 4, MPI_INT, tile, "native", MPI_INFO_NULL),
              MPI_SUCCESS);
    std::vector<int> out(static_cast<std::size_t>(mine));
    for (int i = 0; i < mine; ++i)
      out[static_cast<std::size_t>(i)] = (i / block * kFileRanks + rank) * block + i % block;
    MPI_Status status;
    // In two calls, so that the second one begins within a filetype's repetition.
    const int first = mine / 2 + 1;
    EXPECT_EQ(MPI_File_write_all(file, out.data(), first, MPI_INT, &status), MPI_SUCCESS);
    EXPECT_EQ(count_of(status), first);
    EXPECT_EQ(MPI_File_write_all(file, out.data() + first, mine - first, MPI_INT, &status),
              MPI_SUCCESS);
    std::vector<int> in(out.size(), -1), alone(out.size(), -1);
    EXPECT_EQ(MPI_File_read_at_all(file, 0, in.data(), mine, MPI_INT, &status), MPI_SUCCESS);
    EXPECT_EQ(count_of(status), mine);
    EXPECT_EQ(in, out);
    EXPECT_EQ(MPI_File_read_at(file, 0, alone.data(), mine, MPI_INT, &status), MPI_SUCCESS);
    EXPECT_EQ(alone, out);
    // Beyond the end there is nothing.
    EXPECT_EQ(MPI_File_read_at_all(file, mine - block, in.data(), 2 * block, MPI_INT, &status),
              MPI_SUCCESS);
    EXPECT_EQ(count_of(status), block);
    MPI_File_close(&file);
    MPI_Type_free(&own);
    MPI_Type_free(&tile);
  });
  std::vector<int> found = content();
  ASSERT_GE(found.size(), 2u);
  found.erase(found.begin(), found.begin() + 2);  // the displacement
  EXPECT_EQ(found, numbers_from(0, mine * kFileRanks));
}

INSTANTIATE_TEST_SUITE_P(Blocks, FilesOfBlocks, testing::Values(1, 7, 100, 30000));

/// Goal: views of any pieces, accesses of any length and by any way have what a model of the file
/// has. Each rank knows all ranks' views and accesses, as they come from one seed.
struct RandomAccess {
  std::vector<int> places, lengths;  ///< of a filetype's pieces, in bytes
  int displacement = 0, offset = 0, count = 0;

  /// The rank's part of each tile of the file begins at `first`, and has `width` bytes.
  RandomAccess(std::mt19937& random, int first, int width) {
    const auto below = [&](int bound) { return static_cast<int>(random() % unsigned(bound)); };
    for (int at = below(4); at < width;) {
      const int length = std::min(1 + below(9), width - at);
      places.push_back(first + at);
      lengths.push_back(length);
      at += length + below(7);
    }
    if (places.empty()) {
      places.push_back(first);
      lengths.push_back(1);
    }
    offset = below(50);
    count = below(8) == 0 ? 0 : below(600);
  }

  /// Calls `byte(offset in the file, index in the access)` for each.
  template <class Byte>
  void for_each(int tile, Byte&& byte) const {
    for (int index = 0, position = 0, repeat = 0; index < count; ++repeat)
      for (std::size_t piece = 0; piece < places.size(); ++piece)
        for (int i = 0; i < lengths[piece] && index < count; ++i, ++position)
          if (position >= offset) byte(displacement + repeat * tile + places[piece] + i, index++);
  }
};

TEST_F(Files, of_random_views_have_what_a_model_has) {
  constexpr int kRounds = 40, kWidth = 40, kTile = kFileRanks * kWidth, kMost = 200000;
  std::vector<unsigned char> model;
  run_ranks(kFileRanks, [&](int rank) {
    std::vector<unsigned char> file_model(kMost, 0);
    std::mt19937 random(17);
    std::size_t size = 0;
    MPI_File file = open(kCreate);
    for (int round = 0; round < kRounds; ++round) {
      const int displacement = static_cast<int>(random() % 30);
      const bool is_collective = random() % 3 != 0;
      std::vector<RandomAccess> all;
      for (int one = 0; one < kFileRanks; ++one) {
        all.emplace_back(random, one * kWidth, kWidth);
        all.back().displacement = displacement;
      }
      const RandomAccess& mine = all[static_cast<std::size_t>(rank)];
      MPI_Datatype pieces, tile;
      MPI_Type_indexed(static_cast<int>(mine.places.size()), mine.lengths.data(),
                       mine.places.data(), MPI_BYTE, &pieces);
      MPI_Type_create_resized(pieces, 0, kTile, &tile);
      MPI_Type_commit(&tile);
      MPI_File_set_view(file, displacement, MPI_BYTE, tile, "native", MPI_INFO_NULL);
      std::vector<unsigned char> out(static_cast<std::size_t>(mine.count) + 1), in(out.size());
      for (int one = 0; one < kFileRanks; ++one)
        all[static_cast<std::size_t>(one)].for_each(kTile, [&](int at, int index) {
          const auto value = static_cast<unsigned char>(7 * round + 50 * one + index);
          ASSERT_LT(at, kMost);
          file_model[static_cast<std::size_t>(at)] = value;
          size = std::max(size, static_cast<std::size_t>(at) + 1);
          if (one == rank) out[static_cast<std::size_t>(index)] = value;
        });
      MPI_Status status;
      if (is_collective)
        MPI_File_write_at_all(file, mine.offset, out.data(), mine.count, MPI_BYTE, &status);
      else
        MPI_File_write_at(file, mine.offset, out.data(), mine.count, MPI_BYTE, &status);
      EXPECT_EQ(count_of(status, MPI_BYTE), mine.count);
      MPI_Barrier(MPI_COMM_WORLD);
      if (is_collective)
        MPI_File_read_at_all(file, mine.offset, in.data(), mine.count, MPI_BYTE, &status);
      else
        MPI_File_read_at(file, mine.offset, in.data(), mine.count, MPI_BYTE, &status);
      EXPECT_EQ(count_of(status, MPI_BYTE), mine.count);
      EXPECT_TRUE(std::equal(in.begin(), in.end() - 1, out.begin())) << "round " << round;
      MPI_Type_free(&pieces);
      MPI_Type_free(&tile);
      MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_File_close(&file);
    file_model.resize(size);
    if (rank == 0) model = file_model;
  });
  EXPECT_EQ(content<unsigned char>(), model);
}

TEST_F(Files, take_elements_that_are_spread_in_memory) {
  run_ranks(2, [&](int rank) {
    MPI_File file = open(kCreate);
    MPI_Datatype spread;
    MPI_Type_vector(5, 1, 2, MPI_INT, &spread);
    MPI_Type_commit(&spread);
    std::vector<int> out(10, -7), in(10, -7);
    for (int i = 0; i < 5; ++i) out[static_cast<std::size_t>(2 * i)] = 5 * rank + i;
    MPI_File_write_at_all(file, 20 * rank, out.data(), 1, spread, MPI_STATUS_IGNORE);
    MPI_File_read_at_all(file, 20 * rank, in.data(), 1, spread, MPI_STATUS_IGNORE);
    EXPECT_EQ(in, out);
    MPI_Type_free(&spread);
    MPI_File_close(&file);
  });
  EXPECT_EQ(content(), numbers_from(0, 10));
}

TEST_F(Files, have_pointers_that_count_etypes) {
  fill(30);
  run_ranks(1, [&](int) {
    MPI_File file = open(MPI_MODE_RDONLY);
    MPI_Datatype pair, tile;
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_create_resized(pair, 0, 12, &tile);
    MPI_Type_commit(&pair);
    MPI_Type_commit(&tile);
    MPI_File_set_view(file, 4, pair, tile, "native", MPI_INFO_NULL);
    int two[2] = {};
    MPI_Offset at = -1;
    MPI_File_seek(file, 2, MPI_SEEK_SET);
    MPI_File_read(file, two, 2, MPI_INT, MPI_STATUS_IGNORE);
    EXPECT_EQ(two[0], 7);
    EXPECT_EQ(two[1], 8);
    MPI_File_get_position(file, &at);
    EXPECT_EQ(at, 3);
    MPI_File_seek(file, -1, MPI_SEEK_CUR);
    MPI_File_get_position(file, &at);
    EXPECT_EQ(at, 2);
    MPI_File_get_byte_offset(file, 2, &at);
    EXPECT_EQ(at, 28);
    MPI_File_seek(file, -1, MPI_SEEK_END);
    MPI_File_get_position(file, &at);
    EXPECT_EQ(at, 9);
    EXPECT_EQ(MPI_File_seek(file, -1, MPI_SEEK_SET), MPI_ERR_ARG);
    for (const MPI_Offset wrong : {MPI_Offset{-1}, MPI_Offset{1} << 62, MPI_Offset{1} << 60}) {
      EXPECT_EQ(MPI_File_read_at(file, wrong, two, 2, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_ARG);
      EXPECT_EQ(MPI_File_get_byte_offset(file, wrong, &at), MPI_ERR_ARG);
      EXPECT_EQ(MPI_File_seek(file, wrong, MPI_SEEK_SET), MPI_ERR_ARG);
    }
    MPI_Offset displacement = 0;
    MPI_Datatype etype, filetype;
    char name[MPI_MAX_DATAREP_STRING];
    MPI_File_get_view(file, &displacement, &etype, &filetype, name);
    EXPECT_EQ(displacement, 4);
    EXPECT_STREQ(name, "native");
    MPI_Aint lower = 0, extent = 0;
    MPI_Type_get_extent(filetype, &lower, &extent);
    EXPECT_EQ(extent, 12);
    for (MPI_Datatype* type : {&etype, &filetype, &pair, &tile}) MPI_Type_free(type);
    MPI_File_close(&file);
  });
}

TEST_F(Files, have_a_shared_pointer) {
  run_ranks(kFileRanks, [&](int rank) {
    MPI_File file = open(kCreate);
    // In the order of ranks, of different lengths.
    const std::vector<int> mine(static_cast<std::size_t>(rank + 1), rank);
    MPI_Status status;
    MPI_File_write_ordered(file, mine.data(), rank + 1, MPI_INT, &status);
    EXPECT_EQ(count_of(status), rank + 1);
    MPI_File_write_ordered_begin(file, mine.data(), rank + 1, MPI_INT);
    MPI_File_write_ordered_end(file, mine.data(), &status);
    EXPECT_EQ(count_of(status), rank + 1);
    MPI_Offset at = 0;
    MPI_File_get_position_shared(file, &at);
    EXPECT_EQ(at, 2 * 24);
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    std::vector<int> in(mine.size(), -1);
    MPI_File_read_ordered(file, in.data(), rank + 1, MPI_INT, &status);
    EXPECT_EQ(in, mine);
    // In any order, but each number once.
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    int sum = 0, all = 0;
    for (int i = 0; i < 4; ++i) {
      int one = 0;
      MPI_File_read_shared(file, &one, 1, MPI_INT, MPI_STATUS_IGNORE);
      sum += one;
    }
    MPI_Allreduce(&sum, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(all, 16);
    MPI_File_close(&file);
  });
  EXPECT_EQ(content(), (std::vector<int>{0, 1, 1, 2, 2, 2, 0, 1, 1, 2, 2, 2}));
}

TEST_F(Files, let_ranks_move_the_shared_pointer_at_once) {
  constexpr int kRecords = 50;
  run_ranks(kFileRanks, [&](int rank) {
    MPI_File file = open(kCreate);
    MPI_Request request = MPI_REQUEST_NULL;
    for (int i = 0; i < kRecords; ++i) {
      const std::vector<int> record = numbers_from(2 * (kRecords * rank + i), 2);
      MPI_File_iwrite_shared(file, record.data(), 2, MPI_INT, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Offset at = 0;
    MPI_File_get_position_shared(file, &at);
    EXPECT_EQ(at, kFileRanks * kRecords * 8);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_seek_shared(file, -8, MPI_SEEK_CUR);
    MPI_File_get_position_shared(file, &at);
    EXPECT_EQ(at, kFileRanks * kRecords * 8 - 8);
    MPI_File_close(&file);
  });
  std::vector<int> all = content();
  for (std::size_t i = 0; i + 1 < all.size(); i += 2) EXPECT_EQ(all[i] + 1, all[i + 1]) << i;
  std::sort(all.begin(), all.end());
  EXPECT_EQ(all, numbers_from(0, 2 * kFileRanks * kRecords));
}

TEST_F(Files, are_moved_by_requests_and_split_collectives) {
  run_ranks(kFileRanks, [&](int rank) {
    MPI_File file = open(kCreate);
    const std::vector<int> mine = numbers_from(6 * rank, 6);
    MPI_Request requests[2];
    // A rank that waits for another one's message between them must not keep that one waiting.
    if (rank == 1) MPI_Recv(nullptr, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_File_iwrite_at_all(file, 24 * rank, mine.data(), 3, MPI_INT, &requests[0]);
    if (rank == 0) MPI_Send(nullptr, 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
    MPI_File_iwrite_at(file, 24 * rank + 12, mine.data() + 3, 3, MPI_INT, &requests[1]);
    MPI_Status statuses[2];
    MPI_Waitall(2, requests, statuses);
    EXPECT_EQ(count_of(statuses[0]), 3);
    MPI_File_sync(file);
    std::vector<int> in(6, -1);
    EXPECT_EQ(MPI_File_read_at_all_begin(file, 24 * rank, in.data(), 6, MPI_INT), MPI_SUCCESS);
    EXPECT_EQ(MPI_File_read_all_begin(file, in.data(), 6, MPI_INT), MPI_ERR_OTHER);
    EXPECT_EQ(MPI_File_read_all_end(file, in.data(), &statuses[0]), MPI_ERR_OTHER);
    EXPECT_EQ(MPI_File_read_at_all_end(file, in.data(), &statuses[0]), MPI_SUCCESS);
    EXPECT_EQ(count_of(statuses[0]), 6);
    EXPECT_EQ(in, mine);
    MPI_File_close(&file);
  });
  EXPECT_EQ(content(), numbers_from(0, 6 * kFileRanks));
}

TEST_F(Files, in_atomic_mode_have_each_write_whole) {
  constexpr int kCount = 5000, kRounds = 20;
  run_ranks(kFileRanks, [&](int rank) {
    MPI_File file = open(kCreate);
    MPI_File_set_atomicity(file, 1);
    int flag = 0;
    MPI_File_get_atomicity(file, &flag);
    EXPECT_EQ(flag, 1);
    // Every second number, so that a write is many pieces; by all ranks at the same place.
    MPI_Datatype tile;
    MPI_Type_create_resized(MPI_INT, 0, 8, &tile);
    MPI_Type_commit(&tile);
    MPI_File_set_view(file, 0, MPI_INT, tile, "native", MPI_INFO_NULL);
    for (int round = 0; round < kRounds; ++round) {
      const std::vector<int> out(kCount, rank);
      std::vector<int> in(kCount, -1);
      MPI_File_write_at(file, 0, out.data(), kCount, MPI_INT, MPI_STATUS_IGNORE);
      MPI_File_read_at(file, 0, in.data(), kCount, MPI_INT, MPI_STATUS_IGNORE);
      EXPECT_EQ(in, std::vector<int>(kCount, in.front()));
      MPI_File_write_at_all(file, 0, out.data(), kCount, MPI_INT, MPI_STATUS_IGNORE);
      MPI_File_read_at_all(file, 0, in.data(), kCount, MPI_INT, MPI_STATUS_IGNORE);
      EXPECT_EQ(in, std::vector<int>(kCount, in.front()));
      MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Type_free(&tile);
    MPI_File_close(&file);
  });
}

TEST_F(Files, of_several_threads_are_atomic_too) {
  constexpr int kCount = 3000, kRounds = 60;
  run_ranks_without_mpi(1, [&](int) {
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, nullptr);
    MPI_File file = open(kCreate);
    MPI_File_set_atomicity(file, 1);
    MPI_Datatype tile;
    MPI_Type_create_resized(MPI_INT, 0, 8, &tile);
    MPI_Type_commit(&tile);
    MPI_File_set_view(file, 0, MPI_INT, tile, "native", MPI_INFO_NULL);
    const std::vector<int> zeros(kCount, 0);
    MPI_File_write_at(file, 0, zeros.data(), kCount, MPI_INT, MPI_STATUS_IGNORE);
    terrace::testing_ranks::run_threads(4, [&](int thread) {
      for (int round = 0; round < kRounds; ++round) {
        std::vector<int> numbers(kCount, thread);
        if (thread < 2) {
          MPI_File_write_at(file, 0, numbers.data(), kCount, MPI_INT, MPI_STATUS_IGNORE);
          continue;
        }
        MPI_File_read_at(file, 0, numbers.data(), kCount, MPI_INT, MPI_STATUS_IGNORE);
        EXPECT_EQ(numbers, std::vector<int>(kCount, numbers.front()));
      }
    });
    MPI_Type_free(&tile);
    MPI_File_close(&file);
    MPI_Finalize();
  });
}

TEST_F(Files, have_filetypes_that_reach_into_each_other) {
  run_ranks(1, [&](int) {
    // Numbers 0 and 4, then 1 and 5, then 2 and 6.
    MPI_Datatype pair, tile;
    const int places[2] = {0, 4};
    MPI_Type_create_indexed_block(2, 1, places, MPI_INT, &pair);
    MPI_Type_create_resized(pair, 0, 4, &tile);
    MPI_Type_commit(&tile);
    MPI_File file = open(kCreate);
    MPI_File_set_view(file, 0, MPI_INT, tile, "native", MPI_INFO_NULL);
    const int out[5] = {0, 4, 1, 5, 2};
    MPI_Status status;
    MPI_File_write_all(file, out, 5, MPI_INT, &status);
    EXPECT_EQ(count_of(status), 5);
    int in[5] = {}, again[5] = {};
    MPI_File_read_at(file, 0, in, 5, MPI_INT, &status);
    MPI_File_read_at_all(file, 0, again, 5, MPI_INT, &status);
    EXPECT_EQ(count_of(status), 5);
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(in[i] == out[i] && again[i] == out[i]);
    MPI_File_close(&file);
    MPI_Type_free(&pair);
    MPI_Type_free(&tile);
  });
  const std::vector<int> found = content();
  ASSERT_EQ(found.size(), 6u);
  EXPECT_EQ(std::vector<int>(found.begin(), found.begin() + 3), numbers_from(0, 3));
  EXPECT_EQ(std::vector<int>(found.begin() + 4, found.end()), numbers_from(4, 2));
}

TEST_F(Files, that_are_only_read_may_be_seen_twice) {
  fill(200);
  run_ranks(1, [&](int) {
    MPI_Datatype tile;
    const int lengths[2] = {100, 1}, places[2] = {0, 4};
    MPI_Type_indexed(2, lengths, places, MPI_INT, &tile);
    MPI_Type_commit(&tile);
    MPI_File file = open(MPI_MODE_RDONLY);
    EXPECT_EQ(MPI_File_set_view(file, 0, MPI_INT, tile, "native", MPI_INFO_NULL), MPI_SUCCESS);
    std::vector<int> in(101, -1), expected = numbers_from(0, 100);
    expected.push_back(4);
    MPI_Status status;
    MPI_File_read_at(file, 0, in.data(), 101, MPI_INT, &status);
    EXPECT_EQ(count_of(status), 101);
    EXPECT_EQ(in, expected);
    MPI_File_read_at_all(file, 0, in.data(), 101, MPI_INT, &status);
    EXPECT_EQ(count_of(status), 101);
    EXPECT_EQ(in, expected);
    MPI_File_close(&file);
    MPI_Type_free(&tile);
  });
}

TEST_F(Files, that_are_portable_count_elements_of_memory) {
  run_ranks(1, [&](int) {
    MPI_File file = open(kCreate);
    MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "external32", MPI_INFO_NULL);
    const long out[3] = {1, -2, 3};  // of four bytes there
    long in[3] = {};
    MPI_Status status;
    MPI_File_write_at(file, 0, out, 3, MPI_LONG, &status);
    EXPECT_EQ(count_of(status, MPI_LONG), 3);
    MPI_File_read_at(file, 0, in, 3, MPI_LONG, &status);
    EXPECT_EQ(count_of(status, MPI_LONG), 3);
    EXPECT_EQ(in[1], -2);
    MPI_Offset bytes = 0;
    MPI_File_get_size(file, &bytes);
    EXPECT_EQ(bytes, 12);
    MPI_File_close(&file);
  });
}

TEST_F(Files, may_be_portable) {
  run_ranks(2, [&](int rank) {
    MPI_File file = open(kCreate);
    MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "external32", MPI_INFO_NULL);
    const int out[2] = {0x01020304 + rank, 5};
    int in[2] = {};
    MPI_File_write_at_all(file, 2 * rank, out, 2, MPI_INT, MPI_STATUS_IGNORE);
    MPI_File_read_at_all(file, 2 * rank, in, 2, MPI_INT, MPI_STATUS_IGNORE);
    EXPECT_EQ(in[0], out[0]);
    EXPECT_EQ(in[1], 5);
    MPI_File_close(&file);
  });
  const std::vector<unsigned char> bytes = content<unsigned char>();
  EXPECT_EQ(bytes, (std::vector<unsigned char>{1, 2, 3, 4, 0, 0, 0, 5, 1, 2, 3, 5, 0, 0, 0, 5}));
}

TEST_F(Files, are_created_resized_and_deleted) {
  run_ranks(2, [&](int rank) {
    MPI_File file = open(kCreate | MPI_MODE_EXCL);
    MPI_Offset size = -1;
    EXPECT_EQ(MPI_File_set_size(file, 100), MPI_SUCCESS);
    MPI_File_get_size(file, &size);
    EXPECT_EQ(size, 100);
    EXPECT_EQ(MPI_File_preallocate(file, 50), MPI_SUCCESS);  // never shrinks
    MPI_File_get_size(file, &size);
    EXPECT_EQ(size, 100);
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(MPI_File_preallocate(file, 5000), MPI_SUCCESS);
    MPI_File_get_size(file, &size);
    EXPECT_EQ(size, 5000);
    MPI_Group group;
    int members = 0, amode = 0;
    MPI_File_get_group(file, &group);
    MPI_Group_size(group, &members);
    EXPECT_EQ(members, 2);
    MPI_Group_free(&group);
    MPI_File_get_amode(file, &amode);
    EXPECT_EQ(amode, kCreate | MPI_MODE_EXCL);
    MPI_File_close(&file);
    EXPECT_EQ(
        MPI_File_open(MPI_COMM_WORLD, path_.c_str(), kCreate | MPI_MODE_EXCL, MPI_INFO_NULL, &file),
        MPI_ERR_FILE_EXISTS);
    file = open(MPI_MODE_RDWR | MPI_MODE_APPEND | MPI_MODE_DELETE_ON_CLOSE);
    MPI_Offset at = 0;
    MPI_File_get_position(file, &at);
    EXPECT_EQ(at, 5000);
    MPI_File_close(&file);
    EXPECT_NE(access(path_.c_str(), F_OK), 0);
    EXPECT_EQ(MPI_File_open(MPI_COMM_WORLD, path_.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &file),
              MPI_ERR_NO_SUCH_FILE);
    if (rank == 0) {
      EXPECT_EQ(MPI_File_delete(path_.c_str(), MPI_INFO_NULL), MPI_ERR_NO_SUCH_FILE);
    }
  });
}

int errors_told = 0;

void count_error(MPI_File*, int*, ...) {
  ++errors_told;
}

TEST_F(Files, with_a_wrong_view_at_one_rank_have_an_error_at_all) {
  run_ranks(2, [&](int rank) {
    MPI_File file = open(kCreate);
    const MPI_Datatype type = rank == 0 ? MPI_DATATYPE_NULL : MPI_INT;
    EXPECT_EQ(MPI_File_set_view(file, 0, type, type, "native", MPI_INFO_NULL),
              rank == 0 ? MPI_ERR_TYPE : MPI_ERR_NOT_SAME);
    MPI_File_close(&file);
  });
}

TEST_F(Files, tell_errors_by_their_handlers) {
  fill(4);
  run_ranks(1, [&](int) {
    MPI_File file;
    const int both = MPI_MODE_RDONLY | MPI_MODE_WRONLY;
    EXPECT_EQ(MPI_File_open(MPI_COMM_SELF, path_.c_str(), both, MPI_INFO_NULL, &file),
              MPI_ERR_AMODE);
    EXPECT_EQ(MPI_File_open(MPI_COMM_SELF, "/nowhere/at/all", kCreate, MPI_INFO_NULL, &file),
              MPI_ERR_NO_SUCH_FILE);
    file = open(MPI_MODE_RDONLY, MPI_COMM_SELF);
    int one = 0;
    EXPECT_EQ(MPI_File_write(file, &one, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_READ_ONLY);
    EXPECT_EQ(MPI_File_set_size(file, 0), MPI_ERR_READ_ONLY);
    EXPECT_EQ(MPI_File_read_at(file, -1, &one, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_ARG);
    EXPECT_EQ(MPI_File_read(file, &one, -1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_COUNT);
    EXPECT_EQ(MPI_File_set_view(file, 0, MPI_INT, MPI_CHAR, "native", MPI_INFO_NULL), MPI_ERR_ARG);
    EXPECT_EQ(MPI_File_set_view(file, 0, MPI_INT, MPI_INT, "martian", MPI_INFO_NULL),
              MPI_ERR_UNSUPPORTED_DATAREP);
    EXPECT_EQ(MPI_File_read(MPI_FILE_NULL, &one, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_FILE);
    errors_told = 0;
    MPI_Errhandler counting, got;
    MPI_File_create_errhandler(count_error, &counting);
    MPI_File_set_errhandler(file, counting);
    MPI_File_get_errhandler(file, &got);
    EXPECT_EQ(got, counting);
    EXPECT_EQ(MPI_File_write(file, &one, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_ERR_READ_ONLY);
    MPI_File_call_errhandler(file, MPI_ERR_IO);
    EXPECT_EQ(errors_told, 2);
    MPI_Errhandler_free(&got);
    MPI_Errhandler_free(&counting);
    MPI_File_get_errhandler(MPI_FILE_NULL, &got);
    EXPECT_EQ(got, MPI_ERRORS_RETURN);
    MPI_File_close(&file);
    EXPECT_EQ(MPI_Register_datarep("own", nullptr, nullptr, nullptr, nullptr), MPI_SUCCESS);
    EXPECT_EQ(MPI_Register_datarep("own", nullptr, nullptr, nullptr, nullptr), MPI_ERR_DUP_DATAREP);
  });
}

}  // namespace
