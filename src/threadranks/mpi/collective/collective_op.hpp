// SPDX-License-Identifier: BSD-3-Clause
// How a collective runs: blocking, nonblocking or persistent.
#pragma once

#include <memory>

#include "threadranks/mpi/adapter.hpp"
#include "threadranks/mpi/collective/blocks.hpp"
#include "threadranks/mpi/collective/intercomm_collectives.hpp"
#include "threadranks/ranks/spanning_call.hpp"

namespace terrace::threadranks::mpi {

// A collective op is set up, makes one call after the other on an endpoint, and is finished:
//   bool has_call()           whether another call remains
//   bool call(Endpoint&)      makes it, on a TeamEndpoint or a SpanningCall; false: the members'
//                             calls do not match
//   void finish()             after the last call
//   std::string truncation()  if a block may be too long for its buffer: which one, or ""
//   Collective collective()   if Terrace's algorithms run it: what is counted
//   std::size_t bytes()       and of how many bytes
//   void restart()            if it may be persistent: reads the buffers anew, for the same calls
//   void note(Communicator&, const TeamEndpoint&)
//                             optional: stores, after `finish`, what `Repetition` needs to repeat
//                             the call
//   bool start_again(Communicator&, StartedCollective&)
//                             optional: starts a persistent one as it was prepared

inline int mismatched(Caller& caller) {
  return caller.fail(MPI_ERR_INTERN, "the members' calls do not match");
}

/// The truncation of a finished collective op; "": none.
template <class Work>
std::string truncation_of(const Work& work) {
  if constexpr (requires { work.truncation(); }) return work.truncation();
  return "";
}

/// Counts a finished collective op, for MPI_T and the report.
template <class Work>
void count_run(Communicator& communicator, const Work& work, bool had_work) {
  if constexpr (requires { work.collective(); }) {
    const std::size_t bytes = had_work ? work.bytes() : 0;
    // Vector collectives without bytes end before their call.
    const bool has_run = had_work && (bytes > 0 || work.collective() == Collective::barrier);
    communicator.count_run(work.collective(), bytes, has_run);
  }
}

/// A collective op in progress.
template <class Work>
class PendingOp final : public Operation {
 public:
  bool advance(Communicator& on) override {
    if (!has_work) {
      count_run(on, work, false);
      return true;
    }
    TeamEndpoint* const endpoint = on.endpoint_if_founded();
    if (endpoint == nullptr) return false;
    while (is_calling_ || work.has_call()) {
      const Progress progress = is_calling_ ? go_on(*endpoint) : start_call(on, *endpoint);
      is_calling_ = progress == Progress::blocked;
      if (is_calling_) return false;
      spanning_.reset();
      if (progress != Progress::done) on.end_mismatched();
    }
    work.finish();
    count_run(on, work, true);
    if constexpr (requires { work.note(on, *endpoint); })
      if (!on.spans()) work.note(on, *endpoint);
    if (!truncation_of(work).empty()) outcome = Completion::truncated;
    return true;
  }
  void restart() override {
    if constexpr (requires { work.restart(); })
      if (has_work) work.restart();
  }
  bool start_again(Communicator& on, StartedCollective& started) override {
    if constexpr (requires { work.start_again(on, started); })
      return has_work && work.start_again(on, started);
    return false;
  }

  Work work;
  bool has_work = false;

 private:
  Progress start_call(Communicator& on, TeamEndpoint& endpoint) {
    on.settle_findings();
    if (!on.spans()) return endpoint.start([this](TeamEndpoint& its) { work.call(its); });
    spanning_ = std::make_unique<SpanningCall>(on, endpoint);
    work.call(*spanning_);
    return spanning_->advance();
  }
  Progress go_on(TeamEndpoint& endpoint) {
    return spanning_ ? spanning_->advance() : endpoint.advance();
  }

