// SPDX-License-Identifier: BSD-3-Clause
// The predefined objects, and where each rank's program has them.
#include "threadranks/mpi/openmpi/predefined.hpp"

#include <array>
#include <cstddef>
#include <memory>

#include "threadranks/mpi/adapter.hpp"

namespace terrace::threadranks::mpi {
namespace {

template <std::size_t bytes>
struct alignas(32) Predefined {
  PredefinedObject object;
  std::array<std::byte, bytes - sizeof(PredefinedObject)> rest{};
};

/// Open MPI's sizes, which programs reserve.
template <class Native>
constexpr std::size_t kBytes = 256;
template <>
constexpr std::size_t kBytes<MPI_Comm> = 512;
template <>
constexpr std::size_t kBytes<MPI_Datatype> = 512;
template <>
constexpr std::size_t kBytes<MPI_Win> = 512;
template <>
constexpr std::size_t kBytes<MPI_Session> = 512;
template <>
constexpr std::size_t kBytes<MPI_Errhandler> = 1024;
template <>
constexpr std::size_t kBytes<MPI_File> = 1536;
template <>
constexpr std::size_t kBytes<MPI_Op> = 2048;

}  // namespace
}  // namespace terrace::threadranks::mpi

namespace mpi = terrace::threadranks::mpi;

#pragma GCC visibility push(default)
extern "C" {
#define TERRACE_PREDEFINED(name, Native, symbol, number, number_in_fortran) \
  extern mpi::Predefined<mpi::kBytes<Native>> symbol;                       \
  constinit mpi::Predefined<mpi::kBytes<Native>> symbol{{mpi::kMark, number}};
#include "threadranks/mpi/openmpi/predefined_objects.h"
}
#pragma GCC visibility pop

namespace terrace::threadranks::mpi {
namespace {

using Places = std::array<void*, kLastNumber + 1>;

/// Returns the places for a program that was started without a launcher, or that reserves none.
const Places& places_of_library() {
  static const Places places = [] {
    Places found{};
#define TERRACE_PREDEFINED(name, Native, symbol, number, number_in_fortran) found[number] = &symbol;
#include "threadranks/mpi/openmpi/predefined_objects.h"
    return found;
  }();
  return places;
}

}  // namespace

void* place_of_predefined(std::uintptr_t number) {
  const RankState* const rank = current_rank();
  const auto* const own =
      rank != nullptr ? static_cast<const Places*>(rank->predefined_objects.get()) : nullptr;
  return (own != nullptr ? *own : places_of_library())[number];
}

}  // namespace terrace::threadranks::mpi

extern "C" [[gnu::visibility("default")]] void terrace_ranks_place(int rank, void* place) {
  terrace::threadranks::RankState* const state = terrace::threadranks::rank_of_process(rank);
  const std::uintptr_t number = mpi::number_of(place);
  if (state == nullptr || number == 0 || number >= mpi::kNoHandle) return;
  auto own = std::static_pointer_cast<mpi::Places>(state->predefined_objects);
  if (own == nullptr) own = std::make_shared<mpi::Places>(mpi::places_of_library());
  (*own)[number] = place;
  state->predefined_objects = std::move(own);
}
