// SPDX-License-Identifier: BSD-3-Clause
// Parts that have been tampered with must fail when run. Goal: the sequences can see each kind of
// synchronization missing. Method: take one kind away from every part, play seeds until one fails.
#include <gtest/gtest.h>

#include <algorithm>

#include "machines/shapes.hpp"
#include "sequences.hpp"

namespace terrace {
namespace {

/// The first complaint of some hundred interleavings on teams of 2 and 4, "" if there is none.
template <class Tamper>
std::string first_complaint(Tamper tamper) {
  for (Rank ranks : {2u, 4u})
    for (const auto& [name, hierarchy] : shapes::hierarchies(ranks)) {
      sequences::Plans plans(hierarchy);
      for (sequences::Plans::Row& row : plans.rows())
        for (RankProgram& program : row.programs) tamper(program);
      for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        const auto script = sequences::script(plans, 150, seed, 300, sequences::kScratchBytes);
        sequences::Team team(ranks, sequences::kScratchBytes, script, 0);
        if (std::string text = sequences::play_interleaved(team, seed); !text.empty()) return text;
      }
    }
  return "";
}

TEST(Mutations, untampered_programs_are_right) {
  EXPECT_EQ(first_complaint([](RankProgram&) {}), "");
}

TEST(Mutations, a_contract_without_readers_gives_wrong_results) {
  EXPECT_NE(first_complaint([](RankProgram& program) {
              program.contract.scratch_readers.clear();
              for (auto& readers : program.contract.line_readers) readers.clear();
            }),
            "");
}

TEST(Mutations, claiming_to_hear_all_gives_wrong_results) {
  EXPECT_NE(first_complaint([](RankProgram& program) { program.contract.hears_all = true; }), "");
}

TEST(Mutations, dropped_waits_for_words_give_wrong_results) {
  EXPECT_NE(first_complaint([](RankProgram& program) {
              sequences::drop_waits_if(
                  program, [](const ProgramWait& wait) { return wait.signal == Signal::word; });
            }),
            "");
}

TEST(Mutations, dropped_waits_for_lines_give_wrong_results) {
  EXPECT_NE(first_complaint([](RankProgram& program) {
              sequences::drop_waits_if(
                  program, [](const ProgramWait& wait) { return wait.signal == Signal::line; });
            }),
            "");
}

TEST(Mutations, dropped_loop_carried_waits_give_wrong_results) {
  EXPECT_NE(first_complaint([](RankProgram& program) {
              sequences::drop_waits_if(program,
                                       [](const ProgramWait& wait) { return wait.lag > 0; });
            }),
            "");
}

/// Without its hold the root returns, and its user scribbles, while peers still read: the race in
/// the HMPI code published with the paper.
TEST(Mutations, dropped_holds_give_wrong_results) {
  EXPECT_NE(first_complaint([](RankProgram& program) {
              for (Instruction& step : program.instructions)
                if (step.kind == StepKind::hold) step.wait_count = 0;
            }),
            "");
}

}  // namespace
}  // namespace terrace
