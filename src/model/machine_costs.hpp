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

/// Lines that a core goes over for each line that it copies: it reads one and writes one. A machine
/// model counts each of them.
inline constexpr double kLinesOfCopy = 2;

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

/// Whether two measurements list the same caches, links and copies.
bool are_of_one_shape(const MachineCosts& one, const MachineCosts& other);

/// Returns the median of each number over measurements of one machine (of two, the lower), so that
/// one disturbed measurement does not count. Takes at least one; passes over those of another shape
/// than the first.
MachineCosts median_of(std::span<const MachineCosts> measurements);

/// Length from which a copy takes much longer than the signals around it.
inline constexpr double kLongCopyBytes = 65536;
/// Shortest believable time to copy a line, in ns.
inline constexpr double kShortestLineNs = 0.1;

/// The copy through scratch about which measurements of one machine disagree most.
struct Disagreement {
  std::string level;
  double bytes = 0;                  ///< of the copy
  bool is_of_reading = false;        ///< else of writing
  double least_ns = 0, most_ns = 0;  ///< of a line
  double ratio = 1;                  ///< `most_ns` to `least_ns`
};
/// Returns the copy of kLongCopyBytes or more about which they disagree most; `ratio` is 1 if they
/// agree about all.
Disagreement disagreement_of(std::span<const MachineCosts> measurements);

/// Returns how near to each other two ranks are: the innermost level that both are in one resource
/// of; "core" if they share one.
std::string shared_level(const Locality& a, const Locality& b);

/// A machine with these costs for ranks at these places. Links that were not measured cost what the
/// next one further away costs, or the furthest that was.
MachineModel machine_model_of(const MachineCosts&, std::span<const Locality> ranks);

}  // namespace terrace::model
