// SPDX-License-Identifier: BSD-3-Clause
// Lowers plans of graphs, and runs them on a team.
#include "engine/neighbour_programs.hpp"

#include <algorithm>
#include <utility>

#include "engine/team_endpoint.hpp"

namespace terrace {

namespace {

/// The most scratch of a call, and into how many such parts a team's scratch is divided at least.
constexpr std::size_t kExchangeScratch = std::size_t{64} << 10, kCallsInScratch = 4;
/// Bytes of each of many blocks for which a call takes more scratch, up to half of all.
constexpr std::size_t kShortBlock = 1024;

Result<Plan> lowered(Collective collective, Rank ranks, std::span<const BlockEdge> edges) {
  return lower_neighbours(neighbours_pull(collective, ranks, edges));
}

}  // namespace

std::size_t scratch_along_edges(std::size_t scratch_bytes, std::size_t most_given) {
  const std::size_t usual = std::min(kExchangeScratch, scratch_bytes / kCallsInScratch);
  const std::size_t for_many = std::min(most_given * kShortBlock, scratch_bytes / 2);
  return std::max(usual, for_many) / kLinePairBytes * kLinePairBytes;
}

Result<std::shared_ptr<const NeighbourPrograms>> neighbour_programs(
    Collective collective, Rank ranks, std::span<const BlockEdge> edges) {
  const Result<Plan> plan = lowered(collective, ranks, edges);
  if (!plan) return plan.error();
  return std::make_shared<const NeighbourPrograms>(collective, 0, programs_of(plan.value()), 0);
}

Result<std::shared_ptr<const NeighbourPrograms>> neighbour_program(Collective collective,
                                                                   Rank ranks,
                                                                   std::span<const BlockEdge> edges,
                                                                   Rank rank,
                                                                   std::size_t most_given) {
  const Result<Plan> plan = lowered(collective, ranks, edges);
  if (!plan) return plan.error();
  return std::make_shared<const NeighbourPrograms>(
      collective, rank, std::vector<RankProgram>{program_of(plan.value(), rank)}, most_given);
}

TeamEndpoint::PreparedCall& TeamEndpoint::prepare_along_edges(
    const std::shared_ptr<const NeighbourPrograms>& programs, EdgeBlocks& blocks) {
  TERRACE_ASSERT(programs != nullptr && started_ == nullptr);
  const auto known = std::find_if(exchanges_.rbegin(), exchanges_.rend(),
                                  [&](const Exchange& one) { return one.programs == programs; });
  PreparedCall* const prepared =
      known != exchanges_.rend() ? known->prepared.get() : &new_exchange(programs);
  // Without lines, each rank gives to itself alone, and leaves nothing.
  if (prepared->program->lines > 0) {
    const std::size_t scratch = prepared->segmentation.slot_stride;
    blocks.most_left = most_left_in_scratch(scratch, programs->most_given());
    choose_deposit(blocks, scratch);
  }
  prepared->call.edges = &blocks;
  prepared->call.reach = is_left_in_place(blocks.deposit) ? Reach::direct : Reach::bounced;
  return *prepared;
}

/// Lengths are the givers' own matter, so all calls of a graph are prepared alike.
TeamEndpoint::PreparedCall& TeamEndpoint::new_exchange(
    const std::shared_ptr<const NeighbourPrograms>& programs) {
  auto made = std::make_unique<PreparedCall>();
  made->program = &programs->of(state_.rank());
  TERRACE_REQUIRE(made->program->ranks == state_.rank_count(), made->program->ranks);
  Call& call = made->call;
  call.element_count = call.block_elements = call.strip_elements = 1;
  Signature signature{programs->collective()};
  signature.lengths = Signature::kToldLengths;
  call.identity = identity_of(signature);
  Segmentation& segmentation = made->segmentation;
  segment(*made->program, call, segmentation);
  // A rank's blocks share the slot as their lengths are.
  segmentation.slot_stride = segmentation.scratch_bytes =
      made->program->lines == 0
          ? 0
          : scratch_along_edges(state_.scratch_bytes(), programs->most_given());
  exchanges_.push_back({programs, std::move(made)});
  return *exchanges_.back().prepared;
}

bool TeamEndpoint::move_along_edges(const std::shared_ptr<const NeighbourPrograms>& programs,
                                    EdgeBlocks& blocks) {
  TERRACE_ASSERT(!is_own_call_ && (options_.traits.can_be_direct || blocks.puller != nullptr));
  collective_ = programs->collective();
  PreparedCall& prepared = prepare_along_edges(programs, blocks);
  if (!is_starting_) return repeat(prepared, nullptr, nullptr);
  start(prepared, nullptr, nullptr);
  return true;
}

}  // namespace terrace
