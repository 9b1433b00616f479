// SPDX-License-Identifier: BSD-3-Clause
// The machine's costs as the ranks of a team have measured them, or assumptions until then; short
// enough to be sent. A machine model for the ranks' places is made from it.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/locality.hpp"
#include "model/machine_model.hpp"

namespace terrace::model {

/// Between two cores that share a resource of this level, and nothing nearer.
struct LinkCosts {
  std::string level;    ///< "l2", "l3", "numa", "package", "node", ...
  double signal = 0;    ///< ns that a flag takes: it is taken from its reader, stored, and fetched
  double modified = 0;  ///< ns of the fetching
  std::vector<ScratchCopy> copies;

  bool operator==(const LinkCosts&) const = default;
};

/// Bytes that are read or written over and over, and what copying a line of them takes.
struct OwnCopy {
  double bytes = 0;
  double line = 0;

  bool operator==(const OwnCopy&) const = default;
};

struct MachineCosts {
  Core core;                            ///< but for its clock
  std::array<double, 3> cache_bytes{};  ///< of the first, the second and the last cache
  std::array<double, 3> cache_lines{};  ///< ns to copy a line that is there
  double memory_latency = 0;            ///< ns
  double memory_bandwidth = 0;          ///< bytes per ns that two cores get together
  double core_bandwidth = 0;            ///< and one of them
  std::vector<LinkCosts> links;         ///< from near to far; at least one

  bool operator==(const MachineCosts&) const = default;
};

/// Assumed costs: two cores that share a cache, of some recent processor. Where nothing can
/// be measured, and for what is not.
MachineCosts assumed_costs();

/// Lists the costs as numbers, to be sent and stored.
std::vector<double> to_numbers(const MachineCosts&);
/// Nothing of numbers that are no costs.
std::optional<MachineCosts> costs_from_numbers(std::span<const double>);

/// Returns each number's middle one of several measurements of one machine, the lower of two: what
/// ran beside one of them does not count. The first is the newest, and those that list other
/// caches, links or copies are passed over. At least one.
MachineCosts middle_of(std::span<const MachineCosts> measurements);

/// The copy through scratch about which measurements of one machine disagree most.
struct Disagreement {
  std::string level;
  double bytes = 0;
  bool is_of_reading = false;        ///< else of writing
  double least_ns = 0, most_ns = 0;  ///< of a line
  double ratio = 1;                  ///< of these
};
Disagreement disagreement_of(std::span<const MachineCosts> measurements);

/// Returns how near to each other two ranks are: the innermost level that both are in one resource
/// of; "core" if they share one.
std::string shared_level(const Locality& a, const Locality& b);

/// A machine with these costs for ranks at these places. Links that were not measured cost what the
/// next one further away costs, or the furthest that was.
MachineModel machine_model_of(const MachineCosts&, std::span<const Locality> ranks);

}  // namespace terrace::model
