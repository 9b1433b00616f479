// SPDX-License-Identifier: BSD-3-Clause
// Waits for requests, tests and frees them.
#include "preload/requests/waits.hpp"

#include <atomic>
#include <cstring>
#include <optional>
#include <vector>

#include "base/say.hpp"
#include "preload/requests/nonblocking_call.hpp"

namespace terrace::preload {

namespace {

constexpr int kSuccess = 0;
/// Tests in vain, after each of which the MPI is driven: a program may poll nothing else.
constexpr std::uint32_t kTestsPerProgress = 8;

/// Requests of the program's.
class Requests {
 public:
  Requests(int count, const void* at)
      : words_(underlying_mpi()->requests),
        null_(underlying_mpi()->null_request()),
        count_(at == nullptr || count < 0 ? 0 : static_cast<std::size_t>(count)),
        at_(static_cast<char*>(const_cast<void*>(at))) {}

  std::size_t count() const { return count_; }
  const char* bytes() const { return at_; }
  std::size_t size() const { return count_ * words_.bytes; }
  std::size_t bytes_of_one() const { return words_.bytes; }
  char* place(std::size_t i) const { return at_ + i * words_.bytes; }
  Handle at(std::size_t i) const {
    return has_addresses() ? as<Handle>(place(i)) : Handle{as<std::uint32_t>(place(i))};
  }
  void set_null(std::size_t i) {
    std::memcpy(place(i), &null_, words_.bytes);  // little-endian
  }
  bool is_null(std::size_t i) const { return at(i) == null_; }
  bool ignores(const void* statuses) const {
    return reinterpret_cast<std::intptr_t>(statuses) == words_.ignore;
  }
  void* status(void* statuses, std::size_t i) const {
    return ignores(statuses) ? statuses : static_cast<char*>(statuses) + i * words_.status_bytes;
  }
  void set_error(void* status, int error) const {
    if (status != nullptr && !ignores(status))
      std::memcpy(static_cast<char*>(status) + words_.error_at, &error, sizeof error);
  }
  void* ignored() const { return reinterpret_cast<void*>(words_.ignore); }
  int undefined() const { return words_.undefined; }

 private:
  bool has_addresses() const { return words_.bytes == sizeof(Handle); }
  template <class Word>
  static Word as(const char* place) {
    Word word;
    std::memcpy(&word, place, sizeof word);
    return word;
  }

  const RequestWords& words_;
  Handle null_;
  std::size_t count_;
  char* at_;
};

/// A request among the program's that stands for an active call.
struct Ours {
  std::size_t place;
  NonblockingCall* call;

  /// Asks the MPI without the lock: it may run what is the program's.
  bool is_over() const {
    {
      const LanesLock lock;
      if (call->stage != NonblockingCall::Stage::over) return false;
    }
    return call->check == nullptr || call->check->are_calls_over();
  }
};

std::optional<Ours> ours_at(const Requests& requests, std::size_t place) {
  const LanesLock lock;
  NonblockingCall* const call = call_of(requests.at(place));
  const bool is_active = call != nullptr && call->stage != NonblockingCall::Stage::inactive;
  return is_active ? std::optional(Ours{place, call}) : std::nullopt;
}

/// Whether a request stands for a call of Terrace's, be it inactive.
bool is_known(const Requests& requests, std::size_t place) {
  const LanesLock lock;
  return call_of(requests.at(place)) != nullptr;
}

bool knows_any(const Requests& requests) {
  for (std::size_t i = 0; i < requests.count(); ++i)
    if (is_known(requests, i)) return true;
  return false;
}

template <class Visit>
void for_each_of_ours(const Requests& requests, const Visit& visit) {
  for (std::size_t i = 0; i < requests.count(); ++i)
    if (const auto one = ours_at(requests, i)) visit(*one);
}

template <class Predicate>
std::optional<Ours> find_of_ours(const Requests& requests, const Predicate& predicate) {
  for (std::size_t i = 0; i < requests.count(); ++i)
    if (const auto one = ours_at(requests, i); one && predicate(*one)) return one;
  return std::nullopt;
}

std::optional<Ours> any_of_ours(const Requests& requests) {
  return find_of_ours(requests, [](const Ours&) { return true; });
}
std::optional<Ours> any_over(const Requests& requests) {
  return find_of_ours(requests, [](const Ours& one) { return one.is_over(); });
}
std::optional<Ours> any_pending(const Requests& requests) {
  return find_of_ours(requests, [](const Ours& one) { return !one.is_over(); });
}

void look_at_all() {
  const LanesLock lock;
  go_on_with_all();
}

/// The program's requests without ours, which the MPI is not shown: Intel MPI 2021.18 takes
/// inactive requests for complete ones where it looks for any or some, and when MPI ends they are
/// freed.
class Others {
 public:
  explicit Others(Requests& requests)
      : requests_(requests), copy_(requests.bytes(), requests.bytes() + requests.size()) {
    Requests copied(static_cast<int>(requests.count()), copy_.data());
    for (std::size_t i = 0; i < requests.count(); ++i) {
      is_hidden_.push_back(is_known(requests, i));
      if (is_hidden_.back()) copied.set_null(i);
    }
  }
  /// An error handler may leave the MPI's function by an exception.
  ~Others() { give_back(); }
  Others(const Others&) = delete;
  Others& operator=(const Others&) = delete;
  void* at() { return copy_.data(); }
  /// Makes null for the program what the MPI has made null. Its handle may stand for another
  /// thread's call by now.
  void give_back() {
    const Requests copied(static_cast<int>(requests_.count()), copy_.data());
    for (std::size_t i = 0; i < requests_.count(); ++i)
      if (copied.is_null(i) && !is_hidden_[i]) requests_.set_null(i);
  }

