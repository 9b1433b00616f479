// SPDX-License-Identifier: BSD-3-Clause
// The HPDC'13 paper's own algorithms, which exist by name only
// (collectives/algorithms_by_name.inc): asks which is faster, by the simulator and by the cost of
// their plans, at points of the same boxes as Terrace's own.
#pragma once

#include <string>
#include <vector>

#include "papers/claim.hpp"
#include "papers/simulated.hpp"

namespace terrace::papers {

/// What tells the time of a plan.
enum class ModelClock : std::uint8_t { simulated, costed };

const char* name_of(ModelClock clock);
double time_by(ModelClock clock, const model::MachineModel& machine, const PlayStage& stage,
               const PlayedTime& plan, double bytes);

/// Of several plans at several lengths: [length][plan].
using TimeTable = std::vector<std::vector<double>>;

/// Naive, cyclic, hierarchical: whether each is faster than the one before (cyclic: not slower by a
/// thousandth), and cyclic gains less.
bool cyclic_is_not_slower(const TimeTable& times);
bool hierarchical_is_faster(const TimeTable& times);
bool second_gain_is_larger(const TimeTable& times);
bool tiles_are_ordered(const TimeTable& times);

/// Tree, tiles, dissemination: whether dissemination is slower than the tree at all lengths; than
/// tiles at the longest, and not at the shortest.
bool dissemination_loses_to_tree(const TimeTable& times);
bool dissemination_crosses_tiles(const TimeTable& times);
bool dissemination_loses(const TimeTable& times);

ClaimAnswer order_of_tiles_by_name();  // A13s
ClaimAnswer worst_of_three_by_name();  // A14s

}  // namespace terrace::papers
