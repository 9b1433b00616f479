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
  Handle at(std::size_t i) const {
    char* const place = at_ + i * words_.bytes;
    return has_addresses() ? as<Handle>(place) : Handle{as<std::uint32_t>(place)};
  }
  void set_null(std::size_t i) {
    char* const place = at_ + i * words_.bytes;
    if (has_addresses())
      std::memcpy(place, &null_, sizeof null_);
    else
      std::memcpy(place, &null_, sizeof(std::uint32_t));  // little-endian
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

/// A request among the program's that stands for a call.
struct Ours {
  std::size_t place;
  NonblockingCall* call;

  bool is_over() const {
    const LanesLock lock;
    return call->stage == NonblockingCall::Stage::over;
  }
};

std::optional<Ours> ours_at(const Requests& requests, std::size_t place) {
  const LanesLock lock;
  NonblockingCall* const call = call_of(requests.at(place));
  return call != nullptr ? std::optional(Ours{place, call}) : std::nullopt;
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
    for_each_of_ours(requests, [&](const Ours& one) { copied.set_null(one.place); });
  }
  void* at() { return copy_.data(); }
  /// Makes null for the program what the MPI has made null.
  void give_back() {
    const Requests copied(static_cast<int>(requests_.count()), copy_.data());
    for (std::size_t i = 0; i < requests_.count(); ++i)
      if (copied.is_null(i) && !ours_at(requests_, i)) requests_.set_null(i);
  }

 private:
  Requests& requests_;
  std::vector<char> copy_;
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

/// Delivers the result of a call that is over, and takes its request back.
Truncated finish(const NextRequestFunctions& next, Requests& requests, const Ours& one,
                 void* status) {
  const Truncated truncated = one.call->buffers ? one.call->buffers->deliver() : Truncated{};
  write_status(next, requests, status);
  requests.set_null(one.place);
  const LanesLock lock;
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

/// Finishes those of ours, which are over, after the MPI's functions for all requests.
int finish_all(const NextRequestFunctions& next, Requests& requests, void* statuses) {
  Finished finished(next, requests);
  for_each_of_ours(
      requests, [&](const Ours& one) { finished.add(one, requests.status(statuses, one.place)); });
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
  if (!ours) return next.wait(request, status);
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
  if (ours == 0) return next.waitall(count, array, statuses);
  int error = kSuccess;
  if (ours < requests.count()) {
    Others others(requests);
    error = next.waitall(count, others.at(), statuses);
    others.give_back();
  }
  const int of_ours = finish_all(next, requests, statuses);
  return error != kSuccess ? error : of_ours;
}

/// Takes what has come first once, however often a wait asks.
int wait_any(const NextRequestFunctions& next, int count, void* array, int* index, void* status) {
  Requests requests(count, array);
  const auto ours = any_of_ours(requests);
  if (!ours) return next.waitany(count, array, index, status);
  int error = kSuccess, flag = 0;
  bool has_come = false;
  Others others(requests);
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
  if (!any_of_ours(requests)) return next.testsome(count, array, out_count, indices, statuses);
  Others others(requests);
  const int error = next.testsome(count, others.at(), out_count, indices, statuses);
  others.give_back();
  if (error != kSuccess) return error;
  look_at_all();
  const int of_ours = finish_over(next, requests, out_count, indices, statuses);
  if (*out_count == 0) progress_now_and_then();
  return of_ours;
}

/// Ours are finished after the wait, which may be on memory of a team that goes with its last call.
int wait_some(const NextRequestFunctions& next, int count, void* array, int* out_count,
              int* indices, void* statuses) {
  Requests requests(count, array);
  const auto ours = any_of_ours(requests);
  if (!ours) return next.waitsome(count, array, out_count, indices, statuses);
  int error = kSuccess;
  bool have_come = false;
  Others others(requests);
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
  if (!ours) return next.test(request, flag, status);
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
  if (!any_of_ours(requests)) return next.testall(count, array, flag, statuses);
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
  if (!any_of_ours(requests)) return next.testany(count, array, index, flag, status);
  Others others(requests);
  const int error = next.testany(count, others.at(), index, flag, status);
  others.give_back();
  if (error == kSuccess && *flag && *index == requests.undefined()) *flag = 0;
  if (error == kSuccess && !*flag) progress_now_and_then();
  return error;
}

int get_status(const NextRequestFunctions& next, HandleWord request, int* flag, void* status) {
  const Handle handle = request & underlying_mpi()->handle_bits;
  const Requests requests(1, &handle);
  const auto ours = any_of_ours(requests);
  if (!ours) return next.request_get_status(request, flag, status);
  look_at_all();
  *flag = ours->is_over();
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
  if (!any_of_ours(requests)) return next.request_get_status_all(count, array, flag, statuses);
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
  if (!any_of_ours(requests)) return next.request_get_status_any(count, array, index, flag, status);
  Others others(requests);
  const int error = next.request_get_status_any(count, others.at(), index, flag, status);
  if (error == kSuccess && *flag && *index == requests.undefined()) *flag = 0;
  if (error == kSuccess && !*flag) progress_now_and_then();
  return error;
}

int get_status_some(const NextRequestFunctions& next, int count, const void* array, int* out_count,
                    int* indices, void* statuses) {
  Requests requests(count, array);
  if (!any_of_ours(requests))
    return next.request_get_status_some(count, array, out_count, indices, statuses);
  Others others(requests);
  const int error = next.request_get_status_some(count, others.at(), out_count, indices, statuses);
  if (error != kSuccess) return error;
  look_at_all();
  append_over(requests, out_count, indices, statuses,
              [&](const Ours&, void* status) { write_status(next, requests, status); });
  if (*out_count == 0) progress_now_and_then();
  return kSuccess;
}

/// MPI forbids it for nonblocking collectives, and MPIs differ in what they do then.
int free_request(const NextRequestFunctions& next, void* request) {
  Requests requests(1, request);
  const auto ours = any_of_ours(requests);
  if (!ours) return next.request_free(request);
  say_once(
      "MPI_Request_free of a nonblocking collective, which MPI does not allow: Terrace waits "
      "for it first");
  wait_for(*ours->call);
  finish(next, requests, *ours, requests.ignored());
  return kSuccess;
}

namespace {

/// The MPI complains of what no nonblocking collective allows, as of a null request.
template <class Function>
int refuse(const Function& function, void* request) {
  if (!any_of_ours(Requests(1, request))) return function(request);
  Handle null = underlying_mpi()->null_request();
  return function(&null);
}

}  // namespace

int cancel(const NextRequestFunctions& next, void* request) {
  return refuse(next.cancel, request);
}

int start(const NextRequestFunctions& next, void* request) {
  return refuse(next.start, request);
}

int start_all(const NextRequestFunctions& next, int count, void* array) {
  if (!any_of_ours(Requests(count, array))) return next.startall(count, array);
  Handle null = underlying_mpi()->null_request();
  return next.start(&null);
}

}  // namespace terrace::preload
