// SPDX-License-Identifier: BSD-3-Clause
// The blocking collectives whose blocks have lengths of their own. What only some ranks know of the
// longest goes round first.
#include <algorithm>
#include <memory>
#include <vector>

#include "threadranks/mpi/operators.hpp"

namespace terrace::threadranks::mpi {
namespace {

/// One rank's blocks, as MPI tells them; either kind of count.
template <class Counts, class Places>
struct Uneven {
  const void* buffer;
  const Counts* counts;
  const Places* places;       ///< null: one behind the other
  MPI_Datatype type;          ///< of all, or
  const MPI_Datatype* types;  ///< of each, and places are bytes
};

/// Blocks by their numbers, without gaps; packed where the user's have some.
class Blocks {
 public:
  explicit Blocks(int count) : table_(static_cast<std::size_t>(count)) {}

  template <class Counts, class Places>
  void add_all(Caller& caller, const Uneven<Counts, Places>& blocks) {
    for (std::size_t i = 0; i < table_.size(); ++i) {
      const MPI_Datatype type = blocks.types ? blocks.types[i] : blocks.type;
      Layout layout = caller.layout(blocks.buffer, blocks.counts[i], type);
      if (caller.error()) return;
      const std::ptrdiff_t unit = blocks.types ? 1 : layout.type->extent();
      const std::ptrdiff_t place = blocks.places ? std::ptrdiff_t{blocks.places[i]} * unit : 0;
      layout.buffer = static_cast<const std::byte*>(blocks.buffer) + place;
      add(i, layout);
    }
  }
  void add(std::size_t number, const Layout& layout) {
    Part& part = parts_.emplace_back(Part{number, layout, nullptr});
    table_[number] = {static_cast<std::byte*>(const_cast<void*>(layout.buffer)), layout.bytes()};
    most_ = std::max(most_, layout.bytes());
    if (layout.type->is_dense()) return;
    part.packed = std::make_unique<std::byte[]>(layout.bytes() + 1);
    table_[number].at = part.packed.get();
  }
  void pack_all() const {
    for (const Part& part : parts_)
      if (part.packed) pack(part.layout, part.packed.get(), part.layout.bytes());
  }
  void give_all() const {
    for (const Part& part : parts_)
      if (part.packed) unpack(part.packed.get(), part.layout, part.layout.bytes());
  }
  const Block* table() const { return table_.data(); }
  bool is_empty() const { return parts_.empty(); }
  std::size_t most() const { return most_; }

 private:
  struct Part {
    std::size_t number;
    Layout layout;
    std::unique_ptr<std::byte[]> packed;
  };
  std::vector<Block> table_;
  std::vector<Part> parts_;
  std::size_t most_ = 0;
};

/// Where one side is in place, its blocks are the other's.
int move(Caller& caller, Collective collective, const Blocks& in, const Blocks& out, int root) {
  if (caller.error()) return caller.error();
  Seat& seat = caller.communicator().seat();
  std::uint64_t most = std::max(in.most(), out.most());
  const auto from = static_cast<Rank>(root);
  bool is_done = collective == Collective::allgatherv || seat.agree(collective, most, from);
  if (is_done && most == 0) return MPI_SUCCESS;
  in.pack_all();
  if (in.is_empty()) out.pack_all();
  const Block* const input = in.is_empty() ? out.table() : in.table();
  const Block* const output = out.is_empty() ? in.table() : out.table();
  is_done = is_done && seat.move_blocks(collective, {input, output}, most, from);
  out.give_all();
  return is_done ? MPI_SUCCESS : caller.fail(MPI_ERR_INTERN, "the members' calls do not match");
}

template <class Counts, class Places>
int allgatherv(const char* function, const void* buffer, Counts count, MPI_Datatype type,
               const Uneven<Counts, Places>& all, MPI_Comm comm) {
  Caller caller(function, comm);
  if (caller.error()) return caller.error();
  Communicator& communicator = caller.communicator();
  Blocks in(communicator.size()), out(communicator.size());
  out.add_all(caller, all);
  const Layout own = buffer == MPI_IN_PLACE ? Layout{} : caller.layout(buffer, count, type);
  if (!caller.error() && buffer != MPI_IN_PLACE)
    in.add(static_cast<std::size_t>(communicator.rank()), own);
  return move(caller, Collective::allgatherv, in, out, 0);
}

/// Gatherv and scatterv: all blocks are the root's, and one is each rank's own.
template <class Counts, class Places>
int rooted(const char* function, Collective collective, const void* buffer, Counts count,
           MPI_Datatype type, const Uneven<Counts, Places>& all, int root, MPI_Comm comm) {
  Caller caller(function, comm);
  caller.check_root(root);
  if (caller.error()) return caller.error();
  Communicator& communicator = caller.communicator();
  Blocks own(communicator.size()), roots(communicator.size());
  const bool is_root = communicator.rank() == root;
  if (is_root) roots.add_all(caller, all);
  if (!is_root || buffer != MPI_IN_PLACE) {
    const Layout layout = caller.layout(buffer, count, type);
    if (!caller.error()) own.add(static_cast<std::size_t>(communicator.rank()), layout);
  }
  return collective == Collective::gatherv ? move(caller, collective, own, roots, root)
                                           : move(caller, collective, roots, own, root);
}

template <class Counts, class Places>
int alltoall(const char* function, Collective collective, const Uneven<Counts, Places>& given,
             const Uneven<Counts, Places>& wanted, MPI_Comm comm) {
  Caller caller(function, comm);
  if (caller.error()) return caller.error();
  Blocks in(caller.communicator().size()), out(caller.communicator().size());
  if (given.buffer != MPI_IN_PLACE) in.add_all(caller, given);
  if (!caller.error()) out.add_all(caller, wanted);
  return move(caller, collective, in, out, 0);
}

template <class Counts>
int reduce_scatter(const char* function, const void* in, void* out, const Counts* counts,
                   MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  Caller caller(function, comm);
  if (caller.error()) return caller.error();
  Communicator& communicator = caller.communicator();
  const auto own = static_cast<std::size_t>(communicator.rank());
  std::int64_t total = 0, longest = 0;
  for (int i = 0; i < communicator.size(); ++i) {
    if (counts[i] < 0) return caller.fail(MPI_ERR_COUNT, "a negative count");
    total += counts[i];
    longest = std::max<std::int64_t>(longest, counts[i]);
  }
  const Layout input = caller.layout(in == MPI_IN_PLACE ? out : in, total, type);
  const Layout output = caller.layout(out, counts[own], type);
  Combining combining;
  if (!find_combining(caller, {input.buffer, static_cast<std::size_t>(longest), input.type}, op,
                      combining) ||
      longest == 0)
    return caller.error();
  // Packed, as input and output may be one in place, and the output covers more than one block.
  const auto packed = std::make_unique<std::byte[]>(input.bytes() + 1);
  const auto result = std::make_unique<std::byte[]>(output.bytes() + 1);
  pack(input, packed.get(), input.bytes());
  std::vector<Block> blocks;
  std::byte* at = packed.get();
  for (int i = 0; i < communicator.size(); ++i) {
    blocks.push_back({at, static_cast<std::size_t>(counts[i]) * input.type->size()});
    at += blocks.back().bytes;
  }
  const bool is_done = communicator.seat().reduce_scatter(
      blocks.data(), {result.get(), output.bytes()}, combining.elements);
  unpack(result.get(), output, output.bytes());
  return is_done ? MPI_SUCCESS : caller.fail(MPI_ERR_INTERN, "the members' calls do not match");
}

}  // namespace
}  // namespace terrace::threadranks::mpi

