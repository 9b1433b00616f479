// SPDX-License-Identifier: BSD-3-Clause
// Maps the memory of a new team, tries to reach what peers have beside it, and makes the endpoint.
#include "preload/setup/new_team.hpp"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/contract.hpp"
#include "base/say.hpp"
#include "hierarchy/shared_cores.hpp"
#include "plan/plan.hpp"
#include "preload/lookup/symbol_lookup.hpp"
#include "preload/mpi/settings.hpp"
#include "preload/setup/user_plan.hpp"
#include "preload/transport/cma.hpp"
#include "preload/transport/device_memory.hpp"
#include "preload/waiting/liveness.hpp"

namespace terrace::preload {

namespace {

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

}  // namespace

void require_sound(const SetupOutcome& outcome) {
  TERRACE_REQUIRE(outcome.refusal >= kDevices, outcome.refusal);
  TERRACE_REQUIRE(outcome.underlying_mpi_ns >= 0, outcome.is_joined, outcome.refusal);
}

NewTeam::NewTeam(UnderlyingMpi& underlying, std::vector<int> ranks_in_world, Rank own)
    : world_ranks(std::move(ranks_in_world)), own_rank(own), underlying_(underlying) {
  TERRACE_REQUIRE(own_rank < world_ranks.size(), own_rank, world_ranks.size());
  std::vector<int> sorted = world_ranks;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  TERRACE_REQUIRE(twice == sorted.end() && sorted.front() >= 0, sorted.front(), sorted.size());
}

RankInfo NewTeam::own_info(Handle communicator, std::uint64_t started_calls) const {
  RankInfo own = own_rank_info(underlying_.name_of(communicator));
  own.lacks_communicator = !underlying_.has_communicator();
  own.has_threads_in_mpi = underlying_.is_among_threads();
  own.started_calls = started_calls;
  static const bool can_start = completions_reach_us(underlying_.standard());
  own.cannot_start = !can_start;
  return own;
}

std::string NewTeam::hear(std::vector<RankInfo> told) {
  TERRACE_REQUIRE(told.size() == world_ranks.size(), told.size(), world_ranks.size());
  rank_infos = std::move(told);
  std::string why = objection(rank_infos);
  if (!why.empty()) return why;
  for (const RankInfo& one : rank_infos) require_sound(one);
  TERRACE_REQUIRE(rank_infos[own_rank].process == getpid(), rank_infos[own_rank].process, own_rank);
  return why;
}

void NewTeam::offer_memory() {
  offer.settings = team_settings();
  shared = make_memory(static_cast<Rank>(world_ranks.size()), offer, lent_);
  if (shared) offer.lives = own_liveness_file(own_world_rank());
}

std::string NewTeam::checked_plan() {
  std::string text = user_plan_text(without_shared_cores(hierarchy_of(rank_infos)));
  if (text.empty()) return text;
  const auto permission = permission_of(text, {ranks(), offer.scratch_bytes});
  offer.plan_keeps_rank_order = permission && permission->keeps_rank_order;
  if (permission && offer.settings.is_reproducible && permission->combines)
    say_once("TERRACE_PLAN: " + plan_path() +
             ": TERRACE_REPRODUCIBLE fixes the order of sums; running Terrace's own plans");
  return permission ? text : "";
}

void NewTeam::take_offer(const SharedMemoryOffer& made) {
  TERRACE_REQUIRE(made.is_made, own_rank);
  require_room(made, ranks());
  offer = made;
  if (!is_leader()) show_liveness(offer.lives, own_world_rank());
}

bool NewTeam::may_pull() const {
  const ReachWanted wanted = offer.settings.reach;
  return wanted == ReachWanted::whatever_pays || wanted == ReachWanted::pulled;
}

SetupOutcome NewTeam::join() {
  if (!is_alone()) {
    team = preload::join(underlying_, ranks(), own_rank, offer, std::move(shared),
                         without_shared_cores(hierarchy_of(rank_infos)));
    if (team && !is_leader()) close_file();
    heaps_ = map_heaps(rank_infos, own_rank);
  }
  SetupOutcome outcome;
  outcome.is_joined = team != nullptr || is_alone();
  outcome.has_heaps = heaps_ != nullptr;
  if (may_pull())
    outcome.refusal = static_cast<std::int16_t>(
        refusal_of_reading(rank_infos, own_rank, offer.settings.reach == ReachWanted::pulled));
  return outcome;
}

void NewTeam::close_file() {
  if (shared) shared->close_file();
  if (team) team->shared->close_file();
}

void NewTeam::drop() {
  heaps_.reset();
  shared.reset();
  team.reset();
  lent_.give_back();
}

void NewTeam::complete(std::span<const SetupOutcome> outcomes, std::unique_ptr<Attacher> attacher,
                       MultiNodeCommunicator* over_nodes) {
  TERRACE_REQUIRE(team != nullptr && outcomes.size() == ranks(), outcomes.size(), ranks());
  close_file();
  // The last rank to come waits for none.
  team->underlying_mpi_ns = std::min_element(outcomes.begin(), outcomes.end(),
                                             [](const SetupOutcome& a, const SetupOutcome& b) {
                                               return a.underlying_mpi_ns < b.underlying_mpi_ns;
                                             })
                                ->underlying_mpi_ns;
  const bool reach_heaps = std::all_of(outcomes.begin(), outcomes.end(),
                                       [](const SetupOutcome& one) { return one.has_heaps; });
  if (attacher)
    team->use(std::move(attacher));
  else if (reach_heaps)
    team->use(std::move(heaps_));
  if (may_pull()) pull_if_all_can(outcomes);
  check_liveness(world_ranks);
  make_endpoint(over_nodes);
}

void NewTeam::say_not_attached(const std::string& why) {
  team->why_not_reached = "nothing is attached: " + why;
  if (is_leader())
    say_once("TERRACE_REACH is attached, but " + why +
             ": long vectors are sent as without it; `terrace machine` says what to change");
}

/// In heaps, buffers are direct, which is never slower; but blocks along edges may lie elsewhere,
/// which their takers do not know.
void NewTeam::pull_if_all_can(std::span<const SetupOutcome> outcomes) {
  const auto refused = std::find_if(outcomes.begin(), outcomes.end(),
                                    [](const SetupOutcome& one) { return one.refusal != 0; });
  if (refused == outcomes.end()) {
    std::vector<std::int64_t> processes;
    for (const RankInfo& one : rank_infos) processes.push_back(one.process);
    team->use(std::make_unique<CmaReader>(std::move(processes), own_rank, underlying_));
    return;
  }
  if (team->heaps || team->attacher) return;
  const std::string why =
      "rank " + std::to_string(refused - outcomes.begin()) + refusal_text(refused->refusal);
  team->why_not_reached = "nothing is pulled: " + why;
  if (is_leader() && offer.settings.reach == ReachWanted::pulled)
    say_once("TERRACE_REACH is pulled, but " + why +
             ": long blocks are copied through shared memory; `terrace machine` says what to "
             "change");
}

void NewTeam::make_endpoint(MultiNodeCommunicator* over_nodes) {
  if (!plan_text.empty()) {
    Plan plan = plan_from_text(plan_text).value();  // the leader has read it before
    const auto collective = collective_of_plan(plan.name);
    TERRACE_REQUIRE(collective.has_value() && plan.ranks == ranks(), plan.ranks, ranks());
    team->plan_cache.put_user_plan(*collective, std::move(plan), offer.plan_keeps_rank_order != 0);
  }
  const CpuDemand demand = cpu_demand_of(rank_infos);
  TeamTraits traits;
  traits.ranks = ranks();
  traits.shared_cores = shared_cores_of(ranks(), demand.ranks, demand.pus);
  traits.scratch_bytes = offer.scratch_bytes;
  traits.reaches_heaps = team->heaps || team->attacher;
  WaitPolicy waiting =
      WaitPolicy::for_mpi_ranks(demand.ranks, demand.pus, are_scheduled_together(rank_infos));
  waiting.stall_seconds = stall_seconds();
  if (over_nodes != nullptr) waiting.spins = std::min(waiting.spins, kSpinsOverNodes);
  team->wait_environment.meet(peers());
  if (over_nodes != nullptr) team->wait_environment.speak_for_node(*over_nodes);
  team->can_move = are_free_to_move(rank_infos);
  team->world_ranks = world_ranks;
  team->ticket = offer.ticket;
  team->facts = facts_of(rank_infos);
  team->take_endpoint(traits, waiting);
  count_founded_team();
  team->why_not_started = over_nodes != nullptr ? "ranks on several nodes" : why_not_started();
  team->lent.take(lent_);
}

std::string NewTeam::why_not_started() const {
  const auto any = [&](auto is_so) {
    return std::any_of(rank_infos.begin(), rank_infos.end(), is_so);
  };
  if (!may_have_lanes(ranks())) return "more ranks than nonblocking calls may have";
  if (any([](const RankInfo& one) { return one.cannot_start != 0; }))
    return "a rank's MPI could complete them unseen by Terrace";
  return "";
}

std::vector<Peer> NewTeam::peers() const {
  std::vector<Peer> peers;
  for (std::size_t rank = 0; rank < rank_infos.size(); ++rank)
    peers.push_back({world_ranks[rank], rank_infos[rank].process});
  return peers;
}

}  // namespace terrace::preload
