// SPDX-License-Identifier: BSD-3-Clause
// Counts the polls that find a peer dead, and ends the job.
#include "preload/waiting/liveness_watch.hpp"

#include "preload/waiting/wait_environment.hpp"

namespace terrace::preload {

namespace {

/// A peer that has finished the MPI's collective may finalize MPI and exit. This rank then also
/// finishes soon. So a peer counts as dead only after this many polls, a second apart, found it so.
constexpr int kPollsBeforeDeath = 3;

}  // namespace

LivenessWatch::LivenessWatch(MpiWaitEnvironment* wait_environment) noexcept
    : wait_environment_(wait_environment) {
  if (wait_environment_ != nullptr) begin();
}

LivenessWatch::~LivenessWatch() {
  if (wait_environment_ != nullptr) end();
}

void LivenessWatch::poll() {
  if (wait_environment_->dead_peer() && ++polls_ == kPollsBeforeDeath)
    wait_environment_->end_for_dead_peer();
}

}  // namespace terrace::preload
