// SPDX-License-Identifier: BSD-3-Clause
// Goal: blocks of the heap are a program's own memory, whatever it does with them, forks included;
// and peers who map its file see them as long as it is shared.
// Method: a heap in this process, its file mapped a second time as a peer does, real forks.
#include "heap/shared_heap.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "heap/obstacle.hpp"

namespace terrace {
namespace {

constexpr std::size_t KiB = 1024, MiB = 1024 * KiB;

/// Heaps last as long as their process; kept, so that they do not count as leaks.
SharedHeap& new_heap() {
  static auto* heaps = new std::vector<SharedHeap*>;
  heaps->push_back(new SharedHeap(64 * KiB, ""));
  return *heaps->back();
}

/// What a peer sees at the place of a block.
class Peer {
 public:
  explicit Peer(SharedHeap& heap) : address_(heap.address()) {
    const std::string path =
        "/proc/" + std::to_string(address_.process) + "/fd/" + std::to_string(address_.file);
    const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
    place_ = static_cast<char*>(
        mmap(nullptr, address_.bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0));
    close(file);
  }
  ~Peer() { munmap(place_, address_.bytes); }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  char& at(const void* block) const {
    return place_[reinterpret_cast<std::uintptr_t>(block) - address_.begin];
  }

 private:
  HeapAddress address_;
  char* place_;
};

/// Forks as a program does whose handlers are the heap's; true if the child found all right.
bool child_is_right(SharedHeap& heap, const std::function<bool()>& child) {
  heap.before_fork();
  const pid_t process = fork();
  if (process == 0) {
    heap.after_fork_in_child();
    _exit(child() ? 0 : 1);
  }
  heap.after_fork_in_parent();
  int status = 0;
  waitpid(process, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

constexpr const char* kIgnoresAdvice =
    "this system ignores advice about shared pages, as qemu's user mode does";

/// Whether this system does what it is advised about shared pages. qemu's user mode answers that it
/// has, and does nothing.
bool heeds_advice() {
  const auto bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  auto* const page = static_cast<char*>(
      mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  *page = 1;
  const bool heeds = madvise(page, bytes, MADV_REMOVE) != 0 || *page == 0;
  munmap(page, bytes);
  return heeds;
}

TEST(SharedHeap, long_blocks_are_its_own_and_short_ones_are_not) {
  SharedHeap& heap = new_heap();
  EXPECT_FALSE(heap.takes(64 * KiB - 1));
  EXPECT_TRUE(heap.takes(64 * KiB));
  int elsewhere = 0;
  EXPECT_FALSE(heap.holds(&elsewhere));
  void* block = heap.allocate(64 * KiB, 1, false);
  EXPECT_TRUE(heap.holds(block));
  EXPECT_GE(heap.usable_bytes(block), 64 * KiB);
  heap.free(block);
}

TEST(SharedHeap, peers_see_what_is_written_and_the_other_way_round) {
  SharedHeap& heap = new_heap();
  char* early = static_cast<char*>(heap.allocate(1 * MiB, 1, false));
  const Peer peer(heap);
  char* late = static_cast<char*>(heap.allocate(200 * MiB, 1, false));  // the file has grown
  *early = 'a';
  *late = 'b';
  EXPECT_EQ(peer.at(early), 'a');
  EXPECT_EQ(peer.at(late), 'b');
  peer.at(late) = 'c';
  EXPECT_EQ(*late, 'c');
}

TEST(SharedHeap, zeroed_blocks_are_zero_also_where_others_lay) {
  SharedHeap& heap = new_heap();
  for (const std::size_t bytes : {1 * MiB, 70 * MiB}) {  // kept warm, and emptied
    void* block = heap.allocate(bytes, 1, false);
    std::memset(block, 1, bytes);
    heap.free(block);
    const char* again = static_cast<char*>(heap.allocate(bytes, 1, true));
    EXPECT_EQ(again, block);
    std::size_t ones = 0;
    for (std::size_t i = 0; i < bytes; ++i) ones += again[i] != 0;
    EXPECT_EQ(ones, 0u);
  }
}

TEST(SharedHeap, memory_of_freed_blocks_goes_back_but_for_a_little) {
  if (!heeds_advice()) GTEST_SKIP() << kIgnoresAdvice;
  SharedHeap& heap = new_heap();
  struct stat status {};
  for (int i = 0; i < 2; ++i) {
    void* block = heap.allocate(40 * MiB, 1, false);
    std::memset(block, 1, 40 * MiB);
    void* other = heap.allocate(40 * MiB, 1, false);
    std::memset(other, 1, 40 * MiB);
    heap.free(block);
    heap.free(other);
  }
  ASSERT_EQ(fstat(static_cast<int>(heap.address().file), &status), 0);
  EXPECT_LE(static_cast<std::size_t>(status.st_blocks) * 512, 64 * MiB);
  EXPECT_EQ(heap.use().bytes, 0u);
  EXPECT_EQ(heap.use().most_bytes, 80 * MiB);
}

TEST(SharedHeap, blocks_grow_where_they_lie_or_say_no) {
  SharedHeap& heap = new_heap();
  void* block = heap.allocate(1 * MiB, 1, false);
  EXPECT_TRUE(heap.resize(block, 500 * MiB));
  EXPECT_EQ(heap.usable_bytes(block), 500 * MiB);
  EXPECT_TRUE(heap.resize(block, 100 * KiB));
  void* behind = heap.allocate(64 * KiB, 1, false);
  EXPECT_FALSE(heap.resize(block, 10 * MiB));
  // As a program asks that wants to see malloc refuse. The block stays as it was.
  EXPECT_FALSE(heap.resize(block, ~std::size_t{0}));
  EXPECT_FALSE(heap.resize(block, ~std::size_t{0} / 2));
  EXPECT_EQ(heap.usable_bytes(block), 100 * KiB);
  heap.free(behind);
}

TEST(SharedHeap, blocks_with_room_grow_where_they_lie_though_others_come) {
  SharedHeap& heap = new_heap();
  char* block = static_cast<char*>(heap.allocate_with_room(64 * KiB));
  ASSERT_NE(block, nullptr);
  for (std::size_t bytes = 96 * KiB; bytes <= 512 * KiB; bytes += bytes / 2) {
    EXPECT_NE(heap.allocate(1 * MiB, 1, false), nullptr);
    ASSERT_TRUE(heap.resize(block, bytes)) << bytes;
    block[bytes - 1] = 1;
  }
  EXPECT_EQ(heap.allocate_with_room(~std::size_t{0} / 2), nullptr);
}

/// As where a program limits its files late. The signal ends those that ignore the limit.
TEST(SharedHeap, goes_on_where_a_block_with_room_would_lie_beyond_the_longest_file) {
  SharedHeap& heap = new_heap();
  void* first = heap.allocate_with_room(40 * MiB);  // with room behind it
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit small = {64 * MiB, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &small), 0);
  EXPECT_EQ(heap.allocate_with_room(1 * MiB), nullptr);
  EXPECT_EQ(heap.allocate(1 * MiB, 1, false), nullptr);
  EXPECT_FALSE(heap.resize(first, 100 * MiB));
  heap.free(first);
  EXPECT_NE(heap.allocate(1 * MiB, 1, false), nullptr);
  setrlimit(RLIMIT_FSIZE, &before);
  EXPECT_NE(heap.allocate_with_room(100 * MiB), nullptr);
}

TEST(SharedHeap, forks_though_a_page_may_not_be_read) {
  SharedHeap& heap = new_heap();
  char* block = static_cast<char*>(heap.allocate(1 * MiB, 1, false));
  std::memset(block, 5, 1 * MiB);
  ASSERT_EQ(mprotect(block, 64 * KiB, PROT_NONE), 0);
  EXPECT_TRUE(
      child_is_right(heap, [&] { return block[64 * KiB] == 5 && block[1 * MiB - 1] == 5; }));
  ASSERT_EQ(mprotect(block, 64 * KiB, PROT_READ | PROT_WRITE), 0);
  EXPECT_EQ(*block, 5);
}

/// As anonymous memory is after MADV_DONTNEED, also when a fork has made the heap private.
TEST(SharedHeap, discarded_pages_are_zero_and_others_stay) {
  SharedHeap& heap = new_heap();
  const auto is_emptied_between = [&](char* block, std::size_t from, std::size_t to) {
    std::memset(block, 1, 1 * MiB);
    heap.discard(block + from, to - from - 1);  // of the last page a part counts for all of it
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < 1 * MiB; ++i) wrong += block[i] != (i < from || i >= to ? 1 : 0);
    return wrong == 0;
  };
  char* block = static_cast<char*>(heap.allocate(1 * MiB, 1, false));
  const Peer peer(heap);
  char* behind = static_cast<char*>(heap.allocate(1 * MiB, 1, false));
  *block = *behind = 9;
  EXPECT_TRUE(heap.discard(block, 0));
  EXPECT_EQ(*block, 9);
  EXPECT_FALSE(heap.discard(block, ~std::size_t{0} - 4095)) << "longer than the heap";
  EXPECT_TRUE(heap.discard(block, 3 * MiB));
  EXPECT_EQ(*behind, 9) << "another block's";
  EXPECT_TRUE(is_emptied_between(block, 64 * KiB, 512 * KiB));
  EXPECT_EQ(peer.at(block + 64 * KiB), 0);
  char* large = static_cast<char*>(heap.allocate(70 * MiB, 1, false));
  std::memset(large, 2, 70 * MiB);
  EXPECT_TRUE(child_is_right(heap, [&] { return is_emptied_between(block, 0, 1 * MiB); }));
  EXPECT_TRUE(is_emptied_between(block, 64 * KiB, 512 * KiB));
}

TEST(SharedHeap, what_it_cannot_hold_is_left_to_others) {
  SharedHeap& heap = new_heap();
  EXPECT_EQ(heap.allocate(~std::size_t{0} / 2, 1, false), nullptr);
  EXPECT_EQ(heap.allocate(1 * MiB, 1024 * MiB, false), nullptr);
  char* block = static_cast<char*>(heap.allocate(1 * MiB, 2 * MiB, false));
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % (2 * MiB), 0u);
  heap.free(block + 1);  // mistakes of a program are no reason to lose blocks
  EXPECT_GE(heap.usable_bytes(block), 1 * MiB);
  heap.free(block);
  heap.free(block);
  EXPECT_EQ(heap.use().bytes, 0u);
}

TEST(SharedHeap, threads_free_what_others_have_made) {
  SharedHeap& heap = new_heap();
  std::vector<std::vector<char*>> made(4);
  const auto all = [&](const std::function<void(std::size_t)>& work) {
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < made.size(); ++i) threads.emplace_back(work, i);
    for (std::thread& thread : threads) thread.join();
  };
  for (int round = 0; round < 20; ++round) {
    all([&](std::size_t i) {
      for (std::size_t k = 0; k < 10; ++k) {
        char* block = static_cast<char*>(heap.allocate((64 + 16 * k) * KiB, 1, false));
        std::memset(block, static_cast<int>(i), 64 * KiB);
        made[i].push_back(block);
      }
    });
    all([&](std::size_t i) {
      auto& blocks = made[(i + 1) % made.size()];
      for (char* block : blocks) {
        EXPECT_EQ(block[64 * KiB - 1], static_cast<char>((i + 1) % made.size()));
        heap.free(block);
      }
      blocks.clear();
    });
  }
  EXPECT_EQ(heap.use().bytes, 0u);
}

/// Parent and child write to the same block; each must find its own, and a peer the parent's.
void fork_with(std::size_t bytes, bool stays_shared) {
  SharedHeap& heap = new_heap();
  char* block = static_cast<char*>(heap.allocate(bytes, 1, false));
  const Peer peer(heap);
  std::memset(block, 'p', 1 * MiB);
  const bool is_right = child_is_right(heap, [&] {
    if (block[0] != 'p' || block[1 * MiB - 1] != 'p' || heap.takes(bytes)) return false;
    std::memset(block, 'c', 1 * MiB);
    heap.free(block);
    return true;
  });
  EXPECT_TRUE(is_right);
  EXPECT_EQ(block[0], 'p');
  EXPECT_EQ(peer.at(block), 'p');
  std::memset(block, 'q', 1 * MiB);
  EXPECT_EQ(peer.at(block), stays_shared ? 'q' : 'p');
  EXPECT_EQ(heap.enter(), stays_shared);
  if (stays_shared) heap.leave();
  EXPECT_EQ(heap.address().file >= 0, stays_shared);
  EXPECT_EQ(heap.takes(bytes), stays_shared);
  EXPECT_EQ(std::string(heap.obstacle()).empty(), stays_shared);
  heap.free(block);
}

TEST(SharedHeap, a_forked_child_of_a_small_heap_gets_copies) {
  fork_with(2 * MiB, true);
}

TEST(SharedHeap, a_fork_of_a_large_heap_ends_its_sharing) {
  fork_with(100 * MiB, false);
}

TEST(SharedHeap, a_child_does_not_see_what_the_parent_writes_later) {
  for (const std::size_t bytes : {2 * MiB, 100 * MiB}) {
    SharedHeap& heap = new_heap();
    char* block = static_cast<char*>(heap.allocate(bytes, 1, false));
    *block = 'p';
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    heap.before_fork();
    const pid_t process = fork();
    if (process == 0) {
      heap.after_fork_in_child();
      char turn = 0;
      _exit(read(ends[0], &turn, 1) == 1 && *block == 'p' ? 0 : 1);
    }
    heap.after_fork_in_parent();
    *block = 'q';
    ASSERT_EQ(write(ends[1], "x", 1), 1);
    int status = 0;
    waitpid(process, &status, 0);
    EXPECT_EQ(status, 0);
    close(ends[0]);
    close(ends[1]);
  }
}

TEST(SharedHeap, a_fork_during_a_direct_call_leaves_a_large_heap_shared_and_to_the_parent) {
  if (!heeds_advice()) GTEST_SKIP() << kIgnoresAdvice;
  SharedHeap& heap = new_heap();
  char* block = static_cast<char*>(heap.allocate(100 * MiB, 1, false));
  const Peer peer(heap);
  *block = 'p';
  ASSERT_TRUE(heap.enter());
  EXPECT_TRUE(child_is_right(heap, [&] {  // the child has nothing there
    unsigned char is_there = 0;
    void* page = block;
    return mincore(page, 1, &is_there) != 0;
  }));
  *block = 'q';
  EXPECT_EQ(peer.at(block), 'q');
  heap.leave();
  EXPECT_TRUE(heap.enter());
  heap.leave();
}

TEST(SharedHeap, an_empty_heap_stays_shared_after_a_fork) {
  SharedHeap& heap = new_heap();
  heap.free(heap.allocate(100 * MiB, 1, false));
  EXPECT_TRUE(child_is_right(heap, [&] { return !heap.takes(1 * MiB); }));
  EXPECT_TRUE(heap.enter());
  heap.leave();
  EXPECT_TRUE(heap.takes(1 * MiB));
}

TEST(SharedHeap, another_file_by_its_number_is_not_taken_for_it) {
  SharedHeap& heap = new_heap();
  char* block = static_cast<char*>(heap.allocate(100 * MiB, 1, false));
  *block = 'p';
  const int file = static_cast<int>(heap.address().file);
  const int other = memfd_create("other", 0);
  ASSERT_EQ(dup2(other, file), file);  // as a program does that closes all files
  EXPECT_TRUE(child_is_right(heap, [] { return true; }));
  EXPECT_EQ(*block, 'p');
  EXPECT_EQ(heap.allocate(1000 * MiB, 1, false), nullptr);  // the file cannot grow any more
  close(other);
}

TEST(HeapObstacle, each_is_named_with_its_remedy) {
  EXPECT_EQ(heap_obstacle({}), "");
  HeapSurroundings one;
  one.is_overcommit_forbidden = true;
  EXPECT_NE(heap_obstacle(one).find("vm.overcommit_memory"), std::string::npos);
  one = {};
  one.is_address_space_limited = true;
  EXPECT_NE(heap_obstacle(one).find("ulimit -v"), std::string::npos);
  one = {};
  one.most_file_bytes = kHeapGrowthBytes - 1;
  EXPECT_NE(heap_obstacle(one).find("ulimit -f"), std::string::npos);
  one = {};
  one.has_sanitizer = true;
  EXPECT_NE(heap_obstacle(one).find("sanitizer"), std::string::npos);
  one = {};
  one.is_under_valgrind = true;
  EXPECT_NE(heap_obstacle(one).find("valgrind"), std::string::npos);
}

TEST(HeapObstacle, a_heap_with_one_takes_nothing) {
  SharedHeap heap(64 * KiB, "it must not be");
  EXPECT_FALSE(heap.takes(1 * MiB));
  EXPECT_EQ(heap.allocate(1 * MiB, 1, false), nullptr);
  EXPECT_LT(heap.address().file, 0);
  EXPECT_STREQ(heap.obstacle(), "it must not be");
}

}  // namespace
}  // namespace terrace
