// SPDX-License-Identifier: BSD-3-Clause
// Looks like libxpmem.so.0, without the kernel's module: of another process it attaches what lies
// in files of memory that the other has open, as it is, and the rest as it was, for reading alone.
// Memory mapped from a file that no process has open cannot be touched, like a device. Where the
// module would follow what the owner maps, tests have to ask for it. FAKE_XPMEM says what is
// refused.
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>

enum { kMostPermits = 4096, kMostAttachments = 4096, kPage = 4096 };

struct place {
  int64_t permit;
  off_t offset;
};

static struct {
  char* at;
  size_t bytes;
  int64_t permit;
  uint64_t begin;
} attachments[kMostAttachments];
static pid_t owners[kMostPermits];
static int permits = 1, made = 0;
static long attaches = 0;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int refuses(const char* what) {
  const char* const refused = getenv("FAKE_XPMEM");
  return refused != NULL && strcmp(refused, what) == 0;
}

static int64_t fail(int error) {
  errno = error;
  return -1;
}

/// Opens the file of that number among those that a process has open; negative: it has none.
static int open_file_of(pid_t process, unsigned major_number, unsigned minor_number, ino_t number) {
  char path[300];
  int file = -1;
  snprintf(path, sizeof path, "/proc/%d/fd", (int)process);
  DIR* const folder = opendir(path);
  for (struct dirent* entry; file < 0 && folder && (entry = readdir(folder)) != NULL;) {
    struct stat status;
    snprintf(path, sizeof path, "/proc/%d/fd/%s", (int)process, entry->d_name);
    if (entry->d_name[0] != '.' && stat(path, &status) == 0 && status.st_ino == number &&
        status.st_dev == makedev(major_number, minor_number))
      file = open(path, O_RDWR | O_CLOEXEC);
  }
  if (folder) closedir(folder);
  return file;
}

/// A snapshot; must not be written to, as that would be lost.
static void copy_of(pid_t process, uint64_t from, char* to, size_t bytes) {
  mmap(to, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  for (size_t done = 0; done < bytes; done += kPage) {
    const struct iovec here = {to + done, kPage}, there = {(void*)(from + done), kPage};
    process_vm_readv(process, &here, 1, &there, 1, 0);
  }
  mprotect(to, bytes, PROT_READ);
}

/// One line of the owner's table of mappings, as far as it lies in the attachment.
static void show(const char* line, int a, pid_t process) {
  unsigned long begin, end, offset, inode;
  unsigned major_number, minor_number;
  char rights[5];
  if (sscanf(line, "%lx-%lx %4s %lx %x:%x %lu", &begin, &end, rights, &offset, &major_number,
             &minor_number, &inode) != 7)
    return;
  const uint64_t first = begin > attachments[a].begin ? begin : attachments[a].begin;
  const uint64_t last = end < attachments[a].begin + attachments[a].bytes
                            ? end
                            : attachments[a].begin + attachments[a].bytes;
  if (first >= last || rights[0] != 'r') return;
  char* const to = attachments[a].at + (first - attachments[a].begin);
  if (rights[3] != 's') {
    copy_of(process, first, to, last - first);
    return;
  }
  const int file = open_file_of(process, major_number, minor_number, inode);
  if (file < 0) return;
  mmap(to, last - first, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
       (off_t)(offset + (first - begin)));
  close(file);
}

/// Only touching tells that something is not there, as in the module.
static void fill(int a) {
  char* const at = attachments[a].at;
  mmap(at, attachments[a].bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
       -1, 0);
  const pid_t process = owners[attachments[a].permit];
  char path[64], line[4096];
  snprintf(path, sizeof path, "/proc/%d/maps", (int)process);
  FILE* const table = fopen(path, "r");
  while (table && fgets(line, sizeof line, table) != NULL) show(line, a, process);
  if (table) fclose(table);
  madvise(at, attachments[a].bytes, MADV_DONTFORK);
}

int xpmem_version(void) {
  return refuses("device") ? (int)fail(ENOENT) : 0x26005;
}

int64_t xpmem_make(void* begin, size_t bytes, int kind, void* mode) {
  if (begin != NULL || bytes != SIZE_MAX || kind != 1 || mode != (void*)0600) return fail(EINVAL);
  return refuses("make") ? fail(ENOMEM) : (int64_t)getpid() << 32 | ++made;
}

int xpmem_remove(int64_t segment) {
  return segment >> 32 == getpid() ? 0 : (int)fail(EINVAL);
}

int64_t xpmem_get(int64_t segment, int rights, int kind, void* mode) {
  const pid_t owner = (pid_t)(segment >> 32);
  if (rights != 2 || kind != 1 || mode != NULL || segment <= 0) return fail(EINVAL);
  if (refuses("get")) return fail(EACCES);
  if (kill(owner, 0) != 0 || permits == kMostPermits) return fail(ENOENT);
  pthread_mutex_lock(&mutex);
  owners[permits] = owner;
  const int64_t permit = permits++;
  pthread_mutex_unlock(&mutex);
  return permit;
}

void* xpmem_attach(struct place place, size_t bytes, void* wanted) {
  const uint64_t last = (uint64_t)place.offset + bytes;
  if (place.permit <= 0 || place.permit >= permits || owners[place.permit] == 0 || wanted != NULL ||
      place.offset % kPage != 0 || last > UINT64_C(0x7ffffffff000))
    return (void*)fail(EINVAL);
  if (refuses("attach")) return (void*)fail(ENOMEM);
  bytes = (bytes + kPage - 1) / kPage * kPage;
  pthread_mutex_lock(&mutex);
  int a = 0;
  while (a < kMostAttachments && attachments[a].at != NULL) ++a;
  if (a == kMostAttachments) abort();
  attachments[a].bytes = bytes;
  attachments[a].permit = place.permit;
  attachments[a].begin = (uint64_t)place.offset;
  attachments[a].at = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  fill(a);
  ++attaches;
  pthread_mutex_unlock(&mutex);
  return attachments[a].at;
}

static void let_go(int a) {
  munmap(attachments[a].at, attachments[a].bytes);
  attachments[a].at = NULL;
}

int xpmem_detach(void* at) {
  int found = 0;
  pthread_mutex_lock(&mutex);
  for (int a = 0; a < kMostAttachments; ++a)
    if (attachments[a].at != NULL && attachments[a].at == at) {
      let_go(a);
      found = 1;
    }
  pthread_mutex_unlock(&mutex);
  return found ? 0 : (int)fail(EINVAL);
}

int xpmem_release(int64_t permit) {
  pthread_mutex_lock(&mutex);
  for (int a = 0; a < kMostAttachments; ++a)
    if (attachments[a].at != NULL && attachments[a].permit == permit) let_go(a);
  owners[permit] = 0;
  pthread_mutex_unlock(&mutex);
  return 0;
}

/// What the module does by itself: attachments show what their owners have there now.
void fake_xpmem_follow(void) {
  pthread_mutex_lock(&mutex);
  for (int a = 0; a < kMostAttachments; ++a)
    if (attachments[a].at != NULL) fill(a);
  pthread_mutex_unlock(&mutex);
}

/// How many ranges are attached now, and how often some have been.
long fake_xpmem_count(long* ever) {
  long count = 0;
  for (int a = 0; a < kMostAttachments; ++a) count += attachments[a].at != NULL;
  *ever = attaches;
  return count;
}
