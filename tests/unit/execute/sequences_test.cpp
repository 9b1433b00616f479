// SPDX-License-Identifier: BSD-3-Clause
// Sequences of mixed calls through the real executor. Goal: no result depends on who runs when.
// Method: each seed draws a script and an interleaving; a failure prints the seed.
#include "sequences.hpp"

#include <gtest/gtest.h>

#include "machines/shapes.hpp"

namespace terrace {
namespace {

class Interleaved : public testing::TestWithParam<Rank> {};

TEST_P(Interleaved, mixed_calls_give_right_results_in_any_order) {
  const Rank ranks = GetParam();
  for (const auto& [name, hierarchy] : shapes::hierarchies(ranks)) {
    const sequences::Plans plans(hierarchy);
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      const auto script = sequences::script(plans, 150, seed, 300, sequences::kScratchBytes);
      sequences::Team team(ranks, sequences::kScratchBytes, script, 0);
      ASSERT_EQ(sequences::play_interleaved(team, seed), "") << name << ", seed " << seed;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Ranks, Interleaved, testing::Values(1, 2, 3, 4, 5, 8));

/// Buffers that lie where only the kernel can read them, or where they must be attached first,
/// beside others.
TEST(Sequences, values_are_pulled_where_plans_only_copy) {
  const sequences::Plans plans(flat_hierarchy(3));
  std::size_t pulled = 0, attached = 0, pullable = 0;
  for (const auto& row : plans.rows()) {
    const bool can_be_pulled = row.programs.front().can_be_pulled;
    for (const RankProgram& program : row.programs)
      EXPECT_EQ(program.can_be_pulled, can_be_pulled) << row.text;
    if (row.lowering == Lowering::lines || row.algorithm->name == "allreduce.all_read" ||
        row.algorithm->name == "gather.push") {
      EXPECT_FALSE(can_be_pulled) << row.text;
    }
    pullable += can_be_pulled;
    if (!can_be_pulled) continue;
    std::vector<sequences::ScriptedCall> script;
    for (std::uint64_t seed = 0; seed < 60; ++seed)
      script.push_back(
          {&row.programs, row.algorithm->collective, row.root, 50, 16, seed, std::nullopt});
    sequences::Team team(3, sequences::kScratchBytes, script, 0);
    ASSERT_EQ(sequences::play_interleaved(team, 5), "") << row.text;
    std::size_t pulls = 0;
    for (const auto& player : team.players) pulls += player->puller.pulls;
    pulled += pulls > 0;
    std::size_t attachments = 0;
    for (const auto& player : team.players) attachments += player->attacher.attachments;
    attached += attachments > 0;
  }
  EXPECT_GT(pullable, 5u);
  EXPECT_EQ(pulled, pullable) << "plans whose values nobody has pulled";
  EXPECT_EQ(attached, pullable) << "plans whose values nobody has attached";
}

/// A run that cannot read a peer's memory ends, and goes on no more.
TEST(Sequences, a_refused_pull_ends_the_run) {
  const sequences::Plans plans(flat_hierarchy(2));
  const auto row = std::find_if(plans.rows().begin(), plans.rows().end(), [](const auto& one) {
    return one.algorithm->name == "gather.flat" && one.lowering == Lowering::owner;
  });
  ThreadMemory memory(2, sequences::kScratchBytes);
  std::vector<int> input(2, 7), output(2, 0);
  std::vector<std::unique_ptr<EndpointState>> members;
  std::vector<std::unique_ptr<terrace::Run>> runs;
  sequences::NearPuller puller;
  puller.is_refused = true;
  Call call{input.data(), output.data(), 1, 1};
  call.element_bytes = sizeof(int);
  call.strip_elements = 1;
  call.reach = Reach::pulled;
  call.puller = &puller;
  for (Rank rank = 0; rank < 2; ++rank) {
    prepare(memory.memory().ranks[rank], 0);
    members.push_back(std::make_unique<EndpointState>(memory.memory(), rank));
    runs.push_back(std::make_unique<terrace::Run>(*members[rank], row->programs[rank], call));
  }
  EXPECT_EQ(runs[1]->advance(), Progress::blocked) << "its block has not been taken";
  EXPECT_EQ(runs[0]->advance(), Progress::unreachable);
  EXPECT_EQ(runs[0]->advance(), Progress::unreachable);
  EXPECT_EQ(runs[1]->advance(), Progress::blocked);
}

/// Likewise where its memory cannot be attached, for whatever it is needed.
TEST(Sequences, a_refused_attachment_ends_the_run) {
  for (const char* name : {"gather.flat", "reduce.push", "allgather.push", "bcast.split"}) {
    const sequences::Plans plans(flat_hierarchy(2));
    const auto row = std::find_if(plans.rows().begin(), plans.rows().end(), [&](const auto& one) {
      return one.algorithm->name == name && one.lowering == Lowering::owner;
    });
    ASSERT_NE(row, plans.rows().end()) << name;
    ThreadMemory memory(2, sequences::kScratchBytes);
    std::vector<int> input[2], output[2];
    Call calls[2];
    std::vector<std::unique_ptr<EndpointState>> members;
    std::vector<std::unique_ptr<terrace::Run>> runs;
    sequences::NearAttacher attacher;
    attacher.is_refused = true;
    for (Rank rank = 0; rank < 2; ++rank) {
      input[rank].resize(64, 7);
      output[rank].resize(64, 0);
      Call& call = calls[rank];
      call = {input[rank].data(), output[rank].data(), 32, 32};
      call.element_bytes = sizeof(int);
      call.strip_elements = 32;
      call.reduction = find_reduction(Type::int32, Operator::sum);
      call.reach = Reach::attached;
      call.attacher = &attacher;
      prepare(memory.memory().ranks[rank], 0);
      members.push_back(std::make_unique<EndpointState>(memory.memory(), rank));
      runs.push_back(std::make_unique<terrace::Run>(*members[rank], row->programs[rank], call));
    }
    bool is_unreachable = false;
    for (int turn = 0; turn < 8; ++turn)
      for (const auto& run : runs) is_unreachable |= run->advance() == Progress::unreachable;
    EXPECT_TRUE(is_unreachable) << name;
    EXPECT_GT(attacher.attachments, 0u) << name;
    for (const auto& run : runs)
      EXPECT_TRUE(run->advance() == Progress::unreachable || run->advance() == Progress::blocked)
          << name;
  }
}

/// Call numbers in words have 40 bits; starting below the wrap crosses it within the script.
TEST(Sequences, survive_the_wrap_of_call_numbers) {
  const Hierarchy hierarchy = flat_hierarchy(3);
  const sequences::Plans plans(hierarchy);
  const auto script = sequences::script(plans, 200, 7, 100, sequences::kScratchBytes);
  sequences::Team team(3, sequences::kScratchBytes, script, (std::uint64_t{1} << 40) - 100);
  EXPECT_EQ(sequences::play_interleaved(team, 7), "");
}

/// The scenario that breaks slots by parity of calls: allreduce, bcast, allreduce.
TEST(Sequences, a_broadcast_between_two_allreduces_does_no_harm) {
  const Hierarchy hierarchy = flat_hierarchy(2);
  const sequences::Plans plans(hierarchy);
  std::vector<sequences::ScriptedCall> script;
  const auto add = [&](std::string_view name, std::uint64_t seed) {
    for (const auto& row : plans.rows())
      if (row.algorithm->name == name && row.root == 0 && row.lowering == Lowering::lines)
        script.push_back({&row.programs, row.algorithm->collective, 0, 1, 1, seed});
  };
  for (std::uint64_t i = 0; i < 300; ++i) {
    add("allreduce.all_read", 3 * i);
    add("bcast.flat", 3 * i + 1);
    add("allreduce.all_read", 3 * i + 2);
  }
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    sequences::Team team(2, sequences::kScratchBytes, script, 0);
    ASSERT_EQ(sequences::play_interleaved(team, seed), "") << "seed " << seed;
  }
}

/// However long the vector, a strip fits the scratch; what has no step numbers takes another call.
TEST(Strips, never_exceed_the_scratch) {
  const sequences::Plans plans(flat_hierarchy(3));
  for (const auto& row : plans.rows()) {
    if (row.lowering != Lowering::owner) continue;
    const RankProgram& program = row.programs.front();
    Call call;
    call.element_count = std::size_t{1} << 40;
    call.element_bytes = 8;
    const std::size_t strip = strip_elements(program, call, 1 << 20, sequences::kScratchBytes);
    EXPECT_LE(strip * 8 * program.ring * blocks_per_slot(program, false), sequences::kScratchBytes)
        << program.name;
    const std::size_t strips = most_elements(program, strip) / strip;
    EXPECT_LT(strips * program.most_steps_per_strip, kDoneSteps) << program.name;
    EXPECT_GT(strips, 1000u) << program.name;
  }
}

/// Those above are too short to be copied several pages at once or by string instructions, and have
/// no deep rings of strips.
void play_long_values(std::uint32_t ring, std::size_t strip_bytes) {
  constexpr std::size_t kScratch = std::size_t{1} << 20;
  const sequences::Plans plans(flat_hierarchy(3), 3, algorithms(), sequences::Which::on_one_node,
                               ring);
  for (const auto& row : plans.rows()) {
    if (row.lowering == Lowering::lines) continue;
    Call shape;
    shape.element_count = 6000;
    shape.element_bytes = 8;
    const std::size_t strip = strip_elements(row.programs.front(), shape, strip_bytes, kScratch);
    std::vector<sequences::ScriptedCall> script;
    for (std::uint64_t seed = 0; seed < 12; ++seed)
      script.push_back({&row.programs, row.algorithm->collective, row.root, shape.element_count,
                        strip, seed, std::nullopt, seed % 3 == 0 ? 0 : kScratch / 2});
    sequences::Team team(3, kScratch, script, 0);
    EXPECT_EQ(sequences::play_interleaved(team, 5), "") << row.text;
  }
}

TEST(Sequences, of_long_values_give_right_results) {
  play_long_values(2, 20 << 10);
}

TEST(Sequences, of_many_strips_in_deep_rings_give_right_results) {
  play_long_values(16, 1100);  // 44 strips, the last one shorter
}

class Threads : public testing::TestWithParam<Rank> {};

/// The same on threads.
TEST_P(Threads, mixed_calls_give_right_results) {
  const Rank ranks = GetParam();
  const auto all = shapes::hierarchies(ranks);
  for (std::size_t which = 0; which < all.size(); which += 5) {
    const sequences::Plans plans(all[which].hierarchy);
    const auto script = sequences::script(plans, 1000, which, 300, sequences::kScratchBytes);
    sequences::Team team(ranks, sequences::kScratchBytes, script, 0);
    sequences::play_on_threads(team, which);
    for (const auto& player : team.players) EXPECT_EQ(player->complaint(), "") << all[which].name;
  }
}
INSTANTIATE_TEST_SUITE_P(Ranks, Threads, testing::Values(2, 3, 4, 8));

}  // namespace
}  // namespace terrace
