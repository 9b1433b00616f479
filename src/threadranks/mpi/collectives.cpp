// SPDX-License-Identifier: BSD-3-Clause
// The blocking collectives with blocks that are alike, by our plans. Elements with gaps are packed.
#include <memory>

#include "threadranks/mpi/operators.hpp"

namespace terrace::threadranks::mpi {
namespace {

/// A buffer as plans want it: without gaps.
class Flat {
 public:
  Flat(const Layout& layout, bool is_read) : layout_(layout) {
    if (layout.type == nullptr || layout.type->is_dense()) return;
    packed_ = std::make_unique<std::byte[]>(layout.bytes() + 1);
    if (is_read) pack(layout, packed_.get(), layout.bytes());
  }
  std::byte* at() const {
    return packed_ ? packed_.get() : static_cast<std::byte*>(const_cast<void*>(layout_.buffer));
  }
  /// What has come is the user's.
  void give() const {
    if (packed_) unpack(packed_.get(), layout_, layout_.bytes());
  }

 private:
  Layout layout_;
  std::unique_ptr<std::byte[]> packed_;
};

int ended(Caller& caller, bool is_done) {
  return is_done ? MPI_SUCCESS : caller.fail(MPI_ERR_INTERN, "the members' calls do not match");
}

/// So many blocks of a layout, one behind the other.
Layout times(Layout layout, int blocks) {
  layout.count *= static_cast<std::size_t>(blocks);
  return layout;
}

int barrier(MPI_Comm comm) {
  Caller caller("MPI_Barrier", comm);
  return caller.error() ? caller.error() : ended(caller, caller.communicator().seat().barrier());
}

int bcast(const char* function, void* buffer, std::int64_t count, MPI_Datatype type, int root,
          MPI_Comm comm) {
  Caller caller(function, comm);
  caller.check_root(root);
  const Layout layout = caller.layout(buffer, count, type);
  if (caller.error() || layout.bytes() == 0) return caller.error();
  const Flat flat(layout, caller.communicator().rank() == root);
  const bool is_done =
      caller.communicator().seat().bcast(flat.at(), layout.bytes(), static_cast<Rank>(root));
  if (caller.communicator().rank() != root) flat.give();
  return ended(caller, is_done);
}

/// Collectives that combine whole vectors.
int combine(const char* function, Collective collective, const void* in, void* out,
            std::int64_t count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm) {
  Caller caller(function, comm);
  caller.check_root(root);
  const bool is_in_place = in == MPI_IN_PLACE;
  const Layout input = caller.layout(is_in_place ? out : in, count, type);
  const Layout output = caller.layout(out, count, type);
  Combining combining;
  if (!find_combining(caller, input, op, combining) || count == 0) return caller.error();
  Communicator& communicator = caller.communicator();
  const bool gets = collective == Collective::reduce   ? communicator.rank() == root
                    : collective == Collective::exscan ? communicator.rank() > 0
                                                       : true;
  const Flat from(input, true);
  const Flat to(gets ? output : Layout{}, false);
  // In place and packed, input and output are apart, which plans like as well.
  std::byte* const target = gets || collective == Collective::exscan ? to.at() : nullptr;
  Seat& seat = communicator.seat();
  bool is_done = false;
  if (collective == Collective::reduce)
    is_done = seat.reduce(from.at(), target, combining.elements, static_cast<Rank>(root));
  else if (collective == Collective::allreduce)
    is_done = seat.allreduce(from.at(), target, combining.elements);
  else if (collective == Collective::scan)
    is_done = seat.scan(from.at(), target, combining.elements);
  else
    is_done = seat.exscan(from.at(), target, combining.elements);
  if (gets) to.give();
  return ended(caller, is_done);
}

int reduce_scatter_block(const char* function, const void* in, void* out, std::int64_t count,
                         MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  Caller caller(function, comm);
  const bool is_in_place = in == MPI_IN_PLACE;
  const Layout output = caller.layout(out, count, type);
  Combining combining;
  if (!find_combining(caller, output, op, combining) || count == 0) return caller.error();
  Layout input = times(output, caller.communicator().size());
  if (!is_in_place) input.buffer = in;
  const Flat from(input, true);
  const Flat to(output, false);
  const bool is_done =
      caller.communicator().seat().reduce_scatter_block(from.at(), to.at(), combining.elements);
  to.give();
  return ended(caller, is_done);
}

struct Side {
  const void* buffer;
  std::int64_t count;
  MPI_Datatype type;
};

int allgather(const char* function, const Side& out, const Side& in, MPI_Comm comm) {
  Caller caller(function, comm);
  const bool is_in_place = out.buffer == MPI_IN_PLACE;
  const Layout block = caller.layout(in.buffer, in.count, in.type);
  const Layout own = is_in_place ? block : caller.layout(out.buffer, out.count, out.type);
  if (caller.error() || block.bytes() == 0) return caller.error();
  Communicator& communicator = caller.communicator();
  const Flat to(times(block, communicator.size()), is_in_place);
  const Flat from(is_in_place ? Layout{} : own, true);
  const std::size_t bytes = block.bytes();
  const std::byte* const input =
      is_in_place ? to.at() + static_cast<std::size_t>(communicator.rank()) * bytes : from.at();
  const bool is_done = communicator.seat().allgather(input, to.at(), bytes);
  to.give();
  return ended(caller, is_done);
}

int gather(const char* function, const Side& out, const Side& in, int root, MPI_Comm comm) {
  Caller caller(function, comm);
  caller.check_root(root);
  if (caller.error()) return caller.error();
  Communicator& communicator = caller.communicator();
  const bool is_root = communicator.rank() == root;
  const bool is_in_place = is_root && out.buffer == MPI_IN_PLACE;
  const Layout block = is_root ? caller.layout(in.buffer, in.count, in.type) : Layout{};
  const Layout own = is_in_place ? block : caller.layout(out.buffer, out.count, out.type);
  if (caller.error() || own.bytes() == 0) return caller.error();
  const std::size_t bytes = own.bytes();
  const Flat to(is_root ? times(block, communicator.size()) : Layout{}, is_in_place);
  const Flat from(is_in_place ? Layout{} : own, true);
  const std::byte* const input =
      is_in_place ? to.at() + static_cast<std::size_t>(root) * bytes : from.at();
  const bool is_done = communicator.seat().gather(input, to.at(), bytes, static_cast<Rank>(root));
  if (is_root) to.give();
  return ended(caller, is_done);
}

int scatter(const char* function, const Side& out, const Side& in, int root, MPI_Comm comm) {
  Caller caller(function, comm);
  caller.check_root(root);
  if (caller.error()) return caller.error();
  Communicator& communicator = caller.communicator();
  const bool is_root = communicator.rank() == root;
  const bool is_in_place = is_root && in.buffer == MPI_IN_PLACE;
  const Layout block = is_root ? caller.layout(out.buffer, out.count, out.type) : Layout{};
  const Layout own = is_in_place ? block : caller.layout(in.buffer, in.count, in.type);
  if (caller.error() || own.bytes() == 0) return caller.error();
  const std::size_t bytes = own.bytes();
  const Flat from(is_root ? times(block, communicator.size()) : Layout{}, true);
  const Flat to(is_in_place ? Layout{} : own, false);
  std::byte* const output =
      is_in_place ? from.at() + static_cast<std::size_t>(root) * bytes : to.at();
  const bool is_done =
      communicator.seat().scatter(from.at(), output, bytes, static_cast<Rank>(root));
  if (!is_in_place) to.give();
  return ended(caller, is_done);
}

int alltoall(const char* function, const Side& out, const Side& in, MPI_Comm comm) {
  Caller caller(function, comm);
  const bool is_in_place = out.buffer == MPI_IN_PLACE;
  const Layout block = caller.layout(in.buffer, in.count, in.type);
  const Layout own = is_in_place ? block : caller.layout(out.buffer, out.count, out.type);
  if (caller.error() || block.bytes() == 0) return caller.error();
  Communicator& communicator = caller.communicator();
  const Flat to(times(block, communicator.size()), is_in_place);
  const Flat from(is_in_place ? Layout{} : times(own, communicator.size()), true);
  const bool is_done =
      communicator.seat().alltoall(is_in_place ? to.at() : from.at(), to.at(), block.bytes());
  to.give();
  return ended(caller, is_done);
}

}  // namespace
}  // namespace terrace::threadranks::mpi

