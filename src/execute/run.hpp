// SPDX-License-Identifier: BSD-3-Clause
// A run: one execution of a plan by one rank, which can be advanced and resumed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "execute/call.hpp"
#include "execute/member.hpp"
#include "plan/part.hpp"
#include "team/reachable.hpp"
#include "team/waiting.hpp"

namespace terrace {

enum class Progress : std::uint8_t {
  done,
  blocked,      ///< a peer must do something first
  overrun,      ///< a line was rewritten before it was read: the plan or its contract is wrong
  mismatched,   ///< a peer's line belongs to a call with another signature: see Run::mismatch
  unreachable,  ///< a peer's memory could not be had: who tried has told the user
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

  /// Whether peers are shown something in this call, and all of it lies in `memory`.
  bool shows_only(const Reachable& memory) const noexcept;
  /// Before the first step: what this rank shows is used where it lies.
  void show(Reach reach) noexcept { call_.reach = reach; }
  /// How peers reach what this rank shows; nothing if it shows nothing.
  std::optional<Reach> reach_shown() const noexcept {
    return showing_step() ? std::optional(call_.reach) : std::nullopt;
  }

  const Part& part() const { return part_; }
  const std::optional<Mismatch>& mismatch() const { return mismatch_; }

 private:
  bool entry_is_free() noexcept;
  bool is_met(const PartWait& wait) noexcept;
  bool is_met(const Instruction& step) noexcept;
  bool has_come(Rank rank, std::uint64_t use) noexcept;
  bool is_broken() const { return is_overrun_ || mismatch_; }
  void tell_signature() noexcept;
  std::uint64_t word_target(const PartWait& wait) const;
  const PartWait* first_unmet() noexcept;
  Bell bell_of(const PartWait& wait) const;
  std::uint32_t waiting_strip() const;

  void perform(const Instruction& step) noexcept;
  void expose(const Instruction& step) noexcept;
  void reduce(const Instruction& step) noexcept;
  void copy_each(const Instruction& step) noexcept;
  void deliver(const Instruction& step) noexcept;
  void copy(const PartRegion& from, const PartRegion& to) noexcept;
  bool bounces() const { return call_.reach == Reach::bounced; }
  bool has_to_pull(const PartRegion& region) const noexcept;
  void fetch(const PartRegion& from, void* const* targets, std::size_t target_count,
             std::size_t bytes) noexcept;
  bool is_own_output(const PartRegion& target) const;
  bool is_own_scratch(const PartRegion& target) const;
  void fill_soon(const void* scratch, std::size_t bytes) noexcept;
  std::size_t bytes_of(const PartRegion& from, const PartRegion& to) noexcept;
  void announce() noexcept;
  void publish(const Instruction& step) noexcept;
  void send_lines(const Instruction& step) noexcept;
  void send_line(std::uint32_t line, std::size_t bytes) noexcept;
  void next() noexcept;
  void finish() noexcept;

  Announcement announcement_of(Rank rank) const noexcept;
  const Instruction* showing_step() const noexcept;
  std::byte* address(const PartRegion& region) noexcept;
  [[gnu::noinline]] std::byte* attached(const PartRegion& region, const std::byte* there) noexcept;
  std::byte* scratch_address(Rank rank, std::uint32_t block, const PartRegion& region) const;
  [[gnu::cold]] const Block* own_block(const PartRegion& region) const;
  [[gnu::cold]] void measure(std::span<const PartRegion> from,
                             std::span<const PartRegion> to) noexcept;
  std::size_t users_offset(const PartRegion& region) const;
  std::size_t tile_begin(std::uint32_t tile) const;
  std::size_t element_count(const PartRegion& region) const;

  Member& member_;
  Workspace& work_;
  const Part& part_;
  Call call_;
  std::uint32_t strip_count_;
  std::uint32_t strip_ = 0;
  std::size_t strip_begin_;     ///< elements before this strip
  std::size_t strip_size_;      ///< elements in this strip, of the longest block
  std::size_t block_size_;      ///< and of the block at hand
  std::size_t scratch_stride_;  ///< bytes from one scratch block to the next
  std::size_t slot_stride_;     ///< and from one slot of the ring to the next
  Lease lease_;
  std::uint32_t position_ = 0;  ///< index of the next instruction
  bool has_entered_ = false;
  bool has_finished_ = false;
  bool is_overrun_ = false;
  bool is_cut_off_ = false;  ///< a peer's memory could not be had
  std::optional<Mismatch> mismatch_;
  bool has_filled_scratch_ = false;  ///< by copies, in this call
  bool has_just_sent_ = false;       ///< a line, and has not looked at anything since
};

/// Advances `run` to its end, waiting as `policy` says. The last value is any but `blocked`.
Progress complete(Run& run, const WaitPolicy& policy, World& world) noexcept;

}  // namespace terrace
