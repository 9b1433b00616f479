// SPDX-License-Identifier: BSD-3-Clause
// Handles of an MPI of any ABI: integers in some, addresses in others. One library serves all, so
// its core sees plain words, and adapters turn them into the handles of their ABI.
#pragma once

#include <cstdint>
#include <type_traits>

namespace terrace {

/// A communicator, a type or an operator: opaque to all but its MPI.
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
