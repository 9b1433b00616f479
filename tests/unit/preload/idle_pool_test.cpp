// SPDX-License-Identifier: BSD-3-Clause
// Goal: whichever idle team ranks take, all take the same one, left alike by all; nothing is taken
// twice, nor after it was let go of; seen with ranks and threads in every order that matters.
#include "preload/mpi/idle_pool.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "unit/contracts.hpp"

namespace terrace::preload {
namespace {

const std::vector<int> kRanksOfTeam = {4, 2};

/// A team as one rank has it: how it was named when it was made, and how many calls it made.
struct Toy {
  int name = 0;
  std::uint64_t calls = 0;
};

/// What two processes keep, the leader first.
struct Job {
  std::array<IdlePool<Toy>, 2> process{IdlePool<Toy>(4), IdlePool<Toy>(4)};
  int names = 0;

  /// Each rank's report for a communicator, one after the other.
  std::vector<IdleReport> report() {
    std::vector<IdleReport> reports;
    for (std::size_t rank = 0; rank < 2; ++rank) reports.push_back(report(rank));
    return reports;
  }
  IdleReport report(std::size_t rank) {
    return process[rank].report(kRanksOfTeam, rank == 0, [](const Toy&) { return true; });
  }
};

/// A communicator's team as its ranks have it.
struct Communicator {
  std::array<std::unique_ptr<Toy>, 2> toy;
  std::array<Ticket, 2> ticket;
};

Communicator found(Job& job) {
  Communicator made;
  const int name = ++job.names;
  made.ticket.fill(job.process[0].new_ticket(kRanksOfTeam));
  job.process[1].record_ticket(kRanksOfTeam, made.ticket[1]);
  for (auto& toy : made.toy) toy = std::make_unique<Toy>(Toy{name, 0});
  return made;
}

void keep(Job& job, Communicator& communicator, std::size_t rank) {
  auto& toy = communicator.toy[rank];
  const std::uint64_t calls = toy->calls;
  job.process[rank].keep(kRanksOfTeam, communicator.ticket[rank], std::move(toy), calls);
}

/// Null where nothing is taken.
void take(Job& job, const std::vector<IdleReport>& reports, std::size_t rank, Communicator& to) {
  auto [toy, ticket] = job.process[rank].take(kRanksOfTeam, reports);
  to.toy[rank] = std::move(toy);
  to.ticket[rank] = ticket;
}

Communicator next(Job& job) {
  Communicator taken;
  const auto reports = job.report();
  for (std::size_t rank = 0; rank < 2; ++rank) take(job, reports, rank, taken);
  return taken;
}

TEST(IdlePool, a_team_serves_the_next_communicator_of_its_ranks) {
  Job job;
  Communicator first = found(job);
  for (std::size_t rank : {0, 1}) keep(job, first, rank);
  Communicator second = next(job);
  ASSERT_TRUE(second.toy[0] && second.toy[1]);
  EXPECT_EQ(second.toy[0]->name, second.toy[1]->name);
  EXPECT_EQ(second.ticket[0].lives, 1u);
  EXPECT_FALSE(next(job).toy[0]) << "it is in use";
}

TEST(IdlePool, nothing_is_taken_that_one_rank_still_uses) {
  Job job;
  Communicator first = found(job);
  keep(job, first, 0);
  Communicator second = next(job);
  EXPECT_FALSE(second.toy[0] || second.toy[1]);
  keep(job, first, 1);
  EXPECT_TRUE(next(job).toy[1]) << "later it is";
}

TEST(IdlePool, nothing_is_taken_in_which_ranks_have_made_other_calls) {
  Job job;
  Communicator first = found(job);
  first.toy[0]->calls = 7;
  for (std::size_t rank : {0, 1}) keep(job, first, rank);
  EXPECT_FALSE(next(job).toy[0]);
}

TEST(IdlePool, ranks_in_another_order_have_their_own) {
  Job job;
  Communicator first = found(job);
  for (std::size_t rank : {0, 1}) keep(job, first, rank);
  EXPECT_EQ(job.process[0].report({2, 4}, true, [](const Toy&) { return true; }).offered, -1);
}

TEST(IdlePool, one_is_offered_to_one_communicator_at_a_time) {
  Job job;
  Communicator first = found(job);
  for (std::size_t rank : {0, 1}) keep(job, first, rank);
  const auto reports = job.report(), others = job.report();
  EXPECT_EQ(reports[0].offered, 0);
  EXPECT_EQ(others[0].offered, -1);
  Communicator taken, none;
  for (std::size_t rank : {1, 0}) take(job, others, rank, none), take(job, reports, rank, taken);
  EXPECT_FALSE(none.toy[0] || none.toy[1]);
  EXPECT_TRUE(taken.toy[0] && taken.toy[1]);
}

/// The leader is through with a second life before the other rank has heard of it.
TEST(IdlePool, a_life_that_a_rank_has_not_begun_is_not_taken_for_one_that_is_over) {
  Job job;
  Communicator first = found(job), second, third;
  for (std::size_t rank : {0, 1}) keep(job, first, rank);
  const auto reports = job.report();
  take(job, reports, 0, second);
  keep(job, second, 0);
  const auto later = job.report();
  for (std::size_t rank : {0, 1}) take(job, later, rank, third);
  EXPECT_FALSE(third.toy[0] || third.toy[1]);
  take(job, reports, 1, second);
  EXPECT_TRUE(second.toy[1]) << "what was promised is there";
}

TEST(IdlePool, what_was_reported_is_kept_until_it_is_known_who_takes_it) {
  Job job;
  std::vector<Communicator> many;
  for (int i = 0; i < 6; ++i) many.push_back(found(job));
  keep(job, many[0], 0), keep(job, many[0], 1);
  const auto reports = job.report();
  for (std::size_t i = 1; i < 6; ++i) keep(job, many[i], 0), keep(job, many[i], 1);
  for (auto& process : job.process) process.discard_all();
  Communicator taken;
  for (std::size_t rank : {0, 1}) take(job, reports, rank, taken);
  ASSERT_TRUE(taken.toy[0] && taken.toy[1]);
  EXPECT_EQ(taken.toy[0]->name, 1);
}

TEST(IdlePool, where_all_places_are_in_use_a_team_gets_none) {
  Job job;
  std::vector<Communicator> many;
  for (std::size_t i = 0; i < kIdlePlaces; ++i) many.push_back(found(job));
  Communicator one_more = found(job);
  EXPECT_LT(one_more.ticket[0].place, 0);
  for (std::size_t rank : {0, 1}) keep(job, one_more, rank);
  EXPECT_FALSE(next(job).toy[0]);
  job.process[0].release_ticket(kRanksOfTeam, many[0].ticket[0]);
  EXPECT_EQ(found(job).ticket[0].place, many[0].ticket[0].place);
}

TEST(IdlePool, a_team_that_was_refused_is_not_offered_to_that_communicator_alone) {
  Job job;
  Communicator first = found(job);
  keep(job, first, 0);
  const IdleReport own = job.report(0);
  EXPECT_EQ(own.offered, 0);
  job.process[0].withdraw_offer(kRanksOfTeam, own);
  keep(job, first, 1);
  EXPECT_TRUE(next(job).toy[0]);
}

/// Threads of two processes make communicators, one after the other each, in some order.
class Threads {
 public:
  explicit Threads(unsigned seed) : dice_(seed) {}

