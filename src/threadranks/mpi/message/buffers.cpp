// SPDX-License-Identifier: BSD-3-Clause
// Attached buffers of ranks and communicators.
#include "threadranks/mpi/message/buffers.hpp"

#include <memory>
#include <string>

namespace terrace::threadranks::mpi {

int begin_flush(Communicator& communicator, MPI_Request* request) {
  auto made = std::make_unique<threadranks::Request>();
  made->kind = threadranks::Request::Kind::send;
  made->is_active = true;
  made->communicator = &communicator;
  *request = handle_of_object<MPI_Request>(*made.release());
  return MPI_SUCCESS;
}

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
  return mpi::begin_flush(call.state().self(), request);
}
TERRACE_MPI(int, Comm_flush_buffer, (MPI_Comm comm)) {
  return mpi::Caller("MPI_Comm_flush_buffer", comm).error();
}
TERRACE_MPI(int, Comm_iflush_buffer, (MPI_Comm comm, MPI_Request* request)) {
  const mpi::Caller caller("MPI_Comm_iflush_buffer", comm);
  return caller.error() ? caller.error() : mpi::begin_flush(caller.communicator(), request);
}
