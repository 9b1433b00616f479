// SPDX-License-Identifier: BSD-3-Clause
// Windows: made, freed, queried; their names, infos and error handlers.
#include <algorithm>
#include <string>

#include "threadranks/mpi/group/attributes.hpp"
#include "threadranks/mpi/info.hpp"
#include "threadranks/mpi/window/window_caller.hpp"

namespace terrace::threadranks::mpi {
namespace {

/// The hints that MPI defines, which we keep and need not follow.
void set_hints(Window& window, MPI_Info info) {
  InfoObject* const given = info_of(info);
  for (auto& [key, value] : window.hints)
    if (given != nullptr)
      if (const std::string* const text = given->find(key)) value = *text;
}

/// A window of the communicator's members, not published yet; null: the caller has an error.
std::unique_ptr<Window> begin(Caller& caller, MPI_Aint size, MPI_Aint unit, Flavor flavor,
                              MPI_Info info) {
  caller.check_intracomm();
  if (!caller.error() && flavor == Flavor::shared && caller.communicator().spans())
    caller.fail(MPI_ERR_RMA_SHARED,
                "the communicator has ranks of several processes, which share no memory: split it "
                "by MPI_Comm_split_type with MPI_COMM_TYPE_SHARED, or use MPI_Win_allocate");
  if (!caller.error() && size < 0)
    caller.fail(MPI_ERR_SIZE, "a window of " + std::to_string(size) + " bytes");
  if (!caller.error() && unit <= 0)
    caller.fail(MPI_ERR_DISP, "displacements of " + std::to_string(unit) + " bytes");
  if (caller.error()) return nullptr;
  auto window = std::make_unique<Window>(*duplicate(caller.communicator()), flavor);
  window->hints = {{"no_locks", "false"},
                   {"accumulate_ordering", "rar,raw,war,waw"},
                   {"accumulate_ops", "same_op_no_op"},
                   {"same_size", "false"},
                   {"same_disp_unit", "false"}};
  if (flavor == Flavor::shared) window->hints.emplace_back("alloc_shared_noncontig", "false");
  set_hints(*window, info);
  return window;
}

int put_window(std::unique_ptr<Window> window, MPI_Win* win) {
  *win = handle_of_object<MPI_Win>(*window.release());
  return MPI_SUCCESS;
}

int create(const char* function, void* base, MPI_Aint size, MPI_Aint unit, MPI_Info info,
           MPI_Comm comm, MPI_Win* win, Flavor flavor) {
  Caller caller(function, comm);
  auto window = begin(caller, size, unit, flavor, info);
  if (!window) return caller.error();
  window->publish(base, static_cast<std::size_t>(size), unit);
  return put_window(std::move(window), win);
}

int allocate(const char* function, MPI_Aint size, MPI_Aint unit, MPI_Info info, MPI_Comm comm,
             void* place, MPI_Win* win, Flavor flavor) {
  Caller caller(function, comm);
  auto window = begin(caller, size, unit, flavor, info);
  if (!window) return caller.error();
  const auto bytes = static_cast<std::size_t>(size);
  const bool is_there = flavor == Flavor::shared ? window->publish_shared(bytes, unit)
                                                 : window->publish_allocated(bytes, unit);
  if (!is_there)
    return caller.fail(MPI_ERR_NO_MEM, "no memory for a window, of which this rank's part has " +
                                           std::to_string(size) + " bytes");
  *static_cast<void**>(place) = window->own().base;
  return put_window(std::move(window), win);
}

int free(MPI_Win* win) {
  WindowCaller caller("MPI_Win_free", *win);
  if (caller.error()) return caller.error();
  Window& window = caller.window();
  caller.check(!window.epochs.is_to_be_closed(), MPI_ERR_RMA_SYNC,
               "an epoch is open: close it before");
  if (caller.error()) return caller.error();
  if (const int error = delete_attributes(window)) return error;
  window.close();
  caller.check_failures();
  delete &window;
  *win = MPI_WIN_NULL;
  return caller.error();
}

template <class Unit>
int shared_query(const char* function, MPI_Win win, int rank, MPI_Aint* size, Unit* unit,
                 void* place) {
  WindowCaller caller(function, win);
  caller.check_target(rank);
  caller.check(caller.error() || caller.window().flavor != Flavor::dynamic, MPI_ERR_RMA_FLAVOR,
               "a dynamic window has no memory of its own");
  if (caller.error()) return caller.error();
  Window& window = caller.window();
  const auto bytes_here = [&](int member) {
    return window.way_to(member) != nullptr ? 0 : window.member(member).bytes;
  };
  int found = rank;
  if (rank == MPI_PROC_NULL) {  // the first that has memory
    found = 0;
    while (found + 1 < window.size() && bytes_here(found) == 0) ++found;
  }
  const WindowMember& member = window.member(found);
  *size = static_cast<MPI_Aint>(bytes_here(found));
  *unit = static_cast<Unit>(member.unit);
  *static_cast<void**>(place) = bytes_here(found) > 0 ? member.base : nullptr;
  return MPI_SUCCESS;
}

void check_dynamic(WindowCaller& caller) {
  caller.check(caller.error() || caller.window().flavor == Flavor::dynamic, MPI_ERR_RMA_FLAVOR,
               "only windows of MPI_Win_create_dynamic take memory later");
}

int attach(MPI_Win win, void* base, MPI_Aint size) {
  WindowCaller caller("MPI_Win_attach", win);
  check_dynamic(caller);
  caller.check(size >= 0, MPI_ERR_SIZE, "the size is negative");
  if (caller.error()) return caller.error();
  WindowMember& own = caller.window().own();
  const std::lock_guard lock(own.attaching);
  std::size_t& bytes = own.attached[static_cast<std::byte*>(base)];
  bytes = std::max(bytes, static_cast<std::size_t>(size));
  return MPI_SUCCESS;
}

int detach(MPI_Win win, const void* base) {
  WindowCaller caller("MPI_Win_detach", win);
  check_dynamic(caller);
  if (caller.error()) return caller.error();
  WindowMember& own = caller.window().own();
  auto* const start = static_cast<std::byte*>(const_cast<void*>(base));
  std::unique_lock lock(own.attaching);
  if (own.attached.erase(start) > 0) return MPI_SUCCESS;
  lock.unlock();
  return caller.fail(MPI_ERR_RMA_ATTACH, "no memory that begins there is attached");
}

int set_errhandler(MPI_Win win, MPI_Errhandler handler) {
  WindowCaller caller("MPI_Win_set_errhandler", win);
  ErrorHandler* const ours = errhandler_of(handler);
  const bool is_right = ours != nullptr && ours->is_for(&ErrorHandler::for_windows);
  caller.check(is_right, MPI_ERR_ARG, "this is no error handler of windows");
  if (caller.error()) return caller.error();
  caller.window().errors->handler = kept_errhandler(*ours);
  return MPI_SUCCESS;
}

int get_errhandler(MPI_Win win, MPI_Errhandler* handler) {
  WindowCaller caller("MPI_Win_get_errhandler", win);
  if (caller.error()) return caller.error();
  auto* const ours = static_cast<ErrorHandler*>(caller.window().errors->handler.get());
  if (ours != nullptr) ours->give_again();
  *handler = handle_of(ours);
  return MPI_SUCCESS;
}

int get_info(MPI_Win win, MPI_Info* info) {
  WindowCaller caller("MPI_Win_get_info", win);
  if (caller.error()) return caller.error();
  auto* const made = new InfoObject;
  made->entries = caller.window().hints;
  *info = handle_of_object<MPI_Info>(*made);
  return MPI_SUCCESS;
}

}  // namespace
}  // namespace terrace::threadranks::mpi

