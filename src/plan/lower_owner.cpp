// SPDX-License-Identifier: BSD-3-Clause
// Lowering to exposed buffers: a user's block that any peer touches becomes an exposure at every
// rank, whose owner decides per call whether peers use the block itself or its bounce block in
// scratch.
#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

#include "plan/lowerings.hpp"

namespace terrace {

namespace {

/// Which tiles of a block peers touch.
using Tiles = std::vector<bool>;

class OwnerLowering {
 public:
  OwnerLowering(const Plan& plan, std::uint32_t ring) : plan_(plan), lowered_(plan) {
    lowered_.lowering = Lowering::owner;
    lowered_.ring = static_cast<std::uint16_t>(ring);
    lowered_.body.clear();
    lowered_.closing.clear();
  }

  Result<Plan> run() {
    for (const Step& step : plan_.body) find_touched(step);
    for (const Step& step : plan_.body)
      if (step.kind == StepKind::receive) mark_received(step);
    for (const Step& step : plan_.body)
      if (step.kind == StepKind::receive) mark_rest_of_received(step);
    if (const Region* sent = written_after_sending()) return rewritten_message(*sent);
    declare_exposures();
    for (Rank rank = 0; rank < plan_.ranks; ++rank) expose(rank);
    for (const Step& step : plan_.body) rewrite(step);
    for (Rank rank = 0; rank < plan_.ranks; ++rank) deliver(rank);
    for (Rank rank = 0; rank < plan_.ranks; ++rank)
      if (is_touched(rank)) lowered_.closing.push_back({StepKind::hold, rank, {}, {}, {}});
    hold_for_messages(lowered_);
    lowered_.lines = lowered_.exposures.empty() ? 0 : 1;
    return std::move(lowered_);
  }

 private:
  void mark(std::map<BlockId, Tiles>& touched, const Region& region) {
    Tiles& tiles = touched[block_of(region)];
    tiles.resize(plan_.tiles);
    for (std::uint32_t t = 0; t < region.tile_count; ++t) tiles[region.first_tile + t] = true;
  }

  void find_touched(const Step& step) {
    for (const Region& operand : step.from)
      if (operand.rank != step.by && is_users(operand)) mark(read_, operand);
    for (const Region& target : step.to)
      if (target.rank != step.by && is_users(target)) mark(written_, target);
    for (const auto* regions : {&step.from, &step.to})
      for (const Region& region : *regions)
        if (region.rank != step.by && is_users(region)) mark(touched_, region);
  }

  /// A message has one place for each value. Where peers read it, it arrives in what they see, as
  /// if one of them had stored it there.
  void mark_received(const Step& step) {
    for (const Region& target : step.to)
      if (is_users(target) && (touches(read_, target) || touches(written_, target))) {
        mark(written_, target);
        mark(touched_, target);
      }
  }

  /// Of a block that peers see, all that arrives is put where they see it, since its owner reads it
  /// there, too.
  void mark_rest_of_received(const Step& step) {
    for (const Region& target : step.to)
      if (is_users(target) && is_pushed(target)) {
        mark(written_, target);
        mark(touched_, target);
      }
  }

  /// A rank's memory that a peer writes although a message of that rank may still be read from it:
  /// only the rank itself could know, and nothing tells the peer.
  const Region* written_after_sending() const {
    std::vector<const Region*> sent;
    for (const Step& step : plan_.body) {
      for (const Region& target : step.to)
        for (const Region* region : sent)
          if (target.rank != step.by && overlap(*region, target)) return region;
      if (step.kind == StepKind::send)
        for (const Region& operand : step.from) sent.push_back(&operand);
    }
    return nullptr;
  }

  /// In place, input and output are the same memory.
  static bool overlap(const Region& one, const Region& other) {
    const bool is_same = one.buffer == other.buffer || (is_users(one) && is_users(other));
    return is_same && one.rank == other.rank && one.block == other.block && share_tiles(one, other);
  }

  Error rewritten_message(const Region& sent) const {
    return unsupported(plan_, "lets a peer write " + to_text(sent, plan_) + " when rank " +
                                  std::to_string(sent.rank) +
                                  " has sent it: let that rank send a copy in its scratch");
  }

  void declare_exposures() {
    for (const auto* touched : {&read_, &written_})
      for (const auto& [block, tiles] : *touched) {
        const auto [rank, buffer, number] = block;
        const auto next = static_cast<std::uint16_t>(lowered_.exposures.size());
        if (exposures_.try_emplace({buffer, number}, next).second)
          lowered_.exposures.push_back({buffer, number, 0});
      }
    for (Exposure& exposure : lowered_.exposures)
      exposure.scratch_block = bounce_block_of(exposure);
  }

  /// A block of scratch, shared by blocks of one buffer that no rank shows both of: of an
  /// allgather, each rank shows but one.
  std::uint16_t bounce_block_of(const Exposure& exposure) {
    std::vector<bool> owners(plan_.ranks);
    for (Rank rank = 0; rank < plan_.ranks; ++rank)
      owners[rank] = touched_.count({rank, exposure.buffer, exposure.block}) != 0;
    for (BounceBlock& bounce_block : bounce_blocks_) {
      const auto both = [](bool one, bool other) { return one && other; };
      if (bounce_block.buffer != exposure.buffer ||
          std::inner_product(owners.begin(), owners.end(), bounce_block.owners.begin(), false,
                             std::logical_or<>(), both))
        continue;
      std::transform(owners.begin(), owners.end(), bounce_block.owners.begin(),
                     bounce_block.owners.begin(), std::logical_or<>());
      return bounce_block.scratch_block;
    }
    bounce_blocks_.push_back({exposure.buffer, lowered_.scratch_blocks++, std::move(owners)});
    return bounce_blocks_.back().scratch_block;
  }

