// SPDX-License-Identifier: BSD-3-Clause
// Finds the underlying MPI at the program's first call, because it may be loaded late, as by a
// program that a script starts. Then picks the adapter for its ABI.
#include "preload/mpi/underlying_mpi.hpp"

#include <mutex>
#include <string>

#include "base/say.hpp"
#include "preload/lookup/symbol_lookup.hpp"
#include "preload/mpi/adapters.hpp"

namespace terrace::preload {

// Until the MPI is known, and if we can use none, handles are forwarded unchanged.
std::atomic<Handle> known_handle_bits{0};
std::atomic<UnderlyingMpi*> known_underlying_mpi{nullptr};

namespace {

/// State of what is known of the underlying MPI so far.
struct Below {
  std::mutex mutex;
  std::atomic<bool> is_known{false};
  UnderlyingMpi* adapter = nullptr;  ///< once known: null if there is none that we can use
};

/// Found by the library that answers the program's calls: others may be loaded as well.
Abi abi_of(const std::string& library) {
  if (file_name(library).starts_with("libmpi_abi")) return Abi::standard;
  return defines(library, "ompi_mpi_comm_world") ? Abi::openmpi : Abi::mpich;
}

FoundMpi look() {
  switch (abi_of(library_of("PMPI_Initialized"))) {
    case Abi::standard:
      return standard::look();
    case Abi::openmpi:
      return openmpi::look();
    case Abi::mpich:
      break;
  }
  return mpich::look();
}

void look(Below& underlying) {
  const FoundMpi found = is_first_of_our_kind() ? look() : FoundMpi{};
  if (found.is_early) return;
  if (is_first_of_our_kind() && found.adapter == nullptr)
    say_once(
        "the MPI of this program lacks functions that Terrace needs, or refuses them: it runs "
        "without Terrace");
  underlying.adapter = found.adapter;
  // relaxed: every thread finds the same; no partner.
  known_handle_bits.store(underlying.adapter ? underlying.adapter->handle_bits : ~Handle{0},
                          std::memory_order_relaxed);
  // release: pairs with the acquire in `underlying_mpi`.
  known_underlying_mpi.store(underlying.adapter, std::memory_order_release);
  // release: pairs with the acquire in `find_underlying_mpi`.
  underlying.is_known.store(true, std::memory_order_release);
}

}  // namespace

UnderlyingMpi* find_underlying_mpi() {
  static auto* const underlying = new Below;  // never destroyed: MPI may outlive us
  // acquire: pairs with the release in `look`.
  if (underlying->is_known.load(std::memory_order_acquire)) return underlying->adapter;
  const std::lock_guard lock(underlying->mutex);
  // relaxed: under the lock.
  if (!underlying->is_known.load(std::memory_order_relaxed)) look(*underlying);
  return underlying->adapter;
}

std::optional<ToolWords> tool_words_below() {
  const std::string library = library_of("PMPI_Initialized");
  if (library.empty()) return std::nullopt;
  switch (abi_of(library)) {
    case Abi::standard:
      return standard::tool_words();
    case Abi::openmpi:
      return openmpi::tool_words();
    case Abi::mpich:
      break;
  }
  return mpich::tool_words();
}

Handle find_handle_bits() {
  const UnderlyingMpi* underlying = underlying_mpi();
  return underlying ? underlying->handle_bits : ~Handle{0};
}

}  // namespace terrace::preload
