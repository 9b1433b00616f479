// SPDX-License-Identifier: BSD-3-Clause
// The order of events: when a rank may do a step, and what each rank then knows of the others.
#include "verify/execution.hpp"

#include <algorithm>

#include "base/contract.hpp"

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
      width_(plan.has_messages() ? 2 * plan.ranks : plan.ranks),
      body_(plan.ranks),
      closing_(plan.ranks),
      clocks_(plan.ranks) {
  for (const Step& step : plan.body) body_[step.by].push_back(&step);
  for (const Step& step : plan.closing) closing_[step.by].push_back(&step);
  pair_messages();
}

/// Messages of one rank to another arrive in the order in which they were sent.
void Execution::pair_messages() {
  for (Rank rank = 0; rank < plan_.ranks; ++rank)
    for (std::size_t i = 0; i < body_[rank].size(); ++i) {
      const Step& step = *body_[rank][i];
      const Half half{rank, static_cast<std::uint32_t>(i + 1)};
      if (step.kind == StepKind::send) channels_[{rank, step.peer}].sends.push_back(half);
      if (step.kind == StepKind::receive) channels_[{step.peer, rank}].receives.push_back(half);
    }
}

/// Each half has its other half, and both agree on what goes between them.
Execution::Fault Execution::check_pairs() const {
  for (const auto& [ends, channel] : channels_) {
    const auto& [from, to] = ends;
    const std::size_t sent = channel.sends.size(), received = channel.receives.size();
    if (sent != received)
      return "rank " + std::to_string(from) + " sends rank " + std::to_string(to) + " " +
             std::to_string(sent) + (sent == 1 ? " message" : " messages") +
             " in each strip, of which rank " + std::to_string(to) + " receives " +
             std::to_string(received);
    for (std::size_t i = 0; i < sent; ++i) {
      const Step &send = *body_[from][channel.sends[i].number - 1],
                 &receive = *body_[to][channel.receives[i].number - 1];
      const auto same_tiles = [](const Region& one, const Region& other) {
        return one.first_tile == other.first_tile && one.tile_count == other.tile_count;
      };
      if (!std::equal(send.from.begin(), send.from.end(), receive.to.begin(), receive.to.end(),
                      same_tiles))
        return "`" + to_text(send, plan_) + "` and `" + to_text(receive, plan_) +
               "` are halves of one message, with different values or tiles";
    }
  }
  return std::nullopt;
}

