// SPDX-License-Identifier: BSD-3-Clause
// The hot path: a call like the last one of its collective on its communicator runs the prepared
// call that the last one left. Each rank takes this short cut on its own: the steps that it skips
// would give the same result.
#pragma once

#include "preload/dispatch/run_or_fall_back.hpp"
#include "preload/mpi/calls.hpp"
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

/// Remembers an exchange of blocks.
inline void remember(Dispatch& dispatch, const Team& team, const RegularExchange& call,
                     bool has_input, bool has_output) {
  CommState& comm_state = dispatch.comm_state();
  if (team.settings.checks || comm_state.is_reported) return;
  LastCall& last = comm_state.last_calls[static_cast<std::size_t>(dispatch.collective())];
  last = LastCall::exchange(call.input.type, call.input.count, call.output.type, call.output.count,
                            call.root, has_input, has_output);
  last.bytes = dispatch.bytes();
  last.note(*team.endpoint);
}

/// The input of a reduction whose buffers can be used like those of the last call; null if the slow
/// path must decide.
inline const void* usual_input(const LastCall& last, Collective collective, const MpiCall& call,
                               const UnderlyingMpi& underlying) {
  const void* input = call.input;
  if (underlying.is_in_place(input)) {
    if (!last.has_output) return nullptr;  // as only some MPIs allow
    input = call.output;
  } else if (input == call.output) {
    // As the slow path has it: only an output that the MPI looks at.
    const bool shows_output = last.has_output || collective == Collective::exscan;
    if (shows_output && !underlying.takes_equal_buffers(collective, call.count)) return nullptr;
  }
  if (last.has_output && !holds_data(underlying, call.output)) return nullptr;
  return (input == call.output) == last.is_in_place ? input : nullptr;
}

/// The buffers of an exchange that can be used like those of the last call. False: the slow path
/// must decide.
[[gnu::always_inline]] inline bool usual_buffers(const LastCall& last, Collective collective,
                                                 const RegularExchange& call,
                                                 const UnderlyingMpi& underlying,
                                                 const TeamEndpoint& endpoint, const void*& input,
                                                 void*& output) {
  if (last.has_input && !holds_data(underlying, call.input.buffer)) return false;
  if (last.has_output && !holds_data(underlying, call.output.buffer)) return false;
  input = last.has_input ? call.input.buffer : nullptr;
  output = last.has_output ? call.output.buffer : nullptr;
  endpoint.number_own_block(collective, input, output, last.bytes);
  return input != output;  // which some MPIs refuse
}

/// Makes the last call again, with these buffers, which is the end of each short cut.
[[gnu::always_inline]] inline void repeat_last(CommState& comm_state, Collective collective,
                                               const LastCall& last, const void* input,
                                               void* output) {
  Team& team = *comm_state.team;
  team.wait_environment.begin();
  const bool is_done = team.endpoint->repeat(*last.prepared, input, output);
  comm_state.counts.ran(collective, last.bytes);
  end_run(is_done, team);
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
    input = usual_input(last, collective, call, team.wait_environment.underlying());
    if (input == nullptr) return false;
  }
  if (has_devices() || !last.may_be_repeated(*team.endpoint)) return false;
  repeat_last(*comm_state, collective, last, input, call.output);
  return true;
}

/// Repeats an exchange, as by `run_exchange`.
[[gnu::always_inline]] inline bool repeat(Collective collective, const RegularExchange& call) {
  CommState* const comm_state = recent_comm_state(call.communicator);
  if (comm_state == nullptr) return false;
  const LastCall& last = comm_state->last_calls[static_cast<std::size_t>(collective)];
  if (!last.is_exchange(call.input.type, call.input.count, call.output.type, call.output.count,
                        call.root))
    return false;
  Team& team = *comm_state->team;
  const UnderlyingMpi& underlying = team.wait_environment.underlying();
  const void* input;
  void* output;
  if (!usual_buffers(last, collective, call, underlying, *team.endpoint, input, output))
    return false;
  if (has_devices() || !last.may_be_repeated(*team.endpoint)) return false;
  repeat_last(*comm_state, collective, last, input, output);
  return true;
}

}  // namespace terrace::preload
