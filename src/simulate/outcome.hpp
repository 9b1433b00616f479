// SPDX-License-Identifier: BSD-3-Clause
// The input of a simulation, and its result: times of calls, bytes moved, each rank's timeline, and
// the steps of the last call with what each waited for.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/rank.hpp"
#include "base/timeline.hpp"

namespace terrace::simulate {

enum class Mode : std::uint8_t {
  /// Counts as the HPDC'13 paper does: synchronization, ownership and contention for single lines
  /// cost nothing; waiting for values does.
  paper,
  real,  ///< flags are lines like others; spinners fetch what has changed
};

/// A collective call as all ranks make it, and how often.
struct SimulationSetting {
  Mode mode = Mode::real;
  bool is_direct = true;          ///< peers reach users' buffers; else all is bounced
  std::size_t element_count = 0;  ///< of one block
  std::size_t element_bytes = 8;
  std::size_t strip_bytes = ~std::size_t{0};
  std::size_t scratch_bytes = std::size_t{4} << 20;  ///< of the team, per rank
  bool streams = false;                              ///< results are stored past the caches
  std::uint32_t calls = 1;                           ///< one after the other
  bool starts_together = true;  ///< each call when all have returned from the one before
  std::uint64_t seed = 0;
  double skew = 0;            ///< ns; ranks begin the first call within that of each other
  double jitter = 0;          ///< a step takes up to that much longer, as a share of its time
  bool folds = true;          ///< nodes that do the same are played once; not with skew or jitter
  bool must_fold = false;     ///< an error where no two nodes do the same
  bool has_timeline = false;  ///< of the ranks that are played
  bool has_steps = false;     ///< likewise, those of the last call
};

/// Times of one call of all ranks, in ns since the simulation began.
struct CallTimes {
  double first_begin = 0, last_begin = 0, first_end = 0, last_end = 0;
  double mean = 0;  ///< over ranks: from a rank's beginning to its end
  double most = 0;  ///< the rank that took longest
};

/// A step among those of its rank's program, in one strip.
struct StepNumber {
  Rank rank = 0;
  std::uint32_t strip = 0, position = 0;

  auto operator<=>(const StepNumber&) const = default;
};

/// A step as its rank ran it, ns since the simulation began.
struct PlayedStep {
  StepNumber number;
  double waiting = 0;    ///< since then it has looked for what it waits for
  double working = 0;    ///< all of that had come
  double done = 0;       ///< its work
  double published = 0;  ///< its rank had told others, and went on
  /// The step whose signal or message came last, if the rank still had to wait for it.
  std::optional<StepNumber> cause;
  bool awaits_message = false;  ///< of `cause`; else a signal
  double bytes = 0;             ///< of its operands
};

/// A rank's call as it ran, from its beginning to its return.
struct PlayedCall {
  Rank rank = 0;
  double begun = 0, ended = 0;
};

struct SimulationOutcome {
  std::vector<CallTimes> calls;
  std::uint64_t steps = 0;   ///< of all ranks and strips
  std::uint64_t events = 0;  ///< that it took
  std::uint64_t messages = 0;
  double network_bytes = 0;
  std::uint32_t nodes = 1;
  std::uint32_t nodes_played = 1;  ///< the others do as one of these does, at the same times
  std::string why_all;             ///< were played, where there are several
  std::uint64_t signal_lines = 0;  ///< lines of flags and mailboxes that went from rank to rank
  /// Bytes of values that ranks read or wrote, by where they were: in their own caches, in the last
  /// cache of their domain, at other ranks at each distance of the model, in memory.
  std::vector<double> bytes_from;
  std::size_t memory_bytes = 0;                ///< that the simulation took
  std::vector<TimelineEvent> events_of_ranks;  ///< if asked for
  /// Steps of the last call, if asked for: each rank's in its order.
  std::vector<PlayedStep> last_steps;
  std::vector<PlayedCall> last_calls;
};

}  // namespace terrace::simulate
