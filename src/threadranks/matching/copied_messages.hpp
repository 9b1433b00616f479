// SPDX-License-Identifier: BSD-3-Clause
// Blocks in which a rank leaves copies of its messages. A receiver gives a block back to the rank
// that it came from, which uses it again: libc's heap would take a lock for each, since one thread
// allocates and another one frees.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

#include "base/atomic_stack.hpp"
#include "base/cache_aligned.hpp"
#include "base/contract.hpp"

namespace terrace::threadranks {

/// The longest message that a block has room for.
inline constexpr std::size_t kMostCopiedAtOnce = 1024;

class CopiedMessages;

struct CopiedMessage {
  CopiedMessages* home = nullptr;
  CopiedMessage* below = nullptr;  ///< in a stack of those that are free
  alignas(kLineBytes) std::array<std::byte, kMostCopiedAtOnce> bytes;
};

/// The blocks that a rank has for its next messages: its own, and a few of those that it received,
/// which are in its cache already.
class CopiedMessages {
 public:
  CopiedMessages() = default;
  CopiedMessages(const CopiedMessages&) = delete;
  CopiedMessages& operator=(const CopiedMessages&) = delete;

  /// Called by the rank itself. Null: all are on their way, or there is no memory for more.
  CopiedMessage* take() noexcept {
    if (received_ != nullptr) return received_count_--, pop(received_);
    if (own_ == nullptr) own_ = take_all_from(returned_);
    return own_ != nullptr ? pop(own_) : make();
  }
  /// Called by the rank itself, once it has read a message that it received.
  void keep(CopiedMessage& read) noexcept {
    if (received_count_ == kMostReceived) return give_back(read);
    read.below = std::exchange(received_, &read);
    ++received_count_;
  }
  /// Called by any rank: the message is of no more use.
  static void give_back(CopiedMessage& read) noexcept {
    TERRACE_ASSERT(read.home != nullptr);
    push_onto(read.home->returned_, read);
  }

 private:
  /// Of its own: a rank that sends to one that does not receive takes memory from the heap after so
  /// many. And of others' that it keeps.
  static constexpr std::size_t kMost = 256, kMostReceived = 8;
  CopiedMessage* make() noexcept;
  static CopiedMessage* pop(CopiedMessage*& list) noexcept {
    return std::exchange(list, list->below);
  }

  CopiedMessage* own_ = nullptr;
  CopiedMessage* received_ = nullptr;
  std::size_t received_count_ = 0;
  std::vector<std::unique_ptr<CopiedMessage>> all_;
  alignas(kLinePairBytes) std::atomic<CopiedMessage*> returned_{nullptr};
};

}  // namespace terrace::threadranks
