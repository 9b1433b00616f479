// SPDX-License-Identifier: BSD-3-Clause
// Loads the ranks one after the other, runs them, and ends them. Each rank is loaded in its own
// thread, which then waits until all are loaded: if a job cannot be started, no rank has run its
// main.
#include "launcher/process/launched_job.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>
#include <fstream>
#include <utility>

#include "base/contract.hpp"
#include "launcher/elf/processor.hpp"
#include "launcher/process/abort_report.hpp"
#include "launcher/process/loaded_copies.hpp"
#include "launcher/process/reserve.hpp"

namespace terrace {

namespace {

/// Static thread-local memory: a place beside the thread pointer, so that signal handlers may look.
[[gnu::tls_model("initial-exec")]] alignas(
    kAlignmentOfLauncher) thread_local terrace_rank* the_rank_here = nullptr;

char* thread_pointer() {
  return static_cast<char*>(__builtin_thread_pointer());
}

void bind_here(const PuSet& pus) {
  if (pus.empty()) return;
  const std::vector<std::uint32_t> list = pus.list();
  const std::size_t count = list.back() + 1;
  cpu_set_t* const set = CPU_ALLOC(count);
  CPU_ZERO_S(CPU_ALLOC_SIZE(count), set);
  for (const std::uint32_t pu : list) CPU_SET_S(pu, CPU_ALLOC_SIZE(count), set);
  sched_setaffinity(0, CPU_ALLOC_SIZE(count), set);
  CPU_FREE(set);
}

/// Gives this thread, and those that it creates, a working directory and file descriptors of their
/// own, as processes have. Containers may forbid it; then all ranks share them. So they do where an
/// MPI connects processes: any rank may be the one in which it opens a connection. Fibres run on
/// kernel threads of others, and share both.
bool separate_files(const LaunchSettings& settings) {
  if (!settings.workers.empty()) return false;
  const bool has_own_files = !settings.has_others && unshare(CLONE_FILES) == 0;
  [[maybe_unused]] const int may_fail = unshare(CLONE_FS);
  return has_own_files;
}

/// Standard input, as of processes under a launcher: only rank 0 reads what the user types.
void read_nothing() {
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing < 0) return;
  dup2(nothing, STDIN_FILENO);
  close(nothing);
}

/// Leaves this function's frames alone and starts the program as the kernel would, on a stack that
/// continues below `block`: argument count, arguments, environment.
[[noreturn]] void enter_program(std::uint64_t entry, const long* block) {
#if defined(__x86_64__)
  // By registers that are named: any other might be rbp, which is zero before the jump.
  __asm__ volatile(
      "mov %0, %%rsp\n\t"
      "xor %%edx, %%edx\n\t"
      "xor %%ebp, %%ebp\n\t"
      "jmp *%1"
      :
      : "S"(block), "c"(entry)
      : "memory", "rdx");
#elif defined(__aarch64__)
  // By x16, as processors that check the targets of branches (BTI) want it.
  register std::uint64_t target __asm__("x16") = entry;
  __asm__ volatile(
      "mov sp, %0\n\t"
      "mov x0, #0\n\t"
      "mov x29, #0\n\t"
      "mov x30, #0\n\t"
      "br %1"
      :
      : "r"(block), "r"(target)
      : "memory", "x0", "x30");
#else
  static_cast<void>(entry);
  static_cast<void>(block);
#endif
  __builtin_unreachable();
}

/// The block lies at the lower end of this frame, so the program's stack is the thread's.
[[noreturn, gnu::noinline]] void begin_program(terrace_rank& rank) {
  char** const list = rank.job.variables();
  std::size_t variables = 0;
  while (list[variables] != nullptr) ++variables;
  const std::size_t words = rank.arguments.size() + variables + 8;
  auto* const memory = static_cast<char*>(__builtin_alloca(words * sizeof(long) + 64));
  auto* const block =
      reinterpret_cast<long*>((reinterpret_cast<std::uintptr_t>(memory) + 63) & ~63ul);
  std::size_t at = 0;
  block[at++] = static_cast<long>(rank.arguments.size() - 1);
  for (char* argument : rank.arguments) block[at++] = reinterpret_cast<long>(argument);
  for (std::size_t i = 0; i < variables; ++i) block[at++] = reinterpret_cast<long>(list[i]);
  for (int i = 0; i < 3; ++i)
    block[at++] = 0;  // end of the environment, and an empty auxiliary vector
  const ElfImage& image = rank.job.program().image;
  enter_program(rank.program->l_addr + image.entry(), block);
}

std::uintptr_t begin_of_stack_here() {
  pthread_attr_t attributes;
  void* begin = nullptr;
  std::size_t bytes = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return 0;
  pthread_attr_getstack(&attributes, &begin, &bytes);
  pthread_attr_destroy(&attributes);
  return reinterpret_cast<std::uintptr_t>(begin);
}

/// A debugger that was attached from the start reads copies by the loader's paths, and takes a
/// library whose path changes for unloaded.
bool has_tracer() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "TracerPid:") return status >> word && word != "0";
  return false;
}

