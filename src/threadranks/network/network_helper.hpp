// SPDX-License-Identifier: BSD-3-Clause
// A thread that drives the network where no rank of the process does, as all of them compute. It
// looks a thousand times a second, and sleeps for good while there is no need for it.
#pragma once

#include <pthread.h>

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace terrace::threadranks {

class ProcessNetwork;

class NetworkHelper {
 public:
  explicit NetworkHelper(ProcessNetwork& network);
  /// Returns when the thread is gone.
  ~NetworkHelper();
  NetworkHelper(const NetworkHelper&) = delete;
  NetworkHelper& operator=(const NetworkHelper&) = delete;

  /// Adds to, or takes from, the number of those who need the helper.
  void need(int more);

 private:
  static void* run(void* self);
  void look_until_told();
  bool is_needed();
  bool is_to_end();
  void look();

  ProcessNetwork& network_;
  pthread_t thread_{};
  bool is_running_ = false;
  std::mutex mutex_;
  std::condition_variable change_;
  int needed_ = 0;  ///< guarded by the mutex, as the next one is
  bool stops_ = false;
  std::uint32_t drives_seen_ = 0;
};

}  // namespace terrace::threadranks
