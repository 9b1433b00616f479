// SPDX-License-Identifier: BSD-3-Clause
// Goal: a trial finds out which way is the fastest if that is certain, in few calls, and is misled
// neither by late ranks nor by noise. Method: ranks whose stays are made up.
#include "api/trial.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <vector>

namespace terrace {
namespace {

/// Plays calls of a class by some ranks, as seats do.
class Game {
 public:
  /// What a call by a way takes, and how late a rank comes to it.
  using Takes = std::function<double(std::size_t way)>;
  using Late = std::function<double(std::size_t rank, std::size_t way)>;

  Game(std::size_t ways, std::size_t ranks, std::size_t usual = 0)
      : trials_(ranks, Trial(ways, usual, 3)), rests_(ranks, trials_[0].calls_of_rest()) {}

  /// `looked_at`: what a call seems to take that is timed by itself; where ranks run ahead of each
  /// other, that is another time than what it adds to a loop of such calls.
  void play(std::uint32_t calls, const Takes& takes, const Late& late = nullptr,
            const Takes& looked_at = nullptr) {
    for (std::uint32_t call = 0; call < calls; ++call) {
      prepare();
      if (rests_[0] > 0) {
        for (std::uint32_t& rest : rests_) --rest;
        const std::size_t way = trials_[0].way();
        const double ns = takes(way);
        spent_ += ns;
        now_ += ns + between_;
        for (std::size_t rank = 0; late && rank < trials_.size(); ++rank) now_ += late(rank, way);
        continue;
      }
      const std::size_t way = trials_[0].next();
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
  std::uint32_t timed_ = 0;
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

}  // namespace
}  // namespace terrace