void give_real_names(const PrivateCopies& copies) {
  give_real_name(copies.program);
  for (const PrivateCopy& copy : copies.libraries) give_real_name(copy);
}

}  // namespace

terrace_rank* rank_here() {
  return the_rank_here;
}

void be_rank_here(terrace_rank* rank) {
  the_rank_here = rank;
}

void prepare_thread_locals(const terrace_rank& rank) {
  const auto& locals = rank.job.program().image.thread_locals();
  if (!locals) return;
  char* const begin = thread_pointer() + offset_of_locals(*locals, kThisProcessor);
  const std::uint64_t misplaced = reinterpret_cast<std::uintptr_t>(begin) - locals->address;
  TERRACE_REQUIRE(misplaced % locals->alignment == 0, begin, locals->address, locals->alignment);
  const char* const initial = reinterpret_cast<const char*>(rank.program->l_addr + locals->address);
  std::memcpy(begin, initial, locals->initial_bytes);
  std::memset(begin + locals->initial_bytes, 0, locals->bytes - locals->initial_bytes);
}

Result<int> LaunchedJob::run() {
  is_traced_ = has_tracer();
  if (settings_.labels) {
    if (settings_.has_others)
      return Error{
          ErrorCode::system,
          "--label is for a job of one process; leave it out, or let the launcher name the "
          "process of each line (srun --label, mpirun -prepend-rank or --tag-output)"};
    if (const auto possible = OutputPrefixes::possible(); !possible) return possible.error();
    labels_ = std::make_unique<OutputPrefixes>(settings_.ranks);
  }
  const Result<bool> loaded = load_all();
  let_run(loaded.ok());
  if (!loaded) return loaded.error();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return ended_ == ranks_.size(); });
  drain_output();
  return code_;
}

Result<bool> LaunchedJob::load_all() {
  copier_ = std::make_unique<Copier>(program_, rank_libc_, mpi_.name, is_traced_);
  for (int index = 0; index < settings_.ranks; ++index) {
    ranks_.push_back(std::make_unique<terrace_rank>(*this, index, settings_.first_rank + index));
    terrace_rank& rank = *ranks_.back();
    Result<PrivateCopies> copies = copier_->copies_for_next_rank();
    if (!copies) return copies.error();
    rank.copies = std::move(copies).value();
    rank.words = words_;
    for (std::string& word : rank.words) rank.arguments.push_back(word.data());
    rank.arguments.push_back(nullptr);
    if (const auto started = start(rank); !started) return started.error();
  }
  program_.image.forget_bytes();
  program_.libraries.clear();
  rank_libc_.image.forget_bytes();
  malloc_trim(0);
  return true;
}

std::size_t room_beside_stack(const LaunchSettings& settings) {
  constexpr std::size_t kFrames = std::size_t{32} << 10;  // of the launcher's and our MPI's own
  return settings.reserve_bytes + kReserveAlignment + room_for_libraries(settings) + kFrames;
}

/// Returns when the rank is loaded.
Result<bool> LaunchedJob::start(terrace_rank& rank) {
  if (labels_ != nullptr)
    if (const auto opened = labels_->open_for(rank.index); !opened) return opened.error();
  if (const auto started = start_thread(rank); !started) return started.error();
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return loaded_ > static_cast<std::size_t>(rank.index); });
  if (rank.has_own_files && !is_traced_) rank.copies.close();
  if (labels_ != nullptr) labels_->close_for(rank.index);
  if (!loading_error_.empty()) return Error{ErrorCode::system, loading_error_};
  return true;
}

