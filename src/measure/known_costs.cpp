// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes a small text file: a line for the format, one for the processor, and one for
// each measurement: its time, and its numbers.
#include "measure/known_costs.hpp"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <limits>
#include <locale>
#include <span>
#include <sstream>

#include "base/contract.hpp"
#include "base/text_file.hpp"
#include "base/user_file.hpp"

namespace terrace::measure {

using model::are_of_one_shape;
using model::MachineCosts;

namespace {

constexpr const char* kFormat = "terrace costs 5";
constexpr std::size_t kMostMeasurements = 24, kMostFileBytes = 1 << 20;
/// Measurements whose median counts.
constexpr std::size_t kEnough = 3;
/// Kernels and firmware change, and so do virtual machines' hosts.
constexpr std::int64_t kFreshSeconds = 30 * 86400;
/// Whatever ran beside one measurement probably ran beside another one so soon after it.
constexpr std::int64_t kApartSeconds = 60;
constexpr double kMostSeconds = 1e12;
/// A signal of another distance takes at least half as long again.
constexpr double kAlike = 1.2;
/// No line takes longer to copy, not even between the furthest sockets of a machine or under an
/// emulator, and no step of a call.
constexpr double kLongestLineNs = 1000, kLongestStepNs = 100e3;
/// No core reads a peer's line in less.
constexpr double kShortestPeerLineNs = 0.3;
/// A cache may seem faster than the one before it, but not by more than that.
constexpr double kMostOutOfOrder = 2;

bool are_alike(double one, double other) {
  return one <= kAlike * other && other <= kAlike * one;
}

const model::LinkCosts* link_at(const MachineCosts& costs, const std::string& level) {
  const auto found = std::find_if(costs.links.begin(), costs.links.end(),
                                  [&](const auto& link) { return link.level == level; });
  return found == costs.links.end() ? nullptr : &*found;
}

/// Whether two sets are of the same distances.
bool are_of_one_regime(const MachineCosts& one, const MachineCosts& other) {
  std::vector<std::string> levels;
  std::vector<double> signals;
  for (const model::LinkCosts& link : other.links) {
    levels.push_back(link.level);
    signals.push_back(link.signal);
  }
  return are_signals_of(one, levels, signals);
}

bool is_link_possible(const model::LinkCosts& link) {
  return link.signal > 0 && link.signal <= kLongestSignalNs &&
         std::all_of(link.copies.begin(), link.copies.end(), [](const model::ScratchCopy& copy) {
           const double least = copy.bytes < model::kLongCopyBytes ? 0 : model::kShortestLineNs;
           return copy.write >= least && copy.write <= kLongestLineNs &&
                  copy.read >= kShortestPeerLineNs && copy.read <= kLongestLineNs;
         });
}

// By streams: std::to_chars and std::from_chars would have every program that Terrace runs in load
// libm.

std::string text_of(const std::vector<double>& numbers) {
  std::ostringstream text;
  text.imbue(std::locale::classic());
  text.precision(std::numeric_limits<double>::max_digits10);
  for (const double number : numbers) text << (text.tellp() > 0 ? " " : "") << number;
  return text.str();
}

std::vector<double> numbers_in(const std::string& line) {
  std::vector<double> numbers;
  std::istringstream words(line);
  words.imbue(std::locale::classic());
  for (double number = 0; words >> number;) numbers.push_back(number);
  return words.eof() ? numbers : std::vector<double>();
}

}  // namespace

bool are_possible(const MachineCosts& costs) {
  const model::Core& core = costs.core;
  const auto is_line = [](double ns) {
    return ns >= model::kShortestLineNs && ns <= kLongestLineNs;
  };
  const auto& lines = costs.cache_lines;
  const auto are_out_of_order = [](double near, double far) {
    return near > kMostOutOfOrder * far;
  };
  return std::max({core.call, core.step, core.look, core.publish}) <= kLongestStepNs &&
         core.combine <= kLongestLineNs && is_line(core.copy) &&
         std::all_of(lines.begin(), lines.end(), is_line) &&
         std::adjacent_find(lines.begin(), lines.end(), are_out_of_order) == lines.end() &&
         std::all_of(costs.links.begin(), costs.links.end(), is_link_possible);
}

bool are_alike(const std::vector<double>& some, const std::vector<double>& others) {
  return std::equal(some.begin(), some.end(), others.begin(), others.end(),
                    [](double one, double other) { return are_alike(one, other); });
}

double ratio_of(const std::vector<double>& some, const std::vector<double>& others) {
  TERRACE_ASSERT(some.size() == others.size(), some.size(), others.size());
  double most = 1;
  for (std::size_t i = 0; i < some.size(); ++i)
    most = std::max({most, some[i] / others[i], others[i] / some[i]});
  return most;
}

bool are_signals_of(const MachineCosts& costs, const std::vector<std::string>& levels,
                    const std::vector<double>& signals) {
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const model::LinkCosts* const link = link_at(costs, levels[i]);
    if (link == nullptr || !are_alike(link->signal, signals[i])) return false;
  }
  return true;
}

