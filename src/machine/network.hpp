// SPDX-License-Identifier: BSD-3-Clause
// The network above the nodes, as the places that a host lies in: read from Terrace's own text
// file, from Slurm's topology.conf, or from what Slurm tells each task.
//
// Terrace's file has a line for each part of the network: its level, its name, and what lies in it,
// parts or hosts. Any depth, and uneven depth; a name may have ranges of numbers.
//
//   # two racks of two switches each, and a login node next to them
//   site  here:   rack[1-2] login
//   rack  rack1:  leaf[1-2]
//   rack  rack2:  leaf[3-4]
//   leaf  leaf1:  n[001-016]
//   leaf  leaf2:  n[017-032]
//   leaf  leaf3:  n[033-048]
//   leaf  leaf4:  n[049-064]
//
// Terrace divides tori and other networks into parts itself; they may lie in other parts:
//
//   torus t 4x3x2: n[00-23]     along its dimensions: 4 parts of 6 hosts, each 3 of 2
//   graph g 2x4:   m[00-31]     in 2 parts between which little is linked, each in 4
//   link  m00 m01 10            two hosts or switches of the graph, and the weight of their link
//
// In topology.conf, switches are called "switch0" where nodes are attached, "switch1" above those,
// and so on, as Slurm counts them; blocks likewise, with the aggregated blocks of BlockSizes above.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/locality.hpp"
#include "base/result.hpp"

namespace terrace {

struct Network {
  std::string origin;              ///< the file's path
  std::vector<std::string> hosts;  ///< in the order of the file
  /// The parts that each host lies in, outermost first. Numbers are unique within a level.
  std::map<std::string, std::vector<LevelPlace>> places;
  /// Coordinates in each dimension, from 0, of hosts that lie in a torus; the innermost torus
  /// counts.
  std::map<std::string, std::vector<std::uint32_t>> coordinates;
};

/// The names that an expression stands for: "n[001-003,7],login" is n001, n002, n003, n7, login.
/// Errors: argument, for what is no such expression or stands for more than a million names.
Result<std::vector<std::string>> names_from(std::string_view expression);

/// Reads a file about a network; topology.conf is known by its first word. Errors: argument, with
/// `origin` and the line.
Result<Network> network_from_text(std::string_view text, const std::string& origin);

/// Errors: argument, with the path.
Result<Network> read_network(const std::string& path);

/// Returns where a host is, by its whole name or by that before the first dot. Errors: argument,
/// with host and file.
Result<std::vector<LevelPlace>> places_of(const Network& network, const std::string& host);

/// Returns a host's coordinates; none if it lies in no torus, or is not known.
std::vector<std::uint32_t> coordinates_of(const Network& network, const std::string& host);

/// The host that stands for a pretended node: the file's hosts in order.
std::string host_of_node(const Network& network, std::uint64_t node);

/// Reads what Slurm tells a task in SLURM_TOPOLOGY_ADDR ("s0.s4.tux1") and
/// SLURM_TOPOLOGY_ADDR_PATTERN ("switch.switch.node"). Numbers are hashes of names. Errors:
/// argument, if they do not match.
Result<std::vector<LevelPlace>> places_from_slurm(std::string_view address,
                                                  std::string_view pattern);

}  // namespace terrace
