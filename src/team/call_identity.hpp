// SPDX-License-Identifier: BSD-3-Clause
// What a rank leaves of its calls, so that peers can tell whether they make the same ones
// (call_mismatch.hpp).
#pragma once

#include <atomic>
#include <cstdint>

namespace terrace {

/// Calls of which a rank leaves a record for others to read, and how many of them beside its word.
inline constexpr std::uint64_t kRememberedCalls = 64, kCallsBesideWord = 4;

/// What all ranks must agree on in a call, in numbers that others can read (engine/signature.hpp).
struct CallIdentity {
  constexpr CallIdentity() : CallIdentity(0, 0, 0) {}
  constexpr CallIdentity(std::uint64_t its_bytes, std::uint64_t its_what, std::uint64_t its_lengths)
      : bytes(its_bytes), what(its_what), lengths(its_lengths) {
    // Odd constants of multiplicative hashing.
    hash = (bytes * 0x9e3779b97f4a7c15u ^ what * 0xc2b2ae3d27d4eb4fu) + lengths;
    hash = (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9u;
    hash ^= hash >> 32;
  }

  std::uint64_t bytes, what;
  std::uint64_t lengths;   ///< of blocks that differ, where all ranks know them all: a hash
  std::uint64_t hash = 0;  ///< of the three, worked out once for many calls

  bool operator==(const CallIdentity&) const = default;
};

/// A number that two ranks have in common if they have made the same calls up to that one. In its
/// lowest bits the call's number, so that one of a later call is told from a wrong one.
inline constexpr std::uint64_t kCallTag = 0xffff;
inline constexpr std::uint64_t check_of(std::uint64_t history, std::uint64_t call) {
  return (history & ~kCallTag) | (call & kCallTag);
}
inline constexpr bool is_check_of(std::uint64_t check, std::uint64_t call) {
  return ((check ^ call) & kCallTag) == 0;
}
/// What ranks have called so far, with one call more.
inline constexpr std::uint64_t history_with(std::uint64_t history, const CallIdentity& call) {
  return (history ^ call.hash) * 0x94d049bb133111ebu;
}

/// What a rank called.
struct alignas(32) CallRecord {
  std::atomic<std::uint64_t> check{0}, bytes{0}, what{0}, lengths{0};
};

}  // namespace terrace
