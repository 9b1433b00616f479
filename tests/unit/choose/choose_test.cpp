// SPDX-License-Identifier: BSD-3-Clause
// Whatever is asked, an algorithm of the table for that very collective is chosen.
#include "choose/choose.hpp"

#include <gtest/gtest.h>

#include <set>

namespace terrace {
namespace {

TEST(Choose, names_an_algorithm_of_the_table_for_every_question) {
  std::set<std::string_view> chosen;
  for (std::uint32_t number = 0; number < kCollectiveCount; ++number)
    for (const std::size_t bytes : {0, 8, 1 << 10, 3 << 10, 1 << 14, 1 << 18, 1 << 22, 1 << 26})
      for (const Rank ranks : {2u, 65u})
        for (const bool direct : {false, true})
          for (const bool crowded : {false, true}) {
            const auto collective = planned_as(static_cast<Collective>(number));
            const Choice choice =
                choose({collective, bytes, Order::by_machine}, {ranks, direct, crowded});
            const Algorithm* row = find_algorithm(choice.algorithm);
            ASSERT_NE(row, nullptr) << to_text(collective) << ": " << choice.algorithm;
            EXPECT_EQ(row->collective, collective);
            EXPECT_GE(choice.radix, crowded ? ranks : 2u);
            chosen.insert(row->name);
          }
  EXPECT_GT(chosen.size(), 15u);
}

}  // namespace
}  // namespace terrace
