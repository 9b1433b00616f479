// SPDX-License-Identifier: BSD-3-Clause
// MPI's predefined types and operators, and the kernels that combine them.
#include "preload/mpi/underlying_mpi.hpp"

namespace terrace::preload {

namespace {

/// C's pairs, as compilers lay them out.
template <class Value>
struct Pair {
  Value value;
  int index;
};
template <class Value>
constexpr TypeName pair_row(const char* name, TypeClass kind) {
  return {name, kind, sizeof(Value) + sizeof(int), sizeof(Pair<Value>)};
}

}  // namespace

const std::array<TypeName, kTypeNameCount> kTypeNames = {{
    {"MPI_BYTE", TypeClass::bits, 1},
    {"MPI_PACKED", TypeClass::opaque, 1},
    {"MPI_CHAR", TypeClass::opaque, sizeof(char)},
    {"MPI_WCHAR", TypeClass::opaque, sizeof(wchar_t)},
    {"MPI_SIGNED_CHAR", TypeClass::signed_integer, sizeof(signed char)},
    {"MPI_SHORT", TypeClass::signed_integer, sizeof(short)},
    {"MPI_INT", TypeClass::signed_integer, sizeof(int)},
    {"MPI_LONG", TypeClass::signed_integer, sizeof(long)},
    {"MPI_LONG_LONG_INT", TypeClass::signed_integer, sizeof(long long)},
    {"MPI_UNSIGNED_CHAR", TypeClass::unsigned_integer, sizeof(unsigned char)},
    {"MPI_UNSIGNED_SHORT", TypeClass::unsigned_integer, sizeof(unsigned short)},
    {"MPI_UNSIGNED", TypeClass::unsigned_integer, sizeof(unsigned)},
    {"MPI_UNSIGNED_LONG", TypeClass::unsigned_integer, sizeof(unsigned long)},
    {"MPI_UNSIGNED_LONG_LONG", TypeClass::unsigned_integer, sizeof(unsigned long long)},
    {"MPI_INT8_T", TypeClass::signed_integer, 1},
    {"MPI_INT16_T", TypeClass::signed_integer, 2},
    {"MPI_INT32_T", TypeClass::signed_integer, 4},
    {"MPI_INT64_T", TypeClass::signed_integer, 8},
    {"MPI_UINT8_T", TypeClass::unsigned_integer, 1},
    {"MPI_UINT16_T", TypeClass::unsigned_integer, 2},
    {"MPI_UINT32_T", TypeClass::unsigned_integer, 4},
    {"MPI_UINT64_T", TypeClass::unsigned_integer, 8},
    {"MPI_AINT", TypeClass::foreign_integer, 8},
    {"MPI_OFFSET", TypeClass::foreign_integer, 8},
    {"MPI_COUNT", TypeClass::foreign_integer, 8},
    {"MPI_FLOAT", TypeClass::floating, sizeof(float)},
    {"MPI_DOUBLE", TypeClass::floating, sizeof(double)},
    {"MPI_LONG_DOUBLE", TypeClass::floating, sizeof(long double)},
    {"MPI_C_BOOL", TypeClass::logical, sizeof(bool)},
    {"MPI_C_FLOAT_COMPLEX", TypeClass::complex, 8},
    {"MPI_C_DOUBLE_COMPLEX", TypeClass::complex, 16},
    {"MPI_C_LONG_DOUBLE_COMPLEX", TypeClass::complex, 2 * sizeof(long double)},
    {"MPI_CXX_BOOL", TypeClass::logical, sizeof(bool)},
    {"MPI_CXX_FLOAT_COMPLEX", TypeClass::complex, 8},
    {"MPI_CXX_DOUBLE_COMPLEX", TypeClass::complex, 16},
    {"MPI_CXX_LONG_DOUBLE_COMPLEX", TypeClass::complex, 2 * sizeof(long double)},
    {"MPI_2INT", TypeClass::two_integers, 2 * sizeof(int)},
    pair_row<short>("MPI_SHORT_INT", TypeClass::integer_and_int),
    pair_row<long>("MPI_LONG_INT", TypeClass::integer_and_int),
    pair_row<float>("MPI_FLOAT_INT", TypeClass::floating_and_int),
    pair_row<double>("MPI_DOUBLE_INT", TypeClass::floating_and_int),
    pair_row<long double>("MPI_LONG_DOUBLE_INT", TypeClass::floating_and_int),
    {"MPI_INTEGER", TypeClass::foreign_integer, 0},
    {"MPI_INTEGER1", TypeClass::foreign_integer, 0},
    {"MPI_INTEGER2", TypeClass::foreign_integer, 0},
    {"MPI_INTEGER4", TypeClass::foreign_integer, 0},
    {"MPI_INTEGER8", TypeClass::foreign_integer, 0},
    {"MPI_REAL", TypeClass::floating, 0},
    {"MPI_REAL4", TypeClass::floating, 0},
    {"MPI_REAL8", TypeClass::floating, 0},
    {"MPI_DOUBLE_PRECISION", TypeClass::floating, 0},
    {"MPI_LOGICAL", TypeClass::fortran_logical, 0},
    {"MPI_CHARACTER", TypeClass::opaque, 0},
    {"MPI_COMPLEX", TypeClass::complex, 0},
    {"MPI_DOUBLE_COMPLEX", TypeClass::complex, 0},
    {"MPI_COMPLEX8", TypeClass::complex, 0},
    {"MPI_COMPLEX16", TypeClass::complex, 0},
    {"MPI_2INTEGER", TypeClass::two_integers, 0},
    {"MPI_2REAL", TypeClass::two_floating, 0},
    {"MPI_2DOUBLE_PRECISION", TypeClass::two_floating, 0},
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

std::optional<Type> kernel_type(const PredefinedType& type) {
  switch (type.kind) {
    case TypeClass::signed_integer:
    case TypeClass::foreign_integer:
      return integer_type(type.bytes, true);
    case TypeClass::unsigned_integer:
    case TypeClass::bits:
    case TypeClass::logical:
    case TypeClass::fortran_logical:
      return integer_type(type.bytes, false);
    case TypeClass::floating:
      return floating_type(type.bytes);
    case TypeClass::complex:
      return complex_type(type.bytes);
    case TypeClass::integer_and_int:
    case TypeClass::floating_and_int:
      return pair_type(type.bytes - sizeof(int), type.kind == TypeClass::floating_and_int);
    case TypeClass::two_integers:
      return type.bytes == 8 ? std::optional(Type::int32_int32) : std::nullopt;
    case TypeClass::two_floating:
      if (type.bytes == 2 * sizeof(float)) return Type::float32_float32;
      if (type.bytes == 2 * sizeof(double)) return Type::float64_float64;
      return std::nullopt;
    case TypeClass::opaque:
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

Reduction kernel_for(const PredefinedType& type, Operator op) {
  const bool has_logic_only =
      type.kind == TypeClass::logical || type.kind == TypeClass::fortran_logical;
  if (has_logic_only && !is_logical(op)) return nullptr;
  if (type.kind == TypeClass::foreign_integer && is_logical(op)) return nullptr;
  if (type.kind == TypeClass::bits && !is_bitwise(op)) return nullptr;
  const std::optional<Type> known = kernel_type(type);
  return known ? find_reduction(*known, op) : nullptr;
}

Combination combination_of(const PredefinedType& type, Operator op) {
  const std::optional<Type> known = kernel_type(type);
  return known ? Combination(*known, op) : Combination::of_others();
}

}  // namespace terrace::preload
