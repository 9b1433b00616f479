// SPDX-License-Identifier: BSD-3-Clause
// Node, network, node. Two nodes with ranks 0, 2 and 1, 3, in the order of each call:
//
//   gather       root 2: on each node to 2, to 3; lane 1 (3 -> 2: blocks 1 and 3)
//   scatter      root 2: lane 1; on each node from 2, from 3
//   allgather    both lanes; allgather on each node of what these have brought
//                uneven nodes: gather to 0, to 1; lane 0; bcast on each node
//   alltoall     alltoall on each node: to 0 what goes to 0 and 1; then both lanes
//
// Each block crosses the network once for each node that wants it.
#include "preload/dispatch/block_moves.hpp"

#include <cstring>
#include <vector>

#include "base/contract.hpp"
#include "preload/transport/packing.hpp"

namespace terrace::preload {

namespace {

/// The blocks of each node's ranks, which follow each other in a buffer of all ranks' blocks or, if
/// they do not, in memory of their own.
class BlocksOfNodes {
 public:
  BlocksOfNodes(const NodeLayout& layout, std::byte* all, std::size_t block_bytes)
      : layout_(layout), all_(all), block_bytes_(block_bytes) {
    for (Rank node = 0; node < layout.nodes(); ++node) {
      const std::size_t bytes = layout.ranks_of[node].size() * block_bytes;
      own_.push_back(packed_buffer(layout.is_in_a_row(node) ? 0 : bytes));
      blocks_.push_back({layout.is_in_a_row(node)
                             ? all + layout.ranks_of[node].front() * block_bytes
                             : own_.back().get(),
                         bytes});
    }
  }
  const std::vector<Block>& blocks() const { return blocks_; }
  void collect() {
    for_scattered(
        [&](std::byte* in_all, std::byte* own) { std::memcpy(own, in_all, block_bytes_); });
  }
  void spread() {
    for_scattered(
        [&](std::byte* in_all, std::byte* own) { std::memcpy(in_all, own, block_bytes_); });
  }

 private:
  template <class Move>
  void for_scattered(Move move) {
    for (Rank node = 0; node < layout_.nodes(); ++node) {
      if (layout_.is_in_a_row(node)) continue;
      for (std::size_t i = 0; i < layout_.ranks_of[node].size(); ++i)
        move(all_ + layout_.ranks_of[node][i] * block_bytes_, blocks_[node].at + i * block_bytes_);
    }
  }

