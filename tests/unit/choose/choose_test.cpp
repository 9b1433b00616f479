// SPDX-License-Identifier: BSD-3-Clause
// Whatever is asked, an algorithm of the table for that very collective is chosen; and where plans
// were measured, nothing else than then.
#include "choose/choose.hpp"

#include <gtest/gtest.h>

#include <set>

namespace terrace {
namespace {

constexpr std::size_t kLengths[] = {0, 8, 1 << 10, 3 << 10, 1 << 14, 1 << 18, 1 << 22, 1 << 26};

template <class Visit>
void for_each_traits(std::initializer_list<Rank> sizes, Visit visit) {
  for (const Rank ranks : sizes)
    for (int bits = 0; bits < 8; ++bits)
      for (const TeamForm form : {TeamForm::flat, TeamForm::alone, TeamForm::domains})
        visit(TeamTraits{ranks, (bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, form});
}

template <class Visit>
void for_each_question(Visit visit) {
  for (std::uint32_t number = 0; number < kCollectiveCount; ++number)
    for (const std::size_t bytes : kLengths)
      for (const Order order : {Order::by_machine, Order::by_rank, Order::by_count})
        visit(Question{planned_as(static_cast<Collective>(number)), bytes, order});
}

TEST(Choose, names_an_algorithm_of_the_table_for_every_question) {
  std::set<std::string_view> chosen;
  for_each_traits({2, 5, 8, 16, 65}, [&](const TeamTraits& traits) {
    for_each_question([&](const Question& question) {
      const Choice choice = choose(question, traits);
      const Algorithm* row = find_algorithm(choice.algorithm);
      ASSERT_NE(row, nullptr) << to_text(question.collective) << ": " << choice.algorithm;
      EXPECT_EQ(row->collective, question.collective);
      EXPECT_GE(choice.radix, traits.is_crowded ? traits.ranks : 2u);
      chosen.insert(row->name);
    });
  });
  EXPECT_GT(chosen.size(), 20u);
}

std::string text(const Choice& choice) {
  return std::string(choice.algorithm) + " " + std::to_string(choice.strip_bytes) + " " +
         std::to_string(choice.ring) + (choice.streams ? " streams" : "") +
         (choice.bounces ? " bounces" : "");
}

// Two ranks, and ranks that take turns on a core, were measured: predictions are for others.
TEST(Choose, follows_predictions_only_where_nothing_was_measured) {
  for_each_traits({2, 4, 8, 15}, [](const TeamTraits& traits) {
    if (traits.ranks > 2 && !traits.is_crowded) return;
    TeamTraits flat = traits, two = traits;
    flat.form = TeamForm::flat;
    two.ranks = 2;
    for_each_question([&](const Question& question) {
      EXPECT_EQ(text(choose(question, traits)), text(choose(question, flat)));
      EXPECT_EQ(text(choose(question, traits)), text(choose(question, two)));
    });
  });
  const TeamTraits two{2, true, false};
  EXPECT_EQ(text(choose({Collective::allreduce, 1 << 20}, two)),
            "allreduce.push " + std::to_string(kWhole) + " 2");
  const TeamTraits sixteen{16, false, true};
  EXPECT_EQ(text(choose({Collective::allreduce, 1 << 20}, sixteen)), "allreduce.tiled 1048576 2");
  EXPECT_EQ(text(choose({Collective::allgather, 1 << 20}, sixteen)), "allgather.staged 1048576 2");
}

// All reading all grows with the square of the ranks, and nobody gains a turn by it.
TEST(Choose, has_one_rank_look_at_all_where_many_take_turns) {
  for (const Rank ranks : {15u, 16u, 200u}) {
    const TeamTraits threads{ranks, true, true};
    const std::string_view barrier = choose({Collective::barrier}, threads).algorithm;
    EXPECT_EQ(barrier, ranks < 16 ? "barrier.all_read" : "barrier.tree") << ranks;
    for (const std::size_t bytes : kLengths) {
      const Choice sum = choose({Collective::allreduce, bytes}, threads);
      EXPECT_EQ(sum.algorithm == "allreduce.tree", ranks >= 16) << ranks << ", " << bytes;
      EXPECT_EQ(sum.radix, ranks);
    }
    const TeamTraits processes{ranks, false, true};
    EXPECT_EQ(choose({Collective::barrier}, processes).algorithm, "barrier.all_read");
  }
}

// A rank whose team is not flat asks another table, and one whose operands must not change places
// the table of its own order.
TEST(Choose, follows_the_form_that_sums_are_ordered_by) {
  const TeamTraits domains{16, true, false, false, TeamForm::domains};
  TeamTraits flat = domains;
  flat.form = TeamForm::flat;
  int differ = 0;
  for (const std::size_t bytes : kLengths) {
    const Question sum{Collective::allreduce, bytes, Order::by_rank};
    EXPECT_EQ(text(choose(sum, domains)), text(choose(sum, flat))) << bytes;
    const Question runs{Collective::allreduce, bytes, Order::by_count};
    EXPECT_EQ(text(choose(runs, flat)), text(choose({Collective::allreduce, bytes}, domains)))
        << bytes;
    differ += text(choose({Collective::allreduce, bytes}, domains)) !=
              text(choose({Collective::allreduce, bytes}, flat));
  }
  EXPECT_GT(differ, 0);
}

TEST(Choose, knows_the_form_of_a_hierarchy) {
  Hierarchy hierarchy = flat_hierarchy(4);
  EXPECT_EQ(form_of(hierarchy), TeamForm::flat);
  for (Rank rank = 0; rank < 4; ++rank)
    hierarchy.all.children.push_back({"core", rank, {rank}, {}});
  EXPECT_EQ(form_of(hierarchy), TeamForm::alone);
  hierarchy.all.children.pop_back();
  hierarchy.all.children.back().ranks.push_back(3);
  EXPECT_EQ(form_of(hierarchy), TeamForm::domains);
}

}  // namespace
}  // namespace terrace
