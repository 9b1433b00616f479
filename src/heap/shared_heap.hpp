// SPDX-License-Identifier: BSD-3-Clause
// The shared heap: long blocks of a process lie in an unnamed file that its peers can map. Short
// blocks stay private: sharing them gains nothing, and the internal data of libc, the loader and
// other libraries is short. See docs/design/reach.md.
#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "heap/heap_interface.hpp"
#include "heap/page_ranges.hpp"

namespace terrace {

/// One per process; lives until the process ends.
class SharedHeap {
 public:
  /// Makes no memory yet: its first block does, or a peer's wish to map it. With an obstacle, half
  /// a sentence, it never will.
  SharedHeap(std::size_t shortest_block, std::string obstacle)
      : shortest_block_(shortest_block),
        is_open_(obstacle.empty()),
        has_begun_(!obstacle.empty()),
        obstacle_(std::move(obstacle)) {}

  /// Whether blocks of that length are the heap's business.
  bool takes(std::size_t bytes) const {
    // relaxed: a block more or less in the heap while it closes does no harm; no partner.
    return bytes >= shortest_block_ && is_open_.load(std::memory_order_relaxed);
  }
  bool holds(const void* block) const {
    // relaxed, both: who has a block has it from a call that came after they were stored.
    return reinterpret_cast<std::uintptr_t>(block) - begin_.load(std::memory_order_relaxed) <
           bytes_.load(std::memory_order_relaxed);
  }

  /// Null: there is no room, or no heap; then libc's malloc is to be asked.
  void* allocate(std::size_t bytes, std::size_t alignment, bool zeroed);
  /// A block that grows, with room behind it into which `resize` can let it grow further. Null: as
  /// above.
  void* allocate_with_room(std::size_t bytes);
  // Only for blocks that the heap holds.
  void free(void* block);
  std::size_t usable_bytes(const void* block);
  bool resize(void* block, std::size_t bytes);
  /// Zeroes whole pages of a block as madvise(MADV_DONTNEED) does; `pages` is the start of a page,
  /// and the last page counts whole. False: the length cannot be.
  bool discard(void* pages, std::size_t bytes);

  HeapAddress address();
  const char* obstacle();
  HeapUse use();
  bool enter();
  void leave();

  /// Around a fork of this process: the child gets a heap of its own.
  void before_fork();
  void after_fork_in_parent();
  void after_fork_in_child();

 private:
  /// The means by which the child of the fork at hand is kept from its parent's blocks.
  enum class Guard : std::uint8_t { none, copied, made_private, left_out };
  /// Whether the system empties pages when it says so.
  enum class Emptying : std::uint8_t { untried, works, in_vain };

  bool begin();
  bool map(std::size_t bytes);
  bool grow_file(std::size_t pages);
  std::byte* extend_file_to(const PageRanges::Taken& taken, std::size_t bytes);
  bool empty(std::size_t first, std::size_t count);
  bool is_emptying_right();
  bool is_file_ours() const;
  std::byte* at(std::size_t page) const { return place_ + page * page_bytes_; }
  std::size_t page_of(const void* block) const;
  std::size_t pages_of(const void* block) const;
  std::size_t pages_for(std::size_t bytes) const { return (bytes + page_bytes_ - 1) / page_bytes_; }
  bool copy_for_child();
  bool make_private();

  std::size_t shortest_block_;
  std::atomic<bool> is_open_;  ///< takes new blocks
  std::atomic<std::uintptr_t> begin_{0};
  std::atomic<std::size_t> bytes_{0};

  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;  ///< guards all below
  bool has_begun_;
  std::string obstacle_;
  std::byte* place_ = nullptr;
  std::size_t page_bytes_ = 4096;
  std::size_t file_bytes_ = 0;
  HeapAddress address_;
  dev_t device_ = 0;  ///< of the file
  std::unique_ptr<PageRanges> pages_;
  std::size_t most_pages_ = 0;
  Guard guard_ = Guard::none;
  Emptying emptying_ = Emptying::untried;
  std::byte* copy_ = nullptr;  ///< for the child of the fork at hand
  std::size_t copy_bytes_ = 0;

  std::atomic<bool> is_shared_{false};          ///< peers see what this process writes
  std::atomic<std::uint32_t> direct_calls_{0};  ///< going on
};

}  // namespace terrace
