// SPDX-License-Identifier: BSD-3-Clause
// Walks through a layout: the contiguous stretches of its elements, one after the other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "threadranks/types/datatype.hpp"

namespace terrace::threadranks {

/// A list of blocks, again and again: the innermost loops of a dataloop. Counts in addresses.
struct BlockRounds {
  using Block = Dataloop::Block;

  std::uintptr_t base = 0;  ///< of the round to come
  std::ptrdiff_t stride = 0;
  std::size_t left = 0;  ///< rounds to come
  const Block* first = nullptr;
  const Block* end = nullptr;

  std::size_t bytes() const { return end[-1].end; }
  void skip(std::size_t rounds) {
    base += rounds * static_cast<std::uintptr_t>(stride);
    left -= rounds;
  }
};

/// A place in a layout. Its type must live as long. It counts in addresses, not in pointers: those
/// of a window's target need not be memory, neither of this process nor of any other.
class LayoutCursor {
 public:
  /// A cursor in front of the first byte.
  explicit LayoutCursor(const Layout& layout);
  /// A cursor at that byte of a packed message; there must be one.
  LayoutCursor(const Layout& layout, std::size_t packed);

  /// The bytes that are contiguous here, `most` at most.
  std::size_t room(std::size_t most) {
    if (left_ == 0) next();
    return std::min(left_, most);
  }
  /// Their address.
  std::uintptr_t address() const { return place_; }
  std::byte* place() const { return reinterpret_cast<std::byte*>(place_); }
  void pass(std::size_t bytes) {
    place_ += bytes;
    left_ -= bytes;
  }
  /// The rounds that begin here, if there are some: the caller skips those that it copies.
  BlockRounds* rounds() {
    if (left_ > 0 || block_ != rounds_.end) return nullptr;
    if (rounds_.left == 0) advance();
    return rounds_.left > 0 ? &rounds_ : nullptr;
  }

 private:
  /// A dataloop of dataloops, of which the cursor is in one.
  struct Level {
    const Dataloop* loop;
    std::uintptr_t base;
    std::size_t next;  ///< the number of the one behind
  };
  /// The levels above the innermost loops; the lowest comes last.
  class Levels {
   public:
    bool is_empty() const { return depth_ == 0; }
    Level& lowest() { return depth_ <= kUsual ? usual_[depth_ - 1] : deep_.back(); }
    void push(const Level& level);
    void pop();

   private:
    static constexpr std::size_t kUsual = 4;
    std::size_t depth_ = 0;
    Level usual_[kUsual];  // not set: those below the depth are
    std::vector<Level> deep_;
  };

  /// Goes on to the next piece; there must be one.
  void next() {
    if (block_ == rounds_.end) {
      if (rounds_.left == 0) advance();
      if (left_ > 0) return;
      begin_round();
    }
    take_block();
  }
  void begin_round() {
    round_ = rounds_.base;
    rounds_.skip(1);
    block_ = rounds_.first;
    block_begin_ = 0;
  }
  void take_block() {
    place_ = round_ + static_cast<std::uintptr_t>(block_->offset);
    left_ = block_->end - block_begin_;
    block_begin_ = block_->end;
    ++block_;
  }
  void advance();
  void enter(const Dataloop& loop, std::uintptr_t base);
  void enter_block(const Dataloop& list, std::size_t block, std::uintptr_t base);
  void enter_at(const Dataloop& loop, std::uintptr_t base, std::size_t packed);
  void begin_rounds(const Dataloop& list, std::uintptr_t base, std::ptrdiff_t stride,
                    std::size_t count);
  void pass_in_rounds(std::size_t packed);

  std::uintptr_t place_ = 0;
  std::size_t left_ = 0;
  BlockRounds rounds_;
  std::uintptr_t round_ = 0;  ///< where the one under way begins
  const Dataloop::Block* block_ = nullptr;
  std::size_t block_begin_ = 0;

  const Dataloop* loop_ = nullptr;  ///< of the whole element
  std::uintptr_t element_ = 0;      ///< the first byte of the next one
  std::ptrdiff_t extent_ = 0;
  Levels levels_;
};

/// Copy whole elements without a cursor, which takes longer than a few pieces. False: they have
/// loops within loops, or these bytes end within an element.
bool copy_at_once(const Layout& from, const Layout& to, std::size_t bytes);
bool pack_at_once(const Layout& from, std::byte* packed, std::size_t bytes);
bool unpack_at_once(const std::byte* packed, const Layout& to, std::size_t bytes);

/// Copies the next `bytes` bytes of one layout to the next ones of another; they may overlap.
void copy_next(LayoutCursor& from, LayoutCursor& to, std::size_t bytes);
/// Copies packed bytes to the next `bytes` bytes.
void unpack_next(const std::byte* packed, LayoutCursor& to, std::size_t bytes);
/// Copies the next `bytes` bytes to packed ones.
void pack_next(LayoutCursor& from, std::byte* packed, std::size_t bytes);

}  // namespace terrace::threadranks
