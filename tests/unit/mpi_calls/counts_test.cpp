// SPDX-License-Identifier: BSD-3-Clause
// Goal: counts of int and of MPI_Count are read as what they are.
#include "mpi_calls/counts.hpp"

#include <gtest/gtest.h>

namespace terrace {
namespace {

TEST(MpiCounts, are_read_in_the_width_they_have) {
  const int narrow[] = {3, -1};
  const std::int64_t wide[] = {std::int64_t{1} << 40, -1};
  const MpiCounts from_narrow(narrow), from_wide(wide);
  EXPECT_EQ(from_narrow[0], 3);
  EXPECT_EQ(from_narrow[1], -1);
  EXPECT_EQ(from_wide[0], std::int64_t{1} << 40);
  EXPECT_EQ(from_wide[1], -1);
}

TEST(MpiCounts, may_be_none) {
  const int none = 0;
  EXPECT_FALSE(MpiCounts());
  EXPECT_FALSE(MpiCounts(static_cast<const int*>(nullptr)));
  EXPECT_TRUE(MpiCounts(&none));
}

}  // namespace
}  // namespace terrace
