// SPDX-License-Identifier: BSD-3-Clause
// Collectives whose blocks have lengths of their own, blocking and nonblocking. What only some
// ranks know of the longest goes round first.
#include <algorithm>
#include <memory>
#include <vector>

#include "threadranks/mpi/operators.hpp"
#include "threadranks/mpi/works.hpp"

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
  void set_count(int count) { table_.resize(static_cast<std::size_t>(count)); }

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
    auto& flat = *flats_.emplace_back(std::make_unique<Flat>());
    flat.set(layout, true);
    table_[number] = {flat.at(), layout.bytes()};
    most_ = std::max(most_, layout.bytes());
  }
  void give_all() const {
    for (const auto& flat : flats_) flat->give();
  }
  const Block* table() const { return table_.data(); }
  bool is_empty() const { return flats_.empty(); }
  std::size_t most() const { return most_; }

 private:
  std::vector<Block> table_;
  std::vector<std::unique_ptr<Flat>> flats_;
  std::size_t most_ = 0;
};

/// Where one side is in place, its blocks are the other's. The longest is agreed on first, unless
/// all know it.
struct UnevenMove {
  Collective collective = Collective::allgatherv;
  Blocks in, out;
  Rank root = 0;
  std::uint64_t most = 0;
  bool is_agreed = false;
  bool is_made = false;

  bool has_call() {
    if (is_agreed && most == 0) return false;
    return !is_made;
  }
  bool call(Seat& seat) {
    if (!is_agreed) {
      is_agreed = true;
      return seat.agree(collective, most, root);
    }
    is_made = true;
    const Block* const input = in.is_empty() ? out.table() : in.table();
    const Block* const output = out.is_empty() ? in.table() : out.table();
    return seat.move_blocks(collective, {input, output}, most, root);
  }
  void finish() const { out.give_all(); }

  /// When all blocks are there.
  bool is_ready(Caller& caller, Collective which, int from) {
    collective = which;
    root = static_cast<Rank>(from);
    most = std::max(in.most(), out.most());
    is_agreed = which == Collective::allgatherv;
    return !caller.error();
  }
  bool has_sides(Caller& caller) {
    if (caller.error()) return false;
    in.set_count(caller.communicator().size());
    out.set_count(caller.communicator().size());
    return true;
  }
};

template <class Counts, class Places>
bool allgatherv(Caller& caller, UnevenMove& work, const void* buffer, Counts count,
                MPI_Datatype type, const Uneven<Counts, Places>& all) {
  if (!work.has_sides(caller)) return false;
  work.out.add_all(caller, all);
  const Layout own = buffer == MPI_IN_PLACE ? Layout{} : caller.layout(buffer, count, type);
  if (!caller.error() && buffer != MPI_IN_PLACE)
    work.in.add(static_cast<std::size_t>(caller.communicator().rank()), own);
  return work.is_ready(caller, Collective::allgatherv, 0);
}

/// Gatherv and scatterv: all blocks are the root's, and one is each rank's own.
template <class Counts, class Places>
bool rooted(Caller& caller, UnevenMove& work, Collective collective, const void* buffer,
            Counts count, MPI_Datatype type, const Uneven<Counts, Places>& all, int root) {
  caller.check_root(root);
  if (!work.has_sides(caller)) return false;
  Blocks& own = collective == Collective::gatherv ? work.in : work.out;
  Blocks& roots = collective == Collective::gatherv ? work.out : work.in;
  const int rank = caller.communicator().rank();
  if (rank == root) roots.add_all(caller, all);
  if (!caller.error() && (rank != root || buffer != MPI_IN_PLACE)) {
    const Layout layout = caller.layout(buffer, count, type);
    if (!caller.error()) own.add(static_cast<std::size_t>(rank), layout);
  }
  return work.is_ready(caller, collective, root);
}

template <class Counts, class Places>
bool alltoall(Caller& caller, UnevenMove& work, Collective collective,
              const Uneven<Counts, Places>& given, const Uneven<Counts, Places>& wanted) {
  if (!work.has_sides(caller)) return false;
  if (given.buffer != MPI_IN_PLACE) work.in.add_all(caller, given);
  if (!caller.error()) work.out.add_all(caller, wanted);
  return work.is_ready(caller, collective, 0);
}

/// Packed, as input and output may be one in place, and the input covers more than one block.
struct UnevenReduction {
  std::unique_ptr<std::byte[]> packed, result;
  std::vector<Block> blocks;
  Layout output;
  Combining combining;
  bool is_made = false;

  UnevenReduction() = default;
  ~UnevenReduction() {
    if (output.type != nullptr) output.type->release();
  }
  UnevenReduction(const UnevenReduction&) = delete;
  UnevenReduction& operator=(const UnevenReduction&) = delete;

  bool has_call() const { return !is_made; }
  bool call(Seat& seat) {
    is_made = true;
    return seat.reduce_scatter(blocks.data(), {result.get(), output.bytes()}, combining.elements);
  }
  void finish() const { unpack(result.get(), output, output.bytes()); }
};

