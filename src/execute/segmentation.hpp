// SPDX-License-Identifier: BSD-3-Clause
// A segmentation: how vectors of one size are cut, and where the pieces lie relative to the few
// addresses that differ from call to call. It is computed once for all calls of a program with the
// same sizes, so that steps add offsets instead of interpreting regions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/cache_aligned.hpp"
#include "base/rank.hpp"
#include "execute/call.hpp"
#include "plan/rank_program.hpp"
#include "team/memory.hpp"

namespace terrace {

/// The address that the offset of a resolved region counts from.
enum class Base : std::uint8_t {
  // Addresses that stay the same in all of a strip.
  input,    ///< the user's buffer, at the strip at hand
  output,   ///< likewise
  staging,  ///< what this rank fills its lines from
  // A rank's.
  line,         ///< of a peer
  scratch,      ///< at the strip's slot
  shown_input,  ///< as its owner shows it, at the strip at hand
  shown_output,
};
inline constexpr std::size_t kStripBases = 3;

/// A ProgramRegion in calls of one size.
struct ResolvedRegion {
  Base base = Base::input;
  bool is_own = false;           ///< in memory of this rank's
  bool completes_line = false;   ///< the step's last value for its line
  std::uint16_t rank = 0;        ///< whose it is
  std::uint16_t line = 0;        ///< of the call, for staging and lines
  std::uint16_t line_bytes = 0;  ///< that are then filled
  std::size_t offset = 0;        ///< bytes from its base; where blocks are in tables, its address
  std::size_t bounce_block = 0;  ///< of what is shown: bytes from the base of scratch, if bounced
  std::size_t elements = 0;

  bool is_shown() const { return base >= Base::shown_input; }
};

/// Regions in the order of the program, one for each of its own.
struct ResolvedRegions {
  std::vector<ResolvedRegion> operands;
  std::vector<ResolvedRegion> targets;
};

/// A value in a call over lines: `bases[base] + offset`, with the bases of LineProgram.
struct LineValue {
  std::uint32_t base = 0;
  std::uint32_t offset = 0;
  std::uint32_t elements = 0;
};

/// A line that this rank fills.
struct SentLine {
  std::uint16_t number = 0;  ///< of the call's lines
  std::uint16_t bytes = 0;
};

/// A line of a peer's, which this rank awaits.
struct AwaitedLine {
  std::uint32_t base = 0;  ///< of its payload
  std::uint16_t number = 0;
  std::uint16_t rank = 0;
};

/// A step of a call over lines, with all looked up that stays the same from call to call.
struct LineStep {
  enum class Work : std::uint8_t {
    none,         ///< waits, and perhaps sends lines without payload
    send,         ///< copies one value straight into the one line that it fills
    copy,         ///< copies operand i to target i
    combine_two,  ///< combines two operands into one target
    combine,      ///< combines all operands into all targets
  };
  Work work = Work::none;
  bool publishes_word = false;
  bool fills_staging = false;  ///< of `send`: a later step of this rank reads the value
  std::uint16_t operand_count = 0, target_count = 0;
  std::uint16_t wait_count = 0, sent_count = 0;
  // Pointers into the program's arrays.
  const LineValue* operands = nullptr;
  const LineValue* targets = nullptr;
  const AwaitedLine* waits = nullptr;
  const SentLine* sent = nullptr;
};

/// The resolved steps of a rank program in which every value crosses in a line and every wait is
/// for a line; empty for any other. The bases of its values: the user's input, the user's output,
/// the staging buffers, then the payload of each peer's line that this rank reads or awaits.
struct LineProgram {
  struct PeerLine {
    std::uint16_t rank = 0;
    std::uint16_t number = 0;
    Line* ring = nullptr;  ///< the rank's, as the run finds it
  };
  static constexpr std::uint32_t kInput = 0, kOutput = 1, kStaging = 2, kFirstPeerLine = 3;

  LineProgram() = default;
  LineProgram(const LineProgram&) = delete;  // steps point into the other arrays
  LineProgram& operator=(const LineProgram&) = delete;
  LineProgram(LineProgram&&) = default;
  LineProgram& operator=(LineProgram&&) = default;

  bool is_empty() const { return steps.empty(); }
  void clear();

  std::vector<LineStep> steps;
  std::uint32_t steps_before_waits = 0;  ///< the first ones
  std::vector<LineValue> operands, targets;
  std::vector<AwaitedLine> waits;
  std::vector<SentLine> sent;
  std::vector<PeerLine> peer_lines;
  CacheAlignedVector<std::byte*> bases;  ///< of the call at hand
};

struct Segmentation {
  std::uint32_t steps = 0;  ///< of the program
  std::uint32_t strips = 1;
  std::size_t strip_bytes = 0;     ///< of the longest block, but in the last strip
  std::size_t scratch_stride = 0;  ///< bytes from one scratch block to the next
  std::size_t slot_stride = 0;     ///< and from one slot of the ring to the next
  /// Bytes that a call leases of each rank's scratch: alike on all ranks, also where this rank's
  /// steps use none of it.
  std::size_t scratch_bytes = 0;
  ResolvedRegions resolved_regions;
  bool has_short_last = false;  ///< strip, in which other regions hold
  ResolvedRegions last;
  LineProgram over_lines;
  // Room for the addresses of one step.
  CacheAlignedVector<const void*> operands;
  CacheAlignedVector<void*> targets;
  std::vector<MessageValue> message;  ///< its values; of plans without messages: none
};

/// Segments calls like this one, whatever their buffers. Room that `segmentation` has is used
/// again. (Where blocks are in tables, there are no resolved regions: they differ from call to
/// call, see `resolve_regions`.)
void segment(const RankProgram& program, const Call& call, Segmentation& segmentation);

/// Looks up the steps of a call over lines, so that `Run` need not interpret regions; of any other
/// call, nothing. For calls that are made again and again.
void resolve_lines(const RankProgram& program, const Call& call, Segmentation& segmentation);

/// Resolves where things lie in one strip of a call.
void resolve_regions(const RankProgram& program, const Call& call, const Segmentation& segmentation,
                     std::uint32_t strip, ResolvedRegions& resolved_regions);

}  // namespace terrace
