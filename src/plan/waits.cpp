// SPDX-License-Identifier: BSD-3-Clause
// Deriving waits. The statements are walked in order over as many strips as a ring slot needs to
// come round once; each access looks up the conflicting ones before it, and what a rank already
// knows (a vector of step counts, one per rank) drops those that are implied.
//
//     strip 0   expose ─ reduce ─ copy
//     strip 1   expose ─ reduce ─ copy
//     strip 2   expose ─ ...              ring 2: this expose rewrites what strip 0 read
//
// A message is read from memory some time after its send, by a messenger of the rank, as it were,
// for which only that rank can wait. A message also carries knowledge: its receiver knows all that
// its sender knew at the send.
//
// A wait is dropped if another wait of the same step implies it. The implying wait may depend on
// the waiting rank's reach only if the dropped one depends on it alike: both are made then, or
// neither. What the other rank tells must hold whatever that rank's own reach is, so
// it is what it learned by waits without condition (`Knowledge::finish`). No two waits can drop
// each other: if a comes after b, and b after a, a step would come after itself.
//
// Waits are taken from the last strip. They are also right for earlier strips: the waits that imply
// a dropped one lie between the two conflicting strips, and a lag that reaches before strip 0 is
// vacuous in both.
//
// By pairs, a rank knows no more than what it has awaited itself. Waits of one rank for another
// then depend on nothing but the accesses of these two to the same memory, so those of one rank
// are derived from the accesses to memory that it touches, and all others are left out.
#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

#include "base/contract.hpp"
#include "plan/knowledge.hpp"
#include "plan/lower.hpp"
#include "plan/lowerings.hpp"

namespace terrace {

namespace {

/// The memory an access touches, told apart by what makes it conflict.
enum class Space : std::uint8_t {
  users,    ///< input and output of a rank: the same memory when in place; fresh in each strip.
            ///< Where that is bounced, inputs alone: then no peer touches either
  results,  ///< outputs alone, for steps that write nothing when in place; likewise
  staged,   ///< the scratch that stands in for an exposed buffer; reused by ring slot
  scratch,  ///< scratch named by the author; reused by ring slot
  line,     ///< a pocket of a mailbox line; written once per call
};

/// The places of cells in one flat array: a cell for each tile of each block of each slot.
class CellIndex {
 public:
  explicit CellIndex(const Plan& plan) : ring_(plan.ring), tiles_(plan.tiles) {
    TERRACE_ASSERT(ring_ != 0 && tiles_ != 0, ring_, tiles_);
    const std::uint32_t blocks[] = {
        users_blocks(plan), users_blocks(plan), static_cast<std::uint32_t>(plan.exposures.size()),
        plan.scratch_blocks, static_cast<std::uint32_t>(plan.lines) * plan.pockets};
    for (std::size_t space = 0; space < kSpaces; ++space) {
      first_[space] = size_;
      blocks_[space] = blocks[space];
      size_ += plan.ranks * slots(static_cast<Space>(space)) * blocks[space] * tiles_;
    }
  }

  std::uint32_t size() const { return size_; }
  /// The users' cells come first.
  std::uint32_t users_size() const { return first_[static_cast<std::size_t>(Space::staged)]; }
  /// The first tile of a block in slot 0.
  std::uint32_t block(Rank rank, Space space, std::uint32_t block) const {
    const auto which = static_cast<std::size_t>(space);
    TERRACE_ASSERT(block < blocks_[which], space, block, blocks_[which]);
    return first_[which] + (rank * slots(space) * blocks_[which] + block) * tiles_;
  }
  /// The way from a cell to the same one in the next slot.
  std::uint32_t stride(Space space) const {
    return slots(space) == 1 ? 0 : blocks_[static_cast<std::size_t>(space)] * tiles_;
  }

 private:
  static constexpr std::size_t kSpaces = 5;

  std::uint32_t slots(Space space) const {
    return space == Space::staged || space == Space::scratch ? ring_ : 1;
  }

