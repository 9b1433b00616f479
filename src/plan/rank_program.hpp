// SPDX-License-Identifier: BSD-3-Clause
// Rank programs: one rank's share of a lowered plan in the form that the executor runs, flat arrays
// without pointers. Built once per plan and rank; read-only afterwards.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "plan/call_contract.hpp"
#include "plan/plan.hpp"

namespace terrace {

/// The signal that a waiting rank looks at.
enum class Signal : std::uint8_t {
  word,      ///< the peer's count of finished steps
  line,      ///< the sequence number of one of its lines: the payload is then also there
  announce,  ///< its announcing line in strip 0, its word in later strips
  messages,  ///< its own messages that are on their way
};

/// A Wait with everything looked up. Compare with struct Wait.
struct ProgramWait {
  std::uint16_t rank = 0;
  Signal signal = Signal::word;
  When when = When::always;
  std::uint16_t lag = 0;
  std::uint16_t line = 0;             ///< for Signal::line
  bool is_for_line = false;           ///< of this strip, and nothing else
  std::uint16_t newer_messages = 0;   ///< for Signal::messages: this rank's own, since that step
  std::uint32_t steps = 0;            ///< finished steps of the strip ...
  std::uint32_t steps_per_strip = 0;  ///< ... of this many

  bool operator==(const ProgramWait&) const = default;
};

/// A Region with its exposure looked up.
struct ProgramRegion {
  std::uint16_t rank = 0;
  Buffer buffer = Buffer::input;  ///< exposed: the buffer below as its owner announced it
  Buffer exposed_buffer = Buffer::input;
  std::uint16_t block = 0;      ///< the user's block, the scratch block or the line
  std::uint16_t pocket = 0;     ///< of that line
  std::uint16_t completes = 0;  ///< the step's last value for that line: how many pockets it fills
  std::uint16_t bounce_block = 0;  ///< exposed: the scratch block that stands in when bounced
  std::uint16_t first_tile = 0;
  std::uint16_t tile_count = 0;

  bool operator==(const ProgramRegion&) const = default;
};

/// A step: ranges into the part's arrays.
struct Instruction {
  StepKind kind = StepKind::hold;
  bool publishes_word = false;  ///< a peer awaits this step by the rank's word
  bool completes_lines = false;
  std::uint16_t operand_count = 0;
  std::uint16_t target_count = 0;
  std::uint16_t wait_count = 0;
  std::uint16_t peer = 0;  ///< of send and receive
  std::uint32_t first_operand = 0;
  std::uint32_t first_target = 0;
  std::uint32_t first_wait = 0;

  bool operator==(const Instruction&) const = default;
};

struct RankProgram {
  std::string name;
  Rank rank = 0;
  Rank ranks = 0;
  Lowering lowering = Lowering::none;
  std::uint16_t tiles = 1;
  std::uint16_t ring = 1;
  std::uint16_t scratch_blocks = 0;
  std::uint16_t bounce_blocks = 0;  ///< blocks of these, the last, that only bounced buffers need
  /// Ranks do nothing with each other's exposed buffers but copy from them: then no peer needs them
  /// mapped. The same for all parts of a plan.
  bool can_be_pulled = false;
  /// Some rank sends and receives, so that calls need a messenger. The same for all parts of a
  /// plan.
  bool has_messages = false;
  /// All ranks start alone (call_contract.hpp). The same for all parts of a plan; false where a
  /// part is of a plan whose waits are derived by pairs, as not all of them may be known.
  bool starts_alone = false;
  bool bounces_in_place = false;  ///< if its rank's input is its output, it must be bounced
  std::uint16_t lines = 0;
  std::uint16_t pockets = 1;
  std::uint32_t most_steps_per_strip = 0;  ///< of any rank: bounds the number of strips
  std::uint16_t most_operands = 1;         ///< of any instruction
  std::uint16_t most_targets = 1;
  std::uint32_t body_count = 0;  ///< the first instructions, once a strip; the rest come once
  std::vector<Instruction> instructions;
  std::vector<ProgramRegion> operands;
  std::vector<ProgramRegion> targets;
  std::vector<ProgramWait> waits;
  CallContract contract;

  std::span<const ProgramRegion> operands_of(const Instruction& step) const {
    return std::span(operands).subspan(step.first_operand, step.operand_count);
  }
  std::span<const ProgramRegion> targets_of(const Instruction& step) const {
    return std::span(targets).subspan(step.first_target, step.target_count);
  }
  std::span<const ProgramWait> waits_of(const Instruction& step) const {
    return std::span(waits).subspan(step.first_wait, step.wait_count);
  }
  /// The step that shows peers this rank's buffers: one, the first, if any.
  const Instruction* showing_step() const {
    if (lowering != Lowering::owner || instructions.empty()) return nullptr;
    return instructions.front().kind == StepKind::expose ? &instructions.front() : nullptr;
  }
  /// Memory the part takes, in bytes.
  std::size_t bytes() const;

  bool operator==(const RankProgram&) const = default;
};

/// Whether ranks that share memory can run a plan by themselves; the error says why not.
Result<bool> check_runs_on_one_node(const Plan& plan);

/// The share of `rank` in a lowered plan, which may be lowered for that rank alone.
RankProgram program_of(const Plan& plan, Rank rank);
/// Every rank's, which costs little more than one.
std::vector<RankProgram> programs_of(const Plan& plan);

/// A program as the team of its node runs it: `ranks_on_node` are the plan's ranks that the team's
/// ranks are, among them all with which the program shares memory. Peers of messages keep their
/// numbers, and blocks theirs.
RankProgram on_node(RankProgram program, std::span<const Rank> ranks_on_node);

}  // namespace terrace
