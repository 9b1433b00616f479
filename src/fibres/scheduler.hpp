// SPDX-License-Identifier: BSD-3-Clause
// The parts of a scheduler of fibres.
#pragma once

#include <pthread.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "fibres/balance.hpp"
#include "fibres/binding.hpp"
#include "fibres/fibres.hpp"
#include "fibres/worker.hpp"

namespace terrace {

/// Tell ThreadSanitizer, where it watches, that the caller is about to give the worker to another
/// context or thread, or has got it: what is done on a worker is done in one order.
void note_given(Worker& worker);
void note_taken(Worker& worker);

/// Takes a fibre that no longer runs there out of its worker's ring.
void remove_from_ring(Worker& worker, const Fibre& fibre);

struct FibreScheduler::Parts {
  explicit Parts(const FibreSettings& wanted);

  /// False: there are no more threads.
  bool begin();
  /// The function of a worker's kernel thread.
  void run(WorkerThread& thread);
  /// The function of the monitor's kernel thread.
  void watch();
  /// Has a spare kernel thread, or a new one, run this worker. False: there is none.
  bool give_to_spare(Worker& worker);
  bool make_thread(Worker& worker);
  bool start(pthread_t& thread, void* (*main)(void*), void* argument) const;
  Fibre& new_fibre();
  /// Whether a thread that blocks these signals blocks those that workers do.
  bool has_usual_signals(const sigset_t& signals) const;

  const FibreSettings settings;
  cpu_set_t everywhere;  ///< that this process may use
  sigset_t usual_signals;
  std::vector<std::unique_ptr<Worker>> workers;
  std::mutex mutex;
  std::deque<Fibre> fibres;  ///< all that have ever been: the monitor may look at them
  std::vector<std::unique_ptr<WorkerThread>> threads;
  std::vector<WorkerThread*> spares;
  std::atomic<bool> stops{false};
  std::condition_variable monitor_sleeps;
  pthread_t monitor{};
  bool has_monitor = false;
  std::atomic<std::uint64_t> blocked{0}, computing{0}, moved{0};
  std::atomic<std::uint64_t> signals_sent{0};

 private:
  /// The monitor's memory of a worker since its last look.
  struct Watched {
    std::uint64_t switches = 0;
    std::uint64_t since_ns = 0;  ///< the worker has not switched
  };
  /// And since it looked at its binding last.
  struct WatchedBinding {
    const WorkerThread* thread = nullptr;
    ThreadTimes times;        ///< of that thread
    std::uint64_t waits = 0;  ///< that the worker's fibres had begun
    Binding binding;
  };
  void run_worker(WorkerThread& thread, Worker& worker);
  void take_back(Fibre& fibre);
  void wait_as_spare(WorkerThread& thread);
  void bind(pid_t thread, const Worker& worker) const;
  void look_at(Worker& worker, Watched& watched, Balance& balance);
  void look_at_binding(Worker& worker, WatchedBinding& watched);
  bool hand_over(Worker& worker, Fibre& fibre, std::uint64_t out_until_ns);
  void move(const Balance::Move& wanted);
  void deliver_all();
  void deliver(Fibre& fibre);
  void put_back(Worker& worker, Fibre& fibre);
};

}  // namespace terrace
