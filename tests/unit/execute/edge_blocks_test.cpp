// SPDX-License-Identifier: BSD-3-Clause
// Goals and methods:
// - Takers get a giver's blocks out of its deposit as they were, wherever it is, whichever of them
//   have gaps, and as much as fits: random blocks, dealt through a line and scratch of exactly the
//   size that is told.
// - So they do where ranks are processes, which leave each block by its length, with a puller that
//   copies; also if there are more blocks than a line lists. Givers wait for those who take long
//   ones, a read that fails is told, and tables that are wrong are found.
// - A deposit is carried by the line if it fits, whatever the lengths: sizes around the limit.
#include "execute/edge_blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "team/memory.hpp"
#include "unit/contracts.hpp"
#include "unit/seeds.hpp"

namespace terrace {
namespace {

using Random = std::mt19937_64;

constexpr std::size_t kSlotBytes = 8192;
constexpr auto kUntouchedByte = std::byte{0xee};

/// A block whose bytes lie `stride` apart, which is its layout.
struct SpreadBlock {
  SpreadBlock(std::size_t bytes, std::size_t its_stride)
      : stride(its_stride), memory(bytes * stride + 1, kUntouchedByte) {}

  LaidOutBlock block() {
    return {memory.data(), (memory.size() - 1) / stride, stride == 1 ? nullptr : this};
  }
  std::byte& at(std::size_t i) { return memory[i * stride]; }

  std::size_t stride;
  std::vector<std::byte> memory;
};

class SpreadCopier final : public BlockCopier {
 public:
  void pack(const LaidOutBlock& from, std::byte* to) noexcept override {
    for (std::size_t i = 0; i < from.bytes; ++i) to[i] = at(from, i);
  }
  void unpack(const std::byte* from, const LaidOutBlock& to, std::size_t bytes) noexcept override {
    for (std::size_t i = 0; i < bytes; ++i) at(to, i) = from[i];
  }
  void copy(const LaidOutBlock& from, const LaidOutBlock& to, std::size_t bytes) noexcept override {
    for (std::size_t i = 0; i < bytes; ++i) at(to, i) = at(from, i);
  }

