// SPDX-License-Identifier: BSD-3-Clause
// Watches for dead peers while a thread is in a collective of the underlying MPI, where no code of
// Terrace runs: under TERRACE_CHECK a rank may die between Terrace's collective and the MPI's.
#pragma once

namespace terrace::preload {

class MpiWaitEnvironment;

/// While an object of this class lives, the death of a peer in that team ends the job within some
/// seconds.
class LivenessWatch {
 public:
  explicit LivenessWatch(MpiWaitEnvironment& wait_environment) noexcept;
  ~LivenessWatch();
  LivenessWatch(const LivenessWatch&) = delete;
  LivenessWatch& operator=(const LivenessWatch&) = delete;

 private:
  MpiWaitEnvironment& wait_environment_;
};

}  // namespace terrace::preload