  Region exposed_form(const Region& region) const {
    Region form = region;
    form.buffer = Buffer::exposed;
    form.block = exposures_.at({region.buffer, region.block});
    return form;
  }

  bool is_touched(Rank rank) const {
    const auto first = touched_.lower_bound({rank, Buffer::input, std::uint16_t{0}});
    return first != touched_.end() && std::get<Rank>(first->first) == rank;
  }

  /// The touched tiles of one of a rank's blocks as maximal ranges.
  std::vector<Region> ranges(const std::map<BlockId, Tiles>& touched, const Region& whole) const {
    std::vector<Region> result;
    const auto found = touched.find(block_of(whole));
    if (found == touched.end()) return result;
    for (std::uint32_t t = 0; t < plan_.tiles; ++t) {
      if (!found->second[t]) continue;
      const bool goes_on =
          !result.empty() && result.back().first_tile + result.back().tile_count == t;
      if (goes_on)
        ++result.back().tile_count;
      else
        result.push_back(whole.tiles(t, 1));
    }
    return result;
  }

  /// One step: inputs that peers read are copied if bounced, outputs are only announced.
  void expose(Rank rank) {
    Step step{StepKind::expose, rank, {}, {}, {}};
    for (const Exposure& exposure : lowered_.exposures)
      if (exposure.buffer == Buffer::input)
        for (const Region& part : ranges(read_, input(rank, exposure.block))) {
          step.from.push_back(part);
          step.to.push_back(exposed_form(part));
        }
    for (const Exposure& exposure : lowered_.exposures)
      if (exposure.buffer == Buffer::output)
        for (const Region& part : ranges(touched_, output(rank, exposure.block)))
          step.to.push_back(exposed_form(part));
    if (!step.to.empty()) lowered_.body.push_back(std::move(step));
  }

  bool touches(const std::map<BlockId, Tiles>& touched, const Region& region) const {
    const auto found = touched.find(block_of(region));
    if (found == touched.end()) return false;
    const auto first = found->second.begin() + region.first_tile;
    return std::any_of(first, first + region.tile_count, [](bool tile) { return tile; });
  }

  /// Where peers write any of a block, its owner too reads and writes the form that they see.
  bool is_pushed(const Region& region) const { return written_.count(block_of(region)) != 0; }

  void rewrite(const Step& step) {
    Step result{step.kind, step.by, {}, {}, {}, step.peer};
    const bool is_by_pairs = step.kind == StepKind::copy;
    if (step.kind == StepKind::receive) {
      for (const Region& target : step.to)
        result.to.push_back(is_users(target) && is_pushed(target) ? exposed_form(target) : target);
      lowered_.body.push_back(std::move(result));
      return;
    }
    for (std::size_t i = 0; !is_by_pairs && i < step.from.size(); ++i)
      result.from.push_back(form_of(step.from[i], step.by));
    for (std::size_t i = 0; i < step.to.size(); ++i)
      for (const Region& form : forms_of(step.to[i], step.by)) {
        if (is_by_pairs) result.from.push_back(form_of(step.from[i], step.by));
        result.to.push_back(form);
      }
    lowered_.body.push_back(std::move(result));
  }

  /// Where `by` finds a value.
  Region form_of(const Region& operand, Rank by) const {
    const bool pushed_here = operand.buffer == Buffer::output && is_pushed(operand);
    const bool is_shown = is_users(operand) && (operand.rank != by || pushed_here);
    return is_shown ? exposed_form(operand) : operand;
  }

  /// Where `by` stores a value: an owner also to what its peers see.
  std::vector<Region> forms_of(const Region& target, Rank by) const {
    std::vector<Region> forms;
    const bool is_mine = target.rank == by;
    if (is_mine || !is_users(target)) forms.push_back(target);
    if (is_users(target) && (!is_mine || touches(read_, target) || is_pushed(target)))
      forms.push_back(exposed_form(target));
    return forms;
  }

  void deliver(Rank rank) {
    Step step{StepKind::deliver, rank, {}, {}, {}};
    for (const Exposure& exposure : lowered_.exposures)
      for (const Region& part : ranges(written_, region(rank, exposure.buffer, exposure.block))) {
        step.to.push_back(part);
        step.from.push_back(exposed_form(part));
      }
    if (!step.to.empty()) lowered_.body.push_back(std::move(step));
  }

  /// Scratch that stands in for a block of each owner.
  struct BounceBlock {
    Buffer buffer;
    std::uint16_t scratch_block;
    std::vector<bool> owners;
  };

  const Plan& plan_;
  Plan lowered_;
  std::map<BlockId, Tiles> read_;     ///< users' blocks that peers read
  std::map<BlockId, Tiles> written_;  ///< users' blocks that peers write
  std::map<BlockId, Tiles> touched_;  ///< both
  std::map<std::pair<Buffer, std::uint16_t>, std::uint16_t> exposures_;  ///< where each is listed
  std::vector<BounceBlock> bounce_blocks_;
};

}  // namespace

Result<Plan> lower_to_owner(const Plan& plan, std::uint32_t ring) {
  return OwnerLowering(plan, ring).run();
}

}  // namespace terrace
