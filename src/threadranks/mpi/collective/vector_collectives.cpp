// SPDX-License-Identifier: BSD-3-Clause
// The v-collectives, blocking and nonblocking. If only some ranks know the longest block, its
// length is exchanged first.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "threadranks/mpi/collective/collective_op.hpp"
#include "threadranks/mpi/collective/long_elements.hpp"
#include "threadranks/mpi/collective/operators.hpp"

namespace terrace::threadranks::mpi {
namespace {

/// If one side is in place, its blocks are the other's. The ranks first agree on the longest block,
/// unless all know it.
class VectorMove {
 public:
  /// Sets up a collective; false: an error.
  bool move(Caller& caller, Collective collective, const VectorBuffer& given,
            const VectorBuffer& wanted, int root);

  Collective collective() const { return who_.collective; }
  /// Bytes of the longest block, once all ranks know it.
  std::size_t bytes() const { return most_; }
  bool has_call() {
    if (is_told_) heed();
    if (has_most_ && most_ == 0) return false;
    return !is_made_;
  }
  template <class Endpoint>
  bool call(Endpoint& endpoint) {
    const BlockTables tables{(is_input_in_place_ ? out_ : in_).table(),
                             (is_output_in_place_ ? in_ : out_).table()};
    if (!has_most_) {
      is_told_ = true;
      return endpoint.tell_lengths(who_.collective, tables, true, who_.root, lengths_);
    }
    is_made_ = true;
    return endpoint.move_blocks(who_.collective, tables, most_, who_.root);
  }
  void finish() const { out_.unpack(); }
  void restart() {
    is_made_ = is_told_ = false;
    has_most_ = who_.collective == Collective::allgatherv;
    truncation_.clear();
    in_.restore();
    out_.restore();
    read();
  }
  /// Names a block that is longer than its receiver wants; "" if there is none.
  const std::string& truncation() const { return truncation_; }

 private:
  /// Checks a rank's block to itself: if it is longer, it would be written beyond its place.
  void check_own_block(Caller& caller) const {
    if (caller.error() || in_.is_empty() || out_.is_empty()) return;
    const std::size_t given = in_[who_.rank].bytes, wanted = out_[who_.rank].bytes;
    if (given == wanted) return;
    caller.fail(given > wanted ? MPI_ERR_TRUNCATE : MPI_ERR_COUNT,
                "gives itself " + std::to_string(given) + " bytes and wants " +
                    std::to_string(wanted) + " of itself");
  }
  void check_own_place(Caller& caller) const {
    if (caller.error() || in_.is_empty() || out_.is_empty()) return;
    const KeptElements &given = in_.elements(who_.rank), &wanted = out_.elements(who_.rank);
    if (given.bytes() > 0 && given.layout().type == wanted.layout().type)
      check_separate(caller, who_.collective, given.at(), wanted.at(), given.layout().count);
  }
  void read() const { (is_input_in_place_ ? out_ : in_).pack(inputs_); }
  void heed() {
    is_told_ = false;
    has_most_ = true;
    most_ = lengths_.most().value_or(0);
    const std::optional<Truncation> found = out_.fit_to(lengths_, who_);
    if (!found) return;
    if (!found->has_memory)
      state_->end_job(MPI_ERR_NO_MEM, "there is no memory for a block that is longer than wanted");
    truncation_ = "wants " + std::to_string(found->wanted) + " bytes of member " +
                  std::to_string(found->giver) + " where that makes " + to_text(who_.collective) +
                  " of " + std::to_string(found->given) + ": they are truncated (MPI_ERR_TRUNCATE)";
  }

  RankState* state_ = nullptr;
  RankInCall who_;
  PackedBlocks in_, out_;
  bool is_input_in_place_ = false;
  bool is_output_in_place_ = false;
  BlockNumbers inputs_;
  std::uint64_t most_ = 0;
  bool has_most_ = false;  ///< of all ranks
  bool is_told_ = false;   ///< the lengths that others give have arrived, but are not applied yet
  Lengths lengths_;
  std::string truncation_;
  bool is_made_ = false;
};

bool VectorMove::move(Caller& caller, Collective collective, const VectorBuffer& given,
                      const VectorBuffer& wanted, int root) {
  if (is_rooted(collective)) caller.check_root(root);
  if (caller.error()) return false;
  state_ = &caller.state();
  who_ = rank_in_call(caller, collective, root);
  const MovedBlocks moved = moved_blocks(caller, who_, given.buffer, wanted.buffer);
  is_input_in_place_ = moved.is_input_in_place;
  is_output_in_place_ = moved.is_output_in_place;
  in_.set_numbers(who_.rank_count);
  out_.set_numbers(who_.rank_count);
  if (!caller.error()) add_all(in_, caller, given, moved.own_inputs());
  if (!caller.error()) add_all(out_, caller, wanted, moved.own_outputs());
  check_own_block(caller);
  check_own_place(caller);
  make_room(in_, caller);
  make_room(out_, caller);
  if (caller.error()) return false;
  inputs_ = moved.inputs;
  read();
  most_ = std::max(in_.most_bytes(), out_.most_bytes());
  has_most_ = collective == Collective::allgatherv;
  return true;
}

/// Packed, as input and output may be one in place, and the input covers more than one block.
class VectorReduction {
 public:
  /// False: there is nothing to do, or an error.
  bool reduce_scatter(Caller& caller, const void* in, void* out, const MpiCounts& counts,
                      MPI_Datatype type, MPI_Op op);

