// SPDX-License-Identifier: BSD-3-Clause
// The buffers of a v-collective that moves blocks: as moving.hpp has them, of different lengths and
// types.
#pragma once

#include <array>
#include <memory_resource>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/contract.hpp"
#include "base/say.hpp"
#include "mpi_calls/dense_blocks.hpp"
#include "preload/dispatch/run_or_fall_back.hpp"
#include "preload/mpi/calls.hpp"
#include "preload/transport/device_memory.hpp"
#include "preload/transport/packing.hpp"

namespace terrace::preload {

inline constexpr const char* kNoMemory = "no memory to pack blocks in";

/// A type's size and extent. Blocks in a row mostly have the same type, so it is looked up once.
struct TypeShape {
  Handle type = 0;
  bool is_known = false;
  bool is_dense = false;
  std::optional<std::size_t> bytes;
  std::ptrdiff_t extent = 0;

  TypeShape() = default;
  TypeShape(UnderlyingMpi& underlying, Handle handle) : type(handle) {
    const PredefinedType* known = underlying.find_type(handle);
    is_known = known != nullptr;
    is_dense = known && !known->has_gaps();
    bytes = known ? std::optional(known->bytes) : underlying.bytes_of_type(handle);
    if (known)
      extent = static_cast<std::ptrdiff_t>(known->extent);
    else if (const auto layout = bytes ? underlying.layout_of(handle) : std::nullopt)
      extent = layout->extent;
  }
};

/// A block in the user's memory.
class UserElements {
 public:
  UserElements(UnderlyingMpi& underlying, Handle communicator, std::byte* at, std::int64_t count,
               const TypeShape& shape, bool is_dense)
      : underlying_(&underlying),
        communicator_(communicator),
        at_(at),
        count_(count),
        type_(shape.type),
        bytes_(shape.bytes.value_or(0) * static_cast<std::size_t>(count)),
        is_dense_(is_dense) {}

  std::byte* at() const { return at_; }
  std::int64_t count() const { return count_; }
  std::size_t bytes() const { return bytes_; }
  bool is_dense() const { return is_dense_; }
  bool pack(std::byte* to) const {
    return pack_elements(*underlying_, communicator_, at_, count_, type_, to, bytes_);
  }
  bool unpack(const std::byte* from, std::size_t bytes) const {
    TERRACE_ASSERT(count_ > 0 && bytes <= bytes_, count_, bytes, bytes_);
    const std::size_t element = bytes_ / static_cast<std::size_t>(count_);
    return unpack_elements(*underlying_, communicator_, from, bytes, at_,
                           static_cast<std::int64_t>(bytes / element), type_);
  }
  /// Whether the other begins at the same place, with elements of the same type: with different
  /// types, elements may lie between each other, or at absolute addresses.
  bool are_at_the_place_of(const UserElements& other) const {
    return at_ == other.at_ && type_ == other.type_;
  }

  Handle type() const { return type_; }
  /// Unpacks by a type and a communicator that the program cannot free.
  void unpack_by(Handle type, Handle communicator) {
    type_ = type;
    communicator_ = communicator;
  }

 private:
  UnderlyingMpi* underlying_;
  Handle communicator_;
  std::byte* at_;
  std::int64_t count_;
  Handle type_;
  std::size_t bytes_;
  bool is_dense_;
};

/// Memory for what is kept of the blocks of a few ranks: it takes longer to allocate some than to
/// make a short call.
class MemoryForFewBlocks {
 protected:
  std::pmr::memory_resource* memory() { return &memory_; }

 private:
  std::array<std::byte, 768> room_;
  std::pmr::monotonic_buffer_resource memory_{room_.data(), room_.size()};
};

/// One of a call's two buffers, with the blocks that the call uses.
class VectorSide : private MemoryForFewBlocks {
 public:
  /// `all`: of the plan's blocks, of which the buffer has `numbers`. `may_be_on_device`: buffers
  /// may lie on one. `are_there`, by block: others are empty, whatever their arguments; null: all
  /// are.
  VectorSide(Dispatch& dispatch, const VectorBlocks& user, BlockNumbers numbers, std::size_t all,
             bool may_be_on_device, const std::vector<bool>* are_there = nullptr)
      : blocks(all, memory()),
        underlying_(dispatch.underlying()),
        numbers_(numbers),
        is_plain_(!user.types && !may_be_on_device) {
    if (numbers.count == 0) return;
    is_sound = user.counts && (numbers.count == 1 || user.displacements);
    blocks.reserve(numbers.count);
    const bool is_on_host = !may_be_on_device || owner_of(user.buffer) == nullptr;
    if (are_there != nullptr) are_there_ = *are_there;
    for (std::size_t i = 0; i < numbers.count && is_sound; ++i) {
      if (!is_there(i)) {
        blocks.add(numbers.first + i, {underlying_, 0, nullptr, 0, TypeShape(), true});
        continue;
      }
      const Handle type = user.types ? user.types(i) : user.type;
      if (!is_looked_up_ || type != shape_.type) shape_ = TypeShape(underlying_, type);
      is_looked_up_ = true;
      const std::int64_t count = user.counts[i];
      is_sound = (shape_.bytes || count == 0) && count >= 0;
      if (!is_sound) return;
      const UserElements elements(underlying_, dispatch.comm_state().communicator,
                                  place_of(user, i), count, shape_, shape_.is_dense && is_on_host);
      // Displacements may be addresses, from MPI_BOTTOM.
      const bool holds = !underlying_.is_in_place(user.buffer) &&
                         holds_data(underlying_, elements.at(), shape_.is_known);
      is_sound = elements.bytes() == 0 || holds;
      blocks.add(numbers.first + i, elements);
    }
  }

