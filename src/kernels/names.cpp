// SPDX-License-Identifier: BSD-3-Clause
// Sizes and names of types and operators.
#include <array>

#include "kernels/kernel_set.hpp"

namespace terrace {
namespace {

struct TypeRow {
  const char* name;
  std::size_t bytes;
};

constexpr std::array<TypeRow, kTypes> kTypeRows = {
    {{"int8", 1},
     {"int16", 2},
     {"int32", 4},
     {"int64", 8},
     {"uint8", 1},
     {"uint16", 2},
     {"uint32", 4},
     {"uint64", 8},
     {"float32", 4},
     {"float64", 8},
     {"long_double", sizeof(long double)},
     {"complex64", 8},
     {"complex128", 16},
     {"complex_long_double", 2 * sizeof(long double)},
     {"int16_int32", 6},
     {"int32_int32", 8},
     {"int64_int32", 12},
     {"float32_int32", 8},
     {"float64_int32", 12},
     {"long_double_int32", sizeof(long double) + 4},
     {"float32_float32", 8},
     {"float64_float64", 16}}};

constexpr std::array<const char*, kOperators> kOperatorNames = {
    "sum",         "product",     "minimum",          "maximum",
    "logical_and", "logical_or",  "logical_xor",      "bitwise_and",
    "bitwise_or",  "bitwise_xor", "minimum_location", "maximum_location"};

}  // namespace

std::size_t size_of(Type type) {
  return kTypeRows[static_cast<std::size_t>(type)].bytes;
}

const char* to_text(Type type) {
  return kTypeRows[static_cast<std::size_t>(type)].name;
}

const char* to_text(Operator op) {
  return kOperatorNames[static_cast<std::size_t>(op)];
}

std::optional<Type> type_from_text(const std::string& text) {
  for (std::size_t i = 0; i < kTypes; ++i)
    if (text == kTypeRows[i].name) return static_cast<Type>(i);
  return std::nullopt;
}

std::optional<Operator> operator_from_text(const std::string& text) {
  for (std::size_t i = 0; i < kOperators; ++i)
    if (text == kOperatorNames[i]) return static_cast<Operator>(i);
  return std::nullopt;
}

}  // namespace terrace
