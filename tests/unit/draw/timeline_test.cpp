// SPDX-License-Identifier: BSD-3-Clause
// Timelines go to JSON and come back; what is none is refused with a place.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "draw/read_timeline.hpp"

namespace terrace {
namespace {

Timeline small() {
  return {"allreduce.tree, \"two\" ranks",
          2,
          {},
          {{0, 0, 0, 210.5, Activity::call, std::nullopt, "", "allreduce of 8 B"},
           {0, 0, 10, 140.1, Activity::wait, 1, "l3", ""},
           {0, 0, 140.1, 200, Activity::reduce, 1, "l3", "out[0] = in[0] + in[1]"},
           {1, 2, 0, 5, Activity::publish, std::nullopt, "", "tab\tand \\"}}};
}

std::string complaint(const std::string& text) {
  const auto read = timeline_from_json(text);
  return read ? "" : read.error().sentence;
}

TEST(Timeline, comes_back_from_json) {
  const auto read = timeline_from_json(to_json(small()));
  ASSERT_TRUE(read) << read.error().sentence;
  EXPECT_EQ(read.value(), small());
}

TEST(Timeline, of_a_later_format_is_refused_and_of_none_is_read) {
  auto json = nlohmann::json::parse(to_json(small()));
  ASSERT_EQ(json["otherData"]["format"], kTimelineFormat);
  json["otherData"]["format"] = "terrace timeline 2";
  EXPECT_EQ(complaint(json.dump()),
            "this timeline has another format than 'terrace timeline 1', which this release "
            "reads: draw it by the Terrace that wrote it");
  json["otherData"].erase("format");
  EXPECT_EQ(complaint(json.dump()), "");
}

TEST(Timeline, keeps_nodes_and_ranks_without_events) {
  Timeline timeline = small();
  timeline.ranks = 4;
  timeline.nodes = {0, 0, 1, 1};
  const auto read = timeline_from_json(to_json(timeline));
  ASSERT_TRUE(read) << read.error().sentence;
  EXPECT_EQ(read.value(), timeline);
}

TEST(Timeline, names_each_rank_and_each_wait_for_perfetto) {
  const auto json = nlohmann::json::parse(to_json(small()));
  std::vector<std::string> names;
  for (const auto& event : json["traceEvents"]) {
    const bool is_name = event["ph"] == "M" && event["name"] == "thread_name";
    names.push_back(is_name ? event["args"]["name"] : event["name"]);
  }
  for (const char* name : {"rank 0", "rank 1", "wait for 1", "out[0] = in[0] + in[1]"})
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
}

TEST(Timeline, has_times_in_microseconds) {
  const auto json = nlohmann::json::parse(to_json(small()));
  EXPECT_DOUBLE_EQ(json["traceEvents"].back()["dur"].get<double>(), 0.005);
}

TEST(Timeline, says_where_json_is_wrong) {
  EXPECT_EQ(complaint("{\n  \"a\": x}"), "this is no JSON: line 2, column 8: not expected here");
  EXPECT_EQ(complaint("{"), "this is no JSON: line 1, column 2: it ends too early");
  EXPECT_EQ(complaint("[]"),
            "this is no timeline: expected an object with an array \"traceEvents\"");
}

TEST(Timeline, says_which_event_is_wrong) {
  const auto with = [](const std::string& event) {
    return complaint("{\"traceEvents\":[{\"ph\":\"i\"}," + event + "]}");
  };
  EXPECT_EQ(with("7"), "event 2 of the timeline is no object");
  EXPECT_NE(with(R"({"ph":"X"})").find("event 2 of the timeline has no \"args\""),
            std::string::npos);
  EXPECT_NE(with(R"({"ph":"X","args":{"rank":-1}})").find("has no rank"), std::string::npos);
  EXPECT_NE(with(R"({"ph":"X","args":{"rank":1},"ts":0,"dur":-1})").find("has no times"),
            std::string::npos);
  EXPECT_NE(with(R"({"ph":"X","args":{"rank":1},"ts":0,"dur":1,"cat":"dream"})").find("'dream'"),
            std::string::npos);
  EXPECT_NE(with(R"({"ph":"i"})").find("has no ranks"), std::string::npos);
}

TEST(Timeline, takes_no_ranks_beyond_all_bounds) {
  EXPECT_NE(complaint(R"({"traceEvents":[{"ph":"X","args":{"rank":4000000000}}]})"), "");
  EXPECT_NE(complaint(R"({"otherData":{"ranks":4000000000},"traceEvents":[]})"), "");
}

}  // namespace
}  // namespace terrace
