// SPDX-License-Identifier: BSD-3-Clause
// Whole simulations against times worked out by hand, on a machine of round numbers (machines.hpp).
#include "simulate/simulate.hpp"

#include <gmock/gmock.h>

#include "machines.hpp"
#include "plan/lower.hpp"
#include "team/memory.hpp"

namespace terrace::simulate {
namespace {

std::vector<RankProgram> parts_from(const std::string& text, Lowering lowering) {
  const auto plan = plan_from_text(text);
  EXPECT_TRUE(plan) << (plan ? "" : plan.error().sentence);
  const auto lowered = lower(plan.value(), lowering);
  EXPECT_TRUE(lowered) << (lowered ? "" : lowered.error().sentence);
  return programs_of(lowered.value());
}

SimulationOutcome play(const model::MachineModel& machine, const std::vector<Locality>& ranks,
                       const std::vector<RankProgram>& programs, const SimulationSetting& setting) {
  const auto outcome = simulate(machine, ranks, programs, setting);
  EXPECT_TRUE(outcome) << (outcome ? "" : outcome.error().sentence);
  return outcome ? outcome.value() : SimulationOutcome{};
}

SimulationSetting setting_of(Mode mode, std::size_t bytes) {
  SimulationSetting setting;
  setting.mode = mode;
  setting.element_count = bytes / 8;
  return setting;
}

double time_of(const SimulationOutcome& outcome) {
  return outcome.calls.back().last_end;
}

const std::string kOneReader = "plan bcast.hand\nranks 2\n1: out[1] = in[0]\n";

TEST(Simulate, one_line_from_one_to_another) {
  const auto machine = round_machine();
  // Reads its input (1), has to own the line at which the other looks (10), who fetches it (30) and
  // reads it (1).
  const auto near = play(machine, on_packages(1, 2), parts_from(kOneReader, Lowering::lines),
                         setting_of(Mode::real, 8));
  EXPECT_DOUBLE_EQ(time_of(near), 1 + 10 + 30 + 1);
  const auto far = play(machine, on_packages(2, 1), parts_from(kOneReader, Lowering::lines),
                        setting_of(Mode::real, 8));
  EXPECT_DOUBLE_EQ(time_of(far), 1 + 40 + 100 + 1);
}

TEST(Simulate, as_the_paper_counts_signals_are_free_and_values_are_not) {
  const auto machine = round_machine();
  // Reads (1) and writes the line (1); the other reads it (30) and writes its output (1).
  const auto lines = play(machine, on_packages(1, 2), parts_from(kOneReader, Lowering::lines),
                          setting_of(Mode::paper, 8));
  EXPECT_DOUBLE_EQ(time_of(lines), 1 + 1 + 30 + 1);
  const auto direct = play(machine, on_packages(2, 1), parts_from(kOneReader, Lowering::owner),
                           setting_of(Mode::paper, 8));
  EXPECT_DOUBLE_EQ(time_of(direct), 100 + 1);
}

TEST(Simulate, readers_of_one_line_are_served_one_after_the_other) {
  const auto programs = parts_from(
      "plan bcast.hand\nranks 5\n1: out[1] = in[0]\n2: out[2] = in[0]\n3: out[3] = in[0]\n"
      "4: out[4] = in[0]\n",
      Lowering::lines);
  const auto outcome =
      play(round_machine(), on_packages(1, 5), programs, setting_of(Mode::real, 8));
  // All spin from the beginning; when the line is owned, each further reader comes 2 ns later.
  EXPECT_DOUBLE_EQ(time_of(outcome), 1 + 10 + (3 * 2 + 30) + 1);
  EXPECT_EQ(outcome.signal_lines, 8u);  // before and after the write
}

TEST(Simulate, misses_of_one_step_overlap) {
  const auto programs = parts_from(
      "plan reduce.hand\nranks 4\n0: out[0] = in[0] + in[1] + in[2] + in[3]\n", Lowering::owner);
  const auto outcome =
      play(round_machine(), on_packages(1, 4), programs, setting_of(Mode::paper, 64));
  // Its own (1), three of others 5 ns apart, and the store (1).
  EXPECT_DOUBLE_EQ(time_of(outcome), 1 + 30 + 2 * 5 + 1);
}

TEST(Simulate, a_block_takes_its_first_line_and_then_the_stream) {
  const auto outcome =
      play(round_machine(), on_packages(2, 1), parts_from(kOneReader, Lowering::owner),
           setting_of(Mode::paper, 64 << 10));
  EXPECT_NEAR(time_of(outcome), 100 + 1023 * 10 + 1, 1e-6);
}

TEST(Simulate, two_transfers_over_a_link_get_half_each) {
  auto machine = round_machine();
  machine.distances.back().B = 10;  // as fast as one reader alone
  const auto programs = parts_from(
      "plan bcast.hand\nranks 4\n2: out[2] = in[0]\n3: out[3] = in[1]\n", Lowering::owner);
  const auto outcome =
      play(machine, on_packages(2, 2), programs, setting_of(Mode::paper, 64 << 10));
  EXPECT_NEAR(time_of(outcome), 100 + 2 * 1024 * 10 + 1, 1e-6);
  // The other direction is another link.
  const auto both = play(machine, on_packages(2, 2),
                         parts_from("plan bcast.hand\nranks 4\n2: out[2] = in[0]\n"
                                    "1: out[1] = in[3]\n",
                                    Lowering::owner),
                         setting_of(Mode::paper, 64 << 10));
  EXPECT_NEAR(time_of(both), 100 + 1024 * 10 + 1, 1e-6);
}

TEST(Simulate, what_is_longer_than_the_caches_comes_from_memory) {
  const auto programs = parts_from(kOneReader, Lowering::owner);
  const std::size_t bytes = 64 << 20;  // four times a cache
  const auto outcome =
      play(round_machine(), on_packages(1, 2), programs, setting_of(Mode::paper, bytes));
  // One core reads 64 bytes in 10 ns; what it stores also comes and goes: 20 ns at 12.8 B/ns for
  // three ways through memory are 15 ns, which is less.
  EXPECT_NEAR(time_of(outcome) / (2.0 * static_cast<double>(bytes) / 64 * 10), 1, 0.01);
  EXPECT_DOUBLE_EQ(outcome.bytes_from.back(), 2.0 * static_cast<double>(bytes));
}

/// Whatever the mode, strips and reach, what a plan moves is what it says.
TEST(Simulate, all_bytes_are_moved) {
  const auto programs = parts_from(
      "plan allreduce.hand\nranks 4\ntiles 2\n"
      "0: out[0.0] = in[0.0] + in[1.0] + in[2.0] + in[3.0]\n"
      "1: out[1.1] = in[0.1] + in[1.1] + in[2.1] + in[3.1]\n"
      "0: out[0.1] = out[1.1]\n1: out[1.0] = out[0.0]\n2: copy out[2.0], out[2.1] = out[0.0], "
      "out[1.1]\n3: copy out[3.0], out[3.1] = out[0.0], out[1.1]\n",
      Lowering::owner);
  for (const Mode mode : {Mode::paper, Mode::real})
    for (const std::size_t strip_bytes : {~std::size_t{0}, std::size_t{4096}})
      for (const bool is_direct : {true, false}) {
        SimulationSetting setting = setting_of(mode, 100'000);
        setting.strip_bytes = strip_bytes;
        setting.is_direct = is_direct;
        setting.calls = 3;
        const auto outcome = play(round_machine(), on_packages(2, 2), programs, setting);
        double sum = 0;
        for (const double bytes : outcome.bytes_from) sum += bytes;
        // Both combine 4 halves and store one; bounced, they store it to their scratch as well.
        // Ranks 2 and 3 copy, 0 and 1 copy half. Bounced, all put to scratch first what others
        // read.
        const double copied = 2 * (0.5 + 0.5 + 1 + 1), combined = 2 * (4 * 0.5 + 0.5);
        const double more = is_direct ? 0 : 2 * (0.5 + 0.5 + 1 + 1) + 2 * 0.5;
        EXPECT_DOUBLE_EQ(sum, 3 * 100'000 * (copied + combined + more));
      }
}

TEST(Simulate, a_seed_says_all) {
  const auto programs = parts_from(
      "plan reduce.hand\nranks 4\n0: out[0] = in[0] + in[1] + in[2] + in[3]\n", Lowering::lines);
  const auto times = [&](std::uint64_t seed) {
    SimulationSetting setting = setting_of(Mode::real, 8);
    setting.calls = 40;
    setting.skew = 500;
    setting.jitter = 0.2;
    setting.seed = seed;
    setting.starts_together = false;
    std::vector<double> ends;
    for (const CallTimes& call : play(round_machine(), on_packages(2, 2), programs, setting).calls)
      ends.push_back(call.last_end);
    return ends;
  };
  EXPECT_EQ(times(1), times(1));
  EXPECT_NE(times(1), times(2));
}

/// A root may send as many vectors ahead as there are lines, and no more.
TEST(Simulate, a_line_is_written_again_when_its_readers_have_returned) {
  SimulationSetting setting = setting_of(Mode::real, 8);
  setting.calls = kLineSlots + 24;
  setting.starts_together = false;
  auto machine = round_machine();
  machine.core.step = 0;
  const auto programs = parts_from(kOneReader, Lowering::lines);
  const auto outcome = play(machine, on_packages(2, 1), programs, setting);
  // The root returns at once as long as there is a free line, and then at its reader's pace.
  EXPECT_LT(outcome.calls[kLineSlots - 1].first_end, 100);
  EXPECT_GT(outcome.calls[kLineSlots].first_end, outcome.calls[0].last_end);
}

TEST(Simulate, a_plan_that_waits_for_itself_is_complained_of) {
  std::vector<RankProgram> programs = parts_from(kOneReader, Lowering::lines);
  programs[0].instructions[0].first_wait = 0;
  programs[0].instructions[0].wait_count = 1;
  programs[0].waits = {ProgramWait{1, Signal::word, When::always, 0, 0, 1, 1}};
  const auto outcome =
      simulate(round_machine(), on_packages(1, 2), programs, setting_of(Mode::real, 8));
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().sentence, testing::HasSubstr("rank 0 still waits"));
}

TEST(Simulate, more_strips_than_a_call_can_count_are_refused) {
  const auto programs = parts_from(kOneReader, Lowering::owner);
  SimulationSetting setting = setting_of(Mode::real, 0);
  setting.element_count = std::size_t{1} << 33;
  setting.strip_bytes = 1;
  const auto outcome = simulate(round_machine(), on_packages(1, 2), programs, setting);
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().sentence, testing::HasSubstr("give longer strips"));
}

TEST(Simulate, programs_and_ranks_must_match) {
  const auto programs = parts_from(kOneReader, Lowering::lines);
  EXPECT_FALSE(simulate(round_machine(), on_packages(1, 3), programs, setting_of(Mode::real, 8)));
  model::MachineModel empty;
  empty.name = "empty";
  const auto outcome = simulate(empty, on_packages(1, 2), programs, setting_of(Mode::real, 8));
  ASSERT_FALSE(outcome);
  EXPECT_THAT(outcome.error().sentence, testing::HasSubstr("'empty'"));
}

/// Intervals of a rank follow each other, lie within its calls, and say whom it waited for.
TEST(Simulate, timelines_tell_what_each_rank_did_when) {
  SimulationSetting setting = setting_of(Mode::real, 8);
  setting.has_timeline = true;
  const auto machine = round_machine();
  const auto outcome =
      play(machine, on_packages(1, 2), parts_from(kOneReader, Lowering::lines), setting);
  double end[2] = {0, 0};
  int calls = 0;
  bool waited = false;
  for (const TimelineEvent& one : outcome.events_of_ranks) {
    EXPECT_LE(one.end_ns, time_of(outcome));
    calls += one.activity == Activity::call;
    if (one.activity == Activity::call) continue;
    EXPECT_GE(one.begin_ns, end[one.rank]);
    end[one.rank] = one.end_ns;
    waited |= one.activity == Activity::wait && one.rank == 1 && one.peer == Rank{0} &&
              one.begin_ns == 0 && one.end_ns == 41 && one.level == "l3";
  }
  EXPECT_EQ(calls, 2);
  EXPECT_TRUE(waited);
}

}  // namespace
}  // namespace terrace::simulate
