// SPDX-License-Identifier: BSD-3-Clause
// What ranks of a team tell of calls that they will not make, so that peers that wait for them in
// vain can name them (wait_environment.hpp). It lies behind the shares of the team's ranks.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/cache_aligned.hpp"
#include "base/pages.hpp"
#include "base/rank.hpp"

namespace terrace::preload {

/// Progress of a rank with MPI_Finalize.
enum class Finalizing : std::uint32_t { not_yet, now, done };

/// A rank's own word of it, which only that rank writes.
struct alignas(kLineBytes) Departure {
  /// Communicators, of those that the team serves one after the other, that this rank has freed.
  std::atomic<std::uint64_t> lives_ended{0};
  std::atomic<Finalizing> finalizing{Finalizing::not_yet};
};

/// Bytes that those of so many ranks take, in whole pages.
inline std::size_t departures_bytes(Rank ranks) {
  return whole_pages(ranks * sizeof(Departure));
}

}  // namespace terrace::preload
