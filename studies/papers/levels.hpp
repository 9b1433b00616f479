// SPDX-License-Identifier: BSD-3-Clause
// The ParCo paper's claims, tested on plans: Open MPI's algorithms by name, over all ranks and
// level by level, the matrices' broadcasts and the vectors' gathers, simulated and costed on the
// machine files of its Table 1. Unlike counts of messages (messages.hpp), this includes shared
// links, caches and single lines, and a node's messages leave one after the other.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hierarchy/hierarchy.hpp"
#include "model/machine_model.hpp"
#include "papers/by_name.hpp"
#include "papers/claim.hpp"
#include "papers/messages.hpp"
#include "papers/splitting.hpp"
#include "plan/rank_program.hpp"

namespace terrace::papers {

/// A rank on each core of a platform.
struct PaperJob {
  const Platform* platform = nullptr;
  model::MachineModel machine;
  std::vector<Locality> ranks;
  Hierarchy hierarchy;
};

/// How ranks are numbered: along the machine, or rank r on node r mod the number of nodes.
enum class RankPlacement : std::uint8_t { along_machine, node_by_node };

/// Errors: argument, where the machine file is not found. `file`: none, the platform's name.
Result<PaperJob> job_on(const Platform& platform,
                        RankPlacement placement = RankPlacement::along_machine,
                        const std::string& file = "");

/// Terrace's names, for Figures 5 to 7 and 8 to 10.
const std::vector<std::string>& broadcast_names();
const std::vector<std::string>& reduction_names();

/// A plan as it runs: over lines where a value fits one, as MPIs send short messages.
struct PaperProgram {
  struct Lowered {
    Plan plan;
    std::vector<RankProgram> parts;
  };
  std::optional<Lowered> lines;
  Lowered owner;
};

PaperProgram program_of(const Plan& written);
/// By Terrace's name, over all ranks or by level.
PaperProgram program_of(const PaperJob& job, const std::string& algorithm);

/// Ranks in a grid, as square as it can be: along all rows a block at once, then down all columns.
/// 1 group: over all of a row; several: first among as many runs of a row; none: by levels.
Plan matrix_plan(const PaperJob& job, std::optional<std::uint32_t> groups);

/// Section 7.4: at each level the first rank of each group gathers and sums up. Sizes of manual
/// levels from the outermost in, or none: the machine's.
Plan vector_plan(const PaperJob& job, std::span<const std::uint32_t> sizes);
std::span<const std::vector<std::uint32_t>> manual_levels();
inline constexpr double kMatrixBlock = 8 * sizeof(double);

/// What the papers leave open of a machine and an MPI.
const FactorBox& level_box();
/// The machine file's numbers, but for those that the box has axes for.
model::MachineModel machine_at(const PaperJob& job, FactorPoint point);
/// How the MPI moves values, from the same point.
struct Manner {
  bool is_direct = false;
  double strip_bytes = 0;  ///< 0: whole
};
Manner manner_at(FactorPoint point);
/// The machine file as it is; an MPI that copies in and out, values whole.
std::vector<double> point_in_the_middle();

/// ns until the last rank is done.
double time_by(ModelClock clock, const model::MachineModel& machine, const PaperJob& job,
               const PaperProgram& program, Manner manner, double bytes);

ClaimAnswer simulated_broadcasts_by_level();    // B2s
ClaimAnswer simulated_reductions_by_level();    // B3s
ClaimAnswer which_simulated_reductions_gain();  // B3bs
ClaimAnswer simulated_matrix_multiplication();  // B4s
ClaimAnswer simulated_vector_processing();      // B5s

}  // namespace terrace::papers
