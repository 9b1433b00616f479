// SPDX-License-Identifier: BSD-3-Clause
// Turns a lowered plan into the flat programs that run.
#include "plan/rank_program.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "base/contract.hpp"

namespace terrace {

namespace {

/// Builds the parts of one plan from what they have in common. All that the targets of a step tell
/// its readers is looked up once: among p ranks, each of p peers may await a step that has p of
/// them.
class ProgramBuilder {
 public:
  explicit ProgramBuilder(const Plan& plan)
      : plan_(plan),
        body_steps_(plan.ranks),
        closing_steps_(plan.ranks),
        bounce_blocks_(count_bounce_blocks()),
        can_be_pulled_(find_whether_it_can_be_pulled()),
        starts_alone_(!plan.waits_by_pairs && all_start_alone(plan)) {
    TERRACE_ASSERT(check_shape(plan).ok());
    for (const Step& step : plan.body) body_steps_[step.by].push_back({&step, line_of(step)});
    for (const Step& step : plan.closing) closing_steps_[step.by].push_back(&step);
    for (const auto& steps : body_steps_)
      most_steps_ = std::max(most_steps_, static_cast<std::uint32_t>(steps.size()));
    for (const auto* steps : {&plan.body, &plan.closing})
      for (const Step& step : *steps)
        for (const Wait& wait : step.waits) note_awaited(wait, step.by);
  }

  RankProgram build(Rank rank, CallContract contract) const {
    TERRACE_ASSERT(rank < plan_.ranks, rank, plan_.ranks);
    RankProgram part;
    part.name = plan_.name;
    part.rank = rank;
    part.ranks = plan_.ranks;
    part.lowering = plan_.lowering;
    part.tiles = plan_.tiles;
    part.ring = plan_.ring;
    part.scratch_blocks = plan_.scratch_blocks;
    part.bounce_blocks = bounce_blocks_;
    part.can_be_pulled = can_be_pulled_;
    part.has_messages = plan_.has_messages();
    part.starts_alone = starts_alone_;
    part.bounces_in_place = plan_.bounces_in_place;
    part.lines = plan_.lines;
    part.pockets = plan_.pockets;
    part.most_steps_per_strip = most_steps_;
    reserve(rank, part);
    for (const BodyStep& step : body_steps_[rank]) add(*step.step, part);
    part.body_count = static_cast<std::uint32_t>(part.instructions.size());
    for (const Step* step : closing_steps_[rank]) add(*step, part);
    for (std::uint32_t i = 0; i < part.body_count; ++i)
      part.instructions[i].publishes_word = body_steps_[rank][i].publishes_word;
    part.contract = std::move(contract);
    return part;
  }

 private:
  struct BodyStep {
    const Step* step;
    std::optional<std::uint16_t> line;  ///< the last that it writes
    bool publishes_word = false;        ///< a peer awaits it so
  };

  /// Parts are kept, so they take no more memory than they need.
  void reserve(Rank rank, RankProgram& part) const {
    std::size_t operands = 0, targets = 0, waits = 0;
    const auto count = [&](const Step& step) {
      operands += step.from.size();
      targets += step.to.size();
      waits += step.waits.size();
    };
    for (const BodyStep& step : body_steps_[rank]) count(*step.step);
    for (const Step* step : closing_steps_[rank]) count(*step);
    part.instructions.reserve(body_steps_[rank].size() + closing_steps_[rank].size());
    part.operands.reserve(operands);
    part.targets.reserve(targets);
    part.waits.reserve(waits);
  }

  /// Several exposures may have the same.
  std::uint16_t count_bounce_blocks() const {
    std::set<std::uint16_t> blocks;
    for (const Exposure& exposure : plan_.exposures) blocks.insert(exposure.scratch_block);
    return static_cast<std::uint16_t>(blocks.size());
  }

  /// Whether peers' values can be pulled: none is combined or sent, which would have to be put down
  /// somewhere first, and nothing is stored for peers.
  bool find_whether_it_can_be_pulled() const {
    bool is_copied = false;
    for (const auto* steps : {&plan_.body, &plan_.closing})
      for (const Step& step : *steps) {
        const auto is_a_peers = [&step](const Region& region) {
          return region.buffer == Buffer::exposed && region.rank != step.by;
        };
        const bool is_read = std::any_of(step.from.begin(), step.from.end(), is_a_peers);
        const bool combines = step.kind == StepKind::reduce && step.from.size() > 1;
        if (std::any_of(step.to.begin(), step.to.end(), is_a_peers) ||
            ((combines || step.kind == StepKind::send) && is_read))
          return false;
        is_copied |= is_read;
      }
    return is_copied;
  }

