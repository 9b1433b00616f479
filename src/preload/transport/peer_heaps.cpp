// SPDX-License-Identifier: BSD-3-Clause
// Finds this process's shared heap, and maps those of peers: once per process, for all teams.
#include "preload/transport/peer_heaps.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>

#include "base/contract.hpp"
#include "base/pages.hpp"

namespace terrace::preload {

namespace {

const HeapInterface* find_interface() {
  const auto find = reinterpret_cast<HeapInterfaceFinder>(dlsym(RTLD_DEFAULT, kHeapInterfaceName));
  const HeapInterface* const found = find ? find() : nullptr;
  return found && found->version == kHeapInterfaceVersion ? found : nullptr;
}

const HeapInterface* heap() {
  static const HeapInterface* const the = find_interface();
  return the;
}

class OwnHeap final : public Reachable {
 public:
  explicit OwnHeap(const HeapInterface& heap, const HeapAddress& address)
      : interface_(heap), begin_(address.begin), bytes_(address.bytes) {}

  bool covers(const void* begin, std::size_t bytes) const noexcept override {
    const std::uintptr_t offset = reinterpret_cast<std::uintptr_t>(begin) - begin_;
    return offset < bytes_ && bytes <= bytes_ - offset;
  }
  bool enter() noexcept override { return interface_.enter(); }
  void leave() noexcept override { interface_.leave(); }

 private:
  const HeapInterface& interface_;
  std::uintptr_t begin_;
  std::size_t bytes_;
};

}  // namespace

HeapAddress own_heap_address() {
  return heap() ? heap()->address() : HeapAddress{};
}

std::string own_heap_obstacle() {
  return heap() ? heap()->obstacle() : "";
}

HeapUse own_heap_use() {
  return heap() ? heap()->use() : HeapUse{};
}

Reachable* own_heap() {
  static OwnHeap* const the = [] {
    const HeapAddress address = own_heap_address();
    return address.file < 0 ? nullptr : new OwnHeap(*heap(), address);
  }();
  return the;
}

class MappedHeap {
 public:
  static Result<std::shared_ptr<const MappedHeap>> map(const HeapAddress& address);
  ~MappedHeap() { munmap(place_, bytes_); }
  MappedHeap(const MappedHeap&) = delete;
  MappedHeap& operator=(const MappedHeap&) = delete;

  std::ptrdiff_t shift() const { return shift_; }

 private:
  MappedHeap(void* place, const HeapAddress& address)
      : place_(place),
        bytes_(address.bytes),
        shift_(
            static_cast<std::ptrdiff_t>(reinterpret_cast<std::uintptr_t>(place) - address.begin)) {}

  void* place_;
  std::size_t bytes_;
  std::ptrdiff_t shift_;
};

namespace {

/// Opens the file if it is still the one that its owner announced; else negative.
int open_heap_file(const HeapAddress& address, const std::string& path) {
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  struct stat status {};
  if (file < 0 || (fstat(file, &status) == 0 && status.st_ino == address.inode)) return file;
  close(file);
  errno = ESTALE;
  return -1;
}

}  // namespace

/// The whole span: of what its owner has not touched, nothing is there.
Result<std::shared_ptr<const MappedHeap>> MappedHeap::map(const HeapAddress& address) {
  TERRACE_REQUIRE(address.process > 0 && address.file >= 0, address.process, address.file);
  TERRACE_REQUIRE(address.bytes > 0 && address.begin % page_bytes() == 0, address.begin,
                  address.bytes);
  const std::string path =
      "/proc/" + std::to_string(address.process) + "/fd/" + std::to_string(address.file);
  const int file = open_heap_file(address, path);
  void* place = MAP_FAILED;
  if (file >= 0)
    place =
        mmap(nullptr, address.bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  if (place == MAP_FAILED) {
    const Error error{ErrorCode::system, "a peer's shared heap cannot be mapped from " + path +
                                             ": " + std::strerror(errno)};
    if (file >= 0) close(file);
    return error;
  }
  close(file);
  // A child process has no part in it; a core file of each rank need not hold all ranks'.
  madvise(place, address.bytes, MADV_DONTFORK);
  madvise(place, address.bytes, MADV_DONTDUMP);
  return std::shared_ptr<const MappedHeap>(new MappedHeap(place, address));
}

namespace {

/// Heaps that some team uses. Never destroyed: MPI may outlive us.
struct KnownHeaps {
  std::mutex mutex;
  std::map<std::pair<std::int64_t, std::uint64_t>, std::weak_ptr<const MappedHeap>> by_file;
};

Result<std::shared_ptr<const MappedHeap>> mapped_once(const HeapAddress& address) {
  static auto* const known = new KnownHeaps;
  const std::lock_guard lock(known->mutex);
  auto& heap = known->by_file[{address.process, address.inode}];
  if (auto found = heap.lock()) return found;
  auto mapped = MappedHeap::map(address);
  if (mapped) heap = mapped.value();
  return mapped;
}

}  // namespace

Result<std::unique_ptr<PeerHeaps>> PeerHeaps::map(std::span<const HeapAddress> addresses,
                                                  Rank own) {
  auto heaps = std::make_unique<PeerHeaps>();
  TERRACE_REQUIRE(own < addresses.size(), own, addresses.size());
  heaps->mapped_.resize(addresses.size());
  for (Rank rank = 0; rank < addresses.size(); ++rank) {
    if (rank == own) continue;
    auto mapped = mapped_once(addresses[rank]);
    if (!mapped) return mapped.error();
    heaps->mapped_[rank] = std::move(mapped).value();
  }
  return heaps;
}

std::ptrdiff_t PeerHeaps::shift(Rank rank) const {
  TERRACE_ASSERT(rank < mapped_.size(), rank, mapped_.size());
  return mapped_[rank] ? mapped_[rank]->shift() : 0;
}

}  // namespace terrace::preload
