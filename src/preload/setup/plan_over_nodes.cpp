// SPDX-License-Identifier: BSD-3-Clause
// Runs a rank's part of a plan on its node's team, or by itself where it has no peers.
#include "preload/setup/plan_over_nodes.hpp"

#include <utility>

#include "base/contract.hpp"
#include "preload/mpi/progress_debt.hpp"
#include "preload/setup/team.hpp"

namespace terrace::preload {

/// A rank without peers: memory that no other rank sees.
class PlanOverNodes::Alone {
 public:
  Alone(std::size_t scratch_bytes, MultiNodeCommunicator& over_nodes, UnderlyingMpi& underlying)
      : memory_(1, scratch_bytes),
        plan_cache_(flat_hierarchy(1)),
        environment_(over_nodes, underlying) {
    prepare(memory_.memory().ranks[0], 0);
    EndpointOptions options;
    options.traits.ranks = 1;
    options.traits.scratch_bytes = scratch_bytes;
    options.waiting = WaitPolicy::for_mpi_ranks(1, 1, false);
    options.waiting.spins = kSpinsOverNodes;
    options.wait_environment = &environment_;
    endpoint.emplace(memory_.memory(), 0, plan_cache_, options);
  }

  std::optional<TeamEndpoint> endpoint;

 private:
  class Environment final : public WaitEnvironment {
   public:
    Environment(MultiNodeCommunicator& over_nodes, UnderlyingMpi& underlying)
        : over_nodes_(over_nodes), underlying_(underlying) {}
    void progress() noexcept override {
      underlying_.progress();
      over_nodes_.answer_inquiries();
    }

   private:
    MultiNodeCommunicator& over_nodes_;
    UnderlyingMpi& underlying_;
  };

  ThreadMemory memory_;
  PlanCache plan_cache_;
  Environment environment_;
};

PlanOverNodes::PlanOverNodes(const Plan& plan, ProgramsOverNodes programs,
                             MultiNodeCommunicator& over_nodes, UnderlyingMpi& underlying)
    : name_(plan.name),
      collective_(*collective_of_plan(plan.name)),
      least_bytes_(plan.least_bytes),
      most_bytes_(plan.most_bytes),
      programs_(std::move(programs)) {
  TERRACE_ASSERT(programs_.messenger != nullptr);
  if (over_nodes.ranks_on_node() == 1)
    alone_ = std::make_unique<Alone>(programs_.scratch_bytes, over_nodes, underlying);
}

PlanOverNodes::~PlanOverNodes() = default;

bool PlanOverNodes::is_for(Collective collective, std::size_t bytes, Rank root) const {
  return collective == collective_ && bytes >= least_bytes_ && bytes <= most_bytes_ &&
         (root == 0 || !is_rooted(collective));
}

bool PlanOverNodes::run(Team* team, const PlannedCall& call) {
  const auto run_on = [&](TeamEndpoint& endpoint) {
    return endpoint.run_over_nodes(programs_, call.collective, call.input, call.output,
                                   call.elements, call.root);
  };
  if (team == nullptr) return run_on(*alone_->endpoint);
  team->wait_environment.begin();
  const bool is_done = run_on(*team->endpoint);
  owe_progress();
  return is_done;
}

}  // namespace terrace::preload