  static std::uint32_t users_blocks(const Plan& plan) {
    std::uint32_t blocks = 0;
    const auto count = [&blocks](std::uint32_t block) { blocks = std::max(blocks, block + 1); };
    for (const Exposure& exposure : plan.exposures) count(exposure.block);
    for (const Step& step : plan.body)
      for (const auto* regions : {&step.to, &step.from})
        for (const Region& region : *regions)
          if (region.buffer == Buffer::input || region.buffer == Buffer::output)
            count(region.block);
    return blocks;
  }

  std::uint32_t ring_, tiles_;
  std::uint32_t size_ = 0;
  std::uint32_t first_[kSpaces] = {};
  std::uint32_t blocks_[kSpaces] = {};
};

/// The cells that one rank touches, numbered anew; the users' come first again.
class WatchedCells {
 public:
  /// Cells are those of slot 0; `written` ones may be among `read` ones.
  WatchedCells(const CellIndex& index, std::uint32_t ring, std::vector<std::uint32_t> read,
               const std::vector<std::uint32_t>& written)
      : cells_(std::move(read)), is_touched_(index.size()), is_written_(index.size()), ring_(ring) {
    cells_.insert(cells_.end(), written.begin(), written.end());
    std::sort(cells_.begin(), cells_.end());
    cells_.erase(std::unique(cells_.begin(), cells_.end()), cells_.end());
    for (const std::uint32_t cell : cells_) is_touched_[cell] = true;
    for (const std::uint32_t cell : written) is_written_[cell] = true;
    const auto first = std::lower_bound(cells_.begin(), cells_.end(), index.users_size());
    users_size_ = static_cast<std::uint32_t>(first - cells_.begin());
  }

  /// Whether the rank may mind an access, or make it. Two readings never conflict.
  bool minds(std::uint32_t cell, bool writes) const {
    return is_written_[cell] || (writes && is_touched_[cell]);
  }
  bool has(std::uint32_t cell) const { return is_touched_[cell]; }
  std::uint32_t users_size() const { return users_size_; }
  std::uint32_t size() const {
    return users_size_ + (static_cast<std::uint32_t>(cells_.size()) - users_size_) * ring_;
  }
  /// The new number of a watched cell in slot 0; others of its slots follow.
  std::uint32_t number(std::uint32_t cell) const {
    const auto found = std::lower_bound(cells_.begin(), cells_.end(), cell);
    TERRACE_ASSERT(found != cells_.end() && *found == cell, cell);
    const auto place = static_cast<std::uint32_t>(found - cells_.begin());
    return place < users_size_ ? place : users_size_ + (place - users_size_) * ring_;
  }

 private:
  std::vector<std::uint32_t> cells_;
  std::vector<bool> is_touched_, is_written_;
  std::uint32_t ring_;
  std::uint32_t users_size_ = 0;
};

/// One tile that a step reads or writes.
struct Access {
  std::uint32_t first_cell = 0;  ///< in slot 0
  std::uint32_t stride = 0;      ///< from slot to slot
  When when = When::always;      ///< which reach of the waiting rank makes a conflict real
  bool writes = false;
  bool is_sent_by_owner = false;  ///< a user's buffer, not as peers see it

  std::uint32_t cell_in(std::uint32_t slot) const { return first_cell + slot * stride; }
};

When condition(Rank owner, Space space, Rank waiting) {
  if (owner != waiting) return When::always;
  if (space == Space::users || space == Space::results) return When::if_direct;
  if (space == Space::staged) return When::if_bounced;
  return When::always;
}

/// Lists what each step touches, the same in each strip but for the slot. Few of those accesses
/// matter to one rank, and these are kept. Those of all ranks are listed step by step, as often as
/// they are asked for: to keep them would take several times as much memory as the plan.
class AccessLists {
 public:
  /// Lists accesses to the cells that `only` touches, or to all.
  AccessLists(const Plan& plan, const CellIndex& index, std::optional<Rank> only)
      : plan_(plan), index_(index) {
    if (!only) return;
    watch(*only);
    for (const auto* steps : {&plan.body, &plan.closing})
      for (const Step& step : *steps) add(step);
  }