  const BodyStep& awaited_step(const Wait& wait) const {
    TERRACE_REQUIRE(wait.steps >= 1 && wait.steps <= body_steps_[wait.rank].size(), wait.rank,
                    wait.steps);
    return body_steps_[wait.rank][wait.steps - 1];
  }

  std::optional<std::uint16_t> line_of(const Step& step) const {
    const auto last = std::find_if(step.to.rbegin(), step.to.rend(), [](const Region& target) {
      return target.buffer == Buffer::mailbox;
    });
    return last == step.to.rend() ? std::nullopt : std::optional(plan_.line_of(*last));
  }

  static Signal signal_of(const Wait& wait, const BodyStep& awaited, Rank by) {
    if (wait.rank == by) return Signal::messages;
    if (awaited.line) return Signal::line;
    if (awaited.step->kind == StepKind::expose) return Signal::announce;
    return Signal::word;
  }

  void note_awaited(const Wait& wait, Rank by) {
    const Signal signal = signal_of(wait, awaited_step(wait), by);
    if (signal != Signal::line && signal != Signal::messages)
      body_steps_[wait.rank][wait.steps - 1].publishes_word = true;
  }

  static std::size_t sends_among(std::span<const BodyStep> steps) {
    return static_cast<std::size_t>(
        std::count_if(steps.begin(), steps.end(),
                      [](const BodyStep& step) { return step.step->kind == StepKind::send; }));
  }

  /// Counts the messages that a rank has sent since the step that it awaits, when it comes to the
  /// one after `before` steps of the body.
  std::uint16_t newer_messages(const Wait& wait, Rank by, std::size_t before) const {
    const std::span<const BodyStep> steps = body_steps_[by];
    const std::size_t newer = wait.lag * sends_among(steps) + sends_among(steps.first(before)) -
                              sends_among(steps.first(wait.steps));
    TERRACE_REQUIRE(newer <= 0xffff, newer, wait.lag);
    return static_cast<std::uint16_t>(newer);
  }

  /// `before`: how many steps of the body come before the one that waits.
  ProgramWait translated(const Wait& wait, Rank by, std::size_t before) const {
    const BodyStep& awaited = awaited_step(wait);
    ProgramWait result;
    result.rank = static_cast<std::uint16_t>(wait.rank);
    result.signal = signal_of(wait, awaited, by);
    result.when = wait.when;
    result.lag = static_cast<std::uint16_t>(wait.lag);
    result.steps = wait.steps;
    result.steps_per_strip = static_cast<std::uint32_t>(body_steps_[wait.rank].size());
    if (result.signal == Signal::line) result.line = *awaited.line;
    TERRACE_ASSERT(result.signal != Signal::line || result.line < plan_.lines, result.line);
    if (result.signal == Signal::messages) result.newer_messages = newer_messages(wait, by, before);
    result.is_for_line =
        result.signal == Signal::line && result.lag == 0 && result.when == When::always;
    return result;
  }

  ProgramRegion translated(const Region& region) const {
    TERRACE_REQUIRE(region.rank < plan_.ranks && plan_.ranks <= 0x10000, region.rank, plan_.ranks);
    ProgramRegion result;
    result.rank = static_cast<std::uint16_t>(region.rank);
    result.buffer = region.buffer;
    result.block = region.block;
    result.first_tile = region.first_tile;
    result.tile_count = region.tile_count;
    if (region.buffer == Buffer::mailbox) {
      result.block = plan_.line_of(region);
      result.pocket = static_cast<std::uint16_t>(region.block % plan_.pockets);
      TERRACE_ASSERT(result.block < plan_.lines, result.block, plan_.lines);
    }
    if (region.buffer == Buffer::exposed) {
      const Exposure& exposure = plan_.exposures[region.block];
      TERRACE_ASSERT(exposure.scratch_block < plan_.scratch_blocks, exposure.scratch_block);
      result.exposed_buffer = exposure.buffer;
      result.block = exposure.block;
      result.bounce_block = exposure.scratch_block;
    }
    return result;
  }

  /// A line is sent once, when it is whole; other targets may stand between the values it carries.
  static void mark_complete_lines(std::span<ProgramRegion> targets) {
    std::map<std::uint16_t, ProgramRegion*> last_of;
    for (ProgramRegion& target : targets) {
      if (target.buffer != Buffer::mailbox) continue;
      target.completes = static_cast<std::uint16_t>(target.pocket + 1);
      ProgramRegion*& last = last_of[target.block];
      if (last != nullptr)
        target.completes = std::max(target.completes, std::exchange(last->completes, {}));
      last = &target;
    }
  }

