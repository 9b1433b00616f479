// SPDX-License-Identifier: BSD-3-Clause
// This process's nonblocking calls that are not over, and the requests that stand for them.
//
// A request is a carrier: a real request of the MPI's that is inactive for good, so that handles,
// conversions and tools find nothing strange in it. Its number leads to the call. (A function that
// completes requests behind Terrace's back would find it complete: `completions_reach_us`.)
//
//     start ─ queued ─ started ─ over ─ free
//               │         └─ queued: the next part
//               behind earlier calls of its lane
//
//     initialize ─ inactive ─ start ─ queued ─ started ─ over ─ inactive ─ ... ─ free
//
// Where only some ranks know the lengths of blocks, a call has two parts: ranks tell each other
// lengths, and with them blocks of a few bytes; then they move the others.
//
// A rank that waits goes on with all calls. A rank that is behind, since its call is queued, has
// to wait until it may send, or may have another part, may be waited for while its program
// computes, or is in the MPI: a helper thread goes on with such calls.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "engine/last_call.hpp"
#include "engine/team_endpoint.hpp"
#include "preload/dispatch/compare_with_mpi.hpp"
#include "preload/setup/team.hpp"

namespace terrace::preload {

struct AlongEdges;

/// A part of a call, as `TeamEndpoint` takes it.
struct CallArguments {
  Collective collective = Collective::barrier;
  const void* input = nullptr;
  void* output = nullptr;
  Elements elements;
  Rank root = 0;
  const BlockTables* blocks = nullptr;  ///< of v-collectives, instead of input and output
  Lengths* lengths = nullptr;           ///< those of the blocks are told in this part
  AlongEdges* edges = nullptr;          ///< of neighbourhood collectives, instead of all these
};

/// Whether a call's blocks were truncated, which is to be raised on its communicator.
struct Truncated {
  bool is_so = false;
  Handle communicator = 0;  ///< 0: it is freed
};

/// Things that a call keeps until it is over: private copies of its buffers, tables of its blocks.
class CallBuffers {
 public:
  CallBuffers() = default;
  virtual ~CallBuffers() = default;
  CallBuffers(const CallBuffers&) = delete;
  CallBuffers& operator=(const CallBuffers&) = delete;
  /// Whether peers may wait for this rank to go on with it, though it has sent.
  virtual bool may_be_awaited() const { return false; }
  /// Packs what is sent: before each start of a persistent call.
  virtual void pack() {}
  /// A part is over. Returns whether another follows, which `next` then is; otherwise `next` is
  /// what the next start of a persistent call begins with. By any thread.
  virtual bool go_on(CallArguments& next) {
    static_cast<void>(next);
    return false;
  }
  /// Whether a block that has come was longer than its place, once the call is over.
  virtual bool is_truncated() const { return false; }
  /// The call is over: copies its result to the program's buffers. By a thread of the program's.
  virtual Truncated deliver() = 0;

  bool is_held = false;  ///< by a call whose request the program has; guarded by the lock
};

struct NonblockingCall {
  enum class Stage : std::uint8_t { free, inactive, queued, started, over };

  Handle carrier = 0;
  Stage stage = Stage::free;
  Team* team = nullptr;
  NonblockingLane* lane = nullptr;
  NonblockingCall* next = nullptr;  ///< in its lane, or of those that are free
  CallArguments arguments;          ///< while it is queued, or persistent
  bool is_persistent = false;
  LastCall prepared;  ///< of a persistent call, after its first start
  /// Before which it cannot be started; null: its lane chooses by itself.
  std::shared_ptr<LaneDecision> decision;
  std::shared_ptr<CallBuffers> buffers;  ///< some are kept for later calls
  std::unique_ptr<MpiCheck> check;       ///< of TERRACE_CHECK; null: there is none
};

/// Requests of the program's that stand for calls: most waits see from this alone that none of
/// theirs does.
inline std::atomic<std::uint32_t> requests_given{0};

inline bool has_requests() {
  // relaxed: a thread that waits for a request has seen it given out. No partner.
  return requests_given.load(std::memory_order_relaxed) != 0;
}

// The caller holds the lock.

/// The call that a request stands for; null if it is another's request.
NonblockingCall* call_of(Handle request);
/// A call whose request the program will hold, in which each rank leaves so many bytes behind.
NonblockingCall& new_call(UnderlyingMpi& underlying, Team& team, NonblockingLane& lane,
                          std::size_t bytes);
/// A persistent call, inactive. `lane`: its own; null: it has nothing to do.
NonblockingCall& new_persistent_call(UnderlyingMpi& underlying, Team& team, NonblockingLane* lane,
                                     const CallArguments& arguments);
/// Gives a new call its buffers. Null: those of the program are used.
void hold(NonblockingCall& call, std::shared_ptr<CallBuffers> buffers);
/// Starts a persistent call, which is inactive, and whose buffers are packed.
void start_again(NonblockingCall& call);
/// A call that had nothing to do, in no lane.
NonblockingCall& new_call_that_is_over(UnderlyingMpi& underlying);
/// Starts a call in its lane, or queues it.
void begin(NonblockingCall& call, const CallArguments& arguments);
/// Notes what has become of the call that is the first of its lane.
void note_start(NonblockingCall& call, Progress progress);
/// Goes on with all calls of this process as far as that is possible without waiting.
void go_on_with_all();
/// The program has no request any more for this call, which is inactive, or over with its result
/// delivered.
void release(NonblockingCall& call);

// The caller does not hold it.

/// Waits until the call is over.
void wait_for(NonblockingCall& call);
/// Waits until `is_met`, and goes on with all calls meanwhile. `one` of them was not over.
void wait_while_going_on(NonblockingCall& one, const std::function<bool()>& is_met);
/// Waits for all calls on a communicator.
void wait_for_calls_on(UnderlyingMpi& underlying, Handle communicator);

}  // namespace terrace::preload