  std::uint32_t cells() const { return watched_ ? watched_->size() : index_.size(); }
  /// The users' cells come first.
  std::uint32_t users_cells() const {
    return watched_ ? watched_->users_size() : index_.users_size();
  }

  /// Returns the accesses of `step`, the `i`-th, closing steps counted on. Valid until asked again.
  std::span<const Access> of(const Step& step, std::size_t i) {
    if (!watched_) {
      accesses_.clear();
      first_ = {0};
      add(step);
      return accesses_;
    }
    TERRACE_ASSERT(i + 1 < first_.size() && first_[i] <= first_[i + 1], i, first_.size());
    return std::span(accesses_).subspan(first_[i], first_[i + 1] - first_[i]);
  }

  /// Whether in place the value is there already, so that nothing is written, for every reader.
  static bool stays_in_place(const Step& step, std::size_t i) {
    TERRACE_ASSERT(i < step.to.size(), i, step.to.size());
    const bool is_by_pairs = step.kind == StepKind::copy;
    const bool copies = is_by_pairs || (step.kind == StepKind::reduce && step.from.size() == 1);
    if (!copies) return false;
    Region kept = step.from[is_by_pairs ? i : 0];
    if (kept.rank != step.by || kept.buffer != Buffer::input) return false;
    kept.buffer = Buffer::output;
    return kept == step.to[i];
  }

 private:
  void watch(Rank rank) {
    for (const auto* steps : {&plan_.body, &plan_.closing})
      for (const Step& step : *steps)
        if (step.by == rank) add(step);
    std::vector<std::uint32_t> read, written;
    for (const Access& access : accesses_)
      (access.writes ? written : read).push_back(access.first_cell);
    accesses_.clear();
    first_ = {0};
    watched_.emplace(index_, plan_.ring, std::move(read), written);
    only_ = rank;
  }

  void add(const Step& step) {
    for (const Region& region : step.from) {
      const std::size_t first = accesses_.size();
      add(step.by, region, false);
      for (std::size_t i = first; step.kind == StepKind::send && i < accesses_.size(); ++i)
        accesses_[i].is_sent_by_owner |= is_users(region);
    }
    // Delivering moves bytes only when bounced, where no other rank uses the user's buffer: it has
    // to come after the peers who wrote, but need not wait for those who read.
    for (std::size_t i = 0; i < step.to.size(); ++i) {
      if (stays_in_place(step, i))
        add(step.by, Space::results, step.to[i], true);
      else
        add(step.by, step.to[i], step.kind != StepKind::deliver);
    }
    if (step.kind == StepKind::hold)  // returning to the user counts as writing both buffers
      for (const Exposure& exposure : plan_.exposures)
        for (const Region& either :
             {input(step.by, exposure.block), output(step.by, exposure.block)})
          add(step.by, either.tiles(0, plan_.tiles), true);
    first_.push_back(accesses_.size());
  }

  void add(Rank by, const Region& region, bool writes) {
    switch (region.buffer) {
      case Buffer::output:
        add(by, Space::results, region, writes);
        if (plan_.bounces_in_place) return;
        [[fallthrough]];
      case Buffer::input:
        return add(by, Space::users, region, writes);
      case Buffer::scratch:
        return add(by, Space::scratch, region, writes);
      case Buffer::mailbox:
        return add(by, Space::line, region, writes);
      case Buffer::exposed:
        break;
    }
    TERRACE_ASSERT(region.block < plan_.exposures.size(), region.block);
    Region users = region;
    users.buffer = plan_.exposures[region.block].buffer;
    users.block = plan_.exposures[region.block].block;
    add(by, users, writes);
    add(by, Space::staged, region, writes);
  }

  void add(Rank by, Space space, const Region& region, bool writes) {
    const std::uint32_t first = index_.block(region.rank, space, region.block) + region.first_tile;
    const When when = condition(region.rank, space, by);
    const std::uint32_t stride = index_.stride(space);
    for (std::uint32_t cell = first; cell < first + region.tile_count; ++cell)
      if (!watched_)
        accesses_.push_back({cell, stride, when, writes});
      else if (by == only_ ? watched_->has(cell) : watched_->minds(cell, writes))
        accesses_.push_back({watched_->number(cell), stride == 0 ? 0u : 1u, when, writes});
  }

