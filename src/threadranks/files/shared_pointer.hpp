// SPDX-License-Identifier: BSD-3-Clause
// The pointer into a file that all its ranks move (MPI 5.0, section 14.4.4), in bytes of the view.
//
//     one process            SharedPosition    of all members, behind a mutex
//     several processes      Window            of the first member, who keeps the position there
//
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "threadranks/windows/window.hpp"

namespace terrace::threadranks {

struct SharedPosition {
  explicit SharedPosition(int members) : references(members) {}
  std::atomic<int> references;
  std::mutex mutex;
  std::int64_t bytes = 0;
};

/// A member's way to the pointer.
class SharedPointer {
 public:
  /// Collective. The communicator has no window of its own, and outlives this.
  explicit SharedPointer(Communicator& communicator);
  ~SharedPointer();
  SharedPointer(const SharedPointer&) = delete;
  SharedPointer& operator=(const SharedPointer&) = delete;

  std::int64_t position();
  /// Moves the pointer on by so many bytes; returns where it was. Any members may call at once.
  std::int64_t advance(std::int64_t bytes);
  /// Collective. No member moves the pointer meanwhile.
  void set(std::int64_t to);
  /// Collective: returns when all members are done with it.
  void close();

 private:
  std::int64_t fetch_and_add(std::int64_t bytes);

  Communicator& communicator_;
  SharedPosition* here_ = nullptr;  ///< null: members are in several processes
  std::unique_ptr<Window> window_;
  std::int64_t bytes_ = 0;  ///< the first member's position, in the window
};

}  // namespace terrace::threadranks
