// SPDX-License-Identifier: BSD-3-Clause
// Goes on with calls, and waits for them.
#include "preload/requests/nonblocking_call.hpp"

#include <pthread.h>
#include <sched.h>
#include <time.h>

#include <algorithm>
#include <condition_variable>
#include <vector>

#include "base/contract.hpp"
#include "base/own_thread.hpp"
#include "base/pause.hpp"
#include "base/say.hpp"
#include "base/ticks.hpp"
#include "os/binding.hpp"
#include "preload/dispatch/neighbour_moving.hpp"
#include "preload/mpi/settings.hpp"

namespace terrace::preload {

namespace {

/// Time that a helper leaves a call alone which is behind: its program most likely comes by first.
/// It falls asleep only after so many naps without such calls, since it takes long to wake it up.
constexpr long kHelperNapNs = 1'000'000;
constexpr int kNapsBeforeSleep = 64;
/// Pauses between two looks of a helper that goes on with all calls: some microseconds, in which
/// the program can have the lock; and looks without work before it sleeps.
constexpr int kPausesBetweenLooks = 64, kLooksBeforeSleep = 1024;

/// Time that a start waits for rank 0's decision, once for each class of calls, before it leaves
/// the call to others: some hundred microseconds.
constexpr std::uint64_t kTicksForDecision = std::uint64_t{1} << 20;

/// Calls by their carriers. Carriers last as long as MPI does, so nothing is ever removed.
class CallsByCarrier {
 public:
  NonblockingCall* find(Handle carrier) const {
    if (calls_.empty()) return nullptr;
    for (std::size_t slot = slot_of(carrier);; slot = (slot + 1) % calls_.size()) {
      NonblockingCall* const call = calls_[slot];
      if (call == nullptr || call->carrier == carrier) return call;
    }
  }
  void insert(NonblockingCall* call) {
    if (2 * (count_ + 1) > calls_.size()) grow();
    put(call);
    ++count_;
  }

 private:
  std::size_t slot_of(Handle carrier) const {
    return (carrier * 0x9E3779B97F4A7C15u >> 32) % calls_.size();
  }
  void put(NonblockingCall* call) {
    std::size_t slot = slot_of(call->carrier);
    while (calls_[slot] != nullptr) slot = (slot + 1) % calls_.size();
    calls_[slot] = call;
  }
  void grow() {
    const std::vector<NonblockingCall*> before = std::exchange(
        calls_, std::vector<NonblockingCall*>(std::max<std::size_t>(64, 2 * calls_.size())));
    for (NonblockingCall* const call : before)
      if (call != nullptr) put(call);
  }

