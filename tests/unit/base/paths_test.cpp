// SPDX-License-Identifier: BSD-3-Clause
// Goal: looks at paths answer, and throw nothing, whether the paths lead anywhere or not.
#include "base/paths.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

namespace terrace {
namespace {

TEST(Paths, are_there_or_not) {
  EXPECT_TRUE(is_there("/"));
  EXPECT_FALSE(is_there(""));
  EXPECT_FALSE(is_there("/none/of/these"));
  EXPECT_FALSE(is_there("/" + std::string(100'000, 'x'))) << "too long a name";
}

TEST(Paths, are_those_in_a_folder) {
  std::string folder = testing::TempDir() + "paths_XXXXXX";
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  EXPECT_TRUE(paths_in(folder).empty());
  const std::string path = folder + "/file";
  std::ofstream(path) << "something";
  EXPECT_EQ(paths_in(folder), std::vector<std::string>{path});
  EXPECT_TRUE(paths_in(path).empty()) << "a file is no folder";
  unlink(path.c_str());
  rmdir(folder.c_str());
  EXPECT_TRUE(paths_in(folder).empty()) << "it is gone";
}

}  // namespace
}  // namespace terrace
