// SPDX-License-Identifier: BSD-3-Clause
// Reads the file, key by key. An unknown key is an error: a misspelt key must not become a machine
// without that cost.
#include "machine_files/read_machine_model.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <tuple>

#include "base/own_program.hpp"
#include "base/paths.hpp"
#include "base/text_file.hpp"
#include "base/user_file.hpp"
#include "machine/pretend.hpp"
#include "model/json_text.hpp"

namespace terrace::model {

namespace {

using nlohmann::json;

constexpr std::size_t kMostEntries = 16, kMostPairs = 4096, kMostLetters = 2000;
constexpr std::size_t kMostParts = 65536, kMostCopies = 256;
constexpr double kMostNodes = 1e7;

enum class Kind : std::uint8_t { time, per_line, per_byte, bandwidth, size, frequency, count };

/// A unit, and by what a value in it is multiplied.
struct Unit {
  Kind kind;
  const char* name;
  double factor;
};

constexpr Unit kUnits[] = {
    {Kind::time, "ns", 1},
    {Kind::time, "us", 1e3},
    {Kind::time, "cycles", 1},  // of the clock: see `in_base_unit`
    {Kind::per_line, "ns/line", 1},
    {Kind::per_line, "cycles/line", 1},
    {Kind::per_line, "GB/s", 1},  // of lines
    {Kind::per_byte, "ns/B", 1},
    {Kind::bandwidth, "GB/s", 1},
    {Kind::size, "B", 1},
    {Kind::size, "KiB", 1024},
    {Kind::size, "MiB", 1024. * 1024},
    {Kind::size, "GiB", 1024. * 1024 * 1024},
    {Kind::frequency, "GHz", 1},
    {Kind::count, "nodes", 1},
};

/// Bounds that no machine reaches, so that sums stay finite.
struct Bounds {
  double least, most;
};

Bounds bounds_of(Kind kind) {
  switch (kind) {
    case Kind::time:
      return {0, 1e9};
    case Kind::per_line:
    case Kind::per_byte:
      return {0, 1e6};
    case Kind::bandwidth:
      return {1e-3, 1e6};
    case Kind::size:
      return {0, 1e15};
    case Kind::frequency:
      return {1e-3, 1e3};
    case Kind::count:
      break;
  }
  return {1, kMostNodes};
}

std::string units_of(Kind kind) {
  std::string names;
  for (const Unit& unit : kUnits)
    if (unit.kind == kind) names += (names.empty() ? "" : ", ") + std::string(unit.name);
  return names;
}

std::string number_text(double value) {
  std::string text = json(value).dump();
  if (text.size() > 2 && text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

/// "0 to 1000000000 ns".
std::string range_text(Kind kind) {
  const Unit* const base = std::find_if(std::begin(kUnits), std::end(kUnits),
                                        [kind](const Unit& unit) { return unit.kind == kind; });
  const Bounds bounds = bounds_of(kind);
  return number_text(bounds.least) + " to " + number_text(bounds.most) + " " + base->name;
}

/// A reading so far: the model, and the first thing that was wrong.
struct Reading {
  std::string origin;
  MachineModel model;
  std::optional<Error> error;

  void complain(const std::string& key, const std::string& what) {
    const std::string of = key.empty() ? "" : key + ": ";
    if (!error) error = Error{ErrorCode::argument, origin + ": " + printable(of + what)};
  }
};

/// An object of the file; which of its keys were asked for.
class Object {
 public:
  Object(const json& value, std::string path, Reading& reading)
      : value_(value), path_(std::move(path)), reading_(reading) {
    if (!value_.is_object()) reading_.complain(path_, "expected an object { }");
  }

  const json* find(const std::string& key) {
    known_.insert(key);
    const bool is_there = value_.is_object() && value_.contains(key);
    return is_there ? &value_.at(key) : nullptr;
  }

  /// Returns the value of a key that must be there.
  const json* get(const std::string& key) {
    const json* found = find(key);
    if (found == nullptr) reading_.complain(path_of(key), "missing");
    return found;
  }

  std::string text(const std::string& key) {
    const json* found = get(key);
    if (found == nullptr) return "";
    if (!found->is_string() || found->get_ref<const std::string&>().size() > kMostLetters ||
        found->get_ref<const std::string&>().empty()) {
      reading_.complain(path_of(key), "expected a text, got " + shortened(*found));
      return "";
    }
    return found->get<std::string>();
  }

  double number(const std::string& key, Kind kind);
  bool yes_or_no(const std::string& key);
  std::string sourced_text(const std::string& key);
  /// Calls `each` for every entry of an array, which must have at most `most`, with the entry's
  /// path.
  template <class Each>
  void each(const std::string& key, std::size_t least, std::size_t most, Each each_of_them);

  /// To be called last: a key that was not read is an error.
  void refuse_others() {
    if (!value_.is_object()) return;
    for (const auto& [key, value] : value_.items())
      if (!known_.contains(key)) reading_.complain(path_of(key), "unknown key");
  }

  std::string path_of(const std::string& key) const {
    return path_.empty() ? key : path_ + "." + key;
  }

 private:
  void set_value(const std::string& key, std::string value, std::string source) {
    reading_.model.given.push_back({path_of(key), std::move(value), std::move(source)});
  }

  const json& value_;
  std::string path_;
  Reading& reading_;
  std::set<std::string> known_;
};

/// In nanoseconds, bytes, bytes per nanosecond.
double in_base_unit(double value, const Unit& unit, const MachineModel& model) {
  if (std::string_view(unit.name).starts_with("cycles")) return value / model.core.clock;
  if (unit.kind == Kind::per_line && std::string_view(unit.name) == "GB/s")
    return model.line_bytes / value;
  return value * unit.factor;
}

double Object::number(const std::string& key, Kind kind) {
  const json* found = get(key);
  if (found == nullptr) return bounds_of(kind).least;
  Object given(*found, path_of(key), reading_);
  const json* value = given.get("value");
  const std::string unit_name = given.text("unit"), source = given.text("source");
  given.refuse_others();
  if (reading_.error) return bounds_of(kind).least;
  if (!value->is_number()) {
    reading_.complain(given.path_of("value"), "expected a number, got " + shortened(*value));
    return bounds_of(kind).least;
  }
  const auto unit = std::find_if(std::begin(kUnits), std::end(kUnits), [&](const Unit& one) {
    return one.kind == kind && one.name == unit_name;
  });
  if (unit == std::end(kUnits)) {
    reading_.complain(given.path_of("unit"),
                      "'" + unit_name + "' given, expected one of " + units_of(kind));
    return bounds_of(kind).least;
  }
  const double result = in_base_unit(value->get<double>(), *unit, reading_.model);
  const Bounds bounds = bounds_of(kind);
  if (!(result >= bounds.least && result <= bounds.most)) {  // also what is no number
    reading_.complain(given.path_of("value"),
                      shortened(*value) + " " + unit_name +
                          " is no value that a machine has: " + "expected " + range_text(kind));
    return bounds.least;
  }
  set_value(key, number_text(value->get<double>()) + " " + unit_name, source);
  return result;
}

bool Object::yes_or_no(const std::string& key) {
  const json* found = get(key);
  if (found == nullptr) return false;
  Object given(*found, path_of(key), reading_);
  const json* value = given.get("value");
  const std::string source = given.text("source");
  given.refuse_others();
  if (reading_.error) return false;
  if (!value->is_boolean()) {
    reading_.complain(given.path_of("value"), "expected true or false, got " + shortened(*value));
    return false;
  }
  set_value(key, value->get<bool>() ? "yes" : "no", source);
  return value->get<bool>();
}

std::string Object::sourced_text(const std::string& key) {
  const json* found = get(key);
  if (found == nullptr) return "";
  Object given(*found, path_of(key), reading_);
  std::string value = given.text("value");
  const std::string source = given.text("source");
  given.refuse_others();
  if (!reading_.error) set_value(key, value, source);
  return value;
}

template <class Each>
void Object::each(const std::string& key, std::size_t least, std::size_t most, Each each_of_them) {
  const json* found = get(key);
  if (found == nullptr) return;
  if (!found->is_array() || found->size() < least || found->size() > most) {
    reading_.complain(path_of(key), "expected an array [ ] of " + std::to_string(least) + " to " +
                                        std::to_string(most) + " entries");
    return;
  }
  for (std::size_t i = 0; i < found->size() && !reading_.error; ++i)
    each_of_them(found->at(i), path_of(key) + "[" + std::to_string(i) + "]");
}

// ---------------------------------------------------------------------------------------------
// The parts of a machine.

/// A number of a part, and where it belongs.
template <class RankProgram>
struct Key {
  const char* name;
  Kind kind;
  double RankProgram::*number;
};

constexpr Key<Core> kCoreKeys[] = {
    {"clock", Kind::frequency, &Core::clock},  // first: cycles need it
    {"call", Kind::time, &Core::call},           {"step", Kind::time, &Core::step},
    {"look", Kind::time, &Core::look},           {"publish", Kind::time, &Core::publish},
    {"combine", Kind::per_line, &Core::combine}, {"copy", Kind::per_line, &Core::copy},
};
constexpr Key<Cache> kCacheKeys[] = {
    {"bytes", Kind::size, &Cache::bytes},
    {"latency", Kind::time, &Cache::latency},
    {"line", Kind::per_line, &Cache::line},
    {"shared_line", Kind::per_line, &Cache::shared_line},
};
constexpr Key<Memory> kMemoryKeys[] = {
    {"latency", Kind::time, &Memory::latency},
    {"bandwidth", Kind::bandwidth, &Memory::bandwidth},
    {"core_bandwidth", Kind::bandwidth, &Memory::core_bandwidth},
    {"streamed_store", Kind::per_line, &Memory::streamed_store},
};
constexpr Key<Distance> kDistanceKeys[] = {
    {"modified", Kind::time, &Distance::modified},
    {"exclusive", Kind::time, &Distance::exclusive},
    {"shared", Kind::time, &Distance::shared},
    {"ownership", Kind::time, &Distance::ownership},
    {"memory", Kind::time, &Distance::memory},
    {"further_line", Kind::time, &Distance::further_line},
    {"further_reader", Kind::time, &Distance::further_reader},
    {"a", Kind::time, &Distance::a},
    {"b", Kind::per_line, &Distance::b},
    {"B", Kind::per_line, &Distance::B},
};
constexpr Key<NetworkLevel> kNetworkKeys[] = {
    {"L", Kind::time, &NetworkLevel::L},         {"o", Kind::time, &NetworkLevel::o},
    {"g", Kind::time, &NetworkLevel::g},         {"G", Kind::per_byte, &NetworkLevel::G},
    {"eager", Kind::size, &NetworkLevel::eager},
};

template <class RankProgram, std::size_t kCount>
void read_numbers(Object& object, const Key<RankProgram> (&keys)[kCount], RankProgram& part) {
  for (const Key<RankProgram>& key : keys) part.*key.number = object.number(key.name, key.kind);
}

void read_core(const json& value, Reading& reading) {
  Object object(value, "core", reading);
  read_numbers(object, kCoreKeys, reading.model.core);  // at once, for the clock's sake
  if (object.find("yield") != nullptr)
    reading.model.core.yield = object.number("yield", Kind::time);
  object.refuse_others();
}

Cache cache_from(const json& value, const std::string& path, Reading& reading) {
  Object object(value, path, reading);
  Cache cache;
  cache.level = object.text("level");
  cache.shared_by = object.text("shared_by");
  cache.is_inclusive = object.yes_or_no("inclusive");
  read_numbers(object, kCacheKeys, cache);
  object.refuse_others();
  return cache;
}

Memory memory_from(const json& value, const std::string& path, Reading& reading) {
  Object object(value, path, reading);
  Memory memory;
  memory.level = object.text("level");
  memory.allocates_on_write = object.yes_or_no("allocates_on_write");
  read_numbers(object, kMemoryKeys, memory);
  object.refuse_others();
  return memory;
}

LinkSharing link_from(Object& object, Reading& reading) {
  const std::string text = object.text("link");
  if (text == "at_each") return LinkSharing::at_each;
  if (text != "between_two" && !reading.error)
    reading.complain(object.path_of("link"),
                     "'" + text + "' given, expected between_two or at_each");
  return LinkSharing::between_two;
}

std::pair<std::uint64_t, std::uint64_t> pair_from(const json& value, const std::string& path,
                                                  Reading& reading) {
  const bool is_pair = value.is_array() && value.size() == 2 && value[0].is_number_unsigned() &&
                       value[1].is_number_unsigned();
  if (is_pair) return {value[0].get<std::uint64_t>(), value[1].get<std::uint64_t>()};
  reading.complain(path, "expected two numbers, as in [0, 3], got " + shortened(value));
  return {};
}

ScratchCopy scratch_copy_from(const json& value, const std::string& path, Reading& reading) {
  Object object(value, path, reading);
  ScratchCopy copy;
  copy.bytes = object.number("bytes", Kind::size);
  copy.span = object.number("span", Kind::size);
  copy.write = object.number("write", Kind::per_line);
  copy.read = object.number("read", Kind::per_line);
  const std::string stores = object.text("stores");
  copy.streams = stores == "streaming";
  if (!copy.streams && stores != "cached" && !reading.error)
    reading.complain(object.path_of("stores"),
                     "'" + stores + "' given, expected cached or streaming");
  if (!(copy.bytes > reading.model.line_bytes) && !reading.error)
    reading.complain(object.path_of("bytes"), "expected more than a line");
  object.refuse_others();
  return copy;
}

/// In the order that they are looked up in.
void sort_copies(std::vector<ScratchCopy>& copies, const std::string& path, Reading& reading) {
  const auto key = [](const ScratchCopy& one) {
    return std::tuple(one.streams, one.span, one.bytes);
  };
  std::sort(copies.begin(), copies.end(),
            [&](const auto& a, const auto& b) { return key(a) < key(b); });
  const auto twice = std::adjacent_find(
      copies.begin(), copies.end(), [&](const auto& a, const auto& b) { return key(a) == key(b); });
  if (twice != copies.end())
    reading.complain(path, "two entries of " + number_text(twice->bytes) + " B, span " +
                               number_text(twice->span) + " B, by the same stores");
}

Distance distance_from(const json& value, const std::string& path, Reading& reading) {
  Object object(value, path, reading);
  Distance distance;
  distance.name = object.text("name");
  distance.level = object.text("level");
  if (object.find("part") != nullptr) distance.part = object.text("part");
  if (object.find("pairs") != nullptr)
    object.each("pairs", 1, kMostPairs, [&](const json& pair, const std::string& at) {
      distance.pairs.push_back(pair_from(pair, at, reading));
    });
  if (!distance.pairs.empty() && distance.part.empty())
    reading.complain(object.path_of("part"), "missing: of what level are the pairs?");
  read_numbers(object, kDistanceKeys, distance);
  const auto number_or = [&object](const std::string& key, double otherwise) {
    return object.find(key) != nullptr ? object.number(key, Kind::per_line) : otherwise;
  };
  distance.b_outer = number_or("b_outer", distance.b);
  distance.w = number_or("w", distance.B);
  distance.w_outer = number_or("w_outer", distance.w);
  distance.has_w = object.find("w") != nullptr;
  distance.link = link_from(object, reading);
  if (object.find("scratch") != nullptr) {
    object.each("scratch", 1, kMostCopies, [&](const json& one, const std::string& at) {
      distance.scratch.push_back(scratch_copy_from(one, at, reading));
    });
    sort_copies(distance.scratch, object.path_of("scratch"), reading);
  }
  object.refuse_others();
  return distance;
}

/// [12, 6, 4, 2] with its source.
std::vector<std::uint32_t> parts_from(const json& value, const std::string& path,
                                      Reading& reading) {
  std::vector<std::uint32_t> parts;
  Object given(value, path, reading);
  const std::string source = given.text("source");
  given.each("value", 1, kMostParts, [&](const json& count, const std::string& at) {
    if (!count.is_number_unsigned() || count == 0u || count > kMostNodes)
      return reading.complain(at, "expected a number of nodes, got " + shortened(count));
    parts.push_back(count.get<std::uint32_t>());
  });
  given.refuse_others();
  if (!reading.error) reading.model.given.push_back({path, shortened(value.at("value")), source});
  return parts;
}

NetworkLevel network_from(const json& value, const std::string& path, Reading& reading) {
  Object object(value, path, reading);
  NetworkLevel network;
  network.level = object.text("level");
  read_numbers(object, kNetworkKeys, network);
  if (const json* parts = object.find("nodes_of_parts"))
    network.nodes_of_parts = parts_from(*parts, object.path_of("nodes_of_parts"), reading);
  object.refuse_others();
  return network;
}

void read_line_bytes(Object& object, Reading& reading) {
  const double bytes = object.number("line", Kind::size);
  const bool is_line =
      bytes >= 16 && bytes <= 4096 && std::exp2(std::round(std::log2(bytes))) == bytes;
  if (!is_line) reading.complain("line.value", "expected a power of two from 16 to 4096 bytes");
  reading.model.line_bytes = is_line ? static_cast<std::uint32_t>(bytes) : 64;
}

void read_parts(Object& object, Reading& reading) {
  MachineModel& model = reading.model;
  if (const json* core = object.get("core")) read_core(*core, reading);
  object.each("caches", 0, kMostEntries, [&](const json& one, const std::string& path) {
    model.caches.push_back(cache_from(one, path, reading));
  });
  if (const json* memory = object.get("memory"))
    model.memory = memory_from(*memory, "memory", reading);
  object.each("distances", 1, kMostEntries, [&](const json& one, const std::string& path) {
    model.distances.push_back(distance_from(one, path, reading));
  });
  object.each("networks", 0, kMostEntries, [&](const json& one, const std::string& path) {
    model.networks.push_back(network_from(one, path, reading));
  });
}

// ---------------------------------------------------------------------------------------------
// What only the whole can show.

void check_level(const std::vector<std::string>& levels, const std::string& level,
                 const std::string& key, Reading& reading) {
  if (std::find(levels.begin(), levels.end(), level) != levels.end()) return;
  std::string names;
  for (const std::string& one : levels) names += (names.empty() ? "" : ", ") + one;
  reading.complain(key, "the machine has no level '" + level + "', but " + names);
}

void check_levels(const std::vector<std::string>& levels, Reading& reading) {
  const MachineModel& model = reading.model;
  const auto key = [](const char* array, std::size_t i, const char* last) {
    return std::string(array) + "[" + std::to_string(i) + "]." + last;
  };
  for (std::size_t i = 0; i < model.caches.size(); ++i)
    check_level(levels, model.caches[i].shared_by, key("caches", i, "shared_by"), reading);
  check_level(levels, model.memory.level, "memory.level", reading);
  for (std::size_t i = 0; i < model.distances.size(); ++i) {
    const Distance& distance = model.distances[i];
    check_level(levels, distance.level, key("distances", i, "level"), reading);
    if (!distance.part.empty())
      check_level(levels, distance.part, key("distances", i, "part"), reading);
  }
}

void check_networks(Reading& reading) {
  const MachineModel& model = reading.model;
  if (model.nodes == 1) return;
  if (model.networks.empty() || model.networks.back().level != kAnyTwoNodes)
    reading.complain("networks", std::string("expected one of level ") + kAnyTwoNodes +
                                     " as the last, since there are several nodes");
  for (std::size_t i = 0; i < model.networks.size(); ++i) {
    const std::vector<std::uint32_t>& parts = model.networks[i].nodes_of_parts;
    const auto sum = std::accumulate(parts.begin(), parts.end(), std::uint64_t{0});
    if (!parts.empty() && sum != model.nodes)
      reading.complain(
          "networks[" + std::to_string(i) + "].nodes_of_parts",
          "has " + std::to_string(sum) + " nodes in all, expected " + std::to_string(model.nodes));
  }
}

void check_whole(Reading& reading) {
  const MachineModel& model = reading.model;
  const Result<Machine> machine = machine_of(model);
  if (!machine) return reading.complain("machine.value", machine.error().sentence);
  check_levels(levels_of(machine.value()), reading);
  if (model.distances.back().level != "node" || !model.distances.back().pairs.empty())
    reading.complain("distances[" + std::to_string(model.distances.size() - 1) + "].level",
                     "expected node, and no pairs: the furthest distance is that of any two cores");
  check_networks(reading);
}

/// A file without the key is of format 1. Of another format no other key is judged.
void check_format(Object& object, Reading& reading) {
  const json* const found = object.find("format");
  if (found != nullptr && *found != kMachineFormat)
    reading.complain("format", shortened(*found) + " given, this release reads \"" +
                                   kMachineFormat + "\"; a newer Terrace reads newer files");
}

MachineModel& read_all(const json& file, Reading& reading) {
  MachineModel& model = reading.model;
  Object object(file, "", reading);
  check_format(object, reading);
  model.name = object.text("name");
  model.title = object.text("title");
  model.machine = object.sourced_text("machine");
  model.nodes = static_cast<std::uint32_t>(object.number("nodes", Kind::count));
  read_line_bytes(object, reading);
  read_parts(object, reading);
  object.refuse_others();
  if (!reading.error) check_whole(reading);
  return model;
}

// ---------------------------------------------------------------------------------------------
// Where files lie.

/// Beside the program, as installed and as built: PREFIX/bin/terrace,
/// PREFIX/share/terrace/machines.
std::filesystem::path folder_of_models() {
  return std::filesystem::path(own_prefix()) / "share" / "terrace" / "machines";
}

bool is_path(const std::string& text) {
  return text.find('/') != std::string::npos || text.ends_with(".json");
}

std::string known_names() {
  std::string names;
  for (const std::string& name : machine_model_names()) names += (names.empty() ? "" : ", ") + name;
  return names.empty() ? "none is installed beside this program" : names;
}

/// The parts of the network around a node, outermost first.
std::vector<LevelPlace> parts_around(const MachineModel& model, std::uint64_t node) {
  std::vector<LevelPlace> around;
  for (auto network = model.networks.rbegin(); network != model.networks.rend(); ++network) {
    std::uint64_t before = 0;
    for (std::size_t part = 0; part < network->nodes_of_parts.size(); ++part) {
      before += network->nodes_of_parts[part];
      if (node >= before) continue;
      around.push_back({network->level, part});
      break;
    }
  }
  return around;
}

}  // namespace

Result<MachineModel> machine_model_from_text(const std::string& text, const std::string& origin) {
  if (text.size() > kMostModelBytes)
    return Error{ErrorCode::argument, origin + " has " + std::to_string(text.size()) +
                                          " bytes: expected at most " +
                                          std::to_string(kMostModelBytes)};
  const Result<json> file = json_from(text, origin);
  if (!file) return file.error();
  Reading reading{origin, {}, {}};
  read_all(file.value(), reading);
  if (reading.error) return *reading.error;
  return std::move(reading.model);
}

Result<MachineModel> read_machine_model(const std::string& path_or_name) {
  std::string path = path_or_name;
  if (path == kThisMachine) {
    path = this_machine_path();
    if (path.empty() || !is_there(path))
      return Error{ErrorCode::argument,
                   "this machine has not been measured: `terrace measure` does so"};
  } else if (!is_path(path_or_name)) {
    const std::vector<std::string> names = machine_model_names();
    if (std::find(names.begin(), names.end(), path_or_name) == names.end())
      return Error{ErrorCode::argument,
                   "there is no machine model '" + path_or_name +
                       "': expected a file (its name has a / or ends with .json), or "
                       "one of " +
                       known_names()};
    path = (folder_of_models() / (path_or_name + ".json")).string();
  }
  const Result<std::string> text = read_text_file(path, kMostModelBytes);
  if (!text)
    return Error{ErrorCode::argument, "cannot read a machine model: " + text.error().sentence};
  return machine_model_from_text(text.value(), path);
}

std::string this_machine_path() {
  return user_file(UserFolder::config, "machine.json");
}

std::vector<std::string> machine_model_names() {
  std::vector<std::string> names;
  for (const std::filesystem::path path : paths_in(folder_of_models().string()))
    if (path.extension() == ".json") names.push_back(path.stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

bool is_possible(double value, std::string_view unit) {
  return std::all_of(std::begin(kUnits), std::end(kUnits), [&](const Unit& one) {
    const Bounds bounds = bounds_of(one.kind);
    const double in_base = value * one.factor;
    return unit != one.name || (in_base >= bounds.least && in_base <= bounds.most);
  });
}

Result<Machine> machine_of(const MachineModel& model) {
  return read_machine_synthetic(model.machine);
}

Result<std::vector<Locality>> localities_on(const MachineModel& model, Rank ranks,
                                            const std::string& nodes) {
  const Result<Machine> machine = machine_of(model);
  if (!machine) return machine.error();
  const auto cores = static_cast<Rank>(resources_at(machine.value(), "core").size());
  const std::uint32_t full = (ranks + cores - 1) / std::max(cores, Rank{1});
  if (nodes.empty() && full > model.nodes)
    return Error{ErrorCode::argument, model.name + " has " + std::to_string(model.nodes) +
                                          " nodes of " + std::to_string(cores) +
                                          " cores: expected no more ranks than that, not " +
                                          std::to_string(ranks)};
  const std::string spread = nodes.empty() ? std::to_string(std::max(full, 1u)) : nodes;
  const Environment environment = [&](const std::string& name) -> std::optional<std::string> {
    if (name == "TERRACE_NODES") return spread;
    if (name == "TERRACE_BIND") return "core";
    return std::nullopt;
  };
  Result<std::vector<Locality>> localities = localities_on(machine.value(), environment, ranks);
  if (!localities) return localities.error();
  std::map<std::uint64_t, Rank> ranks_on;  // by node
  for (Locality& locality : localities.value()) {
    if (++ranks_on[locality.places.front().index] > cores)
      return Error{ErrorCode::argument,
                   model.name + " has " + std::to_string(cores) +
                       " cores on a node, and times are predicted for a core per rank: expected "
                       "no more ranks on any node"};
    const std::vector<LevelPlace> around = parts_around(model, locality.places.front().index);
    locality.places.insert(locality.places.begin(), around.begin(), around.end());
  }
  return localities;
}

}  // namespace terrace::model
