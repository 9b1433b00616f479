// SPDX-License-Identifier: BSD-3-Clause
// Goal: the owner of a mailbox hears of what has come, however it waits, and takes in no more than
// it needs.
#include "threadranks/matching/mailbox.hpp"

#include <gtest/gtest.h>

#include "threadranks/matching/match_queues.hpp"
#include "unit/each_pause.hpp"

namespace terrace::threadranks {
namespace {

TEST(Mailbox, changes_its_counter_where_owners_wait_for_events) {
  Mailbox mailbox;
  const std::atomic<std::uint64_t>& counter = *mailbox.wait_target().counter;
  with_each_pause([&] {
    const std::uint64_t before = counter.load(std::memory_order_relaxed);  // one thread; no partner
    mailbox.put_address({}, &mailbox);
    const std::uint64_t after = counter.load(std::memory_order_relaxed);
    EXPECT_EQ(after != before, pause_kind() == PauseKind::wfe) << to_text(pause_kind());
    mailbox.take_all([](const Envelope&) {});
    mailbox.notify();  // what has come is no envelope
    EXPECT_EQ(counter.load(std::memory_order_relaxed) != after, pause_kind() == PauseKind::wfe);
  });
}

// A receive that has its message leaves those behind it in the mailbox, and they keep their order.
TEST(Mailbox, keeps_what_comes_behind_the_message_that_is_awaited) {
  constexpr std::uint32_t kContext = 4;
  RankMessages messages;
  MatchQueues& queues = messages.match_queues(kContext);
  const auto send_number = [&](int tag, int number) {
    EXPECT_EQ(send({&messages.mailbox(), kContext, 0, tag, 0},
                   {&number, sizeof number, predefined_type(kByte)}, SendMode::standard,
                   messages.mailbox(), true),
              nullptr);
  };
  int got = -1;
  const auto receive = [&](int tag) {
    PostedRecv receiving;
    receiving.source = kAnySource;
    receiving.tag = tag;
    receiving.to = {&got, sizeof got, predefined_type(kByte)};
    queues.receive(receiving, messages.mailbox());
    messages.progress_until_done(receiving);
    return receiving.is_done;
  };
  for (int number = 0; number < 4; ++number) send_number(number / 2, number);
  ASSERT_TRUE(receive(0));
  EXPECT_EQ(got, 0);
  EXPECT_EQ(queues.find(kAnySource, kAnyTag), queues.none());
  ASSERT_TRUE(receive(1));  // passes one that is for another receive
  EXPECT_EQ(got, 2);
  ASSERT_NE(queues.find(kAnySource, 0), queues.none());
  EXPECT_EQ(queues.find(kAnySource, 1), queues.none());
  ASSERT_TRUE(receive(kAnyTag));
  EXPECT_EQ(got, 1);
  ASSERT_TRUE(receive(kAnyTag));
  EXPECT_EQ(got, 3);
  EXPECT_TRUE(queues.is_empty());
}

}  // namespace
}  // namespace terrace::threadranks
