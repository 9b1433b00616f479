// SPDX-License-Identifier: BSD-3-Clause
// The slow paths of dispatch: counting calls until there is a team, warnings and reports.
#include "preload/dispatch/run_or_fall_back.hpp"

#include <atomic>
#include <utility>

#include "base/say.hpp"
#include "preload/dispatch/over_nodes.hpp"
#include "preload/mpi/settings.hpp"
#include "preload/setup/job_ranks.hpp"
#include "preload/setup/short_lived_comms.hpp"
#include "preload/setup/team_setup.hpp"

namespace terrace::preload {

namespace {

/// Programs make many communicators that they hardly use: after this many calls one counts as used.
/// Reusing an idle team takes as long as some ten calls save, and as ten short calls take; setting
/// up a new one takes longer. MPI_COMM_WORLD lasts as long as the job.
constexpr std::uint32_t kCallsInWorld = 3;
constexpr std::uint32_t kCallsElsewhere = 20;

/// Rank 0 has told all ranks of MPI_COMM_WORLD, on several nodes, that sums are reproducible.
std::atomic<bool> is_reproducible_over_nodes{false};

/// A communicator with ranks on other nodes, where this rank cannot see who has
/// TERRACE_REPRODUCIBLE.
bool has_other_nodes(UnderlyingMpi& underlying, const CommState& comm_state) {
  const std::uint32_t here = ranks_on_node();
  if (here == 0) return false;  // unknown
  if (comm_state.communicator == underlying.world())
    return static_cast<std::uint32_t>(comm_state.size) > here;
  return are_elsewhere(underlying.ranks_in_world(comm_state.communicator), underlying.abi);
}

/// Returns how many calls come before teams of nodes. Where all ranks are promised to have Terrace,
/// they meet at the first call on MPI_COMM_WORLD, whatever each of them has heard of reproducible
/// sums. What they are told there counts from the first call on for other communicators.
std::uint32_t calls_before_teams_of_nodes(UnderlyingMpi& underlying, std::uint32_t usual) {
  const bool is_world = usual == kCallsInWorld;
  // relaxed: told by a collective that all ranks have been through. No partner.
  const bool begins_at_once = is_world ? is_promised_across_nodes(underlying.abi)
                                       : is_reproducible_over_nodes.load(std::memory_order_relaxed);
  return begins_at_once ? 1 : usual;
}

/// If all sums must be reproducible, even the first ones are. That works only if all ranks have the
/// setting: then all of them check, and all that check see the same.
std::uint32_t calls_before_team(UnderlyingMpi& underlying, const CommState& comm_state) {
  const bool is_world = comm_state.communicator == underlying.world();
  const std::uint32_t usual = is_world ? kCallsInWorld : kCallsElsewhere;
  // relaxed: as above.
  const bool may_be_told = is_world || is_reproducible_over_nodes.load(std::memory_order_relaxed) ||
                           is_reproducible_wanted();
  if (may_be_told && has_other_nodes(underlying, comm_state))
    return calls_before_teams_of_nodes(underlying, usual);
  if (!is_reproducible_wanted()) return usual;
  const std::string why = who_is_not_told(
      "TERRACE_REPRODUCIBLE", underlying.ranks_in_world(comm_state.communicator), underlying.abi);
  if (why.empty()) return 1;
  say_once("TERRACE_REPRODUCIBLE: " + why +
           ", so sums may differ: set it for all ranks of the job");
  return usual;
}

/// Calls that the MPI makes before ranks tell each other lengths again: that is longer than such a
/// call by less than one in a hundred.
constexpr std::uint32_t kUntoldCalls = 256;

}  // namespace

void count_call(UnderlyingMpi& underlying, CommState& comm_state) {
  if (comm_state.calls == 0)
    comm_state.calls_before_team = calls_before_team(underlying, comm_state);
  if (++comm_state.calls < comm_state.calls_before_team) {
    if (comm_state.calls == 1) comm_state.why = "first calls of a communicator";
    return;
  }
  const bool may_wait = comm_state.calls_before_team == kCallsInWorld ||
                        comm_state.calls_before_team == kCallsElsewhere;
  Agreement agreed = agree_on_team(underlying, comm_state, may_wait, comm_state.why);
  comm_state.team = std::move(agreed.team);
  comm_state.over_nodes = std::move(agreed.over_nodes);
  comm_state.plan_over_nodes = std::move(agreed.plan_over_nodes);
  if (comm_state.why == kShortLife) {
    comm_state.calls_before_team = static_cast<std::uint32_t>(kCallsOfShortLife);
    return;
  }
  if (comm_state.over_nodes) comm_state.why = kNotComposed;
  if (comm_state.over_nodes && comm_state.communicator == underlying.world())
    // relaxed: as above.
    is_reproducible_over_nodes.store(comm_state.over_nodes->settings.is_reproducible,
                                     std::memory_order_relaxed);
  comm_state.stage = comm_state.over_nodes ? TeamStage::over_nodes
                     : comm_state.team     ? TeamStage::joined
                                           : TeamStage::fallen_back;
  if (comm_state.team && !comm_state.over_nodes && comm_state.team->puller)
    comm_state.graph =
        learn_graph(underlying, comm_state.communicator, static_cast<Rank>(comm_state.size),
                    static_cast<Rank>(comm_state.rank), comm_state.team->most_blocks_along_edges(),
                    comm_state.team->graphs);
  const auto note = [&tally = comm_state.tally](const std::string& sentence) {
    tally.note(sentence);
  };
  if (comm_state.team && comm_state.is_reported) comm_state.team->endpoint->tell_outcomes_to(note);
  if (comm_state.team && comm_state.is_reported)
    if (CallTrials* const trials = comm_state.team->trials_of_uneven_calls())
      trials->tell_outcomes_to(note);
  if (comm_state.over_nodes && comm_state.is_reported)
    comm_state.over_nodes->trials().tell_outcomes_to(note);
  if (comm_state.team && !comm_state.team->why_not_reached.empty())
    comm_state.tally.note(comm_state.team->why_not_reached);
}

Destination Dispatch::destination_of(const Elements& elements, bool takes_buffers) {
  if (elements.count > 0 && !takes_buffers) return {fall_back(kWrongBuffer)};
  Team* const team = team_for(elements.count * elements.bytes);
  if (team == nullptr) return {};
  if (elements.count == 0) {
    count_run(nullptr);
    return {nullptr, true};
  }
  const bool may_be_long = elements.combination == Combination::of_others();
  if (may_be_long && !team->endpoint->has_room_for(collective_, elements, root()))
    return {fall_back_and_warn(kLongElement)};
  if (!is_vector(collective_) && falls_back(*team, elements)) return {};
  return {team};
}

/// A start must not wait, so blocking calls alone set up teams. Nonblocking calls are counted until
/// then: ranks whose counts differ could not tell which of them come after it.
Team* Dispatch::team_to_start(CallKind kind, std::size_t bytes) {
  kind_ = kind;
  bytes_ = bytes;
  if (comm_state_ == nullptr) return nullptr;
  if (comm_state_->stage == TeamStage::counting) {
    ++comm_state_->started_calls;
    return fall_back_and_warn("no blocking call has set up a team yet");
  }
  if (comm_state_->stage == TeamStage::over_nodes) return fall_back_and_warn("several nodes");
  if (comm_state_->stage != TeamStage::joined) return fall_back_and_warn(comm_state_->why.c_str());
  Team& team = *comm_state_->team;
  if (!team.settings.runs(collective_)) return fall_back_and_warn("TERRACE_OFF");
  if (!team.why_not_started.empty()) return fall_back_and_warn(team.why_not_started.c_str());
  return &team;
}

Team* Dispatch::without_team() {
  is_composed_ = comm_state_->stage == TeamStage::over_nodes && is_composed_over_nodes(collective_);
  return is_composed_ ? nullptr : fall_back_and_warn(comm_state_->why.c_str());
}

Team* Dispatch::fall_back_and_warn(const char* why) {
  static const bool is_wanted =
      is_reproducible_wanted();  // reading it takes as long as a short call
  if (is_wanted && combines(collective_) && comm_state_->size > 1)
    say_once("TERRACE_REPRODUCIBLE: some calls of " + std::string(to_text(collective_)) +
             " are the MPI's, whose sums may differ: " + why);
  return fall_back(why);
}

bool Dispatch::note_fallback(Team& team) {
  fallback_of = &*team.endpoint;
  fall_back(kByTrial);
  return true;
}

bool Dispatch::falls_back_by_trial(Team& team, std::uint64_t most_bytes) {
  if (team.uneven_trials == nullptr) return false;
  CallTrials& trials = team.uneven_trials->trials;
  const bool are_told = tells_lengths(collective_);
  const std::uint64_t bytes = are_told ? team.uneven_trials->told(collective_) : most_bytes;
  if (trials.falls_back(collective_, bytes) != true) return false;
  // Now and then Terrace makes such a call, in which ranks hear whether it is still of that class.
  if (are_told && ++team.uneven_trials->untold % kUntoldCalls == 0 && !trials.is_timing())
    return false;
  note_bytes(bytes);
  team.endpoint->pass(identity_of({collective_, 0, root(), false, {}, Signature::kToldLengths}));
  fallback_by = &trials;
  fall_back(kByTrial);
  return true;
}

void complain_of_overrun() {
  say_once("a peer overran its mailbox: please report this, and run with TERRACE=off");
}

void Dispatch::report_run(const Team* team) {
  const bool had_choice = team != nullptr && (team->heaps || team->puller || team->attacher);
  comm_state_->tally.count_run(collective_, bytes_, team ? team->endpoint->last_plan() : kNothing,
                               had_choice ? team->endpoint->last_reach() : std::nullopt);
}

}  // namespace terrace::preload
