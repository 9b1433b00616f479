// SPDX-License-Identifier: BSD-3-Clause
// Goal: a team takes the rows that were tuned for the like of it, from the first file that is
// right. Method: files and variables of each test's own.
#include "engine/tunings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "base/text_file.hpp"
#include "choose/tuning_text.hpp"

namespace terrace {
namespace {

Tuning tuning() {
  TunedRow near, far, threads, anywhere;
  near.bytes = 1;
  far.bytes = 2;
  threads.bytes = 3;
  anywhere.bytes = 4;
  return {"p",
          {{2, false, {"l3"}, {50}, "", {near}},
           {2, false, {"l3"}, {200}, "", {far}},
           {2, true, {"l3"}, {50}, "", {threads}},
           {3, false, {}, {}, "", {anywhere}}}};
}

/// Of the rows that such a team gets; 0: none.
std::size_t bytes_for(TeamTraits traits, std::vector<double> signals) {
  const std::vector<TunedRow> rows = tuned_rows(tuning(), traits, signals);
  return rows.empty() ? 0 : rows.front().bytes;
}

TEST(Tunings, are_for_teams_that_are_alike) {
  TeamTraits processes, threads;
  processes.ranks = threads.ranks = 2;
  threads.can_be_direct = true;
  EXPECT_EQ(bytes_for(processes, {52}), 1u);
  EXPECT_EQ(bytes_for(processes, {190}), 2u);
  EXPECT_EQ(bytes_for(threads, {52}), 3u);
  EXPECT_EQ(bytes_for(processes, {100}), 0u);
  EXPECT_EQ(bytes_for(processes, {52, 190}), 0u);
  EXPECT_EQ(bytes_for(threads, {190}), 0u);
  processes.reaches_heaps = true;
  EXPECT_EQ(bytes_for(processes, {52}), 0u);
}

TEST(Tunings, take_rows_of_the_nearest_team_first) {
  TunedRow one, other, far;
  one.bytes = 1;
  other.bytes = 2;
  far.bytes = 3;
  const Tuning tuning{"p",
                      {{2, false, {}, {}, "", {far}},
                       {2, false, {"l3"}, {66}, "", {one}},
                       {2, false, {"l3"}, {83}, "", {other}}}};
  TeamTraits two;
  two.ranks = 2;
  const auto bytes = [&](double signal) {
    std::vector<std::size_t> found;
    for (const TunedRow& row : tuned_rows(tuning, two, std::vector{signal}))
      found.push_back(row.bytes);
    return found;
  };
  EXPECT_EQ(bytes(73), (std::vector<std::size_t>{1, 2, 3}));
  EXPECT_EQ(bytes(76), (std::vector<std::size_t>{2, 1, 3}));
  EXPECT_EQ(bytes(60), (std::vector<std::size_t>{1, 3}));
}

TEST(Tunings, without_signals_are_for_any_distance) {
  TeamTraits three;
  three.ranks = 3;
  EXPECT_EQ(bytes_for(three, {70, 200}), 4u);
  three.shared_cores = 2;
  EXPECT_EQ(bytes_for(three, {70, 200}), 0u);
}

TEST(Tunings, have_names_by_machine) {
  EXPECT_EQ(tuning_name("AuthenticAMD 25 1 AMD EPYC(TM) 1, 2 processors"),
            "authenticamd-25-1-amd-epyc-tm-1-2-processors.json");
}

TEST(Tunings, that_come_with_terrace_are_right_and_have_their_machines_names) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(TERRACE_SOURCE_DIR "/tunings")) {
    const std::string path = entry.path().string();
    const auto tuning = tuning_from_text(read_text_file(path, kMostTuningBytes).value(), path);
    ASSERT_TRUE(tuning) << tuning.error().sentence;
    EXPECT_EQ(tuning_name(tuning.value().processor), entry.path().filename());
    EXPECT_FALSE(tuning.value().teams.empty());
    ++files;
  }
  EXPECT_GE(files, 1u);
}

TEST(Tunings, are_looked_for_from_the_users_folder_to_our_own) {
  setenv("XDG_CONFIG_HOME", "/user", 1);
  setenv("XDG_CONFIG_DIRS", "/site:relative:/vendor", 1);
  const std::vector<std::string> paths = tuning_paths("m.json");
  ASSERT_EQ(paths.size(), 4u);
  EXPECT_EQ(paths[0], "/user/terrace/tunings/m.json");
  EXPECT_EQ(paths[1], "/site/terrace/tunings/m.json");
  EXPECT_EQ(paths[2], "/vendor/terrace/tunings/m.json");
  EXPECT_THAT(paths[3], testing::EndsWith("/share/terrace/tunings/m.json"));
}

TEST(Tunings, of_an_installation_are_found_from_each_of_its_folders) {
  const std::filesystem::path prefix = testing::TempDir() + "/installed_tunings";
  const std::string folder = (prefix / "share" / "terrace" / "tunings").string();
  std::filesystem::create_directories(folder);
  for (const char* file : {"bin/terrace", "lib/libterrace.so.1", "lib/terrace/ranks/libmpi.so.12",
                           "lib/x86_64-linux-gnu/libterrace-mpi.so",
                           "lib/x86_64-linux-gnu/terrace/ranks/libmpi.so.12"})
    EXPECT_EQ(tunings_above(prefix / file), folder) << file;
  std::filesystem::remove_all(prefix);
  EXPECT_EQ(tunings_above(prefix / "bin/terrace"), "");
}

}  // namespace
}  // namespace terrace
