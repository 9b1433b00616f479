// SPDX-License-Identifier: BSD-3-Clause
// Messages that transfer the ownership of their memory: the functions that <terrace/ownership.h>
// calls in thread ranks.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "threadranks/mpi/adapter.hpp"

// behind the declarations of MPI above, which are visible from outside
#include "terrace/ownership.h"

namespace terrace::threadranks::mpi {
namespace {

using Ours = threadranks::Request;

/// The program's pointer; null after an error.
void** pointer_at(Caller& caller, void* buffer) {
  if (buffer == nullptr) caller.fail(MPI_ERR_BUFFER, "the address of the pointer is null");
  return static_cast<void**>(buffer);
}

/// Elements must be dense, as the receiver does not know of gaps.
Layout dense_layout(Caller& caller, MPI_Count count, MPI_Datatype type) {
  const Layout layout = caller.elements(count, type);
  if (!caller.error() && !layout.type->is_dense())
    caller.fail(MPI_ERR_TYPE, "elements of this type have gaps; give and take them as MPI_BYTE");
  if (!caller.error() && layout.count > PTRDIFF_MAX / std::max<std::size_t>(layout.type->size(), 1))
    caller.fail(MPI_ERR_COUNT, "more bytes than there are addresses");
  return layout;
}

int give(void* buffer, MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  Caller caller("MPIX_Give", comm);
  caller.check_peer(to, false);
  caller.check_tag(tag, false);
  void** const place = pointer_at(caller, buffer);
  const Layout from = dense_layout(caller, count, type);
  if (!caller.error() && *place == nullptr && from.bytes() > 0)
    caller.fail(MPI_ERR_BUFFER, "null is given as " + std::to_string(from.bytes()) + " bytes");
  if (caller.error()) return caller.error();
  void* const memory = std::exchange(*place, nullptr);
  if (to == MPI_PROC_NULL)
    std::free(memory);
  else
    threadranks::give(caller.communicator().address_of(to, tag), memory, from.bytes(),
                      caller.state().messages().mailbox());
  return MPI_SUCCESS;
}

/// Null after an error.
std::unique_ptr<Ours> begin_take(Caller& caller, void* buffer, MPI_Count count, MPI_Datatype type,
                                 int from, int tag) {
  caller.check_peer(from, true);
  caller.check_tag(tag, true);
  void** const place = pointer_at(caller, buffer);
  const Layout expected = dense_layout(caller, count, type);
  if (caller.error()) return nullptr;
  *place = nullptr;
  auto request = std::make_unique<Ours>();
  request->kind = Ours::Kind::receive;
  request->communicator = &caller.communicator();
  request->peer = our_rank(from);
  request->tag = our_tag(tag);
  request->hold(expected);
  request->receiving.memory = place;
  request->start();
  return request;
}

int take(void* buffer, MPI_Count count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
         MPI_Status* status) {
  Caller caller("MPIX_Take", comm);
  const auto request = begin_take(caller, buffer, count, type, from, tag);
  if (!request) return caller.error();
  caller.state().wait([&] { return request->is_over(); });
  const Status taken = request->finish();
  const int error = put_status(taken, status);
  const std::string bytes = std::to_string(taken.bytes) + " bytes";
  if (error == MPI_ERR_NO_MEM) return caller.fail(error, "no memory for a message of " + bytes);
  if (error != MPI_SUCCESS) return caller.fail(error, "the message is longer than " + bytes);
  return MPI_SUCCESS;
}

int begin_taking(void* buffer, MPI_Count count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
                 MPI_Request* handle) {
  Caller caller("MPIX_Itake", comm);
  auto request = begin_take(caller, buffer, count, type, from, tag);
  if (!request) return caller.error();
  *handle = handle_of_object<MPI_Request>(*request.release());
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace terrace::threadranks::mpi

namespace mpi = terrace::threadranks::mpi;

int terrace_ranks_give(void* buffer, MPI_Count count, MPI_Datatype type, int to, int tag,
                       MPI_Comm comm) {
  return mpi::give(buffer, count, type, to, tag, comm);
}

int terrace_ranks_take(void* buffer, MPI_Count count, MPI_Datatype type, int from, int tag,
                       MPI_Comm comm, MPI_Status* status) {
  return mpi::take(buffer, count, type, from, tag, comm, status);
}

int terrace_ranks_itake(void* buffer, MPI_Count count, MPI_Datatype type, int from, int tag,
                        MPI_Comm comm, MPI_Request* request) {
  return mpi::begin_taking(buffer, count, type, from, tag, comm, request);
}
