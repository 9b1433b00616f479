// SPDX-License-Identifier: BSD-3-Clause
// Packs elements as messages hold them: contiguous, without gaps.
#include "threadranks/mpi/adapter.hpp"

namespace terrace::threadranks::mpi {
namespace {

template <class Number>
int pack_to(const char* function, const void* in, std::int64_t count, MPI_Datatype type, void* out,
            std::int64_t room, Number* position, MPI_Comm comm) {
  Caller caller(function, comm);
  const Layout from = caller.layout(in, count, type);
  if (caller.error()) return caller.error();
  const auto bytes = static_cast<std::int64_t>(from.bytes());
  if (*position < 0 && bytes > 0) return caller.fail(MPI_ERR_ARG, "the position is negative");
  if (bytes > room - *position) return caller.fail(MPI_ERR_TRUNCATE, "no room to pack");
  pack(from, static_cast<std::byte*>(out) + *position, from.bytes());
  *position = static_cast<Number>(*position + bytes);
  return MPI_SUCCESS;
}

template <class Number>
int unpack_from(const char* function, const void* in, std::int64_t bytes, Number* position,
                void* out, std::int64_t count, MPI_Datatype type, MPI_Comm comm) {
  Caller caller(function, comm);
  const Layout to = caller.layout(out, count, type);
  if (caller.error()) return caller.error();
  const auto wanted = static_cast<std::int64_t>(to.bytes());
  if (*position < 0 && wanted > 0) return caller.fail(MPI_ERR_ARG, "the position is negative");
  if (wanted > bytes - *position) return caller.fail(MPI_ERR_TRUNCATE, "no more to unpack");
  unpack(static_cast<const std::byte*>(in) + *position, to, to.bytes());
  *position = static_cast<Number>(*position + wanted);
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace terrace::threadranks::mpi

namespace mpi = terrace::threadranks::mpi;

#define TERRACE_PACKING(suffix, Number)                                                         \
  TERRACE_MPI(int, Pack##suffix,                                                                \
              (const void* in, Number count, MPI_Datatype type, void* out, Number room,         \
               Number* position, MPI_Comm comm)) {                                              \
    return mpi::pack_to("MPI_Pack" #suffix, in, count, type, out, room, position, comm);        \
  }                                                                                             \
  TERRACE_MPI(int, Unpack##suffix,                                                              \
              (const void* in, Number bytes, Number* position, void* out, Number count,         \
               MPI_Datatype type, MPI_Comm comm)) {                                             \
    return mpi::unpack_from("MPI_Unpack" #suffix, in, bytes, position, out, count, type, comm); \
  }                                                                                             \
  TERRACE_MPI(int, Pack_size##suffix,                                                           \
              (Number count, MPI_Datatype type, MPI_Comm comm, Number * size)) {                \
    mpi::Caller caller("MPI_Pack_size" #suffix, comm);                                          \
    const auto layout = caller.elements(count, type);                                           \
    if (!caller.error()) *size = static_cast<Number>(layout.bytes());                           \
    return caller.error();                                                                      \
  }
TERRACE_PACKING(, int)
TERRACE_PACKING(_c, MPI_Count)
