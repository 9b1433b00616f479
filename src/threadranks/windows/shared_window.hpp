// SPDX-License-Identifier: BSD-3-Clause
// What the members of a window in one process share: each member's memory, lock and counts.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "threadranks/windows/accumulate_lock.hpp"
#include "threadranks/windows/rank_lock.hpp"

namespace terrace::threadranks {

class Mailbox;
class RanksJob;
struct SharedCommunicator;

enum class Flavor : std::uint8_t {
  create,
  allocate,
  dynamic,
  shared,
  counter  ///< no program's: the first member alone has memory
};

/// The member of a counter that has memory.
inline constexpr int kCounting = 0;

/// One member's part, which all members use. Of a member in another process, what is known is its
/// memory's place there, length and unit.
struct WindowMember {
  std::byte* base = nullptr;
  std::size_t bytes = 0;
  std::ptrdiff_t unit = 1;     ///< of displacements
  Mailbox* mailbox = nullptr;  ///< null: it is in another process
  RankLock lock;               ///< of passive targets
  AccumulateLock accumulates;  ///< held while elements here are combined
  // Posts that the member, as an origin, has got from each other one, since the window was made.
  std::vector<std::atomic<std::uint32_t>> posts;
  std::atomic<std::uint32_t> completions{0};  ///< of origins, not waited for yet
  // Attached memory of a dynamic window.
  std::mutex attaching;
  std::map<std::byte*, std::size_t> attached;

  // Functions for any thread of its process:
  void note_post(int target);
  void note_completion();
  /// Whether all bytes from `first` up to `end` are attached.
  bool has_attached(std::byte* first, std::byte* end);
};

struct SharedWindow {
  SharedWindow(const RanksJob& job, const SharedCommunicator& communicator, Flavor its_flavor);
  ~SharedWindow();
  SharedWindow(const SharedWindow&) = delete;
  SharedWindow& operator=(const SharedWindow&) = delete;

  const Flavor flavor;
  const std::uint32_t context;  ///< of its communicator, by which other processes know it
  const bool is_reached;        ///< whether members in other processes access members of this one
  std::vector<WindowMember> members;
  std::byte* memory = nullptr;            ///< of a shared window, all members'
  std::atomic<int> references;            ///< of the members here
  std::atomic<std::uint32_t> flushes{0};  ///< where fences are not to be had

  WindowMember& member(int rank) { return members[static_cast<std::size_t>(rank)]; }
  /// Whether all bytes from `first` up to `end` may be accessed. Displacements that name no place,
  /// such as -1, may lead beyond the last address, to an `end` before `first`.
  bool has_bytes(WindowMember& its, std::byte* first, std::byte* end) {
    if (end < first) return false;
    if (flavor == Flavor::dynamic) return its.has_attached(first, end);
    return first >= its.base && end <= its.base + its.bytes;
  }
};

}  // namespace terrace::threadranks