 private:
  Requests& requests_;
  std::vector<char> copy_;
  std::vector<bool> is_hidden_;  ///< by place
};

/// Drives the MPI now and then for programs that test in vain.
void progress_now_and_then() {
  static std::atomic<std::uint32_t> tests{0};
  // relaxed, both: any thread may be the one that drives. No partner.
  const std::uint32_t number = tests.load(std::memory_order_relaxed) + 1;
  tests.store(number, std::memory_order_relaxed);
  if (number % kTestsPerProgress == 0) underlying_mpi()->progress();
}

/// Writes an empty status, as the MPI does for a null request. (Intel MPI 2021.18 writes others for
/// inactive ones.)
void write_status(const NextRequestFunctions& next, const Requests& requests, void* status) {
  if (requests.ignores(status) || status == nullptr) return;
  Handle null = underlying_mpi()->null_request();  // little-endian
  next.wait(&null, status);
}

/// Compares the result of a call that is over with the MPI's, for which it may wait. Blocks that
/// were truncated are the program's fault.
void check(NonblockingCall& call) {
  if (call.check == nullptr) return;
  call.check->finish_calls();
  const LanesLock lock;
  if (has_been_left(*call.team)) call.check->leave_communicator();
  const bool is_truncated = call.buffers != nullptr && call.buffers->is_truncated();
  if (!is_truncated) call.check->compare();
}

/// Delivers the result of a call that is over, and takes its request back if it is not persistent.
Truncated finish(const NextRequestFunctions& next, Requests& requests, const Ours& one,
                 void* status) {
  check(*one.call);
  const Truncated truncated = one.call->buffers ? one.call->buffers->deliver() : Truncated{};
  write_status(next, requests, status);
  if (!one.call->is_persistent) requests.set_null(one.place);
  const LanesLock lock;
  if (one.call->is_persistent)
    one.call->stage = NonblockingCall::Stage::inactive;
  else
    release(*one.call);
  return truncated;
}

/// Returns the error of a function for a call, when all else is done: handlers may not return.
int raise(const Truncated& truncated, int error) {
  if (!truncated.is_so) return kSuccess;
  if (truncated.communicator != 0) underlying_mpi()->raise(truncated.communicator, error);
  return error;
}

int finish_one(const NextRequestFunctions& next, Requests& requests, const Ours& one,
               void* status) {
  return raise(finish(next, requests, one, status), underlying_mpi()->requests.truncated);
}

/// The calls that a function for several has finished, and their errors in statuses.
class Finished {
 public:
  Finished(const NextRequestFunctions& next, Requests& requests)
      : next_(next), requests_(requests) {}
  void add(const Ours& one, void* status) {
    const Truncated truncated = finish(next_, requests_, one, status);
    if (!truncated.is_so) return;
    last_ = truncated;
    with_error_.push_back(status);
  }
  /// `statuses`: of so many requests, with those of the MPI's, which have succeeded.
  int error(void* statuses, std::size_t count) const {
    if (!last_.is_so) return kSuccess;
    const RequestWords& words = underlying_mpi()->requests;
    for (std::size_t i = 0; i < count; ++i)
      requests_.set_error(requests_.status(statuses, i), kSuccess);
    for (void* const status : with_error_) requests_.set_error(status, words.truncated);
    return raise(last_, words.in_status);
  }

