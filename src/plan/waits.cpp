// SPDX-License-Identifier: BSD-3-Clause
// Deriving waits. The statements are walked in order over as many strips as a ring slot needs to
// come round once; each access looks up the conflicting ones before it, and what a rank already
// knows (a vector of step counts, one per rank) drops those that are implied.
//
//     strip 0   expose ─ reduce ─ copy
//     strip 1   expose ─ reduce ─ copy
//     strip 2   expose ─ ...              ring 2: this expose rewrites what strip 0 read
//
// Waits are taken from the last strip. They are right for earlier ones too: whatever implies a
// dropped wait lies between the two conflicting strips, and a lag that reaches before strip 0 is
// vacuous there and here alike.
#include <algorithm>
#include <map>

#include "plan/knowledge.hpp"
#include "plan/lower.hpp"

namespace terrace {

namespace {

/// The memory an access touches, told apart by what makes it conflict.
enum class Space : std::uint8_t {
  users,    ///< input and output of a rank: the same memory when in place; fresh in each strip
  staged,   ///< the scratch that stands in for an exposed buffer; reused by ring slot
  scratch,  ///< scratch named by the author; reused by ring slot
  line,     ///< a mailbox line; written once per call
};

struct Cell {
  Rank rank = 0;
  Space space = Space::users;
  std::uint16_t block = 0;
  std::uint16_t tile = 0;
  std::uint32_t slot = 0;
};

/// Where each cell lies in one flat array.
class CellIndex {
 public:
  explicit CellIndex(const Plan& plan) : plan_(plan) {
    std::uint32_t blocks[] = {users_blocks(), static_cast<std::uint32_t>(plan.exposures.size()),
                              plan.scratch_blocks, plan.lines};
    for (std::size_t space = 0; space < 4; ++space) {
      first_[space] = size_;
      blocks_[space] = blocks[space];
      size_ +=
          std::size_t{plan.ranks} * slots(static_cast<Space>(space)) * blocks[space] * plan.tiles;
    }
  }

  std::size_t size() const { return size_; }
  /// The users' cells come first.
  std::size_t users_size() const { return first_[1]; }
  std::size_t operator()(const Cell& cell) const {
    const auto space = static_cast<std::size_t>(cell.space);
    const std::size_t slot = std::size_t{cell.rank} * slots(cell.space) + cell.slot;
    return first_[space] + (slot * blocks_[space] + cell.block) * plan_.tiles + cell.tile;
  }

 private:
  std::uint32_t slots(Space space) const {
    return space == Space::staged || space == Space::scratch ? plan_.ring : 1;
  }

  std::uint32_t users_blocks() const {
    std::uint32_t blocks = 0;
    const auto count = [&blocks](std::uint32_t block) { blocks = std::max(blocks, block + 1); };
    for (const Exposure& exposure : plan_.exposures) count(exposure.block);
    for (const Step& step : plan_.body)
      for (const auto* regions : {&step.to, &step.from})
        for (const Region& region : *regions)
          if (region.buffer == Buffer::input || region.buffer == Buffer::output)
            count(region.block);
    return blocks;
  }

  const Plan& plan_;
  std::size_t size_ = 0;
  std::size_t first_[4] = {};
  std::uint32_t blocks_[4] = {};
};

struct Access {
  Cell cell;
  bool writes = false;
};

/// One rank's count of steps, over all strips so far.
struct Event {
  Rank rank = 0;
  std::uint32_t count = 0;
};

struct History {
  Event writer;  ///< count 0: nobody yet
  std::vector<Event> readers;

  void forget() {
    writer = {};
    readers.clear();
  }
};

std::vector<Access> accesses_of(const Plan& plan, const Step& step, std::uint32_t strip) {
  std::vector<Access> result;
  const auto add = [&](const Region& region, bool writes) {
    const std::uint32_t slot = strip % plan.ring;
    for (std::uint32_t t = 0; t < region.tile_count; ++t) {
      const auto tile = static_cast<std::uint16_t>(region.first_tile + t);
      const auto touch = [&](Space space, std::uint16_t block, std::uint32_t which) {
        result.push_back({{region.rank, space, block, tile, which}, writes});
      };
      switch (region.buffer) {
        case Buffer::input:
        case Buffer::output:
          touch(Space::users, region.block, 0);
          break;
        case Buffer::scratch:
          touch(Space::scratch, region.block, slot);
          break;
        case Buffer::mailbox:
          touch(Space::line, region.block, 0);
          break;
        case Buffer::exposed:
          touch(Space::users, plan.exposures[region.block].block, 0);
          touch(Space::staged, region.block, slot);
          break;
      }
    }
  };
  for (const Region& region : step.from) add(region, false);
  for (const Region& region : step.to) add(region, true);
  if (step.kind == StepKind::hold)  // returning to the user counts as writing both buffers
    for (std::uint32_t x = 0; x < plan.exposures.size(); ++x)
      for (std::uint16_t t = 0; t < plan.tiles; ++t)
        result.push_back({{step.by, Space::users, plan.exposures[x].block, t, 0}, true});
  return result;
}

/// Which reach of the waiting rank makes the conflict real.
When condition(const Cell& cell, Rank waiting) {
  if (cell.rank != waiting) return When::always;
  if (cell.space == Space::users) return When::if_direct;
  if (cell.space == Space::staged) return When::if_bounced;
  return When::always;
}

/// How far each peer must have come before a step may start, by condition.
struct Demand {
  std::uint32_t always = 0;
  std::uint32_t direct = 0;
  std::uint32_t bounced = 0;