  const Plan& plan_;
  const CellIndex& index_;
  std::optional<WatchedCells> watched_;
  Rank only_ = 0;  ///< whose
  std::vector<Access> accesses_;
  std::vector<std::size_t> first_ = {0};
};

/// One rank's count of steps, over all strips so far.
struct Event {
  Rank rank = 0;
  std::uint32_t count = 0;
};

/// The ranks that have touched each cell since it was written.
class Histories {
 public:
  /// The users' cells come first.
  Histories(std::uint32_t cells, std::uint32_t users_cells)
      : cells_(cells), users_cells_(users_cells) {}

  void write(std::uint32_t cell, Event by) {
    TERRACE_ASSERT(cell < cells_.size() && by.count != 0, cell, by.count);
    // A rank's steps are counted on.
    TERRACE_ASSERT(cells_[cell].writer.rank != by.rank || cells_[cell].writer.count <= by.count);
    cells_[cell] = {by, kNone};
  }
  void read(std::uint32_t cell, Event by) {
    TERRACE_ASSERT(cell < cells_.size() && by.count != 0, cell, by.count);
    std::vector<Reading>& readings = readings_[is_users(cell)];
    readings.push_back({by, cells_[cell].last_reading});
    cells_[cell].last_reading = static_cast<std::uint32_t>(readings.size() - 1);
  }
  /// Forgets what happened to the users' cells.
  void forget_users() {
    std::fill_n(cells_.begin(), users_cells_, Cell{});
    readings_[true].clear();
  }

  const Event& writer(std::uint32_t cell) const { return cells_[cell].writer; }
  template <class Visit>
  void for_each_reader(std::uint32_t cell, Visit visit) const {
    const std::vector<Reading>& readings = readings_[is_users(cell)];
    for (std::uint32_t i = cells_[cell].last_reading; i != kNone; i = readings[i].before)
      visit(readings[i].by);
  }

 private:
  static constexpr std::uint32_t kNone = ~0u;
  struct Cell {
    Event writer;  ///< count 0: not written yet
    std::uint32_t last_reading = kNone;
  };
  struct Reading {
    Event by;
    std::uint32_t before = kNone;  ///< an earlier one of the same cell
  };

  bool is_users(std::uint32_t cell) const { return cell < users_cells_; }

  std::vector<Cell> cells_;
  std::uint32_t users_cells_;
  std::array<std::vector<Reading>, 2> readings_;  ///< those of users' cells apart
};

/// The step that each peer must have reached before a step may start, by condition.
struct Demand {
  std::uint32_t always = 0;
  std::uint32_t direct = 0;
  std::uint32_t bounced = 0;

  bool is_none() const { return (always | direct | bounced) == 0; }
  std::uint32_t under(When when) const {
    const std::uint32_t more = when == When::always      ? 0
                               : when == When::if_direct ? direct
                                                         : bounced;
    return std::max(always, more);
  }
  void raise(When when, std::uint32_t count) {
    std::uint32_t& which = when == When::always      ? always
                           : when == When::if_direct ? direct
                                                     : bounced;
    which = std::max(which, count);
    always = std::max(always, std::min(direct, bounced));
  }
};

/// Demands of one step on all other ranks.
class Demands {
 public:
  explicit Demands(Rank ranks) : of_(ranks) {}

  void clear() {
    for (const Rank rank : ranks_) of_[rank] = {};
    ranks_.clear();
  }
  void raise(Rank rank, When when, std::uint32_t count) {
    TERRACE_ASSERT(rank < of_.size() && count != 0, rank, count);
    if (of_[rank].is_none()) ranks_.push_back(rank);
    of_[rank].raise(when, count);
  }
  /// Peers are met starting from the rank after `by`, so that not all crowd upon rank 0 at once.
  void sort_from(Rank by) {
    std::sort(ranks_.begin(), ranks_.end(),
              [by](Rank a, Rank b) { return std::pair(a < by, a) < std::pair(b < by, b); });
  }

