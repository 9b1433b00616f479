// SPDX-License-Identifier: BSD-3-Clause
// Buffers that programs attach for buffered sends, to the rank, a communicator or a session.
// Buffered sends allocate their own memory, without bound, and give it away with the message: what
// is attached is only given back, and there is never anything to be flushed.
#pragma once

#include <cstdint>

#include "threadranks/mpi/adapter.hpp"

namespace terrace::threadranks::mpi {

/// Remembers the program's buffer. Raises the error that there is one already by `fails(class,
/// sentence)`.
template <class Fails>
int attach(AttachedBuffer& attached, void* buffer, std::int64_t bytes, Fails&& fails) {
  if (attached.is_attached) return fails(MPI_ERR_BUFFER, "a buffer is attached already");
  if (bytes < 0) return fails(MPI_ERR_ARG, std::to_string(bytes) + " bytes");
  const bool is_automatic = buffer == MPI_BUFFER_AUTOMATIC;
  attached = {true, buffer, is_automatic ? 0 : bytes};
  return MPI_SUCCESS;
}

/// Gives the program its buffer back; null and no bytes if none is attached.
template <class Number>
int detach(AttachedBuffer& attached, void* place, Number* bytes) {
  *static_cast<void**>(place) = attached.place;
  *bytes = static_cast<Number>(attached.bytes);
  attached = {};
  return MPI_SUCCESS;
}

}  // namespace terrace::threadranks::mpi
