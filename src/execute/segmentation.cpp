// SPDX-License-Identifier: BSD-3-Clause
// Turns a plan's regions into offsets: where tiles are cut, where blocks follow each other, and
// which piece of scratch or of a line holds a value.
#include "execute/segmentation.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "base/contract.hpp"

namespace terrace {

namespace {

std::size_t round_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

/// Elements in one strip of a call, of the longest block.
std::size_t strip_size(const Call& call, std::uint32_t strip) {
  return std::min(call.strip_elements, call.element_count - strip * call.strip_elements);
}

/// One strip of a call, whose regions it turns into resolved regions.
class Strip {
 public:
  Strip(const RankProgram& program, const Call& call, const Segmentation& segmentation,
        std::uint32_t strip)
      : program_(program),
        call_(call),
        segmentation_(segmentation),
        begin_(call.first_element + strip * call.strip_elements),
        size_(strip_size(call, strip)),
        block_size_(size_) {}

  void put(ResolvedRegions& resolved_regions) {
    resolved_regions.operands.resize(program_.operands.size());
    resolved_regions.targets.resize(program_.targets.size());
    for (const Instruction& step : program_.instructions) put(step, resolved_regions);
  }

 private:
  /// All operands of a reduce have one length, a copy that of its pair. (A step that exposes an
  /// unwritten output has targets only.)
  void put(const Instruction& step, ResolvedRegions& resolved_regions) {
    const std::span operands = program_.operands_of(step), targets = program_.targets_of(step);
    const bool are_pairs = step.kind != StepKind::reduce;
    TERRACE_ASSERT(step.first_operand + operands.size() <= resolved_regions.operands.size());
    TERRACE_ASSERT(step.first_target + targets.size() <= resolved_regions.targets.size());
    if (!are_pairs) measure(operands, targets);
    for (std::size_t i = 0; i < std::max(operands.size(), targets.size()); ++i) {
      if (are_pairs) measure_pair(operands, targets, i);
      if (i < operands.size())
        resolved_regions.operands[step.first_operand + i] = resolved_region(operands[i]);
      if (i < targets.size())
        resolved_regions.targets[step.first_target + i] = resolved_region(targets[i]);
    }
  }

  /// A peer's value that a line hands on is none of this rank's blocks: then another pair of the
  /// step keeps it in one.
  void measure_pair(std::span<const ProgramRegion> operands, std::span<const ProgramRegion> targets,
                    std::size_t pair) {
    const auto one = [pair](std::span<const ProgramRegion> all) {
      return pair < all.size() ? all.subspan(pair, 1) : std::span<const ProgramRegion>();
    };
    if (measure(one(operands), one(targets)) || pair >= operands.size()) return;
    for (std::size_t i = 0; i < std::min(operands.size(), targets.size()); ++i)
      if (operands[i] == operands[pair] && measure(one(operands), targets.subspan(i, 1))) return;
  }

  ResolvedRegion resolved_region(const ProgramRegion& region) const {
    ResolvedRegion resolved;
    resolved.rank = region.rank;
    resolved.is_own = region.rank == program_.rank;
    resolved.elements =
        tile_begin(region.first_tile + region.tile_count) - tile_begin(region.first_tile);
    const std::size_t tile = tile_begin(region.first_tile) * call_.element_bytes;
    switch (region.buffer) {
      case Buffer::mailbox:
        put_in_line(region, resolved);
        break;
      case Buffer::scratch:
        resolved.base = Base::scratch;
        resolved.offset = region.block * segmentation_.scratch_stride + tile;
        break;
      case Buffer::input:
        resolved.base = Base::input;
        resolved.offset = users_block(region) + tile;
        break;
      case Buffer::output:
        resolved.base = Base::output;
        resolved.offset = users_block(region) + tile;
        break;
      case Buffer::exposed:
        resolved.base =
            region.exposed_buffer == Buffer::input ? Base::shown_input : Base::shown_output;
        resolved.offset = users_block(region) + tile;
        resolved.bounce_block = region.bounce_block * segmentation_.scratch_stride + tile;
        break;
    }
    TERRACE_REQUIRE(stays_in_slot(region, resolved), region.block, resolved.offset,
                    resolved.bounce_block, segmentation_.slot_stride);
    return resolved;
  }

