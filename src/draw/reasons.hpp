// SPDX-License-Identifier: BSD-3-Clause
// Why a step of a lowered plan waits for another: the memory that both touch.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "plan/plan.hpp"

namespace terrace {

/// The steps of each rank in its order, closing steps last: indices into the body, counted on into
/// the closing.
std::vector<std::vector<std::size_t>> steps_by_rank(const Plan& plan);
const Step& step_at(const Plan& plan, std::size_t index);

/// Says what the awaited rank does to memory that `waiting` touches, as "it makes line[0], which
/// this step reads"; nothing if they touch none in common. `waited` is the step that the wait
/// names.
std::optional<std::string> reason_of(const Plan& plan, const Step& waiting, const Step& waited);

}  // namespace terrace
