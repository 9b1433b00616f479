// SPDX-License-Identifier: BSD-3-Clause
// Opens and closes the epochs of windows: fence; post, start, complete and wait; locks and flushes.
#include <algorithm>
#include <atomic>
#include <vector>

#include "threadranks/mpi/window/window_caller.hpp"

namespace terrace::threadranks::mpi {
namespace {

int fence(int assertions, MPI_Win win) {
  WindowCaller caller("MPI_Win_fence", win);
  caller.check_assertions(
      assertions, MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED);
  if (caller.error()) return caller.error();
  Epochs& epochs = caller.window().epochs;
  caller.check(!epochs.is_to_be_closed(), MPI_ERR_RMA_SYNC,
               "an epoch of locks, or of MPI_Win_start or MPI_Win_post, is open: close it before");
  if (caller.error()) return caller.error();
  caller.window().fence();
  epochs.is_fenced = (assertions & MPI_MODE_NOSUCCEED) == 0;
  epochs.has_accessed = false;
  caller.check_failures();
  return caller.error();
}

/// A fence without accesses behind it opens no epoch.
void check_no_access_epoch(WindowCaller& caller) {
  if (caller.error()) return;
  const Epochs& open = caller.window().epochs;
  caller.check(!open.is_started && !open.is_all_locked && !(open.is_fenced && open.has_accessed),
               MPI_ERR_RMA_SYNC, "another epoch is open: close it before");
}

std::vector<int> ranks_of(WindowCaller& caller, MPI_Group group) {
  std::vector<int> ranks;
  const RankGroup* const found = group_of(group);
  caller.check(found != nullptr, MPI_ERR_GROUP, "this is no group");
  if (caller.error()) return ranks;
  const auto& members = caller.window().communicator().members();
  for (const Rank rank : found->members) {
    const auto place = std::find(members.begin(), members.end(), rank);
    caller.check(place != members.end(), MPI_ERR_GROUP,
                 "the group has ranks that are not in the window");
    ranks.push_back(static_cast<int>(place - members.begin()));
  }
  return ranks;
}

int post(MPI_Group group, int assertions, MPI_Win win) {
  WindowCaller caller("MPI_Win_post", win);
  caller.check_assertions(assertions, MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT);
  const std::vector<int> ranks = ranks_of(caller, group);
  caller.check(caller.error() || !caller.window().epochs.is_posted, MPI_ERR_RMA_SYNC,
               "the last MPI_Win_post has not been waited for");
  if (!caller.error()) caller.window().post(ranks);
  return caller.error();
}

int start(MPI_Group group, int assertions, MPI_Win win) {
  WindowCaller caller("MPI_Win_start", win);
  caller.check_assertions(assertions, MPI_MODE_NOCHECK);
  const std::vector<int> ranks = ranks_of(caller, group);
  check_no_access_epoch(caller);
  caller.check(caller.error() || !caller.window().epochs.is_passive(), MPI_ERR_RMA_SYNC,
               "an epoch of locks is open: close it before");
  if (caller.error()) return caller.error();
  caller.window().epochs.is_fenced = false;
  caller.window().start(ranks);
  return MPI_SUCCESS;
}

int complete(MPI_Win win) {
  WindowCaller caller("MPI_Win_complete", win);
  caller.check(caller.error() || caller.window().epochs.is_started, MPI_ERR_RMA_SYNC,
               "there was no MPI_Win_start");
  if (caller.error()) return caller.error();
  caller.window().complete();
  caller.check_failures();
  return caller.error();
}

int wait(const char* function, MPI_Win win, int* flag) {
  WindowCaller caller(function, win);
  caller.check(caller.error() || caller.window().epochs.is_posted, MPI_ERR_RMA_SYNC,
               "there was no MPI_Win_post");
  if (caller.error()) return caller.error();
  if (flag == nullptr) {
    caller.window().wait();
    return MPI_SUCCESS;
  }
  *flag = caller.window().has_completed();
  if (!*flag) caller.window().sync();
  return MPI_SUCCESS;
}

int lock(int kind, int target, int assertions, MPI_Win win) {
  WindowCaller caller("MPI_Win_lock", win);
  caller.check_assertions(assertions, MPI_MODE_NOCHECK);
  caller.check(kind == MPI_LOCK_EXCLUSIVE || kind == MPI_LOCK_SHARED, MPI_ERR_LOCKTYPE,
               "locks are MPI_LOCK_EXCLUSIVE or MPI_LOCK_SHARED");
  caller.check_target(target);
  check_no_access_epoch(caller);
  if (caller.error()) return caller.error();
  Epochs& epochs = caller.window().epochs;
  if (target == MPI_PROC_NULL) {
    ++epochs.lock_count;
    ++epochs.null_lock_count;
    return MPI_SUCCESS;
  }
  caller.check(epochs.locks[static_cast<std::size_t>(target)] == Epochs::Lock::none,
               MPI_ERR_RMA_SYNC, "the target is locked by this rank already");
  if (caller.error()) return caller.error();
  epochs.is_fenced = false;
  caller.window().lock(target, kind == MPI_LOCK_EXCLUSIVE);
  return MPI_SUCCESS;
}

int unlock(int target, MPI_Win win) {
  WindowCaller caller("MPI_Win_unlock", win);
  caller.check_target(target);
  if (caller.error()) return caller.error();
  Epochs& epochs = caller.window().epochs;
  if (target == MPI_PROC_NULL) {
    caller.check(epochs.null_lock_count > 0, MPI_ERR_RMA_SYNC, "there was no MPI_Win_lock");
    if (caller.error()) return caller.error();
    --epochs.lock_count;
    --epochs.null_lock_count;
    return MPI_SUCCESS;
  }
  caller.check(epochs.locks[static_cast<std::size_t>(target)] != Epochs::Lock::none,
               MPI_ERR_RMA_SYNC, "the target is not locked by this rank");
  if (caller.error()) return caller.error();
  caller.window().unlock(target);
  caller.check_failures(target);
  return caller.error();
}

int lock_all(int assertions, MPI_Win win) {
  WindowCaller caller("MPI_Win_lock_all", win);
  caller.check_assertions(assertions, MPI_MODE_NOCHECK);
  check_no_access_epoch(caller);
  caller.check(caller.error() || caller.window().epochs.lock_count == 0, MPI_ERR_RMA_SYNC,
               "this rank has locked a target");
  if (caller.error()) return caller.error();
  caller.window().epochs.is_fenced = false;
  caller.window().lock_all();
  return MPI_SUCCESS;
}

int unlock_all(MPI_Win win) {
  WindowCaller caller("MPI_Win_unlock_all", win);
  caller.check(caller.error() || caller.window().epochs.is_all_locked, MPI_ERR_RMA_SYNC,
               "there was no MPI_Win_lock_all");
  if (caller.error()) return caller.error();
  caller.window().unlock_all();
  caller.check_failures();
  return caller.error();
}

/// `target` null: of all targets.
int flush(const char* function, const int* target, bool is_local, MPI_Win win) {
  WindowCaller caller(function, win);
  if (target != nullptr) caller.check_target(*target);
  if (caller.error()) return caller.error();
  Window& window = caller.window();
  const Epochs& epochs = window.epochs;
  const bool is_of_one = target != nullptr && *target != MPI_PROC_NULL;
  const bool is_locked =
      epochs.is_all_locked ||
      (is_of_one ? epochs.locks[static_cast<std::size_t>(*target)] != Epochs::Lock::none
                 : epochs.lock_count > 0);
  caller.check(is_locked, MPI_ERR_RMA_SYNC, "flushes need an epoch of locks");
  if (caller.error()) return caller.error();
  if (is_of_one) {
    is_local ? window.flush_local(*target) : window.flush(*target);
    caller.check_failures(*target);
  } else if (target != nullptr) {  // MPI_PROC_NULL
    window.sync();
  } else {
    is_local ? window.flush_local_all() : window.flush_all();
    caller.check_failures();
  }
  return caller.error();
}

int sync(MPI_Win win) {
  WindowCaller caller("MPI_Win_sync", win);
  if (!caller.error()) caller.window().sync();
  return caller.error();
}

}  // namespace
}  // namespace terrace::threadranks::mpi

