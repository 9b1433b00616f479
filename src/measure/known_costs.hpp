// SPDX-License-Identifier: BSD-3-Clause
// Costs of this machine measured before, in this process or in a user's file. The cores of a
// virtual machine may be near each other at one time and far at another, so there may be several
// sets, told apart by the time of a signal.
#pragma once

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

/// Safe to use from many threads.
class KnownCosts {
 public:
  /// Files that cannot be read, are damaged, or are another machine's, count as empty. `path`: ""
  /// for none.
  KnownCosts(std::string processor, std::string path);

  /// A set that fits these signals.
  std::optional<model::MachineCosts> find(const std::vector<std::string>& levels,
                                          const std::vector<double>& signals);

  /// From now on known; also to later processes, if the file can be written. In the place of a set
  /// of the same signals.
  void remember(const model::MachineCosts& costs);

  /// The process's own.
  static KnownCosts& of_this_process();

 private:
  void read();
  void write() const;

  const std::string processor_, path_;
  std::mutex mutex_;  ///< guards what follows
  bool was_read_ = false;
  std::vector<model::MachineCosts> sets_;  ///< newest first
};

}  // namespace terrace::measure
