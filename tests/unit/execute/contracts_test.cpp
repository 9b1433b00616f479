// SPDX-License-Identifier: BSD-3-Clause
// Goal: what would write beyond a lease, a line or a slot of scratch, or count beyond a word, ends
// the process instead. Method: leases, programs and calls that do not belong together.
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "collectives/collectives.hpp"
#include "execute/run.hpp"
#include "plan/lower.hpp"
#include "unit/contracts.hpp"

namespace terrace {
namespace {

constexpr std::size_t kScratchBytes = 4096;

class ExecuteContracts : public testing::Test {
 protected:
  ExecuteContracts() {
    for (const RankMemory& rank : memory_.memory().ranks) prepare(rank, 0);
    call_.input = input_.data();
    call_.output = output_.data();
    call_.element_bytes = 8;
    call_.element_count = call_.strip_elements = call_.block_elements = 1;
  }

  static RankProgram allreduce(Rank ranks, Rank rank, Lowering lowering) {
    const Hierarchy all = flat_hierarchy(ranks);
    return program_of(
        lower(find_algorithm("allreduce.all_read")->write({all, 0, 8}), lowering).value(), rank);
  }
  /// Makes a run of a program, and none of its steps.
  void begin(const RankProgram& program) { terrace::Run run(state_, program, call_); }

