// SPDX-License-Identifier: BSD-3-Clause
// Sending, receiving and probing, with and without requests.
#include <list>
#include <memory>
#include <string>
#include <utility>

#include "threadranks/mpi/blocks.hpp"

namespace terrace::threadranks::mpi {
namespace {

using Kind = threadranks::Request::Kind;

int truncated(Caller& caller, const Layout& to) {
  return caller.fail(MPI_ERR_TRUNCATE, "the message is longer than the " +
                                           std::to_string(to.bytes()) + " bytes there is room for");
}

int send(const char* function, const void* buffer, std::int64_t count, MPI_Datatype type, int to,
         int tag, MPI_Comm comm, SendMode mode) {
  Caller caller(function, comm);
  caller.check_peer(to, false);
  caller.check_tag(tag, false);
  const Layout from = caller.layout(buffer, count, type);
  if (caller.error() || to == MPI_PROC_NULL) return caller.error();
  RankState& state = caller.state();
  state.finish(threadranks::send(caller.communicator().address_of(to, tag), from, mode,
                                 state.messages().mailbox(), true));
  return MPI_SUCCESS;
}

/// Posts it, so that it must not go away before it is done.
void post(Caller& caller, Receiving& receiving) {
  RankState& state = caller.state();
  caller.communicator().channel().receive(receiving, state.messages().mailbox());
}

Receiving receiving_of(int from, int tag, const Layout& to) {
  Receiving receiving;
  receiving.source = our_rank(from);
  receiving.tag = our_tag(tag);
  receiving.to = to;
  receiving.is_done = from == MPI_PROC_NULL;
  if (receiving.is_done) receiving.status = {kNobody, kAnyTag, Outcome::done, 0};
  return receiving;
}

int receive(const char* function, void* buffer, std::int64_t count, MPI_Datatype type, int from,
            int tag, MPI_Comm comm, MPI_Status* status) {
  Caller caller(function, comm);
  caller.check_peer(from, true);
  caller.check_tag(tag, true);
  const Layout to = caller.layout(buffer, count, type);
  if (caller.error()) return caller.error();
  Receiving receiving = receiving_of(from, tag, to);
  if (!receiving.is_done) post(caller, receiving);
  caller.state().wait([&] { return receiving.is_done; });
  return put_status(receiving.status, status) ? truncated(caller, to) : MPI_SUCCESS;
}

/// A request for a message, not begun.
std::unique_ptr<threadranks::Request> make(Caller& caller, Kind kind, const void* buffer,
                                           std::int64_t count, MPI_Datatype type, int peer,
                                           int tag) {
  caller.check_peer(peer, kind == Kind::receive);
  caller.check_tag(tag, kind == Kind::receive);
  const Layout layout = caller.layout(buffer, count, type);
  if (caller.error()) return nullptr;
  auto request = std::make_unique<threadranks::Request>();
  request->kind = kind;
  request->communicator = &caller.communicator();
  request->peer = our_rank(peer);
  request->tag = our_tag(tag);
  request->hold(layout);
  return request;
}

int begin(const char* function, Kind kind, const void* buffer, std::int64_t count,
          MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request* handle,
          SendMode mode = SendMode::standard) {
  Caller caller(function, comm);
  auto request = make(caller, kind, buffer, count, type, peer, tag);
  if (!request) return caller.error();
  request->mode = mode;
  request->start();
  *handle = handle_of_object<MPI_Request>(*request.release());
  return MPI_SUCCESS;
}

int prepare(const char* function, Kind kind, const void* buffer, std::int64_t count,
            MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request* handle,
            SendMode mode = SendMode::standard) {
  Caller caller(function, comm);
  auto request = make(caller, kind, buffer, count, type, peer, tag);
  if (!request) return caller.error();
  request->mode = mode;
  request->is_persistent = true;
  *handle = handle_of_object<MPI_Request>(*request.release());
  return MPI_SUCCESS;
}

/// A message that a matched probe has found.
struct Found : Numbered<ObjectKind::message> {
  KeptCommunicator communicator;
  Channel::Messages message;
};

Status status_of(const Message& message) {
  return {message.source, message.tag, Outcome::done, message.bytes};
}

/// Whether there is such a message; with `found`, it is this call's from now on.
bool look(Caller& caller, int from, int tag, MPI_Status* status, Found* found) {
  if (found != nullptr && !found->message.empty()) return true;  // waiting may ask once more
  Channel& channel = caller.communicator().channel();
  for (;;) {
    const auto message = channel.find(our_rank(from), our_tag(tag));
    if (message == channel.none()) return false;
    if (message->is_cancelled()) {
      channel.forget(message);
      continue;
    }
    put_status(status_of(*message), status);
    if (found == nullptr) return true;
    channel.move_out(message, found->message);
    if (found->message.front().take()) return true;
    found->message.clear();
  }
}

/// Probes, and takes the message along if there is a place for it. `flag` null: waits.
int probe(const char* function, int from, int tag, MPI_Comm comm, int* flag, MPI_Message* place,
          MPI_Status* status) {
  Caller caller(function, comm);
  caller.check_peer(from, true);
  caller.check_tag(tag, true);
  if (caller.error()) return caller.error();
  if (flag != nullptr) *flag = 1;
  if (from == MPI_PROC_NULL) {
    if (place != nullptr) *place = MPI_MESSAGE_NO_PROC;
    return put_status({kNobody, kAnyTag, Outcome::done, 0}, status);
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

/// What came of it; on which communicator, if on any.
struct Received {
  Status status{kNobody, kAnyTag, Outcome::done, 0};
  KeptCommunicator on;
};

int receive_found(const char* function, const Side& side, MPI_Message* handle, Received& received) {
  if (*handle == MPI_MESSAGE_NO_PROC) {
    *handle = MPI_MESSAGE_NULL;
    return MPI_SUCCESS;
  }
  Found* const found = object_of<Found>(*handle);
  if (found == nullptr) return fail(function, MPI_ERR_REQUEST, "this is no message");
  received.on = found->communicator;
  Caller caller(function, handle_of(received.on.get()));
  const Layout to = caller.layout(side.buffer, side.count, side.type);
  if (caller.error()) return caller.error();
  received.status = found->message.front().deliver(to, caller.state().messages().mailbox());
  delete found;
  *handle = MPI_MESSAGE_NULL;
  return MPI_SUCCESS;
}

int receive_found_now(const char* function, const Side& side, MPI_Message* handle,
                      MPI_Status* status) {
  Received received;
  if (const int error = receive_found(function, side, handle, received)) return error;
  const int error = put_status(received.status, status);
  if (error == MPI_SUCCESS) return MPI_SUCCESS;
  return fail(handle_of(received.on.get()), function, error,
              "the message is longer than there is room for");
}

/// A message that is too long is told when the request is over.
int begin_found(const char* function, const Side& side, MPI_Message* message, MPI_Request* handle) {
  Received received;
  if (const int error = receive_found(function, side, message, received)) return error;
  auto request = std::make_unique<threadranks::Request>();
  request->kind = Kind::receive;
  request->is_active = true;
  request->communicator = received.on;
  request->receiving.is_done = true;
  request->receiving.status = received.status;
  *handle = handle_of_object<MPI_Request>(*request.release());
  return MPI_SUCCESS;
}

struct Half {
  const void* buffer;
  std::int64_t count;
  MPI_Datatype type;
  int peer;
  int tag;
};

int exchange(const char* function, const Half& out, const Half& in, MPI_Comm comm,
             MPI_Status* status) {
  Caller caller(function, comm);
  caller.check_peer(out.peer, false);
  caller.check_tag(out.tag, false);
  caller.check_peer(in.peer, true);
  caller.check_tag(in.tag, true);
  const Layout from = caller.layout(out.buffer, out.count, out.type);
  const Layout to = caller.layout(in.buffer, in.count, in.type);
  if (caller.error()) return caller.error();
  RankState& state = caller.state();
  Receiving receiving = receiving_of(in.peer, in.tag, to);
  if (!receiving.is_done) post(caller, receiving);
  if (out.peer != MPI_PROC_NULL)
    state.finish(threadranks::send(caller.communicator().address_of(out.peer, out.tag), from,
                                   SendMode::standard, state.messages().mailbox(), true));
  state.wait([&] { return receiving.is_done; });
  return put_status(receiving.status, status) ? truncated(caller, to) : MPI_SUCCESS;
}

/// The message goes from a copy.
int exchange_in_place(const char* function, void* buffer, std::int64_t count, MPI_Datatype type,
                      int to, int send_tag, int from, int receive_tag, MPI_Comm comm,
                      MPI_Status* status) {
  Caller caller(function, comm);
  const Layout layout = caller.layout(buffer, count, type);
  if (caller.error()) return caller.error();
  const auto copy = std::make_unique<std::byte[]>(layout.bytes() + 1);
  pack(layout, copy.get(), layout.bytes());
  return exchange(function,
                  {copy.get(), static_cast<std::int64_t>(layout.bytes()), MPI_BYTE, to, send_tag},
                  {buffer, count, type, from, receive_tag}, comm, status);
}

/// A receive and a send as one request. `copy`, if there is one, is what is sent.
int begin_exchange(const char* function, const Half& out, const Half& in, MPI_Comm comm,
                   std::unique_ptr<std::byte[]> copy, MPI_Request* handle) {
  Caller caller(function, comm);
  auto receive = make(caller, Kind::receive, in.buffer, in.count, in.type, in.peer, in.tag);
  auto sent = make(caller, Kind::send, out.buffer, out.count, out.type, out.peer, out.tag);
  if (caller.error()) return caller.error();
  sent->copy = std::move(copy);
  receive->start();
  sent->start();
  receive->also = std::move(sent);
  *handle = handle_of_object<MPI_Request>(*receive.release());
  return MPI_SUCCESS;
}

int begin_exchange_in_place(const char* function, void* buffer, std::int64_t count,
                            MPI_Datatype type, int to, int send_tag, int from, int receive_tag,
                            MPI_Comm comm, MPI_Request* handle) {
  Caller caller(function, comm);
  const Layout layout = caller.layout(buffer, count, type);
  if (caller.error()) return caller.error();
  auto copy = std::make_unique<std::byte[]>(layout.bytes() + 1);
  pack(layout, copy.get(), layout.bytes());
  const Half out{copy.get(), static_cast<std::int64_t>(layout.bytes()), MPI_BYTE, to, send_tag};
  return begin_exchange(function, out, {buffer, count, type, from, receive_tag}, comm,
                        std::move(copy), handle);
}

}  // namespace
}  // namespace terrace::threadranks::mpi

namespace mpi = terrace::threadranks::mpi;
using terrace::threadranks::SendMode;
using Kind = terrace::threadranks::Request::Kind;

// Every function of this shape, also with large counts.
#define TERRACE_SEND(name, mode)                                                                  \
  TERRACE_MPI(                                                                                    \
      int, name,                                                                                  \
      (const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)) {       \
    return mpi::send("MPI_" #name, buffer, count, type, to, tag, comm, mode);                     \
  }                                                                                               \
  TERRACE_MPI(                                                                                    \
      int, name##_c,                                                                              \
      (const void* buffer, MPI_Count count, MPI_Datatype type, int to, int tag, MPI_Comm comm)) { \
    return mpi::send("MPI_" #name "_c", buffer, count, type, to, tag, comm, mode);                \
  }
TERRACE_SEND(Send, SendMode::standard)
TERRACE_SEND(Ssend, SendMode::synchronous)
TERRACE_SEND(Rsend, SendMode::standard)
TERRACE_SEND(Bsend, SendMode::buffered)

#define TERRACE_START(name, work, kind, constness, ...)                                       \
  TERRACE_MPI(int, name,                                                                      \
              (constness void* buffer, int count, MPI_Datatype type, int peer, int tag,       \
               MPI_Comm comm, MPI_Request* request)) {                                        \
    return mpi::work("MPI_" #name, kind, buffer, count, type, peer, tag, comm, request,       \
                     ##__VA_ARGS__);                                                          \
  }                                                                                           \
  TERRACE_MPI(int, name##_c,                                                                  \
              (constness void* buffer, MPI_Count count, MPI_Datatype type, int peer, int tag, \
               MPI_Comm comm, MPI_Request* request)) {                                        \
    return mpi::work("MPI_" #name "_c", kind, buffer, count, type, peer, tag, comm, request,  \
                     ##__VA_ARGS__);                                                          \
  }
TERRACE_START(Isend, begin, Kind::send, const, SendMode::standard)
TERRACE_START(Issend, begin, Kind::send, const, SendMode::synchronous)
TERRACE_START(Irsend, begin, Kind::send, const, SendMode::standard)
TERRACE_START(Ibsend, begin, Kind::send, const, SendMode::buffered)
TERRACE_START(Irecv, begin, Kind::receive, , SendMode::standard)
TERRACE_START(Send_init, prepare, Kind::send, const, SendMode::standard)
TERRACE_START(Ssend_init, prepare, Kind::send, const, SendMode::synchronous)
TERRACE_START(Rsend_init, prepare, Kind::send, const, SendMode::standard)
TERRACE_START(Bsend_init, prepare, Kind::send, const, SendMode::buffered)
TERRACE_START(Recv_init, prepare, Kind::receive, , SendMode::standard)

TERRACE_MPI(int, Recv,
            (void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status* status)) {
  return mpi::receive("MPI_Recv", buffer, count, type, from, tag, comm, status);
}
TERRACE_MPI(int, Recv_c,
            (void* buffer, MPI_Count count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Status* status)) {
  return mpi::receive("MPI_Recv_c", buffer, count, type, from, tag, comm, status);
}

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

#define TERRACE_EXCHANGES(suffix, Counts)                                                         \
  TERRACE_MPI(int, Sendrecv##suffix,                                                              \
              (const void* out, Counts out_count, MPI_Datatype out_type, int to, int out_tag,     \
               void* in, Counts in_count, MPI_Datatype in_type, int from, int in_tag,             \
               MPI_Comm comm, MPI_Status* status)) {                                              \
    return mpi::exchange("MPI_Sendrecv" #suffix, {out, out_count, out_type, to, out_tag},         \
                         {in, in_count, in_type, from, in_tag}, comm, status);                    \
  }                                                                                               \
  TERRACE_MPI(int, Sendrecv_replace##suffix,                                                      \
              (void* buffer, Counts count, MPI_Datatype type, int to, int out_tag, int from,      \
               int in_tag, MPI_Comm comm, MPI_Status* status)) {                                  \
    return mpi::exchange_in_place("MPI_Sendrecv_replace" #suffix, buffer, count, type, to,        \
                                  out_tag, from, in_tag, comm, status);                           \
  }                                                                                               \
  TERRACE_MPI(int, Isendrecv##suffix,                                                             \
              (const void* out, Counts out_count, MPI_Datatype out_type, int to, int out_tag,     \
               void* in, Counts in_count, MPI_Datatype in_type, int from, int in_tag,             \
               MPI_Comm comm, MPI_Request* request)) {                                            \
    return mpi::begin_exchange("MPI_Isendrecv" #suffix, {out, out_count, out_type, to, out_tag},  \
                               {in, in_count, in_type, from, in_tag}, comm, nullptr, request);    \
  }                                                                                               \
  TERRACE_MPI(int, Isendrecv_replace##suffix,                                                     \
              (void* buffer, Counts count, MPI_Datatype type, int to, int out_tag, int from,      \
               int in_tag, MPI_Comm comm, MPI_Request* request)) {                                \
    return mpi::begin_exchange_in_place("MPI_Isendrecv_replace" #suffix, buffer, count, type, to, \
                                        out_tag, from, in_tag, comm, request);                    \
  }
TERRACE_EXCHANGES(, int)
TERRACE_EXCHANGES(_c, MPI_Count)