Result<bool> LaunchedJob::start_thread(terrace_rank& rank) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  const std::size_t bytes = std::max<std::size_t>(settings_.stack_bytes, PTHREAD_STACK_MIN);
  int failure = pthread_attr_setstacksize(&attributes, bytes + room_beside_stack());
  const auto live = [](void* one) -> void* {
    auto* const its_rank = static_cast<terrace_rank*>(one);
    its_rank->job.live(*its_rank);
    return nullptr;
  };
  if (failure == 0) failure = pthread_create(&rank.thread, &attributes, live, &rank);
  pthread_attr_destroy(&attributes);
  if (failure != 0)
    return Error{ErrorCode::system, "cannot start rank " + std::to_string(rank.number) + " with " +
                                        std::to_string(bytes) +
                                        " bytes of stack: " + std::strerror(failure)};
  return true;
}

void LaunchedJob::let_run(bool all_are_there) {
  const std::lock_guard lock(mutex_);
  start_ = all_are_there ? 1 : -1;
  changed_.notify_all();
}

bool LaunchedJob::wait_for_start() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return start_ != 0; });
  return start_ == 1;
}

/// The error, or "".
std::string LaunchedJob::load(terrace_rank& rank) {
  rank.handle =
      open_by_loader(rank.copies.program.name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
  std::string error;
  if (rank.handle == nullptr) {
    error = dlerror();
    std::vector<PrivateCopy> copies = rank.copies.libraries;
    copies.push_back(rank.copies.program);
    error = with_paths(std::move(error), copies);
  }
  if (rank.handle != nullptr && !is_traced_) give_real_names(rank.copies);
  if (rank.has_own_files || !is_traced_) rank.copies.close();
  return error;
}

void LaunchedJob::live(terrace_rank& rank) {
  be_rank_here(&rank);
  rank.stack_begin = begin_of_stack_here();
  if (!settings_.bindings.empty())
    bind_here(settings_.bindings[static_cast<std::size_t>(rank.index)]);
  rank.has_own_files = separate_files(settings_);
  if (rank.number != 0 && rank.has_own_files) read_nothing();
  if (labels_ != nullptr) labels_->take(rank.index);
  prepare_abort_report();
  const std::string error = load(rank);
  {
    const std::lock_guard lock(mutex_);
    ++loaded_;
    loading_error_ = error;
    changed_.notify_all();
  }
  if (!wait_for_start()) return;
  rank.has_begun = true;
  if (mpi_.enter != nullptr) mpi_.enter(rank.number);
  begin_program(rank);
}

void LaunchedJob::drain_output() {
  if (labels_ != nullptr) labels_->drain();
}

/// Runs in a signal handler: ranks are there from the start of the first one's main on. A rank that
/// has ended may have been the only one to handle a signal that is late: that of its timer, or any
/// when all have ended. As a process it would have got it in time, or not at all.
bool LaunchedJob::pass_on(int signal, const terrace_rank* here, bool is_of_timer) {
  bool is_handled = false, is_for_ended = false, have_all_ended = true;
  for (const auto& rank : ranks_) {
    have_all_ended &= rank->has_ended;
    // relaxed: as in `terrace_rank_handle_signal`.
    const std::uint64_t handled = rank->handled_signals.load(std::memory_order_relaxed);
    if ((handled & signal_bit(signal)) == 0 || rank.get() == here) continue;
    is_for_ended |= rank->has_ended;
    if (rank->has_ended) continue;
    send_signal(*rank, signal);
    is_handled = true;
  }
  return is_handled || (is_for_ended && (is_of_timer || have_all_ended));
}

void LaunchedJob::unbind_from_worker() const {
  if (!settings_.workers.empty()) sched_setaffinity(0, sizeof pus_, &pus_);
}

int LaunchedJob::send_signal(const terrace_rank& rank, int signal) const {
  const bool is_own = pthread_equal(pthread_self(), rank.thread) != 0;
  if (!is_own && signal > 0 && mpi_.signal != nullptr && mpi_.signal(rank.number, signal) != 0)
    return 0;
  return pthread_kill(rank.thread, signal);
}

/// Once for each rank: another thread of it may call exit when its main has ended.
void LaunchedJob::note_end(terrace_rank& rank, int code) {
  {
    const std::lock_guard lock(mutex_);
    if (std::exchange(rank.is_ending, true)) return;
  }
  if (mpi_.leave != nullptr) mpi_.leave(rank.number, code);
  const std::lock_guard lock(mutex_);
  TERRACE_ASSERT(!rank.has_ended && ended_ < ranks_.size(), rank.number, ended_);
  rank.has_ended = true;
  ++ended_;
  code_ = std::max(code_, code);
  changed_.notify_all();
}

}  // namespace terrace
