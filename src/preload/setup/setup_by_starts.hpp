// SPDX-License-Identifier: BSD-3-Clause
// Team set-up by ranks that do not wait for each other, since they start nonblocking calls: the
// start of one may not wait, so what others have still to tell is looked for at later ones.
//
//     allgather of the rank infos, and of the leader's offer: the MPI's own, nonblocking
//          │ over
//     join ─ and say so in a set-up area, with the neighbours in the communicator's graph
//          │ all have joined
//     take what they said: this rank's endpoint is made
//          │ all have taken it
//     handover: from some call on, all calls are the team's
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "preload/setup/comm_graph.hpp"
#include "preload/setup/handover.hpp"
#include "preload/setup/new_team.hpp"

namespace terrace::preload {

class SetupByStarts {
 public:
  /// Begins one at the same nonblocking call on all ranks. Null: it cannot be, on all ranks alike;
  /// `why` is then half a sentence.
  static std::unique_ptr<SetupByStarts> begin(UnderlyingMpi& underlying, Handle communicator,
                                              Rank ranks, Rank own_rank, bool may_wait,
                                              std::string& why);
  ~SetupByStarts();
  SetupByStarts(const SetupByStarts&) = delete;
  SetupByStarts& operator=(const SetupByStarts&) = delete;

  /// Goes on as far as it can without waiting. `made`: calls of this rank.
  void go_on(const CallNumbers& made);
  /// Goes on, and waits for others some time, once: in a call that may wait.
  void await_others(const CallNumbers& made);
  /// Whether the call of that number is the team's; if not, this rank makes it with the MPI. Ask
  /// after `go_on`, for each call, in order.
  bool is_the_teams(OrderedKind kind, std::uint64_t number);
  /// Whether later calls of all kinds are the team's.
  bool is_past(const CallNumbers& made) const;
  /// Whether the MPI is done with its calls.
  bool is_over_in_mpi();
  /// Whether it waits for more calls, since communicators before this one were short-lived.
  bool waits_for_calls() const { return waits_for_calls_; }
  /// Why there will be no team: half a sentence; "" while there may be one.
  const std::string& why() const { return why_; }

  /// Once a call is the team's.
  std::unique_ptr<Team> take_team() { return std::move(new_team_.team); }
  /// The communicator's graph, likewise; null if it has none.
  std::unique_ptr<CommGraph> take_graph() { return std::move(graph_); }

  /// Tells the others that this rank is in MPI_Finalize, or has been through it.
  void tell_finalizing(Finalizing state);
  /// Keeps a set-up whose communicator is freed until the MPI is done with its buffers.
  static void leave(std::unique_ptr<SetupByStarts> setup);
  /// Waits until the MPI is done with its calls: before a communicator is disconnected.
  void end_in_mpi();
  /// Does so for these and for all that were left, but only some time: before the MPI ends.
  static void end_in_mpi(std::span<SetupByStarts* const> setups);

 private:
  enum class Stage : std::uint8_t { telling, heard, joined, taken, failed };
  struct Message;
  struct AskedEdges;
  class Area;
  class LeftSetups;

  SetupByStarts(UnderlyingMpi& underlying, Handle communicator, std::vector<int> world_ranks,
                Rank own_rank, bool may_wait);
  bool tell();
  void offer(Message& own);
  bool ask_for_edges();
  void hear();
  void join(const CallNumbers& made);
  void leave_plan();
  bool read_plan();
  void take();
  std::unique_ptr<CommGraph> graph_told();
  bool are_all_ready() const;
  void fail(const std::string& why);
  bool give_up(const std::string& why);
  void close_files();

  UnderlyingMpi& underlying_;
  Handle communicator_;
  bool may_wait_;  ///< for more calls, where lives have been short
  bool waits_for_calls_ = false, can_await_others_ = true;
  std::uint64_t begun_at_ = 0;  ///< this rank's number of starts when it could last go on
  bool keeps_files_ = false;    ///< the leader: until all have joined
  Stage stage_ = Stage::telling;
  std::string why_;
  std::optional<CommTopology> topology_;
  std::unique_ptr<Area> area_;
  NewTeam new_team_;
  std::unique_ptr<CommGraph> graph_;
  // The MPI's calls, and what they read and write.
  std::vector<Handle> pending_;
  std::vector<Message> told_;  ///< by rank, with this rank's own behind them
  std::vector<std::unique_ptr<AskedEdges>> asked_;
};

}  // namespace terrace::preload
