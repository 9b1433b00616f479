// SPDX-License-Identifier: BSD-3-Clause
// A call as one rank makes it, and how its vector is cut: into strips that go through the plan one
// after the other, and each strip into the plan's tiles.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "execute/edge_blocks.hpp"
#include "kernels/combiner.hpp"
#include "kernels/kernels.hpp"
#include "plan/rank_program.hpp"
#include "team/attacher.hpp"
#include "team/memory.hpp"
#include "team/messenger.hpp"
#include "team/puller.hpp"

namespace terrace {

/// One of a user's blocks.
struct Block {
  std::byte* at = nullptr;
  std::size_t bytes = 0;
};

/// Blocks of one rank, by their numbers. Only what a plan touches need be there.
struct BlockTables {
  const Block* input = nullptr;
  const Block* output = nullptr;
};

/// One rank's arguments of a collective call, and how it is to be run.
struct Call {
  const void* input = nullptr;  ///< block 0, even where this rank has none; see block_elements
  void* output = nullptr;       ///< likewise; may be the same memory as input
  std::size_t element_count = 0;
  std::size_t block_elements = 0;  ///< from one of a user's blocks to the next
  std::size_t first_element = 0;   ///< of each block; those before have been other calls' business
  /// Blocks of different length: `element_count` is that of the longest at any rank, and here are
  /// this rank's, by their numbers. Then no reach is direct, and `input` and `output` are null.
  const BlockTables* tables = nullptr;
  /// Blocks along the edges of a graph, whose lengths their givers tell: this rank's. Their plan is
  /// lowered to exposed buffers, and there is one strip, in whose scratch all blocks of a rank lie
  /// together. `reach` is direct if some are left in place, and
  /// bounced if not.
  EdgeBlocks* edges = nullptr;
  std::size_t element_bytes = 1;
  std::size_t strip_elements = 0;  ///< equal on all ranks; see strip_elements()
  Reduction reduction = nullptr;   ///< null where the plan only copies, or a combiner combines
  Combiner* combiner = nullptr;
  Reach reach = Reach::bounced;    ///< this rank's own choice, which may differ from its peers'
  Puller* puller = nullptr;        ///< for what peers show pulled; those do so only if all have one
  Attacher* attacher = nullptr;    ///< for what peers show attached; likewise
  Messenger* messenger = nullptr;  ///< where the plan has messages
  bool streams = false;            ///< results are stored past the caches
  bool streams_scratch = false;    ///< likewise what peers take from scratch
  CopyBy copies = CopyBy::pages;   ///< of long values that are not streamed
  /// Most bytes of scratch that calls go through before they reuse the first; 0: as much as a few
  /// calls like this one take. Equal on all ranks.
  std::size_t scratch_span = 0;
  CallIdentity identity = {};         ///< what all ranks must agree on; told to peers
  bool is_direct_everywhere = false;  ///< no rank's reach is bounced: bounce blocks take no scratch
};

/// Blocks of scratch, one strip in size, that a call takes for each slot of the ring.
std::size_t blocks_per_slot(const RankProgram& program, bool is_direct_everywhere);

/// Scratch in which every plan that is chosen for `ranks` ranks has room for strips of a line pair.
/// No plan has more than four blocks for each rank, counting the slots of the ring, nor, with few
/// ranks, more than 64 (tested).
constexpr std::size_t least_scratch_bytes(Rank ranks) {
  return std::size_t{4} * kLinePairBytes * std::max(ranks, Rank{16});
}

/// The scratch of a team of `ranks` ranks, if there is enough memory.
std::size_t usual_scratch_bytes(Rank ranks);

/// Returns how many elements of `call` go through the plan at a time: as many as `strip_bytes`
/// holds, unless the team's scratch holds less. Depends only on what all ranks know. At least 1.
std::size_t strip_elements(const RankProgram& program, const Call& call, std::size_t strip_bytes,
                           std::size_t scratch_bytes);

/// Returns how many elements one call may carry: more strips than that have no step numbers. Longer
/// vectors take several calls.
std::size_t most_elements(const RankProgram& program, std::size_t strip_elements);

/// Elements that tiles are cut at multiples of: those in a cache line, where they divide it.
std::size_t tile_unit(std::size_t element_bytes);

}  // namespace terrace
