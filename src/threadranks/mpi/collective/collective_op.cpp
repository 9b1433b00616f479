// SPDX-License-Identifier: BSD-3-Clause
// Makes requests for collectives.
#include "threadranks/mpi/collective/collective_op.hpp"

#include "threadranks/mpi/group/attributes.hpp"

namespace terrace::threadranks::mpi {

namespace {

std::unique_ptr<threadranks::Request> request_of(const Caller& caller) {
  auto request = std::make_unique<threadranks::Request>();
  request->kind = threadranks::Request::Kind::collective;
  request->communicator = &caller.communicator();
  return request;
}

}  // namespace

int begin(Caller& caller, std::shared_ptr<Operation> operation, MPI_Request* handle) {
  if (caller.error()) return caller.error();
  auto request = request_of(caller);
  request->is_active = true;
  request->parts().operation = operation;
  *handle = handle_of_object<MPI_Request>(*request.release());
  caller.communicator().begin(std::move(operation));
  return MPI_SUCCESS;
}

KeptCommunicator copy_for_request(const Caller& caller) {
  if (caller.error()) return {};
  Communicator& old = caller.communicator();
  Communicator* const made = duplicate(old);
  KeptCommunicator copy(made);
  made->release();
  if (old.topology) copy->topology = old.topology->copy();
  copy->errhandler = old.errhandler;
  return copy;
}

int prepare(const Caller& caller, const KeptCommunicator& own, Restart restart,
            MPI_Request* handle) {
  if (caller.error()) return caller.error();
  auto request = request_of(caller);
  request->communicator = own;
  request->is_persistent = true;
  request->parts().restart = std::move(restart);
  request->parts().kept = caller.kept();
  *handle = handle_of_object<MPI_Request>(*request.release());
  return MPI_SUCCESS;
}

}  // namespace terrace::threadranks::mpi
