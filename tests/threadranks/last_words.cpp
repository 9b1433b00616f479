// SPDX-License-Identifier: BSD-3-Clause
// last_words HOW: writes what is called when the program ends so, as a process or as a rank.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

static std::string way;

static void say(const char* word) {
  const std::string line = std::string(word) + "\n";
  [[maybe_unused]] const ssize_t written = write(STDOUT_FILENO, line.data(), line.size());
}

struct Speaker {
  const char* word;
  ~Speaker() {
    say(word);
    if (way == "in_destructor" && std::strcmp(word, "static object") == 0) std::exit(3);
  }
};

static Speaker of_program{"static object"};
[[gnu::destructor]] static void end_of_program() {
  say("destructor");
  if (way == "in_finalizer") std::exit(11);
}

static Speaker& of_thread() {
  thread_local Speaker speaker{"object of a thread"};
  return speaker;
}

static void say_key(void*) {
  say("key of a thread");
}

static void in_handler() {
  say("last handler");
  if (way == "in_handler") std::exit(4);
}

int main(int, char** words) {
  way = words[1];
  pthread_key_t key;
  if (pthread_key_create(&key, say_key) != 0 || pthread_setspecific(key, &key) != 0) return 1;
  of_thread().word = "object of the main thread";
  std::atexit([] { say("first handler"); });
  std::atexit(in_handler);
  std::at_quick_exit([] { say("first quick handler"); });
  std::at_quick_exit([] { say("last quick handler"); });
  if (way == "exit") std::exit(5);
  if (way == "child") {
    const pid_t child = fork();
    if (child == 0) std::exit(12);
    int status = 0;
    const bool is_there = waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 12;
    say(is_there ? "child has ended" : "no child");
  }
  if (way == "now") _exit(6);
  if (way == "Now") std::_Exit(7);
  if (way == "quick") std::quick_exit(8);
  if (way == "thread") pthread_exit(nullptr);
  if (way == "by_another_thread") {
    std::thread other([] {
      of_thread();
      std::exit(9);
    });
    for (;;) pause();
  }
  if (way == "quick_by_another_thread") {
    std::thread other([] {
      of_thread();
      std::quick_exit(10);
    });
    for (;;) pause();
  }
  return 2;
}