  void add(const Step& step, RankProgram& part) const {
    // Programs count in 16 bits.
    TERRACE_REQUIRE(
        step.from.size() <= 0xffff && step.to.size() <= 0xffff && step.waits.size() <= 0xffff,
        step.from.size(), step.to.size(), step.waits.size());
    Instruction instruction;
    instruction.kind = step.kind;
    instruction.peer = static_cast<std::uint16_t>(step.peer);
    instruction.first_operand = static_cast<std::uint32_t>(part.operands.size());
    instruction.first_target = static_cast<std::uint32_t>(part.targets.size());
    instruction.first_wait = static_cast<std::uint32_t>(part.waits.size());
    instruction.operand_count = static_cast<std::uint16_t>(step.from.size());
    instruction.target_count = static_cast<std::uint16_t>(step.to.size());
    instruction.wait_count = static_cast<std::uint16_t>(step.waits.size());
    for (const Region& operand : step.from) part.operands.push_back(translated(operand));
    for (const Region& target : step.to) part.targets.push_back(translated(target));
    mark_complete_lines(std::span(part.targets).subspan(instruction.first_target));
    instruction.completes_lines = line_of(step).has_value();
    const std::size_t before = std::min(part.instructions.size(), body_steps_[step.by].size());
    for (const Wait& wait : step.waits) part.waits.push_back(translated(wait, step.by, before));
    part.most_operands = std::max(part.most_operands, instruction.operand_count);
    part.most_targets = std::max(part.most_targets, instruction.target_count);
    part.instructions.push_back(instruction);
  }

  const Plan& plan_;
  std::vector<std::vector<BodyStep>> body_steps_;  ///< by rank
  std::vector<std::vector<const Step*>> closing_steps_;
  std::uint16_t bounce_blocks_;
  bool can_be_pulled_;
  bool starts_alone_;
  std::uint32_t most_steps_ = 0;  ///< of any rank
};

/// Numbers ranks of a plan as the team of their node does.
class NumbersOnNode {
 public:
  explicit NumbersOnNode(std::span<const Rank> ranks_on_node) : ranks_(ranks_on_node) {
    TERRACE_REQUIRE(std::is_sorted(ranks_.begin(), ranks_.end()));
  }
  bool have(Rank rank) const { return std::binary_search(ranks_.begin(), ranks_.end(), rank); }
  Rank of(Rank rank) const {
    TERRACE_REQUIRE(have(rank), rank);  // plans touch no memory of other nodes (`check_shape`)
    return static_cast<Rank>(std::lower_bound(ranks_.begin(), ranks_.end(), rank) - ranks_.begin());
  }
  void renumber(std::uint16_t& rank) const { rank = static_cast<std::uint16_t>(of(rank)); }
  /// Ranks of other nodes, of whom messages tell, read nothing here.
  void renumber(std::vector<Rank>& readers) const {
    std::erase_if(readers, [&](Rank rank) { return !have(rank); });
    for (Rank& rank : readers) rank = of(rank);
  }

 private:
  std::span<const Rank> ranks_;
};

template <class T>
std::size_t bytes_in(const std::vector<T>& items) {
  return items.capacity() * sizeof(T);
}

}  // namespace

std::size_t RankProgram::bytes() const {
  std::size_t total = sizeof *this + bytes_in(instructions) + bytes_in(operands) +
                      bytes_in(targets) + bytes_in(waits) + bytes_in(contract.scratch_readers) +
                      bytes_in(contract.line_readers);
  for (const auto& readers : contract.line_readers) total += bytes_in(readers);
  return total;
}

Result<bool> check_runs_on_one_node(const Plan& plan) {
  if (!plan.has_messages()) return true;
  return Error{ErrorCode::unsupported,
               "plan " + plan.name + " sends messages across nodes, and these ranks are on one"};
}

RankProgram on_node(RankProgram program, std::span<const Rank> ranks_on_node) {
  const NumbersOnNode numbers(ranks_on_node);
  program.rank = numbers.of(program.rank);
  program.ranks = static_cast<Rank>(ranks_on_node.size());
  for (auto* regions : {&program.operands, &program.targets})
    for (ProgramRegion& region : *regions) numbers.renumber(region.rank);
  for (ProgramWait& wait : program.waits) numbers.renumber(wait.rank);
  numbers.renumber(program.contract.scratch_readers);
  for (std::vector<Rank>& readers : program.contract.line_readers) numbers.renumber(readers);
  return program;
}

RankProgram program_of(const Plan& plan, Rank rank) {
  return ProgramBuilder(plan).build(rank, contract_of(plan, rank));
}

std::vector<RankProgram> programs_of(const Plan& plan) {
  const ProgramBuilder builder(plan);
  std::vector<CallContract> contracts = contracts_of(plan);
  std::vector<RankProgram> parts;
  for (Rank rank = 0; rank < plan.ranks; ++rank)
    parts.push_back(builder.build(rank, std::move(contracts[rank])));
  return parts;
}

}  // namespace terrace
