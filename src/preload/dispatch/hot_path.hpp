// SPDX-License-Identifier: BSD-3-Clause
// The hot path: a call like the last one of its collective on its communicator runs the prepared
// call that the last one left. Each rank takes this short cut on its own: the steps that it skips
// would give the same result.
#pragma once

#include "preload/dispatch/collective_calls.hpp"
#include "preload/dispatch/run_or_fall_back.hpp"
#include "preload/transport/device_memory.hpp"

namespace terrace::preload {

/// Remembers what a call left prepared, for the next one like it, unless calls are checked or
/// reported. Only for calls whose buffers were used where they lie.
inline void remember(Dispatch& dispatch, const Team& team, const MpiCall& call, bool is_in_place,
                     bool has_output) {
  CommState& comm_state = dispatch.comm_state();
  if (team.settings.checks || comm_state.is_reported) return;
  LastCall& last = comm_state.last_calls[static_cast<std::size_t>(dispatch.collective())];
  last = {call.type, call.op, call.count, call.root, is_in_place, has_output, dispatch.bytes()};
  last.note(*team.endpoint);
}

/// The input of a reduction whose buffers can be used like those of the last call; null if the slow
/// path must decide.
inline const void* usual_input(const LastCall& last, const MpiCall& call,
                               const UnderlyingMpi& underlying) {
  const void* input = call.input;
  if (underlying.is_in_place(input)) {
    if (!last.has_output) return nullptr;  // as only some MPIs allow
    input = call.output;
  } else if (input == call.output && !underlying.takes_equal_buffers()) {
    return nullptr;
  }
  if (last.has_output && !holds_data(underlying, call.output)) return nullptr;
  return (input == call.output) == last.is_in_place ? input : nullptr;
}

/// Repeats the last call. True: done, as by `run_barrier`, `run_bcast` and `run_reduction`. False:
/// nothing has happened.
[[gnu::always_inline]] inline bool repeat(Collective collective, const MpiCall& call) {
  CommState* const comm_state = recent_comm_state(call.communicator);
  if (comm_state == nullptr) return false;
  const LastCall& last = comm_state->last_calls[static_cast<std::size_t>(collective)];
  if (!last.is(call.type, call.op, call.count, call.root)) return false;
  Team& team = *comm_state->team;
  const void* input = call.output;
  if (collective == Collective::bcast &&
      !holds_data(team.wait_environment.underlying(), call.output))
    return false;
  if (collective != Collective::bcast && collective != Collective::barrier) {
    input = usual_input(last, call, team.wait_environment.underlying());
    if (input == nullptr) return false;
  }
  TeamEndpoint& endpoint = *team.endpoint;
  if (has_devices() || !last.may_be_repeated(endpoint)) return false;
  team.wait_environment.begin();
  const bool is_done = endpoint.repeat(*last.prepared, input, call.output);
  comm_state->counts.ran(collective, last.bytes);
  end_run(is_done, team);
  return true;
}

}  // namespace terrace::preload
