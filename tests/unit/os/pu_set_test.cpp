// SPDX-License-Identifier: BSD-3-Clause
// Sets of PUs against std::set, and their text form.
#include "os/pu_set.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "unit/contracts.hpp"

namespace terrace {
namespace {

TEST(PuSet, text_joins_neighbours_to_ranges) {
  EXPECT_EQ(to_text(PuSet{8, 0, 1, 3, 2}), "0-3,8");
  EXPECT_EQ(to_text(PuSet{}), "");
  EXPECT_EQ(to_text(PuSet{63, 64, 128}, '+'), "63-64+128");
}

TEST(PuSet, reads_numbers_and_ranges) {
  const Result<PuSet> set = pu_set_from_text("0-3,8,200");
  ASSERT_TRUE(set.ok());
  EXPECT_EQ(set.value(), (PuSet{0, 1, 2, 3, 8, 200}));
}

TEST(PuSet, refuses_what_is_no_set_and_shows_it) {
  for (const char* text : {"", ",", "1,", "a", "1-", "-1", "3-2", "1;2", "99999999999", "65536"}) {
    const Result<PuSet> set = pu_set_from_text(text);
    ASSERT_FALSE(set.ok()) << text;
    EXPECT_THAT(set.error().sentence, testing::HasSubstr("expected numbers or ranges"));
  }
}

// Goal: the words agree with a set that is obviously right. Method: random sets of 0 to 40 PUs.
TEST(PuSet, agrees_with_the_standard_set) {
  std::mt19937_64 random(7);
  for (int repetition = 0; repetition < 2'000; ++repetition) {
    std::set<std::uint32_t> a, b, both;
    PuSet pus_a, pus_b;
    for (std::uint64_t i = random() % 40; i > 0; --i) {
      const auto pu = static_cast<std::uint32_t>(random() % 150);
      (random() % 2 == 0 ? a : b).insert(pu);
    }
    for (std::uint32_t pu : a) pus_a.insert(pu);
    for (std::uint32_t pu : b) pus_b.insert(pu);
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::inserter(both, both.end()));
    EXPECT_EQ(pus_a.count(), a.size());
    EXPECT_EQ((pus_a & pus_b).list(), std::vector<std::uint32_t>(both.begin(), both.end()));
    EXPECT_EQ(pus_a.contains(pus_b), std::includes(a.begin(), a.end(), b.begin(), b.end()));
    EXPECT_EQ(pus_a == pus_b, a == b);
    if (!a.empty()) {
      EXPECT_EQ(pus_a.first(), *a.begin());
      const Result<PuSet> again = pu_set_from_text(to_text(pus_a));
      ASSERT_TRUE(again.ok());
      EXPECT_EQ(again.value(), pus_a);
    }
    PuSet all = pus_a;
    all.insert(pus_b);
    a.insert(b.begin(), b.end());
    EXPECT_EQ(all.list(), std::vector<std::uint32_t>(a.begin(), a.end()));
  }
}

TEST(PuSet, of_none_has_no_first) {
  EXPECT_BROKEN(PuSet().first(), "!words_.empty\\(\\)");
}

}  // namespace
}  // namespace terrace
