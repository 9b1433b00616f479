// SPDX-License-Identifier: BSD-3-Clause
// Barrier and broadcast on a team.
#include "preload/calls.hpp"
#include "base/say.hpp"
#include "preload/attempt.hpp"
#include "preload/check.hpp"
#include "preload/device_memory.hpp"
#include "preload/packing.hpp"
#include "preload/repetition.hpp"

namespace terrace::preload {

namespace {

bool bcast_on(Attempt& attempt, Team& team, const Call& call, void* bytes, std::size_t count) {
  team.world.begin(Collective::bcast);
  const Rank root = static_cast<Rank>(call.root);
  if (!team.settings.checks) return team.endpoint->bcast(bytes, count, root);
  BcastCheck check(attempt.below(), attempt.membership(), bytes, count, call.root);
  const bool is_done = team.endpoint->bcast(bytes, count, root);
  if (is_done) check.compare(bytes);
  return is_done;
}

/// Its layout is this rank's private matter: peers see packed bytes.
bool bcast_packed(Attempt& attempt, Team& team, const Call& call, std::size_t bytes) {
  MpiBelow& below = attempt.below();
  const Packed packed = packed_buffer(bytes);
  const bool is_root = call.root == attempt.membership().rank;
  if (is_root && !pack_elements(below, call.communicator, call.output, call.count, call.type,
                                packed.get(), bytes))
    say_once("the MPI could not pack a buffer of MPI_Bcast: what arrives is undefined");
  const bool is_done = bcast_on(attempt, team, call, packed.get(), bytes);
  if (!is_root && !unpack_elements(below, call.communicator, packed.get(), bytes, call.output,
                                   call.count, call.type))
    say_once("the MPI could not unpack a buffer of MPI_Bcast");
  return is_done;
}

}  // namespace

bool run_barrier(const Call& call) {
  Attempt attempt(Collective::barrier, call.communicator);
  Team* team = attempt.team_for(0);
  if (team == nullptr || attempt.hands_over(*team, {})) return false;
  team->world.begin(Collective::barrier);
  const bool is_done = team->endpoint->barrier();
  if (is_done) remember(attempt, *team, call, true, false);
  if (is_done && team->settings.checks) attempt.below().next_barrier(call.communicator);
  return end_of(is_done, attempt, *team);
}

bool run_bcast(const Call& call) {
  Attempt attempt(Collective::bcast, call.communicator, call.root);
  if (!attempt.is_sound() || call.count < 0) return false;
  const KnownType* known = attempt.below().find_type(call.type);
  const std::optional<std::size_t> element =
      known ? std::optional(known->bytes) : attempt.below().bytes_of_type(call.type);
  if (!element) return false;
  const std::size_t bytes = *element * static_cast<std::size_t>(call.count);
  if (bytes > 0 && !holds_data(attempt.below(), call.output, known != nullptr))
    return attempt.hand_back(kWrongBuffer) != nullptr;
  Team* team = attempt.team_for(bytes);
  if (team == nullptr) return false;
  if (bytes == 0) {
    attempt.count_run(nullptr);
    return true;
  }
  if (attempt.hands_over(*team, {bytes})) return false;
  const bool is_dense = known && !known->has_gaps() && !is_on_device(call.output);
  const bool is_done = is_dense ? bcast_on(attempt, *team, call, call.output, bytes)
                                : bcast_packed(attempt, *team, call, bytes);
  if (is_done && is_dense) remember(attempt, *team, call, true, true);
  return end_of(is_done, attempt, *team);
}

}  // namespace terrace::preload
