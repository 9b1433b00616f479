// SPDX-License-Identifier: BSD-3-Clause
// MPI's rules for a rank's buffers in each collective: how many blocks they have, where
// MPI_IN_PLACE may stand, and who gets a result.
#pragma once

#include <cstddef>

#include "base/rank.hpp"
#include "collectives/collectives.hpp"

namespace terrace {

/// A rank's place in a call.
struct RankInCall {
  Collective collective = Collective::barrier;
  Rank rank_count = 1;
  Rank rank = 0;
  Rank root = 0;  ///< of rooted collectives; others ignore it

  bool is_root() const { return rank == root; }
};

/// Blocks in a row.
struct BlockNumbers {
  std::size_t first = 0;
  std::size_t count = 0;

  bool operator==(const BlockNumbers&) const = default;
};

/// The blocks of a rank's buffers in a call that moves blocks, of one length or of different ones.
/// Numbers are those of collectives.hpp: in place, block b of the input is block b of the output.
struct MovedBlocks {
  /// `is_given_in_place`: the program's send buffer is MPI_IN_PLACE; `is_wanted_in_place`: its
  /// receive buffer is.
  MovedBlocks(const RankInCall& who, bool is_given_in_place, bool is_wanted_in_place) {
    const Collective plan = planned_as(who.collective);
    const bool is_scatter = plan == Collective::scatter;
    const BlockNumbers all{0, who.rank_count}, own{who.rank, 1},
        at_root{0, who.is_root() ? who.rank_count : 0};
    inputs = is_scatter ? at_root : plan == Collective::alltoall ? all : own;
    outputs = is_scatter ? own : plan == Collective::gather ? at_root : all;
    is_input_in_place = is_given_in_place && inputs.count > 0;
    is_output_in_place = is_wanted_in_place && outputs.count > 0;
    if (is_input_in_place) is_allowed = outputs.count > 0 && !is_scatter;
    if (is_output_in_place) is_allowed = is_allowed && inputs.count > 0 && is_scatter;
  }

  BlockNumbers inputs;              ///< none: the call does not look at this rank's input
  BlockNumbers outputs;             ///< likewise
  bool is_input_in_place = false;   ///< and there is input: it lies in the output
  bool is_output_in_place = false;  ///< and there is output: it lies in the input
  bool is_allowed = true;           ///< MPI allows in place there

  /// Blocks that have a buffer of their own.
  BlockNumbers own_inputs() const { return is_input_in_place ? BlockNumbers{} : inputs; }
  BlockNumbers own_outputs() const { return is_output_in_place ? BlockNumbers{} : outputs; }
};

// For reductions.

/// Returns how many vectors, or blocks of one, a rank brings.
inline std::size_t operand_blocks(const RankInCall& who) {
  return who.collective == Collective::reduce_scatter_block ? who.rank_count : 1;
}
inline bool gets_result(const RankInCall& who) {
  if (who.collective == Collective::reduce) return who.is_root();
  return who.collective != Collective::exscan || who.rank > 0;
}

}  // namespace terrace
