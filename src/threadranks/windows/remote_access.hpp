// SPDX-License-Identifier: BSD-3-Clause
// A member's calls on members of its window in other processes: sends them, and knows which are on
// their way.
//
// Calls to one process are carried out there in their order, so an answer to one says that all
// before it are done. Puts and accumulates have none unless they fail: a flush asks for one. Long
// puts and gets, whose bytes go in one piece, are outside that order, and counted by target.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "threadranks/ranks/communicator.hpp"
#include "threadranks/ranks/remote_progress.hpp"
#include "threadranks/windows/long_calls.hpp"
#include "threadranks/windows/shared_window.hpp"
#include "threadranks/windows/window_calls.hpp"

namespace terrace::threadranks {

class RemoteAccess {
 public:
  RemoteAccess(Communicator& communicator, SharedWindow& shared);
  ~RemoteAccess();
  RemoteAccess(const RemoteAccess&) = delete;
  RemoteAccess& operator=(const RemoteAccess&) = delete;

  bool is_here(int target) const { return process_index(target) == members_.own; }
  /// The last of the members from `target` on that are in the same process.
  int last_beside(int target) const;

  // `there`: the target's elements, at addresses of its process. If `progress` is not null, it gets
  // what a request waits for, or null if the call is complete. A call waits while too many are on
  // their way to that process.
  void put(int target, const Layout& here, const Layout& there, SharedProgress* progress);
  void get(int target, const Layout& there, const Layout& here, SharedProgress* progress);
  /// `origin` and `fetched` have a null type if nothing is brought, or got.
  void accumulate(int target, const Accumulation& how, const Layout& origin, const Layout& fetched,
                  const Layout& there, SharedProgress* progress);
  void compare_and_swap(int target, const Layout& compared, const Layout& stored,
                        const Layout& before, const Layout& there);

  /// Members in other processes, in their order.
  const std::vector<int>& others() const { return others_; }
  // Both wait for calls that were begun before, and not for later ones of other threads. All
  // targets' processes are asked before the first is waited for.
  /// Until calls at these targets are done there.
  void flush(std::span<const int> targets) { finish(targets, false); }
  /// Until this member may use the memory again that calls at these targets work with.
  void flush_local(std::span<const int> targets) { finish(targets, true); }

  /// Waits for the locks of these members, which are in one process: of one, or shared ones.
  void lock(int first, int last, bool is_exclusive);
  /// Completes calls at that target, and gives its lock back; or shared ones of all.
  void unlock(int target, bool is_exclusive);
  void unlock_all();

  /// Tells a member that this one has posted for it.
  void tell_posted(int origin);
  /// Tells members that this one has completed its calls.
  void complete(std::span<const int> targets);

  /// Whether a call without a request, done by now, was for memory that the target has not
  /// attached. Forgets that.
  bool has_failed(int target);
  /// The first such target; negative: none. Forgets all of them.
  int failed_target();

 private:
  using Kind = WindowCall::Kind;
  /// The calls to one process.
  class Stream;
  class Fetch;
  struct LongCall;
  class LongPut;
  class LongGet;
  class Grant;
  /// The elements of a call that are cut into pieces.
  struct Elements;
  /// State of one member as a target.
  struct Target {
    LongCalls long_calls;
    std::uint64_t fetched = 0;  ///< its stream's calls, up to its last one with an answer
    std::atomic<bool> has_failed{false};
  };

  std::size_t process_index(int target) const {
    return members_.process_of[static_cast<std::size_t>(target)];
  }
  Stream& stream_to(int target) { return *streams_[process_index(target)]; }
  Target& known_of(int target) { return targets_[static_cast<std::size_t>(target)]; }
  ProcessNetwork& network() const;
  Mailbox& mailbox() const;
  WindowCall call_for(WindowCall::Kind kind, int target) const;
  void send(WindowCall call, Elements& elements, SharedProgress* progress);
  bool is_long(const Layout& one, const Layout& other) const;
  LongCall begin_long(int target, SharedProgress* progress);
  void note_failure(int target);
  static std::uint64_t count(Stream& stream, bool is_answered);
  void wait_for_room(Stream& stream, int target);
  void ask(Stream& stream, int target);
  void wait_for_long_calls(std::span<const int> targets);
  void give_back(int first, int last, bool is_exclusive);
  void finish(std::span<const int> targets, bool is_local);

  Communicator& communicator_;
  SharedWindow& shared_;
  const SpanningMembers& members_;
  std::vector<std::unique_ptr<Stream>> streams_;  ///< by process; null: this one
  std::vector<int> others_;
  std::unique_ptr<Target[]> targets_;      ///< by rank
  std::atomic<bool> has_failures_{false};  ///< whether any target ever had one
  Runs runs_;
};

}  // namespace terrace::threadranks
