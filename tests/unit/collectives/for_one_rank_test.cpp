// SPDX-License-Identifier: BSD-3-Clause
// Goal: a plan that is lowered for one rank alone gives that rank the very part that it has in the
// whole plan. Method: both for all algorithms, on shapes of 2 to 40 ranks, where whole plans are
// cheap, and among more ranks than ever have whole ones.
#include <gtest/gtest.h>

#include <algorithm>

#include "collectives/collectives.hpp"
#include "plan/lower.hpp"
#include "plan/rank_program.hpp"

namespace terrace {
namespace {

constexpr std::uint32_t kLines = 16;

/// Packages of four ranks, every other one with one rank less.
Hierarchy uneven_packages(Rank ranks) {
  std::vector<Locality> localities;
  for (std::uint64_t rank = 0; rank < ranks; ++rank)
    localities.push_back({{{"node", 0}, {"package", rank % 7 / 4 + rank / 7 * 2}, {"core", rank}}});
  return hierarchy_of(localities);
}

/// The whole plan; nothing where it cannot be lowered so, or needs more lines than there are.
std::optional<Plan> whole(const Plan& written, Lowering lowering, std::uint32_t pockets) {
  Result<Plan> lowered = lower(written, lowering, 2, pockets);
  if (!lowered || lowered.value().lines > kLines) return std::nullopt;
  derive_waits_by_pairs(lowered.value());
  return std::move(lowered).value();
}

/// Of some ranks. How many parts were compared.
std::size_t compare(const Plan& written, Lowering lowering, std::uint32_t pockets,
                    const std::vector<Rank>& ranks) {
  const std::optional<Plan> all = whole(written, lowering, pockets);
  const std::vector<RankProgram> parts = all ? programs_of(*all) : std::vector<RankProgram>();
  for (const Rank rank : ranks) {
    const auto own = lower_for(rank, written, lowering, 2, pockets, kLines);
    EXPECT_EQ(own.ok(), all.has_value()) << written.name << ", rank " << rank;
    if (!own || !all) continue;
    EXPECT_EQ(program_of(own.value(), rank), parts[rank])
        << written.name << ", " << written.ranks << " ranks, rank " << rank << ", "
        << (lowering == Lowering::lines ? "lines" : "owner") << ", " << pockets << " pockets";
  }
  return all ? ranks.size() : 0;
}

std::size_t compare_algorithms(std::span<const Algorithm> rows, const Hierarchy& hierarchy,
                               const std::vector<Rank>& ranks) {
  const Rank count = hierarchy.rank_count();
  std::size_t compared = 0;
  for (const Algorithm& row : rows)
    for (const Rank root : {Rank{0}, count / 3}) {
      if (root != 0 && !is_rooted(row.collective)) continue;
      const Plan written = row.write({hierarchy, root, 3});
      if (written.has_messages()) continue;
      if (row.fits_lines) compared += compare(written, Lowering::lines, 1, ranks);
      if (row.fits_lines && has_block_per_rank(row.collective))
        compared += compare(written, Lowering::lines, 5, ranks);
      compared += compare(written, Lowering::owner, 1, ranks);
    }
  return compared;
}

std::vector<Rank> all_of(Rank ranks) {
  std::vector<Rank> all;
  for (Rank rank = 0; rank < ranks; ++rank) all.push_back(rank);
  return all;
}

TEST(ForOneRank, a_plan_gives_the_part_that_the_whole_one_does) {
  std::size_t compared = 0;
  for (Rank ranks = 2; ranks <= 10; ++ranks)
    for (const auto& rows : {algorithms(), algorithms_by_name()}) {
      compared += compare_algorithms(rows, flat_hierarchy(ranks), all_of(ranks));
      compared += compare_algorithms(rows, uneven_packages(ranks), all_of(ranks));
    }
  EXPECT_GT(compared, 15000u);
}

TEST(ForOneRank, a_plan_gives_the_part_that_the_whole_one_does_for_up_to_40_ranks) {
  for (const Rank ranks : {13u, 24u, 40u})
    for (const Hierarchy& hierarchy : {flat_hierarchy(ranks), uneven_packages(ranks)})
      compare_algorithms(algorithms(), hierarchy, {0, 1, ranks / 2, ranks - 1});
}

/// Here `lower` derives waits by pairs itself.
TEST(ForOneRank, a_plan_gives_the_part_that_the_whole_one_does_for_144_ranks) {
  const Hierarchy hierarchy = uneven_packages(144);
  for (const Algorithm& row : algorithms())
    for (const Lowering lowering : {Lowering::lines, Lowering::owner}) {
      if (has_block_per_rank(row.collective) && lowering == Lowering::lines) continue;
      const Plan written = row.write({hierarchy, 5, 8});
      const Result<Plan> all = lower(written, lowering);
      if (!all) continue;
      EXPECT_TRUE(all.value().waits_by_pairs);
      for (const Rank rank : {5u, 100u}) {
        const auto own = lower_for(rank, written, lowering, 2, 1, kLines);
        ASSERT_TRUE(own) << own.error().sentence;
        EXPECT_EQ(program_of(own.value(), rank), program_of(all.value(), rank)) << row.name;
      }
    }
}

/// The readers of so many lines are not all kept account of at once.
TEST(ForOneRank, contracts_of_1024_ranks_are_those_of_each) {
  const Plan written = find_algorithm("scatter.flat")->write({flat_hierarchy(1024), 700, 8});
  const Result<Plan> all = lower(written, Lowering::lines, 2, 17);
  ASSERT_TRUE(all);
  const std::vector<CallContract> contracts = contracts_of(all.value());
  ASSERT_EQ(contracts.size(), 1024u);
  for (const Rank rank : {0u, 131u, 132u, 700u, 1023u})
    EXPECT_EQ(contracts[rank], contract_of(all.value(), rank)) << rank;
  ASSERT_EQ(contracts[700].line_readers.size(), 61u);
  EXPECT_EQ(contracts[700].line_readers[60].size(), 3u);
}

TEST(ForOneRank, a_plan_for_all_ranks_of_too_many_lines_is_refused) {
  const Plan written = find_algorithm("scatter.flat")->write({flat_hierarchy(40), 0, 8});
  EXPECT_EQ(lower(written, Lowering::lines, 2, 1, 38).error().code, ErrorCode::unsupported);
  EXPECT_TRUE(lower(written, Lowering::lines, 2, 1, 39));
}

TEST(ForOneRank, plans_of_up_to_128_ranks_are_derived_together) {
  for (const Rank ranks : {128u, 129u}) {
    const auto plan = lower(find_algorithm("allreduce.tree")->write({flat_hierarchy(ranks), 0, 8}),
                            Lowering::owner);
    ASSERT_TRUE(plan);
    EXPECT_EQ(plan.value().waits_by_pairs, ranks > kMostRanksTogether) << ranks;
  }
}

TEST(ForOneRank, a_plan_of_too_many_lines_is_refused) {
  const Plan written = find_algorithm("scatter.flat")->write({flat_hierarchy(40), 0, 8});
  EXPECT_EQ(lower_for(3, written, Lowering::lines, 2, 1, kLines).error().code,
            ErrorCode::unsupported);
  EXPECT_TRUE(lower_for(3, written, Lowering::lines, 2, 3, kLines));
}

}  // namespace
}  // namespace terrace
