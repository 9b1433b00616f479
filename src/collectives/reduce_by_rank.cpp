// SPDX-License-Identifier: BSD-3-Clause
// Reduce from rank to rank, as Open MPI's coll/tuned does it: ParCo'18, section 7.2.
//
//     linear    the root takes each rank's input, from the last rank to the first
//     chain     four chains, pipeline  one: each adds what comes from behind to its own
//     binary    0 ─┬ 1 ─┬ 3     binomial  0 ─┬ 1           in_order_binary  5 ─┬ 4 ─┬ 3
//                  │    └ 5                  ├ 2 ─ 3       (to the last rank,  │    └ ...
//                  └ 2 ...                   └ 4 ─┬ 5 ...  then to the root)   └ 2 ─┬ 1 ...
//
// Ranks are numbered from the root, cyclically, except in linear and in_order_binary; segments are
// strips. A parent takes its children one after the other: it reads their buffers if they share a
// node, and receives messages if not.
// `..._by_level` is the papers' hierarchical form: the same algorithm once per group of the
// hierarchy, among the leaders of its parts, from the innermost outwards. Traffic: each rank
// but the root passes the vector to its parent once, which reads and writes as much. Order: a
// parent adds its children's sums to its own value in their order; linear and in order keep the
// order of ranks, within each group by level.
#include <span>

#include "collectives/climb.hpp"
#include "collectives/rank_trees.hpp"

namespace terrace {

namespace {

enum class RankWay : std::uint8_t { linear, chain, pipeline, binary, binomial, in_order_binary };

class ReductionByRank {
 public:
  ReductionByRank(PlanBuilder& plan, RankWay way) : plan_(plan), way_(way) {}

  /// The group's sum at `head`; if several ranks have a part in it, it is in `target`.
  HeldValue total(const Group& group, Rank head, const Region& target, std::uint32_t depth) {
    const std::vector<Rank> heads = heads_of(group, head);
    std::vector<HeldValue> parts;
    for (std::size_t i = 0; i < heads.size(); ++i)
      parts.push_back(group.children.empty() ? HeldValue{heads[i], input(heads[i])}
                                             : total(group.children[i], heads[i],
                                                     sum(heads[i], depth + 1), depth + 1));
    if (parts.size() == 1) return parts.front();
    depth_ = depth;
    if (way_ == RankWay::linear)
      linear(parts, head, target);
    else if (way_ == RankWay::in_order_binary)
      put(in_order(parts), target);
    else
      along(tree(), from_head(parts, heads_from(group, head)), target);
    return {head, target};
  }

 private:
  /// Block 0 of scratch is for what arrives; each level has a block for its sums.
  static Region sum(Rank rank, std::uint32_t depth) { return scratch(rank, 1 + depth); }

  RankTree tree() const {
    switch (way_) {
      case RankWay::chain:
        return RankTree::chain;
      case RankWay::pipeline:
        return RankTree::pipeline;
      case RankWay::binary:
        return RankTree::binary;
      default:
        return RankTree::binomial_runs;
    }
  }

  static std::vector<HeldValue> from_head(const std::vector<HeldValue>& parts,
                                          const std::vector<Rank>& order) {
    std::vector<HeldValue> result;
    for (Rank rank : order)
      for (const HeldValue& part : parts)
        if (part.by == rank) result.push_back(part);
    return result;
  }

  /// Returns where `by` finds a value: at its place on the same node, or in `inbox`, to which it is
  /// sent.
  Region taken(const HeldValue& value, Rank by, const Region& inbox) {
    if (plan_.are_on_one_node(value.by, by)) return value.where;
    plan_.send(value.where, inbox);
    return inbox;
  }

  void put(const HeldValue& value, const Region& target) {
    if (value.where != target) hand(plan_, value.where, target);
  }

