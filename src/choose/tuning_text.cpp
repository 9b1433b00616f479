// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes the file, key by key. An unknown key is an error, so that a misspelt key does
// not go unnoticed.
#include "choose/tuning_text.hpp"

#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "base/cache_aligned.hpp"
#include "choose/chooser.hpp"
#include "model/json_text.hpp"

namespace terrace {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* kFormat = "terrace tuning 1";
constexpr double kMostBytes = 1 << 30, kMostNs = 1e12;

/// An object of the file, whose keys are asked for one after the other, and the first mistake.
class Keys {
 public:
  Keys(const json& object, std::string path, std::string& mistake)
      : object_(object), path_(std::move(path)), mistake_(mistake) {
    if (!object_.is_object()) complain("", "expected an object { }");
  }

  void complain(const std::string& key, const std::string& what) {
    const std::string point = path_.empty() || key.empty() ? "" : ".";
    if (mistake_.empty()) mistake_ = model::printable(path_ + point + key + ": " + what);
  }

  const json* find(const std::string& key) {
    known_.insert(key);
    const bool is_there = object_.is_object() && object_.contains(key);
    return is_there ? &object_.at(key) : nullptr;
  }

  std::string text(const std::string& key) {
    const json* const found = find(key);
    if (found != nullptr && found->is_string()) return model::printable(found->get<std::string>());
    complain(key,
             found == nullptr ? "missing" : "expected a text, got " + model::shortened(*found));
    return "";
  }

  /// `otherwise` where the key is missing; without that it must be there.
  double number(const std::string& key, double least, double most,
                std::optional<double> otherwise = std::nullopt) {
    const json* const found = find(key);
    if (found == nullptr && !otherwise) complain(key, "missing");
    if (found == nullptr) return otherwise.value_or(least);
    const bool is_right =
        found->is_number() && found->get<double>() >= least && found->get<double>() <= most;
    if (is_right) return found->get<double>();
    complain(key, "expected a number from " + json(least).dump() + " to " + json(most).dump() +
                      ", got " + model::shortened(*found));
    return least;
  }

  std::size_t count(const std::string& key, double least, double most,
                    std::optional<double> otherwise = std::nullopt) {
    const double value = number(key, least, most, otherwise);
    const auto whole = static_cast<std::size_t>(value);
    if (static_cast<double>(whole) != value) complain(key, "expected a whole number");
    return whole;
  }

  bool truth(const std::string& key) {
    const json* const found = find(key);
    if (found == nullptr) return false;
    if (!found->is_boolean())
      complain(key, "expected true or false, got " + model::shortened(*found));
    return found->is_boolean() && found->get<bool>();
  }

  template <class Each>
  void each(const std::string& key, Each of_them) {
    const json* const found = find(key);
    if (found == nullptr || !found->is_array())
      return complain(key, found == nullptr ? "missing" : "expected a list [ ]");
    for (std::size_t i = 0; i < found->size(); ++i)
      of_them(found->at(i),
              path_ + (path_.empty() ? "" : ".") + key + "[" + std::to_string(i) + "]");
  }

  /// To be called last.
  void refuse_others() {
    if (!object_.is_object()) return;
    for (const auto& [key, value] : object_.items())
      if (!known_.contains(key)) complain(key, "unknown key");
  }