  ~VectorSide() {
    for (const auto& [of_program, kept] : kept_types_) underlying_.drop_type(kept);
  }
  VectorSide(const VectorSide&) = delete;
  VectorSide& operator=(const VectorSide&) = delete;

  /// Whether the same arguments will always mean these blocks, used as they lie.
  bool is_lasting() const {
    return numbers_.count == 0 || (is_sound && is_plain_ && shape_.is_dense);
  }
  /// Whether a lasting side is that of such a buffer, too.
  bool is_of(const VectorBlocks& user) const {
    if (numbers_.count == 0) return true;
    if (user.types || user.type != shape_.type || !user.counts) return false;
    if (numbers_.count != 1 && !user.displacements) return false;
    for (std::size_t i = 0; i < numbers_.count; ++i) {
      if (!is_there(i)) continue;
      const UserElements& elements = blocks.elements(numbers_.first + i);
      if (elements.count() != user.counts[i] || elements.at() != place_of(user, i)) return false;
    }
    return true;
  }

  /// The program may free its types and its communicator before blocks are unpacked.
  void keep() {
    blocks.for_each_elements([this](UserElements& elements) {
      if (!elements.is_dense() && elements.bytes() > 0)
        elements.unpack_by(kept(elements.type()), underlying_.world());
    });
  }

  DenseBlocks<UserElements> blocks;
  bool is_sound = true;  ///< the MPI would accept counts, types and displacements

 private:
  Handle kept(Handle type) {
    if (underlying_.find_type(type) != nullptr) return type;
    for (const auto& [of_program, kept] : kept_types_)
      if (of_program == type) return kept;
    const std::optional<Handle> made = underlying_.keep_type(type);
    return made ? kept_types_.emplace_back(type, *made).second : type;
  }

  /// Types may hold absolute addresses; then the buffer is null, and no pointer may be moved.
  std::byte* place_of(const VectorBlocks& user, std::size_t i) const {
    const std::int64_t bytes =
        user.displacements ? user.displacements[i] * (user.types ? 1 : shape_.extent) : 0;
    return reinterpret_cast<std::byte*>(reinterpret_cast<std::intptr_t>(user.buffer) + bytes);
  }

  bool is_there(std::size_t i) const { return are_there_.empty() || are_there_[i]; }

  UnderlyingMpi& underlying_;
  BlockNumbers numbers_;
  std::vector<bool> are_there_;                        ///< by block; empty: all are
  bool is_looked_up_ = false;                          ///< `shape_`
  bool is_plain_;                                      ///< one type, and the buffer is on the host
  TypeShape shape_;                                    ///< of the last block's type
  std::vector<std::pair<Handle, Handle>> kept_types_;  ///< the program's, and ours
};

/// An exchange in progress. In place, a side has no blocks, and is where the other is.
class VectorMoving final : public KeptCall {
 public:
  VectorMoving(Dispatch& dispatch, const VectorExchange& call)
      : underlying_(dispatch.underlying()),
        who_(dispatch.rank_in_call()),
        is_input_given_in_place_(is_in_place(call.input)),
        is_output_given_in_place_(is_in_place(call.output)),
        moved_(who_, is_input_given_in_place_, is_output_given_in_place_),
        may_be_on_device_(has_devices()),
        input_(dispatch, call.input, moved_.own_inputs(), who_.rank_count, may_be_on_device_),
        output_(dispatch, call.output, moved_.own_outputs(), who_.rank_count, may_be_on_device_) {}

