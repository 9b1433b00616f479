// SPDX-License-Identifier: BSD-3-Clause
// Lays out lanes, and makes this rank's endpoints in them.
#include "preload/setup/nonblocking_lanes.hpp"

#include "base/contract.hpp"
#include "base/hash.hpp"
#include "preload/mpi/trace.hpp"

namespace terrace::preload {

namespace {

/// Scratch of a short lane: for as many calls as have lines.
constexpr std::size_t kShortScratch = 64 * kMostShort;

/// The place where the shares of a lane begin.
std::size_t place_of(std::size_t lane, Rank ranks) {
  std::size_t place = 0;
  for (std::size_t i = 0; i < lane; ++i) place += ranks * share_bytes(lane_scratch(i, ranks));
  return place;
}

constexpr std::size_t kDecisionBytes = kMostLaneDecisions * sizeof(SharedDecision);
static_assert(sizeof(SharedDecision) == kLineBytes);

}  // namespace

std::size_t lane_scratch(std::size_t lane, Rank ranks) {
  if (lane < kShortLanes) return kShortScratch;
  const bool is_persistent = lane >= kShortLanes + kLongLanes;
  return is_persistent ? 2 * kMostLeft
                       : std::max(usual_scratch_bytes(ranks) / kLongLanes, 2 * kMostLeft);
}

std::size_t lanes_bytes(Rank ranks) {
  return may_have_lanes(ranks) ? place_of(kLanes, ranks) + kDecisionBytes : 0;
}

NonblockingLane::NonblockingLane(UnderlyingMpi& underlying, TeamMemory its_memory, Rank rank,
                                 Departure* departures, std::uint32_t number)
    : memory(std::move(its_memory)),
      wait_environment(underlying, memory, rank, departures, number) {}

NonblockingLanes::NonblockingLanes(UnderlyingMpi& underlying, std::byte* place, Rank ranks,
                                   Rank rank, Departure* departures)
    : ranks_(ranks),
      rank_(rank),
      decisions_(reinterpret_cast<SharedDecision*>(place + place_of(kLanes, ranks)), rank) {
  TERRACE_REQUIRE(may_have_lanes(ranks) && rank < ranks, rank, ranks);
  if (underlying.has_threads()) LanesLock::need_always();
  for (std::uint32_t i = 0; i < kLanes; ++i)
    lanes_.push_back(std::make_unique<NonblockingLane>(
        underlying, laid_out(place + place_of(i, ranks), ranks, lane_scratch(i, ranks)), rank,
        departures, i));
}

/// The page of each word alone: that of a rank that has made no call says so, and all else that
/// peers look at is as good as made where it is zero.
bool NonblockingLanes::prepare(SharedMemory& shared, std::size_t offset) {
  for (std::size_t i = 0; i < kLanes; ++i) {
    const std::size_t share = share_bytes(lane_scratch(i, ranks_));
    if (!shared.allocate(offset + place_of(i, ranks_) + rank_ * share, page_bytes())) return false;
    // relaxed: the set-up of the team orders this before any peer's first use.
    lanes_[i]->memory.ranks[rank_].word->value.store(word_done(0), std::memory_order_relaxed);
  }
  return true;
}

TeamTraits NonblockingLanes::traits_of(const NonblockingLane& lane) const {
  TeamTraits traits;
  traits.ranks = ranks_;
  traits.shared_cores = settings_.traits.shared_cores;
  traits.scratch_bytes = lane.memory.scratch_bytes;
  traits.leaves_calls = true;
  return traits;
}

void NonblockingLanes::open(NonblockingLane& lane, PlanCache& plan_cache) {
  if (lane.endpoint) return;
  EndpointOptions options;
  options.traits = traits_of(lane);
  options.is_reproducible = settings_.is_reproducible;
  options.chooser = Chooser::shared(options.traits, plan_cache.hierarchy(), model::assumed_costs());
  options.waiting = settings_.waiting;
  options.wait_environment = &lane.wait_environment;
  options.first_choices = first_choices_;
  lane.waiting = settings_.waiting;
  lane.wait_environment.meet(settings_.peers);
  lane.records = endpoint_recorder(lane.wait_environment.world_ranks());
  options.recorder = lane.records.get();
  lane.endpoint.emplace(lane.memory, rank_, plan_cache, options);
}

void NonblockingLanes::forget_decisions() {
  next_forgetting_ *= 8;
  decisions_.forget();
  for (const auto& lane : lanes_) lane->last_calls = {};
}

std::shared_ptr<LaneDecision> NonblockingLanes::decision_for(NonblockingLane& lane,
                                                             const Question& question,
                                                             const TeamEndpoint& blocking) {
  return decisions_.for_calls(class_of(question), [&] { return decide(lane, question, blocking); });
}

/// Decides as the blocking team would, with all that it has found out, among plans that start
/// alone.
std::optional<Choice> NonblockingLanes::decide(const NonblockingLane& lane,
                                               const Question& question,
                                               const TeamEndpoint& blocking) {
  if (question.order != Order::by_machine) return std::nullopt;
  const auto findings = blocking.findings();
  if (measured_for_ != findings->chooser) {
    measured_for_ = findings->chooser;
    measured_ = measured_for_->for_team(traits_of(lane), lane.endpoint->hierarchy());
  }
  Question planned = question;
  planned.collective = planned_as(question.collective);
  const std::vector<Candidate>& ranked = measured_->ranked(planned);
  const auto found = findings->ways.find(class_of(question));
  if (found == findings->ways.end()) return ranked.front().choice;
  const auto like_found = std::find_if(ranked.begin(), ranked.end(), [&](const Candidate& one) {
    return one.choice.streams_scratch == found->second.choice.streams_scratch;
  });
  return like_found == ranked.end() ? ranked.front().choice : like_found->choice;
}

/// Keeps what is prepared, unless this class of calls was decided otherwise before.
void NonblockingLanes::apply(const LaneDecision& decision, NonblockingLane& lane) {
  TERRACE_ASSERT(decision.is_known && !lane.endpoint->has_started());
  const Contender* known = nullptr;
  if (lane.findings)
    if (const auto found = lane.findings->ways.find(decision.calls);
        found != lane.findings->ways.end())
      known = &found->second;
  if (decision.choice ? known != nullptr && known->choice == *decision.choice : known == nullptr)
    return;
  TeamFindings findings;
  if (lane.findings) findings = *lane.findings;
  findings.chooser = lane.endpoint->chooser();
  findings.ways.erase(decision.calls);
  if (decision.choice) findings.ways.emplace(decision.calls, Contender{.choice = *decision.choice});
  lane.findings = std::make_shared<const TeamFindings>(std::move(findings));
  lane.endpoint->use(lane.findings);
}

void NonblockingLanes::compare_calls() {
  const LanesLock lock;
  for (const auto& lane : lanes_)
    if (lane->endpoint && lane->first_call == nullptr && !lane->endpoint->compare_calls()) return;
}

std::uint64_t NonblockingLanes::state() const {
  Hash hash;
  for (const auto& lane : lanes_) hash.add(lane->endpoint ? lane->endpoint->state() : 0);
  return hash.add(started_[0]).add(started_[1]).add(initialized_).value();
}

/// The persistent calls of the communicator before have been freed: else its team would be too.
void NonblockingLanes::begin_life(std::uint64_t lives) {
  initialized_ = 0;
  for (const auto& lane : lanes_)
    lane->wait_environment.begin_life(lane->endpoint ? lane->endpoint->calls() : 0, lives);
}

std::mutex& LanesLock::mutex() {
  static auto* const the = new std::mutex;  // programs may call until they have ended
  return *the;
}

void NonblockingLanes::end_life() {
  for (const auto& lane : lanes_) {
    lane->last_calls = {};
    if (lane->endpoint && lane->first_call == nullptr) lane->endpoint->forget_later_calls();
  }
}

}  // namespace terrace::preload
