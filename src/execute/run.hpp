// SPDX-License-Identifier: BSD-3-Clause
// A run: one execution of a plan by one rank, which can be advanced and resumed; and the member,
// which remembers between the runs of a rank what Invariant S (member.cpp) needs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/kernels.hpp"
#include "plan/part.hpp"
#include "team/memory.hpp"
#include "team/waiting.hpp"

namespace terrace {

/// One rank's arguments of a collective call, and how it is to be run.
struct Call {
  const void* input = nullptr;  ///< element_count elements per block
  void* output = nullptr;       ///< likewise; may be the same memory as input
  std::size_t element_count = 0;
  std::size_t element_bytes = 1;
  std::size_t strip_elements = 0;  ///< equal on all ranks; see strip_elements()
  Reduction reduction = nullptr;   ///< null where the plan only copies
  Reach reach = Reach::bounced;    ///< this rank's own choice, which may differ from its peers'
  Stores stores = Stores::cached;
};

/// How many elements go through the plan at a time: as many as `strip_bytes` holds, unless the
/// team's scratch holds less. Depends only on what all ranks know. At least 1.
std::size_t strip_elements(const Part& part, std::size_t element_count, std::size_t element_bytes,
                           std::size_t strip_bytes, std::size_t scratch_bytes);

/// How many elements one call may carry: more strips than that have no step numbers. Longer vectors
/// take several calls.
std::size_t most_elements(const Part& part, std::size_t strip_elements);

/// A rank of a team, between its calls. Parts that it has run must outlive it: their contracts say
/// who may still read its memory.
class alignas(kLinePairBytes) Member {
 public:
  Member(const TeamMemory& memory, Rank rank, std::uint64_t first_call = 0);

  Rank rank() const { return rank_; }
  Rank rank_count() const { return memory_.rank_count(); }
  const TeamMemory& memory() const { return memory_; }

 private:
  friend class Run;

  /// Shared memory of this rank that peers may still read for an earlier call. Empty: free.
  struct Claim {
    std::uint64_t call = 0;
    const std::vector<Rank>* readers = nullptr;
  };

  Line& line(Rank rank, std::uint64_t use) const {
    return memory_.ranks[rank].lines[line_slot(use)];
  }
  bool is_free(Claim& claim);
  bool has_finished(Rank reader, std::uint64_t call);

  const TeamMemory& memory_;
  Rank rank_;
  std::uint64_t call_;      ///< the last call begun
  std::uint64_t use_;       ///< lines used by the team so far: every rank counts the same
  std::uint64_t all_done_;  ///< every rank is known to have returned from this call
  ApartVector<std::uint64_t> known_done_;  ///< the same, per rank
  std::array<Claim, kLineSlots> line_claims_;
  Claim scratch_claim_;
  /// Payloads of this call's lines before they are sent; what this rank reads of its own.
  std::array<std::array<std::byte, kPayloadBytes>, kLineSlots> drafts_;
  ApartVector<const void*> operands_;  ///< room for the addresses of one step
  ApartVector<void*> targets_;
};

enum class Progress : std::uint8_t {
  done,
  blocked,  ///< a peer must do something first
  overrun,  ///< a line was rewritten before it was read: the plan or its contract is wrong
};

/// Calls of a team begin in the same order on all ranks; a member has one run at a time.
class Run final : public Condition {
 public:
  Run(Member& member, const Part& part, const Call& call);

  /// Works until a wait is unmet, the run is done, or `most_steps` steps are. Allocates nothing.
  Progress advance(std::uint32_t most_steps = ~0u) noexcept;

  /// Whether `advance` would now get further.
  bool holds() noexcept override;
  Bell missing() noexcept override;

  /// The rank that the first unmet wait waits for; this rank itself if none.
  Rank missing_rank() noexcept;
  const Part& part() const { return part_; }

 private:
  bool entry_is_free() noexcept;
  bool is_met(const PartWait& wait) noexcept;
  bool is_met(const Instruction& step) noexcept;
  bool has_come(const Line& line, std::uint64_t sequence) noexcept;
  std::uint64_t word_target(const PartWait& wait) const;
  const PartWait* first_unmet() noexcept;
  Bell bell_of(const PartWait& wait) const;
  std::uint32_t waiting_strip() const;

  void perform(const Instruction& step) noexcept;
  void expose(const Instruction& step) noexcept;
  void reduce(const Instruction& step) noexcept;
  void deliver(const Instruction& step) noexcept;
  void copy(const PartRegion& from, const PartRegion& to) noexcept;
  void announce() noexcept;
  void publish(const Instruction& step) noexcept;
  void send_line(std::uint32_t line) noexcept;
  void next() noexcept;
  void finish() noexcept;

  Announcement announcement_of(Rank rank) const noexcept;
  std::byte* address(const PartRegion& region) const noexcept;
  std::byte* scratch_address(Rank rank, std::uint32_t block, const PartRegion& region) const;
  std::size_t users_offset(const PartRegion& region) const;
  std::size_t tile_begin(std::uint32_t tile) const;
  std::size_t element_count(const PartRegion& region) const;

  Member& member_;
  const Part& part_;
  Call call_;
  std::uint64_t number_;     ///< of this call
  std::uint64_t first_use_;  ///< this call's lines use numbers from here
  std::uint32_t strip_count_;
  std::uint32_t strip_ = 0;
  std::size_t strip_begin_ = 0;  ///< elements before this strip
  std::size_t strip_size_;       ///< elements in this strip
  std::size_t scratch_stride_;   ///< bytes from one scratch block to the next
  std::uint32_t position_ = 0;   ///< index of the next instruction
  bool has_entered_ = false;
  bool has_finished_ = false;
  bool is_overrun_ = false;
  bool has_just_sent_ = false;  ///< a line, and has not looked at anything since
};

/// Advances `run` to its end, waiting as `policy` says. The last value is `done` or `overrun`.
Progress complete(Run& run, const WaitPolicy& policy, World& world) noexcept;

}  // namespace terrace