  const std::vector<Rank>& ranks() const { return ranks_; }
  const Demand& of(Rank rank) const { return of_[rank]; }

 private:
  std::vector<Demand> of_;
  std::vector<Rank> ranks_;  ///< of whom anything is demanded
};

class WaitDerivation {
 public:
  /// `only`: by pairs, the waits of that rank and those of others for it.
  explicit WaitDerivation(Plan& plan, std::optional<Rank> only = {})
      : plan_(plan),
        only_(only),
        knowledge_(plan),
        index_(plan),
        accesses_(plan, index_, only),
        histories_(accesses_.cells(), accesses_.users_cells()),
        demands_(knowledge_.width()),
        heard_{},
        messages_(plan.ranks) {
    for (std::vector<std::uint32_t>& heard : heard_) heard.resize(knowledge_.width());
  }

  void run() {
    const std::uint32_t last = knowledge_.last_strip();
    const std::size_t body = plan_.body.size();
    for (std::uint32_t strip = 0; strip <= last; ++strip) {
      forget_users_cells();
      for (std::size_t i = 0; i < body; ++i)
        place(plan_.body[i], accesses_.of(plan_.body[i], i), strip);
    }
    for (std::size_t i = 0; i < plan_.closing.size(); ++i)
      place(plan_.closing[i], accesses_.of(plan_.closing[i], body + i), last);
  }

 private:
  /// Users' buffers are different memory in each strip.
  void forget_users_cells() {
    histories_.forget_users();
    sent_.clear();
  }

  void place(Step& step, std::span<const Access> accesses, std::uint32_t strip) {
    const std::uint32_t slot = strip % plan_.ring;
    TERRACE_ASSERT(step.by < plan_.ranks && strip <= knowledge_.last_strip(), step.by, strip);
    if (only_ && accesses.empty() && step.by != *only_) {
      step.waits.clear();
      knowledge_.finish(step, strip);
      return;
    }
    demands_.clear();
    told_ = knowledge_.told_by_message(step);
    for (const Access& access : accesses) demand(step.by, access, slot);
    if (step.kind == StepKind::hold) demand_messages(step.by);
    demand_messages_read_from_targets(step);
    step.waits = minimal_waits(step.by, strip);
    Event now{step.by, knowledge_.finish(step, strip)};
    if (step.kind == StepKind::send) {
      messages_[step.by] = now.count;
      now.rank = knowledge_.messenger_of(step.by);
      for (const Region& operand : step.from)
        if (is_users(operand)) sent_.push_back({operand, now.count});
    }
    for (const Access& access : accesses) {
      if (access.is_sent_by_owner) continue;  // in `sent_`
      if (access.writes)
        histories_.write(access.cell_in(slot), now);
      else
        histories_.read(access.cell_in(slot), now);
    }
  }

  void demand(Rank by, const Access& access, std::uint32_t slot) {
    const std::uint32_t cell = access.cell_in(slot);
    const auto after = [&](const Event& event) {
      if (only_ && by != *only_ && event.rank != *only_) return;
      if (event.rank != by && event.count > known(by, event.rank))
        demands_.raise(event.rank, access.when, event.count);
    };
    after(histories_.writer(cell));
    if (access.writes) histories_.for_each_reader(cell, after);
  }

  /// Returns how many of `rank`'s steps are known when the step at hand of `by` touches memory.
  std::uint32_t known(Rank by, Rank rank) const {
    const std::uint32_t before = knowledge_.of(by)[rank];
    return told_.empty() ? before : std::max(before, told_[rank]);
  }

  /// When a rank returns, all that its messages are read from becomes its caller's, or a later
  /// call's.
  void demand_messages(Rank by) {
    if (messages_[by] != 0) demand_message(by, When::always, messages_[by]);
  }

  void demand_message(Rank by, When when, std::uint32_t count) {
    const Rank messenger = knowledge_.messenger_of(by);
    if (count > known(by, messenger)) demands_.raise(messenger, when, count);
  }

