// SPDX-License-Identifier: BSD-3-Clause
// The order of events: who may do a step when, and what each rank then knows of the others.
#include "verify/execution.hpp"

#include <algorithm>

namespace terrace {

Brought brought_by(const Plan& plan, const Postcondition& postcondition) {
  Brought result;
  for (const auto* steps : {&plan.body, &plan.closing})
    for (const Step& step : *steps)
      for (const auto* regions : {&step.to, &step.from})
        for (const Region& region : *regions)
          if (region.buffer == Buffer::input || region.buffer == Buffer::output)
            result.blocks = std::max(result.blocks, region.block + 1u);
  for (const Exposure& exposure : plan.exposures)
    result.blocks = std::max(result.blocks, exposure.block + 1u);
  for (const auto& blocks : postcondition.outputs) {
    result.blocks = std::max(result.blocks, static_cast<std::uint32_t>(blocks.size()));
    for (const auto& terms : blocks)
      for (const Term& term : terms.value_or(Terms()))
        result.blocks = std::max(result.blocks, term.block + 1u);
  }
  result.has_input.assign(plan.ranks, std::vector<bool>(result.blocks));
  result.has_output = result.has_input;
  for (Rank rank = 0; rank < std::min<std::size_t>(plan.ranks, postcondition.outputs.size());
       ++rank)
    for (std::size_t block = 0; block < postcondition.outputs[rank].size(); ++block) {
      const std::optional<Terms>& terms = postcondition.outputs[rank][block];
      if (!terms) continue;
      result.moves_something = result.has_output[rank][block] = true;
      for (const Term& term : *terms)
        if (term.rank < plan.ranks) result.has_input[term.rank][term.block] = true;
    }
  return result;
}

Brought everything(const Plan& plan) {
  Brought result = brought_by(plan, {});
  result.moves_something = true;
  result.has_input.assign(plan.ranks, std::vector<bool>(result.blocks, true));
  result.has_output = result.has_input;
  return result;
}

Execution::Execution(const Plan& plan, const Brought& brought, Expressions& expressions)
    : plan_(plan),
      brought_(brought),
      expressions_(expressions),
      body_(plan.ranks),
      closing_(plan.ranks),
      clocks_(plan.ranks) {
  for (const Step& step : plan.body) body_[step.by].push_back(&step);
  for (const Step& step : plan.closing) closing_[step.by].push_back(&step);
}

void Execution::start(const Circumstances& circumstances) {
  circumstances_ = circumstances;
  memory_.reset(plan_, circumstances, brought_.blocks);
  done_.assign(plan_.ranks, 0);
  for (auto& clocks : clocks_) clocks.assign(plan_.ranks, 0);
  first_touches_.assign(std::size_t{plan_.ranks} * plan_.ranks, 0);
  touches_.assign(std::size_t{plan_.ranks} * plan_.ranks, 0);
  looks_.assign(std::size_t{plan_.ranks} * plan_.ranks * plan_.lines, 0);
  fill_inputs();
}

void Execution::fill_inputs() {
  for (Rank rank = 0; rank < plan_.ranks; ++rank)
    for (std::uint32_t block = 0; block < brought_.blocks; ++block) {
      if (!brought_.has_input[rank][block]) continue;
      const auto leaf = expressions_.leaf({rank, static_cast<std::uint16_t>(block)});
      for (std::uint32_t strip = 0; strip < circumstances_.strips; ++strip)
        for (std::uint16_t tile = 0; tile < plan_.tiles; ++tile)
          memory_.set(memory_.users(rank, Buffer::input, block, tile, strip),
                      {true, tile, strip, leaf});
    }
}

std::optional<std::string> Execution::run(const Circumstances& circumstances) {
  start(circumstances);
  for (bool has_moved = true; has_moved;) {
    has_moved = false;
    for (Rank rank = 0; rank < plan_.ranks; ++rank)
      while (done_[rank] < event_count(rank) && first_unmet(rank) == nullptr) {
        if (Fault fault = advance(rank)) return fault;
        has_moved = true;
      }
  }
  for (Rank rank = 0; rank < plan_.ranks; ++rank)
    if (done_[rank] < event_count(rank)) return deadlock();
  return std::nullopt;
}

/// Steps of all strips, closing steps, and the return to the caller.
std::uint32_t Execution::event_count(Rank rank) const {
  return static_cast<std::uint32_t>(circumstances_.strips * body_[rank].size() +
                                    closing_[rank].size() + 1);
}

/// Events count from 1; null for the return.
const Step* Execution::step_at(Rank rank, std::uint32_t event) const {
  const std::size_t body = circumstances_.strips * body_[rank].size();
  if (event <= body) return body_[rank][(event - 1) % body_[rank].size()];
  const std::size_t rest = event - body - 1;
  return rest < closing_[rank].size() ? closing_[rank][rest] : nullptr;
}

std::uint32_t Execution::strip_at(Rank rank, std::uint32_t event) const {
  if (event > circumstances_.strips * body_[rank].size()) return circumstances_.strips - 1;
  return static_cast<std::uint32_t>((event - 1) / body_[rank].size());
}

/// 0 where the wait reaches before the first strip.
std::uint32_t Execution::awaited_event(const Wait& wait, std::uint32_t strip) const {
  if (wait.lag > strip) return 0;
  return static_cast<std::uint32_t>((strip - wait.lag) * body_[wait.rank].size() + wait.steps);
}

bool Execution::applies(const Wait& wait, Rank rank) const {
  if (wait.when == When::always) return true;
  return circumstances_.direct[rank] == (wait.when == When::if_direct);
}

const Wait* Execution::first_unmet(Rank rank) const {
  const Step* step = step_at(rank, done_[rank] + 1);
  if (step == nullptr) return nullptr;
  const std::uint32_t strip = strip_at(rank, done_[rank] + 1);
  for (const Wait& wait : step->waits)
    if (applies(wait, rank) && done_[wait.rank] < awaited_event(wait, strip)) return &wait;
  return nullptr;
}

Clock Execution::clock_after(Rank rank, std::uint32_t event) const {
  return Clock(clocks_[rank]).subspan(std::size_t{event} * plan_.ranks, plan_.ranks);
}

Execution::Fault Execution::advance(Rank rank) {
  const std::uint32_t event = ++done_[rank];
  Now now{step_at(rank, event), {rank, event}, strip_at(rank, event), {}};
  learn(now);
  now.clock = clock_after(rank, event);
  if (now.step == nullptr) return return_to_caller(now);
  note_looks(now);
  return perform(now);
}

/// After this event its rank knows what it knew before, and what those it waited for knew.
void Execution::learn(const Now& now) {
  std::vector<std::uint32_t>& clocks = clocks_[now.event.rank];
  const std::size_t mine = clocks.size();
  clocks.resize(mine + plan_.ranks);
  std::copy_n(clocks.begin() + static_cast<std::ptrdiff_t>(mine - plan_.ranks), plan_.ranks,
              clocks.begin() + static_cast<std::ptrdiff_t>(mine));
  if (now.step != nullptr)
    for (const Wait& wait : now.step->waits) {
      const std::uint32_t awaited =
          applies(wait, now.event.rank) ? awaited_event(wait, now.strip) : 0;
      const Clock theirs = clock_after(wait.rank, awaited);
      for (Rank rank = 0; rank < plan_.ranks; ++rank)
        clocks[mine + rank] = std::max(clocks[mine + rank], theirs[rank]);
    }
  clocks[mine + now.event.rank] = now.event.count;
}

bool Execution::hears_all(Rank rank) const {
  const Clock clock = at_return(rank);
  return std::all_of(clock.begin(), clock.end(), [](std::uint32_t count) { return count > 0; });
}

/// Whoever waits for a step by its line reads that line, and may not find it rewritten.
void Execution::note_looks(const Now& now) {
  for (const Wait& wait : now.step->waits) {
    const std::uint32_t awaited =
        applies(wait, now.event.rank) ? awaited_event(wait, now.strip) : 0;
    if (awaited == 0) continue;
    const Step& step = *body_[wait.rank][wait.steps - 1];
    for (const Region& target : step.to)
      if (target.buffer == Buffer::mailbox)
        looks_[look(wait.rank, plan_.line_of(target), now.event.rank)] = now.event.count;
    const bool is_announced = step.kind == StepKind::expose && wait.lag == now.strip;
    if (is_announced && plan_.lowering == Lowering::owner && plan_.lines > 0)
      looks_[look(wait.rank, 0, now.event.rank)] = now.event.count;
  }
}

/// Follows the unmet waits until a rank comes up again.
std::string Execution::deadlock() const {
  Rank rank = 0;
  while (done_[rank] == event_count(rank)) ++rank;
  std::vector<bool> seen(plan_.ranks);
  std::string text = "deadlock";
  for (const char* between = ": "; !seen[rank]; between = ", and ") {
    seen[rank] = true;
    const Wait* wait = first_unmet(rank);
    const std::uint32_t awaited = awaited_event(*wait, strip_at(rank, done_[rank] + 1));
    text += between + name(rank, done_[rank] + 1) + " waits for " + name(wait->rank, awaited);
    rank = wait->rank;
  }
  return text;
}

}  // namespace terrace
