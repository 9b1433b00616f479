// SPDX-License-Identifier: BSD-3-Clause
// Lowers plans of graphs, and runs them on a team.
#include "engine/neighbour_programs.hpp"

#include <algorithm>
#include <utility>

#include "engine/team_endpoint.hpp"
#include "plan/lower.hpp"

namespace terrace {

namespace {

/// Scratch of a call for the blocks that a rank leaves there: what is left there at most, with a
/// table of where they end; or less, so that several calls have room.
constexpr std::size_t kExchangeScratch = std::size_t{64} << 10, kCallsInScratch = 8;

}  // namespace

Result<std::shared_ptr<const NeighbourPrograms>> neighbour_programs(
    Collective collective, std::span<const EdgesOfRank> ranks) {
  const Result<std::vector<BlockEdge>> edges = edges_of(ranks);
  if (!edges) return edges.error();
  const Plan written = neighbours_pull(collective, static_cast<Rank>(ranks.size()), edges.value());
  // All blocks go in one strip, which has one slot.
  const Result<Plan> plan = lower(written, Lowering::owner, 1);
  if (!plan) return plan.error();
  return std::make_shared<const NeighbourPrograms>(
      NeighbourPrograms{collective, programs_of(plan.value())});
}

TeamEndpoint::PreparedCall& TeamEndpoint::prepare_along_edges(
    const std::shared_ptr<const NeighbourPrograms>& programs, EdgeBlocks& blocks) {
  TERRACE_ASSERT(programs != nullptr && started_ == nullptr);
  PreparedCall* prepared = nullptr;
  for (const Exchange& one : exchanges_)
    if (one.programs == programs) prepared = one.prepared.get();
  if (prepared == nullptr) prepared = &new_exchange(programs);
  choose_deposit(blocks, prepared->segmentation.slot_stride);
  prepared->call.edges = &blocks;
  prepared->call.reach = blocks.deposit == Deposit::direct ? Reach::direct : Reach::bounced;
  return *prepared;
}

/// Lengths are the givers' own matter, so all calls of a graph are prepared alike.
TeamEndpoint::PreparedCall& TeamEndpoint::new_exchange(
    const std::shared_ptr<const NeighbourPrograms>& programs) {
  TERRACE_ASSERT(options_.traits.can_be_direct && options_.recorder == nullptr);
  TERRACE_REQUIRE(programs->ranks.size() == state_.rank_count(), programs->ranks.size());
  auto made = std::make_unique<PreparedCall>();
  made->program = &programs->ranks[state_.rank()];
  Call& call = made->call;
  call.element_count = call.block_elements = call.strip_elements = 1;
  Signature signature{programs->collective};
  signature.lengths = Signature::kToldLengths;
  call.identity = identity_of(signature);
  Segmentation& segmentation = made->segmentation;
  segment(*made->program, call, segmentation);
  // A rank's blocks share the slot as their lengths are.
  const std::size_t scratch = std::min(kExchangeScratch, state_.scratch_bytes() / kCallsInScratch) /
                              kLinePairBytes * kLinePairBytes;
  segmentation.slot_stride = segmentation.scratch_bytes = made->program->lines == 0 ? 0 : scratch;
  exchanges_.push_back({programs, std::move(made)});
  return *exchanges_.back().prepared;
}

bool TeamEndpoint::move_along_edges(const std::shared_ptr<const NeighbourPrograms>& programs,
                                    EdgeBlocks& blocks) {
  TERRACE_ASSERT(!is_own_call_);
  PreparedCall& prepared = prepare_along_edges(programs, blocks);
  if (!is_starting_) return repeat(prepared, nullptr, nullptr);
  start(prepared, nullptr, nullptr);
  return true;
}

}  // namespace terrace
