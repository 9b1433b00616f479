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
#include "collectives/collectives.hpp"
#include "engine/programs_over_nodes.hpp"
#include "execute/call.hpp"
#include "hierarchy/shared_cores.hpp"
#include "plan/lower.hpp"
#include "preload/nodes/multi_node_communicator.hpp"
#include "preload/setup/job_ranks.hpp"
#include "preload/setup/plan_over_nodes.hpp"
#include "preload/setup/rank_info.hpp"
#include "preload/setup/user_plan.hpp"
#include "preload/transport/cma.hpp"
#include "preload/transport/device_memory.hpp"
#include "preload/transport/xpmem_attach.hpp"
#include "preload/waiting/liveness.hpp"

namespace terrace::preload {

namespace {

constexpr std::size_t KiB = 1024;

/// Ranks of a team: as many as nodes have, and as plans have room for. Each process lowers plans
/// for its own rank, but writes them whole: at 1024 ranks one with a step for each pair takes 0.1
/// to 0.3 s and up to 120 MB, until it is lowered.
constexpr int kMostRanks = 1024;
const std::string kTooManyRanks =
    "more ranks than teams may have (" + std::to_string(kMostRanks) + ")";

/// Bytes that one process lends to all teams that it leads: beyond the first sum they get less
/// scratch, beyond the second none are made.
constexpr std::size_t kAmpleBytes = std::size_t{512} << 20;
constexpr std::size_t kMostBytes = std::size_t{2} << 30;

/// The leader's message to the others. Sent as bytes.
struct SharedMemoryOffer {
  std::uint32_t is_made = 0;
  MemoryAddress memory;
  MemoryAddress lives;  ///< where ranks show that they live
  std::uint64_t scratch_bytes = 0;
  std::uint64_t first_scratch_bytes = 0;  ///< that are allocated at once
  TeamSettings settings;
  std::uint64_t plan_bytes = 0;  ///< of the user's plan, which follows
  std::uint32_t plan_keeps_rank_order = 0;
  std::array<char, 200> why{};  ///< not made
  Ticket ticket;                ///< for the pool, once its communicator is gone
};

/// The message of a rank to all others where there are several nodes. Sent as bytes.
struct NodeOffer {
  SharedMemoryOffer memory;         ///< of the node, if this rank leads it
  IdleReport idle;                  ///< lanes
  std::uint32_t may_have_more = 0;  ///< lanes
};

/// Allocating memory takes a millisecond for 2 MiB, and many communicators need hardly any.
constexpr std::size_t kFirstScratchBytes = 256 * KiB;

/// Scratch of each rank, for a plan over nodes; nodes whose teams have less set the limit.
constexpr std::size_t kMostPlannedScratch = kFirstScratchBytes;

/// Each takes contexts of the MPI, of which MPICH has about 2000.
constexpr std::uint32_t kMostLanes = 64;
std::atomic<std::uint32_t> lanes_made{0};

std::size_t scratch_for(Rank ranks, bool is_short_of_memory) {
  const std::size_t scratch = usual_scratch_bytes(ranks);
  return is_short_of_memory ? std::max(scratch / 8, least_scratch_bytes(ranks)) : scratch;
}

std::unique_ptr<SharedMemory> make_memory(Rank ranks, SharedMemoryOffer& offer) {
  if (SharedMemoryInUse::total() > kAmpleBytes) idle_teams().discard_all();
  const std::size_t lent = SharedMemoryInUse::total();
  offer.scratch_bytes = scratch_for(ranks, lent > kAmpleBytes);
  offer.first_scratch_bytes = SharedMemory::can_allocate_later()
                                  ? std::min<std::size_t>(offer.scratch_bytes, kFirstScratchBytes)
                                  : offer.scratch_bytes;
  const std::size_t bytes = team_bytes(offer.scratch_bytes, ranks);
  std::string why = "teams of this process have lent out their limit of memory already";
  if (lent + bytes - lanes_bytes(ranks) <= kMostBytes) {
    auto made = SharedMemory::make(bytes);
    if (made) {
      offer.is_made = 1;
      offer.memory = made.value()->address();
      return std::move(made).value();
    }
    why = made.error().sentence;
  }
  std::memcpy(offer.why.data(), why.data(), std::min(why.size(), offer.why.size() - 1));
  return nullptr;
}

/// Offers of leaders of so many ranks, of this node or of another one, can be taken as they are.
void require_sound(const SharedMemoryOffer& offer, Rank ranks) {
  TERRACE_REQUIRE(offer.is_made <= 1 && offer.why.back() == '\0', offer.is_made, ranks);
  // Without a reason, the ranks would go on as if there were a team.
  TERRACE_REQUIRE(offer.is_made || offer.why.front() != '\0', ranks);
  require_sound(offer.settings);
  TERRACE_REQUIRE(offer.plan_bytes <= INT_MAX, offer.plan_bytes);
  if (!offer.is_made || ranks == 1) return;
  TERRACE_REQUIRE(offer.memory.process > 0 && offer.memory.file >= 0, offer.memory.process,
                  offer.memory.file);
  TERRACE_REQUIRE(offer.lives.file < 0 || offer.lives.process > 0, offer.lives.process,
                  offer.lives.file);
  TERRACE_REQUIRE(offer.scratch_bytes >= least_scratch_bytes(ranks), offer.scratch_bytes, ranks);
  TERRACE_REQUIRE(offer.scratch_bytes % kLinePairBytes == 0, offer.scratch_bytes, kLinePairBytes);
  TERRACE_REQUIRE(offer.first_scratch_bytes > 0, offer.first_scratch_bytes);
  TERRACE_REQUIRE(offer.first_scratch_bytes <= offer.scratch_bytes, offer.first_scratch_bytes,
                  offer.scratch_bytes);
}

/// An offer that does not fit the memory that it names would let this node's ranks write beyond it.
/// (Pages of other nodes may have another length.)
void require_room(const SharedMemoryOffer& offer, Rank ranks) {
  if (!offer.is_made || ranks == 1) return;
  TERRACE_REQUIRE(page_bytes() + team_bytes(offer.scratch_bytes, ranks) <= offer.memory.bytes,
                  offer.scratch_bytes, ranks, offer.memory.bytes);
}

/// Does what may fail on one rank alone, and says whether it did.
std::unique_ptr<Team> join(UnderlyingMpi& underlying, Rank ranks, Rank rank,
                           const SharedMemoryOffer& offer, std::unique_ptr<SharedMemory> shared,
                           Hierarchy hierarchy) {
  TERRACE_REQUIRE(rank < ranks && hierarchy.rank_count() == ranks, rank, ranks,
                  hierarchy.rank_count());
  if (!shared) {
    auto opened = SharedMemory::open(offer.memory);
    if (!opened) {
      say_once(opened.error().sentence + "; the MPI's own collectives run instead");
      return nullptr;
    }
    shared = std::move(opened).value();
  }
  const std::size_t share = share_bytes(offer.scratch_bytes);
  auto allocated = shared->allocate(rank * share, share_bytes(offer.first_scratch_bytes));
  if (allocated) allocated = shared->allocate(ranks * share, departures_bytes(ranks));
  if (!allocated) {
    say_once(allocated.error().sentence + "; the MPI's own collectives run instead");
    return nullptr;
  }
  auto team = std::make_unique<Team>(std::move(shared), offer.scratch_bytes, ranks, rank,
                                     std::move(hierarchy), offer.settings, underlying);
  team->first_scratch_bytes = offer.first_scratch_bytes;
  if (team->prepare_lanes()) return team;
  say_once(
      "there is no memory for a team's nonblocking calls; the MPI's own collectives run "
      "instead");
  return nullptr;
}

/// The heaps of all ranks; null if one has none, or one cannot be mapped.
std::unique_ptr<PeerHeaps> map_heaps(std::span<const RankInfo> rank_infos, Rank own) {
  if (const std::string why = own_heap_obstacle(); !why.empty())
    say_once("a rank has no shared heap: " + why + "; long vectors are copied instead");
  std::vector<HeapAddress> addresses;
  for (const RankInfo& one : rank_infos) {
    if (one.heap.file < 0) return nullptr;
    addresses.push_back(one.heap);
  }
  auto heaps = PeerHeaps::map(addresses, own);
  if (heaps) return std::move(heaps).value();
  say_once(heaps.error().sentence + "; long vectors are copied instead");
  return nullptr;
}

/// No error numbers: reading has not been tried.
constexpr int kFiltered = -1, kDevices = -2;

/// Returns what comes of a rank's attempt to read all others' memory: an error number, 0 for none.
/// A filter may end who tries, and the kernel may refuse what a GPU's runtime has mapped, so that
/// only happens if the user insists.
int refusal_of_reading(std::span<const RankInfo> rank_infos, Rank own, bool insists) {
  if (!insists && has_devices()) return kDevices;
  if (!insists && has_system_call_filter()) return kFiltered;
  for (Rank rank = 0; rank < rank_infos.size(); ++rank)
    if (rank != own)
      if (const int error = try_to_read(rank_infos[rank].process, rank_infos[rank].proof))
        return error;
  return 0;
}

std::string refusal_text(int refusal) {
  const std::string insist = " (TERRACE_REACH=pulled tries in spite of it)";
  if (refusal == kFiltered) return " has a system call filter" + insist;
  if (refusal == kDevices) return " has a GPU's runtime" + insist;
  return std::string(" cannot read a peer's memory (process_vm_readv: ") + std::strerror(refusal) +
         ")";
}

/// The message of a rank to all others at the end. Sent as bytes.
struct SetupOutcome {
  bool is_joined = false;
  bool has_heaps = false;
  std::int16_t refusal = 0;      ///< of reading peers' memory
  double underlying_mpi_ns = 0;  ///< what a call of the MPI took
  bool has_lane = false;         ///< rank 0: all lanes were idle
  Ticket lane;                   ///< rank 0: of new ones
};

void require_sound(const SetupOutcome& outcome) {
  TERRACE_REQUIRE(outcome.refusal >= kDevices, outcome.refusal);
  TERRACE_REQUIRE(outcome.underlying_mpi_ns >= 0, outcome.is_joined, outcome.refusal);
}

/// The ranks of a communicator, by their numbers in MPI_COMM_WORLD, of which none is there twice.
void require_ranks(std::vector<int> world_ranks, const CommState& comm_state) {
  TERRACE_REQUIRE(comm_state.rank >= 0 && comm_state.rank < comm_state.size, comm_state.rank,
                  comm_state.size);
  TERRACE_REQUIRE(world_ranks.size() == static_cast<std::size_t>(comm_state.size),
                  world_ranks.size(), comm_state.size);
  std::sort(world_ranks.begin(), world_ranks.end());
  const auto twice = std::adjacent_find(world_ranks.begin(), world_ranks.end());
  TERRACE_REQUIRE(twice == world_ranks.end() && world_ranks.front() >= 0, world_ranks.front(),
                  world_ranks.size());
}

/// One agreement, phase by phase. Each phase is one collective of the underlying MPI.
class TeamSetup {
 public:
  /// `world_ranks`: the ranks' numbers in MPI_COMM_WORLD.
  TeamSetup(UnderlyingMpi& underlying, const CommState& comm_state, std::vector<int> world_ranks)
      : underlying_(underlying),
        comm_state_(comm_state),
        own_rank_(static_cast<Rank>(comm_state.rank)),
        world_ranks_(std::move(world_ranks)),
        rank_infos_(static_cast<std::size_t>(comm_state.size)) {
    require_ranks(world_ranks_, comm_state_);
  }

