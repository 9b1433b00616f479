// SPDX-License-Identifier: BSD-3-Clause
// Carries out calls of other processes' origins on the memory and locks of members here. The rank
// that drives the network does so; the members need not take part.
#include "threadranks/windows/window_service.hpp"

#include <cstring>
#include <utility>

#include "base/contract.hpp"
#include "threadranks/ranks/rank_state.hpp"

namespace terrace::threadranks {

WindowService& WindowService::of(RanksJob& job) {
  return static_cast<WindowService&>(job.remote_calls());  // made by `make`
}

SharedWindow& WindowService::shared_of(const SharedCommunicator& communicator, Flavor flavor) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<SharedWindow>& shared = windows_[communicator.context];
  if (shared) return *shared;
  shared = std::make_unique<SharedWindow>(job_, communicator, flavor);
  if (shared->is_reached) network().need_helper();
  return *shared;
}

void WindowService::forget(const SharedWindow& shared) {
  std::unique_ptr<SharedWindow> last;  // freed without the mutex
  {
    const std::lock_guard lock(mutex_);
    const auto found = windows_.find(shared.context);
    TERRACE_REQUIRE(found != windows_.end(), shared.context);
    last = std::move(found->second);
    windows_.erase(found);
  }
  if (last->is_reached) network().need_no_helper();
}

ProcessNetwork& WindowService::network() const {
  return *job_.network();
}

SharedWindow& WindowService::window_of(const WindowCall& call) {
  const std::lock_guard lock(mutex_);
  const auto found = windows_.find(call.window);
  TERRACE_REQUIRE(found != windows_.end(), call.window, call.kind, call.origin, call.target);
  SharedWindow& shared = *found->second;
  const auto size = static_cast<std::int32_t>(shared.members.size());
  TERRACE_REQUIRE(call.target >= 0 && call.target < size && call.origin >= 0 && call.origin < size,
                  call.origin, call.target, size);
  TERRACE_REQUIRE(shared.member(call.target).mailbox != nullptr && call.last < size, call.target,
                  call.last);
  return shared;
}

struct WindowService::Taken {
  int process;  ///< the origin's
  const WindowCall& heading;
  SharedWindow& shared;
  WindowMember& member;  ///< the target
  std::span<const ByteRun> runs;
  const std::byte* bytes;  ///< that came with it
  std::size_t length;      ///< of those
};

void WindowService::take(int process, const std::byte* call, std::size_t bytes) {
  WindowCall heading;
  TERRACE_REQUIRE(bytes >= sizeof heading, bytes);
  std::memcpy(&heading, call, sizeof heading);
  const std::size_t with_runs = sizeof heading + heading.runs * sizeof(ByteRun);
  TERRACE_REQUIRE(bytes >= with_runs, bytes, with_runs);
  if (heading.kind >= WindowCall::Kind::wanted)
    return AnsweredCall::of(heading.number)
        .answered(heading, {call + sizeof heading, bytes - sizeof heading});
  runs_.resize(heading.runs);
  if (heading.runs > 0)
    std::memcpy(runs_.data(), call + sizeof heading, heading.runs * sizeof(ByteRun));
  SharedWindow& shared = window_of(heading);
  carry_out({process, heading, shared, shared.member(heading.target), runs_, call + with_runs,
             bytes - with_runs});
}

/// The origin cannot know whether memory of a dynamic window is attached: such a call may fail
/// here. In other windows it has checked the place.
void WindowService::carry_out(const Taken& call) {
  using Kind = WindowCall::Kind;
  for (const ByteRun& run : call.runs) {
    // Added as numbers: an address beyond the last one wraps around, which pointers may not.
    const auto place = [](std::uint64_t at) {
      return reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(at));
    };
    if (call.shared.has_bytes(call.member, place(run.at), place(run.at + run.bytes))) continue;
    TERRACE_REQUIRE(call.shared.flavor == Flavor::dynamic, run.at, run.bytes);
    return answer(call.process, call.heading, true);
  }
  switch (call.heading.kind) {
    case Kind::put:
      TERRACE_REQUIRE(call.length == bytes_of(call.runs), call.length);
      scatter(call.bytes, call.runs);
      return answer_if_wanted(call);
    case Kind::get:
    case Kind::long_get:
      return send_elements(call);
    case Kind::accumulate:
    case Kind::fetch:
      return accumulate(call);
    case Kind::swap:
      return swap_if_equal(call);
    case Kind::long_put:
      return receive_elements(call);
    case Kind::lock:
      return lock(call);
    case Kind::unlock:
      return unlock(call);
    case Kind::flush:
      return answer(call.process, call.heading, false);
    case Kind::posted:
      return call.member.note_post(call.heading.origin);
    case Kind::completed:
      return call.member.note_completion();
    case Kind::wanted:
    case Kind::answer:
      break;
  }
  TERRACE_REQUIRE(false, call.heading.kind);
}

void WindowService::answer(int process, const WindowCall& call, bool has_failed) {
  WindowCall answer = call;
  answer.kind = WindowCall::Kind::answer;
  answer.has_failed = has_failed;
  send_call(network(), process, answer);
}

