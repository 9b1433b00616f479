// SPDX-License-Identifier: BSD-3-Clause
// Writes and lowers plans at first use, and keeps their programs.
#include "engine/plan_cache.hpp"

#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <shared_mutex>
#include <tuple>
#include <vector>

#include "base/contract.hpp"
#include "plan/lower.hpp"
#include "team/memory.hpp"

namespace terrace {

namespace {

auto order_of(const PlanCache::Key& key) {
  return std::tie(key.algorithm, key.root, key.radix, key.ring, key.depth, key.order, key.is_vector,
                  key.lowering, key.pockets);
}

}  // namespace

struct PlanCache::State {
  struct InOrder {
    bool operator()(const Key& a, const Key& b) const { return order_of(a) < order_of(b); }
  };

  /// The plan as its author wrote it; nothing if there is none of that name.
  std::optional<Plan> written(const Key& key) const;
  /// Lowers for `rank` alone, where ranks are so many that this is less work.
  std::optional<Plan> lowered(const Key& key, std::optional<Rank> rank) const;

  Hierarchy hierarchy;
  Askers askers = Askers::one_rank;
  std::map<std::string, Plan> user_plans;
  std::set<std::string> user_plans_in_rank_order;
  /// Guards `programs`. Many that have waited for one rank's work then read at once.
  std::shared_mutex mutex;
  /// Programs by rank; null: not made yet; none of what does not run.
  std::map<Key, std::vector<std::unique_ptr<const RankProgram>>, InOrder> programs;
};

std::optional<Plan> PlanCache::State::written(const Key& key) const {
  if (const auto user = user_plans.find(key.algorithm); user != user_plans.end())
    return user->second;
  const Algorithm* row = find_algorithm(key.algorithm);
  if (row == nullptr) return std::nullopt;
  if (!fits(*row, key.order)) return std::nullopt;
  const Rank ranks = hierarchy.rank_count();
  switch (key.order) {
    case Order::by_rank:
      return row->write({flat_hierarchy(ranks), key.root, key.radix});
    case Order::by_count:
      return row->write({hierarchy_of_runs(ranks), key.root, key.radix});
    case Order::by_machine:
      break;
  }
  return row->write({with_one_depth(hierarchy, key.depth), key.root, key.radix});
}

std::optional<Plan> PlanCache::State::lowered(const Key& key, std::optional<Rank> rank) const {
  const std::optional<Plan> plan = written(key);
  if (!plan || (key.is_vector && !runs_vector(*plan)) || !check_runs_on_one_node(*plan))
    return std::nullopt;
  const bool is_for_one = rank && plan->ranks > kMostRanksTogether;
  Result<Plan> result =
      is_for_one ? lower_for(*rank, *plan, key.lowering, key.ring, key.pockets, kMostLines)
                 : lower(*plan, key.lowering, key.ring, key.pockets, kMostLines);
  return result ? std::optional(std::move(result).value()) : std::nullopt;
}

std::string user_plan_name(Collective collective) {
  return std::string("user.") + to_text(collective);
}

PlanCache::PlanCache(Hierarchy hierarchy, Askers askers) : state_(std::make_unique<State>()) {
  state_->hierarchy = std::move(hierarchy);
  state_->askers = askers;
}

PlanCache::~PlanCache() = default;

const Hierarchy& PlanCache::hierarchy() const {
  return state_->hierarchy;
}

void PlanCache::put_user_plan(Collective collective, Plan plan, bool keeps_rank_order) {
  const std::string name = user_plan_name(collective);
  state_->user_plans.insert_or_assign(name, std::move(plan));
  state_->user_plans_in_rank_order.erase(name);
  if (keeps_rank_order) state_->user_plans_in_rank_order.insert(name);
}

bool PlanCache::has_user_plan(Collective collective, std::size_t bytes, Order order) const {
  const std::string name = user_plan_name(collective);
  const auto found = state_->user_plans.find(name);
  if (found == state_->user_plans.end() || bytes < found->second.least_bytes ||
      bytes > found->second.most_bytes)
    return false;
  if (order == Order::by_machine) return true;
  return order == Order::by_rank && state_->user_plans_in_rank_order.count(name) != 0;
}

/// If one rank is to ask, it gets its own program. If a second one asks nevertheless, and where all
/// will, the programs of all are made at once.
const RankProgram* PlanCache::program(const Key& key, Rank rank) {
  TERRACE_REQUIRE(rank < state_->hierarchy.rank_count(), rank, state_->hierarchy.rank_count());
  {
    const std::shared_lock lock(state_->mutex);
    const auto known = state_->programs.find(key);
    const bool is_known = known != state_->programs.end();
    if (is_known && known->second.empty()) return nullptr;
    if (is_known && known->second[rank]) return known->second[rank].get();
  }
  const std::lock_guard lock(state_->mutex);
  const auto [found, is_new] = state_->programs.try_emplace(key);
  auto& programs = found->second;
  const bool is_refused = !is_new && programs.empty();
  if (is_refused) return nullptr;
  if (!is_new && programs[rank]) return programs[rank].get();
  const bool is_for_one = is_new && state_->askers == Askers::one_rank;
  const std::optional<Plan> plan =
      state_->lowered(key, is_for_one ? std::optional(rank) : std::nullopt);
  if (!plan) return nullptr;
  if (is_new) programs.resize(state_->hierarchy.rank_count());
  if (is_for_one) {
    programs[rank] = std::make_unique<const RankProgram>(program_of(*plan, rank));
    return programs[rank].get();
  }
  std::vector<RankProgram> all = programs_of(*plan);
  TERRACE_ASSERT(all.size() == programs.size(), all.size(), programs.size());
  for (Rank other = 0; other < all.size(); ++other)
    if (!programs[other])
      programs[other] = std::make_unique<const RankProgram>(std::move(all[other]));
  return programs[rank].get();
}

}  // namespace terrace
