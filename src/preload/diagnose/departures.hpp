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

/// Where a rank is with MPI_Finalize.
enum class Finalizing : std::uint32_t { not_yet, now, done };

/// Only its rank writes it.
struct alignas(kLineBytes) Departure {
  /// How many of the communicators that the team serves one after the other this rank has freed.
  std::atomic<std::uint64_t> lives_left{0};
  std::atomic<Finalizing> finalizing{Finalizing::not_yet};
};

/// What those of so many ranks take, in whole pages.
inline std::size_t departures_bytes(Rank ranks) {
  const std::size_t page = page_bytes();
  return (ranks * sizeof(Departure) + page - 1) / page * page;
}

}  // namespace terrace::preload
