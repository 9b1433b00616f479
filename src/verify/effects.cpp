// SPDX-License-Identifier: BSD-3-Clause
// The effects of steps on memory under given circumstances, as the executor would produce them.
#include "base/contract.hpp"
#include "verify/execution.hpp"

#include <algorithm>

namespace terrace {

bool Execution::is_empty(std::uint32_t tile, std::uint32_t strip) const {
  if (!brought_.moves_something) return true;
  const bool is_short = circumstances_.is_last_short && strip + 1 == circumstances_.strips;
  return is_short && tile + 1u != plan_.tiles;
}

Execution::Fault Execution::perform(const Now& now) {
  switch (now.step->kind) {
    case StepKind::expose:
      return expose(now);
    case StepKind::reduce:
      return reduce(now);
    case StepKind::copy:
      return copy_pairs(now);
    case StepKind::deliver:
      if (circumstances_.direct[now.event.rank]) return std::nullopt;
      return copy_pairs(now);
    case StepKind::hold:
      return std::nullopt;
    case StepKind::send:
      return send(now);
    case StepKind::receive:
      return receive(now);
  }
  return std::nullopt;
}

/// The messenger reads, at some time from now on, what is there now.
Execution::Fault Execution::send(const Now& now) {
  std::vector<SymbolicValue> values;
  Now reading = now;
  reading.event.rank = messenger_of(now.event.rank);
  for (const Region& operand : now.step->from)
    for (std::uint32_t t = 0; t < operand.tile_count; ++t) {
      if (is_empty(operand.first_tile + t, now.strip)) continue;
      values.emplace_back();
      if (Fault fault = read(reading, operand, operand.first_tile + t, values.back())) return fault;
    }
  channels_.at({now.event.rank, now.step->peer}).values.push_back(std::move(values));
  return std::nullopt;
}

Execution::Fault Execution::receive(const Now& now) {
  const Channel& channel = channels_.at({now.step->peer, now.event.rank});
  const auto half =
      std::find_if(channel.receives.begin(), channel.receives.end(),
                   [&](const Half& one) { return body_[one.rank][one.number - 1] == now.step; });
  const auto message = now.strip * channel.receives.size() +
                       static_cast<std::size_t>(half - channel.receives.begin());
  TERRACE_ASSERT(half != channel.receives.end() && message < channel.values.size(), message);
  auto value = channel.values[message].begin();
  for (const Region& target : now.step->to)
    for (std::uint32_t t = 0; t < target.tile_count; ++t) {
      if (is_empty(target.first_tile + t, now.strip)) continue;
      if (Fault fault = write(now, target, target.first_tile + t, *value++)) return fault;
    }
  return std::nullopt;
}

/// Checks that messages have gone: when a rank has returned, any rank may reuse where they are read
/// from.
Execution::Fault Execution::check_messages_have_gone(const Now& now) const {
  if (width_ == plan_.ranks) return std::nullopt;
  for (std::uint32_t event = now.clock[messenger_of(now.event.rank)] + 1; event < now.event.count;
       ++event)
    if (step_at(now.event.rank, event)->kind == StepKind::send)
      return name(now.event.rank, event) + " may still be on its way when rank " +
             std::to_string(now.event.rank) + " returns to its caller";
  return std::nullopt;
}

/// Permissions are given anew in each strip. A bounce block that nothing is copied to holds nothing
/// that counts from here on.
Execution::Fault Execution::expose(const Now& now) {
  const bool copies = plan_.lowering == Lowering::lines || !circumstances_.direct[now.event.rank];
  if (plan_.lowering == Lowering::owner && now.strip == 0 && plan_.lines > 0)
    if (const auto race =
            memory_.write(memory_.pocket(now.event.rank, 0), now.event, now.clock, {}))
      return race_text(now, *race, mailbox(now.event.rank, 0).tiles(0, plan_.tiles), true);
  for (std::size_t i = 0; i < now.step->to.size(); ++i) {
    const Region& region = now.step->to[i];
    if (region.buffer != Buffer::exposed) continue;
    for (std::uint32_t t = 0; t < region.tile_count; ++t) {
      const std::uint32_t tile = region.first_tile + t;
      const auto permission = memory_.permission(region.rank, region.block, tile, now.strip);
      memory_.write(permission, now.event, now.clock, {});
      if (!copies || i < now.step->from.size() || is_empty(tile, now.strip)) continue;
      if (Fault fault = write(now, region, tile, {})) return fault;
    }
  }
  return copies ? copy_pairs(now) : std::nullopt;
}

Execution::Fault Execution::copy_pairs(const Now& now) {
  for (std::size_t i = 0; i < now.step->from.size(); ++i) {
    const Region &from = now.step->from[i], &to = now.step->to[i];
    if (is_skipped(now, to)) continue;
    for (std::uint32_t t = 0; t < from.tile_count; ++t) {
      if (is_empty(from.first_tile + t, now.strip)) continue;
      SymbolicValue value;
      if (Fault fault = read(now, from, from.first_tile + t, value)) return fault;
      if (is_there(now, from, to, to.first_tile + t)) continue;
      if (Fault fault = write(now, to, to.first_tile + t, value)) return fault;
    }
  }
  return std::nullopt;
}

Execution::Fault Execution::reduce(const Now& now) {
  for (std::uint32_t t = 0; t < now.step->to.front().tile_count; ++t)
    if (!is_empty(now.step->to.front().first_tile + t, now.strip))
      if (Fault fault = combine(now, t)) return fault;
  return std::nullopt;
}

Execution::Fault Execution::combine(const Now& now, std::uint32_t tile_offset) {
  SymbolicValue value;
  parts_.clear();
  for (const Region& operand : now.step->from) {
    if (Fault fault = read(now, operand, operand.first_tile + tile_offset, value)) return fault;
    parts_.push_back(value.expression);
  }
  value.expression = expressions_.combine(parts_);
  const bool is_copy = now.step->from.size() == 1;
  for (const Region& target : now.step->to)
    if (!is_skipped(now, target) && !(is_copy && is_there(now, now.step->from.front(), target,
                                                          target.first_tile + tile_offset)))
      if (Fault fault = write(now, target, target.first_tile + tile_offset, value)) return fault;
  return std::nullopt;
}

/// One's own exposed buffer, if direct, is one's own output, which the step writes anyway.
bool Execution::is_skipped(const Now& now, const Region& target) const {
  const bool is_work = now.step->kind == StepKind::reduce || now.step->kind == StepKind::copy;
  return is_work && target.buffer == Buffer::exposed && target.rank == now.event.rank &&
         circumstances_.direct[now.event.rank];
}

/// A copy leaves a target alone that is the same memory as its operand.
bool Execution::is_there(const Now& now, const Region& from, const Region& to,
                         std::uint32_t tile) const {
  return place_of(from, tile, now.strip) == place_of(to, tile, now.strip);
}

/// From here on the caller reads the output, and writes both buffers.
Execution::Fault Execution::return_to_caller(const Now& now) {
  const Rank rank = now.event.rank;
  if (Fault fault = check_messages_have_gone(now)) return fault;
  for (const Buffer buffer : {Buffer::input, Buffer::output})
    for (std::uint32_t block = 0; block < brought_.blocks; ++block) {
      const Region whole = region(rank, buffer, block).tiles(0, plan_.tiles);
      for (std::uint32_t strip = 0; strip < circumstances_.strips; ++strip)
        for (std::uint32_t tile = 0; tile < plan_.tiles; ++tile) {
          const auto place = memory_.users(rank, buffer, block, tile, strip);
          const SymbolicValue value = memory_.value(place);
          if (Fault fault = access(now, place, whole.tile(tile), &value)) return fault;
        }
    }
  return std::nullopt;
}

/// The user's buffer behind an exposure.
Region Execution::users_region(const Region& region) const {
  Region result = region;
  TERRACE_ASSERT(region.block < plan_.exposures.size(), region.block);
  result.buffer = plan_.exposures[region.block].buffer;
  result.block = plan_.exposures[region.block].block;
  return result;
}

ModelMemory::Place Execution::place_of(const Region& region, std::uint32_t tile,
                                       std::uint32_t strip) const {
  switch (region.buffer) {
    case Buffer::input:
    case Buffer::output:
      return memory_.users(region.rank, region.buffer, region.block, tile, strip);
    case Buffer::scratch:
      return memory_.scratch(region.rank, region.block, tile, strip);
    case Buffer::mailbox:
      return memory_.pocket(region.rank, region.block);
    case Buffer::exposed:
      break;
  }
  if (circumstances_.direct[region.rank]) return place_of(users_region(region), tile, strip);
  return memory_.scratch(region.rank, plan_.exposures[region.block].scratch_block, tile, strip);
}

/// A peer needs the owner's permission, and reads the line that announces how to reach it.
Execution::Fault Execution::touch_exposed(const Now& now, const Region& region,
                                          std::uint32_t tile) {
  const Rank rank = now.event.rank % plan_.ranks;
  if (region.rank == rank) return std::nullopt;
  const auto permission = memory_.permission(region.rank, region.block, tile, now.strip);
  const bool is_given = memory_.is_written(permission);
  const auto race = memory_.read(permission, now.event, now.clock);
  if (!is_given || race)
    return name(rank, now.event.count) + " touches " + name(region, tile) + " without waiting for" +
           (is_given ? " " + name(region.rank, race->before.count) : " its owner to expose it");
  if (plan_.lines > 0) looks_[look(region.rank, 0, rank)] = now.event.count;
  return std::nullopt;
}

Execution::Fault Execution::read(const Now& now, const Region& region, std::uint32_t tile,
                                 SymbolicValue& value) {
  if (region.buffer == Buffer::exposed)
    if (Fault fault = touch_exposed(now, region, tile)) return fault;
  const auto place = place_of(region, tile, now.strip);
  if (Fault fault = access(now, place, region.tile(tile), nullptr)) return fault;
  value = memory_.value(place);
  if (value.is_known && value.tile == tile && value.strip == now.strip) return std::nullopt;
  const std::string what = value.is_known && value.strip != now.strip
                               ? "a value of strip " + std::to_string(value.strip)
                           : value.is_known ? "tile " + std::to_string(value.tile)
                                            : "nothing of this call";
  return name(now.event.rank, now.event.count) + " reads " + name(region, tile) + ", which holds " +
         what;
}

Execution::Fault Execution::write(const Now& now, const Region& region, std::uint32_t tile,
                                  const SymbolicValue& value) {
  if (region.buffer == Buffer::exposed && now.step->kind != StepKind::expose)
    if (Fault fault = touch_exposed(now, region, tile)) return fault;
  const Region user = region.buffer == Buffer::exposed ? users_region(region) : region;
  const bool is_copied_for_peers =
      region.buffer == Buffer::exposed && now.step->kind == StepKind::expose;
  const bool is_no_output =
      user.buffer == Buffer::output && !brought_.has_output[user.rank][user.block];
  if (user.buffer == Buffer::input && !is_copied_for_peers)
    return name(now.event.rank, now.event.count) + " writes " + name(user, tile) + ", an input";
  if (is_no_output && !is_copied_for_peers)
    return name(now.event.rank, now.event.count) + " writes " + name(user, tile) +
           ", but this collective gives rank " + std::to_string(user.rank) + " no such output";
  return access(now, place_of(region, tile, now.strip), region.tile(tile), &value);
}

void Execution::note_touch(Rank owner, MemoryEvent by) {
  std::uint32_t& first = first_touches_[touch(owner, by.rank)];
  if (first == 0) first = by.count;
  touches_[touch(owner, by.rank)] = by.count;
}

/// Reads if `value` is null, else writes it.
Execution::Fault Execution::access(const Now& now, ModelMemory::Place place, const Region& region,
                                   const SymbolicValue* value) {
  ++accesses_;
  const bool is_scratch = region.buffer == Buffer::scratch || region.buffer == Buffer::exposed;
  const Rank rank = now.event.rank % plan_.ranks;  // a messenger's is its sender's
  if (is_scratch && region.rank != rank) note_touch(region.rank, now.event);
  if (region.buffer == Buffer::mailbox && region.rank != rank)
    looks_[look(region.rank, plan_.line_of(region), rank)] = now.event.count;
  const auto race = value ? memory_.write(place, now.event, now.clock, *value)
                          : memory_.read(place, now.event, now.clock);
  if (!race) return std::nullopt;
  return race_text(now, *race, region, value != nullptr);
}

/// "rank 1's step 2, `1: out[1] = out[0]`, in strip 0"
std::string Execution::name(Rank rank, std::uint32_t event) const {
  if (rank >= plan_.ranks) return "the message of " + name(rank % plan_.ranks, event);
  const std::string who = "rank " + std::to_string(rank);
  const Step* step = step_at(rank, event);
  if (step == nullptr) return who + "'s return to its caller";
  const std::size_t body = circumstances_.strips * body_[rank].size();
  const std::size_t number =
      event <= body ? (event - 1) % body_[rank].size() + 1 : event - body + body_[rank].size();
  std::string text = who + "'s step " + std::to_string(number) + " `" + to_text(*step, plan_) + "`";
  if (circumstances_.strips > 1 && event <= body)
    text += " of strip " + std::to_string(strip_at(rank, event));
  return text;
}

std::string Execution::name(const Region& region, std::uint32_t tile) const {
  if (region.buffer != Buffer::exposed) return to_text(region.tile(tile), plan_);
  const std::string user = to_text(users_region(region).tile(tile), plan_);
  return circumstances_.direct[region.rank] ? user : "the stand-in of " + user;
}

std::string Execution::race_text(const Now& now, const Race& race, const Region& region,
                                 bool writes) const {
  const auto did = [](bool wrote) { return wrote ? "writes" : "reads"; };
  const bool before_returns =
      race.before.rank < plan_.ranks && step_at(race.before.rank, race.before.count) == nullptr;
  const bool now_returns = now.step == nullptr;
  const std::string place = name(region, region.first_tile);
  if (now_returns || before_returns) {
    const Rank owner = now_returns ? now.event.rank : race.before.rank;
    const std::string peer = now_returns ? name(race.before.rank, race.before.count)
                                         : name(now.event.rank, now.event.count);
    const bool peer_writes = now_returns ? race.before_wrote : writes;
    return "race: rank " + std::to_string(owner) + " returns to its caller while " + peer +
           " may still be " + (peer_writes ? "writing " : "reading ") + place;
  }
  return "race: " + name(race.before.rank, race.before.count) + " " + did(race.before_wrote) + " " +
         place + " and " + name(now.event.rank, now.event.count) + " " + did(writes) +
         " it, and no wait orders them";
}

}  // namespace terrace
