// SPDX-License-Identifier: BSD-3-Clause
// Reads, checks and proves the plan that a user wants run.
#include "preload/setup/user_plan.hpp"

#include <unistd.h>

#include <utility>
#include <vector>

#include "base/say.hpp"
#include "choose/choice.hpp"
#include "collectives/collectives.hpp"
#include "plan/lower.hpp"
#include "plan/rank_program.hpp"
#include "preload/mpi/settings.hpp"
#include "team/memory.hpp"
#include "verify/verify.hpp"

namespace terrace::preload {

namespace {

/// The algorithm that the user names; null: it is a file, which comes first.
const Algorithm* named_algorithm() {
  const std::string path = plan_path();
  return access(path.c_str(), F_OK) == 0 ? nullptr : find_algorithm(path);
}

std::string name_text(const Plan& plan) {
  return "the plan \"" + plan.name + "\"";
}

/// Ranks that share memory in the plan must do so here; those that do here need not in the plan.
std::string objection_to_nodes(const Plan& plan, const NodeLayout& layout) {
  std::vector<std::optional<Rank>> first_of(plan.ranks);
  for (Rank rank = 0; rank < plan.ranks; ++rank) {
    std::optional<Rank>& first = first_of[plan.node_of(rank)];
    if (!first) first = rank;
    if (layout.node_of[*first] == layout.node_of[rank]) continue;
    return name_text(plan) + " has ranks " + std::to_string(*first) + " and " +
           std::to_string(rank) + " on one node, and here they are on two";
  }
  return "";
}

std::string objection_to(const Plan& plan, const PlannedRanks& ranks) {
  const auto collective = collective_of_plan(plan.name);
  if (!collective)
    return "a plan's name begins with its collective, as in \"bcast.mine\"; got \"" + plan.name +
           "\"";
  if (is_vector(*collective))
    return std::string(to_text(*collective)) + " runs the plans of " +
           to_text(planned_as(*collective)) + ": let the plan's name begin with that";
  if (plan.ranks != ranks.count)
    return "the plan is for " + std::to_string(plan.ranks) + " ranks, not the communicator's " +
           std::to_string(ranks.count);
  const bool is_proved_each_time = named_algorithm() != nullptr || ranks.nodes != nullptr;
  if (is_proved_each_time && ranks.count > kMostRanksTogether)
    return "plans over several nodes, and algorithms by name, have " +
           std::to_string(kMostRanksTogether) + " ranks at most";
  if (ranks.nodes == nullptr) {
    const auto runs = check_runs_on_one_node(plan);
    return runs ? "" : runs.error().sentence;
  }
  if (!is_composed_over_nodes(*collective))
    return "over several nodes, " + std::string(to_text(*collective)) + " falls back to the MPI";
  return objection_to_nodes(plan, *ranks.nodes);
}

std::string objection_to_scratch(const Plan& owner, std::size_t scratch_bytes) {
  const std::size_t blocks = scratch_bytes / kLinePairBytes / owner.ring;
  if (owner.scratch_blocks <= blocks) return "";
  return name_text(owner) + " needs " + std::to_string(owner.scratch_blocks) +
         " blocks of scratch, and this team has " + std::to_string(blocks);
}

}  // namespace

std::string user_plan_text(const Hierarchy& hierarchy) {
  const Algorithm* const row = named_algorithm();
  if (row == nullptr) return plan_text();
  Plan plan = row->write({hierarchy, 0, Choice{}.radix});
  plan.name = row->name;  // some algorithms serve two collectives
  return to_text(plan);
}

void refuse_user_plan(const std::string& why) {
  say_once("TERRACE_PLAN: " + plan_path() + ": " + why + "; running Terrace's own plans");
}

std::optional<Permission> permission_of(const std::string& text, const PlannedRanks& ranks) {
  const auto refuse = [](const std::string& why) {
    refuse_user_plan(why);
    return std::nullopt;
  };
  const Result<Plan> plan = plan_from_text(text);
  if (!plan) return refuse(plan.error().sentence);
  if (std::string why = objection_to(plan.value(), ranks); !why.empty()) return refuse(why);
  const Result<Plan> owner = lower(plan.value(), Lowering::owner);
  if (!owner) return refuse(owner.error().sentence);
  if (std::string why = objection_to_scratch(owner.value(), ranks.scratch_bytes); !why.empty())
    return refuse(why);
  const Collective collective = *collective_of_plan(plan.value().name);
  const Algorithm* const row = named_algorithm();
  const Postcondition wanted =
      row != nullptr ? postcondition(*row, ranks.count, 0)  // the user may want unequal bits
                     : postcondition(collective, ranks.count, 0);
  Permission permission{true, combines(collective)};
  for (const Lowering lowering : {Lowering::owner, Lowering::lines}) {
    const Result<Plan> lowered = lower(plan.value(), lowering);
    // To lines: long ones only, then; so does an algorithm of ours with many ranks.
    if (!lowered || (row != nullptr && lowered.value().lines > kMostLines)) continue;
    const auto proof = verify(lowered.value(), wanted);
    if (!proof) return refuse(proof.error().sentence);
    permission.keeps_rank_order &= proof.value().combines_in_rank_order;
  }
  return permission;
}

}  // namespace terrace::preload
