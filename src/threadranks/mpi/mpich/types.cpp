// SPDX-License-Identifier: BSD-3-Clause
// Converts handles to predefined types, and back.
#include <cstddef>
#include <string_view>

#include "threadranks/mpi/adapter.hpp"

namespace terrace::threadranks::mpi {
namespace {

using abi::mpich::Named;

/// Types that only this ABI has. Not all releases of MPICH have all of them.
constexpr Named kMore[] = {
    {"MPI_LOGICAL1", 0x4c000147},  {"MPI_LOGICAL2", 0x4c000248},  {"MPI_LOGICAL4", 0x4c000449},
    {"MPI_LOGICAL8", 0x4c00084a},  {"MPI_LOGICAL16", 0x4c00104b}, {"MPI_INTEGER16", 0x4c001032},
    {"MPI_REAL2", 0x4c000226},     {"MPI_REAL16", 0x4c00102b},    {"MPI_COMPLEX4", 0x4c00042e},
    {"MPI_COMPLEX32", 0x4c00202c},
};

/// MPICH numbers its types below 256, and pairs separately. Ours have consecutive numbers in the
/// ABI of MPI 5.0.
constexpr std::size_t kTypes = 256;
constexpr std::uintptr_t kFirst = 0x200, kLast = 0x2ff;
constexpr std::uint32_t kPairs = 0x8c000000;

std::size_t place_of(MPI_Datatype type) {
  const auto bits = static_cast<std::uint32_t>(type);
  return (bits & 0xff) + ((bits & ~0xffu) == kPairs ? kTypes : 0);
}

struct Table {
  struct Row {
    MPI_Datatype handle = MPI_DATATYPE_NULL;
    Datatype* type = nullptr;
  };
  std::array<Row, 2 * kTypes> by_place;
  std::array<MPI_Datatype, kLast - kFirst + 1> by_standard;

  Table() {
    by_standard.fill(MPI_DATATYPE_NULL);
    for (const Named& named : abi::mpich::kNamed) add(named);
    for (const Named& named : kMore) add(named);
  }
  void add(const Named& named) {
    for (std::uintptr_t standard = kFirst; standard <= kLast; ++standard) {
      Datatype* const type = predefined_type(standard);
      if (type == nullptr || std::string_view(type->predefined()->name) != named.name) continue;
      by_place[place_of(named.value)] = {named.value, type};
      by_standard[standard - kFirst] = named.value;
    }
  }
};

const Table& table() {
  static const Table& only = *new Table;  // never destroyed: programs call MPI at their exit
  return only;
}

}  // namespace

Datatype* predefined_type_of(MPI_Datatype type) {
  const Table::Row& row = table().by_place[place_of(type)];
  return row.handle == type ? row.type : nullptr;
}

MPI_Datatype handle_of_predefined(const Datatype& type) {
  return table().by_standard[type.standard() - kFirst];
}

}  // namespace terrace::threadranks::mpi
