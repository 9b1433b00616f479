// SPDX-License-Identifier: BSD-3-Clause
// Goals and methods:
// - One pair of ranks measures for each distance: ranks laid out on machines.
// - All ranks of a team come to the same costs, which can be: threads that measure. The times
//   themselves cannot be known.
// - A rank that does not arrive holds no other up for ever: a thread alone. One that shares its
//   core with others gives it away: two threads on one core, by the processor time they take.
#include "measure/team_probe.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <barrier>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <string>
#include <thread>

#include "measure/pair_probe.hpp"
#include "unit/contracts.hpp"

namespace terrace::measure {
namespace {

Locality place(std::uint32_t node, std::uint32_t l3, std::uint32_t core) {
  return {{{"node", node}, {"l3", l3}, {"core", core}}};
}

TEST(PairClasses, are_one_for_each_distance_from_near_to_far) {
  const std::vector<Locality> places = {place(0, 0, 0), place(0, 1, 2), place(0, 0, 1),
                                        place(0, 1, 3)};
  const std::vector<PairClass> classes = pair_classes(places);
  ASSERT_EQ(classes.size(), 2u);
  EXPECT_EQ(classes[0].level, "l3");
  EXPECT_EQ(classes[0].first, 0u);
  EXPECT_EQ(classes[0].second, 2u);
  EXPECT_EQ(classes[1].level, "node");
  EXPECT_EQ(classes[1].second, 1u);
}

TEST(PairClasses, are_none_of_ranks_that_share_a_core) {
  EXPECT_TRUE(pair_classes(std::vector<Locality>(3, place(0, 0, 0))).empty());
  EXPECT_TRUE(pair_classes(std::vector<Locality>(1, place(0, 0, 0))).empty());
}

/// Three threads, of which two are nearer to each other.
class MeasuringTeam {
 public:
  MeasuringTeam() : memory_(3, 4 << 20), board_(8192) {
    for (const RankMemory& rank : memory_.memory().ranks) prepare(rank, 0);
  }

  const TeamMemory& memory() const { return memory_.memory(); }
  std::vector<Locality> places() const { return {place(0, 0, 0), place(0, 0, 1), place(0, 1, 2)}; }

  Tell tell(Rank own) {
    return [this, own](void* at, std::size_t bytes, Rank from) {
      EXPECT_LE(bytes, board_.size());
      if (own == from) std::memcpy(board_.data(), at, bytes);
      meeting_.arrive_and_wait();
      if (own != from) std::memcpy(at, board_.data(), bytes);
      meeting_.arrive_and_wait();
      return true;
    };
  }

