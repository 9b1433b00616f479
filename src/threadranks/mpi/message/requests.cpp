// SPDX-License-Identifier: BSD-3-Clause
// Waits for requests and tests them: one, any, some, all.
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "threadranks/mpi/adapter.hpp"
#include "threadranks/mpi/message/requests.hpp"
#include "threadranks/mpi/window/window_caller.hpp"

namespace terrace::threadranks::mpi {
namespace {

using Ours = threadranks::Request;

Ours* request_of(MPI_Request handle) {
  return object_of<Ours>(handle);
}

/// The program's functions for a generalized request.
class Users final : public GeneralizedRequest {
 public:
  Users(MPI_Grequest_query_function* querying, MPI_Grequest_free_function* freeing,
        MPI_Grequest_cancel_function* cancelling, void* extra)
      : query_(querying), free_(freeing), cancel_(cancelling), extra_(extra) {}

  int cancel() override {
    const OutsideOfMpi outside;
    return is_fortran ? call_fortran<MPI_Fint>(cancel_, is_complete) : cancel_(extra_, is_complete);
  }
  int query(MPI_Status* status) const {
    const OutsideOfMpi outside;
    MPI_Status own{};
    put_empty_status(&own);
    const int error = is_fortran ? call_fortran<MPI_Status&>(query_, own) : query_(extra_, &own);
    if (status != MPI_STATUS_IGNORE) *status = own;
    return error;
  }
  int free() const {
    const OutsideOfMpi outside;
    return is_fortran ? call_fortran(free_) : free_(extra_);
  }

  bool is_given_up = false;  ///< freed before it was complete
  bool is_fortran = false;   ///< the functions are subroutines

 private:
  /// A subroutine's arguments are addresses, and the last takes the error.
  template <class... Argument, class Function>
  int call_fortran(Function* function, Argument... argument) const {
    MPI_Fint error = MPI_SUCCESS;
    using Subroutine = void(void*, std::remove_reference_t<Argument>*..., MPI_Fint*);
    const auto untyped = reinterpret_cast<void (*)()>(function);
    reinterpret_cast<Subroutine*>(untyped)(extra_, &argument..., &error);
    return error;
  }

  MPI_Grequest_query_function* query_;
  MPI_Grequest_free_function* free_;
  MPI_Grequest_cancel_function* cancel_;
  void* extra_;
};

Users* users_of(Ours& request) {
  return static_cast<Users*>(request.rare->general.get());
}

bool is_active(MPI_Request handle) {
  const Ours* const request = request_of(handle);
  return request != nullptr && request->is_active;
}

bool is_over(MPI_Request handle) {
  const Ours* const request = request_of(handle);
  return request == nullptr || request->is_over();
}

/// Writes the status at the end: of a send, MPI defines only whether it was cancelled. As under
/// MPICH, the rest stays as it was: programs wait for a receive and a send by one status.
int put_end(Ours::Kind kind, const Status& end, MPI_Status* status) {
  if (kind == Ours::Kind::partitioned && status != MPI_STATUS_IGNORE)
    status->MPI_ERROR = class_of(end.outcome);
  if (kind != Ours::Kind::send) return put_status(end, status);
  if (status != MPI_STATUS_IGNORE) put_cancelled(*status, end.outcome == Completion::cancelled);
  return class_of(end.outcome);
}

/// The error of a request, and whose error handler is for it: its communicator's, or the window's
/// of a one-sided call; a generalized request has neither.
struct WrongEnd {
  int error = MPI_SUCCESS;
  KeptCommunicator on;
  std::shared_ptr<WindowErrors> window;

