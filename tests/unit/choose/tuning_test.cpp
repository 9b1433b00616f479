// SPDX-License-Identifier: BSD-3-Clause
// Goal: tunings survive their file and their way to other ranks, are taken before predictions, and
// mistakes in them are named. Method: rows of every kind; files with one mistake each.
#include "choose/tuning.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "choose/chooser.hpp"
#include "choose/tuning_text.hpp"
#include "execute/call.hpp"

namespace terrace {
namespace {

using testing::HasSubstr;
using testing::Not;

TunedRow row_of(Collective collective, std::size_t bytes, std::string_view algorithm) {
  TunedRow row;
  row.collective = collective;
  row.bytes = bytes;
  row.choice.algorithm = algorithm;
  row.choice.strip_bytes = kWhole;
  row.choice.scratch_span = kAtOnce;
  return row;
}

std::vector<TunedRow> rows_of_all_kinds() {
  TunedRow plain = row_of(Collective::bcast, 8, "bcast.flat");
  TunedRow rich = row_of(Collective::allreduce, 1 << 20, "allreduce.tiled");
  rich.choice = {"allreduce.tiled", 4, 16384, 4, true, true, true, 1 << 19, 2, true};
  rich.predicted_ns = 78850;
  rich.measured_ns = 77625.5;
  TunedRow by_mpi = row_of(Collective::alltoall, 4096, "");
  by_mpi.is_mpi = true;
  return {plain, rich, by_mpi};
}

Tuning tuning() {
  TunedTeam near{2, false, {"l3"}, {50.5}, "2026-11-23", rows_of_all_kinds()};
  TunedTeam far{4, true, {"l3", "node"}, {52, 241}, "2026-11-23", {}};
  return {"Some CPU 25 1, 2 processors", {near, far}};
}

std::string complaint(const std::string& text) {
  const auto read = tuning_from_text(text, "x.json");
  return read ? "none" : read.error().sentence;
}

/// A file with one row of these members.
std::string file_with(const std::string& members) {
  return "{\"format\": \"terrace tuning 1\", \"processor\": \"p\", \"teams\": [{\"ranks\": 2, "
         "\"form\": \"threads\", \"day\": \"d\", \"signals\": [], \"rows\": [{" +
         members + "}]}]}";
}

TEST(Tuning, is_what_it_was_when_read_again) {
  const Tuning written = tuning();
  const auto read = tuning_from_text(to_json(written), "x");
  ASSERT_TRUE(read) << read.error().sentence;
  EXPECT_EQ(read.value().processor, written.processor);
  ASSERT_EQ(read.value().teams.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i) {
    const TunedTeam &one = read.value().teams[i], &other = written.teams[i];
    EXPECT_EQ(one.ranks, other.ranks);
    EXPECT_EQ(one.are_threads, other.are_threads);
    EXPECT_EQ(one.levels, other.levels);
    EXPECT_EQ(one.signals, other.signals);
    EXPECT_EQ(one.day, other.day);
    EXPECT_EQ(one.rows, other.rows);
  }
}

TEST(Tuning, is_the_same_on_ranks_that_are_told_of_it) {
  std::vector<TunedRow> rows = rows_of_all_kinds();
  auto told = rows_from_numbers(to_numbers(rows));
  ASSERT_TRUE(told);
  told->back().choice.algorithm = "";  // of the MPI's row, where it does not matter
  EXPECT_EQ(*told, rows);
  EXPECT_TRUE(rows_from_numbers(std::vector<double>{})->empty());
  EXPECT_FALSE(rows_from_numbers(std::vector<double>(5)));
  EXPECT_FALSE(rows_from_numbers(std::vector<double>(13, 1e9)));
}

TEST(Tuning, has_its_mistakes_named) {
  const std::string row = "\"collective\": \"bcast\", \"bytes\": 8, \"runs\": \"bcast.flat\"";
  EXPECT_EQ(complaint(file_with(row)), "none");
  EXPECT_THAT(complaint("{"), HasSubstr("x.json, line 1, column"));
  EXPECT_THAT(complaint("{}"), HasSubstr("x.json: format: missing"));
  EXPECT_THAT(complaint("[]"), HasSubstr("expected an object"));
  EXPECT_THAT(complaint("{\"format\": \"terrace tuning 2\"}"),
              HasSubstr("expected \"terrace tuning 1\""));
  EXPECT_THAT(complaint(file_with(row + ", \"stirp\": 4")),
              HasSubstr("teams[0].rows[0].stirp: unknown key"));
  EXPECT_THAT(complaint(file_with(row + ", \"radix\": 1")),
              HasSubstr("teams[0].rows[0].radix: expected a number from 2"));
  EXPECT_THAT(complaint(file_with(row + ", \"radix\": 2.5")), HasSubstr("whole number"));
  EXPECT_THAT(complaint(file_with(row + ", \"bounces\": 1")), HasSubstr("true or false"));
  EXPECT_THAT(complaint(file_with("\"collective\": \"bcast\", \"bytes\": 8, \"runs\": \"x\"")),
              HasSubstr("there is no algorithm 'x' for bcast"));
  EXPECT_THAT(
      complaint(file_with("\"collective\": \"bcast\", \"bytes\": 8, \"runs\": \"reduce.tree\"")),
      HasSubstr("there is no algorithm 'reduce.tree' for bcast"));
  EXPECT_THAT(complaint(file_with("\"collective\": \"barrier\", \"bytes\": 8, \"runs\": \"x\"")),
              HasSubstr("no collective 'barrier' to be tuned"));
  EXPECT_THAT(complaint(file_with("\"collective\": 7")), HasSubstr("expected a text, got 7"));
}

TEST(Tuning, says_whether_short_calls_take_lines) {
  const std::string row = "\"collective\": \"scatter\", \"bytes\": 64, \"runs\": \"scatter.flat\"";
  const auto as_before = tuning_from_text(file_with(row), "x");
  const auto without = tuning_from_text(file_with(row + ", \"avoids_lines\": true"), "x");
  ASSERT_TRUE(as_before && without);
  const TunedRow& old = as_before.value().teams[0].rows[0];
  const TunedRow& tuned = without.value().teams[0].rows[0];
  EXPECT_FALSE(old.choice.avoids_lines);
  EXPECT_EQ(to_text(old), "scatter.flat");
  EXPECT_EQ(to_text(tuned), "scatter.flat, without lines");
  EXPECT_THAT(to_json(without.value()), HasSubstr("\"avoids_lines\":true"));
  EXPECT_THAT(to_json(as_before.value()), Not(HasSubstr("avoids_lines")));
  Chooser chooser({2, true}, flat_hierarchy(2), model::assumed_costs(), {tuned});
  EXPECT_TRUE(chooser.choose({Collective::scatter, 64}).avoids_lines);
}

TEST(Tuning, comes_before_what_is_predicted) {
  TeamTraits traits;
  traits.ranks = 2;
  traits.scratch_bytes = usual_scratch_bytes(2);
  const Question question{Collective::bcast, 100'000};
  Chooser untuned(traits, flat_hierarchy(2), model::assumed_costs());
  TunedRow row = row_of(Collective::bcast, length_class(100'000), "bcast.scattered");
  row.choice.strip_bytes = 128;
  ASSERT_NE(untuned.choose(question), row.choice);
  Chooser tuned(traits, flat_hierarchy(2), model::assumed_costs(), {row});
  EXPECT_EQ(tuned.choose(question), row.choice);
  EXPECT_EQ(tuned.ranked(question)[1].choice, untuned.choose(question));
  // Other sizes, collectives and orders are as before.
  EXPECT_EQ(tuned.choose({Collective::bcast, 8}), untuned.choose({Collective::bcast, 8}));
  EXPECT_EQ(tuned.choose({Collective::bcast, 100'000, Order::by_rank}),
            untuned.choose({Collective::bcast, 100'000, Order::by_rank}));
  EXPECT_FALSE(tuned.prefers_mpi(question));
  row.is_mpi = true;
  Chooser by_mpi(traits, flat_hierarchy(2), model::assumed_costs(), {row});
  EXPECT_TRUE(by_mpi.prefers_mpi(question));
  EXPECT_EQ(by_mpi.choose(question), untuned.choose(question));
}

}  // namespace
}  // namespace terrace
