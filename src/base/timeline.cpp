// SPDX-License-Identifier: BSD-3-Clause
// Writes a timeline without a JSON library, because it is part of libraries that depend on libc
// alone.
#include "base/timeline.hpp"

#include <cstdio>

namespace terrace {

namespace {

std::string json_quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) {
      result += c;
      continue;
    }
    char escape[8];
    std::snprintf(escape, sizeof escape, "\\u%04x", static_cast<unsigned>(c));
    result += escape;
  }
  return result + '"';
}

/// Writes ns as microseconds, to a tenth of a nanosecond.
std::string microseconds(double ns) {
  char text[40];
  std::snprintf(text, sizeof text, "%.4f", ns * 1e-3);
  return text;
}

/// Chrome numbers threads within processes: ranks are the threads of their node. A rank's other
/// threads come after all ranks.
std::uint64_t thread_number(Rank rank, std::uint32_t thread) {
  return std::uint64_t{thread} * 10'000'000 + rank;
}

std::string name_of(const char* what, std::uint32_t node, std::uint64_t thread,
                    const std::string& name) {
  return "{\"ph\":\"M\",\"name\":\"" + std::string(what) + "\",\"pid\":" + std::to_string(node) +
         ",\"tid\":" + std::to_string(thread) + ",\"args\":{\"name\":" + json_quoted(name) + "}}";
}

std::string order_of(std::uint32_t node, std::uint64_t thread) {
  return "{\"ph\":\"M\",\"name\":\"thread_sort_index\",\"pid\":" + std::to_string(node) +
         ",\"tid\":" + std::to_string(thread) +
         ",\"args\":{\"sort_index\":" + std::to_string(thread) + "}}";
}

std::uint32_t node_of(const Timeline& timeline, Rank rank) {
  return rank < timeline.nodes.size() ? timeline.nodes[rank] : 0;
}

}  // namespace

const char* to_text(Activity activity) {
  switch (activity) {
    case Activity::call:
      return "call";
    case Activity::wait:
      return "wait";
    case Activity::copy:
      return "copy";
    case Activity::reduce:
      return "reduce";
    case Activity::publish:
      return "publish";
    case Activity::network:
      return "network";
    case Activity::fallback:
      return "fallback";
    case Activity::started:
      return "started";
  }
  return "";
}

std::optional<Activity> activity_from_text(std::string_view text) {
  for (const Activity activity : kActivities)
    if (text == to_text(activity)) return activity;
  return std::nullopt;
}

std::string json_begin(const Timeline& timeline) {
  std::string json = std::string("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"format\":\"") +
                     kTimelineFormat + "\",\"title\":" + json_quoted(timeline.title) +
                     ",\"ranks\":" + std::to_string(timeline.ranks) + "},\n\"traceEvents\":[\n" +
                     name_of("process_name", node_of(timeline, 0), 0,
                             "node " + std::to_string(node_of(timeline, 0)));
  for (Rank rank = 0; rank < timeline.ranks; ++rank) {
    const std::uint32_t node = node_of(timeline, rank);
    if (rank > 0 && node != node_of(timeline, rank - 1))
      json += ",\n" + name_of("process_name", node, 0, "node " + std::to_string(node));
    json += ",\n" + name_of("thread_name", node, rank, "rank " + std::to_string(rank)) + ",\n" +
            order_of(node, rank);
  }
  return json;
}

std::string to_json(const TimelineEvent& event, std::uint32_t node) {
  const std::string kind = to_text(event.activity);
  const std::string name = event.activity == Activity::wait && event.peer
                               ? "wait for " + std::to_string(*event.peer)
                           : event.label.empty() ? kind
                                                 : event.label;
  std::string json = "{\"ph\":\"X\",\"name\":" + json_quoted(name) + ",\"cat\":\"" + kind +
                     "\",\"pid\":" + std::to_string(node) +
                     ",\"tid\":" + std::to_string(thread_number(event.rank, event.thread)) +
                     ",\"ts\":" + microseconds(event.begin_ns) +
                     ",\"dur\":" + microseconds(event.end_ns - event.begin_ns) +
                     ",\"args\":{\"rank\":" + std::to_string(event.rank);
  if (event.thread > 0) json += ",\"thread\":" + std::to_string(event.thread);
  if (event.peer) json += ",\"peer\":" + std::to_string(*event.peer);
  if (!event.level.empty()) json += ",\"level\":" + json_quoted(event.level);
  if (!event.label.empty()) json += ",\"label\":" + json_quoted(event.label);
  return json + "}}";
}

std::string json_end() {
  return "\n]}\n";
}

std::string to_json(const Timeline& timeline) {
  std::string json = json_begin(timeline);
  for (const TimelineEvent& event : timeline.events)
    json += ",\n" + to_json(event, node_of(timeline, event.rank));
  return json + json_end();
}

}  // namespace terrace
