// SPDX-License-Identifier: BSD-3-Clause
// Searches for the best plan in a stated family: every algorithm of a collective, on every way to
// nest the ranks, with every number of operands a step. Proves the plans that it finds.
//
// A nesting puts the ranks, in the machine's order, into groups of neighbours, these into groups,
// and so on, as even as possible: "2 x 4" makes 8 ranks two groups of four. Algorithms follow the
// groups that they are given, so that nested groups of the same ranks give all-read of any mixed
// radix, trees of any shape, and the machine's own hierarchy among them.
#pragma once

#include "choose/chooser.hpp"

namespace terrace::explain {

struct Nested {
  std::string text;  ///< "2 x 4"; "as the machine"
  Hierarchy hierarchy;
};

/// Limits of a search.
struct SearchLimits {
  std::size_t most_nestings = 400;
  std::size_t best = 5;
};

/// A plan that was found, proved.
struct Hit {
  std::string nesting;
  Prediction prediction;
  std::shared_ptr<const Plan> written;  ///< as its author wrote it: what TERRACE_PLAN takes
};

struct SearchResult {
  std::vector<Hit> best;            ///< the fastest first
  std::size_t nestings = 0;         ///< that were tried
  std::size_t nestings_left = 0;    ///< beyond `most_nestings`
  std::size_t plans = 0;            ///< different ones that were costed
  std::vector<std::string> faults;  ///< plans fast enough, but refused by the proof: a bug
};

/// All nestings of the machine's ranks, in the order of `all`, whose branches have 2 to `ranks`
/// groups; the machine's own first. Stops at `most`, and counts the others in `left`.
std::vector<Nested> nestings_of(const Hierarchy& machine, std::size_t most, std::size_t& left);

/// Errors: unsupported where nothing fits.
Result<SearchResult> search(const Predicted&, RankPlatform, const SearchLimits& = {});

}  // namespace terrace::explain
