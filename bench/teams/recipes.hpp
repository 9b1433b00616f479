// SPDX-License-Identifier: BSD-3-Clause
// What each rank makes of which blocks, read off the collective's promise: for floors and peers
// that are written by hand, and for the check of every result.
#pragma once

#include <vector>

#include "collectives/collectives.hpp"
#include "kernels/kernels.hpp"

namespace terrace::bench {

/// One block of a rank's output, and the input blocks that it is the sum of.
struct Wanted {
  std::size_t block = 0;
  Terms terms;
};

struct Recipe {
  std::vector<Wanted> outputs;        ///< in order of the peers from the rank's own number on
  std::vector<std::uint16_t> inputs;  ///< this rank's input blocks that anybody uses
  std::vector<Rank> peers;            ///< whose input blocks this rank uses, without itself
};

/// One per rank; the root is rank 0.
std::vector<Recipe> recipes_of(Collective collective, Rank ranks);

/// Makes one rank's output blocks, of `count` elements each, from all ranks' inputs.
void make(const Recipe& recipe, const double* const* inputs, double* output, std::size_t count,
          Stores stores);

}  // namespace terrace::bench
