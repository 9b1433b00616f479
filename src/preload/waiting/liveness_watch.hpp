// SPDX-License-Identifier: BSD-3-Clause
// Watches for dead peers while a thread is in a call of the underlying MPI: under TERRACE_CHECK a
// rank may die between Terrace's collective and the MPI's.
#pragma once

#include "preload/mpi/watch_thread.hpp"

namespace terrace::preload {

class MpiWaitEnvironment;

/// While an object of this class lives, the death of a peer in that team ends the job within some
/// seconds.
class LivenessWatch final : public Watch {
 public:
  /// Null: this rank has no team, as it is alone on its node.
  explicit LivenessWatch(MpiWaitEnvironment* wait_environment) noexcept;
  ~LivenessWatch();
  void poll() override;

 private:
  MpiWaitEnvironment* wait_environment_;
  int polls_ = 0;  ///< that found a peer dead
};

}  // namespace terrace::preload
