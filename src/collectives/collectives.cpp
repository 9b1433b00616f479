// SPDX-License-Identifier: BSD-3-Clause
// The table of algorithms, and the postcondition of each collective.
#include "collectives/collectives.hpp"

#include <algorithm>
#include <array>

namespace terrace {

// Each algorithm's function stands in a file of its own.
#define ALGORITHM(name, collective, writer, ...) Plan writer(const Shape& shape);
#include "collectives/algorithms_by_name.inc"
#include "collectives/algorithms_to_choose_from.inc"
#undef ALGORITHM

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

#define ALGORITHM(name, collective, writer, ...) \
  {name, Collective::collective, writer, __VA_ARGS__},
constexpr Algorithm kAlgorithms[] = {
#include "collectives/algorithms_to_choose_from.inc"
};
constexpr Algorithm kAlgorithmsByName[] = {
#include "collectives/algorithms_by_name.inc"
};
#undef ALGORITHM

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

/// Returns what `rank` must end up with, block by block.
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
  if (collective == Collective::neighbour_allgather) return "neighbour_allgather";
  if (collective == Collective::neighbour_alltoall) return "neighbour_alltoall";
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

std::span<const Algorithm> algorithms_by_name() {
  return kAlgorithmsByName;
}

const Algorithm* find_algorithm(std::string_view name) {
  for (const std::span<const Algorithm> rows : {algorithms(), algorithms_by_name()})
    for (const Algorithm& row : rows)
      if (row.name == name) return &row;
  return nullptr;
}

bool runs_vector(const Plan& plan) {
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

Postcondition postcondition(const Algorithm& row, Rank ranks, Rank root) {
  Postcondition result = postcondition(row.collective, ranks, root);
  if (row.bits == Bits::different) result.same_bits = false;
  return result;
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
