// SPDX-License-Identifier: BSD-3-Clause
// Gathers the rank infos. The leader then makes the shared memory and offers it, together with
// the settings that it has read; each rank maps it; and all learn whether all could. See
// docs/design/process-teams.md.
#include "preload/setup/team_setup.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <climits>
#include <cstring>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/contract.hpp"
#include "base/say.hpp"
#include "engine/programs_over_nodes.hpp"
#include "plan/lower.hpp"
#include "preload/nodes/multi_node_communicator.hpp"
#include "preload/setup/job_ranks.hpp"
#include "preload/setup/new_team.hpp"
#include "preload/setup/plan_over_nodes.hpp"
#include "preload/setup/user_plan.hpp"
#include "preload/transport/xpmem_attach.hpp"
#include "preload/waiting/liveness.hpp"

namespace terrace::preload {

namespace {

/// Ranks of a team: as many as nodes have, and as plans have room for. Each process lowers plans
/// for its own rank, but writes them whole: at 1024 ranks one with a step for each pair takes 0.1
/// to 0.3 s and up to 120 MB, until it is lowered.
constexpr int kMostRanks = 1024;
const std::string kTooManyRanks =
    "more ranks than teams may have (" + std::to_string(kMostRanks) + ")";

/// The message of a rank to all others where there are several nodes. Sent as bytes.
struct NodeOffer {
  SharedMemoryOffer memory;         ///< of the node, if this rank leads it
  IdleReport idle;                  ///< lanes
  std::uint32_t may_have_more = 0;  ///< lanes
};

/// Scratch of each rank, for a plan over nodes; nodes whose teams have less set the limit.
constexpr std::size_t kMostPlannedScratch = kFirstScratchBytes;

/// Each takes contexts of the MPI, of which MPICH has about 2000.
constexpr std::uint32_t kMostLanes = 64;
std::atomic<std::uint32_t> lanes_made{0};

/// One agreement, phase by phase. Each phase is one collective of the underlying MPI.
class TeamSetup {
 public:
  /// `world_ranks`: the ranks' numbers in MPI_COMM_WORLD.
  TeamSetup(UnderlyingMpi& underlying, const CommState& comm_state, std::vector<int> world_ranks)
      : underlying_(underlying),
        comm_state_(comm_state),
        new_team_(underlying, std::move(world_ranks), static_cast<Rank>(comm_state.rank)) {
    TERRACE_REQUIRE(new_team_.world_ranks.size() == static_cast<std::size_t>(comm_state.size),
                    new_team_.world_ranks.size(), comm_state.size);
  }

  Agreement run(bool may_wait, std::string& why) {
    why = exchange_rank_infos();
    if (why.empty() && new_team_.team) return {std::move(new_team_.team), nullptr, nullptr};
    if (why.empty() && may_wait && rank_infos()[0].expects_short_life != 0) why = kShortLife;
    if (why.empty()) why = group_by_node();
    if (why.empty()) why = over_nodes_ ? offer_on_nodes() : offer();
    if (why.empty()) why = join_and_confirm();
    if (why.empty())
      return {std::move(new_team_.team), std::move(over_nodes_), std::move(plan_over_nodes_)};
    idle_teams().release_ticket(world_ranks(), new_team_.offer.ticket);
    return {};
  }

 private:
  // Of the team's ranks, which are those of this node once they are grouped.
  bool is_leader() const { return new_team_.is_leader(); }
  Rank own_rank() const { return new_team_.own_rank; }
  Rank ranks() const { return new_team_.ranks(); }
  bool is_alone() const { return new_team_.is_alone(); }
  const std::vector<RankInfo>& rank_infos() const { return new_team_.rank_infos; }
  const std::vector<int>& world_ranks() const { return new_team_.world_ranks; }
  // Facts of the communicator.
  Handle communicator() const { return comm_state_.communicator; }
  std::size_t all_ranks() const { return static_cast<std::size_t>(comm_state_.size); }
  bool is_first() const { return comm_state_.rank == 0; }

  std::string exchange_rank_infos() {
    RankInfo own = new_team_.own_info(communicator(), comm_state_.started_calls);
    own.sets_up_by_starts = comm_state_.stage == TeamStage::setting_up;
    own.idle = report_idle();
    std::vector<RankInfo> all(all_ranks());
    std::string why = "the MPI refused to set up the team";
    if (underlying_.blocking_allgather(communicator(), &own, all.data(), sizeof own, kTeamSetup))
      why = new_team_.hear(std::move(all));
    if (why.empty() && !are_in_step()) why = kByStarts;
    if (why.empty())
      take_idle();
    else
      idle_teams().withdraw_offer(world_ranks(), own.idle);
    return why;
  }