namespace mpi = terrace::threadranks::mpi;
using terrace::threadranks::Flavor;
using terrace::threadranks::RankGroup;

#define TERRACE_WINDOWS(suffix, Unit)                                                           \
  TERRACE_MPI(                                                                                  \
      int, Win_create##suffix,                                                                  \
      (void* base, MPI_Aint size, Unit unit, MPI_Info info, MPI_Comm comm, MPI_Win* win)) {     \
    return mpi::create("MPI_Win_create" #suffix, base, size, unit, info, comm, win,             \
                       Flavor::create);                                                         \
  }                                                                                             \
  TERRACE_MPI(                                                                                  \
      int, Win_allocate##suffix,                                                                \
      (MPI_Aint size, Unit unit, MPI_Info info, MPI_Comm comm, void* place, MPI_Win* win)) {    \
    return mpi::allocate("MPI_Win_allocate" #suffix, size, unit, info, comm, place, win,        \
                         Flavor::allocate);                                                     \
  }                                                                                             \
  TERRACE_MPI(                                                                                  \
      int, Win_allocate_shared##suffix,                                                         \
      (MPI_Aint size, Unit unit, MPI_Info info, MPI_Comm comm, void* place, MPI_Win* win)) {    \
    return mpi::allocate("MPI_Win_allocate_shared" #suffix, size, unit, info, comm, place, win, \
                         Flavor::shared);                                                       \
  }                                                                                             \
  TERRACE_MPI(int, Win_shared_query##suffix,                                                    \
              (MPI_Win win, int rank, MPI_Aint* size, Unit* unit, void* place)) {               \
    return mpi::shared_query("MPI_Win_shared_query" #suffix, win, rank, size, unit, place);     \
  }
TERRACE_WINDOWS(, int)
TERRACE_WINDOWS(_c, MPI_Aint)

TERRACE_MPI(int, Win_create_dynamic, (MPI_Info info, MPI_Comm comm, MPI_Win* win)) {
  return mpi::create("MPI_Win_create_dynamic", nullptr, 0, 1, info, comm, win, Flavor::dynamic);
}
TERRACE_MPI(int, Win_attach, (MPI_Win win, void* base, MPI_Aint size)) {
  return mpi::attach(win, base, size);
}
TERRACE_MPI(int, Win_detach, (MPI_Win win, const void* base)) {
  return mpi::detach(win, base);
}
TERRACE_MPI(int, Win_free, (MPI_Win * win)) {
  return mpi::free(win);
}

TERRACE_MPI(int, Win_get_group, (MPI_Win win, MPI_Group* group)) {
  mpi::WindowCaller caller("MPI_Win_get_group", win);
  if (caller.error()) return caller.error();
  *group =
      mpi::handle_of_object<MPI_Group>(*new RankGroup(caller.window().communicator().members()));
  return MPI_SUCCESS;
}
TERRACE_MPI(int, Win_set_name, (MPI_Win win, const char* name)) {
  mpi::WindowCaller caller("MPI_Win_set_name", win);
  if (!caller.error()) caller.window().name = name;
  return caller.error();
}
TERRACE_MPI(int, Win_get_name, (MPI_Win win, char* name, int* length)) {
  if (win == MPI_WIN_NULL) return mpi::put_text("MPI_WIN_NULL", name, MPI_MAX_OBJECT_NAME, length);
  mpi::WindowCaller caller("MPI_Win_get_name", win);
  if (caller.error()) return caller.error();
  return mpi::put_text(caller.window().name, name, MPI_MAX_OBJECT_NAME, length);
}
TERRACE_MPI(int, Win_set_info, (MPI_Win win, MPI_Info info)) {
  mpi::WindowCaller caller("MPI_Win_set_info", win);
  if (!caller.error()) mpi::set_hints(caller.window(), info);
  return caller.error();
}
TERRACE_MPI(int, Win_get_info, (MPI_Win win, MPI_Info* info)) {
  return mpi::get_info(win, info);
}

TERRACE_MPI(int, Win_create_errhandler,
            (MPI_Win_errhandler_function * function, MPI_Errhandler* handler)) {
  const mpi::RankCall call;
  auto* const made = new mpi::ErrorHandler{mpi::ErrorHandler::Kind::users};
  made->for_windows = function;
  *handler = mpi::handle_of_object<MPI_Errhandler>(*made);
  return MPI_SUCCESS;
}
TERRACE_MPI(int, Win_set_errhandler, (MPI_Win win, MPI_Errhandler handler)) {
  return mpi::set_errhandler(win, handler);
}
TERRACE_MPI(int, Win_get_errhandler, (MPI_Win win, MPI_Errhandler* handler)) {
  return mpi::get_errhandler(win, handler);
}
TERRACE_MPI(int, Win_call_errhandler, (MPI_Win win, int code)) {
  mpi::WindowCaller caller("MPI_Win_call_errhandler", win);
  if (caller.error()) return caller.error();
  caller.fail(code, mpi::sentence_of(code));
  return MPI_SUCCESS;
}
