// SPDX-License-Identifier: BSD-3-Clause
// Collectives among the neighbours of a topology: blocking, nonblocking and persistent.
#include "threadranks/ranks/neighbour_exchange.hpp"

#include "threadranks/mpi/collective/collective_op.hpp"

namespace terrace::threadranks::mpi {
namespace {

using Exchange = NeighbourExchange;

RankNeighbours neighbours_in(Caller& caller) {
  if (caller.error()) return {};
  const Communicator& communicator = caller.communicator();
  if (communicator.topology) return communicator.topology->neighbours_of(communicator.rank());
  caller.fail(MPI_ERR_TOPOLOGY, "the communicator has no topology, hence no neighbours");
  return {};
}

/// Checks what must hold also where a rank has no such neighbours.
void check_side(Caller& caller, const BufferSide& side) {
  caller.check_not_in_place(side.buffer);
  caller.elements(side.count, side.type);
}
void check_side(Caller& caller, const VectorBuffer& side) {
  caller.check_not_in_place(side.buffer);
  if (side.types == nullptr) caller.elements(0, side.type);
}

/// Fills in what is sent and received: the same block to all targets, or one block to each.
template <class Given, class Wanted>
bool move(Caller& caller, Exchange& exchange, const Given& out, const Wanted& in,
          bool has_block_for_each) {
  const RankNeighbours all = neighbours_in(caller);
  if (caller.error()) return false;
  check_side(caller, in);
  check_side(caller, out);
  check_arrays(caller, in, all.sources.size());
  check_arrays(caller, out, all.targets.size());
  for (std::size_t i = 0; !caller.error() && i < all.sources.size(); ++i) {
    const Layout block = in.block(caller, i);
    if (!caller.error()) exchange.receive(all.sources[i], block);
  }
  for (std::size_t i = 0; !caller.error() && i < all.targets.size(); ++i) {
    const Layout block = out.block(caller, has_block_for_each ? i : 0);
    if (!caller.error()) exchange.send(all.targets[i], block);
  }
  return !caller.error();
}

// The ways to run one.

template <class SetUp>
std::shared_ptr<Exchange> exchange_for(Caller& caller, const SetUp& set_up) {
  if (caller.error()) return nullptr;
  auto exchange = std::make_shared<Exchange>();
  return set_up(caller, *exchange) ? exchange : nullptr;
}

template <class SetUp>
int exchange_now(const char* function, MPI_Comm comm, const SetUp& set_up) {
  Caller caller(function, comm);
  const auto exchange = exchange_for(caller, set_up);
  if (!exchange) return caller.error();
  caller.communicator().enqueue(exchange);
  caller.state().wait([&] { return exchange->is_over; });
  if (exchange->outcome == Completion::done) return MPI_SUCCESS;
  return caller.fail(class_of(exchange->outcome), "a neighbour's block is longer than its place");
}

template <class SetUp>
int exchange_later(const char* function, MPI_Comm comm, MPI_Request* request, const SetUp& set_up) {
  Caller caller(function, comm);
  auto exchange = exchange_for(caller, set_up);
  return exchange ? begin(caller, std::move(exchange), request) : caller.error();
}

template <class SetUp>
int exchange_often(const char* function, MPI_Comm comm, MPI_Request* request, const SetUp& set_up) {
  Caller caller(function, comm);
  return prepare(caller, exchange_for(caller, set_up), request);
}

}  // namespace
}  // namespace terrace::threadranks::mpi

namespace mpi = terrace::threadranks::mpi;

#define TERRACE_NEIGHBOURS(name, suffix, parameters, ...)                                       \
  TERRACE_MPI(int, Neighbor_##name##suffix, (TERRACE_UNPACK parameters, MPI_Comm comm)) {       \
    return mpi::exchange_now("MPI_Neighbor_" #name #suffix, comm,                               \
                             [&](auto& caller, auto& exchange) { return mpi::__VA_ARGS__; });   \
  }                                                                                             \
  TERRACE_MPI(int, Ineighbor_##name##suffix,                                                    \
              (TERRACE_UNPACK parameters, MPI_Comm comm, MPI_Request * request)) {              \
    return mpi::exchange_later("MPI_Ineighbor_" #name #suffix, comm, request,                   \
                               [&](auto& caller, auto& exchange) { return mpi::__VA_ARGS__; }); \
  }                                                                                             \
  TERRACE_MPI(int, Neighbor_##name##_init##suffix,                                              \
              (TERRACE_UNPACK parameters, MPI_Comm comm, MPI_Info, MPI_Request * request)) {    \
    return mpi::exchange_often("MPI_Neighbor_" #name "_init" #suffix, comm, request,            \
                               [&](auto& caller, auto& exchange) { return mpi::__VA_ARGS__; }); \
  }

#define TERRACE_ALL_NEIGHBOURS(suffix, Counts, Places)                                             \
  TERRACE_NEIGHBOURS(allgather, suffix,                                                            \
                     (const void* out, Counts out_count, MPI_Datatype out_type, void* in,          \
                      Counts in_count, MPI_Datatype in_type),                                      \
                     move(caller, exchange, mpi::BufferSide{out, out_count, out_type},             \
                          mpi::BufferSide{in, in_count, in_type}, false))                          \
  TERRACE_NEIGHBOURS(alltoall, suffix,                                                             \
                     (const void* out, Counts out_count, MPI_Datatype out_type, void* in,          \
                      Counts in_count, MPI_Datatype in_type),                                      \
                     move(caller, exchange, mpi::BufferSide{out, out_count, out_type},             \
                          mpi::BufferSide{in, in_count, in_type}, true))                           \
  TERRACE_NEIGHBOURS(allgatherv, suffix,                                                           \
                     (const void* out, Counts out_count, MPI_Datatype out_type, void* in,          \
                      const Counts* counts, const Places* places, MPI_Datatype in_type),           \
                     move(caller, exchange, mpi::BufferSide{out, out_count, out_type},             \
                          mpi::VectorBuffer{in, counts, places, in_type, nullptr}, false))         \
  TERRACE_NEIGHBOURS(                                                                              \
      alltoallv, suffix,                                                                           \
      (const void* out, const Counts* out_counts, const Places* out_places, MPI_Datatype out_type, \
       void* in, const Counts* in_counts, const Places* in_places, MPI_Datatype in_type),          \
      move(caller, exchange, mpi::VectorBuffer{out, out_counts, out_places, out_type, nullptr},    \
           mpi::VectorBuffer{in, in_counts, in_places, in_type, nullptr}, true))                   \
  TERRACE_NEIGHBOURS(                                                                              \
      alltoallw, suffix,                                                                           \
      (const void* out, const Counts* out_counts, const MPI_Aint* out_places,                      \
       const MPI_Datatype* out_types, void* in, const Counts* in_counts,                           \
       const MPI_Aint* in_places, const MPI_Datatype* in_types),                                   \
      move(caller, exchange,                                                                       \
           mpi::VectorBuffer{out, out_counts, out_places, MPI_DATATYPE_NULL, out_types},           \
           mpi::VectorBuffer{in, in_counts, in_places, MPI_DATATYPE_NULL, in_types}, true))
TERRACE_ALL_NEIGHBOURS(, int, int)
TERRACE_ALL_NEIGHBOURS(_c, MPI_Count, MPI_Aint)
