// SPDX-License-Identifier: BSD-3-Clause
// Goal: memory beyond what a team has made is never allocated, as a peer's share would begin there.
#include "preload/transport/shared_memory.hpp"

#include <gtest/gtest.h>

#include "unit/contracts.hpp"

namespace terrace::preload {
namespace {

TEST(SharedMemoryContracts, keep_within_what_was_made) {
  constexpr std::size_t kBytes = 8192;
  const auto made = SharedMemory::make(kBytes);
  ASSERT_TRUE(made) << made.error().sentence;
  EXPECT_TRUE(made.value()->allocate(4096, kBytes - 4096));
  EXPECT_BROKEN(static_cast<void>(made.value()->allocate(4096, kBytes)),
                "kFirstByte \\+ offset \\+ bytes <= address_.bytes");
}

}  // namespace
}  // namespace terrace::preload