  std::vector<NonblockingCall*> calls_;
  std::size_t count_ = 0;
};

/// The calls of this process.
struct Calls {
  CallsByCarrier by_carrier;
  NonblockingCall* first_free = nullptr;
  std::vector<NonblockingLane*> busy;  ///< lanes with calls that are not over
  std::uint32_t lanes_behind = 0;
  std::condition_variable* helper_wakeup = nullptr;  ///< null: there is none
  bool helper_sleeps = false, helper_is_woken = false;
};

/// Never destroys them: programs may call until they have ended.
union Undestroyed {
  constexpr Undestroyed() : calls() {}
  ~Undestroyed() {}
  Calls calls;
};
constinit Undestroyed undestroyed;

Calls& calls() {
  return undestroyed.calls;
}

/// Whether there are calls that the helper goes on with.
bool has_work_for_helper() {
  return progress_setting().is_wanted ? !calls().busy.empty() : calls().lanes_behind > 0;
}

/// Pauses briefly where the helper goes on with all calls; otherwise naps.
void let_helper_rest() {
  if (progress_setting().is_wanted) {
    for (int i = 0; i < kPausesBetweenLooks; ++i) pause();
    sched_yield();  // others may have been given the same core
  } else {
    const timespec nap{0, kHelperNapNs};
    nanosleep(&nap, nullptr);
  }
}

void bind_helper() {
  if (!progress_setting().is_wanted) return;
  PuSet pus = progress_setting().pus;
  if (pus.empty())  // the thread that has started this one may be bound to a part of the rank's
    if (const Result<PuSet> own = binding_of_this_process(); own.ok()) pus = own.value();
  if (pus.empty()) return;
  if (const Result<bool> bound = bind_this_thread(pus); !bound)
    say_once("TERRACE_PROGRESS: " + bound.error().sentence +
             "; the thread that goes on with nonblocking calls runs where the rank does");
}

/// Puts the helper, which has found no work, to sleep. The program's thread needs no lock
/// meanwhile.
void sleep_until_woken(std::unique_lock<std::mutex>& lock) {
  TERRACE_ASSERT(!has_work_for_helper());
  Calls& all = calls();
  all.helper_is_woken = false;
  all.helper_sleeps = true;
  LanesLock::need_no_longer();
  all.helper_wakeup->wait(lock, [&all] { return all.helper_is_woken; });
  all.helper_sleeps = false;
}

/// Goes on with calls that peers may wait for while this rank's program is elsewhere, or with all,
/// where that is wanted. It calls nothing of the MPI's, and nothing of the program's.
void* help(void*) {
  bind_helper();
  std::unique_lock lock(LanesLock::mutex());
  const int most = progress_setting().is_wanted ? kLooksBeforeSleep : kNapsBeforeSleep;
  for (int without_work = 0;; ++without_work) {
    if (without_work == most) {
      sleep_until_woken(lock);
      without_work = 0;
    }
    lock.unlock();
    let_helper_rest();
    lock.lock();
    if (!has_work_for_helper()) continue;
    without_work = 0;
    go_on_with_all();
  }
}

/// Starts the helper, or wakes it if it sleeps: then the lock is needed. If no thread can be
/// started, calls go on when the program comes by.
void wake_helper() {
  Calls& all = calls();
  if (all.helper_wakeup != nullptr) {
    if (!all.helper_sleeps) return;
    LanesLock::need();
    all.helper_is_woken = true;
    all.helper_wakeup->notify_one();
    return;
  }
  all.helper_wakeup = new std::condition_variable;
  LanesLock::need();
  pthread_t thread;
  if (start_own_thread(thread, nullptr, &help, nullptr)) pthread_detach(thread);
}

/// Whether peers may wait for something of this rank that it could not send yet.
void note_whether_behind(NonblockingLane& lane) {
  const NonblockingCall* const first = lane.first_call;
  const bool is_behind =
      first != nullptr &&
      (first != lane.last_call || first->stage == NonblockingCall::Stage::queued ||
       lane.endpoint->owes() || (first->buffers && first->buffers->may_be_awaited()));
  if (is_behind == lane.is_behind) return;
  lane.is_behind = is_behind;
  calls().lanes_behind += is_behind ? 1 : -1u;
  if (is_behind) wake_helper();
}

void append(NonblockingLane& lane, NonblockingCall& call) {
  if (lane.first_call == nullptr) calls().busy.push_back(&lane);
  (lane.first_call == nullptr ? lane.first_call : lane.last_call->next) = &call;
  lane.last_call = &call;
  if (progress_setting().is_wanted) wake_helper();
}

/// Waits a little for rank 0 to decide how such calls are run: it mostly does so within
/// microseconds.
void await_decision(NonblockingCall& call) {
  if (call.decision == nullptr) return;
  const std::uint64_t begin = ticks();
  while (!call.team->lanes->is_known(*call.decision) && ticks() - begin < kTicksForDecision)
    call.lane->wait_environment.yield();
}

/// Ends the job, in which this rank and rank 0 would wait for each other in different lanes.
void end_for_other_calls(const NonblockingCall& call) {
  MpiWaitEnvironment& wait_environment = call.lane->wait_environment;
  say("rank " + std::to_string(wait_environment.rank()) + " of " +
      std::to_string(call.team->memory.rank_count()) + " of a communicator starts " +
      to_text(call.arguments.collective) + " of " +
      std::to_string(bytes_of(call.arguments.elements)) +
      " bytes where rank 0 starts another nonblocking collective. All ranks of a communicator must "
      "make the same calls in the same order. Ending the job (with TERRACE=off, these calls fall "
      "back to the MPI)");
  wait_environment.underlying().end_job();
}

void make(const CallArguments& part, TeamEndpoint& endpoint) {
  if (part.edges != nullptr)
    endpoint.move_along_edges(part.edges->programs, part.edges->blocks);
  else if (part.blocks == nullptr)
    endpoint.make_call(part.collective, part.input, part.output, part.elements, part.root);
  else if (part.lengths != nullptr)
    endpoint.tell_lengths(part.collective, *part.blocks, true, part.root, *part.lengths);
  else if (combines(part.collective))
    endpoint.reduce_scatter(part.blocks->input, *part.blocks->output, part.elements);
  else
    endpoint.move_blocks(part.collective, *part.blocks, part.elements.count, part.root);
}

/// Starts a part of a call. Blocked and still queued: rank 0 has not decided yet.
Progress start(NonblockingCall& call) {
  if (call.decision != nullptr) {
    if (!call.team->lanes->is_known(*call.decision)) return Progress::blocked;
    if (call.decision->is_of_others) end_for_other_calls(call);
    NonblockingLanes::apply(*call.decision, *call.lane);
  }
  call.stage = NonblockingCall::Stage::started;
  call.lane->wait_environment.begin();
  return call.lane->endpoint->start(
      [&](TeamEndpoint& endpoint) { make(call.arguments, endpoint); });
}

void put_to_free(NonblockingCall& call) {
  call.stage = NonblockingCall::Stage::free;
  if (std::exchange(call.is_persistent, false)) call.prepared = {};
  if (call.buffers) call.buffers->is_held = false;
  call.buffers.reset();
  call.check.reset();
  call.decision.reset();
  call.next = std::exchange(calls().first_free, &call);
}

/// The first call of a lane is over, or only a part of it: then the next is queued.
void end_first(NonblockingLane& lane, Progress progress) {
  NonblockingCall& call = *lane.first_call;
  TERRACE_ASSERT(call.stage == NonblockingCall::Stage::started && progress != Progress::blocked);
  if (progress == Progress::done && call.buffers && call.buffers->go_on(call.arguments)) {
    call.stage = NonblockingCall::Stage::queued;
    call.decision.reset();
    return;
  }
  if (progress != Progress::done && !lane.wait_environment.has_told_mismatch())
    complain_of_overrun();
  lane.first_call = call.next;
  call.next = nullptr;
  if (lane.first_call == nullptr) {
    lane.last_call = nullptr;
    std::vector<NonblockingLane*>& busy = calls().busy;
    *std::find(busy.begin(), busy.end(), &lane) = busy.back();
    busy.pop_back();
  }
  call.stage = NonblockingCall::Stage::over;
}

void go_on(NonblockingLane& lane) {
  if (lane.is_claimed) return;
  while (lane.first_call != nullptr) {
    NonblockingCall& first = *lane.first_call;
    const Progress progress =
        first.stage == NonblockingCall::Stage::queued ? start(first) : lane.endpoint->advance();
    if (progress == Progress::blocked) break;
    end_first(lane, progress);
  }
  note_whether_behind(lane);
}

/// Drops teams whose communicators were freed, when the program has completed all their calls.
void drop_left_teams() {
  std::erase_if(left_teams(), [](const auto& one) {
    if (one->lanes->requests > 0) return false;
    one->wait_environment.end_life();
    return true;
  });
}

/// Goes on with all calls, and sleeps on what one of them awaits, if it must.
class Going final : public Condition {
 public:
  Going(NonblockingCall& one, const std::function<bool()>& is_met) : one_(one), is_met_(is_met) {}
  bool holds() noexcept override {
    {
      const LanesLock lock;
      go_on_with_all();
    }
    return is_met_();
  }
  WaitTarget missing() noexcept override {
    const LanesLock lock;
    NonblockingLane& lane = *one_.lane;
    lane.wait_environment.await_start(!lane.endpoint->has_started());
    if (lane.endpoint->has_started()) return lane.endpoint->missing();
    ProgressWord& word = *lane.memory.ranks[lane.wait_environment.rank()].word;
    return {&word.value, &word.sleepers};
  }

