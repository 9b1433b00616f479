// SPDX-License-Identifier: BSD-3-Clause
// Packing in the representation external32.
#include "threadranks/types/external32.hpp"

#include <string_view>

#include "threadranks/mpi/adapter.hpp"

namespace terrace::threadranks::mpi {
namespace {

/// Elements in memory, and their external form. No type after an error.
struct Outside {
  Layout layout;
  std::int64_t bytes = 0;
};

int find(const char* function, const char* name, const void* buffer, std::int64_t count,
         MPI_Datatype type, Outside& found) {
  if (std::string_view(name) != "external32")
    return fail(function, MPI_ERR_ARG,
                std::string("\"") + name + "\" is no representation of data, external32 is");
  int error;
  Datatype* const ours = known_type(function, type, error);
  if (error) return error;
  if (count < 0) return fail(function, MPI_ERR_COUNT, std::to_string(count) + " elements");
  found.layout = {buffer, static_cast<std::size_t>(count), ours};
  found.bytes = count * static_cast<std::int64_t>(external_bytes(*ours));
  return MPI_SUCCESS;
}

template <class Number>
int pack_to(const char* function, const char* name, const void* in, std::int64_t count,
            MPI_Datatype type, void* out, std::int64_t room, Number* position) {
  Outside outside;
  if (const int error = find(function, name, in, count, type, outside)) return error;
  if (*position < 0 && outside.bytes > 0)
    return fail(function, MPI_ERR_ARG, "the position is negative");
  if (outside.bytes > room - *position) return fail(function, MPI_ERR_TRUNCATE, "no room to pack");
  pack_external(outside.layout, static_cast<std::byte*>(out) + *position);
  *position += outside.bytes;
  return MPI_SUCCESS;
}

template <class Number>
int unpack_from(const char* function, const char* name, const void* in, std::int64_t bytes,
                Number* position, void* out, std::int64_t count, MPI_Datatype type) {
  Outside outside;
  if (const int error = find(function, name, out, count, type, outside)) return error;
  if (*position < 0 && outside.bytes > 0)
    return fail(function, MPI_ERR_ARG, "the position is negative");
  if (outside.bytes > bytes - *position)
    return fail(function, MPI_ERR_TRUNCATE, "no more to unpack");
  unpack_external(static_cast<const std::byte*>(in) + *position, outside.layout);
  *position += outside.bytes;
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace terrace::threadranks::mpi

namespace mpi = terrace::threadranks::mpi;

#define TERRACE_EXTERNAL(suffix, Counts, Places)                                                  \
  TERRACE_MPI(int, Pack_external##suffix,                                                         \
              (const char* name, const void* in, Counts count, MPI_Datatype type, void* out,      \
               Places room, Places* position)) {                                                  \
    return mpi::pack_to("MPI_Pack_external" #suffix, name, in, count, type, out, room, position); \
  }                                                                                               \
  TERRACE_MPI(int, Unpack_external##suffix,                                                       \
              (const char* name, const void* in, Places bytes, Places* position, void* out,       \
               Counts count, MPI_Datatype type)) {                                                \
    return mpi::unpack_from("MPI_Unpack_external" #suffix, name, in, bytes, position, out, count, \
                            type);                                                                \
  }                                                                                               \
  TERRACE_MPI(int, Pack_external_size##suffix,                                                    \
              (const char* name, Counts count, MPI_Datatype type, Places* bytes)) {               \
    mpi::Outside outside;                                                                         \
    const int error =                                                                             \
        mpi::find("MPI_Pack_external_size" #suffix, name, nullptr, count, type, outside);         \
    if (!error) *bytes = outside.bytes;                                                           \
    return error;                                                                                 \
  }
TERRACE_EXTERNAL(, int, MPI_Aint)
TERRACE_EXTERNAL(_c, MPI_Count, MPI_Count)
