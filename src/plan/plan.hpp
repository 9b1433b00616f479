// SPDX-License-Identifier: BSD-3-Clause
// The plan language: a collective as data. It states what every rank reads, combines and writes, as
// steps over regions, with the waits that order them. Everything else in the project (execute,
// verify, model, simulate, draw) reads only this.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/contract.hpp"
#include "base/rank.hpp"
#include "base/result.hpp"

namespace terrace {

/// The memory of a rank that a region lies in.
enum class Buffer : std::uint8_t {
  input,    ///< the user's send buffer; other ranks reach it only through `exposed`
  output,   ///< the user's receive buffer; likewise
  scratch,  ///< team memory of the rank; strip s uses ring slot s mod `Plan::ring`
  mailbox,  ///< lines of the rank, flag and payload together; block = pocket of this call, of
            ///< which each line has `Plan::pockets`
  exposed,  ///< a user's buffer as peers see it: the buffer itself (direct), or a copy of it in
            ///< the owner's scratch (bounced); block = index into `Plan::exposures`
};

/// (rank, buffer, block, tiles): a part of some rank's memory within one strip. Blocks are the
/// user's units (one per peer in a gather); tiles cut a block's strip into `Plan::tiles` parts.
/// In place, block b of a rank's output is block b of its input, so whatever has one block for a
/// rank is numbered by it: rank r gathers block r of its input, not block 0.
struct Region {
  Rank rank = 0;
  Buffer buffer = Buffer::input;
  std::uint16_t block = 0;
  std::uint16_t first_tile = 0;
  std::uint16_t tile_count = kAllTiles;

  static constexpr std::uint16_t kAllTiles = 0;  ///< replaced by Plan::tiles when a plan is built

  Region tile(std::uint32_t index) const { return tiles(index, 1); }
  Region tiles(std::uint32_t first, std::uint32_t count) const {
    TERRACE_ASSERT(first <= 0xffff && count <= 0xffff, first, count);
    Region part = *this;
    part.first_tile = static_cast<std::uint16_t>(first);
    part.tile_count = static_cast<std::uint16_t>(count);
    return part;
  }
  bool operator==(const Region&) const = default;
};

inline Region region(Rank rank, Buffer buffer, std::uint32_t block) {
  TERRACE_ASSERT(block <= 0xffff, block);
  return {rank, buffer, static_cast<std::uint16_t>(block)};
}
inline Region input(Rank rank, std::uint32_t block = 0) {
  return region(rank, Buffer::input, block);
}
inline Region output(Rank rank, std::uint32_t block = 0) {
  return region(rank, Buffer::output, block);
}
inline Region scratch(Rank rank, std::uint32_t block = 0) {
  return region(rank, Buffer::scratch, block);
}
inline Region mailbox(Rank rank, std::uint32_t pocket) {
  return region(rank, Buffer::mailbox, pocket);
}
inline Region exposed(Rank rank, std::uint32_t exposure) {
  return region(rank, Buffer::exposed, exposure);
}

/// When a wait counts. How a rank's buffers are reached is its own decision, call by call; waits
/// that only one of the two reaches needs are skipped under the other.
enum class When : std::uint8_t { always, if_direct, if_bounced };

/// "Not before `rank` has finished `steps` steps of strip s - `lag`", where s is the strip at
/// hand. In a closing step it speaks of the last strip. Vacuous where s < lag.
///
/// A rank that names itself waits for its messages: those that it started up to that step have
/// gone, so that what they were read from may be written again.
struct Wait {
  Rank rank = 0;
  std::uint32_t steps = 0;
  std::uint32_t lag = 0;
  When when = When::always;

  bool operator==(const Wait&) const = default;
};

enum class StepKind : std::uint8_t {
  expose,   ///< announces how peers reach this rank's buffers, and copies them if bounced
  reduce,   ///< targets = operand + operand + ..., in that order; one operand is a copy
  copy,     ///< each target = its own operand, one after the other, when all waits are met
  deliver,  ///< peers wrote into `exposed`: if bounced, copies that to the user's buffer
  hold,     ///< only waits: peers may still read what they were shown
  send,     ///< starts a message with the operands to `peer`, on another node; does not wait
  receive,  ///< waits for the next message of `peer`, whose values become the targets
};

inline bool is_half_of_message(StepKind kind) {
  return kind == StepKind::send || kind == StepKind::receive;
}

struct Step {
  StepKind kind = StepKind::reduce;
  Rank by = 0;
  std::vector<Region> to;
  std::vector<Region> from;
  std::vector<Wait> waits;
  Rank peer = 0;  ///< of `send` and `receive`: who does the other half

  bool operator==(const Step&) const = default;
};

/// The way in which a plan over inputs and outputs is turned into one that runs (lower.hpp).
enum class Lowering : std::uint8_t {
  none,   ///< as its author wrote it: inputs and outputs of others are named directly
  lines,  ///< each shared value fits a mailbox line: flag and payload travel together
  owner,  ///< shared values are exposed; each owner decides between direct and bounced
};

/// A user's buffer that peers touch, and the scratch block that stands in for it when bounced.
struct Exposure {
  Buffer buffer = Buffer::input;  ///< input or output
  std::uint16_t block = 0;
  std::uint16_t scratch_block = 0;

