// SPDX-License-Identifier: BSD-3-Clause
// dlopen and its kin: a rank has its own copies of the libraries that it opens.
#include "threadranks/rank_libc/rank_libc.hpp"

namespace {

/// What failed last in this thread, until it is asked for.
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

[[gnu::used, gnu::visibility("hidden")]] void* terrace_default_symbol(const char* name);
void* terrace_default_symbol(const char* name) {
  return terrace_rank_symbol(terrace::rank_libc::this_rank(), name);
}

// For RTLD_NEXT, libc's function looks who calls it, so it must be jumped to.
#if defined(__x86_64__)
[[gnu::naked]] void* own_dlsym(void* handle, const char* name) TERRACE_INSTEAD_OF(dlsym);
[[gnu::naked]] void* own_dlsym(void*, const char*) {
  __asm__(
      "test %rdi, %rdi\n\t"
      "jz 1f\n\t"
      "jmp terrace_rank_dlsym@PLT\n"
      "1:\n\t"
      "mov %rsi, %rdi\n\t"
      "jmp terrace_default_symbol");
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
    "cbz x0, 1f\n\t"
    "b terrace_rank_dlsym\n"
    "1:\n\t"
    "mov x0, x1\n\t"
    "b terrace_default_symbol\n\t"
    ".size dlsym, . - dlsym\n\t"
    ".popsection");
#endif

}  // extern "C"
