// SPDX-License-Identifier: BSD-3-Clause
// The tables of predefined types and operators, and the kernels that combine them.
#include "mpi_calls/predefined_types_and_operators.hpp"

#include <algorithm>
#include <optional>

namespace terrace {

namespace {

template <class T>
constexpr NamedType number(const char* name, TypeClass kind) {
  return {name, kind, sizeof(T), alignof(T)};
}
template <class T>
constexpr NamedType integer(const char* name) {
  constexpr bool is_signed = static_cast<T>(-1) < static_cast<T>(0);
  return number<T>(name, is_signed ? TypeClass::signed_integer : TypeClass::unsigned_integer);
}
template <class T>
constexpr NamedType complex_of(const char* name) {
  return {name, TypeClass::complex, 2 * sizeof(T), alignof(T)};
}
template <class First, class Second>
constexpr NamedType pair(const char* name, TypeClass kind) {
  return {name, kind, sizeof(First) + sizeof(Second), std::max(alignof(First), alignof(Second))};
}
constexpr NamedType opaque(const char* name, std::size_t bytes) {
  return {name, TypeClass::opaque, bytes, bytes};
}
constexpr NamedType fortran(NamedType type) {
  type.is_fortran = true;
  return type;
}
constexpr NamedType optional_fortran(NamedType type) {
  type.is_fortran = type.is_optional = true;
  return type;
}

constexpr TypeClass kForeignInteger = TypeClass::foreign_integer, kFloating = TypeClass::floating,
                    kLogical = TypeClass::logical, kFortranLogical = TypeClass::fortran_logical;

constexpr NamedType kTypes[] = {
    number<std::uint8_t>("MPI_BYTE", TypeClass::bits),
    number<std::uint8_t>("MPI_PACKED", TypeClass::packed),
    number<char>("MPI_CHAR", TypeClass::character),
    number<wchar_t>("MPI_WCHAR", TypeClass::opaque),
    integer<signed char>("MPI_SIGNED_CHAR"),
    integer<short>("MPI_SHORT"),
    integer<int>("MPI_INT"),
    integer<long>("MPI_LONG"),
    integer<long long>("MPI_LONG_LONG_INT"),
    integer<unsigned char>("MPI_UNSIGNED_CHAR"),
    integer<unsigned short>("MPI_UNSIGNED_SHORT"),
    integer<unsigned>("MPI_UNSIGNED"),
    integer<unsigned long>("MPI_UNSIGNED_LONG"),
    integer<unsigned long long>("MPI_UNSIGNED_LONG_LONG"),
    integer<std::int8_t>("MPI_INT8_T"),
    integer<std::int16_t>("MPI_INT16_T"),
    integer<std::int32_t>("MPI_INT32_T"),
    integer<std::int64_t>("MPI_INT64_T"),
    integer<std::uint8_t>("MPI_UINT8_T"),
    integer<std::uint16_t>("MPI_UINT16_T"),
    integer<std::uint32_t>("MPI_UINT32_T"),
    integer<std::uint64_t>("MPI_UINT64_T"),
    number<std::intptr_t>("MPI_AINT", kForeignInteger),
    number<std::int64_t>("MPI_OFFSET", kForeignInteger),
    number<std::int64_t>("MPI_COUNT", kForeignInteger),
    number<float>("MPI_FLOAT", kFloating),
    number<double>("MPI_DOUBLE", kFloating),
    number<long double>("MPI_LONG_DOUBLE", kFloating),
    number<bool>("MPI_C_BOOL", kLogical),
    complex_of<float>("MPI_C_FLOAT_COMPLEX"),
    complex_of<double>("MPI_C_DOUBLE_COMPLEX"),
    complex_of<long double>("MPI_C_LONG_DOUBLE_COMPLEX"),
    number<bool>("MPI_CXX_BOOL", kLogical),
    complex_of<float>("MPI_CXX_FLOAT_COMPLEX"),
    complex_of<double>("MPI_CXX_DOUBLE_COMPLEX"),
    complex_of<long double>("MPI_CXX_LONG_DOUBLE_COMPLEX"),
    pair<int, int>("MPI_2INT", TypeClass::two_integers),
    pair<short, int>("MPI_SHORT_INT", TypeClass::integer_and_int),
    pair<long, int>("MPI_LONG_INT", TypeClass::integer_and_int),
    pair<float, int>("MPI_FLOAT_INT", TypeClass::floating_and_int),
    pair<double, int>("MPI_DOUBLE_INT", TypeClass::floating_and_int),
    pair<long double, int>("MPI_LONG_DOUBLE_INT", TypeClass::floating_and_int),
    fortran(number<int>("MPI_INTEGER", kForeignInteger)),
    fortran(number<std::int8_t>("MPI_INTEGER1", kForeignInteger)),
    fortran(number<std::int16_t>("MPI_INTEGER2", kForeignInteger)),
    fortran(number<std::int32_t>("MPI_INTEGER4", kForeignInteger)),
    fortran(number<std::int64_t>("MPI_INTEGER8", kForeignInteger)),
    fortran(number<float>("MPI_REAL", kFloating)),
    fortran(number<float>("MPI_REAL4", kFloating)),
    fortran(number<double>("MPI_REAL8", kFloating)),
    fortran(number<double>("MPI_DOUBLE_PRECISION", kFloating)),
    fortran(number<int>("MPI_LOGICAL", kFortranLogical)),
    fortran(opaque("MPI_CHARACTER", 1)),
    fortran(complex_of<float>("MPI_COMPLEX")),
    fortran(complex_of<double>("MPI_DOUBLE_COMPLEX")),
    fortran(complex_of<float>("MPI_COMPLEX8")),
    fortran(complex_of<double>("MPI_COMPLEX16")),
    fortran(pair<int, int>("MPI_2INTEGER", TypeClass::two_integers)),
    fortran(pair<float, float>("MPI_2REAL", TypeClass::two_floating)),
    fortran(pair<double, double>("MPI_2DOUBLE_PRECISION", TypeClass::two_floating)),
    optional_fortran(number<std::int8_t>("MPI_LOGICAL1", kFortranLogical)),
    optional_fortran(number<std::int16_t>("MPI_LOGICAL2", kFortranLogical)),
    optional_fortran(number<std::int32_t>("MPI_LOGICAL4", kFortranLogical)),
    optional_fortran(number<std::int64_t>("MPI_LOGICAL8", kFortranLogical)),
    optional_fortran(opaque("MPI_LOGICAL16", 16)),
    optional_fortran(opaque("MPI_INTEGER16", 16)),
    optional_fortran(opaque("MPI_REAL2", 2)),
    optional_fortran(opaque("MPI_REAL16", 16)),
    optional_fortran(opaque("MPI_COMPLEX4", 4)),
    optional_fortran(opaque("MPI_COMPLEX32", 32)),
};

constexpr NamedOperator kOperators[] = {
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
};

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

/// The type of a pair of a value of this size and an int.
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

/// Nothing: never combined by us.
std::optional<Type> kernel_type(TypeClass kind, std::size_t bytes) {
  switch (kind) {
    case TypeClass::signed_integer:
    case TypeClass::foreign_integer:
    case TypeClass::character:
      return integer_type(bytes, true);
    case TypeClass::unsigned_integer:
    case TypeClass::bits:
    case TypeClass::packed:
    case TypeClass::logical:
    case TypeClass::fortran_logical:
      return integer_type(bytes, false);
    case TypeClass::floating:
      return floating_type(bytes);
    case TypeClass::complex:
      return complex_type(bytes);
    case TypeClass::integer_and_int:
    case TypeClass::floating_and_int:
      return pair_type(bytes - sizeof(int), kind == TypeClass::floating_and_int);
    case TypeClass::two_integers:
      return bytes == 8 ? std::optional(Type::int32_int32) : std::nullopt;
    case TypeClass::two_floating:
      if (bytes == 2 * sizeof(float)) return Type::float32_float32;
      if (bytes == 2 * sizeof(double)) return Type::float64_float64;
      return std::nullopt;
    case TypeClass::opaque:
      break;
  }
  return std::nullopt;
}

/// Whether the type's kernels have the operator; for integers, MPI takes all.
bool goes_with(Operator op, TypeClass kind) {
  switch (kind) {
    case TypeClass::logical:
    case TypeClass::fortran_logical:
      return is_logical(op);
    case TypeClass::bits:
    case TypeClass::packed:
      return is_bitwise(op);
    default:
      return true;
  }
}

}  // namespace

std::span<const NamedType> named_types() {
  return kTypes;
}

std::span<const NamedOperator> named_operators() {
  return kOperators;
}

const NamedType* find_named_type(std::string_view name) {
  const auto* const found =
      std::find_if(std::begin(kTypes), std::end(kTypes),
                   [name](const NamedType& type) { return type.name == name; });
  return found != std::end(kTypes) ? found : nullptr;
}

bool is_logical(Operator op) {
  return op == Operator::logical_and || op == Operator::logical_or || op == Operator::logical_xor;
}

bool is_bitwise(Operator op) {
  return op == Operator::bitwise_and || op == Operator::bitwise_or || op == Operator::bitwise_xor;
}

Reduction kernel_for(TypeClass kind, std::size_t bytes, Operator op) {
  const std::optional<Type> known = kernel_type(kind, bytes);
  return known && goes_with(op, kind) ? find_reduction(*known, op) : nullptr;
}

bool is_beyond_standard(TypeClass kind, Operator op) {
  return kind == TypeClass::character || kind == TypeClass::packed ||
         (kind == TypeClass::foreign_integer && is_logical(op));
}

Combination combination_of(TypeClass kind, std::size_t bytes, Operator op) {
  const std::optional<Type> known = kernel_type(kind, bytes);
  return known ? Combination(*known, op) : Combination::of_others();
}

bool is_exact(TypeClass kind) {
  switch (kind) {
    case TypeClass::signed_integer:
    case TypeClass::unsigned_integer:
    case TypeClass::foreign_integer:
    case TypeClass::logical:
    case TypeClass::fortran_logical:
    case TypeClass::bits:
    case TypeClass::character:
    case TypeClass::packed:
      return true;
    default:
      return false;
  }
}

}  // namespace terrace
