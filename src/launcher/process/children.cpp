// SPDX-License-Identifier: BSD-3-Clause
// Waits for a rank's own children. If the rank's only thread has made all of them, the system knows
// which they are (__WNOTHREAD), and waits. Otherwise a thread asks about one child after the other,
// and sleeps until one of them ends.
#include "launcher/process/children.hpp"

#include <poll.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstring>

#include "base/contract.hpp"
#include "base/signals_blocked.hpp"
#include "launcher/process/launched_job.hpp"

namespace terrace {

namespace {

#ifdef SYS_pidfd_open
constexpr long kOpenProcess = SYS_pidfd_open;
#else
constexpr long kOpenProcess = 434;  // on all machines
#endif

/// Sleeps between two looks at children of which nothing but a look can tell.
constexpr long kFirstPauseNs = 100'000, kLongestPauseNs = 10'000'000;

[[gnu::tls_model("initial-exec")]] thread_local volatile std::sig_atomic_t interruptions_here = 0;

/// The system has forgotten it, as a thread has waited for it.
bool is_gone(pid_t child) {
  siginfo_t why;
  return waitid(P_PID, static_cast<id_t>(child), &why,
                WEXITED | WSTOPPED | WCONTINUED | WNOHANG | WNOWAIT | __WALL) != 0 &&
         errno == ECHILD;
}

bool has_ended(pid_t child) {
  siginfo_t why{};
  return waitid(P_PID, static_cast<id_t>(child), &why, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0 &&
         why.si_pid == child;
}

/// Sleeps until one of some children ends. Their file descriptors are there only meanwhile, since
/// programs count on having theirs.
class Sleep {
 public:
  Sleep() = default;
  ~Sleep() {
    for (std::size_t i = 0; i < count_; ++i) close(files_[i].fd);
  }
  Sleep(const Sleep&) = delete;
  Sleep& operator=(const Sleep&) = delete;

  void watch(pid_t child) {
    // Old systems cannot; others may have no file descriptor left.
    const int file =
        count_ < files_.size() ? static_cast<int>(syscall(kOpenProcess, child, 0)) : -1;
    if (file >= 0)
      files_[count_++] = {file, POLLIN, 0};
    else
      sees_all_ = false;
  }
  bool sees_all() const { return sees_all_; }

  /// At most so long if `pause_ns` is not 0; signals of `mask` are blocked.
  void begin(long pause_ns, const sigset_t& mask) {
    const timespec pause = {0, pause_ns};
    ppoll(files_.data(), count_, pause_ns == 0 ? nullptr : &pause, &mask);
  }

 private:
  std::array<pollfd, 64> files_;
  std::size_t count_ = 0;
  bool sees_all_ = true;
};

/// The thread runs the rank's main, and there is no other.
bool is_alone(const terrace_rank& rank) {
  // relaxed: only this thread could make another one.
  return rank.job.settings().workers.empty() &&
         rank.other_threads.load(std::memory_order_relaxed) == 0 &&
         pthread_equal(pthread_self(), rank.thread) != 0;
}

/// Whether the system's own wait for any child of the calling thread is that for any of the rank.
bool does_system_know(const terrace_rank& rank) {
  return is_alone(rank) && rank.job.children().are_of_this_thread(rank);
}

int failed_with(int error) {
  errno = error;
  return -1;
}

/// `group`: of processes; 0: any. `ask` asks the system about a child, without waiting.
template <class Ask>
pid_t wait_for_any(terrace_rank& rank, pid_t group, int options, const Ask& ask) {
  Children& children = rank.job.children();
  const auto ask_of_group = [&](pid_t child) {
    return group != 0 && getpgid(child) != group ? -1 : ask(child);
  };
  for (long pause_ns = kFirstPauseNs;; pause_ns = std::min(2 * pause_ns, kLongestPauseNs)) {
    std::sig_atomic_t before = 0;
    {
      const SignalsBlocked blocked;
      before = interruptions_here;
      Sleep sleep;
      const bool waits = (options & WNOHANG) == 0;
      const pid_t found = children.look(rank, ask_of_group, [&](pid_t child) {
        if (waits) sleep.watch(child);
      });
      if (found < 0) return failed_with(ECHILD);
      if (found > 0 || !waits) return found;
      const bool is_told =
          sleep.sees_all() && is_alone(rank) && (options & (WSTOPPED | WCONTINUED)) == 0;
      sleep.begin(is_told ? 0 : pause_ns, blocked.before());
    }
    if (interruptions_here != before) return failed_with(EINTR);
  }
}

pid_t group_of(pid_t child) {
  if (child == -1) return 0;
  return child == 0 ? getpgrp() : -child;
}

}  // namespace

bool Children::has_room_for_one_more() {
  if (count_ < room_) return true;
  const std::size_t bytes = room_ * sizeof(Child), larger = bytes == 0 ? 4096 : 2 * bytes;
  void* const memory =
      bytes == 0 ? mmap(nullptr, larger, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                 : mremap(all_, bytes, larger, MREMAP_MAYMOVE);
  if (memory == MAP_FAILED) return false;
  all_ = static_cast<Child*>(memory);
  room_ = larger / sizeof(Child);
  return true;
}

std::size_t Children::find(pid_t child) const {
  const auto is_it = [child](const Child& one) { return one.number == child; };
  return static_cast<std::size_t>(std::find_if(all_, all_ + count_, is_it) - all_);
}

void Children::forget(std::size_t place) {
  TERRACE_ASSERT(place < count_, place, count_);
  std::copy(all_ + place + 1, all_ + count_, all_ + place);
  --count_;
}

void Children::check_at(std::size_t place) {
  if (is_gone(all_[place].number)) forget(place);
}

void Children::note(pid_t child, const terrace_rank& rank) {
  const SignalsBlocked blocked;
  const std::lock_guard lock(mutex_);
  if (const std::size_t place = find(child); place < count_) forget(place);
  if (!has_room_for_one_more()) return;
  all_[count_++] = {child, static_cast<pid_t>(syscall(SYS_gettid)), &rank};
}

void Children::check(pid_t child) {
  const SignalsBlocked blocked;
  const std::lock_guard lock(mutex_);
  if (const std::size_t place = find(child); place < count_) check_at(place);
}

bool Children::is_of_another(pid_t child, const terrace_rank& rank) {
  const SignalsBlocked blocked;
  const std::lock_guard lock(mutex_);
  const std::size_t place = find(child);
  return place < count_ && all_[place].rank != &rank;
}

bool Children::are_of_this_thread(const terrace_rank& rank) {
  const auto thread = static_cast<pid_t>(syscall(SYS_gettid));
  const SignalsBlocked blocked;
  const std::lock_guard lock(mutex_);
  return std::all_of(all_, all_ + count_,
                     [&](const Child& one) { return one.rank != &rank || one.maker == thread; });
}

template <class Ask, class Next>
pid_t Children::look(const terrace_rank& rank, const Ask& ask, const Next& next) {
  const std::lock_guard lock(mutex_);
  bool is_any_meant = false;
  for (std::size_t i = 0; i < count_; ++i) {
    const pid_t child = all_[i].number;
    if (all_[i].rank != &rank) continue;
    const int answer = ask(child);
    if (answer == 0) {
      is_any_meant = true;
      next(child);
      continue;
    }
    const std::size_t count = count_;
    check_at(i);
    if (answer > 0) return child;
    if (count_ < count) --i;  // the next one is at its place
  }
  return is_any_meant ? 0 : -1;
}

pid_t wait_in_rank(terrace_rank& rank, pid_t child, int* status, int options, rusage* used) {
  constexpr int kKnown = WNOHANG | WUNTRACED | WCONTINUED | __WNOTHREAD | __WCLONE | __WALL;
  const bool is_wrong = (options & ~kKnown) != 0 || child == INT_MIN;
  if (is_wrong || terrace_rank_is_forked(&rank)) return wait4(child, status, options, used);
  if (child > 0 && rank.job.children().is_of_another(child, rank)) return failed_with(ECHILD);
  if (child > 0 || does_system_know(rank)) {
    const pid_t found = wait4(child, status, child > 0 ? options : options | __WNOTHREAD, used);
    if (found > 0) rank.job.children().check(found);
    return found;
  }
  return wait_for_any(rank, group_of(child), options,
                      [&](pid_t one) { return wait4(one, status, options | WNOHANG, used); });
}

int wait_in_rank(terrace_rank& rank, idtype_t type, id_t id, siginfo_t* why, int options) {
  constexpr int kWanted = WEXITED | WSTOPPED | WCONTINUED;
  constexpr int kKnown = kWanted | WNOHANG | WNOWAIT | __WNOTHREAD | __WCLONE | __WALL;
  const bool is_wrong = (options & ~kKnown) != 0 || (options & kWanted) == 0;
  if (is_wrong || terrace_rank_is_forked(&rank)) return waitid(type, id, why, options);
  Children& children = rank.job.children();
  const bool is_any = type == P_ALL || type == P_PGID;
  if (type == P_PID && children.is_of_another(static_cast<pid_t>(id), rank))
    return failed_with(ECHILD);
  siginfo_t found{};
  int failure = 0;
  if (!is_any || does_system_know(rank)) {
    failure = waitid(type, id, &found, is_any ? options | __WNOTHREAD : options);
    if (failure == 0 && found.si_pid != 0) children.check(found.si_pid);
  } else {
    const pid_t group = type == P_ALL ? 0 : group_of(-static_cast<pid_t>(id));
    const pid_t child = wait_for_any(rank, group, options, [&](pid_t one) {
      if (waitid(P_PID, static_cast<id_t>(one), &found, options | WNOHANG) != 0) return -1;
      return found.si_pid;
    });
    failure = child < 0 ? -1 : 0;
  }
  if (failure == 0 && why != nullptr) *why = found;
  return failure;
}

void note_child(terrace_rank& rank, pid_t child) {
  if (child <= 0 || terrace_rank_is_forked(&rank)) return;
  rank.job.children().note(child, rank);
  // If it has ended already, a handler of SIGCHLD may have looked before the child was noted.
  // relaxed: as in `terrace_rank_handle_signal`.
  const std::uint64_t handled = rank.handled_signals.load(std::memory_order_relaxed);
  if ((handled & signal_bit(SIGCHLD)) != 0 && !is_alone(rank) && has_ended(child))
    rank.job.send_signal(rank, SIGCHLD);
}

void note_interruption() {
  interruptions_here = interruptions_here + 1;
}

}  // namespace terrace
