// SPDX-License-Identifier: BSD-3-Clause
// A pool of memory for objects that a rank makes and frees with every message. libc's heap is slow
// if many are in use at once, or if another thread frees them.
#pragma once

#include <array>
#include <cstddef>
#include <new>

#include "base/cache_aligned.hpp"
#include "base/contract.hpp"
#include "threadranks/handles/handled_object.hpp"

namespace terrace::threadranks {

/// Blocks of one length. Used by one thread at a time.
class FreeList {
 public:
  /// `most`: blocks that the list keeps. Without a limit, ranks that only receive would collect the
  /// blocks of ranks that only send.
  explicit FreeList(std::size_t most = 512) : most_(most) {}
  ~FreeList() {
    while (first_ != nullptr) free(pop());
  }
  FreeList(const FreeList&) = delete;
  FreeList& operator=(const FreeList&) = delete;

  void* take(std::size_t bytes) { return first_ != nullptr ? pop() : make(bytes); }
  void put_back(void* block) noexcept {
    TERRACE_ASSERT(block != nullptr && block != first_);
    if (count_ == most_) return free(block);
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
  struct Spare {
    Spare* next;
  };
  void* pop() noexcept {
    TERRACE_ASSERT(count_ != 0 && first_ != nullptr, count_);
    Spare* const block = first_;
    first_ = block->next;
    --count_;
    return block;
  }

  std::size_t most_;
  Spare* first_ = nullptr;
  std::size_t count_ = 0;
};

/// Blocks of objects behind handles. A block rests until others have been given back, so that a
/// handle which the program has freed is not soon that of a new object.
class RestingBlocks {
 public:
  ~RestingBlocks() {
    for (std::size_t i = 0; i < kResting; ++i)
      if (void* const block = resting_.replace_oldest(nullptr)) FreeList::free(block);
  }

  void* take(std::size_t bytes) { return rested_.take(bytes); }
  void put_back(void* block) noexcept {
    if (void* const oldest = resting_.replace_oldest(block)) rested_.put_back(oldest);
  }

 private:
  static constexpr std::size_t kResting = 16;
  LastGivenBack<void*, kResting> resting_;
  FreeList rested_{kResting};
};

/// The calling rank's lists; null outside of ranks.
struct FreeListsOfRank {
  FreeList requests, sendings, unexpected;
  std::array<RestingBlocks, kObjectKindCount> handles;  ///< by kind
};
FreeListsOfRank* free_lists_of_caller() noexcept;

/// Operators new and delete for a class whose objects come from `list`.
template <FreeList FreeListsOfRank::*list>
void* take_from(std::size_t bytes) {
  FreeListsOfRank* const free_lists = free_lists_of_caller();
  return free_lists != nullptr ? (free_lists->*list).take(bytes) : FreeList::make(bytes);
}
template <FreeList FreeListsOfRank::*list>
void give_to(void* block) noexcept {
  if (FreeListsOfRank* const free_lists = free_lists_of_caller())
    (free_lists->*list).put_back(block);
  else
    FreeList::free(block);
}

/// Allocates for a std::list of a rank, whose nodes come from `list`.
template <class Value, FreeList FreeListsOfRank::*list>
struct FreeListAllocator {
  using value_type = Value;
  template <class Other>
  struct rebind {
    using other = FreeListAllocator<Other, list>;
  };

  FreeListAllocator() = default;
  template <class Other>
  FreeListAllocator(const FreeListAllocator<Other, list>&) noexcept {}
  Value* allocate(std::size_t count) {
    TERRACE_ASSERT(count == 1, count);
    return static_cast<Value*>(take_from<list>(count * sizeof(Value)));
  }
  void deallocate(Value* node, std::size_t) noexcept { give_to<list>(node); }
  bool operator==(const FreeListAllocator&) const = default;
};

}  // namespace terrace::threadranks
