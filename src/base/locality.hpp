// SPDX-License-Identifier: BSD-3-Clause
// Locality: where a rank is bound, as the chain of resources that wholly contain its binding.
// It is the only thing `hierarchy` needs to know about a machine, and short enough to be sent.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace terrace {

/// One resource: "l3 number 2 of its node". Indices are unique within the whole job for a node,
/// within the node for everything inside it.
struct LevelPlace {
  std::string level;  ///< "switch", "node", "package", "numa", "l3", "l2", "core", "pu", ...
  std::uint64_t index = 0;

  bool operator==(const LevelPlace&) const = default;
};

/// Outermost first. A rank bound to several cores of one L3 ends at that L3; an unbound rank ends
/// at its node.
struct Locality {
  std::vector<LevelPlace> places;

  bool operator==(const Locality&) const = default;
};

/// "node:0/package:1/numa:1/l3:3/core:17"; the empty locality is "".
std::string to_text(const Locality&);
Result<Locality> locality_from_text(const std::string&);

/// Drops as many of the innermost places as needed to make the text at most `most` bytes long.
std::string cut_to(std::size_t most, std::string locality);

}  // namespace terrace
