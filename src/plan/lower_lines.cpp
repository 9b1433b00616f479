// SPDX-License-Identifier: BSD-3-Clause
// Lowering to lines: each write of a block makes a new version; a version that a peer reads goes
// to a mailbox line of its writer, flag and payload together.
//
//     copy scratch[0], scratch[0:1] = in[0:1], in[0:2]     a block for each peer
//     copy line[0], line[0:1] = in[0:1], in[0:2]           two pockets of one line, or two lines
//
// A line is sent once, so only what one step makes may share it.
#include <algorithm>
#include <compare>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/contract.hpp"
#include "plan/lowerings.hpp"

namespace terrace {

namespace {

class LineLowering {
 public:
  LineLowering(const Plan& plan, std::uint32_t pockets)
      : plan_(plan), lowered_(without_steps(plan)), blocks_(blocks_of(plan)) {
    lowered_.pockets = static_cast<std::uint16_t>(std::max(pockets, 1u));
    lowered_.lowering = Lowering::lines;
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
  /// The content of a block after so many writes.
  struct Version {
    std::uint64_t block = 0;  ///< as `place_of` numbers it
    std::uint32_t writes = 0;

    auto operator<=>(const Version&) const = default;
  };
  /// One that peers read.
  struct Shared {
    Version version;
    Region block;
    std::uint16_t pocket = 0;
  };

  static std::uint32_t blocks_of(const Plan& plan) {
    std::uint32_t blocks = plan.scratch_blocks;
    for (const Step& step : plan.body)
      for (const auto* regions : {&step.to, &step.from})
        for (const Region& region : *regions) blocks = std::max(blocks, region.block + 1u);
    return blocks;
  }

  /// In the order of rank, buffer and block.
  std::size_t place_of(const Region& region) const {
    static_assert(Buffer::input < Buffer::output && Buffer::output < Buffer::scratch);
    TERRACE_ASSERT(region.buffer <= Buffer::scratch && region.block < blocks_, region.buffer);
    return (std::size_t{region.rank} * 3 + static_cast<std::size_t>(region.buffer)) * blocks_ +
           region.block;
  }
  std::size_t places() const { return std::size_t{plan_.ranks} * 3 * blocks_; }

  void find_shared_versions() {
    constexpr std::uint32_t kNever = ~0u;
    std::vector<std::uint32_t> writes(places(), 0), last_shared(places(), kNever);
    for (const Step& step : plan_.body) {
      for (const Region& operand : step.from) {
        const std::size_t place = place_of(operand);
        if (operand.rank == step.by || last_shared[place] == writes[place]) continue;
        last_shared[place] = writes[place];
        shared_.push_back({{place, writes[place]}, operand.tiles(0, 1)});
      }
      for (const Region& target : step.to) ++writes[place_of(target)];
    }
    sort_by_place();
    writes_.assign(places(), 0);
    lines_used_.assign(plan_.ranks, 0);
  }

  /// In the order of their versions: those of one place were found in it.
  void sort_by_place() {
    first_.assign(places() + 1, 0);
    for (const Shared& shared : shared_) ++first_[shared.version.block + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    std::vector<std::uint32_t> next = first_;
    std::vector<Shared> sorted(shared_.size());
    for (const Shared& shared : shared_) sorted[next[shared.version.block]++] = shared;
    shared_ = std::move(sorted);
    TERRACE_ASSERT(
        std::is_sorted(shared_.begin(), shared_.end(),
                       [](const Shared& a, const Shared& b) { return a.version < b.version; }));
  }

  /// Null: no peer reads it.
  Shared* find_shared(const Version& version) {
    const std::span<Shared> of_place = std::span(shared_).subspan(
        first_[version.block], first_[version.block + 1] - first_[version.block]);
    const auto found = std::lower_bound(
        of_place.begin(), of_place.end(), version,
        [](const Shared& shared, const Version& wanted) { return shared.version < wanted; });
    return found != of_place.end() && found->version == version ? &*found : nullptr;
  }
  /// Returns the entry for what a block holds now, or once it is written again.
  Shared* shared_now(const Region& block) {
    const std::size_t place = place_of(block);
    return find_shared({place, writes_[place]});
  }
  Shared* shared_next(const Region& block) {
    const std::size_t place = place_of(block);
    return find_shared({place, ++writes_[place]});
  }

  /// Scratch holds nothing that a line could carry until its owner has written it.
  std::optional<Region> read_too_early() const {
    for (const Shared& shared : shared_)
      if (shared.version.writes == 0 && !is_users(shared.block)) return shared.block;
    return std::nullopt;
  }

  /// The values that one step makes, or that one rank brings: more pockets would stay empty.
  std::uint16_t most_shared_at_once() {
    std::vector<std::size_t> brought(plan_.ranks, 0);
    for (const Shared& shared : shared_) brought[shared.block.rank] += is_brought(shared);
    std::size_t most = std::max(std::size_t{1}, *std::max_element(brought.begin(), brought.end()));
    for (const Step& step : plan_.body) {
      std::size_t made = 0;
      for (const Region& target : step.to) made += shared_next(target) != nullptr;
      if (step.kind == StepKind::copy) most = std::max(most, made);
    }
    writes_.assign(places(), 0);
    return static_cast<std::uint16_t>(std::min<std::size_t>(most, 0xffff));
  }

  static bool is_brought(const Shared& shared) {
    return shared.version.writes == 0 && is_users(shared.block);
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
    auto next = shared_.begin();
    for (Rank rank = 0; rank < plan_.ranks; ++rank) {
      Packing packing(*this, StepKind::expose, rank);
      for (; next != shared_.end() && next->block.rank == rank; ++next)
        if (is_brought(*next)) next->pocket = packing.pack(next->block);
      packing.end();
    }
  }

  void rewrite(const Step& step) {
    if (step.kind == StepKind::receive)
      share_received(step);
    else if (step.kind == StepKind::copy)
      share_each(step);
    else
      share_one(step);
  }

  /// Returns where `by` finds a value.
  Region form_of(const Region& operand, Rank by) {
    if (operand.rank == by && is_users(operand)) return operand;
    const Shared* const shared = shared_now(operand);
    return shared == nullptr ? operand : mailbox(operand.rank, shared->pocket).tiles(0, 1);
  }

  /// One line carries the value, however many blocks hold it.
  void share_one(const Step& step) {
    Step result{step.kind, step.by, {}, {}, {}, step.peer};
    for (const Region& operand : step.from) result.from.push_back(form_of(operand, step.by));
    std::optional<std::uint16_t> pocket;
    for (const Region& target : step.to) {
      Shared* const shared = shared_next(target);
      const bool is_shared = shared != nullptr;
      if (is_shared && !pocket) {
        pocket = static_cast<std::uint16_t>(lines_used_[step.by]++ * lowered_.pockets);
        result.to.push_back(mailbox(target.rank, *pocket).tiles(0, 1));
      }
      if (is_shared) shared->pocket = *pocket;
      if (!is_shared || is_users(target)) result.to.push_back(target);
    }
    lowered_.body.push_back(std::move(result));
  }

  /// Pair by pair: an operand may be what the pair before has made.
  void share_each(const Step& step) {
    Packing packing(*this, StepKind::copy, step.by);
    for (std::size_t i = 0; i < step.to.size(); ++i) {
      const Region &target = step.to[i], operand = form_of(step.from[i], step.by);
      Shared* const shared = shared_next(target);
      const bool is_shared = shared != nullptr;
      if (is_shared) shared->pocket = packing.pack(operand);
      if (!is_shared || is_users(target)) packing.add(operand, target);
    }
    packing.end();
  }

  /// Shares received values: what others on the node read comes in a line, and outputs are copied
  /// from there.
  void share_received(const Step& step) {
    Step result{step.kind, step.by, {}, {}, {}, step.peer},
        copies{StepKind::copy, step.by, {}, {}, {}};
    for (const Region& target : step.to) {
      Shared* const shared = shared_next(target);
      result.to.push_back(target);
      if (shared == nullptr) continue;
      shared->pocket = static_cast<std::uint16_t>(lines_used_[step.by]++ * lowered_.pockets);
      result.to.back() = mailbox(step.by, shared->pocket).tiles(0, 1);
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
  std::uint32_t blocks_;
  std::vector<Shared> shared_;         ///< in order of their versions
  std::vector<std::uint32_t> first_;   ///< of each place, and one more: where these begin
  std::vector<std::uint32_t> writes_;  ///< of each block, by the steps so far
  std::vector<std::uint16_t> lines_used_;
};

}  // namespace

Result<Plan> lower_to_lines(const Plan& plan, std::uint32_t pockets) {
  return LineLowering(plan, pockets).run();
}

}  // namespace terrace
