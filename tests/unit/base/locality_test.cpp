// SPDX-License-Identifier: BSD-3-Clause
// The text form of localities: it round-trips, and what is no locality is refused with a sentence.
#include "base/locality.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "machines/shapes.hpp"

namespace terrace {
namespace {

using testing::HasSubstr;

TEST(Locality, text_names_the_places_outermost_first) {
  const Locality locality{{{"node", 0}, {"package", 1}, {"l3", 3}, {"core", 17}}};
  EXPECT_EQ(to_text(locality), "node:0/package:1/l3:3/core:17");
  EXPECT_EQ(to_text(Locality{}), "");
}

TEST(Locality, text_of_every_shape_round_trips) {
  for (Rank rank_count : {1u, 2u, 9u, 17u})
    for (const shapes::Shape& shape : shapes::shapes(rank_count))
      for (const Locality& locality : shape.localities) {
        const Result<Locality> again = locality_from_text(to_text(locality));
        ASSERT_TRUE(again.ok()) << again.error().sentence;
        EXPECT_EQ(again.value(), locality) << shape.name;
      }
}

TEST(Locality, largest_index_round_trips) {
  const Locality locality{{{"node", ~std::uint64_t{0}}}};
  const Result<Locality> again = locality_from_text(to_text(locality));
  ASSERT_TRUE(again.ok()) << again.error().sentence;
  EXPECT_EQ(again.value(), locality);
}

TEST(Locality, refuses_text_that_is_none_and_names_the_place) {
  for (const char* text : {"node", "node:", ":3", "node:0/", "/node:0", "node:0//core:1", "node:-1",
                           "node:1x", "node:0x1", "No de:1", "node:18446744073709551616", "a:1 "}) {
    const Result<Locality> locality = locality_from_text(text);
    ASSERT_FALSE(locality.ok()) << text;
    EXPECT_EQ(locality.error().code, ErrorCode::argument);
    EXPECT_THAT(locality.error().sentence, HasSubstr("expected LEVEL:NUMBER")) << text;
    EXPECT_THAT(locality.error().sentence, HasSubstr(text));
  }
}

TEST(Locality, loses_its_innermost_places_where_it_must_be_short) {
  const std::string text = "node:0/package:1/core:17";
  EXPECT_EQ(cut_to(text.size(), text), text);
  EXPECT_EQ(cut_to(text.size() - 1, text), "node:0/package:1");
  EXPECT_EQ(cut_to(6, text), "node:0");
  EXPECT_EQ(cut_to(5, text), "");
  EXPECT_EQ(cut_to(20, "no-slash-in-all-of-this-text"), "");
}

}  // namespace
}  // namespace terrace
