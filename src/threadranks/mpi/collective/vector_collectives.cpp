// SPDX-License-Identifier: BSD-3-Clause
// The v-collectives, blocking and nonblocking. If only some ranks know the longest block, its
// length is exchanged first.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "threadranks/mpi/collective/collective_op.hpp"
#include "threadranks/mpi/collective/operators.hpp"

namespace terrace::threadranks::mpi {
namespace {

/// Where one side is in place, its blocks are the other's. The longest is agreed on first, unless
/// all know it.
class VectorMove {
 public:
  // Each sets up one collective; false: an error.
  bool allgatherv(Caller& caller, const BufferSide& own, const VectorBuffer& all);
  /// Gatherv and scatterv: all blocks are the root's, and one is each rank's own.
  bool rooted(Caller& caller, Collective collective, const BufferSide& own, const VectorBuffer& all,
              int root);
  bool alltoall(Caller& caller, Collective collective, const VectorBuffer& given,
                const VectorBuffer& wanted);

  bool has_call() {
    if (is_told_) heed();
    if (has_most_ && most_ == 0) return false;
    return !is_made_;
  }
  bool call(TeamEndpoint& endpoint) {
    const BlockTables tables{in_.is_empty() ? out_.table() : in_.table(),
                             out_.is_empty() ? in_.table() : out_.table()};
    if (!has_most_) {
      is_told_ = true;
      return endpoint.tell_lengths(collective_, tables, true, root_, lengths_);
    }
    is_made_ = true;
    return endpoint.move_blocks(collective_, tables, most_, root_);
  }
  void finish() const { out_.give_all(); }
  /// Of a block that is longer than wanted, "" if there is none.
  const std::string& truncation() const { return truncation_; }

 private:
  bool has_sides(Caller& caller) {
    if (caller.error()) return false;
    size_ = caller.communicator().size();
    in_.set_count(static_cast<std::size_t>(size_));
    out_.set_count(static_cast<std::size_t>(size_));
    return true;
  }
  /// What a rank gives itself: a block that is longer would be written beyond its place.
  void check_own_block(Caller& caller) const {
    if (caller.error() || in_.is_empty() || out_.is_empty()) return;
    const int rank = caller.communicator().rank();
    const std::uint64_t given = in_[rank].bytes, wanted = out_[rank].bytes;
    if (given == wanted) return;
    caller.fail(given > wanted ? MPI_ERR_TRUNCATE : MPI_ERR_COUNT,
                "gives itself " + std::to_string(given) + " bytes and wants " +
                    std::to_string(wanted) + " of itself");
  }
  /// What others give may be shorter than what is wanted, but not longer.
  void heed() {
    is_told_ = false;
    has_most_ = true;
    most_ = lengths_.most().value_or(0);
    const Collective plan = planned_as(collective_);
    if (plan == Collective::gather && own_ != root_) return;
    for (Rank rank = 0; rank < static_cast<Rank>(size_); ++rank) {
      if (rank == own_ || (plan == Collective::scatter && rank != root_)) continue;
      const int number = static_cast<int>(plan == Collective::scatter ? own_ : rank);
      const std::uint64_t given = lengths_.given_by(rank), wanted = out_[number].bytes;
      if (given > wanted)
        truncate(rank, number, given, wanted);
      else
        out_.shorten(number, given);
    }
  }
  /// Giver and taker move it as it is given, since the giver knows of nothing.
  void truncate(Rank giver, int number, std::uint64_t given, std::uint64_t wanted) {
    truncation_ = "wants " + std::to_string(wanted) + " bytes of member " + std::to_string(giver) +
                  " where that makes " + to_text(collective_) + " of " + std::to_string(given) +
                  ": they are truncated (MPI_ERR_TRUNCATE)";
    out_.divert(number, given);
  }
  /// When all blocks are there.
  bool is_ready(Caller& caller, Collective collective, int root) {
    check_own_block(caller);
    collective_ = collective;
    root_ = static_cast<Rank>(root);
    most_ = std::max(in_.most(), out_.most());
    has_most_ = collective == Collective::allgatherv;
    own_ = static_cast<Rank>(caller.communicator().rank());
    return !caller.error();
  }

