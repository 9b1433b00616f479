// SPDX-License-Identifier: BSD-3-Clause
// Goal: the rules of MPI on blocks and in-place buffers, collective by collective and rank by rank,
// as the chapter on collectives has them.
#include "mpi_calls/buffers_and_in_place.hpp"

#include <gtest/gtest.h>

namespace terrace {
namespace {

constexpr Rank kRanks = 3, kRoot = 1;

RankInCall rank_in(Collective collective, Rank rank) {
  return {collective, kRanks, rank, kRoot};
}

struct Expected {
  BlockNumbers inputs, outputs;
  bool may_give_in_place, may_take_in_place;
};

void expect_blocks(Collective collective, Rank rank, const Expected& expected) {
  const RankInCall who = rank_in(collective, rank);
  const MovedBlocks plain(who, false, false), given(who, true, false), taken(who, false, true);
  SCOPED_TRACE(to_text(collective) + std::string(" at rank ") + std::to_string(rank));
  EXPECT_EQ(plain.inputs, expected.inputs);
  EXPECT_EQ(plain.outputs, expected.outputs);
  EXPECT_TRUE(plain.is_allowed && !plain.is_input_in_place && !plain.is_output_in_place);
  EXPECT_EQ(plain.own_inputs(), plain.inputs);
  EXPECT_EQ(plain.own_outputs(), plain.outputs);
  // What a rank does not look at may be anything, also MPI_IN_PLACE.
  EXPECT_EQ(given.is_allowed, expected.may_give_in_place || expected.inputs.count == 0);
  EXPECT_EQ(given.is_input_in_place, expected.inputs.count > 0);
  EXPECT_EQ(given.own_inputs().count, 0u);
  EXPECT_EQ(given.own_outputs(), given.outputs);
  EXPECT_EQ(taken.is_allowed, expected.may_take_in_place || expected.outputs.count == 0);
  EXPECT_EQ(taken.own_outputs().count, 0u);
}

TEST(BlockRules, each_rank_of_an_allgather_brings_its_own_block_and_gets_all) {
  for (const Collective collective : {Collective::allgather, Collective::allgatherv})
    for (Rank rank = 0; rank < kRanks; ++rank)
      expect_blocks(collective, rank, {{rank, 1}, {0, kRanks}, true, false});
}

TEST(BlockRules, the_root_of_a_gather_alone_gets_blocks_and_may_be_in_place) {
  for (const Collective collective : {Collective::gather, Collective::gatherv})
    for (Rank rank = 0; rank < kRanks; ++rank) {
      const bool is_root = rank == kRoot;
      expect_blocks(collective, rank, {{rank, 1}, {0, is_root ? kRanks : 0}, is_root, false});
    }
}

TEST(BlockRules, the_root_of_a_scatter_alone_brings_blocks_and_may_take_its_own_in_place) {
  for (const Collective collective : {Collective::scatter, Collective::scatterv})
    for (Rank rank = 0; rank < kRanks; ++rank) {
      const bool is_root = rank == kRoot;
      expect_blocks(collective, rank, {{0, is_root ? kRanks : 0}, {rank, 1}, false, is_root});
    }
}

TEST(BlockRules, each_rank_of_an_alltoall_brings_and_gets_a_block_for_each) {
  for (const Collective collective :
       {Collective::alltoall, Collective::alltoallv, Collective::alltoallw})
    for (Rank rank = 0; rank < kRanks; ++rank)
      expect_blocks(collective, rank, {{0, kRanks}, {0, kRanks}, true, false});
}

TEST(BlockRules, all_get_a_result_but_beside_a_root_and_before_the_second_rank_of_an_exscan) {
  for (Rank rank = 0; rank < kRanks; ++rank) {
    EXPECT_EQ(gets_result(rank_in(Collective::reduce, rank)), rank == kRoot);
    EXPECT_EQ(gets_result(rank_in(Collective::exscan, rank)), rank > 0);
    for (const Collective collective :
         {Collective::allreduce, Collective::scan, Collective::reduce_scatter_block})
      EXPECT_TRUE(gets_result(rank_in(collective, rank)));
  }
}

TEST(BlockRules, a_reduce_scatter_takes_a_block_for_each_rank_and_others_a_vector) {
  EXPECT_EQ(operand_blocks(rank_in(Collective::reduce_scatter_block, 0)), kRanks);
  EXPECT_EQ(operand_blocks(rank_in(Collective::allreduce, 0)), 1u);
  EXPECT_EQ(operand_blocks(rank_in(Collective::reduce, 0)), 1u);
}

}  // namespace
}  // namespace terrace
