// SPDX-License-Identifier: BSD-3-Clause
// A job: nodes that advance independently, in the order of time, and the messages between them.
#include "simulate/simulate.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <memory>
#include <numeric>
#include <tuple>

#include "execute/call.hpp"
#include "simulate/node.hpp"
#include "simulate/symmetry.hpp"

namespace terrace::simulate {

namespace {

/// Whom a message of a played node goes to.
struct Route {
  std::uint32_t to = 0;    ///< of the played nodes
  Rank rank = 0;           ///< of that node
  Rank peer = 0;           ///< by which that rank knows the sender
  std::uint32_t turn = 0;  ///< among those whom that rank receives from
};

class Job {
 public:
  Job(const model::MachineModel& model, std::span<const Locality> localities,
      std::span<const RankProgram> programs, const SimulationSetting& setting)
      : model_(model),
        localities_(localities),
        programs_(programs),
        setting_(setting),
        nodes_(nodes_of(localities)) {}

  Result<SimulationOutcome> play() {
    find_classes();
    if (setting_.must_fold && !folds())
      return Error{ErrorCode::argument, "all " + std::to_string(nodes_.count()) +
                                            " nodes would have to be played: " + why_all()};
    if (auto added = add_nodes(); !added) return added.error();
    find_routes();
    while (advance()) {
    }
    for (const Played& one : played_)
      if (auto over = one.node->check_over(); !over) return over.error();
    return outcome();
  }

 private:
  /// A node that stands for its class.
  struct Played {
    std::uint32_t node_number = 0;
    double weight = 1;  ///< nodes it stands for
    std::vector<RankProgram> programs;
    std::unique_ptr<Hardware> hardware;
    NodeSurroundings outside;
    std::unique_ptr<NodeSimulation> node;
    /// Routes by rank and instruction: who gets what is sent there.
    std::vector<std::vector<std::vector<Route>>> routes;
  };

  void find_classes() {
    class_of_.resize(nodes_.count());
    std::iota(class_of_.begin(), class_of_.end(), 0);
    if (setting_.folds && setting_.skew == 0 && setting_.jitter == 0)
      class_of_ = classes_of(symmetry_question());
  }

  Result<bool> add_nodes() {
    for (std::uint32_t node = 0; node < nodes_.count(); ++node) {
      if (class_of_[node] < played_.size()) {
        ++played_[class_of_[node]].weight;
        continue;
      }
      Played& one = played_.emplace_back();
      one.node_number = node;
      one.programs = programs_on_node(nodes_, node, programs_);
      one.outside.ranks = nodes_.ranks[node];
      std::vector<Locality> here;
      for (const Rank rank : nodes_.ranks[node]) here.push_back(localities_[rank]);
      auto hardware = Hardware::of(model_, here);
      if (!hardware) return hardware.error();
      one.hardware = std::make_unique<Hardware>(std::move(hardware).value());
      if (auto found = find_levels(one); !found) return found.error();
      one.node =
          std::make_unique<NodeSimulation>(*one.hardware, one.programs, setting_, one.outside);
    }
    return true;
  }

  Result<bool> find_levels(Played& one) {
    for (std::size_t rank = 0; rank < one.programs.size(); ++rank) {
      one.outside.levels.emplace_back();
      for (const Instruction& step : one.programs[rank].instructions) {
        one.outside.levels.back().push_back(0);
        if (!is_half_of_message(step.kind)) continue;
        if (model_.networks.empty())
          return Error{ErrorCode::argument, "machine model '" + model_.name +
                                                "' has no network, and ranks are on several nodes"};
        one.outside.levels.back().back() = static_cast<std::uint8_t>(model::network_between(
            model_, localities_[one.outside.ranks[rank]], localities_[step.peer]));
      }
    }
    return true;
  }

