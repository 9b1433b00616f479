// SPDX-License-Identifier: BSD-3-Clause
// Send, receive and sendrecv, blocking, nonblocking and persistent.
#include <memory>
#include <string>
#include <utility>

#include "threadranks/mpi/collective/blocks.hpp"

namespace terrace::threadranks::mpi {
namespace {

using Kind = threadranks::Request::Kind;

[[gnu::cold]] int truncated(Caller& caller, const Layout& to) {
  return caller.fail(MPI_ERR_TRUNCATE, "the message is longer than the " +
                                           std::to_string(to.bytes()) + " bytes there is room for");
}

/// Makes a layout. With no elements, the null type is allowed, as under MPICH.
Layout layout_for(Caller& caller, const void* buffer, std::int64_t count, MPI_Datatype type) {
  const bool is_nothing = count == 0 && type == MPI_DATATYPE_NULL;
  return caller.layout(buffer, count, is_nothing ? MPI_BYTE : type);
}

int send(const char* function, const void* buffer, std::int64_t count, MPI_Datatype type, int to,
         int tag, MPI_Comm comm, SendMode mode) {
  Caller caller(function, comm);
  caller.check_peer(to, false);
  caller.check_tag(tag, false);
  const Layout from = layout_for(caller, buffer, count, type);
  if (caller.error() || to == MPI_PROC_NULL) return caller.error();
  RankState& state = caller.state();
  state.finish(threadranks::send(caller.communicator().address_of(to, tag), from, mode,
                                 state.messages().mailbox(), true));
  return MPI_SUCCESS;
}

/// Posts the receive, which must not be destroyed before it is done.
void post(Caller& caller, PostedRecv& receiving) {
  RankState& state = caller.state();
  caller.communicator().match_queues().receive(receiving, state.messages().mailbox());
}

PostedRecv receiving_of(int from, int tag, const Layout& to) {
  PostedRecv receiving;
  receiving.source = our_rank(from);
  receiving.tag = our_tag(tag);
  receiving.to = to;
  receiving.is_done = from == MPI_PROC_NULL;
  if (receiving.is_done) receiving.status = {kProcNull, kAnyTag, Completion::done, 0};
  return receiving;
}

int receive(const char* function, void* buffer, std::int64_t count, MPI_Datatype type, int from,
            int tag, MPI_Comm comm, MPI_Status* status) {
  Caller caller(function, comm);
  caller.check_peer(from, true);
  caller.check_tag(tag, true);
  const Layout to = layout_for(caller, buffer, count, type);
  if (caller.error()) return caller.error();
  PostedRecv receiving = receiving_of(from, tag, to);
  if (!receiving.is_done) post(caller, receiving);
  caller.state().wait_for(receiving);
  return put_status(receiving.status, status) ? truncated(caller, to) : MPI_SUCCESS;
}

std::unique_ptr<threadranks::Request> request_for(Caller& caller, Kind kind, SendMode mode,
                                                  const Layout& layout, int peer, int tag) {
  auto request = std::make_unique<threadranks::Request>();
  request->kind = kind;
  request->mode = mode;
  request->communicator = &caller.communicator();
  request->peer = our_rank(peer);
  request->tag = our_tag(tag);
  request->hold(layout);
  return request;
}

/// Makes a request that is not started; null after an error.
std::unique_ptr<threadranks::Request> make(Caller& caller, Kind kind, SendMode mode,
                                           const void* buffer, std::int64_t count,
                                           MPI_Datatype type, int peer, int tag) {
  caller.check_peer(peer, kind == Kind::receive);
  caller.check_tag(tag, kind == Kind::receive);
  const Layout layout = layout_for(caller, buffer, count, type);
  if (caller.error()) return nullptr;
  return request_for(caller, kind, mode, layout, peer, tag);
}

int hand_out(std::unique_ptr<threadranks::Request> request, MPI_Request* handle) {
  *handle = handle_of_object<MPI_Request>(*request.release());
  return MPI_SUCCESS;
}

/// A short message is on its way at once, and needs no request of its own.
int begin_send(const char* function, const void* buffer, std::int64_t count, MPI_Datatype type,
               int to, int tag, MPI_Comm comm, SendMode mode, MPI_Request* handle) {
  Caller caller(function, comm);
  caller.check_peer(to, false);
  caller.check_tag(tag, false);
  const Layout from = layout_for(caller, buffer, count, type);
  if (caller.error()) return caller.error();
  RankState& state = caller.state();
  RendezvousSend* const sending =
      to == MPI_PROC_NULL ? nullptr
                          : threadranks::send(caller.communicator().address_of(to, tag), from, mode,
                                              state.messages().mailbox(), false);
  if (sending == nullptr) {
    *handle = handle_of_object<MPI_Request>(state.request_of_sent());
    return MPI_SUCCESS;
  }
  auto request = request_for(caller, Kind::send, mode, from, to, tag);
  request->sending = sending;
  request->is_active = true;
  return hand_out(std::move(request), handle);
}

int begin_receive(const char* function, void* buffer, std::int64_t count, MPI_Datatype type,
                  int from, int tag, MPI_Comm comm, MPI_Request* handle) {
  Caller caller(function, comm);
  caller.check_peer(from, true);
  caller.check_tag(tag, true);
  const Layout to = layout_for(caller, buffer, count, type);
  if (caller.error()) return caller.error();
  auto request = request_for(caller, Kind::receive, SendMode::standard, to, from, tag);
  request->start();
  return hand_out(std::move(request), handle);
}

int prepare(const char* function, Kind kind, SendMode mode, const void* buffer, std::int64_t count,
            MPI_Datatype type, int peer, int tag, MPI_Comm comm, MPI_Request* handle) {
  Caller caller(function, comm);
  auto request = make(caller, kind, mode, buffer, count, type, peer, tag);
  if (!request) return caller.error();
  request->is_persistent = true;
  return hand_out(std::move(request), handle);
}

struct SendrecvSide {
  const void* buffer;
  std::int64_t count;
  MPI_Datatype type;
  int peer;
  int tag;
};

int exchange(const char* function, const SendrecvSide& out, const SendrecvSide& in, MPI_Comm comm,
             MPI_Status* status) {
  Caller caller(function, comm);
  caller.check_peer(out.peer, false);
  caller.check_tag(out.tag, false);
  caller.check_peer(in.peer, true);
  caller.check_tag(in.tag, true);
  const Layout from = layout_for(caller, out.buffer, out.count, out.type);
  const Layout to = layout_for(caller, in.buffer, in.count, in.type);
  if (caller.error()) return caller.error();
  RankState& state = caller.state();
  PostedRecv receiving = receiving_of(in.peer, in.tag, to);
  if (!receiving.is_done) post(caller, receiving);
  if (out.peer != MPI_PROC_NULL)
    state.finish(threadranks::send(caller.communicator().address_of(out.peer, out.tag), from,
                                   SendMode::standard, state.messages().mailbox(), true));
  state.wait([&] { return receiving.is_done; });
  return put_status(receiving.status, status) ? truncated(caller, to) : MPI_SUCCESS;
}

/// Sends from a copy.
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
int begin_exchange(const char* function, const SendrecvSide& out, const SendrecvSide& in,
                   MPI_Comm comm, std::unique_ptr<std::byte[]> copy, MPI_Request* handle) {
  Caller caller(function, comm);
  auto receive = make(caller, Kind::receive, SendMode::standard, in.buffer, in.count, in.type,
                      in.peer, in.tag);
  auto sent = make(caller, Kind::send, SendMode::standard, out.buffer, out.count, out.type,
                   out.peer, out.tag);
  if (caller.error()) return caller.error();
  if (copy) sent->parts().copy = std::move(copy);
  receive->start();
  sent->start();
  receive->parts().also = std::move(sent);
  return hand_out(std::move(receive), handle);
}

int begin_exchange_in_place(const char* function, void* buffer, std::int64_t count,
                            MPI_Datatype type, int to, int send_tag, int from, int receive_tag,
                            MPI_Comm comm, MPI_Request* handle) {
  Caller caller(function, comm);
  const Layout layout = caller.layout(buffer, count, type);
  if (caller.error()) return caller.error();
  auto copy = std::make_unique<std::byte[]>(layout.bytes() + 1);
  pack(layout, copy.get(), layout.bytes());
  const SendrecvSide out{copy.get(), static_cast<std::int64_t>(layout.bytes()), MPI_BYTE, to,
                         send_tag};
  return begin_exchange(function, out, {buffer, count, type, from, receive_tag}, comm,
                        std::move(copy), handle);
}

}  // namespace
}  // namespace terrace::threadranks::mpi

