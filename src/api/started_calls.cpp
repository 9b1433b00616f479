// SPDX-License-Identifier: BSD-3-Clause
// Starts calls in their lanes, goes on with them, and waits for them.
#include "api/started_calls.hpp"

#include <new>
#include <utility>

#include "api/failures.hpp"
#include "base/contract.hpp"
#include "base/pause.hpp"

namespace terrace {

RankLane::RankLane(RankCalls& calls) : calls_(calls) {}

RankLane::~RankLane() {
  TERRACE_ASSERT(is_idle());
}

void RankLane::arrive(std::shared_ptr<SharedLane> shared) {
  TERRACE_ASSERT(shared_ == nullptr && shared != nullptr);
  shared_ = std::move(shared);
  shared_->arrive(calls_.rank());
  wait_environment_.report_for(calls_.team(), calls_.rank());
}

void RankLane::enqueue(StartedCall& call) {
  TERRACE_ASSERT(shared_ != nullptr && call.state == CallState::pending);
  call.next = nullptr;
  if (is_abandoned_) {
    call.state = CallState::over;
    call.outcome = CallOutcome::broken;
    return;
  }
  if (first_ != nullptr) {
    last_ = last_->next = &call;
    return;
  }
  first_ = last_ = &call;
  calls_.note_busy(*this);
  advance();
}

void RankLane::end_first(CallOutcome outcome) {
  StartedCall& call = *first_;
  call.outcome = outcome;
  call.state = CallState::over;
  first_ = call.next;
  if (first_ == nullptr) calls_.note_idle(*this);
}

void RankLane::abandon() noexcept {
  is_abandoned_ = true;
  is_calling_ = false;
  while (first_ != nullptr) end_first(CallOutcome::broken);
}

void RankLane::advance() noexcept {
  while (first_ != nullptr) {
    const Progress progress = is_calling_ ? endpoint_->advance() : begin_next();
    if (progress == Progress::blocked) return;
    is_calling_ = false;
    if (progress != Progress::done) return abandon();
    if (ends_with(*first_)) end_first(first_->outcome);
  }
}

/// Whether the call is over with what the endpoint has done. It is not if the ranks' arguments have
/// been compared, and are alike.
bool RankLane::ends_with(StartedCall& call) {
  if (call.is_compared || call.requests.empty()) return true;
  call.is_compared = true;
  if (first_difference(call.requests) == 0) return false;
  call.outcome = CallOutcome::differing;
  return true;
}

/// Begins the first call; without memory for it, at the next look.
Progress RankLane::begin_next() noexcept {
  try {
    if (!open()) return Progress::blocked;
    const Progress progress = begin(*first_);
    is_calling_ = progress == Progress::blocked;
    return progress;
  } catch (const std::bad_alloc&) {
    return Progress::blocked;
  }
}

/// Takes the endpoint, if all ranks have arrived.
bool RankLane::open() {
  if (endpoint_ != nullptr) return true;
  if (!shared_->is_ready()) return false;
  wait_environment_.report_for(calls_.team(), calls_.rank(), &shared_->memory());
  if (records_ == nullptr) records_ = calls_.team().endpoint_recorder(calls_.rank());
  endpoint_ = calls_.team().lane_endpoint(calls_.rank(), shared_->memory(), wait_environment_,
                                          records_.get());
  return endpoint_ != nullptr;
}

Progress RankLane::begin(StartedCall& call) {
  shared_->findings.settle(team_calls_, calls_.published(), *endpoint_);
  if (call.requests.empty() || call.is_compared) return begin_checked(call.arguments);
  const CheckedCall& request = call.arguments.request;
  return endpoint_->start(
      [&](TeamEndpoint& its) { its.allgather(&request, call.requests.data(), sizeof request); });
}

Progress RankLane::begin_checked(const ThreadCallArguments& arguments) {
  const CheckedCall& request = arguments.request;
  const void* input = arguments.input;
  void* output = arguments.output;
  endpoint_->number_own_block(request.collective, input, output, arguments.elements.count);
  const bool is_in_place = input == output;
  if (last_call_.prepared != nullptr && last_call_.version == endpoint_->prepared_version() &&
      last_call_.request == request && last_call_.is_in_place == is_in_place)
    return endpoint_->start(*last_call_.prepared, input, output);
  const Progress progress = endpoint_->start([&](TeamEndpoint& its) {
    its.make_call(request.collective, arguments.input, arguments.output, arguments.elements,
                  request.root);
  });
  last_call_ = {request, is_in_place, endpoint_->last_prepared(), endpoint_->prepared_version()};
  return progress;
}

WaitTarget RankLane::missing() {
  return is_calling_ ? endpoint_->missing() : shared_->arrivals();
}

ThreadCalls& ThreadCalls::here() {
  static thread_local ThreadCalls calls;
  return calls;
}

ThreadCalls::~ThreadCalls() {
  while (first_ != nullptr) {
    first_->rank_calls().lose_thread();
    remove(*first_);
  }
}

void ThreadCalls::add(RankLane& lane) {
  lane.previous_of_thread_ = nullptr;
  lane.next_of_thread_ = first_;
  if (first_ != nullptr) first_->previous_of_thread_ = &lane;
  first_ = &lane;
  ++busy_lanes_;
}

void ThreadCalls::remove(RankLane& lane) {
  TERRACE_ASSERT(busy_lanes_ > 0);
  RankLane* const next = lane.next_of_thread_;
  RankLane* const previous = lane.previous_of_thread_;
  (previous != nullptr ? previous->next_of_thread_ : first_) = next;
  if (next != nullptr) next->previous_of_thread_ = previous;
  --busy_lanes_;
}

void ThreadCalls::advance_all() noexcept {
  for (RankLane* lane = first_; lane != nullptr;) {
    RankLane* const next = lane->next_of_thread_;  // the lane may leave the list
    lane->advance();
    lane = next;
  }
}

void ThreadCalls::prefetch_awaited() const {
  for (const RankLane* lane = first_; lane != nullptr; lane = lane->next_of_thread_)
    lane->prefetch_awaited();
}

bool RankCalls::take_over() {
  if (busy_lanes_ == 0) return true;
  ThreadCalls& here = ThreadCalls::here();
  if (thread_ != nullptr) return thread_ == &here;
  thread_ = &here;
  for_each_lane([&](RankLane& lane) {
    if (!lane.is_idle()) here.add(lane);
  });
  return true;
}

void RankCalls::note_busy(RankLane& lane) {
  if (busy_lanes_++ == 0) {
    thread_ = &ThreadCalls::here();
    team_.note_pending(rank_, true);
  }
  thread_->add(lane);
}

void RankCalls::note_idle(RankLane& lane) {
  TERRACE_ASSERT(thread_ == &ThreadCalls::here() && busy_lanes_ > 0);
  thread_->remove(lane);
  if (--busy_lanes_ != 0) return;
  thread_ = nullptr;
  team_.note_pending(rank_, false);
}

terrace_status RankCalls::arrive() {
  const RankSlot& rank_slot = team_.rank_slot(rank_);
  if (has_arrived_ && !rank_slot.is_broken) return TERRACE_OK;
  const Result<bool> arrived = team_.arrive(rank_);
  if (!arrived) return fail(arrived.error(), TERRACE_ERR_BROKEN);
  has_arrived_ = true;
  return TERRACE_OK;
}

template <class Visit>
void RankCalls::for_each_lane(const Visit& visit) {
  for (const auto& lane : lanes_)
    if (lane != nullptr) visit(*lane);
  for (const StartedCall& call : records_)
    if (call.own_lane != nullptr) visit(*call.own_lane);
}

/// Makes sure that there is an unused record.
void RankCalls::reserve_record() {
  if (unused_ != nullptr) return;
  StartedCall& call = records_.emplace_back();
  call.rank_calls = this;
  unused_ = &call;
  if (team_.checks_calls()) call.requests.resize(team_.rank_count());
}

StartedCall& RankCalls::take(const ThreadCallArguments& arguments) {
  StartedCall& call = *unused_;
  unused_ = call.next;
  call.arguments = arguments;
  call.state = CallState::inactive;
  team_.rank_slot(rank_).count_open_calls(1);
  return call;
}

/// At the first call, the rank arrives in all lanes: where a peer has not, a call cannot begin.
RankLane& RankCalls::next_lane() {
  for (std::size_t number = 0; lanes_.back() == nullptr; ++number) {
    if (lanes_[number] != nullptr) continue;
    auto made = std::make_unique<RankLane>(*this);
    made->arrive(team_.lanes().lane(number));
    lanes_[number] = std::move(made);
  }
  return *lanes_[started_ % kLanes];
}

StartedCall& RankCalls::start(const ThreadCallArguments& arguments) {
  reserve_record();
  RankLane& lane = next_lane();
  ++started_;
  StartedCall& call = take(arguments);
  start_in(lane, call);
  return call;
}

StartedCall& RankCalls::prepare(const ThreadCallArguments& arguments) {
  reserve_record();
  auto lane = std::make_unique<RankLane>(*this);
  lane->arrive(team_.lanes().lane_of_prepared(prepared_));
  ++prepared_;
  StartedCall& call = take(arguments);
  call.own_lane = std::move(lane);
  return call;
}

void RankCalls::give_back(StartedCall& call) {
  TERRACE_ASSERT(call.rank_calls == this && call.state != CallState::pending);
  call.own_lane.reset();
  call.lane = nullptr;
  call.state = CallState::unused;
  call.next = std::exchange(unused_, &call);
  team_.rank_slot(rank_).count_open_calls(-1);
}

void RankCalls::start_again(StartedCall& call) {
  TERRACE_ASSERT(call.own_lane != nullptr && call.state == CallState::inactive);
  start_in(*call.own_lane, call);
}

void RankCalls::start_in(RankLane& lane, StartedCall& call) {
  if (const TeamEndpoint* const blocking = team_.rank_slot(rank_).endpoint.get())
    published_.publish(*blocking);
  call.lane = &lane;
  call.outcome = CallOutcome::done;
  call.is_compared = false;
  call.state = CallState::pending;
  lane.enqueue(call);
}

/// Looks at all lanes while this thread waits for one call; in vain if another rank has found the
/// team broken.
class RankCalls::Waiting final : public Condition {
 public:
  Waiting(ThreadCalls& here, StartedCall& call) : here_(here), call_(call) {
    here_.waits_for_one = true;
  }
  ~Waiting() { here_.waits_for_one = false; }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

