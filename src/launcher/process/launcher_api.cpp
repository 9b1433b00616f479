// SPDX-License-Identifier: BSD-3-Clause
// The launcher's interface for a rank's part of libc: fulfils its requests by the process's libc.
#include <dlfcn.h>
#include <grp.h>
#include <link.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "base/contract.hpp"
#include "launcher/process/abort_report.hpp"
#include "launcher/process/launched_job.hpp"
#include "launcher/process/launcher_api.h"
#include "launcher/process/loaded_copies.hpp"
#include "launcher/process/variables_of_libc.hpp"

using namespace terrace;

namespace {

/// Memory that a program gives a thread for its stack.
struct GivenStack {
  void* address = nullptr;
  std::size_t bytes = 0;
};
/// The calling thread's; none if libc has made its stack.
[[gnu::tls_model("initial-exec")]] thread_local GivenStack given_here;

struct ThreadStart {
  terrace_rank* rank;
  bool is_bound;  ///< as the program wants it
  GivenStack given;
  void* (*start)(void*);
  void* argument;
};

/// Calls a function on a stack that ends at `end`. The unwinder finds its way back.
extern "C" [[gnu::visibility("hidden")]] void* terrace_call_on_stack(void* argument,
                                                                     void* (*function)(void*),
                                                                     void* end);
#if defined(__x86_64__)
__asm__(
    ".pushsection .text\n\t"
    ".balign 16\n\t"
    ".globl terrace_call_on_stack\n\t"
    ".hidden terrace_call_on_stack\n\t"
    ".type terrace_call_on_stack, %function\n"
    "terrace_call_on_stack:\n\t"
    ".cfi_startproc\n\t"
    "push %rbp\n\t"
    ".cfi_def_cfa_offset 16\n\t"
    ".cfi_offset %rbp, -16\n\t"
    "mov %rsp, %rbp\n\t"
    ".cfi_def_cfa_register %rbp\n\t"
    "mov %rdx, %rsp\n\t"
    "call *%rsi\n\t"
    "mov %rbp, %rsp\n\t"
    "pop %rbp\n\t"
    ".cfi_def_cfa %rsp, 8\n\t"
    "ret\n\t"
    ".cfi_endproc\n\t"
    ".size terrace_call_on_stack, . - terrace_call_on_stack\n\t"
    ".popsection");
#elif defined(__aarch64__)
// The hint is `bti c`: calls may arrive.
__asm__(
    ".pushsection .text\n\t"
    ".balign 4\n\t"
    ".globl terrace_call_on_stack\n\t"
    ".hidden terrace_call_on_stack\n\t"
    ".type terrace_call_on_stack, %function\n"
    "terrace_call_on_stack:\n\t"
    ".cfi_startproc\n\t"
    "hint #34\n\t"
    "stp x29, x30, [sp, #-16]!\n\t"
    ".cfi_def_cfa_offset 16\n\t"
    ".cfi_offset x29, -16\n\t"
    ".cfi_offset x30, -8\n\t"
    "mov x29, sp\n\t"
    ".cfi_def_cfa_register x29\n\t"
    "mov sp, x2\n\t"
    "blr x1\n\t"
    "mov sp, x29\n\t"
    "ldp x29, x30, [sp], #16\n\t"
    ".cfi_def_cfa sp, 0\n\t"
    "ret\n\t"
    ".cfi_endproc\n\t"
    ".size terrace_call_on_stack, . - terrace_call_on_stack\n\t"
    ".popsection");
#endif

/// Destroyed when its thread ends, by pthread_exit too, whose way through our frames would need the
/// unwinder that programs have.
struct EndOfThread {
  terrace_rank* rank = nullptr;
  ~EndOfThread() {
    if (rank == nullptr) return;
    // release: pairs with the acquire in `terrace_rank_join_others`; the thread's work is done.
    [[maybe_unused]] const int before = rank->other_threads.fetch_sub(1, std::memory_order_release);
    TERRACE_ASSERT(before >= 1, before);
    rank->other_threads.notify_all();
  }
};

void* start_thread(void* what) {
  const ThreadStart start = *std::unique_ptr<ThreadStart>(static_cast<ThreadStart*>(what));
  thread_local EndOfThread end;
  end.rank = start.rank;
  be_rank_here(start.rank);
  prepare_thread_locals(*start.rank);
  if (!start.is_bound) start.rank->job.unbind_from_worker();
  prepare_abort_report();
  const auto enter = start.rank->job.mpi().enter;
  if (enter != nullptr && start.rank->has_begun) enter(start.rank->number);
  given_here = start.given;
  if (start.given.address == nullptr) return start.start(start.argument);
  const auto stack_end =
      (reinterpret_cast<std::uintptr_t>(start.given.address) + start.given.bytes) & ~15ul;
  return terrace_call_on_stack(start.argument, start.start, reinterpret_cast<void*>(stack_end));
}

/// Whether a thread with these attributes has cores of its own: without, libc says all there are.
bool is_bound(const pthread_attr_t& attributes) {
  cpu_set_t set;
  CPU_ZERO(&set);
  return pthread_attr_getaffinity_np(&attributes, sizeof set, &set) == 0 &&
         CPU_COUNT(&set) != CPU_SETSIZE;
}

/// Attributes that a thread is made with in place of those that the program wants. Libc puts the
/// thread-local variables of all ranks on a thread's stack, while the program counts on its own
/// only: so the stack is larger, and memory that the program gives for one is used behind libc's
/// back.
class LargerAttributes {
 public:
  LargerAttributes() { pthread_attr_init(&attributes_); }
  ~LargerAttributes() { pthread_attr_destroy(&attributes_); }
  LargerAttributes(const LargerAttributes&) = delete;
  LargerAttributes& operator=(const LargerAttributes&) = delete;

