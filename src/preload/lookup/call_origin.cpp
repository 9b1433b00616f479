// SPDX-License-Identifier: BSD-3-Clause
// Caches the result for each call address: there are few, and asking the loader for a library takes
// longer than a short collective.
#include "preload/lookup/call_origin.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <string>

#include "preload/lookup/symbol_lookup.hpp"

namespace terrace::preload {

namespace {

constexpr std::size_t kSlots = 256;
constexpr unsigned kBitsOfCaller = 2;

CallOrigin look_at(const void* address) {
  static const std::string mpi = library_of("PMPI_Initialized");
  const std::string library = library_at(address);
  const std::string_view file = file_name(library);
  // A tool that we have called and that has left by a tail jump.
  if (file.starts_with(kOurFileNames)) return CallOrigin::other;
  // Open MPI's plugins: the one for files makes collectives.
  if (library == mpi || file.starts_with("mca_") || file.starts_with(kLibrariesOfTerrace))
    return CallOrigin::inside;
  // libmpi_mpifh, libmpifort, libmpichfort
  return file.starts_with("libmpi") ? CallOrigin::fortran : CallOrigin::other;
}

}  // namespace

CallOrigin call_origin_at(const void* return_address) {
  // Addresses, with the answer in the lowest bits.
  static std::array<std::atomic<std::uintptr_t>, kSlots> known{};
  const auto address = reinterpret_cast<std::uintptr_t>(return_address);
  std::atomic<std::uintptr_t>& slot = known[address / 2 % kSlots];
  // relaxed: the word is all that there is to know. Partner: the store below.
  const std::uintptr_t last = slot.load(std::memory_order_relaxed);
  if (last >> kBitsOfCaller == address)
    return static_cast<CallOrigin>(last & ((1u << kBitsOfCaller) - 1));
  const CallOrigin caller = look_at(return_address);
  // relaxed: as above, which is the partner.
  slot.store(address << kBitsOfCaller | static_cast<std::uintptr_t>(caller),
             std::memory_order_relaxed);
  return caller;
}

}  // namespace terrace::preload
