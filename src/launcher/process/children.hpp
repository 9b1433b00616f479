// SPDX-License-Identifier: BSD-3-Clause
// The processes that ranks have made. The system knows them as children of one process; here each
// rank waits for its own.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>

#include <cstddef>
#include <mutex>

struct terrace_rank;

namespace terrace {

/// Children by their numbers, in the order in which they were noted. Handlers of signals may wait
/// for children, even while their thread is in one of these functions: so these block signals while
/// they hold the lock, and allocate nothing from the heap.
class Children {
 public:
  struct Child {
    pid_t number;
    pid_t maker;  ///< the kernel's number of the thread
    const terrace_rank* rank;
  };

  /// Made by the calling thread. A child that had the same number before is gone. If there is no
  /// memory, the child is not noted: then only its maker can wait for it.
  void note(pid_t child, const terrace_rank& rank);
  /// Forgets a child if the system has forgotten it.
  void check(pid_t child);
  bool is_of_another(pid_t child, const terrace_rank& rank);
  /// Whether the rank has none that another thread has made.
  bool are_of_this_thread(const terrace_rank& rank);

  /// Asks about each child of the rank until an answer is positive. 0: there is nothing to tell
  /// yet; -1: the system does not count this child among those that are meant. Returns the number
  /// of the child with the positive answer, 0 if there is none, or -1 if all answers were -1.
  /// `next` is told of each child whose answer was 0.
  template <class Ask, class Next>
  pid_t look(const terrace_rank& rank, const Ask& ask, const Next& next);

 private:
  bool has_room_for_one_more();
  /// The place of that child; `count_`: there is none.
  std::size_t find(pid_t child) const;
  void forget(std::size_t place);
  void check_at(std::size_t place);

  std::mutex mutex_;
  Child* all_ = nullptr;
  std::size_t count_ = 0, room_ = 0;
};

/// waitpid, wait4 and waitid as a rank calls them. In a child that a rank has forked, they are
/// libc's.
pid_t wait_in_rank(terrace_rank& rank, pid_t child, int* status, int options, rusage* used);
int wait_in_rank(terrace_rank& rank, idtype_t type, id_t id, siginfo_t* why, int options);

/// A child that the calling thread has just made, or an error's -1.
void note_child(terrace_rank& rank, pid_t child);

/// Called in a handler of signals: the calling thread has run a handler of the program, by which
/// calls of the system do not go on.
void note_interruption();

}  // namespace terrace
