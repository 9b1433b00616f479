// SPDX-License-Identifier: BSD-3-Clause
// Broadcast from rank to rank, as Open MPI's coll/tuned does it: ParCo'18, section 7.2.
//
//     linear   0 ─┬ 1      chain  0 ─┬ 1 ─ 2    pipeline  0 ─ 1 ─ 2 ─ 3    binary  0 ─┬ 1 ─┬ 3
//                 ├ 2                ├ 3 ─ 4                                          │    └ 5
//                 └ 3 ...            └ ... four                                       └ 2 ─┬ 4 ...
//     binomial 0 ─┬ 1 ─┬ 3 ...    split_binary  the left subtree (odd) gets tile 0, the right one
//                 │    └ 5 ...                  tile 1; then pairs 1-2, 3-4, ... swap them
//                 ├ 2 ...
//                 └ 4 ...
//
// Ranks are numbered from the root, cyclically; segments are strips. A rank reads its parent's
// buffer if they share a node, and receives a message if not.
// `..._by_level` is the papers' hierarchical form: the same algorithm once per group of the
// hierarchy, among the leaders of its parts, from the outermost inwards. Traffic: each rank gets
// the vector once; by level each boundary is crossed once per part beyond it, otherwise crossings
// depend on the ranks' order. Order: nothing is combined.
#include <algorithm>

#include "collectives/rank_trees.hpp"

namespace terrace {

namespace {

/// One group after the other, those who have it first.
class Broadcast {
 public:
  Broadcast(PlanBuilder& plan, Rank root) : plan_(plan), root_(root) {}

  /// `among(heads)`: a broadcast among ranks of which the first has the value.
  template <class Among>
  void by_level(const Group& group, Rank holder, Among among) {
    const std::vector<Rank> heads = heads_of(group, holder);
    among(heads_from(group, holder));
    for (std::size_t i = 0; i < group.children.size(); ++i)
      by_level(group.children[i], heads[i], among);
  }

  void along(RankTree tree, const std::vector<Rank>& ranks) {
    const auto children = children_in(tree, static_cast<std::uint32_t>(ranks.size()));
    for (std::size_t parent = 0; parent < ranks.size(); ++parent)
      for (const std::uint32_t child : children[parent]) send(ranks[parent], ranks[child]);
  }

  void split_binary(const std::vector<Rank>& ranks) {
    const auto size = static_cast<std::uint32_t>(ranks.size());
    const auto children = children_in(RankTree::binary, size);
    for (std::uint32_t parent = 0; parent < size; ++parent)
      for (const std::uint32_t child : children[parent])
        give_tile(ranks[parent], ranks[child], child % 2 == 1 ? 0 : 1);
    for (std::uint32_t left = 1; left < size; left += 2) {
      if (left + 1 < size)
        swap_tiles(ranks[left], ranks[left + 1]);
      else
        give_tile(ranks[0], ranks[left], 1);
    }
  }

 private:
  Region value_of(Rank rank) const { return rank == root_ ? input(rank) : output(rank); }
  void send(Rank from, Rank to) { hand(plan_, value_of(from), value_of(to)); }
  void give_tile(Rank from, Rank to, std::uint32_t tile) {
    hand(plan_, value_of(from).tile(tile), value_of(to).tile(tile));
  }

  /// The left one has tile 0, the right one tile 1.
  void swap_tiles(Rank left, Rank right) {
    if (plan_.are_on_one_node(left, right)) {
      give_tile(left, right, 0);
      return give_tile(right, left, 1);
    }
    plan_.send_all({{{value_of(left).tile(0), value_of(right).tile(0)}},
                    {{value_of(right).tile(1), value_of(left).tile(1)}}});
  }

  PlanBuilder& plan_;
  Rank root_;
};

Group as_one(const Hierarchy& hierarchy) {
  Group group = hierarchy.all;
  group.children.clear();
  return group;
}

Plan along(const char* name, const Shape& shape, RankTree tree, const Group& group) {
  PlanBuilder plan = begin_across_nodes(name, shape.hierarchy);
  Broadcast bcast(plan, shape.root);
  bcast.by_level(group, shape.root,
                 [&](const std::vector<Rank>& ranks) { bcast.along(tree, ranks); });
  return std::move(plan).build();
}

Plan split_binary(const char* name, const Shape& shape, const Group& group) {
  PlanBuilder plan = begin_across_nodes(name, shape.hierarchy, 2);
  Broadcast bcast(plan, shape.root);
  bcast.by_level(group, shape.root,
                 [&](const std::vector<Rank>& ranks) { bcast.split_binary(ranks); });
  return std::move(plan).build();
}

}  // namespace

Plan bcast_linear(const Shape& shape) {
  return along("bcast.linear", shape, RankTree::linear, as_one(shape.hierarchy));
}
Plan bcast_chain(const Shape& shape) {
  return along("bcast.chain", shape, RankTree::chain, as_one(shape.hierarchy));
}
Plan bcast_pipeline(const Shape& shape) {
  return along("bcast.pipeline", shape, RankTree::pipeline, as_one(shape.hierarchy));
}
Plan bcast_split_binary(const Shape& shape) {
  return split_binary("bcast.split_binary", shape, as_one(shape.hierarchy));
}
Plan bcast_binary(const Shape& shape) {
  return along("bcast.binary", shape, RankTree::binary, as_one(shape.hierarchy));
}
Plan bcast_binomial(const Shape& shape) {
  return along("bcast.binomial", shape, RankTree::binomial, as_one(shape.hierarchy));
}
Plan bcast_linear_by_level(const Shape& shape) {
  return along("bcast.linear_by_level", shape, RankTree::linear, shape.hierarchy.all);
}
Plan bcast_chain_by_level(const Shape& shape) {
  return along("bcast.chain_by_level", shape, RankTree::chain, shape.hierarchy.all);
}
Plan bcast_pipeline_by_level(const Shape& shape) {
  return along("bcast.pipeline_by_level", shape, RankTree::pipeline, shape.hierarchy.all);
}
Plan bcast_split_binary_by_level(const Shape& shape) {
  return split_binary("bcast.split_binary_by_level", shape, shape.hierarchy.all);
}
Plan bcast_binary_by_level(const Shape& shape) {
  return along("bcast.binary_by_level", shape, RankTree::binary, shape.hierarchy.all);
}
Plan bcast_binomial_by_level(const Shape& shape) {
  return along("bcast.binomial_by_level", shape, RankTree::binomial, shape.hierarchy.all);
}

}  // namespace terrace
