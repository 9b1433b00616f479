// SPDX-License-Identifier: BSD-3-Clause
// Attached buffers of ranks and communicators.
#include "threadranks/mpi/message/buffers.hpp"

#include <string>

namespace terrace::threadranks::mpi {

namespace {

int attach_to_rank(const char* function, void* buffer, std::int64_t bytes) {
  const RankCall call(function);
  return attach(call.state().attached, buffer, bytes, [&](int error, const std::string& sentence) {
    return mpi::fail(function, error, sentence);
  });
}

template <class Number>
int detach_from_rank(const char* function, void* place, Number* bytes) {
  const RankCall call(function);
  return detach(call.state().attached, place, bytes);
}

int attach_to_comm(const char* function, MPI_Comm comm, void* buffer, std::int64_t bytes) {
  Caller caller(function, comm);
  if (caller.error()) return caller.error();
  return attach(
      caller.communicator().attached, buffer, bytes,
      [&](int error, const std::string& sentence) { return caller.fail(error, sentence); });
}

template <class Number>
int detach_from_comm(const char* function, MPI_Comm comm, void* place, Number* bytes) {
  const Caller caller(function, comm);
  return caller.error() ? caller.error() : detach(caller.communicator().attached, place, bytes);
}

}  // namespace
}  // namespace terrace::threadranks::mpi

namespace mpi = terrace::threadranks::mpi;

#define TERRACE_BUFFERS(suffix, Counts)                                                       \
  TERRACE_MPI(int, Buffer_attach##suffix, (void* buffer, Counts bytes)) {                     \
    return mpi::attach_to_rank("MPI_Buffer_attach" #suffix, buffer, bytes);                   \
  }                                                                                           \
  TERRACE_MPI(int, Buffer_detach##suffix, (void* place, Counts* bytes)) {                     \
    return mpi::detach_from_rank("MPI_Buffer_detach" #suffix, place, bytes);                  \
  }                                                                                           \
  TERRACE_MPI(int, Comm_attach_buffer##suffix, (MPI_Comm comm, void* buffer, Counts bytes)) { \
    return mpi::attach_to_comm("MPI_Comm_attach_buffer" #suffix, comm, buffer, bytes);        \
  }                                                                                           \
  TERRACE_MPI(int, Comm_detach_buffer##suffix, (MPI_Comm comm, void* place, Counts* bytes)) { \
    return mpi::detach_from_comm("MPI_Comm_detach_buffer" #suffix, comm, place, bytes);       \
  }
TERRACE_BUFFERS(, int)
TERRACE_BUFFERS(_c, MPI_Count)

TERRACE_MPI(int, Buffer_flush, (void)) {
  return MPI_SUCCESS;
}
TERRACE_MPI(int, Buffer_iflush, (MPI_Request * request)) {
  const mpi::RankCall call("MPI_Buffer_iflush");
  return mpi::put_complete_request(call.state().self(), nullptr, request);
}
TERRACE_MPI(int, Comm_flush_buffer, (MPI_Comm comm)) {
  return mpi::Caller("MPI_Comm_flush_buffer", comm).error();
}
TERRACE_MPI(int, Comm_iflush_buffer, (MPI_Comm comm, MPI_Request* request)) {
  const mpi::Caller caller("MPI_Comm_iflush_buffer", comm);
  if (caller.error()) return caller.error();
  return mpi::put_complete_request(caller.communicator(), nullptr, request);
}
