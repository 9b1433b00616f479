// SPDX-License-Identifier: BSD-3-Clause
// Goal: ranks agree from which call on calls are the team's, whoever is ahead and whoever is ready
// late: threads as ranks, which write down what they were told of each call.
#include "preload/setup/handover.hpp"

#include <gtest/gtest.h>

#include <random>
#include <thread>
#include <vector>

namespace terrace::preload {
namespace {

constexpr auto kBlocking = OrderedKind::blocking, kStarted = OrderedKind::started;

TEST(Handover, leaves_calls_to_the_mpi_until_all_are_ready) {
  Handover handover;
  for (std::uint64_t number = 1; number < 5; ++number)
    EXPECT_FALSE(handover.is_the_teams(kStarted, number, false));
  EXPECT_TRUE(handover.is_the_teams(kStarted, 5, true));
  EXPECT_TRUE(handover.is_past({0, 5}));
}

TEST(Handover, leaves_to_the_mpi_what_another_rank_has_made_with_it) {
  Handover handover;
  EXPECT_FALSE(handover.is_the_teams(kStarted, 7, false));
  EXPECT_FALSE(handover.is_the_teams(kBlocking, 2, false));
  // All are ready, but rank 0 has made five more calls than this one.
  for (std::uint64_t number = 2; number <= 7; ++number) {
    EXPECT_FALSE(handover.is_the_teams(kStarted, number, true));
    EXPECT_FALSE(handover.is_past({1, number - 1}));
  }
  EXPECT_TRUE(handover.is_the_teams(kStarted, 8, true));
  EXPECT_FALSE(handover.is_past({1, 8}));  // a blocking call is still the MPI's
  EXPECT_FALSE(handover.is_the_teams(kBlocking, 2, true));
  EXPECT_TRUE(handover.is_past({2, 8}));
}

TEST(Handover, heeds_calls_from_before_a_rank_was_ready) {
  Handover handover;
  handover.raise({3, 9});
  handover.raise({1, 2});
  EXPECT_FALSE(handover.is_the_teams(kBlocking, 3, true));
  EXPECT_TRUE(handover.is_the_teams(kBlocking, 4, true));
  EXPECT_FALSE(handover.is_the_teams(kStarted, 9, false));
}

/// A rank that makes calls of both kinds, in an order of its own, and is ready at some time.
class Maker {
 public:
  Maker(Handover& handover, std::atomic<std::uint32_t>& ready, std::uint32_t ranks, unsigned seed)
      : handover_(handover), ready_(ready), ranks_(ranks), random_(seed) {}

  void make_calls(std::uint64_t calls) {
    const std::uint64_t ready_at = random_() % calls;
    CallNumbers made{};
    while (made[0] < calls || made[1] < calls) {
      const std::size_t kind = made[0] == calls ? 1 : made[1] == calls ? 0 : random_() % 2;
      if (made[0] + made[1] == ready_at) {
        handover_.raise(made);
        ready_.fetch_add(1, std::memory_order_release);
        is_ready_ = true;
      }
      const bool are_all_ready = ready_.load(std::memory_order_acquire) == ranks_;
      const std::uint64_t number = ++made[kind];
      told[kind].push_back(is_ready_ && handover_.is_the_teams(static_cast<OrderedKind>(kind),
                                                               number, are_all_ready));
      if (random_() % 4 == 0) std::this_thread::yield();
    }
  }

  std::array<std::vector<bool>, kOrderedKinds> told;  ///< by kind, of each call

 private:
  Handover& handover_;
  std::atomic<std::uint32_t>& ready_;
  std::uint32_t ranks_;
  bool is_ready_ = false;
  std::mt19937 random_;
};

TEST(Handover, is_agreed_on_by_ranks_far_apart) {
  constexpr std::uint32_t kRanks = 4;
  constexpr std::uint64_t kCalls = 60;
  int handed_over = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    Handover handover;
    std::atomic<std::uint32_t> ready{0};
    std::vector<Maker> makers;
    for (unsigned rank = 0; rank < kRanks; ++rank)
      makers.emplace_back(handover, ready, kRanks, seed * kRanks + rank);
    {
      std::vector<std::jthread> threads;
      for (Maker& one : makers) threads.emplace_back([&one] { one.make_calls(kCalls); });
    }
    for (std::size_t kind = 0; kind < kOrderedKinds; ++kind)
      for (const Maker& one : makers) ASSERT_EQ(one.told[kind], makers[0].told[kind]) << seed;
    handed_over += makers[0].told[0].back() && makers[0].told[1].back();
  }
  EXPECT_GT(handed_over, 0);
}

}  // namespace
}  // namespace terrace::preload
