// SPDX-License-Identifier: BSD-3-Clause
// Makes requests for collectives.
#include "threadranks/mpi/collective/collective_op.hpp"

#include "threadranks/mpi/group/attributes.hpp"

namespace terrace::threadranks::mpi {

namespace {

std::unique_ptr<threadranks::Request> request_on(Communicator& communicator) {
  auto request = std::make_unique<threadranks::Request>();
  request->kind = threadranks::Request::Kind::collective;
  request->communicator = &communicator;
  return request;
}

}  // namespace

void StartedAgain::run(const LastCall& last, TeamEndpoint&, const void* input, void* output) {
  auto request = request_on(communicator_);
  request->is_active = true;
  on_.start_nonblocking(request->started, *last.prepared, input, output);
  *handle_ = handle_of_object<MPI_Request>(*request.release());
}

void begin_in(Communicator& lane, Communicator& communicator, TeamEndpoint::PreparedCall& prepared,
              const EdgeBlocks& edges, MPI_Request* handle) {
  auto request = request_on(communicator);
  request->is_active = true;
  request->started.edges = &edges;
  lane.start_nonblocking(request->started, prepared, nullptr, nullptr);
  *handle = handle_of_object<MPI_Request>(*request.release());
}

int begin(Caller& caller, std::shared_ptr<Operation> operation, MPI_Request* handle) {
  if (caller.error()) return caller.error();
  auto request = request_on(caller.communicator());
  request->is_active = true;
  request->parts().operation = operation;
  *handle = handle_of_object<MPI_Request>(*request.release());
  caller.communicator().enqueue_nonblocking(std::move(operation));
  return MPI_SUCCESS;
}

namespace {

/// A private communicator of the same members.
KeptCommunicator copy_of(Communicator& old) {
  Communicator* const made = duplicate(old);
  KeptCommunicator copy(made);
  made->release();
  copy->errhandler = old.errhandler;
  copy->may_wait_in_calls = false;
  copy->use_findings_of(old);
  return copy;
}

}  // namespace

/// Ranks may start requests in different orders, so each request has a communicator of its own.
int prepare(const Caller& caller, std::shared_ptr<Operation> operation, MPI_Request* handle) {
  if (caller.error()) return caller.error();
  auto request = request_on(*copy_of(caller.communicator()).get());
  request->is_persistent = true;
  request->parts().operation = std::move(operation);
  *handle = handle_of_object<MPI_Request>(*request.release());
  return MPI_SUCCESS;
}

}  // namespace terrace::threadranks::mpi
