// SPDX-License-Identifier: BSD-3-Clause
// Plans with messages through the real executor, on nodes whose ranks share no memory.
// Goals and methods:
// - Results are right whatever the network does: all such plans, mixed, on nodes of equal and
//   different numbers of ranks, in a seeded interleaving and on threads, over a network that delays
//   messages and reads and writes memory whenever it may.
// - The tests can see each kind of order missing: one kind is taken away, and a seed must fail.
// - A failing network ends calls, and a rank that waits for a message sleeps on nothing for long.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>
#include <string>

#include "machines/shapes.hpp"
#include "sequences.hpp"

namespace terrace {
namespace {

/// Ranks on nodes, each of which has packages of two cores.
Hierarchy hierarchy_on(const std::vector<std::uint32_t>& nodes) {
  std::vector<Locality> localities;
  std::map<std::uint32_t, std::uint32_t> cores;
  for (const std::uint32_t node : nodes) {
    const std::uint32_t core = cores[node]++;
    localities.push_back({{{"node", node}, {"package", core / 2}, {"core", core}}});
  }
  return hierarchy_of(localities);
}

struct Nodes {
  const char* name;
  std::vector<std::uint32_t> of_ranks;
};

void PrintTo(const Nodes& nodes, std::ostream* out) {
  *out << nodes.name;
}

std::vector<Nodes> all_nodes() {
  return {{"2x2", {0, 0, 1, 1}},
          {"2x2 in turn", {0, 1, 0, 1}},
          {"3x2", {0, 0, 1, 1, 2, 2}},
          {"2+1", {0, 0, 1}},
          {"1+3", {0, 1, 1, 1}},
          {"4x1", {0, 1, 2, 3}},
          {"2x4", {0, 0, 0, 0, 1, 1, 1, 1}},
          {"3+2+1+1", {0, 0, 0, 1, 1, 2, 3}}};
}

sequences::Plans plans_over(const std::vector<std::uint32_t>& nodes) {
  return sequences::Plans(hierarchy_on(nodes), 2, algorithms_by_name(),
                          sequences::Which::over_nodes);
}

class OverNodes : public testing::TestWithParam<Nodes> {};

TEST_P(OverNodes, calls_give_right_results_in_any_order) {
  const std::vector<std::uint32_t>& nodes = GetParam().of_ranks;
  const sequences::Plans plans = plans_over(nodes);
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const auto script = sequences::script(plans, 300, seed, 200, sequences::kMoreScratchBytes);
    sequences::Team team(nodes, sequences::kMoreScratchBytes, script, seed);
    ASSERT_EQ(sequences::play_interleaved(team, seed), "") << "seed " << seed;
    EXPECT_GT(team.network->messages(), 300u);
  }
}

TEST_P(OverNodes, calls_give_right_results_on_threads) {
  const std::vector<std::uint32_t>& nodes = GetParam().of_ranks;
  const sequences::Plans plans = plans_over(nodes);
  for (std::uint64_t seed = 1; seed <= 2; ++seed) {
    const auto script = sequences::script(plans, 300, seed, 200, sequences::kMoreScratchBytes);
    sequences::Team team(nodes, sequences::kMoreScratchBytes, script, seed);
    sequences::play_on_threads(team, seed);
    for (const auto& player : team.players) EXPECT_EQ(player->complaint(), "");
    EXPECT_EQ(team.network->complaint(), "");
  }
}
INSTANTIATE_TEST_SUITE_P(Shapes, OverNodes, testing::ValuesIn(all_nodes()));

TEST(OverNodes, all_plans_with_messages_are_played) {
  std::set<std::string> with_messages, played;
  for (const Nodes& nodes : all_nodes()) {
    const Hierarchy hierarchy = hierarchy_on(nodes.of_ranks);
    for (const auto table : {algorithms(), algorithms_by_name()})
      for (const Algorithm& row : table)
        if (row.write({hierarchy, 0, 2}).has_messages())
          with_messages.insert(std::string(row.name));
    const sequences::Plans plans = plans_over(nodes.of_ranks);
    for (const auto& row : plans.rows()) played.insert(std::string(row.algorithm->name));
  }
  EXPECT_EQ(played, with_messages);
  for (const char* name : {"allreduce.leaders", "allreduce.dissemination", "allreduce.doubling",
                           "barrier.leaders", "scatter.staged"})
    EXPECT_TRUE(played.count(name)) << name;
}

/// The first complaint of some seeds, "" if there is none.
template <class Tamper>
std::string first_complaint_over_nodes(Tamper tamper) {
  for (const Nodes& nodes : all_nodes()) {
    sequences::Plans plans = plans_over(nodes.of_ranks);
    for (sequences::Plans::Row& row : plans.rows())
      for (RankProgram& program : row.programs) tamper(program);
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      const auto script = sequences::script(plans, 150, seed, 300, sequences::kMoreScratchBytes);
      sequences::Team team(nodes.of_ranks, sequences::kMoreScratchBytes, script, seed);
      if (std::string text = sequences::play_interleaved(team, seed); !text.empty()) return text;
    }
  }
  return "";
}

