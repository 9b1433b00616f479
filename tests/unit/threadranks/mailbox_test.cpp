// SPDX-License-Identifier: BSD-3-Clause
// Goal: the owner of a mailbox hears of what has come, however it waits.
#include "threadranks/matching/mailbox.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace terrace::threadranks
