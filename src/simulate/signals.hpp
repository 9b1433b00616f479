// SPDX-License-Identifier: BSD-3-Clause
// Signals: the words and lines of a node's ranks as cache lines, each with its value, the ranks
// that have a copy, and the ranks that spin on it. One rank writes each; a write invalidates the
// copies, and ranks that spin fetch the line again.
#pragma once

#include <cstdint>
#include <vector>

#include "simulate/hardware.hpp"

namespace terrace::simulate {

using SignalNumber = std::uint32_t;

/// Someone who waits for a signal's value.
struct Spinner {
  Rank rank = 0;
  std::uint64_t value = 0;
  std::uint32_t next = ~0u;  ///< in the signal's list
};

/// Reading a line: how long until it is there, and how long each further one read with it takes.
struct Fetched {
  double latency = 0, further = 0;
  bool is_hit = false;
};

class Signals {
 public:
  /// Makes `signals_of_each` signals for each rank, 0, 1, ...; `lines_each` cache lines travel
  /// together.
  Signals(const Hardware& hardware, std::uint32_t signals_of_each, std::uint32_t lines_each);

  SignalNumber number(Rank rank, std::uint32_t which) const {
    return rank * signals_of_each_ + which;
  }
  Rank owner(SignalNumber signal) const { return signal / signals_of_each_; }
  std::uint64_t value(SignalNumber signal) const { return signals_[signal].value; }
  void set_value(SignalNumber signal, std::uint64_t value) { signals_[signal].value = value; }

  /// The rank asks for the line `now`, among others maybe. It has a copy afterwards.
  Fetched fetch(SignalNumber signal, Rank rank, double now);
  /// Fetches without contention, which the paper leaves out for single lines.
  Fetched fetch_alone(SignalNumber signal, Rank rank, double now);
  /// The owner writes the line at `now`. Returns when it has taken the line from those who have
  /// copies; `now` if there are none.
  double own(SignalNumber signal, double now);
  /// Only the owner has a copy any more.
  void invalidate(SignalNumber signal);

  void wait(SignalNumber signal, Rank rank, std::uint64_t value);
  /// Takes all spinners off the signal; those to be kept are to `wait` again.
  void take_spinners(SignalNumber signal, std::vector<Spinner>& spinners);

  /// Memory taken.
  std::size_t bytes() const;
  /// Counts the moves of lines from one rank to another.
  std::uint64_t transfers() const { return transfers_; }

 private:
  static constexpr std::uint32_t kNoSpinner = ~0u;
  struct Signal {
    std::uint64_t value = 0;
    std::uint64_t domains = 0;  ///< with sharers, besides the owner
    double served = 0;          ///< when all readers so far will have been
    double shared_from = 0;     ///< when the first of them has it
    double owned = 0;           ///< when the last write has got the line
    std::uint32_t first_spinner = kNoSpinner, last_spinner = kNoSpinner;
  };
  bool has_copy(SignalNumber signal, Rank rank) const;

  const Hardware* hardware_;
  std::uint32_t signals_of_each_, lines_each_, words_;
  std::vector<Signal> signals_;
  std::vector<double> arrival_;         ///< of the line in each domain that has it
  std::vector<std::uint64_t> sharers_;  ///< a bit per rank, `words_` words a signal
  std::vector<Spinner> spinners_;
  std::uint32_t free_spinner_ = kNoSpinner;
  std::uint64_t transfers_ = 0;
};

}  // namespace terrace::simulate
