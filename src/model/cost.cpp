// SPDX-License-Identifier: BSD-3-Clause
// Executes the steps of all ranks in the order in which they begin, and walks back from the last.
#include "model/cost.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <queue>
#include <utility>

#include "base/contract.hpp"
#include "model/distances.hpp"
#include "model/step_cost.hpp"
#include "plan/rank_program.hpp"

namespace terrace::model {

namespace {

/// Strips that are played; those between them and the last are taken to be like the last of these.
struct PlayedStrips {
  std::uint32_t most, like_each_other;
};

PlayedStrips played_strips(const Plan& plan, const CostQuestion& question) {
  if (question.is_rough) return {std::max(6u, plan.ring + 4u), 3};
  return {std::max<std::uint32_t>(24, 3u * plan.ring), 8};
}

constexpr std::uint32_t kNone = ~0u;

/// A step of a rank in a strip, once it has been played.
struct Played {
  double begin = 0;  ///< when its work began
  double end = 0;
  double gone = 0;  ///< when all messages that its rank has started by then have gone
  std::uint32_t position = 0, strip = 0;
  Rank rank = 0;
  Rank after = 0;                     ///< the rank of the step that it waited for last
  std::uint32_t after_count = kNone;  ///< index of that step on its rank; kNone: its own last one
  std::vector<CostPart> parts;
};

/// On its way from one rank to another.
struct CostMessage {
  double arrives = 0;
  std::uint32_t count = 0;  ///< index of the step on the sender
};

class Play {
 public:
  Play(const Plan& plan, std::span<const RankProgram> parts, const RankDistances& distances,
       const CostQuestion& question, StripSizes cut)
      : distances_(distances),
        model_(distances.model()),
        question_(question),
        parts_(parts),
        cut_(cut),
        step_cost_(distances_, parts_, question_, cut, slots(plan, cut)),
        played_(plan.ranks),
        missing_(plan.ranks),
        looked_(std::size_t{plan.ranks} * plan.ranks, -1),
        flag_free_(plan.ranks),
        yield_(distances.model().core.yield / question.calls_a_turn),
        turns_(question.shared_cores) {}

  /// All strips of the cut. Whether all ranks came to their ends.
  bool run() {
    for (Rank rank = 0; rank < parts_.size(); ++rank) consider(rank);
    while (!ready_.empty()) {
      Ready next = ready_.top();
      ready_.pop();
      // The rank that has the core goes on first; others wait until they get it.
      const double turn = turn_of(next);
      if (turn > next.turn && !ready_.empty()) {
        next.turn = turn;
        ready_.push(next);
        continue;
      }
      perform(next);
      for (Rank rank : std::exchange(missing_[next.rank], {})) consider(rank);
      consider(next.rank);
    }
    return std::all_of(parts_.begin(), parts_.end(), [this](const RankProgram& part) {
      return played_[part.rank].size() == step_count(part);
    });
  }

  Cost cost() const;
  /// When the last rank had finished `strips` strips.
  double end_of_strip(std::uint32_t strips) const;

 private:
  struct Ready {
    double begin;
    Rank rank;
    Rank after;
    std::uint32_t after_count;
    Cause cause;
    std::uint32_t distance;  ///< of the flag or message that came last
    double looking = 0;      ///< of `begin`, what the rank does itself to see the flags
    double turn = 0;         ///< when it may begin, as far as that is known
    bool operator<(const Ready& other) const {
      return turn != other.turn ? turn > other.turn : rank > other.rank;
    }
  };

  /// Slots go around with the ring; users' buffers do likewise, a little further apart.
  static std::uint32_t slots(const Plan& plan, const StripSizes& cut) {
    return std::min<std::uint32_t>(cut.strips, plan.ring + 2u);
  }

