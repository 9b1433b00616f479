// SPDX-License-Identifier: BSD-3-Clause
// Handlers that work even when most of the process is broken.
#include "launcher/process/abort_report.hpp"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <thread>

#include "launcher/process/launched_job.hpp"
#include "launcher/process/outer_launcher.hpp"
#include "launcher/process/private_mpi.hpp"

namespace terrace {

namespace {

constexpr std::array kDeadly = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP};
LaunchedJob* the_job = nullptr;
constexpr std::size_t kStackBytes = 64 << 10;
PrivateMpi* mpi_between_processes = nullptr;

/// The user's standard error, even if the rank's goes elsewhere or was closed by the program.
int users_error = -1;

void say_beside_prefixes(const char* text, std::size_t length) {
  if (write(users_error, text, length) >= 0) return;
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text, length);
}

/// A line that needs no allocation: the heap may be broken.
class ReportLine {
 public:
  ReportLine& add(const char* text) {
    while (*text != '\0' && used_ < sizeof text_ - 1) text_[used_++] = *text++;
    return *this;
  }
  ReportLine& add(int number) {
    used_ = static_cast<std::size_t>(
        std::to_chars(text_ + used_, text_ + sizeof text_ - 1, number).ptr - text_);
    return *this;
  }
  void write_out() {
    text_[used_++] = '\n';
    say_beside_prefixes(text_, used_);
  }

 private:
  char text_[256];
  std::size_t used_ = 0;
};

bool is_deadly(int signal) {
  return std::find(kDeadly.begin(), kDeadly.end(), signal) != kDeadly.end();
}

/// Whether this is a process that a rank has forked: it is no part of the job.
bool is_child() {
  return the_job != nullptr && getpid() != the_job->process();
}

/// The default action, if no rank handles the signal.
bool is_ignored(int signal) {
  return signal == SIGCHLD || signal == SIGURG || signal == SIGWINCH || signal == SIGCONT;
}

/// Ends the process, or does not, as the system would: the kernel may keep a core file.
void leave_to_system(int signal) {
  ::signal(signal, SIG_DFL);
  syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), signal);
}

/// Whether a timer has sent it: signals of `alarm` and `setitimer` come from the kernel.
bool is_of_timer(int signal, const siginfo_t& why) {
  const bool may_be = signal == SIGALRM || signal == SIGPROF || signal == SIGVTALRM;
  return why.si_code == SI_TIMER || (may_be && why.si_code == SI_KERNEL);
}

/// Whether the process has got a signal, which the system delivers in any thread, rather than the
/// thread of a rank. What measures times is for the rank whose time it was, if that handles it.
bool is_for_others(int signal, const siginfo_t& why, const terrace_rank* here, bool is_handled) {
  if (is_deadly(signal)) return false;
  if (here == nullptr) return true;
  const bool measures = signal == SIGPROF || signal == SIGVTALRM;
  return why.si_code != SI_TKILL && signal != SIGPIPE && !(is_handled && measures);
}

std::uintptr_t stack_pointer_in(const void* context) {
  const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext;
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(registers.gregs[REG_RSP]);
#else
  return registers.sp;
#endif
}

/// Whether the thread that runs the rank's main has gone beyond its stack. A large frame may begin
/// far below it, where no guard page is.
bool is_beyond_stack(const terrace_rank& rank, const siginfo_t& why, const void* context) {
  constexpr std::uintptr_t kBelowPointer = 256;  // what functions may use there, and a call
  if (pthread_equal(pthread_self(), rank.thread) == 0) return false;
  const auto address = reinterpret_cast<std::uintptr_t>(why.si_addr);
  return address + kBelowPointer >= stack_pointer_in(context) && address < rank.stack_begin;
}

void report_crash(int signal, const siginfo_t& why, const void* context) {
  const terrace_rank* const rank = rank_here();
  ReportLine line;
  line.add("terrace: rank ");
  if (rank != nullptr)
    line.add(rank->number);
  else
    line.add("of a thread that belongs to none");
  line.add(" was ended by signal ").add(signal).add(" (SIG").add(sigabbrev_np(signal)).add(")");
  const bool may_be_for_stack = signal == SIGSEGV || signal == SIGBUS;
  if (may_be_for_stack && rank != nullptr && is_beyond_stack(*rank, why, context))
    line.add(": no stack left (--stack)");
  else if (signal == SIGSEGV && why.si_code == SEGV_ACCERR)
    line.add(": no access there, or no stack left (--stack)");
  line.write_out();
}

