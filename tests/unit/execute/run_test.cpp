// SPDX-License-Identifier: BSD-3-Clause
// Goal: a rank that is held up at entry can be woken by whom it waits for. Method: a root that
// broadcasts ahead, step by step, until a line comes round that its peer has not read.
#include "execute/run.hpp"

#include <gtest/gtest.h>

#include "collectives/collectives.hpp"
#include "plan/lower.hpp"

namespace terrace {
namespace {

TEST(Run, waits_at_entry_where_the_reader_rings) {
  const Hierarchy pair = flat_hierarchy(2);
  const std::vector<Part> parts =
      parts_of(lower(find_algorithm("bcast.flat")->write({pair, 0, 2}), Lowering::lines).value());
  ThreadMemory memory(2, 1024);
  for (const RankMemory& rank : memory.memory().ranks) prepare(rank, 0);
  Member root(memory.memory(), 0), reader(memory.memory(), 1);
  std::uint8_t byte = 7;
  Call call;
  call.input = call.output = &byte;
  call.element_count = call.strip_elements = 1;
  const auto make_call = [&](Member& member) {
    terrace::Run run(member, parts[member.rank()], call);
    return run.advance();
  };
  for (std::uint32_t i = 0; i < kLineSlots; ++i) ASSERT_EQ(Progress::done, make_call(root));
  terrace::Run held_up(root, parts[0], call);
  ASSERT_EQ(Progress::blocked, held_up.advance());
  Word& word = *memory.memory().ranks[1].word;
  EXPECT_EQ(&word.value, held_up.missing().counter);
  EXPECT_EQ(&word.sleepers, held_up.missing().sleepers);
  ASSERT_EQ(Progress::done, make_call(reader));
  EXPECT_EQ(Progress::done, held_up.advance());
}

}  // namespace
}  // namespace terrace
