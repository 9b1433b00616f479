// SPDX-License-Identifier: BSD-3-Clause
// Goal: blocks of different length arrive whole where each rank knows the lengths of its own blocks
// alone, whatever the plan, the number of strips, and who is in place. Method: real threads that
// bounce, random lengths with many zeros, little scratch; each element tells whence it came.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <random>
#include <thread>

#include "base/locality.hpp"
#include "engine/team_endpoint.hpp"

namespace terrace {
namespace {

constexpr Rank kMostRanks = 5;
constexpr std::size_t kLittleScratchBytes = 4096;
using Element = std::uint64_t;

/// A call as a bystander knows it, drawn alike by every rank.
struct Scene {
  Collective collective;
  Rank ranks;
  Rank root = 0;
  bool in_place = false;
  std::size_t lengths[kMostRanks][kMostRanks] = {};  ///< of alltoall's blocks, by giver and taker;
                                                     ///< of others' by number, in row 0
  std::size_t longest = 0;

  /// `at_least`: what the longest block counts as.
  Scene(Collective drawn, Rank team, std::mt19937& random, std::size_t at_least = 0)
      : collective(drawn), ranks(team), longest(at_least) {
    if (is_rooted(collective)) root = static_cast<Rank>(random() % ranks);
    in_place = random() % 2 == 0;
    const std::size_t most = at_least > 0 ? at_least - 1 : std::size_t{1} << (random() % 11);
    for (Rank from = 0; from < ranks; ++from)
      for (Rank to = 0; to < ranks; ++to) {
        std::size_t& length = lengths[from][to];
        length = random() % 3 == 0 ? 0 : random() % (most + 1);
        if (in_place && to < from) length = lengths[to][from];
        if (from == 0 || is_alltoall()) longest = std::max(longest, length);
      }
  }
  bool is_alltoall() const { return planned_as(collective) == Collective::alltoall; }
  std::size_t length(Rank rank, Rank block, bool is_input) const {
    if (!is_alltoall()) return lengths[0][block];
    return is_input ? lengths[rank][block] : lengths[block][rank];
  }
  bool gives(Rank rank, Rank block) const {
    const Collective plan = planned_as(collective);
    if (plan == Collective::scatter) return rank == root;
    return plan == Collective::alltoall || plan == Collective::reduce_scatter_block ||
           block == rank;
  }
  bool takes(Rank rank, Rank block) const {
    const Collective plan = planned_as(collective);
    if (plan == Collective::gather) return rank == root;
    return plan == Collective::alltoall || plan == Collective::allgather || block == rank;
  }
  /// What rank `from` gives as block `to`.
  static Element element(Rank from, Rank to, std::size_t i) {
    return from * Element{7919} + to * Element{104729} + i;
  }
  Element right(Rank rank, Rank block, std::size_t i) const {
    const Collective plan = planned_as(collective);
    if (plan == Collective::scatter) return element(root, rank, i);
    return plan == Collective::alltoall ? element(block, rank, i) : element(block, block, i);
  }
};

/// The blocks of a buffer, apart from each other by something that must stay.
class Buffer {
 public:
  Buffer(const Scene& scene, Rank rank, bool is_input) {
    std::size_t total = 1;
    for (Rank block = 0; block < scene.ranks; ++block)
      total += scene.length(rank, block, is_input) + 1;
    elements_.assign(total, kGap);
    Element* at = elements_.data() + 1;
    for (Rank block = 0; block < scene.ranks; ++block) {
      const std::size_t length = scene.length(rank, block, is_input);
      table_.push_back({reinterpret_cast<std::byte*>(at), length * sizeof(Element)});
      at += length + 1;
    }
  }
  Element* block(Rank number) { return reinterpret_cast<Element*>(table_[number].at); }
  std::size_t length(Rank number) const { return table_[number].bytes / sizeof(Element); }
  bool is_framed(Rank number) {
    return block(number)[-1] == kGap && block(number)[length(number)] == kGap;
  }
  const Block* table() const { return table_.data(); }

