// SPDX-License-Identifier: BSD-3-Clause
// The table, and what each collective promises.
#include "collectives/collectives.hpp"

#include <algorithm>
#include <array>

namespace terrace {

namespace {

constexpr std::array<std::pair<Collective, const char*>, kCollectiveCount> kNames = {{
    {Collective::barrier, "barrier"},
    {Collective::bcast, "bcast"},
    {Collective::reduce, "reduce"},
    {Collective::allreduce, "allreduce"},
    {Collective::allgather, "allgather"},
    {Collective::gather, "gather"},
    {Collective::scatter, "scatter"},
    {Collective::alltoall, "alltoall"},
    {Collective::reduce_scatter_block, "reduce_scatter_block"},
    {Collective::scan, "scan"},
    {Collective::exscan, "exscan"},
    {Collective::allgatherv, "allgatherv"},
    {Collective::gatherv, "gatherv"},
    {Collective::scatterv, "scatterv"},
    {Collective::alltoallv, "alltoallv"},
    {Collective::alltoallw, "alltoallw"},
    {Collective::reduce_scatter, "reduce_scatter"},
}};

// A barrier is an allreduce of nothing: the flags travel, and no payload with them.
constexpr Algorithm kAlgorithms[] = {
    {"barrier.all_read", Collective::barrier, allreduce_all_read, true, false,
     "all-read with empty lines", "beyond the papers; dissemination generalised"},
    {"barrier.tree", Collective::barrier, allreduce_tree, true, false,
     "n-ary gathering tree, all released by rank 0's line", "HPDC'13 section 2"},
    {"bcast.flat", Collective::bcast, bcast_flat, true, true, "every rank reads the root",
     "HPDC'13 section 2.2, one-stage broadcast"},
    {"bcast.staged", Collective::bcast, bcast_staged, true, true,
     "leaders read the root, members read their leader",
     "HPDC'13 section 2.2, two-stage broadcast"},
    {"bcast.tree", Collective::bcast, bcast_tree, true, true, "n-ary tree along the hierarchy",
     "HPDC'13 section 2.2"},
    {"bcast.split", Collective::bcast, bcast_split, false, true,
     "as staged, but a holder stores one tile to all while they read the others",
     "beyond the papers: the root's core moves bytes, too"},
    {"reduce.all_read", Collective::reduce, reduce_all_read, true, true,
     "each group's head reads all its members at once", "beyond the papers"},
    {"reduce.tree", Collective::reduce, reduce_tree, true, true,
     "n-ary tree, domains meet only at the top", "HPDC'13 section 2.2, equation 1"},
    {"reduce.tiled", Collective::reduce, reduce_tiled, false, true,
     "each rank combines its tile, the root collects", "HPDC'13 section 2.6"},
    {"reduce.push", Collective::reduce, reduce_push, false, true,
     "each rank combines its tile and stores it at the root", "beyond the papers"},
    {"allreduce.all_read", Collective::allreduce, allreduce_all_read, true, true,
     "every rank reads its domain, then one rank of each other domain", "beyond the papers"},
    {"allreduce.tree", Collective::allreduce, allreduce_tree, true, true,
     "n-ary reduction tree, then every rank reads the total at rank 0",
     "HPDC'13 section 2.2, one-stage broadcast"},
    {"allreduce.tree_staged", Collective::allreduce, allreduce_tree_staged, true, true,
     "n-ary reduction tree, then leaders and members in turn",
     "HPDC'13 section 2.2, two-stage broadcast"},
    {"allreduce.tiled", Collective::allreduce, allreduce_tiled, false, true,
     "each rank combines its tile, domains exchange partials, all copy the tiles",
     "HPDC'13 sections 2.4 and 3.2, equations 8 to 11"},
    {"allreduce.push", Collective::allreduce, allreduce_push, false, true,
     "each rank combines its tile and stores it to all outputs of its domain",
     "beyond the papers: 2pn bytes of traffic"},
    {"allgather.all_read", Collective::allgather, allgather_all_read, true, true,
     "every rank reads everybody's block", "beyond the papers"},
    {"allgather.staged", Collective::allgather, allgather_staged, true, true,
     "members share the blocks of other domains out, then read them from each other",
     "HPDC'13 section 2.2 applied to blocks"},
    {"allgather.push", Collective::allgather, allgather_push, false, true,
     "every rank stores its block to all outputs", "beyond the papers"},
    {"gather.flat", Collective::gather, gather_flat, true, true, "the root reads every rank",
     "beyond the papers"},
    {"gather.push", Collective::gather, gather_push, false, true,
     "every rank stores its block at the root", "beyond the papers"},
    {"scatter.flat", Collective::scatter, scatter_flat, true, true,
     "every rank reads its block of the root", "beyond the papers"},
    {"alltoall.all_read", Collective::alltoall, alltoall_all_read, true, true,
     "every rank shows copies of its blocks, and reads its block of each peer",
     "beyond the papers"},
    {"alltoall.pairwise", Collective::alltoall, alltoall_pairwise, true, true,
     "of each pair one keeps a copy, the other reads first", "beyond the papers"},
    {"reduce_scatter_block.flat", Collective::reduce_scatter_block, reduce_scatter_block_flat, true,
     true, "every rank combines its block of all inputs", "beyond the papers"},
    {"reduce_scatter_block.staged", Collective::reduce_scatter_block, reduce_scatter_block_staged,
     true, true, "domains combine partials of all blocks, each rank those of its own",
     "HPDC'13 section 2.6 applied to blocks"},
    {"scan.all_read", Collective::scan, scan_all_read, true, true,
     "every rank reads all ranks before it", "beyond the papers"},
    {"scan.chain", Collective::scan, scan_chain, true, true,
     "every rank adds its input to the sum of the rank before it", "beyond the papers"},
    {"scan.push", Collective::scan, scan_push, false, true,
     "each rank sums up its tile from rank to rank and stores it to all outputs",
     "beyond the papers: 3pn bytes of traffic"},
    {"exscan.all_read", Collective::exscan, exscan_all_read, true, true,
     "every rank reads all ranks before it", "beyond the papers"},
    {"exscan.chain", Collective::exscan, exscan_chain, true, true,
     "every rank passes on the sum of the ranks before it, and adds its input",
     "beyond the papers"},
    {"exscan.push", Collective::exscan, exscan_push, false, true,
     "each rank sums up its tile from rank to rank and stores it to all outputs",
     "beyond the papers"},
};

/// One block of each of the first `ranks` inputs.
Terms inputs(Rank ranks, std::uint32_t block = 0) {
  Terms terms;
  for (Rank rank = 0; rank < ranks; ++rank)
    terms.push_back({rank, static_cast<std::uint16_t>(block)});
  return terms;
}

Terms block_of(Rank rank, std::uint32_t block) {
  return {{rank, static_cast<std::uint16_t>(block)}};
}

using Output = std::vector<std::optional<Terms>>;

/// What `rank` must end up with, block by block.
Output promised_output(Collective collective, Rank ranks, Rank root, Rank rank) {
  Output output(has_block_per_rank(collective) ? ranks : 1);
  switch (planned_as(collective)) {
    case Collective::barrier:
      break;
    case Collective::bcast:
      if (rank != root) output[0] = block_of(root, 0);
      break;
    case Collective::reduce:
      if (rank == root) output[0] = inputs(ranks);
      break;
    case Collective::allreduce:
      output[0] = inputs(ranks);
      break;
    case Collective::allgather:
    case Collective::gather:
      for (Rank peer = 0; peer < ranks; ++peer)
        if (collective == Collective::allgather || rank == root)
          output[peer] = block_of(peer, peer);
      break;
    case Collective::scatter:
      output[rank] = block_of(root, rank);
      break;
    case Collective::alltoall:
      for (Rank peer = 0; peer < ranks; ++peer) output[peer] = block_of(peer, rank);
      break;
    case Collective::reduce_scatter_block:
      output[0] = inputs(ranks, rank);
      break;
    case Collective::scan:
      output[0] = inputs(rank + 1);
      break;
    case Collective::exscan:
      if (rank > 0) output[0] = inputs(rank);
      break;
    default:
      break;  // nothing is planned as an uneven collective
  }
  return output;
}

}  // namespace

const char* to_text(Collective collective) {
  return kNames[static_cast<std::size_t>(collective)].second;
}

std::optional<Collective> collective_from_text(std::string_view text) {
  for (const auto& [collective, name] : kNames)
    if (text == name) return collective;
  return std::nullopt;
}

std::optional<Collective> collective_of_plan(std::string_view name) {
  return collective_from_text(name.substr(0, name.find('.')));
}

Collective planned_as(Collective collective) {
  switch (collective) {
    case Collective::allgatherv:
      return Collective::allgather;
    case Collective::gatherv:
      return Collective::gather;
    case Collective::scatterv:
      return Collective::scatter;
    case Collective::alltoallv:
    case Collective::alltoallw:
      return Collective::alltoall;
    case Collective::reduce_scatter:
      return Collective::reduce_scatter_block;
    default:
      return collective;
  }
}

bool is_rooted(Collective collective) {
  const Collective plan = planned_as(collective);
  return plan == Collective::bcast || plan == Collective::reduce || plan == Collective::gather ||
         plan == Collective::scatter;
}

bool combines(Collective collective) {
  const Collective plan = planned_as(collective);
  return plan == Collective::reduce || plan == Collective::allreduce ||
         plan == Collective::reduce_scatter_block || plan == Collective::scan ||
         plan == Collective::exscan;
}

bool has_block_per_rank(Collective collective) {
  const Collective plan = planned_as(collective);
  return plan == Collective::allgather || plan == Collective::gather ||
         plan == Collective::scatter || plan == Collective::alltoall ||
         plan == Collective::reduce_scatter_block;
}

std::span<const Algorithm> algorithms() {
  return kAlgorithms;
}

const Algorithm* find_algorithm(std::string_view name) {
  const auto found = std::find_if(std::begin(kAlgorithms), std::end(kAlgorithms),
                                  [name](const Algorithm& row) { return row.name == name; });
  return found == std::end(kAlgorithms) ? nullptr : found;
}

bool runs_uneven(const Plan& plan) {
  return std::all_of(plan.body.begin(), plan.body.end(), [](const Step& step) {
    const auto is_own_block = [&step](const Region& region) {
      return region.rank == step.by &&
             (region.buffer == Buffer::input || region.buffer == Buffer::output);
    };
    for (std::size_t i = 0; step.kind == StepKind::copy && i < step.to.size(); ++i)
      if (!is_own_block(step.from[i]) && !is_own_block(step.to[i])) return false;
    return std::any_of(step.from.begin(), step.from.end(), is_own_block) ||
           std::any_of(step.to.begin(), step.to.end(), is_own_block);
  });
}

Postcondition postcondition(Collective collective, Rank ranks, Rank root) {
  Postcondition result;
  result.all_hear = collective == Collective::barrier;
  result.same_bits = collective == Collective::allreduce;
  for (Rank rank = 0; rank < ranks; ++rank)
    result.outputs.push_back(promised_output(collective, ranks, root, rank));
  return result;
}

}  // namespace terrace