 private:
  static std::byte& at(const LaidOutBlock& block, std::size_t i) {
    const auto* const spread = static_cast<const SpreadBlock*>(block.layout);
    return block.at[i * (spread == nullptr ? 1 : spread->stride)];
  }
};

/// Blocks of one side.
struct Blocks {
  void add(std::size_t bytes, std::size_t stride) { spread.emplace_back(bytes, stride); }
  std::span<const LaidOutBlock> table() {
    all.clear();
    for (SpreadBlock& one : spread) all.push_back(one.block());
    return all;
  }
  std::vector<SpreadBlock> spread;
  std::vector<LaidOutBlock> all;
};

/// Reads the memory of rank 3, which is this process's.
class CopyingPuller final : public Puller {
 public:
  bool pull(Rank owner, const void* from, void* to, std::size_t bytes) noexcept override {
    EXPECT_EQ(owner, 3u);
    ++pulled;
    if (is_refused) return false;
    std::copy_n(static_cast<const std::byte*>(from), bytes, static_cast<std::byte*>(to));
    return true;
  }
  std::size_t pulled = 0;
  bool is_refused = false;
};

/// A giver's line and scratch, behind which nothing may be written.
struct Place {
  explicit Place(std::size_t scratch_bytes) : scratch(scratch_bytes + 1, kUntouchedByte) {
    line.fill(kUntouchedByte);
  }
  void leave(const EdgeBlocks& blocks) {
    if (blocks.scratch_bytes > 0) write_scratch(blocks, scratch.data());
    write_line(blocks, line.data());
    EXPECT_EQ(line.back(), kUntouchedByte);
    EXPECT_EQ(scratch.back(), kUntouchedByte);
  }
  DepositOfGiver deposit() const { return {3, line.data(), scratch.data(), scratch.size() - 1}; }
  std::array<std::byte, kPayloadBytes + 1> line;
  std::vector<std::byte> scratch;
};

std::size_t dealt_below(Random& random, std::size_t end) {
  return random() % end;
}

void deal(std::uint64_t seed) {
  Random random(seed);
  SpreadCopier copier;
  Blocks given, taken;
  constexpr std::size_t kLongest[] = {4, 30, 200, 3000};
  const std::size_t longest = kLongest[dealt_below(random, 4)], count = 1 + dealt_below(random, 6);
  for (std::size_t i = 0; i < count; ++i) {
    given.add(dealt_below(random, longest), 1 + dealt_below(random, 2));
    for (std::size_t k = 0; k < given.table()[i].bytes; ++k)
      given.spread[i].at(k) = static_cast<std::byte>(random() % 200);
    const std::size_t bytes = given.table()[i].bytes;
    taken.add(dealt_below(random, 4) != 0 ? bytes : dealt_below(random, longest),
              1 + dealt_below(random, 2));
  }
  EdgeBlocks giver{given.table(), {}, &copier}, taker{{}, taken.table(), &copier};
  choose_deposit(giver, kSlotBytes);
  Place place(giver.scratch_bytes);
  place.leave(giver);
  for (std::size_t i = 0; i < count; ++i) {
    taker.is_truncated = false;
    ask_for_deposit(place.deposit());
    take_block(place.deposit(), i, taker, i);
    const std::size_t sent = giver.given[i].bytes, room = taker.taken[i].bytes;
    EXPECT_EQ(taker.is_truncated, sent > room) << seed;
    SpreadBlock wanted(room, taken.spread[i].stride);
    for (std::size_t k = 0; k < std::min(sent, room); ++k) wanted.at(k) = given.spread[i].at(k);
    EXPECT_TRUE(wanted.memory == taken.spread[i].memory) << seed << ", block " << i;
  }
}

TEST(EdgeBlocks, come_out_of_a_deposit_as_they_were) {
  for_seeds(2000, deal);
}

/// Blocks of processes, whose ranks give up to `most_blocks`.
void deal_between_processes(std::uint64_t seed) {
  Random random(seed);
  CopyingPuller puller;
  Blocks given, taken;
  constexpr std::size_t kLongest[] = {4, 30, 200, 3000, 30000};
  const std::size_t longest = kLongest[dealt_below(random, 5)], most_blocks = 40;
  const std::size_t count = 1 + dealt_below(random, most_blocks);
  for (std::size_t i = 0; i < count; ++i) {
    given.add(dealt_below(random, longest), 1);
    for (std::byte& one : given.spread[i].memory) one = static_cast<std::byte>(random() % 200);
    const std::size_t bytes = given.table()[i].bytes;
    taken.add(dealt_below(random, 4) != 0 ? bytes : dealt_below(random, longest), 1);
  }
  std::vector<std::size_t> came(count, 0);
  const std::size_t most_left = most_left_in_scratch(kSlotBytes, most_blocks);
  EdgeBlocks giver{given.table(), {}, nullptr, &puller, most_left};
  EdgeBlocks taker{{}, taken.table(), nullptr, &puller, most_left, came};
  choose_deposit(giver, kSlotBytes);
  Place place(giver.scratch_bytes);
  place.leave(giver);
  std::size_t long_ones = 0;
  for (std::size_t i = 0; i < count; ++i) {
    taker.is_truncated = false;
    ask_for_deposit(place.deposit());
    const auto deposit = take_block(place.deposit(), i, taker, i);
    ASSERT_TRUE(deposit.has_value()) << seed;
    const std::size_t sent = giver.given[i].bytes, room = taker.taken[i].bytes;
    long_ones += sent > most_left && room > 0;
    EXPECT_EQ(is_left_in_place(*deposit), giver.deposit == Deposit::pulled) << seed;
    EXPECT_EQ(taker.is_truncated, sent > room) << seed;
    EXPECT_EQ(came[i], std::min(sent, room)) << seed;
    SpreadBlock wanted(room, 1);
    for (std::size_t k = 0; k < came[i]; ++k) wanted.at(k) = given.spread[i].at(k);
    EXPECT_TRUE(wanted.memory == taken.spread[i].memory) << seed << ", block " << i;
  }
  EXPECT_EQ(puller.pulled, long_ones) << seed;
}

TEST(EdgeBlocks, of_processes_are_in_scratch_if_they_are_short) {
  for_seeds(2000, deal_between_processes);
}

TEST(EdgeBlocks, that_are_long_are_awaited_by_their_givers) {
  CopyingPuller puller;
  Blocks taken;
  for (const std::size_t bytes : {100, 50}) taken.add(bytes, 1);
  EdgeBlocks blocks{{}, taken.table(), nullptr, &puller, 100};
  EXPECT_FALSE(is_awaited_by_givers(blocks));
  blocks.most_left = 99;
  EXPECT_TRUE(is_awaited_by_givers(blocks));
  blocks.puller = nullptr;  // threads do not leave calls
  EXPECT_FALSE(is_awaited_by_givers(blocks));
}

TEST(EdgeBlocks, in_scratch_do_not_make_their_giver_wait) {
  CopyingPuller puller;
  Blocks given;
  for (const std::size_t bytes : {4000, 8, 8, 8}) given.add(bytes, 1);
  const std::array<Rank, 4> takers = {1, 2, 1, 0};
  EdgeBlocks giver{given.table(), {}, nullptr, &puller, 100};
  giver.takers = takers;
  choose_deposit(giver, kSlotBytes);
  EXPECT_TRUE(waits_for_taker(giver, 1));
  EXPECT_FALSE(waits_for_taker(giver, 2));
  EXPECT_FALSE(waits_for_taker(giver, 0));
  giver.takers = {};  // of an allgather
  EXPECT_TRUE(waits_for_taker(giver, 2));
}

/// A peer may be of another build, or have overwritten them.
TEST(EdgeBlocks, of_wrong_tables_are_found) {
  CopyingPuller puller;
  Blocks given, taken;
  for (Blocks* side : {&given, &taken})
    for (const std::size_t bytes : {4000, 8}) side->add(bytes, 1);
  EdgeBlocks giver{given.table(), {}, nullptr, &puller, 100};
  EdgeBlocks taker{{}, taken.table(), nullptr, &puller, 100};
  choose_deposit(giver, kSlotBytes);
  ASSERT_EQ(giver.deposit, Deposit::pulled);
  Place place(giver.scratch_bytes);
  place.leave(giver);
  DepositOfGiver shorter = place.deposit();
  shorter.scratch_bytes = 4;
  EXPECT_BROKEN(take_block(shorter, 1, taker, 1),
                "from.place . from.bytes <= deposit.scratch_bytes");
  const auto turn_into = [&place](Deposit other) {
    std::copy_n(reinterpret_cast<const std::byte*>(&other), sizeof other, place.line.data());
  };
  turn_into(Deposit::direct);
  EXPECT_BROKEN(take_block(place.deposit(), 1, taker, 1), "own.puller == nullptr");
  turn_into(static_cast<Deposit>(9));
  EXPECT_BROKEN(take_block(place.deposit(), 1, taker, 1), "head.deposit <= Deposit::pulled");
  turn_into(Deposit::bounced);
  EXPECT_BROKEN(take_block(place.deposit(), 1, taker, 1), "table <= deposit.scratch_bytes");
}

TEST(EdgeBlocks, that_cannot_be_read_say_so) {
  CopyingPuller puller;
  puller.is_refused = true;
  Blocks given, taken;
  for (Blocks* side : {&given, &taken}) side->add(5000, 1);
  EdgeBlocks giver{given.table(), {}, nullptr, &puller, 1000};
  EdgeBlocks taker{{}, taken.table(), nullptr, &puller, 1000};
  choose_deposit(giver, kSlotBytes);
  Place place(giver.scratch_bytes);
  place.leave(giver);
  EXPECT_FALSE(take_block(place.deposit(), 0, taker, 0).has_value());
}

/// A rank may have so many, and all of the shortest length that is left fit scratch.
TEST(EdgeBlocks, of_processes_have_room_for_the_most_blocks) {
  CopyingPuller puller;
  for (const std::size_t scratch : {std::size_t{0}, std::size_t{1024}, kSlotBytes})
    for (const std::size_t count : {most_pulled_blocks(scratch), most_pulled_blocks(scratch) / 2}) {
      Blocks given;
      const std::size_t most_left = most_left_in_scratch(scratch, count);
      for (std::size_t i = 0; i < count; ++i) given.add(i % 2 == 0 ? most_left : most_left + 90, 1);
      EdgeBlocks giver{given.table(), {}, nullptr, &puller, most_left};
      choose_deposit(giver, scratch);
      EXPECT_LE(giver.scratch_bytes, scratch) << count;
    }
}

/// Where blocks of so many bytes each are left.
Deposit deposit_of(std::size_t count, std::size_t bytes, std::size_t scratch_bytes = kSlotBytes,
                   std::size_t stride = 1) {
  Blocks given;
  for (std::size_t i = 0; i < count; ++i) given.add(bytes, stride);
  EdgeBlocks giver{given.table(), {}, nullptr};
  choose_deposit(giver, scratch_bytes);
  return giver.deposit;
}

TEST(EdgeBlocks, are_carried_if_they_fit_a_line) {
  // A word of a head, and one of ends of up to eight blocks.
  EXPECT_EQ(deposit_of(1, std::min<std::size_t>(kPayloadBytes - 16, 255)), Deposit::carried);
  EXPECT_EQ(deposit_of(1, kPayloadBytes - 15), Deposit::bounced);
  EXPECT_EQ(deposit_of(2, 8), Deposit::carried);
  EXPECT_EQ(deposit_of(9, 8), kPayloadBytes >= 96 ? Deposit::carried : Deposit::bounced);
  EXPECT_EQ(deposit_of(kPayloadBytes, 0), Deposit::bounced);  // their ends alone do not fit
  EXPECT_EQ(deposit_of(0, 0), Deposit::carried);
  EXPECT_EQ(deposit_of(1, 300), Deposit::bounced);
  EXPECT_EQ(deposit_of(1, 300, 256), Deposit::direct);  // there is less scratch
  EXPECT_EQ(deposit_of(2, 100000), Deposit::direct);
}

TEST(EdgeBlocks, with_gaps_are_bounced_if_they_are_longer) {
  EXPECT_EQ(deposit_of(2, 2000), Deposit::direct);
  EXPECT_EQ(deposit_of(2, 2000, kSlotBytes, 2), Deposit::bounced);
  EXPECT_EQ(deposit_of(2, 5000, kSlotBytes, 2), Deposit::direct);  // there is less scratch
  EXPECT_EQ(deposit_of(2, 100000, 1 << 20, 2), Deposit::direct);
}

TEST(EdgeBlocks, are_no_more_than_their_giver_has) {
  Blocks given, taken;
  given.add(8, 1);
  taken.add(8, 1);
  EdgeBlocks giver{given.table(), {}, nullptr}, taker{{}, taken.table(), nullptr};
  choose_deposit(giver, kSlotBytes);
  Place place(0);
  place.leave(giver);
  EXPECT_BROKEN(take_block(place.deposit(), 1, taker, 0), "number < head.count");
}

}  // namespace
}  // namespace terrace
