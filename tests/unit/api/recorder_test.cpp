// SPDX-License-Identifier: BSD-3-Clause
// What is recorded comes out as it happened; the oldest goes first; files are whole or not there.
#include "engine/recorder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/text_file.hpp"
#include "terrace/terrace.h"

namespace terrace {
namespace {

using testing::HasSubstr;

class Folder {
 public:
  Folder() {
    char name[] = "/tmp/recorder-XXXXXX";
    path_ = mkdtemp(name);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

std::string contents(const std::string& path) {
  const auto text = read_text_file(path, 1 << 20);
  return text ? text.value() : "";
}

TEST(Recorder, tells_what_was_called_waited_for_and_fallen_back) {
  Recorder recorder;
  recorder.waited(3, 20, 50);
  recorder.called(Collective::allreduce, 8, "allreduce.tree", 10, 60);
  recorder.waited(std::nullopt, 70, 80);
  recorder.fell_back(Collective::bcast, 2048, "TERRACE_OFF", 90, 95);
  const std::vector<TimelineEvent> events = recorder.events(7);
  ASSERT_EQ(events.size(), 4u);
  EXPECT_EQ(events[0], (TimelineEvent{7, 0, 20, 50, Activity::wait, 3, "", ""}));
  EXPECT_EQ(events[1], (TimelineEvent{7, 0, 10, 60, Activity::call, std::nullopt, "",
                                      "allreduce of 8 B, allreduce.tree"}));
  EXPECT_EQ(events[2].peer, std::nullopt);
  EXPECT_EQ(events[3].label, "bcast of 2 KiB, fell back to the MPI: TERRACE_OFF");
  EXPECT_EQ(recorder.lost(), 0u);
}

/// The tracks of a recorder's events.
std::vector<std::uint32_t> tracks_of(const Recorder& recorder) {
  std::vector<std::uint32_t> tracks;
  for (const TimelineEvent& event : recorder.events(0)) tracks.push_back(event.thread);
  return tracks;
}

TEST(Recorder, puts_started_calls_that_overlap_side_by_side) {
  Recorder recorder;
  const std::uint32_t first = recorder.started(), second = recorder.started();
  recorder.ended(first, Collective::allreduce, 8, "allreduce.tree", 10, 60);
  const std::uint32_t third = recorder.started();
  recorder.ended(second, Collective::bcast, 8, "bcast.flat", 20, 70);
  recorder.ended(third, Collective::bcast, 8, "bcast.flat", 65, 90);
  EXPECT_THAT(tracks_of(recorder), testing::ElementsAre(kFirstTrack, kFirstTrack + 1, kFirstTrack));
  EXPECT_EQ(recorder.events(3)[0],
            (TimelineEvent{3, kFirstTrack, 10, 60, Activity::started, std::nullopt, "",
                           "allreduce of 8 B, allreduce.tree"}));
}

TEST(Recorder, has_room_for_calls_beyond_all_tracks) {
  Recorder recorder;
  std::vector<std::uint32_t> tracks;
  for (std::uint32_t i = kFirstTrack; i < kLastTrack + 5; ++i) tracks.push_back(recorder.started());
  EXPECT_EQ(tracks.back(), kLastTrack);
  for (const std::uint32_t track : tracks)
    recorder.ended(track, Collective::bcast, 8, "bcast.flat", 0, 1);
  EXPECT_EQ(recorder.started(), kFirstTrack);
}

// Calls are recorded from functions that may not throw.
static_assert(noexcept(std::declval<Recorder&>().waited(std::nullopt, 0, 0)));
static_assert(noexcept(std::declval<Recorder&>().called(Collective::bcast, 0, "", 0, 0)));
static_assert(noexcept(std::declval<Recorder&>().started()));
static_assert(noexcept(std::declval<Recorder&>().ended(kFirstTrack, Collective::bcast, 0, "", 0,
                                                       0)));
static_assert(noexcept(std::declval<Recorder&>().fell_back(Collective::bcast, 0, "", 0, 0)));

TEST(Recorder, loses_what_there_is_no_memory_for) {
  Recorder recorder;
  recorder.called(Collective::bcast, 8, "bcast.tree", 0, 1);
  const std::string_view too_long("bcast.flat", ~std::size_t{0});  // never read
  recorder.called(Collective::bcast, 8, too_long, 1, 2);
  recorder.called(Collective::bcast, 8, "bcast.tree", 2, 3);
  EXPECT_EQ(recorder.events(0).size(), 2u);
  EXPECT_EQ(recorder.lost(), 1u);
}

TEST(Recorder, gives_up_the_oldest_when_it_is_full) {
  Recorder recorder(3);
  for (std::uint64_t i = 0; i < 8; ++i) recorder.waited(1, i, i + 1);
  const std::vector<TimelineEvent> events = recorder.events(0);
  ASSERT_EQ(events.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(events[i].begin_ns, 5.0 + static_cast<double>(i));
  EXPECT_EQ(recorder.lost(), 5u);
}

TEST(Recorder, numbers_threads_in_the_order_in_which_they_come) {
  Recorder recorder;
  std::thread([&] { recorder.waited(1, 0, 1); }).join();
  recorder.waited(1, 2, 3);
  EXPECT_EQ(recorder.events(0)[0].thread, 0u);
  EXPECT_EQ(recorder.events(0)[1].thread, 1u);
}

TEST(Recorder, has_a_file_per_rank_or_process_where_the_path_says_so) {
  EXPECT_EQ(recording_path("a/%r.json", 12), "a/12.json");
  EXPECT_EQ(recording_path("%p", 0), std::to_string(getpid()));
}

/// The thread library, by its variable; a second team has a file of its own.
TEST(Recorder, records_teams_of_threads) {
  const Folder folder;
  const std::string path = folder.file("team.json");
  setenv("TERRACE_TRACE", path.c_str(), 1);
  for (int round = 0; round < 2; ++round) {
    terrace_team* team = nullptr;
    ASSERT_EQ(terrace_team_create(2, nullptr, &team), TERRACE_OK);
    const auto call = [team](int rank) {
      terrace_team_join(team, rank);
      double in = rank, out = 0;
      for (int i = 0; i < 5; ++i)
        terrace_allreduce(&in, &out, 1, TERRACE_DOUBLE, TERRACE_SUM, team, rank);
      double outs[2] = {};
      terrace_call* calls[2] = {};
      for (int i = 0; i < 2; ++i)
        terrace_start_allreduce(&in, &outs[i], 1, TERRACE_DOUBLE, TERRACE_SUM, team, rank,
                                &calls[i]);
      for (terrace_call*& one : calls) terrace_wait(&one);
    };
    std::thread other(call, 1);
    call(0);
    other.join();
    ASSERT_EQ(terrace_team_destroy(team), TERRACE_OK);
  }
  unsetenv("TERRACE_TRACE");
  for (const std::string& name : {path, path + ".team-2"}) {
    const auto timeline = nlohmann::json::parse(contents(name), nullptr, false);
    ASSERT_FALSE(timeline.is_discarded()) << name;
    std::array<int, 2> calls{}, started{};
    for (const auto& event : timeline["traceEvents"]) {
      const std::string kind = event.value("cat", "");
      if (kind == "call") ++calls[event["args"]["rank"].get<std::size_t>()];
      if (kind == "started") ++started[event["args"]["rank"].get<std::size_t>()];
    }
    EXPECT_THAT(calls, testing::ElementsAre(5, 5));
    EXPECT_THAT(started, testing::ElementsAre(2, 2));
  }
}

}  // namespace
}  // namespace terrace
