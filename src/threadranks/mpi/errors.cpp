// SPDX-License-Identifier: BSD-3-Clause
// Error handlers, and what error codes mean.
#include <algorithm>
#include <iterator>
#include <map>

#include "threadranks/mpi/group/attributes.hpp"

namespace terrace::threadranks::mpi {

std::shared_ptr<void> kept_errhandler(ErrorHandler& handler) {
  handler.retain();
  return {&handler, [](void* one) { static_cast<ErrorHandler*>(one)->release(); }};
}

ErrorHandler* errhandler_of(MPI_Errhandler handle) {
  static ErrorHandler fatal{ErrorHandler::Kind::fatal}, abort_{ErrorHandler::Kind::abort},
      returns{ErrorHandler::Kind::returns};
  if (handle == MPI_ERRORS_ARE_FATAL) return &fatal;
  if (handle == MPI_ERRORS_ABORT) return &abort_;
  if (handle == MPI_ERRORS_RETURN) return &returns;
  return object_of<ErrorHandler>(handle);
}

MPI_Errhandler handle_of(ErrorHandler* handler) {
  if (handler == nullptr || handler->kind == ErrorHandler::Kind::fatal) return MPI_ERRORS_ARE_FATAL;
  if (handler->kind == ErrorHandler::Kind::abort) return MPI_ERRORS_ABORT;
  if (handler->kind == ErrorHandler::Kind::returns) return MPI_ERRORS_RETURN;
  return handle_of_object<MPI_Errhandler>(*handler);
}

namespace {

struct Sentence {
  int error_class;
  const char* text;
};
constexpr Sentence kSentences[] = {
    {MPI_SUCCESS, "no error"},
    {MPI_ERR_BUFFER, "invalid buffer"},
    {MPI_ERR_COUNT, "invalid count"},
    {MPI_ERR_TYPE, "invalid datatype"},
    {MPI_ERR_TAG, "invalid tag"},
    {MPI_ERR_COMM, "invalid communicator"},
    {MPI_ERR_RANK, "invalid rank"},
    {MPI_ERR_REQUEST, "invalid request"},
    {MPI_ERR_ROOT, "invalid root"},
    {MPI_ERR_GROUP, "invalid group"},
    {MPI_ERR_OP, "invalid operator"},
    {MPI_ERR_TOPOLOGY, "invalid topology"},
    {MPI_ERR_DIMS, "invalid dimensions"},
    {MPI_ERR_ARG, "invalid argument"},
    {MPI_ERR_UNKNOWN, "unknown error"},
    {MPI_ERR_TRUNCATE, "message truncated on receive"},
    {MPI_ERR_OTHER, "known error not in this list"},
    {MPI_ERR_INTERN, "internal error"},
    {MPI_ERR_PENDING, "pending request"},
    {MPI_ERR_IN_STATUS, "error code is in the status"},
    {MPI_ERR_ACCESS, "permission denied"},
    {MPI_ERR_AMODE, "invalid mode of access"},
    {MPI_ERR_ASSERT, "invalid assertion"},
    {MPI_ERR_BAD_FILE, "invalid name of a file"},
    {MPI_ERR_BASE, "invalid base of memory"},
    {MPI_ERR_CONVERSION, "data could not be converted"},
    {MPI_ERR_DISP, "invalid displacement"},
    {MPI_ERR_DUP_DATAREP, "representation of data is there already"},
    {MPI_ERR_FILE_EXISTS, "file exists"},
    {MPI_ERR_FILE_IN_USE, "file is in use"},
    {MPI_ERR_FILE, "invalid file"},
    {MPI_ERR_INFO_KEY, "key of info is too long"},
    {MPI_ERR_INFO_NOKEY, "no such key of info"},
    {MPI_ERR_INFO_VALUE, "value of info is too long"},
    {MPI_ERR_INFO, "invalid info object"},
    {MPI_ERR_IO, "input or output failed"},
    {MPI_ERR_KEYVAL, "invalid key of attributes"},
    {MPI_ERR_LOCKTYPE, "invalid type of lock"},
    {MPI_ERR_NAME, "no such service name"},
    {MPI_ERR_NO_MEM, "out of memory"},
    {MPI_ERR_NOT_SAME, "members' arguments differ"},
    {MPI_ERR_NO_SPACE, "no space left"},
    {MPI_ERR_NO_SUCH_FILE, "no such file"},
    {MPI_ERR_PORT, "invalid port"},
    {MPI_ERR_QUOTA, "quota exceeded"},
    {MPI_ERR_READ_ONLY, "file may only be read"},
    {MPI_ERR_RMA_ATTACH, "memory cannot be attached"},
    {MPI_ERR_RMA_CONFLICT, "conflicting accesses to a window"},
    {MPI_ERR_RMA_FLAVOR, "window of another flavour"},
    {MPI_ERR_RMA_RANGE, "memory is not in the window"},
    {MPI_ERR_RMA_SHARED, "memory cannot be shared"},
    {MPI_ERR_RMA_SYNC, "wrong synchronization of a window"},
    {MPI_ERR_SERVICE, "invalid service name"},
    {MPI_ERR_SIZE, "invalid size"},
    {MPI_ERR_SPAWN, "ranks could not be spawned"},
    {MPI_ERR_UNSUPPORTED_DATAREP, "unsupported representation of data"},
    {MPI_ERR_UNSUPPORTED_OPERATION, "operation not supported by thread ranks"},
    {MPI_ERR_WIN, "invalid window"},
    {MPI_ERR_PROC_ABORTED, "a rank has been aborted"},
    {MPI_ERR_VALUE_TOO_LARGE, "value is too large for its place"},
    {MPI_ERR_SESSION, "invalid session"},
    {MPI_ERR_ERRHANDLER, "invalid error handler"},
    {MPI_ERR_ABI, "ABI not supported"},
};

/// Classes and codes that a program has added. Each rank is a program, and has its own.
struct Added {
  std::map<int, int> class_of_code;
  std::map<int, std::string> sentences;
  int next = MPI_ERR_LASTCODE + 1;
};

Added& added() {
  static std::mutex mutex;
  static std::map<const RankState*, Added>& of_ranks = *new std::map<const RankState*, Added>;
  const std::lock_guard lock(mutex);
  return of_ranks[&rank_of_caller()];
}

/// Whether the program has added it as a class, or as a code of one.
bool is_added_class(int code) {
  const auto found = added().class_of_code.find(code);
  return found != added().class_of_code.end() && found->second == code;
}
bool is_added_code(int code) {
  return added().class_of_code.count(code) != 0 && !is_added_class(code);
}
bool is_class(int code) {
  const auto is_its = [=](const Sentence& one) { return one.error_class == code; };
  return is_added_class(code) || std::any_of(std::begin(kSentences), std::end(kSentences), is_its);
}

int fail_for(const char* function, int code, const char* what) {
  return fail(function, MPI_ERR_ARG, std::to_string(code) + what);
}

/// Removes a class or a code that has no text any more, as MPI wants it.
int remove(const char* function, int code) {
  if (added().sentences.count(code) > 0)
    return fail_for(function, code, " still has a text: call MPI_Remove_error_string before");
  added().class_of_code.erase(code);
  return MPI_SUCCESS;
}

int remove_class(const char* function, int error_class) {
  if (!is_added_class(error_class))
    return fail_for(function, error_class, " is no error class that has been added");
  for (const auto& [code, its_class] : added().class_of_code)
    if (its_class == error_class && code != error_class)
      return fail_for(function, error_class, " still has error codes: remove them before");
  return remove(function, error_class);
}

int remove_code(const char* function, int code) {
  if (!is_added_code(code))
    return fail_for(function, code, " is no error code that has been added");
  return remove(function, code);
}

}  // namespace

std::string sentence_of(int code) {
  if (const auto& own = added().sentences; own.count(code)) return own.at(code);
  if (added().class_of_code.count(code)) return "";  // until the program sets a text
  for (const Sentence& sentence : kSentences)
    if (sentence.error_class == code) return sentence.text;
  return "error " + std::to_string(code);
}

int last_used_code() {
  return added().next - 1;
}

void end_job(const char* function, int error_class, const std::string& sentence) {
  const RankState& rank = rank_of_caller();
  rank.end_job(error_class,
               "rank " + std::to_string(rank.rank()) + ", " + function + ": " + sentence);
}

int fail(MPI_Comm comm, const char* function, int error_class, const std::string& sentence) {
  Communicator* const communicator = communicator_of(comm);
  const auto* const handler = communicator != nullptr
                                  ? static_cast<const ErrorHandler*>(communicator->errhandler.get())
                                  : nullptr;
  if (handler != nullptr && handler->kind == ErrorHandler::Kind::returns) return error_class;
  if (handler != nullptr && handler->kind == ErrorHandler::Kind::users)
    return handler->call(handler->for_communicators, comm, PMPI_Comm_c2f, error_class);
  end_job(function, error_class, sentence);
}

int fail(const char* function, int error_class, const std::string& sentence) {
  return fail(MPI_COMM_WORLD, function, error_class, sentence);
}

}  // namespace terrace::threadranks::mpi

