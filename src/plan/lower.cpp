// SPDX-License-Identifier: BSD-3-Clause
// Lowering: where a value goes so that peers can reach it (lower_lines.cpp, lower_owner.cpp), then
// the waits (waits.cpp).
#include "plan/lower.hpp"

#include "plan/lowerings.hpp"

namespace terrace {

Result<Plan> lower(const Plan& plan, Lowering lowering, std::uint32_t ring, std::uint32_t pockets) {
  if (Result<bool> shape = check_shape(plan); !shape) return shape.error();
  if (plan.lowering != Lowering::none || lowering == Lowering::none)
    return unsupported(plan, "is lowered already, or to nothing: lower what an author wrote");
  Result<Plan> lowered =
      lowering == Lowering::lines ? lower_to_lines(plan, pockets) : lower_to_owner(plan, ring);
  if (lowered) derive_waits(lowered.value());
  return lowered;
}

}  // namespace terrace
