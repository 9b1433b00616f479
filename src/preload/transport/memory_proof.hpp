// SPDX-License-Identifier: BSD-3-Clause
// A random number in this process's memory. A peer that reads it by CMA or XPMEM knows that it has
// reached the right process.
#pragma once

#include <cstdint>

namespace terrace::preload {

struct MemoryProof {
  std::uint64_t address = 0;
  std::uint64_t value = 0;
};
MemoryProof own_proof();

/// A peer whose memory this process would reach.
struct ProvenProcess {
  std::int64_t process = 0;
  MemoryProof proof;
};

}  // namespace terrace::preload
