// SPDX-License-Identifier: BSD-3-Clause
// Goal: the break between two looks suits the core, and ends when what is awaited has come.
// Method: identifiers of cores as their makers publish them; two threads that answer each other.
#include "base/pause.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "unit/each_pause.hpp"

namespace terrace {
namespace {

/// MIDR_EL1 of a maker and a part, with a revision, which does not matter.
constexpr std::uint64_t midr(std::uint64_t implementer, std::uint64_t part) {
  return implementer << 24 | 1 << 20 | 0xf << 16 | part << 4 | 2;
}

TEST(Pause, is_a_hint_where_cores_heed_it_and_a_barrier_elsewhere) {
  EXPECT_EQ(pause_kind_for(midr(0x43, 0x0af)), PauseKind::yield) << "ThunderX2";
  EXPECT_EQ(pause_kind_for(midr(0x42, 0x516)), PauseKind::yield) << "ThunderX2, of Broadcom";
  EXPECT_EQ(pause_kind_for(midr(0x41, 0xd0c)), PauseKind::isb) << "Neoverse N1";
  EXPECT_EQ(pause_kind_for(midr(0x41, 0xd4f)), PauseKind::isb) << "Neoverse V2, Grace";
  EXPECT_EQ(pause_kind_for(midr(0x46, 0x001)), PauseKind::isb) << "A64FX";
  EXPECT_EQ(pause_kind_for(midr(0x41, 0x0af)), PauseKind::isb) << "another maker's part";
  EXPECT_EQ(pause_kind_for(0), PauseKind::isb) << "not known";
}

TEST(Pause, kinds_have_names) {
  for (const PauseKind kind : {PauseKind::yield, PauseKind::isb, PauseKind::wfe})
    EXPECT_EQ(pause_kind_from_text(to_text(kind)), kind);
  EXPECT_EQ(pause_kind_from_text("doze"), std::nullopt);
  EXPECT_EQ(pause_kind_from_text(""), std::nullopt);
}

TEST(Pause, of_each_kind_ends_when_the_counter_changes) {
  constexpr std::uint64_t kTurns = 500;
  const auto await = [](const std::atomic<std::uint64_t>& counter, std::uint64_t turn) {
    // acquire: pairs with the releases of the other thread.
    for (std::uint64_t seen; (seen = counter.load(std::memory_order_acquire)) != turn;) {
      pause_until_changed(counter, seen);
      std::this_thread::yield();  // with more threads than cores
    }
  };
  with_each_pause([&] {
    std::atomic<std::uint64_t> ping{0}, pong{0};
    std::thread other([&] {
      for (std::uint64_t turn = 1; turn <= kTurns; ++turn) {
        await(ping, turn);
        pong.store(turn, std::memory_order_release);
      }
    });
    for (std::uint64_t turn = 1; turn <= kTurns; ++turn) {
      ping.store(turn, std::memory_order_release);
      await(pong, turn);
    }
    other.join();
  });
}

TEST(Pause, does_not_wait_for_a_change_that_has_been) {
  const std::atomic<std::uint64_t> counter{7};
  with_each_pause([&] {
    for (int i = 0; i < 1000; ++i) pause_until_changed(counter, 6);
  });
}

}  // namespace
}  // namespace terrace