  void play(int steps) {
    for (int step = 0; step < steps; ++step) {
      const std::size_t thread = dice_() % states_.size(), rank = dice_() % 2;
      advance(states_[thread], rank);
    }
  }
  int taken() const { return taken_; }

 private:
  enum class TeamStage { report, take, found, use };
  struct Round {
    std::array<std::optional<IdleReport>, 2> reports;
    std::array<std::optional<bool>, 2> has_taken;
    Communicator made;
  };
  struct State {
    std::array<TeamStage, 2> stage{};
    std::array<std::size_t, 2> round{};
    std::map<std::size_t, Round> rounds;
  };

  void advance(State& thread, std::size_t rank) {
    TeamStage& stage = thread.stage[rank];
    Round& round = thread.rounds[thread.round[rank]];
    if (stage == TeamStage::report) {
      round.reports[rank] = job_.report(rank);
      stage = TeamStage::take;
    } else if (stage == TeamStage::take && round.reports[1 - rank]) {
      take(job_, {*round.reports[0], *round.reports[1]}, rank, round.made);
      round.has_taken[rank] = round.made.toy[rank] != nullptr;
      if (round.has_taken[1 - rank]) {
        EXPECT_EQ(*round.has_taken[0], *round.has_taken[1]);
      }
      stage = *round.has_taken[rank] ? TeamStage::use : TeamStage::found;
      if (*round.has_taken[rank]) begin(round, rank), ++taken_;
    } else if (stage == TeamStage::found && (rank == 0 || round.made.toy[1])) {
      if (rank == 0) round.made.ticket.fill(job_.process[0].new_ticket(kRanksOfTeam));
      if (rank == 1) job_.process[1].record_ticket(kRanksOfTeam, round.made.ticket[1]);
      if (rank == 0) ++job_.names;
      if (rank == 0)
        for (auto& toy : round.made.toy) toy = std::make_unique<Toy>(Toy{job_.names, 0});
      begin(round, rank);
      stage = TeamStage::use;
    } else if (stage == TeamStage::use) {
      end(round, rank);
      stage = TeamStage::report;
      ++thread.round[rank];
    }
  }

