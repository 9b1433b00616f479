// SPDX-License-Identifier: BSD-3-Clause
// Turns networks that are not trees into trees of parts: a torus by its dimensions, any weighted
// graph by Scotch's partition.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace terrace {

/// A part of a network and what lies in it, parts or hosts.
struct NetworkPart {
  std::string level;
  std::string name;
  std::vector<std::string> members;
  std::size_t line = 0;  ///< of the file
};

/// A part of level "torus" with everything, divided along its first dimension into "slice1", these
/// along the second into "slice2", and so on; hosts lie in the last dimension but one. `hosts` are
/// in the order of their coordinates, the last running fastest.
std::vector<NetworkPart> parts_of_torus(const std::string& name, std::size_t line,
                                        const std::vector<std::uint64_t>& dimensions,
                                        const std::vector<std::string>& hosts);

/// A connection of two vertices, which are hosts or switches.
struct Link {
  std::string from, to;
  std::uint64_t weight = 1;  ///< how much goes over it, relative to others
};

struct Graph {
  std::string name;
  std::vector<std::uint64_t> parts;  ///< into how many to divide, then each of these, and so on
  std::vector<std::string> hosts;
  std::vector<Link> links;
  std::size_t line = 0;
};

/// A part of level "graph" with everything, divided into parts of level "part1" such that little
/// crosses between them and all have about as many hosts, these into "part2", and so on. The same
/// for the same graph, on all machines with the same Scotch. Errors: argument, for a host that is
/// there twice; unsupported, where there is no Scotch; system.
Result<std::vector<NetworkPart>> parts_of_graph(const Graph& graph);

}  // namespace terrace
