// SPDX-License-Identifier: BSD-3-Clause
// Whatever happens to a rank that asks where it is, it has something to tell the others.
#include "communicators/placement.hpp"

#include <gtest/gtest.h>

#include <new>

namespace terrace::communicators {
namespace {

TEST(NodePlacement, are_trouble_where_memory_runs_out) {
  const Environment without_memory = [](const std::string& name) -> std::optional<std::string> {
    if (name == "TERRACE_NETWORK") throw std::bad_alloc();
    return std::nullopt;
  };
  const NodePlacement own = own_placement(without_memory, 3, 4);
  EXPECT_EQ(own.trouble, "memory ran out");
  EXPECT_EQ(own.who.substr(0, 10), "rank 3 on ");
  EXPECT_EQ(own.locality, Locality{});
  EXPECT_EQ(own.host, own_placement(process_environment(), 0, 1).host);
}

}  // namespace
}  // namespace terrace::communicators