/// The handler of every signal that a rank handles, in any thread.
void on_signal(int signal, siginfo_t* why, void* context) {
  const int error = errno;
  const terrace_rank* const rank = rank_here();
  const int answer =
      rank != nullptr && rank->signals != nullptr ? rank->signals(signal, why, context) : 0;
  const bool is_handled = answer != 0;
  if (answer == TERRACE_SIGNAL_INTERRUPTS) note_interruption();
  const bool is_passed_on = !is_child() && is_for_others(signal, *why, rank, is_handled) &&
                            the_job->pass_on(signal, rank, is_of_timer(signal, *why));
  if (!is_handled && is_deadly(signal) && !is_child()) {
    the_job->drain_output();
    report_crash(signal, *why, context);
  }
  if (!is_handled && !is_passed_on && !is_ignored(signal)) leave_to_system(signal);
  errno = error;
}

/// Gives the signal stack back when the thread ends.
struct SignalStack {
  void* memory = nullptr;
  ~SignalStack() {
    if (memory == nullptr) return;
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    sigaltstack(&none, nullptr);
    munmap(memory, kStackBytes);
  }
};

}  // namespace

int ask_about_signal(int signal, int flags) {
  struct sigaction action {};
  action.sa_sigaction = on_signal;
  action.sa_flags = (flags & (SA_RESTART | SA_NODEFER | SA_NOCLDSTOP)) | SA_SIGINFO | SA_ONSTACK;
  return sigaction(signal, &action, nullptr);
}

void watch_for_crashes(LaunchedJob& job) {
  the_job = &job;
  constexpr int kAboveWhatProgramsOpen = 190;
  users_error = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, kAboveWhatProgramsOpen);
  for (const int signal : kDeadly) {
    struct sigaction there {};
    // A sanitizer's runtime reports more than we do.
    if (sigaction(signal, nullptr, &there) == 0 && there.sa_handler == SIG_DFL)
      ask_about_signal(signal, SA_NODEFER);
  }
}

void prepare_abort_report() {
  thread_local SignalStack here;
  if (here.memory != nullptr) return;
  void* const memory = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return;
  stack_t stack{};
  stack.ss_sp = memory;
  stack.ss_size = kStackBytes;
  if (sigaltstack(&stack, nullptr) == 0) here.memory = memory;
}

namespace {

/// Says what a child has done, and ends it: not the job, whose other processes must not hear of it.
[[noreturn]] void end_child(int rank, const std::string& what, int status) {
  const std::string line = "terrace: a child of rank " + std::to_string(rank) + " (process " +
                           std::to_string(getpid()) + ") " + what + "\n";
  say_beside_prefixes(line.data(), line.size());
  end_process(status);
}

}  // namespace

void end_job(int rank, const std::string& what, int status) {
  if (is_child()) end_child(rank, what, status);
  // One line is enough where all ranks do the same. relaxed: the flag is all that there is to know.
  static std::atomic_flag is_ending;
  while (is_ending.test_and_set(std::memory_order_relaxed)) pause();
  the_job->drain_output();
  const std::string line = "terrace: rank " + std::to_string(rank) + " " + what + "\n";
  say_beside_prefixes(line.data(), line.size());
  end_processes(status);
}

void end_others_by(PrivateMpi& mpi) {
  mpi_between_processes = &mpi;
}

/// In a thread of its own, because another rank may be in that MPI, and MPI_Abort may wait for it
/// or for ever. It ends by `exit`, which would run what ranks have registered.
void end_processes(int status) {
  if (mpi_between_processes != nullptr && !is_child()) {
    static int code;
    code = status;
    std::atexit([] { end_process(code); });
    std::thread([] { mpi_between_processes->end_all(code); }).detach();
    const timespec most = {2, 0};
    nanosleep(&most, nullptr);
  }
  end_process(status);
}

void end_refused_process(int status) {
  if (mpi_between_processes == nullptr && outer_launcher().processes > 1) {
    signal(SIGTERM, SIG_DFL);
    raise(SIGTERM);
  }
  end_processes(status);
}

void end_process(int status) {
  for (;;) syscall(SYS_exit_group, status);
}

}  // namespace terrace