  /// Scratch at hand is one slot of the call's lease.
  bool stays_in_slot(const ProgramRegion& region, const ResolvedRegion& resolved) const {
    const std::size_t bytes = resolved.elements * call_.element_bytes;
    if (region.buffer == Buffer::scratch)
      return resolved.offset + bytes <= segmentation_.slot_stride;
    if (region.buffer != Buffer::exposed || call_.is_direct_everywhere) return true;
    return resolved.bounce_block + bytes <= segmentation_.slot_stride;
  }

  void put_in_line(const ProgramRegion& region, ResolvedRegion& resolved) const {
    const std::size_t value = size_ * call_.element_bytes;
    TERRACE_REQUIRE(region.block < program_.lines, region.block, program_.lines);
    TERRACE_REQUIRE((region.pocket + 1) * value <= kPayloadBytes, region.pocket, value);
    TERRACE_REQUIRE(region.completes * value <= kPayloadBytes, region.completes, value);
    resolved.line = region.block;
    resolved.base = resolved.is_own ? Base::staging : Base::line;
    resolved.offset = region.pocket * value + (resolved.is_own ? region.block * kPayloadBytes : 0);
    resolved.completes_line = region.completes != 0;
    resolved.line_bytes = static_cast<std::uint16_t>(region.completes * value);
  }

  /// Returns where a block of a user's begins, or what it shows of it.
  std::size_t users_block(const ProgramRegion& region) const {
    if (call_.tables == nullptr) return region.block * call_.block_elements * call_.element_bytes;
    const Block* const block = own_block(region);
    return block == nullptr ? 0 : reinterpret_cast<std::uintptr_t>(block->at);
  }

  /// The block of this rank's that a region is, or shows; null if it is none, or no table has it.
  const Block* own_block(const ProgramRegion& region) const {
    TERRACE_ASSERT(call_.tables != nullptr);
    if (region.rank != program_.rank) return nullptr;
    const Buffer buffer = region.buffer == Buffer::exposed ? region.exposed_buffer : region.buffer;
    if (buffer == Buffer::input) return call_.tables->input + region.block;
    return buffer == Buffer::output ? call_.tables->output + region.block : nullptr;
  }

  /// Finds the length of a value where blocks differ in length: giver and taker both know it, as it
  /// is a block of theirs. False: it is no block of this rank's.
  bool measure(std::span<const ProgramRegion> from, std::span<const ProgramRegion> to) {
    if (call_.tables == nullptr) return true;
    const Block* block = nullptr;
    for (std::size_t i = 0; block == nullptr && i < from.size(); ++i) block = own_block(from[i]);
    for (std::size_t i = 0; block == nullptr && i < to.size(); ++i) block = own_block(to[i]);
    const std::size_t elements = block == nullptr ? 0 : block->bytes / call_.element_bytes;
    block_size_ = elements > begin_ ? std::min(size_, elements - begin_) : 0;
    return block != nullptr;
  }

  /// Returns where a tile of the block at hand begins in this strip, in elements: at a multiple of
  /// a line and of the element.
  std::size_t tile_begin(std::uint32_t tile) const {
    TERRACE_ASSERT(tile <= program_.tiles, tile, program_.tiles);
    if (tile == 0) return 0;
    if (tile == program_.tiles) return block_size_;
    const std::size_t unit = tile_unit(call_.element_bytes);
    return block_size_ * tile / program_.tiles / unit * unit;
  }

  const RankProgram& program_;
  const Call& call_;
  const Segmentation& segmentation_;
  std::size_t begin_;       ///< elements before this strip
  std::size_t size_;        ///< elements in this strip, of the longest block
  std::size_t block_size_;  ///< and of the block at hand
};

/// Looks up the steps of a call over lines.
class LineResolver {
 public:
  LineResolver(const RankProgram& program, const ResolvedRegions& resolved_regions,
               std::size_t element_bytes)
      : program_(program), resolved_regions_(resolved_regions), element_bytes_(element_bytes) {}

  /// Leaves `program` empty if the program waits for words, or shows buffers.
  void put(LineProgram& program) {
    program.clear();
    if (!is_over_lines()) return;
    for (const Instruction& step : program_.instructions) add(step, program);
    const auto waits = [](const LineStep& step) { return step.wait_count != 0; };
    program.steps_before_waits = static_cast<std::uint32_t>(
        std::find_if(program.steps.begin(), program.steps.end(), waits) - program.steps.begin());
    program.bases.resize(LineProgram::kFirstPeerLine + program.peer_lines.size());
    link(program);
  }

