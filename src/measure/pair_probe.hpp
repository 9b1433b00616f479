// SPDX-License-Identifier: BSD-3-Clause
// Measures the costs between two cores, by the two ranks that run on them: the time of a line, and
// the time to pass values of some length through shared memory. Both ranks call the same functions
// in the same order, with the same arguments.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kernels/kernels.hpp"
#include "model/machine_costs.hpp"
#include "team/memory.hpp"

namespace terrace::measure {

/// A rank's memory for a measurement.
struct ProbeRoom {
  ProbeBoard* board = nullptr;  ///< its own; the peer also maps it
  std::byte* shared = nullptr;  ///< likewise: what a peer copies from
  std::size_t shared_bytes = 0;
  std::byte* source = nullptr;  ///< the rank's alone: what it copies from
  std::byte* target = nullptr;  ///< likewise: where it copies to
  std::size_t own_bytes = 0;    ///< of each of the two
};

/// The place of lines that a rank reads: in the other's cache, modified since it has read them, or
/// unmodified and nowhere else; or in memory alone.
enum class LineState : std::uint8_t { modified, exclusive, in_memory };

class PairProbe {
 public:
  /// `mine` is this rank's room; of the peer's only `board` and `shared` are used. `is_first`: this
  /// rank stores. Both boards are at the same turn, which both ranks know.
  PairProbe(const ProbeRoom& mine, const ProbeRoom& theirs, bool is_first);

  /// This rank's room with memory of its own, which copies need.
  void use(const ProbeRoom& mine) { mine_ = mine; }

  /// Whether that is so for both.
  bool both(bool is_so);

  /// One way of a line that both take turns to store to, in nanoseconds: the best of `tries`, each
  /// of `throws` ways there and back.
  double signal(int tries, int throws);

  /// Storing `bytes` into lines that the peer has read, and the peer's copying them from there: the
  /// lower quartiles of `repeats`, in ns per line of `kLineBytes`. `span` bytes are stored to
  /// before a line comes round again; 0: the same ones at once. `signal` is what `signal()` said,
  /// which is taken off.
  model::ScratchCopy copy(std::size_t bytes, std::size_t span, bool streams, int repeats,
                          double signal);

  /// Reading one line that the peer has just modified: of `lines` that depend on each other, each.
  double read_modified(int lines, int repeats);

  /// The second reads lines in such a state, one after the other as each says where the next one
  /// is: the time of each line, of `repeats` walks over `lines`. Empty at the first.
  std::vector<double> read_lines(LineState state, int lines, int repeats);

  /// The second reads one line that the first has modified, then many that do not depend on each
  /// other: what each of these adds. Empty at the first.
  std::vector<double> read_together(int lines, int repeats);

  /// The first writes to lines of which the second has copies, and waits for each: as above. Empty
  /// at the second.
  std::vector<double> own_lines(int lines, int repeats);

  /// Whether the peer has been late for so long that nothing measured means anything. After that,
  /// no wait takes place.
  bool has_failed() const { return has_failed_; }

 private:
  void raise();
  void await();
  /// Both have come.
  void meet();
  double ns_since(std::uint64_t begin) const;
  /// A number that one of the two has found, for both.
  double told(bool tells, double mine);
  /// The chain over `lines` lines, a power of two, of the first one's room, as it or the second has
  /// it.
  std::uint32_t* link_at(bool is_mine, std::uint32_t line) const;
  void write_chain(std::uint32_t lines, LineState state);
  template <class Read>
  std::vector<double> read_written(std::uint32_t lines, LineState state, int repeats, Read read);
  void copy_together(const std::byte* from, std::byte* to, std::size_t bytes, Stores stores) const;
  /// The first stores all of a span, the second reads it.
  void go_round(std::size_t span, bool streams);

  ProbeRoom mine_, theirs_;
  bool is_first_;
  bool has_failed_ = false;
  std::uint64_t turn_ = 0;    ///< of both boards
  std::uint64_t look_ticks_;  ///< what a look at the clock takes
};

/// The thoroughness with which two ranks measure.
struct LinkEffort {
  int repeats = 3;  ///< of what takes long; of short ones some more
  std::size_t cache_bytes =
      0;  ///< of the second cache: scratch that has moved on so far has left it
};

/// All that is needed of the link between the two, but for its level. With the least effort it
/// takes one to five milliseconds. An empty list of copies: it failed.
model::LinkCosts measure_link(PairProbe& pair, const ProbeRoom& mine, const LinkEffort& effort);

}  // namespace terrace::measure
