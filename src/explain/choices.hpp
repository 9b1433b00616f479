// SPDX-License-Identifier: BSD-3-Clause
// The ways to run a call that `explain` compares and `search` looks among.
#pragma once

#include <string>
#include <vector>

#include "api/prediction.hpp"

namespace terrace::explain {

/// What is worth a comparison: each algorithm of the collective that fits so many bytes, with few
/// and many operands a step, whole and in strips.
std::vector<Choice> choices_of(Collective, std::size_t bytes, Rank ranks);

/// "allreduce.tree over lines, up to 2 operands a step"; "allreduce.tiled, ..., strips of 64 KiB".
std::string to_text(const Prediction&);

}  // namespace terrace::explain