  /// Unless there is one already: calls report the first one.
  [[gnu::cold]] void keep(int its_error, const Ours* request) {
    if (error != MPI_SUCCESS) return;
    error = its_error;
    if (request == nullptr) return;
    if (request->kind == Ours::Kind::one_sided)
      window = static_cast<const RemoteProgress*>(request->rare->kept.get())->errors;
    else
      on = request->communicator;
  }
};

int finish_general(MPI_Request& handle, MPI_Status* status, WrongEnd& wrong) {
  Ours* const request = request_of(handle);
  const int queried = users_of(*request)->query(status);
  const int freed = users_of(*request)->free();
  delete request;
  handle = MPI_REQUEST_NULL;
  const int error = queried != MPI_SUCCESS ? queried : freed;
  if (error != MPI_SUCCESS) wrong.keep(error, nullptr);
  return error;
}

/// A handle that is neither null nor a request's is an error.
int check_inactive(const Ours* request, MPI_Request handle, WrongEnd& wrong) {
  if (request != nullptr || handle == MPI_REQUEST_NULL) return MPI_SUCCESS;
  wrong.keep(MPI_ERR_REQUEST, nullptr);
  return MPI_ERR_REQUEST;
}

constexpr const char* kFunctionFails = "a function of a general request has failed";

/// Raises the error that a function of a general request has returned.
int report_general(const char* function, int error) {
  return error == MPI_SUCCESS ? MPI_SUCCESS : mpi::fail(function, error, kFunctionFails);
}

/// Completes a request: fills in the status, and frees the request unless it is persistent. Returns
/// its error, and keeps the call's first one.
int finish(MPI_Request& handle, MPI_Status* status, WrongEnd& wrong) {
  Ours* const request = request_of(handle);
  if (request == nullptr || !request->is_active) {
    put_empty_status(status);
    return check_inactive(request, handle, wrong);
  }
  if (request->is_shared) {
    handle = MPI_REQUEST_NULL;
    return put_end(Ours::Kind::send, {}, status);
  }
  if (request->kind == Ours::Kind::general) return finish_general(handle, status, wrong);
  if (request->started.on != nullptr && !request->is_persistent && !request->rare &&
      !request->started.is_truncated) {
    TERRACE_ASSERT(request->started.is_over);
    delete request;
    handle = MPI_REQUEST_NULL;
    return put_status({}, status);
  }
  const int error = put_end(request->kind, request->finish(), status);
  if (error != MPI_SUCCESS) [[unlikely]]
    wrong.keep(error, request);
  if (!request->is_persistent) {
    delete request;
    handle = MPI_REQUEST_NULL;
  }
  return error;
}

/// Raises the error by the error handler of the request's window or communicator.
int report(const char* function, const WrongEnd& end, int error_class) {
  if (end.window)
    return mpi::fail(*end.window, function, error_class,
                     "a one-sided call was for memory that its target, in another process, has not "
                     "attached to the window");
  if (end.error == MPI_ERR_REQUEST)
    return mpi::fail(function, error_class, "a handle is no request, or one that is over or freed");
  const MPI_Comm comm = end.on ? handle_of(end.on.get()) : MPI_COMM_WORLD;
  const char* const what = end.error == MPI_ERR_NO_MEM
                               ? "there is no memory for a message that is taken"
                               : "a message was longer than the buffer it was for";
  return mpi::fail(comm, function, error_class, end.on ? what : kFunctionFails);
}

/// Completes the only request of a call.
int finish_one(const char* function, MPI_Request& handle, MPI_Status* status) {
  WrongEnd wrong;
  const int error = finish(handle, status, wrong);
  return error == MPI_SUCCESS ? MPI_SUCCESS : report(function, wrong, error);
}

int check_count(const char* function, int count) {
  return count < 0 ? mpi::fail(function, MPI_ERR_COUNT, std::to_string(count) + " requests")
                   : MPI_SUCCESS;
}

/// Completes started collectives, for which a rank of one thread waits as in a blocking call.
void complete_started(RankState& state, int count, const MPI_Request* requests) {
  for (int i = 0; i < count && state.has_collectives() && !state.call_lock().is_needed(); ++i) {
    Ours* const request = request_of(requests[i]);
    const bool is_started = request != nullptr && request->is_active && !request->started.is_over;
    if (is_started) state.complete(request->started);
  }
}

int wait(MPI_Request* handle, MPI_Status* status) {
  const RankCall call("MPI_Wait");
  complete_started(call.state(), 1, handle);
  call.state().wait([&] { return is_over(*handle); });
  return finish_one("MPI_Wait", *handle, status);
}

int test(MPI_Request* handle, int* flag, MPI_Status* status) {
  const RankCall call("MPI_Test");
  *flag = call.state().test([&] { return is_over(*handle); });
  if (!*flag) return MPI_SUCCESS;
  return finish_one("MPI_Test", *handle, status);
}

MPI_Status* status_at(MPI_Status* statuses, int i) {
  return statuses == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses + i;
}

/// Starts at the first request that was not complete at the last poll.
bool are_over(int count, const MPI_Request* requests, int& first) {
  while (first < count && is_over(requests[first])) ++first;
  return first == count;
}

/// If one of them has an error, every status reports its own.
int finish_all(const char* function, int count, MPI_Request* requests, MPI_Status* statuses) {
  std::vector<int> errors;  // from the first one on
  WrongEnd wrong;
  for (int i = 0; i < count; ++i) {
    const int error = finish(requests[i], status_at(statuses, i), wrong);
    if (wrong.error == MPI_SUCCESS) [[likely]]
      continue;
    errors.resize(static_cast<std::size_t>(count));
    errors[static_cast<std::size_t>(i)] = error;
  }
  if (wrong.error == MPI_SUCCESS) return MPI_SUCCESS;
  for (int i = 0; statuses != MPI_STATUSES_IGNORE && i < count; ++i)
    statuses[i].MPI_ERROR = errors[static_cast<std::size_t>(i)];
  return report(function, wrong, MPI_ERR_IN_STATUS);
}

/// The first complete active request; -1: none; MPI_UNDEFINED: none is active.
int any_over(int count, const MPI_Request* requests) {
  bool has_active = false;
  for (int i = 0; i < count; ++i) {
    if (!is_active(requests[i])) continue;
    has_active = true;
    if (is_over(requests[i])) return i;
  }
  return has_active ? -1 : MPI_UNDEFINED;
}

int finish_any(const char* function, int found, MPI_Request* requests, int* index,
               MPI_Status* status) {
  *index = found;
  if (found == MPI_UNDEFINED) {
    put_empty_status(status);
    return MPI_SUCCESS;
  }
  return finish_one(function, requests[found], status);
}

int finish_some(const char* function, int count, MPI_Request* requests, int* done, int* indices,
                MPI_Status* statuses) {
  *done = 0;
  WrongEnd wrong;
  for (int i = 0; i < count; ++i) {
    if (!is_active(requests[i]) || !is_over(requests[i])) continue;
    MPI_Status* const status = status_at(statuses, *done);
    const int error = finish(requests[i], status, wrong);
    if (status != MPI_STATUS_IGNORE) status->MPI_ERROR = error;
    indices[(*done)++] = i;
  }
  return wrong.error == MPI_SUCCESS ? MPI_SUCCESS : report(function, wrong, MPI_ERR_IN_STATUS);
}

int start(const char* function, MPI_Request handle) {
  Ours* const request = request_of(handle);
  if (request == nullptr || !request->is_persistent)
    return fail(function, MPI_ERR_REQUEST, "the request is not persistent");
  if (request->is_active) return fail(function, MPI_ERR_REQUEST, "the request is active already");
  request->start();
  return MPI_SUCCESS;
}

/// The status that a wait would return for a complete request, which stays as it is.
int put_status_of(const char* function, MPI_Request handle, MPI_Status* status) {
  Ours* const request = request_of(handle);
  if (request == nullptr || !request->is_active) {
    put_empty_status(status);
    return MPI_SUCCESS;
  }
  if (request->kind == Ours::Kind::general)
    return report_general(function, users_of(*request)->query(status));
  request->write_back();
  put_end(request->kind, request->outcome(), status);
  return MPI_SUCCESS;
}

}  // namespace

void call_in_fortran(MPI_Request handle) {
  Ours* const request = request_of(handle);
  if (request != nullptr && request->kind == Ours::Kind::general)
    users_of(*request)->is_fortran = true;
}

}  // namespace terrace::threadranks::mpi

