// SPDX-License-Identifier: BSD-3-Clause
// One write per line, so that lines of several ranks do not mix.
#include "base/say.hpp"

#include <unistd.h>

#include <mutex>
#include <set>

namespace terrace {

void say(const std::string& sentence) {
  const std::string line = "terrace: " + sentence + "\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

void say_once(const std::string& sentence) {
  static std::mutex mutex;
  static auto* said = new std::set<std::string>;  // outlives every destructor that may speak
  const std::lock_guard lock(mutex);
  if (said->insert(sentence).second) say(sentence);
}

}  // namespace terrace
