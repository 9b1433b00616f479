// SPDX-License-Identifier: BSD-3-Clause
// Reads Chrome's trace format: only complete events ("X") that name their rank.
#include "draw/read_timeline.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace terrace {

namespace {

using nlohmann::json;

/// Ranks are numbers of rows in a picture, and of entries in lists.
constexpr std::uint32_t kMostRanks = 1'000'000, kMostNodes = 1'000'000;

Error wrong(const std::string& sentence) {
  return {ErrorCode::argument, sentence};
}

/// `byte` counts from 1.
std::string place_in(const std::string& text, std::size_t byte) {
  const std::string before = text.substr(0, std::max<std::size_t>(byte, 1) - 1);
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const std::size_t newline = before.rfind('\n');
  const std::size_t column = before.size() - (newline == before.npos ? 0 : newline + 1) + 1;
  return "line " + std::to_string(lines + 1) + ", column " + std::to_string(column);
}

/// A member that is a number from 0 to `most`, or nothing.
std::optional<std::uint32_t> count_in(const json& object, const char* name, std::uint32_t most) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number_unsigned()) return std::nullopt;
  const auto number = found->get<std::uint64_t>();
  return number <= most ? std::optional(static_cast<std::uint32_t>(number)) : std::nullopt;
}

std::string text_in(const json& object, const char* name) {
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

/// Microseconds, as Chrome has them, to a tenth of a nanosecond.
std::optional<double> ns_in(const json& object, const char* name) {
  const auto found = object.find(name);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  const double ns = found->get<double>() * 1e3;
  return std::isfinite(ns) ? std::optional(std::round(ns * 10) / 10) : std::nullopt;
}

class Reader {
 public:
  Result<Timeline> read(const json& all) {
    if (!all.is_object() || !all.contains("traceEvents") || !all["traceEvents"].is_array())
      return wrong("this is no timeline: expected an object with an array \"traceEvents\"");
    if (const auto other = all.find("otherData"); other != all.end() && other->is_object()) {
      const std::string format = text_in(*other, "format");
      if (format.starts_with("terrace timeline ") && format != kTimelineFormat)
        return wrong(std::string("this timeline has another format than '") + kTimelineFormat +
                     "', which this release reads: draw it by the Terrace that wrote it");
      timeline_.title = text_in(*other, "title");
      timeline_.ranks = count_in(*other, "ranks", kMostRanks).value_or(0);
    }
    std::size_t number = 0;
    for (const json& event : all["traceEvents"]) {
      ++number;
      const std::string complaint = take(event);
      if (!complaint.empty())
        return wrong("event " + std::to_string(number) + " of the timeline " + complaint);
    }
    if (timeline_.ranks == 0)
      return wrong("this timeline has no ranks: expected events with \"args\":{\"rank\":0}");
    if (!nodes_.empty() && *std::max_element(nodes_.begin(), nodes_.end()) > 0) {
      nodes_.resize(timeline_.ranks);
      timeline_.nodes = std::move(nodes_);
    }
    return std::move(timeline_);
  }

 private:
  /// Takes an event; says what is wrong with it, "" if it is right, or of another kind.
  std::string take(const json& event) {
    if (!event.is_object()) return "is no object";
    if (text_in(event, "ph") == "M") return take_name(event);
    if (text_in(event, "ph") != "X") return "";
    const auto args = event.find("args");
    if (args == event.end() || !args->is_object()) return "has no \"args\" with its rank";
    TimelineEvent taken;
    const auto rank = count_in(*args, "rank", kMostRanks - 1);
    if (!rank) return "has no rank from 0 to " + std::to_string(kMostRanks - 1);
    taken.rank = *rank;
    taken.thread = count_in(*args, "thread", kLastTrack).value_or(0);
    const auto begin = ns_in(event, "ts"), duration = ns_in(event, "dur");
    if (!begin || !duration || *duration < 0)
      return "has no times: expected \"ts\" and \"dur\", microseconds from 0";
    taken.begin_ns = *begin;
    taken.end_ns = *begin + *duration;
    const auto activity = activity_from_text(text_in(event, "cat"));
    if (!activity) return "is of no kind that we know (\"cat\"): '" + text_in(event, "cat") + "'";
    taken.activity = *activity;
    taken.peer = count_in(*args, "peer", kMostRanks - 1);
    taken.level = text_in(*args, "level");
    taken.label = text_in(*args, "label");
    timeline_.ranks = std::max(timeline_.ranks, *rank + 1);
    timeline_.events.push_back(std::move(taken));
    return "";
  }

  /// Names of threads tell which node a rank is on.
  std::string take_name(const json& event) {
    if (text_in(event, "name") != "thread_name") return "";
    const auto rank = count_in(event, "tid", kMostRanks - 1);
    const auto node = count_in(event, "pid", kMostNodes);
    if (!rank || !node) return "";
    if (nodes_.size() <= *rank) nodes_.resize(*rank + 1);
    nodes_[*rank] = *node;
    return "";
  }

  Timeline timeline_;
  std::vector<std::uint32_t> nodes_;
};

}  // namespace

Result<Timeline> timeline_from_json(const std::string& text) {
  try {
    return Reader().read(json::parse(text));
  } catch (const json::parse_error& failure) {
    return wrong("this is no JSON: " + place_in(text, failure.byte) +
                 (failure.byte > text.size() ? ": it ends too early" : ": not expected here"));
  } catch (const json::exception&) {  // numbers beyond all bounds
    return wrong("this is no timeline: a number in it is out of range");
  }
}

}  // namespace terrace
