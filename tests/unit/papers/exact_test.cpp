// SPDX-License-Identifier: BSD-3-Clause
// The claims that come out exactly, and that each of them would not if what it rests on were
// otherwise.
#include "papers/exact.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>
#include <vector>

#include "papers/splitting.hpp"

namespace terrace::papers {
namespace {

using model::hpdc13::kWestmere;
using model::hpdc13::Reads;

ClaimVerdict verdict_of(std::string_view id) {
  const PaperClaim* claim = find_claim(id);
  EXPECT_NE(claim, nullptr) << id;
  return claim == nullptr ? ClaimVerdict::needs_hardware : claim->answer().verdict;
}

TEST(Claims, that_must_be_exact_are_reproduced) {
  for (const char* id : {"A1", "A2", "A4", "A7", "A8", "A24", "B1", "B6", "B7"})
    EXPECT_EQ(verdict_of(id), ClaimVerdict::reproduced) << id;
}

TEST(Claims, of_fits_and_of_other_peoples_code_are_called_so) {
  for (const char* id : {"A3", "A5", "A6"}) EXPECT_EQ(verdict_of(id), ClaimVerdict::fitted) << id;
  for (const char* id : {"A15", "A16", "A17", "A18", "A19", "A20", "A21", "A22"})
    EXPECT_EQ(verdict_of(id), ClaimVerdict::needs_hardware) << id;
}

TEST(Claims, have_each_a_row_with_all_it_takes) {
  std::set<std::string_view> ids;
  for (const PaperClaim& claim : claims()) {
    EXPECT_TRUE(ids.insert(claim.id).second) << claim.id;
    for (const std::string_view text : {claim.place, claim.paper, claim.how, claim.decides})
      EXPECT_FALSE(text.empty()) << claim.id;
    EXPECT_EQ(find_claim(claim.id), &claim);
  }
  for (int i = 1; i <= 25; ++i) EXPECT_TRUE(ids.contains("A" + std::to_string(i))) << i;
  for (int i = 1; i <= 8; ++i) EXPECT_TRUE(ids.contains("B" + std::to_string(i))) << i;
  EXPECT_EQ(find_claim("a2"), find_claim("A2"));
  EXPECT_EQ(find_claim("A"), nullptr);
}

TEST(Exact, reads_counted_along_the_tree_are_the_printed_terms) {
  const Reads westmere = reads_of_line_tree({6, 2}, Sockets::neighbours, false);
  EXPECT_EQ(westmere.Rs, 3);
  EXPECT_EQ(westmere.Rr, 2);
  EXPECT_EQ(westmere.Rl, 9);
  const Reads magny_cours = reads_of_line_tree({8, 4}, Sockets::square, true);
  EXPECT_EQ(magny_cours.Rs, 4);
  EXPECT_EQ(magny_cours.Rr, 2);
  EXPECT_EQ(magny_cours.Rd, 1);
  EXPECT_EQ(magny_cours.Rl, 12);
}

TEST(Exact, a_read_that_is_off_by_a_tenth_is_noticed) {
  for (double Reads::*read : {&Reads::Rl, &Reads::Rs, &Reads::Rr}) {
    Reads other = kWestmere;
    other.*read += 0.1;
    EXPECT_EQ(latencies_of_westmere(other).verdict, ClaimVerdict::not_reproduced);
    EXPECT_EQ(line_on_westmere(other).verdict, ClaimVerdict::not_reproduced);
  }
  EXPECT_EQ(line_on_westmere(kWestmere).verdict, ClaimVerdict::reproduced);
  for (double Reads::*read : {&Reads::Rl, &Reads::Rs, &Reads::Rr, &Reads::Rd}) {
    Reads other = kMagnyCours;
    other.*read += 0.1;
    EXPECT_EQ(line_on_magny_cours(other).verdict, ClaimVerdict::not_reproduced);
  }
  Reads near_corner = kMagnyCours;  // the same sum, but the corner is not further
  near_corner.Rd = 100;
  near_corner.Rr += (kMagnyCours.Rd - near_corner.Rd) / 2;
  EXPECT_EQ(line_on_magny_cours(near_corner).verdict, ClaimVerdict::not_reproduced);
}

TEST(Exact, dissemination_without_a_phase_for_all_sockets_is_noticed) {
  EXPECT_EQ(dissemination_of_excess({6, 2}).verdict, ClaimVerdict::reproduced);
  EXPECT_EQ(dissemination_of_excess({7, 4}).verdict, ClaimVerdict::reproduced);
  // Among three sockets, a second step of two hands on a value that all have: counted twice.
  EXPECT_EQ(dissemination_of_excess({6, 3}).verdict, ClaimVerdict::not_reproduced);
}

TEST(Exact, a_gain_of_other_levels_is_not_7_thirds) {
  const std::vector<model::parco18::Level> other = {{2, 1, 1, 1}, {4, 1, 1, 1}};
  EXPECT_EQ(gain_of_levels(other).verdict, ClaimVerdict::not_reproduced);
  const std::vector<model::parco18::Level> slower = {{2, 1, 1, 1}, {2, 1, 1, 1}, {2, 2, 1, 1}};
  EXPECT_EQ(gain_of_levels(slower).verdict, ClaimVerdict::not_reproduced);
}

TEST(Exact, a_wider_tree_may_be_faster_than_a_narrower_one) {
  EXPECT_EQ(trees_grow_with_radix().verdict, ClaimVerdict::not_reproduced);
  EXPECT_EQ(trees_grow_with_radix().ours, "q = 4: n = 3 takes 4 (a + b m), n = 4 takes 3");
}

TEST(Splitting, another_group_or_root_than_printed_is_noticed) {
  for (std::size_t i = 0; i < examples().size(); ++i) {
    for (const bool in_roots : {false, true}) {
      std::vector<Example> altered = examples();
      std::string& text = in_roots ? altered[i].roots.back() : altered[i].groups.back();
      text.back() = text.back() == '0' ? '1' : '0';
      EXPECT_EQ(splits_of_examples(altered).verdict, ClaimVerdict::not_reproduced);
    }
    std::vector<Example> shorter = examples();
    shorter[i].groups.pop_back();
    EXPECT_EQ(splits_of_examples(shorter).verdict, ClaimVerdict::not_reproduced);
  }
}

TEST(Splitting, another_number_of_levels_is_noticed) {
  std::vector<Platform> altered = platforms();
  altered[3].switches.clear();
  EXPECT_EQ(levels_of_platforms(altered).verdict, ClaimVerdict::not_reproduced);
  altered = platforms();
  altered[0].node = "pack:12 [numa] l3:1 core:8 pu:2";  // pairs forgotten
  EXPECT_EQ(levels_of_platforms(altered).verdict, ClaimVerdict::not_reproduced);
}

TEST(Splitting, parts_of_a_platform_are_those_that_section_7_lists) {
  const auto parts = programs_of(platforms()[3]);
  ASSERT_TRUE(parts.ok());
  EXPECT_EQ(parts.value(), (std::vector<std::uint32_t>{4, 12, 2, 2, 6}));
}

}  // namespace
}  // namespace terrace::papers
