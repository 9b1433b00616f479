// SPDX-License-Identifier: BSD-3-Clause
// What ranks tell each other, and what all of them conclude: localities, or an error that all
// share.
#include "communicators/record.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace terrace::communicators {
namespace {

NodePlacement at(std::uint64_t host, const char* locality) {
  NodePlacement placement;
  placement.host = placement.node = host;
  placement.locality = locality_from_text(locality).value();
  return placement;
}

Record record_at(std::uint64_t host, const char* locality) {
  return record_of(at(host, locality), {});
}

std::string texts_of(const std::vector<Record>& records) {
  std::string text;
  for (const Locality& locality : localities_of(records)) text += to_text(locality) + ' ';
  return text;
}

TEST(Records, number_nodes_as_they_are_met) {
  EXPECT_EQ(texts_of({record_at(77, "node:0/core:1"), record_at(5, "node:0/core:1"),
                      record_at(77, "node:0/core:2")}),
            "node:0/core:1 node:1/core:1 node:0/core:2 ");
}

TEST(Records, keep_the_network_around_a_node) {
  EXPECT_EQ(texts_of({record_at(77, "switch:4/node:0/core:1")}), "switch:4/node:0/core:1 ");
}

TEST(Records, that_are_too_long_lose_their_innermost_places) {
  NodePlacement deep = at(1, "node:0");
  for (std::uint64_t i = 0; i < 100; ++i) deep.locality.places.push_back({"group", i});
  const std::vector<Record> records = {record_of(deep, {})};
  const std::vector<LevelPlace> kept = localities_of(records)[0].places;
  ASSERT_GT(kept.size(), 20u);
  ASSERT_LT(kept.size(), 101u);
  EXPECT_TRUE(std::equal(kept.begin(), kept.end(), deep.locality.places.begin()));
}

TEST(Records, of_one_rank_in_trouble_leave_the_hosts) {
  NodePlacement lost = at(5, "node:0/core:3");
  lost.node = 99;  // pretended
  lost.trouble = "TERRACE_BIND is wrong";
  const std::vector<Record> records = {record_at(5, "node:0/core:1"), record_of(lost, {}),
                                       record_at(6, "node:0/core:1")};
  EXPECT_EQ(first_in_trouble(records), Rank{1});
  EXPECT_EQ(texts_of(records), "node:0 node:0 node:1 ");
}

TEST(Records, of_other_settings_are_trouble) {
  NodePlacement other = at(5, "node:0/core:1");
  other.settings = 1;
  const std::vector<Record> records = {record_at(5, "node:0/core:0"), record_of(other, {})};
  EXPECT_EQ(first_in_trouble(records), Rank{1});
  EXPECT_EQ(texts_of(records), "node:0 node:0 ");
  EXPECT_EQ(first_in_trouble(std::vector<Record>{records[0], records[0]}), std::nullopt);
}

TEST(Records, of_one_rank_that_the_network_lacks_leave_the_nodes) {
  NodePlacement lost = at(6, "node:0/core:3"), other = at(7, "switch:1/node:0");
  lost.network_trouble = "the host n2 is not in net.txt";
  other.network = 1;
  const Record here = record_at(5, "switch:4/node:0/core:1");
  EXPECT_EQ(first_without_network(std::vector<Record>{here, here}), std::nullopt);
  for (const NodePlacement& one : {lost, other}) {
    const std::vector<Record> records = {here, record_of(one, {})};
    EXPECT_EQ(first_in_trouble(records), std::nullopt);
    EXPECT_EQ(first_without_network(records), Rank{1});
    EXPECT_EQ(to_text(localities_of(records)[0]), "node:0/core:1");
  }
}

Record wishing(const SplitWish& wish) {
  return record_of(at(1, "node:0/core:0"), wish);
}

Failure failure_of(const SplitWish& a, const SplitWish& b) {
  const auto complaint = complaint_about(std::vector<Record>{wishing(a), wishing(b)});
  return complaint ? complaint->failure : Failure::none;
}

TEST(Records, agree_on_wishes_or_fail_together) {
  SplitWish plain, other_type, with_roots, straight, nodes, wrong;
  other_type.split_type = 1;
  with_roots.wants_roots = true;
  straight.request.level = "l3";
  nodes.request.scope = Scope::node;
  wrong.reject("null");
  EXPECT_EQ(failure_of(plain, plain), Failure::none);
  for (const SplitWish& other : {other_type, with_roots, straight, nodes, wrong}) {
    EXPECT_EQ(failure_of(plain, other), Failure::argument);
    EXPECT_EQ(failure_of(other, plain), Failure::argument);
  }
  EXPECT_EQ(failure_of(straight, straight), Failure::none);
}

TEST(Records, name_the_lowest_rank_that_is_wrong) {
  SplitWish wrong;
  wrong.reject("null");
  const std::vector<Record> records = {wishing({}), wishing(wrong), wishing(wrong)};
  EXPECT_EQ(complaint_about(records)->rank, Rank{1});
}

TEST(Records, tell_other_names_from_worse) {
  SplitWish package, core, both;
  package.request.level = "package";
  core.request.level = "core";
  both.reject("both");
  std::vector<Record> records{wishing(package), wishing(core)};
  EXPECT_TRUE(complaint_about(records)->is_on_names);
  EXPECT_EQ(complaint_about(records)->rank, Rank{1});
  records.push_back(wishing(both));
  EXPECT_FALSE(complaint_about(records)->is_on_names);
  EXPECT_EQ(complaint_about(records)->rank, Rank{2});
}

TEST(Records, may_differ_in_keys_and_room) {
  SplitWish a, b;
  b.key = 7;
  b.most_levels = 3;
  EXPECT_EQ(failure_of(a, b), Failure::none);
}

TEST(Records, of_ranks_that_are_out_ask_for_nothing) {
  SplitWish out, straight;
  out.is_out = true;
  out.split_type = -32766;
  straight.request.level = "l3";
  EXPECT_EQ(failure_of(out, straight), Failure::none);
  EXPECT_EQ(failure_of(straight, out), Failure::none);
}

TEST(Records, of_another_build_are_noticed) {
  std::vector<Record> records = {wishing({}), wishing({})};
  records[1].stamp ^= 1;
  EXPECT_EQ(complaint_about(records)->failure, Failure::other);
}

TEST(Records, tell_long_names_of_levels_from_their_beginnings) {
  SplitWish a, b;
  a.request.level = std::string(47, 'a');
  b.request.level = std::string(60, 'a');
  EXPECT_EQ(failure_of(a, b), Failure::argument);
}

TEST(Records, are_ordered_by_key_then_rank) {
  std::vector<Record> records;
  for (const int key : {3, 1, 3, -1}) {
    SplitWish wish;
    wish.key = key;
    records.push_back(wishing(wish));
  }
  EXPECT_EQ(in_order_of_keys(records, {0, 1, 2, 3}), (std::vector<Rank>{3, 1, 0, 2}));
  EXPECT_EQ(in_order_of_keys(records, {0, 2}), (std::vector<Rank>{0, 2}));
}

TEST(Records, carry_a_request_whole) {
  SplitWish wish;
  wish.request = {Scope::network, "switch"};
  EXPECT_EQ(request_of(wishing(wish)), wish.request);
}

}  // namespace
}  // namespace terrace::communicators