  Agreement run(bool may_wait, std::string& why) {
    why = exchange_rank_infos();
    if (why.empty() && team_) return {std::move(team_), nullptr, nullptr};
    if (why.empty() && may_wait && rank_infos_[0].expects_short_life != 0) why = kShortLife;
    if (why.empty()) why = group_by_node();
    if (why.empty()) why = over_nodes_ ? offer_on_nodes() : offer();
    if (why.empty()) why = join_and_confirm();
    if (why.empty()) return {std::move(team_), std::move(over_nodes_), std::move(plan_over_nodes_)};
    idle_teams().release_ticket(world_ranks_, offer_.ticket);
    return {};
  }

 private:
  // Of the team's ranks, which are those of this node once they are grouped.
  bool is_leader() const { return own_rank_ == 0; }
  Rank own_rank() const { return own_rank_; }
  Rank ranks() const { return static_cast<Rank>(rank_infos_.size()); }
  bool is_alone() const { return ranks() == 1; }
  int own_world_rank() const { return world_ranks_[own_rank_]; }
  // Facts of the communicator.
  Handle communicator() const { return comm_state_.communicator; }
  std::size_t all_ranks() const { return static_cast<std::size_t>(comm_state_.size); }
  bool is_first() const { return comm_state_.rank == 0; }

