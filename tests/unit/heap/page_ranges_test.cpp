// SPDX-License-Identifier: BSD-3-Clause
// Goal: pages are never handed out twice, and are called zero only if they were never used.
// Method: small cases by hand; then random ones against a list of all pages.
#include "heap/page_ranges.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <random>
#include <vector>

#include "unit/contracts.hpp"

namespace terrace {
namespace {

TEST(PageRanges, what_was_used_before_comes_first) {
  PageRanges pages(100);
  const auto a = pages.take(10), b = pages.take(10);
  EXPECT_TRUE(a->is_zero);
  EXPECT_EQ(b->first, 10u);
  pages.give_back(a->first);
  EXPECT_EQ(pages.warm_pages(), 10u);
  const auto again = pages.take(7);
  EXPECT_EQ(again->first, 0u);
  EXPECT_FALSE(again->is_zero);
  EXPECT_EQ(pages.end(), 20u);
}

TEST(PageRanges, emptied_pages_are_zero_again) {
  PageRanges pages(100);
  const auto a = pages.take(10);
  pages.give_back_emptied(a->first);
  EXPECT_EQ(pages.warm_pages(), 0u);
  const auto again = pages.take(10);
  EXPECT_EQ(again->first, 0u);
  EXPECT_TRUE(again->is_zero);
}

TEST(PageRanges, neighbours_given_back_join) {
  PageRanges pages(30);
  const auto a = pages.take(10), b = pages.take(10), c = pages.take(10);
  EXPECT_FALSE(pages.take(1));
  pages.give_back(a->first);
  pages.give_back(c->first);
  EXPECT_FALSE(pages.take(11));
  pages.give_back(b->first);
  EXPECT_EQ(pages.take(30)->first, 0u);
}

TEST(PageRanges, a_range_grows_where_it_lies_if_what_follows_is_free) {
  PageRanges pages(100);
  const auto a = pages.take(10), b = pages.take(10);
  EXPECT_FALSE(pages.resize(a->first, 11));
  pages.give_back(b->first);
  EXPECT_TRUE(pages.resize(a->first, 40));  // over used pages and others behind them
  EXPECT_EQ(pages.count_at(a->first), 40u);
  EXPECT_EQ(pages.end(), 40u);
  EXPECT_FALSE(pages.resize(a->first, 101));
  EXPECT_TRUE(pages.resize(a->first, 5));
  EXPECT_EQ(pages.warm_pages(), 35u);
}

TEST(PageRanges, a_range_alone_grows_into_its_room) {
  PageRanges pages(1000);
  const auto a = pages.take_with_room(10, 70), b = pages.take_with_room(10, 70);
  ASSERT_TRUE(a && b);
  EXPECT_TRUE(a->is_zero);
  EXPECT_GE(pages.take(500)->first, 160u);
  EXPECT_TRUE(pages.resize(a->first, 80));
  EXPECT_TRUE(pages.resize(b->first, 40));
  EXPECT_FALSE(pages.resize(a->first, 81));
  pages.give_back(b->first);  // and so its room
  EXPECT_TRUE(pages.resize(a->first, 160));
  EXPECT_FALSE(pages.take_with_room(10, 1000));
  EXPECT_FALSE(pages.take_with_room(10, ~std::size_t{0}));
}

TEST(PageRanges, a_range_with_room_takes_pages_that_were_used) {
  PageRanges pages(1000);
  for (int turn = 0; turn < 100; ++turn) {
    const auto one = pages.take_with_room(10, 70);
    EXPECT_EQ(one->first, 0u) << turn;
    pages.give_back(one->first);
  }
  EXPECT_EQ(pages.warm_pages(), 10u);
}

TEST(PageRanges, a_range_that_gets_shorter_leaves_its_room_to_others) {
  PageRanges pages(100);
  const auto one = pages.take_with_room(20, 80);
  EXPECT_TRUE(pages.resize(one->first, 10));
  EXPECT_EQ(pages.warm_pages(), 10u);
  EXPECT_TRUE(pages.take(80));
}

TEST(PageRanges, rooms_end_where_no_other_pages_are_left) {
  PageRanges pages(100);
  const auto one = pages.take_with_room(20, 80);
  EXPECT_FALSE(pages.take(81));
  const auto two = pages.take(80);
  ASSERT_TRUE(two);
  EXPECT_FALSE(pages.resize(one->first, 21));
  pages.give_back(two->first);
  EXPECT_TRUE(pages.resize(one->first, 100));
}

TEST(PageRanges, a_range_that_cannot_be_used_leaves_nothing) {
  PageRanges pages(1000);
  pages.take(10);
  pages.undo_take(*pages.take_with_room(10, 70));
  EXPECT_EQ(pages.end(), 10u);
  EXPECT_EQ(pages.taken_pages(), 10u);
  EXPECT_EQ(pages.warm_pages(), 0u);
  EXPECT_TRUE(pages.take(20)->is_zero);
}

TEST(PageRanges, ranges_begin_where_they_are_wanted) {
  PageRanges pages(100);
  pages.take(3);
  EXPECT_EQ(pages.take(4, 8)->first, 8u);
  EXPECT_EQ(pages.take(5)->first, 3u);  // the gap before it is of use
  EXPECT_FALSE(pages.take(10, 128).has_value() && pages.take(10, 128)->first != 0);
}

TEST(PageRanges, nothing_begins_inside_a_range) {
  PageRanges pages(100);
  pages.take(10);
  EXPECT_EQ(pages.count_at(0), 10u);
  EXPECT_EQ(pages.count_at(5), 0u);
}

/// Every page: its owner, and whether it ever had one.
class AllPages {
 public:
  explicit AllPages(std::size_t pages) : owner_(pages), was_used_(pages) {}

