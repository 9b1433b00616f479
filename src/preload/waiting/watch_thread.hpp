// SPDX-License-Identifier: BSD-3-Clause
// Watches while a thread is in a call of the underlying MPI, where no code of Terrace runs: for
// dead peers, as under TERRACE_CHECK a rank may die between Terrace's collective and the MPI's, and
// for ranks that do not come.
#pragma once

#include <string>

namespace terrace::preload {

class MpiWaitEnvironment;

/// While an object of this class lives, the death of a peer in that team ends the job within some
/// seconds.
class LivenessWatch {
 public:
  /// Null: this rank has no team, as it is alone on its node.
  explicit LivenessWatch(MpiWaitEnvironment* wait_environment) noexcept;
  ~LivenessWatch();
  LivenessWatch(const LivenessWatch&) = delete;
  LivenessWatch& operator=(const LivenessWatch&) = delete;

 private:
  MpiWaitEnvironment* wait_environment_;
};

/// Returns what to say when the ranks of a communicator do not come to a call of Terrace's own:
/// `what`.
std::string stall_text(const char* what);

/// Says so once an object of this class has lived for some seconds.
class StallWatch {
 public:
  /// `what` must outlive the object. `seconds`: 0 or infinite: never.
  StallWatch(const char* what, double seconds);
  ~StallWatch();
  StallWatch(const StallWatch&) = delete;
  StallWatch& operator=(const StallWatch&) = delete;
};

}  // namespace terrace::preload
