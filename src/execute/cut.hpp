// SPDX-License-Identifier: BSD-3-Clause
// A cut: how vectors of one size are cut, and where the pieces lie relative to the few addresses
// that differ from call to call. It is computed once for all calls of a part with the same sizes,
// so that steps add offsets instead of interpreting regions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/apart.hpp"
#include "execute/call.hpp"
#include "plan/part.hpp"

namespace terrace {

/// What the offset of a spot counts from.
enum class Base : std::uint8_t {
  // The same address in all of a strip.
  input,   ///< the user's buffer, at the strip at hand
  output,  ///< likewise
  draft,   ///< what this rank fills its lines from
  // A rank's.
  line,         ///< of a peer
  scratch,      ///< at the strip's slot
  shown_input,  ///< as its owner shows it, at the strip at hand
  shown_output,
};
inline constexpr std::size_t kStripBases = 3;

/// A PartRegion in calls of one size.
struct Spot {
  Base base = Base::input;
  bool is_own = false;           ///< in memory of this rank's
  bool completes_line = false;   ///< the step's last value for its line
  std::uint16_t rank = 0;        ///< whose it is
  std::uint16_t line = 0;        ///< of the call, for drafts and lines
  std::uint16_t line_bytes = 0;  ///< that are then filled
  std::size_t offset = 0;        ///< bytes from its base; where blocks are in tables, its address
  std::size_t stand_in = 0;      ///< of what is shown: bytes from the base of scratch, if bounced
  std::size_t elements = 0;

  bool is_shown() const { return base >= Base::shown_input; }
};

/// As the part has them, one for each of its regions.
struct Spots {
  std::vector<Spot> operands;
  std::vector<Spot> targets;
};

struct Cut {
  std::uint32_t steps = 0;  ///< of the part
  std::uint32_t strips = 1;
  std::size_t strip_bytes = 0;     ///< of the longest block, but in the last strip
  std::size_t scratch_stride = 0;  ///< bytes from one scratch block to the next
  std::size_t slot_stride = 0;     ///< and from one slot of the ring to the next
  Spots spots;
  bool has_short_last = false;  ///< strip, in which other spots hold
  Spots last;
  // Room for the addresses of one step.
  ApartVector<const void*> operands;
  ApartVector<void*> targets;
};

/// Of calls like this one, whatever their buffers. Room that `cut` has is used again. (Where blocks
/// are in tables, there are no spots: they differ from call to call, see `find_spots`.)
void make_cut(const Part& part, const Call& call, Cut& cut);

/// Where things lie in one strip of a call.
void find_spots(const Part& part, const Call& call, const Cut& cut, std::uint32_t strip,
                Spots& spots);

}  // namespace terrace