 private:
  bool is_over_lines() const {
    if (program_.lowering != Lowering::lines) return false;
    const auto is_for_line = [](const ProgramWait& wait) { return wait.is_for_line; };
    const auto is_placed = [](const ResolvedRegion& resolved) {
      return resolved.base <= Base::line;
    };
    const auto is_known = [](const Instruction& step) {
      return step.kind != StepKind::deliver && !is_half_of_message(step.kind);
    };
    return std::all_of(program_.waits.begin(), program_.waits.end(), is_for_line) &&
           std::all_of(resolved_regions_.operands.begin(), resolved_regions_.operands.end(),
                       is_placed) &&
           std::all_of(resolved_regions_.targets.begin(), resolved_regions_.targets.end(),
                       is_placed) &&
           std::all_of(program_.instructions.begin(), program_.instructions.end(), is_known);
  }

  void add(const Instruction& step, LineProgram& program) {
    LineStep made;
    made.publishes_word = step.publishes_word;
    made.wait_count = step.wait_count;
    for (const ProgramWait& wait : program_.waits_of(step))
      program.waits.push_back({base_of({wait.rank, wait.line}, program), wait.line, wait.rank});
    put_values(step, made, program);
    put_sent(step, made, program);
    program.steps.push_back(made);
  }

  /// Once the arrays stay where they are.
  static void link(LineProgram& program) {
    const LineValue* operands = program.operands.data();
    const LineValue* targets = program.targets.data();
    const AwaitedLine* waits = program.waits.data();
    const SentLine* sent = program.sent.data();
    for (LineStep& step : program.steps) {
      step.operands = std::exchange(operands, operands + step.operand_count);
      step.targets = std::exchange(targets, targets + step.target_count);
      step.waits = std::exchange(waits, waits + step.wait_count);
      step.sent = std::exchange(sent, sent + step.sent_count);
    }
  }

  void put_values(const Instruction& step, LineStep& made, LineProgram& program) {
    const std::span operands =
        std::span(resolved_regions_.operands).subspan(step.first_operand, step.operand_count);
    const std::span targets =
        std::span(resolved_regions_.targets).subspan(step.first_target, step.target_count);
    const std::size_t first_operand = program.operands.size(),
                      first_target = program.targets.size();
    const bool combines = step.kind == StepKind::reduce && operands.size() > 1;
    TERRACE_ASSERT(combines || operands.size() <= 1 || operands.size() <= targets.size());
    if (combines && operands.front().elements == 0) return;
    if (combines) {
      for (const ResolvedRegion& operand : operands)
        program.operands.push_back(value_of(operand, program));
      for (const ResolvedRegion& target : targets)
        program.targets.push_back(value_of(target, program));
    } else {
      for (std::size_t i = 0; i < targets.size() && !operands.empty(); ++i) {
        const ResolvedRegion& operand = operands[std::min(i, operands.size() - 1)];
        if (operand.elements == 0) continue;
        program.operands.push_back(value_of(operand, program));
        program.targets.push_back(value_of(targets[i], program));
      }
    }
    made.operand_count = static_cast<std::uint16_t>(program.operands.size() - first_operand);
    made.target_count = static_cast<std::uint16_t>(program.targets.size() - first_target);
    if (made.operand_count == 0) return;
    const bool is_pair = operands.size() == 2 && targets.size() == 1;
    made.work = !combines ? LineStep::Work::copy
                : is_pair ? LineStep::Work::combine_two
                          : LineStep::Work::combine;
    const bool is_sent_at_once = !combines && targets.size() == 1 && targets[0].completes_line &&
                                 targets[0].line_bytes == bytes_of(operands[0]) &&
                                 operands[0].base != Base::staging;
    if (!is_sent_at_once) return;
    made.work = LineStep::Work::send;
    made.fills_staging =
        std::any_of(resolved_regions_.operands.begin(), resolved_regions_.operands.end(),
                    [&](const ResolvedRegion& resolved) {
                      return resolved.base == Base::staging && resolved.line == targets[0].line;
                    });
  }

  void put_sent(const Instruction& step, LineStep& made, LineProgram& program) {
    const std::size_t first_sent = program.sent.size();
    for (const ResolvedRegion& target :
         std::span(resolved_regions_.targets).subspan(step.first_target, step.target_count))
      if (target.completes_line) program.sent.push_back({target.line, target.line_bytes});
    made.sent_count = static_cast<std::uint16_t>(program.sent.size() - first_sent);
  }