  /// Takes over what the program wants. Returns an error's number, or 0.
  int take(const terrace_rank& rank, const pthread_attr_t& wanted);
  const pthread_attr_t& attributes() const { return attributes_; }
  const GivenStack& given() const { return given_; }

 private:
  int take_schedule(const pthread_attr_t& wanted);

  pthread_attr_t attributes_;
  GivenStack given_;
};

int LargerAttributes::take_schedule(const pthread_attr_t& wanted) {
  int number = 0, failure = 0;
  sched_param parameters;
  pthread_attr_getdetachstate(&wanted, &number);
  failure |= pthread_attr_setdetachstate(&attributes_, number);
  pthread_attr_getschedpolicy(&wanted, &number);
  failure |= pthread_attr_setschedpolicy(&attributes_, number);
  pthread_attr_getschedparam(&wanted, &parameters);
  failure |= pthread_attr_setschedparam(&attributes_, &parameters);
  pthread_attr_getinheritsched(&wanted, &number);
  failure |= pthread_attr_setinheritsched(&attributes_, number);
  pthread_attr_getscope(&wanted, &number);
  failure |= pthread_attr_setscope(&attributes_, number);
  std::size_t guard = 0;
  pthread_attr_getguardsize(&wanted, &guard);
  failure |= pthread_attr_setguardsize(&attributes_, guard);
  cpu_set_t set;
  if (is_bound(wanted) && pthread_attr_getaffinity_np(&wanted, sizeof set, &set) == 0)
    failure |= pthread_attr_setaffinity_np(&attributes_, sizeof set, &set);
#if __GLIBC_PREREQ(2, 32)
  sigset_t mask;
  if (pthread_attr_getsigmask_np(&wanted, &mask) == 0)
    failure |= pthread_attr_setsigmask_np(&attributes_, &mask);
#endif
  return failure;
}

int LargerAttributes::take(const terrace_rank& rank, const pthread_attr_t& wanted) {
  void* address = nullptr;
  std::size_t bytes = 0;
  if (const int failure = pthread_attr_getstack(&wanted, &address, &bytes)) return failure;
  // If no stack is given, libc reports that it ends at address 0.
  if (reinterpret_cast<std::uintptr_t>(address) + bytes != 0) {
    given_ = {address, bytes};
    bytes = static_cast<std::size_t>(PTHREAD_STACK_MIN);
  } else {
    pthread_attr_getstacksize(&wanted, &bytes);
  }
  if (take_schedule(wanted) != 0) return EINVAL;
  return pthread_attr_setstacksize(&attributes_, bytes + rank.job.room_beside_stack());
}

/// The program's places for variables that libraries define (copy relocations).
void bring_first_values(const terrace_rank& rank) {
  const WritableAgain writable(*rank.program, rank.job.program().image.unwritable_later());
  const auto tell = rank.job.mpi().place;
  for (const FirstValue& value : rank.job.first_values_of_copies()) {
    auto* const place = reinterpret_cast<void*>(rank.program->l_addr + value.variable.address);
    if (value.library >= 0) {
      TERRACE_REQUIRE(static_cast<std::size_t>(value.library) < rank.maps.size(), value.library,
                      rank.maps.size());
      const link_map& library = *rank.maps[static_cast<std::size_t>(value.library)];
      std::memcpy(place, reinterpret_cast<const void*>(library.l_addr + value.address),
                  value.bytes);
    } else if (const void* const found = symbol_of_process(rank.job, value.variable.name.c_str())) {
      std::memcpy(place, found, value.variable.bytes);
      if (tell != nullptr) tell(rank.number, place);
    }
  }
}

void finalize(const link_map& map) {
  using Function = void();
  Function* const* functions = nullptr;
  std::size_t count = 0;
  Function* last = nullptr;
  for (const ElfW(Dyn)* entry = map.l_ld; entry->d_tag != DT_NULL; ++entry) {
    const std::uintptr_t address = map.l_addr + entry->d_un.d_ptr;
    if (entry->d_tag == DT_FINI_ARRAY) functions = reinterpret_cast<Function* const*>(address);
    if (entry->d_tag == DT_FINI_ARRAYSZ) count = entry->d_un.d_val / sizeof *functions;
    if (entry->d_tag == DT_FINI) last = reinterpret_cast<Function*>(address);
  }
  while (functions != nullptr && count > 0) functions[--count]();
  if (last != nullptr) last();
}

}  // namespace