TEST(OverNodes, untampered_programs_are_right) {
  EXPECT_EQ(first_complaint_over_nodes([](RankProgram&) {}), "");
}

TEST(OverNodes, dropped_waits_for_own_messages_give_wrong_results) {
  EXPECT_NE(first_complaint_over_nodes([](RankProgram& program) {
              sequences::drop_waits_if(
                  program, [](const ProgramWait& wait) { return wait.signal == Signal::messages; });
            }),
            "");
}

TEST(OverNodes, dropped_waits_for_messages_of_earlier_strips_give_wrong_results) {
  EXPECT_NE(first_complaint_over_nodes([](RankProgram& program) {
              sequences::drop_waits_if(program, [](const ProgramWait& wait) {
                return wait.signal == Signal::messages && wait.lag > 0;
              });
            }),
            "");
}

TEST(OverNodes, waits_for_fewer_messages_give_wrong_results) {
  EXPECT_NE(first_complaint_over_nodes([](RankProgram& program) {
              for (ProgramWait& wait : program.waits) ++wait.newer_messages;
            }),
            "");
}

TEST(OverNodes, dropped_waits_of_receives_give_wrong_results) {
  EXPECT_NE(first_complaint_over_nodes([](RankProgram& program) {
              for (Instruction& step : program.instructions)
                if (step.kind == StepKind::receive) step.wait_count = 0;
            }),
            "");
}

TEST(OverNodes, messages_of_a_pair_in_another_order_give_wrong_results) {
  EXPECT_NE(first_complaint_over_nodes([](RankProgram& program) {
              std::vector<Instruction*> sends;
              for (Instruction& step : program.instructions)
                if (step.kind == StepKind::send) sends.push_back(&step);
              for (std::size_t i = 0; i + 1 < sends.size(); ++i)
                if (sends[i]->peer == sends[i + 1]->peer) std::swap(*sends[i], *sends[i + 1]);
            }),
            "");
}

/// Two nodes of one rank. Rank 0 fills its scratch anew while the first message may be on its way.
constexpr const char* kTwice =
    "plan bcast.a\nranks 2\nnodes 0 1\n0: scratch[0] = in[0]\n0: send scratch[0] to 1\n"
    "1: receive scratch[1] from 0\n0: scratch[0] = in[0] + in[0]\n0: send scratch[0] to 1\n"
    "1: receive scratch[1:1] from 0\n1: out[1] = scratch[1] + scratch[1:1]\n";

/// Two ranks alone on their nodes, in a call of one of these programs.
class Pair {
 public:
  Pair(std::vector<RankProgram> programs, std::size_t strips, std::uint64_t seed)
      : programs_(sequences::on_nodes(std::move(programs), {{0}, {1}})), network(2, seed) {
    for (Rank rank = 0; rank < 2; ++rank) {
      prepare(memories_[rank].memory().ranks[0], 0);
      states_.push_back(std::make_unique<EndpointState>(memories_[rank].memory(), 0));
      buffers_[rank].resize(strips);
      std::iota(buffers_[rank].begin(), buffers_[rank].end(), 1000u * rank + 1u);
      Call& call = calls_[rank];
      call.input = call.output = buffers_[rank].data();
      call.element_bytes = 8;
      call.element_count = call.block_elements = strips;
      call.strip_elements = 1;
      call.reduction = find_reduction(Type::uint64, Operator::sum);
      call.messenger = &network.messenger_of(rank);
      runs_.push_back(std::make_unique<Run>(*states_[rank], programs_[rank], call));
    }
  }
  Run& run(Rank rank) { return *runs_[rank]; }
  bool is_right() const {
    return std::equal(buffers_[0].begin(), buffers_[0].end(), buffers_[1].begin(),
                      [](std::uint64_t in, std::uint64_t out) { return out == 3 * in; });
  }

