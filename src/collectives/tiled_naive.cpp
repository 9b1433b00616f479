// SPDX-License-Identifier: BSD-3-Clause
// Tiles without regard to domains: each rank combines one tile of all inputs.
//
//     inputs   0 [A B C]     naive    rank 1 combines B of 0, 1, 2: at first all read from rank 0
//              1 [A B C]     cyclic   rank 1 combines B of 1, 2, 0: each begins with its own
//              2 [A B C]
//              allreduce: then each rank copies the others' tiles; reduce: the root collects them
//
// HPDC'13 compares its hierarchical form, which keeps the reading within domains, with these
// (`allreduce.tiled`, `reduce.tiled`).
// Traffic for n bytes, p ranks: pn read, most of it from other domains, n written, then copied.
// Order: naive: rank order. Cyclic: each tile begins with another rank; the same for all ranks.
#include "collectives/collectives.hpp"
#include "collectives/domains.hpp"

namespace terrace {

namespace {

std::vector<Region> inputs_from(Rank first, Rank ranks, Rank tile) {
  std::vector<Region> operands;
  for (Rank i = 0; i < ranks; ++i) operands.push_back(input((first + i) % ranks).tile(tile));
  return operands;
}

Plan allreduce(const char* name, const Shape& shape, bool is_cyclic) {
  const Rank ranks = shape.hierarchy.rank_count();
  PlanBuilder plan(name, ranks, ranks);
  for (Rank rank = 0; rank < ranks; ++rank)
    plan.reduce(rank, inputs_from(is_cyclic ? rank : 0, ranks, rank), {output(rank).tile(rank)});
  for (Rank rank = 0; rank < ranks; ++rank)
    for (Rank owner : others_from(shape.hierarchy.all.ranks, rank))
      plan.copy(rank, output(owner).tile(owner), output(rank).tile(owner));
  return std::move(plan).build();
}

Plan reduce(const char* name, const Shape& shape, bool is_cyclic) {
  const Rank ranks = shape.hierarchy.rank_count(), root = shape.root;
  PlanBuilder plan(name, ranks, ranks);
  for (Rank rank = 0; rank < ranks; ++rank)
    plan.reduce(rank, inputs_from(is_cyclic ? rank : 0, ranks, rank), {scratch(rank).tile(rank)});
  for (Rank rank = 0; rank < ranks; ++rank)
    plan.copy(root, scratch(rank).tile(rank), output(root).tile(rank));
  return std::move(plan).build();
}

}  // namespace

Plan allreduce_tiled_naive(const Shape& shape) {
  return allreduce("allreduce.tiled_naive", shape, false);
}

Plan allreduce_tiled_cyclic(const Shape& shape) {
  return allreduce("allreduce.tiled_cyclic", shape, true);
}

Plan reduce_tiled_naive(const Shape& shape) {
  return reduce("reduce.tiled_naive", shape, false);
}

Plan reduce_tiled_cyclic(const Shape& shape) {
  return reduce("reduce.tiled_cyclic", shape, true);
}

}  // namespace terrace
