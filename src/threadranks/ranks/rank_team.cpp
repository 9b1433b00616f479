// SPDX-License-Identifier: BSD-3-Clause
// Sets up teams, and their memory.
#include "threadranks/ranks/rank_team.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/placement.hpp"
#include "engine/plan_cache.hpp"
#include "execute/call.hpp"
#include "hierarchy/shared_cores.hpp"
#include "team/team_pages.hpp"

namespace terrace::threadranks {

namespace {

/// Touched only as far as calls use it.
std::size_t scratch_bytes(Rank ranks) {
  return std::max(usual_scratch_bytes(ranks), least_scratch_bytes(ranks));
}

std::unique_ptr<Placement> placement_for(Rank ranks) {
#ifdef TERRACE_HAS_MACHINE
  if (auto placement = make_placement(ranks)) return std::move(placement).value();
#endif
  return std::make_unique<Placement>(ranks);
}

}  // namespace

struct RankTeam::Founding {
  Founding(Rank ranks, bool is_lane)
      : pages(ranks, scratch_bytes(ranks), !is_lane),
        placement(placement_for(ranks)),
        workers(ranks) {}

  /// Whether ranks take turns in order: those of a worker are a group, and get turns for next to
  /// nothing.
  bool takes_turns_in_order() const {
    return traits.is_oversubscribed() &&
           std::all_of(workers.begin(), workers.end(),
                       [](const auto& worker) { return worker.has_value(); });
  }
  Hierarchy hierarchy() const {
    return cores.empty() ? placement->hierarchy()
                         : with_shared_cores(placement->hierarchy(), cores);
  }
  model::MachineCosts costs() const {
    model::MachineCosts costs = model::assumed_costs();
    if (traits.takes_turns_in_order) costs.core.yield = model::Core::kUsualSwitch;
    return costs;
  }

  TeamPages pages;
  std::unique_ptr<Placement> placement;
  std::vector<std::optional<std::uint32_t>> workers;  ///< by rank: of a fibre
  std::vector<std::uint32_t> cores;                   ///< the same, if all take turns in order
  std::shared_ptr<PlanCache> plan_cache;
  TeamTraits traits;
  std::shared_ptr<Chooser> chooser;
  MachineStart machine;
  bool measures = false, can_move = false, tries = false;
};

RankTeam::RankTeam(Rank ranks, const RankTeam* blocking) : ranks_(ranks), blocking_(blocking) {}
RankTeam::~RankTeam() = default;

bool RankTeam::arrive(Rank rank, const RankHome& home) {
  {
    const std::lock_guard lock(mutex_);
    if (!founding_) founding_ = std::make_unique<Founding>(ranks_, blocking_ != nullptr);
  }
  prepare(founding_->pages.memory().ranks[rank], 0);
  if (home.pu)
    founding_->placement->note(rank, PuSet{*home.pu});
  else
    founding_->placement->note(rank);
  founding_->workers[rank] = home.worker;
  // acq_rel: the last to arrive must see what the others have prepared; all call this.
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 < ranks_) return false;
  founding_->traits = {ranks_, true, home.shared_cores, false,
                       founding_->pages.memory().scratch_bytes};
  if (founding_->takes_turns_in_order()) {
    founding_->traits.takes_turns_in_order = true;
    for (const auto& worker : founding_->workers) founding_->cores.push_back(*worker);
  }
  if (blocking_ != nullptr && blocking_->is_founded())
    founding_->plan_cache = blocking_->founding_->plan_cache;
  else
    founding_->plan_cache = std::make_shared<PlanCache>(founding_->hierarchy(), Askers::all_ranks);
  founding_->chooser =
      Chooser::shared(founding_->traits, founding_->plan_cache->hierarchy(), founding_->costs());
  founding_->measures = is_measuring_wanted();
  if (founding_->measures)
    founding_->machine = machine_start(founding_->placement->hierarchy(),
                                       founding_->placement->bindings(), founding_->traits);
  founding_->tries = are_trials_wanted();
  founding_->can_move = is_virtual_machine() || founding_->placement->are_free_to_move();
  // release: pairs with the acquire in `is_founded`.
  is_founded_.store(true, std::memory_order_release);
  return true;
}

bool RankTeam::is_founded() const {
  // acquire: pairs with the release in `come`.
  return is_founded_.load(std::memory_order_acquire);
}

std::uint64_t RankTeam::most_calls() const {
  // relaxed: for words only; no partner.
  if (!is_founded()) return arrived_.load(std::memory_order_relaxed) > 0 ? 1 : 0;
  std::uint64_t most = 0;
  for (const RankMemory& one : founding_->pages.memory().ranks)
    most = std::max<std::uint64_t>(most, last_begun(one.word->call));
  return most;
}

std::unique_ptr<TeamEndpoint> RankTeam::take_endpoint(Rank rank, WaitEnvironment& wait_environment,
                                                      const WaitPolicy& waiting) {
  EndpointOptions options;
  options.reach = Reach::direct;
  options.traits = founding_->traits;
  options.chooser = founding_->chooser;
  options.waiting = waiting;
  options.wait_environment = &wait_environment;
  options.cores = founding_->cores;
  options.measures = founding_->measures;
  options.machine = founding_->machine;
  options.tries = founding_->tries;
  options.can_move = founding_->can_move;
  if (blocking_ != nullptr) options.first_choices = blocking_->first_choices_of_lanes_;
  return std::make_unique<TeamEndpoint>(founding_->pages.memory(), rank, *founding_->plan_cache,
                                        options);
}

}  // namespace terrace::threadranks