namespace mpi = terrace::threadranks::mpi;

TERRACE_MPI(int, Wait, (MPI_Request * request, MPI_Status* status)) {
  return mpi::wait(request, status);
}

TERRACE_MPI(int, Test, (MPI_Request * request, int* flag, MPI_Status* status)) {
  return mpi::test(request, flag, status);
}

TERRACE_MPI(int, Waitall, (int count, MPI_Request* requests, MPI_Status* statuses)) {
  const mpi::RankCall call("MPI_Waitall");
  if (const int error = mpi::check_count("MPI_Waitall", count)) return error;
  mpi::complete_started(call.state(), count, requests);
  int first = 0;
  call.state().wait([&] { return mpi::are_over(count, requests, first); });
  return mpi::finish_all("MPI_Waitall", count, requests, statuses);
}

TERRACE_MPI(int, Testall, (int count, MPI_Request* requests, int* flag, MPI_Status* statuses)) {
  const mpi::RankCall call("MPI_Testall");
  if (const int error = mpi::check_count("MPI_Testall", count)) return error;
  int first = 0;
  *flag = call.state().test([&] { return mpi::are_over(count, requests, first); });
  return *flag ? mpi::finish_all("MPI_Testall", count, requests, statuses) : MPI_SUCCESS;
}

TERRACE_MPI(int, Waitany, (int count, MPI_Request* requests, int* index, MPI_Status* status)) {
  const mpi::RankCall call("MPI_Waitany");
  if (const int error = mpi::check_count("MPI_Waitany", count)) return error;
  int found = -1;
  call.state().wait([&] { return (found = mpi::any_over(count, requests)) != -1; });
  return mpi::finish_any("MPI_Waitany", found, requests, index, status);
}