  std::uint32_t step_count(const RankProgram& part) const {
    const auto all = static_cast<std::uint32_t>(part.instructions.size());
    return part.body_count * cut_.strips + (all - part.body_count);
  }
  std::uint32_t strip_of(const RankProgram& part, std::uint32_t count) const {
    return part.body_count == 0 ? cut_.strips - 1
                                : std::min(count / part.body_count, cut_.strips - 1);
  }
  std::uint32_t position_of(const RankProgram& part, std::uint32_t count) const {
    return count - strip_of(part, count) * part.body_count;
  }
  double begin_of_own(Rank rank) const {
    if (!played_[rank].empty()) return played_[rank].back().end;
    return counts_all() ? model_.core.call : 0;
  }
  bool counts_all() const { return question_.account == Account::all; }
  bool counts(const ProgramWait& wait, std::uint32_t strip) const {
    const When other = question_.is_direct ? When::if_bounced : When::if_direct;
    return wait.when != other && wait.lag <= strip;
  }
  static std::uint32_t count_of(const ProgramWait& wait, std::uint32_t strip) {
    return (strip - wait.lag) * wait.steps_per_strip + wait.steps;
  }

  /// Puts a rank's next step in line if all it waits for has been played, else notes for whom.
  void consider(Rank rank);
  Ready meet(Rank rank, const RankProgram& part, const Instruction& step, std::uint32_t strip);
  double seen(Rank rank, const ProgramWait& wait, const Played& raised, double looks,
              double& further);
  void take_message(Rank rank, Rank peer, Ready& ready);
  void send(const RankProgram& part, const Instruction& step, Played& played);
  void perform(const Ready& ready);
  double turn_of(const Ready& ready) const;
  std::size_t core_of(Rank rank) const {
    return shared_core_of(rank, static_cast<Rank>(parts_.size()), question_.shared_cores,
                          question_.takes_turns_in_order);
  }

  const RankDistances& distances_;
  const MachineModel& model_;
  const CostQuestion& question_;
  std::span<const RankProgram> parts_;
  StripSizes cut_;
  StepCost step_cost_;
  std::vector<std::vector<Played>> played_;
  std::vector<std::vector<Rank>> missing_;  ///< by rank: who waits for a step of it
  std::priority_queue<Ready> ready_;
  std::map<std::pair<Rank, Rank>, std::deque<CostMessage>> messages_;  ///< by sender and receiver
  double message_bytes_ = 0;
  std::vector<double> looked_;     ///< when a rank last fetched another's word
  std::vector<double> flag_free_;  ///< by rank: when its flag can be fetched again

