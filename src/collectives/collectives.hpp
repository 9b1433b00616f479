// SPDX-License-Identifier: BSD-3-Clause
// The tables of collectives: one row per algorithm (algorithms_*.inc), one file per algorithm.
// The command line, the tests and `choose` all loop over them.
#pragma once

#include <span>
#include <string_view>

#include "hierarchy/hierarchy.hpp"
#include "plan/plan.hpp"
#include "plan/postcondition.hpp"

namespace terrace {

enum class Collective : std::uint8_t {
  barrier,
  bcast,
  reduce,
  allreduce,
  allgather,
  gather,
  scatter,
  alltoall,
  reduce_scatter_block,
  scan,
  exscan,
  // Blocks of different length: the plans are those of the collectives above.
  allgatherv,
  gatherv,
  scatterv,
  alltoallv,
  alltoallw,
  reduce_scatter,
  // Among the neighbours of a graph, which has plans of its own: in no table (neighbours.hpp).
  neighbour_allgather,
  neighbour_alltoall,
};

/// The number of collectives whose plans stand in tables.
inline constexpr std::uint32_t kCollectiveCount = 17;
/// Their number with those along the edges of graphs.
inline constexpr std::uint32_t kAllCollectives = kCollectiveCount + 2;

const char* to_text(Collective collective);
std::optional<Collective> collective_from_text(std::string_view text);
/// The collective that a plan's name begins with, as in "bcast.tree".
std::optional<Collective> collective_of_plan(std::string_view name);
/// The collective whose plans another one runs: gather's for gatherv, its own for most.
Collective planned_as(Collective collective);
inline bool is_vector(Collective collective) {
  return planned_as(collective) != collective;
}
/// Whether calls name a root, and each root has its plan.
bool is_rooted(Collective collective);
/// Whether operands are combined, so that their order matters to floating-point numbers.
bool combines(Collective collective);
/// Whether a buffer has a block for each rank. Their plans have more steps the more ranks there
/// are, and those of lines more lines, so that they may not fit the ring.
///
/// Blocks count so that in place, block b of the input is block b of the output: rank r contributes
/// block r of its input to an allgather or gather, and receives block r of its output of a scatter.
bool has_block_per_rank(Collective collective);

/// Parameters from which an author writes the plan of a call.
struct Shape {
  const Hierarchy& hierarchy;
  Rank root = 0;            ///< of rooted collectives; others ignore it
  std::uint32_t radix = 8;  ///< how many operands a rank reads at once, at least 2
};

/// The order in which a sum is added up, which its last bits depend on.
enum class Bits : std::uint8_t {
  by_groups,   ///< groups of the hierarchy first, in rank order within each
  by_rank,     ///< that of the ranks, whatever the groups
  of_its_own,  ///< an order of its own, the same on all ranks
  different,   ///< an order for each rank: the ranks of an allreduce may get different bits
};

/// The ranks that an algorithm is a candidate for.
enum class Suits : std::uint8_t {
  all_ranks,
  ranks_in_turns,  ///< that take turns on cores in the order of their ranks
};

struct Algorithm {
  std::string_view name;  ///< "allreduce.tree": the same in file, text, command line and plots
  Collective collective;
  Plan (*write)(const Shape& shape);
  bool fits_lines;  ///< whole values from rank to rank: vectors that fit a mailbox line; with a
                    ///< block per rank, as long as the team has so many lines
  bool fits_long;   ///< strips of long vectors pipeline through it
  std::string_view description;
  std::string_view source;  ///< paper and section
  Bits bits = Bits::by_groups;
  Suits suits = Suits::all_ranks;
};

/// The algorithms that `choose` chooses from (algorithms_to_choose_from.inc).
std::span<const Algorithm> algorithms();
/// The algorithms that are there by name only (algorithms_by_name.inc): the papers', to reproduce
/// what they claim, and in every call. On several nodes most of the papers' send messages.
std::span<const Algorithm> algorithms_by_name();
/// Finds an algorithm of either table; null if there is none.
const Algorithm* find_algorithm(std::string_view name);

/// Returns what the collective must leave in each output.
Postcondition postcondition(Collective collective, Rank ranks, Rank root);
/// Returns what this algorithm promises: without equal bits where it has different ones.
Postcondition postcondition(const Algorithm& row, Rank ranks, Rank root);

/// Whether a plan can run with blocks of different length, of which each rank knows its own alone:
/// every value that a rank moves or combines comes from, or goes to, a block of its own.
bool runs_vector(const Plan& plan);

}  // namespace terrace
