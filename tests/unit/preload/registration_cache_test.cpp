// SPDX-License-Identifier: BSD-3-Clause
// Which ranges of a peer are attached, kept and let go, with a mapper that only notes it down.
#include "preload/transport/registration_cache.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include "unit/contracts.hpp"

namespace terrace::preload {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::size_t kPage = 4096;

/// Returns addresses that are never touched.
class Notes final : public RangeMapper {
 public:
  std::byte* attach(std::uint64_t begin, std::size_t bytes) noexcept override {
    ++attempts;
    if (begin + bytes > limit || refuses) {
      errno = ENOMEM;
      return nullptr;
    }
    EXPECT_EQ(begin % kPage, 0u);
    EXPECT_EQ(bytes % kPage, 0u);
    next_ += 64 * kMiB + bytes;
    attached[next_] = {begin, bytes};
    return reinterpret_cast<std::byte*>(next_);
  }
  void detach(std::byte* at) noexcept override {
    EXPECT_EQ(attached.erase(reinterpret_cast<std::uintptr_t>(at)), 1u);
  }

  struct Attached {
    std::uint64_t begin;
    std::size_t bytes;
  };
  std::map<std::uint64_t, Attached> attached;
  int attempts = 0;
  std::uint64_t limit = ~std::uint64_t{0};
  bool refuses = false;

 private:
  std::uint64_t next_ = 64 * kMiB;
};

class Ranges : public testing::Test {
 protected:
  /// Used and given back.
  std::byte* use(RangeCache& cache, std::uint64_t address, std::size_t bytes) {
    bool is_new = false;
    AttachedRange* const range = cache.take(address, bytes, is_new);
    if (range == nullptr) return nullptr;
    EXPECT_LE(range->begin, address);
    EXPECT_GE(range->begin + range->bytes, address + bytes);
    cache.give_back(*range);
    return range->here(address);
  }

