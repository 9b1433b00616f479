// SPDX-License-Identifier: BSD-3-Clause
// Collectives with blocks that are alike, blocking and nonblocking, by our plans. Elements with
// gaps are packed.
#include <memory>

#include "threadranks/mpi/operators.hpp"
#include "threadranks/mpi/works.hpp"

namespace terrace::threadranks::mpi {
namespace {

/// So many blocks of a layout, one behind the other.
Layout times(Layout layout, int blocks) {
  layout.count *= static_cast<std::size_t>(blocks);
  return layout;
}

/// A collective with blocks that are alike.
struct Even {
  Collective collective = Collective::barrier;
  Flat from, to;
  const void* input = nullptr;
  void* output = nullptr;
  std::size_t bytes = 0;
  Rank root = 0;
  Combining combining;
  bool gives = false;  ///< what comes is to be unpacked
  bool is_made = false;

  bool has_call() const { return !is_made; }
  bool call(Seat& seat) {
    is_made = true;
    switch (collective) {
      case Collective::barrier:
        return seat.barrier();
      case Collective::bcast:
        return seat.bcast(output, bytes, root);
      case Collective::reduce:
        return seat.reduce(input, output, combining.elements, root);
      case Collective::allreduce:
        return seat.allreduce(input, output, combining.elements);
      case Collective::scan:
        return seat.scan(input, output, combining.elements);
      case Collective::exscan:
        return seat.exscan(input, output, combining.elements);
      case Collective::reduce_scatter_block:
        return seat.reduce_scatter_block(input, output, combining.elements);
      case Collective::allgather:
        return seat.allgather(input, output, bytes);
      case Collective::gather:
        return seat.gather(input, output, bytes, root);
      case Collective::scatter:
        return seat.scatter(input, output, bytes, root);
      default:
        return seat.alltoall(input, output, bytes);
    }
  }
  void finish() const {
    if (gives) to.give();
  }
};

struct Side {
  const void* buffer;
  std::int64_t count;
  MPI_Datatype type;
};

// Each sets up one collective; false: there is nothing to do, or an error.

bool bcast(Caller& caller, Even& work, const Side& side, int root) {
  caller.check_root(root);
  const Layout layout = caller.layout(side.buffer, side.count, side.type);
  if (caller.error() || layout.bytes() == 0) return false;
  const bool is_root = caller.communicator().rank() == root;
  work.collective = Collective::bcast;
  work.to.set(layout, is_root);
  work.output = work.to.at();
  work.bytes = layout.bytes();
  work.root = static_cast<Rank>(root);
  work.gives = !is_root;
  return true;
}

/// Collectives that combine whole vectors.
bool combine(Caller& caller, Even& work, Collective collective, const void* in, void* out,
             std::int64_t count, MPI_Datatype type, MPI_Op op, int root) {
  caller.check_root(root);
  const bool is_in_place = in == MPI_IN_PLACE;
  const Layout input = caller.layout(is_in_place ? out : in, count, type);
  if (!find_combining(caller, input, op, work.combining) || count == 0) return false;
  const int rank = caller.communicator().rank();
  work.collective = collective;
  work.root = static_cast<Rank>(root);
  work.gives = collective == Collective::reduce   ? rank == root
               : collective == Collective::exscan ? rank > 0
                                                  : true;
  work.from.set(input, true);
  work.input = work.from.at();
  // Packed, input and output are apart in place, too, which plans like as well.
  if (work.gives || collective == Collective::exscan) {
    work.to.set({out, input.count, input.type}, false);
    work.output = work.to.at();
  }
  return true;
}

bool reduce_scatter_block(Caller& caller, Even& work, const void* in, void* out, std::int64_t count,
                          MPI_Datatype type, MPI_Op op) {
  const Layout output = caller.layout(out, count, type);
  if (!find_combining(caller, output, op, work.combining) || count == 0) return false;
  Layout input = times(output, caller.communicator().size());
  if (in != MPI_IN_PLACE) input.buffer = in;
  work.collective = Collective::reduce_scatter_block;
  work.from.set(input, true);
  work.to.set(output, false);
  work.input = work.from.at();
  work.output = work.to.at();
  work.gives = true;
  return true;
}

/// Allgather, gather and alltoall: blocks of all ranks come in. In place, this rank's are there.
bool collect(Caller& caller, Even& work, Collective collective, const Side& out, const Side& in,
             int root) {
  caller.check_root(root);
  if (caller.error()) return false;
  Communicator& communicator = caller.communicator();
  const bool gets = collective != Collective::gather || communicator.rank() == root;
  const bool is_in_place = gets && out.buffer == MPI_IN_PLACE;
  const Layout block = gets ? caller.layout(in.buffer, in.count, in.type) : Layout{};
  Layout own = is_in_place ? block : caller.layout(out.buffer, out.count, out.type);
  if (caller.error() || own.bytes() == 0) return false;
  work.collective = collective;
  work.root = static_cast<Rank>(root);
  work.bytes = own.bytes();
  work.gives = gets;
  if (gets) work.to.set(times(block, communicator.size()), is_in_place);
  work.output = work.to.at();
  const bool brings_all = collective == Collective::alltoall;
  if (is_in_place) {
    work.input = work.to.at() +
                 (brings_all ? 0 : static_cast<std::size_t>(communicator.rank()) * work.bytes);
    return true;
  }
  if (brings_all) own = times(own, communicator.size());
  work.from.set(own, true);
  work.input = work.from.at();
  return true;
}

bool scatter(Caller& caller, Even& work, const Side& out, const Side& in, int root) {
  caller.check_root(root);
  if (caller.error()) return false;
  Communicator& communicator = caller.communicator();
  const bool is_root = communicator.rank() == root;
  const bool is_in_place = is_root && in.buffer == MPI_IN_PLACE;
  const Layout block = is_root ? caller.layout(out.buffer, out.count, out.type) : Layout{};
  const Layout own = is_in_place ? block : caller.layout(in.buffer, in.count, in.type);
  if (caller.error() || own.bytes() == 0) return false;
  work.collective = Collective::scatter;
  work.root = static_cast<Rank>(root);
  work.bytes = own.bytes();
  work.gives = !is_in_place;
  if (is_root) work.from.set(times(block, communicator.size()), true);
  work.input = work.from.at();
  if (!is_in_place) work.to.set(own, false);
  work.output =
      is_in_place ? work.from.at() + static_cast<std::size_t>(root) * work.bytes : work.to.at();
  return true;
}

}  // namespace
}  // namespace terrace::threadranks::mpi

