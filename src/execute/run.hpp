// SPDX-License-Identifier: BSD-3-Clause
// A run: one execution of a plan by one rank, which can be advanced and resumed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "execute/call.hpp"
#include "execute/endpoint_state.hpp"
#include "execute/segmentation.hpp"
#include "plan/rank_program.hpp"
#include "team/call_mismatch.hpp"
#include "team/reachable.hpp"
#include "team/waiting.hpp"

namespace terrace {

enum class Progress : std::uint8_t {
  done,
  blocked,      ///< a peer must do something first
  overrun,      ///< a line was rewritten before it was read: the plan or its contract is wrong
  mismatched,   ///< a peer makes another call: see Run::mismatch
  unreachable,  ///< a peer's memory, or its message, could not be had; the user has been told
};

/// Calls of a team begin in the same order on all ranks; a rank has one run at a time.
class Run final : public Condition {
 public:
  /// `segmentation` is that of the call. All of them must outlive the run.
  Run(EndpointState& state, const RankProgram& program, const Call& call,
      Segmentation& segmentation);
  /// Works the segmentation out first, in the rank's room for it.
  Run(EndpointState& state, const RankProgram& program, const Call& call);

  /// Begins the next call like this one, which must be over, with the buffers that the call holds
  /// now.
  void restart() noexcept;
  /// Begins it likewise, and does what this rank can do before others: over lines, the steps before
  /// its first wait, otherwise as `advance` does. The caller advances or completes it later.
  Progress start() noexcept;
  /// Starts it and completes it, as `complete` does: the hot path of short calls.
  Progress repeat(const WaitPolicy& policy, WaitEnvironment& wait_environment) noexcept;
  /// Fetches the lines that the next step awaits, so that several runs miss theirs together.
  void prefetch_awaited() const noexcept;

  /// Works until a wait is unmet, the run is done, or `most_steps` steps are. Allocates nothing.
  Progress advance(std::uint32_t most_steps = ~0u) noexcept;

  /// Whether `advance` would now get further.
  bool holds() noexcept override;
  WaitTarget missing() noexcept override;
  /// Checks now and then whether a peer makes another call, for which this rank would wait forever.
  void waits_long(std::uint32_t naps) noexcept override;
  /// Peers wake those who sleep on what they publish, but for messages.
  bool is_woken() noexcept override { return !program_.has_messages; }
  bool awaits_another_core() noexcept override;

  /// Whether peers are shown something in this call, and all of it lies in `memory`.
  bool shows_only(const Reachable& memory) const noexcept;
  /// Before the first step: what this rank shows is used where it lies.
  void show(Reach reach) noexcept { reach_ = reach; }
  /// The way peers reach what this rank shows, if it shows anything.
  Reach reach() const noexcept { return reach_; }

  /// The peer of the team that a blocked run waits for first; none if it waits for a message.
  std::optional<Rank> awaited() noexcept;

  /// Whether its first steps could be done: no peer reads what they write. A plan that starts alone
  /// then owes peers nothing.
  bool has_entered() const { return has_entered_; }

  const RankProgram& program() const { return program_; }
  const std::optional<CallMismatch>& mismatch() const { return mismatch_; }

 private:
  /// Fruitless polls after which peers' calls are compared; the number doubles up to the second.
  static constexpr std::uint32_t kFirstLook = 64, kMostLooks = 1 << 14;

  void require_matching() const noexcept;
  bool entry_is_free() noexcept;
  Progress blocked() noexcept;
  [[gnu::noinline]] Progress stopped() noexcept;
  bool is_met(const ProgramWait& wait) noexcept;
  bool is_met(const Instruction& step) noexcept;
  bool is_met_by_word(const ProgramWait& wait) noexcept;
  [[gnu::noinline]] bool have_gone(const ProgramWait& wait) noexcept;
  bool has_come(const Instruction& receive) noexcept;
  bool is_over(MessageState state) noexcept;
  bool has_arrived(Rank rank, std::uint32_t number) noexcept;
  bool has_arrived(const Line& line, Rank rank, std::uint32_t number) noexcept;
  bool has_arrived(const AwaitedLine& wait) noexcept;
  void ask_for_line_ahead(Rank rank, std::uint32_t number) const noexcept;
  bool is_told_by(Rank rank) noexcept;
  [[gnu::cold]] bool was_told_by(Rank rank, std::uint64_t check) noexcept;
  [[gnu::cold]] void note_mismatch(Rank rank) noexcept;
  bool is_broken() const { return is_overrun_ || mismatch_; }
  bool is_cut_off() const { return stop_ == Stop::cut_off; }
  std::uint64_t word_target(const ProgramWait& wait) const;
  const ProgramWait* first_unmet() noexcept;
  WaitTarget wait_target_of(const ProgramWait& wait) const;
  std::uint32_t waiting_strip() const;

  Progress advance_over_lines(std::uint32_t most_steps) noexcept;
  void pause_if_sent() noexcept;
  bool is_met(const LineStep& step) noexcept;
  void perform(const LineStep& step) noexcept;
  void combine(const void* const* operands, std::size_t operand_count, void* const* targets,
               std::size_t target_count, std::size_t elements) noexcept;
  std::byte* place_of(const LineValue& value) const {
    return segmentation_.over_lines.bases[value.base] + value.offset;
  }
  void begin_call() noexcept;
  bool enter_call() noexcept;
  void find_line_bases() noexcept;