  std::string exchange_rank_infos() {
    RankInfo own = own_rank_info(underlying_.name_of(communicator()));
    own.lacks_communicator = !underlying_.has_communicator();
    own.has_threads_in_mpi = underlying_.is_among_threads();
    own.started_calls = comm_state_.started_calls;
    static const bool can_start = completions_reach_us(underlying_.standard());
    own.cannot_start = !can_start;
    own.idle = report_idle();
    const bool is_heard =
        underlying_.allgather(communicator(), &own, rank_infos_.data(), sizeof own, kTeamSetup);
    const std::string why =
        is_heard ? objection(rank_infos_) : "the MPI refused to set up the team";
    if (why.empty()) {
      for (const RankInfo& one : rank_infos_) require_sound(one);
      TERRACE_REQUIRE(rank_infos_[own_rank_].process == own.process, rank_infos_[own_rank_].process,
                      own.process, own_rank_);
      take_idle();
    } else {
      idle_teams().withdraw_offer(world_ranks_, own.idle);
    }
    return why;
  }

  /// Groups the ranks by node: where they are on several nodes, a team is that of a node from here
  /// on.
  std::string group_by_node() {
    NodeLayout layout = layout_of_nodes(rank_infos_);
    if (layout.nodes() == 1) return all_ranks() > kMostRanks ? kTooManyRanks : "";
    wants_plan_ = rank_infos_[0].wants_plan != 0;
    const std::string why = objection_to(layout, kMostRanks);
    const bool may_have_plan = wants_plan_ && all_ranks() <= kMostRanksTogether;
    if (!why.empty() && !(why == kOneRankPerNode && may_have_plan)) return why;
    over_nodes_ =
        std::make_unique<MultiNodeCommunicator>(underlying_, communicator(), std::move(layout),
                                                own_rank_, world_ranks_, are_recorded(rank_infos_));
    if (is_first() && wants_plan_)
      hierarchy_over_nodes_ = hierarchy_over_nodes(rank_infos_, over_nodes_->layout.node_of);
    rank_infos_ = of_this_node(rank_infos_);
    world_ranks_ = of_this_node(world_ranks_);
    own_rank_ = over_nodes_->layout.place_of[own_rank_];
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
    return idle_teams().report(world_ranks_, is_leader(), [&](const Team& team) {
      return !has_plan && team.settings == settings;
    });
  }

