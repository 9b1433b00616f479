// SPDX-License-Identifier: BSD-3-Clause
// Probes for messages, and receives messages that a probe has matched.
#include <memory>

#include "threadranks/mpi/collective/blocks.hpp"

namespace terrace::threadranks::mpi {
namespace {

/// A message that a matched probe (MPI_Mprobe) has found.
struct Found : Numbered<ObjectKind::message> {
  KeptCommunicator communicator;
  MatchQueues::Arrived message;
};

Status status_of(const ArrivedMessage& message) {
  return {message.source, message.tag, Completion::done, message.bytes};
}

/// Whether there is a matching message; with `found`, this call takes it.
bool look(Caller& caller, int from, int tag, MPI_Status* status, Found* found) {
  if (found != nullptr && !found->message.empty()) return true;  // waiting may ask once more
  MatchQueues& match_queues = caller.communicator().match_queues();
  for (;;) {
    const auto message = match_queues.find(our_rank(from), our_tag(tag));
    if (message == match_queues.none()) return false;
    if (message->is_cancelled()) {
      match_queues.forget(message);
      continue;
    }
    put_status(status_of(*message), status);
    if (found == nullptr) return true;
    match_queues.move_out(message, found->message);
    if (found->message.front().take()) return true;
    found->message.clear();
  }
}

/// Probes, and takes the message if `place` is given. `flag` null: waits.
int probe(const char* function, int from, int tag, MPI_Comm comm, int* flag, MPI_Message* place,
          MPI_Status* status) {
  Caller caller(function, comm);
  caller.check_peer(from, true);
  caller.check_tag(tag, true);
  if (caller.error()) return caller.error();
  if (flag != nullptr) *flag = 1;
  if (from == MPI_PROC_NULL) {
    if (place != nullptr) *place = MPI_MESSAGE_NO_PROC;
    return put_status({kProcNull, kAnyTag, Completion::done, 0}, status);
  }
  auto found = place != nullptr ? std::make_unique<Found>() : nullptr;
  RankState& state = caller.state();
  const auto is_there = [&] { return look(caller, from, tag, status, found.get()); };
  if (flag == nullptr)
    state.wait(is_there);
  else if ((*flag = state.test(is_there)) == 0)
    return MPI_SUCCESS;
  if (place == nullptr) return MPI_SUCCESS;
  found->communicator = &caller.communicator();
  *place = handle_of_object<MPI_Message>(*found.release());
  return MPI_SUCCESS;
}

/// Begins to receive what a probe has matched. `receiving` must stay where it is until it is done.
/// `on`: the communicator of the message, if there is one.

int receive_found(const char* function, const BufferSide& side, MPI_Message* handle,
                  PostedRecv& receiving, KeptCommunicator& on) {
  if (*handle == MPI_MESSAGE_NO_PROC) {
    *handle = MPI_MESSAGE_NULL;
    receiving.status = {kProcNull, kAnyTag, Completion::done, 0};
    receiving.is_done = true;
    return MPI_SUCCESS;
  }
  Found* const found = object_of<Found>(*handle);
  if (found == nullptr) return fail(function, MPI_ERR_REQUEST, "this is no message");
  on = found->communicator;
  Caller caller(function, handle_of(on.get()));
  receiving.to = caller.layout(side.buffer, side.count, side.type);
  if (caller.error()) return caller.error();
  MatchQueues::deliver(found->message.front(), receiving, caller.state().messages().mailbox());
  delete found;
  *handle = MPI_MESSAGE_NULL;
  return MPI_SUCCESS;
}

int receive_found_now(const char* function, const BufferSide& side, MPI_Message* handle,
                      MPI_Status* status) {
  const RankCall call(function);
  PostedRecv receiving;
  KeptCommunicator on;
  if (const int error = receive_found(function, side, handle, receiving, on)) return error;
  if (!receiving.is_done) on->state().wait([&] { return receiving.is_done; });
  const int error = put_status(receiving.status, status);
  if (error == MPI_SUCCESS) return MPI_SUCCESS;
  return fail(handle_of(on.get()), function, error, "the message is longer than there is room for");
}

/// If the message is too long, the error is raised when the request completes.
int begin_found(const char* function, const BufferSide& side, MPI_Message* message,
                MPI_Request* handle) {
  const RankCall call(function);
  auto request = std::make_unique<threadranks::Request>();
  if (const int error =
          receive_found(function, side, message, request->receiving, request->communicator))
    return error;
  request->kind = threadranks::Request::Kind::receive;
  request->is_active = true;
  if (!request->receiving.is_done) request->hold(request->receiving.to);
  *handle = handle_of_object<MPI_Request>(*request.release());
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace terrace::threadranks::mpi

namespace mpi = terrace::threadranks::mpi;

TERRACE_MPI(int, Probe, (int from, int tag, MPI_Comm comm, MPI_Status* status)) {
  return mpi::probe("MPI_Probe", from, tag, comm, nullptr, nullptr, status);
}
TERRACE_MPI(int, Iprobe, (int from, int tag, MPI_Comm comm, int* flag, MPI_Status* status)) {
  return mpi::probe("MPI_Iprobe", from, tag, comm, flag, nullptr, status);
}
TERRACE_MPI(int, Mprobe,
            (int from, int tag, MPI_Comm comm, MPI_Message* message, MPI_Status* status)) {
  return mpi::probe("MPI_Mprobe", from, tag, comm, nullptr, message, status);
}
TERRACE_MPI(int, Improbe,
            (int from, int tag, MPI_Comm comm, int* flag, MPI_Message* message,
             MPI_Status* status)) {
  return mpi::probe("MPI_Improbe", from, tag, comm, flag, message, status);
}

#define TERRACE_MATCHED(suffix, Counts)                                                            \
  TERRACE_MPI(                                                                                     \
      int, Mrecv##suffix,                                                                          \
      (void* buffer, Counts count, MPI_Datatype type, MPI_Message* message, MPI_Status* status)) { \
    return mpi::receive_found_now("MPI_Mrecv" #suffix, {buffer, count, type}, message, status);    \
  }                                                                                                \
  TERRACE_MPI(int, Imrecv##suffix,                                                                 \
              (void* buffer, Counts count, MPI_Datatype type, MPI_Message* message,                \
               MPI_Request* request)) {                                                            \
    return mpi::begin_found("MPI_Imrecv" #suffix, {buffer, count, type}, message, request);        \
  }
TERRACE_MATCHED(, int)
TERRACE_MATCHED(_c, MPI_Count)
