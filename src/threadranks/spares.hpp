// SPDX-License-Identifier: BSD-3-Clause
// A pool of memory for objects that a rank makes and frees with every message. libc's heap is slow
// if many are in use at once, or if another thread frees them.
#pragma once

#include <cstddef>
#include <new>

#include "base/apart.hpp"

namespace terrace::threadranks {

/// Blocks of one length. Used by one thread at a time.
class Spares {
 public:
  Spares() = default;
  ~Spares() {
    while (first_ != nullptr) free(pop());
  }
  Spares(const Spares&) = delete;
  Spares& operator=(const Spares&) = delete;

  void* take(std::size_t bytes) { return first_ != nullptr ? pop() : make(bytes); }
  void give(void* block) noexcept {
    if (count_ == kMost) return free(block);
    first_ = new (block) Spare{first_};
    ++count_;
  }

  /// Apart from what others write.
  static void* make(std::size_t bytes) {
    return ::operator new (bytes, std::align_val_t{kLinePairBytes});
  }
  static void free(void* block) noexcept {
    ::operator delete (block, std::align_val_t{kLinePairBytes});
  }

 private:
  /// Who sends only would otherwise let those who receive only keep ever more.
  static constexpr std::size_t kMost = 512;
  struct Spare {
    Spare* next;
  };
  void* pop() noexcept {
    Spare* const block = first_;
    first_ = block->next;
    --count_;
    return block;
  }

  Spare* first_ = nullptr;
  std::size_t count_ = 0;
};

/// Of the rank that calls; null outside of ranks.
struct SparesOfRank {
  Spares requests, sendings;
};
SparesOfRank* spares_of_caller() noexcept;

/// A class whose objects come from `list` has these two as its operators.
template <Spares SparesOfRank::*list>
void* take_spare(std::size_t bytes) {
  SparesOfRank* const spares = spares_of_caller();
  return spares != nullptr ? (spares->*list).take(bytes) : Spares::make(bytes);
}
template <Spares SparesOfRank::*list>
void give_spare(void* block) noexcept {
  if (SparesOfRank* const spares = spares_of_caller())
    (spares->*list).give(block);
  else
    Spares::free(block);
}

}  // namespace terrace::threadranks