template <class Counts>
bool reduce_scatter(Caller& caller, UnevenReduction& work, const void* in, void* out,
                    const Counts* counts, MPI_Datatype type, MPI_Op op) {
  const int ranks = caller.communicator().size();
  std::int64_t total = 0, longest = 0;
  for (int i = 0; i < ranks; ++i) {
    if (counts[i] < 0) caller.fail(MPI_ERR_COUNT, "a negative count");
    total += counts[i];
    longest = std::max<std::int64_t>(longest, counts[i]);
  }
  if (caller.error()) return false;
  const Layout input = caller.layout(in == MPI_IN_PLACE ? out : in, total, type);
  const Layout output = caller.layout(out, counts[caller.communicator().rank()], type);
  if (!find_combining(caller, {input.buffer, static_cast<std::size_t>(longest), input.type}, op,
                      work.combining) ||
      longest == 0)
    return false;
  work.output = output;
  work.output.type->retain();
  work.packed = std::make_unique<std::byte[]>(input.bytes() + 1);
  work.result = std::make_unique<std::byte[]>(output.bytes() + 1);
  pack(input, work.packed.get(), input.bytes());
  std::byte* at = work.packed.get();
  for (int i = 0; i < ranks; ++i) {
    work.blocks.push_back({at, static_cast<std::size_t>(counts[i]) * input.type->size()});
    at += work.blocks.back().bytes;
  }
  return true;
}

}  // namespace
}  // namespace terrace::threadranks::mpi

namespace mpi = terrace::threadranks::mpi;
using terrace::Collective;

// Parameters, and the call that sets the work up, in both forms.
#define TERRACE_BOTH(Work, name, nonblocking, parameters, ...)                                     \
  TERRACE_MPI(int, name, (TERRACE_UNPACK parameters, MPI_Comm comm)) {                             \
    return mpi::make_now<mpi::Work>("MPI_" #name, comm,                                            \
                                    [&](auto& caller, auto& work) { return mpi::__VA_ARGS__; });   \
  }                                                                                                \
  TERRACE_MPI(int, nonblocking,                                                                    \
              (TERRACE_UNPACK parameters, MPI_Comm comm, MPI_Request * request)) {                 \
    return mpi::make_later<mpi::Work>("MPI_" #nonblocking, comm, request,                          \
                                      [&](auto& caller, auto& work) { return mpi::__VA_ARGS__; }); \
  }
#define TERRACE_UNPACK(...) __VA_ARGS__

#define TERRACE_UNEVEN(suffix, Counts, Places)                                                     \
  TERRACE_BOTH(UnevenMove, Allgatherv##suffix, Iallgatherv##suffix,                                \
               (const void* out, Counts count, MPI_Datatype out_type, void* in,                    \
                const Counts* counts, const Places* places, MPI_Datatype in_type),                 \
               allgatherv<Counts, Places>(caller, work, out, count, out_type,                      \
                                          {in, counts, places, in_type, nullptr}))                 \
  TERRACE_BOTH(UnevenMove, Gatherv##suffix, Igatherv##suffix,                                      \
               (const void* out, Counts count, MPI_Datatype out_type, void* in,                    \
                const Counts* counts, const Places* places, MPI_Datatype in_type, int root),       \
               rooted<Counts, Places>(caller, work, Collective::gatherv, out, count, out_type,     \
                                      {in, counts, places, in_type, nullptr}, root))               \
  TERRACE_BOTH(UnevenMove, Scatterv##suffix, Iscatterv##suffix,                                    \
               (const void* out, const Counts* counts, const Places* places,                       \
                MPI_Datatype out_type, void* in, Counts count, MPI_Datatype in_type, int root),    \
               rooted<Counts, Places>(caller, work, Collective::scatterv, in, count, in_type,      \
                                      {out, counts, places, out_type, nullptr}, root))             \
  TERRACE_BOTH(                                                                                    \
      UnevenMove, Alltoallv##suffix, Ialltoallv##suffix,                                           \
      (const void* out, const Counts* out_counts, const Places* out_places, MPI_Datatype out_type, \
       void* in, const Counts* in_counts, const Places* in_places, MPI_Datatype in_type),          \
      alltoall<Counts, Places>(caller, work, Collective::alltoallv,                                \
                               {out, out_counts, out_places, out_type, nullptr},                   \
                               {in, in_counts, in_places, in_type, nullptr}))                      \
  TERRACE_BOTH(                                                                                    \
      UnevenMove, Alltoallw##suffix, Ialltoallw##suffix,                                           \
      (const void* out, const Counts* out_counts, const Places* out_places,                        \
       const MPI_Datatype* out_types, void* in, const Counts* in_counts, const Places* in_places,  \
       const MPI_Datatype* in_types),                                                              \
      alltoall<Counts, Places>(caller, work, Collective::alltoallw,                                \
                               {out, out_counts, out_places, MPI_DATATYPE_NULL, out_types},        \
                               {in, in_counts, in_places, MPI_DATATYPE_NULL, in_types}))           \
  TERRACE_BOTH(UnevenReduction, Reduce_scatter##suffix, Ireduce_scatter##suffix,                   \
               (const void* in, void* out, const Counts* counts, MPI_Datatype type, MPI_Op op),    \
               reduce_scatter(caller, work, in, out, counts, type, op))
TERRACE_UNEVEN(, int, int)
TERRACE_UNEVEN(_c, MPI_Count, MPI_Aint)
