// SPDX-License-Identifier: BSD-3-Clause
// The buffers of a reduce_scatter, whose blocks differ in length.
#pragma once

#include <algorithm>
#include <cstring>
#include <optional>
#include <vector>

#include "base/say.hpp"
#include "preload/dispatch/run_or_fall_back.hpp"
#include "preload/mpi/calls.hpp"
#include "preload/transport/device_memory.hpp"
#include "preload/transport/packing.hpp"

namespace terrace::preload {

/// A reduce_scatter in progress: its input's blocks one after the other, and this rank's result.
class ScatteredVector {
 public:
  /// Elements lie `extent` apart; dense ones have no gaps.
  ScatteredVector(Dispatch& dispatch, const MpiCall& call, const MpiCounts& counts,
                  std::size_t element_bytes, std::ptrdiff_t extent, bool is_dense)
      : underlying_(dispatch.underlying()),
        communicator_(call.communicator),
        call_(call),
        element_bytes_(element_bytes),
        extent_(extent),
        has_gaps_(!is_dense),
        is_dense_(is_dense) {
    const int ranks = dispatch.comm_state().size, rank = dispatch.comm_state().rank;
    is_in_place_ = underlying_.is_in_place(call.input);
    if (is_on_device(call.output) || (!is_in_place_ && is_on_device(call.input))) is_dense_ = false;
    for (int i = 0; i < ranks; ++i) {
      if (i == rank) first_ = total_;
      counts_.push_back(counts[static_cast<std::size_t>(i)]);
      total_ += static_cast<std::size_t>(counts_.back());
    }
    own_count_ = counts_[static_cast<std::size_t>(rank)];
  }

  bool takes_buffers(bool is_predefined) const {
    const bool has_output = holds_data(underlying_, call_.output, is_predefined);
    if (is_in_place_) return has_output;
    if (call_.input == nullptr && is_predefined) return false;
    return own_count_ == 0 ||
           (has_output && (call_.input != call_.output || underlying_.takes_equal_buffers()));
  }

  /// Makes the input dense and separate from the output, which in place would overlap several
  /// blocks of the input.
  void begin() {
    std::byte* at = users_input();
    if (!is_dense_) at = (packed_input_ = packed_buffer(total_ * element_bytes_)).get();
    for (const std::int64_t count : counts_) {
      input_.push_back({at, static_cast<std::size_t>(count) * element_bytes_});
      at += input_.back().bytes;
    }
    pack();
    output_ = {static_cast<std::byte*>(call_.output),
               static_cast<std::size_t>(own_count_) * element_bytes_};
    if (is_dense_ && !is_in_place_ && call_.input != call_.output) return;
    packed_output_ = packed_buffer(output_.bytes + 1);
    output_.at = packed_output_.get();
  }

  /// Packs the input again, if it is not used where it lies.
  void pack() {
    if (is_dense_) return;
    const std::byte* from = users_input();
    bool is_done = true;
    for (std::size_t i = 0; i < counts_.size(); ++i) {
      if (counts_[i] > 0)
        is_done &= pack_elements(underlying_, communicator_, from, counts_[i], call_.type,
                                 input_[i].at, input_[i].bytes);
      from += counts_[i] * extent_;
    }
    if (!is_done)
      say_once("the MPI could not pack the input of a reduction: its result is undefined");
  }

  BlockTables tables() const { return {input_.data(), &output_}; }
  /// Elements before this rank's, its own, and all.
  std::size_t first() const { return first_; }
  std::size_t own_count() const { return static_cast<std::size_t>(own_count_); }
  std::size_t total() const { return total_; }
  bool has_gaps() const { return has_gaps_; }

  /// The program may free its communicator before `end`; its type is predefined.
  void keep() { communicator_ = underlying_.world(); }
  void end() {
    if (!packed_output_ || own_count_ == 0) return;
    if (is_dense_)
      std::memcpy(call_.output, output_.at, output_.bytes);
    else if (!unpack_elements(underlying_, communicator_, output_.at, output_.bytes, call_.output,
                              own_count_, call_.type))
      say_once("the MPI could not unpack the result of a reduction");
  }

 private:
  std::byte* users_input() const {
    return static_cast<std::byte*>(is_in_place_ ? call_.output : const_cast<void*>(call_.input));
  }

  UnderlyingMpi& underlying_;
  Handle communicator_;
  MpiCall call_;
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
inline std::optional<std::int64_t> longest_of(const MpiCounts& counts, int ranks) {
  std::int64_t longest = 0;
  for (int i = 0; i < ranks; ++i) {
    const std::int64_t count = counts[static_cast<std::size_t>(i)];
    if (count < 0) return std::nullopt;
    longest = std::max(longest, count);
  }
  return longest;
}

}  // namespace terrace::preload
