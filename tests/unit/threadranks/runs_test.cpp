// SPDX-License-Identifier: BSD-3-Clause
// Layouts that are cut into pieces of addresses, as calls between processes carry them.
#include <gtest/gtest.h>

#include <numeric>

#include "threadranks/windows/runs.hpp"

namespace terrace::threadranks {
namespace {

constexpr std::uintptr_t kLong = 0x20a, kShortInt = 0x22c;

/// Two of `type` in three.
Datatype* with_gaps(Datatype& type) {
  const TypeBlock block{0, 2, &type};
  Datatype* const pair = Datatype::of_blocks({&block, 1}, {});
  Datatype* const made = Datatype::resized(*pair, 0, 3 * type.extent(), {});
  pair->release();
  return made;
}

/// Elements that touch each other, and begin behind the buffer's address.
Datatype* shifted(Datatype& type) {
  const TypeBlock block{static_cast<std::ptrdiff_t>(type.size()), 1, &type};
  return Datatype::of_blocks({&block, 1}, {});
}

/// The bytes of all pieces, each of which fits `room` and has whole granules.
std::vector<std::byte> in_pieces(const Layout& layout, std::size_t granule, std::size_t room) {
  LayoutCursor cursor(layout);
  std::vector<std::byte> all;
  for (std::size_t left = layout.bytes(); left > 0;) {
    Runs runs;
    const std::size_t bytes = take_runs(cursor, left, granule, room, runs);
    EXPECT_EQ(bytes, bytes_of(runs));
    EXPECT_EQ(bytes % granule, 0u);
    EXPECT_LE(bytes + runs.size() * sizeof(ByteRun), room);
    const std::size_t before = all.size();
    all.resize(before + bytes);
    gather(runs, all.data() + before);
    left -= bytes;
  }
  return all;
}

std::vector<std::byte> packed(const Layout& layout) {
  std::vector<std::byte> all(layout.bytes());
  pack(layout, all.data(), all.size());
  return all;
}

}  // namespace

// Goal: whatever the room, pieces bring each byte once, in order, and part no element.
TEST(Runs, bring_all_bytes_in_whole_elements) {
  std::vector<unsigned char> memory(30'000);
  std::iota(memory.begin(), memory.end(), static_cast<unsigned char>(0));
  for (const std::uintptr_t standard : {kByte, kLong, kShortInt}) {
    Datatype* const basic = predefined_type(standard);
    ASSERT_NE(basic, nullptr);
    Datatype *const gaps = with_gaps(*basic), *const touching = shifted(*basic);
    for (Datatype* const type : {basic, gaps, touching})
      for (const std::size_t room : {48u, 49u, 63u, 90u, 100u, 1000u, 8000u}) {
        const Layout layout{memory.data(), 500, type};
        EXPECT_EQ(in_pieces(layout, basic->size(), room), packed(layout))
            << standard << " " << room;
      }
    gaps->release();
    touching->release();
  }
}

// Goal: what is scattered comes to where it was gathered, and nothing between is touched.
TEST(Runs, scatter_what_they_have_gathered) {
  Datatype* const type = with_gaps(*predefined_type(kLong));
  std::vector<long> from(300), to(300, -1);
  std::iota(from.begin(), from.end(), 0L);
  const Layout there{to.data(), 100, type};
  LayoutCursor cursor(there);
  Runs runs;
  add_runs(cursor, there.bytes(), runs);
  EXPECT_EQ(runs.size(), 100u);
  scatter(packed({from.data(), 100, type}).data(), runs);
  for (std::size_t i = 0; i < to.size(); ++i)
    EXPECT_EQ(to[i], i % 3 == 2 ? -1 : static_cast<long>(i));
  type->release();
}

}  // namespace terrace::threadranks