  void perform(const Instruction& step) noexcept;
  void expose(const Instruction& step) noexcept;
  [[gnu::noinline]] void leave_blocks() noexcept;
  [[gnu::noinline]] void take_blocks(const Instruction& step) noexcept;
  std::uint32_t steps_before_waits() const noexcept;
  void reduce(const Instruction& step) noexcept;
  void copy_each(const Instruction& step) noexcept;
  void deliver(const Instruction& step) noexcept;
  // Not inlined: steps without messages are not to save registers for them.
  [[gnu::noinline]] void send(const Instruction& step) noexcept;
  [[gnu::noinline]] void receive(const Instruction& step) noexcept;
  std::span<const MessageValue> message_of(std::span<const ResolvedRegion> values) noexcept;
  void copy_pairs(const Instruction& step) noexcept;
  bool bounces() const { return reach_ == Reach::bounced; }
  bool has_to_pull(const ResolvedRegion& resolved) const noexcept;
  /// Addresses, in `segmentation_.targets`.
  struct Targets {
    std::size_t count = 0;
    Stores stores = Stores::cached;
  };
  Targets places_of(std::span<const ResolvedRegion> targets) noexcept;
  void fetch(const ResolvedRegion& from, const ResolvedRegion& target, std::size_t bytes) noexcept;
  void pull(const ResolvedRegion& from, void* place, std::size_t bytes) noexcept;
  void fetch_to_all(const ResolvedRegion& from, Targets places) noexcept;
  bool streams(const ResolvedRegion& target) const noexcept;
  bool is_own_output(const ResolvedRegion& target) const;
  bool is_own_scratch(const ResolvedRegion& target) const;
  bool is_bounced(const ResolvedRegion& shown) const noexcept;
  void fill_soon(const void* scratch, std::size_t bytes) noexcept;
  void announce() noexcept;
  void send_lines(const Instruction& step) noexcept;
  void ring() noexcept;
  template <class Fill>
  void send_line(std::uint32_t number, const Fill& fill) noexcept;
  void send_line(const SentLine& sent, const std::byte* payload) noexcept;
  void next() noexcept;
  void begin_strip() noexcept;
  void finish() noexcept;

  std::span<const ResolvedRegion> operands_of(const Instruction& step) const {
    return std::span(resolved_regions_->operands).subspan(step.first_operand, step.operand_count);
  }
  std::span<const ResolvedRegion> targets_of(const Instruction& step) const {
    return std::span(resolved_regions_->targets).subspan(step.first_target, step.target_count);
  }
  std::size_t bytes_of(const ResolvedRegion& resolved) const {
    return resolved.elements * call_.element_bytes;
  }

  std::uint32_t slot_of(std::uint32_t number) const {
    return number == 0 ? lease_.first_slot : line_slot(lease_.first_line + number);
  }
  Line& line(Rank rank, std::uint32_t number) const {
    return state_.line_at(rank, slot_of(number));
  }
  Announcement announcement_of(Rank rank) const noexcept;
  std::byte* address(const ResolvedRegion& resolved) noexcept;
  std::byte* exposed_address(const ResolvedRegion& resolved) noexcept;
  [[gnu::noinline]] std::byte* attached(const ResolvedRegion& resolved,
                                        const std::byte* there) noexcept;
  std::byte* shown_address(const ResolvedRegion& resolved, const void* input, void* output) const;
  std::byte* scratch_address(Rank rank, std::size_t offset) const;

  EndpointState& state_;
  Workspace& work_;
  ProgressWord& word_;  ///< this rank's
  Line* own_lines_;     ///< its ring
  const RankProgram& program_;
  const Call& call_;
  Segmentation& segmentation_;
  const bool asks_ahead_;                    ///< for lines of later calls, while peers are ahead
  const ResolvedRegions* resolved_regions_;  ///< of the strip at hand
  BufferLease lease_;
  std::uint64_t check_;  ///< of the call; peers' must be the same
  Reach reach_;
  std::array<std::uintptr_t, kStripBases> bases_;  ///< addresses
  std::size_t strip_begin_;                        ///< bytes of a user's block before this strip
  std::size_t slot_begin_;                         ///< of this strip, in each rank's scratch
  // State that each call begins anew.
  std::uint32_t strip_ = 0;
  std::uint32_t position_ = 0;   ///< index of the next instruction
  std::uint32_t met_waits_ = 0;  ///< of the next step: the first ones, not to be looked at again
  std::uint32_t looks_in_vain_ = 0, next_look_ = kFirstLook;
  bool has_entered_ = false;
  bool has_finished_ = false;
  bool has_blocked_ = false;         ///< in this call: something was not there at once
  bool has_filled_scratch_ = false;  ///< by copies, in this call
  bool has_just_sent_ = false;       ///< a line, and has not looked at anything since
  bool is_awaited_ = true;           ///< peers may await the step at hand by the word
  bool may_step_ = false;            ///< the waits of the next step are known to be met
  /// Progress of the message that the next step receives.
  enum class Receiving : std::uint8_t { not_begun, expected, come };
  Receiving receiving_ = Receiving::not_begun;
  /// Why a step is not over: its message has not come, or what it needs of a peer cannot be had.
  enum class Stop : std::uint8_t { none, awaits_message, cut_off };
  Stop stop_ = Stop::none;
  // Conditions that end a run for good.
  bool is_overrun_ = false;
  std::optional<CallMismatch> mismatch_;
};

/// Advances `run` to its end, waiting as `policy` says. The last value is any but `blocked`.
Progress complete(Run& run, const WaitPolicy& policy, WaitEnvironment& wait_environment) noexcept;

}  // namespace terrace
