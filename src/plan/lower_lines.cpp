// SPDX-License-Identifier: BSD-3-Clause
// Lowering to lines: each write of a block makes a new version; a version that a peer reads goes
// to a mailbox line of its writer, flag and payload together.
#include <algorithm>
#include <map>
#include <optional>

#include "plan/lowerings.hpp"

namespace terrace {

namespace {

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

}  // namespace

Result<Plan> lower_to_lines(const Plan& plan) {
  return LineLowering(plan).run();
}

}  // namespace terrace
