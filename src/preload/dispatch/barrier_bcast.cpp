// SPDX-License-Identifier: BSD-3-Clause
// Barrier and broadcast on a team.
#include "base/say.hpp"
#include "preload/dispatch/compare_with_mpi.hpp"
#include "preload/dispatch/hot_path.hpp"
#include "preload/dispatch/over_nodes.hpp"
#include "preload/dispatch/run_or_fall_back.hpp"
#include "preload/mpi/calls.hpp"
#include "preload/transport/device_memory.hpp"
#include "preload/transport/packing.hpp"

namespace terrace::preload {

namespace {

template <class Run>
bool bcast_checked(Dispatch& dispatch, void* bytes, std::size_t count, Run run) {
  BcastCheck check(dispatch.underlying(), dispatch.comm_state(), bytes, count,
                   static_cast<int>(dispatch.root()));
  return check.around(run);
}

bool bcast_on(Dispatch& dispatch, Team& team, void* bytes, std::size_t count) {
  const auto run = [&] {
    return team.make_call(Collective::bcast, bytes, bytes, {count}, dispatch.root());
  };
  return team.settings.checks ? bcast_checked(dispatch, bytes, count, run) : run();
}

bool bcast_composed(Dispatch& dispatch, void* bytes, std::size_t count) {
  const auto run = [&] { return bcast_over_nodes(dispatch, bytes, count); };
  const bool is_checked = count > 0 && checks_over_nodes(dispatch);
  return is_checked ? bcast_checked(dispatch, bytes, count, run) : run();
}

/// The buffer's layout is this rank's private matter: peers see packed bytes, which `run` moves.
template <class Run>
bool bcast_packed(Dispatch& dispatch, const MpiCall& call, std::size_t bytes, Run run) {
  UnderlyingMpi& underlying = dispatch.underlying();
  const Packed packed = packed_buffer(bytes);
  const bool is_root = dispatch.rank_in_call().is_root();
  if (is_root && !pack_elements(underlying, call.communicator, call.output, call.count, call.type,
                                packed.get(), bytes))
    say_once("the MPI could not pack a buffer of MPI_Bcast: what arrives is undefined");
  const bool is_done = run(packed.get());
  if (!is_root && !unpack_elements(underlying, call.communicator, packed.get(), bytes, call.output,
                                   call.count, call.type))
    say_once("the MPI could not unpack a buffer of MPI_Bcast");
  return is_done;
}

}  // namespace

bool run_barrier(const MpiCall& call) {
  Dispatch dispatch(Collective::barrier, call.communicator);
  Team* team = dispatch.team_for(0);
  if (team == nullptr) return dispatch.is_composed() && barrier_over_nodes(dispatch);
  if (dispatch.falls_back(*team, {})) return false;
  const bool is_done = team->make_call(Collective::barrier, nullptr, nullptr, {}, 0);
  if (is_done) remember(dispatch, *team, call, true, false);
  if (is_done && team->settings.checks) dispatch.underlying().next_barrier(call.communicator);
  return end_of(is_done, dispatch, *team);
}

bool run_bcast(const MpiCall& call) {
  Dispatch dispatch(Collective::bcast, call.communicator, call.root);
  if (!dispatch.is_sound() || call.count < 0) return false;
  const PredefinedType* known = dispatch.underlying().find_type(call.type);
  const std::optional<std::size_t> element =
      known ? std::optional(known->bytes) : dispatch.underlying().bytes_of_type(call.type);
  if (!element) return false;
  const std::size_t bytes = *element * static_cast<std::size_t>(call.count);
  const auto [destination, is_over] = dispatch.destination_of(
      {bytes}, holds_data(dispatch.underlying(), call.output, known != nullptr));
  Team* const team = destination;
  if (team == nullptr && !dispatch.is_composed()) return is_over;
  const bool is_dense = known && !known->has_gaps() && !is_on_device(call.output);
  if (team == nullptr) {
    const auto compose = [&](void* at) { return bcast_composed(dispatch, at, bytes); };
    if (!may_bcast_over_nodes(dispatch, bytes)) return false;
    return is_dense || bytes == 0 ? compose(call.output)
                                  : bcast_packed(dispatch, call, bytes, compose);
  }
  const auto run = [&](void* at) { return bcast_on(dispatch, *team, at, bytes); };
  const bool is_done = is_dense ? run(call.output) : bcast_packed(dispatch, call, bytes, run);
  if (is_done && is_dense) remember(dispatch, *team, call, true, true);
  return end_of(is_done, dispatch, *team);
}

}  // namespace terrace::preload
