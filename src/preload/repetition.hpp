// SPDX-License-Identifier: BSD-3-Clause
// The hot path: a call like the last one of its collective on its communicator goes straight to the
// prepared call that the last one left. A private short cut of each rank: what it skips would come
// to the same.
#pragma once

#include "preload/attempt.hpp"
#include "preload/calls.hpp"
#include "preload/device_memory.hpp"

namespace terrace::preload {

/// Notes what a call left prepared, for the next one like it; where calls are checked or reported,
/// nothing. Of a call that was made where its buffers lie.
inline void remember(Attempt& attempt, const Team& team, const Call& call, bool is_in_place,
                     bool has_output) {
  Membership& membership = attempt.membership();
  if (team.settings.checks || membership.is_reported) return;
  LastCall& last = membership.last_calls[static_cast<std::size_t>(attempt.collective())];
  last = {call.type, call.op, call.count, call.root, is_in_place, has_output, attempt.bytes()};
  last.note(*team.endpoint);
}

/// The input of a reduction whose buffers can be used as those of the last call; null: it cannot be
/// told here.
inline const void* usual_input(const LastCall& last, const Call& call, const MpiBelow& below) {
  const void* input = call.input;
  if (below.is_in_place(input)) {
    if (!last.has_output) return nullptr;  // as only some MPIs allow
    input = call.output;
  } else if (input == call.output && !below.takes_equal_buffers()) {
    return nullptr;
  }
  if (last.has_output && !holds_data(below, call.output)) return nullptr;
  return (input == call.output) == last.is_in_place ? input : nullptr;
}

/// True: done, as by `run_barrier`, `run_bcast` and `run_reduction`. False: nothing has happened.
[[gnu::always_inline]] inline bool repeat(Collective collective, const Call& call) {
  Membership* const membership = recent_membership(call.communicator);
  if (membership == nullptr) return false;
  const LastCall& last = membership->last_calls[static_cast<std::size_t>(collective)];
  if (!last.is(call.type, call.op, call.count, call.root)) return false;
  Team& team = *membership->team;
  const void* input = call.output;
  if (collective == Collective::bcast && !holds_data(team.world.below(), call.output)) return false;
  if (collective != Collective::bcast && collective != Collective::barrier) {
    input = usual_input(last, call, team.world.below());
    if (input == nullptr) return false;
  }
  TeamEndpoint& endpoint = *team.endpoint;
  if (has_devices() || !last.may_be_repeated(endpoint)) return false;
  team.world.begin(collective);
  const bool is_done = endpoint.repeat(*last.prepared, input, call.output);
  membership->counts.ran(collective, last.bytes);
  owe_looks();
  if (!is_done && !team.world.has_told_mismatch()) complain_of_overrun();
  return true;
}

}  // namespace terrace::preload
