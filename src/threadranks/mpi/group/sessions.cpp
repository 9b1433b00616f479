// SPDX-License-Identifier: BSD-3-Clause
// Sessions: MPI without MPI_Init, any number of times. There are two process sets, all ranks and
// the calling rank; communicators are made from groups.
#include <strings.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "threadranks/mpi/info.hpp"
#include "threadranks/mpi/message/buffers.hpp"
#include "threadranks/ranks/forked_child.hpp"

namespace terrace::threadranks::mpi {
namespace {

constexpr const char* kEverybody = "mpi://WORLD";
constexpr const char* kSelf = "mpi://SELF";
constexpr const char* kSets[] = {kEverybody, kSelf};

struct Session : Numbered<ObjectKind::session> {
  ErrorHandler* errhandler = nullptr;  ///< null: that of MPI_COMM_WORLD
  const char* thread_level = "";       ///< the name of the one that is provided
  AttachedBuffer attached;

  ~Session() { set_errhandler(nullptr); }
  void set_errhandler(ErrorHandler* handler) {
    if (handler != nullptr) handler->retain();
    if (errhandler != nullptr) errhandler->release();
    errhandler = handler;
  }
};

/// Raises an error by the session's error handler. (In MPICH's ABI, handles of all kinds are one
/// type.)
int session_fails(MPI_Session handle, const char* function, int error_class,
                  const std::string& sentence) {
  const auto* const session = object_of<Session>(handle);
  const ErrorHandler* const handler = session != nullptr ? session->errhandler : nullptr;
  if (handler == nullptr) return mpi::fail(function, error_class, sentence);
  if (handler->kind == ErrorHandler::Kind::returns) return error_class;
  if (handler->for_sessions != nullptr)
    return handler->call(handler->for_sessions, handle, PMPI_Session_c2f, error_class);
  end_job(function, error_class, sentence);
}

/// The session of a call, or an error.
struct Known {
  Known(const char* function, MPI_Session handle) : session(object_of<Session>(handle)) {
    if (session == nullptr)
      error = session_fails(handle, function, MPI_ERR_SESSION, "this is no session");
  }
  Session* session;
  int error = MPI_SUCCESS;
};

/// The ranks in a process set, or an error: there is no such session or set. Names are
/// case-insensitive.
int members_of(const char* function, MPI_Session handle, const char* set,
               std::vector<Rank>& members) {
  const Known known(function, handle);
  if (known.error) return known.error;
  RankState& rank = rank_of_caller();
  if (strcasecmp(set, kEverybody) == 0)
    members = rank.everybody().members();
  else if (strcasecmp(set, kSelf) == 0)
    members = rank.self().members();
  else
    return session_fails(handle, function, MPI_ERR_ARG,
                         std::string("there is no set of processes '") + set + "', only " +
                             kEverybody + " and " + kSelf);
  return MPI_SUCCESS;
}

/// The thread level that the program asks for by its name in MPI. Without one, as under MPICH, the
/// highest.
const char* wanted_thread_level(MPI_Info info) {
  constexpr const char* kLevels[] = {"MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED",
                                     "MPI_THREAD_SERIALIZED", "MPI_THREAD_MULTIPLE"};
  InfoObject* const given = info != MPI_INFO_NULL ? info_of(info) : nullptr;
  const std::string* const wanted = given != nullptr ? given->find("thread_level") : nullptr;
  for (const char* const level : kLevels)
    if (wanted != nullptr && *wanted == level) return level;
  return kLevels[3];
}

/// Notes that a session begins.
void begin_session(RankState& rank, const Session& session) {
  if (!rank.may_call()) rank.main_thread = std::this_thread::get_id();
  rank.has_threaded_parts |= std::string(session.thread_level) == "MPI_THREAD_MULTIPLE";
  rank.allow_threads(rank.has_threaded_parts || rank.thread_level == MPI_THREAD_MULTIPLE);
  ++rank.open_sessions;
  rank.has_had_sessions = true;
  rank.be_fibre();
}

int attach_to_session(const char* function, MPI_Session handle, void* buffer, std::int64_t bytes) {
  const RankCall call(function);
  const Known known(function, handle);
  if (known.error) return known.error;
  return attach(known.session->attached, buffer, bytes,
                [&](int error, const std::string& sentence) {
                  return session_fails(handle, function, error, sentence);
                });
}

template <class Number>
int detach_from_session(const char* function, MPI_Session handle, void* place, Number* bytes) {
  const RankCall call(function);
  const Known known(function, handle);
  return known.error ? known.error : detach(known.session->attached, place, bytes);
}

int put_info(const char* key, const std::string& value, MPI_Info* made) {
  InfoObject* const info = new InfoObject;
  info->entries.emplace_back(key, value);
  *made = handle_of_object<MPI_Info>(*info);
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace terrace::threadranks::mpi

namespace mpi = terrace::threadranks::mpi;
using mpi::ErrorHandler;
using mpi::Known;
using terrace::Rank;
using terrace::threadranks::MpiPhase;

TERRACE_MPI(int, Session_init, (MPI_Info info, MPI_Errhandler handler, MPI_Session* made)) {
  const mpi::RankCall call;
  if (terrace::threadranks::phase_of_parent())
    return mpi::fail("MPI_Session_init", MPI_ERR_OTHER, terrace::threadranks::kObstacleInChild);
  ErrorHandler* const ours = mpi::errhandler_of(handler);
  if (ours == nullptr || !ours->is_for(&mpi::ErrorHandler::for_sessions))
    return mpi::fail("MPI_Session_init", MPI_ERR_ARG, "this is no error handler of sessions");
  auto* const session = new mpi::Session;
  session->set_errhandler(ours);
  session->thread_level = mpi::wanted_thread_level(info);
  mpi::begin_session(call.state(), *session);
  *made = mpi::handle_of_object<MPI_Session>(*session);
  return MPI_SUCCESS;
}

TERRACE_MPI(int, Session_finalize, (MPI_Session * handle)) {
  const mpi::RankCall call;
  const Known known("MPI_Session_finalize", *handle);
  if (known.error) return known.error;
  auto& rank = call.state();
  if (rank.open_sessions == 1 && rank.phase != MpiPhase::initialized) {
    rank.settle();
    rank.report();
  }
  --rank.open_sessions;
  if (!rank.may_call()) terrace::fibre::go_home();
  delete known.session;
  *handle = MPI_SESSION_NULL;
  return MPI_SUCCESS;
}

TERRACE_MPI(int, Session_get_num_psets, (MPI_Session handle, MPI_Info, int* count)) {
  const Known known("MPI_Session_get_num_psets", handle);
  if (!known.error) *count = static_cast<int>(std::size(mpi::kSets));
  return known.error;
}

TERRACE_MPI(int, Session_get_nth_pset,
            (MPI_Session handle, MPI_Info, int number, int* length, char* name)) {
  const char* const function = "MPI_Session_get_nth_pset";
  const Known known(function, handle);
  if (known.error) return known.error;
  if (number < 0 || number >= static_cast<int>(std::size(mpi::kSets)))
    return mpi::session_fails(handle, function, MPI_ERR_ARG,
                              "there is no set of processes " + std::to_string(number));
  const char* const set = mpi::kSets[number];
  const int room = *length;
  *length = static_cast<int>(std::strlen(set)) + 1;
  if (room <= 0) return MPI_SUCCESS;
  const int copied = std::min(room, *length) - 1;
  std::memcpy(name, set, static_cast<std::size_t>(copied));
  name[copied] = '\0';
  return MPI_SUCCESS;
}

TERRACE_MPI(int, Session_get_pset_info, (MPI_Session handle, const char* set, MPI_Info* info)) {
  const mpi::RankCall call;
  const char* const function = "MPI_Session_get_pset_info";
  std::vector<Rank> members;
  if (const int error = mpi::members_of(function, handle, set, members)) return error;
  return mpi::put_info("mpi_size", std::to_string(members.size()), info);
}

TERRACE_MPI(int, Session_get_info, (MPI_Session handle, MPI_Info* info)) {
  const mpi::RankCall call;
  const Known known("MPI_Session_get_info", handle);
  return known.error ? known.error
                     : mpi::put_info("thread_level", known.session->thread_level, info);
}

TERRACE_MPI(int, Group_from_session_pset, (MPI_Session handle, const char* set, MPI_Group* group)) {
  const mpi::RankCall call;
  const char* const function = "MPI_Group_from_session_pset";
  std::vector<Rank> members;
  if (const int error = mpi::members_of(function, handle, set, members)) return error;
  *group =
      mpi::handle_of_object<MPI_Group>(*new terrace::threadranks::RankGroup(std::move(members)));
  return MPI_SUCCESS;
}

TERRACE_MPI(int, Session_create_errhandler,
            (MPI_Session_errhandler_function * function, MPI_Errhandler* handler)) {
  const mpi::RankCall call;
  auto* const made = new ErrorHandler{ErrorHandler::Kind::users};
  made->for_sessions = function;
  *handler = mpi::handle_of_object<MPI_Errhandler>(*made);
  return MPI_SUCCESS;
}

TERRACE_MPI(int, Session_set_errhandler, (MPI_Session handle, MPI_Errhandler handler)) {
  const mpi::RankCall call;
  const char* const function = "MPI_Session_set_errhandler";
  const Known known(function, handle);
  if (known.error) return known.error;
  ErrorHandler* const ours = mpi::errhandler_of(handler);
  if (ours == nullptr || !ours->is_for(&mpi::ErrorHandler::for_sessions))
    return mpi::session_fails(handle, function, MPI_ERR_ARG,
                              "this is no error handler of sessions");
  known.session->set_errhandler(ours);
  return MPI_SUCCESS;
}

TERRACE_MPI(int, Session_get_errhandler, (MPI_Session handle, MPI_Errhandler* handler)) {
  const mpi::RankCall call;
  const Known known("MPI_Session_get_errhandler", handle);
  if (known.error) return known.error;
  ErrorHandler* const ours = known.session->errhandler;
  if (ours != nullptr) ours->give_again();
  *handler = mpi::handle_of(ours);
  return MPI_SUCCESS;
}

TERRACE_MPI(int, Session_call_errhandler, (MPI_Session handle, int code)) {
  const Known known("MPI_Session_call_errhandler", handle);
  if (known.error) return known.error;
  mpi::session_fails(handle, "MPI_Session_call_errhandler", code, mpi::sentence_of(code));
  return MPI_SUCCESS;
}

#define TERRACE_BUFFERS(suffix, Counts)                                                         \
  TERRACE_MPI(int, Session_attach_buffer##suffix,                                               \
              (MPI_Session handle, void* buffer, Counts bytes)) {                               \
    return mpi::attach_to_session("MPI_Session_attach_buffer" #suffix, handle, buffer, bytes);  \
  }                                                                                             \
  TERRACE_MPI(int, Session_detach_buffer##suffix,                                               \
              (MPI_Session handle, void* place, Counts* bytes)) {                               \
    return mpi::detach_from_session("MPI_Session_detach_buffer" #suffix, handle, place, bytes); \
  }
TERRACE_BUFFERS(, int)
TERRACE_BUFFERS(_c, MPI_Count)

TERRACE_MPI(int, Session_flush_buffer, (MPI_Session handle)) {
  return Known("MPI_Session_flush_buffer", handle).error;
}
TERRACE_MPI(int, Session_iflush_buffer, (MPI_Session handle, MPI_Request* request)) {
  const mpi::RankCall call("MPI_Session_iflush_buffer");
  const Known known("MPI_Session_iflush_buffer", handle);
  if (known.error) return known.error;
  return mpi::put_complete_request(call.state().self(), nullptr, request);
}
