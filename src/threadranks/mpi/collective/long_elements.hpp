// SPDX-License-Identifier: BSD-3-Clause
// LongElements: a reduction of elements that no plan can hold in the team's scratch.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "engine/team_endpoint.hpp"
#include "kernels/combiner.hpp"
#include "mpi_calls/buffers_and_in_place.hpp"

namespace terrace::threadranks::mpi {

/// Only the program's operator can combine these elements, so they cannot be cut. The team gathers
/// one element after the other, at the rank that gets its result or at all ranks, where the
/// operator combines it in the order of the ranks. Operands are packed; input and output may be
/// one, as MPI_IN_PLACE has them. A call that does not match is named as a gather or an allgather.
class LongElements {
 public:
  /// `counts`: of a reduce_scatter (also of equal blocks), how many elements each rank gets, else
  /// empty. `elements.combiner` must live as long.
  LongElements(const RankInCall& who, const void* input, void* output, const Elements& elements,
               std::vector<std::size_t> counts = {});

  /// Combines what the last call has gathered. False: all elements are done.
  bool has_call();
  template <class Endpoint>
  bool call(Endpoint& endpoint) {
    is_gathering_ = true;
    const std::byte* const element = input_ + next_ * bytes_;
    return has_one_taker() ? endpoint.gather(element, gathered_.get(), bytes_, taker_)
                           : endpoint.allgather(element, gathered_.get(), bytes_);
  }

 private:
  bool is_scattered() const { return !counts_.empty(); }
  bool has_one_taker() const { return is_scattered() || who_.collective == Collective::reduce; }
  /// Finds the taker of the scattered element `next_`.
  void find_taker();
  void combine_gathered();

  RankInCall who_;
  const std::byte* input_;
  std::byte* output_;
  Combiner* combiner_;
  std::size_t bytes_;                ///< of an element
  std::size_t total_;                ///< elements of the input
  std::vector<std::size_t> counts_;  ///< by rank, of a reduce_scatter
  std::size_t next_ = 0;             ///< the element of the next call
  Rank taker_ = 0;                   ///< the rank that gets its result, where only one does
  std::size_t taken_before_ = 0;     ///< elements of the ranks before that one
  bool is_gathering_ = false;
  std::unique_ptr<std::byte[]> gathered_;  ///< of each rank that element; null on others
};

}  // namespace terrace::threadranks::mpi
