// SPDX-License-Identifier: BSD-3-Clause
// Trials of calls over several nodes: composed, or the MPI's own (engine/trial.hpp). Clocks of
// different nodes cannot be compared, so the time of a call is the longest that any rank spends in
// it. A late rank lengthens both ways alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "engine/contest.hpp"
#include "preload/mpi/underlying_mpi.hpp"

namespace terrace::preload {

class NodeTrials {
 public:
  NodeTrials(UnderlyingMpi& underlying, Handle communicator, std::size_t rank_count)
      : underlying_(underlying), communicator_(communicator), rank_count_(rank_count) {}

  /// Whether the next call of this class falls back to the MPI, by what is known, or to time it
  /// there. Ask exactly once for each call; all ranks must ask alike. `end_call` must follow when
  /// the call is over. Nothing: the MPI refused to exchange times, and ranks may decide
  /// differently.
  std::optional<bool> falls_back(Collective collective, std::size_t bytes);
  void end_call();
  /// A sentence for each decision, for reports.
  void tell_outcomes_to(std::function<void(const std::string&)> tell) { tell_ = std::move(tell); }

 private:
  Contest& contest_of(Collective collective, std::size_t bytes);
  bool step(Contest& contest);
  bool exchange_times(Contest& contest);

  UnderlyingMpi& underlying_;
  Handle communicator_;
  std::size_t rank_count_;
  Contests contests_;
  Contest* timed_ = nullptr;  ///< whose call is being timed by itself
  std::uint64_t begin_ns_ = 0;
  std::function<void(const std::string&)> tell_;
};

}  // namespace terrace::preload
