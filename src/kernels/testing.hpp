// SPDX-License-Identifier: BSD-3-Clause
// Access to the kernels of every instruction set at once, for tests and benchmarks. Everyone else
// uses kernels.hpp, which chooses.
#pragma once

#include <string>
#include <vector>

#include "kernels/kernels.hpp"

namespace terrace {

/// Signature of copy_to_all.
using CopyToAll = void (*)(const void* from, void* const* targets, std::size_t target_count,
                           std::size_t bytes, Stores stores) noexcept;

/// Lists the sets compiled in that this processor can run, from the least to the most capable.
std::vector<std::string> available_instruction_sets();

/// Finds kernels as find_reduction and copy_to_all do, for one of the available sets; null for an
/// unknown one.
Reduction find_reduction_for(const std::string& set, Type type, Operator op);
CopyToAll find_copy_for(const std::string& set);

}  // namespace terrace
