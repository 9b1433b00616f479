// SPDX-License-Identifier: BSD-3-Clause
// Goal: every three calls of a small team give right results one after the other through the real
// executor. Method: one script in which each of these orders comes once, under a seeded scheduler.
// (That they keep their memory apart in every schedule is proved in verify/.)
#include <gtest/gtest.h>

#include <array>
#include <set>

#include "machines/shapes.hpp"
#include "sequences.hpp"

namespace terrace {
namespace {

using sequences::ScriptedCall;

constexpr std::uint32_t kRadix = 3;
constexpr std::size_t kSmall = 3, kLong = 13, kStrip = 4;

/// What a plan does, without its name.
std::string deeds_of(const sequences::Plans::Row& row) {
  return std::string(to_text(row.algorithm->collective)) + std::to_string(row.root) +
         row.text.substr(row.text.find('\n'));
}

/// Each plan with each root: with no bytes; small in lines; long in strips, direct and bounced.
/// In longer runs, of plans with blocks those of root 0 alone, and of these no more than one long
/// call: they use memory as others do, and there would be too many runs.
std::vector<ScriptedCall> kinds_of_calls(const sequences::Plans& plans, std::size_t length) {
  std::vector<ScriptedCall> kinds;
  std::set<std::string> seen;
  for (const sequences::Plans::Row& row : plans.rows()) {
    if (!seen.insert(deeds_of(row)).second) continue;
    ScriptedCall call{&row.programs, row.algorithm->collective, row.root, 0, 1, 0, std::nullopt};
    const bool is_one_of_many = length > 2 && row.algorithm->collective > Collective::allreduce;
    if (is_one_of_many && (row.root != 0 || row.lowering == Lowering::lines)) continue;
    if (!is_one_of_many) kinds.push_back(call);
    if (row.algorithm->collective == Collective::barrier) continue;
    const bool is_small = row.lowering == Lowering::lines;
    call.count = is_small ? kSmall : kLong;
    call.strip = is_small ? kSmall : kStrip;
    for (const Reach reach : {Reach::direct, Reach::bounced}) {
      if ((is_small || is_one_of_many) && reach == Reach::direct) continue;
      call.reach = reach;
      kinds.push_back(call);
    }
  }
  return kinds;
}

/// Numbers below `count` in an order in which each run of `length` numbers comes once, if one goes
/// on from the end to the beginning (a de Bruijn sequence): all Lyndon words whose length divides
/// `length`, as Duval's algorithm finds them.
std::vector<std::size_t> every_run_once(std::size_t count, std::size_t length) {
  std::vector<std::size_t> result, word(length, 0);
  word.resize(1);
  while (!word.empty()) {
    if (length % word.size() == 0) result.insert(result.end(), word.begin(), word.end());
    const std::size_t period = word.size();
    while (word.size() < length) word.push_back(word[word.size() - period]);
    while (!word.empty() && word.back() == count - 1) word.pop_back();
    if (!word.empty()) ++word.back();
  }
  return result;
}

std::vector<ScriptedCall> every_order_of(const std::vector<ScriptedCall>& kinds,
                                         std::size_t length) {
  std::vector<std::size_t> order = every_run_once(kinds.size(), length);
  for (std::size_t i = 0; i + 1 < length; ++i) order.push_back(order[i]);
  std::vector<ScriptedCall> script;
  for (const std::size_t kind : order) {
    script.push_back(kinds[kind]);
    script.back().seed = script.size();
  }
  return script;
}

/// So little scratch that whatever takes much of it meets what the call before it left there.
std::size_t least_scratch(const sequences::Plans& plans) {
  std::size_t bytes = 0;
  for (const sequences::Plans::Row& row : plans.rows()) {
    const RankProgram& program = row.programs.front();
    bytes = std::max(bytes, program.ring * blocks_per_slot(program, false) * kLinePairBytes);
  }
  return bytes;
}

/// The first complaint, "" if all is right.
std::string play_every_order(const sequences::Plans& plans, const Hierarchy& hierarchy,
                             std::size_t length, std::uint64_t seed) {
  const auto script = every_order_of(kinds_of_calls(plans, length), length);
  testing::Test::RecordProperty("calls", static_cast<int>(script.size()));
  sequences::Team team(hierarchy.rank_count(), least_scratch(plans), script, 0);
  return sequences::play_interleaved(team, seed);
}

void expect_right_in_every_order(const Hierarchy& hierarchy, std::size_t length,
                                 std::uint64_t seed) {
  const sequences::Plans plans(hierarchy, kRadix);
  EXPECT_EQ(play_every_order(plans, hierarchy, length, seed), "")
      << hierarchy.rank_count() << " ranks, seed " << seed;
}

TEST(InterleavedOrders, contain_each_run_once) {
  for (const std::size_t count : {1u, 4u}) {
    const auto order = every_run_once(count, 3);
    const auto at = [&order](std::size_t i) { return order[i % order.size()]; };
    std::set<std::array<std::size_t, 3>> runs;
    for (std::size_t i = 0; i < order.size(); ++i)
      EXPECT_TRUE(runs.insert({at(i), at(i + 1), at(i + 2)}).second);
    EXPECT_EQ(runs.size(), count * count * count);
  }
}

TEST(InterleavedOrders, of_any_two_calls_give_right_results) {
  for (const Rank ranks : {2u, 3u, 4u})
    for (std::uint64_t seed = 1; seed <= 3; ++seed)
      expect_right_in_every_order(flat_hierarchy(ranks), 2, seed);
}

TEST(InterleavedOrders, of_any_two_calls_give_right_results_on_two_packages) {
  for (const shapes::NamedHierarchy& shape : shapes::hierarchies(4)) {
    if (shape.hierarchy.all.children.size() != 2) continue;
    return expect_right_in_every_order(shape.hierarchy, 2, 1);
  }
  FAIL() << "no such shape";
}

TEST(InterleavedOrders, give_wrong_results_where_nobody_is_asked_at_entry) {
  const Hierarchy hierarchy = flat_hierarchy(3);
  sequences::Plans plans(hierarchy, kRadix);
  for (sequences::Plans::Row& row : plans.rows())
    for (RankProgram& program : row.programs) {
      program.contract.scratch_readers.clear();
      for (auto& readers : program.contract.line_readers) readers.clear();
    }
  EXPECT_NE(play_every_order(plans, hierarchy, 2, 1), "");
}

class InterleavedTriples : public testing::TestWithParam<Rank> {};

TEST_P(InterleavedTriples, of_calls_give_right_results_in_every_order) {
  expect_right_in_every_order(flat_hierarchy(GetParam()), 3, 1);
}
INSTANTIATE_TEST_SUITE_P(Ranks, InterleavedTriples, testing::Values(2, 3, 4));

}  // namespace
}  // namespace terrace
