// SPDX-License-Identifier: BSD-3-Clause
// Why an allocation has failed, for programs that end because of it. How much was wanted is known
// where operator_new.cpp is compiled in.
#pragma once

#include <cstddef>

namespace terrace {

/// Bounds of a process's memory, in bytes; 0: unknown.
struct MemoryBounds {
  std::size_t addresses = 0, addresses_limit = 0;  ///< in use, and of `ulimit -v`
  std::size_t writable = 0, writable_limit = 0;    ///< in use, and of `ulimit -d`
  std::size_t machine = 0;                         ///< what the machine has
};

/// Writes half a sentence: why a process in those bounds gets no further `bytes` (0: unknown).
void write_reason(const MemoryBounds& bounds, std::size_t bytes, char* text,
                  std::size_t room) noexcept;

/// An allocation of so many has failed.
void note_bytes_wanted(std::size_t bytes) noexcept;

/// Why there was no memory for the allocation that has failed last. Allocates nothing. Valid until
/// the next call.
const char* reason_for_no_memory() noexcept;

}  // namespace terrace
