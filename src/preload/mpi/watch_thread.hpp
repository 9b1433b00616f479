// SPDX-License-Identifier: BSD-3-Clause
// Watches while a thread is in a call of the underlying MPI, where no code of Terrace runs: for
// ranks that do not come, and what others add.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/ticks.hpp"

namespace terrace::preload {

/// Polled each second by a thread of Terrace's, between `begin` and `end`.
class Watch {
 public:
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  virtual void poll() = 0;

 protected:
  Watch() = default;
  ~Watch() = default;
  void begin();
  /// Once it has returned, `poll` is not being called, and never will be.
  void end();
};

/// The sentence for ranks of a communicator that do not come to a call of Terrace's own: `what`.
std::string stall_text(const char* what);

/// Says so once an object of this class has lived for some seconds.
class StallWatch final : public Watch {
 public:
  /// `what` must outlive the object. `seconds`: 0 or infinite: never.
  StallWatch(const char* what, double seconds);
  ~StallWatch() { end(); }
  void poll() override;

 private:
  const char* what_;
  std::optional<KernelClock::time_point> stalls_;  ///< nothing: it has been said, or never will be
};

}  // namespace terrace::preload
