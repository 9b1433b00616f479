// SPDX-License-Identifier: BSD-3-Clause
// What the kernel says of a thread of this process.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>

namespace terrace {

/// Times of a thread, since it began or within some time.
struct ThreadTimes {
  std::uint64_t ran_ns = 0;
  std::uint64_t waited_ns = 0;  ///< for a core, while it might have run
};

/// Whether it sleeps in the system.
bool sleeps(pid_t thread);
/// Since it began; nothing where the kernel does not count.
std::optional<ThreadTimes> times_of(pid_t thread);

}  // namespace terrace
