// SPDX-License-Identifier: BSD-3-Clause
// Makes a model from a few measured numbers, and converts costs to numbers and back.
#include "model/machine_costs.hpp"

#include <algorithm>
#include <cmath>

#include "base/contract.hpp"
#include "model/scratch_copies.hpp"

namespace terrace::model {

namespace {

constexpr std::size_t kMostLetters = 24;  ///< of a level's name
constexpr std::size_t kMostLinks = 16, kMostCopies = 256;
constexpr double kMostNs = 1e9, kMostBytes = 1e15;

/// Writes numbers one after the other.
class Writer {
 public:
  void add(double number) { numbers.push_back(number); }
  void add(const std::string& text) {
    const std::string name = text.substr(0, kMostLetters);
    add(static_cast<double>(name.size()));
    for (const char letter : name) add(static_cast<double>(static_cast<unsigned char>(letter)));
  }
  std::vector<double> numbers;
};

/// Reads them; `is_right` until one is missing or out of bounds.
class Reader {
 public:
  explicit Reader(std::span<const double> numbers) : rest_(numbers) {}

  void read(double& number, double most) {
    if (rest_.empty() || !(rest_.front() >= 0 && rest_.front() <= most)) {
      is_right_ = false;
      return;
    }
    number = rest_.front();
    rest_ = rest_.subspan(1);
  }
  std::size_t count(std::size_t most) {
    double number = 0;
    read(number, static_cast<double>(most));
    return static_cast<std::size_t>(number);
  }
  std::string text() {
    std::string text(count(kMostLetters), ' ');
    for (char& letter : text) letter = static_cast<char>(count(127));
    return text;
  }
  bool is_right() const { return is_right_; }
  bool is_at_end() const { return rest_.empty(); }