TERRACE_LAUNCHER_API terrace_rank* terrace_rank_arrive() {
  terrace_rank* const rank = rank_here();
  rank->program = map_named(rank->copies.program.name);
  for (const PrivateCopy& copy : rank->copies.libraries) rank->maps.push_back(map_named(copy.name));
  TERRACE_REQUIRE(rank->program != nullptr, rank->number);
  TERRACE_REQUIRE(std::find(rank->maps.begin(), rank->maps.end(), nullptr) == rank->maps.end(),
                  rank->number);
  for (std::size_t i = 0; i < rank->maps.size(); ++i)
    take_from_file(*rank, rank->copies.libraries[i], *rank->maps[i]);
  take_from_file(*rank, rank->copies.program, *rank->program);
  rank->names = rank->copies.names;
  bring_first_values(*rank);
  prepare_thread_locals(*rank);
  return rank;
}

TERRACE_LAUNCHER_API int terrace_rank_number(const terrace_rank* rank) {
  return rank->number;
}

TERRACE_LAUNCHER_API const char* terrace_rank_program(const terrace_rank* rank) {
  return rank->job.program_path().c_str();
}

TERRACE_LAUNCHER_API char** terrace_rank_variables(const terrace_rank* rank) {
  return rank->job.variables();
}

TERRACE_LAUNCHER_API char* terrace_rank_program_name(const terrace_rank* rank) {
  return rank->arguments.front();
}

TERRACE_LAUNCHER_API void* terrace_rank_libc_function(const char* name) {
  // Not RTLD_DEFAULT, for which dlsym looks who calls it: that may be the rank, by a tail call.
  static void* const process = open_by_loader(nullptr, RTLD_LAZY);
  return dlsym(process, name);
}

