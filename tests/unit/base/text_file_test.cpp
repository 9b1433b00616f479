// SPDX-License-Identifier: BSD-3-Clause
// Files come whole or not at all, and nothing is waited for.
#include "base/text_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

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
  EXPECT_EQ(complaint(pipe), "'" + pipe + "' is not a regular file");
  EXPECT_EQ(complaint("/dev/zero"), "'/dev/zero' is not a regular file");
  EXPECT_EQ(complaint(folder), "'" + folder.string() + "' is a directory");
  EXPECT_THAT(complaint(folder / "none"), HasSubstr("cannot be read: No such file"));
  EXPECT_THAT(complaint(written("")), HasSubstr("is empty"));
  EXPECT_THAT(complaint(written("0123456789a")),
              HasSubstr("has 11 bytes, of which 10 are read at most"));
}

TEST_F(TextFile, is_known_beforehand_where_it_cannot_be_written) {
  EXPECT_TRUE(can_write_text_file(folder / "new.json"));
  EXPECT_FALSE(std::filesystem::exists(folder / "new.json"));
  const auto sentence = [](const std::string& path) {
    const auto possible = can_write_text_file(path);
    return possible ? "" : possible.error().sentence;
  };
  EXPECT_THAT(sentence(folder / "none/x"), HasSubstr("No such file or directory"));
  EXPECT_THAT(sentence("/dev/null"), HasSubstr("it is not a regular file"));
  EXPECT_THAT(sentence(folder), HasSubstr("it is not a regular file"));
}

/// Ranks begin at the same time: none may take what another tries for a file that was there.
TEST_F(TextFile, leaves_nothing_where_two_look_at_once) {
  for (int time = 0; time < 300; ++time) {
    const std::string path = folder / std::to_string(time);
    pid_t lookers[2];
    for (pid_t& looker : lookers) {
      looker = fork();
      if (looker != 0) continue;
      bool is_possible = true;
      for (int look = 0; look < 50; ++look) is_possible &= bool{can_write_text_file(path)};
      _exit(is_possible ? 0 : 1);
    }
    for (const pid_t looker : lookers) {
      int status = -1;
      waitpid(looker, &status, 0);
      EXPECT_EQ(status, 0);
    }
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder));
}

TEST_F(TextFile, is_written_whole_over_an_older_one) {
  ASSERT_TRUE(write_text_file(folder / "x", "a long text of an earlier run"));
  ASSERT_TRUE(write_text_file(folder / "x", "new"));
  EXPECT_EQ(read_text_file(folder / "x", 10).value(), "new");
  EXPECT_FALSE(write_text_file(folder / "none/x", "new"));
}

TEST_F(TextFile, has_folders_made_for_it) {
  const std::string path = folder / "a" / "b" / "x";
  make_folders_for(path);
  EXPECT_TRUE(write_text_file(path, "new"));
}

}  // namespace
}  // namespace terrace
