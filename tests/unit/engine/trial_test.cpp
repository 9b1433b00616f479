// SPDX-License-Identifier: BSD-3-Clause
// Goal: a trial finds out which way is the fastest if that is certain, in few calls, and is misled
// neither by late ranks nor by noise. Method: ranks whose stays are made up.
#include "engine/trial.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <random>
#include <vector>

namespace terrace {
namespace {

/// Plays calls of a class by some ranks, as endpoints do.
class Game {
 public:
  /// What a call by a way takes, and how late a rank comes to it.
  using Takes = std::function<double(std::size_t way)>;
  using Late = std::function<double(std::size_t rank, std::size_t way)>;

  Game(std::size_t ways, std::size_t ranks, std::size_t usual = 0, const TrialTerms& terms = {})
      : trials_(ranks, Trial(ways, usual, terms)), rests_(ranks, trials_[0].calls_of_rest()) {}

  /// `looked_at`: what a call seems to take that is timed by itself; where ranks run ahead of each
  /// other, that is another time than what it adds to a loop of such calls.
  void play(std::uint32_t calls, const Takes& takes, const Late& late = nullptr,
            const Takes& looked_at = nullptr) {
    for (std::uint32_t call = 0; call < calls; ++call) {
      prepare();
      ++made_;
      if (rests_[0] > 0) {
        for (std::uint32_t& rest : rests_) --rest;
        const std::size_t way = trials_[0].way();
        made_with_[way] = made_;
        const double ns = takes(way);
        spent_ += ns;
        now_ += ns + between_;
        for (std::size_t rank = 0; late && rank < trials_.size(); ++rank) now_ += late(rank, way);
        continue;
      }
      const std::size_t way = trials_[0].next();
      made_with_[way] = made_;
      make_call(way, looked_at ? looked_at(way) : takes(way), late);
      ++timed_;
    }
  }

  std::size_t standing() const { return trials_[0].standing(); }
  bool agrees() const {
    for (const Trial& one : trials_)
      if (one.standing() != standing()) return false;
    return true;
  }
  std::uint32_t timed() const { return timed_; }
  double spent() const { return spent_; }
  /// The number of the last call that was made that way; 0: none.
  std::uint32_t last_of(std::size_t way) { return made_with_[way]; }
  const Trial& trial() const { return trials_[0]; }

 private:
  void prepare() {
    if (rests_[0] > 0) return;
    for (Trial& trial : trials_)
      if (!trial.is_timing()) trial.has_rested(static_cast<std::uint64_t>(now_));
    if (trials_[0].is_due()) {
      std::vector<Stay> all;
      for (const Trial& one : trials_) all.insert(all.end(), one.told().begin(), one.told().end());
      for (Trial& trial : trials_) trial.hear(all);
    }
    for (Trial& trial : trials_)
      if (trial.wants_meeting()) trial.met(static_cast<std::uint64_t>(now_));
    for (std::size_t rank = 0; rank < trials_.size(); ++rank)
      if (!trials_[rank].is_timing()) rests_[rank] = trials_[rank].calls_of_rest();
  }

  void make_call(std::size_t way, double takes, const Late& late) {
    double last = 0;
    std::vector<double> comes;
    for (std::size_t rank = 0; rank < trials_.size(); ++rank) {
      comes.push_back(now_ + (late ? late(rank, way) : 0));
      last = std::max(last, comes.back());
    }
    for (std::size_t rank = 0; rank < trials_.size(); ++rank)
      trials_[rank].stayed(
          {static_cast<std::uint64_t>(comes[rank]), static_cast<std::uint64_t>(last + takes)});
    now_ = last + takes + between_;
    spent_ += takes;
  }

