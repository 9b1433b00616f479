// SPDX-License-Identifier: BSD-3-Clause
// The lock of lanes, where the program's thread and the helper take turns in needing it.
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <future>
#include <iostream>
#include <mutex>
#include <thread>

#include "preload/setup/nonblocking_lanes.hpp"

namespace terrace::preload {
namespace {

using std::chrono::milliseconds;

/// Whether another thread could take it.
bool is_free() {
  return std::async(std::launch::async,
                    [] {
                      const std::unique_lock other(LanesLock::mutex(), std::try_to_lock);
                      return other.owns_lock();
                    })
      .get();
}

TEST(LanesLock, is_held_where_it_is_needed) {
  {
    const LanesLock lock;
    EXPECT_TRUE(is_free()) << "taken, though there is one thread alone";
    LanesLock::need();
    EXPECT_FALSE(is_free()) << "not taken as soon as it was needed";
    LanesLock::need();
  }
  EXPECT_TRUE(is_free());
  {
    const LanesLock lock;
    EXPECT_FALSE(is_free());
  }
  const std::lock_guard helper(LanesLock::mutex());
  LanesLock::need_no_longer();
}

/// The program's thread waits for the mutex when the helper falls asleep, and then wakes it.
TEST(LanesLock, may_be_needed_again_by_who_has_waited_for_it) {
  {
    const LanesLock lock;
    LanesLock::need();
  }
  std::unique_lock helper(LanesLock::mutex());
  auto program = std::async(std::launch::async, [] {
    const LanesLock lock;
    LanesLock::need();
    return !is_free();
  });
  EXPECT_EQ(program.wait_for(milliseconds(50)), std::future_status::timeout);
  LanesLock::need_no_longer();
  helper.unlock();
  if (program.wait_for(std::chrono::seconds(20)) != std::future_status::ready) {
    std::cerr << "the program's thread waits for a mutex that it holds\n";
    std::abort();  // no destructor could end it
  }
  EXPECT_TRUE(program.get());
  EXPECT_TRUE(is_free());
  const std::lock_guard again(LanesLock::mutex());
  LanesLock::need_no_longer();
}

}  // namespace
}  // namespace terrace::preload
