// SPDX-License-Identifier: BSD-3-Clause
// Time advances from event to event. A rank's step is one event or two: its signals arrive (or have
// arrived already), and its work is done. Signals that no rank has a copy of are raised at once;
// others when their owner has the line.
#include "simulate/node.hpp"

#include <algorithm>
#include <bit>

#include "base/contract.hpp"
#include "execute/call.hpp"

namespace terrace::simulate {

namespace {

constexpr std::uint32_t kWord = 0;  ///< of a rank's signals; its lines follow
constexpr std::uint64_t kDone = (std::uint64_t{1} << 24) - 1;

std::uint64_t word_of(std::uint32_t call, std::uint64_t steps) {
  return std::uint64_t{call} << 24 | steps;
}

/// Payload bytes that fit in the flag's own cache line; the rest is in its neighbour.
constexpr std::size_t kFlagsLinePayload = 48;

std::uint32_t lines_of_signals(std::span<const RankProgram> programs,
                               const SimulationSetting& setting) {
  const std::size_t payload =
      programs.front().lowering == Lowering::lines
          ? setting.element_count * setting.element_bytes * programs.front().pockets
          : 0;
  return payload > kFlagsLinePayload ? 2 : 1;
}

/// Evenly from 0 to 1, the same for the same three on every machine.
double random_share(std::uint64_t seed, std::uint64_t rank, std::uint64_t draw) {
  std::uint64_t word = seed * 0x9e3779b97f4a7c15u + rank * 0xbf58476d1ce4e5b9u + draw;
  for (int i = 0; i < 2; ++i) {
    word = (word ^ word >> 30) * 0xbf58476d1ce4e5b9u;
    word = (word ^ word >> 27) * 0x94d049bb133111ebu;
    word ^= word >> 31;
  }
  return static_cast<double>(word >> 11) * 0x1p-53;
}

}  // namespace

NodeSimulation::NodeSimulation(const Hardware& hardware, std::span<const RankProgram> programs,
                               const SimulationSetting& setting, const NodeSurroundings& outside)
    : hardware_(&hardware),
      programs_(programs),
      setting_(&setting),
      outside_(&outside),
      players_(hardware.rank_count()),
      known_done_(std::size_t{hardware.rank_count()} * hardware.rank_count()),
      signals_(hardware, 1 + kLineSlots, lines_of_signals(programs, setting)),
      values_(hardware),
      flows_(hardware.resource_count()),
      channels_of_(hardware.rank_count()) {
  Call call;
  call.element_count = setting.element_count;
  call.element_bytes = setting.element_bytes;
  call.is_direct_everywhere = setting.is_direct;
  strip_size_ =
      terrace::strip_elements(programs.front(), call, setting.strip_bytes, setting.scratch_bytes);
  if (setting.element_count != 0)
    strips_ = static_cast<std::uint32_t>((setting.element_count + strip_size_ - 1) / strip_size_);
  outcome_.bytes_from.resize(hardware.distance_count() + 3);
  measure_tiles();
  place_values();
  for (Rank rank = 0; rank < players_.size(); ++rank)
    push(setting.skew * random_share(setting.seed, outside.ranks[rank], players_[rank].draws++),
         EventKind::begin, rank);
}

// ---------------------------------------------------------------------------------------------
// Events.

void NodeSimulation::push(double time, EventKind kind, std::uint32_t number, std::uint64_t value) {
  push({time, order_++, value, number, kind});
}

void NodeSimulation::push(const Event& event) {
  events_.push_back(event);
  std::push_heap(events_.begin(), events_.end(), [](const Event& a, const Event& b) {
    return a.time != b.time ? a.time > b.time : a.order > b.order;
  });
}

/// Rates of flows are worked out when nothing more happens at this time.
double NodeSimulation::next_time() {
  const double event = events_.empty() ? kNever : events_.front().time;
  return event <= clock_ ? event : std::min(event, flows_.next_end());
}

void NodeSimulation::advance() {
  const auto later = [](const Event& a, const Event& b) {
    return a.time != b.time ? a.time > b.time : a.order > b.order;
  };
  const double now = next_time();
  TERRACE_ASSERT(now < kNever);
  ++outcome_.events;
  clock_ = std::max(clock_, now);
  if (events_.empty() || events_.front().time > now) return end_flows();
  std::pop_heap(events_.begin(), events_.end(), later);
  const Event event = events_.back();
  events_.pop_back();
  handle(event);
}

SimulationOutcome NodeSimulation::take_outcome() {
  outcome_.memory_bytes = bytes();
  outcome_.signal_lines = signals_.transfers();
  return std::move(outcome_);
}

void NodeSimulation::handle(const Event& event) {
  switch (event.kind) {
    case EventKind::begin:
      return begin(event.number, event.time);
    case EventKind::met:
      return met(event.number, event.time);
    case EventKind::done:
      return done(event.number, event.time);
    case EventKind::seen:
      return show(event.number, event.value, event.time);
    case EventKind::message_arrives:
      return message_arrives(event.number, std::bit_cast<double>(event.value), event.time);
    case EventKind::arrived:
      return arrived(event.number, event.time);
  }
}

void NodeSimulation::end_flows() {
  ended_.clear();
  flows_.end(clock_, ended_);
  for (const Rank rank : ended_) push(clock_ + players_[rank].after_flow, EventKind::done, rank);
}

Result<bool> NodeSimulation::check_over() const {
  const auto waits = [this](const Player& player) {
    return player.call < setting_->calls || player.has_entered;
  };
  const auto found = std::find_if(players_.begin(), players_.end(), waits);
  if (found == players_.end()) return true;
  const auto rank = static_cast<std::size_t>(found - players_.begin());
  return Error{ErrorCode::argument, programs_.front().name + ": nothing more happens, and rank " +
                                        std::to_string(outside_->ranks[rank]) +
                                        " still waits, at step " + std::to_string(found->position) +
                                        " of call " + std::to_string(found->call) +
                                        "; `terrace plan` says what is wrong with a plan"};
}

// ---------------------------------------------------------------------------------------------
// A rank's way through a call.

void NodeSimulation::begin(Rank rank, double now) {
  Player& me = players_[rank];
  TERRACE_ASSERT(!me.has_entered && me.call < setting_->calls, rank, me.call);
  ++me.call;
  me.strip = me.position = 0;
  me.gone.clear();
  me.begun = now;
  me.awaited = rank;
  me.own_lines = values_.own_lines(rank);
  me.domain_lines = values_.domain_lines(rank);
  if (outcome_.calls.size() < me.call) outcome_.calls.push_back({now, now, 0, 0, 0, 0});
  CallTimes& times = outcome_.calls[me.call - 1];
  times.first_begin = std::min(times.first_begin, now);
  times.last_begin = std::max(times.last_begin, now);
  enter(rank, is_paper() ? now : now + hardware_->model().core.call);
}

/// Contracts are enforced at entry, from the claims that earlier calls have left.
void NodeSimulation::enter(Rank rank, double now) {
  Player& me = players_[rank];
  const RankProgram& program = programs_[rank];
  Look looked{now, now, 0};
  me.waiting = now;
  const std::uint64_t first_use = std::uint64_t{me.call - 1} * program.lines;
  for (std::uint32_t line = 0; line < program.lines; ++line)
    if (PendingReaders& pending = me.lines[(first_use + line) % kLineSlots]; pending.call != 0) {
      look_for_readers(rank, pending, program.contract.line_readers[pending.line], looked);
      pending = {};
    }
  if (PendingReaders& pending = me.leases[(me.call - 1) % leases_]; pending.call != 0) {
    look_for_readers(rank, pending, program.contract.scratch_readers, looked);
    pending = {};
  }
  me.ready = looked.end;
  me.unmet = looked.unmet;
  if (me.unmet == 0) met(rank, me.ready);
}

void NodeSimulation::look_for_readers(Rank rank, const PendingReaders& pending,
                                      const std::vector<Rank>& readers, Look& result) {
  if (pending.call <= players_[rank].all_done) return;
  for (const Rank reader : readers) {
    std::uint32_t& known = known_done_[std::size_t{rank} * players_.size() + reader];
    TERRACE_ASSERT(pending.call < players_[rank].call && reader != rank, reader, pending.call);
    if (known >= pending.call) continue;
    look(rank, signals_.number(reader, kWord), word_of(pending.call, kDone), result);
    known = pending.call;
  }
}

void NodeSimulation::proceed(Rank rank, double now) {
  Player& me = players_[rank];
  const RankProgram& program = programs_[rank];
  if (me.position == program.instructions.size()) return finish(rank, now);
  const Instruction& step = program.instructions[me.position];
  Look looked{now, now, 0};
  me.waiting = now;
  me.cause.reset();
  for (const ProgramWait& wait : program.waits_of(step)) look_for(rank, wait, looked);
  if (step.kind == StepKind::receive) look_for_message(rank, step, looked);
  me.ready = looked.end;
  me.unmet = looked.unmet;
  if (me.unmet == 0) met(rank, me.ready);
}

void NodeSimulation::met(Rank rank, double now) {
  TERRACE_ASSERT(players_[rank].unmet == 0, rank, players_[rank].unmet);
  Player& me = players_[rank];
  record(rank, Activity::wait, me.waiting, now, me.awaited);
  me.awaited = rank;
  if (me.has_entered) return perform(rank, now);
  me.has_entered = true;
  proceed(rank, now);
}

/// A step that moves much is a flow, and shares places with others; what it takes besides comes
/// afterwards.
void NodeSimulation::perform(Rank rank, double now) {
  Player& me = players_[rank];
  Work& work = work_;
  std::vector<ResourceShare> shares = std::move(work.shares);  // for its room
  work = {};
  work.shares = std::move(shares);
  work.shares.clear();
  work_out(rank, programs_[rank].instructions[me.position], now, work);
  me.peer = work.peer == kNoRank ? rank : work.peer;
  ++outcome_.steps;
  me.working = now;
  if (is_half_of_message(programs_[rank].instructions[me.position].kind)) {
    me.peer = rank;
    return push(message(rank, programs_[rank].instructions[me.position], now), EventKind::done,
                rank);
  }
  const double besides = work.hits + work.latency + work.issue + work.ownership +
                         (is_paper() ? 0 : hardware_->model().core.step);
  const double late = jittered(rank, besides + work.lines);
  if (work.bytes < kFlowLines * hardware_->line_bytes() || work.lines <= 0)
    return push(now + besides + work.lines + late, EventKind::done, rank);
  for (ResourceShare& share : work.shares) share.busy /= work.bytes;
  me.after_flow = now - clock_ + besides + late;
  flows_.start(clock_, rank, work.bytes, work.bytes / work.lines, work.shares);
}

void NodeSimulation::done(Rank rank, double now) {
  Player& me = players_[rank];
  const RankProgram& program = programs_[rank];
  const Instruction& step = program.instructions[me.position];
  TERRACE_ASSERT(me.position < program.instructions.size() && me.has_entered, rank, me.position);
  const bool combines = step.kind == StepKind::reduce && step.operand_count > 1;
  record(rank,
         is_half_of_message(step.kind) ? Activity::network
         : combines                    ? Activity::reduce
                                       : Activity::copy,
         me.working, now, me.peer);
  const double published = publish(rank, step, now);
  record(rank, Activity::publish, now, published, rank);
  if (is_to_be_kept(me)) keep_step(rank, now, published);
  ++me.position;
  if (me.position == program.body_count && me.strip + 1 != strips_) {
    me.position = 0;
    ++me.strip;
  }
  proceed(rank, published);
}

void NodeSimulation::finish(Rank rank, double now) {
  Player& me = players_[rank];
  const RankProgram& program = programs_[rank];
  const std::uint64_t first_use = std::uint64_t{me.call - 1} * program.lines;
  for (std::uint32_t line = 0; line < program.lines; ++line)
    if (!program.contract.line_readers[line].empty())
      me.lines[(first_use + line) % kLineSlots] = {me.call, line};
  if (program.scratch_blocks != 0 && !program.contract.scratch_readers.empty())
    me.leases[(me.call - 1) % leases_] = {me.call, 0};
  if (program.contract.hears_all) me.all_done = me.call - 1;
  TERRACE_ASSERT(me.has_entered, rank);
  TERRACE_ASSERT(program.body_count == 0 || me.strip + 1 == strips_, rank, me.strip);
  me.has_entered = false;
  now = raise(signals_.number(rank, kWord), word_of(me.call, kDone), now);
  record(rank, Activity::call, me.begun, now, rank);
  if (is_to_be_kept(me)) outcome_.last_calls.push_back({rank, me.begun, now});
  note_end(rank, now);
  if (me.call == setting_->calls) return;
  if (!setting_->starts_together) return push(now, EventKind::begin, rank);
  ++returned_;
}

void NodeSimulation::begin_all(double now) {
  returned_ = 0;
  for (Rank rank = 0; rank < players_.size(); ++rank) push(now, EventKind::begin, rank);
}

void NodeSimulation::note_end(Rank rank, double now) {
  CallTimes& times = outcome_.calls[players_[rank].call - 1];
  const double took = now - players_[rank].begun;
  times.first_end = times.first_end == 0 ? now : std::min(times.first_end, now);
  times.last_end = std::max(times.last_end, now);
  times.mean += took / static_cast<double>(players_.size());
  times.most = std::max(times.most, took);
}

// ---------------------------------------------------------------------------------------------
// Signals.

/// Misses of one look overlap; each further one adds what the machine can start in the meantime.
void NodeSimulation::look(Rank rank, SignalNumber signal, std::uint64_t value, Look& result) {
  if (!is_paper()) {
    const Fetched fetched = signals_.fetch(signal, rank, result.at);
    if (fetched.is_hit) {
      result.end += hardware_->model().core.look;
    } else {
      result.end = std::max(result.end, result.at + fetched.latency);
      result.at += fetched.further;
    }
  }
  if (signals_.value(signal) >= value) return;
  signals_.wait(signal, rank, value);
  ++result.unmet;
}

void NodeSimulation::look_for(Rank rank, const ProgramWait& wait, Look& result) {
  const Player& me = players_[rank];
  if (wait.when == When::if_direct && !setting_->is_direct) return;
  if (wait.when == When::if_bounced && setting_->is_direct) return;
  if (wait.lag > me.strip) return;
  if (wait.signal == Signal::messages) return look_for_gone(me, wait, result);
  const std::uint64_t first_use = std::uint64_t{me.call - 1} * programs_[rank].lines;
  const bool is_announced = wait.signal == Signal::announce && wait.lag == me.strip;
  if (wait.signal == Signal::line || is_announced) {
    const std::uint64_t use = first_use + (wait.signal == Signal::line ? wait.line : 0);
    return look(rank, signals_.number(wait.rank, 1 + use % kLineSlots), use + 1, result);
  }
  const std::uint64_t steps =
      std::uint64_t{me.strip - wait.lag} * wait.steps_per_strip + wait.steps;
  look(rank, signals_.number(wait.rank, kWord), word_of(me.call, steps), result);
}

/// When the rank can go on: its store is on its way then, and seen later where others have copies.
double NodeSimulation::raise(SignalNumber signal, std::uint64_t value, double now) {
  if (is_paper()) {
    show(signal, value, now);
    return now;
  }
  now += hardware_->model().core.publish;
  const double owned = signals_.own(signal, now);
  if (owned > now)
    push(owned, EventKind::seen, signal, value);
  else
    show(signal, value, now);
  return now;
}

/// Every spinning rank fetches the line again; those whose value has come stop.
void NodeSimulation::show(SignalNumber signal, std::uint64_t value, double now) {
  signals_.invalidate(signal);
  signals_.set_value(signal, std::max(signals_.value(signal), value));
  spinners_.clear();
  signals_.take_spinners(signal, spinners_);
  for (const Spinner& spinner : spinners_) {
    const double latency = is_paper() ? 0 : signals_.fetch(signal, spinner.rank, now).latency;
    if (signals_.value(signal) < spinner.value) {
      signals_.wait(signal, spinner.rank, spinner.value);
      continue;
    }
    Player& waiter = players_[spinner.rank];
    waiter.awaited = signals_.owner(signal);
    if (is_to_be_kept(waiter) && now + latency >= waiter.ready)
      waiter.cause = raiser_of(signal, spinner.value);
    waiter.ready = std::max(waiter.ready, now + latency);
    if (--waiter.unmet == 0) push(waiter.ready, EventKind::met, spinner.rank);
  }
}

// ---------------------------------------------------------------------------------------------
// Messages, by LogGP.

std::uint32_t NodeSimulation::channel_of(Rank rank, Rank peer) {
  for (const std::uint32_t channel : channels_of_[rank])
    if (channels_[channel].peer == peer) return channel;
  channels_of_[rank].push_back(static_cast<std::uint32_t>(channels_.size()));
  channels_.push_back({rank, peer, 0, 0, 0, {}});
  return channels_of_[rank].back();
}

void NodeSimulation::receive(Rank rank, Rank peer, std::uint32_t turn, const Sent& sent) {
  const std::uint32_t channel = channel_of(rank, peer);
  channels_[channel].gap = sent.gap;
  if (setting_->has_steps) channels_[channel].sends.push_back({peer, sent.strip, sent.instruction});
  push({sent.front, std::uint64_t{rank} << 32 | turn, std::bit_cast<std::uint64_t>(sent.wire),
        channel, EventKind::message_arrives});
}

/// Messages from several nodes come in one after the other, as they went out.
void NodeSimulation::message_arrives(std::uint32_t channel, double wire, double now) {
  const double start = std::max(now, receiving_until_);
  receiving_until_ = start + std::max(channels_[channel].gap, wire);
  push(start + wire, EventKind::arrived, channel);
}

void NodeSimulation::arrived(std::uint32_t channel, double now) {
  ++channels_[channel].arrived;
  const Rank rank = channels_[channel].rank;
  Player& waiter = players_[rank];
  if (waiter.channel != channel) return;
  waiter.channel = kNoChannel;
  if (is_to_be_kept(waiter) && now >= waiter.ready)
    waiter.cause = channels_[channel].sends[channels_[channel].arrived - 1];
  waiter.ready = std::max(waiter.ready, now);
  if (--waiter.unmet == 0) push(waiter.ready, EventKind::met, rank);
}

void NodeSimulation::look_for_message(Rank rank, const Instruction& step, Look& result) {
  const std::uint32_t number = channel_of(rank, step.peer);
  Channel& channel = channels_[number];
  if (channel.taken++ < channel.arrived) return;
  players_[rank].channel = number;
  ++result.unmet;
}

/// Messages leave a node in order, so the last of those meant is the one to wait for.
void NodeSimulation::look_for_gone(const Player& player, const ProgramWait& wait,
                                   Look& result) const {
  const std::uint64_t steps =
      std::uint64_t{player.strip - wait.lag} * wait.steps_per_strip + wait.steps;
  const std::uint64_t word = word_of(player.call, steps);
  const auto after =
      std::upper_bound(player.gone.begin(), player.gone.end(), word,
                       [](std::uint64_t wanted, const Gone& gone) { return wanted < gone.word; });
  if (after != player.gone.begin()) result.end = std::max(result.end, std::prev(after)->time);
}

/// When a message may come that would be there at `front`: those of one rank to another are taken
/// as they were sent, so a short one does not overtake a long one that had to ask.
double NodeSimulation::in_order(Player& sender, Rank peer, double front, double wire, bool asks) {
  std::vector<Behind>& all = sender.behind;
  auto found =
      std::find_if(all.begin(), all.end(), [peer](const Behind& one) { return one.peer == peer; });
  if (found == all.end() && !asks) return front;
  if (found == all.end()) found = all.insert(all.end(), {peer, front});
  front = std::max(front, found->front);
  found->front = front + wire;
  return front;
}

/// Either half keeps its core busy for o. The node's messages are g apart, and G a byte, out and
/// in; a long one asks first. When the rank goes on.
double NodeSimulation::message(Rank rank, const Instruction& step, double now) {
  Player& me = players_[rank];
  const model::NetworkLevel& level =
      hardware_->model().networks[outside_->levels[rank][me.position]];
  if (step.kind == StepKind::receive) {
    put(rank, step, now);
    return now + level.o;
  }
  const double bytes = bytes_of(rank, step), wire = level.G * bytes;
  const double start = std::max(now + level.o, sending_until_);
  sending_until_ = start + std::max(level.g, wire);
  const double asking = bytes > level.eager ? 2 * (level.L + 2 * level.o) : 0;
  const std::uint64_t steps =
      std::uint64_t{me.strip} * programs_[rank].body_count + me.position + 1;
  me.gone.push_back({word_of(me.call, steps), start + wire + asking});
  const double front = in_order(me, step.peer, start + asking + level.L, wire, asking > 0);
  sent_.push_back({rank, me.position, front, wire, level.g, me.strip});
  ++outcome_.messages;
  outcome_.network_bytes += bytes;
  return now + level.o;
}

// ---------------------------------------------------------------------------------------------

/// A line is sent when it is whole; a word is rung only for steps that a rank awaits.
double NodeSimulation::publish(Rank rank, const Instruction& step, double now) {
  const Player& me = players_[rank];
  const RankProgram& program = programs_[rank];
  const std::uint64_t first_use = std::uint64_t{me.call - 1} * program.lines;
  const auto send = [&](std::uint64_t use) {
    now = raise(signals_.number(rank, 1 + static_cast<std::uint32_t>(use % kLineSlots)), use + 1,
                now);
  };
  for (const ProgramRegion& target : program.targets_of(step))
    if (target.completes != 0) send(first_use + target.block);
  if (step.kind == StepKind::expose && program.lowering == Lowering::owner && me.strip == 0)
    send(first_use);
  if (!step.publishes_word) return now;
  const std::uint64_t steps = std::uint64_t{me.strip} * program.body_count + me.position + 1;
  return raise(signals_.number(rank, kWord), word_of(me.call, steps), now);
}

// ---------------------------------------------------------------------------------------------

/// The step that raises a signal to a value: of words the count, of lines the number tells. None if
/// that is the return from a call.
std::optional<StepNumber> NodeSimulation::raiser_of(SignalNumber signal,
                                                    std::uint64_t value) const {
  const Rank owner = signals_.owner(signal);
  const RankProgram& program = programs_[owner];
  if (signal == signals_.number(owner, kWord)) {
    const auto steps = static_cast<std::uint32_t>(value & kDone);
    if (steps == kDone || steps == 0) return std::nullopt;
    const std::uint32_t strip =
        program.body_count == 0 ? 0 : std::min((steps - 1) / program.body_count, strips_ - 1);
    return StepNumber{owner, strip, steps - 1 - strip * program.body_count};
  }
  const auto line = static_cast<std::uint32_t>((value - 1) % program.lines);
  for (std::uint32_t position = 0; position < program.instructions.size(); ++position) {
    const Instruction& step = program.instructions[position];
    const bool announces = step.kind == StepKind::expose && program.lowering == Lowering::owner;
    if (announces && line == 0) return StepNumber{owner, 0, position};
    for (const ProgramRegion& target : program.targets_of(step))
      if (target.completes != 0 && target.block == line) return StepNumber{owner, 0, position};
  }
  return std::nullopt;
}

void NodeSimulation::keep_step(Rank rank, double done, double published) {
  const Player& me = players_[rank];
  const Instruction& step = programs_[rank].instructions[me.position];
  outcome_.last_steps.push_back({{rank, me.strip, me.position},
                                 me.waiting,
                                 me.working,
                                 done,
                                 published,
                                 me.cause,
                                 step.kind == StepKind::receive && me.cause.has_value(),
                                 bytes_of(rank, step)});
}

double NodeSimulation::jittered(Rank rank, double ns) {
  if (setting_->jitter == 0) return 0;
  return ns * setting_->jitter *
         random_share(setting_->seed, outside_->ranks[rank], players_[rank].draws++);
}

void NodeSimulation::record(Rank rank, Activity activity, double begin, double end, Rank peer) {
  if (!setting_->has_timeline || end <= begin) return;
  const Player& me = players_[rank];
  TimelineEvent event{rank, 0, begin, end, activity, {}, "", ""};
  if (peer != rank) {
    event.peer = peer;
    event.level = hardware_->distance_at(hardware_->distance(rank, peer)).name;
  }
  event.label = activity == Activity::call
                    ? programs_[rank].name + ", call " + std::to_string(me.call)
                    : "step " + std::to_string(me.position) + ", strip " + std::to_string(me.strip);
  outcome_.events_of_ranks.push_back(std::move(event));
}

std::size_t NodeSimulation::bytes() const {
  return sizeof *this + events_.capacity() * sizeof(Event) + players_.capacity() * sizeof(Player) +
         known_done_.capacity() * sizeof(std::uint32_t) + signals_.bytes() + values_.bytes() +
         flows_.bytes() + outcome_.events_of_ranks.capacity() * sizeof(TimelineEvent);
}

}  // namespace terrace::simulate