  bool operator==(const Exposure&) const = default;
};

/// All ranks' steps in one statement order: running them top to bottom on one thread is right, and
/// every wait points backwards in it, so a plan cannot deadlock.
struct Plan {
  std::string name;
  Rank ranks = 0;
  std::uint16_t tiles = 1;
  /// The node of each rank; empty where all share one. Ranks of different nodes share no memory:
  /// all that goes from one to the other is messages. Of one rank to another they come in order.
  std::vector<std::uint32_t> nodes;
  Lowering lowering = Lowering::none;
  std::uint16_t ring = 1;            ///< scratch slots that successive strips go around
  std::uint16_t scratch_blocks = 0;  ///< per slot, those of exposures included
  std::uint16_t lines = 0;           ///< mailbox lines a call uses, the same number at every rank
  std::uint16_t pockets = 1;         ///< values that a line carries, one after the other
  /// Right only if ranks that call in place are bounced: no step minds that a rank's output may lie
  /// where its peers read its input.
  bool bounces_in_place = false;
  /// The calls that it is meant for, by the bytes of a rank's vector or block: where a user asks
  /// for it, others run our own plans.
  std::uint64_t least_bytes = 0, most_bytes = std::numeric_limits<std::uint64_t>::max();
  /// Waits of two ranks for each other depend on these two alone (`derive_waits_by_pairs`). It is
  /// then said of a rank that it knows what it has awaited itself, and no more.
  bool waits_by_pairs = false;
  std::vector<Exposure> exposures;
  std::vector<Step> body;     ///< repeated for each strip
  std::vector<Step> closing;  ///< once, after the last strip

  std::uint16_t line_of(const Region& mailbox) const {
    TERRACE_ASSERT(mailbox.buffer == Buffer::mailbox && pockets != 0, pockets);
    return static_cast<std::uint16_t>(mailbox.block / pockets);
  }
  std::uint32_t node_of(Rank rank) const { return nodes.empty() ? 0 : nodes[rank]; }
  bool has_messages() const;
  bool operator==(const Plan&) const = default;
};

/// Whether plans differ at most in their names, and in the calls that they are meant for.
bool run_the_same(const Plan& one, const Plan& other);

/// A value and where it goes.
struct Copy {
  Region from, to;
};

/// Values that go together from one rank to another on a different node.
using Message = std::vector<Copy>;

/// Collects statements in the order in which one thread could run them.
class PlanBuilder {
 public:
  /// `nodes` as in `Plan`.
  PlanBuilder(std::string name, Rank ranks, std::uint32_t tiles = 1,
              std::vector<std::uint32_t> nodes = {});

  /// targets = operands[0] + operands[1] + ...; see StepKind::reduce.
  void reduce(Rank by, std::vector<Region> operands, std::vector<Region> targets);
  void copy(Rank by, Region from, Region to) { reduce(by, {from}, {to}); }
  /// One after the other, in one step, however many peers they come from; none: no step.
  void copy_each(Rank by, const std::vector<Copy>& copies);
  /// A message, both halves of it.
  void send(Region from, Region to) { send_all({{{from, to}}}); }
  /// Messages that set off together: first the halves of all who send, then of all who receive.
  void send_all(const std::vector<Message>& messages);
  bool are_on_one_node(Rank one, Rank other) const {
    return plan_.node_of(one) == plan_.node_of(other);
  }

  /// Ranks that call in place will be bounced.
  void bounce_in_place() { plan_.bounces_in_place = true; }

  /// The plan as written: `lower` makes it run.
  Plan build() && { return std::move(plan_); }

 private:
  void add(StepKind kind, Rank by, std::vector<Region> operands, std::vector<Region> targets,
           Rank peer = 0);

  Plan plan_;
};

/// Checks what every part of the project may take for granted about a plan, written by us or by a
/// user: ranks, tiles and blocks in range, operands and targets present. The error names the step.
Result<bool> check_shape(const Plan& plan);

/// The text form. `plan_from_text` takes what `to_text` prints, and also plans without any
/// `after`, whose waits `lower` derives.
///
///     plan allreduce.tree
///     ranks 3
///     tiles 2
///     0: out[0] = in[0] + in[1] + in[2]
///     1: out[1] = out[0]
///     2: copy out[2.0-1], out[2:1.0-1] = out[0.0-1], in[1.0-1]
///
/// Between nodes (`nodes 0-1 2` after `ranks`):
///
///     0: send in[0] to 2
///     2: receive out[2] from 0
std::string to_text(const Plan& plan);
std::string to_text(const Step& step, const Plan& plan);
std::string to_text(const Region& region, const Plan& plan);
Result<Plan> plan_from_text(const std::string& text);

/// A longer file is not that of a plan to be run.
inline constexpr std::size_t kMostPlanBytes = std::size_t{16} << 20;

}  // namespace terrace
