// SPDX-License-Identifier: BSD-3-Clause
// Prefixes the ranks' output: it goes through a pipe for each rank and stream, and comes out in
// whole lines that begin with the rank: "[3] text". Needs ranks with their own file descriptors.
#pragma once

#include <poll.h>

#include <array>
#include <atomic>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/result.hpp"

namespace terrace {

class OutputPrefixes {
 public:
  /// Errors: unsupported, if ranks share their file descriptors; system.
  static Result<bool> possible();

  explicit OutputPrefixes(int ranks);
  ~OutputPrefixes();
  OutputPrefixes(const OutputPrefixes&) = delete;
  OutputPrefixes& operator=(const OutputPrefixes&) = delete;

  /// `open_for` is called before the rank's thread starts, `close_for` when the thread has its
  /// ends. Errors: system.
  Result<bool> open_for(int rank);
  void close_for(int rank);
  /// Called in the rank's thread: redirects its standard output and error.
  void take(int rank) const;

  /// Waits until all output has been written, for a second at most; safe in signal handlers.
  void drain();

 private:
  struct Stream {
    std::array<int, 2> ends = {-1, -1};
    std::string begun;  ///< an unfinished line
  };

  void loop();
  bool read_from(std::size_t index);
  void emit(std::size_t index, bool is_all);
  void wake();

  std::vector<Stream> streams_;  ///< two per rank
  std::vector<pollfd> watched_;  ///< one per stream, then `wake_`
  std::mutex mutex_;
  int wake_ = -1;
  std::atomic<unsigned> asked_{0}, drained_{0};
  std::atomic<bool> is_over_{false};
  std::thread thread_;
};

}  // namespace terrace
