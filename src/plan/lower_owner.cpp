// SPDX-License-Identifier: BSD-3-Clause
// Lowering to exposed buffers: a user's block that any peer touches becomes an exposure at every
// rank, whose owner decides per call whether peers use the block itself or its bounce block in
// scratch.
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "plan/lowerings.hpp"

namespace terrace {

namespace {

/// The tiles of users' blocks that are touched. A bit for each, since plans with a block for each
/// rank have as many blocks as the square of the ranks.
class TouchedTiles {
 public:
  TouchedTiles(const Plan& plan, std::uint32_t blocks)
      : blocks_(blocks),
        tiles_(plan.tiles),
        are_touched_(std::size_t{plan.ranks} * 2 * blocks * plan.tiles),
        has_any_(std::size_t{plan.ranks} * 2 * blocks) {}

  void mark(const Region& region) {
    has_any_[place_of(region)] = true;
    const std::size_t first = place_of(region) * tiles_ + region.first_tile;
    for (std::size_t tile = first; tile < first + region.tile_count; ++tile)
      are_touched_[tile] = true;
  }
  /// Any tile of its block.
  bool has(const Region& region) const { return has_any_[place_of(region)]; }
  bool has_tile(const Region& region, std::uint32_t tile) const {
    return are_touched_[place_of(region) * tiles_ + tile];
  }

 private:
  std::size_t place_of(const Region& region) const {
    TERRACE_ASSERT(is_users(region) && region.block < blocks_, region.buffer, region.block);
    const std::size_t buffer = region.buffer == Buffer::output;
    return (std::size_t{region.rank} * 2 + buffer) * blocks_ + region.block;
  }

  std::uint32_t blocks_, tiles_;
  std::vector<bool> are_touched_, has_any_;
};

/// Blocks of users' buffers that the plan names.
std::uint32_t users_blocks(const Plan& plan) {
  std::uint32_t blocks = 0;
  for (const Step& step : plan.body)
    for (const auto* regions : {&step.to, &step.from})
      for (const Region& region : *regions)
        if (is_users(region)) blocks = std::max(blocks, region.block + 1u);
  return blocks;
}

/// A set of ranks.
class RankSet {
 public:
  explicit RankSet(Rank ranks) : words_((ranks + 63) / 64) {}

  void add(Rank rank) { words_[rank / 64] |= std::uint64_t{1} << (rank % 64); }
  void add(const RankSet& others) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= others.words_[i];
  }
  bool meets(const RankSet& others) const {
    for (std::size_t i = 0; i < words_.size(); ++i)
      if ((words_[i] & others.words_[i]) != 0) return true;
    return false;
  }

 private:
  std::vector<std::uint64_t> words_;
};

class OwnerLowering {
 public:
  OwnerLowering(const Plan& plan, std::uint32_t ring)
      : plan_(plan),
        lowered_(without_steps(plan)),
        blocks_(users_blocks(plan)),
        read_(plan, blocks_),
        written_(plan, blocks_),
        touched_(plan, blocks_),
        exposures_(std::size_t{2} * blocks_, kNone) {
    lowered_.lowering = Lowering::owner;
    lowered_.ring = static_cast<std::uint16_t>(ring);
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
      if (is_touched_[rank]) lowered_.closing.push_back({StepKind::hold, rank, {}, {}, {}});
    hold_for_messages(lowered_);
    lowered_.lines = lowered_.exposures.empty() ? 0 : 1;
    return std::move(lowered_);
  }

 private:
  void find_touched(const Step& step) {
    for (const Region& operand : step.from)
      if (operand.rank != step.by && is_users(operand)) read_.mark(operand);
    for (const Region& target : step.to)
      if (target.rank != step.by && is_users(target)) written_.mark(target);
    for (const auto* regions : {&step.from, &step.to})
      for (const Region& region : *regions)
        if (region.rank != step.by && is_users(region)) touched_.mark(region);
  }

  /// A message has one place for each value. Where peers read it, it arrives in what they see, as
  /// if one of them had stored it there.
  void mark_received(const Step& step) {
    for (const Region& target : step.to)
      if (is_users(target) && (touches(read_, target) || touches(written_, target))) {
        written_.mark(target);
        touched_.mark(target);
      }
  }