template <class Write>
void WindowService::answer_with(const Taken& call, std::size_t bytes, Write&& write) {
  WindowCall answer = call.heading;
  answer.kind = WindowCall::Kind::answer;
  send_call(network(), call.process, answer, {}, bytes, write);
}

/// Answers a call that fetches nothing, if its rank wants it.
void WindowService::answer_if_wanted(const Taken& call) {
  if (call.heading.is_answered) answer(call.process, call.heading, false);
}

void WindowService::send_elements(const Taken& call) {
  if (call.heading.kind == WindowCall::Kind::long_get) {
    TERRACE_REQUIRE(call.runs.size() == 1, call.runs.size());
    const auto at = static_cast<std::uintptr_t>(call.runs.front().at);
    return network().send_bytes(call.process, reinterpret_cast<const std::byte*>(at),
                                call.runs.front().bytes, [] {});
  }
  answer_with(call, bytes_of(call.runs), [&](std::byte* place) { gather(call.runs, place); });
}

/// Combines with elements that are in `sums_`.
void WindowService::combine(const Taken& call, std::size_t bytes) {
  const WindowCall& heading = call.heading;
  if (heading.how == Accumulation::Kind::nothing) return;
  TERRACE_REQUIRE(call.length == bytes, call.length, bytes);
  if (heading.how == Accumulation::Kind::replace) return scatter(call.bytes, call.runs);
  const Accumulation how{heading.how,
                         kernel_for(heading.elements, heading.element_bytes, heading.op),
                         heading.element_bytes, heading.elements, heading.op};
  TERRACE_REQUIRE(how.reduction != nullptr, heading.elements, heading.op, heading.element_bytes);
  std::memcpy(given_.data(), call.bytes, bytes);
  threadranks::accumulate(how, given_.data(), sums_.data(), bytes);
  scatter(sums_.data(), call.runs);
}

void WindowService::accumulate(const Taken& call) {
  const std::size_t bytes = bytes_of(call.runs);
  TERRACE_REQUIRE(bytes <= sums_.size(), bytes);
  const bool is_fetched = call.heading.kind == WindowCall::Kind::fetch;
  {
    const std::lock_guard lock(call.member.accumulates);
    gather(call.runs, sums_.data());
    if (is_fetched) std::memcpy(before_.data(), sums_.data(), bytes);
    combine(call, bytes);
  }
  if (!is_fetched) return answer_if_wanted(call);
  answer_with(call, bytes, [&](std::byte* place) { std::memcpy(place, before_.data(), bytes); });
}

void WindowService::swap_if_equal(const Taken& call) {
  const std::size_t bytes = bytes_of(call.runs);
  TERRACE_REQUIRE(call.length == 2 * bytes && bytes <= sums_.size(), call.length, bytes);
  {
    const std::lock_guard lock(call.member.accumulates);
    gather(call.runs, before_.data());
    if (std::memcmp(before_.data(), call.bytes, bytes) == 0) scatter(call.bytes + bytes, call.runs);
  }
  answer_with(call, bytes, [&](std::byte* place) { std::memcpy(place, before_.data(), bytes); });
}

/// A call that is answered later.
struct WindowService::Pending {
  WindowService& service;
  int process;
  WindowCall call;

  void answer() const { service.answer(process, call, false); }
};

/// Bytes that arrive where they are to lie.
class WindowService::PutArrival final : public Arrival {
 public:
  PutArrival(WindowService& service, const Taken& call)
      : pending_{service, call.process, call.heading} {
    at = reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(call.runs.front().at));
    bytes = call.runs.front().bytes;
  }
  void arrive() override {
    pending_.answer();
    delete this;
  }

 private:
  Pending pending_;
};

void WindowService::receive_elements(const Taken& call) {
  TERRACE_REQUIRE(call.runs.size() == 1, call.runs.size());
  WindowCall wanted = call.heading;
  wanted.kind = WindowCall::Kind::wanted;
  send_call(network(), call.process, wanted, {}, std::make_unique<PutArrival>(*this, call));
}

/// A waiter of another process; tells that process.
class WindowService::RemoteWaiter final : public RankLock::Waiter {
 public:
  RemoteWaiter(WindowService& service, int process, const WindowCall& call)
      : Waiter(call.is_exclusive), pending_{service, process, call} {
    pending_.call.last = call.target;
  }
  void granted() override {
    pending_.answer();
    delete this;
  }

 private:
  Pending pending_;
};

/// The target's lock, and those of the members behind it that are to be had at once.
void WindowService::lock(const Taken& call) {
  auto waiter = std::make_unique<RemoteWaiter>(*this, call.process, call.heading);
  if (!call.member.lock.lock_or_queue(*waiter)) {
    waiter.release();  // until it is granted
    return;
  }
  WindowCall locked = call.heading;
  locked.last = call.heading.target;
  while (locked.last < call.heading.last && call.shared.member(static_cast<int>(locked.last) + 1)
                                                .lock.try_lock(call.heading.is_exclusive))
    ++locked.last;
  answer(call.process, locked, false);
}

void WindowService::unlock(const Taken& call) {
  for (std::int64_t target = call.heading.target; target <= call.heading.last; ++target)
    call.shared.member(static_cast<int>(target)).lock.unlock(call.heading.is_exclusive);
  answer(call.process, call.heading, false);
}

}  // namespace terrace::threadranks
