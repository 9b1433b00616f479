// SPDX-License-Identifier: BSD-3-Clause
// The neighbourhood collectives. Lengths are their givers' own matter, so all ranks of a
// communicator decide by its graph alone whether its team runs a call.
#include "preload/dispatch/neighbour_moving.hpp"

namespace terrace::preload {

namespace {

constexpr const char* kNotRead = "ranks that cannot read each other's memory, or shall not";
constexpr const char* kNoGraph = "a communicator without a topology, or an MPI without its calls";
constexpr const char* kNotLearned = "the MPI was not asked how such calls match blocks";
constexpr const char* kNotChecked = "TERRACE_CHECK does not compare neighbourhood collectives";

/// The blocks of a call, which stay with its communicator for the next one.
NeighbourMoving& blocks_of(std::unique_ptr<KeptCall>& kept, Dispatch& dispatch,
                           const ExchangeAlongEdges& call, const Degrees& degrees) {
  auto* const last = static_cast<NeighbourMoving*>(kept.get());
  if (last == nullptr || !last->is_again(call))
    kept = std::make_unique<NeighbourMoving>(dispatch, call, degrees);
  return static_cast<NeighbourMoving&>(*kept);
}

/// Whether the MPI will accept a call on a communicator without a team: only then it counts.
bool is_sound_without_team(Dispatch& dispatch, const ExchangeAlongEdges& call) {
  const auto topology = dispatch.underlying().topology_of(call.communicator);
  return topology && topology->is_known &&
         NeighbourMoving(dispatch, call, topology->degrees).is_sound();
}

/// Learns what a set-up by starts could not of how blocking calls match blocks.
void learn_rest(Dispatch& dispatch, Team& team) {
  CommState& comm_state = dispatch.comm_state();
  CommGraph* const graph = comm_state.graph.get();
  if (graph == nullptr || !graph->why().empty() || graph->knows({true, true})) return;
  const auto all = learn_graph(
      dispatch.underlying(), comm_state.communicator, static_cast<Rank>(comm_state.size),
      static_cast<Rank>(comm_state.rank), team.most_blocks_along_edges(), false, team.graphs);
  if (all) graph->learn(*all);
}

/// The team and the graph of a call; null: it falls back.
struct Way {
  Team* team = nullptr;
  const CommGraph* graph = nullptr;
};
Way way_for(Dispatch& dispatch, const ExchangeAlongEdges& call) {
  if (!may_be_counted(dispatch, call)) return {};
  Team* const team = dispatch.any_team();
  if (team == nullptr) return {};
  learn_rest(dispatch, *team);
  return {team, graph_for(dispatch, *team, {true, call.is_regular})};
}

}  // namespace

bool may_be_counted(Dispatch& dispatch, const ExchangeAlongEdges& call) {
  return !dispatch.has_no_team_yet() || is_sound_without_team(dispatch, call) ||
         dispatch.fall_back(kWrongArguments) != nullptr;
}

const CommGraph* graph_for(Dispatch& dispatch, const Team& team, EdgeCall kind) {
  const char* why = nullptr;
  const CommGraph* const graph = dispatch.comm_state().graph.get();
  if (team.puller == nullptr)
    why = kNotRead;
  else if (team.settings.checks)
    why = kNotChecked;
  else if (graph == nullptr)
    why = kNoGraph;
  else if (!graph->why().empty())
    why = graph->why().c_str();
  else if (!graph->knows(kind))
    why = kNotLearned;
  if (why == nullptr) return graph;
  dispatch.fall_back(why);
  return nullptr;
}

void say_truncated(Collective collective) {
  say_once(std::string("a rank expects fewer bytes of a neighbour in a ") + to_text(collective) +
           " than that neighbour sends: the block is truncated (MPI_ERR_TRUNCATE)");
}

std::optional<int> run_neighbour_exchange(Collective collective, const ExchangeAlongEdges& call) {
  Dispatch dispatch(collective, call.communicator);
  if (!dispatch.is_sound()) return std::nullopt;
  const auto [team, graph] = way_for(dispatch, call);
  if (graph == nullptr) return std::nullopt;
  auto& kept = dispatch.comm_state().kept_calls[static_cast<std::size_t>(collective)];
  NeighbourMoving& moving = blocks_of(kept, dispatch, call, graph->own());
  if (!moving.is_sound()) {
    kept.reset();
    dispatch.fall_back(kWrongArguments);
    return std::nullopt;
  }
  AlongEdges& edges = moving.prepare(graph->of({true, call.is_regular}), team->puller.get());
  moving.pack();
  team->wait_environment.begin();
  const bool is_done = team->endpoint->move_along_edges(edges.programs, edges.blocks);
  const bool is_truncated = moving.end();
  end_run(is_done, *team);
  dispatch.note_bytes(given_bytes(edges.blocks));
  dispatch.count_run_of(team->endpoint->last_plan(),
                        edges.blocks.deposit == Deposit::pulled ? Reach::pulled : Reach::bounced);
  if (!moving.is_lasting()) kept.reset();
  if (!is_truncated) return 0;
  say_truncated(collective);
  const int error = dispatch.underlying().requests.truncated;
  dispatch.underlying().raise(call.communicator, error);
  return error;
}

}  // namespace terrace::preload
