// SPDX-License-Identifier: BSD-3-Clause
// Goal: endpoints and plan caches that do not belong to one team end the process.
#include <gtest/gtest.h>

#include <span>
#include <vector>

#include "engine/plan_cache.hpp"
#include "engine/team_endpoint.hpp"
#include "engine/trial.hpp"
#include "unit/contracts.hpp"

namespace terrace {
namespace {

TEST(EngineContracts, hold_between_endpoint_plans_and_memory) {
  ThreadMemory memory(2, usual_scratch_bytes(2));
  for (const RankMemory& rank : memory.memory().ranks) prepare(rank, 0);
  WaitEnvironment wait_environment;
  EndpointOptions options;
  options.wait_environment = &wait_environment;
  options.traits.ranks = 2;
  PlanCache plans(flat_hierarchy(2)), others(flat_hierarchy(3));
  TeamEndpoint endpoint(memory.memory(), 0, plans, options);
  EXPECT_BROKEN(TeamEndpoint(memory.memory(), 0, others, options),
                "plan_cache.hierarchy\\(\\).rank_count\\(\\) == memory.rank_count\\(\\)");
  options.traits.can_be_direct = true;
  options.reach = Reach::bounced;
  EXPECT_BROKEN(TeamEndpoint(memory.memory(), 0, plans, options),
                "options_.reach != Reach::bounced");
  PlanCache::Key key;
  key.algorithm = "barrier.all_read";
  EXPECT_BROKEN(plans.program(key, 2), "rank < state_->hierarchy.rank_count\\(\\)");
  EXPECT_BROKEN_IN_DEBUG_BUILDS(endpoint.bcast(nullptr, 0, 2), "request.root <");
}

TEST(EngineContracts, of_trials_are_states_in_order) {
  Trial trial(2, 0, {});
  EXPECT_BROKEN_IN_DEBUG_BUILDS(trial.stayed({1, 2}), "is_timing\\(\\) && !is_due\\(\\)");
  EXPECT_BROKEN_IN_DEBUG_BUILDS(trial.hear({}), "is_due\\(\\)");
  EXPECT_BROKEN_IN_DEBUG_BUILDS(Trial(2, 2, {}), "usual < contenders");
}

}  // namespace
}  // namespace terrace