namespace mpi = terrace::threadranks::mpi;
using terrace::Collective;

TERRACE_MPI(int, Barrier, (MPI_Comm comm)) {
  return mpi::barrier(comm);
}

#define TERRACE_COLLECTIVES(suffix, Counts)                                                        \
  TERRACE_MPI(int, Bcast##suffix,                                                                  \
              (void* buffer, Counts count, MPI_Datatype type, int root, MPI_Comm comm)) {          \
    return mpi::bcast("MPI_Bcast" #suffix, buffer, count, type, root, comm);                       \
  }                                                                                                \
  TERRACE_MPI(int, Reduce##suffix,                                                                 \
              (const void* in, void* out, Counts count, MPI_Datatype type, MPI_Op op, int root,    \
               MPI_Comm comm)) {                                                                   \
    return mpi::combine("MPI_Reduce" #suffix, Collective::reduce, in, out, count, type, op, root,  \
                        comm);                                                                     \
  }                                                                                                \
  TERRACE_MPI(                                                                                     \
      int, Allreduce##suffix,                                                                      \
      (const void* in, void* out, Counts count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)) {    \
    return mpi::combine("MPI_Allreduce" #suffix, Collective::allreduce, in, out, count, type, op,  \
                        0, comm);                                                                  \
  }                                                                                                \
  TERRACE_MPI(                                                                                     \
      int, Scan##suffix,                                                                           \
      (const void* in, void* out, Counts count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)) {    \
    return mpi::combine("MPI_Scan" #suffix, Collective::scan, in, out, count, type, op, 0, comm);  \
  }                                                                                                \
  TERRACE_MPI(                                                                                     \
      int, Exscan##suffix,                                                                         \
      (const void* in, void* out, Counts count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)) {    \
    return mpi::combine("MPI_Exscan" #suffix, Collective::exscan, in, out, count, type, op, 0,     \
                        comm);                                                                     \
  }                                                                                                \
  TERRACE_MPI(                                                                                     \
      int, Reduce_scatter_block##suffix,                                                           \
      (const void* in, void* out, Counts count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)) {    \
    return mpi::reduce_scatter_block("MPI_Reduce_scatter_block" #suffix, in, out, count, type, op, \
                                     comm);                                                        \
  }                                                                                                \
  TERRACE_MPI(int, Allgather##suffix,                                                              \
              (const void* out, Counts out_count, MPI_Datatype out_type, void* in,                 \
               Counts in_count, MPI_Datatype in_type, MPI_Comm comm)) {                            \
    return mpi::allgather("MPI_Allgather" #suffix, {out, out_count, out_type},                     \
                          {in, in_count, in_type}, comm);                                          \
  }                                                                                                \
  TERRACE_MPI(int, Gather##suffix,                                                                 \
              (const void* out, Counts out_count, MPI_Datatype out_type, void* in,                 \
               Counts in_count, MPI_Datatype in_type, int root, MPI_Comm comm)) {                  \
    return mpi::gather("MPI_Gather" #suffix, {out, out_count, out_type}, {in, in_count, in_type},  \
                       root, comm);                                                                \
  }                                                                                                \
  TERRACE_MPI(int, Scatter##suffix,                                                                \
              (const void* out, Counts out_count, MPI_Datatype out_type, void* in,                 \
               Counts in_count, MPI_Datatype in_type, int root, MPI_Comm comm)) {                  \
    return mpi::scatter("MPI_Scatter" #suffix, {out, out_count, out_type},                         \
                        {in, in_count, in_type}, root, comm);                                      \
  }                                                                                                \
  TERRACE_MPI(int, Alltoall##suffix,                                                               \
              (const void* out, Counts out_count, MPI_Datatype out_type, void* in,                 \
               Counts in_count, MPI_Datatype in_type, MPI_Comm comm)) {                            \
    return mpi::alltoall("MPI_Alltoall" #suffix, {out, out_count, out_type},                       \
                         {in, in_count, in_type}, comm);                                           \
  }
TERRACE_COLLECTIVES(, int)
TERRACE_COLLECTIVES(_c, MPI_Count)
