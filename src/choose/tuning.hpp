// SPDX-License-Identifier: BSD-3-Clause
// Tunings: which way to run the calls of a team is the fastest, as timed by `terrace tune` or as
// written by a user. A chooser follows a tuning before its predictions.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "choose/choice.hpp"

namespace terrace {

/// A class of calls, as `length_class` has it, and what runs it.
struct TunedRow {
  Collective collective = Collective::barrier;
  std::size_t bytes = 0;
  bool is_mpi = false;  ///< the underlying MPI makes such calls, where there is one
  Choice choice;        ///< of who makes them otherwise
  double predicted_ns = 0, measured_ns = 0;  ///< 0: not known

  bool operator==(const TunedRow&) const = default;
};

/// Teams of this size, with these distances between ranks, and a core for each rank.
struct TunedTeam {
  Rank ranks = 2;
  bool are_threads = false;         ///< processes otherwise, whose buffers are bounced
  std::vector<std::string> levels;  ///< from near to far, for people
  std::vector<double> signals;      ///< ns, likewise, as measure::TeamProbe finds; none: any
  std::string day;                  ///< "2026-11-23"
  std::vector<TunedRow> rows;
};

inline bool is_of(const TunedTeam& team, Rank ranks, bool are_threads) {
  return team.ranks == ranks && team.are_threads == are_threads;
}

struct Tuning {
  std::string processor;  ///< as measure::this_processor has it
  std::vector<TunedTeam> teams;
};

/// "allreduce.tiled, strips of 64 KiB", "the MPI".
std::string to_text(const TunedRow&);

/// The first row that applies to calls of `bytes` bytes; null if none does.
const TunedRow* find_row(std::span<const TunedRow> rows, Collective collective, std::size_t bytes);

/// Writes rows as numbers, to be sent. Names of algorithms become numbers that this build alone
/// knows.
std::vector<double> to_numbers(std::span<const TunedRow> rows);
/// Nothing of numbers that are no rows.
std::optional<std::vector<TunedRow>> rows_from_numbers(std::span<const double> numbers);

}  // namespace terrace
