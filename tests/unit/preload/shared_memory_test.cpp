// SPDX-License-Identifier: BSD-3-Clause
// Goal: memory beyond what a team has made is never allocated, as a peer's share would begin there.
#include "preload/transport/shared_memory.hpp"

#include <gtest/gtest.h>

#include "unit/contracts.hpp"

namespace terrace::preload {
namespace {

TEST(SharedMemoryContracts, keep_within_what_was_made) {
  const std::size_t page = page_bytes();
  const auto made = SharedMemory::make(2 * page);
  ASSERT_TRUE(made) << made.error().sentence;
  EXPECT_TRUE(made.value()->allocate(page, page));
  EXPECT_BROKEN(static_cast<void>(made.value()->allocate(page, 2 * page)),
                "page_ \\+ offset \\+ bytes <= address_.bytes");
}

TEST(SharedMemoryContracts, open_what_a_process_has_made) {
  EXPECT_BROKEN(static_cast<void>(SharedMemory::open(MemoryAddress{})), "address.process > 0");
  MemoryAddress address{1, 3, page_bytes() - 1, 0};
  EXPECT_BROKEN(static_cast<void>(SharedMemory::open(address)), "address.bytes >= page");
}

// As the kernel would refuse, and the team with it; Linux for AArch64 may have pages of 64 KiB.
TEST(SharedMemoryContracts, allocate_whole_pages) {
  constexpr std::size_t kLongPage = 65536;
  const auto made = SharedMemory::make(3 * kLongPage, kLongPage);
  ASSERT_TRUE(made) << made.error().sentence;
  EXPECT_EQ(4 * kLongPage, made.value()->address().bytes);
  EXPECT_TRUE(made.value()->allocate(kLongPage, kLongPage));
  EXPECT_BROKEN(static_cast<void>(made.value()->allocate(4096, kLongPage)), "offset % page_ == 0");
  EXPECT_BROKEN(static_cast<void>(made.value()->allocate(0, 4096)), "bytes % page_ == 0");
  const auto opened = SharedMemory::open(made.value()->address(), kLongPage);
  ASSERT_TRUE(opened) << opened.error().sentence;
  *made.value()->at(kLongPage) = std::byte{42};
  EXPECT_EQ(std::byte{42}, *opened.value()->at(kLongPage));
}

}  // namespace
}  // namespace terrace::preload