TERRACE_LAUNCHER_API int terrace_rank_create_thread(terrace_rank* rank, pthread_t* thread,
                                                    const pthread_attr_t* wanted,
                                                    void* (*start)(void*), void* argument) {
  LargerAttributes larger;
  if (const int failure = larger.take(*rank, wanted != nullptr ? *wanted : larger.attributes()))
    return failure;
  auto what = std::make_unique<ThreadStart>(
      ThreadStart{rank, wanted != nullptr && is_bound(*wanted), larger.given(), start, argument});
  // relaxed, both: the thread itself takes it back, or there is none. Partner: `EndOfThread`.
  rank->other_threads.fetch_add(1, std::memory_order_relaxed);
  const int failure = pthread_create(thread, &larger.attributes(), start_thread, what.get());
  if (failure == 0)
    what.release();
  else  // relaxed: as above
    rank->other_threads.fetch_sub(1, std::memory_order_relaxed);
  return failure;
}

TERRACE_LAUNCHER_API int terrace_rank_thread_attributes(pthread_t thread,
                                                        pthread_attr_t* attributes) {
  const int failure = pthread_getattr_np(thread, attributes);
  if (failure != 0 || given_here.address == nullptr || pthread_equal(thread, pthread_self()) == 0)
    return failure;
  return pthread_attr_setstack(attributes, given_here.address, given_here.bytes);
}

TERRACE_LAUNCHER_API void terrace_rank_exit_thread(void* value) {
  pthread_exit(value);
}

TERRACE_LAUNCHER_API int terrace_rank_create_key(pthread_key_t* key, void (*destroy)(void*)) {
  return pthread_key_create(key, destroy);
}

TERRACE_LAUNCHER_API int terrace_rank_delete_key(pthread_key_t key) {
  return pthread_key_delete(key);
}

TERRACE_LAUNCHER_API bool terrace_rank_is_main(const terrace_rank* rank) {
  return pthread_equal(pthread_self(), rank->thread) != 0;
}

TERRACE_LAUNCHER_API void terrace_rank_join_others(terrace_rank* rank) {
  if (terrace_rank_is_forked(rank)) return;  // a child has no other threads
  // acquire, both: pair with the release in `EndOfThread`.
  while (const int count = rank->other_threads.load(std::memory_order_acquire))
    rank->other_threads.wait(count, std::memory_order_acquire);
}

TERRACE_LAUNCHER_API int terrace_rank_handle_signal(terrace_rank* rank, int signal, int flags,
                                                    int is_handled,
                                                    terrace_signal_function* function) {
  rank->signals = function;
  const std::uint64_t bit = signal_bit(signal);
  // relaxed, both: a signal that comes now may find either.
  if (is_handled != 0)
    rank->handled_signals.fetch_or(bit, std::memory_order_relaxed);
  else
    rank->handled_signals.fetch_and(~bit, std::memory_order_relaxed);
  return ask_about_signal(signal, flags);
}

TERRACE_LAUNCHER_API int terrace_rank_kill(terrace_rank* rank, pid_t process, int signal) {
  if (process != getpid() || terrace_rank_is_forked(rank)) return kill(process, signal);
  return rank->job.send_signal(*rank, signal) == 0 ? 0 : -1;
}

TERRACE_LAUNCHER_API int terrace_rank_kill_thread(terrace_rank* rank, pthread_t thread,
                                                  int signal) {
  if (terrace_rank_is_forked(rank) || pthread_equal(thread, rank->thread) == 0)
    return pthread_kill(thread, signal);
  return rank->job.send_signal(*rank, signal);
}

