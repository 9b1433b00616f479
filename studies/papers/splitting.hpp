// SPDX-License-Identifier: BSD-3-Clause
// The ParCo paper's machines and worked examples, split by Terrace's own rules.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "papers/claim.hpp"

namespace terrace::papers {

/// A machine of the paper's Table 1, as hwloc's words, and what the table says of it.
struct Platform {
  const char* name;
  const char* node;  ///< in hwloc's words (machine/pretend.hpp)
  std::uint32_t nodes;
  std::vector<std::uint32_t> switches;  ///< nodes at each; none: one switch, which divides no ranks
  std::uint32_t cores;                  ///< of all
  std::uint32_t levels;                 ///< "hierarchical levels"
};

const std::vector<Platform>& platforms();

/// The nodes of the HPDC'13 paper, which has no such table.
const std::vector<Platform>& nodes_of_hpdc13();

/// How many parts a group of each level has at most, from the outermost in, if every core has a
/// rank: {10, 2, 2, 6}.
Result<std::vector<std::uint32_t>> programs_of(const Platform& platform);

/// Sections 5.1 and 5.2: bindings of ranks to the node of Figure 1.
struct Example {
  const char* section;
  std::uint32_t ranks;
  const char* nodes;
  const char* bindings;
  /// Step by step, the groups of all parents in order, and the roots; as communicators/layers.hpp
  /// prints them.
  std::vector<std::string> groups, roots;
};

const std::vector<Example>& examples();

ClaimAnswer levels_of_platforms(const std::vector<Platform>& platforms);  // A24, B6
ClaimAnswer splits_of_examples(const std::vector<Example>& examples);     // B7

}  // namespace terrace::papers