namespace mpi = terrace::threadranks::mpi;
using terrace::Collective;

#define TERRACE_UNEVEN(suffix, Counts, Places)                                                     \
  TERRACE_MPI(int, Allgatherv##suffix,                                                             \
              (const void* out, Counts count, MPI_Datatype out_type, void* in,                     \
               const Counts* counts, const Places* places, MPI_Datatype in_type, MPI_Comm comm)) { \
    return mpi::allgatherv<Counts, Places>("MPI_Allgatherv" #suffix, out, count, out_type,         \
                                           {in, counts, places, in_type, nullptr}, comm);          \
  }                                                                                                \
  TERRACE_MPI(                                                                                     \
      int, Gatherv##suffix,                                                                        \
      (const void* out, Counts count, MPI_Datatype out_type, void* in, const Counts* counts,       \
       const Places* places, MPI_Datatype in_type, int root, MPI_Comm comm)) {                     \
    return mpi::rooted<Counts, Places>("MPI_Gatherv" #suffix, Collective::gatherv, out, count,     \
                                       out_type, {in, counts, places, in_type, nullptr}, root,     \
                                       comm);                                                      \
  }                                                                                                \
  TERRACE_MPI(int, Scatterv##suffix,                                                               \
              (const void* out, const Counts* counts, const Places* places, MPI_Datatype out_type, \
               void* in, Counts count, MPI_Datatype in_type, int root, MPI_Comm comm)) {           \
    return mpi::rooted<Counts, Places>("MPI_Scatterv" #suffix, Collective::scatterv, in, count,    \
                                       in_type, {out, counts, places, out_type, nullptr}, root,    \
                                       comm);                                                      \
  }                                                                                                \
  TERRACE_MPI(int, Alltoallv##suffix,                                                              \
              (const void* out, const Counts* out_counts, const Places* out_places,                \
               MPI_Datatype out_type, void* in, const Counts* in_counts, const Places* in_places,  \
               MPI_Datatype in_type, MPI_Comm comm)) {                                             \
    return mpi::alltoall<Counts, Places>("MPI_Alltoallv" #suffix, Collective::alltoallv,           \
                                         {out, out_counts, out_places, out_type, nullptr},         \
                                         {in, in_counts, in_places, in_type, nullptr}, comm);      \
  }                                                                                                \
  TERRACE_MPI(int, Alltoallw##suffix,                                                              \
              (const void* out, const Counts* out_counts, const Places* out_places,                \
               const MPI_Datatype* out_types, void* in, const Counts* in_counts,                   \
               const Places* in_places, const MPI_Datatype* in_types, MPI_Comm comm)) {            \
    return mpi::alltoall<Counts, Places>("MPI_Alltoallw" #suffix, Collective::alltoallw,           \
                                         {out, out_counts, out_places, nullptr, out_types},        \
                                         {in, in_counts, in_places, nullptr, in_types}, comm);     \
  }                                                                                                \
  TERRACE_MPI(int, Reduce_scatter##suffix,                                                         \
              (const void* in, void* out, const Counts* counts, MPI_Datatype type, MPI_Op op,      \
               MPI_Comm comm)) {                                                                   \
    return mpi::reduce_scatter("MPI_Reduce_scatter" #suffix, in, out, counts, type, op, comm);     \
  }
TERRACE_UNEVEN(, int, int)
TERRACE_UNEVEN(_c, MPI_Count, MPI_Aint)
