// SPDX-License-Identifier: BSD-3-Clause
// A trial: finds the fastest of several ways to make a call, by timing the program's own calls. All
// ranks count calls alike and receive all ranks' times, so all decide alike.
//
//     calls   warm-up    glance         match, round by round                  settled
//             0 0 0 ...  0 0 1 1 2 2    0 0 0 ... 0 2 2 2 ... 2   2 2 ... 0    2 2 2 ... 2 2 2 ...
//                          ^   ^   ^ out: 1   ^   ^     ^     ^                            ^ drift?
//
// A timed call lasts from the entry of the last rank to the exit of the last one: late ranks do not
// distort it, and ranks that only send are no faster than those that wait for them. For short calls
// this is not the time that a program sees, because ranks run ahead of each other, and reading the
// clock takes as long as the call. A match of short calls times several calls together, from the
// moment the last rank begins them to the moment the last one has made them, and makes them like
// all other calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace terrace {

/// When a rank came to a call, or to some in a row, and when it left, in nanoseconds of a clock
/// that all ranks share.
struct Stay {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

class Trial {
 public:
  /// `usual` is the way that is taken unless another is certainly faster. Short calls are timed
  /// `together`: more where ranks take turns on cores, which run ahead of each other as far as a
  /// way lets them.
  Trial(std::size_t contenders, std::size_t usual, std::uint32_t together);

  /// Whether the next call is to be timed by itself, made the `next` way. Others go `way`, and need
  /// not ask: so many calls come before somebody has to call `has_rested`.
  bool is_timing() const { return stage_ != Stage::rest && stage_ != Stage::runs; }
  std::uint32_t calls_of_rest() const { return rest_; }
  /// These calls have been made, and it is `now_ns`.
  void has_rested(std::uint64_t now_ns);

  std::size_t usual() const { return usual_; }
  /// The way that is taken until something else is found out.
  std::size_t standing() const { return standing_; }
  /// The way of calls that are not timed by themselves.
  std::size_t way() const {
    return stage_ == Stage::runs && !is_due() ? order_[at_].contender : standing_;
  }
  /// The way of the next call that is timed.
  std::size_t next() const { return order_[at_].contender; }
  /// That call is over.
  void stayed(const Stay& stay);

  /// Whether ranks have to tell each other before the next call what they have seen: `told()` of
  /// each rank, in order of ranks, is for `hear`.
  bool is_due() const { return stage_ != Stage::rest && at_ == order_.size(); }
  const std::vector<Stay>& told() const { return stays_; }
  void hear(std::span<const Stay> all_ranks);

  /// Medians of the last match, in nanoseconds; 0 for who did not take part.
  double median_ns(std::size_t contender) const { return medians_[contender]; }
  /// Whether these are of runs, with what the program does between calls.
  bool are_of_runs() const { return are_of_runs_; }
  /// Decisions so far that were made by a match.
  std::uint32_t matches() const { return matches_; }

 private:
  enum class Stage : std::uint8_t {
    rest,
    glance,
    match,  ///< each call timed by itself
    runs,   ///< a match of short calls
    check,
  };
  /// The first calls of a row do not count: they have to do with what was before.
  struct Turn {
    std::size_t contender;
    bool counts;
    std::uint32_t calls = 1;  ///< that are timed together
  };

  void rest(std::uint32_t calls);
  void begin(Stage stage);
  void begin_turn(std::uint64_t now_ns);
  void add_row(std::size_t contender, int first, int calls);
  void add_run(std::size_t contender);
  std::vector<std::vector<double>> times_of(std::span<const Stay> all_ranks) const;
  void drop_slow(const std::vector<std::vector<double>>& times);
  void end_round(const std::vector<std::vector<double>>& times);
  void decide();
  void look_for_drift(const std::vector<double>& times);

  std::size_t usual_;
  std::uint32_t together_;
  Stage stage_ = Stage::rest;
  bool has_met_ = false;          ///< a match, or a glance that left nobody to play against
  std::uint32_t rest_;            ///< calls until the next stage, or turn
  std::uint32_t between_checks_;  ///< grows while nothing changes
  std::size_t standing_;
  std::vector<bool> plays_;                 ///< by contender
  int round_ = 0;                           ///< of the match
  std::vector<std::vector<double>> times_;  ///< of its rounds so far, by contender
  std::vector<Turn> order_;                 ///< of this stage's calls
  std::size_t at_ = 0;                      ///< in `order_`
  std::uint64_t turn_began_ns_ = 0;         ///< of calls that are timed together
  std::vector<Stay> stays_;                 ///< of the calls that count
  std::vector<double> medians_;
  bool are_of_runs_ = false;
  double usual_ns_ = 0;  ///< of the standing way when it was chosen; 0: not known
  std::uint32_t matches_ = 0;
};

}  // namespace terrace
