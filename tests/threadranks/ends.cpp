// SPDX-License-Identifier: BSD-3-Clause
// ends HOW: ways in which a program ends, most of them not well.
#include <cassert>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

#include <pthread.h>
#include <unistd.h>

static int deep(int number) {
  volatile char frame[4096];
  frame[0] = static_cast<char>(number);
  return deep(number + 1) + frame[0];
}

static void* work(void*) {
  usleep(20000);
  std::puts("worked");
  pthread_exit(nullptr);
}

/// In a constructor, if the variable says so.
[[gnu::constructor]] static void before_main() {
  if (std::getenv("ENDS_BEFORE_MAIN") != nullptr) std::exit(4);
}

/// `main` is over and the program is not.
static void leave_to_threads() {
  std::atexit([] { std::puts("ended"); });
  pthread_t thread;
  if (pthread_create(&thread, nullptr, work, nullptr) != 0) std::_Exit(1);
  pthread_detach(thread);
  pthread_exit(nullptr);
}

int main(int, char** words) {
  const std::string how = words[1];
  if (how == "crash") raise(SIGSEGV);
  if (how == "null") *static_cast<volatile int*>(nullptr) = 1;
  if (how == "stack") return deep(0);
  if (how == "abort") std::abort();
  if (how == "assert") assert(how == "well");
  if (how == "throw") throw std::runtime_error("not caught");
  if (how == "now") _exit(6);
  if (how == "quick") std::quick_exit(7);
  if (how == "threads") leave_to_threads();
  return 0;
}