  /// Whether the ranks' next calls come at the same place among nonblocking ones. Programs exist in
  /// which ranks start one before a blocking call or after it.
  bool are_in_step() const {
    return std::all_of(rank_infos().begin(), rank_infos().end(), [&](const RankInfo& one) {
      return one.sets_up_by_starts == 0 && one.started_calls == rank_infos()[0].started_calls;
    });
  }

  /// Groups the ranks by node: where they are on several nodes, a team is that of a node from here
  /// on.
  std::string group_by_node() {
    NodeLayout layout = layout_of_nodes(rank_infos());
    if (layout.nodes() == 1) return all_ranks() > kMostRanks ? kTooManyRanks : "";
    wants_plan_ = rank_infos()[0].wants_plan != 0;
    const std::string why = objection_to(layout, kMostRanks);
    const bool may_have_plan = wants_plan_ && all_ranks() <= kMostRanksTogether;
    if (!why.empty() && !(why == kOneRankPerNode && may_have_plan)) return why;
    over_nodes_ = std::make_unique<MultiNodeCommunicator>(
        underlying_, communicator(), std::move(layout), own_rank(), world_ranks(),
        are_recorded(rank_infos()));
    if (is_first() && wants_plan_)
      hierarchy_over_nodes_ = hierarchy_over_nodes(rank_infos(), over_nodes_->layout.node_of);
    new_team_.rank_infos = of_this_node(rank_infos());
    new_team_.world_ranks = of_this_node(world_ranks());
    new_team_.own_rank = over_nodes_->layout.place_of[own_rank()];
    return "";
  }

  /// Selects, of what all ranks have, that of this node's.
  template <class Item>
  std::vector<Item> of_this_node(const std::vector<Item>& all) const {
    std::vector<Item> here;
    for (const Rank rank : over_nodes_->layout.ranks_of[over_nodes_->node()])
      here.push_back(all[rank]);
    return here;
  }

  /// The leader offers teams that would be made the same way today, as far as it can tell.
  IdleReport report_idle() const {
    const bool has_plan = !plan_path().empty();
    const TeamSettings settings = is_leader() ? team_settings() : TeamSettings{};
    return idle_teams().report(world_ranks(), is_leader(), [&](const Team& team) {
      return !has_plan && team.settings == settings;
    });
  }

  /// A team that has served other communicators of these ranks, if all are as they were.
  void take_idle() {
    std::vector<IdleReport> reports;
    for (const RankInfo& one : rank_infos()) reports.push_back(one.idle);
    auto [team, ticket] = idle_teams().take(world_ranks(), reports);
    if (!team) return;
    if (team->facts != facts_of(rank_infos())) {
      idle_teams().release_ticket(world_ranks(), ticket);
      return;
    }
    team->ticket = ticket;
    team->begin_life();
    count_reused_team();
    team->why_not_started = new_team_.why_not_started();
    new_team_.team = std::move(team);
  }

  std::string offer() {
    std::string text;
    SharedMemoryOffer& offered = new_team_.offer;
    if (is_leader()) {
      if (plan_path().empty()) offered.ticket = idle_teams().new_ticket(world_ranks());
      new_team_.offer_memory();
      if (offered.is_made) text = new_team_.checked_plan();
      offered.plan_bytes = text.size();
    }
    SharedMemoryOffer told = offered;
    if (!underlying_.bcast(communicator(), &told, sizeof told, 0, kTeamSetup))
      return "the MPI refused to set up the team";
    require_sound(told, ranks());
    if (!told.is_made) return told.why.data();
    new_team_.take_offer(told);
    if (!is_leader()) idle_teams().record_ticket(world_ranks(), told.ticket);
    text.resize(told.plan_bytes);
    if (!text.empty() &&
        !underlying_.bcast(communicator(), text.data(), text.size(), 0, kTeamSetup))
      return "the MPI refused to set up the team";
    new_team_.plan_text = std::move(text);
    return "";
  }

  /// The leader of each node offers its memory; all report their idle lanes.
  std::string offer_on_nodes() {
    NodeOffer own;
    own.idle = idle_lanes().report(over_nodes_->world_ranks, is_first(),
                                   [](const OwnLane&) { return true; });
    // relaxed: a budget, which need not be exact. No partner.
    own.may_have_more = lanes_made.load(std::memory_order_relaxed) < kMostLanes;
    if (is_leader()) make_own_offer(own);
    std::vector<NodeOffer> all(all_ranks());
    if (!underlying_.allgather(communicator(), &own, all.data(), sizeof own, kTeamSetup)) {
      idle_lanes().withdraw_offer(over_nodes_->world_ranks, own.idle);
      return "the MPI refused to set up the teams of the nodes";
    }
    std::vector<IdleReport> reports;
    for (const NodeOffer& one : all) {
      reports.push_back(one.idle);
      may_have_lanes_ = may_have_lanes_ && one.may_have_more != 0;
    }
    auto [lane, ticket] = idle_lanes().take(over_nodes_->world_ranks, reports);
    over_nodes_->use(std::move(lane), ticket);
    return take_offers(all);
  }

