// SPDX-License-Identifier: BSD-3-Clause
// Simulates plans on machines, at each point of a box.
#include "papers/simulated.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "collectives/collectives.hpp"
#include "hierarchy/hierarchy.hpp"
#include "machine_files/read_machine_model.hpp"
#include "model/cost.hpp"
#include "plan/lower.hpp"
#include "simulate/simulate.hpp"

namespace terrace::papers {
namespace {

const std::vector<double> kPlayedBytes = {64, 4 * kKiB, 64 * kKiB, 768 * kKiB};

constexpr std::size_t kNear = 1, kFar = 2;  // distances of the machine files; 0 is the own core

/// Trees of every radix up to a socket's threads, each wide one only if it differs.
std::vector<PlayedTime> trees(const PlayStage& stage, const std::string& algorithm) {
  std::vector<PlayedTime> plans;
  for (std::uint32_t radix = 2; radix <= stage.node->threads.q; ++radix)
    plans.push_back(played(stage, algorithm, radix));
  return plans;
}

/// Whether `plan` is not slower than any of the others at a length.
bool is_best(const model::MachineModel& machine, const PlayStage& stage, const PlayedTime& plan,
             const std::vector<PlayedTime>& others, double bytes) {
  const double time = simulated_time(machine, stage, plan, bytes);
  return std::ranges::all_of(others, [&](const PlayedTime& other) {
    return simulated_time(machine, stage, other, bytes) >= time * (1 - 1e-9);
  });
}

/// Where `plan` is the best at every length; and at each length for itself.
struct Best {
  BoxShare share;
  std::string by_length;
};

Best best_in_box(const PlayStage& stage, const PlayedTime& plan,
                 const std::vector<PlayedTime>& others) {
  std::vector<std::size_t> holds(kPlayedBytes.size(), 0);
  const BoxShare share = share_of(
      simulated_box(*stage.node),
      [&](FactorPoint point) {
        const model::MachineModel machine = machine_at(stage, point);
        bool everywhere = true;
        for (std::size_t i = 0; i < kPlayedBytes.size(); ++i) {
          const bool is_so = is_best(machine, stage, plan, others, kPlayedBytes[i]);
          holds[i] += is_so ? 1 : 0;
          everywhere = everywhere && is_so;
        }
        return everywhere;
      },
      kPlayedPoints);
  std::string text;
  for (std::size_t i = 0; i < kPlayedBytes.size(); ++i)
    text += (i == 0 ? "" : ", ") + bytes_text(kPlayedBytes[i]) + " " +
            percent_text(static_cast<double>(holds[i]) / static_cast<double>(share.of));
  return {share, text};
}

std::string text_on(const PaperNode& node, const Best& best) {
  return std::string(node.name) + " at all lengths in " +
         papers::text_of(best.share, simulated_box(node)) + "; by length: " + best.by_length;
}

ClaimAnswer simulated_broadcast(const PaperNode& node, const char* best, const char* other) {
  const Result<PlayStage> found = stage_of(node, file_of(node));
  if (!found) return not_found(found.error());
  const PlayStage& stage = found.value();
  std::vector<PlayedTime> others = trees(stage, "bcast.tree");
  others.push_back(played(stage, other));
  const Best answer = best_in_box(stage, played(stage, best), others);
  return {verdict_on(answer.share), text_on(node, answer), answer.share.fraction(),
          simulated_box_text(node)};
}

/// By how much the widest tree is faster than the binary one.
double gain_of_width(const model::MachineModel& machine, const PlayStage& stage,
                     const std::vector<PlayedTime>& plans, double bytes) {
  return simulated_time(machine, stage, plans.front(), bytes) /
         simulated_time(machine, stage, plans.back(), bytes);
}

}  // namespace

const char* file_of(const PaperNode& node) {
  return &node == &westmere() ? "westmere-x5650" : "magny-cours-6100";
}

std::string simulated_box_text(const PaperNode& node) {
  return std::string(node.name) + ": " + simulated_box(node).text() + ", all else as in machines/" +
         file_of(node) + ".json";
}

ClaimAnswer not_found(const Error& error) {
  return {ClaimVerdict::needs_hardware, error.sentence};
}

Result<PlayStage> stage_of(const PaperNode& node, const std::string& machine) {
  auto model = model::read_machine_model(machine);
  if (!model) return model.error();
  auto ranks = model::localities_on(model.value(), node.threads.q * node.threads.s);
  if (!ranks) return ranks.error();
  return PlayStage{&node, std::move(model).value(), std::move(ranks).value()};
}

PlayedTime played(const PlayStage& stage, const std::string& algorithm, std::uint32_t radix) {
  const Hierarchy hierarchy = hierarchy_of(stage.ranks);
  const Plan written = find_algorithm(algorithm)->write({hierarchy, 0, radix});
  Plan plan = lower(written, Lowering::owner).value();
  std::vector<RankProgram> parts = programs_of(plan);
  return {algorithm, radix, std::move(plan), std::move(parts)};
}

FactorBox simulated_box(const PaperNode& node) {
  FactorBox box = node.box;
  box.axes.push_back({"each further reader of a line (ns)", 0, 10, false});
  return box;
}

model::MachineModel machine_at(const PlayStage& stage, FactorPoint point) {
  model::MachineModel machine = stage.machine;
  const model::hpdc13::Costs c = parameters_at(*stage.node, point);
  model::Distance& near = machine.distances[kNear];
  near.a = near.modified = c.a_alpha + c.b_alpha;
  near.b = c.b_alpha;
  near.B = c.B_alpha;
  const model::Distance neighbour = stage.machine.distances[kFar];
  for (std::size_t i = kFar; i < machine.distances.size(); ++i) {
    model::Distance& far = machine.distances[i];  // diagonal ones keep their ratios
    far.a = far.modified = (c.a_beta + c.b_beta) * far.modified / neighbour.modified;
    far.b = c.b_beta * far.b / neighbour.b;
    far.B = c.B_beta * far.B / neighbour.B;
  }
  for (std::size_t i = kNear; i < machine.distances.size(); ++i)
    machine.distances[i].further_reader = point.back();
  return machine;
}

double simulated_time(const model::MachineModel& machine, const PlayStage& stage,
                      const PlayedTime& plan, double bytes, simulate::Mode mode) {
  simulate::SimulationSetting setting;
  setting.mode = mode;
  setting.element_count = static_cast<std::size_t>(bytes) / setting.element_bytes;
  setting.calls = mode == simulate::Mode::paper ? 1 : 2;
  const auto outcome = simulate::simulate(machine, stage.ranks, plan.parts, setting);
  return outcome ? outcome.value().calls.back().most : std::nan("");
}

double costed_time(const model::MachineModel& machine, const PlayStage& stage,
                   const PlayedTime& plan, double bytes) {
  model::CostQuestion question;
  question.bytes = bytes;
  const auto cost = model::cost_of(plan.plan, machine, stage.ranks, question);
  return cost ? cost.value().total : std::nan("");
}

ClaimAnswer with_simulated_line(ClaimAnswer computed, const PaperNode& node,
                                const std::string& algorithm, double printed) {
  const Result<PlayStage> stage = stage_of(node, file_of(node));
  if (!stage) return not_found(stage.error());
  const double time = simulated_time(stage.value().machine, stage.value(),
                                     played(stage.value(), algorithm), 64, simulate::Mode::paper);
  if (!(std::abs(time - printed) < 0.05)) computed.verdict = ClaimVerdict::not_reproduced;
  computed.ours += "; the plan " + algorithm + ", simulated on machines/" + file_of(node) +
                   ".json without synchronization: " + number_text(time, 1) + " ns";
  return computed;
}

double simulated_crossover(const PlayStage& stage) {
  const PlayedTime tree = played(stage, "allreduce.tree"), tiles = played(stage, "allreduce.tiled");
  double from = INFINITY;
  for (double bytes = 4096 * kKiB; bytes >= 64; bytes /= 2) {
    if (simulated_time(stage.machine, stage, tiles, bytes) >
        simulated_time(stage.machine, stage, tree, bytes))
      break;
    from = bytes;
  }
  return from;
}

ClaimAnswer simulated_crossovers(double bytes_westmere, double bytes_magny_cours) {
  std::string text;
  bool holds = true;
  for (const PaperNode* node : {&westmere(), &magny_cours()}) {
    const Result<PlayStage> stage = stage_of(*node, file_of(*node));
    if (!stage) return not_found(stage.error());
    const double printed = node == &westmere() ? bytes_westmere : bytes_magny_cours;
    const double from = simulated_crossover(stage.value());
    holds = holds && from <= 2 * printed && from >= printed / 2;
    text += (text.empty() ? "tiles are not slower from " : ", ") + bytes_text(from) + " on " +
            node->name;
  }
  return {holds ? ClaimVerdict::reproduced : ClaimVerdict::not_reproduced, text};
}

ClaimAnswer simulated_broadcast_on_westmere() {
  return simulated_broadcast(westmere(), "bcast.flat", "bcast.staged");
}

ClaimAnswer simulated_broadcast_on_magny_cours() {
  return simulated_broadcast(magny_cours(), "bcast.staged", "bcast.flat");
}

ClaimAnswer simulated_slope_beyond_the_cache() {
  constexpr double kBefore = 256 * kKiB, kBeyond = 4096 * kKiB, kMuch = 1.25;
  std::string text, box;
  double smallest = 1;
  for (const PaperNode* node : {&westmere(), &magny_cours()}) {
    const Result<PlayStage> found = stage_of(*node, file_of(*node));
    if (!found) return not_found(found.error());
    const PlayStage& stage = found.value();
    const std::vector<PlayedTime> plans = trees(stage, "bcast.tree");
    std::vector<double> before, beyond;
    const BoxShare share = share_of(
        simulated_box(*node),
        [&](FactorPoint point) {
          const model::MachineModel machine = machine_at(stage, point);
          before.push_back(gain_of_width(machine, stage, plans, kBefore));
          beyond.push_back(gain_of_width(machine, stage, plans, kBeyond));
          return beyond.back() > before.back() * kMuch;
        },
        kPlayedPoints);
    std::ranges::sort(before);
    std::ranges::sort(beyond);
    smallest = std::min(smallest, share.fraction());
    text += (text.empty() ? "" : ". ") + std::string(node->name) + " " +
            papers::text_of(share, simulated_box(*node)) + "; the widest tree over the binary " +
            "one, median: " + number_text(before[before.size() / 2], 2) + " at 256 KiB, " +
            number_text(beyond[beyond.size() / 2], 2) + " at 4 MiB; the vectors of a socket's " +
            "threads fill its L3 from " + bytes_text(node->cache_bytes / node->threads.q) + " on";
    box += (box.empty() ? "" : ". ") + simulated_box_text(*node);
  }
  return {smallest >= kMostOfTheBox ? ClaimVerdict::holds_in_box : ClaimVerdict::not_reproduced,
          text, smallest, box};
}

ClaimAnswer simulated_reduction_trees() {
  std::string text, box;
  double smallest = 1;
  for (const PaperNode* node : {&westmere(), &magny_cours()}) {
    const Result<PlayStage> found = stage_of(*node, file_of(*node));
    if (!found) return not_found(found.error());
    const std::vector<PlayedTime> plans = trees(found.value(), "reduce.tree");
    const Best best = best_in_box(found.value(), plans.front(), plans);
    smallest = std::min(smallest, best.share.fraction());
    text += (text.empty() ? "" : ". ") + text_on(*node, best);
    box += (box.empty() ? "" : ". ") + simulated_box_text(*node);
  }
  return {smallest >= kMostOfTheBox ? ClaimVerdict::holds_in_box : ClaimVerdict::not_reproduced,
          text, smallest, box};
}

}  // namespace terrace::papers
