// SPDX-License-Identifier: BSD-3-Clause
// A trial: finds the fastest of several ways to make a call, by timing the program's own calls. All
// ranks count calls alike and receive all ranks' times, so all decide alike.
//
//     calls   warm-up    screening      match, round by round                  settled
//             0 0 0 ...  0 0 1 1 2 2    0 0 0 ... 0 2 2 2 ... 2   2 2 ... 0    2 2 2 ... 2 2 2 ...
//                          ^   ^   ^ out: 1   ^   ^     ^     ^                            ^ drift?
//
// A trial has a budget: it may make the calls of a class take 2 % longer, the first thousand
// counted in advance. A stage waits until its expected cost fits into the budget.
//
// A timed call lasts from the entry of the last rank until the last one has left it, and has
// touched its buffers as its program will (buffer_touch.hpp): late ranks do not distort it, and
// ranks that only send are no faster than those that wait for them. For short calls this is not the
// time that a program sees, because ranks run ahead of each other, and reading the clock takes as
// long as the call. A match of short calls times several calls together, from the moment the last
// rank begins them to the moment the last one has made them, and makes them like all other calls.
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

/// Facts known before a trial begins: the same on all ranks.
struct TrialTerms {
  /// Short calls are timed together, a few where each rank has a core. Ranks that take turns on
  /// cores run ahead of each other as far as a way lets them: there many, and all begin together.
  std::uint32_t together = 3;
  bool begin_together = false;
  /// Calls of every length are timed together: of a single call, no clock that all ranks share
  /// would tell when the last rank began and ended it.
  bool only_together = false;
  double predicted_ns = 0;  ///< for a call the usual way; 0: unknown
  /// Cost of the first look at the ways, on top of their calls: plans are written, caches filled.
  double opening_ns = 0;
  double tell_ns = 0;      ///< what it costs that ranks tell each other what they have seen
  bool is_urgent = false;  ///< another way should be far faster: there is nothing to wait for
  bool last_begins_slowly = false;  ///< the last way's first calls may take longer than others
};

class Trial {
 public:
  /// `usual` is the way that is taken unless another is certainly faster.
  Trial(std::size_t contenders, std::size_t usual, const TrialTerms& terms);

  /// Whether the next call is to be timed by itself, made the `next` way. Other calls go `way`,
  /// without asking, for `calls_of_rest` calls; then `has_rested` must be called.
  bool is_timing() const { return stage_ != Stage::rest && !times_turns(); }
  std::uint32_t calls_of_rest() const { return rest_; }
  /// Ends a rest: these calls have been made, and it is `now_ns`.
  void has_rested(std::uint64_t now_ns);
  /// Whether all ranks are to meet before the next call, and when that is over.
  bool wants_meeting() const {
    return times_turns() && !is_due() && terms_.begin_together && !has_met_for_turn_;
  }
  void met(std::uint64_t now_ns);

  std::size_t usual() const { return usual_; }
  /// The way that is taken until something else is found out.
  std::size_t standing() const { return standing_; }
  /// The way of calls that are not timed by themselves.
  std::size_t way() const { return times_turns() && !is_due() ? order_[at_].contender : standing_; }
  /// The way of the next call that is timed.
  std::size_t next() const { return order_[at_].contender; }
  /// Records the times of the call that is over.
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
    survey,  ///< of the usual way alone: what do its calls take?
    screening,
    screening_of_turns,  ///< where ranks take turns on cores
    match,               ///< each call timed by itself
    runs,                ///< a match of short calls
    check,
  };
  /// The first calls of a row do not count: they have to do with what was before.
  struct Turn {
    std::size_t contender;
    bool counts;
    std::uint32_t calls = 1;  ///< that are timed together
  };

  /// The comparison of a way with the usual one, by the match.
  struct Comparison {
    double ratio;
    bool is_certain, is_promising;  ///< that it is faster
  };

  bool times_turns() const { return stage_ == Stage::runs || stage_ == Stage::screening_of_turns; }
  void rest(std::uint32_t calls, Stage next);
  void begin_if_it_fits(Stage stage, double cost_ns);
  void begin(Stage stage);
  void begin_turn(std::uint64_t now_ns);
  void add_row(std::size_t contender, int first, int calls);
  void add_run(std::size_t contender);
  void add_screening();
  double expected_ns_of(const std::vector<double>& call_ns, std::uint32_t calls) const;
  std::uint32_t calls_of_run() const;
  bool is_timed_together(double call_ns) const;
  std::vector<std::vector<double>> times_of(std::span<const Stay> all_ranks) const;
  void hear_survey(const std::vector<double>& times);
  void drop_slow(const std::vector<std::vector<double>>& times);
  void end_round(const std::vector<std::vector<double>>& times);
  Comparison with_usual(std::size_t one) const;
  std::size_t certainly_fastest() const;
  bool keep_promising();
  void decide(std::size_t best);
  void look_for_drift(const std::vector<double>& times);

  std::size_t usual_;
  TrialTerms terms_;
  Stage stage_ = Stage::rest;
  Stage next_stage_ = Stage::screening;  ///< after the rest
  std::uint32_t rest_ = 0;               ///< calls until the next stage, or turn
  double calls_ = 0;                     ///< of the class so far
  double call_ns_ = 0;                   ///< what one takes as things stand, as far as it is known
  double spent_ns_ = 0;                  ///< so much longer calls took than without this trial
  std::uint32_t between_checks_;         ///< grows while nothing changes
  std::size_t standing_;
  std::vector<bool> plays_;                 ///< by contender
  int round_ = 0;                           ///< of the match
  std::vector<std::vector<double>> times_;  ///< of its rounds so far, by contender
  std::vector<Turn> order_;                 ///< of this stage's calls
  std::size_t at_ = 0;                      ///< in `order_`
  std::uint64_t turn_began_ns_ = 0;         ///< of calls that are timed together
  bool has_met_for_turn_ = false;           ///< if these begin together
  std::vector<Stay> stays_;                 ///< of the calls that count
  std::vector<double> medians_;
  bool are_of_runs_ = false;
  double usual_ns_ = 0;  ///< of the standing way when it was chosen; 0: not known
  std::uint32_t matches_ = 0;
};

}  // namespace terrace
