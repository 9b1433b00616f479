// SPDX-License-Identifier: BSD-3-Clause
// Fibres: threads whose contexts a few kernel threads, the workers, run in turn. A switch takes
// some 20 ns, where the kernel takes microseconds. Each fibre is a thread of its own, made by
// pthread_create, which has lent its stack and its thread pointer: all that libc and compilers keep
// for a thread is its own, wherever it runs. It can go home to its kernel thread at any time.
// docs/design/fibres.md says what holds for such threads, and what does not.
#pragma once

#include <sched.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace terrace {

struct Fibre;

struct FibreSettings {
  std::uint32_t workers = 1;
  /// Sets of CPUs on which a worker's kernel threads run, by worker. Empty: anywhere.
  std::vector<cpu_set_t> bindings;
  /// Stack of a worker's kernel thread, on which nothing but this room's code and signal handlers
  /// run; 0: the usual size.
  std::size_t stack_bytes = 0;
  /// Called by each kernel thread of a worker when it begins; may be null.
  void (*prepare_thread)() = nullptr;
};

/// Counts of what has happened since the start.
struct FibreCounts {
  std::uint64_t switches = 0;
  std::uint64_t blocked = 0;    ///< hand-overs from fibres that slept in the system
  std::uint64_t computing = 0;  ///< from fibres that computed while others might have run
  std::uint64_t moved = 0;      ///< fibres to a worker that had less to do
};

class FibreScheduler {
 public:
  /// Null: there are no more threads.
  static std::unique_ptr<FibreScheduler> begin(const FibreSettings& settings);
  /// All fibres have gone home.
  ~FibreScheduler();
  FibreScheduler(const FibreScheduler&) = delete;
  FibreScheduler& operator=(const FibreScheduler&) = delete;

  std::uint32_t worker_count() const;
  /// Makes the calling thread a fibre of that worker, which has to be less than `worker_count`.
  /// Returns as a fibre, or null: the thread blocks signals that workers do not block, and stays
  /// what it was. What is returned lives as long as the scheduler.
  Fibre* enter(std::uint32_t worker);
  /// Sends a fibre a signal, which arrives when it next runs or waits, and within milliseconds if
  /// it does neither. False: it has gone home, where pthread_kill reaches it. Safe in signal
  /// handlers.
  bool send(Fibre& fibre, int signal);
  FibreCounts counts() const;

  struct Parts;

 private:
  explicit FibreScheduler(const FibreSettings& settings);

  std::unique_ptr<Parts> parts_;
};

/// Functions on what the calling thread is to this room. Threads that are no fibres may call all of
/// these.
namespace fibre {

bool is_here() noexcept;
/// Whether a worker runs the calling fibre, or will as soon as it waits. A fibre that has slept in
/// the system often of late is left to its kernel thread for a while, and is what threads are.
bool has_worker() noexcept;
/// The number of the calling fibre's worker.
std::uint32_t worker() noexcept;
/// Lets the worker's other fibres run, in turn, after a look in vain at what the caller waits for.
/// `begins`: the first one of a wait, or the caller does something else if it looks in vain. False:
/// no fibre can go on, as all have looked in vain since one of them did so; or the caller is none.
bool pass(bool begins) noexcept;
/// The calling fibre is its kernel thread's again, where it has been made. A thread that is no
/// fibre stays what it is.
void go_home() noexcept;

/// While it lives, the calling fibre sleeps or yields on behalf of its whole worker: the monitor
/// leaves the worker alone meanwhile, since no other fibre could go on.
class WaitsForAll {
 public:
  WaitsForAll() noexcept;
  ~WaitsForAll();
  WaitsForAll(const WaitsForAll&) = delete;
  WaitsForAll& operator=(const WaitsForAll&) = delete;

 private:
  Fibre* fibre_;
};

}  // namespace fibre

/// Whether fibres work here: "", or the reason why not. Tries them out, in threads of its own with
/// stacks of that size (0: the usual one).
std::string obstacle_to_fibres(std::size_t stack_bytes);

}  // namespace terrace
