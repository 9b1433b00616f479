// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes files: by explicit offsets, by individual and by shared pointers; alone and as
// collectives; blocking, nonblocking and split. Nonblocking functions have done their work when
// they return, and never wait for other ranks; split collectives do it when they begin.
#include <string>

#include "threadranks/mpi/collective/blocks.hpp"
#include "threadranks/mpi/file/file_caller.hpp"

namespace terrace::threadranks::mpi {
namespace {

/// The place where an access begins.
enum class Place : std::uint8_t { at_offset, at_pointer, at_shared_pointer, in_order };

struct Access {
  const char* function;
  FileAccess how;
  Place place;
};

bool uses_shared_pointer(const Access& access) {
  return access.place == Place::at_shared_pointer || access.place == Place::in_order;
}

void check(FileCaller& caller, const Access& access, MPI_Offset offset, const Layout& layout) {
  if (caller.error()) return;
  const File& file = caller.file();
  if (access.how.writes)
    caller.check(file.mode().writes, MPI_ERR_READ_ONLY, "the file was opened to be read only");
  else
    caller.check(file.mode().reads, MPI_ERR_ACCESS, "the file was opened to be written only");
  caller.check(uses_shared_pointer(access) || !file.mode().is_sequential,
               MPI_ERR_UNSUPPORTED_OPERATION, "a sequential file has a shared pointer only");
  caller.check(access.place != Place::at_offset || file.view().position_of(offset).has_value(),
               MPI_ERR_ARG, kWrongOffset);
  caller.check(file.file_bytes(layout) % file.view().etype_bytes() == 0, MPI_ERR_IO,
               "the elements are not a whole number of etypes");
  caller.check(!access.how.is_collective || file.split == nullptr, MPI_ERR_OTHER,
               "a split collective has begun, and has not been ended");
}

/// Makes the access; returns the class of an error.
int make(FileCaller& caller, const Access& access, MPI_Offset offset, const BufferSide& elements,
         Status& status) {
  const Layout layout = caller.layout(elements.buffer, elements.count, elements.type);
  check(caller, access, offset, layout);
  if (caller.error()) return caller.error();
  File& file = caller.file();
  const std::size_t bytes = file.file_bytes(layout);
  std::int64_t position = file.position;
  if (access.place == Place::at_offset) position = *file.view().position_of(offset);
  if (access.place == Place::at_pointer) file.position += static_cast<std::int64_t>(bytes);
  if (access.place == Place::at_shared_pointer)
    position = file.shared_pointer().advance(static_cast<std::int64_t>(bytes));
  if (access.place == Place::in_order) position = file.take_shared_in_order(bytes);
  const Moved moved = file.move(position, layout, access.how);
  status.bytes = moved.bytes;
  return caller.result_of(moved.error);
}

int run(const Access& access, MPI_File handle, MPI_Offset offset, const BufferSide& elements,
        MPI_Status* put) {
  FileCaller caller(access.function, handle);
  if (caller.error()) return caller.error();
  Status status;
  const int error = make(caller, access, offset, elements, status);
  if (!error) put_status(status, put);
  return error;
}

/// A request that is over already. Ranks may begin in any order, so none waits for another.
int run_nonblocking(Access access, MPI_File handle, MPI_Offset offset, const BufferSide& elements,
                    MPI_Request* put) {
  FileCaller caller(access.function, handle);
  if (caller.error()) return caller.error();
  access.how.is_collective = false;
  Status status;
  if (const int error = make(caller, access, offset, elements, status)) return error;
  return put_complete_request(caller.file().communicator(), &status, put);
}

/// `end`: the function that ends it.
int begin_split(const Access& access, const char* end, MPI_File handle, MPI_Offset offset,
                const BufferSide& elements) {
  FileCaller caller(access.function, handle);
  if (caller.error()) return caller.error();
  Status status;
  if (const int error = make(caller, access, offset, elements, status)) return error;
  caller.file().split = end;
  caller.file().split_bytes = status.bytes;
  return MPI_SUCCESS;
}

int end_split(const char* function, MPI_File handle, MPI_Status* put) {
  FileCaller caller(function, handle);
  if (caller.error()) return caller.error();
  const char* const begun = caller.file().split;
  caller.check(begun != nullptr && std::string(begun) == function, MPI_ERR_OTHER,
               "no split collective has begun that this function ends");
  if (caller.error()) return caller.error();
  caller.file().split = nullptr;
  Status status;
  status.bytes = caller.file().split_bytes;
  put_status(status, put);
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace terrace::threadranks::mpi

namespace mpi = terrace::threadranks::mpi;
using mpi::Place;

// For each way, functions with an offset (behind the file, as an argument of its own) and without.
#define TERRACE_WITH_OFFSET MPI_Offset offset,
#define TERRACE_WITHOUT_OFFSET

/// A blocking function, and a nonblocking one, with both kinds of counts.
#define TERRACE_ACCESS(name, nonblocking, writes, place, is_collective, PARAMETER, offset_or_0,  \
                       constness, Counts, suffix)                                                \
  TERRACE_MPI(int, File_##name##suffix,                                                          \
              (MPI_File file, PARAMETER constness void* buffer, Counts count, MPI_Datatype type, \
               MPI_Status* status)) {                                                            \
    return mpi::run({"MPI_File_" #name #suffix, {writes, is_collective}, place}, file,           \
                    offset_or_0, {buffer, count, type}, status);                                 \
  }                                                                                              \
  TERRACE_MPI(int, File_##nonblocking##suffix,                                                   \
              (MPI_File file, PARAMETER constness void* buffer, Counts count, MPI_Datatype type, \
               MPI_Request* request)) {                                                          \
    return mpi::run_nonblocking(                                                                 \
        {"MPI_File_" #nonblocking #suffix, {writes, is_collective}, place}, file, offset_or_0,   \
        {buffer, count, type}, request);                                                         \
  }
#define TERRACE_ACCESSES(Counts, suffix)                                                           \
  TERRACE_ACCESS(read, iread, false, Place::at_pointer, false, TERRACE_WITHOUT_OFFSET, 0, ,        \
                 Counts, suffix)                                                                   \
  TERRACE_ACCESS(write, iwrite, true, Place::at_pointer, false, TERRACE_WITHOUT_OFFSET, 0, const,  \
                 Counts, suffix)                                                                   \
  TERRACE_ACCESS(read_all, iread_all, false, Place::at_pointer, true, TERRACE_WITHOUT_OFFSET, 0, , \
                 Counts, suffix)                                                                   \
  TERRACE_ACCESS(write_all, iwrite_all, true, Place::at_pointer, true, TERRACE_WITHOUT_OFFSET, 0,  \
                 const, Counts, suffix)                                                            \
  TERRACE_ACCESS(read_at, iread_at, false, Place::at_offset, false, TERRACE_WITH_OFFSET, offset, , \
                 Counts, suffix)                                                                   \
  TERRACE_ACCESS(write_at, iwrite_at, true, Place::at_offset, false, TERRACE_WITH_OFFSET, offset,  \
                 const, Counts, suffix)                                                            \
  TERRACE_ACCESS(read_at_all, iread_at_all, false, Place::at_offset, true, TERRACE_WITH_OFFSET,    \
                 offset, , Counts, suffix)                                                         \
  TERRACE_ACCESS(write_at_all, iwrite_at_all, true, Place::at_offset, true, TERRACE_WITH_OFFSET,   \
                 offset, const, Counts, suffix)                                                    \
  TERRACE_ACCESS(read_shared, iread_shared, false, Place::at_shared_pointer, false,                \
                 TERRACE_WITHOUT_OFFSET, 0, , Counts, suffix)                                      \
  TERRACE_ACCESS(write_shared, iwrite_shared, true, Place::at_shared_pointer, false,               \
                 TERRACE_WITHOUT_OFFSET, 0, const, Counts, suffix)
TERRACE_ACCESSES(int, )
TERRACE_ACCESSES(MPI_Count, _c)

#define TERRACE_ORDERED(name, writes, constness, Counts, suffix)                           \
  TERRACE_MPI(int, File_##name##suffix,                                                    \
              (MPI_File file, constness void* buffer, Counts count, MPI_Datatype type,     \
               MPI_Status* status)) {                                                      \
    return mpi::run({"MPI_File_" #name #suffix, {writes, true}, Place::in_order}, file, 0, \
                    {buffer, count, type}, status);                                        \
  }
TERRACE_ORDERED(read_ordered, false, , int, )
TERRACE_ORDERED(write_ordered, true, const, int, )
TERRACE_ORDERED(read_ordered, false, , MPI_Count, _c)
TERRACE_ORDERED(write_ordered, true, const, MPI_Count, _c)

#define TERRACE_SPLIT(name, writes, place, PARAMETER, offset_or_0, constness, Counts, suffix)    \
  TERRACE_MPI(                                                                                   \
      int, File_##name##_begin##suffix,                                                          \
      (MPI_File file, PARAMETER constness void* buffer, Counts count, MPI_Datatype type)) {      \
    return mpi::begin_split({"MPI_File_" #name "_begin" #suffix, {writes, true}, place},         \
                            "MPI_File_" #name "_end", file, offset_or_0, {buffer, count, type}); \
  }
#define TERRACE_SPLITS(Counts, suffix)                                                             \
  TERRACE_SPLIT(read_all, false, Place::at_pointer, TERRACE_WITHOUT_OFFSET, 0, , Counts, suffix)   \
  TERRACE_SPLIT(write_all, true, Place::at_pointer, TERRACE_WITHOUT_OFFSET, 0, const, Counts,      \
                suffix)                                                                            \
  TERRACE_SPLIT(read_at_all, false, Place::at_offset, TERRACE_WITH_OFFSET, offset, , Counts,       \
                suffix)                                                                            \
  TERRACE_SPLIT(write_at_all, true, Place::at_offset, TERRACE_WITH_OFFSET, offset, const, Counts,  \
                suffix)                                                                            \
  TERRACE_SPLIT(read_ordered, false, Place::in_order, TERRACE_WITHOUT_OFFSET, 0, , Counts, suffix) \
  TERRACE_SPLIT(write_ordered, true, Place::in_order, TERRACE_WITHOUT_OFFSET, 0, const, Counts,    \
                suffix)
TERRACE_SPLITS(int, )
TERRACE_SPLITS(MPI_Count, _c)

#define TERRACE_END(name, constness)                                                          \
  TERRACE_MPI(int, File_##name##_end, (MPI_File file, constness void*, MPI_Status* status)) { \
    return mpi::end_split("MPI_File_" #name "_end", file, status);                            \
  }
TERRACE_END(read_all, )
TERRACE_END(write_all, const)
TERRACE_END(read_at_all, )
TERRACE_END(write_at_all, const)
TERRACE_END(read_ordered, )
TERRACE_END(write_ordered, const)
