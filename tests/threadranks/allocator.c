/* SPDX-License-Identifier: BSD-3-Clause
 * An allocator, as jemalloc and others bring one: in a library that a program is linked to, or in
 * the program itself. It knows its own blocks, which lie in one place, and counts others that it is
 * given. */
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

long foreign_blocks(void);
void* memalign(size_t alignment, size_t bytes);
void* aligned_alloc(size_t alignment, size_t bytes);
int posix_memalign(void** block, size_t alignment, size_t bytes);
void* malloc(size_t bytes);
void* calloc(size_t count, size_t bytes);
void* realloc(void* block, size_t bytes);
void free(void* block);

static char room[32 << 20] __attribute__((aligned(64)));
static size_t used;
static int lock;
static long foreign;
/* As allocators have caches: in a library, static thread-local memory of which there is little. */
static __thread volatile char cache[8000] __attribute__((tls_model("initial-exec")));

long foreign_blocks(void) {
  return foreign;
}

static int is_own(const void* block) {
  const uintptr_t at = (uintptr_t)block - (uintptr_t)room;
  if (at < sizeof room) return 1;
  __atomic_add_fetch(&foreign, 1, __ATOMIC_RELAXED);
  return 0;
}

/* Its length lies before each block. */
void* memalign(size_t alignment, size_t bytes) {
  if (alignment < 16) alignment = 16;
  cache[used % sizeof cache] = 1;
  while (__atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE)) continue;
  const size_t at = (used + 16 + alignment - 1) / alignment * alignment;
  char* const block = bytes > sizeof room - at ? NULL : room + at;
  if (block != NULL) {
    memcpy(block - sizeof bytes, &bytes, sizeof bytes);
    used = at + bytes;
  } else {
    errno = ENOMEM;
  }
  __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
  return block;
}

void* aligned_alloc(size_t alignment, size_t bytes) {
  return memalign(alignment, bytes);
}

int posix_memalign(void** block, size_t alignment, size_t bytes) {
  *block = memalign(alignment, bytes);
  return *block == NULL ? ENOMEM : 0;
}

void* malloc(size_t bytes) {
  return memalign(16, bytes);
}

void* calloc(size_t count, size_t bytes) {
  return memalign(16, count * bytes); /* the room is zero, and no block is used again */
}

void free(void* block) {
  if (block != NULL) is_own(block);
}

void* realloc(void* block, size_t bytes) {
  if (block == NULL) return malloc(bytes);
  if (!is_own(block)) return NULL;
  size_t before = 0;
  memcpy(&before, (char*)block - sizeof before, sizeof before);
  void* const larger = malloc(bytes);
  if (larger != NULL) memcpy(larger, block, before < bytes ? before : bytes);
  return larger;
}