 private:
  std::vector<RankProgram> programs_;
  std::array<ThreadMemory, 2> memories_ = {ThreadMemory(1, 4096), ThreadMemory(1, 4096)};
  std::vector<std::unique_ptr<EndpointState>> states_;
  std::array<std::vector<std::uint64_t>, 2> buffers_;
  std::array<Call, 2> calls_;
  std::vector<std::unique_ptr<Run>> runs_;

 public:
  sequences::NetworkInMemory network;
};

std::vector<RankProgram> lowered(const char* text) {
  return programs_of(lower(plan_from_text(text).value(), Lowering::owner).value());
}

/// "" if all is right.
std::string play_twice(const std::vector<RankProgram>& programs, std::uint64_t seed) {
  constexpr std::size_t kStrips = 7;
  Pair pair(programs, kStrips, seed);
  std::mt19937_64 random(seed);
  std::array<Progress, 2> progress = {Progress::blocked, Progress::blocked};
  for (std::uint32_t turns = 0; progress != std::array{Progress::done, Progress::done}; ++turns) {
    if (turns > 100000) return "nobody can go on";
    const Rank rank = random() % 2;
    if (progress[rank] == Progress::blocked) progress[rank] = pair.run(rank).advance(1);
  }
  return pair.is_right() ? pair.network.complaint() : "wrong";
}

TEST(OverNodes, a_rank_waits_for_its_messages_before_it_fills_their_memory_anew) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed)
    EXPECT_EQ(play_twice(lowered(kTwice), seed), "");
  Plan spoiling = lower(plan_from_text(kTwice).value(), Lowering::owner).value();
  for (Step& step : spoiling.body)
    if (step.by == 0 && step.kind == StepKind::reduce) step.waits.clear();
  std::string first;
  for (std::uint64_t seed = 1; seed <= 200 && first.empty(); ++seed)
    first = play_twice(programs_of(spoiling), seed);
  EXPECT_EQ(first, "wrong");
}

TEST(OverNodes, a_network_that_fails_ends_calls) {
  for (const Rank rank : {0u, 1u}) {  // which waits for its message to go, or for one to come
    Pair pair(lowered(kTwice), 1, 1);
    pair.network.fail();
    EXPECT_EQ(pair.run(rank).advance(), Progress::unreachable);
    EXPECT_EQ(pair.run(rank).advance(), Progress::unreachable);
  }
}

/// The peer sends while the rank has been sleeping for some time.
class Sleeping final : public WaitEnvironment {
 public:
  explicit Sleeping(Run& peer) : peer_(peer) {}
  std::uint64_t now_ns() noexcept override { return now_ += 1000; }
  void yield() noexcept override {}
  void sleep(const WaitTarget& wait_target, std::uint64_t,
             std::uint64_t most_ns) noexcept override {
    EXPECT_NE(wait_target.counter, nullptr);
    longest_ns = std::max(longest_ns, most_ns);
    now_ += most_ns;
    if (++sleeps > 10) peer_.advance();
  }
  std::uint32_t sleeps = 0;
  std::uint64_t longest_ns = 0;

 private:
  Run& peer_;
  std::uint64_t now_ = 0;
};

TEST(OverNodes, a_rank_that_waits_for_a_message_wakes_by_itself) {
  Pair pair(lowered(kTwice), 3, 5);
  EXPECT_EQ(pair.run(1).awaited(), std::nullopt);
  Sleeping environment(pair.run(0));
  const WaitPolicy policy = WaitPolicy::for_mpi_ranks(2, 1, false);
  EXPECT_EQ(complete(pair.run(1), policy, environment), Progress::done);
  EXPECT_GT(environment.sleeps, 10u);
  EXPECT_EQ(environment.longest_ns, policy.longest_nap_ns);
  EXPECT_TRUE(pair.is_right());
}

}  // namespace
}  // namespace terrace