  bool is_calling_ = false;
  std::unique_ptr<SpanningCall> spanning_;  ///< where members are in several processes
};

// Ways to make a collective op. `set_up(caller, work)` is false after an error, or if there is
// nothing to do.

/// The outcome of a finished collective op, for its caller.
template <class Work>
int outcome_of(Caller& caller, const Work& work) {
  const std::string truncation = truncation_of(work);
  return truncation.empty() ? MPI_SUCCESS : caller.fail(MPI_ERR_TRUNCATE, truncation);
}

/// Makes a collective call whose members are in several processes: they wait for what comes from
/// there as for any message.
template <class Work, class SetUp>
int make_across_processes(Caller& caller, SetUp&& set_up) {
  const auto operation = std::make_shared<PendingOp<Work>>();
  operation->has_work = set_up(caller, operation->work);
  if (caller.error()) return caller.error();
  caller.communicator().enqueue(operation);
  caller.state().wait([&] { return operation->is_over; });
  return outcome_of(caller, operation->work);
}

template <class Work, class SetUp>
int make_at_once(Caller& caller, SetUp&& set_up) {
  if (!caller.error() && caller.communicator().spans())
    return make_across_processes<Work>(caller, set_up);
  Work work;
  if (!set_up(caller, work)) {
    if (!caller.error()) count_run(caller.communicator(), work, false);
    return caller.error();
  }
  TeamEndpoint& endpoint = caller.communicator().endpoint();
  const auto call = [&] {
    const Unlocked unlocked(caller.state().call_lock());
    return work.call(endpoint);
  };
  while (work.has_call())
    if (!call()) return mismatched(caller);
  work.finish();
  caller.communicator().publish_findings();
  count_run(caller.communicator(), work, true);
  if constexpr (requires { work.note(caller.communicator(), endpoint); })
    work.note(caller.communicator(), endpoint);
  return outcome_of(caller, work);
}

template <class Work, class SetUp>
std::shared_ptr<Operation> operation_for(Caller& caller, SetUp&& set_up) {
  const auto operation = std::make_shared<PendingOp<Work>>();
  operation->has_work = set_up(caller, operation->work);
  return operation;
}

/// A request for an operation, which begins at once.
int begin(Caller& caller, std::shared_ptr<Operation> operation, MPI_Request* handle);
/// A request for a call that a lane starts as it is prepared. `edges`: its blocks, of a
/// neighbourhood collective.
void begin_in(Communicator& lane, Communicator& communicator, TeamEndpoint::PreparedCall& prepared,
              const EdgeBlocks& edges, MPI_Request* handle);
/// A persistent request for an operation, which begins each time it is started.
int prepare(const Caller& caller, std::shared_ptr<Operation> operation, MPI_Request* handle);

// The same for collectives, which intercommunicators run in another way.

/// Runs a blocking call as the last one like it was prepared.
class RepeatedCall {
 public:
  explicit RepeatedCall(Communicator& communicator) : communicator_(communicator) {}

  /// Returns the communicator whose team runs it.
  Communicator& on() const { return communicator_; }
  bool is_possible(const LastCall& last, TeamEndpoint& endpoint) const {
    return last.may_be_repeated(endpoint);
  }
  void run(const LastCall& last, TeamEndpoint& endpoint, const void* input, void* output) {
    is_matched_ = endpoint.repeat(*last.prepared, input, output);
  }
  /// Whether the members' calls match.
  bool is_matched() const { return is_matched_; }

 private:
  Communicator& communicator_;
  bool is_matched_ = true;
};

/// Starts a nonblocking call as the last one like it was prepared.
class StartedAgain {
 public:
  StartedAgain(Communicator& communicator, Communicator& on, MPI_Request* handle)
      : communicator_(communicator), on_(on), handle_(handle) {}

  Communicator& on() const { return on_; }
  bool is_possible(const LastCall& last, TeamEndpoint& endpoint) const {
    return last.version == endpoint.prepared_version();
  }
  void run(const LastCall& last, TeamEndpoint&, const void* input, void* output);

