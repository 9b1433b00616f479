// SPDX-License-Identifier: BSD-3-Clause
// A plan cache: the plans that the endpoints of one process share, so that each is written and
// lowered once.
#pragma once

#include <memory>
#include <string>

#include "choose/choice.hpp"
#include "collectives/collectives.hpp"
#include "hierarchy/hierarchy.hpp"
#include "plan/rank_program.hpp"

namespace terrace {

/// The name under which the plan cache keeps a user's plan for a collective.
std::string user_plan_name(Collective collective);

/// The ranks that a process asks for: its own alone, or all, which are threads of it.
enum class Askers { one_rank, all_ranks };

/// Safe to use from many threads, once users' plans have been added.
class PlanCache {
 public:
  explicit PlanCache(Hierarchy hierarchy, Askers askers = Askers::one_rank);
  ~PlanCache();

  const Hierarchy& hierarchy() const;

  struct Key {
    std::string algorithm;  ///< of the table, or a user_plan_name
    Rank root = 0;
    std::uint32_t radix = 8;
    std::uint32_t ring = 2;
    std::uint32_t depth = 0;          ///< of groups, by machine; see Choice
    Order order = Order::by_machine;  ///< decides which hierarchy the plan is written for
    bool is_vector = false;           ///< for blocks of different length
    Lowering lowering = Lowering::lines;
    std::uint32_t pockets = 1;  ///< values that fit in a line

    bool operator==(const Key&) const = default;
  };
  /// The program of `rank`; lives as long as the plan cache. Null if there is no such plan, or it
  /// cannot be lowered this way.
  const RankProgram* program(const Key& key, Rank rank);

  /// Adds a proved plan (unlowered, over as many ranks as the hierarchy has) that runs instead of
  /// the choice for calls of this collective (TERRACE_PLAN). With operators that do not commute it
  /// runs only if it was proved to keep the ranks' order; it never runs where the order is by
  /// count, nor for calls that it is not meant for.
  void put_user_plan(Collective collective, Plan plan, bool keeps_rank_order);
  bool has_user_plan(Collective collective, std::size_t bytes, Order order) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace terrace
