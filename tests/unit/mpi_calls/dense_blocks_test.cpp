// SPDX-License-Identifier: BSD-3-Clause
// Goal: blocks with gaps are packed to rows of bytes and unpacked, those without are used as they
// lie, and only as much as is meant is read or written.
#include "mpi_calls/dense_blocks.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "unit/contracts.hpp"

namespace terrace {
namespace {

/// Characters that lie `step` apart.
class Characters {
 public:
  Characters(char* first, std::size_t count, std::size_t step)
      : first_(first), count_(count), step_(step) {}

  std::byte* at() const { return reinterpret_cast<std::byte*>(first_); }
  std::size_t bytes() const { return count_; }
  bool is_dense() const { return step_ == 1; }
  bool pack(std::byte* to) const {
    for (std::size_t i = 0; i < count_; ++i) to[i] = static_cast<std::byte>(first_[i * step_]);
    return true;
  }
  bool unpack(const std::byte* from, std::size_t bytes) const {
    for (std::size_t i = 0; i < bytes; ++i) first_[i * step_] = static_cast<char>(from[i]);
    return true;
  }

 private:
  char* first_;
  std::size_t count_;
  std::size_t step_;
};

std::string text_of(const Block& block) {
  return {reinterpret_cast<const char*>(block.at), block.bytes};
}

TEST(DenseBlocks, without_gaps_lie_where_the_user_has_them) {
  char text[] = "abcdef";
  DenseBlocks<Characters> blocks(4);
  EXPECT_TRUE(blocks.is_empty());
  blocks.add(1, Characters(text, 2, 1));
  blocks.add(2, Characters(text + 2, 4, 1));
  ASSERT_TRUE(blocks.make_room() && blocks.pack());
  EXPECT_EQ(blocks[2].at, reinterpret_cast<std::byte*>(text + 2));
  EXPECT_EQ(blocks.most_bytes(), 4u);
  EXPECT_EQ(blocks[0].bytes, 0u);
  EXPECT_FALSE(blocks.is_empty());
}

TEST(DenseBlocks, with_gaps_are_packed_and_what_comes_is_unpacked) {
  char text[] = "a.b.c.d.";
  DenseBlocks<Characters> blocks(2);
  blocks.add(0, Characters(text, 2, 2));
  blocks.add(1, Characters(text + 4, 2, 2));
  ASSERT_TRUE(blocks.make_room() && blocks.pack());
  EXPECT_EQ(text_of(blocks[0]), "ab");
  EXPECT_EQ(text_of(blocks[1]), "cd");
  std::memcpy(blocks[1].at, "xy", 2);
  EXPECT_TRUE(blocks.unpack());
  EXPECT_STREQ(text, "a.b.x.y.");
}

TEST(DenseBlocks, are_packed_only_as_far_as_they_hold_something) {
  char text[] = "a.b.c.d.";
  DenseBlocks<Characters> blocks(2);
  blocks.add(0, Characters(text, 2, 2));
  blocks.add(1, Characters(text + 4, 2, 2));
  ASSERT_TRUE(blocks.make_room());
  std::memset(blocks[0].at, '-', 4);
  blocks.pack({1, 1});
  EXPECT_EQ(text_of(blocks[0]), "--");
  EXPECT_EQ(text_of(blocks[1]), "cd");
}

TEST(DenseBlocks, of_bytes_that_lie_somewhere_are_not_unpacked) {
  char text[] = "abcd";
  DenseBlocks<Characters> blocks(3);
  blocks.add(0, Block{reinterpret_cast<std::byte*>(text), 4});
  ASSERT_TRUE(blocks.make_room() && blocks.pack() && blocks.unpack());
  EXPECT_EQ(text_of(blocks[0]), "abcd");
  EXPECT_EQ(blocks.row({0, 2}).size(), 2u);
  EXPECT_EQ(blocks.row({0, 2})[1].bytes, 0u);
}

TEST(DenseBlocksContracts, have_blocks_of_their_numbers_alone) {
  char text[] = "abcd";
  DenseBlocks<Characters> blocks(2);
  const Block block{reinterpret_cast<std::byte*>(text), 4};
  EXPECT_BROKEN(blocks.add(2, block), "number < table_.size");
  EXPECT_BROKEN(blocks.row({1, 2}), "which.count <= table_.size");
  EXPECT_BROKEN(blocks.elements(0), "users_.empty");
  EXPECT_BROKEN_IN_DEBUG_BUILDS(blocks[2], "number < table_.size");
}

/// What this rank hears from the other one, whose longest block and whose block for this rank are
/// so long.
Lengths heard(const DenseBlocks<Characters>& given, std::uint64_t most, std::uint64_t bytes) {
  Lengths lengths;
  const auto exchange =
      lengths.prepare(Collective::alltoallv, {given.table(), given.table()}, true, 0, 0, 2);
  const std::uint64_t told[] = {2, 2, most, bytes};
  std::memcpy(exchange.output, told, sizeof told);
  return lengths;
}

TEST(DenseBlocksContracts, are_fitted_once_to_lengths_that_ranks_have_told) {
  char text[] = "abcd";
  DenseBlocks<Characters> blocks(2);
  for (const std::size_t number : {0, 1}) blocks.add(number, Characters(text + 2 * number, 2, 1));
  EXPECT_TRUE(blocks.are_within(2));
  EXPECT_FALSE(blocks.are_within(1));
  const Lengths lengths = heard(blocks, 7, 1);
  EXPECT_EQ(lengths.most(), std::optional<std::uint64_t>(7));
  const RankInCall who{Collective::alltoallv, 2, 0, 0};
  EXPECT_FALSE(blocks.fit_to(lengths, who));
  EXPECT_EQ(text_of(blocks[1]), "c");
  EXPECT_BROKEN_IN_DEBUG_BUILDS(blocks.fit_to(lengths, who), "fitted_.empty");
  EXPECT_BROKEN_IN_DEBUG_BUILDS(lengths.given_by(2), "rank < rank_count_");
  EXPECT_BROKEN_IN_DEBUG_BUILDS(heard(blocks, 1, 2).most(), "given_by(rank) <= longest");
}

}  // namespace
}  // namespace terrace
