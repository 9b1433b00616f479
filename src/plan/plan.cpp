// SPDX-License-Identifier: BSD-3-Clause
// The builder, and the check of a plan's shape that readers of plans rely on.
#include "plan/plan.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "base/contract.hpp"

namespace terrace {

namespace {

void name_all_tiles(std::vector<Region>& regions, std::uint16_t tiles) {
  for (Region& region : regions)
    if (region.tile_count == Region::kAllTiles) region.tile_count = tiles;
}

std::string complaint_about(const Region& region, const Plan& plan) {
  const auto named = [&](const std::string& what) { return to_text(region, plan) + ": " + what; };
  if (region.rank >= plan.ranks)
    return named("the plan has ranks 0 to " + std::to_string(plan.ranks - 1));
  if (region.tile_count == 0 || region.first_tile + region.tile_count > plan.tiles)
    return named("the plan has tiles 0 to " + std::to_string(plan.tiles - 1));
  if (region.buffer == Buffer::exposed && region.block >= plan.exposures.size())
    return named("no such exposure is declared");
  if (region.buffer == Buffer::scratch && region.block >= plan.scratch_blocks)
    return named("the plan declares " + std::to_string(plan.scratch_blocks) + " scratch blocks");
  if (region.buffer == Buffer::mailbox && plan.line_of(region) >= plan.lines)
    return named("the plan declares " + std::to_string(plan.lines) + " lines");
  return {};
}

/// Only the owner knows who read such memory in earlier calls (Invariant S).
bool is_guarded_by_owner(Buffer buffer) {
  return buffer == Buffer::scratch || buffer == Buffer::mailbox;
}

/// Tiles differ in size, so what is copied or combined stays in its tiles.
bool have_same_tiles(const Region& one, const Region& other) {
  return one.first_tile == other.first_tile && one.tile_count == other.tile_count;
}

std::string complaint_about_targets(const Step& step, const Plan& plan) {
  for (const Region& region : step.to) {
    if (region.buffer == Buffer::input) return "an input cannot be written";
    if (region.rank != step.by && is_guarded_by_owner(region.buffer))
      return to_text(region, plan) + ": a rank writes only its own scratch and lines";
  }
  return {};
}

/// A reduction combines all operands for all targets; the others copy pair by pair.
std::string complaint_about_pairs(const Step& step) {
  const char* const misfit = "operands and targets name different tiles";
  switch (step.kind) {
    case StepKind::reduce:
      if (step.to.empty() || step.from.empty())
        return "a reduction needs at least one operand and one target";
      for (const auto* regions : {&step.to, &step.from})
        for (const Region& region : *regions)
          if (!have_same_tiles(region, step.to.front())) return misfit;
      return {};
    case StepKind::copy:
      if (step.to.empty() || step.to.size() != step.from.size())
        return "a copy needs as many operands as targets, at least one";
      for (std::size_t i = 0; i < step.from.size(); ++i)
        if (!have_same_tiles(step.from[i], step.to[i])) return misfit;
      return {};
    case StepKind::expose:
    case StepKind::deliver:
      if (step.from.size() > step.to.size()) return "more operands than targets";
      if (step.kind == StepKind::deliver && step.from.size() < step.to.size())
        return "more targets than operands";
      for (std::size_t i = 0; i < step.from.size(); ++i)
        if (!have_same_tiles(step.from[i], step.to[i])) return misfit;
      for (const auto* regions : {&step.to, &step.from})
        for (const Region& region : *regions)
          if (region.rank != step.by) return "a rank exposes and delivers only its own buffers";
      return {};
    case StepKind::hold:
      return step.to.empty() && step.from.empty() ? "" : "a hold only waits";
    case StepKind::send:
    case StepKind::receive:
      return {};
  }
  return {};
}

/// Its own memory at either end; what lies at the other is the peer's business.
std::string complaint_about_message(const Step& step, const Plan& plan) {
  if (!is_half_of_message(step.kind)) return {};
  const bool sends = step.kind == StepKind::send;
  const std::vector<Region>&mine = sends ? step.from : step.to, &none = sends ? step.to : step.from;
  if (mine.empty() || !none.empty())
    return sends ? "a send needs operands, and no targets" : "a receive needs targets, no operands";
  if (step.peer >= plan.ranks) return "no rank " + std::to_string(step.peer) + " in this plan";
  if (plan.node_of(step.peer) == plan.node_of(step.by))
    return "rank " + std::to_string(step.peer) + " is on the same node as rank " +
           std::to_string(step.by) + ", who reads or writes its memory without messages";
  for (const Region& region : mine)
    if (region.rank != step.by)
      return to_text(region, plan) + ": a rank sends from its own memory, and receives into it";
  return {};
}

/// Ranks of different nodes share no memory.
std::string complaint_about_nodes(const Step& step, const Plan& plan) {
  const auto is_elsewhere = [&](Rank rank) {
    return rank < plan.ranks && plan.node_of(rank) != plan.node_of(step.by);
  };
  for (const auto* regions : {&step.to, &step.from})
    for (const Region& region : *regions)
      if (is_elsewhere(region.rank))
        return to_text(region, plan) + " lies on another node than rank " +
               std::to_string(step.by) + ": only a message gets there";
  for (const Wait& wait : step.waits)
    if (is_elsewhere(wait.rank))
      return "waits for rank " + std::to_string(wait.rank) +
             ", whose steps another node cannot see";
  return {};
}

/// Complains about steps that only lowering may make, in a plan as an author writes it.
std::string complaint_about_authorship(const Step& step, const Plan& plan) {
  if (plan.lowering != Lowering::none) return {};
  const bool is_authors =
      step.kind == StepKind::reduce || step.kind == StepKind::copy || is_half_of_message(step.kind);
  if (!is_authors) return "expose, deliver and hold are for lowering to add";
  for (const auto* regions : {&step.to, &step.from})
    for (const Region& region : *regions)
      if (region.buffer == Buffer::mailbox || region.buffer == Buffer::exposed)
        return to_text(region, plan) + ": only a plan with a line `lowering` may name that";
  return {};
}

std::string complaint_about_waits(const Step& step, const std::vector<std::uint32_t>& step_counts) {
  for (const Wait& wait : step.waits) {
    if (wait.rank >= step_counts.size() || wait.steps == 0)
      return "a wait names a rank of the plan and at least one step";
    if (wait.steps > step_counts[wait.rank])
      return "waits for step " + std::to_string(wait.steps) + " of rank " +
             std::to_string(wait.rank) + ", which has " + std::to_string(step_counts[wait.rank]);
  }
  return {};
}

std::string complaint_about(const Step& step, const Plan& plan,
                            const std::vector<std::uint32_t>& step_counts) {
  if (step.by >= plan.ranks) return "no rank " + std::to_string(step.by) + " in this plan";
  if (std::string text = complaint_about_authorship(step, plan); !text.empty()) return text;
  for (const auto* regions : {&step.to, &step.from})
    for (const Region& region : *regions)
      if (std::string text = complaint_about(region, plan); !text.empty()) return text;
  for (std::string text :
       {complaint_about_pairs(step), complaint_about_message(step, plan),
        complaint_about_targets(step, plan), complaint_about_waits(step, step_counts),
        complaint_about_nodes(step, plan)})
    if (!text.empty()) return text;
  return {};
}

/// Steps per strip of each rank.
std::vector<std::uint32_t> step_counts_of(const Plan& plan) {
  std::vector<std::uint32_t> counts(plan.ranks, 0);
  for (const Step& step : plan.body)
    if (step.by < plan.ranks) ++counts[step.by];
  return counts;
}

std::string complaint_about_exposures(const Plan& plan) {
  if (plan.lowering != Lowering::owner)
    return plan.exposures.empty() ? "" : "only `lowering owner` has exposures";
  if (!plan.exposures.empty() && plan.lines == 0)
    return "exposures are announced in a line: `lines` must be at least 1";
  for (const Exposure& exposure : plan.exposures)
    if (exposure.scratch_block >= plan.scratch_blocks)
      return "an exposure's scratch block " + std::to_string(exposure.scratch_block) +
             " is beyond the " + std::to_string(plan.scratch_blocks) + " declared";
  return {};
}

/// Derivations and proofs keep account of each tile of each block of each rank.
std::string complaint_about_size(const Plan& plan) {
  constexpr std::uint64_t kMostCells = std::uint64_t{1} << 26;
  std::uint64_t users = 0;
  for (const auto* steps : {&plan.body, &plan.closing})
    for (const Step& step : *steps)
      for (const auto* regions : {&step.to, &step.from})
        for (const Region& region : *regions)
          if (region.buffer == Buffer::input || region.buffer == Buffer::output)
            users = std::max(users, std::uint64_t{region.block} + 1);
  for (const Exposure& exposure : plan.exposures)
    users = std::max(users, std::uint64_t{exposure.block} + 1);
  const std::uint64_t staged = plan.exposures.size() + plan.scratch_blocks,
                      lines = std::uint64_t{plan.lines} * plan.pockets,
                      blocks = 2 * users + plan.ring * staged + lines;
  if (blocks * plan.tiles <= kMostCells / plan.ranks) return {};
  return std::to_string(plan.ranks) + " ranks with " + std::to_string(blocks) + " blocks of " +
         std::to_string(plan.tiles) +
         " tiles each are more than can be kept account of: expected " +
         std::to_string(kMostCells) + " tiles at most";
}

/// A rank awaits itself only for the sake of its messages, which closing steps do not start.
std::string complaint_about_own_waits(const Plan& plan) {
  std::vector<bool> sends(plan.ranks);
  for (const Step& step : plan.body) sends[step.by] = sends[step.by] || step.kind == StepKind::send;
  for (const auto* steps : {&plan.body, &plan.closing})
    for (const Step& step : *steps)
      for (const Wait& wait : step.waits)
        if (wait.rank == step.by && !sends[step.by])
          return "rank " + std::to_string(step.by) +
                 " waits for messages of its own, of which it has none";
  for (const Step& step : plan.closing)
    if (is_half_of_message(step.kind)) return "a closing step sends or receives a message";
  return {};
}

/// A line is sent when a step has filled it, once a call: a reader that sees its flag takes it for
/// whole.
std::string complaint_about_lines(const Plan& plan) {
  std::map<std::pair<Rank, std::uint16_t>, const Step*> writers;
  for (const auto* steps : {&plan.body, &plan.closing})
    for (const Step& step : *steps)
      for (const Region& target : step.to) {
        if (target.buffer != Buffer::mailbox) continue;
        const auto writer = writers.try_emplace({target.rank, plan.line_of(target)}, &step).first;
        if (writer->second != &step)
          return to_text(target, plan) + ": another step also writes that line";
      }
  return {};
}

}  // namespace

bool Plan::has_messages() const {
  return std::any_of(body.begin(), body.end(),
                     [](const Step& step) { return is_half_of_message(step.kind); });
}

PlanBuilder::PlanBuilder(std::string name, Rank ranks, std::uint32_t tiles,
                         std::vector<std::uint32_t> nodes) {
  TERRACE_ASSERT(ranks != 0 && tiles != 0 && tiles <= 0xffff, ranks, tiles);
  TERRACE_ASSERT(nodes.empty() || nodes.size() == ranks, nodes.size(), ranks);
  plan_.name = std::move(name);
  plan_.ranks = ranks;
  plan_.tiles = static_cast<std::uint16_t>(tiles);
  plan_.nodes = std::move(nodes);
}

void PlanBuilder::reduce(Rank by, std::vector<Region> operands, std::vector<Region> targets) {
  add(StepKind::reduce, by, std::move(operands), std::move(targets));
}

void PlanBuilder::copy_each(Rank by, const std::vector<Copy>& copies) {
  std::vector<Region> operands, targets;
  for (const Copy& copy : copies) {
    operands.push_back(copy.from);
    targets.push_back(copy.to);
  }
  if (!copies.empty()) add(StepKind::copy, by, std::move(operands), std::move(targets));
}

void PlanBuilder::send_all(const std::vector<Message>& messages) {
  for (const Message& message : messages) {
    std::vector<Region> operands;
    TERRACE_ASSERT(!message.empty());
    for (const Copy& value : message) operands.push_back(value.from);
    const Copy& first = message.front();
    add(StepKind::send, first.from.rank, std::move(operands), {}, first.to.rank);
  }
  for (const Message& message : messages) {
    std::vector<Region> targets;
    TERRACE_ASSERT(std::all_of(message.begin(), message.end(), [&](const Copy& value) {
      return value.from.rank == message.front().from.rank &&
             value.to.rank == message.front().to.rank;
    }));
    for (const Copy& value : message) targets.push_back(value.to);
    const Copy& first = message.front();
    add(StepKind::receive, first.to.rank, {}, std::move(targets), first.from.rank);
  }
}

void PlanBuilder::add(StepKind kind, Rank by, std::vector<Region> operands,
                      std::vector<Region> targets, Rank peer) {
  TERRACE_ASSERT(by < plan_.ranks && peer < plan_.ranks, by, peer, plan_.ranks);
  name_all_tiles(operands, plan_.tiles);
  name_all_tiles(targets, plan_.tiles);
  for (const auto* regions : {&operands, &targets})
    for (const Region& region : *regions)
      if (region.buffer == Buffer::scratch && region.block >= plan_.scratch_blocks)
        plan_.scratch_blocks = static_cast<std::uint16_t>(region.block + 1);
  plan_.body.push_back({kind, by, std::move(targets), std::move(operands), {}, peer});
}

Result<bool> check_shape(const Plan& plan) {
  if (plan.ranks == 0 || plan.tiles == 0 || plan.ring == 0 || plan.pockets == 0)
    return Error{ErrorCode::argument,
                 "plan " + plan.name + ": ranks, tiles, ring and pockets start at 1"};
  constexpr Rank kMostRanks = 0x10000;  // parts hold ranks in 16 bits
  if (plan.ranks > kMostRanks)
    return Error{ErrorCode::argument, "plan " + plan.name + ": at most 65536 ranks"};
  if (!plan.nodes.empty() && plan.nodes.size() != plan.ranks)
    return Error{ErrorCode::argument, "plan " + plan.name +
                                          ": each of its ranks is on one node, expected " +
                                          std::to_string(plan.ranks) + " ranks, got " +
                                          std::to_string(plan.nodes.size())};
  for (const std::string& text : {complaint_about_exposures(plan), complaint_about_size(plan)})
    if (!text.empty()) return Error{ErrorCode::argument, "plan " + plan.name + ": " + text};
  const std::vector<std::uint32_t> step_counts = step_counts_of(plan);
  for (const auto* steps : {&plan.body, &plan.closing})
    for (const Step& step : *steps)
      if (std::string text = complaint_about(step, plan, step_counts); !text.empty())
        return Error{ErrorCode::argument,
                     "plan " + plan.name + ", step `" + to_text(step, plan) + "`: " + text};
  for (const std::string& text : {complaint_about_lines(plan), complaint_about_own_waits(plan)})
    if (!text.empty()) return Error{ErrorCode::argument, "plan " + plan.name + ": " + text};
  return true;
}

bool run_the_same(const Plan& one, const Plan& other) {
  const auto what_runs = [](const Plan& plan) {
    return std::tie(plan.ranks, plan.tiles, plan.nodes, plan.lowering, plan.ring,
                    plan.scratch_blocks, plan.lines, plan.pockets, plan.bounces_in_place,
                    plan.exposures, plan.body, plan.closing);
  };
  return what_runs(one) == what_runs(other);
}

}  // namespace terrace
