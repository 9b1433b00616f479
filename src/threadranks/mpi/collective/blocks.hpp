// SPDX-License-Identifier: BSD-3-Clause
// The program's buffers as plans need them: without gaps.
#pragma once

#include <memory>
#include <utility>

#include "mpi_calls/counts.hpp"
#include "mpi_calls/dense_blocks.hpp"
#include "threadranks/mpi/adapter.hpp"

namespace terrace::threadranks::mpi {

/// `blocks` blocks of a layout, one after the other.
inline Layout times(Layout layout, int blocks) {
  layout.count *= static_cast<std::size_t>(blocks);
  return layout;
}

/// One of these blocks.
inline Layout block_at(Layout block, int number) {
  const auto distance = static_cast<std::ptrdiff_t>(block.count) * block.type->extent();
  block.buffer = static_cast<const std::byte*>(block.buffer) + distance * number;
  return block;
}

/// The program's elements, whose type it may free before a nonblocking call completes.
class KeptElements {
 public:
  KeptElements() = default;
  explicit KeptElements(const Layout& layout) : layout_(layout) { layout_.type->retain(); }
  KeptElements(KeptElements&& other) noexcept : layout_(std::exchange(other.layout_, {})) {}
  KeptElements& operator=(KeptElements&& other) noexcept {
    std::swap(layout_, other.layout_);
    return *this;
  }
  ~KeptElements() {
    if (layout_.type != nullptr) layout_.type->release();
  }

  const Layout& layout() const { return layout_; }
  std::byte* at() const { return static_cast<std::byte*>(const_cast<void*>(layout_.buffer)); }
  std::size_t bytes() const { return layout_.bytes(); }
  bool is_dense() const { return layout_.type->is_dense(); }
  bool pack(std::byte* to) const {
    threadranks::pack(layout_, to, bytes());
    return true;
  }
  bool unpack(const std::byte* from, std::size_t bytes) const {
    threadranks::unpack(from, layout_, bytes);
    return true;
  }

 private:
  Layout layout_;
};

/// A buffer, packed where it has gaps.
class PackedBuffer {
 public:
  void set(const Layout& layout, bool is_read) {
    at_ = static_cast<std::byte*>(const_cast<void*>(layout.buffer));
    if (layout.type->is_dense()) return;
    elements_ = KeptElements(layout);
    packed_ = std::make_unique<std::byte[]>(layout.bytes() + 1);
    at_ = packed_.get();
    is_read_ = is_read;
    read();
  }
  /// Copies the elements in the user's buffer, if they are read at all.
  void read() const {
    if (is_read_) elements_.pack(at_);
  }
  std::byte* at() const { return at_; }
  /// Copies the received elements to the user's buffer.
  void unpack() const {
    if (packed_) elements_.unpack(at_, elements_.bytes());
  }

 private:
  std::byte* at_ = nullptr;
  KeptElements elements_;  ///< if they are packed
  bool is_read_ = false;   ///< and read
  std::unique_ptr<std::byte[]> packed_;
};

/// One rank's blocks in MPI's arguments.
struct VectorBuffer {
  const void* buffer;
  MpiCounts counts;
  MpiCounts places;           ///< null: all at the buffer's address
  MPI_Datatype type;          ///< of all blocks, or
  const MPI_Datatype* types;  ///< of each block; then displacements are in bytes

  /// The layout has no type after an error.
  Layout block(Caller& caller, std::size_t number) const {
    Layout layout = caller.elements(counts[number], types ? types[number] : type);
    if (caller.error()) return {};
    const std::ptrdiff_t unit = types ? 1 : layout.type->extent();
    const std::ptrdiff_t place = places ? places[number] * unit : 0;
    layout.buffer = static_cast<const std::byte*>(buffer) + place;
    caller.check_buffer(layout, buffer);
    return caller.error() ? Layout{} : layout;
  }
};

/// Blocks of one length, one after the other, or a single block.
struct BufferSide {
  const void* buffer;
  std::int64_t count;
  MPI_Datatype type;

  /// The layout has no type after an error.
  Layout block(Caller& caller, std::size_t number) const {
    const Layout first = caller.layout(buffer, count, type);
    return caller.error() ? Layout{} : block_at(first, static_cast<int>(number));
  }
};

using PackedBlocks = DenseBlocks<KeptElements>;

/// Whether the arrays of so many blocks are there.
inline void check_arrays(Caller& caller, const VectorBuffer& users, std::size_t blocks) {
  if (blocks > 0 && (!users.counts || (blocks > 1 && !users.places)))
    caller.fail(MPI_ERR_ARG, "an array of counts or displacements is null");
}
inline void check_arrays(Caller&, const BufferSide&, std::size_t) {}

/// The user's first block gets the number `first`. After an error, some blocks are missing.
inline void add_all(PackedBlocks& blocks, Caller& caller, const VectorBuffer& users,
                    BlockNumbers numbers) {
  check_arrays(caller, users, numbers.count);
  if (caller.error()) return;
  blocks.reserve(numbers.count);
  for (std::size_t i = 0; i < numbers.count; ++i) {
    const Layout layout = users.block(caller, i);
    if (caller.error()) return;
    blocks.add(numbers.first + i, KeptElements(layout));
  }
}

inline void make_room(PackedBlocks& blocks, Caller& caller) {
  if (!caller.error() && !blocks.make_room())
    caller.fail(MPI_ERR_NO_MEM, "there is no memory to pack blocks in");
}

inline RankInCall rank_in_call(const Caller& caller, Collective collective, int root) {
  const Communicator& communicator = caller.communicator();
  return {collective, static_cast<Rank>(communicator.size()),
          static_cast<Rank>(communicator.rank()), static_cast<Rank>(root)};
}

/// Refuses a buffer that is given and wanted, for which MPI has MPI_IN_PLACE. Null may have
/// addresses in its types.
inline void check_separate(Caller& caller, Collective collective, const void* given,
                           const void* wanted, std::size_t count) {
  if (given != wanted || given == nullptr || !refuses_equal_buffers(collective, count)) return;
  caller.fail(MPI_ERR_BUFFER,
              "send and receive buffer are the same, for which MPI has MPI_IN_PLACE");
}

/// The blocks that this rank gives and gets, if its buffers are what MPI allows.
inline MovedBlocks moved_blocks(Caller& caller, const RankInCall& who, const void* given,
                                const void* wanted) {
  const MovedBlocks moved(who, given == MPI_IN_PLACE, wanted == MPI_IN_PLACE);
  if (!moved.is_allowed)
    caller.fail(MPI_ERR_BUFFER, "MPI_IN_PLACE stands where the collective does not allow it");
  return moved;
}

}  // namespace terrace::threadranks::mpi
