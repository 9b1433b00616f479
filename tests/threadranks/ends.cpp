// SPDX-License-Identifier: BSD-3-Clause
// ends HOW: ways in which a program ends that is not well.
#include <cassert>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

#include <unistd.h>

static int deep(int number) {
  volatile char frame[4096];
  frame[0] = static_cast<char>(number);
  return deep(number + 1) + frame[0];
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
  return 0;
}