  bool take(const PageRanges::Taken& taken, std::size_t count, std::uint32_t owner) {
    bool is_right = taken.first + count <= owner_.size();
    for (std::size_t page = taken.first; is_right && page < taken.first + count; ++page) {
      is_right = owner_[page] == 0 && !(taken.is_zero && was_used_[page]);
      owner_[page] = owner;
      was_used_[page] = true;
    }
    return is_right;
  }
  void give_back(std::size_t first, std::size_t count, bool emptied) {
    for (std::size_t page = first; page < first + count; ++page) {
      owner_[page] = 0;
      if (emptied) was_used_[page] = false;
    }
  }

 private:
  std::vector<std::uint32_t> owner_;
  std::vector<bool> was_used_;
};

TEST(PageRanges, random_calls_never_hand_out_a_page_twice) {
  constexpr std::size_t kPages = 300;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 random(seed);
    PageRanges pages(kPages);
    AllPages all(kPages);
    std::map<std::size_t, std::size_t> mine;
    for (std::uint32_t i = 1; i <= 2000; ++i) {
      const std::size_t count = 1 + random() % 40;
      auto one = mine.lower_bound(random() % kPages);
      if (one == mine.end() || random() % 2 == 0) {
        const std::size_t alignment = std::size_t{1} << random() % 5;
        const bool has_room = random() % 4 == 0;
        const auto taken =
            has_room ? pages.take_with_room(count, random() % 50) : pages.take(count, alignment);
        if (!taken) continue;
        ASSERT_TRUE(has_room || taken->first % alignment == 0) << "seed " << seed;
        ASSERT_TRUE(all.take(*taken, count, i)) << "seed " << seed;
        mine[taken->first] = count;
        continue;
      }
      auto& [first, length] = *one;
      ASSERT_EQ(pages.count_at(first), length);
      if (random() % 3 == 0) {
        if (!pages.resize(first, count)) continue;
        if (count > length) {
          ASSERT_TRUE(all.take({first + length, false}, count - length, i)) << "seed " << seed;
        } else {
          all.give_back(first + count, length - count, false);
        }
        length = count;
        continue;
      }
      const bool emptied = random() % 2 == 0;
      emptied ? pages.give_back_emptied(first) : pages.give_back(first);
      all.give_back(first, length, emptied);
      mine.erase(one);
    }
    std::size_t taken = 0;
    for (const auto& [first, length] : mine) taken += length;
    EXPECT_EQ(pages.taken_pages(), taken);
  }
}

// Goal: pages that are given back twice, or never were handed out, would be two blocks' at once.
TEST(PageRanges, of_a_broken_heap_end_the_process) {
  PageRanges pages(100);
  const auto a = pages.take(10), b = pages.take(10);
  pages.give_back(a->first);
  EXPECT_BROKEN(pages.give_back(a->first), "range != taken_.end\\(\\)");
  EXPECT_BROKEN(pages.resize(b->first + 1, 2), "range != taken_.end\\(\\)");
  FreeRanges free;
  free.add(10, 10);
  EXPECT_BROKEN(free.add(15, 10), "before->first \\+ before->second <= first");
  EXPECT_BROKEN(free.add(5, 10), "first \\+ count <= next->first");
  EXPECT_BROKEN(free.take_at(30, 1), "range != by_place_.end\\(\\)");
  EXPECT_BROKEN(free.take_at(15, 6), "first \\+ count <= begin \\+ length");
  EXPECT_BROKEN_IN_DEBUG_BUILDS(free.take(0, 1), "count != 0");
}

}  // namespace
}  // namespace terrace
