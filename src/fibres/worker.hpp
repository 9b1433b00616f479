// SPDX-License-Identifier: BSD-3-Clause
// Fibres, workers, and the kernel threads that run them.
//
//   thread made by pthread_create:   ... enter() | parked, in a futex            | goes on ...
//   its context, run by workers:                 | runs, waits, runs, ... go_home()
//
// A worker is a ring of fibres, which one kernel thread at a time runs. Fibres switch to each
// other directly. What belongs to the worker is read and written only by the code that runs on it,
// within this room, and needs no atomics; but the monitor may take the worker away from a fibre
// that runs the program's code:
//
//   fibre (each switch)                       monitor
//     is_switching = true                       hold = claimed
//     compiler fence                            membarrier
//     hold is free: go on                       is_switching: hold = free, and come back later
//     is claimed: wait until it is not          else: give the worker to a spare kernel thread,
//     is detached: join the worker's queue            hold = detached
//
// The fibre's two lines need no fence of the processor: membarrier has one run on each core, so
// either the monitor sees `is_switching`, or the fibre sees `claimed` (docs/design/fibres.md; unit
// tests explore all interleavings). hand_over.hpp has these steps.
#pragma once

#include <pthread.h>
#include <signal.h>
#include <sys/types.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/cache_aligned.hpp"
#include "fibres/fibres.hpp"
#include "fibres/hand_over.hpp"

namespace terrace {

struct Worker;
struct WorkerThread;

struct Fibre {
  void* stack_pointer = nullptr;  ///< of its context while that does not run
  void* thread_pointer = nullptr;
  Worker* worker = nullptr;
  std::atomic<bool> is_switching{true};  ///< it is in this room's code, or does not run
  std::atomic<FibreHold> hold{FibreHold::free};
  WorkerThread* detached_on = nullptr;  ///< while it is detached
  bool leaves = false;                  ///< it has switched to a worker's thread to go home
  std::atomic<std::uint32_t> is_sent_home{0};
  std::atomic<std::uint64_t> pending_signals{0};  ///< sent to it by others, a bit for each
  std::uint64_t out_until_ns = 0;  ///< as a detached fibre; written while it is claimed
  std::uint64_t blocked_ns = 0;    ///< the monitor's: when it was found to sleep last
  std::uint32_t blocks = 0;        ///< the monitor's: how often in a row
  Fibre* below = nullptr;          ///< on the stack of those that arrive at its worker
  void* parking_stack = nullptr;
  sigset_t signals;  ///< that its thread blocked before it became a fibre
};

/// A kernel thread that runs a worker's fibres, or waits as a spare until it is needed.
struct WorkerThread {
  FibreScheduler::Parts* scheduler = nullptr;
  pthread_t handle{};
  void* stack_pointer = nullptr;  ///< of its own context, while a fibre runs on it
  void* thread_pointer = nullptr;
  pid_t id = 0;
  Worker* worker = nullptr;              ///< null: spare
  Fibre* arrival = nullptr;              ///< the detached fibre that has switched to this thread
  std::atomic<std::uint32_t> wanted{0};  ///< a spare sleeps until it is 1
};

/// Passes in vain before a worker counts as one where no fibre can go on, about as long as a yield
/// takes: another worker answers within less.
inline constexpr std::uint64_t kPassesInVain = 256;

struct alignas(kLinePairBytes) Worker {
  std::uint32_t number = 0;
  // Used by the code that runs on it:
  std::vector<Fibre*> ring;
  std::size_t at = 0;  ///< in the ring, of the fibre that runs
  // Read by the monitor too, which acts on them only when they have stood still:
  std::atomic<std::uint64_t> passes_in_vain{0};  ///< since a wait began last
  std::atomic<Fibre*> current{nullptr};
  std::atomic<WorkerThread*> thread{nullptr};
  std::atomic<std::uint64_t> switches{0};
  std::atomic<std::uint64_t> waits{0};  ///< that its fibres have begun
  std::atomic<std::size_t> fibres{0};   ///< in the ring
  // Written by the monitor:
  std::atomic<Fibre*> leaving{nullptr};  ///< a fibre of the ring that is to move
  Worker* leaving_to = nullptr;          ///< there; written before `leaving`
  std::atomic<bool> is_bound{true};      ///< to its core, if settings have one for it
  // Written by others:
  alignas(kLinePairBytes) std::atomic<Fibre*> arrivals{nullptr};  ///< a stack
  std::atomic<std::uint32_t> arrived{0};  ///< counts them, for a worker that has no fibres
};

}  // namespace terrace
