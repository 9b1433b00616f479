// SPDX-License-Identifier: BSD-3-Clause
// The plans that the seats of one process share.
#include <map>
#include <mutex>
#include <tuple>

#include "api/seat.hpp"

namespace terrace {

namespace {

auto order_of(const PlanShelf::Key& key) {
  return std::tie(key.algorithm, key.root, key.radix, key.ring, key.in_rank_order, key.lowering);
}

struct InOrder {
  bool operator()(const PlanShelf::Key& a, const PlanShelf::Key& b) const {
    return order_of(a) < order_of(b);
  }
};

std::string user_plan_name(Collective collective) {
  return std::string("user.") + to_text(collective);
}

}  // namespace

struct PlanShelf::State {
  std::mutex mutex;
  std::map<Key, std::vector<std::unique_ptr<const Part>>, InOrder> parts;
  std::map<std::string, Plan> user_plans;
};

PlanShelf::PlanShelf(Hierarchy hierarchy)
    : hierarchy_(std::move(hierarchy)), state_(std::make_unique<State>()) {}

PlanShelf::~PlanShelf() = default;

void PlanShelf::put_user_plan(Collective collective, Plan plan) {
  state_->user_plans.insert_or_assign(user_plan_name(collective), std::move(plan));
}

bool PlanShelf::has_user_plan(Collective collective) const {
  return state_->user_plans.count(user_plan_name(collective)) != 0;
}

/// The first rank that asks gets its own part: a process has but one. If a second asks, the ranks
/// are threads, and everybody's part is made in one go.
const Part* PlanShelf::part(const Key& key, Rank rank) {
  const std::lock_guard lock(state_->mutex);
  const bool is_new = state_->parts.count(key) == 0;
  auto& parts = state_->parts[key];
  if (is_new) parts.resize(hierarchy_.rank_count());
  if (parts[rank]) return parts[rank].get();

  const auto written = [&]() -> std::optional<Plan> {
    if (auto user = state_->user_plans.find(key.algorithm); user != state_->user_plans.end())
      return user->second;
    const Algorithm* row = find_algorithm(key.algorithm);
    if (row == nullptr) return std::nullopt;
    const Hierarchy flat = flat_hierarchy(hierarchy_.rank_count());
    return row->write({key.in_rank_order ? flat : hierarchy_, key.root, key.radix});
  }();
  if (!written) return nullptr;
  const Result<Plan> lowered = lower(*written, key.lowering, key.ring);
  if (!lowered) return nullptr;
  if (is_new) {
    parts[rank] = std::make_unique<const Part>(part_of(lowered.value(), rank));
    return parts[rank].get();
  }
  std::vector<Part> all = parts_of(lowered.value());
  for (Rank other = 0; other < all.size(); ++other)
    if (!parts[other]) parts[other] = std::make_unique<const Part>(std::move(all[other]));
  return parts[rank].get();
}

}  // namespace terrace
