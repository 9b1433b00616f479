// SPDX-License-Identifier: BSD-3-Clause
// Looks at what was opened before it reads any of it.
#include "base/text_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace terrace {

namespace {

/// Why what was opened is not to be read; "" if it is.
std::string objection(const struct stat& opened, std::size_t most) {
  if (S_ISDIR(opened.st_mode)) return "is a directory";
  if (!S_ISREG(opened.st_mode)) return "is no regular file";
  if (opened.st_size == 0) return "is empty";
  const auto bytes = static_cast<std::size_t>(opened.st_size);
  if (bytes <= most) return "";
  return "has " + std::to_string(bytes) + " bytes, of which " + std::to_string(most) +
         " are read at most";
}

/// Until the file ends: it may have shrunk meanwhile.
std::string read_from(int file, std::size_t bytes) {
  std::string text(bytes, '\0');
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t got = read(file, text.data() + done, bytes - done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  text.resize(done);
  return text;
}

}  // namespace

Result<std::string> read_text_file(const std::string& path, std::size_t most) {
  const auto error = [&path](const std::string& what) {
    return Error{ErrorCode::argument, "'" + path + "' " + what};
  };
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);  // pipes: do not wait
  if (file < 0) return error(std::string("cannot be read: ") + std::strerror(errno));
  struct stat opened {};
  const bool is_known = fstat(file, &opened) == 0;
  const std::string why = is_known ? objection(opened, most) : "cannot be read";
  std::string text = why.empty() ? read_from(file, static_cast<std::size_t>(opened.st_size)) : "";
  close(file);
  if (!why.empty()) return error(why);
  return text;
}

}  // namespace terrace
