// SPDX-License-Identifier: BSD-3-Clause
// Lowering to lines: each write of a block makes a new version; a version that a peer reads goes
// to a mailbox line of its writer, flag and payload together.
//
//     copy scratch[0], scratch[0:1] = in[0:1], in[0:2]     a block for each peer
//     copy line[0], line[0:1] = in[0:1], in[0:2]           two pockets of one line, or two lines
//
// A line is sent once, so only what one step makes may share it.
#include <algorithm>
#include <map>
#include <optional>

#include "base/contract.hpp"
#include "plan/lowerings.hpp"

namespace terrace {

namespace {

class LineLowering {
 public:
  LineLowering(const Plan& plan, std::uint32_t pockets) : plan_(plan), lowered_(plan) {
    lowered_.pockets = static_cast<std::uint16_t>(std::max(pockets, 1u));
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
    if (const auto early = read_too_early())
      return unsupported(plan_, "lets a peer read " + to_text(*early, plan_) + " before rank " +
                                    std::to_string(early->rank) +
                                    " has written it: write it in a line above");
    lowered_.pockets = std::min(lowered_.pockets, most_shared_at_once());
    expose_inputs();
    for (const Step& step : plan_.body) rewrite(step);
    lowered_.lines = *std::max_element(lines_used_.begin(), lines_used_.end());
    count_scratch();
    hold_for_messages(lowered_);
    return std::move(lowered_);
  }

 private:
  using Version = std::pair<BlockId, std::uint32_t>;

  void find_shared_versions() {
    std::map<BlockId, std::uint32_t> version;
    for (const Step& step : plan_.body) {
      for (const Region& operand : step.from)
        if (operand.rank != step.by) shared_[{block_of(operand), version[block_of(operand)]}] = 0;
      for (const Region& target : step.to) ++version[block_of(target)];
    }
    lines_used_.assign(plan_.ranks, 0);
  }

  /// Scratch holds nothing that a line could carry until its owner has written it.
  std::optional<Region> read_too_early() const {
    for (const auto& [value, pocket] : shared_) {
      const auto [rank, buffer, block] = value.first;
      const Region read = region(rank, buffer, block).tiles(0, 1);
      if (value.second == 0 && !is_users(read)) return read;
    }
    return std::nullopt;
  }

  /// The values that one step makes, or that one rank brings: more pockets would stay empty.
  std::uint16_t most_shared_at_once() const {
    std::map<Rank, std::size_t> brought;
    for (const auto& [value, pocket] : shared_) brought[rank_of(value)] += is_brought(value);
    std::size_t most = 1;
    for (const auto& [rank, count] : brought) most = std::max(most, count);
    std::map<BlockId, std::uint32_t> version;
    for (const Step& step : plan_.body) {
      std::size_t made = 0;
      for (const Region& target : step.to)
        made += shared_.count({block_of(target), ++version[block_of(target)]});
      if (step.kind == StepKind::copy) most = std::max(most, made);
    }
    return static_cast<std::uint16_t>(std::min<std::size_t>(most, 0xffff));
  }

  static Rank rank_of(const Version& version) { return std::get<Rank>(version.first); }
  static bool is_brought(const Version& version) {
    const auto [rank, buffer, block] = version.first;
    return version.second == 0 && is_users(region(rank, buffer, block));
  }

  /// Copies values of one rank to lines, as many to each as it has pockets. Each line is a step of
  /// its own: it is sent when it is full, and who waits for a value waits for its line alone.
  class Packing {
   public:
    Packing(LineLowering& lowering, StepKind kind, Rank rank)
        : lowering_(lowering), step_{kind, rank, {}, {}, {}} {}

    /// Returns the value's pocket.
    std::uint16_t pack(const Region& value) {
      if (free_ == 0) begin_line();
      TERRACE_ASSERT(free_ != 0);
      --free_;
      add(value, mailbox(step_.by, pocket_).tiles(0, 1));
      return pocket_++;
    }
    void add(const Region& value, const Region& target) {
      TERRACE_ASSERT(target.rank == step_.by, target.rank, step_.by);
      step_.from.push_back(value);
      step_.to.push_back(target);
    }
    void end() {
      if (!step_.to.empty()) lowered().body.push_back(step_);
      step_.from.clear();
      step_.to.clear();
    }

