// SPDX-License-Identifier: BSD-3-Clause
// Lowering: where a value goes so that peers can reach it. See lower.hpp for the two kinds.
#include "plan/lower.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

namespace terrace {

namespace {

/// A block of some rank's memory, whatever the tiles.
using Block = std::tuple<Rank, Buffer, std::uint16_t>;

Block block_of(const Region& region) {
  return {region.rank, region.buffer, region.block};
}

bool is_users(const Region& region) {
  return region.buffer == Buffer::input || region.buffer == Buffer::output;
}

Error unsupported(const Plan& plan, const std::string& why) {
  return {ErrorCode::unsupported, "plan " + plan.name + " " + why};
}

// ---------------------------------------------------------------------------------------------
// Lines. Each write of a block makes a new version; a version that a peer reads gets a line.

class LineLowering {
 public:
  explicit LineLowering(const Plan& plan) : plan_(plan), lowered_(plan) {
    lowered_.lowering = Lowering::lines;
    lowered_.body.clear();
  }

  Result<Plan> run() {
    if (plan_.tiles != 1) return unsupported(plan_, "cuts vectors into tiles, a line is never cut");
    for (const Step& step : plan_.body)
      for (const Region& target : step.to)
        if (target.rank != step.by)
          return unsupported(plan_, "writes into a peer's memory, which lines cannot carry");
    find_shared_versions();
    expose_inputs();
    for (const Step& step : plan_.body) rewrite(step);
    lowered_.lines = *std::max_element(lines_used_.begin(), lines_used_.end());
    count_scratch();
    return std::move(lowered_);
  }

 private:
  using Version = std::pair<Block, std::uint32_t>;

  void find_shared_versions() {
    std::map<Block, std::uint32_t> version;
    for (const Step& step : plan_.body) {
      for (const Region& operand : step.from)
        if (operand.rank != step.by) shared_[{block_of(operand), version[block_of(operand)]}] = 0;
      for (const Region& target : step.to) ++version[block_of(target)];
    }
    lines_used_.assign(plan_.ranks, 0);
  }

  void expose_inputs() {
    for (auto& [version, line] : shared_) {
      const auto [rank, buffer, block] = version.first;
      if (version.second != 0 || !is_users(region(rank, buffer, block))) continue;
      line = lines_used_[rank]++;
      Region own = region(rank, buffer, block).tiles(0, 1);
      lowered_.body.push_back(
          {StepKind::expose, rank, {mailbox(rank, line).tiles(0, 1)}, {own}, {}});
    }
  }

  std::optional<Region> line_of(const Region& value) {
    const auto found = shared_.find({block_of(value), version_[block_of(value)]});
    if (found == shared_.end()) return std::nullopt;
    return mailbox(value.rank, found->second).tiles(0, 1);
  }

  void rewrite(const Step& step) {
    Step result = step;
    for (Region& operand : result.from) {
      const bool private_copy = operand.rank == step.by && is_users(operand);
      if (!private_copy) operand = line_of(operand).value_or(operand);
    }
    result.to.clear();
    std::optional<std::uint16_t> line;  // one line carries the value, however many blocks hold it
    for (const Region& target : step.to) {
      const Version next{block_of(target), ++version_[block_of(target)]};
      const bool is_shared = shared_.count(next) != 0;
      if (is_shared && !line) {
        line = lines_used_[target.rank]++;
        result.to.push_back(mailbox(target.rank, *line).tiles(0, 1));
      }
      if (is_shared) shared_[next] = *line;
      if (!is_shared || is_users(target)) result.to.push_back(target);
    }
    lowered_.body.push_back(std::move(result));
  }

  /// Scratch that only served to share values is not needed any more.
  void count_scratch() {
    lowered_.scratch_blocks = 0;
    for (const Step& step : lowered_.body)
      for (const auto* regions : {&step.to, &step.from})
        for (const Region& region : *regions)
          if (region.buffer == Buffer::scratch && region.block >= lowered_.scratch_blocks)
            lowered_.scratch_blocks = static_cast<std::uint16_t>(region.block + 1);
  }

