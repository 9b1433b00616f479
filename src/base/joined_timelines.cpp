// SPDX-License-Identifier: BSD-3-Clause
// Reads what timeline.cpp has written, line by line: no more than times and nodes change.
#include "base/joined_timelines.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <string_view>

#include "base/timeline.hpp"

namespace terrace {

namespace {

constexpr std::string_view kClockLine = "{\"ph\":\"M\",\"name\":\"clock\"";
constexpr std::string_view kEventLine = "{\"ph\":\"X\"";

template <class Take>
void for_each_line(std::string_view text, Take take) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with(',')) line.remove_suffix(1);
    take(line);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

/// The place of a member's value in the text.
struct MemberValue {
  std::size_t begin = 0, end = 0;
};

MemberValue find_value(std::string_view line, const char* member) {
  const std::string name = std::string("\"") + member + "\":";
  const std::size_t found = line.find(name);
  if (found == line.npos) return {line.size(), line.size()};
  const std::size_t begin = found + name.size();
  if (line.substr(begin).starts_with('"')) return {begin + 1, line.find('"', begin + 1)};
  return {begin, line.find_first_of(",}", begin)};
}

std::string_view text_of(std::string_view line, const char* member) {
  const MemberValue value = find_value(line, member);
  return line.substr(value.begin, value.end - value.begin);
}

template <class Number>
Number number_of(std::string_view text) {
  Number number{};
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

RankClock clock_in(std::string_view file, Rank rank) {
  RankClock clock{rank, "", rank, 0};
  for_each_line(file, [&clock](std::string_view line) {
    if (!line.starts_with(kClockLine)) return;
    clock.clock = text_of(line, "clock");
    clock.reference = number_of<Rank>(text_of(line, "reference"));
    clock.ahead_ns = number_of<std::int64_t>(text_of(line, "ahead_ns"));
  });
  return clock;
}

/// Returns, by clock, what to add to its times to have them by rank 0's.
std::map<std::string, std::int64_t> differences_from(const std::vector<RankClock>& clocks) {
  std::map<std::string, std::int64_t> known{{clocks.front().clock, 0}};
  for (bool is_new = true; is_new;) {
    is_new = false;
    for (const RankClock& one : clocks) {
      if (one.reference >= clocks.size()) continue;
      const std::string& other = clocks[one.reference].clock;
      const auto mine = known.find(one.clock), theirs = known.find(other);
      if ((mine == known.end()) == (theirs == known.end())) continue;
      is_new = true;
      if (mine == known.end())
        known[one.clock] = theirs->second + one.ahead_ns;
      else
        known[other] = mine->second - one.ahead_ns;
    }
  }
  return known;
}

/// Microseconds with four decimals, later by so many ns.
std::string later(std::string_view microseconds, std::int64_t by_ns) {
  const std::size_t point = std::min(microseconds.find('.'), microseconds.size());
  const bool has_decimals = point < microseconds.size();
  const std::int64_t tenths =
      number_of<std::int64_t>(microseconds.substr(0, point)) * 10'000 +
      (has_decimals ? number_of<std::int64_t>(microseconds.substr(point + 1)) : 0) + by_ns * 10;
  const std::int64_t size = tenths < 0 ? -tenths : tenths;
  const std::string decimals = std::to_string(10'000 + size % 10'000).substr(1);
  return (tenths < 0 ? "-" : "") + std::to_string(size / 10'000) + "." + decimals;
}

std::string moved(std::string_view line, std::int64_t by_ns, std::uint32_t node) {
  std::string event(line);
  const MemberValue time = find_value(event, "ts");
  event.replace(time.begin, time.end - time.begin, later(text_of(line, "ts"), by_ns));
  const MemberValue process = find_value(event, "pid");
  return event.replace(process.begin, process.end - process.begin, std::to_string(node));
}

}  // namespace

std::string to_json(const RankClock& clock) {
  return std::string(kClockLine) + ",\"pid\":0,\"tid\":" + std::to_string(clock.rank) +
         ",\"args\":{\"rank\":" + std::to_string(clock.rank) + ",\"clock\":\"" + clock.clock +
         "\",\"reference\":" + std::to_string(clock.reference) +
         ",\"ahead_ns\":" + std::to_string(clock.ahead_ns) + "}}";
}

Result<std::string> join_timelines(const std::string& title,
                                   const std::vector<std::string>& files) {
  std::vector<RankClock> clocks;
  for (const std::string& file : files)
    clocks.push_back(clock_in(file, static_cast<Rank>(clocks.size())));
  if (clocks.empty()) return Error{ErrorCode::argument, "there are no timelines to join"};
  const auto differences = differences_from(clocks);
  std::map<std::string, std::uint32_t> nodes;
  Timeline all{title, static_cast<Rank>(files.size()), {}, {}};
  for (const RankClock& one : clocks) {
    if (differences.find(one.clock) == differences.end())
      return Error{ErrorCode::unsupported,
                   "the clock of rank " + std::to_string(one.rank) +
                       ", which is on another node, was not compared with that of rank 0, as no "
                       "calls of both were composed"};
    const auto number = static_cast<std::uint32_t>(nodes.size());
    all.nodes.push_back(nodes.emplace(one.clock, number).first->second);
  }
  std::string json = json_begin(all);
  for (const RankClock& one : clocks)
    for_each_line(files[one.rank], [&](std::string_view line) {
      if (line.starts_with(kEventLine))
        json += ",\n" + moved(line, differences.at(one.clock), all.nodes[one.rank]);
    });
  return json + json_end();
}

}  // namespace terrace
