// SPDX-License-Identifier: BSD-3-Clause
// Checks what kind of file was opened before reading any of it.
#include "base/text_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/file_descriptor.hpp"
#include "base/host.hpp"

namespace terrace {

namespace {

/// Why an opened file must not be read; "" if it may.
std::string objection(const struct stat& opened, std::size_t most) {
  if (S_ISDIR(opened.st_mode)) return "is a directory";
  if (!S_ISREG(opened.st_mode)) return "is not a regular file";
  if (opened.st_size == 0) return "is empty";
  const auto bytes = static_cast<std::size_t>(opened.st_size);
  if (bytes <= most) return "";
  return "has " + std::to_string(bytes) + " bytes, of which " + std::to_string(most) +
         " are read at most";
}

/// Reads up to the end of the file: it may have shrunk meanwhile.
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

Error refusal(ErrorCode code, const std::string& path, const std::string& why) {
  return {code, "cannot write '" + path + "': " + why};
}

/// A path of this process alone: others may write to `path` at the same time, on other nodes too.
std::string draft_of(const std::string& path) {
  static std::atomic<unsigned> drafts{0};
  // relaxed: a unique number, which orders nothing. Partners: other threads here.
  return path + ".part-" + host_name() + "-" + std::to_string(getpid()) + "-" +
         std::to_string(drafts.fetch_add(1, std::memory_order_relaxed));
}

/// Removes an abandoned draft first, which no process uses: its name has our host and process. In a
/// folder of several users it may be a link of another user.
int open_draft(const std::string& draft) {
  unlink(draft.c_str());
  return open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
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

Result<bool> can_write_text_file(const std::string& path) {
  struct stat found {};
  const bool is_there = stat(path.c_str(), &found) == 0;
  if (is_there && !S_ISREG(found.st_mode))
    return refusal(ErrorCode::argument, path, "it is not a regular file");
  if (is_there && faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0 && errno != ENOENT)
    return refusal(ErrorCode::argument, path, std::strerror(errno));
  // Not the path itself: another rank would take our trial for a file of the user's.
  const std::string draft = draft_of(path);
  const int file = open_draft(draft);
  if (file < 0) return refusal(ErrorCode::argument, path, std::strerror(errno));
  close(file);
  unlink(draft.c_str());
  return true;
}

Result<bool> prepare_text_file(const std::string& path) {
  if (!can_write_text_file(path)) make_folders_for(path);
  return can_write_text_file(path);
}

Result<bool> write_text_file(const std::string& path, const std::string& text) {
  const std::string draft = draft_of(path);
  const int file = open_draft(draft);
  if (file < 0) return refusal(ErrorCode::system, draft, std::strerror(errno));
  const bool is_written = write_all(file, text);
  const int failure = errno;
  close(file);
  if (is_written && rename(draft.c_str(), path.c_str()) == 0) return true;
  const std::string why = std::strerror(is_written ? errno : failure);
  unlink(draft.c_str());
  return refusal(ErrorCode::system, path, why);
}

void make_folders_for(const std::string& path) {
  for (std::size_t at = path.find('/', 1); at != path.npos; at = path.find('/', at + 1))
    mkdir(path.substr(0, at).c_str(), 0700);
}

}  // namespace terrace
