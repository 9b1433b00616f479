// SPDX-License-Identifier: BSD-3-Clause
// Asks the system again until all is done.
#include "base/file_descriptor.hpp"

#include <unistd.h>

#include <cerrno>

namespace terrace {

std::string read_to_end(int from) {
  std::string text;
  char part[4096];
  for (;;) {
    const ssize_t got = read(from, part, sizeof part);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return text;
    text.append(part, static_cast<std::size_t>(got));
  }
}

bool write_all(int to, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(to, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

}  // namespace terrace
