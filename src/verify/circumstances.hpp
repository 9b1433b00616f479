// SPDX-License-Identifier: BSD-3-Clause
// Circumstances: conditions that a plan cannot know and must work under: how many strips a call
// has, which ranks call in place, and how each rank lets its peers reach its buffers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "plan/plan.hpp"
#include "verify/verify.hpp"

namespace terrace {

struct Circumstances {
  std::uint32_t strips = 1;
  bool is_last_short = false;  ///< of the last strip, only the last tile holds any elements
  std::vector<bool> in_place;  ///< per rank: input and output are the same memory
  std::vector<bool> direct;    ///< per rank: peers touch the user's buffers themselves
};

/// Lists the circumstances that a plan is proved under. Strips: 1, 2, and enough for a ring slot to
/// be used twice and three times. In place: no rank, all ranks, the root alone, one other rank
/// alone. Reach (only where buffers are exposed): all direct, all bounced, each rank unlike all
/// others, some mixes; no rank both in place and direct if the plan says so. What is pulled needs
/// no proof of its own: its waits are those of direct, and peers read the same places at the same
/// steps, only by the kernel; plans that write there or combine are not pulled.
std::vector<Circumstances> circumstances_of(const Plan& plan, const VerifyOptions& options);

/// "3 strips, in place on rank 0 alone, direct on all ranks".
std::string to_text(const Circumstances& circumstances, const Plan& plan);

}  // namespace terrace
