// SPDX-License-Identifier: BSD-3-Clause
// Waits until a member's calls to other processes are complete, knows which have failed, takes
// locks there, and tells of posts and completions.
#include <algorithm>

#include "base/contract.hpp"
#include "threadranks/ranks/rank_state.hpp"
#include "threadranks/windows/remote_access.hpp"
#include "threadranks/windows/remote_stream.hpp"

namespace terrace::threadranks {

namespace {

/// Most calls that may be on their way to one process, which bounds what it has to keep. An
/// estimate.
constexpr std::uint64_t kMostOnTheirWay = 512;

}  // namespace

// Completion.

/// If too many calls are on their way, waits until half of them are done.
void RemoteAccess::wait_for_room(Stream& stream, int target) {
  if (stream.are_done(stream.sent - std::min(stream.sent, kMostOnTheirWay))) return;
  const std::uint64_t wanted = stream.sent - kMostOnTheirWay / 2;
  if (stream.asked < wanted) ask(stream, target);
  communicator_.state().wait([&] { return stream.are_done(wanted); });
}

/// Asks for an answer to all calls so far; `target`: any member of that process.
void RemoteAccess::ask(Stream& stream, int target) {
  if (stream.asked == stream.sent) return;
  stream.asked = stream.sent;
  WindowCall call = call_for(Kind::flush, target);
  call.calls = stream.sent;
  call.number = stream.number();
  send_call(network(), stream.process, call);
}

/// Long calls are outside the order of calls, so they must be over before an unlock is sent, or the
/// message that this member has completed its calls.
void RemoteAccess::wait_for_long_calls(std::span<const int> targets) {
  for (const int target : targets) {
    const LongCalls& calls = known_of(target).long_calls;
    const std::uint64_t begun = calls.begun();
    communicator_.state().wait([&] { return calls.are_over(begun); });
  }
}

/// Waits for the calls that were begun before. How many these are is noted first, as other threads
/// may begin further ones meanwhile.
void RemoteAccess::finish(std::span<const int> targets, bool is_local) {
  struct Begun {
    const Stream& stream;
    std::uint64_t calls;
    const LongCalls& at_target;
    std::uint64_t long_calls;
  };
  std::vector<Begun> all;
  for (const int target : targets) {
    Stream& stream = stream_to(target);
    if (!is_local) ask(stream, target);
    const LongCalls& its = known_of(target).long_calls;
    all.push_back({stream, is_local ? known_of(target).fetched : stream.sent, its, its.begun()});
  }
  for (const Begun& begun : all)
    communicator_.state().wait([&] {
      return begun.stream.are_done(begun.calls) && begun.at_target.are_over(begun.long_calls);
    });
}

// Failures.

/// Called by the thread that drives.
void RemoteAccess::note_failure(int target) {
  // relaxed, both: seen by who has waited for that answer, or one behind it. Partners:
  // `has_failed`, `failed_target`.
  known_of(target).has_failed.store(true, std::memory_order_relaxed);
  has_failures_.store(true, std::memory_order_relaxed);
}

bool RemoteAccess::has_failed(int target) {
  // relaxed, both: as in `note_failure`, the partner.
  return has_failures_.load(std::memory_order_relaxed) &&
         known_of(target).has_failed.exchange(false, std::memory_order_relaxed);
}

int RemoteAccess::failed_target() {
  // relaxed: as in `note_failure`, the partner.
  if (!has_failures_.load(std::memory_order_relaxed)) return -1;
  int first = -1;
  for (const int target : others_)
    if (has_failed(target) && first < 0) first = target;
  return first;
}

// Locks.

/// A lock that is waited for.
class RemoteAccess::Grant final : public AnsweredCall {
 public:
  explicit Grant(Mailbox& mailbox) : mailbox_(mailbox) {}
  void answered(const WindowCall& answer, std::span<const std::byte>) override {
    Mailbox& mailbox = mailbox_;
    // release: pairs with the acquire in `last`. The waiter may be gone from then on.
    last_.store(static_cast<int>(answer.last), std::memory_order_release);
    mailbox.notify();
  }
  /// The last member that is locked; negative: none so far.
  // acquire: pairs with the release in `answered`; what earlier holders wrote is there.
  int last() const { return last_.load(std::memory_order_acquire); }

 private:
  Mailbox& mailbox_;
  std::atomic<int> last_{-1};
};

void RemoteAccess::lock(int first, int last, bool is_exclusive) {
  TERRACE_ASSERT(first == last || !is_exclusive, first, last);
  while (first <= last) {
    Grant grant(mailbox());
    WindowCall call = call_for(Kind::lock, first);
    call.is_exclusive = is_exclusive;
    call.last = last;
    call.number = grant.number();
    send_call(network(), stream_to(first).process, call);
    communicator_.state().wait([&] { return grant.last() >= 0; });
    first = grant.last() + 1;
  }
}

/// Gives back the locks of members in one process.
void RemoteAccess::give_back(int first, int last, bool is_exclusive) {
  Stream& stream = stream_to(first);
  WindowCall call = call_for(Kind::unlock, first);
  call.is_exclusive = is_exclusive;
  call.last = last;
  call.calls = stream.asked = ++stream.sent;
  call.number = stream.number();
  send_call(network(), stream.process, call);
}

void RemoteAccess::unlock(int target, bool is_exclusive) {
  wait_for_long_calls({&target, 1});
  give_back(target, target, is_exclusive);
  finish({&target, 1}, false);
}

void RemoteAccess::unlock_all() {
  wait_for_long_calls(others_);
  int last = -1;
  for (const int target : others_) {
    if (target <= last) continue;
    last = last_beside(target);
    give_back(target, last, false);
  }
  finish(others_, false);
}

// Posts.

void RemoteAccess::tell_posted(int origin) {
  WindowCall call = call_for(Kind::posted, origin);
  send_call(network(), stream_to(origin).process, call);
}

/// The message that tells of it is behind the calls in their order, so they are done before.
void RemoteAccess::complete(std::span<const int> targets) {
  wait_for_long_calls(targets);
  for (const int target : targets)
    send_call(network(), stream_to(target).process, call_for(Kind::completed, target));
  // Only calls in dynamic windows may fail, which is known once they are done at the target.
  finish(targets, shared_.flavor != Flavor::dynamic);
}

}  // namespace terrace::threadranks
