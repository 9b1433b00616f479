// SPDX-License-Identifier: BSD-3-Clause
// MPI's predefined types and operators, and the kernels that combine them.
#include "preload/below.hpp"

namespace terrace::preload {

namespace {

/// C's pairs, as compilers lay them out.
template <class Value>
struct Pair {
  Value value;
  int index;
};
template <class Value>
constexpr TypeName pair_row(const char* name, Kind kind) {
  return {name, kind, sizeof(Value) + sizeof(int), sizeof(Pair<Value>)};
}

}  // namespace

const std::array<TypeName, kTypeNameCount> kTypeNames = {{
    {"MPI_BYTE", Kind::bits, 1},
    {"MPI_PACKED", Kind::opaque, 1},
    {"MPI_CHAR", Kind::opaque, sizeof(char)},
    {"MPI_WCHAR", Kind::opaque, sizeof(wchar_t)},
    {"MPI_SIGNED_CHAR", Kind::signed_integer, sizeof(signed char)},
    {"MPI_SHORT", Kind::signed_integer, sizeof(short)},
    {"MPI_INT", Kind::signed_integer, sizeof(int)},
    {"MPI_LONG", Kind::signed_integer, sizeof(long)},
    {"MPI_LONG_LONG_INT", Kind::signed_integer, sizeof(long long)},
    {"MPI_UNSIGNED_CHAR", Kind::unsigned_integer, sizeof(unsigned char)},
    {"MPI_UNSIGNED_SHORT", Kind::unsigned_integer, sizeof(unsigned short)},
    {"MPI_UNSIGNED", Kind::unsigned_integer, sizeof(unsigned)},
    {"MPI_UNSIGNED_LONG", Kind::unsigned_integer, sizeof(unsigned long)},
    {"MPI_UNSIGNED_LONG_LONG", Kind::unsigned_integer, sizeof(unsigned long long)},
    {"MPI_INT8_T", Kind::signed_integer, 1},
    {"MPI_INT16_T", Kind::signed_integer, 2},
    {"MPI_INT32_T", Kind::signed_integer, 4},
    {"MPI_INT64_T", Kind::signed_integer, 8},
    {"MPI_UINT8_T", Kind::unsigned_integer, 1},
    {"MPI_UINT16_T", Kind::unsigned_integer, 2},
    {"MPI_UINT32_T", Kind::unsigned_integer, 4},
    {"MPI_UINT64_T", Kind::unsigned_integer, 8},
    {"MPI_AINT", Kind::foreign_integer, 8},
    {"MPI_OFFSET", Kind::foreign_integer, 8},
    {"MPI_COUNT", Kind::foreign_integer, 8},
    {"MPI_FLOAT", Kind::floating, sizeof(float)},
    {"MPI_DOUBLE", Kind::floating, sizeof(double)},
    {"MPI_LONG_DOUBLE", Kind::floating, sizeof(long double)},
    {"MPI_C_BOOL", Kind::logical, sizeof(bool)},
    {"MPI_C_FLOAT_COMPLEX", Kind::complex, 8},
    {"MPI_C_DOUBLE_COMPLEX", Kind::complex, 16},
    {"MPI_C_LONG_DOUBLE_COMPLEX", Kind::complex, 2 * sizeof(long double)},
    {"MPI_CXX_BOOL", Kind::logical, sizeof(bool)},
    {"MPI_CXX_FLOAT_COMPLEX", Kind::complex, 8},
    {"MPI_CXX_DOUBLE_COMPLEX", Kind::complex, 16},
    {"MPI_CXX_LONG_DOUBLE_COMPLEX", Kind::complex, 2 * sizeof(long double)},
    {"MPI_2INT", Kind::two_integers, 2 * sizeof(int)},
    pair_row<short>("MPI_SHORT_INT", Kind::integer_and_int),
    pair_row<long>("MPI_LONG_INT", Kind::integer_and_int),
    pair_row<float>("MPI_FLOAT_INT", Kind::floating_and_int),
    pair_row<double>("MPI_DOUBLE_INT", Kind::floating_and_int),
    pair_row<long double>("MPI_LONG_DOUBLE_INT", Kind::floating_and_int),
    {"MPI_INTEGER", Kind::foreign_integer, 0},
    {"MPI_INTEGER1", Kind::foreign_integer, 0},
    {"MPI_INTEGER2", Kind::foreign_integer, 0},
    {"MPI_INTEGER4", Kind::foreign_integer, 0},
    {"MPI_INTEGER8", Kind::foreign_integer, 0},
    {"MPI_REAL", Kind::floating, 0},
    {"MPI_REAL4", Kind::floating, 0},
    {"MPI_REAL8", Kind::floating, 0},
    {"MPI_DOUBLE_PRECISION", Kind::floating, 0},
    {"MPI_LOGICAL", Kind::fortran_logical, 0},
    {"MPI_CHARACTER", Kind::opaque, 0},
    {"MPI_COMPLEX", Kind::complex, 0},
    {"MPI_DOUBLE_COMPLEX", Kind::complex, 0},
    {"MPI_COMPLEX8", Kind::complex, 0},
    {"MPI_COMPLEX16", Kind::complex, 0},
    {"MPI_2INTEGER", Kind::two_integers, 0},
    {"MPI_2REAL", Kind::two_floating, 0},
    {"MPI_2DOUBLE_PRECISION", Kind::two_floating, 0},
}};

const std::array<OperatorName, kOperatorNameCount> kOperatorNames = {{
    {"MPI_SUM", Operator::sum},
    {"MPI_PROD", Operator::product},
    {"MPI_MIN", Operator::minimum},
    {"MPI_MAX", Operator::maximum},
    {"MPI_LAND", Operator::logical_and},
    {"MPI_LOR", Operator::logical_or},
    {"MPI_LXOR", Operator::logical_xor},
    {"MPI_BAND", Operator::bitwise_and},
    {"MPI_BOR", Operator::bitwise_or},
    {"MPI_BXOR", Operator::bitwise_xor},
    {"MPI_MINLOC", Operator::minimum_location},
    {"MPI_MAXLOC", Operator::maximum_location},
}};

namespace {

std::optional<Type> integer_type(std::size_t bytes, bool is_signed) {
  switch (bytes) {
    case 1:
      return is_signed ? Type::int8 : Type::uint8;
    case 2:
      return is_signed ? Type::int16 : Type::uint16;
    case 4:
      return is_signed ? Type::int32 : Type::uint32;
    case 8:
      return is_signed ? Type::int64 : Type::uint64;
    default:
      return std::nullopt;
  }
}

std::optional<Type> floating_type(std::size_t bytes) {
  if (bytes == sizeof(float)) return Type::float32;
  if (bytes == sizeof(double)) return Type::float64;
  if (bytes == sizeof(long double)) return Type::long_double;
  return std::nullopt;
}

std::optional<Type> complex_type(std::size_t bytes) {
  if (bytes == 2 * sizeof(float)) return Type::complex64;
  if (bytes == 2 * sizeof(double)) return Type::complex128;
  if (bytes == 2 * sizeof(long double)) return Type::complex_long_double;
  return std::nullopt;
}

/// A value of so many bytes, and an int.
std::optional<Type> pair_type(std::size_t value_bytes, bool is_floating) {
  if (is_floating && value_bytes == sizeof(long double)) return Type::long_double_int32;
  switch (value_bytes) {
    case 2:
      return is_floating ? std::nullopt : std::optional(Type::int16_int32);
    case 4:
      return is_floating ? Type::float32_int32 : Type::int32_int32;
    case 8:
      return is_floating ? Type::float64_int32 : Type::int64_int32;
    default:
      return std::nullopt;
  }
}

std::optional<Type> kernel_type(const KnownType& type) {
  switch (type.kind) {
    case Kind::signed_integer:
    case Kind::foreign_integer:
      return integer_type(type.bytes, true);
    case Kind::unsigned_integer:
    case Kind::bits:
    case Kind::logical:
    case Kind::fortran_logical:
      return integer_type(type.bytes, false);
    case Kind::floating:
      return floating_type(type.bytes);
    case Kind::complex:
      return complex_type(type.bytes);
    case Kind::integer_and_int:
    case Kind::floating_and_int:
      return pair_type(type.bytes - sizeof(int), type.kind == Kind::floating_and_int);
    case Kind::two_integers:
      return type.bytes == 8 ? std::optional(Type::int32_int32) : std::nullopt;
    case Kind::two_floating:
      if (type.bytes == 2 * sizeof(float)) return Type::float32_float32;
      if (type.bytes == 2 * sizeof(double)) return Type::float64_float64;
      return std::nullopt;
    case Kind::opaque:
      break;
  }
  return std::nullopt;
}

bool is_logical(Operator op) {
  return op == Operator::logical_and || op == Operator::logical_or || op == Operator::logical_xor;
}

bool is_bitwise(Operator op) {
  return op == Operator::bitwise_and || op == Operator::bitwise_or || op == Operator::bitwise_xor;
}

}  // namespace

Reduction kernel_for(const KnownType& type, Operator op) {
  const bool has_logic_only = type.kind == Kind::logical || type.kind == Kind::fortran_logical;
  if (has_logic_only && !is_logical(op)) return nullptr;
  if (type.kind == Kind::foreign_integer && is_logical(op)) return nullptr;
  if (type.kind == Kind::bits && !is_bitwise(op)) return nullptr;
  const std::optional<Type> known = kernel_type(type);
  return known ? find_reduction(*known, op) : nullptr;
}

Combination combination_of(const KnownType& type, Operator op) {
  const std::optional<Type> known = kernel_type(type);
  return known ? Combination(*known, op) : Combination::of_others();
}

}  // namespace terrace::preload
