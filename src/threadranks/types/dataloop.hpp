// SPDX-License-Identifier: BSD-3-Clause
// Dataloops: where the bytes of an element lie, as trees of loops. Regular types take the same
// memory however many blocks they have; only what a program lists is a list here.
//
//     MPI_Type_vector(1000, 3, 10, MPI_INT): a vector, 1000 times, 40 bytes apart, of 12
//     contiguous bytes
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

namespace terrace::threadranks {

struct Dataloop;
/// Types share them. Null: no bytes.
using SharedDataloop = std::shared_ptr<const Dataloop>;

/// Offsets count from the first byte, the one that comes first in a packed message.
struct Dataloop {
  enum class Kind : std::uint8_t {
    contiguous,  ///< `bytes` bytes
    vector,      ///< `child`, `count` times, `stride` bytes apart
    indexed,     ///< `blocks`
  };
  /// One of `children`, or contiguous bytes.
  struct Block {
    std::ptrdiff_t offset;
    std::size_t end;  ///< how many bytes of a packed message end here
  };

  Kind kind = Kind::contiguous;
  /// Whether bytes follow each other in memory as in a packed message; ...
  bool ascends = true;
  bool is_disjoint = true;  ///< ... and none is there twice
  std::size_t bytes = 0;
  std::size_t pieces = 1;         ///< contiguous ones, one after the other
  std::ptrdiff_t span = 0;        ///< to the end of the highest byte
  std::ptrdiff_t last_begin = 0;  ///< of the piece that comes last
  std::ptrdiff_t last_end = 0;
  std::size_t count = 1;
  std::ptrdiff_t stride = 0;
  SharedDataloop child;
  std::vector<Block> blocks;             ///< also of `contiguous`, which is one
  std::vector<SharedDataloop> children;  ///< one per block, null for bytes; empty: bytes only

  bool is_contiguous() const { return kind == Kind::contiguous; }
  /// Whether it is contiguous bytes, or a list of such.
  bool is_of_bytes() const { return kind != Kind::vector && children.empty(); }
  /// Whether it is that, or a vector of it.
  bool is_innermost() const { return kind == Kind::vector ? child->is_of_bytes() : is_of_bytes(); }
  /// The block of `indexed` that has the byte at that place of a packed message.
  std::size_t block_at(std::size_t packed) const;
  std::size_t begin_of(std::size_t block) const { return block == 0 ? 0 : blocks[block - 1].end; }
  const Dataloop* child_at(std::size_t block) const {
    return children.empty() ? nullptr : children[block].get();
  }
};

SharedDataloop contiguous_dataloop(std::size_t bytes);
/// Repeats a dataloop `count` times, `stride` bytes apart.
SharedDataloop repeated(const SharedDataloop& loop, std::size_t count, std::ptrdiff_t stride);

/// Counts the bytes in front of an offset. The dataloop must ascend.
std::size_t bytes_before(const Dataloop& loop, std::ptrdiff_t offset);

/// A dataloop, and where its first byte lies.
struct PlacedDataloop {
  std::ptrdiff_t offset = 0;
  SharedDataloop loop;
};

/// Joins dataloops, one after the other.
class DataloopList {
 public:
  void add(std::ptrdiff_t offset, const SharedDataloop& loop);
  /// Adds a dataloop `count` times, `stride` bytes apart.
  void add_repeated(std::ptrdiff_t offset, const SharedDataloop& loop, std::size_t count,
                    std::ptrdiff_t stride);
  /// Ends the list.
  PlacedDataloop joined();

 private:
  void add_bytes(std::ptrdiff_t offset, std::size_t bytes);
  void add_child(std::ptrdiff_t offset, const SharedDataloop& loop);
  void splice(std::ptrdiff_t offset, const Dataloop& loop);
  std::size_t bytes() const { return blocks_.empty() ? 0 : blocks_.back().end; }
  SharedDataloop only_block() const;
  SharedDataloop as_vector() const;
  SharedDataloop as_indexed();

  std::vector<Dataloop::Block> blocks_;  ///< at offsets as they were added
  std::vector<SharedDataloop> children_;
  /// Dataloops that were repeated so often, so far apart: a list has many blocks of few lengths.
  std::map<std::tuple<const Dataloop*, std::size_t, std::ptrdiff_t>, SharedDataloop> repeated_;
};

}  // namespace terrace::threadranks
