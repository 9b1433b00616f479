// SPDX-License-Identifier: BSD-3-Clause
// The program's buffers as plans need them: without gaps.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "mpi_calls/counts.hpp"
#include "threadranks/mpi/adapter.hpp"

namespace terrace::threadranks::mpi {

/// So many blocks of a layout, one behind the other.
inline Layout times(Layout layout, int blocks) {
  layout.count *= static_cast<std::size_t>(blocks);
  return layout;
}

/// One of them.
inline Layout block_at(Layout block, int number) {
  const auto distance = static_cast<std::ptrdiff_t>(block.count) * block.type->extent();
  block.buffer = static_cast<const std::byte*>(block.buffer) + distance * number;
  return block;
}

/// A buffer, packed where it has gaps.
class Flat {
 public:
  Flat() = default;
  ~Flat() {
    if (packed_) layout_.type->release();
  }
  Flat(const Flat&) = delete;
  Flat& operator=(const Flat&) = delete;

  void set(const Layout& layout, bool is_read) {
    layout_ = layout;
    if (layout.type == nullptr || layout.type->is_dense()) return;
    packed_ = std::make_unique<std::byte[]>(layout.bytes() + 1);
    layout.type->retain();  // the program may free it before a nonblocking call is over
    if (is_read) pack(layout, packed_.get(), layout.bytes());
  }
  std::byte* at() const {
    return packed_ ? packed_.get() : static_cast<std::byte*>(const_cast<void*>(layout_.buffer));
  }
  /// What has come is the user's.
  void give() const {
    if (packed_) unpack(packed_.get(), layout_, layout_.bytes());
  }

 private:
  Layout layout_;
  std::unique_ptr<std::byte[]> packed_;
};

/// One rank's blocks, as MPI tells them.
struct VectorBuffer {
  const void* buffer;
  MpiCounts counts;
  MpiCounts places;           ///< not there: all at the buffer
  MPI_Datatype type;          ///< of all, or
  const MPI_Datatype* types;  ///< of each, and places are bytes

  /// No type after an error.
  Layout block(Caller& caller, std::size_t number) const {
    Layout layout = caller.layout(buffer, counts[number], types ? types[number] : type);
    if (caller.error()) return {};
    const std::ptrdiff_t unit = types ? 1 : layout.type->extent();
    const std::ptrdiff_t place = places ? places[number] * unit : 0;
    layout.buffer = static_cast<const std::byte*>(buffer) + place;
    return layout;
  }
};

/// Blocks by their numbers, without gaps; packed where the user's have some.
class PackedBlocks {
 public:
  void set_count(std::size_t count) { table_.resize(count); }

  /// The user's first block gets the number `first`.
  void add_all(Caller& caller, const VectorBuffer& blocks, int first, int count) {
    for (int i = 0; i < count; ++i) {
      const Layout layout = blocks.block(caller, static_cast<std::size_t>(i));
      if (caller.error()) return;
      add(first + i, layout);
    }
  }
  void add(int number, const Layout& layout) {
    auto& flat = *flats_.emplace_back(std::make_unique<Flat>());
    flat.set(layout, true);
    add_flat(number, flat.at(), layout.bytes());
  }
  /// Bytes that lie somewhere for as long as these blocks do.
  void add_flat(int number, const void* at, std::size_t bytes) {
    auto* const place = static_cast<std::byte*>(const_cast<void*>(at));
    table_[static_cast<std::size_t>(number)] = Block{place, bytes};
    most_ = std::max(most_, bytes);
    is_empty_ = false;
  }
  void shorten(int number, std::size_t bytes) {
    table_[static_cast<std::size_t>(number)].bytes = bytes;
  }
  /// What comes for a block does not reach the user.
  void divert(int number, std::size_t bytes) {
    diverted_.push_back(std::make_unique<std::byte[]>(bytes));
    table_[static_cast<std::size_t>(number)] = Block{diverted_.back().get(), bytes};
  }
  void give_all() const {
    for (const auto& flat : flats_) flat->give();
  }
  const Block& operator[](int number) const { return table_[static_cast<std::size_t>(number)]; }
  const Block* table() const { return table_.data(); }
  bool is_empty() const { return is_empty_; }
  std::size_t most() const { return most_; }

 private:
  std::vector<Block> table_;
  std::vector<std::unique_ptr<Flat>> flats_;
  std::vector<std::unique_ptr<std::byte[]>> diverted_;
  std::size_t most_ = 0;
  bool is_empty_ = true;
};

struct BufferSide {
  const void* buffer;
  std::int64_t count;
  MPI_Datatype type;
};

}  // namespace terrace::threadranks::mpi
