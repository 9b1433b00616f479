// SPDX-License-Identifier: BSD-3-Clause
// Compares the regions of two steps, as deriving waits does (plan/waits.cpp), but for two steps
// alone.
#include "draw/reasons.hpp"

#include <algorithm>

#include "base/contract.hpp"

namespace terrace {

namespace {

/// The memory that a region lies in, told apart by what makes accesses conflict: input and output
/// of a rank are the same memory when in place.
enum class Home : std::uint8_t { users, scratch, line, bounced };

struct Place {
  Rank rank = 0;
  Home home = Home::users;
  std::uint32_t block = 0;

  bool operator==(const Place&) const = default;
};

std::vector<Place> places_of(const Region& region, const Plan& plan) {
  switch (region.buffer) {
    case Buffer::input:
    case Buffer::output:
      return {{region.rank, Home::users, region.block}};
    case Buffer::scratch:
      return {{region.rank, Home::scratch, region.block}};
    case Buffer::mailbox:
      return {{region.rank, Home::line, region.block}};
    case Buffer::exposed:
      break;
  }
  TERRACE_ASSERT(region.block < plan.exposures.size(), region.block);
  return {{region.rank, Home::users, plan.exposures[region.block].block},
          {region.rank, Home::bounced, region.block}};
}

bool meet(const Region& a, const Region& b, const Plan& plan) {
  const bool tiles_meet =
      a.first_tile < b.first_tile + b.tile_count && b.first_tile < a.first_tile + a.tile_count;
  if (!tiles_meet) return false;
  const std::vector<Place> others = places_of(b, plan);
  for (const Place& place : places_of(a, plan))
    if (std::find(others.begin(), others.end(), place) != others.end()) return true;
  return false;
}

/// The first region of `others` that meets one of `own`.
const Region* first_meeting(const std::vector<Region>& others, const std::vector<Region>& own,
                            const Plan& plan) {
  for (const Region& other : others)
    for (const Region& region : own)
      if (meet(other, region, plan)) return &other;
  return nullptr;
}

/// Returning to the user counts as writing both buffers.
std::vector<Region> kept_by_hold(const Step& hold, const Plan& plan) {
  std::vector<Region> regions;
  for (const Exposure& exposure : plan.exposures)
    for (const Region& either : {input(hold.by, exposure.block), output(hold.by, exposure.block)})
      regions.push_back(either.tiles(0, plan.tiles));
  return regions;
}

}  // namespace

std::vector<std::vector<std::size_t>> steps_by_rank(const Plan& plan) {
  std::vector<std::vector<std::size_t>> steps(plan.ranks);
  for (std::size_t i = 0; i < plan.body.size() + plan.closing.size(); ++i)
    steps[step_at(plan, i).by].push_back(i);
  return steps;
}

const Step& step_at(const Plan& plan, std::size_t index) {
  TERRACE_ASSERT(index < plan.body.size() + plan.closing.size(), index);
  return index < plan.body.size() ? plan.body[index] : plan.closing[index - plan.body.size()];
}

std::optional<std::string> reason_of(const Plan& plan, const Step& waiting, const Step& waited) {
  if (waiting.by == waited.by)
    return "its own messages up to there have to leave before their memory is used again";
  const auto name = [&plan](const Region* region) { return to_text(*region, plan); };
  const bool shows = waited.kind == StepKind::expose;
  if (const Region* made = first_meeting(waited.to, waiting.from, plan))
    return (shows ? "it shows " : "it makes ") + name(made) + ", which this step reads";
  if (waiting.kind == StepKind::hold) {
    const std::vector<Region> kept = kept_by_hold(waiting, plan);
    if (const Region* read = first_meeting(waited.from, kept, plan))
      return "it reads " + name(read) + ", which has to stay as it is until then";
    if (const Region* stored = first_meeting(waited.to, kept, plan))
      return "it stores " + name(stored) + ", which has to be there before the call returns";
  }
  if (const Region* made = first_meeting(waited.to, waiting.to, plan))
    return (shows ? "it shows " : "it writes ") + name(made) +
           (shows ? ", where this step stores" : " first, and this step writes there after it");
  if (const Region* read = first_meeting(waited.from, waiting.to, plan))
    return "it reads " + name(read) + ", and this step writes there";
  return std::nullopt;
}

}  // namespace terrace
