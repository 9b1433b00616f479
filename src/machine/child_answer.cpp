// SPDX-License-Identifier: BSD-3-Clause
// Forks, and reads the answer from a pipe: whole answers end with a mark, which no crash leaves.
#include "machine/child_answer.hpp"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "base/file_descriptor.hpp"
#include "base/ticks.hpp"

namespace terrace {

namespace {

constexpr char kMark = '.';
constexpr rlim_t kMostSeconds = 60;
/// A child may also wait for ever: for a lock that another thread held when it was forked.
constexpr std::uint64_t kMostNs = 120'000'000'000;

/// Handlers are for this process: a launcher's or MPI's would report the end of a rank.
void become_plain() {
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU, SIGPIPE, SIGTERM})
    ::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &none, nullptr);
  // What fails says so in many lines, of which we make one.
  if (const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC); nowhere >= 0)
    dup2(nowhere, STDERR_FILENO);
  rlimit limit{};
  setrlimit(RLIMIT_CORE, &limit);
  getrlimit(RLIMIT_CPU, &limit);
  limit.rlim_cur = limit.rlim_max < kMostSeconds ? limit.rlim_max : kMostSeconds;
  setrlimit(RLIMIT_CPU, &limit);
}

[[noreturn]] void answer_and_end(int to, const std::function<std::string()>& work) {
  become_plain();
  write_all(to, work() + kMark);
  // Not by _exit, which thread ranks take for a rank's end.
  for (;;) syscall(SYS_exit_group, 0);
}

/// Whether there is something to read, or nothing more to come; false: not by then.
bool has_more_by(std::uint64_t end_ns, int from) {
  constexpr int kMsBetweenLooks = 1000;
  pollfd one{from, POLLIN, 0};
  while (monotonic_ns() < end_ns)
    if (poll(&one, 1, kMsBetweenLooks) > 0) return true;
  return false;
}

std::string answer_of(int from, pid_t child) {
  const std::uint64_t end_ns = monotonic_ns() + kMostNs;
  std::string text;
  char part[4096];
  for (;;) {
    if (!has_more_by(end_ns, from)) {
      kill(child, SIGKILL);
      return text;
    }
    const ssize_t got = read(from, part, sizeof part);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(part, static_cast<std::size_t>(got));
  }
}

/// Waits for a child, and says half a sentence about its end. A program that ignores SIGCHLD, or
/// waits for all of its children, hides from us how it ended.
std::string end_of(pid_t child) {
  int status = 0;
  pid_t ended = 0;
  do ended = waitpid(child, &status, 0);
  while (ended < 0 && errno == EINTR);
  if (ended != child || !WIFSIGNALED(status)) return "ended early";
  const int signal = WTERMSIG(status);
  if (signal == SIGXCPU)
    return "did not end within " + std::to_string(kMostSeconds) + " s of processor time";
  return "was ended by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
}

Error no_process(int failure) {
  return {ErrorCode::system,
          std::string("cannot have a process of its own: ") + std::strerror(failure)};
}

}  // namespace

Result<std::string> child_answer(const std::function<std::string()>& work) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return no_process(errno);
  const pid_t child = fork();
  if (child == 0) answer_and_end(ends[1], work);
  const int failure = errno;
  close(ends[1]);
  std::string answer = child < 0 ? "" : answer_of(ends[0], child);
  close(ends[0]);
  if (child < 0) return no_process(failure);
  const std::string end = end_of(child);
  if (answer.empty() || answer.back() != kMark) return Error{ErrorCode::argument, end};
  answer.pop_back();
  return answer;
}

}  // namespace terrace
