// SPDX-License-Identifier: BSD-3-Clause
// Machine: the hardware of one node as a tree of resources, and how to read it: from the running
// system, from a file that another machine wrote, or from a line of text. A plain value: nothing
// of hwloc is visible here or kept.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/locality.hpp"
#include "base/result.hpp"
#include "os/pu_set.hpp"

namespace terrace {

/// One resource and what lies inside it. Children are disjoint, ordered by index, and each holds
/// at most the PUs of its parent (the same ones where a level has one instance: an L3 per package).
struct Resource {
  std::string level;        ///< node, package, die, group, numa, l5 to l2, l1 of cores, core, pu
  std::uint64_t index = 0;  ///< among its level on the machine, counted as lstopo's L# does
  PuSet pus;                ///< by the operating system's numbers
  std::uint64_t bytes = 0;  ///< size of a cache, memory of a NUMA node; 0 if none or not known
  std::vector<Resource> children;

  bool operator==(const Resource&) const = default;
};

/// A machine has at least one PU. NUMA nodes are levels of the tree wherever they lie: around an
/// L3, inside it, beside packages. The levels in between depend on the machine; ask, don't assume.
struct Machine {
  std::string origin;           ///< "this machine", or what is being pretended
  bool is_this_machine = true;  ///< false: its PUs are not those that this process runs on
  Resource node;                ///< the root; level "node"
  PuSet allowed;                ///< PUs that this job may use: those of its cpuset
  /// Sentences on what the hardware has and the tree leaves out, such as a second NUMA node of the
  /// same cores (high-bandwidth memory), or one that several NUMA nodes share.
  std::vector<std::string> remarks;
};

/// The machine that this process runs on, with all its PUs, allowed or not, so that the numbers
/// are the same for every process of the node. Follows hwloc's variables HWLOC_XMLFILE and
/// HWLOC_SYNTHETIC, and says so in `origin`. Takes milliseconds.
/// Errors: system, if hwloc finds nothing.
Result<Machine> read_this_machine();

/// A machine that `lstopo FILE.xml` wrote. Errors: argument, if there is no such file or hwloc
/// cannot read it.
Result<Machine> read_machine_xml(const std::string& path);

/// A machine in hwloc's words: "pack:2 [numa] l3:2 core:4 pu:1" is 2 packages with a NUMA node
/// and 2 L3 each, 4 cores in each L3. Errors: argument.
Result<Machine> read_machine_synthetic(const std::string& text);

/// Either of both: a file if the text has a '/' or ends in ".xml", else hwloc's words.
Result<Machine> read_machine(const std::string& path_or_text);

/// The resources on `machine` that wholly contain `binding`, outermost first, the node with number
/// `node_index` included. Only the node if `binding` holds all PUs of the machine (not bound), or
/// none of them (unknown). PUs that the machine does not have are ignored.
Locality locality_of(const Machine& machine, const PuSet& binding, std::uint64_t node_index);

/// Locates a rank, also by what holds all PUs of the machine: a process that may run anywhere on a
/// machine of one package is in that package.
Locality instances_around(const Machine& machine, const PuSet& binding, std::uint64_t node_index);

/// The resources of one level in order; none if the machine has no such level. Pointers into it.
std::vector<const Resource*> resources_at(const Machine&, std::string_view level);

/// The levels that the machine has, outermost first, each once: "node", "package", ..., "pu".
std::vector<std::string> levels_of(const Machine&);

/// Indented text for people: levels that cover the same PUs on one line, equal neighbours merged.
std::string to_text(const Machine&);

}  // namespace terrace
