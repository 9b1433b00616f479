// SPDX-License-Identifier: BSD-3-Clause
// Ways are tried, compared, and kept to.
#include "api/pulling.hpp"

#include <gtest/gtest.h>

namespace terrace {
namespace {

/// The times of one rank's trials, as its clock had them; what it then tells the others.
Pulling tried(std::uint64_t bounced_ns, std::uint64_t pulled_ns) {
  Pulling pulling;
  std::uint64_t calls[2] = {};
  while (!pulling.is_due()) {
    const bool pulls = pulling.pulls();
    EXPECT_FALSE(pulling.is_settled());
    // The first touches memory; the fourth is disturbed.
    const bool is_slow = calls[pulls] == 0 || calls[pulls] == 3;
    ++calls[pulls];
    pulling.took(is_slow ? 1'000'000 : pulls ? pulled_ns : bounced_ns);
  }
  EXPECT_EQ(calls[0], calls[1]);
  return pulling;
}

TEST(Pulling, tries_both_ways_and_takes_the_usual_time) {
  const Pulling pulling = tried(100, 80);
  EXPECT_EQ(pulling.usual_ns(false), 100u);
  EXPECT_EQ(pulling.usual_ns(true), 80u);
}

TEST(Pulling, is_kept_to_where_it_was_clearly_faster) {
  struct Case {
    std::uint64_t bounced_ns, pulled_ns;
    bool pays;
  };
  for (const Case& one : {Case{100, 80, true}, Case{100, 95, false}, Case{100, 120, false}}) {
    Pulling pulling = tried(one.bounced_ns, one.pulled_ns);
    pulling.settle(one.bounced_ns, one.pulled_ns);
    EXPECT_TRUE(pulling.is_settled());
    EXPECT_EQ(pulling.pulls(), one.pays) << one.bounced_ns << " and " << one.pulled_ns;
  }
}

}  // namespace
}  // namespace terrace
