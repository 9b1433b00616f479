// SPDX-License-Identifier: BSD-3-Clause
// Files come whole or not at all, and nothing is waited for.
#include "base/text_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

namespace terrace {
namespace {

using testing::HasSubstr;

class TextFile : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "terrace-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  std::string written(const std::string& text) const {
    std::ofstream(folder / "file") << text;
    return folder / "file";
  }
  static std::string complaint(const std::string& path) {
    const auto text = read_text_file(path, 10);
    return text ? "none" : text.error().sentence;
  }

  std::filesystem::path folder;
};

TEST_F(TextFile, is_read_whole) {
  EXPECT_EQ(read_text_file(written("plan\n\nx"), 10).value(), "plan\n\nx");
  EXPECT_EQ(read_text_file(written("0123456789"), 10).value(), "0123456789");
}

TEST_F(TextFile, that_is_none_is_refused_and_not_waited_for) {
  const std::string pipe = folder / "pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(complaint(pipe), "'" + pipe + "' is no regular file");
  EXPECT_EQ(complaint("/dev/zero"), "'/dev/zero' is no regular file");
  EXPECT_EQ(complaint(folder), "'" + folder.string() + "' is a directory");
  EXPECT_THAT(complaint(folder / "none"), HasSubstr("cannot be read: No such file"));
  EXPECT_THAT(complaint(written("")), HasSubstr("is empty"));
  EXPECT_THAT(complaint(written("0123456789a")),
              HasSubstr("has 11 bytes, of which 10 are read at most"));
}

}  // namespace
}  // namespace terrace