  Collective collective_ = Collective::allgatherv;
  int size_ = 0;
  PackedBlocks in_, out_;
  Rank root_ = 0;
  std::uint64_t most_ = 0;
  bool has_most_ = false;  ///< of all ranks
  bool is_told_ = false;   ///< what others give, but not heeded
  Lengths lengths_;
  std::string truncation_;
  Rank own_ = 0;
  bool is_made_ = false;
};

bool VectorMove::allgatherv(Caller& caller, const BufferSide& own, const VectorBuffer& all) {
  if (!has_sides(caller)) return false;
  out_.add_all(caller, all, 0, size_);
  if (!caller.error() && own.buffer != MPI_IN_PLACE) {
    const Layout layout = caller.layout(own.buffer, own.count, own.type);
    if (!caller.error()) in_.add(caller.communicator().rank(), layout);
  }
  return is_ready(caller, Collective::allgatherv, 0);
}

bool VectorMove::rooted(Caller& caller, Collective collective, const BufferSide& own,
                        const VectorBuffer& all, int root) {
  caller.check_root(root);
  if (!has_sides(caller)) return false;
  PackedBlocks& owns = collective == Collective::gatherv ? in_ : out_;
  PackedBlocks& roots = collective == Collective::gatherv ? out_ : in_;
  const int rank = caller.communicator().rank();
  if (rank == root) roots.add_all(caller, all, 0, size_);
  if (!caller.error() && (rank != root || own.buffer != MPI_IN_PLACE)) {
    const Layout layout = caller.layout(own.buffer, own.count, own.type);
    if (!caller.error()) owns.add(rank, layout);
  }
  return is_ready(caller, collective, root);
}

bool VectorMove::alltoall(Caller& caller, Collective collective, const VectorBuffer& given,
                          const VectorBuffer& wanted) {
  if (!has_sides(caller)) return false;
  if (given.buffer != MPI_IN_PLACE) in_.add_all(caller, given, 0, size_);
  if (!caller.error()) out_.add_all(caller, wanted, 0, size_);
  return is_ready(caller, collective, 0);
}

/// Packed, as input and output may be one in place, and the input covers more than one block.
class VectorReduction {
 public:
  VectorReduction() = default;
  ~VectorReduction() {
    if (output_.type != nullptr) output_.type->release();
  }
  VectorReduction(const VectorReduction&) = delete;
  VectorReduction& operator=(const VectorReduction&) = delete;

  /// False: there is nothing to do, or an error.
  bool reduce_scatter(Caller& caller, const void* in, void* out, const MpiCounts& counts,
                      MPI_Datatype type, MPI_Op op);

  bool has_call() const { return !is_made_; }
  bool call(TeamEndpoint& endpoint) {
    is_made_ = true;
    return endpoint.reduce_scatter(blocks_.data(), own_, combining_.elements);
  }
  void finish() const { unpack(result_.get(), output_, output_.bytes()); }

 private:
  std::unique_ptr<std::byte[]> packed_, result_;
  std::vector<Block> blocks_;
  Block own_;  ///< of the result; a call on its way goes on looking at it
  Layout output_;
  Combining combining_;
  bool is_made_ = false;
};

bool VectorReduction::reduce_scatter(Caller& caller, const void* in, void* out,
                                     const MpiCounts& counts, MPI_Datatype type, MPI_Op op) {
  const auto ranks = static_cast<std::size_t>(caller.communicator().size());
  std::int64_t total = 0, longest = 0;
  for (std::size_t i = 0; i < ranks; ++i) {
    if (counts[i] < 0) caller.fail(MPI_ERR_COUNT, "a negative count");
    total += counts[i];
    longest = std::max(longest, counts[i]);
  }
  if (caller.error()) return false;
  const auto rank = static_cast<std::size_t>(caller.communicator().rank());
  const Layout input = caller.layout(in == MPI_IN_PLACE ? out : in, total, type);
  const Layout output = caller.layout(out, counts[rank], type);
  if (!find_combining(caller, {input.buffer, static_cast<std::size_t>(longest), input.type}, op,
                      combining_) ||
      longest == 0)
    return false;
  output_ = output;
  output_.type->retain();
  packed_ = std::make_unique<std::byte[]>(input.bytes() + 1);
  result_ = std::make_unique<std::byte[]>(output.bytes() + 1);
  own_ = Block{result_.get(), output.bytes()};
  pack(input, packed_.get(), input.bytes());
  std::byte* at = packed_.get();
  for (std::size_t i = 0; i < ranks; ++i) {
    blocks_.push_back(Block{at, static_cast<std::size_t>(counts[i]) * input.type->size()});
    at += blocks_.back().bytes;
  }
  return true;
}

}  // namespace
}  // namespace terrace::threadranks::mpi

