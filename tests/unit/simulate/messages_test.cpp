// SPDX-License-Identifier: BSD-3-Clause
// Messages between nodes by LogGP, by hand; and nodes that are folded against all of them.
#include <gtest/gtest.h>

#include <numeric>
#include <utility>

#include "base/cache_aligned.hpp"
#include "collectives/collectives.hpp"
#include "machines.hpp"
#include "plan/lower.hpp"
#include "simulate/simulate.hpp"
#include "simulate/symmetric_nodes.hpp"
#include "verify/verify.hpp"

namespace terrace::simulate {
namespace {

std::vector<RankProgram> lowered(const Plan& plan, Lowering lowering) {
  const auto result = lower(plan, lowering);
  EXPECT_TRUE(result) << (result ? "" : result.error().sentence);
  return result ? programs_of(result.value()) : std::vector<RankProgram>{};
}

Plan plan_of(const std::string& text) {
  const auto plan = plan_from_text(text);
  EXPECT_TRUE(plan) << (plan ? "" : plan.error().sentence);
  return plan ? plan.value() : Plan{};
}

SimulationOutcome play(const std::vector<Locality>& ranks, const std::vector<RankProgram>& programs,
                       const SimulationSetting& setting) {
  const auto outcome = simulate(round_machine(), ranks, programs, setting);
  EXPECT_TRUE(outcome) << (outcome ? "" : outcome.error().sentence);
  return outcome ? outcome.value() : SimulationOutcome{};
}

SimulationSetting paper(std::size_t bytes) {
  SimulationSetting setting;
  setting.mode = Mode::paper;
  setting.element_count = bytes / 8;
  return setting;
}

TEST(Messages, take_o_and_L_and_o_and_G_a_byte) {
  const auto programs = lowered(
      plan_of(
          "plan bcast.hand\nranks 2\nnodes 0 1\n0: send in[0] to 1\n1: receive out[1] from 0\n"),
      Lowering::owner);
  for (const double bytes : {64.0, 6400.0}) {
    const auto outcome = play(on_nodes(2, 1), programs, paper(static_cast<std::size_t>(bytes)));
    EXPECT_DOUBLE_EQ(outcome.calls.back().last_end, 100 + 0.1 * bytes + 1000 + 100);
    EXPECT_EQ(outcome.messages, 1u);
    EXPECT_DOUBLE_EQ(outcome.network_bytes, bytes);
  }
}

TEST(Messages, of_a_node_leave_one_after_the_other) {
  const auto programs =
      lowered(plan_of("plan bcast.hand\nranks 3\nnodes 0 1 2\n0: send in[0] to 1\n"
                      "0: send in[0] to 2\n1: receive out[1] from 0\n"
                      "2: receive out[2] from 0\n"),
              Lowering::owner);
  // Short: the core is busy for longer than the 50 between messages. Long: 6400 bytes take 640.
  EXPECT_DOUBLE_EQ(play(on_nodes(3, 1), programs, paper(64)).calls.back().last_end,
                   2 * 100 + 6.4 + 1000 + 100);
  EXPECT_DOUBLE_EQ(play(on_nodes(3, 1), programs, paper(6400)).calls.back().last_end,
                   100 + 2 * 640 + 1000 + 100);
}

TEST(Messages, of_several_nodes_come_into_one_after_the_other) {
  const auto programs = lowered(plan_of("plan gather.hand\nranks 3\nnodes 0 1 2\n"
                                        "1: send in[1] to 0\n2: send in[2] to 0\n"
                                        "0: receive out[0] from 1\n0: receive out[0:1] from 2\n"),
                                Lowering::owner);
  // Short: the second is 50 behind the first, and the core takes 100 for each. Long: 640 behind.
  EXPECT_DOUBLE_EQ(play(on_nodes(3, 1), programs, paper(64)).calls.back().last_end,
                   100 + 1000 + 6.4 + 100 + 100);
  EXPECT_DOUBLE_EQ(play(on_nodes(3, 1), programs, paper(6400)).calls.back().last_end,
                   100 + 1000 + 2 * 640 + 100);
}

TEST(Messages, that_are_long_ask_first) {
  auto machine = round_machine();
  machine.networks[0].eager = 1000;
  const auto programs = lowered(
      plan_of(
          "plan bcast.hand\nranks 2\nnodes 0 1\n0: send in[0] to 1\n1: receive out[1] from 0\n"),
      Lowering::owner);
  const auto outcome = simulate(machine, on_nodes(2, 1), programs, paper(6400));
  ASSERT_TRUE(outcome);
  EXPECT_DOUBLE_EQ(outcome.value().calls.back().last_end, 100 + 640 + 1000 + 100 + 2 * 1200);
}

// The long one asks first, so that the short one behind it is on its way sooner; rank 1 answers the
// first that it takes.
TEST(Messages, of_a_pair_are_taken_as_they_were_sent) {
  auto machine = round_machine();
  machine.networks[0].eager = 1000;
  const auto programs =
      lowered(plan_of("plan bcast.hand\nranks 2\ntiles 100\nnodes 0 1\n0: send in[0] to 1\n"
                      "0: send in[0.0] to 1\n1: receive out[1] from 0\n1: send out[1.1] to 0\n"
                      "1: receive scratch[1.0] from 0\n0: receive scratch[0.1] from 1\n"),
              Lowering::owner);
  constexpr double kTile = kLineBytes;  // the smallest
  const auto outcome = simulate(machine, on_nodes(2, 1), programs, paper(100 * kLineBytes));
  ASSERT_TRUE(outcome) << outcome.error().sentence;
  const double long_one = 100 + 10 * kTile + 1000 + 100 + 2 * 1200;
  const double answer = 100 + kTile / 10 + 1000 + 100;
  EXPECT_DOUBLE_EQ(outcome.value().calls.back().last_end, long_one + answer);
}

TEST(Messages, need_a_network_and_plans_without_them_one_node) {
  auto machine = round_machine();
  machine.networks.clear();
  const auto programs = lowered(
      plan_of(
          "plan bcast.hand\nranks 2\nnodes 0 1\n0: send in[0] to 1\n1: receive out[1] from 0\n"),
      Lowering::owner);
  EXPECT_FALSE(simulate(machine, on_nodes(2, 1), programs, paper(64)));
  const auto near =
      lowered(plan_of("plan bcast.hand\nranks 2\n1: out[1] = in[0]\n"), Lowering::owner);
  EXPECT_FALSE(simulate(round_machine(), on_nodes(2, 1), near, paper(64)));
}

/// An allreduce of `nodes` nodes of two ranks: in round k, first ranks exchange with the node whose
/// number differs in bit k.
Plan hypercube(std::uint32_t nodes) {
  std::vector<std::uint32_t> node_of;
  for (Rank rank = 0; rank < 2 * nodes; ++rank) node_of.push_back(rank / 2);
  PlanBuilder plan("allreduce.hand", 2 * nodes, 1, node_of);
  for (Rank first = 0; first < 2 * nodes; first += 2)
    plan.reduce(first, {input(first), input(first + 1)}, {scratch(first, 0)});
  std::uint32_t block = 0;
  for (std::uint32_t bit = 1; bit < nodes; bit *= 2, block += 2) {
    std::vector<Message> messages;
    for (std::uint32_t node = 0; node < nodes; ++node)
      messages.push_back({{scratch(2 * node, block), scratch(2 * (node ^ bit), block + 1)}});
    plan.send_all(messages);
    for (Rank first = 0; first < 2 * nodes; first += 2)
      plan.reduce(first, {scratch(first, block), scratch(first, block + 1)},
                  {scratch(first, block + 2)});
  }
  for (Rank rank = 0; rank < 2 * nodes; ++rank)
    plan.copy(rank, scratch(rank / 2 * 2, block), output(rank));
  return std::move(plan).build();
}

/// Nodes 0 and 3 get two messages at the same time, the first rank's from nodes 1 and 5, the second
/// rank's from nodes 2 and 4; the first rank has more to do with its own.
Plan crossing() {
  std::vector<std::uint32_t> node_of;
  for (Rank rank = 0; rank < 12; ++rank) node_of.push_back(rank / 2);
  PlanBuilder plan("gather.hand", 12, 1, node_of);
  for (const auto& [from, to] : {std::pair(2, 0), {4, 1}, {8, 7}, {10, 6}})
    plan.send(input(static_cast<Rank>(from)), scratch(static_cast<Rank>(to)));
  for (const Rank first : {0u, 6u}) {
    plan.reduce(first, {scratch(first), input(first + 1)}, {output(first)});
    plan.copy(first + 1, scratch(first + 1), output(first + 1));
  }
  return std::move(plan).build();
}

/// First ranks of nodes pass a vector on in a binomial tree; nodes differ by how many they feed.
Plan binomial(std::uint32_t nodes) {
  std::vector<std::uint32_t> node_of;
  for (Rank rank = 0; rank < 2 * nodes; ++rank) node_of.push_back(rank / 2);
  PlanBuilder plan("bcast.hand", 2 * nodes, 1, node_of);
  std::uint32_t holders = 1;
  for (; holders < nodes; holders *= 2)
    for (std::uint32_t node = 0; node < holders && node + holders < nodes; ++node)
      plan.send(node == 0 ? input(0) : output(2 * node), output(2 * (node + holders)));
  plan.copy(1, input(0), output(1));
  for (std::uint32_t node = 1; node < nodes; ++node)
    plan.copy(2 * node + 1, output(2 * node), output(2 * node + 1));
  return std::move(plan).build();
}

/// An allgather: first ranks pass blocks of both ranks on around a ring of nodes, and second ranks
/// copy each as it comes; the second of two first, since in place block 0 may be their input, for
/// which the first node would have a wait of its own.
Plan ring(std::uint32_t nodes) {
  std::vector<std::uint32_t> node_of;
  for (Rank rank = 0; rank < 2 * nodes; ++rank) node_of.push_back(rank / 2);
  PlanBuilder plan("allgather.hand", 2 * nodes, 1, node_of);
  for (Rank rank = 0; rank < 2 * nodes; ++rank)
    plan.copy(rank / 2 * 2, input(rank), output(rank / 2 * 2, rank));
  for (std::uint32_t round = 0; round < nodes; ++round) {
    std::vector<Message> messages;
    for (std::uint32_t node = 0; node < nodes; ++node)
      for (const Rank first : {1u, 0u}) {
        const Rank block = (node + nodes - round) % nodes * 2 + first;
        const Rank rank = 2 * node, next = 2 * ((node + 1) % nodes);
        plan.copy(rank + 1, output(rank, block), output(rank + 1, block));
        messages.push_back({{output(rank, block), output(next, block)}});
      }
    if (round + 1 != nodes) plan.send_all(messages);
  }
  return std::move(plan).build();
}

void expect_the_same(const SimulationOutcome& folded, const SimulationOutcome& all) {
  ASSERT_EQ(folded.calls.size(), all.calls.size());
  for (std::size_t i = 0; i < all.calls.size(); ++i) {
    EXPECT_EQ(folded.calls[i].first_begin, all.calls[i].first_begin);
    EXPECT_EQ(folded.calls[i].first_end, all.calls[i].first_end);
    EXPECT_EQ(folded.calls[i].last_end, all.calls[i].last_end);
    EXPECT_EQ(folded.calls[i].most, all.calls[i].most);
    EXPECT_NEAR(folded.calls[i].mean, all.calls[i].mean, 1e-9 * all.calls[i].mean);
  }
  EXPECT_EQ(folded.steps, all.steps);
  EXPECT_EQ(folded.messages, all.messages);
  EXPECT_EQ(folded.network_bytes, all.network_bytes);
  EXPECT_EQ(folded.signal_lines, all.signal_lines);
  EXPECT_EQ(folded.bytes_from, all.bytes_from);
}

/// Both lowerings, both modes, short and in strips, calls one after the other.
void expect_folding(const Plan& plan, std::uint32_t nodes, std::uint32_t played) {
  for (const Lowering lowering : {Lowering::lines, Lowering::owner})
    for (const Mode mode : {Mode::paper, Mode::real})
      for (const bool together : {true, false}) {
        const auto programs = lowered(plan, lowering);
        SimulationSetting setting = paper(lowering == Lowering::lines ? 8 : 100'000);
        setting.mode = mode;
        setting.strip_bytes = 16384;
        setting.calls = 3;
        setting.starts_together = together;
        const SimulationOutcome folded = play(on_nodes(nodes, 2), programs, setting);
        EXPECT_EQ(folded.nodes, nodes);
        EXPECT_EQ(folded.nodes_played, played) << folded.why_all;
        setting.folds = false;
        const SimulationOutcome all = play(on_nodes(nodes, 2), programs, setting);
        EXPECT_EQ(all.nodes_played, nodes);
        expect_the_same(folded, all);
      }
}

TEST(Folding, of_nodes_that_all_do_alike_leaves_one) {
  expect_folding(hypercube(4), 4, 1);
  expect_folding(hypercube(8), 8, 1);
}

/// Each node has other blocks at the same time.
TEST(Folding, does_not_mind_which_blocks_are_passed_on) {
  expect_folding(ring(4), 4, 1);
  expect_folding(ring(7), 7, 1);
}

/// One that adds the other way round, and skew.
TEST(Folding, says_why_all_are_played) {
  const auto why = [](const std::string& text, std::vector<Locality> ranks, double skew) {
    SimulationSetting setting = paper(64);
    setting.skew = skew;
    return play(ranks, lowered(plan_of(text), Lowering::owner), setting).why_all;
  };
  const std::string one_way =
      "plan allreduce.hand\nranks 2\nnodes 0 1\n0: send in[0] to 1\n"
      "1: send in[1] to 0\n0: receive scratch[0:0] from 1\n"
      "1: receive scratch[1:0] from 0\n0: out[0] = in[0] + scratch[0:0]\n";
  EXPECT_EQ(why(one_way + "1: out[1] = in[1] + scratch[1:0]\n", on_nodes(2, 1), 0), "");
  EXPECT_EQ(why(one_way + "1: out[1] = scratch[1:0] + in[1]\n", on_nodes(2, 1), 0),
            "nodes 0 and 1 differ: rank 1's step 2 is not that of its counterpart on the node of "
            "rank 0");
  EXPECT_EQ(why(one_way + "1: out[1] = in[1] + scratch[1:0]\n", on_nodes(2, 1), 9),
            "skew and jitter make nodes differ");
  SimulationSetting setting = paper(64);
  setting.must_fold = true;
  const auto uneven = lowered(binomial(2), Lowering::owner);
  EXPECT_FALSE(simulate(round_machine(), on_nodes(2, 2), uneven, setting));
  EXPECT_TRUE(
      simulate(round_machine(), on_nodes(4, 2), lowered(hypercube(4), Lowering::owner), setting));
}

/// Which of two that come at once is the first in must not hang on who plays.
TEST(Folding, of_messages_that_come_at_once_leaves_one_of_each_kind) {
  expect_folding(crossing(), 6, 3);
}

/// By numbers of children: nodes that receive in the same round and feed as many are alike, if
/// those are alike. Of 8: the root, then 1, 2, 4 and 3, 5, 6 and 7 by whom they feed and are fed.
TEST(Folding, of_nodes_that_differ_leaves_one_of_each_kind) {
  const auto programs = lowered(binomial(8), Lowering::owner);
  const SimulationOutcome outcome = play(on_nodes(8, 2), programs, paper(64));
  expect_folding(binomial(8), 8, outcome.nodes_played);
  EXPECT_LE(outcome.nodes_played, 8u);
  EXPECT_GT(outcome.nodes_played, 1u);
}

TEST(Folding, does_not_fold_what_comes_at_different_times) {
  SimulationSetting setting = paper(8);
  setting.skew = 100;
  EXPECT_EQ(play(on_nodes(4, 2), lowered(hypercube(4), Lowering::owner), setting).nodes_played, 4u);
}

constexpr SymmetricExchange kExchanges[] = {SymmetricExchange::leaders, SymmetricExchange::lanes,
                                            SymmetricExchange::flat};

/// The plan of two nodes that stands for 2^rounds takes as long as the plan of them all.
void expect_two_to_stand_for(const Plan& plan, SymmetricExchange by, Rank each,
                             std::uint32_t rounds, Lowering lowering, Mode mode) {
  SimulationSetting setting = paper(lowering == Lowering::lines ? 8 : 4096);
  setting.mode = mode;
  setting.calls = 3;
  const std::uint32_t nodes = 1u << rounds;
  const SimulationOutcome all = play(on_nodes(nodes, each), lowered(plan, lowering), setting);
  const auto pair = lowered(exchange_of_symmetric_nodes(by, each, rounds), lowering);
  const SimulationOutcome two = play(on_nodes(2, each), pair, setting);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(two.calls[i].last_end, all.calls[i].last_end) << nodes << " " << i;
  const SimulationOutcome stood = standing_for(nodes, two);
  EXPECT_EQ(stood.messages, all.messages);
  EXPECT_EQ(stood.network_bytes, all.network_bytes);
  EXPECT_EQ(stood.bytes_from, all.bytes_from);
  EXPECT_EQ(stood.steps, all.steps);
  EXPECT_EQ(stood.nodes, nodes);
}

TEST(Folding, two_nodes_stand_for_more_than_a_plan_can_be_written_for) {
  for (const SymmetricExchange by : kExchanges)
    for (const Rank each : {1u, 2u, 4u})
      for (const std::uint32_t rounds : {1u, 2u, 3u})
        for (const Mode mode : {Mode::paper, Mode::real}) {
          const Plan all = allreduce_of_symmetric_nodes(by, each, 1u << rounds);
          expect_two_to_stand_for(all, by, each, rounds, Lowering::owner, mode);
          if (by != SymmetricExchange::lanes)  // a line is never cut into tiles
            expect_two_to_stand_for(all, by, each, rounds, Lowering::lines, mode);
        }
}

/// And as long as the plan that was written by hand.
TEST(Folding, two_nodes_stand_for_a_hypercube) {
  for (const std::uint32_t rounds : {1u, 2u, 3u})
    for (const Lowering lowering : {Lowering::lines, Lowering::owner})
      for (const Mode mode : {Mode::paper, Mode::real})
        expect_two_to_stand_for(hypercube(1u << rounds), SymmetricExchange::leaders, 2, rounds,
                                lowering, mode);
}

TEST(Folding, plans_of_symmetric_nodes_are_proved) {
  for (const SymmetricExchange by : kExchanges)
    for (const std::uint32_t nodes : {2u, 4u, 8u}) {
      const auto lowered = lower(allreduce_of_symmetric_nodes(by, 4, nodes), Lowering::owner);
      ASSERT_TRUE(lowered) << lowered.error().sentence;
      Postcondition wanted = postcondition(Collective::allreduce, 4 * nodes, 0);
      wanted.same_bits = false;  // so that nodes are alike, each begins with its own
      const auto proof = verify(lowered.value(), wanted);
      EXPECT_TRUE(proof) << proof.error().sentence;
    }
}

}  // namespace
}  // namespace terrace::simulate