namespace mpi = terrace::threadranks::mpi;
using mpi::ErrorHandler;

TERRACE_MPI(int, Comm_create_errhandler,
            (MPI_Comm_errhandler_function * function, MPI_Errhandler* handler)) {
  const mpi::RankCall call;
  auto* const made = new ErrorHandler{ErrorHandler::Kind::users};
  made->for_communicators = function;
  *handler = mpi::handle_of_object<MPI_Errhandler>(*made);
  return MPI_SUCCESS;
}

TERRACE_MPI(int, Errhandler_free, (MPI_Errhandler * handler)) {
  const mpi::RankCall call;
  ErrorHandler* const ours = mpi::errhandler_of(*handler);
  if (ours == nullptr)
    return mpi::fail("MPI_Errhandler_free", MPI_ERR_ARG, "this is no error handler");
  if (ours->kind == ErrorHandler::Kind::users && !ours->take_back())
    return mpi::fail("MPI_Errhandler_free", MPI_ERR_ARG, "the error handler is freed already");
  ours->release();
  *handler = MPI_ERRHANDLER_NULL;
  return MPI_SUCCESS;
}

TERRACE_MPI(int, Comm_set_errhandler, (MPI_Comm comm, MPI_Errhandler handler)) {
  mpi::Caller caller("MPI_Comm_set_errhandler", comm);
  ErrorHandler* const ours = mpi::errhandler_of(handler);
  const bool is_right = ours != nullptr && ours->is_for(&ErrorHandler::for_communicators);
  if (!caller.error() && !is_right)
    caller.fail(MPI_ERR_ARG, "this is no error handler of communicators");
  if (caller.error()) return caller.error();
  caller.communicator().errhandler = mpi::kept_errhandler(*ours);
  return MPI_SUCCESS;
}

