// SPDX-License-Identifier: BSD-3-Clause
// Walks through a layout: the contiguous stretches of its elements, one after the other.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "threadranks/types/datatype.hpp"

namespace terrace::threadranks {

/// A place in a layout. Its type must live as long. It counts in addresses, not in pointers: those
/// of a window's target need not be memory, neither of this process nor of any other.
class LayoutCursor {
 public:
  explicit LayoutCursor(const Layout& layout)
      : pieces_(&layout.type->pieces()),
        extent_(layout.type->extent()),
        element_(reinterpret_cast<std::uintptr_t>(layout.buffer)) {
    if (!layout.type->is_dense()) return;
    is_dense_ = true;
    left_ = layout.bytes();
    place_ = element_;
  }

  /// The bytes that are contiguous here, `most` at most.
  std::size_t room(std::size_t most) {
    if (left_ == 0) next();
    return std::min(left_, most);
  }
  std::uintptr_t address() const { return place_; }
  std::byte* place() const { return reinterpret_cast<std::byte*>(place_); }
  void pass(std::size_t bytes) {
    place_ += bytes;
    left_ -= bytes;
  }

 private:
  void next() {
    if (is_dense_) return;
    if (piece_ == pieces_->size()) {
      piece_ = 0;
      element_ += static_cast<std::uintptr_t>(extent_);
    }
    place_ = element_ + static_cast<std::uintptr_t>((*pieces_)[piece_].offset);
    left_ = (*pieces_)[piece_].bytes;
    ++piece_;
  }

  const std::vector<TypePiece>* pieces_;
  std::ptrdiff_t extent_;
  std::uintptr_t element_;
  std::uintptr_t place_ = 0;
  std::size_t left_ = 0;
  std::size_t piece_ = 0;
  bool is_dense_ = false;
};

/// Copies the next `bytes` bytes of one layout to the next ones of another; they may overlap.
inline void copy_next(LayoutCursor& from, LayoutCursor& to, std::size_t bytes) {
  while (bytes > 0) {
    const std::size_t now = to.room(from.room(bytes));
    std::memmove(to.place(), from.place(), now);
    from.pass(now);
    to.pass(now);
    bytes -= now;
  }
}

/// Copies packed bytes to the next `bytes` bytes.
inline void unpack_next(const std::byte* packed, LayoutCursor& to, std::size_t bytes) {
  while (bytes > 0) {
    const std::size_t now = to.room(bytes);
    std::memcpy(to.place(), packed, now);
    to.pass(now);
    packed += now;
    bytes -= now;
  }
}

/// Copies the next `bytes` bytes to packed ones.
inline void pack_next(LayoutCursor& from, std::byte* packed, std::size_t bytes) {
  while (bytes > 0) {
    const std::size_t now = from.room(bytes);
    std::memcpy(packed, from.place(), now);
    from.pass(now);
    packed += now;
    bytes -= now;
  }
}

}  // namespace terrace::threadranks
