// SPDX-License-Identifier: BSD-3-Clause
// The predefined types: their names in MPI's languages, and the kernels that combine them.
#include <array>
#include <complex>

#include "threadranks/types/datatype.hpp"

namespace terrace::threadranks {

namespace {

template <class T>
constexpr Type integer_of() {
  constexpr bool is_signed = static_cast<T>(-1) < static_cast<T>(0);
  switch (sizeof(T)) {
    case 1:
      return is_signed ? Type::int8 : Type::uint8;
    case 2:
      return is_signed ? Type::int16 : Type::uint16;
    case 4:
      return is_signed ? Type::int32 : Type::uint32;
    default:
      return is_signed ? Type::int64 : Type::uint64;
  }
}

template <class T>
constexpr Predefined integer(const char* name, std::uintptr_t handle) {
  return {name, handle, sizeof(T), alignof(T), BasicClass::integer, integer_of<T>()};
}

template <class T>
constexpr Predefined logical(const char* name, std::uintptr_t handle) {
  return {name, handle, sizeof(T), alignof(T), BasicClass::logical, integer_of<T>()};
}

template <class T>
constexpr Predefined floating(const char* name, std::uintptr_t handle, Type type) {
  return {name, handle, sizeof(T), alignof(T), BasicClass::floating, type};
}

template <class T>
constexpr Predefined complex_of(const char* name, std::uintptr_t handle, Type type) {
  return {name, handle, 2 * sizeof(T), alignof(T), BasicClass::complex, type};
}

/// Neither half need be as long as the struct makes room for.
template <class First, class Second>
constexpr Predefined pair(const char* name, std::uintptr_t handle, Type type) {
  struct Both {
    First first;
    Second second;
  };
  return {name,
          handle,
          sizeof(First) + sizeof(Second),
          alignof(Both),
          BasicClass::pair,
          type,
          offsetof(Both, second)};
}

constexpr Predefined plain(const char* name, std::uintptr_t handle, std::size_t bytes) {
  return {name, handle, bytes, bytes, BasicClass::opaque, std::nullopt};
}

constexpr Predefined kTable[] = {
    integer<std::intptr_t>("MPI_AINT", 0x201),
    integer<std::int64_t>("MPI_COUNT", 0x202),
    integer<std::int64_t>("MPI_OFFSET", 0x203),
    {"MPI_PACKED", 0x207, 1, 1, BasicClass::byte, Type::uint8},
    integer<short>("MPI_SHORT", 0x208),
    integer<int>("MPI_INT", 0x209),
    integer<long>("MPI_LONG", 0x20a),
    integer<long long>("MPI_LONG_LONG_INT", 0x20b),
    integer<unsigned short>("MPI_UNSIGNED_SHORT", 0x20c),
    integer<unsigned>("MPI_UNSIGNED", 0x20d),
    integer<unsigned long>("MPI_UNSIGNED_LONG", 0x20e),
    integer<unsigned long long>("MPI_UNSIGNED_LONG_LONG", 0x20f),
    floating<float>("MPI_FLOAT", 0x210, Type::float32),
    complex_of<float>("MPI_C_FLOAT_COMPLEX", 0x212, Type::complex64),
    complex_of<float>("MPI_CXX_FLOAT_COMPLEX", 0x213, Type::complex64),
    floating<double>("MPI_DOUBLE", 0x214, Type::float64),
    complex_of<double>("MPI_C_DOUBLE_COMPLEX", 0x216, Type::complex128),
    complex_of<double>("MPI_CXX_DOUBLE_COMPLEX", 0x217, Type::complex128),
    logical<int>("MPI_LOGICAL", 0x218),
    integer<int>("MPI_INTEGER", 0x219),
    floating<float>("MPI_REAL", 0x21a, Type::float32),
    complex_of<float>("MPI_COMPLEX", 0x21b, Type::complex64),
    floating<double>("MPI_DOUBLE_PRECISION", 0x21c, Type::float64),
    complex_of<double>("MPI_DOUBLE_COMPLEX", 0x21d, Type::complex128),
    plain("MPI_CHARACTER", 0x21e, 1),
    floating<long double>("MPI_LONG_DOUBLE", 0x220, Type::long_double),
    complex_of<long double>("MPI_C_LONG_DOUBLE_COMPLEX", 0x224, Type::complex_long_double),
    complex_of<long double>("MPI_CXX_LONG_DOUBLE_COMPLEX", 0x225, Type::complex_long_double),
    pair<float, int>("MPI_FLOAT_INT", 0x228, Type::float32_int32),
    pair<double, int>("MPI_DOUBLE_INT", 0x229, Type::float64_int32),
    pair<long, int>("MPI_LONG_INT", 0x22a, Type::int64_int32),
    pair<int, int>("MPI_2INT", 0x22b, Type::int32_int32),
    pair<short, int>("MPI_SHORT_INT", 0x22c, Type::int16_int32),
    pair<long double, int>("MPI_LONG_DOUBLE_INT", 0x22d, Type::long_double_int32),
    pair<float, float>("MPI_2REAL", 0x230, Type::float32_float32),
    pair<double, double>("MPI_2DOUBLE_PRECISION", 0x231, Type::float64_float64),
    pair<int, int>("MPI_2INTEGER", 0x232, Type::int32_int32),
    logical<bool>("MPI_C_BOOL", 0x238),
    logical<bool>("MPI_CXX_BOOL", 0x239),
    plain("MPI_WCHAR", 0x23c, sizeof(wchar_t)),
    integer<std::int8_t>("MPI_INT8_T", 0x240),
    integer<std::uint8_t>("MPI_UINT8_T", 0x241),
    integer<signed char>("MPI_CHAR", 0x243),  // beyond the standard, as other MPIs do
    integer<signed char>("MPI_SIGNED_CHAR", 0x244),
    integer<unsigned char>("MPI_UNSIGNED_CHAR", 0x245),
    {"MPI_BYTE", 0x247, 1, 1, BasicClass::byte, Type::uint8},
    integer<std::int16_t>("MPI_INT16_T", 0x248),
    integer<std::uint16_t>("MPI_UINT16_T", 0x249),
    integer<std::int32_t>("MPI_INT32_T", 0x250),
    integer<std::uint32_t>("MPI_UINT32_T", 0x251),
    integer<std::int64_t>("MPI_INT64_T", 0x258),
    integer<std::uint64_t>("MPI_UINT64_T", 0x259),
    logical<std::int8_t>("MPI_LOGICAL1", 0x2c0),
    integer<std::int8_t>("MPI_INTEGER1", 0x2c1),
    logical<std::int16_t>("MPI_LOGICAL2", 0x2c8),
    integer<std::int16_t>("MPI_INTEGER2", 0x2c9),
    plain("MPI_REAL2", 0x2ca, 2),
    logical<std::int32_t>("MPI_LOGICAL4", 0x2d0),
    integer<std::int32_t>("MPI_INTEGER4", 0x2d1),
    floating<float>("MPI_REAL4", 0x2d2, Type::float32),
    plain("MPI_COMPLEX4", 0x2d3, 4),
    logical<std::int64_t>("MPI_LOGICAL8", 0x2d8),
    integer<std::int64_t>("MPI_INTEGER8", 0x2d9),
    floating<double>("MPI_REAL8", 0x2da, Type::float64),
    complex_of<float>("MPI_COMPLEX8", 0x2db, Type::complex64),
    plain("MPI_LOGICAL16", 0x2e0, 16),
    plain("MPI_INTEGER16", 0x2e1, 16),
    plain("MPI_REAL16", 0x2e2, 16),
    complex_of<double>("MPI_COMPLEX16", 0x2e3, Type::complex128),
    plain("MPI_COMPLEX32", 0x2eb, 32),
};

constexpr std::uintptr_t kFirst = 0x200, kLast = 0x2ff;

struct Types {
  std::array<Datatype*, kLast - kFirst + 1> by_handle{};

  Types() {
    for (const Predefined& row : kTable) by_handle[row.standard - kFirst] = new Datatype(row);
  }
};

}  // namespace

Datatype* predefined_type(std::uintptr_t standard) {
  static const Types& types = *new Types;  // never destroyed: programs call MPI at their exit
  return standard < kFirst || standard > kLast ? nullptr : types.by_handle[standard - kFirst];
}

}  // namespace terrace::threadranks
