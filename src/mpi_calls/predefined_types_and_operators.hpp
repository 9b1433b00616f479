// SPDX-License-Identifier: BSD-3-Clause
// MPI's predefined types and operators, which of them go together, and the kernels that combine
// them. Handles are each ABI's own: the rooms that have them find a row here by its name.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "engine/signature.hpp"
#include "kernels/kernels.hpp"

namespace terrace {

/// Classes of types by what MPI says may be done with their elements.
enum class TypeClass : std::uint8_t {
  signed_integer,
  unsigned_integer,
  foreign_integer,  ///< Fortran's, and MPI's own: logical operators in some MPIs only
  floating,
  complex,
  logical,          ///< logical operators only
  fortran_logical,  ///< likewise, but each compiler has its own value for true
  bits,             ///< bitwise operators only
  // A value and its index, for MINLOC and MAXLOC only.
  integer_and_int,
  floating_and_int,
  two_integers,
  two_floating,
  character,  ///< moved only; in some MPIs a signed integer
  packed,     ///< moved only; in some MPIs bits
  opaque,     ///< moved, never combined by us
};

/// A predefined type as compilers of C lay it out.
struct NamedType {
  const char* name;
  TypeClass kind;
  std::size_t bytes;  ///< of its signature
  std::size_t alignment;
  bool is_fortran = false;   ///< sizes are those of most compilers: other MPIs may have others
  bool is_optional = false;  ///< not all MPIs have it

  /// Bytes of the value of a pair; of any other type, its size.
  constexpr std::size_t first_bytes() const {
    switch (kind) {
      case TypeClass::integer_and_int:
      case TypeClass::floating_and_int:
        return bytes - sizeof(int);
      case TypeClass::two_integers:
      case TypeClass::two_floating:
        return bytes / 2;
      default:
        return bytes;
    }
  }
  constexpr bool is_pair() const { return first_bytes() != bytes; }
  /// Offset of a pair's second half, after any padding.
  constexpr std::size_t second_at() const { return rounded_up(first_bytes(), second_bytes()); }
  /// Returns the distance from one element to the next.
  constexpr std::size_t extent() const {
    return rounded_up(is_pair() ? second_at() + second_bytes() : bytes, alignment);
  }

 private:
  constexpr std::size_t second_bytes() const { return bytes - first_bytes(); }
  static constexpr std::size_t rounded_up(std::size_t number, std::size_t unit) {
    return (number + unit - 1) / unit * unit;
  }
};

struct NamedOperator {
  const char* name;
  Operator op;
};

/// All that have a name in MPI.
std::span<const NamedType> named_types();
std::span<const NamedOperator> named_operators();
/// Null if there is none.
const NamedType* find_named_type(std::string_view name);

bool is_logical(Operator op);
bool is_bitwise(Operator op);

/// The kernel that combines elements of `bytes` bytes; null if no MPI pairs type and operator, or
/// no kernel exists.
Reduction kernel_for(TypeClass kind, std::size_t bytes, Operator op);
/// Whether only some MPIs pair them, beyond what the standard says.
bool is_beyond_standard(TypeClass kind, Operator op);
/// Returns what peers must combine alike, where there is a kernel.
Combination combination_of(TypeClass kind, std::size_t bytes, Operator op);
/// True if every order of combination gives the same bits: no rounding, no NaN. False also for
/// pairs.
bool is_exact(TypeClass kind);

}  // namespace terrace