namespace mpi = terrace::threadranks::mpi;
using terrace::threadranks::SendMode;
using Kind = terrace::threadranks::Request::Kind;

// All functions of this shape, also with large counts.
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

#define TERRACE_START(name, mode)                                                                 \
  TERRACE_MPI(int, name,                                                                          \
              (const void* buffer, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,  \
               MPI_Request* request)) {                                                           \
    return mpi::begin_send("MPI_" #name, buffer, count, type, to, tag, comm, mode, request);      \
  }                                                                                               \
  TERRACE_MPI(int, name##_c,                                                                      \
              (const void* buffer, MPI_Count count, MPI_Datatype type, int to, int tag,           \
               MPI_Comm comm, MPI_Request* request)) {                                            \
    return mpi::begin_send("MPI_" #name "_c", buffer, count, type, to, tag, comm, mode, request); \
  }
TERRACE_START(Isend, SendMode::standard)
TERRACE_START(Issend, SendMode::synchronous)
TERRACE_START(Irsend, SendMode::standard)
TERRACE_START(Ibsend, SendMode::buffered)

#define TERRACE_PREPARE(name, kind, mode, constness)                                              \
  TERRACE_MPI(int, name,                                                                          \
              (constness void* buffer, int count, MPI_Datatype type, int peer, int tag,           \
               MPI_Comm comm, MPI_Request* request)) {                                            \
    return mpi::prepare("MPI_" #name, kind, mode, buffer, count, type, peer, tag, comm, request); \
  }                                                                                               \
  TERRACE_MPI(int, name##_c,                                                                      \
              (constness void* buffer, MPI_Count count, MPI_Datatype type, int peer, int tag,     \
               MPI_Comm comm, MPI_Request* request)) {                                            \
    return mpi::prepare("MPI_" #name "_c", kind, mode, buffer, count, type, peer, tag, comm,      \
                        request);                                                                 \
  }
TERRACE_PREPARE(Send_init, Kind::send, SendMode::standard, const)
TERRACE_PREPARE(Ssend_init, Kind::send, SendMode::synchronous, const)
TERRACE_PREPARE(Rsend_init, Kind::send, SendMode::standard, const)
TERRACE_PREPARE(Bsend_init, Kind::send, SendMode::buffered, const)
TERRACE_PREPARE(Recv_init, Kind::receive, SendMode::standard, )

TERRACE_MPI(int, Irecv,
            (void* buffer, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Request* request)) {
  return mpi::begin_receive("MPI_Irecv", buffer, count, type, from, tag, comm, request);
}
TERRACE_MPI(int, Irecv_c,
            (void* buffer, MPI_Count count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
             MPI_Request* request)) {
  return mpi::begin_receive("MPI_Irecv_c", buffer, count, type, from, tag, comm, request);
}
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
