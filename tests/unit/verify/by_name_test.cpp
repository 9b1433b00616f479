// SPDX-License-Identifier: BSD-3-Clause
// The algorithms that are there by name only, the papers' and others, proved on every machine
// shape, several nodes among them. `sweep_test.cpp` and the triples of calls leave them out, to
// save time.
#include <gtest/gtest.h>

#include <array>

#include "unit/verify/sweep.hpp"
#include "verify/sequences.hpp"
#include "verify/verify.hpp"

namespace terrace {
namespace {

using testing_plans::Case;
using testing_plans::for_each_plan;
using testing_plans::most_ranks;
using testing_plans::options_of;

void expect_proved(const Case& one) {
  const Plan& plan = one.lowered;
  const Postcondition promise = postcondition(*one.algorithm, plan.ranks, one.root);
  const auto proof = verify(plan, promise, options_of(one));
  ASSERT_TRUE(proof) << one.name << "\n" << proof.error().sentence << "\n" << to_text(one.written);
  const auto agreed = verify_contracts(plan, contracts_of(plan), options_of(one));
  EXPECT_TRUE(agreed) << one.name << "\n" << agreed.error().sentence;
}

TEST(AlgorithmsByName, are_proved_on_every_shape_with_every_root) {
  std::size_t with_messages = 0;
  for (Rank ranks = 1; ranks <= most_ranks(6); ++ranks)
    for_each_plan(
        ranks, {8, 2},
        [&](const Case& one) {
          with_messages += one.lowered.has_messages();
          expect_proved(one);
        },
        algorithms_by_name());
  EXPECT_GT(with_messages, 300u);
}

/// Two packages or two nodes, as the papers' machines; roots in the middle.
Hierarchy machine_of(Rank ranks, Rank per_package, Rank per_node) {
  std::vector<Locality> localities;
  for (std::uint64_t rank = 0; rank < ranks; ++rank)
    localities.push_back({{{"node", rank / per_node},
                           {"package", rank % per_node / per_package},
                           {"core", rank % per_node}}});
  return hierarchy_of(localities);
}

TEST(AlgorithmsByName, are_proved_on_the_papers_machines) {
  std::set<std::string> seen;
  for (const auto& [ranks, per_package, per_node] : {std::array<Rank, 3>{9, 3, 9},
                                                     {12, 6, 12},
                                                     {12, 3, 6},
                                                     {16, 2, 4},
                                                     {20, 2, 4},
                                                     {32, 8, 32}}) {
    // Builds that watch each access are asked for fewer ranks; these go with them.
    if (most_ranks(6) < 6 && ranks > 12) continue;
    const Hierarchy hierarchy = machine_of(ranks, per_package, per_node);
    for (const Algorithm& row : algorithms_by_name())
      for (const Rank root : {0u, ranks / 2 + 1}) {
        if (root != 0 && (ranks > 20 || !is_rooted(row.collective))) continue;
        testing_plans::lower_all_ways(row, {hierarchy, root, 2}, std::string(row.name), seen,
                                      expect_proved);
      }
  }
}

/// What a row says of its bits is true: elsewhere all ranks would have to combine alike.
TEST(AlgorithmsByName, say_whether_all_ranks_get_the_same_bits) {
  for (const Algorithm& row : algorithms_by_name()) {
    if (row.collective != Collective::allreduce) continue;
    const Plan plan = lower(row.write({flat_hierarchy(8), 0, 2}), Lowering::owner).value();
    const auto proof = verify(plan, postcondition(row.collective, 8, 0));
    EXPECT_EQ(proof.ok(), row.bits != Bits::different) << row.name;
    if (!proof) {
      EXPECT_NE(proof.error().sentence.find("which rounds differently"), std::string::npos);
    }
  }
}

TEST(AlgorithmsByName, are_found_by_name_beside_the_others) {
  std::set<std::string_view> names;
  for (const auto table : {algorithms(), algorithms_by_name()})
    for (const Algorithm& row : table) {
      EXPECT_TRUE(names.insert(row.name).second) << row.name;
      EXPECT_TRUE(row.name.starts_with(std::string(to_text(row.collective)) + ".")) << row.name;
      EXPECT_EQ(find_algorithm(row.name), &row);
      const Plan plan = row.write({flat_hierarchy(5), 3, 2});
      EXPECT_EQ(lower(plan, Lowering::lines).ok(), row.fits_lines) << row.name;
      EXPECT_TRUE(lower(plan, Lowering::owner)) << row.name;
      const bool is_barrier = row.collective == Collective::barrier;
      EXPECT_TRUE(is_barrier || plan.name == row.name) << plan.name;
    }
}

TEST(AlgorithmsByName, fit_a_ring_of_16_lines_at_any_number_of_ranks) {
  for (const Rank ranks : {2u, 17u, 128u})
    for (const Algorithm& row : algorithms_by_name()) {
      if (!row.fits_lines || has_block_per_rank(row.collective)) continue;
      const auto plan = lower(row.write({flat_hierarchy(ranks), ranks / 2, 2}), Lowering::lines);
      ASSERT_TRUE(plan) << plan.error().sentence;
      EXPECT_LE(plan.value().lines, 16) << row.name << ", " << ranks << " ranks";
    }
}

/// Derived waits are minimal for them, too, those of ranks for their own messages included; of
/// those that only one reach needs, a few are implied by others of that kind.
TEST(AlgorithmsByName, need_every_single_wait) {
  std::size_t dropped = 0, own = 0;
  for (const Rank ranks : {2u, 3u, 5u})
    for_each_plan(
        ranks, {2},
        [&](const Case& one) {
          if (one.root > 1) return;
          const Postcondition promise = postcondition(*one.algorithm, ranks, one.root);
          Plan plan = one.lowered;
          for (auto* steps : {&plan.body, &plan.closing})
            for (Step& step : *steps)
              for (std::size_t w = 0; w < step.waits.size(); ++w) {
                const Wait wait = step.waits[w];
                if (wait.when != When::always) continue;
                step.waits.erase(step.waits.begin() + static_cast<std::ptrdiff_t>(w));
                ++dropped;
                own += wait.rank == step.by;
                EXPECT_FALSE(verify(plan, promise, options_of(one)))
                    << one.name << ", without the wait for rank " << wait.rank << "\n"
                    << to_text(step, plan) << "\nin\n"
                    << to_text(one.lowered);
                step.waits.insert(step.waits.begin() + static_cast<std::ptrdiff_t>(w), wait);
              }
        },
        algorithms_by_name());
  EXPECT_GT(dropped, 1000u);
  EXPECT_GT(own, 100u);
}

/// Halves that are swapped, or sent without a receiver, never pass.
TEST(AlgorithmsByName, need_every_half_of_every_message) {
  std::size_t tried = 0;
  for (const Rank ranks : {3u, 4u})
    for_each_plan(
        ranks, {2},
        [&](const Case& one) {
          for (std::size_t i = 0; i < one.lowered.body.size(); ++i) {
            if (!is_half_of_message(one.lowered.body[i].kind) || one.root != 0) continue;
            Plan plan = one.lowered;
            plan.body[i].kind = StepKind::hold;  // keeps the numbers of steps
            plan.body[i].from.clear();
            plan.body[i].to.clear();
            ++tried;
            EXPECT_FALSE(verify(plan, postcondition(*one.algorithm, ranks, 0))) << one.name;
          }
        },
        algorithms_by_name());
  EXPECT_GT(tried, 100u);
}

}  // namespace
}  // namespace terrace
