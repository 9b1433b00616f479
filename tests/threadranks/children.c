/* SPDX-License-Identifier: BSD-3-Clause
 * A rank waits for its own children: not for those of others, which end first or later, by each
 * function that waits and each that makes a process. What ends a child ends no rank. Rank 0 prints
 * "right". */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "expect.h"

extern char** environ;

static void barrier(void) {
  MPI_Barrier(MPI_COMM_WORLD);
}

static int is_even(void) {
  return rank % 2 == 0;
}

static pid_t child_that_ends_with(int code) {
  const pid_t child = fork();
  if (child == 0) _exit(code);
  EXPECT(child > 0);
  return child;
}

/* It ends some time after a byte has been written to `to_end`. */
static pid_t child_that_waits(int code, int* to_end) {
  int ends[2];
  char byte;
  EXPECT(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    while (read(ends[0], &byte, 1) != 1) continue;
    usleep(20000);
    _exit(code);
  }
  EXPECT(child > 0);
  close(ends[0]);
  *to_end = ends[1];
  return child;
}

static void end(int to_end) {
  EXPECT(write(to_end, "", 1) == 1);
  close(to_end);
}

static int has_ended(pid_t child) {
  siginfo_t why;
  return waitid(P_PID, (id_t)child, &why, WEXITED | WNOWAIT) == 0 && why.si_pid == child;
}

static int has_none(pid_t answer) {
  return answer == -1 && errno == ECHILD;
}

static int code_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void expect_none_yet(void) {
  int status = 77;
  struct rusage used;
  siginfo_t why;
  memset(&why, 1, sizeof why);
  EXPECT(waitpid(-1, &status, WNOHANG) == 0);
  EXPECT(waitpid(0, &status, WNOHANG) == 0);
  EXPECT(waitpid(-getpgrp(), &status, WNOHANG) == 0);
  EXPECT(wait3(&status, WNOHANG, &used) == 0);
  EXPECT(wait4(-1, &status, WNOHANG | WUNTRACED | WCONTINUED, &used) == 0);
  EXPECT(status == 77);
  EXPECT(waitid(P_ALL, 0, &why, WNOHANG | WEXITED) == 0 && why.si_pid == 0);
  memset(&why, 1, sizeof why);
  EXPECT(waitid(P_PGID, 0, &why, WNOHANG | WEXITED | WSTOPPED) == 0 && why.si_pid == 0);
}

static void expect_no_children(pid_t of_another) {
  siginfo_t why;
  EXPECT(has_none(wait(NULL)));
  EXPECT(has_none(waitpid(-1, NULL, WNOHANG)));
  EXPECT(has_none(waitpid(0, NULL, 0)));
  EXPECT(has_none(waitpid(-getpgrp(), NULL, 0)));
  EXPECT(has_none(waitid(P_ALL, 0, &why, WEXITED)));
  EXPECT(has_none(waitpid(of_another, NULL, 0)));
  EXPECT(has_none(waitid(P_PID, (id_t)of_another, &why, WEXITED)));
}

