// SPDX-License-Identifier: BSD-3-Clause
// Looks like libcuda.so.1, or like libamdhip64.so (-DHIP): device memory that nothing can touch but
// by the runtime's copies, which reach it by a mapping of their own.
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { kMostBlocks = 4096, kInvalid = 1, kNoContext = 201 };

static struct {
  char *device, *host;
  size_t bytes;
} blocks[kMostBlocks];
static int number = 0, context;
static long copies = 0;
static __thread void* current = NULL;

/// The block that holds an address; -1 for the host's memory.
static int block_of(const void* address) {
  for (int b = 0; b < number; ++b)
    if ((char*)address >= blocks[b].device && (char*)address < blocks[b].device + blocks[b].bytes)
      return b;
  return -1;
}

static char* reachable(const void* address) {
  const int b = block_of(address);
  return b < 0 ? (char*)address : blocks[b].host + ((char*)address - blocks[b].device);
}

/// Takes as long as the real one at least.
void fake_begin(void) {
  usleep(20000);
  current = &context;
}

void* fake_alloc(size_t bytes) {
  const int file = memfd_create("device", 0);
  if (number == kMostBlocks || ftruncate(file, (off_t)bytes) != 0) return NULL;
  blocks[number].bytes = bytes;
  blocks[number].device = mmap(NULL, bytes, PROT_NONE, MAP_SHARED, file, 0);
  blocks[number].host = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  return blocks[number++].device;
}

/// How often memory has been copied.
long fake_copies(void) {
  return copies;
}

#ifdef HIP
int hipPointerGetAttribute(void* value, int attribute, void* address) {
  if (attribute != 2 || block_of(address) < 0) return kInvalid;
  *(unsigned*)value = 1;
  return 0;
}
int hipMemcpy(void* to, const void* from, size_t bytes, int kind) {
  if (kind != 4) return kInvalid;
  ++copies;
  memcpy(reachable(to), reachable(from), bytes);
  return 0;
}
#else
int cuPointerGetAttribute(void* value, int attribute, unsigned long long address) {
  if (block_of((void*)address) < 0) return kInvalid;
  if (attribute == 1) *(void**)value = &context;
  if (attribute == 2) *(unsigned*)value = 2;
  return 0;
}
int cuCtxGetCurrent(void** value) {
  *value = current;
  return 0;
}
int cuCtxPushCurrent_v2(void* pushed) {
  current = pushed;
  return 0;
}
int cuCtxPopCurrent_v2(void** popped) {
  *popped = current;
  current = NULL;
  return 0;
}
int cuMemcpy(unsigned long long to, unsigned long long from, size_t bytes) {
  if (current == NULL) return kNoContext;
  __atomic_add_fetch(&copies, 1, __ATOMIC_RELAXED);
  memcpy(reachable((void*)to), reachable((void*)from), bytes);
  return 0;
}
#endif