 private:
  NonblockingCall& one_;
  const std::function<bool()>& is_met_;
};

}  // namespace

NonblockingCall* call_of(Handle request) {
  NonblockingCall* const call = calls().by_carrier.find(request);
  return call != nullptr && call->stage != NonblockingCall::Stage::free ? call : nullptr;
}

namespace {

void count_requests(std::uint32_t more) {
  // relaxed, both: written under the lock, or by the only thread. Partner: `has_requests`.
  requests_given.store(requests_given.load(std::memory_order_relaxed) + more,
                       std::memory_order_relaxed);
}

NonblockingCall& new_request(UnderlyingMpi& underlying) {
  Calls& all = calls();
  if (all.first_free == nullptr) {
    auto* const made = new NonblockingCall;
    // One of the MPI's, as long as it has any: then the program may do all with it that MPI allows.
    made->carrier =
        underlying.new_carrier().value_or(reinterpret_cast<Handle>(made) & underlying.handle_bits);
    all.by_carrier.insert(made);
    all.first_free = made;
  }
  NonblockingCall& call = *std::exchange(all.first_free, all.first_free->next);
  call.next = nullptr;
  call.team = nullptr;
  call.lane = nullptr;
  count_requests(1);
  return call;
}

}  // namespace

NonblockingCall& new_call(UnderlyingMpi& underlying, Team& team, NonblockingLane& lane,
                          std::size_t bytes) {
  NonblockingCall& call = new_request(underlying);
  call.team = &team;
  call.lane = &lane;
  ++team.lanes->requests;
  team.lanes->count_start(bytes);
  append(lane, call);
  return call;
}

NonblockingCall& new_call_that_is_over(UnderlyingMpi& underlying) {
  NonblockingCall& call = new_request(underlying);
  call.stage = NonblockingCall::Stage::over;
  return call;
}

NonblockingCall& new_persistent_call(UnderlyingMpi& underlying, Team& team, NonblockingLane* lane,
                                     const CallArguments& arguments) {
  NonblockingCall& call = new_request(underlying);
  call.stage = NonblockingCall::Stage::inactive;
  call.is_persistent = true;
  call.arguments = arguments;
  call.team = &team;
  call.lane = lane;
  ++team.lanes->requests;
  return call;
}

void hold(NonblockingCall& call, std::shared_ptr<CallBuffers> buffers) {
  TERRACE_ASSERT(call.buffers == nullptr && (buffers == nullptr || !buffers->is_held));
  call.buffers = std::move(buffers);
  if (call.buffers) call.buffers->is_held = true;
}

void start_again(NonblockingCall& call) {
  TERRACE_ASSERT(call.is_persistent && call.stage == NonblockingCall::Stage::inactive);
  if (call.lane == nullptr) {
    call.stage = NonblockingCall::Stage::over;
    return;
  }
  NonblockingLane& lane = *call.lane;
  TERRACE_ASSERT(lane.first_call == nullptr);  // the lane is this call's own
  append(lane, call);
  TeamEndpoint& endpoint = *lane.endpoint;
  const CallArguments& arguments = call.arguments;
  const bool is_made_anew = arguments.edges != nullptr || arguments.lengths != nullptr;
  if (is_made_anew || call.prepared.prepared == nullptr ||
      !call.prepared.may_be_repeated(endpoint)) {
    begin(call, CallArguments(arguments));
    if (!is_made_anew && call.stage != NonblockingCall::Stage::queued) call.prepared.note(endpoint);
    return;
  }
  const void* input = arguments.input;
  void* output = arguments.output;
  endpoint.number_own_block(arguments.collective, input, output, bytes_of(arguments.elements));
  lane.wait_environment.begin();
  note_start(call, endpoint.start(*call.prepared.prepared, input, output));
}

void begin(NonblockingCall& call, const CallArguments& arguments) {
  call.arguments = arguments;
  call.stage = NonblockingCall::Stage::queued;
  if (call.lane->first_call == &call) await_decision(call);
  go_on(*call.lane);
}

void note_start(NonblockingCall& call, Progress progress) {
  NonblockingLane& lane = *call.lane;
  TERRACE_ASSERT(lane.first_call == &call && lane.last_call == &call);
  call.stage = NonblockingCall::Stage::started;
  if (progress != Progress::blocked) end_first(lane, progress);
  note_whether_behind(lane);
}

void go_on_with_all() {
  // Calls that are over take their lanes off the list.
  for (std::size_t i = calls().busy.size(); i-- > 0;)
    if (i < calls().busy.size()) go_on(*calls().busy[i]);
}

void release(NonblockingCall& call) {
  TERRACE_ASSERT(call.stage == NonblockingCall::Stage::over ||
                 call.stage == NonblockingCall::Stage::inactive);
  count_requests(-1u);
  if (call.team != nullptr) --call.team->lanes->requests;
  put_to_free(call);
  if (!left_teams().empty()) drop_left_teams();
}

namespace {

/// A wait for a started call, which is recorded, where that is wanted.
class RecordedWait {
 public:
  explicit RecordedWait(NonblockingLane& lane)
      : lane_(lane), begin_ns_(lane.records ? lane.wait_environment.now_ns() : 0) {
    if (!lane.records) return;
    const LanesLock lock;
    awaited_ = lane.endpoint->awaited();
  }
  ~RecordedWait() {
    if (lane_.records) lane_.records->waited(awaited_, begin_ns_, lane_.wait_environment.now_ns());
  }
  RecordedWait(const RecordedWait&) = delete;
  RecordedWait& operator=(const RecordedWait&) = delete;

