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

constexpr const char* kFinalizing = "MPI_Finalize has begun";

/// Takes what the ranks of a communicator have agreed on.
void adopt(CommState& comm_state, Agreement agreed) {
  comm_state.team = std::move(agreed.team);
  comm_state.over_nodes = std::move(agreed.over_nodes);
  comm_state.plan_over_nodes = std::move(agreed.plan_over_nodes);
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

/// Goes on with a set-up by starts. Returns whether the next call of that kind is the team's.
bool go_on_with_setup(CommState& comm_state, OrderedKind kind, bool may_wait) {
  SetupByStarts& setup = *comm_state.setup;
  CallNumbers made = {comm_state.calls, comm_state.started_calls};
  setup.go_on(made);
  if (may_wait) setup.await_others(made);
  const std::uint64_t number = ++made[static_cast<std::size_t>(kind)];
  const bool is_the_teams = setup.is_the_teams(kind, number);
  comm_state.calls = static_cast<std::uint32_t>(made[0]);
  comm_state.started_calls = made[1];
  if (!setup.why().empty()) {
    comm_state.why_not_by_starts = setup.why();
    comm_state.stage = TeamStage::counting;
    // What the MPI is not done with stays with the communicator, which may be disconnected.
    if (setup.is_over_in_mpi()) comm_state.setup.reset();
    return false;
  }
  if (!is_the_teams) return false;
  if (!comm_state.team) {
    comm_state.graph = setup.take_graph();
    adopt(comm_state, {setup.take_team(), nullptr, nullptr});
  }
  if (setup.is_past(made)) {
    comm_state.stage = TeamStage::joined;
    comm_state.setup.reset();
  }
  return true;
}

/// Begins a set-up by starts, unless the first blocking call must be the team's.
void begin_setup(UnderlyingMpi& underlying, CommState& comm_state, bool may_wait) {
  if (have_setups_ended())
    comm_state.why_not_by_starts = kFinalizing;
  else if (calls_before_team(underlying, comm_state) == 1)
    comm_state.why_not_by_starts = "its first blocking call sets up the team";
  if (!comm_state.why_not_by_starts.empty()) return;
  comm_state.setup = SetupByStarts::begin(
      underlying, comm_state.communicator, static_cast<Rank>(comm_state.size),
      static_cast<Rank>(comm_state.rank), may_wait, comm_state.why_not_by_starts);
  if (comm_state.setup) comm_state.stage = TeamStage::setting_up;
}

/// Counts a call that does not block, on a communicator without a team, and begins to set the team
/// up when it is time. Returns whether the call is the team's. Persistent calls are initialized to
/// be made often, and to initialize one may wait.
bool count_start(UnderlyingMpi& underlying, CommState& comm_state, CallKind kind) {
  const bool is_persistent = kind == CallKind::persistent;
  if (comm_state.started_calls == 0) look_early(underlying);
  if (comm_state.stage == TeamStage::counting && comm_state.why_not_by_starts.empty()) {
    const std::uint32_t before =
        comm_state.communicator == underlying.world() ? kCallsInWorld : kCallsElsewhere;
    if (is_persistent || comm_state.started_calls + 1 >= before)
      begin_setup(underlying, comm_state, !is_persistent);
  }
  if (comm_state.stage == TeamStage::setting_up)
    return go_on_with_setup(comm_state, OrderedKind::started, is_persistent);
  ++comm_state.started_calls;
  return false;
}

/// Lets ranks agree on a team, in the blocking call that was counted. Returns whether that is the
/// team's.
bool found_team(UnderlyingMpi& underlying, CommState& comm_state) {
  if (have_setups_ended()) {
    comm_state.why = kFinalizing;
    comm_state.stage = TeamStage::fallen_back;
    return false;
  }
  const bool may_wait = comm_state.calls_before_team == kCallsInWorld ||
                        comm_state.calls_before_team == kCallsElsewhere;
  std::string why;
  adopt(comm_state, agree_on_team(underlying, comm_state, may_wait, why));
  if (why == kByStarts) {
    comm_state.calls_before_team *= 2;
    return false;
  }
  comm_state.why = why;
  if (comm_state.why == kShortLife) {
    comm_state.calls_before_team = static_cast<std::uint32_t>(kCallsOfShortLife);
    return false;
  }
  if (comm_state.over_nodes) comm_state.why = kNotComposed;
  if (comm_state.over_nodes && comm_state.communicator == underlying.world())
    // relaxed: as above.
    is_reproducible_over_nodes.store(comm_state.over_nodes->settings.is_reproducible,
                                     std::memory_order_relaxed);
  comm_state.stage = comm_state.over_nodes ? TeamStage::over_nodes
                     : comm_state.team     ? TeamStage::joined
                                           : TeamStage::fallen_back;
  if (comm_state.stage == TeamStage::joined && comm_state.team->puller)
    comm_state.graph =
        learn_graph(underlying, comm_state.communicator, static_cast<Rank>(comm_state.size),
                    static_cast<Rank>(comm_state.rank), comm_state.team->most_blocks_along_edges(),
                    true, comm_state.team->graphs);
  return comm_state.stage == TeamStage::joined;
}

/// Why a call is not the team's while calls are counted.
const char* why_without_team(const CommState& comm_state) {
  if (comm_state.stage == TeamStage::setting_up)
    return comm_state.setup->waits_for_calls() ? kShortLife : "the team is being set up";
  if (!comm_state.why_not_by_starts.empty()) return comm_state.why_not_by_starts.c_str();
  return "first calls of a communicator";
}

}  // namespace

bool count_call(UnderlyingMpi& underlying, CommState& comm_state) {
  if (comm_state.calls == 0)
    comm_state.calls_before_team = calls_before_team(underlying, comm_state);
  if (comm_state.stage == TeamStage::setting_up) {
    if (go_on_with_setup(comm_state, OrderedKind::blocking, false)) return true;
  } else {
    ++comm_state.calls;
  }
  return comm_state.calls == comm_state.calls_before_team && found_team(underlying, comm_state);
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

Team* Dispatch::team_to_start(std::size_t bytes) {
  bytes_ = bytes;
  if (comm_state_ == nullptr) return nullptr;
  const bool is_the_teams = has_no_team_yet() ? count_start(*underlying_, *comm_state_, kind_)
                                              : comm_state_->stage == TeamStage::joined;
  if (!is_the_teams && has_no_team_yet()) return fall_back_and_warn(why_without_team(*comm_state_));
  if (comm_state_->stage == TeamStage::over_nodes) return fall_back_and_warn("several nodes");
  if (!is_the_teams) return fall_back_and_warn(comm_state_->why.c_str());
  Team& team = *comm_state_->team;
  if (!team.settings.runs(collective_)) return fall_back_and_warn("TERRACE_OFF");
  if (!team.why_not_started.empty()) return fall_back_and_warn(team.why_not_started.c_str());
  // The MPI's calls could not be begun in one order, as ranks may start persistent ones in any.
  if (team.settings.checks && kind_ == CallKind::persistent)
    return fall_back_and_warn("TERRACE_CHECK compares no persistent calls");
  return &team;
}

Team* Dispatch::without_team() {
  is_composed_ = comm_state_->stage == TeamStage::over_nodes && is_composed_over_nodes(collective_);
  if (is_composed_) return nullptr;
  const bool is_counted = has_no_team_yet() && comm_state_->why != kShortLife;
  return fall_back_and_warn(is_counted ? why_without_team(*comm_state_) : comm_state_->why.c_str());
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
