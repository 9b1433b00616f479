// SPDX-License-Identifier: BSD-3-Clause
// Lays out a team's memory, counts teams, and makes this rank's endpoint.
#include "preload/setup/team.hpp"

#include <algorithm>
#include <atomic>
#include <new>
#include <utility>

#include "base/contract.hpp"
#include "base/hash.hpp"
#include "preload/mpi/trace.hpp"
#include "preload/transport/xpmem_attach.hpp"

namespace terrace::preload {

namespace {

std::atomic<std::size_t> lent_bytes{0};
std::atomic<std::uint64_t> founded_teams{0}, reused_teams{0};

/// Each keeps its memory.
constexpr std::size_t kMostIdle = 12;

Departure* departures_of(const SharedMemory& shared, Rank ranks, std::size_t scratch_bytes) {
  return reinterpret_cast<Departure*>(shared.at(ranks * share_bytes(scratch_bytes)));
}

std::size_t place_of_lanes(std::size_t scratch_bytes, Rank ranks) {
  return ranks * share_bytes(scratch_bytes) + departures_bytes(ranks);
}

}  // namespace

// relaxed, all three: a budget, which need not be exact. No partner.
std::size_t SharedMemoryInUse::total() {
  return lent_bytes.load(std::memory_order_relaxed);
}

void SharedMemoryInUse::take(std::size_t bytes) {
  bytes_ += bytes;
  lent_bytes.fetch_add(bytes, std::memory_order_relaxed);  // relaxed: see above
}

void SharedMemoryInUse::give_back() {
  // relaxed: see above
  lent_bytes.fetch_sub(std::exchange(bytes_, 0), std::memory_order_relaxed);
}

Team::Team(std::unique_ptr<SharedMemory> shared_memory, std::size_t scratch_bytes, Rank ranks,
           Rank rank, Hierarchy hierarchy, const TeamSettings& team_settings,
           UnderlyingMpi& underlying)
    : shared(std::move(shared_memory)),
      memory(laid_out(shared->at(0), ranks, scratch_bytes)),
      plan_cache(std::move(hierarchy)),
      settings(team_settings),
      wait_environment(underlying, memory, rank, departures_of(*shared, ranks, scratch_bytes)) {
  new (departures_of(*shared, ranks, scratch_bytes) + rank) Departure;
  prepare(memory.ranks[rank], 0);
  if (may_have_lanes(ranks))
    lanes = std::make_unique<NonblockingLanes>(
        underlying, shared->at(place_of_lanes(scratch_bytes, ranks)), ranks, rank,
        departures_of(*shared, ranks, scratch_bytes));
}

std::size_t team_bytes(std::size_t scratch_bytes, Rank ranks) {
  return place_of_lanes(scratch_bytes, ranks) + lanes_bytes(ranks);
}

std::vector<std::unique_ptr<Team>>& left_teams() {
  static auto* const the = new std::vector<std::unique_ptr<Team>>;  // as above
  return *the;
}

bool has_been_left(const Team& team) {
  return std::any_of(left_teams().begin(), left_teams().end(),
                     [&team](const auto& left) { return left.get() == &team; });
}

bool Team::prepare_lanes() {
  return !lanes ||
         lanes->prepare(*shared, place_of_lanes(memory.scratch_bytes, memory.rank_count()));
}

void Team::begin_life() {
  TERRACE_ASSERT(endpoint.has_value());
  calls_before = endpoint->calls();
  wait_environment.begin_life(endpoint->calls_of_all_kinds(), ticket.lives);
  if (lanes) lanes->begin_life(ticket.lives);
}

// relaxed, all: counts that order nothing. No partner.
TeamCounts teams_so_far() {
  return {founded_teams.load(std::memory_order_relaxed),
          reused_teams.load(std::memory_order_relaxed)};
}
void count_founded_team() {
  founded_teams.fetch_add(1, std::memory_order_relaxed);  // relaxed: see above
}
void count_reused_team() {
  reused_teams.fetch_add(1, std::memory_order_relaxed);  // relaxed: see above
}

IdlePool<Team>& idle_teams() {
  static auto* const the =
      new IdlePool<Team>(kMostIdle);  // programs may call until they have ended
  return *the;
}

void Team::use(std::unique_ptr<PeerHeaps> mapped) {
  TERRACE_ASSERT(mapped != nullptr && !endpoint);  // endpoints keep a copy of their own share
  heaps = std::move(mapped);
  for (Rank rank = 0; rank < memory.rank_count(); ++rank)
    memory.ranks[rank].shift = heaps->shift(rank);
}

bool Team::allocate_scratch(std::size_t bytes) {
  const std::size_t share = share_bytes(memory.scratch_bytes);
  return shared->allocate(wait_environment.rank() * share, share_bytes(bytes)).ok();
}

void Team::take_endpoint(const TeamTraits& team_traits, const WaitPolicy& waiting) {
  traits = team_traits;
  EndpointOptions options;
  options.reach = Reach::bounced;
  options.is_reproducible = settings.is_reproducible;
  options.traits = traits;
  options.chooser = Chooser::shared(traits, plan_cache.hierarchy(), model::assumed_costs());
  options.waiting = waiting;
  options.wait_environment = &wait_environment;
  if (traits.reaches_heaps) options.reachable = attacher ? own_memory() : own_heap();
  options.attacher = attacher.get();
  options.puller = traits.reaches_heaps ? nullptr : puller.get();
  records = endpoint_recorder(wait_environment.world_ranks());
  options.recorder = records.get();
  options.always_pulls = settings.reach == ReachWanted::pulled;
  options.first_scratch_bytes = first_scratch_bytes;
  options.measures = settings.measures;
  options.can_move = can_move;
  options.tries = settings.trials != TrialSetting::off;
  options.can_fall_back = !settings.checks && !wait_environment.speaks_for_node();
  options.confirms_calls = settings.checks;
  if (settings.checks && lanes)
    options.confirm_also = [this](Collective collective) { return confirm_starts(collective); };
  options.falls_back_for_any_sums = settings.trials == TrialSetting::any_sums;
  options.underlying_mpi_ns = underlying_mpi_ns;
  options.allocate_scratch = [this](std::size_t bytes) { return allocate_scratch(bytes); };
  endpoint.emplace(memory, wait_environment.rank(), plan_cache, options);
  // What is checked is moved by itself.
  if (!settings.checks) lengths = Lengths(Lengths::carried_among(memory.rank_count()));
  try_uneven_calls();
  if (lanes) lanes->use({traits, waiting, settings.is_reproducible, wait_environment.peers()});
}

/// Compares calls that were counted since set-up. Calls before it were the same on all ranks:
/// otherwise set-up would have been left to starts, which number calls of both kinds.
bool Team::confirm_starts(Collective collective) {
  const std::uint64_t own = lanes->started();
  std::vector<std::uint64_t> all(memory.rank_count());
  if (!endpoint->tell_all(&own, all.data(), sizeof own)) return false;
  const auto other = std::find_if(all.begin(), all.end(), [own](auto its) { return its != own; });
  if (other == all.end()) return true;
  const auto its_rank = static_cast<Rank>(other - all.begin());
  wait_environment.end_with(
      "check: before the same blocking " + std::string(to_text(collective)) + ", rank " +
      std::to_string(wait_environment.rank()) + " of a communicator of " +
      std::to_string(all.size()) + " ranks has started " + std::to_string(own) +
      " nonblocking collectives, and rank " + std::to_string(its_rank) + " has started " +
      std::to_string(*other) +
      ". All ranks of a communicator must make blocking and nonblocking collectives in the same "
      "order. Ending the job (without TERRACE_CHECK it goes on, as under MPIs)");
  return false;
}

/// Ranks that take turns on cores do not wait in the MPI for each other: it may be a thousand times
/// as slow.
void Team::try_uneven_calls() {
  constexpr double kTellNs = 5'000, kFirstCallsOfMpiNs = 20'000;
  const bool may_fall_back = !settings.checks && !wait_environment.speaks_for_node();
  if (settings.trials == TrialSetting::off || !may_fall_back || traits.is_oversubscribed()) return;
  TrialTerms terms;
  terms.opening_ns = kFirstCallsOfMpiNs;
  terms.tell_ns = kTellNs;
  terms.last_begins_slowly = true;
  const auto exchange = [this](const std::vector<Stay>& mine, std::vector<Stay>& all) {
    wait_environment.begin();
    return endpoint->tell_all(mine.data(), all.data(), mine.size() * sizeof(Stay));
  };
  uneven_trials = std::make_unique<UnevenTrials>(
      CallTrials(Contender::How::uneven, terms, memory.rank_count(), exchange));
}

/// Blocking calls and nonblocking ones have scratch of their own.
std::size_t Team::most_blocks_along_edges() const {
  const std::size_t scratch = std::min<std::size_t>(
      first_scratch_bytes, lanes ? lane_scratch(0, memory.rank_count()) : first_scratch_bytes);
  return most_pulled_blocks(scratch_along_edges(scratch, 0));
}

std::uint64_t Team::state() const {
  return Hash().add(endpoint->state()).add(lanes ? lanes->state() : 0).value();
}

}  // namespace terrace::preload
