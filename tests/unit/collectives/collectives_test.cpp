// SPDX-License-Identifier: BSD-3-Clause
// The table of collectives: names, promises, and what the plans of its rows have in common. That
// they are right is proved in verify/.
#include "collectives/collectives.hpp"

#include <gtest/gtest.h>

#include <set>

#include "machines/shapes.hpp"
#include "plan/lower.hpp"
#include "verify/verify.hpp"

namespace terrace {
namespace {

TEST(Collectives, have_one_name_each_that_begins_with_the_collective) {
  std::set<std::string_view> names;
  for (const Algorithm& row : algorithms()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_TRUE(row.name.starts_with(std::string(to_text(row.collective)) + ".")) << row.name;
    EXPECT_EQ(find_algorithm(row.name), &row);
    EXPECT_EQ(collective_from_text(to_text(row.collective)), row.collective);
    EXPECT_EQ(collective_of_plan(row.name), row.collective);
    EXPECT_TRUE(row.fits_lines || row.fits_long) << row.name;
  }
  EXPECT_EQ(collective_of_plan("bcast"), Collective::bcast);
  EXPECT_EQ(collective_of_plan("bcasts.tree"), std::nullopt);
  EXPECT_EQ(find_algorithm("allreduce.nothing"), nullptr);
  EXPECT_EQ(collective_from_text("allreduces"), std::nullopt);
}

/// What MPI says of each, written out for 3 ranks and root 1.
TEST(Collectives, promise_what_mpi_does) {
  const auto text_of = [](Collective collective) {
    std::string text;
    for (const auto& blocks : postcondition(collective, 3, 1).outputs) {
      text += text.empty() ? "" : " |";
      for (const auto& terms : blocks) {
        text += terms ? " " : " -";
        for (const Term& term : terms.value_or(Terms()))
          text += (text.back() == ' ' ? "" : "+") + std::to_string(term.rank) + ":" +
                  std::to_string(term.block);
      }
    }
    return text;
  };
  EXPECT_EQ(text_of(Collective::barrier), " - | - | -");
  EXPECT_EQ(text_of(Collective::bcast), " 1:0 | - | 1:0");
  EXPECT_EQ(text_of(Collective::reduce), " - | 0:0+1:0+2:0 | -");
  EXPECT_EQ(text_of(Collective::allreduce), " 0:0+1:0+2:0 | 0:0+1:0+2:0 | 0:0+1:0+2:0");
  EXPECT_EQ(text_of(Collective::allgather), " 0:0 1:1 2:2 | 0:0 1:1 2:2 | 0:0 1:1 2:2");
  EXPECT_EQ(text_of(Collective::gather), " - - - | 0:0 1:1 2:2 | - - -");
  EXPECT_EQ(text_of(Collective::scatter), " 1:0 - - | - 1:1 - | - - 1:2");
  EXPECT_EQ(text_of(Collective::alltoall), " 0:0 1:0 2:0 | 0:1 1:1 2:1 | 0:2 1:2 2:2");
  EXPECT_EQ(text_of(Collective::reduce_scatter_block),
            " 0:0+1:0+2:0 - - | 0:1+1:1+2:1 - - | 0:2+1:2+2:2 - -");
  EXPECT_EQ(text_of(Collective::scan), " 0:0 | 0:0+1:0 | 0:0+1:0+2:0");
  EXPECT_EQ(text_of(Collective::exscan), " - | 0:0 | 0:0+1:0");
}

TEST(Collectives, can_be_lowered_as_their_rows_say) {
  const Hierarchy flat = flat_hierarchy(6);
  for (const Algorithm& row : algorithms()) {
    const Plan plan = row.write({flat, 3, 8});
    EXPECT_TRUE(check_shape(plan)) << check_shape(plan).error().sentence;
    EXPECT_EQ(lower(plan, Lowering::lines).ok(), row.fits_lines) << row.name;
    EXPECT_TRUE(lower(plan, Lowering::owner)) << row.name;
  }
}

TEST(Collectives, fit_a_ring_of_16_lines_at_any_number_of_ranks) {
  for (const Rank ranks : {1u, 2u, 17u, 128u})
    for (const Algorithm& row : algorithms())
      for (const std::uint32_t radix : {2u, 8u}) {
        if (!row.fits_lines || has_block_per_rank(row.collective)) continue;
        const Hierarchy flat = flat_hierarchy(ranks);
        const auto plan = lower(row.write({flat, ranks / 2, radix}), Lowering::lines);
        ASSERT_TRUE(plan) << plan.error().sentence;
        EXPECT_LE(plan.value().lines, 16) << row.name << ", " << ranks << " ranks, radix " << radix;
      }
}

/// Ranks in order over the machine, as mpirun places them: operands come in rank order.
TEST(Collectives, combine_in_rank_order_where_groups_are_runs_of_ranks) {
  std::size_t proved = 0;
  for (const shapes::Shape& shape : shapes::regular_shapes(8))
    for (const Algorithm& row : algorithms()) {
      for (Rank root = 0; root < 8; root += 3) {
        if (root != 0 && !is_rooted(row.collective)) continue;
        const Hierarchy hierarchy = hierarchy_of(shape.localities);
        const auto plan = lower(row.write({hierarchy, root, 3}), Lowering::owner);
        const auto proof = verify(plan.value(), postcondition(row.collective, 8, root));
        ASSERT_TRUE(proof) << proof.error().sentence;
        EXPECT_TRUE(proof.value().combines_in_rank_order) << row.name << " on " << shape.name;
        ++proved;
      }
    }
  EXPECT_GT(proved, 100u);
}

std::string sum_text(Rank first, Rank last) {
  std::string text = std::to_string(first);
  for (Rank rank = first + 1; rank < last; ++rank) text += " + " + std::to_string(rank);
  return text;
}

/// Over runs, with a radix that cuts nothing, every algorithm combines alike, so that which of them
/// runs does not matter to the bits. Of a reduce_scatter_block, only the staged one does.
TEST(Collectives, combine_in_one_order_over_runs) {
  for (const Rank ranks : {2u, 8u, 9u, 11u}) {
    const Hierarchy hierarchy = hierarchy_of_runs(ranks);
    const std::string in_a_row = sum_text(0, ranks);
    const Rank half = ranks / 2;
    const std::string by_runs =
        ranks <= 8 ? in_a_row : sum_text(0, half) + " + (" + sum_text(half, ranks) + ")";
    for (const Algorithm& row : algorithms()) {
      if (!combines(row.collective) || row.name == "reduce_scatter_block.flat") continue;
      const bool is_scan = row.collective == Collective::scan;
      if (row.collective == Collective::exscan) continue;  // its order ends one rank earlier
      for (const Lowering lowering : {Lowering::lines, Lowering::owner}) {
        const auto plan = lower(row.write({hierarchy, half, ranks}), lowering);
        if (!plan || plan.value().lines > VerifyOptions().line_slots) continue;
        const auto proof = verify(plan.value(), postcondition(row.collective, ranks, half));
        ASSERT_TRUE(proof) << proof.error().sentence;
        EXPECT_EQ(proof.value().order, is_scan ? in_a_row : by_runs) << row.name;
      }
    }
  }
}

/// The total is the same expression with every root, so reduce and allreduce of one tree agree.
TEST(Collectives, combine_in_an_order_that_does_not_depend_on_the_root) {
  const Hierarchy hierarchy = hierarchy_of(shapes::shapes(7)[1].localities);
  for (const Algorithm& row : algorithms()) {
    if (row.collective != Collective::reduce) continue;
    std::set<std::string> orders;
    for (Rank root = 0; root < 7; ++root) {
      const auto plan = lower(row.write({hierarchy, root, 2}), Lowering::owner);
      const auto proof = verify(plan.value(), postcondition(row.collective, 7, root));
      ASSERT_TRUE(proof) << proof.error().sentence;
      orders.insert(proof.value().order);
    }
    EXPECT_EQ(orders.size(), 1u) << row.name;
  }
}

/// `choose` asks for 8 slots where one rank fills and another empties.
TEST(Collectives, hold_with_a_ring_of_eight) {
  for (const shapes::NamedHierarchy& shape : shapes::hierarchies(4))
    for (const Algorithm& row : algorithms()) {
      const auto plan = lower(row.write({shape.hierarchy, 0, 3}), Lowering::owner, 8);
      const auto proof = verify(plan.value(), postcondition(row.collective, 4, 0));
      ASSERT_TRUE(proof) << row.name << " on " << shape.name;
    }
}

}  // namespace
}  // namespace terrace
