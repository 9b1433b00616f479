// SPDX-License-Identifier: BSD-3-Clause
// Times calls that fall back to the MPI during a trial.
#pragma once

#include <utility>

#include "engine/team_endpoint.hpp"

namespace terrace::preload {

/// The endpoint whose call has just fallen back to the MPI on this thread. The next call that is
/// forwarded is that one: forwarding it takes this endpoint, and tells it when the call is over.
inline thread_local TeamEndpoint* fallback_of = nullptr;

class TimedMpiCall {
 public:
  TimedMpiCall() : endpoint_(std::exchange(fallback_of, nullptr)) {}
  ~TimedMpiCall() {
    if (endpoint_ != nullptr) endpoint_->end_fallback();
  }
  TimedMpiCall(const TimedMpiCall&) = delete;
  TimedMpiCall& operator=(const TimedMpiCall&) = delete;

 private:
  TeamEndpoint* endpoint_;
};

}  // namespace terrace::preload
