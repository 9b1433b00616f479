// SPDX-License-Identifier: BSD-3-Clause
// Decides whether a team runs a call or it falls back to the MPI: does its communicator have a
// team, and can it run the call? The answers depend only on values that MPI makes equal on all
// ranks of the call.
#pragma once

#include <climits>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>

#include "mpi_calls/buffers_and_in_place.hpp"
#include "preload/dispatch/timed_mpi_call.hpp"
#include "preload/mpi/progress_debt.hpp"
#include "preload/mpi/trace.hpp"
#include "preload/setup/comm_state.hpp"
#include "preload/setup/comm_states.hpp"

namespace terrace::preload {

inline constexpr const char* kWrongBuffer = "a buffer that MPI does not allow";
inline constexpr const char* kWrongArguments = "arguments that MPI does not allow";
inline constexpr const char* kLongElement = "an element longer than the team's memory takes";
inline constexpr const char* kByTrial = "timed or found faster in a trial, or so tuned";
inline constexpr const char* kNothing = "nothing (no bytes)";

/// The place where a call goes.
struct Destination {
  Team* team = nullptr;  ///< null: Terrace runs nothing
  /// Whether there was nothing to do, where there is no team. If false, the caller falls back to
  /// the MPI.
  bool is_done = false;
};

/// Counts a blocking call on a communicator without a team, and sets the team up when it is time.
/// Returns whether the call is the team's.
bool count_call(UnderlyingMpi& underlying, CommState& comm_state);

class Dispatch {
 public:
  Dispatch(Collective collective, Handle communicator, int root = 0,
           CallKind kind = CallKind::blocking)
      : collective_(collective), root_(root), underlying_(underlying_mpi()), kind_(kind) {
    if (underlying_ == nullptr) return;
    comm_state_ = comm_state_of(*underlying_, communicator);
  }

  /// The team that runs the call, or null to fall back. Only for arguments that the MPI accepts: a
  /// wrong call may be made by one rank alone, so it must not count.
  Team* team_for(std::size_t bytes) {
    bytes_ = bytes;
    Team* team = any_team();
    return team != nullptr && allows(bytes) ? team : nullptr;
  }

  /// Returns the team before the size of the call is known.
  Team* any_team() {
    if (comm_state_ == nullptr) return nullptr;
    const bool is_the_teams = has_no_team_yet() ? count_call(*underlying_, *comm_state_)
                                                : comm_state_->stage == TeamStage::joined;
    if (!is_the_teams) return without_team();
    Team& team = *comm_state_->team;
    if (!team.settings.runs(collective_)) return fall_back_and_warn("TERRACE_OFF");
    return &team;
  }

  /// Returns the team that a call that does not block is started on, or null to fall back. Only for
  /// arguments that the MPI accepts, likewise.
  Team* team_to_start(std::size_t bytes);
  /// Whether calls are still counted: then their arguments must have been looked at.
  bool has_no_team_yet() const { return comm_state_->stage <= TeamStage::setting_up; }

  /// Notes the bytes of a call, which were not known when it got its team.
  void note_bytes(std::size_t bytes) { bytes_ = bytes; }

  bool allows(std::size_t bytes) {
    note_bytes(bytes);
    // The MPI counts packed bytes in an int.
    return bytes <= INT_MAX || fall_back_and_warn("2 GiB or more") != nullptr;
  }

  /// Returns where a call with these elements goes. `takes_buffers`: the MPI would accept the
  /// program's buffers, if there are elements.
  Destination destination_of(const Elements& elements, bool takes_buffers);

  /// Whether the call falls back to the MPI by a trial: to time it there, or because it is faster
  /// there. If true, the caller must forward it at once. Ask only when nothing else prevents the
  /// team from running the call.
  bool falls_back(Team& team, const Elements& elements) {
    return team.endpoint->falls_back(collective_, elements, root()) && note_fallback(team);
  }

  /// Whether a call whose blocks differ in length falls back by a trial, likewise. `most_bytes`: of
  /// the longest block, as far as this rank knows.
  bool falls_back_by_trial(Team& team, std::uint64_t most_bytes);