  bool holds() noexcept override {
    if (here_.has_others())
      here_.advance_all();
    else
      call_.lane->advance();
    return call_.state == CallState::over || is_in_vain_;
  }
  WaitTarget missing() noexcept override { return call_.lane->missing(); }
  void waits_long(std::uint32_t) noexcept override {
    is_in_vain_ = call_.rank_calls->team().is_broken();
  }

 private:
  ThreadCalls& here_;
  StartedCall& call_;
  bool is_in_vain_ = false;
};

bool RankCalls::test(StartedCall& call) {
  TERRACE_ASSERT(call.state == CallState::pending && thread_ != nullptr);
  ThreadCalls& here = *thread_;
  here.advance_all();
  if (call.state == CallState::over) {
    backoff_.renew();
    return true;
  }
  if (team_.is_broken()) {
    abandon();
    return true;
  }
  if (team_.spins() || !backoff_.ends()) return false;
  Waiting waiting(here, call);
  yield_cpu(waiting, team_.waiting(), call.lane->wait_environment());
  return call.state == CallState::over;
}

void RankCalls::wait(StartedCall& call) {
  TERRACE_ASSERT(call.state == CallState::pending && thread_ != nullptr);
  RankLane& lane = *call.lane;
  lane.wait_recorded([&] {
    if (looks_until_over(call)) return;
    Waiting waiting(*thread_, call);
    wait_until(waiting, team_.waiting(), lane.wait_environment());
  });
  if (call.state == CallState::pending) abandon();
}

/// Fetches what all lanes await, then looks at this call for about as long as a line takes, if the
/// thread has a core of its own. Whether it is over then.
bool RankCalls::looks_until_over(StartedCall& call) {
  constexpr int kLooks = 64;
  if (thread_->busy_lanes() > 1) thread_->prefetch_awaited();
  call.lane->advance();
  for (int looks = 1; team_.spins() && looks < kLooks && call.state == CallState::pending;
       ++looks) {
    pause();
    call.lane->advance();
  }
  return call.state == CallState::over;
}

void RankCalls::abandon() noexcept {
  for_each_lane([](RankLane& lane) { lane.abandon(); });
}

}  // namespace terrace