 private:
  std::span<const double> rest_;
  bool is_right_ = true;
};

/// All numbers of fixed place, with what bounds them.
template <class Costs, class Each>
void each_number(Costs& costs, Each each) {
  each(costs.core.clock, kMostNs);
  each(costs.core.call, kMostNs);
  each(costs.core.step, kMostNs);
  each(costs.core.look, kMostNs);
  each(costs.core.publish, kMostNs);
  each(costs.core.combine, kMostNs);
  each(costs.core.copy, kMostNs);
  for (auto& bytes : costs.cache_bytes) each(bytes, kMostBytes);
  for (auto& line : costs.cache_lines) each(line, kMostNs);
  each(costs.memory_latency, kMostNs);
  each(costs.memory_bandwidth, kMostNs);
  each(costs.core_bandwidth, kMostNs);
  each(costs.core.yield, kMostNs);
}

LinkCosts read_link(Reader& reader) {
  LinkCosts link;
  link.level = reader.text();
  reader.read(link.signal, kMostNs);
  reader.read(link.modified, kMostNs);
  const std::size_t copies = reader.count(kMostCopies);
  for (std::size_t i = 0; i < copies && reader.is_right(); ++i) {
    ScratchCopy copy;
    reader.read(copy.bytes, kMostBytes);
    reader.read(copy.span, kMostBytes);
    copy.streams = reader.count(1) != 0;
    reader.read(copy.write, kMostNs);
    reader.read(copy.read, kMostNs);
    link.copies.push_back(copy);
  }
  return link;
}

Distance own_distance(const MachineCosts& costs) {
  constexpr double kFirstCacheNs = 1.5;
  Distance own;
  own.name = own.level = "core";
  own.modified = own.exclusive = own.shared = own.a = kFirstCacheNs;
  own.memory = costs.memory_latency;
  own.further_line = 0.5;
  own.b = own.B = own.b_outer = own.w = own.w_outer = costs.cache_lines.front() / kLinesOfCopy;
  return own;
}

/// Derives what was not measured from what was: a first line of several readers or writers waits
/// about a tenth of a line's way for the one before.
Distance distance_of(const LinkCosts& link, const MachineCosts& costs) {
  constexpr double kFurther = 0.08;
  Distance distance;
  distance.name = distance.level = link.level;
  distance.modified = distance.exclusive = distance.shared = distance.a = link.modified;
  distance.ownership = std::max(0.0, link.signal - link.modified);
  distance.memory = costs.memory_latency;
  distance.further_line = distance.further_reader = kFurther * link.signal;
  distance.scratch = link.copies;
  const auto lines_of = [&](bool streams, double bytes) {
    PassageCost line{costs.cache_lines.back(), costs.cache_lines.back()};
    for (const ScratchCopy& copy : link.copies)
      if (copy.streams == streams && copy.bytes <= bytes) line = {copy.write, copy.read};
    return line;
  };
  const PassageCost inner = lines_of(false, costs.cache_bytes[0]), outer = lines_of(false, 1e12);
  distance.b = inner.read;
  distance.b_outer = outer.read;
  distance.w = inner.write;
  distance.w_outer = outer.write;
  distance.has_w = true;
  distance.B = 0.5 * outer.read;
  return distance;
}

Cache cache_of(const char* level, const char* shared_by, double bytes, double line) {
  return {level, shared_by, bytes, false, 4 * line, line, line};
}

/// The levels of all places, from the innermost out.
std::vector<std::string> levels_of(std::span<const Locality> ranks) {
  std::vector<std::string> levels;
  for (const Locality& rank : ranks)
    for (auto place = rank.places.rbegin(); place != rank.places.rend(); ++place)
      if (std::find(levels.begin(), levels.end(), place->level) == levels.end())
        levels.push_back(place->level);
  return levels;
}

}  // namespace

MachineCosts assumed_costs() {
  MachineCosts costs;
  costs.core = {2.5, 30, 15, 10, 20, 0.25, 0.8, Core::kUsualYield};
  costs.cache_bytes = {32768, 1048576, 33554432};
  costs.cache_lines = {1.6, 2.8, 5};
  costs.memory_latency = 110;
  costs.memory_bandwidth = 24;
  costs.core_bandwidth = 14;
  LinkCosts link{"node", 120, 55, {}};
  for (const double bytes : {1024., 8192., 65536., 524288.})
    link.copies.push_back({bytes, 0, false, 3.5, 2.8});
  for (const double bytes : {1024., 8192., 65536., 524288.})
    link.copies.push_back({bytes, 0, true, 4.5, 5.5});
  costs.links.push_back(std::move(link));
  return costs;
}

std::vector<double> to_numbers(const MachineCosts& costs) {
  Writer writer;
  each_number(costs, [&](double number, double) { writer.add(number); });
  writer.add(static_cast<double>(costs.links.size()));
  for (const LinkCosts& link : costs.links) {
    writer.add(link.level);
    writer.add(link.signal);
    writer.add(link.modified);
    writer.add(static_cast<double>(link.copies.size()));
    for (const ScratchCopy& copy : link.copies)
      for (const double number :
           {copy.bytes, copy.span, copy.streams ? 1.0 : 0.0, copy.write, copy.read})
        writer.add(number);
  }
  return std::move(writer.numbers);
}

std::optional<MachineCosts> costs_from_numbers(std::span<const double> numbers) {
  Reader reader(numbers);
  MachineCosts costs;
  each_number(costs, [&](double& number, double most) { reader.read(number, most); });
  const std::size_t links = reader.count(kMostLinks);
  for (std::size_t i = 0; i < links && reader.is_right(); ++i)
    costs.links.push_back(read_link(reader));
  const auto is_positive = [](double number) { return number > 0; };
  const bool is_right =
      reader.is_right() && reader.is_at_end() && !costs.links.empty() &&
      is_positive(costs.memory_bandwidth) && is_positive(costs.core_bandwidth) &&
      std::all_of(costs.cache_bytes.begin(), costs.cache_bytes.end(), is_positive);
  return is_right ? std::optional(std::move(costs)) : std::nullopt;
}

bool are_of_one_shape(const MachineCosts& one, const MachineCosts& other) {
  const auto is_same_copy = [](const ScratchCopy& a, const ScratchCopy& b) {
    return a.bytes == b.bytes && a.span == b.span && a.streams == b.streams;
  };
  const auto is_same_link = [&](const LinkCosts& a, const LinkCosts& b) {
    return a.level == b.level && std::equal(a.copies.begin(), a.copies.end(), b.copies.begin(),
                                            b.copies.end(), is_same_copy);
  };
  return one.cache_bytes == other.cache_bytes &&
         std::equal(one.links.begin(), one.links.end(), other.links.begin(), other.links.end(),
                    is_same_link);
}

MachineCosts median_of(std::span<const MachineCosts> measurements) {
  TERRACE_REQUIRE(!measurements.empty());
  std::vector<std::vector<double>> each;
  for (const MachineCosts& one : measurements)
    if (are_of_one_shape(one, measurements.front())) each.push_back(to_numbers(one));
  std::vector<double> medians;
  for (std::size_t i = 0; i < each.front().size(); ++i) {
    std::vector<double> values;
    for (const std::vector<double>& numbers : each) values.push_back(numbers[i]);
    const auto at = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
    std::nth_element(values.begin(), at, values.end());
    medians.push_back(*at);
  }
  return costs_from_numbers(medians).value_or(measurements.front());
}

Disagreement disagreement_of(std::span<const MachineCosts> measurements) {
  Disagreement found;
  const auto compare = [&](const LinkCosts& one, const LinkCosts& other) {
    for (std::size_t i = 0; i < one.copies.size(); ++i)
      for (const auto line : {&ScratchCopy::write, &ScratchCopy::read}) {
        const double least = one.copies[i].*line, most = other.copies[i].*line;
        const double bytes = one.copies[i].bytes, ratio = most / std::max(least, kShortestLineNs);
        if (bytes >= kLongCopyBytes && ratio > found.ratio)
          found = {one.level, bytes, line == &ScratchCopy::read, least, most, ratio};
      }
  };
  for (const MachineCosts& one : measurements)
    for (const MachineCosts& other : measurements)
      for (std::size_t i = 0; are_of_one_shape(one, other) && i < one.links.size(); ++i)
        compare(one.links[i], other.links[i]);
  return found;
}

std::string shared_level(const Locality& a, const Locality& b) {
  std::string level = "node";
  const std::size_t depth = std::min(a.places.size(), b.places.size());
  for (std::size_t i = 0; i < depth && a.places[i] == b.places[i]; ++i) level = a.places[i].level;
  return level == "pu" ? "core" : level;
}

MachineModel machine_model_of(const MachineCosts& costs, std::span<const Locality> ranks) {
  MachineModel model;
  model.name = "measured";
  model.title = "this machine, as the ranks found it";
  model.core = costs.core;
  const auto& bytes = costs.cache_bytes;
  const auto& lines = costs.cache_lines;
  const std::vector<std::string> levels = levels_of(ranks);
  const auto has = [&](const char* level) {
    return std::find(levels.begin(), levels.end(), level) != levels.end();
  };
  const char* const last = has("l3") ? "l3" : has("numa") ? "numa" : "node";
  model.caches = {cache_of("l1", "core", bytes[0], lines[0] / kLinesOfCopy),
                  cache_of("l2", "core", bytes[1], lines[1] / kLinesOfCopy),
                  cache_of("l3", last, bytes[2], lines[2] / kLinesOfCopy)};
  model.memory.level = has("numa") ? "numa" : "node";
  model.memory.latency = costs.memory_latency;
  model.memory.bandwidth = costs.memory_bandwidth;
  model.memory.core_bandwidth = costs.core_bandwidth;
  model.memory.streamed_store = model.line_bytes / costs.core_bandwidth;
  model.distances.push_back(own_distance(costs));
  std::size_t next = 0;
  for (const std::string& level : levels) {
    if (level == "core" || level == "pu" || level == "node") continue;
    // Links and levels both go from near to far; a level without a link of its own takes the next.
    const auto found = std::find_if(costs.links.begin(), costs.links.end(),
                                    [&](const LinkCosts& one) { return one.level == level; });
    if (found != costs.links.end()) next = static_cast<std::size_t>(found - costs.links.begin());
    Distance distance = distance_of(costs.links[std::min(next, costs.links.size() - 1)], costs);
    distance.name = distance.level = level;
    model.distances.push_back(std::move(distance));
  }
  Distance furthest = distance_of(costs.links.back(), costs);
  furthest.name = furthest.level = "node";
  model.distances.push_back(std::move(furthest));
  return model;
}

}  // namespace terrace::model
