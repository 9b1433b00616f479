// SPDX-License-Identifier: BSD-3-Clause
// The four calls, as the adapters hand them in: run on a team, or to be handed on.
#pragma once

#include <cstdint>

#include "preload/below.hpp"

namespace terrace::preload {

/// The user's arguments. `input` is null where the call has none; a bcast's buffer is `output`.
struct Call {
  Handle communicator = 0;
  const void* input = nullptr;
  void* output = nullptr;
  std::int64_t count = 0;
  Handle type = 0;
  Handle op = 0;
  int root = 0;
};

// True: done. False: the caller hands the call to the next in the chain.
bool run_barrier(const Call& call);
bool run_bcast(const Call& call);
bool run_reduce(const Call& call);
bool run_allreduce(const Call& call);

}  // namespace terrace::preload
