// SPDX-License-Identifier: BSD-3-Clause
// How ranks are grouped by node, and which calls over several nodes are composed.
#include "preload/nodes/multi_node_communicator.hpp"

#include <gtest/gtest.h>

#include <climits>
#include <string>
#include <vector>

#include "base/fixed_text.hpp"
#include "preload/dispatch/in_rank_order.hpp"
#include "preload/dispatch/over_nodes.hpp"
#include "preload/setup/rank_info.hpp"

namespace terrace::preload {
namespace {

using Ranks = std::vector<Rank>;

/// A rank for each letter, on the node of this name; all ask to compose calls.
std::vector<RankInfo> ranks_on(const std::string& nodes) {
  std::vector<RankInfo> ranks(nodes.size());
  for (std::size_t rank = 0; rank < nodes.size(); ++rank) {
    put_text(ranks[rank].host, nodes.substr(rank, 1));
    ranks[rank].asks_across_nodes = 1;
  }
  return ranks;
}

TEST(NodeLayout, numbers_nodes_by_their_first_ranks) {
  const NodeLayout layout = layout_of_nodes(ranks_on("babca"));
  EXPECT_EQ(layout.node_of, (Ranks{0, 1, 0, 2, 1}));
  EXPECT_EQ(layout.place_of, (Ranks{0, 0, 1, 0, 1}));
  EXPECT_EQ(layout.ranks_of, (std::vector<Ranks>{{0, 2}, {1, 4}, {3}}));
  EXPECT_EQ(layout.leader_of(4), 1u);
  EXPECT_TRUE(layout.is_leader(3));
  EXPECT_FALSE(layout.is_leader(2));
}

TEST(NodeLayout, tells_containers_of_a_host_apart) {
  std::vector<RankInfo> ranks = ranks_on("aaa");
  ranks[1].process_space = 7;
  EXPECT_EQ(layout_of_nodes(ranks).node_of, (Ranks{0, 1, 0}));
}

TEST(NodeLayout, is_not_used_for_one_rank_per_node_or_too_many) {
  EXPECT_EQ(objection_to(layout_of_nodes(ranks_on("abc")), 8), "one rank per node");
  EXPECT_EQ(objection_to(layout_of_nodes(ranks_on("abb")), 2), "");
  EXPECT_EQ(objection_to(layout_of_nodes(ranks_on("abbb")), 2),
            "more ranks on a node than teams may have (2)");
}

TEST(Objection, names_the_first_rank_that_does_not_ask) {
  std::vector<RankInfo> ranks = ranks_on("aabb");
  EXPECT_EQ(objection(ranks), "");
  ranks[2].asks_across_nodes = 0;
  EXPECT_EQ(objection(ranks),
            "its ranks are on several nodes or containers, and rank 2 is without "
            "TERRACE_ACROSS_NODES=1");
  for (RankInfo& one : ranks) one.asks_across_nodes = 0;
  EXPECT_EQ(objection(ranks), "its ranks are on several nodes or containers");
}

TEST(Objection, names_a_rank_with_threads_in_mpi) {
  std::vector<RankInfo> ranks = ranks_on("aabb");
  ranks[3].has_threads_in_mpi = 1;
  EXPECT_EQ(
      objection(ranks),
      "its ranks are on several nodes or containers, and rank 3 calls MPI in several threads");
  EXPECT_EQ(objection(std::vector<RankInfo>(2, ranks[3])), "");
}

TEST(Objection, of_one_node_does_not_depend_on_who_asks) {
  std::vector<RankInfo> ranks = ranks_on("aa");
  ranks[1].asks_across_nodes = 0;
  EXPECT_EQ(objection(ranks), "");
}

TEST(NodeLayout, knows_lanes_of_even_and_uneven_nodes) {
  const NodeLayout even = layout_of_nodes(ranks_on("abab"));
  EXPECT_TRUE(even.is_even());
  EXPECT_TRUE(even.have_all(1));
  EXPECT_FALSE(even.have_all(2));
  EXPECT_FALSE(even.is_in_a_row(0));
  const NodeLayout uneven = layout_of_nodes(ranks_on("aabcc"));
  EXPECT_FALSE(uneven.is_even());
  EXPECT_TRUE(uneven.have_all(0));
  EXPECT_FALSE(uneven.have_all(1));
  EXPECT_EQ(uneven.lane_of(1), (Ranks{0, 2}));
  EXPECT_TRUE(uneven.is_in_a_row(2));
  EXPECT_FALSE(layout_of_nodes(ranks_on("aaabb")).is_even());
}

const NodeLayout kEven = layout_of_nodes(ranks_on("aabb"));
const NodeLayout kUneven = layout_of_nodes(ranks_on("aab"));

TEST(WhyNotComposed, is_null_for_eleven_collectives) {
  for (const Collective collective :
       {Collective::barrier, Collective::bcast, Collective::reduce, Collective::allreduce,
        Collective::gather, Collective::scatter, Collective::allgather, Collective::alltoall,
        Collective::reduce_scatter_block, Collective::scan, Collective::exscan})
    EXPECT_EQ(why_not_composed({collective, 8}, kEven, {}), nullptr) << to_text(collective);
  for (const Collective collective : {Collective::reduce_scatter, Collective::gatherv})
    EXPECT_NE(why_not_composed({collective, 8}, kEven, {}), nullptr);
}

TEST(WhyNotComposed, leaves_to_the_mpi_what_uneven_nodes_cannot_do) {
  EXPECT_EQ(why_not_composed({Collective::gather, 8, 2}, kUneven, {}), nullptr);
  EXPECT_STREQ(why_not_composed({Collective::gather, 8, 1}, kUneven, {}),
               "not all nodes have a rank in the root's place");
  EXPECT_EQ(why_not_composed({Collective::bcast, 8, 1}, kUneven, {}), nullptr);
  EXPECT_STREQ(why_not_composed({Collective::alltoall, 8}, kUneven, {}),
               "nodes have different numbers of ranks");
  EXPECT_EQ(why_not_composed({Collective::allgather, 8}, kUneven, {}), nullptr);
}

TEST(WhyNotComposed, leaves_blocks_of_many_nodes_to_the_mpi) {
  const NodeLayout many = layout_of_nodes(ranks_on("abcdefghijklmnopqrsa"));
  EXPECT_EQ(why_not_composed({Collective::allreduce, 8}, many, {}), nullptr);
  EXPECT_NE(why_not_composed({Collective::allgather, 8}, many, {}), nullptr);
}

TEST(WhyNotComposed, names_settings) {
  TeamSettings settings;
  settings.off = 1u << static_cast<unsigned>(Collective::bcast);
  EXPECT_STREQ(why_not_composed({Collective::bcast, 8}, kEven, settings), "TERRACE_OFF");
  EXPECT_EQ(why_not_composed({Collective::reduce, 8}, kEven, settings), nullptr);
  EXPECT_EQ(why_not_composed({Collective::barrier}, kEven, settings), nullptr);
}

TEST(WhyNotComposed, leaves_long_scans_to_the_mpi_unless_they_must_be_reproducible) {
  const std::size_t most = kMostOfAllOperands / kEven.node_of.size();
  EXPECT_EQ(why_not_composed({Collective::scan, most, 0, true}, kEven, {}), nullptr);
  EXPECT_NE(why_not_composed({Collective::scan, most + 1, 0, true}, kEven, {}), nullptr);
  EXPECT_EQ(why_not_composed({Collective::allreduce, most + 1, 0, true}, kEven, {}), nullptr);
  TeamSettings settings;
  settings.is_reproducible = true;
  EXPECT_EQ(why_not_composed({Collective::scan, most + 1, 0, true}, kEven, settings), nullptr);
}

TEST(WhyNotComposed, leaves_what_the_mpi_cannot_count) {
  const std::size_t most = INT_MAX;
  EXPECT_EQ(why_not_composed({Collective::bcast, most}, kEven, {}), nullptr);
  EXPECT_STREQ(why_not_composed({Collective::bcast, most + 1}, kEven, {}), "2 GiB or more");
  EXPECT_STREQ(why_not_composed({Collective::reduce, most + 1}, kEven, {}), "2 GiB or more");
  EXPECT_STREQ(why_not_composed({Collective::allgather, most / 2}, kEven, {}), "2 GiB or more");
  EXPECT_STREQ(why_not_composed({Collective::allreduce, most, 0, true}, kEven, {}),
               "2 GiB or more");
  EXPECT_STREQ(why_not_composed({Collective::reduce_scatter_block, most / 2, 0, true}, kEven, {}),
               "2 GiB or more");
}

/// Shows in which order texts are combined.
class Brackets final : public Combiner {
 public:
  void combine(const void* const* operands, std::size_t operand_count, void* const* targets,
               std::size_t, std::size_t) noexcept override {
    std::string text = *static_cast<const std::string*>(operands[0]);
    for (std::size_t i = 1; i < operand_count; ++i)
      text = "(" + text + *static_cast<const std::string*>(operands[i]) + ")";
    *static_cast<std::string*>(targets[0]) = text;
  }
};

TEST(CombineByRuns, combines_runs_of_neighbours_and_then_their_sums) {
  Brackets brackets;
  Elements one{1, sizeof(std::string)};
  one.combiner = &brackets;
  std::vector<std::string> texts;
  std::vector<const void*> operands;
  for (const char letter : std::string("abcdefghi")) texts.push_back(std::string(1, letter));
  for (const std::string& text : texts) operands.push_back(&text);
  const Hierarchy of_nine = hierarchy_of_runs(9), of_three = hierarchy_of_runs(3);
  ASSERT_EQ(runs_of(of_nine), 2u);
  std::vector<std::string> sums(2);
  std::string sum;
  combine_by_runs(one, of_nine, operands, 1, reinterpret_cast<std::byte*>(sums.data()), &sum);
  EXPECT_EQ(sum, "((((ab)c)d)((((ef)g)h)i))");
  ASSERT_EQ(runs_of(of_three), 1u);
  combine_by_runs(one, of_three, {operands.data(), 3}, 1, nullptr, &sum);
  EXPECT_EQ(sum, "((ab)c)");
}

TEST(FirstDifference, names_the_variable) {
  TeamSettings a, b;
  EXPECT_EQ(first_difference(a, b), "");
  b.trials = TrialSetting::off;
  EXPECT_EQ(first_difference(a, b), "TERRACE_TRIALS");
  b.checks = true;
  EXPECT_EQ(first_difference(a, b), "TERRACE_CHECK");
}

}  // namespace
}  // namespace terrace::preload
