// SPDX-License-Identifier: BSD-3-Clause
// What a program pays next, once a call is over: it reads what the call has brought, and writes
// anew what it has given. Where copies are stored past the caches, the first takes longer; where
// peers have read in place, the second does, as their lines must come back. So trials time it with
// the call.
#pragma once

#include <cstddef>

#include "collectives/collectives.hpp"

namespace terrace {

struct ByteRange {
  const std::byte* begin = nullptr;
  std::size_t bytes = 0;
};

/// The program's bytes in a call at one rank. They overlap in place.
struct CallBytes {
  ByteRange given, brought;
};

/// Finds them in buffers as `TeamEndpoint` numbers their blocks: vectors, or blocks, of `bytes`
/// bytes. `input` and `output` are null, or whatever, where the rank has none.
CallBytes bytes_of_call(Collective collective, const void* input, const void* output,
                        std::size_t bytes, Rank root, Rank rank, Rank ranks);

/// Reads a byte of each line that was brought, and fetches those that were given for writing.
void touch(const CallBytes& call);

}  // namespace terrace
