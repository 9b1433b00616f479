// SPDX-License-Identifier: BSD-3-Clause
// The data of calls: those that a rank gives, and those that it gets.
#include "engine/buffer_touch.hpp"

#include <gtest/gtest.h>

#include <array>

namespace terrace {
namespace {

constexpr Rank kRanksOfCall = 3;
constexpr std::size_t kBytesOfBlock = 100;

/// Block numbers: the first one, and how many.
struct BlockRun {
  std::size_t first = 0, count = 0;

  bool operator==(const BlockRun&) const = default;
};

BlockRun run_of_blocks(const ByteRange& range, const std::byte* buffer) {
  if (range.bytes == 0) return {};
  EXPECT_EQ(range.bytes % kBytesOfBlock, 0u);
  return {static_cast<std::size_t>(range.begin - buffer) / kBytesOfBlock,
          range.bytes / kBytesOfBlock};
}

TEST(BufferTouch, finds_what_each_call_gives_and_receives) {
  std::array<std::byte, kRanksOfCall * kBytesOfBlock> in{}, out{};
  const auto expect = [&](Collective collective, Rank rank, BlockRun given, BlockRun received) {
    const TouchedBuffers call =
        touched_buffers(collective, in.data(), out.data(), kBytesOfBlock, 1, rank, kRanksOfCall);
    EXPECT_EQ(run_of_blocks(call.given, in.data()), given) << to_text(collective) << rank;
    EXPECT_EQ(run_of_blocks(call.received, out.data()), received) << to_text(collective) << rank;
    touch(call);
  };
  const BlockRun none, one{0, 1}, all{0, kRanksOfCall};
  for (Rank rank = 0; rank < kRanksOfCall; ++rank) {
    const bool is_root = rank == 1;
    const BlockRun own{rank, 1};
    expect(Collective::barrier, rank, none, none);
    expect(Collective::bcast, rank, is_root ? one : none, is_root ? none : one);
    expect(Collective::reduce, rank, one, is_root ? one : none);
    expect(Collective::allreduce, rank, one, one);
    expect(Collective::scan, rank, one, one);
    expect(Collective::exscan, rank, one, rank == 0 ? none : one);
    expect(Collective::allgather, rank, own, all);
    expect(Collective::gather, rank, own, is_root ? all : none);
    expect(Collective::scatter, rank, is_root ? all : none, own);
    expect(Collective::alltoall, rank, all, all);
    expect(Collective::reduce_scatter_block, rank, all, one);
  }
}

}  // namespace
}  // namespace terrace
