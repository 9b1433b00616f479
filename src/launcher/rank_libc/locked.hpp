// SPDX-License-Identifier: BSD-3-Clause
// Mutexes of a rank's state, and arrays of the heap that they guard.
#pragma once

#include <pthread.h>
#include <stdlib.h>

namespace terrace::rank_libc {

class Locked {
 public:
  explicit Locked(pthread_mutex_t& mutex) : mutex_(mutex) { pthread_mutex_lock(&mutex_); }
  ~Locked() { pthread_mutex_unlock(&mutex_); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;

 private:
  pthread_mutex_t& mutex_;
};

/// A recursive mutex that has been held during a fork. To a child, it belongs to a thread that the
/// child does not have.
inline void release_after_fork(pthread_mutex_t& mutex, bool is_child) {
  if (is_child)
    mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
  else
    pthread_mutex_unlock(&mutex);
}

/// Lets an array have one more element than `count`, where it has room for `room`; false: there is
/// no memory.
template <class Element>
bool has_room_for_one_more(Element*& all, size_t count, size_t& room) {
  if (count < room) return true;
  const size_t larger = room == 0 ? 32 : 2 * room;
  void* const moved = reallocarray(all, larger, sizeof *all);
  if (moved == nullptr) return false;
  all = static_cast<Element*>(moved);
  room = larger;
  return true;
}

}  // namespace terrace::rank_libc