 private:
  NonblockingLane& lane_;
  std::uint64_t begin_ns_;
  std::optional<Rank> awaited_;
};

/// Result of a claim on a call's lane.
enum class LaneClaim : std::uint8_t {
  not_needed,  ///< the call is over
  claimed,     ///< the waiting thread alone goes on with the lane, until `end_claim`
  refused,     ///< the waiting thread goes on with all calls, as the helper may
};

/// Claims the lane of a started call that is its lane's first, so that the helper leaves it alone.
/// Refuses if the program has threads, or another lane is behind. Prefetches the lines that other
/// lanes await.
LaneClaim claim_lane(NonblockingCall& call) {
  const LanesLock lock;
  if (call.stage == NonblockingCall::Stage::over) return LaneClaim::not_needed;
  NonblockingLane& lane = *call.lane;
  lane.is_claimed = !lane.wait_environment.underlying().has_threads() &&
                    calls().lanes_behind == (lane.is_behind ? 1 : 0) && lane.first_call == &call &&
                    lane.endpoint->has_started();
  if (!lane.is_claimed) return LaneClaim::refused;
  for (const NonblockingLane* const other : calls().busy)
    if (other != &lane) other->endpoint->prefetch_awaited();
  return LaneClaim::claimed;
}

/// Ends the claim when the lane's first call, or a part of it, has ended with `progress`. Returns
/// whether the call is over.
bool end_claim(NonblockingCall& call, Progress progress) {
  const LanesLock lock;
  NonblockingLane& lane = *call.lane;
  lane.is_claimed = false;
  end_first(lane, progress);
  go_on(lane);
  return call.stage == NonblockingCall::Stage::over;
}

}  // namespace

/// Waits as blocking calls do, if it may leave all other calls alone.
void wait_for(NonblockingCall& call) {
  const auto is_over = [&call] {
    const LanesLock lock;
    return call.stage == NonblockingCall::Stage::over;
  };
  for (;;) {
    const LaneClaim claim = claim_lane(call);
    if (claim == LaneClaim::refused) return wait_while_going_on(call, is_over);
    if (claim == LaneClaim::not_needed) break;
    const RecordedWait recorded(*call.lane);
    const bool is_done = call.lane->endpoint->complete();
    if (end_claim(call, is_done ? Progress::done : Progress::overrun)) break;
  }
  owe_progress();
}

void wait_while_going_on(NonblockingCall& one, const std::function<bool()>& is_met) {
  const RecordedWait recorded(*one.lane);
  Going going(one, is_met);
  wait_until(going, one.lane->waiting, one.lane->wait_environment);
  owe_progress();
}

void wait_for_calls_on(UnderlyingMpi& underlying, Handle communicator) {
  const CommState* const comm_state = comm_state_of(underlying, communicator);
  if (comm_state == nullptr) return;
  if (comm_state->setup) comm_state->setup->end_in_mpi();
  if (comm_state->team == nullptr || !comm_state->team->lanes) return;
  const Team& team = *comm_state->team;
  for (;;) {
    NonblockingCall* one = nullptr;
    const auto is_over = [&one] {
      const LanesLock lock;
      return one->stage == NonblockingCall::Stage::over;
    };
    {
      const LanesLock lock;
      go_on_with_all();
      for (NonblockingLane* const lane : calls().busy)
        if (lane->first_call->team == &team) one = lane->first_call;
    }
    if (one == nullptr) return;
    wait_while_going_on(*one, is_over);
  }
}

}  // namespace terrace::preload
