// SPDX-License-Identifier: BSD-3-Clause
// The builder, and the check of a plan's shape that readers of plans rely on.
#include "plan/plan.hpp"

namespace terrace {

namespace {

void name_all_tiles(std::vector<Region>& regions, std::uint16_t tiles) {
  for (Region& region : regions)
    if (region.tile_count == Region::kAllTiles) region.tile_count = tiles;
}

std::string complaint_about(const Region& region, const Plan& plan) {
  const std::string name = to_text(region, plan);
  if (region.rank >= plan.ranks)
    return name + ": the plan has ranks 0 to " + std::to_string(plan.ranks - 1);
  if (region.tile_count == 0 || region.first_tile + region.tile_count > plan.tiles)
    return name + ": the plan has tiles 0 to " + std::to_string(plan.tiles - 1);
  if (region.buffer == Buffer::exposed && region.block >= plan.exposures.size())
    return name + ": no such exposure is declared";
  if (region.buffer == Buffer::scratch && region.block >= plan.scratch_blocks)
    return name + ": the plan declares " + std::to_string(plan.scratch_blocks) + " scratch blocks";
  if (region.buffer == Buffer::mailbox && region.block >= plan.lines)
    return name + ": the plan declares " + std::to_string(plan.lines) + " lines";
  return {};
}

/// Only the owner knows who read such memory in earlier calls (Invariant S).
bool is_guarded_by_owner(Buffer buffer) {
  return buffer == Buffer::scratch || buffer == Buffer::mailbox;
}

std::string complaint_about(const Step& step, const Plan& plan) {
  if (step.by >= plan.ranks) return "no rank " + std::to_string(step.by) + " in this plan";
  for (const auto* regions : {&step.to, &step.from})
    for (const Region& region : *regions)
      if (std::string text = complaint_about(region, plan); !text.empty()) return text;
  if (step.kind == StepKind::reduce && (step.to.empty() || step.from.empty()))
    return "a reduction needs at least one operand and one target";
  for (const Region& region : step.to) {
    if (region.buffer == Buffer::input) return "an input cannot be written";
    if (region.rank != step.by && is_guarded_by_owner(region.buffer))
      return to_text(region, plan) + ": a rank writes only its own scratch and lines";
  }
  for (const Region& region : step.from)
    if (step.kind == StepKind::reduce && region.tile_count != step.to.front().tile_count)
      return "operands and targets differ in their number of tiles";
  for (const Wait& wait : step.waits)
    if (wait.rank >= plan.ranks || wait.steps == 0 || wait.rank == step.by)
      return "a wait names another rank of the plan and at least one step";
  return {};
}

}  // namespace

PlanBuilder::PlanBuilder(std::string name, Rank ranks, std::uint32_t tiles) {
  plan_.name = std::move(name);
  plan_.ranks = ranks;
  plan_.tiles = static_cast<std::uint16_t>(tiles);
}

void PlanBuilder::reduce(Rank by, std::vector<Region> operands, std::vector<Region> targets) {
  name_all_tiles(operands, plan_.tiles);
  name_all_tiles(targets, plan_.tiles);
  for (const auto* regions : {&operands, &targets})
    for (const Region& region : *regions)
      if (region.buffer == Buffer::scratch && region.block >= plan_.scratch_blocks)
        plan_.scratch_blocks = static_cast<std::uint16_t>(region.block + 1);
  plan_.body.push_back({StepKind::reduce, by, std::move(targets), std::move(operands), {}});
}

Result<bool> check_shape(const Plan& plan) {
  if (plan.ranks == 0 || plan.tiles == 0 || plan.ring == 0)
    return Error{ErrorCode::argument, "plan " + plan.name + ": ranks, tiles and ring start at 1"};
  for (const auto* steps : {&plan.body, &plan.closing})
    for (const Step& step : *steps)
      if (std::string text = complaint_about(step, plan); !text.empty())
        return Error{ErrorCode::argument, "plan " + plan.name + ", step `" +
                                              to_text(step, plan) + "`: " + text};
  return true;
}

}  // namespace terrace
