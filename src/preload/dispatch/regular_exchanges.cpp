// SPDX-License-Identifier: BSD-3-Clause
// Collectives that move blocks between ranks without combining them. The layout of a rank's blocks
// is its private matter; peers see packed bytes, and only the bytes of a block must agree.
#include "preload/dispatch/compare_with_mpi.hpp"
#include "preload/dispatch/hot_path.hpp"
#include "preload/dispatch/moving.hpp"
#include "preload/dispatch/over_nodes.hpp"
#include "preload/dispatch/run_or_fall_back.hpp"
#include "preload/mpi/calls.hpp"

namespace terrace::preload {

namespace {

template <class Run>
bool move_checked(Dispatch& dispatch, Moving& moving, Run run) {
  ExchangeCheck check(dispatch.underlying(), dispatch.comm_state(), dispatch.collective(),
                      static_cast<int>(dispatch.root()), moving.given(), moving.wanted());
  return check.around(run);
}

bool move_composed(Dispatch& dispatch, Moving& moving) {
  if (!may_move_over_nodes(dispatch, moving.block_bytes())) return false;
  moving.begin();
  const auto run = [&] {
    return move_over_nodes(dispatch, {moving.input(), moving.output(), moving.block_bytes()});
  };
  const bool is_checked = moving.block_bytes() > 0 && checks_over_nodes(dispatch);
  const bool is_done = is_checked ? move_checked(dispatch, moving, run) : run();
  moving.end();
  return is_done;
}

}  // namespace

bool run_exchange(Collective collective, const RegularExchange& call) {
  Dispatch dispatch(collective, call.communicator, call.root);
  if (!dispatch.is_sound()) return false;
  Moving moving(dispatch, call);
  if (!moving.is_sound()) return dispatch.fall_back(kWrongArguments) != nullptr;
  const auto [team, is_over] =
      dispatch.destination_of({moving.block_bytes()}, moving.takes_buffers());
  if (team == nullptr && dispatch.is_composed()) return move_composed(dispatch, moving);
  if (team == nullptr) return is_over;
  moving.begin();
  const auto run = [&, runs_on = team] { return moving.run(*runs_on); };
  const bool is_done = team->settings.checks ? move_checked(dispatch, moving, run) : run();
  moving.end();
  if (is_done && moving.is_used_as_it_lies())
    remember(dispatch, *team, call, moving.has_input(), moving.has_output());
  return end_of(is_done, dispatch, *team);
}

}  // namespace terrace::preload
