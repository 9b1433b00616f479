// SPDX-License-Identifier: BSD-3-Clause
// Labels: output of ranks goes through a pipe for each rank and stream, and comes out in whole
// lines that begin with the rank: "[3] text". Needs ranks with their own tables of open files.
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
  /// Errors: unsupported, if ranks share their open files; system.
  static Result<bool> possible();

  explicit OutputPrefixes(int ranks);
  ~OutputPrefixes();
  OutputPrefixes(const OutputPrefixes&) = delete;
  OutputPrefixes& operator=(const OutputPrefixes&) = delete;

  /// Before the rank's thread starts, and when it has its ends. Errors: system.
  Result<bool> open_for(int rank);
  void close_for(int rank);
  /// In the rank's thread, which has its own table: its standard output and error from now on.
  void take(int rank) const;

  /// Waits until all that was written is out, for a second at most; safe in signal handlers.
  void drain();

 private:
  struct Stream {
    std::array<int, 2> ends = {-1, -1};
    std::string begun;  ///< a line that has not ended
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
