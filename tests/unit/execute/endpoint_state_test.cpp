// SPDX-License-Identifier: BSD-3-Clause
// Goal: a member hands out no memory that a peer may still read, and does not make calls wait that
// use other memory. Method: leases and contracts by hand, and random ones beside a model that keeps
// them all; "returning" is a store to a peer's word.
#include "execute/endpoint_state.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <vector>

namespace terrace {
namespace {

constexpr std::size_t kLeasableBytes = 4096;
constexpr std::optional<Rank> kNoReader;

class EndpointStateTest : public testing::Test {
 protected:
  EndpointStateTest() {
    for (const RankMemory& rank : memory_.memory().ranks) prepare(rank, 0);
    read_by_1_.scratch_readers = {1};
    read_by_1_.line_readers = {{1}};
    all_heard_ = read_by_1_;
    all_heard_.hears_all = true;
  }
  void rank_1_returns_from(std::uint64_t call) {
    memory_.memory().ranks[1].word->value = word_done(call);
  }

  ThreadMemory memory_{3, kLeasableBytes};
  EndpointState state_{memory_.memory(), 0};
  CallContract read_by_1_, all_heard_;
};

TEST_F(EndpointStateTest, gives_calls_that_follow_each_other_different_scratch) {
  const BufferLease first = state_.lease(0, 1024), second = state_.lease(0, 512);
  EXPECT_GE(second.scratch_begin, first.scratch_end);
  EXPECT_EQ(512u, second.scratch_end - second.scratch_begin);
}

TEST_F(EndpointStateTest, lets_no_lease_reach_beyond_the_scratch) {
  for (int i = 0; i < 100; ++i)
    for (const std::size_t bytes : {std::size_t{128}, std::size_t{1536}, kLeasableBytes})
      EXPECT_LE(state_.lease(0, bytes).scratch_end, kLeasableBytes);
}

// Goal: how far scratch moves on is what the call wants, up to all there is.
TEST_F(EndpointStateTest, comes_round_after_as_many_bytes_as_it_is_told) {
  for (const std::size_t span : {256u, 1024u, 4096u, 1u << 20}) {
    const std::size_t way = std::min(span, kLeasableBytes);
    EndpointState state(memory_.memory(), 0);
    for (std::size_t begin = 0; begin < 3 * way; begin += 256)
      EXPECT_EQ(begin % way, state.lease(0, 256, span).scratch_begin) << span;
  }
  EXPECT_EQ(0u, EndpointState(memory_.memory(), 0).lease(0, 1024, 128).scratch_begin);
}

constexpr CallIdentity kOneCall{8, 1, 0}, kOtherCall{16, 1, 0};

// Goal: a call that is passed to others counts as one of the team's, over at once.
TEST_F(EndpointStateTest, shows_peers_the_calls_that_it_passes) {
  EndpointState peer(memory_.memory(), 1);
  state_.pass(kOneCall);
  peer.pass(kOneCall);
  EXPECT_EQ(1u, state_.call());
  EXPECT_EQ(word_done(1), memory_.memory().ranks[0].word->value);
  EXPECT_FALSE(find_mismatch(memory_.memory(), 0));
  state_.pass(kOneCall);
  peer.tell(peer.lease(0, 0), kOtherCall);
  const auto found = find_mismatch(memory_.memory(), 1);
  ASSERT_TRUE(found);
  EXPECT_EQ(0u, found->peer);
  EXPECT_EQ(2u, found->call);
  EXPECT_EQ(kOneCall, found->theirs);
}

TEST_F(EndpointStateTest, compares_last_calls_when_both_have_told_them) {
  EndpointState peer(memory_.memory(), 1);
  state_.tell(state_.lease(0, 0), kOneCall);
  EXPECT_FALSE(state_.last_mismatch()) << "the peer has not come yet";
  peer.tell(peer.lease(0, 0), kOtherCall);
  const auto found = peer.last_mismatch();
  ASSERT_TRUE(found);
  EXPECT_EQ(kOneCall, found->theirs);
  EXPECT_EQ(kOtherCall, found->mine);
}

TEST_F(EndpointStateTest, counts_scratch_alike_whether_or_not_a_rank_is_read) {
  EndpointState peer(memory_.memory(), 2);
  for (int i = 0; i < 100; ++i) {
    const std::size_t bytes = 128u << (i * 7 % 5);
    const BufferLease mine = state_.lease(1, bytes), theirs = peer.lease(1, bytes);
    EXPECT_EQ(mine.scratch_begin, theirs.scratch_begin);
    rank_1_returns_from(mine.call);
    ASSERT_EQ(kNoReader, state_.reader_of(mine));
    state_.give_back(mine, read_by_1_);
    peer.give_back(theirs, CallContract{false, {}, {{}}});
  }
}

TEST_F(EndpointStateTest, waits_for_the_reader_of_scratch_that_comes_round) {
  const BufferLease first = state_.lease(0, kLeasableBytes / 2);
  ASSERT_EQ(kNoReader, state_.reader_of(first));
  state_.give_back(first, read_by_1_);
  const BufferLease second = state_.lease(0, kLeasableBytes / 2);
  EXPECT_EQ(kNoReader, state_.reader_of(second)) << "other scratch is free at once";
  state_.give_back(second, CallContract{});
  const BufferLease third = state_.lease(0, kLeasableBytes / 2);
  EXPECT_EQ(Rank{1}, state_.reader_of(third));
  rank_1_returns_from(first.call);
  EXPECT_EQ(kNoReader, state_.reader_of(third));
}

TEST_F(EndpointStateTest, waits_for_the_reader_of_a_piece_that_overlaps) {
  const BufferLease small = state_.lease(0, 256);
  state_.give_back(small, read_by_1_);
  EXPECT_EQ(Rank{1}, state_.reader_of(state_.lease(0, kLeasableBytes)));
}

TEST_F(EndpointStateTest, waits_for_the_reader_of_a_line_that_comes_round) {
  state_.give_back(state_.lease(1, 0), read_by_1_);
  for (std::uint32_t i = 1; i < kLineSlots; ++i)
    EXPECT_EQ(kNoReader, state_.reader_of(state_.lease(1, 0))) << "line " << i;
  const BufferLease again = state_.lease(1, 0);
  EXPECT_EQ(Rank{1}, state_.reader_of(again));
  rank_1_returns_from(1);
  EXPECT_EQ(kNoReader, state_.reader_of(again));
}

TEST_F(EndpointStateTest, needs_no_look_at_peers_it_has_heard_from) {
  const BufferLease first = state_.lease(0, kLeasableBytes);
  state_.give_back(first, read_by_1_);
  const BufferLease second = state_.lease(0, 0);
  state_.give_back(second, all_heard_);
  EXPECT_EQ(kNoReader, state_.reader_of(state_.lease(0, kLeasableBytes)))
      << "whoever has entered call 2 has returned from call 1";
}

/// However many calls are read at the same time, no claim on scratch is forgotten.
TEST_F(EndpointStateTest, forgets_no_claim) {
  std::uint64_t blocked_at = 0;
  for (std::uint64_t call = 1; call <= 64 && blocked_at == 0; ++call) {
    const BufferLease lease = state_.lease(0, 128);
    if (state_.reader_of(lease))
      blocked_at = call;
    else
      state_.give_back(lease, read_by_1_);
  }
  ASSERT_GT(blocked_at, 2u) << "several calls may be read at a time";
  ASSERT_NE(0u, blocked_at) << "but not without end: scratch comes round";
  const BufferLease all = state_.lease(0, kLeasableBytes);
  for (std::uint64_t call = 1; call + 1 < blocked_at; ++call) {
    rank_1_returns_from(call);
    EXPECT_EQ(Rank{1}, state_.reader_of(all)) << "call " << call + 1 << " is still read";
  }
  rank_1_returns_from(blocked_at - 1);
  EXPECT_EQ(kNoReader, state_.reader_of(all));
}

/// Goal: what is known of scratch that nobody reads stays true while leases of all lengths come
/// round at places of their own.
TEST_F(EndpointStateTest, leases_scratch_as_a_model_that_forgets_nothing) {
  struct Claim {
    BufferLease lease;
    Rank reader;
  };
  CallContract read_by_2, read_by_none;
  read_by_2.scratch_readers = {2};
  const CallContract* const contracts[] = {&read_by_none, &read_by_1_, &read_by_2};
  std::mt19937 random(7);
  const auto below = [&](std::uint32_t most) {
    return static_cast<std::uint32_t>(random() % most);
  };
  std::vector<Claim> claims;
  std::array<std::uint64_t, 3> returned_from = {};
  std::uint32_t free_at_once = 0, held_up = 0;
  for (std::uint64_t call = 1; call <= 20000; ++call) {
    const std::size_t spans[] = {0, 512, 1024, kLeasableBytes};
    const BufferLease lease = state_.lease(0, 128u << below(5), spans[below(4)]);
    const auto is_read = [&](const Claim& claim) {
      return claim.lease.call > returned_from[claim.reader];
    };
    const auto blocks = [&](const Claim& claim) {
      return is_read(claim) && claim.lease.scratch_begin < lease.scratch_end &&
             lease.scratch_begin < claim.lease.scratch_end;
    };
    while (const auto reader = state_.reader_of(lease)) {
      ++held_up;
      ASSERT_TRUE(claims.size() >= kPendingScratchReaders ||
                  std::any_of(claims.begin(), claims.end(), blocks))
          << "call " << call << " waits for nothing";
      returned_from[*reader] += 1 + below(3);
      returned_from[*reader] = std::min(returned_from[*reader], call - 1);
      memory_.memory().ranks[*reader].word->value = word_done(returned_from[*reader]);
    }
    free_at_once += std::none_of(claims.begin(), claims.end(), is_read) ? 0 : 1;
    ASSERT_TRUE(std::none_of(claims.begin(), claims.end(), blocks)) << "call " << call;
    std::erase_if(claims, [&](const Claim& claim) { return !is_read(claim); });
    const Rank reader = below(3);
    state_.give_back(lease, *contracts[reader]);
    if (reader != 0) claims.push_back({lease, reader});
  }
  EXPECT_GT(free_at_once, 10000u) << "others' scratch was hardly ever read meanwhile";
  EXPECT_GT(held_up, 1000u);
}

}  // namespace
}  // namespace terrace