  Collective collective() const { return Collective::reduce_scatter; }
  /// Bytes of the longest block.
  std::size_t bytes() const { return combining_.elements.count * combining_.elements.bytes; }
  bool has_call() { return long_elements_ ? long_elements_->has_call() : !is_made_; }
  template <class Endpoint>
  bool call(Endpoint& endpoint) {
    if (combining_.combiner && !is_made_) gather_long_elements(endpoint);
    is_made_ = true;
    if (long_elements_) return long_elements_->call(endpoint);
    return endpoint.reduce_scatter(blocks_.data(), own_, combining_.elements);
  }
  void finish() const { output_.unpack(result_.get(), output_.bytes()); }
  void restart() {
    is_made_ = false;
    long_elements_.reset();
    input_.pack(packed_.get());
  }

 private:
  template <class Endpoint>
  void gather_long_elements(Endpoint& endpoint);

  RankInCall who_;
  std::unique_ptr<LongElements> long_elements_;
  std::unique_ptr<std::byte[]> packed_, result_;
  std::vector<Block> blocks_;
  Block own_;  ///< of the result; a call in progress still reads it
  KeptElements input_, output_;
  Combining combining_;
  bool is_made_ = false;
};

/// Whether elements must be gathered is known to the endpoint alone.
template <class Endpoint>
void VectorReduction::gather_long_elements(Endpoint& endpoint) {
  if (endpoint.has_room_for(Collective::reduce_scatter, combining_.elements, 0)) return;
  std::vector<std::size_t> counts;
  for (const Block& block : blocks_) counts.push_back(block.bytes / combining_.elements.bytes);
  long_elements_ = std::make_unique<LongElements>(who_, packed_.get(), result_.get(),
                                                  combining_.elements, std::move(counts));
}

bool VectorReduction::reduce_scatter(Caller& caller, const void* in, void* out,
                                     const MpiCounts& counts, MPI_Datatype type, MPI_Op op) {
  const auto ranks = static_cast<std::size_t>(caller.communicator().size());
  if (!counts) caller.fail(MPI_ERR_ARG, "the array of counts is null");
  if (caller.error()) return false;
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
      bytes() == 0)
    return false;
  // Also where this rank's block is empty.
  caller.check_not_in_place(out);
  check_separate(caller, Collective::reduce_scatter, in, out, input.count);
  if (caller.error()) return false;
  who_ = rank_in_call(caller, Collective::reduce_scatter, 0);
  input_ = KeptElements(input);
  output_ = KeptElements(output);
  packed_ = std::make_unique<std::byte[]>(input.bytes() + 1);
  result_ = std::make_unique<std::byte[]>(output.bytes() + 1);
  own_ = Block{result_.get(), output.bytes()};
  input_.pack(packed_.get());
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
  TERRACE_COLLECTIVE(VectorMove, Allgatherv##suffix, Iallgatherv##suffix, Allgatherv_init##suffix, \
                     (const void* out, Counts count, MPI_Datatype out_type, void* in,              \
                      const Counts* counts, const Places* places, MPI_Datatype in_type),           \
                     move(caller, Collective::allgatherv, {out, &count, {}, out_type, nullptr},    \
                          {in, counts, places, in_type, nullptr}, 0))                              \
  TERRACE_COLLECTIVE(VectorMove, Gatherv##suffix, Igatherv##suffix, Gatherv_init##suffix,          \
                     (const void* out, Counts count, MPI_Datatype out_type, void* in,              \
                      const Counts* counts, const Places* places, MPI_Datatype in_type, int root), \
                     move(caller, Collective::gatherv, {out, &count, {}, out_type, nullptr},       \
                          {in, counts, places, in_type, nullptr}, root))                           \
  TERRACE_COLLECTIVE(                                                                              \
      VectorMove, Scatterv##suffix, Iscatterv##suffix, Scatterv_init##suffix,                      \
      (const void* out, const Counts* counts, const Places* places, MPI_Datatype out_type,         \
       void* in, Counts count, MPI_Datatype in_type, int root),                                    \
      move(caller, Collective::scatterv, {out, counts, places, out_type, nullptr},                 \
           {in, &count, {}, in_type, nullptr}, root))                                              \
  TERRACE_COLLECTIVE(                                                                              \
      VectorMove, Alltoallv##suffix, Ialltoallv##suffix, Alltoallv_init##suffix,                   \
      (const void* out, const Counts* out_counts, const Places* out_places, MPI_Datatype out_type, \
       void* in, const Counts* in_counts, const Places* in_places, MPI_Datatype in_type),          \
      move(caller, Collective::alltoallv, {out, out_counts, out_places, out_type, nullptr},        \
           {in, in_counts, in_places, in_type, nullptr}, 0))                                       \
  TERRACE_COLLECTIVE(VectorMove, Alltoallw##suffix, Ialltoallw##suffix, Alltoallw_init##suffix,    \
                     (const void* out, const Counts* out_counts, const Places* out_places,         \
                      const MPI_Datatype* out_types, void* in, const Counts* in_counts,            \
                      const Places* in_places, const MPI_Datatype* in_types),                      \
                     move(caller, Collective::alltoallw,                                           \
                          {out, out_counts, out_places, MPI_DATATYPE_NULL, out_types},             \
                          {in, in_counts, in_places, MPI_DATATYPE_NULL, in_types}, 0))             \
  TERRACE_COLLECTIVE(                                                                              \
      VectorReduction, Reduce_scatter##suffix, Ireduce_scatter##suffix,                            \
      Reduce_scatter_init##suffix,                                                                 \
      (const void* in, void* out, const Counts* counts, MPI_Datatype type, MPI_Op op),             \
      reduce_scatter(caller, in, out, counts, type, op))
TERRACE_VECTOR(, int, int)
TERRACE_VECTOR(_c, MPI_Count, MPI_Aint)
