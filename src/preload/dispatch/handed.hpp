// SPDX-License-Identifier: BSD-3-Clause
// Calls that a trial leaves to the MPI, to time them there.
#pragma once

#include <utility>

#include "engine/team_endpoint.hpp"

namespace terrace::preload {

/// The endpoint of this thread's team that has just left a call to the MPI. Whoever forwards calls
/// takes it, as the call that goes to the MPI next is that one, and tells it when that is over.
inline thread_local TeamEndpoint* handed_by = nullptr;

class HandedOver {
 public:
  HandedOver() : endpoint_(std::exchange(handed_by, nullptr)) {}
  ~HandedOver() {
    if (endpoint_ != nullptr) endpoint_->came_back();
  }
  HandedOver(const HandedOver&) = delete;
  HandedOver& operator=(const HandedOver&) = delete;

 private:
  TeamEndpoint* endpoint_;
};

}  // namespace terrace::preload
