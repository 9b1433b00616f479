// SPDX-License-Identifier: BSD-3-Clause
// Invariant S: shared memory is written again only when every rank that reads it for an earlier
// use is known to have finished reading.
//
//     lines      call 7 | call 8 |   free   |  call 5  | call 6 |     a ring of single lines
//     scratch    call 7    | call 8 ......  |  call 5     | call 6    a ring of varying pieces
//                          └ next lease          └ its readers may not be done: wait at entry
//
// Successive calls get different memory, so a rank rarely waits at entry for peers that are still
// reading: a root may send several vectors ahead.
#include "execute/endpoint_state.hpp"

#include <algorithm>

#include "base/contract.hpp"

namespace terrace {

namespace {

bool is_apart(const void* place) {
  return place != nullptr && reinterpret_cast<std::uintptr_t>(place) % kLinePairBytes == 0;
}

const RankMemory& share_of(const TeamMemory& memory, Rank rank) {
  TERRACE_REQUIRE(rank < memory.rank_count(), rank, memory.rank_count());
  return memory.ranks[rank];
}

}  // namespace

EndpointState::EndpointState(const TeamMemory& memory, Rank rank, std::uint64_t first_call)
    : memory_(memory),
      ranks_(memory.ranks.data()),
      own_(share_of(memory, rank)),
      rank_(rank),
      call_(first_call),
      use_(first_call),
      next_slot_(line_slot(first_call)),
      free_until_(first_call + kLineSlots),
      all_done_(first_call),
      known_done_(memory.rank_count(), first_call),
      scratch_bytes_(memory.scratch_bytes) {
  for ([[maybe_unused]] const RankMemory& share : memory.ranks) {
    TERRACE_REQUIRE(is_apart(share.word) && is_apart(share.lines) && is_apart(share.scratch),
                    share.word, share.lines, share.scratch);
    TERRACE_ASSERT(share.boards != nullptr && share.records != nullptr);
  }
}

void EndpointState::lease_scratch(BufferLease& lease, std::size_t bytes, std::size_t span) {
  lease.scratch_begin = next_begin(bytes, span);
  lease.scratch_end = scratch_cursor_ = lease.scratch_begin + bytes;
  TERRACE_REQUIRE(lease.scratch_end <= scratch_bytes_, lease.scratch_end, scratch_bytes_);
}

/// A longer way needs no more pending readers, since each lease waits for the readers of the
/// oldest.
std::size_t EndpointState::next_begin(std::size_t scratch_bytes, std::size_t scratch_span) const {
  const std::size_t way = scratch_span == 0 ? scratch_bytes * pieces_in_a_row(scratch_bytes)
                                            : std::max(scratch_span, scratch_bytes);
  const std::size_t end = std::min(scratch_bytes_, way);
  TERRACE_ASSERT(scratch_bytes != 0);
  return scratch_cursor_ + scratch_bytes > end ? 0 : scratch_cursor_;
}

std::optional<CallMismatch> EndpointState::last_mismatch() const {
  say_last(ranks_[rank_].word->call);
  return find_mismatch(memory_, rank_);
}

Rank EndpointState::find_reader(const BufferLease& lease) {
  for (std::uint32_t i = 0; i < lease.lines; ++i)
    if (const Rank reader = reader_of(line_readers_[(lease.first_line + i) % kLineSlots]);
        reader != kNoReader)
      return reader;
  if (lease.scratch_begin == lease.scratch_end) return kNoReader;
  return reader_of_scratch(lease);
}

/// Returns a rank that may still read this lease's scratch, or kNoReader. Where all pending readers
/// are taken, the oldest must go in any case: it makes room for this lease's own.
Rank EndpointState::reader_of_scratch(const BufferLease& lease) {
  const auto is_over = [&](const PendingReaders& pending) {
    return pending.readers == nullptr || pending.call <= all_done_;
  };
  while (first_pending_ < next_pending_ && is_over(scratch_readers(first_pending_).pending))
    ++first_pending_;
  TERRACE_ASSERT(next_pending_ - first_pending_ <= kPendingScratchReaders, next_pending_,
                 first_pending_);
  if (next_pending_ - first_pending_ == kPendingScratchReaders) {
    const Rank reader = reader_of(scratch_readers(first_pending_).pending);
    if (reader != kNoReader) return reader;
    ++first_pending_;
  }
  if (lease.scratch_begin < unread_begin_ || unread_end_ < lease.scratch_end) {
    const Rank reader = reader_of_overlapping(lease);
    if (reader != kNoReader) return reader;
  }
  unread_begin_ = lease.scratch_end;
  return kNoReader;
}

/// Leases that follow need not look at all pending readers again: none is for what lies between
/// this lease and the next place that some still read. What later calls keep lies before.
Rank EndpointState::reader_of_overlapping(const BufferLease& lease) {
  std::size_t end = scratch_bytes_;
  for (std::uint64_t number = first_pending_; number < next_pending_; ++number) {
    PendingScratchReaders& scratch = scratch_readers(number);
    if (scratch.pending.readers == nullptr) continue;
    if (scratch.begin >= lease.scratch_end) {
      end = std::min(end, scratch.begin);
    } else if (lease.scratch_begin < scratch.end) {
      const Rank reader = reader_of(scratch.pending);
      if (reader != kNoReader) return reader;
    }
  }
  unread_end_ = end;
  return kNoReader;
}

void EndpointState::keep_scratch(const BufferLease& lease, const CallContract& contract) {
  if (contract.scratch_readers.empty()) return;
  TERRACE_REQUIRE(next_pending_ - first_pending_ < kPendingScratchReaders, next_pending_,
                  first_pending_);
  scratch_readers(next_pending_++) = {
      {lease.call, &contract.scratch_readers}, lease.scratch_begin, lease.scratch_end};
}

bool EndpointState::has_returned(Rank reader, std::uint64_t call) {
  std::uint64_t& known = known_done_[reader];
  TERRACE_ASSERT(reader < rank_count() && reader != rank_, reader, rank_);
  TERRACE_ASSERT(has_reached(call_, call), call, call_);  // no call to come has readers
  if (known >= call) return true;
  // The reader's readings lie before its word.
  const std::uint64_t word = last_published(this->word(reader).value);
  known = std::max(known, calls_done(word, call_));
  return known >= call;
}

Rank EndpointState::reader_of(PendingReaders& pending) {
  if (pending.readers == nullptr) return kNoReader;
  if (pending.call > all_done_)
    for (const Rank reader : *pending.readers)
      if (!has_returned(reader, pending.call)) return reader;
  pending = {};
  return kNoReader;
}

}  // namespace terrace