 private:
  ThreadMemory memory_;
  std::vector<std::byte> board_;
  std::barrier<> meeting_{3};
};

/// Whether other programs have computed here during the last minute.
bool is_machine_busy() {
  double load = 0;
  return getloadavg(&load, 1) == 1 && load > 1;
}

TEST(TeamProbe, tells_all_ranks_the_same_costs) {
  MeasuringTeam team;
  KnownCosts known("this one", "");
  std::optional<model::MachineCosts> costs[3];
  std::vector<double> signals[3];
  bool is_doubtful[3] = {};
  const bool is_busy = is_machine_busy();
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  const auto work = [&](Rank rank) {
    TeamProbe probe(team.memory(), rank, team.places(), [](std::size_t) { return true; });
    EXPECT_TRUE(probe.is_possible());
    // Where other programs run, a thread may come too late, or costs come out impossible: all ranks
    // know it then, and begin again.
    std::uint8_t is_in_time = 1;
    const auto tell = team.tell(rank);
    while (!costs[rank] && is_in_time != 0) {
      is_in_time = std::chrono::steady_clock::now() < end ? 1 : 0;
      tell(&is_in_time, sizeof is_in_time, 0);
      if (const auto taken = probe.signals(team.tell(rank))) {
        signals[rank] = *taken;
        const auto found = probe.costs(*taken, known, team.tell(rank));
        is_doubtful[rank] = found && found->is_doubtful;
        if (found) costs[rank] = found->costs;
      }
    }
  };
  std::thread one(work, 1), two(work, 2);
  work(0);
  one.join();
  two.join();
  if (is_busy && !costs[0] && !costs[1] && !costs[2])
    GTEST_SKIP() << "this machine is too busy: nothing was measured within a minute";
  ASSERT_TRUE(costs[0]);
  EXPECT_EQ(costs[0], costs[1]);
  EXPECT_EQ(costs[0], costs[2]);
  EXPECT_EQ(signals[0], signals[2]);
  ASSERT_EQ(costs[0]->links.size(), 2u);
  EXPECT_EQ(costs[0]->links[0].level, "l3");
  EXPECT_EQ(costs[0]->links[1].level, "node");
  for (const model::LinkCosts& link : costs[0]->links) {
    EXPECT_GT(link.signal, 0);
    EXPECT_FALSE(link.copies.empty());
  }
  EXPECT_EQ(is_doubtful[0], is_doubtful[1]);
  EXPECT_EQ(is_doubtful[0], is_doubtful[2]);
  const auto kept =
      known.find({"l3", "node"}, {costs[0]->links[0].signal, costs[0]->links[1].signal});
  EXPECT_EQ(kept.has_value(), !is_doubtful[0]) << "what is doubtful is not for later";
}

/// Costs of a machine with the team's distances and these signals, which nothing here has.
model::MachineCosts strange_costs(const std::vector<double>& signals) {
  model::MachineCosts costs = model::assumed_costs();
  costs.links.resize(2, costs.links.front());
  for (std::size_t i = 0; i < 2; ++i) {
    costs.links[i].level = i == 0 ? "l3" : "node";
    costs.links[i].signal = signals[i];
    for (model::ScratchCopy& copy : costs.links[i].copies) copy.write = 777;
  }
  return costs;
}

/// Threads that share a core do not answer each other at once.
bool are_short(const std::vector<double>& signals) {
  return std::all_of(signals.begin(), signals.end(),
                     [](double ns) { return ns <= kLongestSignalNs; });
}

TEST(TeamProbe, measures_again_what_was_measured_less_than_three_times) {
  for (const int times : {3, 1}) {
    MeasuringTeam team;
    const std::string path = testing::TempDir() + "terrace-probe-" + std::to_string(getpid());
    std::filesystem::remove(path);
    KnownCosts known("this one", path);
    std::optional<FoundCosts> costs[3];
    std::vector<double> signals;
    const auto work = [&](Rank rank) {
      TeamProbe probe(team.memory(), rank, team.places(), [](std::size_t) { return true; });
      const auto tell = team.tell(rank);
      std::optional<std::vector<double>> taken;
      for (int tries = 0; tries < 1000 && !(taken && are_short(*taken)); ++tries)
        taken = probe.signals(tell);
      if (!taken || !are_short(*taken)) return;
      if (rank == 0) signals = *taken;
      for (int i = 0; i < times && rank == 0; ++i)
        KnownCosts("this one", path, [i] {
          return 3600 * (i + 1) + std::time(nullptr);
        }).remember(strange_costs(*taken));
      costs[rank] = probe.costs(*taken, known, tell);
    };
    std::thread one(work, 1), two(work, 2);
    work(0);
    one.join();
    two.join();
    if (signals.empty()) GTEST_SKIP() << "this machine is too busy for signals";
    ASSERT_TRUE(costs[0] && costs[1] && costs[2]);
    EXPECT_EQ(costs[0]->costs, costs[1]->costs);
    EXPECT_EQ(costs[0]->costs, costs[2]->costs);
    const bool is_strange = costs[0]->costs == strange_costs(signals);
    std::filesystem::remove(path);
    if (times == 3) {
      EXPECT_TRUE(is_strange) << "it was measured a fourth time";
      continue;
    }
    // Where threads share a core, or other programs run, a measurement is doubtful and not kept.
    const auto kept = known.find({"l3", "node"}, signals);
    if (!is_strange && are_signals_of(costs[0]->costs, {"l3", "node"}, signals)) {
      ASSERT_TRUE(kept);
      EXPECT_EQ(kept->costs, costs[0]->costs)
          << "the newest counts where there are less than three";
    }
  }
}

TEST(TeamProbe, measures_nothing_where_a_rank_has_no_memory) {
  MeasuringTeam team;
  KnownCosts known("this one", "");
  std::optional<FoundCosts> costs[3];
  const auto work = [&](Rank rank) {
    TeamProbe probe(team.memory(), rank, team.places(), [](std::size_t) { return false; });
    costs[rank] = probe.costs(std::vector<double>{50, 50}, known, team.tell(rank));
  };
  std::thread one(work, 1), two(work, 2);
  work(0);
  one.join();
  two.join();
  for (const auto& found : costs) EXPECT_FALSE(found);
}

ProbeRoom room_of(const MeasuringTeam& team, Rank rank) {
  const RankMemory& share = team.memory().ranks[rank];
  return {share.boards, share.scratch, 0, nullptr, nullptr, 0};
}

/// Processor time of the calling thread.
double cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// A thread that spun would have the core for a turn of the scheduler's each time, 3 ms or more, and
// 0.2 s in all; other programs do not change what it is charged for.
TEST(PairProbe, gives_a_core_that_both_ranks_share_away) {
  MeasuringTeam team;
  constexpr int kThrows = 30;
  double spent[2] = {};
  cpu_set_t cores, first;
  sched_getaffinity(0, sizeof cores, &cores);
  CPU_ZERO(&first);
  for (int cpu = 0; CPU_COUNT(&first) == 0; ++cpu)
    if (CPU_ISSET(cpu, &cores)) CPU_SET(cpu, &first);
  const auto measure = [&](Rank rank) {
    ASSERT_EQ(sched_setaffinity(0, sizeof first, &first), 0);
    PairProbe probe(room_of(team, rank), room_of(team, 1 - rank), rank == 0);
    probe.signal(1, kThrows);
    EXPECT_FALSE(probe.has_failed());
    spent[rank] = cpu_seconds();
  };
  std::thread one(measure, 0), two(measure, 1);
  one.join();
  two.join();
  EXPECT_LT(spent[0] + spent[1], kThrows * 1e-3);
}

TEST(PairProbe, gives_up_a_peer_that_does_not_come) {
  MeasuringTeam team;
  PairProbe alone(room_of(team, 0), room_of(team, 1), true);
  alone.signal(1, 2);
  EXPECT_TRUE(alone.has_failed());
  EXPECT_FALSE(alone.both(true));
}

TEST(PairProbe, copies_within_its_room) {
  ProbeBoard board;
  std::array<std::byte, 1024> room = {};
  const ProbeRoom own{&board, room.data(), 512, room.data() + 512, room.data() + 768, 256};
  PairProbe probe(own, own, true);
  EXPECT_BROKEN(probe.copy(512, 0, false, 1, 0), "bytes <= mine_.own_bytes");
  EXPECT_BROKEN(probe.copy(256, 1024, false, 1, 0), "places \\* bytes <= mine_.shared_bytes");
}

}  // namespace
}  // namespace terrace::measure
