// SPDX-License-Identifier: BSD-3-Clause
// Measures the costs between the ranks of a team: for each distance between them one pair measures,
// and tells the others. Three earlier measurements take the place of a new one if signals take as
// long as then, because the cores of a virtual machine move.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "measure/known_costs.hpp"
#include "measure/pair_probe.hpp"

namespace terrace::measure {

/// A distance between ranks, and the two that measure it.
struct PairClass {
  std::string level;  ///< the innermost that both are in
  Rank first = 0, second = 0;
};

/// Classes of pairs from near to far; ranks that share a core are at no distance. Of each the first
/// pair in order of ranks.
std::vector<PairClass> pair_classes(std::span<const Locality> places);

/// Hands what one rank has to all others; all call it. False: it could not be done.
using Tell = std::function<bool(void* place, std::size_t bytes, Rank from)>;

/// Tells numbers, as many as rank `from` has.
bool tell_numbers(std::vector<double>& numbers, const Tell& tell, Rank from);

struct FoundCosts {
  model::MachineCosts costs;
  /// A rank that measured was interrupted, or moved: not for later processes.
  bool is_doubtful = false;
};

/// One rank's part in it. All ranks call the same functions at the same time.
class TeamProbe {
 public:
  /// The memory is prepared on all ranks, and outlives this. `allocate_scratch` as in
  /// EndpointOptions.
  TeamProbe(const TeamMemory& memory, Rank rank, std::span<const Locality> places,
            std::function<bool(std::size_t bytes)> allocate_scratch);
  ~TeamProbe();

  /// Whether there is a distance to measure.
  bool is_possible() const { return !classes_.empty(); }

  /// Measures the nanoseconds that a signal takes now, by distance, in some microseconds; nothing
  /// if a rank did not arrive.
  std::optional<std::vector<double>> signals(const Tell& tell);

  /// The costs that the leader, rank 0, knows for a machine with such signals. If it knows none, or
  /// wants them confirmed, they are measured now, in the ranks' scratch, which must be unused.
  /// Nothing if that failed, or gave costs that are impossible, and none were known.
  std::optional<FoundCosts> costs(const std::vector<double>& signals, KnownCosts& known,
                                  const Tell& tell);

 private:
  struct Mine;

  std::optional<FoundCosts> measure_now(const std::vector<double>& signals, const Tell& tell);
  std::optional<model::MachineCosts> measured(const Tell& tell);
  std::optional<bool> was_disturbed(const std::vector<double>& signals_before, const Tell& tell);
  std::optional<model::LinkCosts> link(std::size_t number, std::size_t cache_bytes,
                                       const Tell& tell);

  const TeamMemory& memory_;
  Rank rank_;
  std::function<bool(std::size_t)> allocate_scratch_;
  std::vector<PairClass> classes_;
  std::vector<std::unique_ptr<Mine>> pairs_;  ///< by class; null: others measure that
  std::uint64_t interruptions_ = 0;           ///< of this rank, while it measured last
};

}  // namespace terrace::measure
