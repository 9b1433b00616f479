// SPDX-License-Identifier: BSD-3-Clause
// Converts elements to external32 and back: swaps bytes, and changes lengths where they differ.
#include "threadranks/types/external32.hpp"

#include <algorithm>
#include <cfloat>
#include <cstring>
#include <memory>
#include <string_view>

#include "threadranks/types/binary128.hpp"

namespace terrace::threadranks {

namespace {

/// The numbers that a basic element consists of.
struct Parts {
  std::size_t count = 1;
  std::size_t own = 1;       ///< bytes of each, here
  std::size_t external = 1;  ///< and there
  bool is_signed = false;
  bool is_long_double = false;
};

bool is_one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

Parts parts_of(const BasicRun& run) {
  Parts parts;
  if (run.type == nullptr) {
    parts.own = parts.external = run.bytes;
    return parts;
  }
  const std::string_view name = run.type->name;
  const bool is_complex = run.type->kind == TypeClass::complex;
  const bool has_two = is_complex || is_one_of(name, {"MPI_COMPLEX4", "MPI_COMPLEX32"});
  parts.count = has_two ? 2 : 1;
  parts.own = parts.external = run.bytes / parts.count;
  parts.is_long_double =
      (is_complex || run.type->kind == TypeClass::floating) && parts.own == sizeof(long double);
  parts.is_signed = name != "MPI_UNSIGNED_LONG" && name != "MPI_WCHAR";
  if (is_one_of(name, {"MPI_LONG", "MPI_UNSIGNED_LONG"})) parts.external = 4;
  if (name == "MPI_WCHAR") parts.external = 2;
  return parts;
}

#if LDBL_MANT_DIG == 64
constexpr std::size_t kHeldBytes = 10;  // the rest of a long double is nothing

void write_long_double(const std::byte* own, std::byte* little_endian) {
  Extended value{};
  std::memcpy(&value.significand, own, 8);
  std::memcpy(&value.sign_and_exponent, own + 8, 2);
  const Binary128 wide = widened(value);
  std::memcpy(little_endian, &wide.low, 8);
  std::memcpy(little_endian + 8, &wide.high, 8);
}

void read_long_double(const std::byte* little_endian, std::byte* own) {
  Binary128 wide{};
  std::memcpy(&wide.low, little_endian, 8);
  std::memcpy(&wide.high, little_endian + 8, 8);
  const Extended value = rounded(wide);
  std::memcpy(own, &value.significand, 8);
  std::memcpy(own + 8, &value.sign_and_exponent, 2);
  std::memset(own + kHeldBytes, 0, sizeof(long double) - kHeldBytes);
}
#else
static_assert(LDBL_MANT_DIG == 113, "external32 knows long doubles of x87 and of binary128");

void write_long_double(const std::byte* own, std::byte* little_endian) {
  std::memcpy(little_endian, own, sizeof(long double));
}

void read_long_double(const std::byte* little_endian, std::byte* own) {
  std::memcpy(own, little_endian, sizeof(long double));
}
#endif

void write_number(const Parts& parts, const std::byte* own, std::byte* external) {
  std::byte bytes[32] = {};
  if (parts.is_long_double)
    write_long_double(own, bytes);
  else
    std::memcpy(bytes, own, std::min(parts.own, sizeof bytes));
  std::reverse_copy(bytes, bytes + parts.external, external);
}

void read_number(const Parts& parts, const std::byte* external, std::byte* own) {
  std::byte bytes[32] = {};
  std::reverse_copy(external, external + parts.external, bytes);
  if (parts.is_long_double) {
    read_long_double(bytes, own);
    return;
  }
  const bool is_negative = (bytes[parts.external - 1] & std::byte{0x80}) != std::byte{0};
  if (parts.is_signed && is_negative)
    std::fill(bytes + parts.external, std::end(bytes), std::byte{0xff});
  std::memcpy(own, bytes, std::min(parts.own, sizeof bytes));
}

/// `visit(parts)` for every basic element, in the order of their bytes.
template <class Visit>
void for_all(const Layout& layout, Visit&& visit) {
  const TypeSignature* const signature = layout.type->signature();
  for (std::size_t element = 0; signature != nullptr && element < layout.count; ++element)
    for_basic_runs(*signature, [&](const BasicRun& run) {
      const Parts parts = parts_of(run);
      for (std::size_t i = 0; i < run.count * parts.count; ++i) visit(parts);
    });
}

}  // namespace

std::size_t external_bytes(const NamedType& type) {
  const Parts parts = parts_of({type.bytes, 1, &type});
  return parts.count * parts.external;
}

std::size_t external_bytes(const Datatype& type) {
  return type.signature() != nullptr ? type.signature()->external_bytes : 0;
}

void pack_external(const Layout& from, std::byte* packed) {
  const auto own = std::make_unique<std::byte[]>(from.bytes() + 1);
  pack(from, own.get(), from.bytes());
  const std::byte* next = own.get();
  for_all(from, [&](const Parts& parts) {
    write_number(parts, next, packed);
    next += parts.own;
    packed += parts.external;
  });
}

void unpack_external(const std::byte* packed, const Layout& to) {
  const auto own = std::make_unique<std::byte[]>(to.bytes() + 1);
  std::byte* next = own.get();
  for_all(to, [&](const Parts& parts) {
    read_number(parts, packed, next);
    next += parts.own;
    packed += parts.external;
  });
  unpack(own.get(), to, to.bytes());
}

}  // namespace terrace::threadranks