namespace mpi = terrace::threadranks::mpi;
using terrace::Collective;

TERRACE_MPI(int, Barrier, (MPI_Comm comm)) {
  return mpi::make_now<mpi::Even>("MPI_Barrier", comm, [](auto&, auto&) { return true; });
}
TERRACE_MPI(int, Ibarrier, (MPI_Comm comm, MPI_Request* request)) {
  return mpi::make_later<mpi::Even>("MPI_Ibarrier", comm, request,
                                    [](auto&, auto&) { return true; });
}

// Parameters, and the call that sets the work up, in both forms.
#define TERRACE_BOTH(name, nonblocking, parameters, ...)                                           \
  TERRACE_MPI(int, name, (TERRACE_UNPACK parameters, MPI_Comm comm)) {                             \
    return mpi::make_now<mpi::Even>("MPI_" #name, comm,                                            \
                                    [&](auto& caller, auto& work) { return mpi::__VA_ARGS__; });   \
  }                                                                                                \
  TERRACE_MPI(int, nonblocking,                                                                    \
              (TERRACE_UNPACK parameters, MPI_Comm comm, MPI_Request * request)) {                 \
    return mpi::make_later<mpi::Even>("MPI_" #nonblocking, comm, request,                          \
                                      [&](auto& caller, auto& work) { return mpi::__VA_ARGS__; }); \
  }
#define TERRACE_UNPACK(...) __VA_ARGS__

#define TERRACE_REDUCES(suffix, Counts)                                                           \
  TERRACE_BOTH(Bcast##suffix, Ibcast##suffix,                                                     \
               (void* buffer, Counts count, MPI_Datatype type, int root),                         \
               bcast(caller, work, {buffer, count, type}, root))                                  \
  TERRACE_BOTH(Reduce##suffix, Ireduce##suffix,                                                   \
               (const void* in, void* out, Counts count, MPI_Datatype type, MPI_Op op, int root), \
               combine(caller, work, Collective::reduce, in, out, count, type, op, root))         \
  TERRACE_BOTH(Allreduce##suffix, Iallreduce##suffix,                                             \
               (const void* in, void* out, Counts count, MPI_Datatype type, MPI_Op op),           \
               combine(caller, work, Collective::allreduce, in, out, count, type, op, 0))         \
  TERRACE_BOTH(Scan##suffix, Iscan##suffix,                                                       \
               (const void* in, void* out, Counts count, MPI_Datatype type, MPI_Op op),           \
               combine(caller, work, Collective::scan, in, out, count, type, op, 0))              \
  TERRACE_BOTH(Exscan##suffix, Iexscan##suffix,                                                   \
               (const void* in, void* out, Counts count, MPI_Datatype type, MPI_Op op),           \
               combine(caller, work, Collective::exscan, in, out, count, type, op, 0))            \
  TERRACE_BOTH(Reduce_scatter_block##suffix, Ireduce_scatter_block##suffix,                       \
               (const void* in, void* out, Counts count, MPI_Datatype type, MPI_Op op),           \
               reduce_scatter_block(caller, work, in, out, count, type, op))
TERRACE_REDUCES(, int)
TERRACE_REDUCES(_c, MPI_Count)

#define TERRACE_MOVES(suffix, Counts)                                                   \
  TERRACE_BOTH(Allgather##suffix, Iallgather##suffix,                                   \
               (const void* out, Counts out_count, MPI_Datatype out_type, void* in,     \
                Counts in_count, MPI_Datatype in_type),                                 \
               collect(caller, work, Collective::allgather, {out, out_count, out_type}, \
                       {in, in_count, in_type}, 0))                                     \
  TERRACE_BOTH(Alltoall##suffix, Ialltoall##suffix,                                     \
               (const void* out, Counts out_count, MPI_Datatype out_type, void* in,     \
                Counts in_count, MPI_Datatype in_type),                                 \
               collect(caller, work, Collective::alltoall, {out, out_count, out_type},  \
                       {in, in_count, in_type}, 0))                                     \
  TERRACE_BOTH(Gather##suffix, Igather##suffix,                                         \
               (const void* out, Counts out_count, MPI_Datatype out_type, void* in,     \
                Counts in_count, MPI_Datatype in_type, int root),                       \
               collect(caller, work, Collective::gather, {out, out_count, out_type},    \
                       {in, in_count, in_type}, root))                                  \
  TERRACE_BOTH(Scatter##suffix, Iscatter##suffix,                                       \
               (const void* out, Counts out_count, MPI_Datatype out_type, void* in,     \
                Counts in_count, MPI_Datatype in_type, int root),                       \
               scatter(caller, work, {out, out_count, out_type}, {in, in_count, in_type}, root))
TERRACE_MOVES(, int)
TERRACE_MOVES(_c, MPI_Count)