  std::vector<Trial> trials_;
  std::vector<std::uint32_t> rests_;
  double between_ = 100;  ///< what the program does between calls, ns
  double now_ = 1e6, spent_ = 0;
  std::uint32_t timed_ = 0, made_ = 0;
  std::map<std::size_t, std::uint32_t> made_with_;
};

Game::Takes taking(std::vector<double> ns, double noise = 0) {
  return [ns, noise, random = std::mt19937(7)](std::size_t way) mutable {
    return ns[way] * (1 + noise * std::uniform_real_distribution<double>(0, 1)(random));
  };
}

TEST(Trial, takes_another_than_the_usual_way_only_if_that_is_faster) {
  Game wrong(3, 2, 2);
  EXPECT_EQ(wrong.standing(), 2u);
  wrong.play(200, taking({1000, 1500, 5000}, 0.1));
  EXPECT_EQ(wrong.standing(), 0u);
  Game right(3, 2, 2);
  right.play(200, taking({1000, 1500, 1010}, 0.1));
  EXPECT_EQ(right.standing(), 2u);
}

TEST(Trial, finds_what_is_faster_within_200_calls) {
  for (const double gain : {1.1, 2.0, 10.0, 1000.0}) {
    Game game(3, 2);
    game.play(200, taking({1000, 1000 * 1.2, 1000 / gain}, 0.02));
    EXPECT_EQ(game.standing(), 2u) << gain;
    EXPECT_TRUE(game.agrees());
  }
}

TEST(Trial, stays_with_what_was_chosen_if_others_are_hardly_faster) {
  Game game(3, 4);
  game.play(220, taking({1000, 990, 980}, 0.05));
  EXPECT_EQ(game.standing(), 0u);
  EXPECT_EQ(game.trial().matches(), 1u);
}

TEST(Trial, is_seldom_misled_by_noise) {
  int wrong = 0;
  for (unsigned seed = 0; seed < 500; ++seed) {
    Game game(2, 2);
    std::mt19937 random(seed);
    // Alike, and now and then interrupted for a long time.
    game.play(100, [&](std::size_t) {
      const double ns = std::lognormal_distribution<double>(6.9, 0.3)(random);
      return random() % 20 == 0 ? ns + 50'000 : ns;
    });
    wrong += game.standing() != 0;
  }
  EXPECT_LE(wrong, 10);
}

TEST(Trial, is_not_misled_by_ranks_that_come_late) {
  // Rank 1 comes late to calls by way 0, which is the faster: that is not the call's fault.
  Game game(2, 2);
  game.play(100, taking({100'000, 140'000}), [](std::size_t rank, std::size_t way) {
    return rank == 1 && way == 0 ? 500'000.0 : 0.0;
  });
  EXPECT_EQ(game.standing(), 0u);
  // And the other way round.
  Game other(2, 3);
  other.play(100, taking({140'000, 100'000}), [](std::size_t rank, std::size_t way) {
    return rank == 2 && way == 1 ? 90'000'000.0 : 0.0;
  });
  EXPECT_EQ(other.standing(), 1u);
}

TEST(Trial, times_short_calls_as_a_loop_of_them_does) {
  // The second way's ranks run ahead of each other, which no single call shows.
  Game game(2, 2);
  game.play(200, taking({340, 170}), nullptr, taking({440, 700}));
  EXPECT_EQ(game.standing(), 1u);
  EXPECT_TRUE(game.agrees());
  // And such a way is left, if it is the usual one and only seems to be fast.
  Game other(2, 2, 1);
  other.play(200, taking({170, 340}), nullptr, taking({700, 440}));
  EXPECT_EQ(other.standing(), 0u);
}

TEST(Trial, times_long_calls_as_a_loop_of_them_does_where_no_single_call_tells) {
  const auto standing = [](bool only_together) {
    TrialTerms terms;
    terms.only_together = only_together;
    Game game(2, 2, 0, terms);
    game.play(300, taking({340e3, 170e3}), nullptr, taking({440e3, 700e3}));
    EXPECT_TRUE(game.agrees());
    return game.standing();
  };
  EXPECT_EQ(standing(true), 1u);
  EXPECT_EQ(standing(false), 0u);
}

TEST(Trial, leaves_short_calls_as_they_are_where_the_program_has_other_work) {
  // Rank 1 always works for 5 us, give or take one: what calls take does not count there.
  int changed = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    Game game(2, 2);
    std::mt19937 random(seed);
    game.play(200, taking({340, 300}), [&](std::size_t rank, std::size_t) {
      return rank == 1 ? std::uniform_real_distribution<double>(4000, 6000)(random) : 0.0;
    });
    changed += game.standing() != 0;
  }
  EXPECT_LE(changed, 1);
}

TEST(Trial, spends_little_on_what_is_far_behind) {
  Game game(2, 2);
  game.play(1000, taking({1000, 8000}));
  EXPECT_EQ(game.standing(), 0u);
  EXPECT_LE(game.spent(), 1000 * 1000 * 1.02);
}

TEST(Trial, times_less_and_less_of_what_stays_the_same) {
  Game game(2, 2);
  game.play(1000, taking({1000, 8000}));
  const std::uint32_t at_first = game.timed();
  game.play(1'000'000, taking({1000, 8000}));
  EXPECT_GT(game.timed(), at_first);
  EXPECT_LE(game.timed() - at_first, 100u);
  EXPECT_EQ(game.standing(), 0u);
}

TEST(Trial, decides_again_when_calls_begin_to_take_longer_or_shorter) {
  Game game(2, 2);
  game.play(1000, taking({1000, 1300}));
  EXPECT_EQ(game.standing(), 0u);
  game.play(100'000, taking({4000, 1300}));  // the machine has changed
  EXPECT_EQ(game.standing(), 1u);
  game.play(300'000, taking({500, 1300}));  // the standing way has not: nothing is noticed
  EXPECT_EQ(game.standing(), 1u);
  game.play(2'000'000, taking({500, 2600}));
  EXPECT_EQ(game.standing(), 0u);
}

/// Plans cost 100 us to write, and calls are predicted to take so long.
TrialTerms dear(double predicted_ns) {
  TrialTerms terms;
  terms.opening_ns = 100'000;
  terms.predicted_ns = predicted_ns;
  return terms;
}

TEST(Trial, waits_until_it_may_cost_what_it_does) {
  // 2 % of the first thousand calls of 200 ns are 4 us.
  Game game(3, 2, 0, dear(200));
  game.play(1000, taking({200, 210, 150}));
  EXPECT_EQ(game.last_of(1), 0u);
  EXPECT_EQ(game.last_of(2), 0u);
  EXPECT_LE(game.timed(), 6u);
  game.play(24'000, taking({200, 210, 150}));
  EXPECT_EQ(game.last_of(2), 0u);
  // 100 us are 2 % of 25,000 calls. Which way is the fastest is found out all the same.
  game.play(10'000, taking({200, 210, 150}));
  EXPECT_EQ(game.standing(), 2u);
  EXPECT_TRUE(game.agrees());
}

TEST(Trial, begins_at_once_where_calls_take_long_enough) {
  Game game(3, 2, 0, dear(6000));
  game.play(200, taking({6000, 6300, 4500}));
  EXPECT_EQ(game.standing(), 2u);
}

TEST(Trial, begins_at_once_where_another_way_should_be_far_faster) {
  TrialTerms terms = dear(200);
  terms.is_urgent = true;
  Game game(3, 2, 0, terms);
  game.play(200, taking({200, 210, 60}));
  EXPECT_EQ(game.standing(), 2u);
}

TEST(Trial, begins_at_once_where_calls_take_far_longer_than_was_predicted) {
  Game game(3, 2, 0, dear(200));
  game.play(200, taking({2000, 2100, 250}));
  EXPECT_EQ(game.standing(), 2u);
}

TEST(Trial, costs_no_more_than_its_share_of_short_calls) {
  // Two rivals that do not pay, and an MPI that takes nearly three times as long.
  const std::vector<double> takes = {300, 320, 420, 1300};
  Game game(4, 2, 0, dear(300));
  double opening = 0;
  for (int thousand = 1; thousand <= 200; ++thousand) {
    game.play(1000, taking(takes));
    if (game.last_of(1) != 0) opening = 100'000;
    EXPECT_LE(game.spent() + opening, 300.0 * 1000 * thousand * 1.021) << thousand;
  }
  EXPECT_EQ(game.standing(), 0u);
  EXPECT_EQ(game.trial().matches(), 1u);
}

TEST(Trial, compares_calls_of_one_round_where_the_machine_changes) {
  // Rounds of 18 calls after 12 others; each takes another multiple of what calls take.
  Game game(2, 2);
  std::size_t call = 0;
  game.play(200, [&](std::size_t way) {
    const double slows[] = {1, 4, 2};
    const std::size_t round = call < 12 ? 0 : (call - 12) / 18;
    ++call;
    return (way == 0 ? 100'000.0 : 80'000.0) * slows[round % 3];
  });
  EXPECT_EQ(game.standing(), 1u);
  EXPECT_TRUE(game.agrees());
}

TEST(Trial, goes_on_for_further_rounds_where_noise_hides_who_is_faster) {
  int found = 0, wrong = 0;
  for (unsigned seed = 0; seed < 100; ++seed) {
    for (const double gain : {0.8, 1.0}) {
      Game game(2, 2);
      std::mt19937 random(seed);
      std::lognormal_distribution<double> noise(0, 0.2);
      game.play(200,
                [&](std::size_t way) { return (way == 0 ? 1e5 : 1e5 * gain) * noise(random); });
      (gain < 1 ? found : wrong) += game.standing() == 1;
    }
  }
  EXPECT_GE(found, 80);
  EXPECT_LE(wrong, 2);
}

TEST(Trial, gives_a_way_time_that_begins_slowly) {
  // The first two calls of an MPI set up what it needs for such vectors.
  TrialTerms terms;
  terms.last_begins_slowly = true;
  Game game(2, 2, 0, terms);
  int calls = 0;
  game.play(200, [&](std::size_t way) {
    return way == 0 ? 300'000.0 : ++calls <= 2 ? 4'000'000.0 : 200'000.0;
  });
  EXPECT_EQ(game.standing(), 1u);
}

/// Two ranks that take turns on a core. Rank 0 gives, rank 1 takes. One way lets rank 0 run ahead
/// without limit: then it makes all calls that it may before rank 1 has the core. By the other one
/// they call in step.
class OneCore {
 public:
  explicit OneCore(const TrialTerms& terms) : ranks_(2, OneRank(terms)) {}

  /// Until a match is over. In nanoseconds: what a call takes each rank, the one way and the other.
  void play(double in_step, double gives, double takes) {
    OneRank &first = ranks_[0], &second = ranks_[1];
    while (second.trial.matches() == 0) {
      meet();
      while (first.rest > 0 || second.rest > 0) {
        const bool is_ahead = first.trial.way() == 1;
        // A turn that no rank has to wait for is followed by the next.
        while (first.rest > 0 && (is_ahead || first.calls == second.calls))
          make_call(first, is_ahead ? gives : in_step / 2);
        if (second.rest > 0) make_call(second, is_ahead ? takes : in_step / 2);
      }
    }
  }
  std::size_t standing() const { return ranks_[0].trial.standing(); }

 private:
  struct OneRank {
    explicit OneRank(const TrialTerms& terms) : trial(2, 0, terms), rest(trial.calls_of_rest()) {}

    Trial trial;
    std::uint32_t rest, calls = 0;
  };

  void make_call(OneRank& one, double ns) {
    now_ += ns;
    ++one.calls;
    if (--one.rest > 0 || one.trial.is_timing()) return;
    one.trial.has_rested(static_cast<std::uint64_t>(now_));
    const bool goes_on =
        !one.trial.is_timing() && !one.trial.is_due() && !one.trial.wants_meeting();
    one.rest = goes_on ? one.trial.calls_of_rest() : 0;
  }

  /// What both do together: calls that are timed by themselves, telling, and meeting.
  void meet() {
    while (ranks_[0].trial.is_timing() && !ranks_[0].trial.is_due()) {
      const auto begin = static_cast<std::uint64_t>(now_);
      now_ += kAlone;
      for (OneRank& one : ranks_) one.trial.stayed({begin, static_cast<std::uint64_t>(now_)});
    }
    if (ranks_[0].trial.is_due()) {
      std::vector<Stay> all;
      for (const OneRank& one : ranks_)
        all.insert(all.end(), one.trial.told().begin(), one.trial.told().end());
      for (OneRank& one : ranks_) one.trial.hear(all);
    }
    for (OneRank& one : ranks_) {
      if (one.trial.wants_meeting()) one.trial.met(static_cast<std::uint64_t>(now_));
      if (!one.trial.is_timing()) one.rest = one.trial.calls_of_rest();
    }
  }

  static constexpr double kAlone = 4000;  ///< what a single call takes, whichever way

  std::vector<OneRank> ranks_;
  double now_ = 1e6;
};

TEST(Trial, sees_all_the_work_where_a_rank_runs_ahead_on_a_shared_core) {
  TrialTerms terms;
  terms.together = 64;
  terms.begin_together = true;
  // The taker's share alone is less than a call in step, the giver's with it more.
  OneCore slower(terms);
  slower.play(3500, 1000, 3000);
  EXPECT_EQ(slower.standing(), 0u);
  OneCore faster(terms);
  faster.play(5000, 1000, 3000);
  EXPECT_EQ(faster.standing(), 1u);
}

}  // namespace
}  // namespace terrace
