// SPDX-License-Identifier: BSD-3-Clause
// Windows: memory of each member of a communicator that the others read and write by themselves.
// Ranks are threads, so put and get are copies to and from the target's memory, at once.
//
//     SharedWindow            one, of all members
//       members[0..n-1]       memory, lock, and who has posted: of each, used by all
//     Window                  one for each member: its handle, its epochs, its settings
#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "threadranks/ranks/communicator.hpp"
#include "threadranks/windows/rank_lock.hpp"

namespace terrace::threadranks {

enum class Flavor : std::uint8_t { create, allocate, dynamic, shared };

/// One member's part, which all members use.
struct WindowMember {
  std::byte* base = nullptr;
  std::size_t bytes = 0;
  std::ptrdiff_t unit = 1;  ///< of displacements
  RankLock lock;            ///< of passive targets
  std::mutex accumulates;   ///< held by the rank that combines elements here
  // Posts that the member, as an origin, has got from each other one, since the window was made.
  std::vector<std::atomic<std::uint32_t>> posts;
  std::atomic<std::uint32_t> completions{0};  ///< of origins, not waited for yet
  // Attached memory of a dynamic window.
  std::mutex attaching;
  std::map<std::byte*, std::size_t> attached;
};

struct SharedWindow {
  explicit SharedWindow(std::size_t size) : members(size), references(static_cast<int>(size)) {
    for (WindowMember& member : members)
      member.posts = std::vector<std::atomic<std::uint32_t>>(size);
  }
  std::vector<WindowMember> members;
  std::byte* memory = nullptr;  ///< of a shared window, all members'
  std::atomic<int> references;
  std::atomic<std::uint32_t> flushes{0};  ///< where fences are not to be had
};

/// What a member has open: how it may access others, and whether others may access it.
struct Epochs {
  enum class Lock : std::uint8_t { none, shared, exclusive };

  bool is_fenced = false;     ///< a fence has opened an epoch
  bool has_accessed = false;  ///< since that fence
  bool is_started = false, is_posted = false;
  std::vector<int> started, posted;  ///< ranks in the window
  bool is_all_locked = false;
  std::vector<Lock> locks;  ///< by target
  int lock_count = 0;

  bool is_passive() const { return is_all_locked || lock_count > 0; }
  /// Whether one is open that must be closed before a fence, and before the window is freed.
  bool is_to_be_closed() const { return is_passive() || is_started || is_posted; }
  bool may_access(int target) const;
};

/// A member's state of a window.
class Window : public Numbered<ObjectKind::window> {
 public:
  using Hints = std::vector<std::pair<std::string, std::string>>;

  /// Collective. The communicator is the window's own from then on.
  Window(Communicator& communicator, Flavor its_flavor);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  /// Collective: tells the others of this member's memory.
  void publish(void* base, std::size_t bytes, std::ptrdiff_t unit);
  /// Collective: memory of all members, one after the other. False: there is none.
  bool publish_shared(std::size_t bytes, std::ptrdiff_t unit);
  bool publish_allocated(std::size_t bytes, std::ptrdiff_t unit);

  Communicator& communicator() const { return *communicator_; }
  RankState& state() const { return communicator_->state(); }
  int rank() const { return communicator_->rank(); }
  int size() const { return communicator_->size(); }
  WindowMember& member(int rank) { return shared_->members[static_cast<std::size_t>(rank)]; }
  WindowMember& own() { return member(rank()); }

  // Active targets. Fence, start and wait return when the others have come.
  void fence();
  void post(const std::vector<int>& origins);
  void start(const std::vector<int>& targets);
  void complete();
  bool has_completed();
  void wait();
  // Passive targets.
  void lock(int target, bool is_exclusive);
  void unlock(int target);
  void lock_all();
  void unlock_all();
  /// What a program calls in loops: lets others go on.
  void flush();

  const Flavor flavor;
  Epochs epochs;
  std::string name;
  Attributes attributes;
  /// Of the predefined attributes, to whose addresses programs may keep pointers.
  struct Numbers {
    std::ptrdiff_t bytes;
    int unit, flavor, model;
  };
  Numbers numbers{};
  Hints hints;
  std::shared_ptr<void> errhandler;  ///< the adapter's

 private:
  Mailbox& mailbox_of(int rank) const;
  void end_exposure();

  Communicator* communicator_;
  SharedWindow* shared_ = nullptr;
  std::byte* allocated_ = nullptr;
  std::vector<std::uint32_t> posts_taken_;  ///< by target
};

}  // namespace terrace::threadranks
