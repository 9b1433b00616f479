// SPDX-License-Identifier: BSD-3-Clause
// The least scratch has room for a strip of every plan that is chosen, whatever the team is like.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "choose/choose.hpp"
#include "execute/call.hpp"
#include "plan/lower.hpp"
#include "plan/part.hpp"
#include "team/memory.hpp"

namespace terrace {
namespace {

/// Domains of 16 ranks, as large nodes have them.
Hierarchy domains_of_16(Rank ranks) {
  Hierarchy hierarchy = flat_hierarchy(ranks);
  for (Rank first = 0; ranks > 16 && first < ranks; first += 16) {
    Group domain{"l3", first / 16, {}, {}};
    for (Rank rank = first; rank < std::min(first + 16, ranks); ++rank)
      domain.ranks.push_back(rank);
    hierarchy.all.children.push_back(std::move(domain));
  }
  return hierarchy;
}

std::vector<Choice> all_choices(Rank ranks) {
  std::vector<Choice> choices;
  for (std::uint32_t number = 0; number < kCollectiveCount; ++number) {
    const auto collective = static_cast<Collective>(number);
    if (is_uneven(collective)) continue;
    for (const std::size_t bytes : {128u, 1024u, 2048u, 8192u, 65536u, 262144u, 67108864u})
      for (const Order order : {Order::by_machine, Order::by_rank, Order::by_count})
        for (int traits = 0; traits < 8; ++traits)
          choices.push_back(
              choose({collective, bytes, order},
                     {ranks, (traits & 1) != 0, (traits & 2) != 0, (traits & 4) != 0}));
  }
  return choices;
}

class Scratch : public testing::TestWithParam<Rank> {};

TEST_P(Scratch, has_room_for_a_line_pair_of_each_block) {
  const Rank ranks = GetParam();
  std::set<std::string> seen;
  for (const Hierarchy& hierarchy : {flat_hierarchy(ranks), domains_of_16(ranks)})
    for (const Choice& choice : all_choices(ranks)) {
      const Algorithm& row = *find_algorithm(choice.algorithm);
      const std::string name = std::string(row.name) + ", ring " + std::to_string(choice.ring) +
                               ", radix " + std::to_string(choice.radix) +
                               (hierarchy.all.children.empty() ? "" : ", in domains");
      if (!row.fits_long || !seen.insert(name).second) continue;
      const auto plan =
          lower(row.write({hierarchy, 0, choice.radix}), Lowering::owner, choice.ring);
      ASSERT_TRUE(plan) << name << ": " << plan.error().sentence;
      const Part part = part_of(plan.value(), 0);
      EXPECT_LE(blocks_per_slot(part, false) * part.ring * kLinePairBytes,
                least_scratch_bytes(ranks))
          << name;
    }
  EXPECT_GT(seen.size(), 10u);
}

INSTANTIATE_TEST_SUITE_P(Ranks, Scratch, testing::Values(Rank{2}, Rank{9}, Rank{66}));

}  // namespace
}  // namespace terrace