TERRACE_MPI(int, Testany,
            (int count, MPI_Request* requests, int* index, int* flag, MPI_Status* status)) {
  const mpi::RankCall call("MPI_Testany");
  if (const int error = mpi::check_count("MPI_Testany", count)) return error;
  int found = -1;
  *flag = call.state().test([&] { return (found = mpi::any_over(count, requests)) != -1; });
  *index = MPI_UNDEFINED;
  return *flag ? mpi::finish_any("MPI_Testany", found, requests, index, status) : MPI_SUCCESS;
}

TERRACE_MPI(int, Waitsome,
            (int count, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses)) {
  const mpi::RankCall call("MPI_Waitsome");
  if (const int error = mpi::check_count("MPI_Waitsome", count)) return error;
  int found = -1;
  call.state().wait([&] { return (found = mpi::any_over(count, requests)) != -1; });
  if (found == MPI_UNDEFINED) {
    *done = MPI_UNDEFINED;
    return MPI_SUCCESS;
  }
  return mpi::finish_some("MPI_Waitsome", count, requests, done, indices, statuses);
}

TERRACE_MPI(int, Testsome,
            (int count, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses)) {
  const mpi::RankCall call("MPI_Testsome");
  if (const int error = mpi::check_count("MPI_Testsome", count)) return error;
  int found = -1;
  call.state().test([&] { return (found = mpi::any_over(count, requests)) != -1; });
  if (found == MPI_UNDEFINED) {
    *done = MPI_UNDEFINED;
    return MPI_SUCCESS;
  }
  return mpi::finish_some("MPI_Testsome", count, requests, done, indices, statuses);
}

TERRACE_MPI(int, Request_get_status, (MPI_Request request, int* flag, MPI_Status* status)) {
  const mpi::RankCall call("MPI_Request_get_status");
  *flag = call.state().test([&] { return mpi::is_over(request); });
  if (!*flag) return MPI_SUCCESS;
  return mpi::put_status_of("MPI_Request_get_status", request, status);
}

TERRACE_MPI(int, Request_get_status_all,
            (int count, const MPI_Request* requests, int* flag, MPI_Status* statuses)) {
  const mpi::RankCall call("MPI_Request_get_status_all");
  if (const int error = mpi::check_count("MPI_Request_get_status_all", count)) return error;
  int first = 0;
  *flag = call.state().test([&] { return mpi::are_over(count, requests, first); });
  int error = MPI_SUCCESS;
  for (int i = 0; *flag && i < count && error == MPI_SUCCESS; ++i)
    error =
        mpi::put_status_of("MPI_Request_get_status_all", requests[i], mpi::status_at(statuses, i));
  return error;
}

TERRACE_MPI(int, Request_get_status_any,
            (int count, const MPI_Request* requests, int* index, int* flag, MPI_Status* status)) {
  const mpi::RankCall call("MPI_Request_get_status_any");
  if (const int error = mpi::check_count("MPI_Request_get_status_any", count)) return error;
  int found = -1;
  *flag = call.state().test([&] { return (found = mpi::any_over(count, requests)) != -1; });
  *index = *flag ? found : MPI_UNDEFINED;
  if (!*flag) return MPI_SUCCESS;
  return mpi::put_status_of("MPI_Request_get_status_any",
                            found == MPI_UNDEFINED ? MPI_REQUEST_NULL : requests[found], status);
}

