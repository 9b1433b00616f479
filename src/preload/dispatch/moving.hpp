// SPDX-License-Identifier: BSD-3-Clause
// The buffers of a call that moves blocks without combining them. The layout of a rank's blocks is
// its private matter: peers see packed bytes.
#pragma once

#include <optional>
#include <vector>

#include "base/say.hpp"
#include "preload/dispatch/run_or_fall_back.hpp"
#include "preload/mpi/calls.hpp"
#include "preload/transport/device_memory.hpp"
#include "preload/transport/packing.hpp"

namespace terrace::preload {

/// One of a call's two buffers, as dense bytes: the user's own, or a private copy of them.
class MovedSide {
 public:
  /// Has no blocks if the call does not use this buffer at this rank.
  MovedSide(Dispatch& dispatch, const UserBlocks& user, std::size_t blocks)
      : underlying_(dispatch.underlying()),
        communicator_(dispatch.comm_state().communicator),
        user_(user),
        blocks_(blocks) {
    if (blocks_ == 0) return;
    known_ = underlying_.find_type(user.type);
    is_dense_ = known_ && !known_->has_gaps() && !is_on_device(user.buffer);
    const auto bytes = known_ ? std::optional(known_->bytes) : underlying_.bytes_of_type(user.type);
    is_sound_ = bytes && user.count >= 0;
    if (!is_sound_) return;
    block_bytes_ = *bytes * static_cast<std::size_t>(user.count);
    if (is_dense_) return;
    if (const auto layout = underlying_.layout_of(user.type)) extent_ = layout->extent;
  }

  ~MovedSide() {
    if (kept_type_ != 0) underlying_.drop_type(kept_type_);
  }
  MovedSide(const MovedSide&) = delete;
  MovedSide& operator=(const MovedSide&) = delete;

  std::size_t blocks() const { return blocks_; }
  /// Whether the MPI would accept count and type.
  bool is_sound() const { return is_sound_; }
  std::size_t block_bytes() const { return block_bytes_; }
  bool holds_data() const {
    return blocks_ == 0 || preload::holds_data(underlying_, user_.buffer, known_ != nullptr);
  }

  /// Makes the blocks dense; they must not be empty.
  void begin(BlockNumbers full) {
    if (blocks_ == 0) return;
    at_ = static_cast<std::byte*>(user_.buffer);
    if (is_dense_) return;
    packed_ = packed_buffer(block_bytes() * blocks_);
    at_ = packed_.get();
    pack(full);
  }
  /// Packs blocks again, which have been made dense before.
  void pack(BlockNumbers full) {
    if (is_dense_ || blocks_ == 0) return;
    bool is_done = true;
    for (std::size_t i = full.first; i < full.first + full.count; ++i)
      is_done &= pack_elements(underlying_, communicator_, users_block(i), user_.count, user_.type,
                               block(i), block_bytes());
    if (!is_done) say_once("the MPI could not pack a buffer: what its peers get is undefined");
  }

  /// The program may free its type and communicator before `end`.
  void keep() {
    if (is_dense_ || blocks_ == 0) return;
    communicator_ = underlying_.world();
    if (known_ != nullptr) return;
    kept_type_ = underlying_.keep_type(user_.type).value_or(0);
    if (kept_type_ != 0) user_.type = kept_type_;
  }

  /// Copies the received bytes to the user's buffer.
  void end() {
    if (is_dense_) return;
    bool is_done = true;
    for (std::size_t i = 0; i < blocks_; ++i)
      is_done &= unpack_elements(underlying_, communicator_, block(i), block_bytes(),
                                 users_block(i), user_.count, user_.type);
    if (!is_done) say_once("the MPI could not unpack what has come for a buffer");
  }

  /// Whether the same call with other buffers would use them as they lie.
  bool is_used_as_it_lies() const { return blocks_ == 0 || (known_ != nullptr && is_dense_); }

  bool is_dense() const { return is_dense_; }
  std::byte* at() const { return at_; }
  std::byte* block(std::size_t index) const { return at_ + index * block_bytes(); }

 private:
  std::byte* users_block(std::size_t index) const {
    return static_cast<std::byte*>(user_.buffer) +
           static_cast<std::ptrdiff_t>(index) * user_.count * extent_;
  }