  void raise(When when, std::uint32_t count) {
    std::uint32_t& which = when == When::always      ? always
                           : when == When::if_direct ? direct
                                                     : bounced;
    which = std::max(which, count);
    always = std::max(always, std::min(direct, bounced));
  }
};

class WaitDerivation {
 public:
  explicit WaitDerivation(Plan& plan)
      : plan_(plan), knowledge_(plan), index_(plan), cells_(index_.size()) {}

  void run() {
    const std::uint32_t last = knowledge_.last_strip();
    for (std::uint32_t strip = 0; strip <= last; ++strip) {
      forget_users_cells();
      for (Step& step : plan_.body) place(step, strip);
    }
    for (Step& step : plan_.closing) place(step, last);
  }

 private:
  /// Users' buffers are different memory in each strip.
  void forget_users_cells() {
    for (std::size_t i = 0; i < index_.users_size(); ++i) cells_[i].forget();
  }

  void place(Step& step, std::uint32_t strip) {
    const std::vector<Access> accesses = accesses_of(plan_, step, strip);
    std::map<Rank, Demand> demands;
    for (const Access& access : accesses) demand(step.by, access, demands);
    step.waits = minimal_waits(step.by, demands, strip);
    const std::uint32_t count = knowledge_.finish(step, strip);
    for (const Access& access : accesses) remember(step.by, access, count);
  }

  void demand(Rank by, const Access& access, std::map<Rank, Demand>& demands) {
    const History& history = cells_[index_(access.cell)];
    const auto after = [&](const Event& event) {
      const bool is_known = event.count <= knowledge_.of(by)[event.rank];
      if (event.count == 0 || event.rank == by || is_known) return;
      demands[event.rank].raise(condition(access.cell, by), event.count);
    };
    after(history.writer);
    if (access.writes)
      for (const Event& reader : history.readers) after(reader);
  }

  void remember(Rank by, const Access& access, std::uint32_t count) {
    History& history = cells_[index_(access.cell)];
    if (access.writes) {
      history.forget();
      history.writer = {by, count};
    } else {
      history.readers.push_back({by, count});
    }
  }

  std::vector<Wait> minimal_waits(Rank by, const std::map<Rank, Demand>& demands,
                                  std::uint32_t strip) {
    std::vector<Wait> waits;
    for (const auto& [rank, demand] : demands) {
      const auto wait_for = [&](std::uint32_t count, When when) {
        if (count == 0 || is_implied(rank, count, demands)) return;
        waits.push_back(knowledge_.wait(rank, count, strip, when));
      };
      wait_for(demand.always, When::always);
      if (demand.direct > demand.always) wait_for(demand.direct, When::if_direct);
      if (demand.bounced > demand.always) wait_for(demand.bounced, When::if_bounced);
    }
    // Peers are met starting from the next rank, so that not all crowd upon rank 0 at once.
    std::stable_partition(waits.begin(), waits.end(),
                          [by](const Wait& wait) { return wait.rank > by; });
    return waits;
  }

  /// Another peer that is waited for anyway has heard of it.
  bool is_implied(Rank rank, std::uint32_t count, const std::map<Rank, Demand>& demands) const {
    return std::any_of(demands.begin(), demands.end(), [&](const auto& other) {
      return other.first != rank && other.second.always != 0 &&
             knowledge_.at(other.first, other.second.always)[rank] >= count;
    });
  }

  Plan& plan_;
  Knowledge knowledge_;
  CellIndex index_;
  std::vector<History> cells_;
};

}  // namespace

void derive_waits(Plan& plan) {
  WaitDerivation(plan).run();
}

}  // namespace terrace
