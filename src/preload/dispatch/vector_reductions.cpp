// SPDX-License-Identifier: BSD-3-Clause
// MPI_Reduce_scatter, which combines blocks of different length.
#include <algorithm>
#include <cstring>
#include <vector>

#include "base/say.hpp"
#include "preload/dispatch/compare_with_mpi.hpp"
#include "preload/dispatch/local_reduction.hpp"
#include "preload/dispatch/reductions.hpp"
#include "preload/dispatch/run_or_fall_back.hpp"
#include "preload/mpi/calls.hpp"
#include "preload/transport/device_memory.hpp"
#include "preload/transport/packing.hpp"

namespace terrace::preload {

namespace {

/// A reduce_scatter in progress: its input's blocks one after the other, and this rank's result.
class Scattering {
 public:
  /// Elements lie `extent` apart; dense ones have no gaps.
  Scattering(Dispatch& dispatch, const MpiCall& call, const MpiCounts& counts,
             std::size_t element_bytes, std::ptrdiff_t extent, bool is_dense)
      : dispatch_(dispatch),
        call_(call),
        element_bytes_(element_bytes),
        extent_(extent),
        has_gaps_(!is_dense),
        is_dense_(is_dense) {
    const int ranks = dispatch.comm_state().size, rank = dispatch.comm_state().rank;
    is_in_place_ = dispatch.underlying().is_in_place(call.input);
    if (is_on_device(call.output) || (!is_in_place_ && is_on_device(call.input))) is_dense_ = false;
    for (int i = 0; i < ranks; ++i) {
      if (i == rank) first_ = total_;
      counts_.push_back(counts[static_cast<std::size_t>(i)]);
      total_ += static_cast<std::size_t>(counts_.back());
    }
    own_count_ = counts_[static_cast<std::size_t>(rank)];
  }

  bool takes_buffers(bool is_predefined) const {
    const bool has_output = holds_data(dispatch_.underlying(), call_.output, is_predefined);
    if (is_in_place_) return has_output;
    if (call_.input == nullptr && is_predefined) return false;
    return own_count_ == 0 || (has_output && (call_.input != call_.output ||
                                              dispatch_.underlying().takes_equal_buffers()));
  }

  /// Makes the input dense and separate from the output, which in place would overlap several
  /// blocks of the input.
  void begin() {
    const auto* from = static_cast<const std::byte*>(is_in_place_ ? call_.output : call_.input);
    auto* at = const_cast<std::byte*>(from);
    if (!is_dense_) at = (packed_input_ = packed_buffer(total_ * element_bytes_)).get();
    bool is_done = true;
    for (const std::int64_t count : counts_) {
      const std::size_t elements = static_cast<std::size_t>(count);
      const Block block{at, elements * element_bytes_};
      if (!is_dense_ && count > 0)
        is_done &= pack_elements(dispatch_.underlying(), call_.communicator, from, count,
                                 call_.type, at, block.bytes);
      input_.push_back(block);
      from += count * extent_;
      at += block.bytes;
    }
    if (!is_done)
      say_once("the MPI could not pack the input of a reduction: its result is undefined");
    output_ = {static_cast<std::byte*>(call_.output),
               static_cast<std::size_t>(own_count_) * element_bytes_};
    if (is_dense_ && !is_in_place_ && call_.input != call_.output) return;
    packed_output_ = packed_buffer(output_.bytes + 1);
    output_.at = packed_output_.get();
  }

  bool run(Team& team, const Elements& elements) {
    team.wait_environment.begin();
    const bool checks =
        team.settings.checks && elements.reduction != nullptr && !has_gaps_ && total_ <= INT_MAX;
    if (!checks) return team.endpoint->reduce_scatter(input_.data(), output_, elements);
    Elements all = elements;
    all.count = total_;
    ReductionCheck check(dispatch_.underlying(), dispatch_.comm_state(), Collective::reduce_scatter,
                         call_, all, input_[0].at, 1);
    const bool is_done = team.endpoint->reduce_scatter(input_.data(), output_, elements);
    if (is_done) check.compare(output_.at, first_, static_cast<std::size_t>(own_count_));
    return is_done;
  }

  void end() {
    if (!packed_output_ || own_count_ == 0) return;
    if (is_dense_)
      std::memcpy(call_.output, output_.at, output_.bytes);
    else if (!unpack_elements(dispatch_.underlying(), call_.communicator, output_.at, output_.bytes,
                              call_.output, own_count_, call_.type))
      say_once("the MPI could not unpack the result of a reduction");
  }

 private:
  Dispatch& dispatch_;
  const MpiCall& call_;
  std::size_t element_bytes_;
  std::ptrdiff_t extent_;
  bool has_gaps_;
  bool is_dense_;  ///< and readable by peers
  bool is_in_place_;
  std::vector<std::int64_t> counts_;
  std::int64_t own_count_ = 0;
  std::size_t first_ = 0;  ///< elements before this rank's
  std::size_t total_ = 0;
  std::vector<Block> input_;
  Block output_;
  Packed packed_input_{nullptr, &std::free};
  Packed packed_output_{nullptr, &std::free};
};

/// The longest block; nothing if a count is negative.
std::optional<std::int64_t> longest_of(const MpiCounts& counts, int ranks) {
  std::int64_t longest = 0;
  for (int i = 0; i < ranks; ++i) {
    const std::int64_t count = counts[static_cast<std::size_t>(i)];
    if (count < 0) return std::nullopt;
    longest = std::max(longest, count);
  }
  return longest;
}

/// Runs with a kernel or a combiner.
bool scatter_on(Dispatch& dispatch, Scattering& scattering, const Elements& elements,
                bool is_predefined) {
  const auto [team, is_over] =
      dispatch.destination_of(elements, scattering.takes_buffers(is_predefined));
  if (team == nullptr) return is_over;
  scattering.begin();
  const bool is_done = scattering.run(*team, elements);
  scattering.end();
  return end_of(is_done, dispatch, *team);
}

/// Runs as `reduce_locally` does.
bool scatter_locally(Dispatch& dispatch, const MpiCall& call, const MpiCounts& counts,
                     std::int64_t longest) {
  Elements elements;
  const std::optional<TypeLayout> layout = find_local(dispatch, call, longest, elements);
  if (!layout) return false;
  LocalReduction reduction(dispatch.underlying(), call.communicator, call.type, *layout, call.op,
                           elements.count);
  elements.combiner = &reduction;
  Scattering scattering(dispatch, call, counts, layout->bytes, layout->extent, layout->is_dense());
  return scatter_on(dispatch, scattering, elements, layout->true_lower == 0);
}

}  // namespace

bool run_reduce_scatter(const MpiCall& call, const MpiCounts& counts) {
  Dispatch dispatch(Collective::reduce_scatter, call.communicator);
  if (!dispatch.is_sound() || !counts) return false;
  const auto longest = longest_of(counts, dispatch.comm_state().size);
  if (!longest) return false;
  const PredefinedReduction* const by = find_kernel(dispatch, call.type, call.op);
  if (by != nullptr && *longest >= 0) {
    const PredefinedType& type = *by->known;
    Scattering scattering(dispatch, call, counts, type.bytes,
                          static_cast<std::ptrdiff_t>(type.extent), !type.has_gaps());
    Elements elements{static_cast<std::size_t>(*longest), type.bytes, by->kernel};
    elements.combination = by->combination;
    return scatter_on(dispatch, scattering, elements, true);
  }
  return scatter_locally(dispatch, call, counts, *longest);
}

}  // namespace terrace::preload