TERRACE_MPI(int, Request_get_status_some,
            (int count, const MPI_Request* requests, int* done, int* indices,
             MPI_Status* statuses)) {
  const mpi::RankCall call("MPI_Request_get_status_some");
  if (const int error = mpi::check_count("MPI_Request_get_status_some", count)) return error;
  int found = -1;
  call.state().test([&] { return (found = mpi::any_over(count, requests)) != -1; });
  *done = found == MPI_UNDEFINED ? MPI_UNDEFINED : 0;
  int error = MPI_SUCCESS;
  for (int i = 0; *done >= 0 && i < count && error == MPI_SUCCESS; ++i) {
    if (!mpi::is_active(requests[i]) || !mpi::is_over(requests[i])) continue;
    error = mpi::put_status_of("MPI_Request_get_status_some", requests[i],
                               mpi::status_at(statuses, *done));
    indices[(*done)++] = i;
  }
  return error;
}

TERRACE_MPI(int, Request_free, (MPI_Request * request)) {
  const mpi::RankCall call("MPI_Request_free");
  auto* const ours = mpi::request_of(*request);
  if (ours == nullptr) return mpi::fail("MPI_Request_free", MPI_ERR_REQUEST, "this is no request");
  if (ours->is_shared) {
    *request = MPI_REQUEST_NULL;
    return MPI_SUCCESS;
  }
  if (!ours->take_back())
    return mpi::fail("MPI_Request_free", MPI_ERR_REQUEST, "the request is freed already");
  *request = MPI_REQUEST_NULL;
  if (ours->kind == terrace::threadranks::Request::Kind::general) {
    mpi::Users* const users = mpi::users_of(*ours);
    if (!users->is_complete) {
      users->is_given_up = true;  // MPI_Grequest_complete frees it
      return MPI_SUCCESS;
    }
    const int error = users->free();
    delete ours;
    return mpi::report_general("MPI_Request_free", error);
  }
  if (ours->is_active && !ours->is_over()) {
    ours->end_handle();
    ours->communicator->state().detach(std::unique_ptr<terrace::threadranks::Request>(ours));
  } else {
    delete ours;
  }
  return MPI_SUCCESS;
}

TERRACE_MPI(int, Grequest_start,
            (MPI_Grequest_query_function * query, MPI_Grequest_free_function* free,
             MPI_Grequest_cancel_function* cancel, void* extra, MPI_Request* request)) {
  const mpi::RankCall call("MPI_Grequest_start");
  auto* const made = new terrace::threadranks::Request;
  made->kind = terrace::threadranks::Request::Kind::general;
  made->parts().general = std::make_unique<mpi::Users>(query, free, cancel, extra);
  made->is_active = true;
  *request = mpi::handle_of_object<MPI_Request>(*made);
  return MPI_SUCCESS;
}

TERRACE_MPI(int, Grequest_complete, (MPI_Request request)) {
  const mpi::RankCall call("MPI_Grequest_complete");
  auto* const ours = mpi::request_of(request);
  if (ours == nullptr || ours->kind != terrace::threadranks::Request::Kind::general)
    return mpi::fail("MPI_Grequest_complete", MPI_ERR_REQUEST, "this is no general request");
  mpi::Users* const users = mpi::users_of(*ours);
  users->is_complete = true;
  if (!users->is_given_up) return MPI_SUCCESS;
  const int error = users->free();
  delete ours;
  return mpi::report_general("MPI_Grequest_complete", error);
}

TERRACE_MPI(int, Start, (MPI_Request * request)) {
  const mpi::RankCall call("MPI_Start");
  return mpi::start("MPI_Start", *request);
}

TERRACE_MPI(int, Startall, (int count, MPI_Request* requests)) {
  const mpi::RankCall call("MPI_Startall");
  if (count < 0)
    return mpi::fail("MPI_Startall", MPI_ERR_COUNT, std::to_string(count) + " requests");
  for (int i = 0; i < count; ++i)
    if (const int error = mpi::start("MPI_Startall", requests[i])) return error;
  return MPI_SUCCESS;
}

TERRACE_MPI(int, Cancel, (MPI_Request * request)) {
  const mpi::RankCall call("MPI_Cancel");
  auto* const ours = mpi::request_of(*request);
  if (ours == nullptr) return mpi::fail("MPI_Cancel", MPI_ERR_REQUEST, "this is no request");
  return mpi::report_general("MPI_Cancel", ours->cancel());
}

TERRACE_MPI(int, Test_cancelled, (const MPI_Status* status, int* flag)) {
  *flag = mpi::is_cancelled(*status);
  return MPI_SUCCESS;
}
