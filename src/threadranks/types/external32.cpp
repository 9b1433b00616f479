// SPDX-License-Identifier: BSD-3-Clause
// Converts elements to external32 and back: swaps bytes, and changes lengths where they differ.
#include "threadranks/types/external32.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <string_view>

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
  parts.count = is_complex ? 2 : 1;
  parts.own = parts.external = run.bytes / parts.count;
  parts.is_long_double =
      (is_complex || run.type->kind == TypeClass::floating) && parts.own == sizeof(long double);
  parts.is_signed = name != "MPI_UNSIGNED_LONG" && name != "MPI_WCHAR";
  if (is_one_of(name, {"MPI_LONG", "MPI_UNSIGNED_LONG"})) parts.external = 4;
  if (name == "MPI_WCHAR") parts.external = 2;
  return parts;
}

/// The nearest of the types that compilers have for 128 bits; that of external32 is this one.
__extension__ using Quad = __float128;

void write_number(const Parts& parts, const std::byte* own, std::byte* external) {
  std::byte bytes[32] = {};
  if (parts.is_long_double) {
    long double value;
    std::memcpy(&value, own, sizeof value);
    const Quad quad = value;
    std::memcpy(bytes, &quad, sizeof quad);
  } else {
    std::memcpy(bytes, own, std::min(parts.own, sizeof bytes));
  }
  std::reverse_copy(bytes, bytes + parts.external, external);
}

void read_number(const Parts& parts, const std::byte* external, std::byte* own) {
  std::byte bytes[32] = {};
  std::reverse_copy(external, external + parts.external, bytes);
  if (parts.is_long_double) {
    Quad quad;
    std::memcpy(&quad, bytes, sizeof quad);
    const auto value = static_cast<long double>(quad);
    std::memset(own, 0, parts.own);
    std::memcpy(own, &value, 10);  // the rest of a long double is nothing
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
  for (std::size_t element = 0; element < layout.count; ++element)
    for (const BasicRun& run : layout.type->basics()) {
      const Parts parts = parts_of(run);
      for (std::size_t i = 0; i < run.count * parts.count; ++i) visit(parts);
    }
}

}  // namespace

std::size_t external_bytes(const Datatype& type) {
  std::size_t bytes = 0;
  for (const BasicRun& run : type.basics()) {
    const Parts parts = parts_of(run);
    bytes += run.count * parts.count * parts.external;
  }
  return bytes;
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
