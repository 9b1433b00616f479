// SPDX-License-Identifier: BSD-3-Clause
// Computes how vectors are cut. All ranks must get the same answers, so nothing here depends on the
// rank.
#include "execute/call.hpp"

#include <algorithm>

#include "base/contract.hpp"

namespace terrace {

std::size_t tile_unit(std::size_t element_bytes) {
  TERRACE_ASSERT(element_bytes != 0);
  return kLineBytes % element_bytes == 0 ? kLineBytes / element_bytes : 1;
}

std::size_t usual_scratch_bytes(Rank ranks) {
  constexpr std::size_t KiB = 1024;
  if (ranks <= 4) return 4096 * KiB;
  if (ranks <= 8) return 2048 * KiB;
  if (ranks <= 16) return 1024 * KiB;
  return std::max(least_scratch_bytes(ranks), ranks <= 64 ? 512 * KiB : 256 * KiB);
}

std::size_t blocks_per_slot(const RankProgram& program, bool is_direct_everywhere) {
  TERRACE_ASSERT(program.bounce_blocks <= program.scratch_blocks, program.bounce_blocks);
  return program.scratch_blocks - (is_direct_everywhere ? program.bounce_blocks : 0u);
}

std::size_t strip_elements(const RankProgram& program, const Call& call, std::size_t strip_bytes,
                           std::size_t scratch_bytes) {
  // A line is written once per call.
  if (program.lowering == Lowering::lines) return std::max<std::size_t>(call.element_count, 1);
  const std::size_t blocks = blocks_per_slot(program, call.is_direct_everywhere) * program.ring;
  if (blocks != 0)
    strip_bytes = std::min(strip_bytes, scratch_bytes / blocks / kLinePairBytes * kLinePairBytes);
  std::size_t elements = strip_bytes / call.element_bytes;
  const std::size_t unit = tile_unit(call.element_bytes);
  if (elements > unit) elements = elements / unit * unit;
  return std::max<std::size_t>(std::min(elements, call.element_count), 1);
}

std::size_t most_elements(const RankProgram& program, std::size_t strip_elements) {
  // Step numbers of a call have 24 bits.
  const std::size_t most_strips = (kDoneSteps - 1) / (program.most_steps_per_strip + 1);
  TERRACE_ASSERT(most_strips != 0 && strip_elements != 0, most_strips, strip_elements);
  return most_strips * strip_elements;
}

}  // namespace terrace
