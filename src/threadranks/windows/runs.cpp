// SPDX-License-Identifier: BSD-3-Clause
// Cuts layouts into runs, and copies to and from them.
#include "threadranks/windows/runs.hpp"

#include <algorithm>
#include <cstring>

#include "base/contract.hpp"

namespace terrace::threadranks {

namespace {

std::byte* address_of(const ByteRun& run) {
  return reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(run.at));
}

}  // namespace

void add_runs(LayoutCursor& from, std::size_t bytes, Runs& runs) {
  while (bytes > 0) {
    const std::size_t now = from.room(bytes);
    TERRACE_REQUIRE(now > 0, bytes);
    const std::uintptr_t at = from.address();
    if (!runs.empty() && runs.back().at + runs.back().bytes == at)
      runs.back().bytes += now;
    else
      runs.push_back({at, now});
    from.pass(now);
    bytes -= now;
  }
}

std::size_t take_runs(LayoutCursor& from, std::size_t bytes, std::size_t granule, std::size_t room,
                      Runs& runs) {
  TERRACE_REQUIRE(granule > 0 && bytes % granule == 0, bytes, granule);
  const auto used = [&](std::size_t data) { return runs.size() * sizeof(ByteRun) + data; };
  std::size_t taken = 0;
  while (taken < bytes) {
    if (used(taken) + sizeof(ByteRun) + granule > room) break;
    const std::size_t fits = room - used(taken) - sizeof(ByteRun);
    const std::size_t here = std::min(from.room(bytes - taken), fits) / granule * granule;
    if (here > 0) {
      add_runs(from, here, runs);
      taken += here;
      continue;
    }
    // An element in several pieces, as pairs have them.
    const LayoutCursor before = from;
    const std::size_t count = runs.size();
    const ByteRun last = runs.empty() ? ByteRun{} : runs.back();
    add_runs(from, granule, runs);
    if (used(taken + granule) > room) {
      from = before;
      runs.resize(count);
      if (!runs.empty()) runs.back() = last;
      break;
    }
    taken += granule;
  }
  TERRACE_REQUIRE(taken > 0 || bytes == 0, bytes, granule, room);
  return taken;
}

void gather(std::span<const ByteRun> runs, std::byte* packed) {
  for (const ByteRun& run : runs) {
    std::memcpy(packed, address_of(run), run.bytes);
    packed += run.bytes;
  }
}

void scatter(const std::byte* packed, std::span<const ByteRun> runs) {
  for (const ByteRun& run : runs) {
    std::memcpy(address_of(run), packed, run.bytes);
    packed += run.bytes;
  }
}

std::size_t bytes_of(std::span<const ByteRun> runs) {
  std::size_t bytes = 0;
  for (const ByteRun& run : runs) bytes += run.bytes;
  return bytes;
}

}  // namespace terrace::threadranks