TERRACE_MPI(int, Comm_get_errhandler, (MPI_Comm comm, MPI_Errhandler* handler)) {
  mpi::Caller caller("MPI_Comm_get_errhandler", comm);
  if (caller.error()) return caller.error();
  auto* const ours = static_cast<ErrorHandler*>(caller.communicator().errhandler.get());
  if (ours != nullptr) ours->give_again();
  *handler = mpi::handle_of(ours);
  return MPI_SUCCESS;
}

TERRACE_MPI(int, Comm_call_errhandler, (MPI_Comm comm, int code)) {
  mpi::fail(comm, "MPI_Comm_call_errhandler", code, mpi::sentence_of(code));
  return MPI_SUCCESS;
}

TERRACE_MPI(int, Error_string, (int code, char* text, int* length)) {
  const mpi::RankCall call;
  return mpi::put_text(mpi::sentence_of(code), text, MPI_MAX_ERROR_STRING, length);
}

TERRACE_MPI(int, Error_class, (int code, int* error_class)) {
  const mpi::RankCall call;
  const auto& own = mpi::added().class_of_code;
  *error_class = own.count(code) ? own.at(code) : code;
  return MPI_SUCCESS;
}

TERRACE_MPI(int, Add_error_class, (int* error_class)) {
  const mpi::RankCall call;
  auto& own = mpi::added();
  *error_class = own.next++;
  own.class_of_code[*error_class] = *error_class;
  return MPI_SUCCESS;
}

TERRACE_MPI(int, Add_error_code, (int error_class, int* code)) {
  const mpi::RankCall call;
  if (!mpi::is_class(error_class) || error_class == MPI_SUCCESS)
    return mpi::fail_for("MPI_Add_error_code", error_class, " is no error class");
  auto& own = mpi::added();
  *code = own.next++;
  own.class_of_code[*code] = error_class;
  return MPI_SUCCESS;
}

TERRACE_MPI(int, Add_error_string, (int code, const char* text)) {
  const mpi::RankCall call;
  if (mpi::added().class_of_code.count(code) == 0)
    return mpi::fail_for("MPI_Add_error_string", code, " has not been added");
  mpi::added().sentences[code] = text;
  return MPI_SUCCESS;
}

TERRACE_MPI(int, Remove_error_class, (int error_class)) {
  const mpi::RankCall call;
  return mpi::remove_class("MPI_Remove_error_class", error_class);
}

TERRACE_MPI(int, Remove_error_code, (int code)) {
  const mpi::RankCall call;
  return mpi::remove_code("MPI_Remove_error_code", code);
}

TERRACE_MPI(int, Remove_error_string, (int code)) {
  const mpi::RankCall call;
  if (mpi::added().sentences.erase(code) == 0)
    return mpi::fail_for("MPI_Remove_error_string", code, " has no text of the program's");
  return MPI_SUCCESS;
}
