// SPDX-License-Identifier: BSD-3-Clause
// A team of one, through the installed C++ header.
#include <terrace/terrace.hpp>

int main() {
  terrace::team team(1);
  terrace::member me = team.join(0);
  return me.allreduce(42.0, terrace::sum) == 42.0 ? 0 : 1;
}
