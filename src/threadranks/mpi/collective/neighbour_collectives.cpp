// SPDX-License-Identifier: BSD-3-Clause
// Collectives among the neighbours of a topology: blocking, nonblocking and persistent.
#include "threadranks/ranks/neighbour_exchange.hpp"

#include "threadranks/mpi/collective/collective_op.hpp"
#include "threadranks/ranks/neighbour_call.hpp"

namespace terrace::threadranks::mpi {
namespace {

/// The member's neighbours, after no error; null after one.
MemberNeighbours* neighbours_in(Caller& caller) {
  if (caller.error()) return nullptr;
  MemberNeighbours* const found = caller.communicator().neighbours();
  if (found == nullptr)
    caller.fail(MPI_ERR_TOPOLOGY, "the communicator has no topology, hence no neighbours");
  return found;
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

/// The arguments of a collective: in an allgather, the same block goes to all targets.
template <class Given, class Wanted>
struct NeighbourMove {
  Collective collective;
  Given out;
  Wanted in;

  /// Fills in what is taken and given, in the order of the topology's lists. False: an error.
  template <class Take, class Give>
  bool fill(Caller& caller, const RankNeighbours& all, const Take& take, const Give& give) const {
    check_side(caller, in);
    check_side(caller, out);
    check_arrays(caller, in, all.sources.size());
    check_arrays(caller, out, all.targets.size());
    for (std::size_t i = 0; !caller.error() && i < all.sources.size(); ++i) {
      const Layout block = in.block(caller, i);
      if (!caller.error()) take(all.sources[i], block);
    }
    for (std::size_t i = 0; !caller.error() && i < all.targets.size(); ++i) {
      const Layout block = out.block(caller, has_block_for_each() ? i : 0);
      if (!caller.error()) give(all.targets[i], block);
    }
    return !caller.error();
  }
  /// Fills in blocks for a call of the team.
  bool fill(Caller& caller, const RankNeighbours& all, NeighbourBlocks& blocks) const {
    blocks.clear();
    const auto take = [&](const Neighbour& from, const Layout& block) { blocks.take(from, block); };
    const auto give = [&](const Neighbour& to, const Layout& block) {
      if (has_block_for_each()) return blocks.give(to, block);
      if (!blocks.have_given()) blocks.give({}, block);
    };
    return fill(caller, all, take, give);
  }
  bool has_block_for_each() const { return collective == Collective::neighbour_alltoall; }
};

template <class Given, class Wanted>
NeighbourMove(Collective, Given, Wanted) -> NeighbourMove<Given, Wanted>;

// The ways to run one.

/// Exchanges messages, between members in several processes.
template <class Move>
std::shared_ptr<NeighbourExchange> exchange_for(Caller& caller, const RankNeighbours& all,
                                                const Move& move) {
  auto exchange = std::make_shared<NeighbourExchange>();
  const bool is_filled = move.fill(
      caller, all,
      [&](const Neighbour& from, const Layout& block) { exchange->receive(from, block); },
      [&](const Neighbour& to, const Layout& block) { exchange->send(to, block); });
  return is_filled ? exchange : nullptr;
}

template <class Move>
std::shared_ptr<Operation> neighbour_operation(Caller& caller, const Move& move) {
  const MemberNeighbours* const neighbours = neighbours_in(caller);
  if (neighbours == nullptr) return nullptr;
  if (caller.communicator().spans()) return exchange_for(caller, neighbours->all(), move);
  auto call = std::make_shared<NeighbourCall>(neighbours->graph(), move.collective);
  return move.fill(caller, neighbours->all(), call->blocks) ? call : nullptr;
}

int end_of_exchange(Caller& caller, Completion outcome) {
  if (outcome == Completion::done) return MPI_SUCCESS;
  return caller.fail(class_of(outcome), "a neighbour's block is longer than its place");
}

template <class Move>
int exchange_across_processes(Caller& caller, const RankNeighbours& all, const Move& move) {
  const auto exchange = exchange_for(caller, all, move);
  if (!exchange) return caller.error();
  caller.communicator().enqueue(exchange);
  caller.state().wait([&] { return exchange->is_over; });
  return end_of_exchange(caller, exchange->outcome);
}

template <class Move>
int exchange_now(const char* function, MPI_Comm comm, const Move& move) {
  Caller caller(function, comm);
  MemberNeighbours* const neighbours = neighbours_in(caller);
  if (neighbours == nullptr) return caller.error();
  Communicator& communicator = caller.communicator();
  if (communicator.spans()) return exchange_across_processes(caller, neighbours->all(), move);
  NeighbourBlocks& blocks = neighbours->blocks;
  if (!move.fill(caller, neighbours->all(), blocks)) return caller.error();
  TeamEndpoint& endpoint = communicator.endpoint();
  const auto& programs = neighbours->programs(move.collective);
  const auto call = [&] {
    const Unlocked unlocked(caller.state().call_lock());
    return endpoint.move_along_edges(programs, blocks.edges());
  };
  if (!call()) return mismatched(caller);
  if (blocks.have_made_types()) blocks.clear();  // the program may free them
  return end_of_exchange(caller, blocks.are_truncated() ? Completion::truncated : Completion::done);
}

/// Starts a call in a lane that is ready, without an operation. False: it has to wait, or there is
/// an error, or the program may free types meanwhile.
template <class Move>
bool is_started_at_once(Caller& caller, MPI_Request* request, const Move& move) {
  Communicator* const lane = caller.error() ? nullptr : caller.communicator().ready_lane();
  MemberNeighbours* const neighbours = lane != nullptr ? neighbours_in(caller) : nullptr;
  if (neighbours == nullptr) return false;
  NeighbourBlocks& blocks = neighbours->lane_blocks[caller.communicator().next_lane()];
  if (!move.fill(caller, neighbours->all(), blocks)) return false;
  if (blocks.have_made_types()) {
    blocks.clear();
    return false;
  }
  EdgeBlocks& edges = blocks.edges();
  begin_in(*lane, caller.communicator(),
           lane->idle_endpoint()->prepare_along_edges(neighbours->programs(move.collective), edges),
           edges, request);
  return true;
}

template <class Move>
int exchange_later(const char* function, MPI_Comm comm, MPI_Request* request, const Move& move) {
  Caller caller(function, comm);
  if (is_started_at_once(caller, request, move)) return MPI_SUCCESS;
  auto operation = neighbour_operation(caller, move);
  return operation ? begin(caller, std::move(operation), request) : caller.error();
}

template <class Move>
int exchange_often(const char* function, MPI_Comm comm, MPI_Request* request, const Move& move) {
  Caller caller(function, comm);
  return prepare(caller, neighbour_operation(caller, move), request);
}

}  // namespace
}  // namespace terrace::threadranks::mpi

namespace mpi = terrace::threadranks::mpi;

using terrace::Collective;

#define TERRACE_NEIGHBOURS(name, suffix, parameters, kind, ...)                              \
  TERRACE_MPI(int, Neighbor_##name##suffix, (TERRACE_UNPACK parameters, MPI_Comm comm)) {    \
    return mpi::exchange_now("MPI_Neighbor_" #name #suffix, comm,                            \
                             mpi::NeighbourMove{Collective::kind, __VA_ARGS__});             \
  }                                                                                          \
  TERRACE_MPI(int, Ineighbor_##name##suffix,                                                 \
              (TERRACE_UNPACK parameters, MPI_Comm comm, MPI_Request * request)) {           \
    return mpi::exchange_later("MPI_Ineighbor_" #name #suffix, comm, request,                \
                               mpi::NeighbourMove{Collective::kind, __VA_ARGS__});           \
  }                                                                                          \
  TERRACE_MPI(int, Neighbor_##name##_init##suffix,                                           \
              (TERRACE_UNPACK parameters, MPI_Comm comm, MPI_Info, MPI_Request * request)) { \
    return mpi::exchange_often("MPI_Neighbor_" #name "_init" #suffix, comm, request,         \
                               mpi::NeighbourMove{Collective::kind, __VA_ARGS__});           \
  }

#define TERRACE_ALL_NEIGHBOURS(suffix, Counts, Places)                                             \
  TERRACE_NEIGHBOURS(allgather, suffix,                                                            \
                     (const void* out, Counts out_count, MPI_Datatype out_type, void* in,          \
                      Counts in_count, MPI_Datatype in_type),                                      \
                     neighbour_allgather, mpi::BufferSide{out, out_count, out_type},               \
                     mpi::BufferSide{in, in_count, in_type})                                       \
  TERRACE_NEIGHBOURS(alltoall, suffix,                                                             \
                     (const void* out, Counts out_count, MPI_Datatype out_type, void* in,          \
                      Counts in_count, MPI_Datatype in_type),                                      \
                     neighbour_alltoall, mpi::BufferSide{out, out_count, out_type},                \
                     mpi::BufferSide{in, in_count, in_type})                                       \
  TERRACE_NEIGHBOURS(allgatherv, suffix,                                                           \
                     (const void* out, Counts out_count, MPI_Datatype out_type, void* in,          \
                      const Counts* counts, const Places* places, MPI_Datatype in_type),           \
                     neighbour_allgather, mpi::BufferSide{out, out_count, out_type},               \
                     mpi::VectorBuffer{in, counts, places, in_type, nullptr})                      \
  TERRACE_NEIGHBOURS(                                                                              \
      alltoallv, suffix,                                                                           \
      (const void* out, const Counts* out_counts, const Places* out_places, MPI_Datatype out_type, \
       void* in, const Counts* in_counts, const Places* in_places, MPI_Datatype in_type),          \
      neighbour_alltoall, mpi::VectorBuffer{out, out_counts, out_places, out_type, nullptr},       \
      mpi::VectorBuffer{in, in_counts, in_places, in_type, nullptr})                               \
  TERRACE_NEIGHBOURS(alltoallw, suffix,                                                            \
                     (const void* out, const Counts* out_counts, const MPI_Aint* out_places,       \
                      const MPI_Datatype* out_types, void* in, const Counts* in_counts,            \
                      const MPI_Aint* in_places, const MPI_Datatype* in_types),                    \
                     neighbour_alltoall,                                                           \
                     mpi::VectorBuffer{out, out_counts, out_places, MPI_DATATYPE_NULL, out_types}, \
                     mpi::VectorBuffer{in, in_counts, in_places, MPI_DATATYPE_NULL, in_types})
TERRACE_ALL_NEIGHBOURS(, int, int)
TERRACE_ALL_NEIGHBOURS(_c, MPI_Count, MPI_Aint)
