// SPDX-License-Identifier: BSD-3-Clause
// Makes the plan as a team would, and asks the model for its cost.
#include "choose/prediction.hpp"

#include <algorithm>
#include <set>

#include "execute/call.hpp"
#include "plan/lower.hpp"
#include "team/memory.hpp"

namespace terrace {

namespace {

/// Blocks that fit a line together, as in an endpoint.
std::uint32_t pockets_of(const Predicted& call, Rank ranks) {
  if (!has_block_per_rank(call.collective)) return 1;
  const std::size_t fitting = kPayloadBytes / std::max<std::size_t>(call.bytes, 1);
  return static_cast<std::uint32_t>(std::min<std::size_t>(fitting, ranks));
}

/// Returns as much as is wanted, and scratch has room for.
std::size_t strip_bytes(const RankProgram& part, std::size_t wanted, bool is_direct,
                        std::size_t scratch_bytes) {
  const std::size_t blocks = blocks_per_slot(part, is_direct) * part.ring;
  if (scratch_bytes == 0 || blocks == 0) return wanted;
  return std::min(
      wanted, std::max(scratch_bytes / blocks / kLinePairBytes, std::size_t{1}) * kLinePairBytes);
}

Error lines_are_too_few(const Plan& plan) {
  return {ErrorCode::unsupported, "plan " + plan.name + " over lines needs " +
                                      std::to_string(plan.lines) + " of them, and a call may use " +
                                      std::to_string(kMostLines)};
}

/// Lowers to lines with `pockets` pockets if that is not 0. If the values do not fit: an error if
/// `must_be_lines`, exposed buffers otherwise. A plan that is lowered already stays as it is.
Result<Plan> lowered(const Plan& plan, std::uint32_t pockets, bool must_be_lines,
                     std::uint32_t ring) {
  if (plan.lowering != Lowering::none) return plan;
  if (pockets != 0) {
    Result<Plan> lines = lower(plan, Lowering::lines, 2, pockets);
    const bool fits = lines && lines.value().lines <= kMostLines;
    if (fits || (must_be_lines && !lines)) return lines;
    if (must_be_lines) return lines_are_too_few(lines.value());
  }
  return lower(plan, Lowering::owner, ring);
}

/// Returns the lowering that the call asks for, where its plan can be that.
Result<Lowering> lowering_of(const Predicted& call, const Plan& plan) {
  const Lowering given = plan.lowering, asked = call.lowering;
  if (given != Lowering::none && asked != Lowering::none && given != asked)
    return Error{ErrorCode::argument, "plan " + plan.name + " is already lowered, in another way"};
  const Lowering lowering = given != Lowering::none ? given : asked;
  if (lowering == Lowering::lines && call.bytes * plan.pockets > kPayloadBytes)
    return Error{ErrorCode::argument,
                 "lines are for values of up to " + std::to_string(kPayloadBytes) +
                     " bytes together, and the call's have " + std::to_string(call.bytes)};
  return lowering;
}

Result<Draft> draft_of(const std::shared_ptr<const Plan>& written, Result<Plan> plan) {
  if (!plan) return plan.error();
  auto parts = std::make_shared<const std::vector<RankProgram>>(programs_of(plan.value()));
  return Draft{written, std::make_shared<const Plan>(std::move(plan).value()), std::move(parts)};
}

/// Short calls that a rank completes before their lines or scratch are used again, which waits for
/// ranks that have no core. Of longer ones all ways go through scratch, which holds as many.
double calls_a_turn(std::span<const RankProgram> parts, const Predicted& call, const Choice& choice,
                    bool is_direct, std::size_t scratch_bytes) {
  if (call.bytes > kPayloadBytes || !goes_one_way(parts, is_direct)) return 1;
  const RankProgram& part = parts.front();
  std::size_t calls = kLineSlots / std::max<std::size_t>(part.lines, 1);
  const std::size_t pairs = (call.bytes + kLinePairBytes - 1) / kLinePairBytes;
  const std::size_t scratch = blocks_per_slot(part, is_direct) * pairs * kLinePairBytes;
  if (scratch != 0) {
    std::size_t span =
        choice.scratch_span != 0 ? choice.scratch_span : scratch * pieces_in_a_row(scratch);
    if (scratch_bytes != 0) span = std::min(span, scratch_bytes);
    calls = std::min({calls, span / scratch, kPendingScratchReaders});
  }
  return static_cast<double>(std::max<std::size_t>(calls, 1));
}

std::uint64_t node_of(const Locality& locality) {
  const LevelPlace* node = model::place_at(locality, "node");
  return node == nullptr ? 0 : node->index;
}

/// Ranks share memory, and send each other messages, where the plan supposes so.
Result<bool> check_nodes(const Plan& plan, std::span<const Locality> places) {
  std::map<std::uint64_t, Rank> first_of_plan, first_of_place;  // by node
  for (Rank rank = 0; rank < std::min<std::size_t>(plan.ranks, places.size()); ++rank) {
    const Rank planned = first_of_plan.emplace(plan.node_of(rank), rank).first->second;
    const Rank placed = first_of_place.emplace(node_of(places[rank]), rank).first->second;
    if (planned == placed) continue;
    if (plan.nodes.empty())
      return Error{ErrorCode::unsupported,
                   "plan " + plan.name +
                       " is for one node, and its ranks are on several, which share no memory"};
    const bool are_together = planned < rank;
    return Error{ErrorCode::unsupported,
                 "plan " + plan.name + " has ranks " +
                     std::to_string(are_together ? planned : placed) + " and " +
                     std::to_string(rank) +
                     (are_together ? " on one node, and they are placed on two"
                                   : " on two nodes, and they are placed on one")};
  }
  return true;
}

}  // namespace

bool goes_one_way(std::span<const RankProgram> parts, bool is_direct) {
  std::vector<std::set<Rank>> awaited(parts.size());
  for (const RankProgram& part : parts)
    for (const ProgramWait& wait : part.waits) {
      const bool is_void = wait.when == (is_direct ? When::if_bounced : When::if_direct);
      if (!is_void && wait.lag == 0 && wait.rank != part.rank) awaited[part.rank].insert(wait.rank);
    }
  for (std::size_t left = parts.size(); left != 0;) {
    std::size_t still = 0;
    for (std::set<Rank>& ranks : awaited) {
      std::erase_if(ranks, [&](Rank rank) { return awaited[rank].empty(); });
      still += !ranks.empty();
    }
    if (still == left) return false;
    left = still;
  }
  return true;
}

RankPlatform::RankPlatform(const model::MachineModel& on, std::vector<Locality> ranks)
    : machine(on), places(std::move(ranks)), hierarchy(hierarchy_of(places)) {
  for (std::uint32_t depth = 1; depth <= depth_of(hierarchy); ++depth)
    by_depth.push_back(with_one_depth(hierarchy, depth));
}

const Hierarchy& RankPlatform::seen_at(std::uint32_t depth) const {
  if (depth == 0 || by_depth.empty()) return hierarchy;
  return by_depth[std::min<std::size_t>(depth, by_depth.size()) - 1];
}

/// Writes a plan, or finds it: the same one for another number of operands, or of other groups, is
/// not kept a second time.
std::shared_ptr<const Plan> Drafts::written(const Algorithm& row, Rank root, const Choice& choice) {
  const auto is_of = [&](const Written& one) {
    return one.algorithm == row.name && one.root == root;
  };
  for (const Written& one : written_)
    if (is_of(one) && one.radix == choice.radix && one.depth == choice.depth) return one.plan;
  auto plan = std::make_shared<const Plan>(
      row.write({platform_->seen_at(choice.depth), root, choice.radix}));
  for (const Written& one : written_)
    if (is_of(one) && *one.plan == *plan) {
      plan = one.plan;
      break;
    }
  written_.push_back({row.name, root, choice.radix, choice.depth, plan});
  return plan;
}

Result<Draft> Drafts::find(const Predicted& call, const Choice& choice) {
  std::shared_ptr<const Plan> plan = call.own;
  bool fits_lines = true;  // of an own plan `lower` knows
  if (plan == nullptr) {
    const Algorithm* const row = find_algorithm(choice.algorithm);
    if (row == nullptr)
      return Error{ErrorCode::argument,
                   "there is no algorithm '" + std::string(choice.algorithm) + "'"};
    plan = written(*row, call.root, choice);
    fits_lines = row->fits_lines;
  }
  if (const auto fit = check_nodes(*plan, platform_->places); !fit) return fit.error();
  const Result<Lowering> asked = lowering_of(call, *plan);
  if (!asked) return asked.error();
  const bool must_be_lines = asked.value() == Lowering::lines;
  const bool may_be_lines = asked.value() == Lowering::none && fits_lines && !choice.avoids_lines;
  const bool tries_lines = call.bytes <= kPayloadBytes && (must_be_lines || may_be_lines);
  const std::uint32_t pockets = tries_lines ? pockets_of(call, plan->ranks) : 0;
  const Way way{plan.get(), pockets, must_be_lines, choice.ring};
  if (const auto known = drafts_.find(way); known != drafts_.end()) return known->second;
  Result<Plan> lowered = terrace::lowered(*plan, pockets, must_be_lines, choice.ring);
  return drafts_.emplace(way, draft_of(plan, std::move(lowered))).first->second;
}

Result<Prediction> predict(const Predicted& call, const Choice& choice,
                           const RankPlatform& platform) {
  Drafts drafts(platform);
  return predict(call, choice, drafts);
}

Result<Prediction> predict(const Predicted& call, const Choice& choice, Drafts& drafts) {
  Result<Draft> draft = drafts.find(call, choice);
  if (!draft) return draft.error();
  const RankPlatform& platform = drafts.platform();
  const bool is_direct = call.is_direct && !choice.bounces;
  const std::size_t strip = strip_bytes(draft.value().parts->front(), choice.strip_bytes, is_direct,
                                        platform.scratch_bytes);
  model::CostQuestion question;
  question.bytes = static_cast<double>(call.bytes);
  question.strip_bytes = strip == kWhole ? 0 : static_cast<double>(strip);
  question.is_direct = is_direct;
  question.streams = choice.streams;
  question.streams_scratch = choice.streams_scratch;
  question.scratch_span = static_cast<double>(choice.scratch_span);
  question.scratch_bytes = static_cast<double>(platform.scratch_bytes);
  question.shared_cores = platform.shared_cores;
  question.takes_turns_in_order = platform.takes_turns_in_order;
  if (platform.shared_cores != 0)
    question.calls_a_turn =
        calls_a_turn(*draft.value().parts, call, choice, is_direct, platform.scratch_bytes);
  question.account = call.account;
  question.is_rough = call.is_rough;
  Result<model::Cost> cost = model::cost_of(*draft.value().lowered, *draft.value().parts,
                                            platform.machine, platform.places, question);
  if (!cost) return cost.error();
  return Prediction{choice, draft.value().lowered, std::move(cost).value()};
}

std::string to_text(const Prediction& prediction) {
  const Choice& choice = prediction.choice;
  const bool is_line = prediction.plan->lowering == Lowering::lines;
  std::string text(choice.algorithm);
  if (is_line) text += " over lines";
  text += ", up to " + std::to_string(choice.radix) + " operands a step" + depth_text(choice);
  if (prediction.cost.strips > 1)
    text += choice.strip_bytes == kWhole ? ", in strips that scratch has room for"
                                         : strips_text(choice);
  return is_line ? text : text + stores_text(choice);
}

}  // namespace terrace