std::string this_processor() {
  std::ifstream file("/proc/cpuinfo");
  std::string text;
  for (std::string line; std::getline(file, line) && !line.empty();)
    for (const char* key : {"vendor_id", "cpu family", "model", "stepping", "CPU implementer",
                            "CPU part", "CPU variant"}) {
      const std::string_view name(line.data(), std::min(line.find_first_of("\t:"), line.size()));
      const std::size_t colon = line.find(": ");
      const bool is_asked = name == key || name == std::string(key) + " name";
      if (is_asked && colon != std::string::npos)
        text += (text.empty() ? "" : " ") + line.substr(colon + 2);
    }
  return text + ", " + std::to_string(sysconf(_SC_NPROCESSORS_CONF)) + " processors";
}

std::string name_for_files(const std::string& processor) {
  std::string name;
  for (const char letter : processor) {
    const auto byte = static_cast<unsigned char>(letter);
    const bool is_plain = std::isalnum(byte) != 0;
    if (is_plain) name += static_cast<char>(std::tolower(byte));
    if (!is_plain && !name.empty() && name.back() != '-') name += '-';
  }
  return name;
}

std::string costs_path(const std::string& processor) {
  return user_file(UserFolder::cache, "costs-" + name_for_files(processor));
}

std::int64_t KnownCosts::now() {
  return static_cast<std::int64_t>(std::time(nullptr));
}

KnownCosts::KnownCosts(std::string processor, std::string path, Clock clock)
    : processor_(std::move(processor)), path_(std::move(path)), clock_(std::move(clock)) {}

/// A time to come was told by a clock that has been set since, or by another process.
bool KnownCosts::is_fresh(const Measured& one) const {
  return std::abs(clock_() - one.time) < kFreshSeconds;
}

/// The newest of that regime and shape, as many as are needed.
std::vector<MachineCosts> KnownCosts::fresh_like(const MachineCosts& costs) const {
  std::vector<MachineCosts> found;
  for (const Measured& one : all_)
    if (found.size() < kEnough && is_fresh(one) && are_of_one_regime(one.costs, costs) &&
        are_of_one_shape(one.costs, costs))
      found.push_back(one.costs);
  return found;
}

bool KnownCosts::has_recent(const MachineCosts& costs) const {
  return std::any_of(all_.begin(), all_.end(), [&](const Measured& one) {
    return are_of_one_regime(one.costs, costs) && are_of_one_shape(one.costs, costs) &&
           std::abs(clock_() - one.time) < kApartSeconds;
  });
}

