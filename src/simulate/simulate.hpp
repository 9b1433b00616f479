// SPDX-License-Identifier: BSD-3-Clause
// Simulates a lowered plan: runs the rank programs, the ones that the executor runs, for all ranks,
// on a machine that is known by its model only. What is modelled, and what is not:
// docs/design/simulation.md.
#pragma once

#include <span>
#include <string>

#include "base/locality.hpp"
#include "model/machine_model.hpp"
#include "plan/rank_program.hpp"
#include "simulate/outcome.hpp"

namespace terrace::simulate {

/// One part per rank, of one plan, and where each rank is. The same answer each time, to the bit.
/// Errors: argument, if the model does not do for the ranks, or if ranks wait for ever.
Result<SimulationOutcome> simulate(const model::MachineModel& model,
                                   std::span<const Locality> localities,
                                   std::span<const RankProgram> programs,
                                   const SimulationSetting& setting);

}  // namespace terrace::simulate
