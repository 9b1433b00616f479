// SPDX-License-Identifier: BSD-3-Clause
// Assigns steps to rounds, and labels them.
#include "draw/rounds.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <span>
#include <tuple>

#include "base/contract.hpp"
#include "draw/svg.hpp"

namespace terrace {

namespace {

/// The place of a region, whatever way it is reached.
using Place = std::tuple<Rank, Buffer, std::uint16_t>;

/// The last rounds in which a tile was written and read.
struct Use {
  std::uint32_t written = 0, read = 0;
};

class RoundFinder {
 public:
  explicit RoundFinder(const Plan& plan) : plan_(plan), acts_of_rank_(plan.ranks) {
    for (const auto* steps : {&plan.body, &plan.closing})
      for (const Step& step : *steps) add(step);
  }

  std::vector<Act> take() && { return std::move(acts_); }

 private:
  void add(const Step& step) {
    Act act;
    act.step = &step;
    std::uint32_t after = last_round(step.by);
    for (const Wait& wait : step.waits) {
      const std::vector<std::size_t>& done = acts_of_rank_[wait.rank];
      if (wait.lag != 0 || wait.steps == 0 || wait.steps > done.size()) continue;
      act.awaits.push_back(done[wait.steps - 1]);
      after = std::max(after, acts_[act.awaits.back()].round);
    }
    for (const Region& operand : step.from)
      for (const Use& use : uses(operand)) after = std::max(after, use.written);
    for (const Region& target : step.to)
      for (const Use& use : uses(target)) after = std::max({after, use.written, use.read});
    std::deque<std::uint32_t>& arriving = messages_[{step.peer, step.by}];
    const bool is_message = step.kind == StepKind::receive && !arriving.empty();
    if (is_message) {
      after = std::max(after, arriving.front());
      arriving.pop_front();
    }
    act.round = after + 1;
    if (step.kind == StepKind::send) messages_[{step.by, step.peer}].push_back(act.round);
    for (const Region& operand : step.from)
      for (Use& use : uses(operand)) use.read = std::max(use.read, act.round);
    for (const Region& target : step.to)
      for (Use& use : uses(target)) use.written = act.round;
    act.takes_from = others(step.from, step.by);
    if (is_message) act.takes_from.push_back(step.peer);
    act.stores_to = others(step.to, step.by);
    acts_of_rank_[step.by].push_back(acts_.size());
    acts_.push_back(std::move(act));
  }

  std::uint32_t last_round(Rank rank) const {
    return acts_of_rank_[rank].empty() ? 0 : acts_[acts_of_rank_[rank].back()].round;
  }

  static std::vector<Rank> others(const std::vector<Region>& regions, Rank own) {
    std::vector<Rank> ranks;
    for (const Region& region : regions)
      if (region.rank != own) ranks.push_back(region.rank);
    std::sort(ranks.begin(), ranks.end());
    ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
    return ranks;
  }

  std::span<Use> uses(const Region& region) {
    Place place{region.rank, region.buffer, region.block};
    if (region.buffer == Buffer::exposed && region.block < plan_.exposures.size())
      place = {region.rank, plan_.exposures[region.block].buffer,
               plan_.exposures[region.block].block};
    std::vector<Use>& tiles = uses_[place];
    if (tiles.empty()) tiles.resize(plan_.tiles);
    TERRACE_ASSERT(region.first_tile + std::size_t{region.tile_count} <= tiles.size(),
                   region.first_tile, region.tile_count, tiles.size());
    return std::span(tiles).subspan(region.first_tile, region.tile_count);
  }

  const Plan& plan_;
  std::vector<Act> acts_;
  std::vector<std::vector<std::size_t>> acts_of_rank_;
  std::map<Place, std::vector<Use>> uses_;
  std::map<std::pair<Rank, Rank>, std::deque<std::uint32_t>> messages_;  ///< rounds of their sends
};

/// "0+1+2", "0+..+7", "0+4+8+.. (12)".
std::string list_of(const std::vector<Rank>& ranks, const char* between) {
  constexpr std::size_t kMost = 4, kShown = 3;
  const auto join = [&](std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i)
      text += (i == 0 ? "" : between) + std::to_string(ranks[i]);
    return text;
  };
  if (ranks.size() <= kMost) return join(ranks.size());
  bool is_run = true;
  for (std::size_t i = 1; i < ranks.size(); ++i) is_run = is_run && ranks[i] == ranks[i - 1] + 1;
  if (is_run) return join(1) + between + ".." + between + std::to_string(ranks.back());
  return join(kShown) + between + ".. (" + std::to_string(ranks.size()) + ')';
}

std::vector<Rank> ranks_in(const std::vector<Region>& regions) {
  std::vector<Rank> ranks;
  for (const Region& region : regions)
    if (ranks.empty() || ranks.back() != region.rank) ranks.push_back(region.rank);
  return ranks;
}

bool combines(const Step& step) {
  return step.kind == StepKind::reduce && step.from.size() > 1;
}

/// Names the tiles that a step makes, if that is not all of a block.
std::string tiles_text(const Step& step, const Plan& plan) {
  if (step.to.empty() || step.to.front().tile_count == plan.tiles) return "";
  const Region& made = step.to.front();
  std::string text = "t" + std::to_string(made.first_tile);
  if (made.tile_count > 1) text += "-" + std::to_string(made.first_tile + made.tile_count - 1);
  return text + ' ';
}

const Group* child_with(const Group& group, Rank rank) {
  for (const Group& child : group.children)
    if (std::binary_search(child.ranks.begin(), child.ranks.end(), rank)) return &child;
  return nullptr;
}

void append(const Group& group, std::vector<Rank>& order) {
  if (group.children.empty()) order.insert(order.end(), group.ranks.begin(), group.ranks.end());
  for (const Group& child : group.children) append(child, order);
}

}  // namespace

