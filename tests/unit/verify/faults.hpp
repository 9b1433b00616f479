// SPDX-License-Identifier: BSD-3-Clause
// Plans from texts, what they promise, and what is said of their faults.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "plan/lower.hpp"
#include "verify/verify.hpp"

namespace terrace {

inline Plan parsed(const std::string& text) {
  auto plan = plan_from_text(text);
  EXPECT_TRUE(plan) << plan.error().sentence;
  return plan ? plan.value() : Plan();
}

inline Plan lowered(const std::string& text, Lowering lowering) {
  auto plan = lower(parsed(text), lowering);
  EXPECT_TRUE(plan) << plan.error().sentence;
  return plan ? plan.value() : Plan();
}

inline Terms all_inputs(Rank ranks) {
  Terms terms;
  for (Rank rank = 0; rank < ranks; ++rank) terms.push_back({rank, 0});
  return terms;
}

inline Postcondition allreduce(Rank ranks) {
  Postcondition result;
  result.outputs.assign(ranks, {all_inputs(ranks)});
  result.same_bits = true;
  return result;
}

/// "none" of a plan that is right.
inline std::string fault(const Plan& plan, const Postcondition& promise) {
  const auto proof = verify(plan, promise);
  return proof ? "none" : proof.error().sentence;
}

}  // namespace terrace