  /// A team that has served other communicators of these ranks, if all are as they were.
  void take_idle() {
    std::vector<IdleReport> reports;
    for (const RankInfo& one : rank_infos_) reports.push_back(one.idle);
    auto [team, ticket] = idle_teams().take(world_ranks_, reports);
    if (!team) return;
    if (team->facts != facts_of(rank_infos_)) {
      idle_teams().release_ticket(world_ranks_, ticket);
      return;
    }
    team->ticket = ticket;
    team->begin_life();
    count_reused_team();
    team_ = std::move(team);
    team_->why_not_started = why_not_started(team_->settings);
  }

  /// Why nonblocking calls on the communicator stay with the MPI; "" if they need not. The same on
  /// all ranks.
  std::string why_not_started(const TeamSettings& settings) const {
    const auto any = [&](auto is_so) {
      return std::any_of(rank_infos_.begin(), rank_infos_.end(), is_so);
    };
    if (!may_have_lanes(ranks())) return "more ranks than nonblocking calls may have";
    if (settings.checks) return "TERRACE_CHECK compares blocking calls only";
    if (any([](const RankInfo& one) { return one.is_recorded != 0; }))
      return "TERRACE_TRACE records blocking calls only";
    if (any([](const RankInfo& one) { return one.cannot_start != 0; }))
      return "a rank's MPI could complete them unseen by Terrace";
    // A program that starts calls before a blocking one on some ranks, and after it on others,
    // still starts the same ones.
    if (any([&](const RankInfo& one) { return one.started_calls != rank_infos_[0].started_calls; }))
      return "ranks had made different numbers of them when the team was set up";
    return "";
  }