TERRACE_LAUNCHER_API void terrace_rank_keep_thread(terrace_rank* rank, terrace_rank_own own) {
  if (rank->job.settings().workers.empty() || terrace_rank_is_forked(rank) ||
      pthread_equal(pthread_self(), rank->thread) == 0)
    return;
  // A handler of signals runs on the worker's stack for them, and has to stay there.
  stack_t stack{};
  if (sigaltstack(nullptr, &stack) == 0 && (stack.ss_flags & SS_ONSTACK) != 0) return;
  if (rank->job.mpi().keep_thread != nullptr) rank->job.mpi().keep_thread(rank->number);
  // Containers may forbid it; then all ranks share them, as without fibres.
  [[maybe_unused]] int may_fail = 0;
  if (own == TERRACE_RANK_OWN_FILES) may_fail = unshare(CLONE_FILES);
  if (own == TERRACE_RANK_OWN_DIRECTORY) may_fail = unshare(CLONE_FS);
}

TERRACE_LAUNCHER_API bool terrace_rank_pass(terrace_rank* rank, std::uint64_t most_ns) {
  return !rank->job.settings().workers.empty() && !terrace_rank_is_forked(rank) &&
         rank->job.mpi().pass != nullptr && rank->job.mpi().pass(most_ns) != 0;
}

TERRACE_LAUNCHER_API int terrace_rank_sleep(clockid_t clock, int flags, const timespec* time,
                                            timespec* left) {
  return clock_nanosleep(clock, flags, time, left);
}

TERRACE_LAUNCHER_API long terrace_rank_change_user(terrace_rank* rank, long call, long first,
                                                   long second, long third) {
  // Libc has each thread of the process make the call, which asks a fibre's thread, not the worker.
  if (!rank->job.settings().workers.empty() && !terrace_rank_is_forked(rank)) {
    terrace_rank_keep_thread(rank, TERRACE_RANK_OWN_THREAD);
    return syscall(call, first, second, third);
  }
  const auto id = [](long one) { return static_cast<uid_t>(one); };
  switch (call) {
    case SYS_setuid:
      return setuid(id(first));
    case SYS_setgid:
      return setgid(id(first));
    case SYS_setreuid:
      return setreuid(id(first), id(second));
    case SYS_setregid:
      return setregid(id(first), id(second));
    case SYS_setresuid:
      return setresuid(id(first), id(second), id(third));
    case SYS_setresgid:
      return setresgid(id(first), id(second), id(third));
    default:
      return setgroups(static_cast<std::size_t>(first), reinterpret_cast<const gid_t*>(second));
  }
}

TERRACE_LAUNCHER_API int terrace_rank_mask_signals(int how, const sigset_t* set, sigset_t* before) {
  return pthread_sigmask(how, set, before);
}

TERRACE_LAUNCHER_API int terrace_rank_set_protocol(pthread_mutexattr_t* attributes, int protocol) {
  return pthread_mutexattr_setprotocol(attributes, protocol);
}

TERRACE_LAUNCHER_API int terrace_rank_bind_thread(pthread_t thread, std::size_t bytes,
                                                  const cpu_set_t* set) {
  return pthread_setaffinity_np(thread, bytes, set);
}

TERRACE_LAUNCHER_API void terrace_rank_finalize(terrace_rank* rank) {
  finalize(*rank->program);
  // In the loader's order: each library mostly comes after those that need it.
  for (const link_map* map = rank->program->l_next; map != nullptr; map = map->l_next)
    if (std::find(rank->maps.begin(), rank->maps.end(), map) != rank->maps.end()) finalize(*map);
}

TERRACE_LAUNCHER_API bool terrace_rank_is_forked(const terrace_rank* rank) {
  return getpid() != rank->job.process();
}

TERRACE_LAUNCHER_API pid_t terrace_rank_fork() {
  const LibcHeld held;
  return fork();
}

TERRACE_LAUNCHER_API void terrace_rank_hold_opening() {
  if (terrace_rank* const rank = rank_here()) rank->job.opening().lock();
}

TERRACE_LAUNCHER_API void terrace_rank_release_opening(bool is_child) {
  terrace_rank* const rank = rank_here();
  if (rank == nullptr) return;
  if (is_child)
    rank->job.renew_opening();
  else
    rank->job.opening().unlock();
}