std::vector<Act> acts_of(const Plan& plan) {
  return RoundFinder(plan).take();
}

std::uint32_t round_count(const std::vector<Act>& acts) {
  std::uint32_t rounds = 0;
  for (const Act& act : acts) rounds = std::max(rounds, act.round);
  return rounds;
}

std::string label_of(const Act& act, const Plan& plan) {
  const Step& step = *act.step;
  std::string label;
  switch (step.kind) {
    case StepKind::hold:
      return "hold";
    case StepKind::expose:
      return "show";
    case StepKind::deliver:
      return "deliver";
    case StepKind::send:
      return "send " + std::to_string(step.peer);
    case StepKind::receive:
      return "from " + std::to_string(step.peer);
    case StepKind::reduce:
    case StepKind::copy:
      label = tiles_text(step, plan);
      label += combines(step) ? list_of(ranks_in(step.from), "+")
                              : "=" + list_of(ranks_in(step.from), ",");
  }
  if (!act.stores_to.empty()) label += " >" + list_of(ranks_in(step.to), ",");
  return label;
}

std::vector<std::string> signs_of(const std::vector<Act>& acts, const Plan& plan) {
  const auto any = [&](auto holds) { return std::any_of(acts.begin(), acts.end(), holds); };
  const auto is_kind = [&](StepKind kind) {
    return any([kind](const Act& act) { return act.step->kind == kind; });
  };
  std::vector<std::string> signs;
  if (any([](const Act& act) { return combines(*act.step); }))
    signs.push_back("0+2: the rank combines values of ranks 0 and 2, in this order");
  if (any([](const Act& act) {
        const StepKind kind = act.step->kind;
        return kind == StepKind::copy || (kind == StepKind::reduce && !combines(*act.step));
      }))
    signs.push_back("=0: it copies what rank 0 has");
  if (any([](const Act& act) { return !act.stores_to.empty(); }))
    signs.push_back(">1: it stores the result at rank 1");
  if (any([&](const Act& act) { return !tiles_text(*act.step, plan).empty(); }))
    signs.push_back("t3: only of tile 3, of " + std::to_string(plan.tiles));
  if (is_kind(StepKind::expose)) signs.push_back("show: lets others see its buffers");
  if (is_kind(StepKind::deliver)) signs.push_back("deliver: puts in place what others stored");
  if (is_kind(StepKind::send)) signs.push_back("send 2: it starts a message to rank 2");
  if (is_kind(StepKind::receive)) signs.push_back("from 0: it takes rank 0's message");
  if (is_kind(StepKind::hold)) signs.push_back("hold: waits until no rank reads its buffers");
  return signs;
}

std::vector<Rank> order_in(const Hierarchy& hierarchy) {
  std::vector<Rank> order;
  append(hierarchy.all, order);
  return order;
}

const Group& meeting_of(const Hierarchy& hierarchy, Rank a, Rank b) {
  const Group* group = &hierarchy.all;
  for (const Group* inner = group; inner != nullptr; inner = child_with(*group, a)) {
    if (inner != &hierarchy.all && !std::binary_search(inner->ranks.begin(), inner->ranks.end(), b))
      break;
    group = inner;
    if (group->children.empty()) break;
  }
  return *group;
}

std::string distance_text(const Group& meeting) {
  const bool is_known = meeting.level != kJobLevel && meeting.level != kRunLevel;
  const std::string parts = meeting.children.empty() || stops_in(meeting, meeting.children.front())
                                ? "rank"
                                : level_name(meeting.children.front().level);
  return "between " + parts + "s" + (is_known ? " of one " + level_name(meeting.level) : "");
}

}  // namespace terrace