  /// A receive of a played node has its send on some node; that one's class plays the same send.
  void find_routes() {
    for (Played& one : played_) {
      one.routes.resize(one.programs.size());
      for (std::size_t rank = 0; rank < one.programs.size(); ++rank)
        one.routes[rank].resize(one.programs[rank].instructions.size());
    }
    for (std::uint32_t to = 0; to < played_.size(); ++to)
      for (Rank rank = 0; rank < played_[to].programs.size(); ++rank) find_senders(to, rank);
  }

  void find_senders(std::uint32_t to, Rank rank) {
    const Rank receiver = played_[to].outside.ranks[rank];
    std::vector<Rank> peers;
    for (const Instruction& step : played_[to].programs[rank].instructions)
      if (step.kind == StepKind::receive &&
          std::find(peers.begin(), peers.end(), step.peer) == peers.end())
        peers.push_back(step.peer);
    for (std::uint32_t turn = 0; turn < peers.size(); ++turn) {
      const Rank peer = peers[turn];
      Played& from = played_[class_of_[nodes_.node_of[peer]]];
      const std::vector<Instruction>& steps = programs_[peer].instructions;
      for (std::size_t i = 0; i < steps.size(); ++i)
        if (steps[i].kind == StepKind::send && steps[i].peer == receiver)
          from.routes[nodes_.number_of[peer]][i].push_back({to, rank, peer, turn});
    }
  }

  /// The node where something happens next; false: nothing happens any more.
  bool advance() {
    Played* next = nullptr;
    double time = NodeSimulation::kNever;
    for (Played& one : played_)
      if (const double its = one.node->next_time(); its < time) {
        time = its;
        next = &one;
      }
    if (next == nullptr) return begin_all();
    next->node->advance();
    for (const Sent& sent : next->node->sent())
      for (const Route& route : next->routes[sent.rank][sent.instruction])
        played_[route.to].node->receive(route.rank, route.peer, route.turn, sent);
    next->node->sent().clear();
    return true;
  }

  /// The next call, when all have returned from the one before.
  bool begin_all() {
    double last = 0;
    for (const Played& one : played_) {
      if (!one.node->has_returned()) return false;
      last = std::max(last, one.node->last_end());
    }
    for (Played& one : played_) one.node->begin_all(last);
    return true;
  }

  SimulationOutcome outcome() {
    SimulationOutcome all;
    for (Played& one : played_) add(one, all);
    all.nodes = nodes_.count();
    all.nodes_played = static_cast<std::uint32_t>(played_.size());
    if (all.nodes_played == all.nodes && all.nodes > 1) all.why_all = why_all();
    return all;
  }

  /// Some node stands for another.
  bool folds() const {
    return nodes_.count() == 1 ||
           *std::max_element(class_of_.begin(), class_of_.end()) + 1 < nodes_.count();
  }

  std::string why_all() const {
    if (!setting_.folds) return "folding is off";
    if (setting_.skew != 0 || setting_.jitter != 0) return "skew and jitter make nodes differ";
    return why_not_symmetric(1, symmetry_question());
  }

  SymmetryQuestion symmetry_question() const {
    return {nodes_, programs_, localities_, model_, setting_.is_direct};
  }

  void add(Played& one, SimulationOutcome& all) {
    SimulationOutcome its = one.node->take_outcome();
    const auto weight = static_cast<std::uint64_t>(one.weight);
    const double share = one.weight * static_cast<double>(one.programs.size()) /
                         static_cast<double>(programs_.size());
    if (all.calls.empty())
      all.calls.resize(its.calls.size(),
                       {NodeSimulation::kNever, 0, NodeSimulation::kNever, 0, 0, 0});
    for (std::size_t i = 0; i < its.calls.size(); ++i) {
      CallTimes &sum = all.calls[i], &program = its.calls[i];
      sum.first_begin = std::min(sum.first_begin, program.first_begin);
      sum.last_begin = std::max(sum.last_begin, program.last_begin);
      sum.first_end = std::min(sum.first_end, program.first_end);
      sum.last_end = std::max(sum.last_end, program.last_end);
      sum.mean += program.mean * share;
      sum.most = std::max(sum.most, program.most);
    }
    all.steps += its.steps * weight;
    all.events += its.events;
    all.messages += its.messages * weight;
    all.network_bytes += its.network_bytes * one.weight;
    all.signal_lines += its.signal_lines * weight;
    all.bytes_from.resize(its.bytes_from.size());
    for (std::size_t i = 0; i < its.bytes_from.size(); ++i)
      all.bytes_from[i] += its.bytes_from[i] * one.weight;
    all.memory_bytes += its.memory_bytes;
    for (const RankProgram& program : one.programs) all.memory_bytes += program.bytes();
    for (TimelineEvent& event : its.events_of_ranks) {
      event.rank = one.outside.ranks[event.rank];
      if (event.peer) event.peer = one.outside.ranks[*event.peer];
      all.events_of_ranks.push_back(std::move(event));
    }
    add_steps(one, its, all);
  }

