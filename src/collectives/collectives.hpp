// SPDX-License-Identifier: BSD-3-Clause
// The table of collectives: one row per algorithm, one file per algorithm. The command line, the
// reference page, the tests and `choose` all loop over this table.
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
};

inline constexpr std::uint32_t kCollectiveCount = 17;

const char* to_text(Collective collective);
std::optional<Collective> collective_from_text(std::string_view text);
/// The collective that a plan's name begins with, as in "bcast.tree".
std::optional<Collective> collective_of_plan(std::string_view name);
/// Whose plans a collective runs: those of gather for gatherv, its own for most.
Collective planned_as(Collective collective);
inline bool is_uneven(Collective collective) {
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

/// What an author needs to know to write the plan of a call.
struct Shape {
  const Hierarchy& hierarchy;
  Rank root = 0;            ///< of rooted collectives; others ignore it
  std::uint32_t radix = 8;  ///< how many operands a rank reads at once, at least 2
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
};

std::span<const Algorithm> algorithms();
const Algorithm* find_algorithm(std::string_view name);

/// What the collective must leave in each output.
Postcondition postcondition(Collective collective, Rank ranks, Rank root);

/// Whether a plan can run with blocks of different length, of which each rank knows its own alone:
/// every value that a rank moves or combines comes from, or goes to, a block of its own.
bool runs_uneven(const Plan& plan);

// The algorithms, each in the file of its name.
Plan allgather_all_read(const Shape& shape);
Plan allgather_push(const Shape& shape);
Plan allgather_staged(const Shape& shape);
Plan allreduce_all_read(const Shape& shape);
Plan allreduce_push(const Shape& shape);
Plan allreduce_tiled(const Shape& shape);
Plan allreduce_tree(const Shape& shape);
Plan allreduce_tree_staged(const Shape& shape);
Plan alltoall_all_read(const Shape& shape);
Plan alltoall_pairwise(const Shape& shape);
Plan bcast_flat(const Shape& shape);
Plan bcast_split(const Shape& shape);
Plan bcast_staged(const Shape& shape);
Plan bcast_tree(const Shape& shape);
Plan exscan_all_read(const Shape& shape);
Plan exscan_chain(const Shape& shape);
Plan exscan_push(const Shape& shape);
Plan gather_flat(const Shape& shape);
Plan gather_push(const Shape& shape);
Plan reduce_all_read(const Shape& shape);
Plan reduce_push(const Shape& shape);
Plan reduce_scatter_block_flat(const Shape& shape);
Plan reduce_scatter_block_staged(const Shape& shape);
Plan reduce_tiled(const Shape& shape);
Plan reduce_tree(const Shape& shape);
Plan scan_all_read(const Shape& shape);
Plan scan_chain(const Shape& shape);
Plan scan_push(const Shape& shape);
Plan scatter_flat(const Shape& shape);

}  // namespace terrace