  /// Whether the MPI would accept the arguments, as far as one rank can tell.
  bool is_sound() const {
    if (!moved_.is_allowed || !input_.is_sound || !output_.is_sound) return false;
    if (input_.blocks.is_empty() || output_.blocks.is_empty()) return true;
    const std::size_t own = who_.rank;
    return input_.blocks[own].bytes == output_.blocks[own].bytes &&
           (underlying_.takes_equal_buffers() || !are_buffers_equal());
  }

  /// Whether a later call with the same arguments moves the same blocks.
  bool is_lasting() const { return is_sound() && input_.is_lasting() && output_.is_lasting(); }
  /// Whether a lasting exchange is that of this call, too; if so, it begins anew.
  bool is_again(const VectorExchange& call) {
    const bool is_same = static_cast<Rank>(call.root) == who_.root && !has_devices() &&
                         is_in_place(call.input) == is_input_given_in_place_ &&
                         is_in_place(call.output) == is_output_given_in_place_ &&
                         input_.is_of(call.input) && output_.is_of(call.output);
    if (is_same && is_fitted_) output_.blocks.restore();
    is_fitted_ = is_fitted_ && !is_same;
    return is_same;
  }

  /// Allocates memory for packing, if possible.
  bool make_room() { return input_.blocks.make_room() && output_.blocks.make_room(); }
  std::uint64_t most_bytes() const {
    return std::max(input_.blocks.most_bytes(), output_.blocks.most_bytes());
  }
  BlockTables tables() const { return {given_blocks().table(), wanted_blocks().table()}; }

  /// Makes received blocks as long as their givers sent them. Returns a sentence on a truncated
  /// block; "" if there is none.
  std::string heed(const Lengths& lengths) {
    const std::optional<Truncation> truncation = output_.blocks.fit_to(lengths, who_);
    is_fitted_ = true;
    if (!truncation) return "";
    if (!truncation->has_memory) end_for_lack_of_memory();
    const std::string giver = std::to_string(truncation->giver);
    return "rank " + std::to_string(who_.rank) + " of a communicator wants " +
           std::to_string(truncation->wanted) + " bytes of rank " + giver + " where rank " + giver +
           " makes " + to_text(who_.collective) + " of " + std::to_string(truncation->given) +
           ": they are truncated (MPI_ERR_TRUNCATE)";
  }

  /// Whether other ranks use this rank's length.
  bool is_heard() const {
    const Collective plan = planned_as(who_.collective);
    return plan != Collective::allgather && (plan != Collective::scatter || who_.is_root());
  }

  bool run(TeamEndpoint& endpoint, std::size_t most_bytes) {
    TERRACE_ASSERT(given_blocks().are_within(most_bytes), most_bytes, who_.collective);
    TERRACE_ASSERT(wanted_blocks().are_within(most_bytes), most_bytes, who_.collective);
    return endpoint.move_blocks(who_.collective, tables(), most_bytes, who_.root);
  }

  /// Ends the job: this rank cannot tell the others that it does not continue.
  void end_for_lack_of_memory() const {
    say("rank " + std::to_string(who_.rank) + " has " + kNoMemory + " of a " +
        to_text(who_.collective) + ": ending the job");
    underlying_.end_job();
  }

  /// See `VectorSide::keep`. Of what is packed again, the input must be kept, too.
  void keep() { output_.keep(); }
  void keep_input() { input_.keep(); }
  void begin() {
    if (!given_blocks().pack(moved_.inputs))
      say_once("the MPI could not pack a buffer: what its peers get is undefined");
  }
  void end() {
    if (!output_.blocks.unpack()) say_once("the MPI could not unpack what has come for a buffer");
  }

  std::vector<Block> given() const { return given_blocks().row(moved_.inputs); }
  std::vector<Block> wanted() const { return wanted_blocks().row(moved_.outputs); }

 private:
  bool is_in_place(const VectorBlocks& side) const { return underlying_.is_in_place(side.buffer); }
  const DenseBlocks<UserElements>& given_blocks() const {
    return moved_.is_input_in_place ? output_.blocks : input_.blocks;
  }
  const DenseBlocks<UserElements>& wanted_blocks() const {
    return moved_.is_output_in_place ? input_.blocks : output_.blocks;
  }

  /// Whether the buffers overlap where MPI_IN_PLACE should have been given.
  bool are_buffers_equal() const {
    const std::size_t own = who_.rank;
    return input_.blocks[own].bytes > 0 &&
           input_.blocks.elements(own).are_at_the_place_of(output_.blocks.elements(own));
  }

  UnderlyingMpi& underlying_;
  RankInCall who_;
  bool is_input_given_in_place_;  ///< in the program's words
  bool is_output_given_in_place_;
  MovedBlocks moved_;
  bool may_be_on_device_;
  VectorSide input_;
  VectorSide output_;
  bool is_fitted_ = false;  ///< to what others give
};

}  // namespace terrace::preload
