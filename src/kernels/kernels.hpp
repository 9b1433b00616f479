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
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float32,
  float64,
  long_double,
  // Real part, then imaginary part.
  complex64,
  complex128,
  complex_long_double,
  // A value, then its index, with nothing between or after them.
  int16_int32,
  int32_int32,
  int64_int32,
  float32_int32,
  float64_int32,
  long_double_int32,
  float32_float32,
  float64_float64,
};

/// Whether sums of this type are the same in any order, to the last bit.
constexpr bool is_integer(Type type) {
  return type <= Type::uint64;
}

enum class Operator : std::uint8_t {
  sum,
  product,
  minimum,
  maximum,
  logical_and,
  logical_or,
  logical_xor,
  bitwise_and,
  bitwise_or,
  bitwise_xor,
  minimum_location,
  maximum_location,
};

/// The way in which long vectors are gone through. Hardware prefetchers follow each page by itself,
/// and begin anew at its end, so that a processor may have more lines on their way from another
/// core if it goes through several pages at once. Trials find out what each processor likes.
enum class CopyBy : std::uint8_t {
  lines,   ///< one line after the other
  pages,   ///< a line of each of several pages in turn: copies to one target, two operands into one
  string,  ///< for those who call copy_by_string; by lines elsewhere
};

/// The way results are stored: to the first `cached_targets` through the caches, to the others by
/// non-temporal stores, after which a kernel fences before it returns. These take lines away from
/// other caches without reading them. That pays where the bytes touched exceed the caches, and
/// where a peer on a distant core has the lines; elsewhere it costs.
struct Stores {
  std::uint32_t cached_targets;
  CopyBy by = CopyBy::lines;
  bool prefetches = false;  ///< copies by pages prefetch the target's lines, which peers have

  static const Stores cached, streaming;
  constexpr Stores streaming_from(std::size_t target) const {
    return {static_cast<std::uint32_t>(target), by, prefetches};
  }
  constexpr Stores copied_by(CopyBy way) const { return {cached_targets, way, prefetches}; }
  constexpr Stores prefetching() const { return {cached_targets, by, true}; }
  constexpr bool streams_any(std::size_t target_count) const {
    return cached_targets < target_count;
  }
  constexpr bool streams(std::size_t target) const { return target >= cached_targets; }
  constexpr bool operator==(const Stores&) const = default;
};
inline constexpr Stores Stores::cached{~std::uint32_t{0}};
inline constexpr Stores Stores::streaming{0};
static_assert(sizeof(Stores) == 8, "kernels get it in a register");

/// target[t][i] = ((operand[0][i] op operand[1][i]) op operand[2][i]) ... for every target t, in
/// exactly that order for each element, the same bits in vector body, tail and instruction set.
/// Needs operand_count >= 1 (one is a copy) and target_count >= 1; both may be of any size, and
/// operands are read in passes of up to 8. A target may be the same memory as an operand, but must
/// not overlap one partly, nor another target. No alignment is required.
///
/// With `a` what is combined so far and `b` the next operand:
///   sum, product         of integers wrap around
///   minimum              b < a ? b : a, so of floats: a NaN that comes first stays, a later NaN is
///   maximum              b > a ? b : a  ignored, and of zeros that differ in sign the first stays
///   logical operators    yield 0 or 1; any other value than 0 counts as true
///   product of complex   as C has it, without fused operations: a product with infinity is
///   infinite minimum_location     of pairs: b if its value < a's; of equal values that of a, with
///   the lower maximum_location     index; a otherwise, so a NaN that comes first stays
/// One freedom remains: a float sum or product of two NaNs is a NaN, but either of their payloads.
/// Bytes of a long double that hold nothing are zero in what was combined.
using Reduction = void (*)(const void* const* operands, std::size_t operand_count,
                           void* const* targets, std::size_t target_count,
                           std::size_t element_count, Stores stores) noexcept;

/// The kernel, or null where MPI gives the pair no meaning (logical and bitwise operators on
/// floats; orders of complex numbers; anything but locations on pairs, and locations on anything
/// else). A table look-up after the first call in the process.
Reduction find_reduction(Type type, Operator op);

/// Copies `bytes` to every target, reading the source once. Regions must not overlap, except that a
/// target equal to `from` is left alone.
void copy_to_all(const void* from, void* const* targets, std::size_t target_count,
                 std::size_t bytes, Stores stores) noexcept;

std::size_t size_of(Type type);
const char* to_text(Type type);
const char* to_text(Operator op);
std::optional<Type> type_from_text(const std::string& text);
std::optional<Operator> operator_from_text(const std::string& text);

/// The instruction set in use: "AVX3", "AVX2", "SSE4", "NEON" or "baseline". The best there is,
/// unless TERRACE_ISA names another; a name unknown to us or the processor is ignored. The variable
/// is read when a kernel is first asked for.
const char* instruction_set();

}  // namespace terrace
