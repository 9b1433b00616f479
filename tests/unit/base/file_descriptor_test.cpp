// SPDX-License-Identifier: BSD-3-Clause
// Goal: all that is written into a pipe comes out of it, and what cannot be written is told.
#include "base/file_descriptor.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace terrace {
namespace {

TEST(FileDescriptor, gives_all_that_it_took) {
  for (const std::size_t bytes : {0u, 1u, 4096u, 10'000u}) {  // a pipe has room for them
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const std::string text(bytes, 'x');
    EXPECT_TRUE(write_all(ends[1], text));
    close(ends[1]);
    EXPECT_EQ(read_to_end(ends[0]), text);
    close(ends[0]);
  }
}

TEST(FileDescriptor, tells_what_it_did_not_take) {
  const int file = open("/dev/full", O_WRONLY | O_CLOEXEC);
  if (file < 0) GTEST_SKIP() << "there is no /dev/full";
  EXPECT_TRUE(write_all(file, ""));
  EXPECT_FALSE(write_all(file, "something"));
  close(file);
  EXPECT_EQ(read_to_end(-1), "");
}

}  // namespace
}  // namespace terrace
