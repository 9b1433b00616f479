// SPDX-License-Identifier: BSD-3-Clause
// The memory of all ranks as the verifier sees it: one cell for each tile of each place, which
// records its contents, its writer and its readers since.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "plan/plan.hpp"
#include "verify/circumstances.hpp"
#include "verify/expressions.hpp"

namespace terrace {

/// One step as it was done: the `count`-th event of its rank, from 1.
struct MemoryEvent {
  Rank rank = 0;
  std::uint32_t count = 0;  ///< 0: none
};

/// The content of a cell. An expression over input blocks, all of the same tile of the same strip.
struct SymbolicValue {
  bool is_known = false;
  std::uint16_t tile = 0;
  std::uint32_t strip = 0;
  Expressions::Id expression = 0;
};

/// A conflict that nothing orders: `before` happened to come first, and need not have.
struct Race {
  MemoryEvent before;
  bool before_wrote = false;
};

/// The number of events of each rank known to lie before the one at hand.
using VectorClock = std::span<const std::uint32_t>;

class ModelMemory {
 public:
  using Place = std::size_t;

  /// Forgets everything; memory for `blocks` user's blocks per buffer.
  void reset(const Plan& plan, const Circumstances& circumstances, std::uint32_t blocks);

  // Places. Input and output of a rank that calls in place are one.
  Place users(Rank rank, Buffer buffer, std::uint32_t block, std::uint32_t tile,
              std::uint32_t strip) const;
  Place scratch(Rank rank, std::uint32_t block, std::uint32_t tile, std::uint32_t strip) const;
  Place pocket(Rank rank, std::uint32_t pocket) const;
  /// Not memory, but the permission to touch an exposed tile, which its owner gives by exposing.
  Place permission(Rank rank, std::uint32_t exposure, std::uint32_t tile,
                   std::uint32_t strip) const;

  /// The event reads or writes the place; a race if a conflicting access is not known to `clock`.
  std::optional<Race> read(Place place, MemoryEvent by, VectorClock clock);
  std::optional<Race> write(Place place, MemoryEvent by, VectorClock clock, SymbolicValue value);

  const SymbolicValue& value(Place place) const { return cells_[place].value; }
  void set(Place place, SymbolicValue value) { cells_[place].value = value; }
  bool is_written(Place place) const { return cells_[place].writer.count != 0; }

 private:
  struct Cell {
    SymbolicValue value;
    MemoryEvent writer;
    std::vector<MemoryEvent> readers;  ///< since it was written, the last reading of each rank
  };

  std::uint32_t tiles_ = 0, strips_ = 0, blocks_ = 0, ring_ = 0, scratch_blocks_ = 0, pockets_ = 0;
  std::uint32_t exposures_ = 0;
  Place first_scratch_ = 0, first_line_ = 0, first_permission_ = 0;
  std::vector<bool> in_place_;
  std::vector<Cell> cells_;
};

}  // namespace terrace
