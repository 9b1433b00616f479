// SPDX-License-Identifier: BSD-3-Clause
// Random programs, lowered both ways: what one thread would compute is what the plan is proved to
// compute. TERRACE_SWEEP in the environment is how many times more of them.
#include <gtest/gtest.h>

#include <cstdlib>

#include "plan/lower.hpp"
#include "unit/plan/random_program.hpp"
#include "unit/seeds.hpp"
#include "verify/verify.hpp"

namespace terrace {
namespace {

using testing_plans::random_program;
using testing_plans::RandomProgram;

std::uint64_t times(std::uint64_t usual) {
  return usual * sweep_factor();
}

std::uint32_t ring_of(std::uint64_t seed) {
  return static_cast<std::uint32_t>(1 + seed % 3);
}

VerifyOptions options_of(std::uint64_t seed) {
  VerifyOptions options;
  options.line_slots = 1000;  // whether a call's lines fit the ring is not the point here
  options.root = static_cast<Rank>(seed % 5);
  options.seed = seed;
  return options;
}

/// Proves the lowered program, its contracts, and that its text says the same.
void expect_right(const RandomProgram& program, Lowering lowering, std::uint32_t ring,
                  std::uint64_t seed) {
  const auto lowered = lower(program.plan, lowering, ring, static_cast<std::uint32_t>(seed % 4));
  ASSERT_TRUE(lowered) << "seed " << seed << ": " << lowered.error().sentence;
  const Plan& plan = lowered.value();
  const auto proof = verify(plan, program.promise, options_of(seed));
  ASSERT_TRUE(proof) << "seed " << seed << ": " << proof.error().sentence << "\n"
                     << to_text(program.plan) << to_text(plan);
  EXPECT_TRUE(proof.value().combines_in_rank_order) << "seed " << seed;
  const auto agreed = verify_contracts(plan, contracts_of(plan), options_of(seed));
  ASSERT_TRUE(agreed) << "seed " << seed << ": " << agreed.error().sentence << "\n"
                      << to_text(plan);
  const auto reread = plan_from_text(to_text(plan));
  ASSERT_TRUE(reread) << "seed " << seed << ": " << reread.error().sentence;
  EXPECT_EQ(reread.value(), plan) << "seed " << seed;
}

TEST(RandomPrograms, come_out_right_over_lines) {
  for (std::uint64_t seed = 1; seed <= times(400) && !testing::Test::HasFailure(); ++seed)
    expect_right(random_program(seed, false, false), Lowering::lines, 2, seed);
}

TEST(RandomPrograms, come_out_right_over_exposed_buffers) {
  for (std::uint64_t seed = 1; seed <= times(120) && !testing::Test::HasFailure(); ++seed)
    expect_right(random_program(seed, false, true), Lowering::owner, ring_of(seed), seed);
}

TEST(RandomPrograms, come_out_right_when_ranks_write_into_others_outputs) {
  for (std::uint64_t seed = 1; seed <= times(120) && !testing::Test::HasFailure(); ++seed)
    expect_right(random_program(seed, true, true), Lowering::owner, ring_of(seed), seed);
}

/// Some are refused: a peer writes what has been sent, or ranks exchange in one place.
TEST(RandomPrograms, come_out_right_on_several_nodes) {
  std::size_t proved = 0, refused = 0;
  const auto try_one = [&](std::uint64_t seed, bool pushes, Lowering lowering) {
    const bool cuts = lowering == Lowering::owner;
    const RandomProgram program = random_program(seed, pushes, cuts, true);
    const auto lowered = lower(program.plan, lowering, ring_of(seed));
    ++(lowered ? proved : refused);
    if (lowered) return expect_right(program, lowering, ring_of(seed), seed);
    EXPECT_EQ(lowered.error().code, ErrorCode::unsupported) << lowered.error().sentence;
  };
  for (std::uint64_t seed = 1; seed <= times(80) && !testing::Test::HasFailure(); ++seed) {
    try_one(seed, false, Lowering::lines);
    try_one(seed, false, Lowering::owner);
    try_one(seed, true, Lowering::owner);
  }
  EXPECT_GT(proved, 4 * refused);
}

TEST(RandomPrograms, survive_a_round_trip_through_text) {
  for (std::uint64_t seed = 1; seed <= times(300); ++seed) {
    const Plan plan = random_program(seed, true, true, seed % 2 == 0).plan;
    const auto reread = plan_from_text(to_text(plan));
    ASSERT_TRUE(reread) << "seed " << seed << ": " << reread.error().sentence;
    EXPECT_EQ(reread.value(), plan) << "seed " << seed;
  }
}

}  // namespace
}  // namespace terrace