  /// Marks all that arrives in a block that peers see: it is put where they see it, since its owner
  /// reads it there, too.
  void mark_rest_of_received(const Step& step) {
    for (const Region& target : step.to)
      if (is_users(target) && is_pushed(target)) {
        written_.mark(target);
        touched_.mark(target);
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

  /// In the order of who is read, then of who is written, each of its blocks in turn.
  void declare_exposures() {
    for (const auto* touched : {&read_, &written_})
      for_each_block([&](const Region& block) {
        std::uint32_t& exposure = exposures_[place_of(block)];
        if (!touched->has(block) || exposure != kNone) return;
        exposure = static_cast<std::uint32_t>(lowered_.exposures.size());
        lowered_.exposures.push_back({block.buffer, block.block, 0});
      });
    std::vector<RankSet> owners(lowered_.exposures.size(), RankSet(plan_.ranks));
    is_touched_.resize(plan_.ranks);
    for_each_block([&](const Region& block) {
      if (!touched_.has(block)) return;
      owners[exposures_[place_of(block)]].add(block.rank);
      is_touched_[block.rank] = true;
    });
    for (std::size_t i = 0; i < owners.size(); ++i)
      lowered_.exposures[i].scratch_block =
          bounce_block_of(lowered_.exposures[i], std::move(owners[i]));
  }

  template <class Visit>
  void for_each_block(Visit visit) const {
    for (Rank rank = 0; rank < plan_.ranks; ++rank)
      for (const Buffer buffer : {Buffer::input, Buffer::output})
        for (std::uint32_t block = 0; block < blocks_; ++block) visit(region(rank, buffer, block));
  }

  /// A block of scratch, shared by blocks of one buffer that no rank shows both of: of an
  /// allgather, each rank shows but one.
  std::uint16_t bounce_block_of(const Exposure& exposure, RankSet owners) {
    for (BounceBlock& bounce_block : bounce_blocks_) {
      if (bounce_block.buffer != exposure.buffer || bounce_block.owners.meets(owners)) continue;
      bounce_block.owners.add(owners);
      return bounce_block.scratch_block;
    }
    bounce_blocks_.push_back({exposure.buffer, lowered_.scratch_blocks++, std::move(owners)});
    return bounce_blocks_.back().scratch_block;
  }

  std::size_t place_of(const Region& block) const {
    return std::size_t{blocks_} * (block.buffer == Buffer::output) + block.block;
  }

  Region exposed_form(const Region& region) const {
    Region form = region;
    form.buffer = Buffer::exposed;
    const std::uint32_t exposure = exposures_[place_of(region)];
    TERRACE_REQUIRE(exposure != kNone, region.rank, region.block);
    form.block = static_cast<std::uint16_t>(exposure);
    return form;
  }

  /// The touched tiles of one of a rank's blocks as maximal ranges.
  std::vector<Region> ranges(const TouchedTiles& touched, const Region& whole) const {
    std::vector<Region> result;
    if (!touched.has(whole)) return result;
    for (std::uint32_t t = 0; t < plan_.tiles; ++t) {
      if (!touched.has_tile(whole, t)) continue;
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

  static bool touches(const TouchedTiles& touched, const Region& region) {
    if (!touched.has(region)) return false;
    for (std::uint32_t t = 0; t < region.tile_count; ++t)
      if (touched.has_tile(region, region.first_tile + t)) return true;
    return false;
  }

  /// Whether peers write any of a block: then its owner too reads and writes the form that they
  /// see.
  bool is_pushed(const Region& region) const { return written_.has(region); }

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
    result.from.reserve(step.from.size());
    result.to.reserve(step.to.size());
    for (std::size_t i = 0; i < step.to.size(); ++i)
      each_form_of(step.to[i], step.by, [&](const Region& form) {
        if (is_by_pairs) result.from.push_back(form_of(step.from[i], step.by));
        result.to.push_back(form);
      });
    lowered_.body.push_back(std::move(result));
  }

  /// Returns where `by` finds a value.
  Region form_of(const Region& operand, Rank by) const {
    const bool pushed_here = operand.buffer == Buffer::output && is_pushed(operand);
    const bool is_shown = is_users(operand) && (operand.rank != by || pushed_here);
    return is_shown ? exposed_form(operand) : operand;
  }

  /// Visits where `by` stores a value: an owner also to what its peers see.
  template <class Visit>
  void each_form_of(const Region& target, Rank by, Visit visit) const {
    const bool is_mine = target.rank == by;
    if (is_mine || !is_users(target)) visit(target);
    if (is_users(target) && (!is_mine || touches(read_, target) || is_pushed(target)))
      visit(exposed_form(target));
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
    RankSet owners;
  };
  static constexpr std::uint32_t kNone = ~0u;

  const Plan& plan_;
  Plan lowered_;
  std::uint32_t blocks_;                  ///< of a user's buffer
  TouchedTiles read_;                     ///< by peers
  TouchedTiles written_;                  ///< by peers
  TouchedTiles touched_;                  ///< both
  std::vector<bool> is_touched_;          ///< by rank: whether peers touch any of its blocks
  std::vector<std::uint32_t> exposures_;  ///< where each block is listed; input, then output
  std::vector<BounceBlock> bounce_blocks_;
};

}  // namespace

Result<Plan> lower_to_owner(const Plan& plan, std::uint32_t ring) {
  return OwnerLowering(plan, ring).run();
}

}  // namespace terrace
