// SPDX-License-Identifier: BSD-3-Clause
// Windows: memory of each member of a communicator that the others read and write by themselves.
// Ranks are threads, so put and get are copies to and from the target's memory, at once; to members
// in other processes they are calls of the network.
//
//     SharedWindow            one in each process, of all members
//       members[0..n-1]       memory, lock, and who has posted: of each, used by all
//     Window                  one for each member: its handle, its epochs, its settings
//       RemoteAccess          if there are members in other processes: what is on its way to them
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "threadranks/ranks/communicator.hpp"
#include "threadranks/windows/remote_access.hpp"
#include "threadranks/windows/shared_window.hpp"

namespace terrace::threadranks {

/// The epochs that a member has open: how it may access others, and whether others may access it.
struct Epochs {
  enum class Lock : std::uint8_t { none, shared, exclusive };

  bool is_fenced = false;     ///< a fence has opened an epoch
  bool has_accessed = false;  ///< since that fence
  bool is_started = false, is_posted = false;
  std::vector<int> started, posted;  ///< ranks in the window
  bool is_all_locked = false;
  std::vector<Lock> locks;  ///< by target
  int lock_count = 0;
  int null_lock_count = 0;  ///< locks of MPI_PROC_NULL, also counted in `lock_count`

  bool is_passive() const { return is_all_locked || lock_count > 0; }
  /// Whether one is open that must be closed before a fence, and before the window is freed.
  bool is_to_be_closed() const { return is_passive() || is_started || is_posted; }
  bool may_access(int target) const;
};

class Window;

/// The error handling of a window, which its requests need even after it has been freed.
struct WindowErrors {
  Window* window = nullptr;       ///< null: it has been freed
  std::shared_ptr<void> handler;  ///< the adapter's
};

/// A member's state of a window.
class Window : public Numbered<ObjectKind::window> {
 public:
  using Hints = std::vector<std::pair<std::string, std::string>>;

  /// Collective. The communicator is the window's own from then on.
  Window(Communicator& communicator, Flavor its_flavor);
  /// Collective, before the window is deleted: waits until all members' calls are done.
  void close();
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
  WindowMember& member(int rank) { return shared_->member(rank); }
  WindowMember& own() { return member(rank()); }
  bool has_bytes(int target, std::byte* first, std::byte* end) {
    return shared_->has_bytes(member(target), first, end);
  }
  /// The way to a member in another process; null: it is in this one.
  RemoteAccess* way_to(int target) const {
    if (!remote_) [[likely]]
      return nullptr;
    return remote_->is_here(target) ? nullptr : remote_.get();
  }
  /// A target in another process at which a call without a request, complete by now, was for memory
  /// that is not in the window; negative: there is none. Forgets all such targets.
  int failed_target() { return remote_ ? remote_->failed_target() : -1; }
  /// Whether there was such a call at that target. Forgets that.
  bool has_failed(int target) {
    RemoteAccess* const way = way_to(target);
    return way != nullptr && way->has_failed(target);
  }

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
  /// Completes this member's calls at that target, or at all: there, or as far as its own memory is
  /// concerned.
  void flush(int target);
  void flush_all();
  void flush_local(int target);
  void flush_local_all();
  /// Lets others go on, as programs call it in loops.
  void sync();

  const Flavor flavor;
  Epochs epochs;
  std::string name;
  Attributes attributes;
  /// Values of the predefined attributes, to whose addresses programs may keep pointers.
  struct Numbers {
    std::ptrdiff_t bytes;
    int unit, flavor, model;
  };
  Numbers numbers{};
  Hints hints;
  const std::shared_ptr<WindowErrors> errors = std::make_shared<WindowErrors>();

 private:
  void end_exposure();
  void tell_of_the_others();

  Communicator* communicator_;
  SharedWindow* shared_ = nullptr;
  std::unique_ptr<RemoteAccess> remote_;  ///< null: all members are in this process
  std::byte* allocated_ = nullptr;
  std::vector<std::uint32_t> posts_taken_;  ///< by target
};

}  // namespace terrace::threadranks
