// SPDX-License-Identifier: BSD-3-Clause
// Programs that do with memory what programs do, while Terrace lets ranks use each other's blocks
// of malloc where they lie. One by name; results are computed another way.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <malloc.h>
#include <mpi.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "situation.h"

enum { kCount = 50000, kBytes = kCount * sizeof(int) };

static int sums;

/// One allreduce, reduce and bcast with values that no other call has; the root moves on.
static void use_both(int* input, int* output, int count) {
  const int call = ++sums, root = call % size;
  const int all = size * (size - 1) / 2 + size * call;
  int wrong = 0;
  for (int i = 0; i < count; ++i) input[i] = rank + call + i % 7;
  memset(output, 0xee, (size_t)count * sizeof(int));
  MPI_Allreduce(input, output, count, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < count; ++i) wrong += output[i] != all + size * (i % 7);
  memset(output, 0xee, (size_t)count * sizeof(int));
  MPI_Reduce(input, output, count, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
  for (int i = 0; i < count && rank == root; ++i) wrong += output[i] != all + size * (i % 7);
  MPI_Bcast(input, count, MPI_INT, root, MPI_COMM_WORLD);
  for (int i = 0; i < count; ++i) wrong += input[i] != root + call + i % 7;
  EXPECT(wrong == 0);
}

/// Buffers of every kind, another at each rank, so that some are direct and others are not.
static void mixed(void) {
  static int fixed[2][kCount];
  int on_stack[2][kCount];
  int* mapped = mmap(NULL, 2 * kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (int call = 0; call < 24; ++call) {
    int* blocks = malloc(2 * kBytes);
    int* zeroed = calloc(2, kBytes);
    int *aligned = NULL, *grown = malloc(100);
    EXPECT(posix_memalign((void**)&aligned, 4096, 2 * kBytes) == 0);
    grown[3] = call;
    grown = realloc(grown, 2 * kBytes);
    EXPECT(grown[3] == call && zeroed[0] == 0 && zeroed[2 * kCount - 1] == 0);
    int* const kinds[] = {blocks, fixed[0], on_stack[0], mapped, zeroed, aligned, grown, blocks};
    int* const kind = kinds[(call / 3 + rank * (call % 3)) % 8];
    use_both(kind, kind + kCount, kCount);
    use_both(kind, grown == kind ? kind + kCount : grown, kCount - 1);
    free(blocks);
    free(zeroed);
    free(aligned);
    free(grown);
  }
  munmap(mapped, 2 * kBytes);
}

/// Blocks come and go in sizes around the shortest of the heap, by every function of malloc's.
static void churn(void) {
  enum { kBlocks = 64 };
  unsigned char* blocks[kBlocks] = {NULL};
  size_t bytes[kBlocks] = {0};
  srand(17 + (unsigned)rank);
  for (int step = 0; step < 800; ++step) {
    const int at = rand() % kBlocks;
    const size_t wanted = (size_t)rand() % (step % 9 == 0 ? 2 << 20 : 200 << 10) + 1;
    const unsigned char mark = (unsigned char)at;
    if (blocks[at] == NULL) {
      void* aligned = NULL;
      switch (rand() % 4) {
        case 0:
          blocks[at] = malloc(wanted);
          break;
        case 1:
          blocks[at] = calloc(1, wanted);
          EXPECT(blocks[at][0] == 0 && blocks[at][wanted - 1] == 0 && blocks[at][wanted / 2] == 0);
          break;
        case 2:
          blocks[at] = memalign(64, wanted);
          break;
        default:
          EXPECT(posix_memalign(&aligned, 1 << 14, wanted) == 0);
          EXPECT((uintptr_t)aligned % (1 << 14) == 0);
          blocks[at] = aligned;
      }
      EXPECT(malloc_usable_size(blocks[at]) >= wanted);
    } else {
      const size_t last = bytes[at] - 1;
      EXPECT(blocks[at][0] == mark && blocks[at][last] == mark);
      if (rand() % 2) {
        free(blocks[at]);
        blocks[at] = NULL;
        continue;
      }
      blocks[at] = realloc(blocks[at], wanted);
      EXPECT(blocks[at][0] == mark && (wanted <= last || blocks[at][last] == mark));
    }
    bytes[at] = wanted;
    memset(blocks[at], mark, wanted);
  }
  volatile size_t too_many = SIZE_MAX / 2;  // unseen by the compiler
  EXPECT(malloc(too_many) == NULL && calloc(too_many, 3) == NULL);
  too_many = SIZE_MAX - 9;
  EXPECT(pvalloc(too_many) == NULL && memalign(64, too_many) == NULL);
  for (int i = 0; i < kBlocks; ++i) free(blocks[i]);
}

static void* free_it(void* block) {
  free(block);
  return NULL;
}

/// A thread frees what another has made.
static void threads(void) {
  for (int i = 0; i < 20; ++i) {
    pthread_t thread;
    int* block = malloc(2 * kBytes);
    use_both(block, block + kCount, kCount);
    EXPECT(pthread_create(&thread, NULL, free_it, block) == 0);
    pthread_join(thread, NULL);
  }
}

/// A child writes to all that it has inherited, while its parent goes on.
static void fork_beside(int* block, size_t count) {
  int go[2], status = 0;
  EXPECT(pipe(go) == 0);
  block[0] = block[count - 1] = rank + 1000;
  const pid_t child = fork();
  if (child == 0) {
    char turn;
    int is_right =
        read(go[0], &turn, 1) == 1 && block[0] == rank + 1000 && block[count - 1] == rank + 1000;
    memset(block, 0x55, count * sizeof(int));
    int* own = malloc(4 * kBytes);
    memset(own, 0x66, 4 * kBytes);
    free(own);
    free(block);
    _exit(is_right ? 0 : 1);
  }
  block[0] = block[count - 1] = rank + 2000;
  EXPECT(write(go[1], "x", 1) == 1);
  EXPECT(waitpid(child, &status, 0) == child && status == 0);
  EXPECT(block[0] == rank + 2000 && block[count - 1] == rank + 2000);
  close(go[0]);
  close(go[1]);
}

/// Advice about a block, and blocks that the program moves, do what they do to any memory of its
/// own.
static void advice(void) {
  const size_t page = 4096 * 16;  // on machines with pages up to 64 KiB
  char* const block = memalign(page, 16 * page);
  for (int round = 0; round < 3; ++round) {
    use_both((int*)block, (int*)(block + 8 * page), kCount);
    memset(block, 1, 16 * page);
    EXPECT(madvise(block + page, 2 * page, round == 0 ? MADV_FREE : MADV_DONTNEED) == 0);
    EXPECT(madvise(block, page, MADV_WILLNEED) == 0);
    int wrong = 0;
    for (size_t i = 0; i < 16 * page; ++i) {
      const int is_discarded = i >= page && i < 3 * page;
      wrong += is_discarded ? (round != 0 && block[i] != 0) : block[i] != 1;
    }
    EXPECT(wrong == 0);
    EXPECT(madvise(block + 1, page, MADV_DONTNEED) == -1 && errno == EINVAL);
    EXPECT(madvise(block, (size_t)-4096, MADV_DONTNEED) == -1 && errno == EINVAL);
    EXPECT(madvise(block, 0, MADV_DONTNEED) == 0 && block[0] == 1);
    // As collectors do with memory that they may want again.
    EXPECT(mprotect(block + 4 * page, page, PROT_NONE) == 0);
    EXPECT(madvise(block + 4 * page, page, MADV_DONTNEED) == 0);
    EXPECT(mprotect(block + 4 * page, page, PROT_READ | PROT_WRITE) == 0);
    EXPECT(block[4 * page] == 0 && block[5 * page - 1] == 0 && block[5 * page] == 1);
  }
  memset(block, 3, 2 * page);
  EXPECT(mremap(block, 2 * page, 3 * page, 0) == MAP_FAILED && errno == ENOMEM);
  EXPECT(mremap(block, 2 * page, 2 * page, MREMAP_MAYMOVE | MREMAP_FIXED, block + page) ==
             MAP_FAILED &&
         errno == EINVAL);
  EXPECT(mremap(block, 2 * page, page, 0) == block);
  EXPECT(mremap(block, 2 * page, SIZE_MAX, MREMAP_MAYMOVE) == MAP_FAILED && errno == EINVAL);
  char* const moved = mremap(block, 2 * page, 40 * page, MREMAP_MAYMOVE);
  EXPECT(moved != MAP_FAILED && moved[0] == 3 && moved[2 * page - 1] == 3 && moved[2 * page] == 0);
  memset(moved, 4, 40 * page);
  use_both((int*)moved, (int*)(moved + 20 * page), kCount);
  munmap(moved, 40 * page);
  use_both((int*)(block + 2 * page), (int*)(block + 8 * page), kCount / 2);
}

/// A vector that grows by half each time moves a few times only, though other blocks come between:
/// each time with 31 times its length behind it.
static void growth(void) {
  size_t bytes = 4096;
  int moves = 0;
  char* block = malloc(bytes);
  memset(block, 7, bytes);
  while (bytes < 64 << 20) {
    const size_t more = bytes + bytes / 2;
    char* const grown = realloc(block, more);
    EXPECT(grown != NULL && grown[0] == 7 && grown[bytes - 1] == 7);
    moves += grown != block && bytes >= 64 << 10;
    memset(grown + bytes, 7, more - bytes);
    int* const between = malloc(2 * kBytes);
    use_both(between, between + kCount, 1000);
    use_both((int*)grown, (int*)grown + bytes / 8, (int)(bytes / 8));
    memset(grown, 7, more);
    block = grown;
    bytes = more;
  }
  EXPECT(moves <= 3);
  free(block);
}

/// While little lies in the heap: it stays shared.
static void forks(void) {
  int* block = malloc(2 * kBytes);
  use_both(block, block + kCount, kCount);
  for (int i = 0; i < 3; ++i) {
    fork_beside(block, 2 * kCount);
    use_both(block, block + kCount, kCount);
  }
  EXPECT(system("exit 3") == 3 << 8);
  FILE* echo = popen("echo 42", "r");
  int answer = 0;
  EXPECT(fscanf(echo, "%d", &answer) == 1 && answer == 42);
  pclose(echo);
  use_both(block, block + kCount, kCount);
  free(block);
}

/// At rank 1 alone much lies in the heap, which then is not shared any more.
static void large_fork(void) {
  const size_t count = 30 << 20;
  int* block = malloc(2 * kBytes);
  int* large = malloc(count * sizeof(int));
  for (int i = 0; i < 3; ++i) use_both(block, block + kCount, kCount);
  if (rank == 1) fork_beside(large, count);
  for (int i = 0; i < 3; ++i) use_both(large, large + kCount, kCount);
  for (int i = 0; i < 3; ++i) use_both(block, block + kCount, kCount);
  free(large);
  free(block);
}

/// What a filter of a container may do, in this process from here on.
static void refuse_to_read_peers(void) {
#ifdef __NR_process_vm_readv
  struct sock_filter filter[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_process_vm_readv, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
  EXPECT(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  EXPECT(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
#endif
}

/// Long blocks on their way, with new contents in each call.
static void move_blocks(void) {
  int* block = malloc(kBytes);
  int* blocks = malloc((size_t)size * kBytes);
  for (int call = 0; call < 20; ++call) {
    const int root = call % size;
    int wrong = 0;
    for (int i = 0; i < kCount; ++i) block[i] = rank + call + i;
    MPI_Allgather(block, kCount, MPI_INT, blocks, kCount, MPI_INT, MPI_COMM_WORLD);
    for (int i = 0; i < size * kCount; ++i) wrong += blocks[i] != i / kCount + call + i % kCount;
    memset(blocks, 0xee, (size_t)size * kBytes);
    MPI_Gather(block, kCount, MPI_INT, blocks, kCount, MPI_INT, root, MPI_COMM_WORLD);
    for (int i = 0; i < size * kCount && rank == root; ++i)
      wrong += blocks[i] != i / kCount + call + i % kCount;
    memset(block, 0xee, kBytes);
    MPI_Scatter(blocks, kCount, MPI_INT, block, kCount, MPI_INT, root, MPI_COMM_WORLD);
    for (int i = 0; i < kCount; ++i) wrong += block[i] != rank + call + i;
    EXPECT(wrong == 0);
  }
  free(blocks);
  free(block);
}

static void blocks(void) {
  use(MPI_COMM_WORLD);
  move_blocks();
}

/// Before Terrace is at work one rank is refused what all others may; only Terrace moves what is
/// long.
static void unreadable(void) {
  if (rank == 1) refuse_to_read_peers();
  use(MPI_COMM_WORLD);
  move_blocks();
}

/// Likewise, but only when it has been used for a while.
static void unreadable_late(void) {
  use(MPI_COMM_WORLD);
  move_blocks();
  printf("at work\n");
  fflush(stdout);
  if (rank == 1) refuse_to_read_peers();
  move_blocks();
}

/// Memory that the tests' own libxpmem can attach, as long as its file is open.
static void* shared_at(void* wanted, size_t bytes, int* file) {
  *file = memfd_create("block", MFD_CLOEXEC);
  EXPECT(*file >= 0 && ftruncate(*file, (off_t)bytes) == 0);
  return mmap(wanted, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | (wanted ? MAP_FIXED : 0), *file,
              0);
}

/// A function of the tests' own libxpmem, which Terrace has loaded.
static void* of_fake(const char* name) {
  void* const library = dlopen("libxpmem.so.0", RTLD_NOW | RTLD_NOLOAD);
  void* const function = library ? dlsym(library, name) : NULL;
  EXPECT(function != NULL);
  return function;
}

enum { kFar = 4 << 20 };  // from one buffer to the next, so that they are attached one by one

static long attached_ranges(long* ever) {
  long (*count)(long*);
  *(void**)&count = of_fake("fake_xpmem_count");
  return count(ever);
}

/// All have changed what they have mapped; the kernel's module would know.
static void follow(void) {
  void (*follow_owners)(void);
  *(void**)&follow_owners = of_fake("fake_xpmem_follow");
  PMPI_Barrier(MPI_COMM_WORLD);
  follow_owners();
  PMPI_Barrier(MPI_COMM_WORLD);
}

/// Buffers of the same address that are others each time, moved ones, and their neighbours, while
/// children come and go.
static void moved(void) {
  const size_t bytes = 2 * kBytes + 4096 * 7;
  int file, next_file;
  use(MPI_COMM_WORLD);
  // Only here is anything moved, so that no other mappings are in the way.
  char* const room =
      mmap(NULL, 9 * kFar, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  char* place = shared_at(room, bytes, &file);
  for (int call = 0; call < 8; ++call) {
    int* const block = (int*)(place + 4 * call);
    use_both(block, block + kCount, kCount);
    if (call % 3 == 1) use_both(block + 16, block + 16 + kCount, kCount);  // attached already
    if (call % 2 == rank % 2) {
      place = shared_at(place, bytes, &next_file);
      close(file);
      file = next_file;
    } else {
      place = mremap(place, bytes, bytes, MREMAP_MAYMOVE | MREMAP_FIXED, room + kFar * (call + 1));
      EXPECT(place != MAP_FAILED);
    }
    int status = 0;
    const pid_t child = fork();
    if (child == 0) _exit(0);
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
    follow();
  }
  close(file);
}

/// More buffers than stay attached, far from each other, in turn; then a few again and again.
static void many(void) {
  enum { kBlocks = 100 };
  int* blocks[kBlocks];
  int files[kBlocks];
  long before, after;
  use(MPI_COMM_WORLD);
  char* const room = mmap(NULL, (size_t)kBlocks * kFar, PROT_NONE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  for (int b = 0; b < kBlocks; ++b) {
    blocks[b] = shared_at(room + (size_t)b * kFar, 2 * kBytes, &files[b]);
    use_both(blocks[b], blocks[b] + kCount, kCount);
  }
  EXPECT(attached_ranges(&before) <= 64 * (size - 1));
  EXPECT(before >= kBlocks);
  for (int call = 0; call < 20; ++call) {
    int* const block = blocks[kBlocks - 1 - call % 10];
    use_both(block, block + kCount, kCount);
  }
  attached_ranges(&after);
  EXPECT(after == before);
  for (int b = 0; b < kBlocks; ++b) close(files[b]);
  munmap(room, (size_t)kBlocks * kFar);
}

/// Rank 1 is refused what the variable names, before Terrace is at work.
static void not_attached(void) {
  int file;
  if (rank == 1) setenv("FAKE_XPMEM", getenv("REFUSED_BY_XPMEM"), 1);
  use(MPI_COMM_WORLD);
  int* const block = shared_at(NULL, 2 * kBytes, &file);
  for (int call = 0; call < 4; ++call) use_both(block, block + kCount, kCount);
}

static int* block_at_work(void) {
  int file;
  use(MPI_COMM_WORLD);
  int* const block = shared_at(NULL, 2 * kBytes, &file);
  use_both(block, block + kCount, kCount);
  if (rank == 0) printf("at work\n");
  fflush(stdout);
  return block;
}

/// Likewise, but only when memory has been attached for a while.
static void not_attached_late(void) {
  int file;
  block_at_work();
  if (rank == 1) setenv("FAKE_XPMEM", "attach", 1);
  int* const next = shared_at(NULL, 8 << 20, &file);
  use_both(next + (1 << 20), next + (1 << 20) + kCount, kCount);
}

/// A buffer that only its owner can touch, as if it were a device's.
static void not_touched(void) {
  int file;
  block_at_work();
  int* const device = shared_at(NULL, 8 << 20, &file);
  close(file);
  use_both(device + (1 << 20), device + (1 << 20) + kCount, kCount);
}

static const struct situation situations[] = {{"mixed", mixed},
                                              {"churn", churn},
                                              {"threads", threads},
                                              {"advice", advice},
                                              {"growth", growth},
                                              {"forks", forks},
                                              {"large_fork", large_fork},
                                              {"blocks", blocks},
                                              {"unreadable", unreadable},
                                              {"unreadable_late", unreadable_late},
                                              {"moved", moved},
                                              {"many", many},
                                              {"not_attached", not_attached},
                                              {"not_attached_late", not_attached_late},
                                              {"not_touched", not_touched}};

int main(int argc, char** argv) {
  return PLAY(argc, argv, situations);
}
