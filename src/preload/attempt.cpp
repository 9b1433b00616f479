// SPDX-License-Identifier: BSD-3-Clause
// The slow paths of a call on its way to a team, and its end.
#include "preload/attempt.hpp"

#include "base/say.hpp"
#include "preload/agreement.hpp"
#include "preload/job.hpp"
#include "preload/settings.hpp"
#include "preload/short_lives.hpp"

namespace terrace::preload {

namespace {

/// Programs make many communicators that they hardly use: this many calls say that one is in use.
/// An agreement on a team that rests takes as long as some ten calls save, and as ten short calls
/// take; to found one takes longer. MPI_COMM_WORLD lasts as long as the job.
constexpr std::uint32_t kCallsInWorld = 3;
constexpr std::uint32_t kCallsElsewhere = 20;

/// Where all sums are to be reproducible, already the first are. That is so only if all ranks are
/// told so: then all of them look, and all who look see the same.
std::uint32_t calls_before_team(MpiBelow& below, const Membership& membership) {
  const std::uint32_t usual =
      membership.communicator == below.world() ? kCallsInWorld : kCallsElsewhere;
  if (!is_reproducible_wanted()) return usual;
  const std::string why = who_is_not_told("TERRACE_REPRODUCIBLE",
                                          below.ranks_in_world(membership.communicator), below.abi);
  if (why.empty()) return 1;
  say_once("TERRACE_REPRODUCIBLE: " + why +
           ", so sums may differ: set it for all ranks of the job");
  return usual;
}

}  // namespace

void count_call(MpiBelow& below, Membership& membership) {
  if (membership.calls == 0) membership.calls_before_team = calls_before_team(below, membership);
  if (++membership.calls < membership.calls_before_team) {
    if (membership.calls == 1) membership.why = "first calls of a communicator";
    return;
  }
  const bool may_wait = membership.calls_before_team == kCallsInWorld ||
                        membership.calls_before_team == kCallsElsewhere;
  membership.team = agree_on_team(below, membership, may_wait, membership.why);
  if (membership.why == kShortLife) {
    membership.calls_before_team = static_cast<std::uint32_t>(kCallsOfShortLife);
    return;
  }
  membership.stage = membership.team ? Stage::joined : Stage::handed_back;
  if (membership.team && membership.is_reported)
    membership.team->endpoint->tell_outcomes_to(
        [&tally = membership.tally](const std::string& sentence) { tally.note(sentence); });
  if (membership.team && !membership.team->why_not_reached.empty())
    membership.tally.note(membership.team->why_not_reached);
}

Team* Attempt::leave(const char* why) {
  static const bool is_wanted = is_reproducible_wanted();  // a look takes as long as a short call
  if (is_wanted && combines(collective_) && membership_->size > 1)
    say_once("TERRACE_REPRODUCIBLE: some calls of " + std::string(to_text(collective_)) +
             " are the MPI's, whose sums may differ: " + why);
  return hand_back(why);
}

bool Attempt::hand_over(Team& team) {
  handed_by = &*team.endpoint;
  hand_back("a trial of the MPI, or what came of it");
  return true;
}

void complain_of_overrun() {
  say_once("a peer overran its mailbox: please report this, and run with TERRACE=off");
}

void Attempt::report_run(const Team* team) {
  const bool had_choice = team != nullptr && (team->heaps || team->puller || team->attacher);
  membership_->tally.count_run(collective_, bytes_, team ? team->endpoint->last_plan() : kNothing,
                               had_choice ? team->endpoint->last_reach() : std::nullopt);
}

std::size_t Attempt::input_blocks() const {
  const auto ranks = static_cast<std::size_t>(membership_->size);
  const Collective plan = planned_as(collective_);
  if (plan == Collective::scatter) return is_at_root() ? ranks : 0;
  return plan == Collective::alltoall ? ranks : 1;
}

std::size_t Attempt::output_blocks() const {
  const auto ranks = static_cast<std::size_t>(membership_->size);
  const Collective plan = planned_as(collective_);
  if (plan == Collective::gather) return is_at_root() ? ranks : 0;
  return plan == Collective::scatter ? 1 : ranks;
}

}  // namespace terrace::preload
