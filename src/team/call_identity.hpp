// SPDX-License-Identifier: BSD-3-Clause
// What a rank leaves of its calls, so that peers can tell whether they make the same ones
// (call_mismatch.hpp).
#pragma once

#include <atomic>
#include <cstdint>

namespace terrace {

/// Calls of which a rank leaves a record for others to read, and how many of them beside its word.
inline constexpr std::uint64_t kRememberedCalls = 64, kCallsBesideWord = 4;

/// The identity of a call, on which all ranks must agree, in numbers that others can read
/// (engine/signature.hpp).
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
/// Adds one call to the history of what ranks have called so far.
inline constexpr std::uint64_t history_with(std::uint64_t history, const CallIdentity& call) {
  return (history ^ call.hash) * 0x94d049bb133111ebu;
}

/// Leaves a record of a call that its rank is about to begin, over that of an older one.
/// A reader that sees the new record also sees `say_begun` of the previous call.
template <class Record>
[[gnu::always_inline]] inline void leave_record(Record& record, std::uint64_t check,
                                                const CallIdentity& identity) noexcept {
  // release, all: pair with the acquires in `identity_in` and `check_in`.
  record.check.store(check, std::memory_order_release);
  record.bytes.store(identity.bytes, std::memory_order_release);
  record.what.store(identity.what, std::memory_order_release);
  record.lengths.store(identity.lengths, std::memory_order_release);
}

/// The rank begins a call whose record is there.
template <template <class> class Atomic>
[[gnu::always_inline]] inline void say_begun(Atomic<std::uint64_t>& beside_word,
                                             Atomic<std::uint64_t>& last_call, std::uint64_t check,
                                             std::uint64_t call) noexcept {
  // relaxed: before the release of `last_call`, and of the word's value and lines, for which peers
  // wait. Partner: `check_beside`.
  beside_word.store(check, std::memory_order_relaxed);
  // release: pairs with the load in `last_begun`; the record was left before it.
  last_call.store(call, std::memory_order_release);
}

/// The check beside a peer's word, after the acquire of the word's value.
template <template <class> class Atomic>
[[gnu::always_inline]] inline std::uint64_t check_beside(
    const Atomic<std::uint64_t>& beside_word) noexcept {
  // relaxed: the peer has stored the word's value after it. Partner: `say_begun`.
  return beside_word.load(std::memory_order_relaxed);
}

/// The number of the call that a rank has begun last.
template <template <class> class Atomic>
[[gnu::always_inline]] inline std::uint64_t last_begun(
    const Atomic<std::uint64_t>& last_call) noexcept {
  // seq_cst: pairs with the release in `say_begun`, so the records up to here are there, and with
  // the writing in `say_last`.
  return last_call.load(std::memory_order_seq_cst);
}

/// The rank has begun its last call: of two ranks, the later to say so sees in `last_begun` what
/// the other has begun.
template <template <class> class Atomic>
[[gnu::always_inline]] inline void say_last(Atomic<std::uint64_t>& last_call) noexcept {
  // seq_cst: comes before this rank's loads in `last_begun`, which then see the other's.
  last_call.fetch_add(0, std::memory_order_seq_cst);
}

/// Reads a record, which a later call may be writing over: the caller looks at `last_begun`
/// afterwards.
template <class Record>
[[gnu::always_inline]] inline CallIdentity identity_in(const Record& record) noexcept {
  // acquire, all: pair with the releases in `leave_record`, so that the look afterwards tells.
  return {record.bytes.load(std::memory_order_acquire), record.what.load(std::memory_order_acquire),
          record.lengths.load(std::memory_order_acquire)};
}
template <class Record>
[[gnu::always_inline]] inline std::uint64_t check_in(const Record& record) noexcept {
  // acquire: as in `identity_in`.
  return record.check.load(std::memory_order_acquire);
}

/// Whether the record of a call was not written over, of `remembered`, when its rank had begun
/// `last` already.
inline constexpr bool is_remembered(std::uint64_t last, std::uint64_t call,
                                    std::uint64_t remembered) {
  return last - call < remembered - 1;
}

/// A record of what a rank called.
struct alignas(32) CallRecord {
  std::atomic<std::uint64_t> check{0}, bytes{0}, what{0}, lengths{0};
};

}  // namespace terrace
