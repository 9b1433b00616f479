// SPDX-License-Identifier: BSD-3-Clause
// The least scratch has room for a strip of every plan that is chosen, whatever the team is like.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/team_endpoint.hpp"
#include "execute/call.hpp"
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

class Scratch : public testing::TestWithParam<Rank> {};

// Goal: whatever is chosen fits. Method: a rank of a team with as little scratch as any has asks
// for each collective, in teams of every kind.
TEST_P(Scratch, has_room_for_whatever_is_chosen) {
  const Rank ranks = GetParam();
  const ThreadMemory memory(ranks, least_scratch_bytes(ranks));
  for (const RankMemory& rank : memory.memory().ranks) prepare(rank, 0);
  for (const Hierarchy& hierarchy : {flat_hierarchy(ranks), domains_of_16(ranks)})
    for (int kind = 0; kind<16; kind += ranks> 16 ? 5 : 1) {
      PlanCache plan_cache(hierarchy);
      EndpointOptions options;
      options.traits = {ranks, (kind & 1) != 0, (kind & 2) != 0 ? 2u : 0u, (kind & 4) != 0};
      if (options.traits.can_be_direct) options.reach = Reach::direct;
      options.is_reproducible = (kind & 8) != 0;
      TeamEndpoint endpoint(memory.memory(), 0, plan_cache, options);
      for (std::uint32_t number = 0; number < kCollectiveCount; ++number)
        for (const std::size_t bytes : {8u, 1024u, 262144u, 67108864u}) {
          const auto collective = static_cast<Collective>(number);
          EXPECT_TRUE(endpoint.has_room_for(collective, {bytes, 1, nullptr, false, nullptr}, 0))
              << to_text(collective) << " of " << bytes << " bytes, team " << kind;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Ranks, Scratch, testing::Values(Rank{2}, Rank{9}, Rank{66}));

}  // namespace
}  // namespace terrace