 private:
  static constexpr Element kGap = ~Element{0};
  std::vector<Element> elements_;
  std::vector<Block> table_;
};

/// Tables at another place in each call of this thread.
const BlockTables& new_tables(const Buffer& input, const Buffer& output) {
  thread_local std::deque<BlockTables> all;
  return all.emplace_back(BlockTables{input.table(), output.table()});
}

/// A rank's share of a call; whether its blocks are right afterwards.
bool play(TeamEndpoint& endpoint, const Scene& scene) {
  const Rank rank = endpoint.rank();
  Buffer first(scene, rank, true), second(scene, rank, false);
  Buffer& output = scene.in_place ? first : second;
  for (Rank block = 0; block < scene.ranks; ++block)
    for (std::size_t i = 0; i < first.length(block) && scene.gives(rank, block); ++i)
      first.block(block)[i] = Scene::element(rank, block, i);
  if (!endpoint.move_blocks(scene.collective, new_tables(first, output),
                            scene.longest * sizeof(Element), scene.root))
    return false;
  bool is_right = true;
  for (Rank block = 0; block < scene.ranks; ++block) {
    is_right &= first.is_framed(block) && second.is_framed(block);
    for (std::size_t i = 0; i < output.length(block) && scene.takes(rank, block); ++i)
      is_right &= output.block(block)[i] == scene.right(rank, block, i);
  }
  return is_right;
}

bool play_reduction(TeamEndpoint& endpoint, const Scene& scene) {
  const Rank rank = endpoint.rank();
  Buffer input(scene, rank, true), output(scene, rank, false);
  for (Rank block = 0; block < scene.ranks; ++block)
    for (std::size_t i = 0; i < input.length(block); ++i)
      input.block(block)[i] = Scene::element(rank, block, i);
  const Elements elements{scene.longest, sizeof(Element),
                          find_reduction(Type::uint64, Operator::sum)};
  if (!endpoint.reduce_scatter(input.table(), output.table()[rank], elements)) return false;
  bool is_right = output.is_framed(rank);
  for (std::size_t i = 0; i < output.length(rank); ++i) {
    Element sum = 0;
    for (Rank from = 0; from < scene.ranks; ++from) sum += Scene::element(from, rank, i);
    is_right &= output.block(rank)[i] == sum;
  }
  return is_right;
}

/// Ranks in two packages, in turns: neighbours are in different ones.
Hierarchy two_packages(Rank ranks) {
  std::vector<Locality> localities;
  for (Rank rank = 0; rank < ranks; ++rank)
    localities.push_back(locality_from_text("node:0/package:" + std::to_string(rank % 2) +
                                            "/core:" + std::to_string(rank))
                             .value());
  return hierarchy_of(localities);
}

/// How many of a team's random calls are wrong at some rank, run by one algorithm.
int wrong_calls(Collective collective, const Hierarchy& hierarchy, std::string_view algorithm,
                int calls) {
  const Rank ranks = hierarchy.rank_count();
  ThreadMemory memory(ranks, kLittleScratchBytes);
  PlanCache plan_cache(hierarchy);
  for (const RankMemory& rank : memory.memory().ranks) prepare(rank, 0);
  std::vector<int> wrong(ranks);
  std::vector<std::thread> threads;
  for (Rank rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&, rank] {
      WaitEnvironment wait_environment;
      EndpointOptions options;
      options.traits.ranks = ranks;
      options.waiting.spins = 10;
      options.wait_environment = &wait_environment;
      options.forced = Choice{};
      options.forced->algorithm = algorithm;
      options.forced->strip_bytes = 512;
      TeamEndpoint endpoint(memory.memory(), rank, plan_cache, options);
      std::mt19937 random(ranks);
      std::size_t longest = 0;
      for (int call = 0; call < calls; ++call) {
        // A call that is prepared for blocks of some lengths serves others, too.
        const Scene scene(collective, ranks, random, call % 3 == 0 ? 0 : longest);
        longest = scene.longest;
        if (scene.longest == 0) continue;
        wrong[rank] += collective == Collective::reduce_scatter ? !play_reduction(endpoint, scene)
                                                                : !play(endpoint, scene);
      }
    });
  for (std::thread& thread : threads) thread.join();
  return *std::max_element(wrong.begin(), wrong.end());
}

class Complaints final : public WaitEnvironment {
 public:
  void mismatched(const CallMismatch&) noexcept override { ++count; }
  int count = 0;
};

TEST(VectorMismatch, is_noticed_where_a_call_like_it_was_prepared_before) {
  constexpr Rank kRanks = 2;
  const Hierarchy hierarchy = flat_hierarchy(kRanks);
  ThreadMemory memory(kRanks, kLittleScratchBytes);
  PlanCache plan_cache(hierarchy);
  for (const RankMemory& rank : memory.memory().ranks) prepare(rank, 0);
  std::array<int, kRanks> right{}, complaints{};
  std::vector<std::thread> threads;
  for (Rank rank = 0; rank < kRanks; ++rank)
    threads.emplace_back([&, rank] {
      Complaints environment;
      EndpointOptions options;
      options.traits.ranks = kRanks;
      options.wait_environment = &environment;
      TeamEndpoint endpoint(memory.memory(), rank, plan_cache, options);
      std::array<std::byte, 16> given{}, taken{};
      // Twice the ranks know the same lengths; then rank 1 thinks that block 0 is shorter.
      for (const std::size_t of_rank_0 :
           {std::size_t{8}, std::size_t{8}, std::size_t{8 - 4 * rank}}) {
        const std::array<Block, kRanks> inputs{{{given.data(), of_rank_0}, {given.data(), 8}}};
        const std::array<Block, kRanks> outputs{{{taken.data(), of_rank_0}, {taken.data() + 8, 8}}};
        right[rank] +=
            endpoint.move_blocks(Collective::allgatherv, {inputs.data(), outputs.data()}, 8, 0);
      }
      complaints[rank] = environment.count;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ((std::array{2, 2}), right);
  EXPECT_EQ((std::array{1, 1}), complaints);
}

class Vector : public testing::TestWithParam<Collective> {};

TEST_P(Vector, blocks_arrive_whole_by_every_plan) {
  for (const Algorithm& row : algorithms())
    for (Rank ranks = 2; ranks <= kMostRanks && row.collective == planned_as(GetParam()); ++ranks)
      for (const Hierarchy& hierarchy : {flat_hierarchy(ranks), two_packages(ranks)})
        EXPECT_EQ(0, wrong_calls(GetParam(), hierarchy, row.name, 40))
            << row.name << ", " << to_text(hierarchy);
}

INSTANTIATE_TEST_SUITE_P(Of, Vector,
                         testing::Values(Collective::allgatherv, Collective::gatherv,
                                         Collective::scatterv, Collective::alltoallv,
                                         Collective::alltoallw, Collective::reduce_scatter),
                         [](const auto& one) { return std::string(to_text(one.param)); });

/// Each collective has a plan for teams of any shape in which ranks need to know no more.
TEST(VectorPlans, are_there_for_all) {
  for (const Collective collective :
       {Collective::allgather, Collective::gather, Collective::scatter, Collective::alltoall,
        Collective::reduce_scatter_block})
    for (Rank ranks = 1; ranks <= kMostRanks; ++ranks) {
      const Hierarchy flat = flat_hierarchy(ranks);
      const auto runs = [&](const Algorithm& row) {
        return row.collective == collective && runs_vector(row.write({flat, 0, 8}));
      };
      EXPECT_TRUE(std::any_of(algorithms().begin(), algorithms().end(), runs))
          << to_text(collective);
    }
}

/// Agreeing: the root's word, or the greatest.
TEST(VectorRanks, agree_on_a_word) {
  ThreadMemory memory(2, kLittleScratchBytes);
  PlanCache plan_cache(flat_hierarchy(2));
  for (const RankMemory& rank : memory.memory().ranks) prepare(rank, 0);
  std::uint64_t words[2][2];
  const auto play_both = [&](Rank rank) {
    WaitEnvironment wait_environment;
    EndpointOptions options;
    options.traits.ranks = 2;
    options.wait_environment = &wait_environment;
    TeamEndpoint endpoint(memory.memory(), rank, plan_cache, options);
    words[rank][0] = words[rank][1] = 10 + rank;
    endpoint.agree(Collective::gatherv, words[rank][0], 0);
    endpoint.agree(Collective::alltoallv, words[rank][1], 0);
  };
  std::thread other(play_both, 1);
  play_both(0);
  other.join();
  EXPECT_EQ(10u, words[1][0]);
  EXPECT_EQ(10u, words[0][0]);
  EXPECT_EQ(11u, words[0][1]);
  EXPECT_EQ(11u, words[1][1]);
}

}  // namespace
}  // namespace terrace