  /// A user's buffer that a message is read from is written again. Peers leave it alone where its
  /// owner is bounced, but its messages do not, so the conditions are others than those of waits
  /// for peers.
  void demand_messages_read_from_targets(const Step& step) {
    for (const Sent& sent : sent_)
      for (std::size_t i = 0; i < step.to.size() && sent.operand.rank == step.by; ++i) {
        Region target = step.to[i];
        When when = step.kind == StepKind::deliver ? When::if_bounced : When::always;
        if (target.buffer == Buffer::exposed && step.kind != StepKind::expose) {
          when = When::if_direct;
          const Exposure& exposure = plan_.exposures[target.block];
          target.buffer = exposure.buffer;
          target.block = exposure.block;
        }
        if (is_written_over(sent.operand, target, AccessLists::stays_in_place(step, i)))
          demand_message(step.by, when, sent.count);
      }
  }

  /// `stays`: the target is written only where it is another buffer than the input.
  static bool is_written_over(const Region& sent, const Region& target, bool stays) {
    return is_users(target) && sent.rank == target.rank && sent.block == target.block &&
           share_tiles(sent, target) && !(stays && sent.buffer == Buffer::input);
  }

  std::vector<Wait> minimal_waits(Rank by, std::uint32_t strip) {
    TERRACE_ASSERT(by < plan_.ranks, by, plan_.ranks);
    demands_.sort_from(by);
    for (const When when : {When::always, When::if_direct, When::if_bounced})
      hear_from_others(when);
    std::vector<Wait> waits;
    for (const Rank rank : demands_.ranks()) {
      const Demand& demand = demands_.of(rank);
      const auto wait_for = [&](std::uint32_t count, When when) {
        if (count > heard(when)[rank]) waits.push_back(knowledge_.wait(rank, count, strip, when));
      };
      wait_for(demand.always, When::always);
      if (demand.direct > demand.always) wait_for(demand.direct, When::if_direct);
      if (demand.bounced > demand.always) wait_for(demand.bounced, When::if_bounced);
    }
    return waits;
  }

  /// Collects what of each rank's progress is heard from other ranks that are waited for anyway,
  /// under a condition of the waiting rank: then it waits under that condition and without any.
  void hear_from_others(When when) {
    std::vector<std::uint32_t>& heard_so = heard(when);
    std::fill(heard_so.begin(), heard_so.end(), 0);
    if (demands_.ranks().size() < 2 || plan_.waits_by_pairs) return;
    for (const Rank rank : demands_.ranks()) {
      const std::uint32_t from_others = heard_so[rank], count = demands_.of(rank).under(when);
      if (count == 0 || rank >= plan_.ranks) continue;
      TERRACE_ASSERT(heard_so.size() == knowledge_.width(), heard_so.size());
      learn(heard_so, knowledge_.at(rank, count));
      heard_so[rank] = from_others;
    }
  }

  std::vector<std::uint32_t>& heard(When when) { return heard_[static_cast<std::size_t>(when)]; }

  /// The source of a message of this strip.
  struct Sent {
    Region operand;
    std::uint32_t count = 0;
  };

  Plan& plan_;
  std::optional<Rank> only_;
  Knowledge knowledge_;
  CellIndex index_;
  AccessLists accesses_;
  Histories histories_;
  std::span<const std::uint32_t> told_;              ///< by the message that the step at hand takes
  Demands demands_;                                  ///< of the step at hand
  std::array<std::vector<std::uint32_t>, 3> heard_;  ///< likewise, by condition
  std::vector<std::uint32_t> messages_;  ///< per rank: its count of steps at its last send
  std::vector<Sent> sent_;
};

}  // namespace

void derive_waits(Plan& plan) {
  plan.waits_by_pairs = false;
  WaitDerivation(plan).run();
}

void derive_waits_by_pairs(Plan& plan, std::optional<Rank> only) {
  TERRACE_REQUIRE(!plan.has_messages() && only.value_or(0) < plan.ranks, only.value_or(0));
  plan.waits_by_pairs = true;
  WaitDerivation(plan, only).run();
}

}  // namespace terrace
