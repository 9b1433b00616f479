// SPDX-License-Identifier: BSD-3-Clause
// What lies between two cores, measured by the two ranks that run on them: how long a line takes,
// and what it takes to pass values of some length through memory that both share. Both ranks call
// the same functions in the same order, with the same arguments.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/apart.hpp"
#include "model/machine_model.hpp"

namespace terrace::measure {

/// What a rank shows the other one while they measure. In memory that both map.
struct alignas(kLinePairBytes) ProbeBoard {
  std::atomic<std::uint64_t> turn{0};
  alignas(kLinePairBytes) std::atomic<std::uint64_t> result{0};  ///< picoseconds
};

/// A rank's own memory for a measurement.
struct ProbeRoom {
  ProbeBoard* board = nullptr;  ///< its own; the peer maps it, too
  std::byte* shared = nullptr;  ///< likewise: `bytes` that a peer copies from
  std::byte* source = nullptr;  ///< the rank's alone: `bytes` that it copies from
  std::byte* target = nullptr;  ///< likewise: that it copies to
  std::size_t bytes = 0;
};

class PairProbe {
 public:
  /// `mine` is this rank's room; of the peer's only `board` and `shared` are used. The first of the
  /// two is the one that stores. Both boards are fresh, which both ranks know of each other.
  PairProbe(const ProbeRoom& mine, const ProbeRoom& theirs, bool is_first);

  /// One way of a line that both take turns to store to, in nanoseconds: the best of `tries`, each
  /// of `throws` ways there and back.
  double signal(int tries, int throws);

  /// The median of `repeats`, per line of 64 bytes; the first third, which fills caches, does not
  /// count. `signal` is what `signal()` said, which is taken off.
  model::ScratchCopy copy(std::size_t bytes, std::size_t span, bool streams, int repeats,
                          double signal);

  /// Reading one line that the peer has just modified: of `lines` that depend on each other, each.
  double read_modified(int lines, int repeats);

 private:
  void raise();
  void await();
  /// Both have come.
  void meet();
  double ns_since(std::uint64_t begin) const;
  /// A number that one of the two has found, for both.
  double told(bool tells, double mine);

  ProbeRoom mine_, theirs_;
  bool is_first_;
  std::uint64_t turn_ = 0;    ///< of both boards
  std::uint64_t look_ticks_;  ///< what a look at the clock takes
};

}  // namespace terrace::measure
