// SPDX-License-Identifier: BSD-3-Clause
// A communicator as this process knows it: what becomes of its calls, and their counts.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/call_tally.hpp"
#include "engine/last_call.hpp"
#include "preload/mpi/call_counts.hpp"
#include "preload/nodes/multi_node_communicator.hpp"
#include "preload/setup/comm_graph.hpp"
#include "preload/setup/plan_over_nodes.hpp"
#include "preload/setup/setup_by_starts.hpp"
#include "preload/setup/team.hpp"

namespace terrace::preload {

enum class TeamStage : std::uint8_t {
  counting,
  setting_up,  ///< by starts, which do not wait for each other
  joined,
  over_nodes,
  fallen_back,
};

/// A predefined type and operator, whose handles never change their meaning, and how they are
/// combined.
struct PredefinedReduction {
  Handle type = 0;
  Handle op = 0;
  const PredefinedType* known = nullptr;  ///< null: nothing is known yet
  Reduction kernel = nullptr;
  bool is_exact = false;          ///< the same bits in any order, here and in the MPI
  bool is_exact_for_two = false;  ///< likewise of two operands
  Combination combination = {};
};

/// A call whose arguments were worked out, and are kept for a call with the same arguments.
class KeptCall {
 public:
  KeptCall() = default;
  virtual ~KeptCall() = default;
  KeptCall(const KeptCall&) = delete;
  KeptCall& operator=(const KeptCall&) = delete;
};

/// The state of a communicator.
struct CommState {
  Handle communicator = 0;
  int size = 0;
  int rank = 0;
  TeamStage stage = TeamStage::counting;
  std::uint32_t calls = 0;  ///< while counting, or setting up
  std::uint32_t calls_before_team = 0;
  std::uint64_t started_calls = 0;       ///< nonblocking and persistent ones, likewise
  std::unique_ptr<SetupByStarts> setup;  ///< while setting up
  std::string why_not_by_starts;         ///< if it cannot begin: half a sentence
  bool is_reported = false;    ///< calls are counted: the report is wanted, and this rank gives it
  bool all_vote = false;       ///< no rank is without Terrace, as far as that can be seen
  std::string why;             ///< for reports: why calls fall back to the MPI
  std::unique_ptr<Team> team;  ///< over several nodes: of this node, if it has peers
  std::unique_ptr<CommGraph> graph;  ///< of a communicator with a topology; refers to `team`
  std::unique_ptr<MultiNodeCommunicator> over_nodes;
  std::unique_ptr<PlanOverNodes>
      plan_over_nodes;  ///< which the user wants run; refers to `over_nodes`
  PredefinedReduction last_reduction;
  std::array<LastCall, kCollectiveCount> last_calls;
  std::array<std::unique_ptr<KeptCall>, kAllCollectives> kept_calls;  ///< of uneven blocks
  /// Nonblocking ones of uneven blocks, by collective, some of them in progress.
  std::array<std::vector<std::shared_ptr<KeptCall>>, kAllCollectives> kept_starts;
  CommunicatorCounts counts;
  CallTally tally;
};

}  // namespace terrace::preload
