// SPDX-License-Identifier: BSD-3-Clause
// Reductions and copies: the only code that touches a user's elements. Chosen once per call by
// type and operator, dispatched once per process to the best instruction set.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace terrace {

enum class Type : std::uint8_t {
  int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64,
};

enum class Operator : std::uint8_t {
  sum, product, minimum, maximum,
  logical_and, logical_or, logical_xor, bitwise_and, bitwise_or, bitwise_xor,
};

/// How results are stored. `streaming` bypasses the caches (and fences before it returns), which
/// pays only when the bytes touched exceed them.
enum class Stores : std::uint8_t { cached, streaming };

/// target[t][i] = ((operand[0][i] op operand[1][i]) op operand[2][i]) ... for every target t, in
/// exactly that order for each element, the same bits in vector body, tail and instruction set.
/// Needs operand_count >= 1 (one is a copy) and target_count >= 1; both may be of any size, and
/// operands are read in passes of up to 8. A target may be the same memory as an operand, but must
/// not overlap one partly, nor another target. No alignment is required.
using Reduction = void (*)(const void* const* operands, std::size_t operand_count,
                           void* const* targets, std::size_t target_count,
                           std::size_t element_count, Stores stores) noexcept;

/// The kernel, or null where MPI gives the pair no meaning (bitwise operators on floats).
Reduction find_reduction(Type type, Operator op);

/// Copies `bytes` to every target. Regions must not overlap, except that a target equal to `from`
/// is left alone.
void copy_to_all(const void* from, void* const* targets, std::size_t target_count,
                 std::size_t bytes, Stores stores) noexcept;

std::size_t size_of(Type type);
const char* to_text(Type type);
const char* to_text(Operator op);
std::optional<Type> type_from_text(const std::string& text);
std::optional<Operator> operator_from_text(const std::string& text);

/// The instruction set in use ("AVX3", "AVX2", "SSE4", ...); TERRACE_ISA forces one by name.
const char* instruction_set();

}  // namespace terrace
