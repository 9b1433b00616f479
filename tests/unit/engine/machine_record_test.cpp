// SPDX-License-Identifier: BSD-3-Clause
// Goal: of many teams on the same cores, one looks at the machine now and then, and the others
// begin with what it has seen. Method: records that are told of looks, at times of the test's own.
#include "engine/machine_record.hpp"

#include <gtest/gtest.h>

namespace terrace {
namespace {

constexpr double kMs = 1e6, kSecond = 1e9;

SeenMachine machine_with(double signal, bool is_doubtful = false) {
  return {{signal}, model::assumed_costs(), is_doubtful};
}

TEST(MachineRecord, lets_the_first_team_look_and_others_begin_with_what_it_saw) {
  MachineRecord record;
  auto first = record.begin_team(kSecond);
  EXPECT_TRUE(first.looks);
  EXPECT_FALSE(first.seen);
  record.note(machine_with(80), kSecond, kSecond + kMs);
  for (double now = kSecond + kMs; now < 3 * kSecond; now += 10 * kMs) {
    const auto next = record.begin_team(now);
    EXPECT_FALSE(next.looks);
    ASSERT_TRUE(next.seen);
    EXPECT_EQ(next.seen->signals.front(), 80);
  }
}

TEST(MachineRecord, lets_one_team_look_again_after_two_seconds) {
  MachineRecord record;
  record.note(machine_with(80), 0, kMs);
  const double later = 2.1 * kSecond;
  const auto one = record.begin_team(later), other = record.begin_team(later);
  EXPECT_TRUE(one.looks);
  EXPECT_TRUE(one.seen);
  EXPECT_FALSE(other.looks);
  record.note(machine_with(350), later, later + kMs);
  EXPECT_EQ(record.begin_team(later + 2 * kMs).seen->signals.front(), 350);
}

TEST(MachineRecord, spends_a_fiftieth_of_the_time_on_looks) {
  MachineRecord record;
  record.note(machine_with(80), 0, 200 * kMs);
  EXPECT_FALSE(record.begin_team(10 * kSecond).looks);
  EXPECT_TRUE(record.begin_team(10.3 * kSecond).looks);
}

TEST(MachineRecord, tries_less_and_less_often_while_looks_are_disturbed) {
  MachineRecord record;
  double now = kSecond, before = 0;
  for (int i = 0; i < 8; ++i) {
    record.note(std::nullopt, now, now);
    const double begin = now;
    while (!record.begin_team(now).looks) now += 0.1 * kMs;
    EXPECT_FALSE(record.begin_team(now).looks) << "one team alone tries";
    EXPECT_GT(now - begin, 1.5 * before);
    before = now - begin;
  }
}

TEST(MachineRecord, keeps_what_was_seen_when_a_look_is_disturbed) {
  MachineRecord record;
  record.note(machine_with(80), 0, kMs);
  record.note(std::nullopt, 3 * kSecond, 3 * kSecond + kMs);
  EXPECT_TRUE(record.begin_team(3 * kSecond + 2 * kMs).seen);
}

TEST(MachineRecord, has_what_is_doubtful_measured_anew) {
  MachineRecord record;
  record.note(machine_with(80, true), 0, kMs);
  EXPECT_TRUE(record.begin_team(2 * kMs).seen) << "better than nothing";
  const auto later = record.begin_team(3 * kSecond);
  EXPECT_TRUE(later.looks);
  EXPECT_FALSE(later.seen);
  record.note(machine_with(80), 3 * kSecond, 3 * kSecond + kMs);
  record.note(machine_with(82, true), 6 * kSecond, 6 * kSecond + kMs);
  EXPECT_FALSE(record.begin_team(6 * kSecond + 2 * kMs).seen->is_doubtful);
}

TEST(MachineRecord, is_one_for_all_teams_between_the_same_cores) {
  const WatchedPair near{"l3", PuSet{0}, PuSet{1}}, far{"node", PuSet{0}, PuSet{2}};
  const auto one = MachineRecord::between({near, far});
  EXPECT_EQ(one, MachineRecord::between({near, far}));
  EXPECT_NE(one, MachineRecord::between({near}));
  EXPECT_NE(one, MachineRecord::between({near, {"node", PuSet{0}, PuSet{3}}}));
}

TEST(MachineRecord, is_forgotten_where_there_are_very_many) {
  const WatchedPair pair{"node", PuSet{0}, PuSet{100}};
  const std::weak_ptr<MachineRecord> first = MachineRecord::between({pair});
  for (std::uint32_t pu = 101; pu < 200; ++pu)
    MachineRecord::between({{"node", PuSet{0}, PuSet{pu}}});
  EXPECT_TRUE(first.expired());
}

}  // namespace
}  // namespace terrace
