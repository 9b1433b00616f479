// SPDX-License-Identifier: BSD-3-Clause
// Who lives is told right for processes that are killed, end, become others, or are merely stopped.
#include "preload/waiting/liveness.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <functional>

namespace terrace::preload {
namespace {

/// A child that shows its life in our file as `rank`, then does something. Made before our file is,
/// of which it hears through a pipe.
class Child {
 public:
  Child(int rank, const std::function<void()>& then) {
    if (pipe(addresses_.data()) != 0 || pipe(answers_.data()) != 0) return;
    process_ = fork();
    if (process_ != 0) return;
    MemoryAddress file;
    if (read(addresses_[0], &file, sizeof file) != sizeof file) _exit(1);
    show_liveness(file, rank);
    if (write(answers_[1], "x", 1) != 1) _exit(1);
    then();
    for (;;) pause();
  }
  ~Child() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    for (const int end : {addresses_[0], addresses_[1], answers_[0], answers_[1]}) close(end);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  /// Until it has shown its life.
  bool meet(const MemoryAddress& file) const {
    char answer = 0;
    return write(addresses_[1], &file, sizeof file) == sizeof file &&
           read(answers_[0], &answer, 1) == 1;
  }
  pid_t process() const { return process_; }

 private:
  std::array<int, 2> addresses_{}, answers_{};
  pid_t process_ = -1;
};

/// Locks go a moment after a process has ended.
bool goes(int rank) {
  for (int look = 0; look < 5000; ++look) {
    if (is_gone(rank)) return true;
    poll(nullptr, 0, 1);
  }
  return false;
}

bool stays(int rank) {
  poll(nullptr, 0, 50);
  return !is_gone(rank);
}

/// All in one: a process has one file of its own, in which numbers must differ.
TEST(Liveness, are_told_by_the_kernel) {
  const Child killed(1, [] {});
  const Child ends(2, [] { _exit(0); });
  const Child becomes_another(3, [] { execlp("sleep", "sleep", "60", nullptr); });
  const Child stopped(4, [] {});
  // A child of its own, which has all its file descriptors, does not keep it alive.
  const Child has_child(5, [] {
    if (fork() == 0) {
      // The test's runner waits until no process can write to it any more.
      for (const int file : {STDOUT_FILENO, STDERR_FILENO}) close(file);
      alarm(60);
      for (;;) pause();
    }
  });
  const Child never_seen(6, [] {});
  const Child runs_a_program(7, [] {
    if (fork() == 0) execlp("true", "true", nullptr);
  });

  const MemoryAddress file = own_liveness_file(0);
  ASSERT_GE(file.file, 0);
  EXPECT_EQ(own_liveness_file(0).token, file.token) << "made once";
  for (const Child* child : {&killed, &stopped, &has_child, &runs_a_program})
    ASSERT_TRUE(child->meet(file));
  for (const int rank : {1, 4, 5, 7}) EXPECT_FALSE(is_gone(rank)) << "not seen yet";
  check_liveness(std::array{0, 1, 4, 5, 7});

  kill(stopped.process(), SIGSTOP);
  waitpid(stopped.process(), nullptr, WUNTRACED);
  for (const int rank : {0, 1, 4, 5, 7}) EXPECT_TRUE(stays(rank)) << rank;
  kill(killed.process(), SIGKILL);
  kill(has_child.process(), SIGKILL);
  EXPECT_TRUE(goes(1)) << "killed";
#ifndef TERRACE_IS_EMULATED  // which ignores MADV_DONTFORK, so that the child has the mapping
  EXPECT_TRUE(goes(5)) << "killed, its child lives";
#endif

  // Seen between showing its life and its end, as an agreement makes sure.
  ASSERT_TRUE(never_seen.meet(file));
  kill(never_seen.process(), SIGKILL);
  for (const int rank : {0, 4, 6, 7}) EXPECT_TRUE(stays(rank)) << rank;
}

}  // namespace
}  // namespace terrace::preload
