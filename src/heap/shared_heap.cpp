// SPDX-License-Identifier: BSD-3-Clause
// The memfd, its pages, and what happens to them in a fork.
#include "heap/shared_heap.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/contract.hpp"
#include "base/pages.hpp"
#include "heap/obstacle.hpp"

namespace terrace {

namespace {

constexpr std::size_t kHugePage = std::size_t{2} << 20;
/// Free pages that stay in memory for the next block: this much, or a quarter of what is taken.
constexpr std::size_t kWarmBytes = std::size_t{64} << 20;
/// Room for a block that grows, in blocks of its length, and at most.
constexpr std::size_t kRoomTimes = 31, kMostRoomBytes = std::size_t{512} << 20;
/// Up to here a forking process copies its blocks for its child, and the heap stays shared.
constexpr std::size_t kMostCopiedBytes = std::size_t{64} << 20;

class Lock {
 public:
  explicit Lock(pthread_mutex_t& mutex) : mutex_(mutex) { pthread_mutex_lock(&mutex_); }
  ~Lock() { pthread_mutex_unlock(&mutex_); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  pthread_mutex_t& mutex_;
};

/// Twice the machine's memory: room for all that can be touched, in spite of gaps.
std::size_t wanted_bytes() {
  const auto pages = static_cast<std::size_t>(std::max(sysconf(_SC_PHYS_PAGES), 1l));
  return (2 * pages * page_bytes() + kHugePage - 1) / kHugePage * kHugePage;
}

/// Out of the way of programs that count on low numbers.
int moved_up(int file) {
  const int high = fcntl(file, F_DUPFD_CLOEXEC, 1000);
  if (high < 0) return file;
  close(file);
  return high;
}

bool may_grow_to(std::size_t bytes) {
  rlimit limit{};
  return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
         bytes <= limit.rlim_cur;  // beyond it the process would be killed
}

}  // namespace

bool SharedHeap::begin() {
  if (has_begun_) return place_ != nullptr;
  has_begun_ = true;
  page_bytes_ = page_bytes();
  if (map(wanted_bytes())) return true;
  obstacle_ = "the system makes no such file, or has no room in the address space";
  is_open_.store(false, std::memory_order_relaxed);  // relaxed: see `takes`
  return false;
}

/// The whole span at once, of a file that has no length yet: what is not handed out takes no memory
/// even where the program locks all of its own.
bool SharedHeap::map(std::size_t bytes) {
  const int file = memfd_create("terrace-heap", MFD_CLOEXEC);
  if (file < 0) return false;
  address_.file = moved_up(file);
  const auto descriptor = static_cast<int>(address_.file);
  struct stat status {};
  void* found = MAP_FAILED;
  if (fstat(descriptor, &status) == 0)
    found = mmap(nullptr, bytes + kHugePage, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
                 descriptor, 0);
  if (found == MAP_FAILED) {
    close(descriptor);
    address_.file = -1;
    return false;
  }
  const auto start = reinterpret_cast<std::uintptr_t>(found);
  const std::uintptr_t aligned = (start + kHugePage - 1) / kHugePage * kHugePage;
  // Mapped anew where it is aligned, so that the file begins there.
  munmap(found, bytes + kHugePage);
  place_ = static_cast<std::byte*>(
      mmap(reinterpret_cast<void*>(aligned), bytes, PROT_READ | PROT_WRITE,
           MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, descriptor, 0));
  if (place_ == MAP_FAILED) {
    place_ = nullptr;
    close(descriptor);
    address_.file = -1;
    return false;
  }
  madvise(place_, bytes, MADV_HUGEPAGE);  // heeded where shmem_enabled is "advise"
  // A core file would give memory to all pages below the file's end.
  madvise(place_, bytes, MADV_DONTDUMP);
  pages_ = std::make_unique<PageRanges>(bytes / page_bytes_);
  address_.process = getpid();
  address_.inode = status.st_ino;
  device_ = status.st_dev;
  address_.begin = aligned;
  address_.bytes = bytes;
  // relaxed, both: see `holds`.
  begin_.store(aligned, std::memory_order_relaxed);
  bytes_.store(bytes, std::memory_order_relaxed);
  is_shared_.store(true);  // sequentially consistent: see `enter`
  return true;
}

bool SharedHeap::grow_file(std::size_t pages) {
  const std::size_t needed = pages * page_bytes_;
  if (needed <= file_bytes_) return true;
  const std::size_t bytes = std::min<std::size_t>(
      (needed + kHeapGrowthBytes - 1) / kHeapGrowthBytes * kHeapGrowthBytes, address_.bytes);
  if (!may_grow_to(bytes) || !is_file_ours() ||
      ftruncate(static_cast<int>(address_.file), static_cast<off_t>(bytes)) != 0)
    return false;
  file_bytes_ = bytes;
  TERRACE_ASSERT(needed <= file_bytes_ && file_bytes_ <= address_.bytes, needed, file_bytes_);
  return true;
}

/// The program may have closed the descriptor and got another file by its number.
bool SharedHeap::is_file_ours() const {
  struct stat status {};
  return fstat(static_cast<int>(address_.file), &status) == 0 && status.st_ino == address_.inode &&
         status.st_dev == device_;
}

std::size_t SharedHeap::page_of(const void* block) const {
  TERRACE_ASSERT(holds(block), block);
  return static_cast<std::size_t>(static_cast<const std::byte*>(block) - place_) / page_bytes_;
}

/// 0 if there is no such block: it was freed before, or `block` points into one.
std::size_t SharedHeap::pages_of(const void* block) const {
  const std::size_t page = page_of(block);
  return at(page) == block ? pages_->count_at(page) : 0;
}

void* SharedHeap::allocate(std::size_t bytes, std::size_t alignment, bool zeroed) {
  if (alignment > kHugePage) return nullptr;
  TERRACE_ASSERT(std::has_single_bit(alignment), alignment);
  bool is_zero = false;
  std::byte* block = nullptr;
  {
    const Lock lock(mutex_);
    if (!begin() || bytes > address_.bytes) return nullptr;
    const auto found =
        pages_->take(pages_for(bytes), std::max(alignment / page_bytes_, std::size_t{1}));
    if (!found) return nullptr;
    is_zero = found->is_zero;
    block = extend_file_to(*found, bytes);
  }
  if (block != nullptr && zeroed && !is_zero) std::memset(block, 0, bytes);
  return block;
}

void* SharedHeap::allocate_with_room(std::size_t bytes) {
  const Lock lock(mutex_);
  if (!begin() || bytes > address_.bytes) return nullptr;
  const std::size_t count = pages_for(bytes);
  const std::size_t room = std::min(kRoomTimes * count, kMostRoomBytes / page_bytes_);
  const auto found = pages_->take_with_room(count, room);
  return found ? extend_file_to(*found, bytes) : nullptr;
}

/// Extends the file to the end of pages just taken. Null if it cannot; then it gives them back.
std::byte* SharedHeap::extend_file_to(const PageRanges::Taken& taken, std::size_t bytes) {
  TERRACE_REQUIRE((taken.first + pages_for(bytes)) * page_bytes_ <= address_.bytes, taken.first,
                  bytes);
  if (!grow_file(pages_->end())) {
    pages_->undo_take(taken);
    return nullptr;
  }
  most_pages_ = std::max(most_pages_, pages_->taken_pages());
  return at(taken.first);
}

void SharedHeap::free(void* block) {
  const Lock lock(mutex_);
  const std::size_t first = page_of(block), count = pages_of(block);
  if (count == 0) return;  // a mistake of the program's, which would only grow
  const std::size_t warm = (pages_->warm_pages() + count) * page_bytes_;
  const bool is_too_much = warm > std::max(kWarmBytes, pages_->taken_pages() * page_bytes_ / 4);
  if (is_too_much && empty(first, count))
    pages_->give_back_emptied(first);
  else
    pages_->give_back(first);
}

/// Empties pages, by libc's function where that works, so that libraries that watch for it
/// (registered memory) see it; else, as where the program may not write to them, in the file.
bool SharedHeap::empty(std::size_t first, std::size_t count) {
  if (emptying_ == Emptying::untried)
    emptying_ = is_emptying_right() ? Emptying::works : Emptying::in_vain;
  // The file is no longer this process's own, after a fork.
  if (emptying_ == Emptying::in_vain || !is_shared_.load()) return false;
  if (madvise(at(first), count * page_bytes_, MADV_REMOVE) == 0) return true;
  return is_file_ours() &&
         fallocate(static_cast<int>(address_.file), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                   static_cast<off_t>(first * page_bytes_),
                   static_cast<off_t>(count * page_bytes_)) == 0;
}

/// Tries it out on a page of its own: qemu's user mode answers that it has emptied pages, and
/// leaves them alone.
bool SharedHeap::is_emptying_right() {
  void* const page =
      mmap(nullptr, page_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return false;
  *static_cast<volatile char*>(page) = 1;
  const bool is_right =
      madvise(page, page_bytes_, MADV_REMOVE) == 0 && *static_cast<volatile char*>(page) == 0;
  munmap(page, page_bytes_);
  return is_right;
}

bool SharedHeap::discard(void* pages, std::size_t bytes) {
  const Lock lock(mutex_);
  const std::size_t first = page_of(pages),
                    count = bytes / page_bytes_ + (bytes % page_bytes_ != 0);
  TERRACE_ASSERT(at(first) == pages, pages);
  if (count > address_.bytes / page_bytes_) return false;
  // What lies behind the block is another's.
  const auto end = pages_->end_of_range_with(first);
  const std::size_t whole = end ? std::min(count, *end - first) : 0;
  if (whole == 0) return true;
  if (is_shared_.load()) {
    if (!empty(first, whole)) std::memset(pages, 0, whole * page_bytes_);
    return true;
  }
  // Behind pages that a fork has made private, the file has the contents of that time.
  return mmap(pages, whole * page_bytes_, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) == pages;
}

std::size_t SharedHeap::usable_bytes(const void* block) {
  const Lock lock(mutex_);
  return pages_of(block) * page_bytes_;
}

bool SharedHeap::resize(void* block, std::size_t bytes) {
  const Lock lock(mutex_);
  // relaxed: see `takes`.
  const bool is_open = is_open_.load(std::memory_order_relaxed);
  const std::size_t first = page_of(block), before = pages_of(block);
  const std::size_t after = pages_for(bytes);
  if (before == 0 || bytes > address_.bytes) return false;  // `after` may have wrapped
  if (after > before && !is_open) return false;
  if (after > before && !grow_file(first + after)) return false;
  if (!pages_->resize(first, after)) return false;
  most_pages_ = std::max(most_pages_, pages_->taken_pages());
  return true;
}

HeapAddress SharedHeap::address() {
  const Lock lock(mutex_);
  begin();
  return is_shared_.load() ? address_ : HeapAddress{};  // as in `enter`
}

const char* SharedHeap::obstacle() {
  const Lock lock(mutex_);
  begin();
  return obstacle_.c_str();
}

HeapUse SharedHeap::use() {
  const Lock lock(mutex_);
  if (!pages_) return {};
  return {pages_->taken_pages() * page_bytes_, most_pages_ * page_bytes_};
}

bool SharedHeap::enter() {
  // Sequentially consistent, both, as are their partners in `make_private`: either that sees this
  // call, or this call sees that the heap is not shared any more.
  direct_calls_.fetch_add(1);
  if (is_shared_.load()) return true;
  leave();
  return false;
}

void SharedHeap::leave() {
  // release: pairs with the load in `make_private`: what the call wrote lies before it.
  [[maybe_unused]] const std::uint32_t before =
      direct_calls_.fetch_sub(1, std::memory_order_release);
  TERRACE_ASSERT(before != 0);
}

void SharedHeap::before_fork() {
  pthread_mutex_lock(&mutex_);
  guard_ = Guard::none;
  if (!pages_ || pages_->taken_pages() == 0 || !is_shared_.load()) return;  // as in `enter`
  if (copy_for_child())
    guard_ = Guard::copied;
  else if (make_private())
    guard_ = Guard::made_private;
  else if (madvise(place_, address_.bytes, MADV_DONTFORK) == 0)
    guard_ = Guard::left_out;
}

/// Few blocks are copied, so that the heap can stay as it is.
bool SharedHeap::copy_for_child() {
  if (pages_->taken_pages() * page_bytes_ > kMostCopiedBytes) return false;
  copy_bytes_ = pages_->end() * page_bytes_;
  TERRACE_ASSERT(copy_bytes_ <= file_bytes_, copy_bytes_, file_bytes_);
  void* copy = mmap(nullptr, copy_bytes_, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (copy == MAP_FAILED) return false;
  madvise(copy, copy_bytes_, MADV_NOHUGEPAGE);  // blocks may lie far apart
  copy_ = static_cast<std::byte*>(copy);
  // From the file: a program may have forbidden itself to read some pages.
  bool is_whole = is_file_ours();
  pages_->for_each_taken([&](std::size_t first, std::size_t count) {
    std::size_t begin = first * page_bytes_;
    for (const std::size_t end = begin + count * page_bytes_; is_whole && begin < end;) {
      const ssize_t bytes = pread(static_cast<int>(address_.file), copy_ + begin, end - begin,
                                  static_cast<off_t>(begin));
      is_whole = bytes > 0;
      begin += is_whole ? static_cast<std::size_t>(bytes) : 0;
    }
  });
  if (!is_whole) munmap(copy_, copy_bytes_);
  return is_whole;
}

/// From now on parent and child write to pages of their own, as after any fork, and peers see none
/// of it. Not while one of them is at work in this heap.
bool SharedHeap::make_private() {
  is_shared_.store(false);  // partners: `enter`
  const bool is_in_use = direct_calls_.load() != 0;
  void* place = MAP_FAILED;
  if (!is_in_use && is_file_ours())
    place = mmap(place_, address_.bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_NORESERVE | MAP_FIXED, static_cast<int>(address_.file), 0);
  if (place == MAP_FAILED) {
    is_shared_.store(true);  // as above
    return false;
  }
  madvise(place, address_.bytes, MADV_DONTDUMP);
  is_open_.store(false, std::memory_order_relaxed);  // relaxed: see `takes`
  obstacle_ = "the process has forked while its heap held more than it copies";
  return true;
}

void SharedHeap::after_fork_in_parent() {
  if (guard_ == Guard::copied) munmap(copy_, copy_bytes_);
  if (guard_ == Guard::left_out) madvise(place_, address_.bytes, MADV_DOFORK);
  pthread_mutex_unlock(&mutex_);
}

/// A child makes no heap that its parent's peers could take for its parent's.
void SharedHeap::after_fork_in_child() {
  // Not by libc's function: UCX stands before it, and drops the address where the pages shall go.
  if (guard_ == Guard::copied &&
      syscall(SYS_mremap, copy_, copy_bytes_, copy_bytes_, MREMAP_MAYMOVE | MREMAP_FIXED, place_) !=
          static_cast<long>(address_.begin))
    munmap(place_, address_.bytes);  // better no blocks than its parent's
  has_begun_ = true;
  is_shared_.store(false);                           // alone: its partners are its parent's
  is_open_.store(false, std::memory_order_relaxed);  // relaxed: see `takes`
  pthread_mutex_unlock(&mutex_);
}

}  // namespace terrace
