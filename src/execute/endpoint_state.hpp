// SPDX-License-Identifier: BSD-3-Clause
// An endpoint's state: one rank of a team between its calls. It leases lines and scratch to each
// call, and remembers which ranks may still read them afterwards. It enforces Invariant S.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/cache_aligned.hpp"
#include "base/contract.hpp"
#include "execute/segmentation.hpp"
#include "plan/call_contract.hpp"
#include "team/call_mismatch.hpp"
#include "team/memory.hpp"
#include "team/waiting.hpp"

namespace terrace {

/// The team's memory that a call uses: the same places at every rank, for all count alike.
struct BufferLease {
  std::uint64_t call = 0;
  std::uint64_t first_line = 0;  ///< uses of lines are numbered on through all calls
  std::uint32_t lines = 0;
  std::uint32_t first_slot = 0;   ///< of the first line, in the ring
  std::size_t scratch_begin = 0;  ///< bytes into each rank's scratch
  std::size_t scratch_end = 0;
};

/// Room that the steps of a call work in.
struct Workspace {
  /// Payloads of this call's lines before they are sent; what this rank reads of its own. Aligned
  /// as the lines' are, for combiners.
  alignas(16) std::array<std::array<std::byte, kPayloadBytes>, kMostLines> staging;
  ResolvedRegions resolved_regions;  ///< of the strip at hand, where blocks are in tables
  Segmentation segmentation;         ///< of a call that brings none
};

/// Programs that a rank has run must outlive it: their contracts say who may still read its memory.
class alignas(kLinePairBytes) EndpointState {
 public:
  EndpointState(const TeamMemory& memory, Rank rank, std::uint64_t first_call = 0);

  /// Limits leases to the first `bytes` bytes of each rank's scratch. The same on all ranks at the
  /// same calls; initially all of it.
  void use_scratch(std::size_t bytes) {
    TERRACE_REQUIRE(bytes <= memory_.scratch_bytes, bytes, memory_.scratch_bytes);
    scratch_bytes_ = bytes;
  }
  /// The number of the last call begun.
  std::uint64_t call() const { return call_; }
  /// The history of this rank's calls, as in `history_with`.
  std::uint64_t history() const { return history_; }
  std::size_t scratch_bytes() const { return scratch_bytes_; }

  Rank rank() const { return rank_; }
  Rank rank_count() const { return memory_.rank_count(); }
  const TeamMemory& memory() const { return memory_; }
  /// The core that each rank takes turns on with others. Empty: none do, or it is not known.
  std::span<const std::uint32_t> cores() const { return cores_; }
  void set_cores(std::span<const std::uint32_t> cores) {
    TERRACE_ASSERT(cores.empty() || cores.size() == rank_count(), cores.size());
    cores_ = cores;
  }

  /// Takes the lease of this rank's next call. Every rank must ask for the same. `scratch_span`:
  /// how far leases go through scratch before they begin anew; 0: as `pieces_in_a_row` says.
  void lease(BufferLease& lease, std::uint32_t lines, std::size_t scratch_bytes,
             std::size_t scratch_span = 0);
  BufferLease lease(std::uint32_t lines, std::size_t scratch_bytes, std::size_t scratch_span = 0) {
    BufferLease made;
    lease(made, lines, scratch_bytes, scratch_span);
    return made;
  }
  /// Tells peers which call this rank makes with a lease, before any step of it. Returns the check
  /// that their calls must have.
  std::uint64_t tell(const BufferLease& lease, const CallIdentity& identity);
  /// A call that the team does not run, on any rank: tells peers, so that one that makes another
  /// call is noticed.
  void pass(const CallIdentity& identity);
  /// Compares the calls that this rank has told with those of its peers, after its last one. Peers
  /// do the same: of two ranks, at least the later sees what both have told.
  std::optional<CallMismatch> last_mismatch() const;
  /// A peer that may still read this rank's share of a lease for an earlier call. None: the call
  /// may begin to write.
  std::optional<Rank> reader_of(const BufferLease& lease) {
    const Rank reader = find_reader(lease);
    return reader == kNoReader ? std::nullopt : std::optional(reader);
  }
  /// Whether there is none.
  bool is_unread(const BufferLease& lease) {
    return needs_no_look(lease) || find_reader(lease) == kNoReader;
  }
  /// The call is over for this rank; `contract` says who may still read its share, and what it has
  /// heard of others.
  void give_back(const BufferLease& lease, const CallContract& contract);

  ProgressWord& word(Rank rank) const {
    TERRACE_ASSERT(rank < rank_count(), rank, rank_count());
    return *ranks_[rank].word;
  }
  Line& line_at(Rank rank, std::uint32_t slot) const {
    TERRACE_ASSERT(rank < rank_count() && slot < kLineSlots, rank, slot);
    return ranks_[rank].lines[slot];
  }
  std::byte* scratch(Rank rank) const {
    TERRACE_ASSERT(rank < rank_count(), rank, rank_count());
    return ranks_[rank].scratch;
  }
  /// The workspace of the one run that a rank has at a time.
  Workspace& workspace() { return workspace_; }
  /// The line that this rank will send first in its next call.
  Line& next_line() const { return own_.lines[next_slot_]; }
  /// This rank's scratch of the next call, if that asks for the same.
  const std::byte* next_scratch(std::size_t scratch_bytes, std::size_t scratch_span) const {
    return scratch(rank_) + next_begin(scratch_bytes, scratch_span);
  }