  std::string offer() {
    std::string text;
    if (is_leader()) {
      offer_.settings = team_settings();
      if (plan_path().empty()) offer_.ticket = idle_teams().new_ticket(world_ranks_);
      shared_ = make_memory(ranks(), offer_);
      if (shared_) text = checked_plan_text();
      if (shared_) offer_.lives = own_liveness_file(own_world_rank());
      offer_.plan_bytes = text.size();
    }
    if (!underlying_.bcast(communicator(), &offer_, sizeof offer_, 0, kTeamSetup))
      return "the MPI refused to set up the team";
    require_sound(offer_, ranks());
    require_room(offer_, ranks());
    if (!offer_.is_made) return offer_.why.data();
    if (!is_leader()) show_liveness(offer_.lives, own_world_rank());
    if (!is_leader()) idle_teams().record_ticket(world_ranks_, offer_.ticket);
    text.resize(offer_.plan_bytes);
    if (!text.empty() &&
        !underlying_.bcast(communicator(), text.data(), text.size(), 0, kTeamSetup))
      return "the MPI refused to set up the team";
    plan_text_ = std::move(text);
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
    own.memory.settings = team_settings();
    if (is_alone()) {
      own.memory.is_made = 1;
      return;
    }
    shared_ = make_memory(ranks(), own.memory);
    if (shared_) own.memory.lives = own_liveness_file(own_world_rank());
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
    offer_ = all[layout.leader_of(over_nodes_->rank)].memory;
    require_room(offer_, ranks());
    offer_.settings = settings;
    over_nodes_->settings = settings;
    if (!is_leader()) show_liveness(offer_.lives, own_world_rank());
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

  std::string checked_plan_text() {
    const std::string text = user_plan_text(without_shared_cores(hierarchy_of(rank_infos_)));
    if (text.empty()) return text;
    const auto permission = permission_of(text, {ranks(), offer_.scratch_bytes});
    offer_.plan_keeps_rank_order = permission && permission->keeps_rank_order;
    if (permission && offer_.settings.is_reproducible && permission->combines)
      say_once("TERRACE_PLAN: " + plan_path() +
               ": TERRACE_REPRODUCIBLE fixes the order of sums; running Terrace's own plans");
    return permission ? text : "";
  }

  std::string join_and_confirm() {
    std::unique_ptr<PeerHeaps> heaps;
    if (!is_alone()) {
      team_ = join(underlying_, ranks(), own_rank(), offer_, std::move(shared_),
                   without_shared_cores(hierarchy_of(rank_infos_)));
      heaps = map_heaps(rank_infos_, own_rank());
    }
    const ReachWanted wanted = offer_.settings.reach;
    const bool may_pull = wanted == ReachWanted::whatever_pays || wanted == ReachWanted::pulled;
    std::unique_ptr<Attacher> attacher;
    std::string why_not_attached;
    if (wanted == ReachWanted::attached && over_nodes_)
      why_not_attached = "its ranks are on several nodes";
    else if (wanted == ReachWanted::attached)
      attacher =
          agree_to_attach(underlying_, communicator(), processes(), own_rank(), why_not_attached);
    const std::optional<double> underlying_mpi_ns = time_the_mpi();
    if (!underlying_mpi_ns) return "the MPI refused to set up the team";
    SetupOutcome own;
    own.is_joined = team_ != nullptr || is_alone();
    own.has_heaps = heaps != nullptr;
    if (may_pull)
      own.refusal = static_cast<std::int16_t>(
          refusal_of_reading(rank_infos_, own_rank(), wanted == ReachWanted::pulled));
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
    if (team_ && !why_not_attached.empty()) say_not_attached(why_not_attached);
    if (team_) attach_transport(all, std::move(attacher), std::move(heaps), may_pull);
    if (wants_plan_) agree_on_plan();
    return "";
  }

  /// Ends the set-up of a team that all have joined.
  void attach_transport(std::span<const SetupOutcome> all, std::unique_ptr<Attacher> attacher,
                        std::unique_ptr<PeerHeaps> heaps, bool may_pull) {
    team_->shared->close_file();
    // The last rank to come waits for none.
    team_->underlying_mpi_ns =
        std::min_element(all.begin(), all.end(), [](const SetupOutcome& a, const SetupOutcome& b) {
          return a.underlying_mpi_ns < b.underlying_mpi_ns;
        })->underlying_mpi_ns;
    const bool reach_heaps =
        std::all_of(all.begin(), all.end(), [](const SetupOutcome& one) { return one.has_heaps; });
    if (attacher)
      team_->use(std::move(attacher));
    else if (reach_heaps)
      team_->use(std::move(heaps));
    if (may_pull) pull_if_all_can(all);
    check_liveness(world_ranks_);
    make_endpoint();
  }

  void tell_of_lane(SetupOutcome& own) {
    own.has_lane = over_nodes_->own_lane() != nullptr;
    if (own.has_lane) return;
    own.lane = idle_lanes().new_ticket(over_nodes_->world_ranks);
    over_nodes_->use(nullptr, own.lane);
  }

  void say_not_attached(const std::string& why) {
    team_->why_not_reached = "nothing is attached: " + why;
    if (is_leader())
      say_once("TERRACE_REACH is attached, but " + why +
               ": long vectors are sent as without it; `terrace machine` says what to change");
  }

  /// In heaps, buffers are direct, which is never slower; but blocks along edges may lie elsewhere,
  /// which their takers do not know.
  void pull_if_all_can(std::span<const SetupOutcome> all) {
    const auto refused = std::find_if(all.begin(), all.end(),
                                      [](const SetupOutcome& one) { return one.refusal != 0; });
    if (refused == all.end()) {
      std::vector<std::int64_t> processes;
      for (const RankInfo& one : rank_infos_) processes.push_back(one.process);
      team_->use(std::make_unique<CmaReader>(std::move(processes), own_rank(), underlying_));
      return;
    }
    if (team_->heaps || team_->attacher) return;
    const std::string why =
        "rank " + std::to_string(refused - all.begin()) + refusal_text(refused->refusal);
    team_->why_not_reached = "nothing is pulled: " + why;
    if (is_leader() && offer_.settings.reach == ReachWanted::pulled)
      say_once("TERRACE_REACH is pulled, but " + why +
               ": long blocks are copied through shared memory; `terrace machine` says what to "
               "change");
  }

  void make_endpoint() {
    if (!plan_text_.empty()) {
      Plan plan = plan_from_text(plan_text_).value();  // the leader has read it before
      const auto collective = collective_of_plan(plan.name);
      TERRACE_REQUIRE(collective.has_value() && plan.ranks == ranks(), plan.ranks, ranks());
      team_->plan_cache.put_user_plan(*collective, std::move(plan),
                                      offer_.plan_keeps_rank_order != 0);
    }
    const CpuDemand demand = cpu_demand_of(rank_infos_);
    TeamTraits traits;
    traits.ranks = ranks();
    traits.shared_cores = shared_cores_of(ranks(), demand.ranks, demand.pus);
    traits.scratch_bytes = offer_.scratch_bytes;
    traits.reaches_heaps = team_->heaps || team_->attacher;
    WaitPolicy waiting =
        WaitPolicy::for_mpi_ranks(demand.ranks, demand.pus, are_scheduled_together(rank_infos_));
    waiting.stall_seconds = stall_seconds();
    if (over_nodes_) waiting.spins = std::min(waiting.spins, kSpinsOverNodes);
    team_->wait_environment.meet(peers());
    if (over_nodes_) team_->wait_environment.speak_for_node(*over_nodes_);
    team_->can_move = are_free_to_move(rank_infos_);
    team_->world_ranks = world_ranks_;
    team_->ticket = offer_.ticket;
    team_->facts = facts_of(rank_infos_);
    team_->take_endpoint(traits, waiting);
    count_founded_team();
    team_->why_not_started =
        over_nodes_ ? "ranks on several nodes" : why_not_started(offer_.settings);
    if (is_leader()) team_->lent.take(share_bytes(offer_.scratch_bytes) * ranks());
  }

  std::vector<ProvenProcess> processes() const {
    std::vector<ProvenProcess> processes;
    for (const RankInfo& one : rank_infos_) processes.push_back({one.process, one.proof});
    return processes;
  }

  std::vector<Peer> peers() const {
    std::vector<Peer> peers;
    for (std::size_t rank = 0; rank < rank_infos_.size(); ++rank)
      peers.push_back({world_ranks_[rank], rank_infos_[rank].process});
    return peers;
  }

  UnderlyingMpi& underlying_;
  const CommState& comm_state_;
  Rank own_rank_;
  std::vector<int> world_ranks_;
  std::vector<RankInfo> rank_infos_;
  std::unique_ptr<MultiNodeCommunicator> over_nodes_;  ///< if there are several
  std::unique_ptr<PlanOverNodes> plan_over_nodes_;     ///< that has been agreed on
  bool may_have_lanes_ = true;                         ///< new ones
  // Facts of the plan that the user wants over several nodes.
  bool wants_plan_ = false;
  Hierarchy hierarchy_over_nodes_;  ///< known at rank 0
  std::size_t planned_scratch_ = kMostPlannedScratch;
  SharedMemoryOffer offer_;
  std::string plan_text_;
  std::unique_ptr<SharedMemory> shared_;
  std::unique_ptr<Team> team_;
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