  Notes notes;
};

TEST_F(Ranges, are_kept_from_use_to_use) {
  RangeCache cache(notes, kPage);
  std::byte* const first = use(cache, 100 * kMiB + 40, 70000);
  EXPECT_EQ(use(cache, 100 * kMiB + 41, 60000), first + 1);
  EXPECT_EQ(use(cache, 100 * kMiB, 2 * kMiB), first - 40) << "rounded to 2 MiB";
  EXPECT_EQ(notes.attempts, 1);
  use(cache, 102 * kMiB - 1, 1);
  EXPECT_EQ(notes.attempts, 1);
  use(cache, 102 * kMiB, 1);
  EXPECT_EQ(notes.attempts, 2);
}

TEST_F(Ranges, say_which_are_new) {
  RangeCache cache(notes, kPage);
  bool is_new = false;
  AttachedRange* const first = cache.take(kMiB, 8, is_new);
  EXPECT_TRUE(is_new);
  EXPECT_EQ(cache.take(kMiB + 8, 8, is_new), first);
  EXPECT_FALSE(is_new);
}

TEST_F(Ranges, take_in_what_overlaps) {
  RangeCache cache(notes, kPage);
  use(cache, 10 * kMiB, kMiB);
  use(cache, 14 * kMiB, kMiB);
  use(cache, 11 * kMiB, 4 * kMiB);  // from the first into the second
  EXPECT_EQ(cache.range_count(), 1u);
  EXPECT_EQ(cache.byte_count(), 6 * kMiB);
  use(cache, 10 * kMiB, 6 * kMiB);
  EXPECT_EQ(notes.attempts, 3);
}

TEST_F(Ranges, in_use_stay_where_they_are) {
  RangeCache cache(notes, kPage, {2, 16 * kMiB});
  bool is_new = false;
  AttachedRange* const held = cache.take(10 * kMiB, kMiB, is_new);
  std::byte* const at = held->at;
  use(cache, 11 * kMiB, 4 * kMiB);  // overlaps it
  for (std::uint64_t i = 2; i < 20; ++i) use(cache, i * 100 * kMiB, kMiB);
  bool again_new = true;
  EXPECT_EQ(cache.take(10 * kMiB + 5, 5, again_new), held);
  EXPECT_FALSE(again_new);
  EXPECT_EQ(held->at, at);
  EXPECT_EQ(notes.attached.count(reinterpret_cast<std::uintptr_t>(at)), 1u);
  EXPECT_LE(cache.range_count(), 2u);
}

TEST_F(Ranges, used_least_recently_go_first) {
  RangeCache cache(notes, kPage, {3, 1000 * kMiB});
  for (const std::uint64_t i : {1, 2, 3, 1, 4}) use(cache, i * 100 * kMiB, kMiB);
  const int attempts = notes.attempts;
  for (const std::uint64_t i : {1, 3, 4}) use(cache, i * 100 * kMiB, kMiB);
  EXPECT_EQ(notes.attempts, attempts) << "one of those used last is gone";
  use(cache, 200 * kMiB, kMiB);
  EXPECT_EQ(notes.attempts, attempts + 1) << "the one used least is still there";
}

TEST_F(Ranges, are_bounded_in_number_and_bytes) {
  RangeCache cache(notes, kPage, {8, 20 * kMiB});
  for (std::uint64_t i = 1; i < 100; ++i) {
    use(cache, i * 100 * kMiB, (i % 5 + 1) * kMiB);
    EXPECT_LE(cache.range_count(), 8u);
    EXPECT_LE(cache.byte_count(), 20 * kMiB);
  }
  use(cache, 7, 50 * kMiB);  // more than the bound: alone
  EXPECT_EQ(cache.range_count(), 1u);
  use(cache, 100 * kMiB, 1);
  EXPECT_EQ(cache.byte_count(), 2 * kMiB);
}

TEST_F(Ranges, beyond_the_bounds_in_use_go_when_given_back) {
  RangeCache cache(notes, kPage, {2, 1000 * kMiB});
  bool is_new = false;
  std::vector<AttachedRange*> held;
  for (std::uint64_t i = 1; i <= 5; ++i) held.push_back(cache.take(i * 10 * kMiB, 8, is_new));
  EXPECT_EQ(cache.range_count(), 5u);
  for (AttachedRange* range : held) cache.give_back(*range);
  use(cache, 100 * kMiB, 8);
  EXPECT_EQ(cache.range_count(), 2u);
}

TEST_F(Ranges, at_the_end_of_all_addresses_are_whole_pages) {
  notes.limit = 101 * kMiB;
  RangeCache cache(notes, kPage);
  EXPECT_NE(use(cache, 101 * kMiB - 5000, 4000), nullptr);
  EXPECT_EQ(cache.byte_count(), 2 * kPage);
  EXPECT_EQ(use(cache, 101 * kMiB - 1, 2), nullptr);
  EXPECT_EQ(errno, ENOMEM);
  EXPECT_EQ(use(cache, ~std::uint64_t{0} - 100, 50), nullptr);
}

TEST_F(Ranges, that_are_refused_leave_no_trace) {
  RangeCache cache(notes, kPage);
  notes.refuses = true;
  EXPECT_EQ(use(cache, 10 * kMiB, 8), nullptr);
  EXPECT_EQ(cache.range_count(), 0u);
  EXPECT_EQ(cache.byte_count(), 0u);
  notes.refuses = false;
  EXPECT_NE(use(cache, 10 * kMiB, 8), nullptr);
}

TEST_F(Ranges, all_go_with_the_cache) {
  {
    RangeCache cache(notes, kPage);
    for (std::uint64_t i = 1; i < 9; ++i) use(cache, i * 10 * kMiB, kMiB);
    EXPECT_EQ(notes.attached.size(), 8u);
  }
  EXPECT_TRUE(notes.attached.empty());
}

/// Against the mapper's own notes: what is said to be somewhere is attached there.
TEST_F(Ranges, are_what_they_say_after_many_uses) {
  RangeCache cache(notes, kPage, {6, 64 * kMiB});
  std::mt19937_64 random(5);
  std::vector<AttachedRange*> held;
  for (int step = 0; step < 5000; ++step) {
    bool is_new = false;
    const std::uint64_t address = random() % (200 * kMiB) + kMiB;
    const std::size_t bytes = random() % (9 * kMiB) + 1;
    AttachedRange* const range = cache.take(address, bytes, is_new);
    ASSERT_NE(range, nullptr);
    const auto note = notes.attached.find(reinterpret_cast<std::uintptr_t>(range->at));
    ASSERT_NE(note, notes.attached.end());
    ASSERT_EQ(note->second.begin, range->begin);
    ASSERT_EQ(note->second.bytes, range->bytes);
    ASSERT_TRUE(range->holds(address, bytes));
    held.push_back(range);
    if (held.size() == 4) {
      for (AttachedRange* one : held) cache.give_back(*one);
      held.clear();
    }
    ASSERT_EQ(notes.attached.size(), cache.range_count());
  }
}

TEST(RangeCacheContracts, give_back_what_was_taken) {
  Notes notes;
  RangeCache cache(notes, kPage);
  bool is_new = false;
  AttachedRange* const range = cache.take(16 * kMiB, kPage, is_new);
  ASSERT_NE(range, nullptr);
  cache.give_back(*range);
  EXPECT_BROKEN(cache.give_back(*range), "users > 0");
  EXPECT_BROKEN(cache.take(~std::uint64_t{0}, 2 * kPage, is_new), "address . bytes >= address");
}

}  // namespace
}  // namespace terrace::preload
