// SPDX-License-Identifier: BSD-3-Clause
// What happens rarely on a call's way to a team, and its end.
#include "preload/attempt.hpp"

#include "preload/agreement.hpp"
#include "preload/say.hpp"

namespace terrace::preload {

namespace {

/// Programs make many communicators that they hardly use: this many calls say that it is in use.
constexpr std::uint32_t kCallsBeforeTeam = 3;

}  // namespace

void count_call(MpiBelow& below, Membership& membership) {
  if (++membership.calls < kCallsBeforeTeam) {
    membership.why = "first calls of a communicator";
    return;
  }
  membership.team = agree_on_team(below, membership, membership.why);
  membership.stage = membership.team ? Stage::joined : Stage::handed_back;
}

bool end_of(bool is_done, Attempt& attempt, const Team& team) {
  if (!is_done)
    say_once("a peer overran its mailbox: please report this, and run with TERRACE=off");
  attempt.count_run(team.seat->last_plan());
  return true;
}

}  // namespace terrace::preload
