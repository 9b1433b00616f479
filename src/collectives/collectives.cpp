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
    {"reduce.all_read", Collective::reduce, reduce_all_read, true, true,
     "each group's head reads all its members at once", "beyond the papers"},
    {"reduce.tree", Collective::reduce, reduce_tree, true, true,
     "n-ary tree, domains meet only at the top", "HPDC'13 section 2.2, equation 1"},
    {"reduce.tiled", Collective::reduce, reduce_tiled, false, true,
     "each rank combines its tile, the root collects", "HPDC'13 section 2.6"},
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
};

Terms every_input(Rank ranks) {
  Terms terms;
  for (Rank rank = 0; rank < ranks; ++rank) terms.push_back({rank, 0});
  return terms;
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

std::span<const Algorithm> algorithms() {
  return kAlgorithms;
}

const Algorithm* find_algorithm(std::string_view name) {
  const auto found = std::find_if(std::begin(kAlgorithms), std::end(kAlgorithms),
                                  [name](const Algorithm& row) { return row.name == name; });
  return found == std::end(kAlgorithms) ? nullptr : found;
}

Postcondition postcondition(Collective collective, Rank ranks, Rank root) {
  Postcondition result;
  result.outputs.assign(ranks, {std::nullopt});
  result.all_hear = collective == Collective::barrier;
  for (Rank rank = 0; rank < ranks; ++rank) {
    std::optional<Terms>& output = result.outputs[rank][0];
    switch (collective) {
      case Collective::barrier:
        break;
      case Collective::bcast:
        if (rank != root) output = Terms{{root, 0}};
        break;
      case Collective::reduce:
        if (rank == root) output = every_input(ranks);
        break;
      case Collective::allreduce:
        output = every_input(ranks);
        result.same_bits = true;
        break;
    }
  }
  return result;
}

}  // namespace terrace
