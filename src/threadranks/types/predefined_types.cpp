// SPDX-License-Identifier: BSD-3-Clause
// The predefined types, by their handles in the ABI of MPI 5.0.
#include <array>

#include "abi/standard.hpp"
#include "threadranks/types/datatype.hpp"

namespace terrace::threadranks {

namespace {

using abi::standard::Named;

/// Types that only this room needs.
constexpr Named kMore[] = {
    {"MPI_LOGICAL1", 0x2c0},  {"MPI_LOGICAL2", 0x2c8},  {"MPI_LOGICAL4", 0x2d0},
    {"MPI_LOGICAL8", 0x2d8},  {"MPI_LOGICAL16", 0x2e0}, {"MPI_INTEGER16", 0x2e1},
    {"MPI_REAL2", 0x2ca},     {"MPI_REAL16", 0x2e2},    {"MPI_COMPLEX4", 0x2d3},
    {"MPI_COMPLEX32", 0x2eb},
};

constexpr std::uintptr_t kFirst = 0x200, kLast = 0x2ff;

struct Types {
  std::array<Datatype*, kLast - kFirst + 1> by_handle{};

  Types() {
    for (const Named& named : abi::standard::kNamed) add(named);
    for (const Named& named : kMore) add(named);
  }
  void add(const Named& named) {
    const NamedType* const type = find_named_type(named.name);
    if (type == nullptr) return;
    // Not from the memory of the rank that asks first, whose lock the caller need not have.
    by_handle[named.value - kFirst] = ::new Datatype(*type, named.value);
  }
};

/// Never destroyed: programs call MPI at their exit.
[[gnu::cold, gnu::noinline]] const Types& made_types() {
  return *new Types;
}

}  // namespace

Datatype* predefined_type(std::uintptr_t standard) {
  static const Types& types = made_types();
  return standard < kFirst || standard > kLast ? nullptr : types.by_handle[standard - kFirst];
}

}  // namespace terrace::threadranks