 private:
  const NextRequestFunctions& next_;
  Requests& requests_;
  Truncated last_;
  std::vector<void*> with_error_;
};

/// Finishes those of ours, which are over, after the MPI's functions for all requests, which have
/// returned `error`.
int finish_all(const NextRequestFunctions& next, Requests& requests, void* statuses,
               int error = kSuccess) {
  Finished finished(next, requests);
  for_each_of_ours(requests, [&](const Ours& one) {
    void* const status = requests.status(statuses, one.place);
    finished.add(one, status);
    // Intel MPI 2021.18 leaves those of null requests as they were.
    if (error == underlying_mpi()->requests.in_status) requests.set_error(status, kSuccess);
  });
  return finished.error(statuses, requests.count());
}

/// Adds those of ours that are over to what the MPI has found: `out_count` of them, or undefined.
template <class Take>
void append_over(const Requests& requests, int* out_count, int* indices, void* statuses,
                 const Take& take) {
  if (*out_count == requests.undefined()) *out_count = 0;
  for_each_of_ours(requests, [&](const Ours& one) {
    if (!one.is_over()) return;
    const auto place = static_cast<std::size_t>((*out_count)++);
    indices[place] = static_cast<int>(one.place);
    take(one, requests.status(statuses, place));
  });
}

/// Finishes those of ours that are over.
int finish_over(const NextRequestFunctions& next, Requests& requests, int* out_count, int* indices,
                void* statuses) {
  Finished finished(next, requests);
  append_over(requests, out_count, indices, statuses,
              [&](const Ours& one, void* status) { finished.add(one, status); });
  return finished.error(statuses, static_cast<std::size_t>(std::max(*out_count, 0)));
}

}  // namespace

int wait(const NextRequestFunctions& next, void* request, void* status) {
  Requests requests(1, request);
  const auto ours = request != nullptr ? ours_at(requests, 0) : std::nullopt;
  if (!ours) {
    if (request == nullptr || !is_known(requests, 0)) return next.wait(request, status);
    write_status(next, requests, status);
    return kSuccess;
  }
  wait_for(*ours->call);
  return finish_one(next, requests, *ours, status);
}

/// Ours first: waiting for them drives the MPI, whose requests go on meanwhile.
int wait_all(const NextRequestFunctions& next, int count, void* array, void* statuses) {
  Requests requests(count, array);
  std::size_t ours = 0;
  for_each_of_ours(requests, [&](const Ours& one) {
    ++ours;
    wait_for(*one.call);
  });
  if (ours == 0 && !knows_any(requests)) return next.waitall(count, array, statuses);
  int error = kSuccess;
  if (ours < requests.count()) {
    Others others(requests);
    error = next.waitall(count, others.at(), statuses);
    others.give_back();
  }
  const int of_ours = finish_all(next, requests, statuses, error);
  return error != kSuccess ? error : of_ours;
}

/// Takes what has come first once, however often a wait asks.
int wait_any(const NextRequestFunctions& next, int count, void* array, int* index, void* status) {
  Requests requests(count, array);
  if (!knows_any(requests)) return next.waitany(count, array, index, status);
  Others others(requests);
  int error = kSuccess, flag = 0;
  const auto ours = any_of_ours(requests);
  if (!ours) {
    error = next.waitany(count, others.at(), index, status);
    others.give_back();
    return error;
  }
  bool has_come = false;
  const auto is_one_over = [&] {
    if (has_come || any_over(requests)) return true;
    error = next.testany(count, others.at(), index, &flag, status);
    return has_come = error != kSuccess || (flag != 0 && *index != requests.undefined());
  };
  look_at_all();
  if (!is_one_over()) wait_while_going_on(*ours->call, is_one_over);
  others.give_back();
  if (has_come) return error;
  const Ours over = *any_over(requests);
  *index = static_cast<int>(over.place);
  return finish_one(next, requests, over, status);
}

int test_some(const NextRequestFunctions& next, int count, void* array, int* out_count,
              int* indices, void* statuses) {
  Requests requests(count, array);
  if (!knows_any(requests)) return next.testsome(count, array, out_count, indices, statuses);
  Others others(requests);
  const int error = next.testsome(count, others.at(), out_count, indices, statuses);
  others.give_back();
  if (error != kSuccess || !any_of_ours(requests)) return error;
  look_at_all();
  const int of_ours = finish_over(next, requests, out_count, indices, statuses);
  if (*out_count == 0) progress_now_and_then();
  return of_ours;
}

/// Ours are finished after the wait, which may be on memory of a team that goes with its last call.
int wait_some(const NextRequestFunctions& next, int count, void* array, int* out_count,
              int* indices, void* statuses) {
  Requests requests(count, array);
  if (!knows_any(requests)) return next.waitsome(count, array, out_count, indices, statuses);
  Others others(requests);
  int error = kSuccess;
  const auto ours = any_of_ours(requests);
  if (!ours) {
    error = next.waitsome(count, others.at(), out_count, indices, statuses);
    others.give_back();
    return error;
  }
  bool have_come = false;
  *out_count = 0;
  const auto are_some_over = [&] {
    if (have_come || any_over(requests)) return true;
    error = next.testsome(count, others.at(), out_count, indices, statuses);
    return have_come = error != kSuccess || (*out_count != 0 && *out_count != requests.undefined());
  };
  look_at_all();
  if (!are_some_over()) wait_while_going_on(*ours->call, are_some_over);
  others.give_back();
  if (error != kSuccess) return error;
  return finish_over(next, requests, out_count, indices, statuses);
}

int test(const NextRequestFunctions& next, void* request, int* flag, void* status) {
  Requests requests(1, request);
  const auto ours = any_of_ours(requests);
  if (!ours) {
    if (!knows_any(requests)) return next.test(request, flag, status);
    *flag = 1;
    write_status(next, requests, status);
    return kSuccess;
  }
  look_at_all();
  *flag = ours->is_over();
  if (*flag) return finish_one(next, requests, *ours, status);
  progress_now_and_then();
  return kSuccess;
}

int test_all(const NextRequestFunctions& next, int count, void* array, int* flag, void* statuses) {
  Requests requests(count, array);
  look_at_all();
  if (const auto pending = any_pending(requests)) {
    *flag = 0;
    progress_now_and_then();
    return kSuccess;
  }
  if (!knows_any(requests)) return next.testall(count, array, flag, statuses);
  Others others(requests);
  const int error = next.testall(count, others.at(), flag, statuses);
  others.give_back();
  return error == kSuccess && *flag ? finish_all(next, requests, statuses) : error;
}

int test_any(const NextRequestFunctions& next, int count, void* array, int* index, int* flag,
             void* status) {
  Requests requests(count, array);
  look_at_all();
  if (const auto over = any_over(requests)) {
    *index = static_cast<int>(over->place);
    *flag = 1;
    return finish_one(next, requests, *over, status);
  }
  if (!knows_any(requests)) return next.testany(count, array, index, flag, status);
  Others others(requests);
  const int error = next.testany(count, others.at(), index, flag, status);
  others.give_back();
  if (!any_of_ours(requests)) return error;
  if (error == kSuccess && *flag && *index == requests.undefined()) *flag = 0;
  if (error == kSuccess && !*flag) progress_now_and_then();
  return error;
}

int get_status(const NextRequestFunctions& next, HandleWord request, int* flag, void* status) {
  const Handle handle = request & underlying_mpi()->handle_bits;
  const Requests requests(1, &handle);
  const auto ours = any_of_ours(requests);
  if (!ours && !knows_any(requests)) return next.request_get_status(request, flag, status);
  look_at_all();
  *flag = !ours || ours->is_over();
  if (*flag)
    write_status(next, requests, status);
  else
    progress_now_and_then();
  return kSuccess;
}

int get_status_all(const NextRequestFunctions& next, int count, const void* array, int* flag,
                   void* statuses) {
  Requests requests(count, array);
  look_at_all();
  const auto pending = any_pending(requests);
  if (pending) {
    *flag = 0;
    progress_now_and_then();
    return kSuccess;
  }
  if (!knows_any(requests)) return next.request_get_status_all(count, array, flag, statuses);
  Others others(requests);
  const int error = next.request_get_status_all(count, others.at(), flag, statuses);
  if (error == kSuccess && *flag)
    for_each_of_ours(requests, [&](const Ours& one) {
      write_status(next, requests, requests.status(statuses, one.place));
    });
  return error;
}

int get_status_any(const NextRequestFunctions& next, int count, const void* array, int* index,
                   int* flag, void* status) {
  Requests requests(count, array);
  look_at_all();
  if (const auto over = any_over(requests)) {
    *index = static_cast<int>(over->place);
    *flag = 1;
    write_status(next, requests, status);
    return kSuccess;
  }
  if (!knows_any(requests)) return next.request_get_status_any(count, array, index, flag, status);
  Others others(requests);
  const int error = next.request_get_status_any(count, others.at(), index, flag, status);
  if (!any_of_ours(requests)) return error;
  if (error == kSuccess && *flag && *index == requests.undefined()) *flag = 0;
  if (error == kSuccess && !*flag) progress_now_and_then();
  return error;
}

int get_status_some(const NextRequestFunctions& next, int count, const void* array, int* out_count,
                    int* indices, void* statuses) {
  Requests requests(count, array);
  if (!knows_any(requests))
    return next.request_get_status_some(count, array, out_count, indices, statuses);
  Others others(requests);
  const int error = next.request_get_status_some(count, others.at(), out_count, indices, statuses);
  if (error != kSuccess || !any_of_ours(requests)) return error;
  look_at_all();
  append_over(requests, out_count, indices, statuses,
              [&](const Ours&, void* status) { write_status(next, requests, status); });
  if (*out_count == 0) progress_now_and_then();
  return kSuccess;
}

/// MPI forbids it for active collectives, and MPIs differ in what they do then.
int free_request(const NextRequestFunctions& next, void* request) {
  Requests requests(1, request);
  if (!knows_any(requests)) return next.request_free(request);
  if (const auto ours = any_of_ours(requests)) {
    say_once(
        "MPI_Request_free of an active collective, which MPI does not allow: Terrace waits for it "
        "first");
    wait_for(*ours->call);
    finish(next, requests, *ours, requests.ignored());
  }
  const LanesLock lock;
  if (NonblockingCall* const persistent = call_of(requests.at(0))) {
    requests.set_null(0);
    release(*persistent);
  }
  return kSuccess;
}

namespace {

/// The MPI complains of what no collective of ours allows, as of a null request.
template <class Function>
int refuse(const Function& function) {
  Handle null = underlying_mpi()->null_request();
  return function(&null);
}

/// Starts a persistent call of Terrace's, unless it is active.
bool start_ours(const Requests& requests, std::size_t place) {
  NonblockingCall* call = nullptr;
  {
    const LanesLock lock;
    call = call_of(requests.at(place));
    if (call->stage != NonblockingCall::Stage::inactive) return false;
  }
  // Not under the lock: the MPI packs.
  if (call->buffers) call->buffers->pack();
  const LanesLock lock;
  start_again(*call);
  return true;
}

}  // namespace

int cancel(const NextRequestFunctions& next, void* request) {
  return knows_any(Requests(1, request)) ? refuse(next.cancel) : next.cancel(request);
}

int start(const NextRequestFunctions& next, void* request) {
  const Requests requests(1, request);
  if (!knows_any(requests)) return next.start(request);
  return start_ours(requests, 0) ? kSuccess : refuse(next.start);
}

/// The MPI starts its own requests together, Terrace the others one after the other.
int start_all(const NextRequestFunctions& next, int count, void* array) {
  Requests requests(count, array);
  if (!knows_any(requests)) return next.startall(count, array);
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < requests.count(); ++i)
    if (!is_known(requests, i)) places.push_back(i);
  std::vector<char> bytes(places.size() * requests.bytes_of_one());
  for (std::size_t k = 0; k < places.size(); ++k)
    std::memcpy(&bytes[k * requests.bytes_of_one()], requests.place(places[k]),
                requests.bytes_of_one());
  const int error =
      places.empty() ? kSuccess : next.startall(static_cast<int>(places.size()), bytes.data());
  for (std::size_t k = 0; k < places.size(); ++k)
    std::memcpy(requests.place(places[k]), &bytes[k * requests.bytes_of_one()],
                requests.bytes_of_one());
  if (error != kSuccess) return error;
  for (std::size_t i = 0; i < requests.count(); ++i)
    if (is_known(requests, i) && !start_ours(requests, i)) return refuse(next.start);
  return kSuccess;
}

}  // namespace terrace::preload
