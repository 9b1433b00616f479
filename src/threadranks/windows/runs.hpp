// SPDX-License-Identifier: BSD-3-Clause
// Runs: where the bytes of elements lie, as a list of addresses that another process understands
// without the datatype, and that outlives it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "threadranks/types/layout_cursor.hpp"

namespace terrace::threadranks {

/// Contiguous bytes at an address of the process that has them.
struct ByteRun {
  std::uint64_t at = 0;
  std::uint64_t bytes = 0;
};
using Runs = std::vector<ByteRun>;

/// Appends the next `bytes` bytes of a layout, which has as many.
void add_runs(LayoutCursor& from, std::size_t bytes, Runs& runs);

/// Appends of the next `bytes` bytes as many as fit `room`, together with their runs. Never parts
/// `granule` bytes, of which `bytes` is a multiple. Returns how many: 0 only if there are none.
std::size_t take_runs(LayoutCursor& from, std::size_t bytes, std::size_t granule, std::size_t room,
                      Runs& runs);

/// Copies the runs' bytes, one after the other, to `packed`, ...
void gather(std::span<const ByteRun> runs, std::byte* packed);
/// ... and from there.
void scatter(const std::byte* packed, std::span<const ByteRun> runs);
std::size_t bytes_of(std::span<const ByteRun> runs);

}  // namespace terrace::threadranks