namespace mpi = terrace::threadranks::mpi;

TERRACE_MPI(int, Win_fence, (int assertions, MPI_Win win)) {
  return mpi::fence(assertions, win);
}
TERRACE_MPI(int, Win_post, (MPI_Group group, int assertions, MPI_Win win)) {
  return mpi::post(group, assertions, win);
}
TERRACE_MPI(int, Win_start, (MPI_Group group, int assertions, MPI_Win win)) {
  return mpi::start(group, assertions, win);
}
TERRACE_MPI(int, Win_complete, (MPI_Win win)) {
  return mpi::complete(win);
}
TERRACE_MPI(int, Win_wait, (MPI_Win win)) {
  return mpi::wait("MPI_Win_wait", win, nullptr);
}
TERRACE_MPI(int, Win_test, (MPI_Win win, int* flag)) {
  return mpi::wait("MPI_Win_test", win, flag);
}
TERRACE_MPI(int, Win_lock, (int kind, int target, int assertions, MPI_Win win)) {
  return mpi::lock(kind, target, assertions, win);
}
TERRACE_MPI(int, Win_unlock, (int target, MPI_Win win)) {
  return mpi::unlock(target, win);
}
TERRACE_MPI(int, Win_lock_all, (int assertions, MPI_Win win)) {
  return mpi::lock_all(assertions, win);
}
TERRACE_MPI(int, Win_unlock_all, (MPI_Win win)) {
  return mpi::unlock_all(win);
}
TERRACE_MPI(int, Win_flush, (int target, MPI_Win win)) {
  return mpi::flush("MPI_Win_flush", &target, false, win);
}
TERRACE_MPI(int, Win_flush_local, (int target, MPI_Win win)) {
  return mpi::flush("MPI_Win_flush_local", &target, true, win);
}
TERRACE_MPI(int, Win_flush_all, (MPI_Win win)) {
  return mpi::flush("MPI_Win_flush_all", nullptr, false, win);
}
TERRACE_MPI(int, Win_flush_local_all, (MPI_Win win)) {
  return mpi::flush("MPI_Win_flush_local_all", nullptr, true, win);
}
TERRACE_MPI(int, Win_sync, (MPI_Win win)) {
  return mpi::sync(win);
}
