// SPDX-License-Identifier: BSD-3-Clause
// Makes the plan as a seat would, and asks the model.
#include "api/prediction.hpp"

#include <algorithm>

#include "plan/lower.hpp"
#include "team/memory.hpp"

namespace terrace {

namespace {

/// Blocks that fit a line together, as in a seat.
std::uint32_t pockets_of(const Predicted& call, Rank ranks) {
  if (!has_block_per_rank(call.collective)) return 1;
  const std::size_t fitting = kPayloadBytes / std::max<std::size_t>(call.bytes, 1);
  return static_cast<std::uint32_t>(std::min<std::size_t>(fitting, ranks));
}

Result<Plan> lowered(const Algorithm& row, const Plan& plan, const Predicted& call,
                     const Choice& choice) {
  if (call.bytes <= kPayloadBytes && row.fits_lines) {
    Result<Plan> lines = lower(plan, Lowering::lines, 2, pockets_of(call, plan.ranks));
    if (lines && lines.value().lines <= kLineSlots) return lines;
  }
  return lower(plan, Lowering::owner, choice.ring);
}

bool has_several_nodes(std::span<const Locality> places) {
  const auto node_of = [](const Locality& locality) {
    const Place* node = model::place_at(locality, "node");
    return node == nullptr ? 0 : node->index;
  };
  return std::any_of(places.begin(), places.end(), [&](const Locality& locality) {
    return node_of(locality) != node_of(places.front());
  });
}

}  // namespace

Scene::Scene(const model::MachineModel& on, std::vector<Locality> ranks)
    : machine(on), places(std::move(ranks)), hierarchy(hierarchy_of(places)) {}

Result<Prediction> predict(const Predicted& call, const Choice& choice, const Scene& scene) {
  const Algorithm* const row = find_algorithm(choice.algorithm);
  if (row == nullptr)
    return Error{ErrorCode::argument,
                 "there is no algorithm '" + std::string(choice.algorithm) + "'"};
  const Plan written = row->write({scene.hierarchy, call.root, choice.radix});
  if (written.nodes.empty() && has_several_nodes(scene.places))
    return Error{ErrorCode::unsupported,
                 "plan " + written.name +
                     " is for one node, and its ranks are on several, which share no memory"};
  Result<Plan> plan = lowered(*row, written, call, choice);
  if (!plan) return plan.error();
  model::CostQuestion question;
  question.bytes = static_cast<double>(call.bytes);
  question.strip_bytes = choice.strip_bytes == kWhole ? 0 : static_cast<double>(choice.strip_bytes);
  question.is_direct = call.is_direct && !choice.bounces;
  question.streams = choice.streams;
  question.account = call.account;
  Result<model::Cost> cost = model::cost_of(plan.value(), scene.machine, scene.places, question);
  if (!cost) return cost.error();
  return Prediction{choice, std::move(plan).value(), std::move(cost).value()};
}

Result<Prediction> predict(const Predicted& call, const Scene& scene) {
  TeamTraits traits;
  traits.ranks = static_cast<Rank>(scene.places.size());
  traits.can_be_direct = call.is_direct;
  return predict(call, choose({call.collective, call.bytes}, traits), scene);
}

}  // namespace terrace