void Execution::start(const Circumstances& circumstances) {
  TERRACE_ASSERT(circumstances.strips != 0 && circumstances.direct.size() == plan_.ranks &&
                     circumstances.in_place.size() == plan_.ranks,
                 circumstances.strips, plan_.ranks);
  circumstances_ = circumstances;
  memory_.reset(plan_, circumstances, brought_.blocks);
  done_.assign(plan_.ranks, 0);
  for (auto& clocks : clocks_) clocks.assign(width_, 0);
  for (auto& [ends, channel] : channels_) channel.values.clear();
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

std::optional<std::string> Execution::run(const Circumstances& circumstances,
                                          std::optional<Rank> leaver) {
  if (Fault fault = check_pairs()) return fault;
  start(circumstances);
  for (bool has_moved = true; has_moved;) {
    has_moved = false;
    for (Rank rank = 0; rank < plan_.ranks; ++rank)
      if (Fault fault = play(rank, rank == leaver, has_moved)) return fault;
  }
  for (Rank rank = 0; rank < plan_.ranks; ++rank)
    if (rank != leaver && done_[rank] < event_count(rank))
      return leaver ? stuck_without(*leaver) : deadlock();
  return std::nullopt;
}

/// Does all that a rank can do now.
Execution::Fault Execution::play(Rank rank, bool leaves, bool& has_moved) {
  while (done_[rank] < event_count(rank) &&
         !(leaves ? waits(rank) : first_unmet(rank).has_value())) {
    if (Fault fault = advance(rank)) return fault;
    has_moved = true;
  }
  return std::nullopt;
}

/// Whether the next event of a rank waits for anything, met or not.
bool Execution::waits(Rank rank) const {
  const std::uint32_t event = done_[rank] + 1;
  const Step* const step = step_at(rank, event);
  if (step == nullptr) return false;
  const std::uint32_t strip = strip_at(rank, event);
  return step->kind == StepKind::receive ||
         std::any_of(step->waits.begin(), step->waits.end(), [&](const Wait& wait) {
           return applies(wait, rank) && awaited_event(wait, strip) != 0;
         });
}

/// Steps of all strips, closing steps, and the return to the caller.
std::uint32_t Execution::event_count(Rank rank) const {
  return static_cast<std::uint32_t>(circumstances_.strips * body_[rank].size() +
                                    closing_[rank].size() + 1);
}

/// Events count from 1; null for the return.
const Step* Execution::step_at(Rank rank, std::uint32_t event) const {
  TERRACE_ASSERT(event >= 1 && event <= event_count(rank), rank, event);
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

std::optional<Execution::Awaited> Execution::first_unmet(Rank rank) const {
  const std::uint32_t event = done_[rank] + 1;
  const Step* step = step_at(rank, event);
  if (step == nullptr) return std::nullopt;
  const std::uint32_t strip = strip_at(rank, event);
  for (const Wait& wait : step->waits) {
    if (!applies(wait, rank)) continue;
    const std::uint32_t awaited = awaited_event(wait, strip);
    if (wait.rank == rank) {
      if (const auto message = unreceived(rank, awaited)) return message;
    } else if (done_[wait.rank] < awaited) {
      return Awaited{wait.rank, awaited};
    }
  }
  if (step->kind != StepKind::receive) return std::nullopt;
  const std::uint32_t sent = other_half(rank, event);
  return done_[step->peer] < sent ? std::optional<Awaited>({step->peer, sent}) : std::nullopt;
}

/// The worst of all networks: a message has gone only when its receiver has taken it. Returns one
/// that was started up to `event` and is still on its way.
std::optional<Execution::Awaited> Execution::unreceived(Rank rank, std::uint32_t event) const {
  const std::uint32_t gone = full_clock_after(rank, done_[rank])[messenger_of(rank)];
  for (std::uint32_t sent = gone + 1; sent <= event; ++sent) {
    const Step* step = step_at(rank, sent);
    if (step->kind != StepKind::send) continue;
    const std::uint32_t taken = other_half(rank, sent);
    if (done_[step->peer] < taken) return Awaited{step->peer, taken};
  }
  return std::nullopt;
}

/// The peer's event that is the other half of this one.
std::uint32_t Execution::other_half(Rank rank, std::uint32_t event) const {
  const Step& step = *step_at(rank, event);
  const bool sends = step.kind == StepKind::send;
  const Channel& channel =
      channels_.at(sends ? std::pair(rank, step.peer) : std::pair(step.peer, rank));
  const auto number = static_cast<std::uint32_t>((event - 1) % body_[rank].size() + 1);
  const std::vector<Half>&mine = sends ? channel.sends : channel.receives,
        &theirs = sends ? channel.receives : channel.sends;
  const auto found = std::find_if(mine.begin(), mine.end(),
                                  [number](const Half& half) { return half.number == number; });
  TERRACE_ASSERT(is_half_of_message(step.kind) && found != mine.end(), rank, event);
  return static_cast<std::uint32_t>(strip_at(rank, event) * body_[step.peer].size() +
                                    theirs[static_cast<std::size_t>(found - mine.begin())].number);
}

Execution::Fault Execution::advance(Rank rank) {
  const std::uint32_t event = ++done_[rank];
  TERRACE_ASSERT(event <= event_count(rank), rank, event);
  Now now{step_at(rank, event), {rank, event}, strip_at(rank, event), {}};
  learn(now);
  now.clock = full_clock_after(rank, event);
  if (now.step == nullptr) return return_to_caller(now);
  note_looks(now);
  return perform(now);
}

/// After this event its rank knows what it knew before, and what those knew that it waited for or
/// got a message from.
void Execution::learn(const Now& now) {
  const Rank by = now.event.rank;
  std::vector<std::uint32_t>& clocks = clocks_[by];
  const std::size_t mine = clocks.size();
  TERRACE_ASSERT(mine % width_ == 0 && mine >= width_, mine, width_);
  clocks.resize(mine + width_);
  std::copy_n(clocks.begin() + static_cast<std::ptrdiff_t>(mine - width_), width_,
              clocks.begin() + static_cast<std::ptrdiff_t>(mine));
  const auto hear = [&](Rank peer, std::uint32_t event) {
    const VectorClock theirs = full_clock_after(peer, event);
    for (std::uint32_t i = 0; i < width_; ++i)
      clocks[mine + i] = std::max(clocks[mine + i], theirs[i]);
  };
  if (now.step != nullptr) {
    for (const Wait& wait : now.step->waits) {
      const std::uint32_t awaited = applies(wait, by) ? awaited_event(wait, now.strip) : 0;
      if (wait.rank != by)
        hear(wait.rank, awaited);
      else
        clocks[mine + messenger_of(by)] = std::max(clocks[mine + messenger_of(by)], awaited);
    }
    if (now.step->kind == StepKind::receive) hear(now.step->peer, other_half(by, now.event.count));
  }
  clocks[mine + by] = now.event.count;
}

bool Execution::hears_all(Rank rank) const {
  const VectorClock clock = at_return(rank);
  return std::all_of(clock.begin(), clock.end(), [](std::uint32_t count) { return count > 0; });
}

/// A rank that waits for a step by its line reads that line, and may not find it rewritten.
void Execution::note_looks(const Now& now) {
  for (const Wait& wait : now.step->waits) {
    const std::uint32_t awaited =
        applies(wait, now.event.rank) ? awaited_event(wait, now.strip) : 0;
    if (awaited == 0 || wait.rank == now.event.rank) continue;
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
    const auto [awaited, event] = *first_unmet(rank);
    text += between + name(rank, done_[rank] + 1) + " waits for " + name(awaited, event);
    rank = awaited;
  }
  return text;
}

/// A rank that waits, through others or not, for one that has stopped before its first wait.
std::string Execution::stuck_without(Rank leaver) const {
  Rank rank = 0;
  while (rank == leaver || done_[rank] == event_count(rank)) ++rank;
  Awaited awaited = *first_unmet(rank);
  while (awaited.rank != leaver) {
    rank = awaited.rank;
    awaited = *first_unmet(rank);
  }
  return name(rank, done_[rank] + 1) + " waits for " + name(leaver, awaited.event) +
         ", which comes after a wait of rank " + std::to_string(leaver);
}

}  // namespace terrace