  void make_own_offer(NodeOffer& own) {
    if (is_alone()) {
      new_team_.offer.settings = team_settings();
      new_team_.offer.is_made = 1;
    } else {
      new_team_.offer_memory();
    }
    own.memory = new_team_.offer;
  }

  std::string take_offers(const std::vector<NodeOffer>& all) {
    const NodeLayout& layout = over_nodes_->layout;
    const TeamSettings& settings = all[0].memory.settings;
    for (const std::vector<Rank>& node : layout.ranks_of) {
      const SharedMemoryOffer& its = all[node.front()].memory;
      require_sound(its, static_cast<Rank>(node.size()));
      if (!its.is_made) return its.why.data();
      const std::string other = first_difference(settings, its.settings);
      if (is_first() && !other.empty())
        say_once(other + " is another one at rank " + std::to_string(node.front()) +
                 ", on another node, than at rank 0, whose settings count on all nodes: set it for "
                 "all ranks of the job");
    }
    for (const std::vector<Rank>& node : layout.ranks_of)
      if (node.size() > 1)
        planned_scratch_ =
            std::min<std::size_t>(planned_scratch_, all[node.front()].memory.first_scratch_bytes);
    SharedMemoryOffer own_nodes = all[layout.leader_of(over_nodes_->rank)].memory;
    own_nodes.settings = settings;
    over_nodes_->settings = settings;
    new_team_.take_offer(own_nodes);
    return "";
  }

  /// New lanes, if none were idle. `first` is what rank 0 has told.
  std::string connect_lanes(const SetupOutcome& first) {
    const bool has_lane = over_nodes_->own_lane() != nullptr;
    TERRACE_REQUIRE(first.has_lane == has_lane, first.has_lane, first.lane.place);
    if (has_lane) return "";
    if (first.lane.place < 0) return "too many communicators of these nodes are in use";
    if (!may_have_lanes_) return "too many communicators of several nodes";
    const auto made = underlying_.split(communicator(), static_cast<int>(over_nodes_->place()),
                                        static_cast<int>(over_nodes_->node()));
    if (!is_first()) idle_lanes().record_ticket(over_nodes_->world_ranks, first.lane);
    lanes_made.fetch_add(1, std::memory_order_relaxed);  // relaxed: as above
    const char is_made = made.has_value();
    std::vector<char> all(all_ranks());
    const bool is_heard =
        underlying_.allgather(communicator(), &is_made, all.data(), sizeof is_made, kTeamSetup);
    const bool have_all = is_heard && std::find(all.begin(), all.end(), 0) == all.end();
    over_nodes_->use(
        have_all ? std::make_unique<OwnLane>(underlying_, *made, over_nodes_->layout,
                                             over_nodes_->rank, over_nodes_->recorded_ranks())
                 : nullptr,
        first.lane);
    return have_all ? "" : "the MPI made no communicators of the ranks of several nodes";
  }

  /// The user's plan, if rank 0 finds that it may run. All ranks come here. What the MPI refuses is
  /// said; then calls are composed.
  void agree_on_plan() {
    std::string text = is_first() ? checked_plan_over_nodes() : "";
    std::uint64_t bytes = text.size();
    if (!underlying_.bcast(communicator(), &bytes, sizeof bytes, 0, kTeamSetup)) return;
    TERRACE_REQUIRE(bytes <= INT_MAX, bytes);
    text.resize(bytes);
    if (bytes == 0 || !underlying_.bcast(communicator(), text.data(), bytes, 0, kTeamSetup)) return;
    if (!connect_all()) {
      if (is_first()) refuse_user_plan("the MPI made no communicator for its messages");
      return;
    }
    const Plan plan = plan_from_text(text).value();  // rank 0 has read, lowered and proved it
    ProgramsOverNodes programs =
        programs_over_nodes(plan, over_nodes_->rank,
                            over_nodes_->layout.ranks_of[over_nodes_->node()])
            .value();
    programs.scratch_bytes = planned_scratch_;
    programs.messenger = over_nodes_->own_lane()->messenger.get();
    plan_over_nodes_ =
        std::make_unique<PlanOverNodes>(plan, std::move(programs), *over_nodes_, underlying_);
  }

  std::string checked_plan_over_nodes() {
    const std::string text = user_plan_text(hierarchy_over_nodes_);
    if (text.empty()) return text;
    const PlannedRanks ranks{static_cast<Rank>(all_ranks()), planned_scratch_,
                             &over_nodes_->layout};
    return permission_of(text, ranks) ? text : "";
  }

