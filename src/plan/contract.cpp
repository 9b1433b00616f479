// SPDX-License-Identifier: BSD-3-Clause
// Contracts from waits: walk the plan as `derive_waits` does, note the last reading of each rank's
// shared memory by each peer, and compare with what the owner knows when it returns.
#include "plan/contract.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "plan/knowledge.hpp"

namespace terrace {

namespace {

/// (owner, line or kScratch, reader) -> the reader's count of steps at its last reading.
constexpr std::uint32_t kScratch = 0xffffffff;
using LastReadings = std::map<std::tuple<Rank, std::uint32_t, Rank>, std::uint32_t>;

void note_readings(const Plan& plan, const Step& step, std::uint32_t count, LastReadings& last) {
  const auto note = [&](Rank owner, std::uint32_t what) {
    if (owner != step.by) last[{owner, what, step.by}] = count;
  };
  for (const Region& operand : step.from) {
    if (operand.buffer == Buffer::scratch) note(operand.rank, kScratch);
    if (operand.buffer == Buffer::mailbox) note(operand.rank, operand.block);
    if (operand.buffer == Buffer::exposed) note(operand.rank, kScratch);
  }
  // Whoever touches an exposed buffer also reads the owner's announcement, line 0 of the call.
  for (const auto* regions : {&step.from, &step.to})
    for (const Region& region : *regions)
      if (region.buffer == Buffer::exposed && plan.lines > 0) note(region.rank, 0);
}

/// In a call of one strip: what a rank hears because a ring slot comes round again, it hears in
/// long calls only.
std::vector<bool> hears_all(const Plan& plan) {
  Knowledge knowledge(plan);
  for (const auto* steps : {&plan.body, &plan.closing})
    for (const Step& step : *steps) knowledge.finish(step, 0);
  std::vector<bool> result(plan.ranks);
  for (Rank rank = 0; rank < plan.ranks; ++rank) {
    const auto known = knowledge.of(rank);
    result[rank] = plan.ranks == 1 || std::all_of(known.begin(), known.end(),
                                                  [](std::uint32_t count) { return count > 0; });
  }
  return result;
}

}  // namespace

std::vector<Contract> contracts_of(const Plan& plan) {
  Knowledge knowledge(plan);
  LastReadings last;
  const auto walk = [&](const std::vector<Step>& steps, std::uint32_t strip) {
    for (const Step& step : steps) note_readings(plan, step, knowledge.finish(step, strip), last);
  };
  for (std::uint32_t strip = 0; strip <= knowledge.last_strip(); ++strip) walk(plan.body, strip);
  walk(plan.closing, knowledge.last_strip());

  std::vector<Contract> contracts(plan.ranks);
  const std::vector<bool> hears = hears_all(plan);
  for (Rank rank = 0; rank < plan.ranks; ++rank) {
    contracts[rank].hears_all = hears[rank];
    contracts[rank].line_readers.resize(plan.lines);
  }
  for (const auto& [key, count] : last) {
    const auto [owner, what, reader] = key;
    if (count <= knowledge.of(owner)[reader]) continue;
    Contract& contract = contracts[owner];
    (what == kScratch ? contract.scratch_readers : contract.line_readers[what]).push_back(reader);
  }
  return contracts;
}

}  // namespace terrace