  std::size_t bytes_of(const ResolvedRegion& resolved) const {
    return resolved.elements * element_bytes_;
  }

  LineValue value_of(const ResolvedRegion& resolved, LineProgram& program) {
    TERRACE_REQUIRE(resolved.offset <= 0xffffffffu && resolved.elements <= 0xffffffffu,
                    resolved.offset, resolved.elements);
    TERRACE_ASSERT(resolved.base <= Base::line, resolved.base);
    LineValue value{LineProgram::kInput, static_cast<std::uint32_t>(resolved.offset),
                    static_cast<std::uint32_t>(resolved.elements)};
    if (resolved.base == Base::output) value.base = LineProgram::kOutput;
    if (resolved.base == Base::staging) value.base = LineProgram::kStaging;
    if (resolved.base == Base::line) value.base = base_of({resolved.rank, resolved.line}, program);
    return value;
  }

  static std::uint32_t base_of(const LineProgram::PeerLine& line, LineProgram& program) {
    const auto found = std::find_if(program.peer_lines.begin(), program.peer_lines.end(),
                                    [&](const LineProgram::PeerLine& known) {
                                      return known.rank == line.rank && known.number == line.number;
                                    });
    const auto index = static_cast<std::uint32_t>(found - program.peer_lines.begin());
    if (found == program.peer_lines.end()) program.peer_lines.push_back(line);
    return LineProgram::kFirstPeerLine + index;
  }

  const RankProgram& program_;
  const ResolvedRegions& resolved_regions_;
  std::size_t element_bytes_;
};

}  // namespace

void resolve_regions(const RankProgram& program, const Call& call, const Segmentation& segmentation,
                     std::uint32_t strip, ResolvedRegions& resolved_regions) {
  Strip(program, call, segmentation, strip).put(resolved_regions);
}

void segment(const RankProgram& program, const Call& call, Segmentation& segmentation) {
  const std::size_t strip = call.strip_elements, count = call.element_count;
  TERRACE_REQUIRE(call.element_bytes != 0);
  TERRACE_REQUIRE(count == 0 || strip != 0, count, strip);
  TERRACE_REQUIRE(program.ring != 0 && program.tiles != 0, program.ring, program.tiles);
  TERRACE_ASSERT(program.body_count <= program.instructions.size(), program.body_count);
  segmentation.steps = static_cast<std::uint32_t>(program.instructions.size());
  segmentation.operands.resize(program.most_operands);
  segmentation.targets.resize(program.most_targets);
  if (program.has_messages)
    segmentation.message.resize(std::max(program.most_operands, program.most_targets));
  segmentation.strips = count == 0 ? 1 : static_cast<std::uint32_t>((count + strip - 1) / strip);
  segmentation.strip_bytes = std::min(count, strip) * call.element_bytes;
  segmentation.scratch_stride = round_up(segmentation.strip_bytes, kLinePairBytes);
  segmentation.slot_stride =
      blocks_per_slot(program, call.is_direct_everywhere) * segmentation.scratch_stride;
  segmentation.scratch_bytes =
      segmentation.slot_stride * std::min<std::size_t>(program.ring, segmentation.strips);
  segmentation.over_lines.steps.clear();
  if (call.tables != nullptr) return;
  resolve_regions(program, call, segmentation, 0, segmentation.resolved_regions);
  segmentation.has_short_last = strip_size(call, segmentation.strips - 1) != strip_size(call, 0);
  if (segmentation.has_short_last)
    resolve_regions(program, call, segmentation, segmentation.strips - 1, segmentation.last);
}

void LineProgram::clear() {
  steps.clear();
  steps_before_waits = 0;
  operands.clear();
  targets.clear();
  waits.clear();
  sent.clear();
  peer_lines.clear();
}

void resolve_lines(const RankProgram& program, const Call& call, Segmentation& segmentation) {
  // A line takes all at once.
  TERRACE_REQUIRE(program.lowering != Lowering::lines || call.first_element == 0,
                  call.first_element);
  if (call.tables == nullptr)
    LineResolver(program, segmentation.resolved_regions, call.element_bytes)
        .put(segmentation.over_lines);
}

}  // namespace terrace