namespace mpi = terrace::threadranks::mpi;
using terrace::Collective;

#define TERRACE_VECTOR(suffix, Counts, Places)                                                     \
  TERRACE_COLLECTIVE(                                                                              \
      VectorMove, Allgatherv##suffix, Iallgatherv##suffix, Allgatherv_init##suffix,                \
      (const void* out, Counts count, MPI_Datatype out_type, void* in, const Counts* counts,       \
       const Places* places, MPI_Datatype in_type),                                                \
      allgatherv(caller, {out, count, out_type}, {in, counts, places, in_type, nullptr}))          \
  TERRACE_COLLECTIVE(VectorMove, Gatherv##suffix, Igatherv##suffix, Gatherv_init##suffix,          \
                     (const void* out, Counts count, MPI_Datatype out_type, void* in,              \
                      const Counts* counts, const Places* places, MPI_Datatype in_type, int root), \
                     rooted(caller, Collective::gatherv, {out, count, out_type},                   \
                            {in, counts, places, in_type, nullptr}, root))                         \
  TERRACE_COLLECTIVE(                                                                              \
      VectorMove, Scatterv##suffix, Iscatterv##suffix, Scatterv_init##suffix,                      \
      (const void* out, const Counts* counts, const Places* places, MPI_Datatype out_type,         \
       void* in, Counts count, MPI_Datatype in_type, int root),                                    \
      rooted(caller, Collective::scatterv, {in, count, in_type},                                   \
             {out, counts, places, out_type, nullptr}, root))                                      \
  TERRACE_COLLECTIVE(                                                                              \
      VectorMove, Alltoallv##suffix, Ialltoallv##suffix, Alltoallv_init##suffix,                   \
      (const void* out, const Counts* out_counts, const Places* out_places, MPI_Datatype out_type, \
       void* in, const Counts* in_counts, const Places* in_places, MPI_Datatype in_type),          \
      alltoall(caller, Collective::alltoallv, {out, out_counts, out_places, out_type, nullptr},    \
               {in, in_counts, in_places, in_type, nullptr}))                                      \
  TERRACE_COLLECTIVE(VectorMove, Alltoallw##suffix, Ialltoallw##suffix, Alltoallw_init##suffix,    \
                     (const void* out, const Counts* out_counts, const Places* out_places,         \
                      const MPI_Datatype* out_types, void* in, const Counts* in_counts,            \
                      const Places* in_places, const MPI_Datatype* in_types),                      \
                     alltoall(caller, Collective::alltoallw,                                       \
                              {out, out_counts, out_places, MPI_DATATYPE_NULL, out_types},         \
                              {in, in_counts, in_places, MPI_DATATYPE_NULL, in_types}))            \
  TERRACE_COLLECTIVE(                                                                              \
      VectorReduction, Reduce_scatter##suffix, Ireduce_scatter##suffix,                            \
      Reduce_scatter_init##suffix,                                                                 \
      (const void* in, void* out, const Counts* counts, MPI_Datatype type, MPI_Op op),             \
      reduce_scatter(caller, in, out, counts, type, op))
TERRACE_VECTOR(, int, int)
TERRACE_VECTOR(_c, MPI_Count, MPI_Aint)
