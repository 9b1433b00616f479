// SPDX-License-Identifier: BSD-3-Clause
// Entry, switches and exit of fibres, and what the kernel threads of workers do between them.
#include "fibres/scheduler.hpp"

#include <linux/futex.h>
#include <linux/rseq.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/rseq.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "base/atomic_stack.hpp"
#include "base/contract.hpp"
#include "base/pause.hpp"
#include "base/ticks.hpp"
#include "fibres/context_switch.hpp"

namespace terrace {

namespace {

/// The calling thread's fibre; null: it is none. Reached by a fixed distance from the thread
/// pointer, so that signal handlers may look.
[[gnu::tls_model("initial-exec")]] thread_local Fibre* the_fibre = nullptr;

constexpr std::size_t kParkingBytes = 16 << 10;

/// A system call without libc, which would write the thread's errno: a parked thread may touch
/// nothing of its own, as its fibre runs elsewhere.
long bare_futex(std::atomic<std::uint32_t>& word, long operation, long value) {
#if defined(__x86_64__)
  long result = SYS_futex;
  register long timeout asm("r10") = 0;
  asm volatile("syscall"
               : "+a"(result)
               : "D"(&word), "S"(operation), "d"(value), "r"(timeout)
               : "rcx", "r11", "memory");
  return result;
#elif defined(__aarch64__)
  register long number asm("x8") = SYS_futex;
  register long result asm("x0") = reinterpret_cast<long>(&word);
  register long second asm("x1") = operation;
  register long third asm("x2") = value;
  register long timeout asm("x3") = 0;
  asm volatile("svc #0"
               : "+r"(result)
               : "r"(number), "r"(second), "r"(third), "r"(timeout)
               : "memory");
  return result;
#else
#error "fibres are for x86-64 and AArch64"
#endif
}

/// Returns when the word is no longer `value`.
void sleep_while(std::atomic<std::uint32_t>& word, std::uint32_t value) {
  // acquire: pairs with the release of who changes the word.
  while (word.load(std::memory_order_acquire) == value)
    bare_futex(word, FUTEX_WAIT_PRIVATE, static_cast<long>(value));
}

void change(std::atomic<std::uint32_t>& word, std::uint32_t value) {
  // release: pairs with the acquire in `sleep_while`.
  word.store(value, std::memory_order_release);
  bare_futex(word, FUTEX_WAKE_PRIVATE, 1);
}

/// The kernel writes the number of the core into memory of the thread that has registered it. Where
/// none has, libc asks the kernel, which answers for the core that the caller runs on.
void register_rseq(bool is_wanted) {
  if (__rseq_size == 0) return;
  char* const area = static_cast<char*>(__builtin_thread_pointer()) + __rseq_offset;
  constexpr std::size_t kAreaBytes = 32;  // as libc registers it
  syscall(SYS_rseq, area, kAreaBytes, is_wanted ? 0 : RSEQ_FLAG_UNREGISTER, RSEQ_SIG);
}

/// Puts a fibre into the queue of its worker, and wakes that.
void arrive(Fibre& fibre) {
  Worker& worker = *fibre.worker;
  note_given(worker);
  push_onto(worker.arrivals, fibre);
  // release: pairs with the acquire in `sleep_while`.
  worker.arrived.fetch_add(1, std::memory_order_release);
  bare_futex(worker.arrived, FUTEX_WAKE_PRIVATE, 1);
}

/// On the parking stack, in the thread that has become a fibre. From `arrive` on, the fibre may run
/// with this thread's thread pointer, so nothing here may touch what lies there.
void parked(void* what) {
  Fibre& fibre = *static_cast<Fibre*>(what);
  arrive(fibre);
  sleep_while(fibre.is_sent_home, 0);
  terrace_fibre_resume(fibre.stack_pointer);
}

void take_arrivals(Worker& worker) {
  Fibre* fibre = take_all_from(worker.arrivals);
  if (fibre == nullptr) return;
  note_taken(worker);
  const std::size_t before = worker.ring.size();
  for (; fibre != nullptr; fibre = fibre->below) worker.ring.push_back(fibre);
  // The last to arrive comes first out of a stack.
  std::reverse(worker.ring.begin() + static_cast<std::ptrdiff_t>(before), worker.ring.end());
  // relaxed: for the monitor, which looks again.
  worker.fibres.store(worker.ring.size(), std::memory_order_relaxed);
}

}  // namespace

#ifdef TERRACE_TELLS_TSAN
extern "C" void __tsan_acquire(void* place);
extern "C" void __tsan_release(void* place);
void note_given(Worker& worker) {
  __tsan_release(&worker);
}
void note_taken(Worker& worker) {
  __tsan_acquire(&worker);
}
#else
void note_given(Worker&) {}
void note_taken(Worker&) {}
#endif

namespace {

/// False: it is not there.
bool erase_from_ring(Worker& worker, const Fibre& fibre) {
  const auto found = std::find(worker.ring.begin(), worker.ring.end(), &fibre);
  if (found == worker.ring.end()) return false;
  const auto index = static_cast<std::size_t>(found - worker.ring.begin());
  worker.ring.erase(found);
  // The next turn is that of the one behind.
  if (worker.at >= index) worker.at = worker.at == 0 ? worker.ring.size() : worker.at - 1;
  // relaxed: for the monitor, which looks again.
  worker.fibres.store(worker.ring.size(), std::memory_order_relaxed);
  return true;
}

}  // namespace

void remove_from_ring(Worker& worker, const Fibre& fibre) {
  const bool is_removed = erase_from_ring(worker, fibre);
  TERRACE_REQUIRE(is_removed, worker.number, worker.ring.size());
  // relaxed: for the monitor, which looks again.
  worker.current.store(nullptr, std::memory_order_relaxed);
}

namespace {

/// Advances to the fibre whose turn is next; the worker's ring has at least one.
Fibre& next_of(Worker& worker) {
  if (++worker.at >= worker.ring.size()) worker.at = 0;
  return *worker.ring[worker.at];
}

void note_switch(Worker& worker, Fibre* next) {
  // relaxed, all: for the monitor, which looks again, and is kept away by `is_switching`.
  worker.switches.store(worker.switches.load(std::memory_order_relaxed) + 1,
                        std::memory_order_relaxed);
  worker.current.store(next, std::memory_order_relaxed);
}

void note_pass(Worker& worker, bool begins) {
  // relaxed, all: the worker's own; the monitor has a look at it now and then.
  if (begins)
    worker.waits.store(worker.waits.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  worker.passes_in_vain.store(
      begins ? 0 : worker.passes_in_vain.load(std::memory_order_relaxed) + 1,
      std::memory_order_relaxed);
}

/// Returns when another context switches back.
void switch_to(Fibre& fibre, void* stack, void* thread) {
  note_given(*fibre.worker);
  terrace_fibre_switch(&fibre.stack_pointer, stack, thread);
  note_taken(*fibre.worker);
}

/// Switches to the worker's kernel thread, which looks why.
void switch_to_thread(Fibre& fibre, const WorkerThread& thread) {
  switch_to(fibre, thread.stack_pointer, thread.thread_pointer);
}

/// Joins the queue of its worker, which another kernel thread runs by now. That of the fibre
/// becomes a spare.
[[gnu::noinline]] void rejoin(Fibre& fibre) {
  WorkerThread& thread = *fibre.detached_on;
  thread.arrival = &fibre;
  switch_to_thread(fibre, thread);
}

/// The caller is in this room's code from now on, with its worker.
void begin_switching(Fibre& fibre) {
  if (terrace::begin_switching(fibre.is_switching, fibre.hold) == FibreHold::detached) [[unlikely]]
    rejoin(fibre);
}

/// Whether the caller stays detached, although it waits.
bool is_out(const Fibre& fibre) {
  // acquire: pairs with the release in `end_claim`, before which it says until when.
  return fibre.hold.load(std::memory_order_acquire) == FibreHold::detached &&
         monotonic_ns() < fibre.out_until_ns;
}

/// Sends the fibre that is to move to its other worker, unless it runs.
[[gnu::noinline]] void give(Worker& worker, Fibre& leaving) {
  TERRACE_ASSERT(worker.ring[worker.at] != &leaving, worker.at, worker.number);
  if (erase_from_ring(worker, leaving)) {
    leaving.worker = worker.leaving_to;
    arrive(leaving);
    // relaxed, both: its worker's, which the caller is; a count.
    worker.thread.load(std::memory_order_relaxed)
        ->scheduler->moved.fetch_add(1, std::memory_order_relaxed);
  }
  // release: pairs with the acquire in the monitor, which then may name another.
  worker.leaving.store(nullptr, std::memory_order_release);
}

void give_leaving(Worker& worker, const Fibre& own) {
  // acquire: pairs with the release in the monitor.
  Fibre* const leaving = worker.leaving.load(std::memory_order_acquire);
  if (leaving != nullptr && leaving != &own) [[unlikely]]
    give(worker, *leaving);
}

/// Delivers signals to the kernel thread that the caller runs on, before this returns.
[[gnu::noinline]] void deliver_signals(Fibre& fibre) {
  // acq_rel: who exchanges a bit away delivers it. Partner: `send`, and the monitor.
  std::uint64_t pending = fibre.pending_signals.exchange(0, std::memory_order_acq_rel);
  for (; pending != 0; pending &= pending - 1)
    syscall(SYS_tgkill, getpid(), gettid(), std::countr_zero(pending) + 1);
}

void end_switching(Fibre& fibre) {
  terrace::end_switching(fibre.is_switching);
  // relaxed: a signal that is seen too late here is delivered by the monitor.
  if (fibre.pending_signals.load(std::memory_order_relaxed) != 0) [[unlikely]]
    deliver_signals(fibre);
}

/// A fibre that has switched to its worker's thread goes home.
void send_home(Fibre& fibre) {
  fibre.leaves = false;
  change(fibre.is_sent_home, 1);
}

void* run_thread(void* what) {
  WorkerThread& thread = *static_cast<WorkerThread*>(what);
  thread.scheduler->run(thread);
  return nullptr;
}

}  // namespace

void FibreScheduler::Parts::run(WorkerThread& thread) {
  thread.thread_pointer = __builtin_thread_pointer();
  thread.id = static_cast<pid_t>(syscall(SYS_gettid));
  if (settings.prepare_thread != nullptr) settings.prepare_thread();
  while (Worker* const worker = thread.worker) {
    bind(thread.id, *worker);
    run_worker(thread, *worker);
    wait_as_spare(thread);
  }
}

void FibreScheduler::Parts::run_worker(WorkerThread& thread, Worker& worker) {
  // release: pairs with the acquire in the monitor; the thread is known by its number.
  worker.thread.store(&thread, std::memory_order_release);
  note_taken(worker);
  for (;;) {
    // acquire: pairs with the release in `arrive`.
    const std::uint32_t arrived = worker.arrived.load(std::memory_order_acquire);
    take_arrivals(worker);
    if (worker.ring.empty()) {
      // acquire: pairs with the release in the destructor.
      if (stops.load(std::memory_order_acquire)) return;
      sleep_while(worker.arrived, arrived);
      continue;
    }
    Fibre& next = next_of(worker);
    note_switch(worker, &next);
    note_given(worker);
    terrace_fibre_switch(&thread.stack_pointer, next.stack_pointer, next.thread_pointer);
    note_taken(worker);
    if (Fibre* const lost = std::exchange(thread.arrival, nullptr)) {
      take_back(*lost);
      return;
    }
    // relaxed: written by the fibre that was here.
    Fibre& gone = *worker.current.load(std::memory_order_relaxed);
    TERRACE_REQUIRE(gone.leaves, worker.number);
    remove_from_ring(worker, gone);
    send_home(gone);
  }
}

/// A fibre that was detached, whose context is saved now.
void FibreScheduler::Parts::take_back(Fibre& fibre) {
  terrace::take_back(fibre.hold);
  fibre.detached_on = nullptr;
  if (fibre.leaves)
    send_home(fibre);
  else
    arrive(fibre);
}

void FibreScheduler::Parts::wait_as_spare(WorkerThread& thread) {
  thread.worker = nullptr;
  {
    const std::lock_guard lock(mutex);
    // relaxed: under the mutex.
    if (stops.load(std::memory_order_relaxed)) return;
    thread.wanted.store(0, std::memory_order_relaxed);
    spares.push_back(&thread);
  }
  sleep_while(thread.wanted, 0);
}

void FibreScheduler::Parts::bind(pid_t thread, const Worker& worker) const {
  // relaxed: the monitor looks again.
  const bool is_bound =
      !settings.bindings.empty() && worker.is_bound.load(std::memory_order_relaxed);
  const cpu_set_t& set = is_bound ? settings.bindings[worker.number] : everywhere;
  sched_setaffinity(thread, sizeof set, &set);
}

bool FibreScheduler::Parts::give_to_spare(Worker& worker) {
  const std::lock_guard lock(mutex);
  if (!spares.empty()) {
    WorkerThread* const spare = spares.back();
    spares.pop_back();
    spare->worker = &worker;
    change(spare->wanted, 1);
    return true;
  }
  return make_thread(worker);
}

/// A kernel thread for each worker, and the monitor.
bool FibreScheduler::Parts::begin() {
  const std::lock_guard lock(mutex);
  for (const auto& worker : workers)
    if (!make_thread(*worker)) return false;
  const auto monitor_main = [](void* what) -> void* {
    static_cast<Parts*>(what)->watch();
    return nullptr;
  };
  has_monitor = start(monitor, monitor_main, this);
  return has_monitor;
}

/// Under the mutex. False: the system has no more threads.
bool FibreScheduler::Parts::make_thread(Worker& worker) {
  auto thread = std::make_unique<WorkerThread>();
  thread->scheduler = this;
  thread->worker = &worker;
  if (!start(thread->handle, run_thread, thread.get())) return false;
  threads.push_back(std::move(thread));
  return true;
}

bool FibreScheduler::Parts::start(pthread_t& thread, void* (*main)(void*), void* argument) const {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  if (settings.stack_bytes != 0) pthread_attr_setstacksize(&attributes, settings.stack_bytes);
  const int failure = pthread_create(&thread, &attributes, main, argument);
  pthread_attr_destroy(&attributes);
  return failure == 0;
}

FibreScheduler::FibreScheduler(const FibreSettings& settings)
    : parts_(std::make_unique<Parts>(settings)) {
  static const int in_children = pthread_atfork(nullptr, nullptr, [] { the_fibre = nullptr; });
  TERRACE_REQUIRE(in_children == 0, in_children);
}

std::unique_ptr<FibreScheduler> FibreScheduler::begin(const FibreSettings& settings) {
  std::unique_ptr<FibreScheduler> scheduler(new FibreScheduler(settings));
  return scheduler->parts_->begin() ? std::move(scheduler) : nullptr;
}

FibreScheduler::~FibreScheduler() {
  {
    const std::lock_guard lock(parts_->mutex);
    // release: pairs with the acquire in `run_worker`.
    parts_->stops.store(true, std::memory_order_release);
  }
  parts_->monitor_sleeps.notify_all();
  if (parts_->has_monitor) pthread_join(parts_->monitor, nullptr);
  for (const auto& worker : parts_->workers) {
    // relaxed: no fibre is left that might arrive.
    TERRACE_ASSERT(worker->arrivals.load(std::memory_order_relaxed) == nullptr, worker->number);
    // release: as in `arrive`, for a worker that sleeps.
    worker->arrived.fetch_add(1, std::memory_order_release);
    bare_futex(worker->arrived, FUTEX_WAKE_PRIVATE, 1);
  }
  for (WorkerThread* const spare : parts_->spares) change(spare->wanted, 1);
  for (const auto& thread : parts_->threads) pthread_join(thread->handle, nullptr);
}

std::uint32_t FibreScheduler::worker_count() const {
  return parts_->settings.workers;
}

FibreCounts FibreScheduler::counts() const {
  FibreCounts counts;
  // relaxed, all: a reading while they change.
  counts.blocked = parts_->blocked.load(std::memory_order_relaxed);
  counts.computing = parts_->computing.load(std::memory_order_relaxed);
  counts.moved = parts_->moved.load(std::memory_order_relaxed);  // as above
  for (const auto& worker : parts_->workers)
    counts.switches += worker->switches.load(std::memory_order_relaxed);
  return counts;
}

bool FibreScheduler::send(Fibre& fibre, int signal) {
  TERRACE_REQUIRE(signal > 0 && signal <= 64, signal);
  const std::uint64_t bit = std::uint64_t{1} << (signal - 1);
  // seq_cst, all: either the fibre, at home, sees the signal, or this sees it at home. Partner:
  // `go_home`.
  fibre.pending_signals.fetch_or(bit);
  parts_->signals_sent.fetch_add(1);
  if (fibre.is_sent_home.load() == 0) return true;
  return (fibre.pending_signals.fetch_and(~bit) & bit) == 0;
}

Fibre* FibreScheduler::enter(std::uint32_t worker) {
  TERRACE_REQUIRE(worker < worker_count() && the_fibre == nullptr, worker);
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  void* const stack = mmap(nullptr, kParkingBytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (!parts_->has_usual_signals(before) || stack == MAP_FAILED) {
    if (stack != MAP_FAILED) munmap(stack, kParkingBytes);
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return nullptr;
  }
  Fibre& fibre = parts_->new_fibre();
  fibre.thread_pointer = __builtin_thread_pointer();
  fibre.worker = parts_->workers[worker].get();
  fibre.parking_stack = stack;
  fibre.signals = before;
  register_rseq(false);
  the_fibre = &fibre;
  terrace_fibre_park(&fibre.stack_pointer, static_cast<char*>(stack) + kParkingBytes, parked,
                     &fibre);
  note_taken(*fibre.worker);
  end_switching(fibre);
  return &fibre;
}

namespace fibre {

bool is_here() noexcept {
  return the_fibre != nullptr;
}

bool has_worker() noexcept {
  return the_fibre != nullptr && !is_out(*the_fibre);
}

std::uint32_t worker() noexcept {
  TERRACE_ASSERT(the_fibre != nullptr);
  return the_fibre->worker->number;
}

bool pass(bool begins) noexcept {
  Fibre* const own = the_fibre;
  if (own == nullptr || is_out(*own)) return false;
  begin_switching(*own);
  Worker& worker = *own->worker;
  take_arrivals(worker);
  give_leaving(worker, *own);
  note_pass(worker, begins);
  Fibre& next = next_of(worker);
  note_switch(worker, &next);
  if (&next == own)
    pause();
  else
    switch_to(*own, next.stack_pointer, next.thread_pointer);
  // Once in more than a round of the ring: each of its fibres looks between two yields, and they
  // take turns to yield.
  // relaxed: as above. It may have been moved to another worker meanwhile.
  const Worker& here = *own->worker;
  const std::uint64_t in_vain = here.passes_in_vain.load(std::memory_order_relaxed),
                      fibres = here.ring.size();
  end_switching(*own);
  return in_vain < std::max(kPassesInVain, 2 * fibres) || in_vain % (fibres + 1) != 0;
}

void go_home() noexcept {
  Fibre* const own = the_fibre;
  if (own == nullptr) return;
  own->leaves = true;
  begin_switching(*own);
  // A detached fibre has been sent home by `rejoin`.
  // acquire: pairs with the release in `change`.
  if (own->is_sent_home.load(std::memory_order_acquire) == 0)
    // relaxed: its worker's, which it is.
    switch_to_thread(*own, *own->worker->thread.load(std::memory_order_relaxed));
  the_fibre = nullptr;
  munmap(own->parking_stack, kParkingBytes);
  register_rseq(true);
  pthread_sigmask(SIG_SETMASK, &own->signals, nullptr);
  deliver_signals(*own);
}

WaitsForAll::WaitsForAll() noexcept : fibre_(has_worker() ? the_fibre : nullptr) {
  if (fibre_ != nullptr) begin_switching(*fibre_);
}

WaitsForAll::~WaitsForAll() {
  if (fibre_ != nullptr) end_switching(*fibre_);
}

}  // namespace fibre

}  // namespace terrace