/// Teams of different sizes measure different copies: the newest of which there are enough counts,
/// else the newest.
std::optional<CostsFound> KnownCosts::find(const std::vector<std::string>& levels,
                                           const std::vector<double>& signals) {
  const std::lock_guard lock(mutex_);
  if (!was_read_) read();
  const auto fits = [&](const MachineCosts& costs) {
    return are_signals_of(costs, levels, signals);
  };
  std::optional<CostsFound> newest;
  for (const Measured& one : all_) {
    if (!fits(one.costs)) continue;
    std::vector<MachineCosts> fresh = fresh_like(one.costs);
    std::erase_if(fresh, [&](const MachineCosts& costs) { return !fits(costs); });
    if (fresh.size() == kEnough) return CostsFound{model::median_of(fresh), true};
    if (!newest) newest = CostsFound{fresh.empty() ? one.costs : model::median_of(fresh), false};
  }
  if (newest)
    newest->is_settled =
        has_recent(newest->costs) || std::any_of(accepted_.begin(), accepted_.end(), fits);
  return newest;
}

MachineCosts KnownCosts::remember(const MachineCosts& costs) {
  const std::lock_guard lock(mutex_);
  read();  // another process may have written since
  if (!has_recent(costs)) {
    std::size_t kept = 1;
    std::erase_if(all_, [&](const Measured& one) {
      return are_of_one_regime(one.costs, costs) && are_of_one_shape(one.costs, costs) &&
             (!is_fresh(one) || ++kept > kEnough);
    });
    all_.insert(all_.begin(), {clock_(), costs});
    if (all_.size() > kMostMeasurements) all_.resize(kMostMeasurements);
    write();
  }
  accepted_.push_back(costs);
  const std::vector<MachineCosts> fresh = fresh_like(costs);
  return fresh.empty() ? costs : model::median_of(fresh);
}

void KnownCosts::accept(const MachineCosts& costs) {
  const std::lock_guard lock(mutex_);
  accepted_.push_back(costs);
}

std::vector<KeptRegime> KnownCosts::regimes() {
  const std::lock_guard lock(mutex_);
  if (!was_read_) read();
  std::vector<KeptRegime> found;
  std::vector<Measured> left = all_;
  while (!left.empty()) {
    const MachineCosts newest = left.front().costs;
    const std::vector<MachineCosts> fresh = fresh_like(newest);
    found.push_back({newest.links.front().signal, fresh.size(), fresh.size() == kEnough,
                     model::disagreement_of(fresh)});
    left.erase(left.begin());
    std::erase_if(left, [&](const Measured& one) {
      return are_of_one_regime(one.costs, newest) && are_of_one_shape(one.costs, newest);
    });
  }
  return found;
}

/// Reads the file, and joins it with what this process knows already.
void KnownCosts::read() {
  was_read_ = true;
  if (path_.empty()) return;
  const Result<std::string> text = read_text_file(path_, kMostFileBytes);
  if (!text) return;
  std::istringstream lines(text.value());
  std::string line;
  if (!std::getline(lines, line) || line != kFormat) return;
  if (!std::getline(lines, line) || line != processor_) return;
  while (std::getline(lines, line) && all_.size() < kMostMeasurements) {
    const std::vector<double> numbers = numbers_in(line);
    if (numbers.empty() || !(numbers.front() >= 0 && numbers.front() <= kMostSeconds)) continue;
    auto costs = model::costs_from_numbers(std::span(numbers).subspan(1));
    if (!costs || !are_possible(*costs)) continue;
    Measured one{static_cast<std::int64_t>(numbers.front()), std::move(*costs)};
    if (std::find(all_.begin(), all_.end(), one) == all_.end()) all_.push_back(std::move(one));
  }
  std::stable_sort(all_.begin(), all_.end(),
                   [](const Measured& a, const Measured& b) { return a.time > b.time; });
}

/// A folder that cannot be written to means that other processes also measure.
void KnownCosts::write() const {
  if (path_.empty()) return;
  std::string text = std::string(kFormat) + '\n' + processor_ + '\n';
  for (const Measured& one : all_)
    text += std::to_string(one.time) + ' ' + text_of(model::to_numbers(one.costs)) + '\n';
  make_folders_for(path_);
  static_cast<void>(write_text_file(path_, text));
}

KnownCosts& KnownCosts::of_this_process() {
  static auto* const known =
      new KnownCosts(this_processor(), costs_path(this_processor()));  // see Chooser::shared
  return *known;
}

}  // namespace terrace::measure