   private:
    Plan& lowered() { return lowering_.lowered_; }
    void begin_line() {
      if (has_line_) end();
      has_line_ = true;
      free_ = lowered().pockets;
      pocket_ = static_cast<std::uint16_t>(lowering_.lines_used_[step_.by]++ * free_);
    }

    LineLowering& lowering_;
    Step step_;
    bool has_line_ = false;
    std::uint16_t free_ = 0;
    std::uint16_t pocket_ = 0;
  };

  void expose_inputs() {
    for (Rank rank = 0; rank < plan_.ranks; ++rank) {
      Packing packing(*this, StepKind::expose, rank);
      const Version first{{rank, Buffer::input, std::uint16_t{0}}, 0};
      for (auto it = shared_.lower_bound(first); it != shared_.end(); ++it) {
        if (rank_of(it->first) != rank) break;
        if (!is_brought(it->first)) continue;
        const auto [by, buffer, block] = it->first.first;
        it->second = packing.pack(region(by, buffer, block).tiles(0, 1));
      }
      packing.end();
    }
  }

  std::optional<Region> pocket_of(const Region& value) const {
    const auto version = version_.find(block_of(value));
    const auto found =
        shared_.find({block_of(value), version == version_.end() ? 0 : version->second});
    if (found == shared_.end()) return std::nullopt;
    return mailbox(value.rank, found->second).tiles(0, 1);
  }

  void rewrite(const Step& step) {
    if (step.kind == StepKind::receive)
      share_received(step);
    else if (step.kind == StepKind::copy)
      share_each(step);
    else
      share_one(step);
  }

  /// Where `by` finds a value.
  Region form_of(const Region& operand, Rank by) const {
    const bool is_private = operand.rank == by && is_users(operand);
    return is_private ? operand : pocket_of(operand).value_or(operand);
  }

  /// One line carries the value, however many blocks hold it.
  void share_one(const Step& step) {
    Step result{step.kind, step.by, {}, {}, {}, step.peer};
    for (const Region& operand : step.from) result.from.push_back(form_of(operand, step.by));
    std::optional<std::uint16_t> pocket;
    for (const Region& target : step.to) {
      const auto shared = shared_.find({block_of(target), ++version_[block_of(target)]});
      const bool is_shared = shared != shared_.end();
      if (is_shared && !pocket) {
        pocket = static_cast<std::uint16_t>(lines_used_[step.by]++ * lowered_.pockets);
        result.to.push_back(mailbox(target.rank, *pocket).tiles(0, 1));
      }
      if (is_shared) shared->second = *pocket;
      if (!is_shared || is_users(target)) result.to.push_back(target);
    }
    lowered_.body.push_back(std::move(result));
  }

  /// Pair by pair: an operand may be what the pair before has made.
  void share_each(const Step& step) {
    Packing packing(*this, StepKind::copy, step.by);
    for (std::size_t i = 0; i < step.to.size(); ++i) {
      const Region &target = step.to[i], operand = form_of(step.from[i], step.by);
      const auto shared = shared_.find({block_of(target), ++version_[block_of(target)]});
      const bool is_shared = shared != shared_.end();
      if (is_shared) shared->second = packing.pack(operand);
      if (!is_shared || is_users(target)) packing.add(operand, target);
    }
    packing.end();
  }

  /// What others on the node read comes in a line, and outputs are copied from there.
  void share_received(const Step& step) {
    Step result{step.kind, step.by, {}, {}, {}, step.peer},
        copies{StepKind::copy, step.by, {}, {}, {}};
    for (const Region& target : step.to) {
      const auto shared = shared_.find({block_of(target), ++version_[block_of(target)]});
      result.to.push_back(target);
      if (shared == shared_.end()) continue;
      shared->second = static_cast<std::uint16_t>(lines_used_[step.by]++ * lowered_.pockets);
      result.to.back() = mailbox(step.by, shared->second).tiles(0, 1);
      if (!is_users(target)) continue;
      copies.from.push_back(result.to.back());
      copies.to.push_back(target);
    }
    lowered_.body.push_back(std::move(result));
    if (!copies.to.empty()) lowered_.body.push_back(std::move(copies));
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
  std::map<Version, std::uint16_t> shared_;  ///< versions that peers read, and their pockets
  std::map<BlockId, std::uint32_t> version_;
  std::vector<std::uint16_t> lines_used_;
};

}  // namespace

Result<Plan> lower_to_lines(const Plan& plan, std::uint32_t pockets) {
  return LineLowering(plan, pockets).run();
}

}  // namespace terrace