  /// A communicator of all ranks, unless an idle lane has brought one: then all have.
  bool connect_all() {
    if (over_nodes_->own_lane()->messenger) return true;
    const auto made = underlying_.split(communicator(), 0, comm_state_.rank);
    lanes_made.fetch_add(1, std::memory_order_relaxed);  // relaxed: as above
    const char is_made = made.has_value();
    std::vector<char> all(all_ranks());
    const bool is_heard =
        underlying_.allgather(communicator(), &is_made, all.data(), sizeof is_made, kTeamSetup);
    if (!is_heard || std::find(all.begin(), all.end(), 0) != all.end()) return false;
    over_nodes_->connect_all(*made);
    return true;
  }

  /// Returns what a short call takes there, in nanoseconds; nothing if it was refused. An MPI's
  /// first calls may take a thousand times as long as others.
  std::optional<double> time_the_mpi() {
    std::vector<char> all(all_ranks());
    const char own = 0;
    const std::uint64_t begin = WaitEnvironment().now_ns();
    if (!underlying_.allgather(communicator(), &own, all.data(), sizeof own, kTeamSetup))
      return std::nullopt;
    return static_cast<double>(WaitEnvironment().now_ns() - begin);
  }

  std::string join_and_confirm() {
    SetupOutcome own = new_team_.join();
    std::unique_ptr<Attacher> attacher;
    std::string why_not_attached;
    if (new_team_.offer.settings.reach == ReachWanted::attached && over_nodes_)
      why_not_attached = "its ranks are on several nodes";
    else if (new_team_.offer.settings.reach == ReachWanted::attached)
      attacher =
          agree_to_attach(underlying_, communicator(), processes(), own_rank(), why_not_attached);
    const std::optional<double> underlying_mpi_ns = time_the_mpi();
    if (!underlying_mpi_ns) return "the MPI refused to set up the team";
    own.underlying_mpi_ns = *underlying_mpi_ns;
    if (over_nodes_ && is_first()) tell_of_lane(own);
    std::vector<SetupOutcome> all(all_ranks());
    // This also orders `prepare` on all ranks before the first call on any.
    if (!underlying_.allgather(communicator(), &own, all.data(), sizeof own, kTeamSetup))
      return "the MPI refused to set up the team";
    for (const SetupOutcome& one : all) require_sound(one);
    for (std::size_t rank = 0; rank < all.size(); ++rank)
      if (!all[rank].is_joined)
        return "rank " + std::to_string(rank) + " could not join the shared memory";
    if (over_nodes_) {
      if (std::string why = connect_lanes(all[0]); !why.empty()) return why;
      all = of_this_node(all);
    }
    if (new_team_.team) {
      if (!why_not_attached.empty()) new_team_.say_not_attached(why_not_attached);
      new_team_.complete(all, std::move(attacher), over_nodes_.get());
    }
    if (wants_plan_) agree_on_plan();
    return "";
  }

  void tell_of_lane(SetupOutcome& own) {
    own.has_lane = over_nodes_->own_lane() != nullptr;
    if (own.has_lane) return;
    own.lane = idle_lanes().new_ticket(over_nodes_->world_ranks);
    over_nodes_->use(nullptr, own.lane);
  }

  std::vector<ProvenProcess> processes() const {
    std::vector<ProvenProcess> processes;
    for (const RankInfo& one : rank_infos()) processes.push_back({one.process, one.proof});
    return processes;
  }

  UnderlyingMpi& underlying_;
  const CommState& comm_state_;
  NewTeam new_team_;
  std::unique_ptr<MultiNodeCommunicator> over_nodes_;  ///< if there are several
  std::unique_ptr<PlanOverNodes> plan_over_nodes_;     ///< that has been agreed on
  bool may_have_lanes_ = true;                         ///< new ones
  // Facts of the plan that the user wants over several nodes.
  bool wants_plan_ = false;
  Hierarchy hierarchy_over_nodes_;  ///< known at rank 0
  std::size_t planned_scratch_ = kMostPlannedScratch;
};

}  // namespace

Agreement agree_on_team(UnderlyingMpi& underlying, const CommState& comm_state, bool may_wait,
                        std::string& why) {
  const std::vector<int> ranks = underlying.ranks_in_world(comm_state.communicator);
  if (ranks.empty()) {
    why = "ranks from outside MPI_COMM_WORLD";
    return {};
  }
  const auto own = static_cast<std::size_t>(comm_state.rank);
  why = absence_among(underlying, ranks, own < ranks.size() ? ranks[own] : 0);
  const bool is_promised = (why == kSeveralNodes || is_for_want_of_sight(why)) &&
                           is_promised_across_nodes(underlying.abi);
  if (is_promised) why.clear();
  if (why.empty() && !is_promised && comm_state.size > kMostRanks) why = kTooManyRanks;
  return why.empty() ? TeamSetup(underlying, comm_state, ranks).run(may_wait, why) : Agreement{};
}

}  // namespace terrace::preload
