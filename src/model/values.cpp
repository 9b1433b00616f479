// SPDX-License-Identifier: BSD-3-Clause
// Lays out the blocks of all ranks one after the other, and finds which rank touches which.
#include "model/values.hpp"

#include <algorithm>
#include <utility>

#include "base/contract.hpp"

namespace terrace::model {

namespace {

/// More are not told apart: neighbouring tiles then share a state.
constexpr std::size_t kMostValues = std::size_t{4} << 20;

}  // namespace

CostValues::CostValues(std::span<const RankProgram> parts, const RankDistances& distances,
                       bool is_direct, std::uint32_t slots)
    : is_direct_(is_direct), slots_(slots) {
  TERRACE_ASSERT(!parts.empty() && slots != 0, slots);
  lay_out(parts);
  find_furthest(parts, distances);
  measure(parts, distances);
}

Buffer CostValues::buffer_of(const ProgramRegion& region) const {
  if (region.buffer != Buffer::exposed) return region.buffer;
  return is_direct_ ? region.exposed_buffer : Buffer::scratch;
}

std::uint32_t CostValues::block_of(const ProgramRegion& region) const {
  return region.buffer == Buffer::exposed && !is_direct_ ? region.bounce_block : region.block;
}

bool CostValues::is_users(const ProgramRegion& region) const {
  const Buffer buffer = buffer_of(region);
  return buffer == Buffer::input || buffer == Buffer::output;
}

std::size_t CostValues::block(const ProgramRegion& region) const {
  const Buffer buffer = buffer_of(region);
  const std::uint32_t index = buffer == Buffer::input    ? block_of(region)
                              : buffer == Buffer::output ? inputs_ + block_of(region)
                                                         : inputs_ + outputs_ + block_of(region);
  return std::size_t{region.rank} * (inputs_ + outputs_ + scratches_) + index;
}

std::size_t CostValues::place(const ProgramRegion& region, std::uint32_t strip) const {
  return (block(region) * slots_ + strip % slots_) * ((tiles_ + unit_ - 1) / unit_);
}

CostValues::Tiles CostValues::tiles_of(const ProgramRegion& region) const {
  TERRACE_ASSERT(region.tile_count != 0 && region.first_tile + region.tile_count <= tiles_,
                 region.first_tile, region.tile_count);
  return {region.first_tile / unit_, (region.first_tile + region.tile_count - 1u) / unit_};
}

CostValue& CostValues::at(std::size_t place, Rank owner, std::uint32_t strip) {
  TERRACE_ASSERT(place < values_.size(), place, values_.size());
  CostValue& value = values_[place];
  if (value.strip != strip) value = {strip, owner, true, false, 0, 0, 0};
  return value;
}

/// Lines carry their values with their flags, and are no memory to be looked at here.
template <class Each>
void CostValues::each_touch(std::span<const RankProgram> parts, Each each) const {
  for (const RankProgram& part : parts)
    for (const auto* regions : {&part.operands, &part.targets})
      for (const ProgramRegion& region : *regions)
        if (region.buffer != Buffer::mailbox) each(part.rank, region);
}

void CostValues::lay_out(std::span<const RankProgram> parts) {
  tiles_ = parts.front().tiles;
  each_touch(parts, [&](Rank, const ProgramRegion& region) {
    const Buffer buffer = buffer_of(region);
    std::uint32_t& count = buffer == Buffer::input    ? inputs_
                           : buffer == Buffer::output ? outputs_
                                                      : scratches_;
    count = std::max(count, block_of(region) + 1);
  });
  const std::size_t blocks = parts.size() * (inputs_ + outputs_ + scratches_);
  while (blocks * slots_ * ((tiles_ + unit_ - 1) / unit_) > kMostValues && unit_ < tiles_)
    unit_ *= 2;
  values_.resize(blocks * slots_ * ((tiles_ + unit_ - 1) / unit_));
}

void CostValues::find_furthest(std::span<const RankProgram> parts, const RankDistances& distances) {
  furthest_.resize(parts.size() * (inputs_ + outputs_ + scratches_));
  each_touch(parts, [&](Rank by, const ProgramRegion& region) {
    if (by == region.rank) return;
    std::uint8_t& furthest = furthest_[block(region)];
    furthest = std::max(furthest, static_cast<std::uint8_t>(distances.distance(by, region.rank)));
  });
}

/// Each tile counts once per rank that touches it, however often.
void CostValues::measure(std::span<const RankProgram> parts, const RankDistances& distances) {
  const std::uint32_t units = (tiles_ + unit_ - 1) / unit_;
  const std::size_t tiles = furthest_.size() * units;
  by_rank_.resize(parts.size());
  by_domain_.resize(distances.domain_count());
  std::vector<Rank> last_rank(tiles, ~Rank{0});
  std::vector<std::vector<bool>> domains(distances.domain_count(), std::vector<bool>(tiles));
  each_touch(parts, [&](Rank by, const ProgramRegion& region) {
    const Tiles range = tiles_of(region);
    for (std::uint32_t tile = range.first; tile <= range.last; ++tile) {
      const std::size_t at = block(region) * units + tile;
      const auto count = [&](Touched& touched) {
        (is_users(region) ? touched.users : touched.scratch) += 1.0 / units;
      };
      if (std::exchange(last_rank[at], by) != by) count(by_rank_[by]);
      if (!domains[distances.domain(by)][at]) count(by_domain_[distances.domain(by)]);
      domains[distances.domain(by)][at] = true;
    }
  });
}

}  // namespace terrace::model