  const NodeLayout& layout_;
  std::byte* all_;
  std::size_t block_bytes_;
  std::vector<Packed> own_;
  std::vector<Block> blocks_;
};

/// Gathers by the leaders, where nodes are uneven.
void allgather_by_leaders(CallParts& parts, const MovedOverNodes& of) {
  const Elements block{of.block_bytes};
  if (parts.place() == 0) {
    BlocksOfNodes blocks(parts.layout(), of.output, of.block_bytes);
    const Block& own = blocks.blocks()[parts.node()];
    parts.on_node(Collective::gather, of.input, own.at, block, 0);
    parts.move_in_pairs(std::vector<Block>(parts.nodes(), own), blocks.blocks());
    blocks.spread();
  } else {
    parts.on_node(Collective::gather, of.input, nullptr, block, 0);
  }
  const Elements all{of.block_bytes * parts.layout().node_of.size()};
  parts.on_node(Collective::bcast, of.output, of.output, all, 0);
}

/// Each rank gets the blocks of its place on all nodes, and shows them on its node.
void allgather_by_lanes(CallParts& parts, const MovedOverNodes& of) {
  const Rank nodes = parts.nodes(), places = parts.ranks_on_node();
  const std::size_t bytes = of.block_bytes;
  std::byte* const of_lane = parts.buffer(0, bytes * nodes);
  std::byte* const all = parts.buffer(1, bytes * nodes * places);
  std::vector<Block> out(nodes, {of.input, bytes}), in;
  for (Rank node = 0; node < nodes; ++node) in.push_back({of_lane + node * bytes, bytes});
  parts.move_in_pairs(out, in);
  std::memcpy(of_lane + parts.node() * bytes, of.input, bytes);
  parts.on_node(Collective::allgather, of_lane, all, {bytes * nodes}, 0);
  for_each_rank(parts.layout(), [&](Rank rank, Rank node, Rank place) {
    std::memcpy(of.output + rank * bytes, all + (place * nodes + node) * bytes, bytes);
  });
}

}  // namespace

void gather_parts(CallParts& parts, Rank root, const MovedOverNodes& of) {
  const Elements block{of.block_bytes};
  const Rank node = parts.layout().node_of[root];
  const Rank speaker = parts.layout().place_of[root];
  TERRACE_ASSERT(parts.layout().have_all(speaker), root, speaker, parts.layout().least_ranks);
  if (parts.place() != speaker)
    return parts.on_node(Collective::gather, of.input, nullptr, block, speaker);
  if (parts.node() != node) {
    const std::size_t bytes = parts.ranks_on_node() * of.block_bytes;
    std::byte* const own = parts.buffer(0, bytes);
    parts.on_node(Collective::gather, of.input, own, block, speaker);
    return parts.gather({own, bytes}, {}, node);
  }
  BlocksOfNodes blocks(parts.layout(), of.output, of.block_bytes);
  parts.on_node(Collective::gather, of.input, blocks.blocks()[node].at, block, speaker);
  parts.gather({}, blocks.blocks(), node);
  blocks.spread();
}

void scatter_parts(CallParts& parts, Rank root, const MovedOverNodes& of) {
  const Elements block{of.block_bytes};
  const Rank node = parts.layout().node_of[root];
  const Rank speaker = parts.layout().place_of[root];
  TERRACE_ASSERT(parts.layout().have_all(speaker), root, speaker, parts.layout().least_ranks);
  if (parts.place() != speaker)
    return parts.on_node(Collective::scatter, nullptr, of.output, block, speaker);
  if (parts.node() != node) {
    const std::size_t bytes = parts.ranks_on_node() * of.block_bytes;
    std::byte* const own = parts.buffer(0, bytes);
    parts.scatter({}, {own, bytes}, node);
    return parts.on_node(Collective::scatter, own, of.output, block, speaker);
  }
  BlocksOfNodes blocks(parts.layout(), of.input, of.block_bytes);
  blocks.collect();
  parts.scatter(blocks.blocks(), {}, node);
  parts.on_node(Collective::scatter, blocks.blocks()[node].at, of.output, block, speaker);
}

void allgather_parts(CallParts& parts, const MovedOverNodes& of) {
  if (parts.layout().is_even())
    allgather_by_lanes(parts, of);
  else
    allgather_by_leaders(parts, of);
}

/// Moves all blocks: what a node's ranks send to the ranks of one place is collected by its rank of
/// that place.
void alltoall_parts(CallParts& parts, const MovedOverNodes& of) {
  const NodeLayout& layout = parts.layout();
  TERRACE_ASSERT(layout.is_even(), layout.least_ranks, layout.most_ranks);
  const Rank nodes = parts.nodes(), places = parts.ranks_on_node();
  const std::size_t bytes = of.block_bytes, all_bytes = bytes * nodes * places;
  std::byte* const one = parts.buffer(0, all_bytes);
  std::byte* const other = parts.buffer(1, all_bytes);
  const auto by_place = [&](std::byte* in, Rank place, Rank node) {
    return in + (place * nodes + node) * bytes;
  };
  const auto by_node = [&](std::byte* in, Rank node, Rank place) {
    return in + (node * places + place) * bytes;
  };
  for_each_rank(layout, [&](Rank rank, Rank node, Rank place) {
    std::memcpy(by_place(one, place, node), of.input + rank * bytes, bytes);
  });
  parts.on_node(Collective::alltoall, one, other, {bytes * nodes}, 0);
  // From each rank of this node, what it sends to the ranks of this place.
  for_each_rank(layout, [&](Rank, Rank node, Rank place) {
    std::memcpy(by_node(one, node, place), by_place(other, place, node), bytes);
  });
  std::vector<Block> out, in;
  for (Rank node = 0; node < nodes; ++node) {
    out.push_back({by_node(one, node, 0), bytes * places});
    in.push_back({by_node(other, node, 0), bytes * places});
  }
  parts.move_in_pairs(out, in);
  std::memcpy(by_node(other, parts.node(), 0), by_node(one, parts.node(), 0), bytes * places);
  for_each_rank(layout, [&](Rank rank, Rank node, Rank place) {
    std::memcpy(of.output + rank * bytes, by_node(other, node, place), bytes);
  });
}

}  // namespace terrace::preload
