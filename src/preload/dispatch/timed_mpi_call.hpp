// SPDX-License-Identifier: BSD-3-Clause
// Times calls that fall back to the MPI during a trial.
#pragma once

#include <utility>

#include "engine/team_endpoint.hpp"
#include "preload/nodes/node_trials.hpp"

namespace terrace::preload {

/// The endpoint whose call has just fallen back to the MPI on this thread. The next call that is
/// forwarded is that one: forwarding it takes this endpoint, and tells it when the call is over.
inline thread_local TeamEndpoint* fallback_of = nullptr;
/// The trials of a call over several nodes that has just fallen back, likewise.
inline thread_local NodeTrials* fallback_over_nodes_of = nullptr;

class TimedMpiCall {
 public:
  TimedMpiCall()
      : endpoint_(std::exchange(fallback_of, nullptr)),
        over_nodes_(std::exchange(fallback_over_nodes_of, nullptr)) {}
  ~TimedMpiCall() {
    if (endpoint_ != nullptr) endpoint_->end_fallback();
    if (over_nodes_ != nullptr) over_nodes_->end_call();
  }
  TimedMpiCall(const TimedMpiCall&) = delete;
  TimedMpiCall& operator=(const TimedMpiCall&) = delete;

 private:
  TeamEndpoint* endpoint_;
  NodeTrials* over_nodes_;
};

}  // namespace terrace::preload
