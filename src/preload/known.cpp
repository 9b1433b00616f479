// SPDX-License-Identifier: BSD-3-Clause
// The types and operators of MPI that we know, and the kernels that combine them.
#include "preload/below.hpp"

namespace terrace::preload {

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
    {"MPI_AINT", Kind::signed_integer, 8},
    {"MPI_OFFSET", Kind::signed_integer, 8},
    {"MPI_COUNT", Kind::signed_integer, 8},
    {"MPI_FLOAT", Kind::floating, sizeof(float)},
    {"MPI_DOUBLE", Kind::floating, sizeof(double)},
    {"MPI_LONG_DOUBLE", Kind::opaque, sizeof(long double)},
    {"MPI_C_BOOL", Kind::logical, sizeof(bool)},
    {"MPI_C_FLOAT_COMPLEX", Kind::opaque, 8},
    {"MPI_C_DOUBLE_COMPLEX", Kind::opaque, 16},
    {"MPI_INTEGER", Kind::signed_integer, 0},
    {"MPI_INTEGER1", Kind::signed_integer, 0},
    {"MPI_INTEGER2", Kind::signed_integer, 0},
    {"MPI_INTEGER4", Kind::signed_integer, 0},
    {"MPI_INTEGER8", Kind::signed_integer, 0},
    {"MPI_REAL", Kind::floating, 0},
    {"MPI_REAL4", Kind::floating, 0},
    {"MPI_REAL8", Kind::floating, 0},
    {"MPI_DOUBLE_PRECISION", Kind::floating, 0},
    {"MPI_LOGICAL", Kind::opaque, 0},
    {"MPI_CHARACTER", Kind::opaque, 0},
    {"MPI_COMPLEX", Kind::opaque, 0},
    {"MPI_DOUBLE_COMPLEX", Kind::opaque, 0},
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

std::optional<Type> kernel_type(const KnownType& type) {
  switch (type.kind) {
    case Kind::signed_integer:
      return integer_type(type.bytes, true);
    case Kind::unsigned_integer:
    case Kind::bits:
    case Kind::logical:
      return integer_type(type.bytes, false);
    case Kind::floating:
      if (type.bytes == sizeof(float)) return Type::float32;
      if (type.bytes == sizeof(double)) return Type::float64;
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
  if (type.kind == Kind::logical && !is_logical(op)) return nullptr;
  if (type.kind == Kind::bits && !is_bitwise(op)) return nullptr;
  const std::optional<Type> known = kernel_type(type);
  return known ? find_reduction(*known, op) : nullptr;
}

}  // namespace terrace::preload
