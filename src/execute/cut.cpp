// SPDX-License-Identifier: BSD-3-Clause
// Turns a plan's regions into offsets: where tiles are cut, where blocks follow each other, and
// which piece of scratch or of a line holds a value.
#include "execute/cut.hpp"

#include <algorithm>
#include <span>

namespace terrace {

namespace {

std::size_t round_up(std::size_t value, std::size_t unit) {
  return (value + unit - 1) / unit * unit;
}

/// Elements in one strip of a call, of the longest block.
std::size_t strip_size(const Call& call, std::uint32_t strip) {
  return std::min(call.strip_elements, call.element_count - strip * call.strip_elements);
}

/// One strip of a call, whose regions it turns into spots.
class Strip {
 public:
  Strip(const Part& part, const Call& call, const Cut& cut, std::uint32_t strip)
      : part_(part),
        call_(call),
        cut_(cut),
        begin_(call.first_element + strip * call.strip_elements),
        size_(strip_size(call, strip)),
        block_size_(size_) {}

  void put(Spots& spots) {
    spots.operands.resize(part_.operands.size());
    spots.targets.resize(part_.targets.size());
    for (const Instruction& step : part_.instructions) put(step, spots);
  }

 private:
  /// What is reduced is all of one length; copies are as long as their pairs are. (A step that
  /// shows what is still to be written has targets alone.)
  void put(const Instruction& step, Spots& spots) {
    const std::span operands = part_.operands_of(step), targets = part_.targets_of(step);
    const bool are_pairs = step.kind != StepKind::reduce;
    if (!are_pairs) measure(operands, targets);
    for (std::size_t i = 0; i < std::max(operands.size(), targets.size()); ++i) {
      if (are_pairs) measure_pair(operands, targets, i);
      if (i < operands.size()) spots.operands[step.first_operand + i] = spot_of(operands[i]);
      if (i < targets.size()) spots.targets[step.first_target + i] = spot_of(targets[i]);
    }
  }

  /// A peer's value that a line hands on is none of this rank's blocks: then another pair of the
  /// step keeps it in one.
  void measure_pair(std::span<const PartRegion> operands, std::span<const PartRegion> targets,
                    std::size_t pair) {
    const auto one = [pair](std::span<const PartRegion> all) {
      return pair < all.size() ? all.subspan(pair, 1) : std::span<const PartRegion>();
    };
    if (measure(one(operands), one(targets)) || pair >= operands.size()) return;
    for (std::size_t i = 0; i < std::min(operands.size(), targets.size()); ++i)
      if (operands[i] == operands[pair] && measure(one(operands), targets.subspan(i, 1))) return;
  }

  Spot spot_of(const PartRegion& region) const {
    Spot spot;
    spot.rank = region.rank;
    spot.is_own = region.rank == part_.rank;
    spot.elements =
        tile_begin(region.first_tile + region.tile_count) - tile_begin(region.first_tile);
    const std::size_t tile = tile_begin(region.first_tile) * call_.element_bytes;
    switch (region.buffer) {
      case Buffer::mailbox:
        put_in_line(region, spot);
        break;
      case Buffer::scratch:
        spot.base = Base::scratch;
        spot.offset = region.block * cut_.scratch_stride + tile;
        break;
      case Buffer::input:
        spot.base = Base::input;
        spot.offset = users_block(region) + tile;
        break;
      case Buffer::output:
        spot.base = Base::output;
        spot.offset = users_block(region) + tile;
        break;
      case Buffer::exposed:
        spot.base = region.exposed_buffer == Buffer::input ? Base::shown_input : Base::shown_output;
        spot.offset = users_block(region) + tile;
        spot.stand_in = region.stand_in * cut_.scratch_stride + tile;
        break;
    }
    return spot;
  }

  void put_in_line(const PartRegion& region, Spot& spot) const {
    const std::size_t value = size_ * call_.element_bytes;
    spot.line = region.block;
    spot.base = spot.is_own ? Base::draft : Base::line;
    spot.offset = region.pocket * value + (spot.is_own ? region.block * kPayloadBytes : 0);
    spot.completes_line = region.completes != 0;
    spot.line_bytes = static_cast<std::uint16_t>(region.completes * value);
  }

  /// Where a block of a user's begins, or what it shows of it.
  std::size_t users_block(const PartRegion& region) const {
    if (call_.tables == nullptr) return region.block * call_.block_elements * call_.element_bytes;
    const Block* const block = own_block(region);
    return block == nullptr ? 0 : reinterpret_cast<std::uintptr_t>(block->at);
  }

  /// The block of this rank's that a region is, or shows; null if it is none, or no table has it.
  const Block* own_block(const PartRegion& region) const {
    if (region.rank != part_.rank) return nullptr;
    const Buffer buffer = region.buffer == Buffer::exposed ? region.exposed_buffer : region.buffer;
    if (buffer == Buffer::input) return call_.tables->input + region.block;
    return buffer == Buffer::output ? call_.tables->output + region.block : nullptr;
  }

  /// How long a value is where lengths differ, both who gives it and who takes it know: it is a
  /// block of theirs. False: not of this rank's.
  bool measure(std::span<const PartRegion> from, std::span<const PartRegion> to) {
    if (call_.tables == nullptr) return true;
    const Block* block = nullptr;
    for (std::size_t i = 0; block == nullptr && i < from.size(); ++i) block = own_block(from[i]);
    for (std::size_t i = 0; block == nullptr && i < to.size(); ++i) block = own_block(to[i]);
    const std::size_t elements = block == nullptr ? 0 : block->bytes / call_.element_bytes;
    block_size_ = elements > begin_ ? std::min(size_, elements - begin_) : 0;
    return block != nullptr;
  }

  /// Where a tile of the block at hand begins in this strip, in elements: at a multiple of a line
  /// and of the element.
  std::size_t tile_begin(std::uint32_t tile) const {
    if (tile == 0) return 0;
    if (tile == part_.tiles) return block_size_;
    const std::size_t unit = tile_unit(call_.element_bytes);
    return block_size_ * tile / part_.tiles / unit * unit;
  }

  const Part& part_;
  const Call& call_;
  const Cut& cut_;
  std::size_t begin_;       ///< elements before this strip
  std::size_t size_;        ///< elements in this strip, of the longest block
  std::size_t block_size_;  ///< and of the block at hand
};

}  // namespace

void find_spots(const Part& part, const Call& call, const Cut& cut, std::uint32_t strip,
                Spots& spots) {
  Strip(part, call, cut, strip).put(spots);
}

void make_cut(const Part& part, const Call& call, Cut& cut) {
  const std::size_t strip = call.strip_elements, count = call.element_count;
  cut.steps = static_cast<std::uint32_t>(part.instructions.size());
  cut.operands.resize(part.most_operands);
  cut.targets.resize(part.most_targets);
  cut.strips = count == 0 ? 1 : static_cast<std::uint32_t>((count + strip - 1) / strip);
  cut.strip_bytes = std::min(count, strip) * call.element_bytes;
  cut.scratch_stride = round_up(cut.strip_bytes, kLinePairBytes);
  cut.slot_stride = blocks_per_slot(part, call.is_direct_everywhere) * cut.scratch_stride;
  if (call.tables != nullptr) return;
  find_spots(part, call, cut, 0, cut.spots);
  cut.has_short_last = strip_size(call, cut.strips - 1) != strip_size(call, 0);
  if (cut.has_short_last) find_spots(part, call, cut, cut.strips - 1, cut.last);
}

}  // namespace terrace
