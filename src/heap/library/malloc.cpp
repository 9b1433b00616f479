// SPDX-License-Identifier: BSD-3-Clause
// The functions of malloc's family, found before libc's: long blocks go to the shared heap, all
// others to the next malloc. It also replaces madvise and mremap, because the kernel treats shared
// pages differently from private anonymous ones. `terrace exec --shared-heap` preloads this
// library.
#include <dlfcn.h>
#include <malloc.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdlib>
#include <cstring>
#include <new>

#include "base/pages.hpp"
#include "heap/obstacle.hpp"
#include "heap/shared_heap.hpp"

namespace {

using terrace::SharedHeap;

/// Blocks of 64 KiB and more, unless the user says otherwise (TERRACE_SHARED_HEAP=BYTES).
constexpr std::size_t kShortestBlock = 64 << 10;

/// The next malloc. The first calls are the loader's, before any constructor.
struct Next {
  void* (*malloc)(std::size_t) = nullptr;
  void (*free)(void*) = nullptr;
  void* (*calloc)(std::size_t, std::size_t) = nullptr;
  void* (*realloc)(void*, std::size_t) = nullptr;
  void* (*memalign)(std::size_t, std::size_t) = nullptr;
  std::size_t (*usable_size)(void*) = nullptr;
  int (*madvise)(void*, std::size_t, int) = nullptr;
  void* (*mremap)(void*, std::size_t, std::size_t, int, ...) = nullptr;
};
constinit Next next_functions;
constinit std::atomic<bool> has_next{false};

/// Room for what is asked for while the next functions are looked up; never given back.
alignas(64) constinit std::byte early_place[16 << 10];
constinit std::atomic<std::size_t> early_used{0};

bool is_early(const void* block) {
  return static_cast<const std::byte*>(block) >= early_place &&
         static_cast<const std::byte*>(block) < early_place + sizeof early_place;
}

/// Its length stands before each block.
void* early_block(std::size_t bytes) {
  const std::size_t length = (bytes + 127) / 64 * 64;
  // relaxed: only a place is claimed.
  const std::size_t begin = early_used.fetch_add(length, std::memory_order_relaxed);
  if (begin + length > sizeof early_place) return nullptr;
  std::byte* block = early_place + begin + 64;
  std::memcpy(block - sizeof bytes, &bytes, sizeof bytes);
  return block;
}

std::size_t early_bytes(const void* block) {
  std::size_t bytes;
  std::memcpy(&bytes, static_cast<const std::byte*>(block) - sizeof bytes, sizeof bytes);
  return bytes;
}

template <class Function>
void find(Function& function, const char* name) {
  function = reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

/// Null while they are being looked up: that may allocate.
const Next* next() {
  // acquire: pairs with the release below.
  if (has_next.load(std::memory_order_acquire)) return &next_functions;
  static constinit std::atomic<bool> is_looking{false};
  // relaxed: the loader calls before there are threads; no partner.
  if (is_looking.exchange(true, std::memory_order_relaxed)) return nullptr;
  find(next_functions.malloc, "malloc");
  find(next_functions.free, "free");
  find(next_functions.calloc, "calloc");
  find(next_functions.realloc, "realloc");
  find(next_functions.memalign, "memalign");
  find(next_functions.usable_size, "malloc_usable_size");
  find(next_functions.madvise, "madvise");
  find(next_functions.mremap, "mremap");
  has_next.store(true, std::memory_order_release);  // pairs with the acquire above
  return &next_functions;
}

/// Null until this library's constructor has run, and for good without TERRACE_SHARED_HEAP.
constinit std::atomic<SharedHeap*> the_heap{nullptr};
alignas(SharedHeap) constinit std::byte heap_place[sizeof(SharedHeap)];

SharedHeap* heap() {
  return the_heap.load(std::memory_order_acquire);  // pairs with the release in `open_heap`
}

void* long_block(std::size_t bytes, std::size_t alignment, bool zeroed) {
  SharedHeap* const shared = heap();
  if (shared == nullptr || !shared->takes(bytes)) return nullptr;
  const int error = errno;
  void* block = shared->allocate(bytes, alignment, zeroed);
  errno = error;
  return block;
}

/// The heap that holds a block, or null.
SharedHeap* holder_of(const void* block) {
  SharedHeap* const shared = heap();
  return shared != nullptr && shared->holds(block) ? shared : nullptr;
}

/// Moves a block. One that grows goes where it can grow further: otherwise a program that doubles a
/// vector would copy it each time.
void* moved(void* block, std::size_t held, std::size_t bytes) {
  SharedHeap* const shared = heap();
  void* other = nullptr;
  if (bytes > held && shared != nullptr && shared->takes(bytes)) {
    const int error = errno;
    other = shared->allocate_with_room(bytes);
    errno = error;
  }
  if (other == nullptr) other = std::malloc(bytes);
  if (other == nullptr) return nullptr;
  std::memcpy(other, block, held < bytes ? held : bytes);
  std::free(block);
  return other;
}

bool is_at_page(const void* at) {
  return reinterpret_cast<std::uintptr_t>(at) % terrace::page_bytes() == 0;
}

std::size_t whole_pages(std::size_t bytes) {
  const std::size_t page = terrace::page_bytes();
  return (bytes + page - 1) / page * page;
}

/// Whether `place` and `bytes` behind it are clear of the heap and of `pages`.
bool is_elsewhere(const SharedHeap& shared, const std::byte* pages, std::size_t held,
                  const std::byte* place, std::size_t bytes) {
  return !shared.holds(place) && !shared.holds(place + bytes - 1) &&
         (place + bytes <= pages || pages + held <= place);
}

/// Moves pages of the heap to a mapping of the program's own, at `place` if that is not null.
void* moved_out(SharedHeap& shared, void* pages, std::size_t held, std::size_t bytes, void* place) {
  constexpr int kOwn = MAP_PRIVATE | MAP_ANONYMOUS;
  void* const own =
      mmap(place, bytes, PROT_READ | PROT_WRITE, place == nullptr ? kOwn : kOwn | MAP_FIXED, -1, 0);
  if (own == MAP_FAILED) return MAP_FAILED;
  std::memcpy(own, pages, held < bytes ? held : bytes);
  shared.discard(pages, held);
  return own;
}

bool is_power_of_2(std::size_t value) {
  return value != 0 && (value & (value - 1)) == 0;
}

void* refused(int error) {
  errno = error;
  return nullptr;
}

void* map_refused(int error) {
  errno = error;
  return MAP_FAILED;
}

// Handlers that pthread_atfork calls.
void before_fork() {
  heap()->before_fork();
}
void after_fork_in_parent() {
  heap()->after_fork_in_parent();
}
void after_fork_in_child() {
  heap()->after_fork_in_child();
}

/// Parses the setting: "1", "on": blocks from the usual length on; a number: from this many bytes
/// on; 0: no heap. (The words of `switch_from_text`, which would allocate.)
std::size_t shortest_block() {
  const char* const value = std::getenv("TERRACE_SHARED_HEAP");
  if (value == nullptr || *value == '\0') return 0;
  for (const char* const no : {"off", "0", "no", "false"})
    if (strcasecmp(value, no) == 0) return 0;
  const std::size_t bytes = std::strtoul(value, nullptr, 10);
  return bytes >= 4096 ? bytes : kShortestBlock;
}

/// Before most other constructors, so that our handlers are the last before a fork and the first
/// after it.
__attribute__((constructor)) void open_heap() {
  // Not first in a call of another malloc, which may hold locks that the loader waits for.
  next();
  const std::size_t shortest = shortest_block();
  if (shortest == 0) return;
  auto* const made =
      new (heap_place) SharedHeap(shortest, terrace::heap_obstacle(terrace::surroundings_here()));
  the_heap.store(made, std::memory_order_release);  // pairs with the acquire in `heap`
  pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

const terrace::HeapInterface kInterface = {
    terrace::kHeapInterfaceVersion,
    []() noexcept { return heap() ? heap()->address() : terrace::HeapAddress{}; },
    []() noexcept { return heap() ? heap()->obstacle() : "TERRACE_SHARED_HEAP is not set"; },
    []() noexcept { return heap() != nullptr && heap()->enter(); },
    []() noexcept { heap()->leave(); },
    []() noexcept { return heap() ? heap()->use() : terrace::HeapUse{}; },
};

}  // namespace

#define TERRACE_EXPORTED extern "C" __attribute__((visibility("default")))

TERRACE_EXPORTED const terrace::HeapInterface* terrace_heap_door() {
  return &kInterface;
}

TERRACE_EXPORTED void* malloc(std::size_t bytes) noexcept {
  if (void* block = long_block(bytes, 1, false)) return block;
  const Next* const after = next();
  return after ? after->malloc(bytes) : early_block(bytes);
}

TERRACE_EXPORTED void free(void* block) noexcept {
  if (block == nullptr || is_early(block)) return;
  if (SharedHeap* const shared = holder_of(block)) {
    const int error = errno;
    shared->free(block);
    errno = error;
    return;
  }
  next()->free(block);
}

TERRACE_EXPORTED void* calloc(std::size_t count, std::size_t bytes) noexcept {
  std::size_t all = 0;
  if (__builtin_mul_overflow(count, bytes, &all)) return refused(ENOMEM);
  if (void* block = long_block(all, 1, true)) return block;
  const Next* const after = next();
  return after ? after->calloc(count, bytes) : early_block(all);
}

/// A block that grows long moves to the heap; one that grows short, away from it.
TERRACE_EXPORTED void* realloc(void* block, std::size_t bytes) noexcept {
  if (block == nullptr) return std::malloc(bytes);
  if (is_early(block)) return moved(block, early_bytes(block), bytes);
  SharedHeap* const shared = heap();
  const bool is_long = shared != nullptr && shared->takes(bytes);
  if (shared == nullptr || !shared->holds(block)) {
    if (!is_long) return next()->realloc(block, bytes);
    return moved(block, next()->usable_size(block), bytes);
  }
  if (bytes == 0) {
    std::free(block);
    return nullptr;
  }
  if (is_long && shared->resize(block, bytes)) return block;
  return moved(block, shared->usable_bytes(block), bytes);
}

TERRACE_EXPORTED void* reallocarray(void* block, std::size_t count, std::size_t bytes) noexcept {
  std::size_t all = 0;
  if (__builtin_mul_overflow(count, bytes, &all)) return refused(ENOMEM);
  return std::realloc(block, all);
}

TERRACE_EXPORTED void* memalign(std::size_t alignment, std::size_t bytes) noexcept {
  if (is_power_of_2(alignment))
    if (void* block = long_block(bytes, alignment, false)) return block;
  const Next* const after = next();
  return after ? after->memalign(alignment, bytes) : early_block(bytes);
}

TERRACE_EXPORTED void* aligned_alloc(std::size_t alignment, std::size_t bytes) noexcept {
  return memalign(alignment, bytes);
}

TERRACE_EXPORTED int posix_memalign(void** block, std::size_t alignment,
                                    std::size_t bytes) noexcept {
  if (!is_power_of_2(alignment) || alignment % sizeof(void*) != 0) return EINVAL;
  const int error = errno;
  void* const found = memalign(alignment, bytes);
  errno = error;
  if (found == nullptr) return ENOMEM;
  *block = found;
  return 0;
}

TERRACE_EXPORTED void* valloc(std::size_t bytes) noexcept {
  return memalign(terrace::page_bytes(), bytes);
}

TERRACE_EXPORTED void* pvalloc(std::size_t bytes) noexcept {
  const std::size_t page = terrace::page_bytes();
  std::size_t most = 0;
  if (__builtin_add_overflow(bytes, page - 1, &most)) return refused(ENOMEM);
  return memalign(page, most / page * page);
}

/// Zeroes pages of the heap on MADV_DONTNEED and MADV_FREE, as the kernel does with private
/// anonymous ones; it would keep the contents of shared ones.
TERRACE_EXPORTED int madvise(void* begin, std::size_t bytes, int advice) noexcept {
  SharedHeap* const shared = holder_of(begin);
  const bool is_discarded = advice == MADV_DONTNEED || advice == MADV_FREE;
  if (shared != nullptr && is_discarded && is_at_page(begin)) {
    if (shared->discard(begin, bytes)) return 0;
    errno = EINVAL;
    return -1;
  }
  const Next* const after = next();
  if (after != nullptr && after->madvise != nullptr) return after->madvise(begin, bytes, advice);
  return static_cast<int>(syscall(SYS_madvise, begin, bytes, advice));
}

/// Moves pages of the heap into private memory; never extends them in place, where the file may
/// end.
TERRACE_EXPORTED void* mremap(void* begin, std::size_t held, std::size_t bytes, int flags,
                              ...) noexcept {
  const bool is_fixed = (flags & MREMAP_FIXED) != 0, stays = (flags & MREMAP_DONTUNMAP) != 0;
  std::va_list rest;
  va_start(rest, flags);
  void* const place = is_fixed || stays ? va_arg(rest, void*) : nullptr;
  va_end(rest);
  SharedHeap* const shared = holder_of(begin);
  if (shared == nullptr || !is_at_page(begin) || bytes == 0 || held == 0) {
    const Next* const after = next();
    if (after != nullptr && after->mremap != nullptr)
      return after->mremap(begin, held, bytes, flags, place);
    return reinterpret_cast<void*>(syscall(SYS_mremap, begin, held, bytes, flags, place));
  }
  const std::size_t old_bytes = whole_pages(held), new_bytes = whole_pages(bytes);
  if (old_bytes == 0 || new_bytes == 0) return map_refused(EINVAL);
  if (!is_fixed && !stays && new_bytes <= old_bytes) return begin;
  const bool may_move = (flags & MREMAP_MAYMOVE) != 0;
  if (!may_move && !is_fixed && !stays) return map_refused(ENOMEM);
  const auto* const from = static_cast<std::byte*>(begin);
  if (!may_move || (is_fixed && !is_elsewhere(*shared, from, old_bytes,
                                              static_cast<std::byte*>(place), new_bytes)))
    return map_refused(EINVAL);
  return moved_out(*shared, begin, old_bytes, new_bytes, is_fixed ? place : nullptr);
}

TERRACE_EXPORTED std::size_t malloc_usable_size(void* block) noexcept {
  if (block == nullptr) return 0;
  if (is_early(block)) return early_bytes(block);
  if (SharedHeap* const shared = holder_of(block)) return shared->usable_bytes(block);
  return next()->usable_size(block);
}