 private:
  /// Shared memory of this rank that peers may still read for an earlier call. Empty: free.
  struct PendingReaders {
    std::uint64_t call = 0;
    const std::vector<Rank>* readers = nullptr;
  };
  struct PendingScratchReaders {
    PendingReaders pending;
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  /// Returned by what looks for a rank. (Compilers return an optional by way of memory, which they
  /// write in pieces and read whole: each call would wait for its own stores.)
  static constexpr Rank kNoReader = ~Rank{0};

  /// Every earlier use of these lines is known to be over, and no scratch is asked for.
  bool needs_no_look(const BufferLease& lease) const {
    return lease.first_line + lease.lines <= free_until_ &&
           lease.scratch_begin == lease.scratch_end;
  }
  Rank find_reader(const BufferLease& lease);
  void lease_scratch(BufferLease& lease, std::size_t bytes, std::size_t span);
  void keep_scratch(const BufferLease& lease, const CallContract& contract);
  std::size_t next_begin(std::size_t scratch_bytes, std::size_t scratch_span) const;
  Rank reader_of(PendingReaders& pending);
  Rank reader_of_scratch(const BufferLease& lease);
  Rank reader_of_overlapping(const BufferLease& lease);
  bool has_returned(Rank reader, std::uint64_t call);
  PendingScratchReaders& scratch_readers(std::uint64_t number) {
    return scratch_readers_[number % kPendingScratchReaders];
  }

  const TeamMemory& memory_;
  const RankMemory* ranks_;  ///< of the memory
  const RankMemory own_;     ///< this rank's of it
  Rank rank_;
  std::span<const std::uint32_t> cores_;
  std::uint64_t call_;         ///< the last call begun
  std::uint64_t use_;          ///< lines used by the team so far
  std::uint32_t next_slot_;    ///< of the next use
  std::uint64_t free_until_;   ///< uses below this have slots without readers
  std::uint64_t history_ = 0;  ///< of this rank's calls, as in `history_with`
  std::uint64_t all_done_;     ///< every rank is known to have returned from this call
  CacheAlignedVector<std::uint64_t> known_done_;  ///< the same, per rank
  std::array<PendingReaders, kLineSlots> line_readers_;
  std::array<PendingScratchReaders, kPendingScratchReaders> scratch_readers_;
  std::uint64_t first_pending_ = 0, next_pending_ = 0;  ///< from the first on they may be read
  std::size_t unread_begin_ = 0, unread_end_ = 0;  ///< of scratch: pending readers read none of it
  std::size_t scratch_cursor_ = 0;
  std::size_t scratch_bytes_;  ///< of each rank's, that calls may use
  Workspace workspace_;
};

inline void EndpointState::lease(BufferLease& lease, std::uint32_t lines, std::size_t scratch_bytes,
                                 std::size_t scratch_span) {
  TERRACE_ASSERT(lines <= kMostLines, lines);
  lease.call = ++call_;
  lease.first_line = use_;
  lease.lines = lines;
  lease.first_slot = next_slot_;
  use_ += lines;
  next_slot_ = line_slot(use_);
  lease.scratch_begin = lease.scratch_end = 0;
  if (scratch_bytes != 0) lease_scratch(lease, scratch_bytes, scratch_span);
}

inline std::uint64_t EndpointState::tell(const BufferLease& lease, const CallIdentity& identity) {
  TERRACE_ASSERT(lease.call == call_, lease.call, call_);  // the last one taken
  history_ = history_with(history_, identity);
  const std::uint64_t check = check_of(history_, lease.call);
  leave_record(own_.records[lease.call % kRememberedCalls], check, identity);
  ProgressWord& word = *own_.word;
  say_begun(word.checks[lease.call % kCallsBesideWord], word.call, check, lease.call);
  return check;
}

inline void EndpointState::pass(const CallIdentity& identity) {
  const BufferLease nothing = lease(0, 0);
  tell(nothing, identity);
  // release: pairs with the acquires of a peer that waits for this rank in another call.
  ProgressWord& word = *ranks_[rank_].word;
  publish(word.value, word.sleepers, word_done(nothing.call));
}

inline void EndpointState::give_back(const BufferLease& lease, const CallContract& contract) {
  TERRACE_ASSERT(lease.call == call_, lease.call, call_);
  TERRACE_ASSERT(lease.lines <= contract.line_readers.size(), lease.lines);
  for (std::uint32_t i = 0; i < lease.lines; ++i)
    if (const std::vector<Rank>& readers = contract.line_readers[i]; !readers.empty())
      line_readers_[(lease.first_line + i) % kLineSlots] = {lease.call, &readers};
  if (lease.scratch_begin != lease.scratch_end) keep_scratch(lease, contract);
  if (!contract.hears_all) return;
  // Both only grow, as calls and uses of lines do.
  TERRACE_ASSERT(all_done_ < lease.call, all_done_, lease.call);
  TERRACE_ASSERT(free_until_ <= lease.first_line + kLineSlots, free_until_, lease.first_line);
  all_done_ = lease.call - 1;
  free_until_ = lease.first_line + kLineSlots;
}

}  // namespace terrace