TERRACE_LAUNCHER_API int terrace_rank_spawn(pid_t* child, const char* program,
                                            const posix_spawn_file_actions_t* actions,
                                            const posix_spawnattr_t* attributes, char* const* words,
                                            char* const* variables) {
  return posix_spawn(child, program, actions, attributes, words, variables);
}

TERRACE_LAUNCHER_API int terrace_rank_clone(int (*start)(void*), void* stack, int flags,
                                            void* argument, void* const more[3]) {
  return clone(start, stack, flags, argument, more[0], more[1], more[2]);
}

TERRACE_LAUNCHER_API void terrace_rank_note_child(terrace_rank* rank, pid_t child) {
  note_child(*rank, child);
}

TERRACE_LAUNCHER_API pid_t terrace_rank_wait4(terrace_rank* rank, pid_t child, int* status,
                                              int options, rusage* used) {
  return wait_in_rank(*rank, child, status, options, used);
}

TERRACE_LAUNCHER_API int terrace_rank_waitid(terrace_rank* rank, idtype_t type, id_t id,
                                             siginfo_t* why, int options) {
  return wait_in_rank(*rank, type, id, why, options);
}

TERRACE_LAUNCHER_API int terrace_rank_become(terrace_rank* rank, const char* program,
                                             char* const* words, char* const* variables,
                                             std::uint64_t ignored) {
  if (!terrace_rank_is_forked(rank) && rank->job.settings().ranks > 1)
    end_job(rank->number,
            "would become another program, " + std::string(program) +
                ", and all ranks with it: put what starts a program before `terrace run`, as in "
                "`env NAME=VALUE terrace run -n 4 ./app`",
            1);
  for (int number = 1; number <= 64; ++number)
    if ((ignored & signal_bit(number)) != 0) signal(number, SIG_IGN);
  return execve(program, words, variables);
}

TERRACE_LAUNCHER_API FILE* terrace_rank_open_stream(const char* path, const char* mode) {
  return fopen(path, mode);
}

TERRACE_LAUNCHER_API FILE* terrace_rank_reopen_stream(const char* path, const char* mode,
                                                      FILE* stream) {
  return freopen(path, mode, stream);
}

TERRACE_LAUNCHER_API FILE* terrace_rank_open_stream_of_file(int file, const char* mode) {
  return fdopen(file, mode);
}

TERRACE_LAUNCHER_API FILE* terrace_rank_open_temporary_stream() {
  return tmpfile();
}

TERRACE_LAUNCHER_API FILE* terrace_rank_open_stream_of_cookie(void* cookie, const char* mode,
                                                              cookie_io_functions_t functions) {
  return fopencookie(cookie, mode, functions);
}

TERRACE_LAUNCHER_API int terrace_rank_close_stream(FILE* stream) {
  return fclose(stream);
}

TERRACE_LAUNCHER_API void terrace_rank_prompt_by(FILE* stream) {
  stdout = stream;
}

TERRACE_LAUNCHER_API int terrace_rank_flush_stream(FILE* stream) {
  return fflush(stream);
}

TERRACE_LAUNCHER_API void terrace_rank_end(terrace_rank* rank, int code) {
  if (terrace_rank_is_forked(rank)) end_process(code & 0xff);
  if (!rank->has_begun)
    end_job(rank->number,
            "has ended with code " + std::to_string(code) + " before its main, in a constructor",
            code & 0xff);
  rank->code = code & 0xff;
  rank->job.note_end(*rank, rank->code);
  // The system closes its files, which only the rank's other threads may still have.
  while (terrace_rank_is_main(rank)) syscall(SYS_exit, 0);
  for (;;) pause();  // the process ends when all ranks have
}

TERRACE_LAUNCHER_API void terrace_rank_abort(terrace_rank* rank, const char* why) {
  end_job(rank->number, why, 128 + SIGABRT);
}