  void begin(Round& round, std::size_t rank) {
    const int name = round.made.toy[rank]->name;
    EXPECT_TRUE(in_use_[rank].insert(name).second) << "two communicators have team " << name;
    round.made.toy[rank]->calls += thread_of(round);
    if (names_[&round] == 0) names_[&round] = name;
    EXPECT_EQ(names_[&round], name) << "its ranks have different teams";
  }
  void end(Round& round, std::size_t rank) {
    in_use_[rank].erase(round.made.toy[rank]->name);
    keep(job_, round.made, rank);
  }
  /// Communicators differ in their calls.
  static std::uint64_t thread_of(const Round& round) {
    return reinterpret_cast<std::uintptr_t>(&round);
  }

  std::mt19937 dice_;
  Job job_;
  std::array<State, 4> states_;
  std::array<std::set<int>, 2> in_use_;
  std::map<const Round*, int> names_;
  int taken_ = 0;
};

TEST(IdlePool, threads_that_make_communicators_in_any_order_never_share_a_team) {
  int taken = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    Threads threads(seed);
    threads.play(2000);
    taken += threads.taken();
  }
  EXPECT_GT(taken, 1000);
}

TEST(IdlePoolContracts, take_what_was_offered_and_reported) {
  Job job;
  Communicator first = found(job);
  for (std::size_t rank : {0, 1}) keep(job, first, rank);
  const std::vector<IdleReport> reports = job.report();
  const auto take_by = [&](const std::vector<IdleReport>& told) {
    static_cast<void>(job.process[1].take(kRanksOfTeam, told));
  };
  EXPECT_BROKEN(take_by({reports[0]}), "reports.size.. == ranks.size");
  std::vector<IdleReport> wrong = reports;
  wrong[0].offered = kIdlePlaces;
  EXPECT_BROKEN(take_by(wrong), "told >= 0 && .*told. < kIdlePlaces");
  wrong[0].offered = 1;  // where no idle item is
  EXPECT_BROKEN(take_by(wrong), "state != 0");
  wrong = reports;
  for (IdleReport& one : wrong) one.states[0] += 2;
  EXPECT_BROKEN(take_by(wrong), "found != group.idle.end");
  take_by(reports);
  EXPECT_BROKEN(take_by(reports), "open_reports > 0");
}

TEST(IdlePoolContracts, have_no_other_places_than_the_leaders) {
  Job job;
  Ticket ticket = job.process[0].new_ticket(kRanksOfTeam);
  ticket.place = kIdlePlaces;
  EXPECT_BROKEN(job.process[1].record_ticket(kRanksOfTeam, ticket),
                "told >= 0 && .*told. < kIdlePlaces");
  IdleReport none;
  EXPECT_BROKEN(job.process[0].withdraw_offer(kRanksOfTeam, none), "open_reports > 0");
  none = job.report(0);
  none.offered = 3;
  EXPECT_BROKEN_IN_DEBUG_BUILDS(job.process[0].withdraw_offer(kRanksOfTeam, none),
                                "use == Use::offered");
}

}  // namespace
}  // namespace terrace::preload
