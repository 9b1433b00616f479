// SPDX-License-Identifier: BSD-3-Clause
// Goals and methods:
// - Blocks that travel with their lengths arrive where they are wanted, whole: every rank of each
//   v-collective prepares its exchange, the test makes the exchange by hand, and all ranks deliver.
// - Longer blocks do not, on any rank; nor where a rank cannot go on.
// - Exchanges are as long as ever where nothing travels with lengths.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "engine/team_endpoint.hpp"
#include "unit/contracts.hpp"

namespace terrace {
namespace {

constexpr Rank kMembers = 3, kRootMember = 1;
constexpr std::size_t kCarriedBytes = 16;

/// One rank: block b of its input is `bytes_of(collective, rank, b)` letters long.
class Member {
 public:
  Member(Collective collective, Rank rank, std::size_t longest)
      : collective_(collective), rank_(rank), longest_(longest) {
    for (Rank other = 0; other < kMembers; ++other) {
      given_[other] = text(rank, other);
      wanted_[other].assign(text(other, rank).size(), '.');
    }
    if (planned_as(collective) == Collective::scatter)
      wanted_[rank_] = dots(text(kRootMember, rank));
    for (Rank other = 0; other < kMembers; ++other) {
      input_[other] = {reinterpret_cast<std::byte*>(given_[other].data()), given_[other].size()};
      output_[other] = {reinterpret_cast<std::byte*>(wanted_[other].data()), wanted_[other].size()};
    }
  }

  Lengths::Exchange prepare(std::size_t carried, bool can_go_on) {
    lengths_ = Lengths(carried);
    return lengths_.prepare(collective_, {input_, output_}, can_go_on, kRootMember, rank_,
                            kMembers);
  }
  Lengths& lengths() { return lengths_; }
  void deliver() { lengths_.deliver({input_, output_}); }

  void expect_all() const {
    const Collective plan = planned_as(collective_);
    if (plan == Collective::gather && rank_ != kRootMember) return expect_none();
    if (plan == Collective::scatter) {
      EXPECT_EQ(wanted_[rank_], text(kRootMember, rank_));
      return;
    }
    for (Rank giver = 0; giver < kMembers; ++giver)
      EXPECT_EQ(wanted_[giver], text(giver, rank_)) << rank_;
  }

 private:
  void expect_none() const {
    for (const std::string& text : wanted_) EXPECT_EQ(text, dots(text));
  }
  static std::string dots(const std::string& text) { return std::string(text.size(), '.'); }
  /// A gatherv's rank has the same block for whoever is the root.
  std::string text(Rank giver, Rank taker) const {
    if (planned_as(collective_) == Collective::gather) taker = giver;
    const bool is_longest = giver == kRootMember && taker == kRootMember;
    return std::string(is_longest ? longest_ : (giver + 2 * taker) % 5,
                       static_cast<char>('a' + giver * kMembers + taker));
  }

  Collective collective_;
  Rank rank_;
  std::size_t longest_;
  std::string given_[kMembers], wanted_[kMembers];
  Block input_[kMembers], output_[kMembers];
  Lengths lengths_;
};

/// The ranks of a call, whose exchange is made.
std::vector<Member> after_exchange(Collective collective, std::size_t longest, std::size_t carried,
                                   bool can_go_on = true) {
  std::vector<Member> members;
  std::vector<Lengths::Exchange> exchanges;
  members.reserve(kMembers);  // since short texts would move
  for (Rank rank = 0; rank < kMembers; ++rank) members.emplace_back(collective, rank, longest);
  for (Member& member : members)
    exchanges.push_back(member.prepare(carried, can_go_on || exchanges.size() != kRootMember));
  const std::size_t bytes = exchanges[0].bytes;
  EXPECT_EQ(bytes, 16 + carried);
  for (Rank taker = 0; taker < kMembers; ++taker)
    for (Rank giver = 0; giver < kMembers; ++giver) {
      const auto* from = static_cast<const std::byte*>(exchanges[giver].input);
      auto* to = static_cast<std::byte*>(exchanges[taker].output);
      const bool is_scatter = exchanges[giver].collective == Collective::scatter;
      if (is_scatter && giver != kRootMember) continue;
      if (exchanges[giver].collective != Collective::allgather) from += taker * bytes;
      if (!is_scatter) to += giver * bytes;
      std::memcpy(to, from, bytes);
    }
  return members;
}

class OfCollectives : public testing::TestWithParam<Collective> {};

TEST_P(OfCollectives, short_blocks_come_with_their_lengths) {
  for (const std::size_t longest : {std::size_t{7}, kCarriedBytes})
    for (Member& member : after_exchange(GetParam(), longest, kCarriedBytes)) {
      EXPECT_EQ(member.lengths().most(), longest);
      ASSERT_TRUE(member.lengths().have_brought_blocks());
      member.deliver();
      member.expect_all();
    }
}

TEST_P(OfCollectives, one_longer_block_keeps_all_from_coming) {
  for (const std::size_t carried : {std::size_t{0}, kCarriedBytes})
    for (Member& member : after_exchange(GetParam(), kCarriedBytes + 1, carried)) {
      EXPECT_EQ(member.lengths().most(), kCarriedBytes + 1);
      EXPECT_FALSE(member.lengths().have_brought_blocks());
      EXPECT_BROKEN(member.deliver(), "have_brought_blocks");
    }
}

TEST_P(OfCollectives, nothing_comes_where_a_rank_cannot_go_on) {
  for (Member& member : after_exchange(GetParam(), 7, kCarriedBytes, false)) {
    EXPECT_FALSE(member.lengths().most().has_value());
    EXPECT_FALSE(member.lengths().have_brought_blocks());
  }
}

INSTANTIATE_TEST_SUITE_P(Lengths, OfCollectives,
                         testing::Values(Collective::gatherv, Collective::scatterv,
                                         Collective::alltoallv, Collective::alltoallw),
                         [](const auto& tested) { return std::string(to_text(tested.param)); });

}  // namespace
}  // namespace terrace