  /// Senders of messages are numbered as in the job already.
  static void add_steps(const Played& one, SimulationOutcome& its, SimulationOutcome& all) {
    for (PlayedStep& step : its.last_steps) {
      step.number.rank = one.outside.ranks[step.number.rank];
      if (step.cause && !step.awaits_message)
        step.cause->rank = one.outside.ranks[step.cause->rank];
      all.last_steps.push_back(step);
    }
    for (PlayedCall& call : its.last_calls) {
      call.rank = one.outside.ranks[call.rank];
      all.last_calls.push_back(call);
    }
    std::sort(all.last_steps.begin(), all.last_steps.end(), [](const auto& a, const auto& b) {
      return std::tie(a.number.rank, a.waiting, a.number) <
             std::tie(b.number.rank, b.waiting, b.number);
    });
    std::sort(all.last_calls.begin(), all.last_calls.end(),
              [](const auto& a, const auto& b) { return a.rank < b.rank; });
  }

  const model::MachineModel& model_;
  std::span<const Locality> localities_;
  std::span<const RankProgram> programs_;
  const SimulationSetting& setting_;
  Nodes nodes_;
  std::vector<std::uint32_t> class_of_;
  std::deque<Played> played_;  // nodes keep pointers into it
};

/// Words count a call's steps in 24 bits; all ones say that the rank has returned.
Result<bool> check_strips(std::span<const RankProgram> programs, const SimulationSetting& setting) {
  constexpr double kMostSteps = (1u << 24) - 1;
  Call call;
  call.element_count = setting.element_count;
  call.element_bytes = setting.element_bytes;
  call.is_direct_everywhere = setting.is_direct;
  const auto strip = static_cast<double>(
      strip_elements(programs.front(), call, setting.strip_bytes, setting.scratch_bytes));
  const double strips = std::ceil(static_cast<double>(setting.element_count) / strip);
  for (const RankProgram& program : programs)
    if (const auto steps = static_cast<double>(program.instructions.size());
        strips * (steps + 1) >= kMostSteps)
      return Error{ErrorCode::argument,
                   "plan " + program.name + ": rank " + std::to_string(program.rank) + " has " +
                       std::to_string(program.instructions.size()) + " steps for each of " +
                       std::to_string(std::llround(strips)) + " strips, and a call may have " +
                       std::to_string((1u << 24) - 1) + ": give longer strips, or fewer bytes"};
  return true;
}

}  // namespace

Result<SimulationOutcome> simulate(const model::MachineModel& model,
                                   std::span<const Locality> localities,
                                   std::span<const RankProgram> programs,
                                   const SimulationSetting& setting) {
  if (programs.empty() || programs.size() != localities.size())
    return Error{ErrorCode::argument, std::to_string(programs.size()) + " parts for " +
                                          std::to_string(localities.size()) +
                                          " ranks: expected one for each"};
  if (nodes_of(localities).count() > 1 && !programs.front().has_messages)
    return Error{ErrorCode::argument, "plan " + programs.front().name +
                                          " is for one node, and its ranks are on several: give "
                                          "fewer ranks, or a plan that sends messages"};
  if (auto few = check_strips(programs, setting); !few) return few.error();
  return Job(model, localities, programs, setting).play();
}

}  // namespace terrace::simulate
