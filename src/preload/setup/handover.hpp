// SPDX-License-Identifier: BSD-3-Clause
// The handover of a communicator's calls from the MPI to a team that ranks set up without waiting
// for each other: from which call on they are the team's. All ranks must agree on that, but some
// have made calls already that others have not.
//
// So each call has a number, by its kind, and one word of shared memory has the highest number that
// a rank has made with the MPI. Ranks raise it until all of them are ready. Then the first that
// makes another call closes it: calls with higher numbers are the team's.
//
//     rank 0   1  2  3  4           5 (team)  6
//     rank 1   1  2      3  4 (MPI, though closed)  5
//     rank 2   1      2      3     4     5
//              raised: 1 2 3 4     closed at 4, when all are ready
//
// Kinds are numbered apart, as programs exist in which ranks differ in the order of a blocking call
// and a nonblocking one.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/contract.hpp"

namespace terrace::preload {

/// Kinds of calls that ranks make in one order each.
enum class OrderedKind : std::uint8_t { blocking, started };
inline constexpr std::size_t kOrderedKinds = 2;

/// Numbers of calls, by kind.
using CallNumbers = std::array<std::uint64_t, kOrderedKinds>;

/// Lies in shared memory, and begins as zeroes.
class Handover {
 public:
  /// This rank has made so many calls with the MPI. Before it is ready.
  void raise(const CallNumbers& made) noexcept {
    for (std::size_t kind = 0; kind < kOrderedKinds; ++kind)
      is_the_teams(static_cast<OrderedKind>(kind), made[kind], false);
  }

  /// Whether the call of that number, from 1 on, is the team's. Ask for each call, in order; while
  /// not `are_all_ready` it is the MPI's.
  bool is_the_teams(OrderedKind kind, std::uint64_t number, bool are_all_ready) noexcept {
    TERRACE_ASSERT(number <= kMost, number);  // ranks are not so far ahead of each other
    // acquire: pairs with the release of the rank that closed it, which had seen all ready.
    std::uint64_t seen = word_.load(std::memory_order_acquire);
    while (!(seen & kClosed)) {
      const bool is_raised = number <= last_in(seen, kind);
      if (is_raised && !are_all_ready) return false;
      const std::uint64_t next = are_all_ready ? seen | kClosed : with(seen, kind, number);
      // release: pairs with the acquires above and here, in other ranks.
      if (word_.compare_exchange_weak(seen, next, std::memory_order_acq_rel,
                                      std::memory_order_acquire))
        seen = next;
    }
    return number > last_in(seen, kind);
  }

  /// Whether the next call of each kind is the team's, where these were made.
  bool is_past(const CallNumbers& made) const noexcept {
    const std::uint64_t seen = word_.load(std::memory_order_acquire);  // as above
    bool is_past = (seen & kClosed) != 0;
    for (std::size_t kind = 0; kind < kOrderedKinds; ++kind)
      is_past = is_past && made[kind] >= last_in(seen, static_cast<OrderedKind>(kind));
    return is_past;
  }

 private:
  static constexpr unsigned kBits = 31;
  static constexpr std::uint64_t kMost = (std::uint64_t{1} << kBits) - 1;
  static constexpr std::uint64_t kClosed = std::uint64_t{1} << 63;

  static unsigned place_of(OrderedKind kind) { return kind == OrderedKind::blocking ? 0 : kBits; }
  static std::uint64_t last_in(std::uint64_t word, OrderedKind kind) {
    return word >> place_of(kind) & kMost;
  }
  static std::uint64_t with(std::uint64_t word, OrderedKind kind, std::uint64_t number) {
    return (word & ~(kMost << place_of(kind))) | number << place_of(kind);
  }

  std::atomic<std::uint64_t> word_{0};
};

}  // namespace terrace::preload
