// SPDX-License-Identifier: BSD-3-Clause
// dlopen and its kin: a rank has its own copies of the libraries that it opens.
#include <dlfcn.h>

#include "launcher/rank_libc/rank_libc.hpp"

namespace {

/// The last error of this thread, until it is asked for.
thread_local const char* error_here = nullptr;

}  // namespace

extern "C" {

void* own_dlopen(const char* name, int flags) TERRACE_INSTEAD_OF(dlopen);
void* own_dlopen(const char* name, int flags) {
  error_here = nullptr;
  return terrace_rank_open(terrace::rank_libc::this_rank(), name, flags, &error_here);
}

int own_dlclose(void* handle) TERRACE_INSTEAD_OF(dlclose);
int own_dlclose(void* handle) {
  error_here = nullptr;
  return terrace_rank_close(terrace::rank_libc::this_rank(), handle);
}

char* own_dlerror() TERRACE_INSTEAD_OF(dlerror);
char* own_dlerror() {
  const char* const error = error_here;
  error_here = nullptr;
  return error != nullptr ? const_cast<char*>(error) : terrace_rank_error();
}

/// Finds a symbol by a handle, which RTLD_NEXT is not. That of the program has what RTLD_DEFAULT
/// has, as in a process.
[[gnu::used, gnu::visibility("hidden")]] void* terrace_symbol_of(void* handle, const char* name);
void* terrace_symbol_of(void* handle, const char* name) {
  const bool is_of_all =
      handle == RTLD_DEFAULT ||
      handle == terrace_rank_open(terrace::rank_libc::this_rank(), nullptr, RTLD_LAZY, &error_here);
  return is_of_all ? terrace_rank_symbol(terrace::rank_libc::this_rank(), name)
                   : terrace_rank_dlsym(handle, name);
}

/// Finds a symbol by RTLD_NEXT; null if none of the rank's copies behind the caller has it: then
/// libc finds it.
[[gnu::used, gnu::visibility("hidden")]] void* terrace_next_symbol(const char* name,
                                                                   const void* caller);
void* terrace_next_symbol(const char* name, const void* caller) {
  return terrace_rank_next_symbol(terrace::rank_libc::this_rank(), name, caller);
}

// For RTLD_NEXT, libc's function looks who calls it, so it must be jumped to.
#if defined(__x86_64__)
[[gnu::naked]] void* own_dlsym(void* handle, const char* name) TERRACE_INSTEAD_OF(dlsym);
[[gnu::naked]] void* own_dlsym(void*, const char*) {
  __asm__(
      "cmp $-1, %rdi\n\t"
      "jne terrace_symbol_of\n\t"
      "push %rdi\n\t"
      "push %rsi\n\t"
      "sub $8, %rsp\n\t"
      "mov %rsi, %rdi\n\t"
      "mov 24(%rsp), %rsi\n\t"
      "call terrace_next_symbol\n\t"
      "add $8, %rsp\n\t"
      "pop %rsi\n\t"
      "pop %rdi\n\t"
      "test %rax, %rax\n\t"
      "jz 1f\n\t"
      "ret\n"
      "1:\n\t"
      "jmp terrace_rank_dlsym@PLT");
}
#elif defined(__aarch64__)
// Not every compiler has naked functions here. The hint is `bti c`: calls may arrive.
__asm__(
    ".pushsection .text\n\t"
    ".balign 4\n\t"
    ".globl dlsym\n\t"
    ".type dlsym, %function\n"
    "dlsym:\n\t"
    "hint #34\n\t"
    "cmn x0, #1\n\t"
    "b.ne terrace_symbol_of\n\t"
    "stp x0, x1, [sp, #-32]!\n\t"
    "str x30, [sp, #16]\n\t"
    "mov x0, x1\n\t"
    "mov x1, x30\n\t"
    "bl terrace_next_symbol\n\t"
    "mov x2, x0\n\t"
    "ldr x30, [sp, #16]\n\t"
    "ldp x0, x1, [sp], #32\n\t"
    "cbz x2, 1f\n\t"
    "mov x0, x2\n\t"
    "ret\n"
    "1:\n\t"
    "b terrace_rank_dlsym\n\t"
    ".size dlsym, . - dlsym\n\t"
    ".popsection");
#endif

}  // extern "C"
