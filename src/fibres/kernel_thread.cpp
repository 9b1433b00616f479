// SPDX-License-Identifier: BSD-3-Clause
// Reads files of /proc/self/task, without memory from the heap, which a rank may hold locked.
#include "fibres/kernel_thread.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <cstdio>
#include <string_view>

namespace terrace {

namespace {

using Text = std::array<char, 256>;

/// The beginning of a file about the thread; empty if there is none.
std::string_view read_about(pid_t thread, const char* name, Text& text) {
  std::array<char, 64> path;
  std::snprintf(path.data(), path.size(), "/proc/self/task/%d/%s", thread, name);
  const int file = open(path.data(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  const ssize_t length = read(file, text.data(), text.size());
  close(file);
  return length <= 0 ? std::string_view() : std::string_view(text.data(), length);
}

}  // namespace

/// Whether a thread sleeps, by the letter behind its name: "TID (name) S ...".
bool sleeps(pid_t thread) {
  Text text;
  const std::string_view line = read_about(thread, "stat", text);
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string_view::npos || name_end + 2 >= line.size()) return false;
  return line[name_end + 2] == 'S' || line[name_end + 2] == 'D';
}

/// "RAN WAITED SLICES", in ns.
std::optional<ThreadTimes> times_of(pid_t thread) {
  Text text;
  const std::string_view line = read_about(thread, "schedstat", text);
  const char* const end = line.data() + line.size();
  ThreadTimes times;
  const auto ran = std::from_chars(line.data(), end, times.ran_ns);
  if (ran.ec != std::errc() || ran.ptr == end) return std::nullopt;
  const auto waited = std::from_chars(ran.ptr + 1, end, times.waited_ns);
  if (waited.ec != std::errc()) return std::nullopt;
  return times;
}

}  // namespace terrace
