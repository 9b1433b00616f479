// SPDX-License-Identifier: BSD-3-Clause
// Error handlers, and what error codes mean.
#include <map>

#include "threadranks/mpi/attributes.hpp"

namespace terrace::threadranks::mpi {
namespace {

Errhandler* errhandler_of(MPI_Errhandler handle) {
  static Errhandler fatal{Errhandler::Kind::fatal}, abort_{Errhandler::Kind::abort},
      returns{Errhandler::Kind::returns};
  if (handle == MPI_ERRORS_ARE_FATAL) return &fatal;
  if (handle == MPI_ERRORS_ABORT) return &abort_;
  if (handle == MPI_ERRORS_RETURN) return &returns;
  return object_of<Errhandler>(handle);
}

MPI_Errhandler handle_of_errhandler(Errhandler* handler) {
  if (handler == nullptr || handler->kind == Errhandler::Kind::fatal) return MPI_ERRORS_ARE_FATAL;
  if (handler->kind == Errhandler::Kind::abort) return MPI_ERRORS_ABORT;
  if (handler->kind == Errhandler::Kind::returns) return MPI_ERRORS_RETURN;
  return handle_of_object<MPI_Errhandler>(*handler);
}

void release(Errhandler* handler) {
  if (handler->kind == Errhandler::Kind::users && --handler->references == 0) delete handler;
}

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
    {MPI_ERR_UNSUPPORTED_OPERATION, "operation not supported by thread ranks"},
    {MPI_ERR_NO_MEM, "out of memory"},
};

/// Classes and codes that programs have added. Theirs alone, as each rank is a program.
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

std::string sentence_of(int code) {
  if (const auto& own = added().sentences; own.count(code)) return own.at(code);
  if (added().class_of_code.count(code)) return "";  // as long as the program says nothing
  for (const Sentence& sentence : kSentences)
    if (sentence.error_class == code) return sentence.text;
  return "error " + std::to_string(code);
}

}  // namespace

int last_used_code() {
  return added().next - 1;
}

void release_errhandler(Communicator& communicator) {
  if (communicator.errhandler != nullptr)
    release(static_cast<Errhandler*>(communicator.errhandler));
  communicator.errhandler = nullptr;
}

void copy_errhandler(const Communicator& from, Communicator& to) {
  auto* const handler = static_cast<Errhandler*>(from.errhandler);
  if (handler != nullptr && handler->kind == Errhandler::Kind::users) ++handler->references;
  to.errhandler = handler;
}

int fail(MPI_Comm comm, const char* function, int error_class, const std::string& sentence) {
  const RankState& rank = rank_of_caller();
  Communicator* const communicator = communicator_of(comm);
  const auto* const handler =
      communicator != nullptr ? static_cast<const Errhandler*>(communicator->errhandler) : nullptr;
  if (handler != nullptr && handler->kind == Errhandler::Kind::returns) return error_class;
  if (handler != nullptr && handler->kind == Errhandler::Kind::users) {
    int code = error_class;
    handler->function(&comm, &code);
    return error_class;
  }
  rank.end_job(error_class,
               "rank " + std::to_string(rank.rank()) + ", " + function + ": " + sentence);
}

int fail(const char* function, int error_class, const std::string& sentence) {
  return fail(MPI_COMM_WORLD, function, error_class, sentence);
}

}  // namespace terrace::threadranks::mpi

namespace mpi = terrace::threadranks::mpi;
using mpi::Errhandler;

TERRACE_MPI(int, Comm_create_errhandler,
            (MPI_Comm_errhandler_function * function, MPI_Errhandler* handler)) {
  auto* const made = new Errhandler{Errhandler::Kind::users, function};
  *handler = mpi::handle_of_object<MPI_Errhandler>(*made);
  return MPI_SUCCESS;
}

TERRACE_MPI(int, Errhandler_free, (MPI_Errhandler * handler)) {
  Errhandler* const ours = mpi::errhandler_of(*handler);
  if (ours == nullptr)
    return mpi::fail("MPI_Errhandler_free", MPI_ERR_ARG, "this is no error handler");
  mpi::release(ours);
  *handler = MPI_ERRHANDLER_NULL;
  return MPI_SUCCESS;
}

TERRACE_MPI(int, Comm_set_errhandler, (MPI_Comm comm, MPI_Errhandler handler)) {
  mpi::Caller caller("MPI_Comm_set_errhandler", comm);
  Errhandler* const ours = mpi::errhandler_of(handler);
  if (!caller.error() && ours == nullptr) caller.fail(MPI_ERR_ARG, "this is no error handler");
  if (caller.error()) return caller.error();
  if (ours->kind == Errhandler::Kind::users) ++ours->references;
  auto*& place = caller.communicator().errhandler;
  if (place != nullptr) mpi::release(static_cast<Errhandler*>(place));
  place = ours;
  return MPI_SUCCESS;
}

TERRACE_MPI(int, Comm_get_errhandler, (MPI_Comm comm, MPI_Errhandler* handler)) {
  mpi::Caller caller("MPI_Comm_get_errhandler", comm);
  if (caller.error()) return caller.error();
  auto* const ours = static_cast<Errhandler*>(caller.communicator().errhandler);
  if (ours != nullptr && ours->kind == Errhandler::Kind::users) ++ours->references;
  *handler = mpi::handle_of_errhandler(ours);
  return MPI_SUCCESS;
}

TERRACE_MPI(int, Comm_call_errhandler, (MPI_Comm comm, int code)) {
  mpi::fail(comm, "MPI_Comm_call_errhandler", code, mpi::sentence_of(code));
  return MPI_SUCCESS;
}

TERRACE_MPI(int, Error_string, (int code, char* text, int* length)) {
  return mpi::put_text(mpi::sentence_of(code), text, MPI_MAX_ERROR_STRING, length);
}

TERRACE_MPI(int, Error_class, (int code, int* error_class)) {
  const auto& own = mpi::added().class_of_code;
  *error_class = own.count(code) ? own.at(code) : code;
  return MPI_SUCCESS;
}

TERRACE_MPI(int, Add_error_class, (int* error_class)) {
  auto& own = mpi::added();
  *error_class = own.next++;
  own.class_of_code[*error_class] = *error_class;
  return MPI_SUCCESS;
}

TERRACE_MPI(int, Add_error_code, (int error_class, int* code)) {
  auto& own = mpi::added();
  *code = own.next++;
  own.class_of_code[*code] = error_class;
  return MPI_SUCCESS;
}

TERRACE_MPI(int, Add_error_string, (int code, const char* text)) {
  mpi::added().sentences[code] = text;
  return MPI_SUCCESS;
}

namespace terrace::threadranks::mpi {
namespace {

/// Takes away what the program has added, a class or a code.
int remove_code(const char* function, int code) {
  if (added().class_of_code.erase(code) == 0)
    return fail(function, MPI_ERR_ARG, std::to_string(code) + " has not been added");
  added().sentences.erase(code);
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace terrace::threadranks::mpi

TERRACE_MPI(int, Remove_error_class, (int error_class)) {
  return mpi::remove_code("MPI_Remove_error_class", error_class);
}

TERRACE_MPI(int, Remove_error_code, (int code)) {
  return mpi::remove_code("MPI_Remove_error_code", code);
}

TERRACE_MPI(int, Remove_error_string, (int code)) {
  if (mpi::added().sentences.erase(code) == 0)
    return mpi::fail("MPI_Remove_error_string", MPI_ERR_ARG,
                     std::to_string(code) + " has no text of the program's");
  return MPI_SUCCESS;
}
