// SPDX-License-Identifier: BSD-3-Clause
// Moves operands by the calls that move blocks, or by the MPI's own, and combines them.
#include "preload/dispatch/in_rank_order.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/contract.hpp"
#include "preload/dispatch/block_moves.hpp"

namespace terrace::preload {

namespace {

/// Buffers of the call; those before are used by the moves.
enum : std::size_t { kMoved = 2, kSlices, kSumsOfRuns, kPrefixes };

void combine(const Elements& by, std::span<const void* const> operands, std::size_t count,
             void* sum) {
  if (by.combiner != nullptr)
    by.combiner->combine(operands.data(), operands.size(), &sum, 1, count);
  else
    by.reduction(operands.data(), operands.size(), &sum, 1, count, Stores::cached);
}

/// The operands that lie in a row, one for each rank.
std::vector<const void*> operands_in(const std::byte* row, std::size_t ranks, std::size_t bytes) {
  std::vector<const void*> operands;
  for (std::size_t rank = 0; rank < ranks; ++rank) operands.push_back(row + rank * bytes);
  return operands;
}

std::byte* bytes_at(const void* place) {
  return static_cast<std::byte*>(const_cast<void*>(place));
}

/// One call on one rank.
class InRankOrder {
 public:
  InRankOrder(CallParts& parts, const RankInCall& who, const Elements& elements)
      : parts_(parts), who_(who), elements_(elements), bytes_(bytes_of(elements)) {}

  void run(const Operands& of) {
    parts_.tell_node();
    if (who_.collective == Collective::reduce_scatter_block) return run_blocks(of);
    if (bytes_ * ranks() <= kMostOfAllOperands) return run_short(of);
    run_long(of);
  }

 private:
  Rank ranks() const { return parts_.ranks(); }

  void run_short(const Operands& of) {
    std::byte* const all = parts_.buffer(kMoved, bytes_ * ranks());
    allgather({bytes_at(of.input), all, bytes_});
    if (!gets_result(who_)) return;
    const std::vector<const void*> operands = operands_in(all, ranks(), bytes_);
    if (!is_scan(who_.collective)) return combine_all(operands, elements_.count, of.output);
    const Rank last = who_.collective == Collective::scan ? who_.rank : who_.rank - 1;
    combine(elements_, {operands.data(), last + std::size_t{1}}, elements_.count, of.output);
  }

  void run_blocks(const Operands& of) {
    std::byte* const all = parts_.buffer(kMoved, bytes_ * ranks());
    alltoall({bytes_at(of.input), all, bytes_});
    combine_all(operands_in(all, ranks(), bytes_), elements_.count, of.output);
  }

  void run_long(const Operands& of) {
    const std::size_t slice = (elements_.count + ranks() - 1) / ranks();
    const std::size_t slice_bytes = slice * elements_.bytes;
    const std::size_t begin = std::min(elements_.count, slice * parts_.rank());
    const std::size_t own = std::min(slice, elements_.count - begin);
    std::byte* const padded = parts_.buffer(kSlices, slice_bytes * ranks());
    std::byte* const moved = parts_.buffer(kMoved, slice_bytes * ranks());
    std::memcpy(padded, of.input, bytes_);
    std::memset(padded + bytes_, 0, slice_bytes * ranks() - bytes_);
    alltoall({padded, moved, slice_bytes});
    const std::vector<const void*> operands = operands_in(moved, ranks(), slice_bytes);
    if (is_scan(who_.collective)) return spread_prefixes(operands, own, slice_bytes, of);
    if (own > 0) combine_all(operands, own, moved);
    if (who_.collective == Collective::reduce)
      gather({moved, padded, slice_bytes});
    else
      allgather({moved, padded, slice_bytes});
    if (gets_result(who_)) std::memcpy(of.output, padded, bytes_);
  }

  /// Spreads prefixes: each rank gets the sum of this slice up to its own operand, or to the one
  /// before.
  void spread_prefixes(std::span<const void* const> operands, std::size_t own,
                       std::size_t slice_bytes, const Operands& of) {
    std::byte* const prefixes = parts_.buffer(kPrefixes, slice_bytes * (ranks() + std::size_t{1}));
    std::byte* sum = prefixes + (who_.collective == Collective::exscan ? slice_bytes : 0);
    if (own > 0) std::memcpy(sum, operands[0], own * elements_.bytes);
    for (Rank rank = 1; own > 0 && rank < ranks(); ++rank, sum += slice_bytes) {
      const void* const both[] = {sum, operands[rank]};
      combine(elements_, both, own, sum + slice_bytes);
    }
    std::byte* const moved = parts_.buffer(kSlices, slice_bytes * ranks());
    alltoall({prefixes, moved, slice_bytes});
    if (gets_result(who_)) std::memcpy(of.output, moved, bytes_);
  }

  void combine_all(std::span<const void* const> operands, std::size_t count, void* sum) {
    const Hierarchy runs = hierarchy_of_runs(ranks());
    std::byte* const sums = parts_.buffer(kSumsOfRuns, runs_of(runs) * count * elements_.bytes);
    combine_by_runs(elements_, runs, operands, count, sums, sum);
  }

  // Composed as calls of the program would be, or by the MPI.
  void allgather(const MovedOverNodes& of) {
    if (parts_.nodes() <= kMostNodesInPairs) return allgather_parts(parts_, of);
    move_by_mpi(Collective::allgather, of);
  }
  void alltoall(const MovedOverNodes& of) {
    const bool is_composed = parts_.layout().is_even() && parts_.nodes() <= kMostNodesInPairs &&
                             of.block_bytes <= kMostCollected;
    if (is_composed) return alltoall_parts(parts_, of);
    move_by_mpi(Collective::alltoall, of);
  }
  void gather(const MovedOverNodes& of) {
    const NodeLayout& layout = parts_.layout();
    if (layout.have_all(layout.place_of[who_.root])) return gather_parts(parts_, who_.root, of);
    move_by_mpi(Collective::gather, of);
  }
  void move_by_mpi(Collective collective, const MovedOverNodes& of) {
    parts_.move_by_mpi(collective, of.input, of.output, of.block_bytes, who_.root);
  }

  CallParts& parts_;
  const RankInCall& who_;
  const Elements& elements_;
  const std::size_t bytes_;  ///< of a vector, or of a block
};

}  // namespace

std::size_t runs_of(const Hierarchy& runs) {
  return std::max<std::size_t>(runs.all.children.size(), 1);
}

void combine_by_runs(const Elements& by, const Hierarchy& runs,
                     std::span<const void* const> operands, std::size_t count, std::byte* sums,
                     void* sum) {
  TERRACE_ASSERT(runs.rank_count() == operands.size(), runs.rank_count(), operands.size());
  if (runs.all.children.empty()) return combine(by, operands, count, sum);
  std::vector<const void*> of_runs;
  for (const Group& run : runs.all.children) {
    combine(by, operands.subspan(run.ranks.front(), run.ranks.size()), count, sums);
    of_runs.push_back(sums);
    sums += count * by.bytes;
  }
  combine(by, of_runs, count, sum);
}

void combine_in_rank_order(CallParts& parts, const RankInCall& who, const Elements& elements,
                           const Operands& of) {
  TERRACE_ASSERT(elements.combiner != nullptr || elements.reduction != nullptr, who.collective);
  InRankOrder(parts, who, elements).run(of);
}

}  // namespace terrace::preload
