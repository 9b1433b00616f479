// SPDX-License-Identifier: BSD-3-Clause
// Measures the costs of one core by the thread that runs on it: its own steps, arithmetic and
// copies. No other thread takes part.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "model/machine_model.hpp"

namespace terrace::measure {

/// Entering a call, a step, a look, a publication: of calls that one thread makes for two ranks in
/// turn, so that all lines lie in its own cache. `clock` is left as it is; the rest in ns,
/// lines of `kLineBytes`. Takes a tenth of a millisecond for each of `repeats`.
model::Core measure_core(int repeats);

/// Median time of `repeats` copies of a line of a value of `bytes` bytes from one place of this
/// thread's memory to another, each of several copies in a row if they are short. `room` has twice
/// as many bytes.
double measure_copy(std::span<std::byte> room, std::size_t bytes, int repeats);

}  // namespace terrace::measure
