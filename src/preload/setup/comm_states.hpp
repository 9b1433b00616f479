// SPDX-License-Identifier: BSD-3-Clause
// The states of the communicators of this process, one per communicator: found by handle, made at
// the communicator's first use, dropped when it is freed.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "preload/setup/comm_state.hpp"

namespace terrace::preload {

/// The communicator that a thread used last: a cache in front of the MPI's attributes.
struct Recent {
  std::uint64_t generation = 0;
  Handle communicator = 0;
  CommState* comm_state = nullptr;
};
// A preloaded library is there from the start: its thread-local memory needs no look-up.
extern constinit thread_local Recent recent __attribute__((tls_model("initial-exec")));
/// Incremented when a communicator is freed, which invalidates what threads remember of it.
extern std::atomic<std::uint64_t> communicator_generation;

/// Returns a communicator's state if this thread used it last; otherwise null.
inline CommState* recent_comm_state(Handle communicator) {
  // acquire: pairs with the release in `take_back`: what is remembered is then known to be void.
  const std::uint64_t generation = communicator_generation.load(std::memory_order_acquire);
  return recent.communicator == communicator && recent.generation == generation ? recent.comm_state
                                                                                : nullptr;
}

/// Whether Terrace is off, as the MPI runs with fault tolerance; the same on all ranks. Rank 0 says
/// so once. The MPI must be known.
bool is_off_for_fault_tolerance();

/// This rank's state of a communicator, made if there is none yet; null if the MPI refuses to
/// keep it, and for the null communicator.
CommState* comm_state_of(UnderlyingMpi& underlying, Handle communicator);

/// Guards a call that frees a communicator. Delete callbacks may make calls on it meanwhile, before
/// or after our attribute is deleted; the order differs from rank to rank. So this rank gives up
/// its endpoint first, without waiting, and attaches nothing until the call has returned: this
/// thread's calls on the communicator fall back to the MPI, on every rank, as freeing is
/// collective. (Kept per thread, not per handle: another thread's new communicator may get the same
/// handle before the call returns.)
class CommFreeGuard {
 public:
  explicit CommFreeGuard(Handle communicator);
  ~CommFreeGuard();
  CommFreeGuard(const CommFreeGuard&) = delete;
  CommFreeGuard& operator=(const CommFreeGuard&) = delete;

  /// A callback returned an error, so the communicator lives on, on all its ranks: without a team,
  /// as its attributes may be gone.
  void fail();

  /// The state that replaces that of a communicator which this thread is about to free; null for
  /// others.
  static CommState* comm_state_of(Handle communicator);

 private:
  Handle communicator_;
  std::unique_ptr<CommState> comm_state_;
  CommFreeGuard* outer_;
};

/// MPI_Finalize begins: no set-up does any more, and what those by starts have pending in the MPI
/// ends.
void end_setups();
/// Whether that has been told. The same on all ranks at the same call.
bool have_setups_ended();

/// Tells the peers in all teams of this rank that MPI_Finalize has begun, or returned.
void tell_finalizing(Finalizing state);

}  // namespace terrace::preload
