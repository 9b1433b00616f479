// SPDX-License-Identifier: BSD-3-Clause
// The thread that reads all pipes and writes their lines.
#include "launcher/process/output_prefix.hpp"

#include <fcntl.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "base/contract.hpp"
#include "base/file_descriptor.hpp"

namespace terrace {

Result<bool> OutputPrefixes::possible() {
  bool is_allowed = false;
  std::thread([&] { is_allowed = unshare(CLONE_FILES) == 0; }).join();
  if (is_allowed) return true;
  return Error{ErrorCode::system,
               "--label needs open files of each rank's own, and this system "
               "does not allow them (unshare); leave it out"};
}

OutputPrefixes::OutputPrefixes(int ranks)
    : streams_(static_cast<std::size_t>(ranks) * 2),
      watched_(streams_.size() + 1, pollfd{-1, POLLIN, 0}),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  watched_.back().fd = wake_;
  thread_ = std::thread([this] { loop(); });
}

OutputPrefixes::~OutputPrefixes() {
  drain();
  is_over_.store(true, std::memory_order_release);  // pairs with the acquire in `loop`
  wake();
  thread_.join();
  for (const Stream& stream : streams_) close(stream.ends[0]);
  close(wake_);
}

Result<bool> OutputPrefixes::open_for(int rank) {
  TERRACE_ASSERT(rank >= 0 && static_cast<std::size_t>(rank) * 2 < streams_.size(), rank);
  for (std::size_t i = 0; i < 2; ++i) {
    Stream& stream = streams_[static_cast<std::size_t>(rank) * 2 + i];
    if (pipe2(stream.ends.data(), O_CLOEXEC) != 0)
      return Error{ErrorCode::system, std::string("no pipe for --label: ") + std::strerror(errno)};
    fcntl(stream.ends[0], F_SETFL, O_NONBLOCK);
    const std::lock_guard lock(mutex_);
    watched_[static_cast<std::size_t>(rank) * 2 + i].fd = stream.ends[0];
  }
  wake();
  return true;
}

void OutputPrefixes::close_for(int rank) {
  for (std::size_t i = 0; i < 2; ++i)
    close(streams_[static_cast<std::size_t>(rank) * 2 + i].ends[1]);
}

void OutputPrefixes::take(int rank) const {
  TERRACE_ASSERT(rank >= 0 && static_cast<std::size_t>(rank) * 2 < streams_.size(), rank);
  dup2(streams_[static_cast<std::size_t>(rank) * 2].ends[1], STDOUT_FILENO);
  dup2(streams_[static_cast<std::size_t>(rank) * 2 + 1].ends[1], STDERR_FILENO);
}

void OutputPrefixes::wake() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = write(wake_, &one, sizeof one);
}

void OutputPrefixes::drain() {
  // release: pairs with the acquire in `loop`; what ranks wrote before is in the pipes by then.
  const unsigned asked = asked_.fetch_add(1, std::memory_order_release) + 1;
  wake();
  const timespec millisecond = {0, 1000000};
  for (int i = 0; i < 1000; ++i) {
    // acquire: pairs with the release in `loop`.
    if (static_cast<int>(drained_.load(std::memory_order_acquire) - asked) >= 0) return;
    nanosleep(&millisecond, nullptr);
  }
}

void OutputPrefixes::loop() {
  std::vector<pollfd> watched;
  for (;;) {
    {
      const std::lock_guard lock(mutex_);
      watched = watched_;
    }
    poll(watched.data(), watched.size(), -1);
    std::uint64_t woken = 0;
    [[maybe_unused]] const ssize_t got = read(wake_, &woken, sizeof woken);
    // acquire: pairs with the release in `drain`: all that was written before is read below.
    const unsigned asked = asked_.load(std::memory_order_acquire);
    const bool is_over = is_over_.load(std::memory_order_acquire);  // the release in ~Labels
    const bool is_all = asked != drained_.load(std::memory_order_relaxed);  // only we write it
    for (std::size_t i = 0; i + 1 < watched.size(); ++i) {
      if (watched[i].fd < 0) continue;
      while (read_from(i)) emit(i, false);
      emit(i, is_all);
    }
    drained_.store(asked, std::memory_order_release);  // pairs with the acquire in `drain`
    if (is_over) return;
  }
}

bool OutputPrefixes::read_from(std::size_t index) {
  TERRACE_ASSERT(index < streams_.size(), index, streams_.size());
  std::array<char, 4096> part;
  const ssize_t got = read(streams_[index].ends[0], part.data(), part.size());
  if (got > 0) streams_[index].begun.append(part.data(), static_cast<std::size_t>(got));
  if (got == 0) {  // no writer is left, and poll would not wait for one
    const std::lock_guard lock(mutex_);
    watched_[index].fd = -1;
    emit(index, true);
  }
  return got > 0;
}

void OutputPrefixes::emit(std::size_t index, bool is_all) {
  std::string& begun = streams_[index].begun;
  if (is_all && !begun.empty() && begun.back() != '\n') begun += '\n';
  const std::string label = "[" + std::to_string(index / 2) + "] ";
  std::string lines;
  std::size_t begin = 0;
  for (std::size_t end; (end = begun.find('\n', begin)) != begun.npos; begin = end + 1)
    lines += label + begun.substr(begin, end + 1 - begin);
  begun.erase(0, begin);
  write_all(index % 2 == 0 ? STDOUT_FILENO : STDERR_FILENO, lines);
}

}  // namespace terrace
