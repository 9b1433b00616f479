// SPDX-License-Identifier: BSD-3-Clause
// Values: the contents of memory during a call and the ranks that have copies of them, tile by tile
// of each block of each rank, for the current strips. Only for this folder.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "model/distances.hpp"
#include "plan/rank_program.hpp"

namespace terrace::model {

/// The lines of one tile, all in one state.
struct CostValue {
  static constexpr std::uint32_t kNoStrip = ~0u;

  std::uint32_t strip = kNoStrip;  ///< the strip that the rest is about
  Rank writer = 0;                 ///< who wrote it last
  bool is_modified = true;         ///< and not read since
  bool was_touched = false;        ///< in this call
  std::uint64_t domains = 0;       ///< of the writer's node, which have copies
  double copies_from = 0;          ///< when the first of them was there
  double next_reader = 0;          ///< when the line can leave again
};

class CostValues {
 public:
  CostValues(std::span<const RankProgram> parts, const RankDistances& distances, bool is_direct,
             std::uint32_t slots);

  /// Returns the index of a region's first value: its block's first tile in `strip`'s slot. Regions
  /// that show a buffer are that buffer, or its bounce block.
  std::size_t place(const ProgramRegion& region, std::uint32_t strip) const;
  /// The value at a place, as the call before left it if this strip has not touched it yet.
  CostValue& at(std::size_t place, Rank owner, std::uint32_t strip);

  /// Tiles of `region` in units of what is told apart here.
  struct Tiles {
    std::uint32_t first, last;
  };
  Tiles tiles_of(const ProgramRegion& region) const;
  std::uint32_t tile_count() const { return tiles_; }  ///< as plans cut a block

  /// The furthest peer that touches the block, as an index into distances; 0: none does.
  std::uint32_t furthest_peer(const ProgramRegion& region) const {
    return furthest_[block(region)];
  }
  bool is_users(const ProgramRegion& region) const;

  /// Distinct bytes of users' buffers, and of scratch, that a domain's ranks touch in a strip, as
  /// shares of one block; and the same for each rank alone.
  struct Touched {
    double users = 0, scratch = 0;
  };
  const Touched& touched_by_rank(Rank rank) const { return by_rank_[rank]; }
  const Touched& touched_by_domain(std::uint32_t domain) const { return by_domain_[domain]; }

 private:
  Buffer buffer_of(const ProgramRegion& region) const;
  std::uint32_t block_of(const ProgramRegion& region) const;
  std::size_t block(const ProgramRegion& region) const;
  void lay_out(std::span<const RankProgram> parts);
  template <class Each>
  void each_touch(std::span<const RankProgram> parts, Each each) const;
  void find_furthest(std::span<const RankProgram> parts, const RankDistances& distances);
  void measure(std::span<const RankProgram> parts, const RankDistances& distances);

  bool is_direct_;
  std::uint32_t slots_, tiles_ = 1, unit_ = 1;
  std::uint32_t inputs_ = 0, outputs_ = 0, scratches_ = 0;
  std::vector<CostValue> values_;
  std::vector<std::uint8_t> furthest_;
  std::vector<Touched> by_rank_, by_domain_;
};

}  // namespace terrace::model
