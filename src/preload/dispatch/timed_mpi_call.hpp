// SPDX-License-Identifier: BSD-3-Clause
// Times calls that fall back to the MPI during a trial.
#pragma once

#include <utility>

#include "engine/team_endpoint.hpp"
#include "preload/mpi/call_trials.hpp"

namespace terrace::preload {

/// The endpoint whose call has just fallen back to the MPI on this thread. The next call that is
/// forwarded is that one: forwarding it takes this endpoint, and tells it when the call is over.
inline thread_local TeamEndpoint* fallback_of = nullptr;
/// The trials of whole calls by which a call has just fallen back, likewise.
inline thread_local CallTrials* fallback_by = nullptr;

class TimedMpiCall {
 public:
  TimedMpiCall()
      : endpoint_(std::exchange(fallback_of, nullptr)),
        tried_(std::exchange(fallback_by, nullptr)) {}
  ~TimedMpiCall() {
    if (endpoint_ != nullptr) endpoint_->end_fallback();
  }
  TimedMpiCall(const TimedMpiCall&) = delete;
  TimedMpiCall& operator=(const TimedMpiCall&) = delete;

 private:
  TeamEndpoint* endpoint_;
  TriedCall tried_;
};

}  // namespace terrace::preload