  /// Falls back, and warns if the user wants reproducible sums, which the MPI may not give.
  Team* fall_back_and_warn(const char* why);

  Team* fall_back(const char* why) {
    if (comm_state_) comm_state_->counts.fallen_back(collective_);
    if (comm_state_ && comm_state_->is_reported)
      comm_state_->tally.count_fallback(collective_, bytes_, why, kind_);
    if (recorder() != nullptr && kind_ == CallKind::blocking)
      begin_fallback(collective_, bytes_, why);
    return nullptr;
  }

  /// There is no team of all ranks, but the call is composed of parts on nodes and between them,
  /// unless over_nodes.hpp has an objection.
  bool is_composed() const { return is_composed_; }
  void count_composed(const char* how) {
    comm_state_->counts.ran(collective_, bytes_);
    if (comm_state_->is_reported)
      comm_state_->tally.count_run(collective_, bytes_, how, std::nullopt);
  }

  /// Counts a call that was made, started or initialized by that plan, with this rank's buffers
  /// shown so if there was a choice.
  void count_run_of(const std::string& plan, std::optional<Reach> reach = std::nullopt) {
    comm_state_->counts.ran(collective_, bytes_);
    if (comm_state_->is_reported)
      comm_state_->tally.count_run(collective_, bytes_, plan, reach, kind_);
  }
  /// Counts a call that `team` ran, or that had nothing to do (null).
  void count_run(const Team* team) {
    comm_state_->counts.ran(collective_, bytes_);
    if (comm_state_->is_reported) [[unlikely]]
      report_run(team);
  }

  /// Whether the MPI would accept communicator and root.
  bool is_sound() const {
    return comm_state_ != nullptr && root_ >= 0 && root_ < comm_state_->size;
  }
  Collective collective() const { return collective_; }
  bool is_blocking() const { return kind_ == CallKind::blocking; }
  std::size_t bytes() const { return bytes_; }
  Rank root() const { return static_cast<Rank>(root_); }
  RankInCall rank_in_call() const {
    return {collective_, static_cast<Rank>(comm_state_->size), static_cast<Rank>(comm_state_->rank),
            root()};
  }
  CommState& comm_state() { return *comm_state_; }
  UnderlyingMpi& underlying() { return *underlying_; }

 private:
  Team* without_team();
  bool note_fallback(Team& team);
  void report_run(const Team* team);

  Collective collective_;
  int root_;
  UnderlyingMpi* underlying_;
  CommState* comm_state_ = nullptr;
  std::size_t bytes_ = 0;
  bool is_composed_ = false;
  CallKind kind_;
};

/// Whether only some ranks know the lengths of such a call's blocks, so that they tell each other.
inline bool tells_lengths(Collective collective) {
  return collective != Collective::allgatherv && collective != Collective::reduce_scatter;
}

[[gnu::cold]] void complain_of_overrun();

/// Ends a run. After an overrun, nothing that the team does can be trusted or undone.
inline void end_run(bool is_done, const Team& team) {
  owe_progress();
  if (!is_done && !team.wait_environment.has_told_mismatch()) complain_of_overrun();
}

/// Ends a call. Always true: whatever the outcome, Terrace made the call.
inline bool end_of(bool is_done, Dispatch& dispatch, const Team& team) {
  end_run(is_done, team);
  dispatch.count_run(&team);
  return true;
}

/// Whether the buffer may hold data, which `MPI_IN_PLACE` does not. A null buffer may if the
/// program made the type, from absolute addresses (MPI_BOTTOM); with predefined types it may not.
inline bool holds_data(const UnderlyingMpi& underlying, const void* buffer,
                       bool is_predefined = true) {
  return (buffer != nullptr || !is_predefined) && !underlying.is_in_place(buffer);
}

/// A buffer for packed elements.
using Packed = std::unique_ptr<std::byte, decltype(&std::free)>;
inline Packed packed_buffer(std::size_t bytes) {
  return {static_cast<std::byte*>(std::malloc(bytes)), &std::free};
}

}  // namespace terrace::preload
