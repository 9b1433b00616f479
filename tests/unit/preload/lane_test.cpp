// SPDX-License-Identifier: BSD-3-Clause
// Collectives of a lane by threads whose messages are late at random, and calls that do not match.
#include "preload/nodes/lane.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "lane_network.hpp"
#include "preload/nodes/clock_offset.hpp"
#include "unit/contracts.hpp"

namespace terrace::preload {
namespace {

/// Runs `body` in a thread for each rank; returns what each has been told.
std::vector<std::string> on_lane(Rank ranks, const std::function<void(Lane&, Rank)>& body) {
  Network network(ranks);
  std::vector<Observer> observers(ranks, Observer(network));
  std::vector<std::thread> threads;
  for (Rank rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      Lane lane(std::make_unique<MemoryTransport>(network, rank), 0);
      lane.report_to(&observers[rank]);
      body(lane, rank);
    });
  for (std::thread& thread : threads) thread.join();
  std::vector<std::string> told;
  for (const Observer& observer : observers) told.push_back(observer.told);
  return told;
}

Elements sums_of(std::size_t count) {
  return {count, sizeof(double), find_reduction(Type::float64, Operator::sum)};
}

/// Sums of these differ in their last bits with the order.
double value(Rank rank, std::size_t i) {
  return 1.0 / (1.0 + 7.0 * rank + 3.0 * static_cast<double>(i % 1000));
}

class Lanes : public testing::TestWithParam<Rank> {};
INSTANTIATE_TEST_SUITE_P(, Lanes, testing::Values(1, 2, 3, 4, 5, 7, 8, 9));

constexpr std::size_t kCounts[] = {1, 512, 513, 3000};  // joined up to 512 doubles

TEST_P(Lanes, give_the_same_sum_to_all_ranks) {
  const Rank ranks = GetParam();
  for (const std::size_t count : kCounts) {
    std::vector<std::vector<double>> sums(ranks);
    on_lane(ranks, [&](Lane& lane, Rank rank) {
      for (std::size_t i = 0; i < count; ++i) sums[rank].push_back(value(rank, i));
      lane.begin(call_of(Collective::allreduce, count * sizeof(double)));
      EXPECT_TRUE(lane.allreduce(sums[rank].data(), sums_of(count)));
    });
    for (std::size_t i = 0; i < count; ++i) {
      double sum = 0;
      for (Rank rank = 0; rank < ranks; ++rank) sum += value(rank, i);
      ASSERT_NEAR(sums[0][i], sum, 1e-12);
    }
    for (Rank rank = 1; rank < ranks; ++rank) ASSERT_EQ(sums[rank], sums[0]);
  }
}

TEST_P(Lanes, reduce_and_bcast_with_every_root) {
  const Rank ranks = GetParam();
  for (const std::size_t count : kCounts)
    on_lane(ranks, [&](Lane& lane, Rank rank) {
      for (Rank root = 0; root < ranks; ++root) {
        std::vector<double> sum(count, rank + 1.0), word(count, rank == root ? 42.5 : 0);
        lane.begin(call_of(Collective::reduce, count * sizeof(double), root));
        EXPECT_TRUE(lane.reduce(sum.data(), sums_of(count), root));
        if (rank == root) {
          EXPECT_EQ(sum, std::vector<double>(count, ranks * (ranks + 1) / 2.0));
        }
        lane.begin(call_of(Collective::bcast, count * sizeof(double), root));
        EXPECT_TRUE(lane.bcast(word.data(), count * sizeof(double), root));
        EXPECT_EQ(word, std::vector<double>(count, 42.5));
      }
    });
}

TEST_P(Lanes, no_rank_leaves_a_barrier_before_all_have_come) {
  const Rank ranks = GetParam();
  std::atomic<Rank> come{0};
  on_lane(ranks, [&](Lane& lane, Rank rank) {
    for (Rank round = 1; round <= 20; ++round) {
      if (rank == round % ranks) std::this_thread::sleep_for(std::chrono::microseconds(100));
      ++come;
      lane.begin(call_of(Collective::barrier, 0));
      EXPECT_TRUE(lane.barrier());
      EXPECT_GE(come.load(), round * ranks);
    }
  });
}

/// Block `to` of rank `from`, of a length of its own.
Bytes block_of(Rank from, Rank to) {
  return Bytes(from % 3 == 2 ? 0 : 1000 * (to + 1), static_cast<std::byte>(from * 16 + to + 1));
}

std::vector<Block> blocks_in(std::vector<Bytes>& bytes) {
  std::vector<Block> blocks;
  for (Bytes& one : bytes) blocks.push_back({one.data(), one.size()});
  return blocks;
}

TEST_P(Lanes, move_blocks_of_different_lengths) {
  const Rank ranks = GetParam();
  on_lane(ranks, [&](Lane& lane, Rank rank) {
    std::vector<Bytes> out, in, wanted;
    for (Rank peer = 0; peer < ranks; ++peer) {
      out.push_back(block_of(rank, peer));
      wanted.push_back(block_of(peer, rank));
      in.emplace_back(wanted.back().size());
    }
    in[rank] = wanted[rank];  // own blocks are not touched
    lane.begin(call_of(Collective::alltoall, 0));
    EXPECT_TRUE(lane.move_in_pairs(blocks_in(out), blocks_in(in)));
    EXPECT_EQ(in, wanted);
    for (Rank root = 0; root < ranks; ++root) {
      std::vector<Bytes> all;
      for (Rank from = 0; from < ranks; ++from) all.emplace_back(block_of(from, root).size());
      all[rank] = block_of(rank, root);
      lane.begin(call_of(Collective::gather, 0, root));
      EXPECT_TRUE(lane.gather({out[root].data(), out[root].size()}, blocks_in(all), root));
      for (Rank from = 0; rank == root && from < ranks; ++from)
        EXPECT_EQ(all[from], block_of(from, root));
      Bytes own(block_of(root, rank).size());
      lane.begin(call_of(Collective::scatter, 0, root));
      EXPECT_TRUE(lane.scatter(blocks_in(out), {own.data(), own.size()}, root));
      if (rank != root) {
        EXPECT_EQ(own, block_of(root, rank));
      }
    }
  });
}

TEST(LaneMismatch, of_bytes_is_told_before_a_value_is_given) {
  for (const std::size_t bytes : {16u, 8000u}) {
    double word[1000] = {}, other[1000] = {};
    const auto told = on_lane(2, [&](Lane& lane, Rank rank) {
      const std::size_t count = rank == 0 ? bytes : 8;
      lane.begin(call_of(Collective::bcast, count));
      lane.bcast(rank == 0 ? word : other, count, 0);
    });
    EXPECT_EQ(told[1], "I makes bcast of 8 bytes from rank 0 where rank 0 makes bcast of " +
                           std::to_string(bytes) + " bytes from rank 0");
  }
}

/// Both wait to receive, and neither sends: inquiries tell.
TEST(LaneMismatch, of_roots_that_wait_for_each_other_is_told_by_inquiries) {
  const auto told = on_lane(2, [&](Lane& lane, Rank rank) {
    double sum = 1;
    lane.begin(call_of(Collective::reduce, 8, rank));
    EXPECT_FALSE(lane.reduce(&sum, sums_of(1), rank));
  });
  const std::string mine = "I makes reduce of 8 bytes to rank ",
                    theirs = " makes reduce of 8 bytes to rank ";
  EXPECT_TRUE(told[0] == mine + "0 where rank 1" + theirs + "1" ||
              told[1] == mine + "1 where rank 0" + theirs + "0")
      << told[0] << told[1];
}

TEST(LaneMismatch, of_a_rank_that_has_gone_on_is_told_at_its_next_call) {
  const auto told = on_lane(2, [&](Lane& lane, Rank rank) {
    double word = 1;
    lane.begin(call_of(Collective::bcast, 8, rank));  // both are root, and send
    EXPECT_TRUE(lane.bcast(&word, 8, rank));
    lane.begin(call_of(Collective::barrier, 0));
    EXPECT_FALSE(lane.barrier());
  });
  const std::string mine = "I makes bcast of 8 bytes from rank ",
                    theirs = " makes bcast of 8 bytes from rank ";
  EXPECT_TRUE(told[0] == mine + "0 where rank 1" + theirs + "1" ||
              told[1] == mine + "1 where rank 0" + theirs + "0")
      << told[0] << told[1];
}

TEST(LaneMismatch, of_last_calls_is_told_when_the_communicator_ends) {
  std::atomic<Rank> through{0};
  const auto told = on_lane(2, [&](Lane& lane, Rank rank) {
    double word = 1;
    lane.begin(call_of(Collective::bcast, 8, rank));  // both are root, and send
    EXPECT_TRUE(lane.bcast(&word, 8, rank));
    ++through;
    while (through != 2) std::this_thread::yield();
    lane.compare_last_calls();
  });
  EXPECT_EQ(told[1],
            "I makes bcast of 8 bytes from rank 1 where rank 0 makes bcast of 8 bytes from rank 0");
}

TEST(Lane, says_nothing_of_last_calls_that_match) {
  const auto told = on_lane(3, [&](Lane& lane, Rank rank) {
    double sum = rank;
    lane.begin(call_of(Collective::allreduce, 8));
    EXPECT_TRUE(lane.allreduce(&sum, sums_of(1)));
    lane.compare_last_calls();
  });
  EXPECT_EQ(told, std::vector<std::string>(3));
}

/// Rank 1 waits on its node, not in its lane.
TEST(LaneMismatch, of_a_rank_that_waits_elsewhere_is_told_by_its_answer) {
  const auto told = on_lane(2, [&](Lane& lane, Rank rank) {
    double word = 1;
    lane.begin(call_of(rank == 0 ? Collective::bcast : Collective::barrier, 8, 1));
    if (rank == 0) {
      EXPECT_FALSE(lane.bcast(&word, 8, 1));
      return;
    }
    while (lane.answer_inquiries()) std::this_thread::yield();
  });
  EXPECT_EQ(told[1], "I makes barrier where rank 0 makes bcast of 8 bytes from rank 1");
}

TEST(Lane, tells_whom_it_waits_for) {
  Network network(2);
  Observer observer(network);
  Lane lane(std::make_unique<MemoryTransport>(network, 0), 0.05);
  lane.report_to(&observer);
  std::thread late([&] {
    // Until the other has said it, however long that takes on a busy machine.
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    // acquire: pairs with the release in `Observer::stalled`.
    while (std::atomic_ref(observer.has_stalled).load(std::memory_order_acquire) == 0 &&
           std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    Observer other(network);
    Lane its(std::make_unique<MemoryTransport>(network, 1), 0);
    its.report_to(&other);
    its.begin(call_of(Collective::barrier, 0));
    EXPECT_TRUE(its.barrier());
  });
  lane.begin(call_of(Collective::barrier, 0));
  EXPECT_TRUE(lane.barrier());
  EXPECT_EQ(observer.stalled_for, std::optional<Rank>(1));
  late.join();
}

/// Each rank's clock is a second ahead of the one before it.
TEST(ClockOffset, is_found_by_round_trips) {
  constexpr Rank kRanks = 3;
  constexpr std::int64_t kSecond = 1'000'000'000;
  Network network(kRanks);
  std::optional<std::int64_t> ahead[kRanks];
  std::vector<std::thread> threads;
  for (Rank rank = 0; rank < kRanks; ++rank)
    threads.emplace_back([&, rank] {
      MemoryTransport transport(network, rank);
      ahead[rank] = clock_offset(transport, [&] {
        return Observer(network).now_ns() + static_cast<std::uint64_t>(rank * kSecond);
      });
    });
  for (std::thread& thread : threads) thread.join();
  for (Rank rank = 0; rank < kRanks; ++rank) {
    ASSERT_TRUE(ahead[rank]);
    EXPECT_NEAR(static_cast<double>(*ahead[rank]), -1e9 * rank, 5e7) << rank;
  }
}

/// The first trips last long, as on a busy machine; the answer is theirs' time at the end of one.
TEST(ClockOffset, is_found_by_a_short_trip_among_long_ones) {
  constexpr int kLongTrips = 50;
  constexpr std::int64_t kAhead = 1'000'000'000;
  Network network(2);
  std::thread first([&] {
    MemoryTransport transport(network, 0);
    int answers = 0;
    EXPECT_EQ(clock_offset(transport,
                           [&] {
                             if (++answers <= kLongTrips)
                               std::this_thread::sleep_for(std::chrono::milliseconds(3));
                             return Observer(network).now_ns() + kAhead;
                           }),
              std::optional<std::int64_t>(0));
    EXPECT_GT(answers, kLongTrips);
  });
  MemoryTransport transport(network, 1);
  const auto ahead = clock_offset(transport, [&] { return Observer(network).now_ns(); });
  first.join();
  ASSERT_TRUE(ahead);
  EXPECT_NEAR(static_cast<double>(*ahead), static_cast<double>(kAhead), 1e6);
}

TEST(ClockOffset, is_not_known_where_messages_are_refused) {
  Network network(2);
  network.end();
  MemoryTransport transport(network, 1);
  EXPECT_FALSE(clock_offset(transport, [] { return std::uint64_t{1}; }));
}

/// A lane's first rank of three, in its first call, a barrier.
struct FirstOfThree {
  FirstOfThree() {
    lane.report_to(&observer);
    lane.begin(call_of(Collective::barrier, 0));
  }
  /// The header of a rank in that call, or in another one with its number.
  static MessageHeader header(std::uint64_t from, Collective collective = Collective::barrier) {
    return {1, call_of(collective, 0), from};
  }

  Network network{3};
  Observer observer{network};
  Lane lane{std::make_unique<MemoryTransport>(network, 0), 0};
};

TEST(LaneContracts, hear_of_ranks_of_the_lane) {
  FirstOfThree own;
  const MessageHeader header = FirstOfThree::header(3, Collective::bcast);
  own.network.inquire(0, copy_of(&header, sizeof header));
  EXPECT_BROKEN(own.lane.answer_inquiries(), "theirs.from < rank_count");
}

TEST(LaneContracts, have_headers_of_whom_their_messages_are_from) {
  FirstOfThree own;
  const MessageHeader header = FirstOfThree::header(1);
  own.network.send(2, 0, copy_of(&header, sizeof header));
  EXPECT_BROKEN_IN_DEBUG_BUILDS(own.lane.barrier(), "theirs.from == one.from");
}

TEST(LaneContracts, gather_a_block_of_each_rank) {
  FirstOfThree own;
  const std::vector<Block> two(2);
  EXPECT_BROKEN_IN_DEBUG_BUILDS(own.lane.gather({}, two, 0), "all.size.. == rank_count");
  EXPECT_BROKEN_IN_DEBUG_BUILDS(own.lane.scatter(two, {}, 0), "all.size.. == rank_count");
}

TEST(CallLogContracts, have_headers_of_calls_that_have_begun) {
  CallLog log;
  EXPECT_BROKEN_IN_DEBUG_BUILDS(log.header(0), "calls_ > 0");
  log.begin(call_of(Collective::barrier, 0));
  EXPECT_BROKEN_IN_DEBUG_BUILDS(log.difference(MessageHeader{}), "theirs.call > 0");
}

TEST(ClockOffsetContracts, hear_of_clocks_that_do_not_go_back) {
  Network network(2);
  for (const std::uint64_t time : {2000, 1000}) network.send(1, 0, copy_of(&time, sizeof time));
  MemoryTransport transport(network, 0);
  EXPECT_BROKEN(clock_offset(transport, [] { return std::uint64_t{1}; }), "theirs >= before");
}

}  // namespace
}  // namespace terrace::preload
