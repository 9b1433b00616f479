// SPDX-License-Identifier: BSD-3-Clause
// Goals and methods:
// - A rank that is held up at entry can be woken by whom it waits for: a root broadcasts ahead,
// step
//   by step, until a line comes round that its peer has not read.
// - A line is seen whole or not at all: two threads, the values of one line as the halves of a
//   number that changes with each call.
// - A long value that is copied by string instructions is there when it is announced: two threads,
//   one that runs ahead through scratch, compare values that change with each call.
#include "execute/run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>

#include "collectives/collectives.hpp"
#include "plan/lower.hpp"

namespace terrace {
namespace {

TEST(Run, waits_at_entry_where_the_reader_rings) {
  const Hierarchy pair = flat_hierarchy(2);
  const std::vector<RankProgram> programs = programs_of(
      lower(find_algorithm("bcast.flat")->write({pair, 0, 2}), Lowering::lines).value());
  ThreadMemory memory(2, 1024);
  for (const RankMemory& rank : memory.memory().ranks) prepare(rank, 0);
  EndpointState root(memory.memory(), 0), reader(memory.memory(), 1);
  std::uint8_t byte = 7;
  Call call;
  call.input = call.output = &byte;
  call.element_count = call.strip_elements = 1;
  const auto make_call = [&](EndpointState& state) {
    terrace::Run run(state, programs[state.rank()], call);
    return run.advance();
  };
  for (std::uint32_t i = 0; i < kLineSlots; ++i) ASSERT_EQ(Progress::done, make_call(root));
  terrace::Run held_up(root, programs[0], call);
  ASSERT_EQ(Progress::blocked, held_up.advance());
  ProgressWord& word = *memory.memory().ranks[1].word;
  EXPECT_EQ(&word.value, held_up.missing().counter);
  EXPECT_EQ(&word.sleepers, held_up.missing().sleepers);
  ASSERT_EQ(Progress::done, make_call(reader));
  EXPECT_EQ(Progress::done, held_up.advance());
}

/// As `lower` writes a rank's copies when it keeps some of what it shares: values of a line and its
/// own outputs take turns. The peer answers, so that it looks at each line while it is being
/// filled.
Plan sharing_and_keeping(std::uint32_t values) {
  PlanBuilder builder("a", 2);
  std::vector<Copy> shares, takes;
  for (std::uint32_t i = 0; i < values; ++i) {
    shares.push_back({input(0, i), scratch(0, i)});
    shares.push_back({input(0, values), output(0, i)});
    takes.push_back({scratch(0, i), output(1, i)});
  }
  builder.copy_each(0, shares);
  builder.copy_each(1, takes);
  builder.copy(0, output(1, 0), output(0, values));
  return lower(std::move(builder).build(), Lowering::lines, 2, values).value();
}

TEST(Run, shows_a_line_when_all_its_values_are_there) {
  constexpr std::uint32_t kValues = kPayloadBytes / 8;
  const std::vector<RankProgram> programs = programs_of(sharing_and_keeping(kValues));
  ThreadMemory memory(2, 1024);
  for (const RankMemory& rank : memory.memory().ranks) prepare(rank, 0);
  std::uint32_t torn = 0;
  const auto make_calls = [&](Rank rank) {
    EndpointState state(memory.memory(), rank);
    WaitEnvironment wait_environment;
    std::array<std::uint64_t, kValues + 1> input = {}, output = {};
    Call call;
    call.input = input.data();
    call.output = output.data();
    call.element_bytes = 8;
    call.element_count = call.strip_elements = call.block_elements = 1;
    for (std::uint64_t i = 1; i <= 20000; ++i) {
      input.fill(i);
      terrace::Run run(state, programs[rank], call);
      EXPECT_EQ(Progress::done, complete(run, WaitPolicy::for_ranks(2, 2), wait_environment));
      const auto end = output.begin() + kValues;
      if (rank == 1)
        torn += std::find_if(output.begin(), end, [i](auto x) { return x != i; }) != end;
    }
  };
  std::thread reader(make_calls, 1);
  make_calls(0);
  reader.join();
  EXPECT_EQ(torn, 0u);
}

TEST(Run, announces_values_that_were_copied_by_string) {
  constexpr std::size_t kValues = 4096, kScratch = 4 * kValues * 8;
  const std::vector<RankProgram> programs = programs_of(
      lower(find_algorithm("bcast.flat")->write({flat_hierarchy(2), 0, 2}), Lowering::owner)
          .value());
  ThreadMemory memory(2, kScratch);
  for (const RankMemory& rank : memory.memory().ranks) prepare(rank, 0);
  std::atomic<std::uint32_t> wrong = 0;
  const auto make_calls = [&](Rank rank) {
    EndpointState state(memory.memory(), rank);
    WaitEnvironment wait_environment;
    std::vector<std::uint64_t> values(kValues);
    Call call;
    call.input = call.output = values.data();
    call.element_bytes = 8;
    call.element_count = call.strip_elements = call.block_elements = kValues;
    call.scratch_span = kScratch;
    call.copies = CopyBy::string;
    for (std::uint64_t i = 1; i <= 2000; ++i) {
      if (rank == 0) values.assign(kValues, i);
      terrace::Run run(state, programs[rank], call);
      EXPECT_EQ(Progress::done, complete(run, WaitPolicy::for_ranks(2, 2), wait_environment));
      wrong += std::count(values.begin(), values.end(), i) != kValues;
    }
  };
  std::thread reader(make_calls, 1);
  make_calls(0);
  reader.join();
  EXPECT_EQ(wrong, 0u);
}

}  // namespace
}  // namespace terrace
