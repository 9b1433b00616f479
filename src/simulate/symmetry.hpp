// SPDX-License-Identifier: BSD-3-Clause
// Symmetry reduction: finds nodes that behave alike, from their programs. Their ranks run the same
// steps, and exchange messages with ranks of nodes that behave alike, across the same levels of the
// network; so they do the same at the same times, and simulating one of them is enough.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/locality.hpp"
#include "model/machine_model.hpp"
#include "plan/rank_program.hpp"

namespace terrace::simulate {

/// The assignment of a job's ranks to nodes.
struct Nodes {
  std::vector<std::uint32_t> node_of;    ///< by rank
  std::vector<std::uint32_t> number_of;  ///< by rank: within its node
  std::vector<std::vector<Rank>> ranks;  ///< by node

  std::uint32_t count() const { return static_cast<std::uint32_t>(ranks.size()); }
};

Nodes nodes_of(std::span<const Locality> localities);

/// Nodes that may do the same. Programs' ranks are the job's.
struct SymmetryQuestion {
  const Nodes& nodes;
  std::span<const RankProgram> programs;
  std::span<const Locality> localities;
  const model::MachineModel& model;
  bool is_direct = true;  ///< users' buffers are reached where they are
};

/// The class of each node, numbered in the order of their first nodes.
std::vector<std::uint32_t> classes_of(const SymmetryQuestion& job);

/// Why a node is of another class than the first, in a sentence.
std::string why_not_symmetric(std::uint32_t node, const SymmetryQuestion& job);

/// A node's parts, in which its ranks are numbered within it; peers of messages stay as they are.
std::vector<RankProgram> programs_on_node(const Nodes& nodes, std::uint32_t node,
                                          std::span<const RankProgram> programs);

}  // namespace terrace::simulate