  const Plan& plan_;
  Plan lowered_;
  std::map<Version, std::uint16_t> shared_;  ///< versions that peers read, and their lines
  std::map<Block, std::uint32_t> version_;
  std::vector<std::uint16_t> lines_used_;
};

// ---------------------------------------------------------------------------------------------
// Owner. A user's block that any peer touches becomes an exposure at every rank.

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

  Plan run() {
    for (const Step& step : plan_.body) find_touched(step);
    declare_exposures();
    for (Rank rank = 0; rank < plan_.ranks; ++rank) expose(rank);
    for (const Step& step : plan_.body) rewrite(step);
    for (Rank rank = 0; rank < plan_.ranks; ++rank) deliver(rank);
    for (Rank rank = 0; rank < plan_.ranks; ++rank)
      if (is_touched(rank)) lowered_.closing.push_back({StepKind::hold, rank, {}, {}, {}});
    lowered_.lines = lowered_.exposures.empty() ? 0 : 1;
    return std::move(lowered_);
  }

 private:
  void mark(std::map<Block, Tiles>& touched, const Region& region) {
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

  void declare_exposures() {
    for (const auto* touched : {&read_, &written_})
      for (const auto& [block, tiles] : *touched) {
        const auto [rank, buffer, number] = block;
        if (find_exposure(buffer, number)) continue;
        lowered_.exposures.push_back({buffer, number, lowered_.scratch_blocks++});
      }
  }

  std::optional<std::uint32_t> find_exposure(Buffer buffer, std::uint16_t block) const {
    for (std::uint32_t x = 0; x < lowered_.exposures.size(); ++x)
      if (lowered_.exposures[x].buffer == buffer && lowered_.exposures[x].block == block) return x;
    return std::nullopt;
  }

  Region exposed_form(const Region& region) const {
    Region form = region;
    form.buffer = Buffer::exposed;
    form.block = static_cast<std::uint16_t>(*find_exposure(region.buffer, region.block));
    return form;
  }

  bool is_touched(Rank rank) const {
    const auto by_rank = [rank](const auto& entry) { return std::get<Rank>(entry.first) == rank; };
    return std::any_of(touched_.begin(), touched_.end(), by_rank);
  }

  /// The touched tiles of one of a rank's blocks as maximal ranges.
  std::vector<Region> ranges(const std::map<Block, Tiles>& touched, const Region& whole) const {
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

  bool touches(const std::map<Block, Tiles>& touched, const Region& region) const {
    const auto found = touched.find(block_of(region));
    if (found == touched.end()) return false;
    const auto first = found->second.begin() + region.first_tile;
    return std::any_of(first, first + region.tile_count, [](bool tile) { return tile; });
  }

  /// Where peers write any of a block, its owner too reads and writes the form that they see.
  bool is_pushed(const Region& region) const { return written_.count(block_of(region)) != 0; }

  void rewrite(const Step& step) {
    Step result = step;
    for (Region& operand : result.from) {
      const bool pushed_here = operand.buffer == Buffer::output && is_pushed(operand);
      if (is_users(operand) && (operand.rank != step.by || pushed_here))
        operand = exposed_form(operand);
    }
    result.to.clear();
    for (const Region& target : step.to) {
      const bool is_mine = target.rank == step.by;
      if (is_mine || !is_users(target)) result.to.push_back(target);
      if (is_users(target) && (!is_mine || touches(read_, target) || is_pushed(target)))
        result.to.push_back(exposed_form(target));
    }
    lowered_.body.push_back(std::move(result));
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

  const Plan& plan_;
  Plan lowered_;
  std::map<Block, Tiles> read_;     ///< users' blocks that peers read
  std::map<Block, Tiles> written_;  ///< users' blocks that peers write
  std::map<Block, Tiles> touched_;  ///< both
};

}  // namespace

Result<Plan> lower(const Plan& plan, Lowering lowering, std::uint32_t ring) {
  if (Result<bool> shape = check_shape(plan); !shape) return shape.error();
  if (plan.lowering != Lowering::none || lowering == Lowering::none)
    return unsupported(plan, "is lowered already, or to nothing: lower what an author wrote");
  Result<Plan> lowered = lowering == Lowering::lines
                             ? LineLowering(plan).run()
                             : Result<Plan>(OwnerLowering(plan, ring).run());
  if (lowered) derive_waits(lowered.value());
  return lowered;
}

}  // namespace terrace
