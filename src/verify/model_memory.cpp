// SPDX-License-Identifier: BSD-3-Clause
// Cells: where they lie, and the check of each access against earlier ones.
#include "verify/model_memory.hpp"

#include "base/contract.hpp"

namespace terrace {

void ModelMemory::reset(const Plan& plan, const Circumstances& circumstances,
                        std::uint32_t blocks) {
  tiles_ = plan.tiles;
  strips_ = circumstances.strips;
  blocks_ = blocks;
  ring_ = plan.ring;
  scratch_blocks_ = plan.scratch_blocks;
  pockets_ = static_cast<std::uint32_t>(plan.lines) * plan.pockets;
  exposures_ = static_cast<std::uint32_t>(plan.exposures.size());
  in_place_ = circumstances.in_place;
  first_scratch_ = Place{plan.ranks} * 2 * blocks_ * strips_ * tiles_;
  first_line_ = first_scratch_ + Place{plan.ranks} * ring_ * scratch_blocks_ * tiles_;
  first_permission_ = first_line_ + Place{plan.ranks} * pockets_;
  cells_.resize(first_permission_ + Place{plan.ranks} * exposures_ * strips_ * tiles_);
  for (Cell& cell : cells_) {
    cell.value = {};
    cell.writer = {};
    cell.readers.clear();  // keeps its memory: this runs once for each of the circumstances
  }
}

ModelMemory::Place ModelMemory::users(Rank rank, Buffer buffer, std::uint32_t block,
                                      std::uint32_t tile, std::uint32_t strip) const {
  TERRACE_ASSERT(buffer == Buffer::input || buffer == Buffer::output, buffer);
  TERRACE_ASSERT(block < blocks_ && tile < tiles_ && strip < strips_, block, tile, strip);
  const bool is_output = buffer == Buffer::output || in_place_[rank];
  const Place whole = (Place{rank} * 2 + (is_output ? 1 : 0)) * blocks_ + block;
  return (whole * strips_ + strip) * tiles_ + tile;
}

ModelMemory::Place ModelMemory::scratch(Rank rank, std::uint32_t block, std::uint32_t tile,
                                        std::uint32_t strip) const {
  TERRACE_ASSERT(block < scratch_blocks_ && tile < tiles_, block, tile);
  const Place whole = (Place{rank} * ring_ + strip % ring_) * scratch_blocks_ + block;
  return first_scratch_ + whole * tiles_ + tile;
}

ModelMemory::Place ModelMemory::pocket(Rank rank, std::uint32_t pocket) const {
  TERRACE_ASSERT(pocket < pockets_, pocket, pockets_);
  return first_line_ + Place{rank} * pockets_ + pocket;
}

ModelMemory::Place ModelMemory::permission(Rank rank, std::uint32_t exposure, std::uint32_t tile,
                                           std::uint32_t strip) const {
  TERRACE_ASSERT(exposure < exposures_ && tile < tiles_ && strip < strips_, exposure, tile, strip);
  const Place whole = (Place{rank} * exposures_ + exposure) * strips_ + strip;
  return first_permission_ + whole * tiles_ + tile;
}

namespace {

bool is_known(const MemoryEvent& event, MemoryEvent by, VectorClock clock) {
  return event.rank == by.rank || event.count <= clock[event.rank];
}

}  // namespace

std::optional<Race> ModelMemory::read(Place place, MemoryEvent by, VectorClock clock) {
  TERRACE_ASSERT(place < cells_.size() && by.rank < clock.size(), place, by.rank);
  Cell& cell = cells_[place];
  for (MemoryEvent& reader : cell.readers)
    if (reader.rank == by.rank) {
      reader.count = by.count;
      return std::nullopt;  // what wrote the cell was known then
    }
  if (!is_known(cell.writer, by, clock)) return Race{cell.writer, true};
  cell.readers.push_back(by);
  return std::nullopt;
}

std::optional<Race> ModelMemory::write(Place place, MemoryEvent by, VectorClock clock,
                                       SymbolicValue value) {
  TERRACE_ASSERT(place < cells_.size() && by.rank < clock.size(), place, by.rank);
  Cell& cell = cells_[place];
  if (!is_known(cell.writer, by, clock)) return Race{cell.writer, true};
  for (const MemoryEvent& reader : cell.readers)
    if (!is_known(reader, by, clock)) return Race{reader, false};
  cell.value = value;
  cell.writer = by;
  cell.readers.clear();
  return std::nullopt;
}

}  // namespace terrace
