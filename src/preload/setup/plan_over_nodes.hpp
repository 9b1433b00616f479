// SPDX-License-Identifier: BSD-3-Clause
// A user's plan with messages, by which all ranks of a communicator on several nodes run calls of
// its collective: one plan, where other calls are composed of parts.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "engine/programs_over_nodes.hpp"
#include "engine/team_endpoint.hpp"
#include "preload/nodes/multi_node_communicator.hpp"

namespace terrace::preload {

struct Team;

/// A call as its plan sees it: where the block of rank 0 is, or would be.
struct PlannedCall {
  Collective collective;
  const void* input;
  void* output;
  const Elements& elements;
  Rank root;
};

class PlanOverNodes {
 public:
  /// A proved plan; its rank's programs, with a messenger.
  PlanOverNodes(const Plan& plan, ProgramsOverNodes programs, MultiNodeCommunicator& over_nodes,
                UnderlyingMpi& underlying);
  ~PlanOverNodes();
  PlanOverNodes(const PlanOverNodes&) = delete;
  PlanOverNodes& operator=(const PlanOverNodes&) = delete;

  const std::string& name() const { return name_; }
  /// Whether the plan is meant for such a call: the same on all ranks.
  bool is_for(Collective collective, std::size_t bytes, Rank root) const;
  /// This rank's part. `team` is null if the rank is alone on its node. False: it has failed.
  bool run(Team* team, const PlannedCall& call);

 private:
  class Alone;

  std::string name_;
  Collective collective_;
  std::size_t least_bytes_, most_bytes_;
  ProgramsOverNodes programs_;
  std::unique_ptr<Alone> alone_;  ///< what stands for a team
};

}  // namespace terrace::preload
