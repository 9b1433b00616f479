// SPDX-License-Identifier: BSD-3-Clause
// Machines of round numbers to work simulations out by hand on.
#pragma once

#include <string>
#include <vector>

#include "base/locality.hpp"
#include "hierarchy/hierarchy.hpp"
#include "model/machine_model.hpp"

namespace terrace::simulate {

/// `packages` of `cores` each, every package with one last cache. Reading a line that another core
/// has written: 30 ns in a package, 100 between packages; owning one that another has: 10 and 40.
inline model::MachineModel round_machine() {
  model::MachineModel machine;
  machine.name = "round";
  machine.line_bytes = 64;
  machine.caches = {{"l2", "core", 256 << 10, true, 1, 0, 0},
                    {"l3", "l3", 16 << 20, true, 20, 4, 0}};
  machine.memory = {"numa", 80, 12.8, 6.4, true, 5};
  model::Distance own, near, far;
  own.name = "own", own.level = "core";
  near.name = "l3", near.level = "l3";
  near.modified = near.shared = near.exclusive = 30, near.ownership = 10, near.memory = 80;
  near.further_line = 5, near.further_reader = 2, near.a = 26, near.b = 4, near.B = 2;
  near.link = model::LinkSharing::between_two;
  far.name = "node", far.level = "node", far.part = "package";
  far.modified = far.shared = far.exclusive = 100, far.ownership = 40, far.memory = 150;
  far.further_line = 10, far.further_reader = 4, far.a = 90, far.b = 10, far.B = 5;
  machine.distances = {own, near, far};
  // Across nodes: 1000 ns of wire, 100 of a core at each end, 50 between messages, 10 bytes a ns.
  machine.networks = {{model::kAnyTwoNodes, 1000, 100, 50, 0.1, 1e9, {}}};
  return machine;
}

/// Package after package.
inline std::vector<Locality> on_packages(Rank packages, Rank cores) {
  std::vector<Locality> localities;
  for (Rank core = 0; core < packages * cores; ++core) {
    const std::string package = std::to_string(core / cores);
    localities.push_back(locality_from_text("node:0/package:" + package + "/numa:" + package +
                                            "/l3:" + package + "/core:" + std::to_string(core))
                             .value());
  }
  return localities;
}

/// Node after node, each of one package.
inline std::vector<Locality> on_nodes(Rank nodes, Rank cores) {
  std::vector<Locality> localities;
  for (Rank rank = 0; rank < nodes * cores; ++rank)
    localities.push_back(
        locality_from_text("node:" + std::to_string(rank / cores) +
                           "/package:0/numa:0/l3:0/core:" + std::to_string(rank % cores))
            .value());
  return localities;
}

}  // namespace terrace::simulate
