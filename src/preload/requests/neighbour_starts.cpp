// SPDX-License-Identifier: BSD-3-Clause
// Starts and initializes neighbourhood collectives. Ranks start them alone: short blocks are left
// in the lane, and takers copy long ones from where they lie, without their giver's help.
#include "preload/dispatch/neighbour_moving.hpp"
#include "preload/requests/persistent.hpp"
#include "preload/requests/start.hpp"
#include "preload/requests/starting.hpp"

namespace terrace::preload {

namespace {

/// Blocks of a rank for which there is room in a lane of short calls, whatever their length.
constexpr std::size_t kFewBlocks = 8;

class NeighbourBlocksOfCall final : public KeptBuffers {
 public:
  NeighbourBlocksOfCall(Dispatch& dispatch, const Team& team, const ExchangeAlongEdges& call,
                        const Degrees& degrees, CallKind kind)
      : team_(team),
        communicator_(call.communicator),
        collective_(dispatch.collective()),
        moving_(dispatch, call, degrees) {
    moving_.keep();
    if (kind == CallKind::persistent) moving_.keep_input();
  }
  bool is_sound() const { return moving_.is_sound(); }
  bool is_lasting() const { return moving_.is_lasting(); }
  bool is_again(const ExchangeAlongEdges& call) const { return moving_.is_again(call); }
  CallArguments prepare(TeamGraph& graph) {
    CallArguments call;
    call.collective = collective_;
    call.edges = edges_ = &moving_.prepare(graph, team_.puller.get());
    return call;
  }

  bool may_be_awaited() const override { return is_awaited_by_givers(edges_->blocks); }
  void pack() override { moving_.pack(); }
  Truncated deliver() override {
    if (!moving_.end()) return {};
    say_truncated(collective_);
    const LanesLock lock;
    return {true, has_been_left(team_) ? Handle{0} : communicator_};
  }

 private:
  const Team& team_;
  Handle communicator_;
  Collective collective_;
  NeighbourMoving moving_;
  AlongEdges* edges_ = nullptr;
};

/// A call that its team starts, or initializes.
struct NeighbourStart {
  Dispatch dispatch;
  Team* team = nullptr;  ///< null: it falls back
  CallArguments arguments;
  std::shared_ptr<NeighbourBlocksOfCall> blocks;
  bool many_blocks = false;  ///< of some rank, which lanes with much scratch take

  NeighbourStart(CallKind kind, Collective collective, const ExchangeAlongEdges& call)
      : dispatch(collective, call.communicator, 0, kind) {
    if (!dispatch.is_sound() || !may_be_counted(dispatch, call)) return;
    Team* const its_team = dispatch.team_to_start(0);
    const CommGraph* const graph =
        its_team == nullptr ? nullptr : graph_for(dispatch, *its_team, {false, call.is_regular});
    if (graph == nullptr) return;
    const auto make = [&] {
      return std::make_shared<NeighbourBlocksOfCall>(dispatch, *its_team, call, graph->own(), kind);
    };
    blocks = kind == CallKind::nonblocking
                 ? kept_blocks<NeighbourBlocksOfCall>(dispatch, call, make)
                 : make();
    if (!blocks->is_sound()) {
      dispatch.fall_back(kWrongArguments);
      return;
    }
    team = its_team;
    TeamGraph& edges = graph->of({false, call.is_regular});
    many_blocks = edges.most_given() > kFewBlocks;
    arguments = blocks->prepare(edges);
    dispatch.note_bytes(given_bytes(arguments.edges->blocks));
  }
  const std::string& plan() const {
    return arguments.edges->programs->of(team->wait_environment.rank()).name;
  }
};

}  // namespace

bool start_neighbour_exchange(Collective collective, const ExchangeAlongEdges& call,
                              Handle& request) {
  NeighbourStart one(CallKind::nonblocking, collective, call);
  if (one.team == nullptr) return false;
  one.blocks->pack();
  const LanesLock lock;
  const std::size_t left = one.many_blocks ? kMostLeft : 0;
  NonblockingLane& lane = next_lane(*one.team, left);
  NonblockingCall& started = new_call(one.dispatch.underlying(), *one.team, lane, left);
  hold(started, std::move(one.blocks));
  begin(started, one.arguments);
  one.dispatch.count_run_of(one.plan());
  request = started.carrier;
  return true;
}

bool initialize_neighbour_exchange(Collective collective, const ExchangeAlongEdges& call,
                                   Handle& request) {
  NeighbourStart one(CallKind::persistent, collective, call);
  if (one.team == nullptr) return false;
  const LanesLock lock;
  NonblockingLane* const lane = own_lane(one.dispatch, *one.team);
  if (lane == nullptr) return false;
  NonblockingCall& made =
      new_persistent_call(one.dispatch.underlying(), *one.team, lane, one.arguments);
  hold(made, std::move(one.blocks));
  one.dispatch.count_run_of(one.plan());
  request = made.carrier;
  return true;
}

}  // namespace terrace::preload
