// SPDX-License-Identifier: BSD-3-Clause
// Reads the results of benches. See bench_results.hpp.
#include "bench_results.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <tuple>

#include "base/text_file.hpp"
#include "collectives/collectives.hpp"

namespace terrace {

namespace {

using nlohmann::json;

constexpr std::size_t kMostFileBytes = std::size_t{64} << 20;
constexpr std::uint64_t kMostMeasuredBytes = std::uint64_t{1} << 40, kMostMeasuredRanks = 1'000'000;

/// `terrace bench` writes a point when it has it: one a line.
json points_by_line(const std::string& text) {
  json points = json::array();
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.find_first_not_of(" \t\r") != std::string::npos)
      points.push_back(json::parse(line, nullptr, false));
  return points;
}

json points_in(const std::string& path, const Verb& verb) {
  const std::string text = verb.value(read_text_file(path, kMostFileBytes));
  json whole = json::parse(text, nullptr, false);
  json points = whole.is_object() && whole.contains("points") ? std::move(whole["points"])
                                                              : points_by_line(text);
  const auto is_object = [](const json& point) { return point.is_object(); };
  if (points.is_array() && std::all_of(points.begin(), points.end(), is_object)) return points;
  verb.refuse(path +
              ": expected what `terrace bench --json` prints, a point a line, or an "
              "answer of `./dev bench`, which has an array \"points\"");
}

std::string text_in(const json& point, const char* name) {
  const auto found = point.find(name);
  return found != point.end() && found->is_string() ? found->get<std::string>() : "";
}

/// Nothing where there is no such number.
std::optional<std::uint64_t> count_in(const json& point, const char* name, std::uint64_t most) {
  const auto found = point.find(name);
  if (found == point.end() || !found->is_number_unsigned()) return std::nullopt;
  const auto count = found->get<std::uint64_t>();
  return count <= most ? std::optional(count) : std::nullopt;
}

/// `number` counts from 1, as a user who looks it up in the file does.
MeasuredCall call_of(const json& point, std::size_t number, const std::string& path,
                     const Verb& verb) {
  MeasuredCall call;
  call.collective = text_in(point, "collective");
  call.plan = text_in(point, "plan");
  call.reach = text_in(point, "reach");
  const auto bytes = count_in(point, "bytes", kMostMeasuredBytes);
  const auto ranks = count_in(point, "ranks", kMostMeasuredRanks);
  if (!collective_from_text(call.collective) || !bytes || !ranks || *ranks == 0)
    verb.refuse(path + ", point " + std::to_string(number) +
                ": expected \"collective\", \"bytes\" and \"ranks\"");
  call.bytes = *bytes;
  call.ranks = static_cast<Rank>(*ranks);
  const bool is_preload = text_in(point, "mode") == "preload";
  call.is_direct = call.reach.empty() ? !is_preload : call.reach != "bounced";
  return call;
}

double median_of(std::vector<double> times) {
  if (times.empty()) return 0;
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

}  // namespace

/// A call stands there once for each peer and each MPI.
std::vector<MeasuredCall> measured_calls(const std::string& path, const Verb& verb) {
  std::vector<MeasuredCall> calls;
  std::vector<std::vector<double>> times;
  std::map<std::tuple<std::string, std::string, std::string, std::size_t, Rank>, std::size_t> known;
  std::size_t number = 0;
  for (const json& point : points_in(path, verb)) {
    const MeasuredCall call = call_of(point, ++number, path, verb);
    const auto key = std::tuple(call.collective, call.plan, call.reach, call.bytes, call.ranks);
    const auto [found, is_new] = known.emplace(key, calls.size());
    if (is_new) {
      calls.push_back(call);
      times.emplace_back();
    }
    const auto us = point.find("us_median");
    if (us != point.end() && us->is_number() && us->get<double>() > 0)
      times[found->second].push_back(us->get<double>());
  }
  for (std::size_t i = 0; i < calls.size(); ++i) calls[i].us = median_of(std::move(times[i]));
  if (calls.empty()) verb.refuse(path + ": it contains no point");
  return calls;
}

}  // namespace terrace
