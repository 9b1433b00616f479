// SPDX-License-Identifier: BSD-3-Clause
// An operator new that notes what fails. It is no part of the engine, or everything that is linked
// to that would get it. Who has it hidden needs a C++ runtime of its own: a shared one allocates by
// the operators of a program that has some, and these would free such blocks.
#include <cstdlib>
#include <new>

#include "base/out_of_memory.hpp"

// Sanitizers have operators of their own, which know what belongs together.
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
namespace {

/// Allocates as the standard library does, but notes what fails.
void* allocated(std::size_t bytes, std::size_t alignment) {
  const std::size_t some = bytes > 0 ? bytes : 1;
  for (;;) {
    void* block = nullptr;
    if (alignment == 0)
      block = std::malloc(some);
    else if (posix_memalign(&block, alignment, some) != 0)
      block = nullptr;
    if (block != nullptr) return block;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) break;
    handler();
  }
  terrace::note_bytes_wanted(bytes);
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t bytes) {
  return allocated(bytes, 0);
}
void* operator new(std::size_t bytes, std::align_val_t alignment) {
  constexpr std::size_t kLeast = sizeof(void*);
  const auto wanted = static_cast<std::size_t>(alignment);
  return allocated(bytes, wanted < kLeast ? kLeast : wanted);
}
void operator delete(void* block) noexcept {
  std::free(block);
}
void operator delete(void* block, std::size_t) noexcept {
  std::free(block);
}
void operator delete(void* block, std::align_val_t) noexcept {
  std::free(block);
}
void operator delete(void* block, std::size_t, std::align_val_t) noexcept {
  std::free(block);
}
#endif