  /// A core that ranks take turns on.
  struct Turn {
    Rank rank = ~Rank{0};  ///< who has it
    double end = 0;        ///< when it is free
  };
  double yield_;  ///< this call's share of what giving a core away takes
  std::vector<Turn> turns_;
};

void Play::consider(Rank rank) {
  const RankProgram& part = parts_[rank];
  const auto count = static_cast<std::uint32_t>(played_[rank].size());
  TERRACE_ASSERT(count <= step_count(part), rank, count);
  if (count == step_count(part)) return;
  const std::uint32_t strip = strip_of(part, count);
  const Instruction& step = part.instructions[position_of(part, count)];
  for (const ProgramWait& wait : part.waits_of(step)) {
    if (!counts(wait, strip) || played_[wait.rank].size() >= count_of(wait, strip)) continue;
    missing_[wait.rank].push_back(rank);
    return;
  }
  if (step.kind == StepKind::receive && messages_[{step.peer, rank}].empty()) {
    missing_[step.peer].push_back(rank);
    return;
  }
  Ready ready = meet(rank, part, step, strip);
  if (step.kind == StepKind::receive) take_message(rank, step.peer, ready);
  ready.turn = ready.begin;
  ready_.push(ready);
}

/// When the flag of a step is seen by a rank that has begun to look. A flag that comes later is
/// taken away from the reader's cache, written, and fetched again; one that is there already is
/// fetched, and of several the fetches overlap.
double Play::seen(Rank rank, const ProgramWait& wait, const Played& raised, double looks,
                  double& further) {
  const Distance& distance = distances_.between(rank, wait.rank);
  const double there = raised.end + distance.ownership;
  double& looked = looked_[std::size_t{rank} * parts_.size() + wait.rank];
  if (wait.signal == Signal::word && there <= looked) return looks;
  const double fetched = std::max({there, looks, flag_free_[wait.rank]});
  flag_free_[wait.rank] = fetched + distance.further_reader;
  if (there <= looks) further += distance.further_line;
  if (wait.signal == Signal::word) looked = fetched;
  return fetched + distance.modified;
}

Play::Ready Play::meet(Rank rank, const RankProgram& part, const Instruction& step,
                       std::uint32_t strip) {
  const double own = begin_of_own(rank);
  Ready ready{own, rank, rank, kNone, Cause::program, 0};
  double further = 0, last_further = 0;
  std::uint32_t waits = 0;
  for (const ProgramWait& wait : part.waits_of(step)) {
    if (!counts(wait, strip)) continue;
    const std::uint32_t count = count_of(wait, strip);
    TERRACE_ASSERT(count >= 1 && count <= played_[wait.rank].size(), wait.rank, count);
    const Played& raised = played_[wait.rank][count - 1];
    if (wait.signal == Signal::messages) {
      if (raised.gone > ready.begin) ready = {raised.gone, rank, rank, kNone, Cause::message, 0};
      continue;
    }
    ++waits;
    const double before = further;
    const double when = counts_all() ? seen(rank, wait, raised, own, further) : raised.end;
    if (when <= ready.begin) continue;
    last_further = further - before;
    ready = {when,          rank,
             wait.rank,     raised.end > own ? count - 1 : kNone,
             Cause::signal, distances_.distance(rank, wait.rank)};
  }
  // Of the fetches that overlap, the last to come is counted already.
  ready.looking = further - last_further + (counts_all() ? waits * model_.core.look : 0);
  ready.begin += ready.looking;
  return ready;
}

void Play::take_message(Rank rank, Rank peer, Ready& ready) {
  std::deque<CostMessage>& messages = messages_[{peer, rank}];
  TERRACE_ASSERT(!messages.empty(), peer, rank);
  const CostMessage message = messages.front();
  messages.pop_front();
  if (message.arrives > ready.begin)
    ready = {message.arrives, rank,           peer,
             message.count,   Cause::message, distances_.network(peer, rank)};
}

/// Sends a message as LogGP has it. A node's messages leave it one after the other, and enter the
/// next likewise; a long one asks first, there and back.
void Play::send(const RankProgram& part, const Instruction& step, Played& played) {
  const std::uint32_t index = distances_.network(part.rank, step.peer);
  const NetworkLevel& network = model_.networks[index];
  const double bytes = step_cost_.bytes_of(part, step, played.strip);
  const double on_wire = network.G * bytes;
  double& leaving = step_cost_.free(distances_.sending(part.rank));
  double& entering = step_cost_.free(distances_.receiving(step.peer));
  const double asks = bytes > network.eager ? 2 * (network.L + 2 * network.o) : 0;
  const double begin = std::max(played.begin + network.o + asks, leaving);
  leaving = begin + std::max(network.g, on_wire);
  const double comes = std::max(begin + network.L, entering);
  entering = comes + std::max(network.g, on_wire);
  played.end = played.begin + network.o;
  played.gone = std::max(played.gone, begin + on_wire);
  played.parts.push_back({Cause::message, index, network.o});
  messages_[{part.rank, step.peer}].push_back(
      {comes + on_wire, static_cast<std::uint32_t>(played_[part.rank].size())});
  message_bytes_ += bytes;
}

/// When a rank that is ready begins: on a core that it shares, when the rank there is done and
/// has given it away; only then it looks.
double Play::turn_of(const Ready& ready) const {
  if (turns_.empty()) return ready.begin;
  const Turn& turn = turns_[core_of(ready.rank)];
  if (turn.rank == ready.rank) return ready.begin;
  const double there = ready.begin - ready.looking;
  return std::max(there, turn.end + yield_) + ready.looking;
}

bool raises_flag(const RankProgram& part, const Instruction& step) {
  if (step.publishes_word || step.kind == StepKind::expose) return true;
  const auto targets = part.targets_of(step);
  return std::any_of(targets.begin(), targets.end(),
                     [](const ProgramRegion& target) { return target.completes != 0; });
}

void Play::perform(const Ready& ready) {
  const RankProgram& part = parts_[ready.rank];
  const auto count = static_cast<std::uint32_t>(played_[ready.rank].size());
  Played played;
  played.rank = ready.rank;
  played.strip = strip_of(part, count);
  played.position = position_of(part, count);
  played.after = ready.after;
  played.after_count = ready.after_count;
  const Instruction& step = part.instructions[played.position];
  const double own = begin_of_own(ready.rank);
  const double since =
      ready.after_count == kNone ? own : played_[ready.after][ready.after_count].end;
  if (ready.begin > since)
    played.parts.push_back({ready.cause, ready.distance, ready.begin - since});
  played.begin = turn_of(ready);
  if (played.begin > ready.begin)
    played.parts.push_back({Cause::turn, 0, played.begin - ready.begin});
  TERRACE_ASSERT(played.begin >= own, ready.rank);  // a rank makes one step after the other
  played.gone = count == 0 ? 0 : played_[ready.rank].back().gone;
  if (step.kind == StepKind::send)
    send(part, step, played);
  else
    played.end = step_cost_.perform(part, step, played.strip, played.begin, played.parts);
  if (counts_all()) {
    const double work = model_.core.step + (raises_flag(part, step) ? model_.core.publish : 0);
    played.parts.push_back({Cause::program, 0, work});
    played.end += work;
  }
  TERRACE_ASSERT(played.end >= played.begin, ready.rank);
  if (!turns_.empty()) turns_[core_of(ready.rank)] = {ready.rank, played.end};
  played_[ready.rank].push_back(std::move(played));
}

double Play::end_of_strip(std::uint32_t strips) const {
  double end = 0;
  for (const RankProgram& part : parts_)
    if (part.body_count != 0)
      end = std::max(end, played_[part.rank][std::size_t{part.body_count} * strips - 1].end);
  return end;
}

void add_to(std::vector<CostPart>& sums, const CostPart& part) {
  for (CostPart& sum : sums)
    if (sum.cause == part.cause && sum.distance == part.distance) {
      sum.ns += part.ns;
      return;
    }
  sums.push_back(part);
}

Cost Play::cost() const {
  Cost cost;
  for (Rank rank = 0; rank < parts_.size(); ++rank) cost.finish.push_back(begin_of_own(rank));
  const auto last = std::max_element(cost.finish.begin(), cost.finish.end());
  cost.total = *last;
  Rank rank = static_cast<Rank>(last - cost.finish.begin());
  for (auto count = static_cast<std::uint32_t>(played_[rank].size()); count != 0;) {
    const Played& played = played_[rank][count - 1];
    CostStep step{played.rank, played.strip, played.position, {}, 0, played.end, played.parts};
    step.kind = parts_[rank].instructions[played.position].kind;
    const bool is_own = played.after_count == kNone;
    if (!is_own) rank = played.after;
    count = is_own ? count - 1 : played.after_count + 1;
    step.begin = count == 0 ? (counts_all() ? model_.core.call : 0) : played_[rank][count - 1].end;
    cost.path.push_back(std::move(step));
  }
  std::reverse(cost.path.begin(), cost.path.end());
  if (counts_all()) add_to(cost.spent, {Cause::program, 0, model_.core.call});
  for (const CostStep& step : cost.path)
    for (const CostPart& part : step.parts) add_to(cost.spent, part);
  std::stable_sort(cost.spent.begin(), cost.spent.end(),
                   [](const CostPart& a, const CostPart& b) { return a.ns > b.ns; });
  cost.bytes = step_cost_.bytes;
  cost.memory_bytes = step_cost_.memory_bytes;
  cost.message_bytes = message_bytes_;
  return cost;
}

/// As if the strips that were left out had been played, each like the last ones that were.
void stretch(Cost& cost, double each, double left_out) {
  const double more = each * left_out, before = cost.total;
  TERRACE_ASSERT(each >= 0 && left_out >= 0 && cost.strips_played > 0);
  const double strips = cost.strips_played;
  for (double& finish : cost.finish) finish += more;
  cost.total += more;
  for (CostPart& part : cost.spent) part.ns *= cost.total / before;
  for (double& bytes : cost.bytes) bytes *= (strips + left_out) / strips;
  cost.memory_bytes *= (strips + left_out) / strips;
  cost.message_bytes *= (strips + left_out) / strips;
}

Result<bool> check(const Plan& plan, const MachineModel& model, std::span<const Locality> ranks,
                   const CostQuestion& question) {
  const auto error = [&plan](const std::string& what) {
    return Error{ErrorCode::argument, "cannot compute the cost of plan " + plan.name + ": " + what};
  };
  if (const Result<bool> shape = check_shape(plan); !shape) return shape.error();
  if (plan.ranks == 0 || plan.body.empty()) return error("it has no steps");
  if (plan.lowering == Lowering::none) return error("it is not lowered");
  if (ranks.size() != plan.ranks)
    return error("it has " + std::to_string(plan.ranks) + " ranks, and places are given for " +
                 std::to_string(ranks.size()));
  if (model.distances.empty()) return error("the machine model has no distances");
  if (plan.has_messages() && model.networks.empty())
    return error("it sends messages, and the machine model has no networks");
  if (plan.has_messages())
    for (const Step& step : plan.body)
      if (is_half_of_message(step.kind) && on_one_node(ranks[step.by], ranks[step.peer]))
        return error("ranks " + std::to_string(step.by) + " and " + std::to_string(step.peer) +
                     " exchange messages, and are placed on one node");
  const bool is_size = question.bytes >= 0 && question.bytes <= 1e15 && question.strip_bytes >= 0;
  if (!is_size) return error("expected from 0 to 10^15 bytes");
  return true;
}

StripSizes cut_of(const Plan& plan, const CostQuestion& question) {
  StripSizes cut{question.bytes, question.strip_bytes, 1};
  const bool is_whole =
      cut.strip_bytes == 0 || cut.strip_bytes >= cut.bytes || plan.lowering == Lowering::lines;
  if (is_whole) cut.strip_bytes = cut.bytes;
  if (!is_whole)
    cut.strips = static_cast<std::uint32_t>(
        std::min(std::ceil(cut.bytes / cut.strip_bytes), 1.0 * kNone - 1));
  return cut;
}

}  // namespace

const char* to_text(Cause cause) {
  constexpr const char* kNames[kCauseCount] = {"program", "signal",  "latency",   "lines",
                                               "link",    "readers", "ownership", "memory",
                                               "own",     "turn",    "message"};
  return kNames[static_cast<std::size_t>(cause)];
}

Result<Cost> cost_of(const Plan& plan, const MachineModel& model, std::span<const Locality> ranks,
                     const CostQuestion& question) {
  if (const Result<bool> fit = check(plan, model, ranks, question); !fit) return fit.error();
  return cost_of(plan, programs_of(plan), model, ranks, question);
}

Result<Cost> cost_of(const Plan& plan, std::span<const RankProgram> parts,
                     const MachineModel& model, std::span<const Locality> ranks,
                     const CostQuestion& question) {
  if (const Result<bool> fit = check(plan, model, ranks, question); !fit) return fit.error();
  const RankDistances distances(model, ranks);
  StripSizes cut = cut_of(plan, question);
  const auto [most, alike] = played_strips(plan, question);
  const bool is_cut_short = cut.strips > most;
  const double left_out = is_cut_short ? cut.bytes / cut.strip_bytes - most : 0;
  const double strips = cut.strips;
  if (is_cut_short) cut.strips = most;
  Play play(plan, parts, distances, question, cut);
  if (!play.run())
    return Error{ErrorCode::argument, "cannot compute the cost of plan " + plan.name +
                                          ": its ranks wait for each other"};
  Cost cost = play.cost();
  cost.strips_played = cut.strips;
  if (is_cut_short)
    stretch(cost, (play.end_of_strip(most) - play.end_of_strip(most - alike)) / alike, left_out);
  cost.strips = strips;
  return cost;
}

}  // namespace terrace::model
