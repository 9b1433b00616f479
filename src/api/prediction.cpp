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

/// In lines, with so many pockets, where that is not 0 and they fit.
Result<Plan> lowered(const Plan& plan, std::uint32_t pockets, std::uint32_t ring) {
  if (pockets != 0) {
    Result<Plan> lines = lower(plan, Lowering::lines, 2, pockets);
    if (lines && lines.value().lines <= kLineSlots) return lines;
  }
  return lower(plan, Lowering::owner, ring);
}

Result<Draft> draft_of(const std::shared_ptr<const Plan>& written, std::uint32_t pockets,
                       std::uint32_t ring) {
  Result<Plan> plan = lowered(*written, pockets, ring);
  if (!plan) return plan.error();
  auto parts = std::make_shared<const std::vector<Part>>(parts_of(plan.value()));
  return Draft{written, std::make_shared<const Plan>(std::move(plan).value()), std::move(parts)};
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

/// The same plan for another number of operands is not kept a second time.
std::shared_ptr<const Plan> Drafts::written(const Algorithm& row, Rank root, std::uint32_t radix) {
  const auto is_of = [&](const Written& one) {
    return one.algorithm == row.name && one.root == root;
  };
  for (const Written& one : written_)
    if (is_of(one) && one.radix == radix) return one.plan;
  auto plan = std::make_shared<const Plan>(row.write({scene_->hierarchy, root, radix}));
  for (const Written& one : written_)
    if (is_of(one) && *one.plan == *plan) {
      plan = one.plan;
      break;
    }
  written_.push_back({row.name, root, radix, plan});
  return plan;
}

Result<Draft> Drafts::find(const Predicted& call, const Choice& choice) {
  const Algorithm* const row = find_algorithm(choice.algorithm);
  if (row == nullptr)
    return Error{ErrorCode::argument,
                 "there is no algorithm '" + std::string(choice.algorithm) + "'"};
  const auto plan = written(*row, call.root, choice.radix);
  if (plan->nodes.empty() && has_several_nodes(scene_->places))
    return Error{ErrorCode::unsupported,
                 "plan " + plan->name +
                     " is for one node, and its ranks are on several, which share no memory"};
  const bool is_short = call.bytes <= kPayloadBytes && row->fits_lines;
  const std::uint32_t pockets = is_short ? pockets_of(call, plan->ranks) : 0;
  const Way way{plan.get(), pockets, choice.ring};
  if (const auto known = drafts_.find(way); known != drafts_.end()) return known->second;
  return drafts_.emplace(way, draft_of(plan, pockets, choice.ring)).first->second;
}

Result<Prediction> predict(const Predicted& call, const Choice& choice, const Scene& scene) {
  Drafts drafts(scene);
  return predict(call, choice, drafts);
}

Result<Prediction> predict(const Predicted& call, const Choice& choice, Drafts& drafts) {
  Result<Draft> draft = drafts.find(call, choice);
  if (!draft) return draft.error();
  const Scene& scene = drafts.scene();
  model::CostQuestion question;
  question.bytes = static_cast<double>(call.bytes);
  question.strip_bytes = choice.strip_bytes == kWhole ? 0 : static_cast<double>(choice.strip_bytes);
  question.is_direct = call.is_direct && !choice.bounces;
  question.streams = choice.streams;
  question.account = call.account;
  Result<model::Cost> cost = model::cost_of(*draft.value().lowered, *draft.value().parts,
                                            scene.machine, scene.places, question);
  if (!cost) return cost.error();
  return Prediction{choice, draft.value().lowered, std::move(cost).value()};
}

Result<Prediction> predict(const Predicted& call, const Scene& scene) {
  TeamTraits traits;
  traits.ranks = static_cast<Rank>(scene.places.size());
  traits.can_be_direct = call.is_direct;
  return predict(call, choose({call.collective, call.bytes}, traits), scene);
}

}  // namespace terrace
