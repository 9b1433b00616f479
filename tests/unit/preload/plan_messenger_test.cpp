// SPDX-License-Identifier: BSD-3-Clause
// Messages of plans between threads whose messages are late at random, and calls that do not match.
#include "preload/nodes/plan_messenger.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "lane_network.hpp"
#include "unit/contracts.hpp"

namespace terrace::preload {
namespace {

/// Runs `body` in a thread for each rank; returns what each has been told.
std::vector<std::string> among(Rank ranks, const std::function<void(PlanMessenger&, Rank)>& body) {
  Network network(ranks);
  std::vector<Observer> observers(ranks, Observer(network));
  std::vector<std::thread> threads;
  for (Rank rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      PlanMessenger messenger(std::make_unique<MemoryTransport>(network, rank), 0);
      messenger.report_to(&observers[rank]);
      body(messenger, rank);
    });
  for (std::thread& thread : threads) thread.join();
  std::vector<std::string> told;
  for (const Observer& observer : observers) told.push_back(observer.told);
  return told;
}

MessageState wait_for_expected(PlanMessenger& messenger) {
  for (;;) {
    const MessageState state = messenger.look_for_expected();
    if (state != MessageState::on_its_way) return state;
    std::this_thread::yield();
  }
}

MessageState wait_for_gone(PlanMessenger& messenger) {
  for (;;) {
    const MessageState state = messenger.look_for_gone(0);
    if (state != MessageState::on_its_way) return state;
    std::this_thread::yield();
  }
}

/// Numbers that tell sender, receiver and message.
std::vector<std::uint32_t> words(Rank from, Rank to, std::uint32_t message, std::size_t count) {
  std::vector<std::uint32_t> result(count);
  std::iota(result.begin(), result.end(), from * 1000000u + to * 100000u + message * 10000u);
  return result;
}

std::vector<MessageValue> values_of(std::vector<std::vector<std::uint32_t>>& all) {
  std::vector<MessageValue> values;
  for (std::vector<std::uint32_t>& one : all)
    values.push_back({reinterpret_cast<std::byte*>(one.data()), one.size() * 4});
  return values;
}

/// Lengths of the values of a message: alone, together, without bytes, and long in total.
const std::vector<std::vector<std::size_t>> kMessages = {
    {1}, {}, {0}, {3, 0, 5}, {1024}, {1025}, {1000, 25}, {2000, 0, 3, 1500}, {7}};

TEST(PlanMessengers, carry_values_in_order_between_all_pairs) {
  const Rank ranks = 3;
  const auto told = among(ranks, [&](PlanMessenger& messenger, Rank rank) {
    for (std::uint32_t call = 0; call < 200; ++call) {
      messenger.begin(call_of(Collective::allreduce, 8));
      std::vector<std::vector<std::vector<std::uint32_t>>> kept;  // until they have gone
      for (std::uint32_t m = 0; m < kMessages.size(); ++m)
        for (Rank to = 0; to < ranks; ++to) {
          if (to == rank) continue;
          auto& all = kept.emplace_back();
          for (const std::size_t count : kMessages[m]) all.push_back(words(rank, to, m, count));
          messenger.send(to, values_of(all));
        }
      for (Rank from = ranks; from-- > 0;)
        for (std::uint32_t m = 0; from != rank && m < kMessages.size(); ++m) {
          std::vector<std::vector<std::uint32_t>> all, right;
          for (const std::size_t count : kMessages[m]) {
            all.emplace_back(count, 7);
            right.push_back(words(from, rank, m, count));
          }
          messenger.expect(from, values_of(all));
          ASSERT_EQ(wait_for_expected(messenger), MessageState::over);
          ASSERT_EQ(all, right) << "message " << m << " of " << from << " to " << rank;
        }
      ASSERT_EQ(wait_for_gone(messenger), MessageState::over);
    }
  });
  EXPECT_EQ(told, std::vector<std::string>(ranks));
}

TEST(PlanMessengers, name_a_call_that_differs_before_they_take_anything_of_it) {
  for (const std::size_t bytes : {8u, 9000u}) {
    std::vector<std::uint32_t> word(4, 99);
    const auto told = among(2, [&](PlanMessenger& messenger, Rank rank) {
      messenger.begin(call_of(Collective::bcast, rank == 0 ? bytes : 16));
      std::vector<std::vector<std::uint32_t>> given = {std::vector<std::uint32_t>(bytes / 4)};
      if (rank == 0) return messenger.send(1, values_of(given));
      const MessageValue place{reinterpret_cast<std::byte*>(word.data()), 16};
      messenger.expect(0, {&place, 1});
      EXPECT_EQ(wait_for_expected(messenger), MessageState::failed);
      EXPECT_EQ(messenger.look_for_gone(0), MessageState::failed);  // for good
    });
    EXPECT_NE(told[1].find("bcast of 16 bytes"), std::string::npos) << told[1];
    EXPECT_NE(told[1].find("bcast of " + std::to_string(bytes) + " bytes"), std::string::npos);
    EXPECT_EQ(word, std::vector<std::uint32_t>(4, 99));
  }
}

TEST(PlanMessengers, ask_each_other_where_all_wait) {
  const auto told = among(2, [&](PlanMessenger& messenger, Rank rank) {
    messenger.begin(call_of(Collective::barrier, 0));
    messenger.begin(call_of(rank == 0 ? Collective::barrier : Collective::allreduce, 0));
    messenger.expect(1 - rank, {});
    EXPECT_EQ(wait_for_expected(messenger), MessageState::failed);
  });
  EXPECT_NE((told[0] + told[1]).find("barrier"), std::string::npos) << told[0] << told[1];
  EXPECT_NE((told[0] + told[1]).find("allreduce"), std::string::npos) << told[0] << told[1];
}

TEST(PlanMessengers, notice_a_rank_that_left_out_a_call) {
  const auto told = among(2, [&](PlanMessenger& messenger, Rank rank) {
    messenger.begin(call_of(Collective::barrier, 0));
    if (rank == 0) messenger.begin(call_of(Collective::barrier, 0));
    if (rank == 0) return messenger.send(1, {});
    messenger.expect(0, {});
    EXPECT_EQ(wait_for_expected(messenger), MessageState::failed);
  });
  EXPECT_NE(told[1], "");
}

TEST(PlanMessengers, compare_last_calls_that_were_not_received) {
  const auto told = among(2, [&](PlanMessenger& messenger, Rank rank) {
    messenger.begin(call_of(Collective::bcast, 4, rank));
    messenger.send(1 - rank, {});
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    messenger.compare_last_calls();
  });
  EXPECT_NE(told[0] + told[1], "");
}

TEST(PlanMessengerContracts, hear_of_ranks_of_the_communicator) {
  Network network(2);
  Observer observer(network);
  PlanMessenger messenger(std::make_unique<MemoryTransport>(network, 0), 0);
  messenger.report_to(&observer);
  messenger.begin(call_of(Collective::barrier, 0));
  const MessageHeader header{1, call_of(Collective::bcast, 8), 2};
  network.inquire(0, copy_of(&header, sizeof header));
  EXPECT_BROKEN(messenger.answer_inquiries(), "theirs.from < transport_->rank_count");
}

}  // namespace
}  // namespace terrace::preload