  void linear(const std::vector<HeldValue>& parts, Rank head, const Region& target) {
    Region total = taken(parts.back(), head, sum(head, depth_));
    for (std::size_t i = parts.size() - 1; i-- > 0;) {
      const Region next = i == 0 ? target : sum(head, depth_);
      plan_.reduce(head, {taken(parts[i], head, scratch(head)), total}, {next});
      total = next;
    }
  }

  void along(RankTree tree, std::vector<HeldValue> members, const Region& target) {
    const auto children = children_in(tree, static_cast<std::uint32_t>(members.size()));
    for (std::size_t i = members.size(); i-- > 0;) {
      const Rank by = members[i].by;
      for (const std::uint32_t child : children[i]) {
        const Region value = taken(members[child], by, scratch(by));
        const Region next = i == 0 ? target : sum(by, depth_);
        plan_.reduce(by, {members[i].where, value}, {next});
        members[i].where = next;
      }
    }
  }

  /// The last of them adds the sum of the half right before it, then of the other half.
  HeldValue in_order(std::span<const HeldValue> parts) {
    HeldValue total = parts.back();
    const std::span<const HeldValue> rest = parts.first(parts.size() - 1);
    const std::size_t right = rest.size() / 2;
    for (const auto& half : {rest.last(right), rest.first(rest.size() - right)}) {
      if (half.empty()) continue;
      const Region value = taken(in_order(half), total.by, scratch(total.by));
      plan_.reduce(total.by, {value, total.where}, {sum(total.by, depth_)});
      total.where = sum(total.by, depth_);
    }
    return total;
  }

  PlanBuilder& plan_;
  RankWay way_;
  std::uint32_t depth_ = 0;
};

Plan reduce(const char* name, const Shape& shape, RankWay way, const Group& group) {
  PlanBuilder plan = begin_across_nodes(name, shape.hierarchy);
  const Region target = output(shape.root);
  const HeldValue total = ReductionByRank(plan, way).total(group, shape.root, target, 0);
  if (total.where != target) plan.copy(shape.root, total.where, target);
  return std::move(plan).build();
}

Plan flat(const char* name, const Shape& shape, RankWay way) {
  Group everybody = shape.hierarchy.all;
  everybody.children.clear();
  return reduce(name, shape, way, everybody);
}

Plan by_level(const char* name, const Shape& shape, RankWay way) {
  return reduce(name, shape, way, shape.hierarchy.all);
}

}  // namespace

Plan reduce_linear(const Shape& shape) {
  return flat("reduce.linear", shape, RankWay::linear);
}
Plan reduce_chain(const Shape& shape) {
  return flat("reduce.chain", shape, RankWay::chain);
}
Plan reduce_pipeline(const Shape& shape) {
  return flat("reduce.pipeline", shape, RankWay::pipeline);
}
Plan reduce_binary(const Shape& shape) {
  return flat("reduce.binary", shape, RankWay::binary);
}
Plan reduce_binomial(const Shape& shape) {
  return flat("reduce.binomial", shape, RankWay::binomial);
}
Plan reduce_in_order_binary(const Shape& shape) {
  return flat("reduce.in_order_binary", shape, RankWay::in_order_binary);
}
Plan reduce_linear_by_level(const Shape& shape) {
  return by_level("reduce.linear_by_level", shape, RankWay::linear);
}
Plan reduce_chain_by_level(const Shape& shape) {
  return by_level("reduce.chain_by_level", shape, RankWay::chain);
}
Plan reduce_pipeline_by_level(const Shape& shape) {
  return by_level("reduce.pipeline_by_level", shape, RankWay::pipeline);
}
Plan reduce_binary_by_level(const Shape& shape) {
  return by_level("reduce.binary_by_level", shape, RankWay::binary);
}
Plan reduce_binomial_by_level(const Shape& shape) {
  return by_level("reduce.binomial_by_level", shape, RankWay::binomial);
}
Plan reduce_in_order_binary_by_level(const Shape& shape) {
  return by_level("reduce.in_order_binary_by_level", shape, RankWay::in_order_binary);
}

}  // namespace terrace
