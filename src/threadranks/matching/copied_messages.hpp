// SPDX-License-Identifier: BSD-3-Clause
// Blocks in which a rank leaves copies of its messages. A receiver gives a block back to the rank
// that it came from, which uses it again: libc's heap would take a lock for each, since one thread
// allocates and another one frees.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "base/atomic_stack.hpp"
#include "base/cache_aligned.hpp"
#include "base/contract.hpp"
#include "threadranks/matching/eager_limits.hpp"

namespace terrace::threadranks {

class CopiedMessages;

/// A block with a message in it, apart from what others write.
struct alignas(kLinePairBytes) CopiedMessage {
  CopiedMessages* home = nullptr;
  CopiedMessage* below = nullptr;  ///< in a stack of those that are free
  std::array<std::byte, kMostEagerInBlock> bytes;
};

/// The blocks that a rank has for its next messages: its own, and a few of those that it received,
/// which are in its cache already.
class CopiedMessages {
 public:
  CopiedMessages() = default;
  CopiedMessages(const CopiedMessages&) = delete;
  CopiedMessages& operator=(const CopiedMessages&) = delete;

  /// Called by the rank itself. Null: all blocks are with other ranks, or there is no memory.
  CopiedMessage* take() noexcept {
    wanted_ = std::min(wanted_ + 1, kMostKept);
    if (kept_ != nullptr) return pop(kept_);
    if (own_ == nullptr) own_ = take_all_from(returned_);
    return own_ != nullptr ? pop(own_) : make();
  }
  /// Called by the rank itself, once it has read a message that it received.
  void keep(CopiedMessage& read) noexcept {
    if (wanted_ == 0) return give_back(read);
    --wanted_;
    read.below = std::exchange(kept_, &read);
  }
  /// Called by any rank: the message is of no more use.
  static void give_back(CopiedMessage& read) noexcept {
    TERRACE_ASSERT(read.home != nullptr);
    push_onto(read.home->returned_, read);
  }

 private:
  /// Most blocks of its own: 272 KiB, until the job ends. A rank that sends more to ranks that do
  /// not receive takes memory from the heap, or waits.
  static constexpr std::size_t kMost = 256;
  static constexpr std::size_t kMostKept = 8;  ///< of others'
  CopiedMessage* make() noexcept;
  static CopiedMessage* pop(CopiedMessage*& stack) noexcept {
    return std::exchange(stack, stack->below);
  }

  CopiedMessage* own_ = nullptr;
  CopiedMessage* kept_ = nullptr;
  /// Number of blocks to keep from now on: as many as were sent since. A rank that only receives
  /// keeps none, else its senders would run out of blocks.
  std::size_t wanted_ = 0;
  std::vector<std::unique_ptr<CopiedMessage>> all_;
  alignas(kLinePairBytes) std::atomic<CopiedMessage*> returned_{nullptr};
};

}  // namespace terrace::threadranks