/* Children of even ranks have ended when odd ones ask, and the other way round. */
static void leave_those_of_others(void) {
  int to_end = -1, status = 0, pid, of_another = 0;
  siginfo_t why;
  const pid_t child =
      is_even() ? child_that_ends_with(10 + rank) : child_that_waits(10 + rank, &to_end);
  if (is_even()) EXPECT(has_ended(child));
  pid = child;
  MPI_Sendrecv(&pid, 1, MPI_INT, (rank + 1) % ranks, 0, &of_another, 1, MPI_INT,
               (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  barrier();
  if (!is_even()) {
    expect_none_yet();
    EXPECT(has_none(waitpid(of_another, &status, WNOHANG)));
    end(to_end);
    EXPECT(waitid(P_ALL, 0, &why, WEXITED | WNOWAIT) == 0 && why.si_pid == child);
    EXPECT(why.si_status == 10 + rank && why.si_code == CLD_EXITED);
    EXPECT(wait(&status) == child && code_of(status) == 10 + rank);
    expect_no_children(of_another);
  }
  barrier();
  if (!is_even()) return barrier();
  EXPECT(waitpid(0, &status, 0) == child && code_of(status) == 10 + rank);
  if (ranks % 2 == 0) expect_no_children(of_another);
  barrier();
}

/* All at once, each of them its own, whichever ends first. */
static void wait_at_once(void) {
  enum { kChildren = 5 };
  pid_t children[kChildren];
  struct rusage used;
  for (int i = 0; i < kChildren; ++i) {
    children[i] = fork();
    if (children[i] == 0) {
      usleep((useconds_t)(1000 * ((7 * i + 3 * rank) % 11)));
      _exit(20 + i);
    }
  }
  for (int i = 0; i < kChildren; ++i) {
    int status = 0, which = 0;
    const pid_t child = i % 2 == 0 ? wait4(-1, &status, 0, &used) : wait3(&status, 0, NULL);
    while (which < kChildren && children[which] != child) ++which;
    EXPECT(which < kChildren && code_of(status) == 20 + which);
    if (which < kChildren) children[which] = 0;
  }
  EXPECT(has_none(wait(NULL)));
  barrier();
}

static int end_with_31(void* unused) {
  (void)unused;
  _exit(31);
}

/* Each function that makes a process. */
static pid_t made_by(int how) {
  static char stack[65536] __attribute__((aligned(64)));
  char* const words[] = {"sh", "-c", "exit 31", NULL};
  pid_t child = -1;
  switch (how) {
    case 0:
      child = vfork();
      if (child == 0) _exit(31);
      break;
    case 1:
      child = vfork();
      if (child == 0) {
        execv("/bin/sh", words);
        _exit(1);
      }
      break;
    case 2:
      EXPECT(posix_spawn(&child, "/bin/sh", NULL, NULL, words, environ) == 0);
      break;
    case 3:
      EXPECT(posix_spawnp(&child, "sh", NULL, NULL, words, environ) == 0);
      break;
    default:
      child = clone(end_with_31, stack + sizeof stack, SIGCHLD, NULL);
  }
  return child;
}

static void make_in_each_way(void) {
  for (int how = 0; how < 5; ++how) {
    int status = 0;
    const pid_t child = made_by(how);
    EXPECT(child > 0);
    barrier();
    EXPECT(wait(&status) == child && code_of(status) == 31);
  }
  EXPECT(posix_spawn(&(pid_t){0}, "/not/there", NULL, NULL, (char*[]){"x", NULL}, environ) ==
         ENOENT);
}

/* What waits by itself does so while others wait for any. */
static void call_shells(void) {
  char word[32] = "";
  int to_end = -1, status = 0;
  const pid_t child = is_even() ? child_that_waits(5, &to_end) : 0;
  barrier();
  for (int i = 0; i < 5 && !is_even(); ++i) {
    EXPECT(code_of(system("exit 41")) == 41);
    FILE* const stream = popen("echo words; exit 42", "r");
    EXPECT(stream != NULL && fgets(word, sizeof word, stream) != NULL);
    EXPECT(strcmp(word, "words\n") == 0);
    EXPECT(code_of(pclose(stream)) == 42);
  }
  if (is_even()) end(to_end);
  if (is_even()) EXPECT(wait(&status) == child && code_of(status) == 5);
  EXPECT(has_none(wait(NULL)));
  barrier();
}

/* A child that stops, goes on and is killed, while a thread of the rank may make others. */
static void see_stops(void) {
  int status = 0;
  siginfo_t why;
  const pid_t child = fork();
  if (child == 0) {
    raise(SIGSTOP);
    for (;;) pause();
  }
  EXPECT(waitpid(-1, &status, WUNTRACED) == child && WIFSTOPPED(status));
  EXPECT(WSTOPSIG(status) == SIGSTOP);
  EXPECT(waitpid(-1, &status, WNOHANG | WUNTRACED) == 0);
  kill(child, SIGCONT);
  EXPECT(waitid(P_ALL, 0, &why, WCONTINUED) == 0 && why.si_pid == child);
  EXPECT(why.si_code == CLD_CONTINUED);
  kill(child, SIGSTOP);
  EXPECT(waitid(P_ALL, 0, &why, WSTOPPED | WEXITED) == 0 && why.si_code == CLD_STOPPED);
  kill(child, SIGCONT);
  EXPECT(wait4(-1, &status, WCONTINUED, NULL) == child && WIFCONTINUED(status));
  kill(child, SIGKILL);
  EXPECT(wait(&status) == child && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  EXPECT(has_none(waitid(P_ALL, 0, &why, WSTOPPED | WCONTINUED)));
}

static void see_groups(void) {
  int to_end = -1, status = 0;
  const pid_t apart = child_that_waits(6, &to_end);
  EXPECT(setpgid(apart, apart) == 0);
  const pid_t child = child_that_ends_with(7);
  EXPECT(has_ended(child));
  EXPECT(waitpid(-apart, &status, WNOHANG) == 0);
  EXPECT(waitpid(0, &status, 0) == child && code_of(status) == 7);
  EXPECT(has_none(waitpid(0, &status, 0)));
  end(to_end);
  EXPECT(waitpid(-apart, &status, 0) == apart && code_of(status) == 6);
  EXPECT(waitpid(-1, NULL, 1 << 20) == -1 && errno == EINVAL);
  EXPECT(waitid(P_ALL, 0, NULL, 0) == -1 && errno == EINVAL);
}

static volatile sig_atomic_t signals;
static void count_signal(int signal) {
  (void)signal;
  signals = signals + 1;
}

static void* send_signal(void* thread) {
  usleep(20000);
  pthread_kill(*(pthread_t*)thread, SIGUSR1);
  return NULL;
}

/* By a handler, unless it lets calls go on: then the child ends the wait. */
static void be_interrupted(void) {
  for (int goes_on = 0; goes_on < 2; ++goes_on) {
    struct sigaction action;
    int to_end = -1;
    pthread_t self = pthread_self(), sender;
    memset(&action, 0, sizeof action);
    action.sa_handler = count_signal;
    action.sa_flags = goes_on ? SA_RESTART : 0;
    sigaction(SIGUSR1, &action, NULL);
    signals = 0;
    const pid_t child = child_that_waits(0, &to_end);
    const pid_t sender_of_byte = goes_on ? fork() : 0;
    if (goes_on && sender_of_byte == 0) {
      usleep(60000);
      end(to_end);
      _exit(0);
    }
    EXPECT(pthread_create(&sender, NULL, send_signal, &self) == 0);
    if (goes_on) {
      EXPECT(waitpid(-1, NULL, 0) > 0 && signals == 1);
      EXPECT(waitpid(-1, NULL, 0) > 0);
    } else {
      EXPECT(waitpid(-1, NULL, 0) == -1 && errno == EINTR && signals == 1);
      end(to_end);
      EXPECT(waitpid(-1, NULL, 0) == child);
    }
    pthread_join(sender, NULL);
  }
  signal(SIGUSR1, SIG_DFL);
  barrier();
}

/* The rank has no thread but its main here. */
static void be_interrupted_alone(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = count_signal;
  for (int turn = 0; turn < ranks; ++turn) {
    barrier();
    if (turn != rank) continue;
    signals = 0;
    sigaction(SIGUSR2, &action, NULL);
    const pid_t parent = getpid(), child = fork();
    if (child == 0) {
      usleep(20000);
      kill(parent, SIGUSR2);
      usleep(20000);
      _exit(3);
    }
    EXPECT(wait(NULL) == -1 && errno == EINTR && signals == 1);
    EXPECT(wait(NULL) == child);
    signal(SIGUSR2, SIG_DFL);
  }
  barrier();
}

static void* make_child(void* child) {
  usleep(10000);
  *(pid_t*)child = child_that_ends_with(51);
  return NULL;
}

static void* wait_for_any(void* child) {
  int status = 0;
  *(pid_t*)child = wait(&status);
  EXPECT(code_of(status) == 52);
  return NULL;
}

/* A child is the rank's, whichever thread of it has made it. */
static void share_with_threads(void) {
  int to_end = -1, status = 0;
  pid_t made = 0, taken = 0;
  pthread_t thread;
  const pid_t child = child_that_waits(52, &to_end);
  EXPECT(pthread_create(&thread, NULL, make_child, &made) == 0);
  const pid_t first = wait(&status); /* begins before there is the child that ends first */
  EXPECT(pthread_join(thread, NULL) == 0);
  EXPECT(first == made && code_of(status) == 51);
  EXPECT(pthread_create(&thread, NULL, wait_for_any, &taken) == 0);
  usleep(10000);
  end(to_end);
  EXPECT(pthread_join(thread, NULL) == 0 && taken == child);
  EXPECT(has_none(wait(NULL)));
  /* Its maker is gone. */
  EXPECT(pthread_create(&thread, NULL, make_child, &made) == 0);
  EXPECT(pthread_join(thread, NULL) == 0);
  EXPECT(wait(&status) == made && code_of(status) == 51);
  barrier();
}

static volatile sig_atomic_t reaped;
static void reap(int signal) {
  const int error = errno;
  (void)signal;
  while (waitpid(-1, NULL, WNOHANG) > 0) reaped = reaped + 1;
  errno = error;
}

/* As servers do it. */
static void reap_in_a_handler(void) {
  enum { kChildren = 20 };
  reaped = 0;
  signal(SIGCHLD, reap);
  for (int i = 0; i < kChildren; ++i) child_that_ends_with(0);
  for (int i = 0; i < 5000 && reaped < kChildren; ++i) usleep(1000);
  EXPECT(reaped == kChildren);
  EXPECT(has_none(wait(NULL)));
  signal(SIGCHLD, SIG_DFL);
  barrier();
}

/* There it is a process like others. */
static void have_grandchildren(void) {
  int status = 0;
  const pid_t child = fork();
  if (child == 0) {
    int all_right = has_none(wait(NULL));
    const pid_t first = child_that_ends_with(61);
    all_right &= wait(&status) == first && code_of(status) == 61;
    const pid_t second = vfork();
    if (second == 0) _exit(62);
    all_right &= waitpid(-1, &status, 0) == second && code_of(status) == 62;
    all_right &= code_of(system("exit 63")) == 63;
    _exit(all_right ? 64 : 65);
  }
  EXPECT(wait(&status) == child && code_of(status) == 64);
  barrier();
}

static int status_of(pid_t child) {
  int status = 0;
  EXPECT(child > 0 && waitpid(child, &status, 0) == child);
  return status;
}

/* A child's calls of MPI that need others are errors of its own; it may ask what it knows. */
static void call_mpi_in_children(void) {
  int value = 1, its_rank = -1, is_begun = 0, error_class = 0;
  pid_t child = fork();
  if (child == 0) abort();
  EXPECT(WTERMSIG(status_of(child)) == SIGABRT);
  if (ranks == 1) return;
  child = fork();
  if (child == 0) {
    MPI_Initialized(&is_begun);
    MPI_Comm_rank(MPI_COMM_WORLD, &its_rank);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Error_class(MPI_Allreduce(&value, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD),
                    &error_class);
    _exit(is_begun && its_rank == rank && error_class == MPI_ERR_OTHER ? 81 : 82);
  }
  EXPECT(code_of(status_of(child)) == 81);
  child = fork();
  if (child == 0) {
    MPI_Send(&value, 1, MPI_INT, (rank + 1) % ranks, 3, MPI_COMM_WORLD);
    _exit(0);
  }
  EXPECT(code_of(status_of(child)) > 0);
  MPI_Request request;
  MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 4, MPI_COMM_WORLD, &request);
  child = fork();
  if (child == 0) {
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    _exit(0);
  }
  EXPECT(code_of(status_of(child)) > 0);
  MPI_Cancel(&request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  barrier();
}

/* By the kernel's name for the program of a process, which is the rank's own. */
static void start_itself(const char* path) {
  static const char kItself[] = "/proc/self/exe";
  char* const words[] = {"itself", "worker", NULL};
  char place[PATH_MAX], link[PATH_MAX], number[32];
  struct stat own, opened;
  EXPECT(realpath(path, place) != NULL);
  const ssize_t bytes = readlink(kItself, link, sizeof link - 1);
  link[bytes < 0 ? 0 : bytes] = 0;
  EXPECT(strcmp(link, place) == 0);
  EXPECT(readlink(kItself, link, 3) == 3);
  EXPECT(readlinkat(AT_FDCWD, kItself, link, sizeof link) == bytes);
  EXPECT(realpath(kItself, link) == link && strcmp(link, place) == 0);
  sprintf(number, "/proc/%d/exe", getpid());
  const int file = open(number, O_RDONLY);
  EXPECT(stat(place, &own) == 0 && fstat(file, &opened) == 0 && own.st_ino == opened.st_ino);
  close(file);
  FILE* const stream = fopen(kItself, "r");
  EXPECT(fstat(fileno(stream), &opened) == 0 && own.st_ino == opened.st_ino);
  fclose(stream);
  for (int how = 0; how < 5; ++how) {
    pid_t child = how < 4 ? fork() : -1;
    if (child == 0) {
      if (how == 0) execl(kItself, words[0], words[1], NULL);
      if (how == 1) execv(kItself, words);
      if (how == 2) execle(kItself, words[0], words[1], NULL, environ);
      if (how == 3) fexecve(open(kItself, O_RDONLY), words, environ);
      _exit(1);
    }
    if (how == 4) EXPECT(posix_spawn(&child, kItself, NULL, NULL, words, environ) == 0);
    EXPECT(code_of(status_of(child)) == 71);
  }
  barrier();
}

int main(int argc, char** argv) {
  int all_right = 0;
  if (argc > 1 && strcmp(argv[1], "worker") == 0) return 71;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  leave_those_of_others();
  wait_at_once();
  make_in_each_way();
  call_shells();
  see_stops();
  see_groups();
  have_grandchildren();
  be_interrupted_alone();
  reap_in_a_handler();
  be_interrupted();
  call_mpi_in_children();
  start_itself(argv[0]);
  share_with_threads();
  reap_in_a_handler();
  MPI_Allreduce(&right, &all_right, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (rank == 0) printf(all_right ? "right\n" : "wrong\n");
  MPI_Finalize();
  return 0;
}
