// SPDX-License-Identifier: BSD-3-Clause
// Costs of this machine measured before, in this process or in a user's file. The cores of a
// virtual machine may be near each other at one time and far at another, so there may be several
// sets, told apart by the time of a signal. And another program may have run beside a measurement,
// so three processes measure a machine, and a measurement counts for 30 days.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "model/machine_costs.hpp"

namespace terrace::measure {

/// "AuthenticAMD 25 1 1, 2 processors, AMD EPYC ...": what costs depend on.
std::string this_processor();

/// Returns the name for files about it: "authenticamd-25-1-1-2-processors-amd-epyc".
std::string name_for_files(const std::string& processor);

/// Returns the path of the user's file about such processors, by XDG_CACHE_HOME or HOME; "" where
/// neither is set. Homes may be shared by machines of several kinds.
std::string costs_path(const std::string& processor);

/// Whether signals take as long as others, give or take a fifth.
bool are_alike(const std::vector<double>& some, const std::vector<double>& others);
/// Returns how many times as long the most different of as many signals takes: 1 where all are
/// equal.
double ratio_of(const std::vector<double>& some, const std::vector<double>& others);

/// Whether signals at these levels take as long as these costs say, give or take a fifth.
bool are_signals_of(const model::MachineCosts& costs, const std::vector<std::string>& levels,
                    const std::vector<double>& signals);

/// No signal takes longer, unless a rank was interrupted.
inline constexpr double kLongestSignalNs = 5000;

/// Whether some machine may have these costs. Otherwise something else ran while they were
/// measured.
bool are_possible(const model::MachineCosts& costs);

/// Costs of machines with such signals.
struct CostsFound {
  model::MachineCosts costs;
  bool is_settled = false;  ///< otherwise they are to be measured once more
};

/// Measurements of one regime.
struct KeptRegime {
  double signal = 0;             ///< ns, between the nearest cores
  std::size_t measurements = 0;  ///< that count
  bool is_settled = false;
  model::Disagreement disagreement;
};

/// Safe to use from many threads.
class KnownCosts {
 public:
  /// Seconds since 1970.
  using Clock = std::function<std::int64_t()>;

  /// Files that cannot be read, are damaged, or are another machine's, count as empty. `path`: ""
  /// for none.
  KnownCosts(std::string processor, std::string path, Clock clock = now);

  /// Returns the medians of the measurements with such signals that count; if all are too old, the
  /// newest. Nothing if there are none.
  std::optional<CostsFound> find(const std::vector<std::string>& levels,
                                 const std::vector<double>& signals);

  /// Keeps a measurement, for later processes too if the file can be written; not so soon after
  /// another one, beside which the same programs ran. Returns what `find` then gives for its
  /// signals.
  model::MachineCosts remember(const model::MachineCosts& costs);
  /// Lets this process do with these costs: it has tried to measure them once more.
  void accept(const model::MachineCosts& costs);

  /// All regimes, the one measured last first.
  std::vector<KeptRegime> regimes();
  const std::string& path() const { return path_; }

  /// The process's own.
  static KnownCosts& of_this_process();

 private:
  struct Measured {
    std::int64_t time = 0;  ///< seconds since 1970
    model::MachineCosts costs;
    bool operator==(const Measured&) const = default;
  };

  static std::int64_t now();
  bool is_fresh(const Measured& one) const;
  std::vector<model::MachineCosts> fresh_like(const model::MachineCosts& costs) const;
  bool has_recent(const model::MachineCosts& costs) const;
  void read();
  void write() const;

  const std::string processor_, path_;
  const Clock clock_;
  std::mutex mutex_;  ///< guards what follows
  bool was_read_ = false;
  std::vector<Measured> all_;  ///< newest first
  /// Whatever disturbed one measurement of this process may disturb the next one.
  std::vector<model::MachineCosts> accepted_;
};

}  // namespace terrace::measure
