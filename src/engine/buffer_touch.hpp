// SPDX-License-Identifier: BSD-3-Clause
// Touches a call's buffers as the program will after it: reads what was received, and fetches for
// writing what was given. Reading takes longer after copies that were stored past the caches,
// writing after peers have read in place, as these lines must come back. Trials add this time.
#pragma once

#include <cstddef>

#include "collectives/collectives.hpp"

namespace terrace {

struct ByteRange {
  const std::byte* begin = nullptr;
  std::size_t bytes = 0;
};

/// The program's buffers in a call at one rank. The two overlap if the call is in place.
struct TouchedBuffers {
  ByteRange given, received;
};

/// Returns this rank's buffers, with blocks numbered as in `TeamEndpoint`; each vector or block has
/// `bytes` bytes. `input` and `output` are not read where the rank has none.
TouchedBuffers touched_buffers(Collective collective, const void* input, const void* output,
                               std::size_t bytes, Rank root, Rank rank, Rank ranks);

/// Reads a byte of each line of `received`, and prefetches each line of `given` for writing: of up
/// to 1 MiB.
void touch(const TouchedBuffers& call);

}  // namespace terrace