 private:
  Communicator& communicator_;
  Communicator& on_;
  MPI_Request* handle_;
};

/// Returns the communicator of a handle if calls on it may take a hot path; otherwise null.
inline Communicator* on_hot_path(MPI_Comm comm) {
  Communicator* const communicator = communicator_of(comm);
  const bool is_plain = communicator != nullptr && !communicator->state().call_lock().is_needed() &&
                        communicator->state().may_call();
  return is_plain ? communicator : nullptr;
}

/// The hot path: repeats a call like the last one of its collective. False: it is another call.
template <class Work, class SetUp>
bool is_made_again(const char* function, MPI_Comm comm, SetUp&& set_up, int& error) {
  if constexpr (requires { typename Work::template Repetition<RepeatedCall>; }) {
    Communicator* const communicator = on_hot_path(comm);
    if (communicator == nullptr) return false;
    RepeatedCall call(*communicator);
    typename Work::template Repetition<RepeatedCall> repetition(call, function);
    if (!set_up(repetition, repetition)) return false;
    if (call.is_matched()) return true;
    Caller caller(function, comm);
    error = mismatched(caller);
    return true;
  }
  return false;
}

/// Starts a nonblocking call likewise.
template <class Work, class SetUp>
bool is_started_again(const char* function, MPI_Comm comm, MPI_Request* handle, SetUp&& set_up) {
  if constexpr (requires { typename Work::template Repetition<StartedAgain>; }) {
    Communicator* const communicator = on_hot_path(comm);
    Communicator* const on = communicator != nullptr ? communicator->ready_lane() : nullptr;
    if (on == nullptr) return false;
    StartedAgain call(*communicator, *on, handle);
    typename Work::template Repetition<StartedAgain> repetition(call, function);
    return set_up(repetition, repetition);
  }
  return false;
}

template <class Work, class SetUp>
int run_blocking(const char* function, MPI_Comm comm, SetUp&& set_up) {
  int error = MPI_SUCCESS;
  if (is_made_again<Work>(function, comm, set_up, error)) return error;
  Caller caller(function, comm);
  if (caller.error()) return caller.error();
  return caller.communicator().is_intercomm() ? make_at_once<IntercommCollective>(caller, set_up)
                                              : make_at_once<Work>(caller, set_up);
}

template <class Work, class SetUp>
std::shared_ptr<Operation> collective_for(Caller& caller, SetUp&& set_up) {
  return caller.communicator().is_intercomm() ? operation_for<IntercommCollective>(caller, set_up)
                                              : operation_for<Work>(caller, set_up);
}

template <class Work, class SetUp>
int run_nonblocking(const char* function, MPI_Comm comm, MPI_Request* handle, SetUp&& set_up) {
  if (is_started_again<Work>(function, comm, handle, set_up)) return MPI_SUCCESS;
  Caller caller(function, comm);
  if (caller.error()) return caller.error();
  return begin(caller, collective_for<Work>(caller, set_up), handle);
}

template <class Work, class SetUp>
int run_persistent(const char* function, MPI_Comm comm, MPI_Request* handle, SetUp&& set_up) {
  Caller caller(function, comm);
  if (caller.error()) return caller.error();
  return prepare(caller, collective_for<Work>(caller, set_up), handle);
}

}  // namespace terrace::threadranks::mpi

// Three functions: the blocking one, the nonblocking and the persistent one. `parameters` are those
// before the communicator; the call at the end sets the work up.
#define TERRACE_COLLECTIVE(Work, name, nonblocking, persistent, parameters, ...)             \
  TERRACE_MPI(int, name, (TERRACE_UNPACK parameters, MPI_Comm comm)) {                       \
    return mpi::run_blocking<mpi::Work>(                                                     \
        "MPI_" #name, comm, [&](auto& caller, auto& work) { return work.__VA_ARGS__; });     \
  }                                                                                          \
  TERRACE_MPI(int, nonblocking,                                                              \
              (TERRACE_UNPACK parameters, MPI_Comm comm, MPI_Request * request)) {           \
    return mpi::run_nonblocking<mpi::Work>(                                                  \
        "MPI_" #nonblocking, comm, request,                                                  \
        [&](auto& caller, auto& work) { return work.__VA_ARGS__; });                         \
  }                                                                                          \
  TERRACE_MPI(int, persistent,                                                               \
              (TERRACE_UNPACK parameters, MPI_Comm comm, MPI_Info, MPI_Request * request)) { \
    return mpi::run_persistent<mpi::Work>(                                                   \
        "MPI_" #persistent, comm, request,                                                   \
        [&](auto& caller, auto& work) { return work.__VA_ARGS__; });                         \
  }
#define TERRACE_UNPACK(...) __VA_ARGS__
