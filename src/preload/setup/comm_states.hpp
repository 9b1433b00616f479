// SPDX-License-Identifier: BSD-3-Clause
// The states of the communicators of this process, one per communicator: found by handle, made at
// the communicator's first use, dropped when it is freed.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "preload/setup/team.hpp"

namespace terrace::preload {

/// The communicator that a thread used last, in front of the MPI's attributes.
struct Recent {
  std::uint64_t generation = 0;
  Handle communicator = 0;
  CommState* comm_state = nullptr;
};
// A preloaded library is there from the start: its thread-local memory needs no look-up.
extern constinit thread_local Recent recent __attribute__((tls_model("initial-exec")));
/// Grows when a communicator goes, so that what threads remember of it is void.
extern std::atomic<std::uint64_t> communicator_generation;

/// The same as below, if this thread used it last; otherwise null.
inline CommState* recent_comm_state(Handle communicator) {
  // acquire: pairs with the release in `take_back`: what is remembered is then known to be void.
  const std::uint64_t generation = communicator_generation.load(std::memory_order_acquire);
  return recent.communicator == communicator && recent.generation == generation ? recent.comm_state
                                                                                : nullptr;
}

/// This rank's state of a communicator, made if there is none yet; null if the MPI refuses to
/// keep it, and for the null communicator.
CommState* comm_state_of(UnderlyingMpi& underlying, Handle communicator);

/// Stands around a call that frees a communicator. Delete callbacks may call on it meanwhile,
/// before or after what we have attached is deleted, differently on each rank. So this rank gives
/// up its endpoint first, without waiting for anybody, and attaches nothing until the call has
/// returned: this thread's calls on the communicator fall back to the MPI, on every rank, as
/// freeing is collective. (Kept per thread, not per handle: another thread's new communicator may
/// get the same handle before the call returns.)
class CommFreeGuard {
 public:
  explicit CommFreeGuard(Handle communicator);
  ~CommFreeGuard();
  CommFreeGuard(const CommFreeGuard&) = delete;
  CommFreeGuard& operator=(const CommFreeGuard&) = delete;

  /// A callback objected, so the communicator lives on, on all its ranks: without a team, as what
  /// is attached to it may be gone.
  void fail();

  /// What stands for a communicator that this thread is about to free; null for others.
  static CommState* comm_state_of(Handle communicator);

 private:
  Handle communicator_;
  std::unique_ptr<CommState> comm_state_;
  CommFreeGuard* outer_;
};

/// What was attached to a communicator goes: freed past us, or because MPI ends.
void let_go(CommState* attached);

/// MPI ends: the report is said. Teams go on: delete callbacks of others may still make calls, and
/// where ours stands among them differs from rank to rank.
void finish();

}  // namespace terrace::preload
