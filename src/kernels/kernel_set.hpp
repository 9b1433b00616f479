// SPDX-License-Identifier: BSD-3-Clause
// All kernels of one instruction set, and how one set is chosen. Private to this room.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "kernels/testing.hpp"

namespace terrace {

inline constexpr std::size_t kTypes = 22;
inline constexpr std::size_t kOperators = 12;
static_assert(static_cast<std::size_t>(Type::float64_float64) + 1 == kTypes);
static_assert(static_cast<std::size_t>(Operator::maximum_location) + 1 == kOperators);

/// Ordered from the least to the most capable; `baseline` runs on every processor the compiler
/// targets.
enum class InstructionSet : std::uint8_t { baseline, sse4, avx2, avx3, neon, sve };
inline constexpr std::size_t kInstructionSets = 6;

struct KernelSet {
  const char* name = nullptr;
  std::size_t vector_bytes = 0;  ///< of the longest vectors; SVE's differ between processors
  CopyToAll copy = nullptr;
  std::array<std::array<Reduction, kOperators>, kTypes> reductions{};

  Reduction& at(Type type, Operator op) {
    return reductions[static_cast<std::size_t>(type)][static_cast<std::size_t>(op)];
  }
  Reduction at(Type type, Operator op) const {
    return reductions[static_cast<std::size_t>(type)][static_cast<std::size_t>(op)];
  }
};

/// Enters what is combined one element after the other, the same for every instruction set.
void add_plain(KernelSet& kernels);

/// Each enters the kernels of one file, as compiled for one instruction set; false if the file was
/// not compiled for it.
bool add_sums(InstructionSet set, KernelSet& kernels);
bool add_products(InstructionSet set, KernelSet& kernels);
bool add_extremes(InstructionSet set, KernelSet& kernels);
bool add_logic(InstructionSet set, KernelSet& kernels);
bool add_complex(InstructionSet set, KernelSet& kernels);
bool add_copies(InstructionSet set, KernelSet& kernels);

}  // namespace terrace