 private:
  const json& object_;
  std::string path_;
  std::string& mistake_;
  std::set<std::string> known_;
};

TunedRow row_from(Keys keys) {
  TunedRow row;
  const std::string collective = keys.text("collective"), runs = keys.text("runs");
  const auto found = collective_from_text(collective);
  if (!found || planned_as(*found) != *found || *found == Collective::barrier)
    keys.complain("collective", "there is no collective '" + collective + "' to be tuned");
  row.collective = found.value_or(Collective::allreduce);
  row.bytes = length_class(keys.count("bytes", 1, kMostBytes));
  row.is_mpi = runs == "the MPI";
  const std::string name = row.is_mpi ? "" : runs;
  const Algorithm* const algorithm = find_algorithm(name);
  if (!row.is_mpi && (algorithm == nullptr || algorithm->collective != row.collective))
    keys.complain("runs", "there is no algorithm '" + name + "' for " + collective +
                              ": `terrace plan` lists them; or write \"the MPI\"");
  if (algorithm != nullptr && algorithm->bits == Bits::different)
    keys.complain("runs", "by '" + name + "' ranks may get different bits");
  Choice& choice = row.choice;
  choice.algorithm = algorithm != nullptr ? algorithm->name : "";
  choice.radix = static_cast<std::uint32_t>(keys.count("radix", 2, 1 << 20, 8));
  choice.strip_bytes = keys.count("strip", 0, kMostBytes, 0);
  if (choice.strip_bytes == 0) choice.strip_bytes = kWhole;
  if (choice.strip_bytes < kLinePairBytes)
    keys.complain("strip", "expected 0, or " + std::to_string(kLinePairBytes) + " at least");
  choice.ring = static_cast<std::uint32_t>(keys.count("ring", 1, 64, 2));
  choice.depth = static_cast<std::uint32_t>(keys.count("depth", 0, 64, 0));
  choice.streams = keys.truth("streams_results");
  choice.streams_scratch = keys.truth("streams_scratch");
  choice.bounces = keys.truth("bounces");
  choice.scratch_span = keys.count("scratch_span", 0, kMostBytes, kAtOnce);
  choice.avoids_lines = keys.truth("avoids_lines");
  row.predicted_ns = 1e3 * keys.number("predicted_us", 0, kMostNs, 0);
  row.measured_ns = 1e3 * keys.number("measured_us", 0, kMostNs, 0);
  keys.refuse_others();
  return row;
}

TunedTeam team_from(const json& object, const std::string& path, std::string& mistake) {
  Keys keys(object, path, mistake);
  TunedTeam team;
  team.ranks = static_cast<Rank>(keys.count("ranks", 2, 1 << 20));
  const std::string form = keys.text("form");
  if (form != "threads" && form != "processes")
    keys.complain("form", "expected threads or processes");
  team.are_threads = form == "threads";
  team.day = keys.text("day");
  keys.each("signals", [&](const json& one, const std::string& where) {
    Keys signal(one, where, mistake);
    team.levels.push_back(signal.text("level"));
    team.signals.push_back(signal.number("ns", 1, 1e6));
    signal.refuse_others();
  });
  keys.each("rows", [&](const json& one, const std::string& where) {
    team.rows.push_back(row_from(Keys(one, where, mistake)));
  });
  keys.refuse_others();
  return team;
}

/// Rounds to few digits in multiples of `unit`.
double rounded(double ns, double unit) {
  return static_cast<double>(static_cast<std::uint64_t>(100 * ns + 0.5)) / (100 * unit);
}

ordered_json to_object(const TunedRow& row) {
  ordered_json object = {{"collective", to_text(row.collective)},
                         {"bytes", row.bytes},
                         {"runs", row.is_mpi ? "the MPI" : std::string(row.choice.algorithm)}};
  const Choice& choice = row.choice;
  if (!row.is_mpi) {
    object["radix"] = choice.radix;
    if (choice.strip_bytes != kWhole) object["strip"] = choice.strip_bytes;
    object["ring"] = choice.ring;
    if (choice.streams) object["streams_results"] = true;
    if (choice.streams_scratch) object["streams_scratch"] = true;
    if (choice.bounces) object["bounces"] = true;
    if (choice.scratch_span != kAtOnce) object["scratch_span"] = choice.scratch_span;
    if (choice.depth != 0) object["depth"] = choice.depth;
    if (choice.avoids_lines) object["avoids_lines"] = true;
  }
  if (row.predicted_ns > 0) object["predicted_us"] = rounded(row.predicted_ns, 1e3);
  if (row.measured_ns > 0) object["measured_us"] = rounded(row.measured_ns, 1e3);
  return object;
}

}  // namespace

Result<Tuning> tuning_from_text(const std::string& text, const std::string& origin) {
  const Result<json> file = model::json_from(text, origin);
  if (!file) return file.error();
  std::string mistake;
  Keys keys(file.value(), "", mistake);
  Tuning tuning;
  if (const std::string format = keys.text("format"); format != kFormat)
    keys.complain("format", std::string("expected \"") + kFormat + "\"");
  tuning.processor = keys.text("processor");
  keys.each("teams", [&](const json& one, const std::string& where) {
    tuning.teams.push_back(team_from(one, where, mistake));
  });
  keys.refuse_others();
  if (!mistake.empty()) return Error{ErrorCode::argument, origin + ": " + mistake};
  return tuning;
}

std::string to_json(const Tuning& tuning) {
  std::string text = "{\n\"format\": " + json(kFormat).dump() +
                     ",\n\"processor\": " + json(tuning.processor).dump() + ",\n\"teams\": [";
  bool is_first_team = true;
  for (const TunedTeam& team : tuning.teams) {
    ordered_json signals = ordered_json::array();
    for (std::size_t i = 0; i < team.signals.size(); ++i)
      signals.push_back({{"level", team.levels[i]}, {"ns", rounded(team.signals[i], 1)}});
    text += is_first_team ? "\n" : ",\n";
    is_first_team = false;
    text += "{\"ranks\": " + std::to_string(team.ranks) +
            ", \"form\": " + (team.are_threads ? "\"threads\"" : "\"processes\"") +
            ", \"day\": " + json(team.day).dump() + ", \"signals\": " + signals.dump() +
            ", \"rows\": [";
    for (std::size_t i = 0; i < team.rows.size(); ++i)
      text += (i == 0 ? "\n  " : ",\n  ") + to_object(team.rows[i]).dump();
    text += "\n]}";
  }
  return text + "\n]\n}\n";
}

}  // namespace terrace
