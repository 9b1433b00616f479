// SPDX-License-Identifier: BSD-3-Clause
// Handles of an MPI, whatever its ABI: integers in one family, addresses in the others. One library
// serves them all, so its core sees words, and adapters turn them into what their ABI has.
#pragma once

#include <cstdint>
#include <type_traits>

namespace terrace {

/// A communicator, a type, an operator: without a meaning but to its MPI.
using Handle = std::uintptr_t;

template <class Native>
Native narrow(Handle handle) {
  if constexpr (std::is_pointer_v<Native>)
    return reinterpret_cast<Native>(handle);
  else
    return static_cast<Native>(handle);
}
template <class Native>
Handle widen(Native handle) {
  if constexpr (std::is_pointer_v<Native>)
    return reinterpret_cast<Handle>(handle);
  else
    return static_cast<Handle>(static_cast<unsigned>(handle));
}

}  // namespace terrace
