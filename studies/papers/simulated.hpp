// SPDX-License-Identifier: BSD-3-Clause
// The same claims, tested on Terrace's own plans, simulated on the papers' machines: with flags,
// contention of single lines, overlap of misses, caches of limited size, and memory, none of which
// the equations have.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/locality.hpp"
#include "base/result.hpp"
#include "model/machine_model.hpp"
#include "papers/claim.hpp"
#include "papers/parameters.hpp"
#include "plan/rank_program.hpp"
#include "simulate/outcome.hpp"

namespace terrace::papers {

/// A plan for all cores of a machine; values where they lie, whatever their length.
struct PlayedTime {
  std::string name;
  std::uint32_t radix = 2;
  Plan plan;
  std::vector<RankProgram> parts;
};

/// One of the HPDC'13 nodes: its machine file, where ranks are, and plans to choose from.
struct PlayStage {
  const PaperNode* node = nullptr;
  model::MachineModel machine;
  std::vector<Locality> ranks;
};

/// Errors: argument, where the machine file is not found beside the command.
Result<PlayStage> stage_of(const PaperNode& node, const std::string& machine);
PlayedTime played(const PlayStage& stage, const std::string& algorithm, std::uint32_t radix = 2);

/// The machine file's numbers, but for those that the box has axes for. With the paper's parameters
/// the box has a further axis: how much later each further reader of one line gets it.
model::MachineModel machine_at(const PlayStage& stage, FactorPoint point);
FactorBox simulated_box(const PaperNode& node);

/// ns until the last rank returns from the second of two calls.
double simulated_time(const model::MachineModel& machine, const PlayStage& stage,
                      const PlayedTime& plan, double bytes,
                      simulate::Mode mode = simulate::Mode::real);

/// ns by the cost of the plan, which plays each step once and shares links by order of arrival.
double costed_time(const model::MachineModel& machine, const PlayStage& stage,
                   const PlayedTime& plan, double bytes);

/// "Westmere: b_alpha 2.5 to 10 ..., all else as in machines/westmere-x5650.json"
std::string simulated_box_text(const PaperNode& node);

/// The machine file of a node, by name.
const char* file_of(const PaperNode& node);

/// What a claim says where its machine file is not found.
ClaimAnswer not_found(const Error& error);

/// Points of a box at which plans are simulated: fewer than of the equations, as each is some
/// dozens of simulations.
inline constexpr std::size_t kPlayedPoints = 64;

/// `computed`, if our plan too takes the printed time in the simulator's paper mode.
ClaimAnswer with_simulated_line(ClaimAnswer computed, const PaperNode& node,
                                const std::string& algorithm, double printed);

/// The first power of two in bytes from which tiles are never slower than the binary tree, up to
/// 4 MiB; infinite if there is none.
double simulated_crossover(const PlayStage& stage);

ClaimAnswer simulated_crossovers(double bytes_westmere, double bytes_magny_cours);  // A6s
ClaimAnswer simulated_broadcast_on_westmere();                                      // A9s
ClaimAnswer simulated_broadcast_on_magny_cours();                                   // A10s
ClaimAnswer simulated_slope_beyond_the_cache();                                     // A11
ClaimAnswer simulated_reduction_trees();                                            // A12s

}  // namespace terrace::papers