  ThreadMemory memory_{2, kScratchBytes};
  EndpointState state_{memory_.memory(), 0};
  RankProgram lines_ = allreduce(2, 0, Lowering::lines);
  RankProgram owner_ = allreduce(2, 0, Lowering::owner);
  std::array<std::byte, 4096> input_ = {}, output_ = {};
  Call call_;
};

TEST_F(ExecuteContracts, hold_for_what_belongs_together) {
  begin(lines_);
  begin(owner_);
}

TEST_F(ExecuteContracts, of_a_team_name_its_ranks) {
  EXPECT_BROKEN(EndpointState(memory_.memory(), 2), "rank < memory.rank_count\\(\\)");
  EXPECT_BROKEN(begin(allreduce(2, 1, Lowering::lines)), "program_.rank == state_.rank\\(\\)");
  EXPECT_BROKEN(begin(allreduce(3, 0, Lowering::lines)), "program_.ranks == state_.rank_count");
}

TEST_F(ExecuteContracts, of_a_team_align_its_memory) {
  TeamMemory moved = memory_.memory();
  moved.ranks[1].scratch += 64;
  EXPECT_BROKEN(EndpointState(moved, 0), "is_apart\\(share.scratch\\)");
}

TEST_F(ExecuteContracts, keep_leases_in_scratch) {
  EXPECT_BROKEN(state_.lease(0, kScratchBytes + 128), "lease.scratch_end <= scratch_bytes_");
  EXPECT_BROKEN(state_.use_scratch(kScratchBytes + 1), "bytes <= memory_.scratch_bytes");
}

TEST_F(ExecuteContracts, forget_no_reader_of_scratch) {
  const CallContract read_by_1{false, {1}, {}};
  const auto make_calls = [&] {
    for (std::size_t i = 0; i <= kPendingScratchReaders; ++i)
      state_.give_back(state_.lease(0, 64), read_by_1);  // without a look at the readers before
  };
  EXPECT_BROKEN(make_calls(), "next_pending_ - first_pending_ < kPendingScratchReaders");
}

TEST_F(ExecuteContracts, of_a_program_fit_its_call) {
  RankProgram program = lines_;
  program.lines = kMostLines + 1;
  EXPECT_BROKEN(begin(program), "program_.lines <= kMostLines");
  program = lines_;
  program.contract.line_readers.clear();
  EXPECT_BROKEN(begin(program), "contract.line_readers.size\\(\\) == program_.lines");
  program = lines_;
  program.has_messages = true;
  EXPECT_BROKEN(begin(program), "!program_.has_messages");
}

TEST_F(ExecuteContracts, of_a_segmentation_are_those_of_its_program) {
  Segmentation other;
  segment(owner_, call_, other);
  other.steps = 1;
  EXPECT_BROKEN(terrace::Run(state_, owner_, call_, other), "segmentation_.steps ==");
  segment(owner_, call_, other);
  other.operands.clear();
  EXPECT_BROKEN(terrace::Run(state_, owner_, call_, other), "segmentation_.operands.size\\(\\) >=");
}

TEST_F(ExecuteContracts, count_steps_in_24_bits) {
  call_.element_count = std::size_t{1} << 23;
  EXPECT_BROKEN(begin(owner_), "steps < kDoneSteps");
}

TEST_F(ExecuteContracts, leave_room_for_bounce_blocks) {
  call_.is_direct_everywhere = true;
  call_.reach = Reach::bounced;
  EXPECT_BROKEN(begin(owner_), "!call_.is_direct_everywhere");
}

TEST_F(ExecuteContracts, of_calls_give_sizes) {
  Call none = call_;
  none.element_bytes = 0;
  Segmentation made;
  EXPECT_BROKEN(segment(owner_, none, made), "call.element_bytes != 0");
  none = call_;
  none.strip_elements = 0;
  EXPECT_BROKEN(segment(owner_, none, made), "count == 0 \\|\\| strip != 0");
  RankProgram program = owner_;
  program.ring = 0;
  EXPECT_BROKEN(segment(program, call_, made), "program.ring != 0");
}

TEST_F(ExecuteContracts, keep_regions_in_their_lines_and_slots) {
  Segmentation made;
  RankProgram program = owner_;
  for (ProgramRegion& region : program.targets)
    if (region.buffer == Buffer::scratch) region.block = program.scratch_blocks;
  EXPECT_BROKEN(segment(program, call_, made), "stays_in_slot\\(region, resolved\\)");
  program = program_of(
      lower(find_algorithm("bcast.flat")->write({flat_hierarchy(2), 0, 2}), Lowering::owner)
          .value(),
      0);
  for (ProgramRegion& region : program.targets) region.bounce_block = program.scratch_blocks;
  EXPECT_BROKEN(segment(program, call_, made), "stays_in_slot\\(region, resolved\\)");
  program = lines_;
  for (ProgramRegion& region : program.targets)
    if (region.buffer == Buffer::mailbox) region.block = program.lines;
  EXPECT_BROKEN(segment(program, call_, made), "region.block < program_.lines");
  call_.element_count = call_.strip_elements = kPayloadBytes / 8 + 1;
  EXPECT_BROKEN(segment(lines_, call_, made),
                "\\(region.pocket \\+ 1\\) \\* value <= kPayloadBytes");
}

TEST_F(ExecuteContracts, take_values_of_lines_whole) {
  Segmentation made;
  segment(lines_, call_, made);
  call_.first_element = 1;
  EXPECT_BROKEN(resolve_lines(lines_, call_, made), "call.first_element == 0");
  call_.first_element = 0;
  made.resolved_regions.operands.front().offset = std::size_t{1} << 32;
  EXPECT_BROKEN(resolve_lines(lines_, call_, made), "resolved.offset <= 0xffffffffu");
}

TEST_F(ExecuteContracts, of_leases_are_those_of_the_last_call) {
  const BufferLease first = state_.lease(1, 0), second = state_.lease(1, 0);
  EXPECT_BROKEN_IN_DEBUG_BUILDS(state_.tell(first, {}), "lease.call == call_");
  EXPECT_BROKEN_IN_DEBUG_BUILDS(state_.give_back(second, CallContract{}),
                                "lease.lines <= contract.line_readers.size");
  EXPECT_BROKEN_IN_DEBUG_BUILDS(state_.lease(kMostLines + 1, 0), "lines <= kMostLines");
}

TEST_F(ExecuteContracts, keep_places_in_the_team) {
  EXPECT_BROKEN_IN_DEBUG_BUILDS(state_.word(2), "rank < rank_count\\(\\)");
  EXPECT_BROKEN_IN_DEBUG_BUILDS(state_.line_at(1, kLineSlots), "slot < kLineSlots");
}

TEST_F(ExecuteContracts, restart_only_what_is_over) {
  terrace::Run run(state_, lines_, call_);
  EXPECT_BROKEN_IN_DEBUG_BUILDS(run.restart(), "has_finished_");
}

TEST_F(ExecuteContracts, let_no_vectors_overlap_partly) {
  call_.output = output_.data();
  std::array<double, 4> values = {};
  void* const target = values.data() + 1;
  EXPECT_BROKEN_IN_DEBUG_BUILDS(copy_to_all(values.data(), &target, 1, 16, Stores::cached),
                                "overlap_partly");
}

}  // namespace
}  // namespace terrace