  UnderlyingMpi& underlying_;
  Handle communicator_;
  UserBlocks user_;
  std::size_t blocks_;
  const PredefinedType* known_ = nullptr;
  std::size_t block_bytes_ = 0;
  std::ptrdiff_t extent_ = 0;  ///< of a type that is not dense, and not empty
  bool is_sound_ = true;
  bool is_dense_ = true;
  std::byte* at_ = nullptr;
  Packed packed_{nullptr, &std::free};
  Handle kept_type_ = 0;  ///< 0: none
};

/// An exchange in progress. In place, a side has no blocks, and its bytes are those of the other.
class Moving {
 public:
  Moving(Dispatch& dispatch, const RegularExchange& call)
      : underlying_(dispatch.underlying()),
        collective_(dispatch.collective()),
        root_(dispatch.root()),
        call_(call),
        moved_(dispatch.rank_in_call(), dispatch.underlying().is_in_place(call.input.buffer),
               dispatch.underlying().is_in_place(call.output.buffer)),
        input_(dispatch, call.input, moved_.own_inputs().count),
        output_(dispatch, call.output, moved_.own_outputs().count) {}

  /// Whether the MPI would accept the arguments, as far as one rank can tell.
  bool is_sound() const {
    if (!moved_.is_allowed || !input_.is_sound() || !output_.is_sound()) return false;
    return input_.blocks() == 0 || output_.blocks() == 0 ||
           input_.block_bytes() == output_.block_bytes();
  }

  std::size_t block_bytes() const {
    return input_.blocks() > 0 ? input_.block_bytes() : output_.block_bytes();
  }

  /// Only for blocks that are not empty.
  bool takes_buffers() const {
    return input_.holds_data() && output_.holds_data() &&
           (underlying_.takes_equal_buffers() || !are_buffers_equal());
  }

  void begin() {
    input_.begin({0, input_.blocks()});
    output_.begin(moved_.is_input_in_place ? moved_.inputs : BlockNumbers{});
  }

  bool run(Team& team) {
    return team.make_call(collective_, input(), output(), {block_bytes()}, root_);
  }

  void pack() {
    input_.pack({0, input_.blocks()});
    output_.pack(moved_.is_input_in_place ? moved_.inputs : BlockNumbers{});
  }

  /// See `MovedSide::keep`. Of what is packed again, the input must be kept, too.
  void keep() { output_.keep(); }
  void keep_input() { input_.keep(); }
  void end() { output_.end(); }

  /// Whether a call like it with other buffers would use them as they lie, and none in place.
  bool is_used_as_it_lies() const {
    const bool is_in_place = moved_.is_input_in_place || moved_.is_output_in_place;
    return !is_in_place && !are_buffers_equal() && input_.is_used_as_it_lies() &&
           output_.is_used_as_it_lies();
  }
  /// Whether nothing is to be done in `end`.
  bool is_dense() const { return output_.is_dense() && input_.is_dense(); }
  bool has_input() const { return input_.blocks() > 0; }
  bool has_output() const { return output_.blocks() > 0; }

  std::byte* input() const {
    return moved_.is_input_in_place ? output_.block(moved_.inputs.first) : input_.at();
  }
  std::byte* output() const {
    return moved_.is_output_in_place ? input_.block(moved_.outputs.first) : output_.at();
  }

  std::vector<Block> given() const { return in_a_row(input(), moved_.inputs.count); }
  std::vector<Block> wanted() const { return in_a_row(output(), moved_.outputs.count); }

 private:
  /// Whether the buffers overlap where MPI_IN_PLACE should have been given. With different types,
  /// elements may lie between each other, or at absolute addresses.
  bool are_buffers_equal() const {
    if (input_.blocks() == 0 || output_.blocks() == 0) return false;
    if (call_.input.type != call_.output.type) return false;
    const auto* input = static_cast<const std::byte*>(call_.input.buffer);
    const auto* output = static_cast<const std::byte*>(call_.output.buffer);
    return input + moved_.outputs.first * block_bytes() ==
           output + moved_.inputs.first * block_bytes();
  }

  std::vector<Block> in_a_row(std::byte* at, std::size_t blocks) const {
    std::vector<Block> row;
    for (std::size_t i = 0; i < blocks; ++i) row.push_back({at + i * block_bytes(), block_bytes()});
    return row;
  }

  UnderlyingMpi& underlying_;
  Collective collective_;
  Rank root_;
  RegularExchange call_;
  MovedBlocks moved_;
  MovedSide input_;
  MovedSide output_;
};

}  // namespace terrace::preload
