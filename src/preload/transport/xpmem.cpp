// SPDX-License-Identifier: BSD-3-Clause
// Calls libxpmem. The kernel follows what the owner maps and unmaps later, so attached ranges
// always show what lies at their addresses. They must be unmapped by detaching only; the module
// punishes anything else by SIGKILL.
#include "preload/transport/xpmem.hpp"

#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>

#include "base/pages.hpp"

namespace terrace::preload {

namespace {

/// A struct of xpmem.h, which need not be there when Terrace is built.
struct PlaceInPeer {
  std::int64_t permit;
  off_t offset;
};
constexpr auto kAllAddresses = static_cast<std::size_t>(-1L);
constexpr int kReadAndWrite = 2, kByMode = 1;
constexpr std::uintptr_t kOwnerAlone = 0600;

struct Library {
  int (*version)() = nullptr;
  std::int64_t (*make)(void*, std::size_t, int, void*) = nullptr;
  int (*remove)(std::int64_t) = nullptr;
  std::int64_t (*get)(std::int64_t, int, int, void*) = nullptr;
  int (*release)(std::int64_t) = nullptr;
  void* (*attach)(PlaceInPeer, std::size_t, void*) = nullptr;
  int (*detach)(void*) = nullptr;
  std::string obstacle;  ///< why it is of no use; "" if it is
};

template <class Pointer>
bool find(void* file, const char* name, Pointer& function) {
  function = reinterpret_cast<Pointer>(dlsym(file, name));
  return function != nullptr;
}

Library* load() {
  auto* const library = new Library;
  void* file = dlopen("libxpmem.so.0", RTLD_NOW | RTLD_LOCAL);
  if (file == nullptr) file = dlopen("libxpmem.so", RTLD_NOW | RTLD_LOCAL);
  if (file == nullptr) {
    library->obstacle = "finds no libxpmem.so.0";
    return library;
  }
  if (!find(file, "xpmem_version", library->version) || !find(file, "xpmem_make", library->make) ||
      !find(file, "xpmem_remove", library->remove) || !find(file, "xpmem_get", library->get) ||
      !find(file, "xpmem_release", library->release) ||
      !find(file, "xpmem_attach", library->attach) || !find(file, "xpmem_detach", library->detach))
    library->obstacle = "has a libxpmem that lacks some of its functions";
  else if (library->version() < 0)
    library->obstacle = std::string("cannot use /dev/xpmem: ") + std::strerror(errno);
  return library;
}

/// Never destroyed: attached memory may outlive us.
const Library& library() {
  static const Library* const the = load();
  return *the;
}

/// Whether a load there would raise no signal: the kernel copies for us, and only refuses. Memory
/// that the owner has not mapped, or has mapped from a device, cannot be attached, and XPMEM does
/// not say so before.
bool can_load(const std::byte* at) {
  static const int file = memfd_create("terrace-probe", MFD_CLOEXEC);
  return file < 0 || pwrite(file, at, 1, 0) == 1;
}

/// Spaces that some team uses. Never destroyed: MPI may outlive us.
struct KnownSpaces {
  std::mutex mutex;
  std::weak_ptr<const Segment> own;
  std::map<std::int64_t, std::weak_ptr<PeerSpace>> by_segment;
};

KnownSpaces& known() {
  static auto* const the = new KnownSpaces;
  return *the;
}

}  // namespace

Result<std::shared_ptr<const Segment>> Segment::own() {
  if (!library().obstacle.empty()) return Error{ErrorCode::system, library().obstacle};
  const std::lock_guard lock(known().mutex);
  if (auto segment = known().own.lock()) return segment;
  const std::int64_t number =
      library().make(nullptr, kAllAddresses, kByMode, reinterpret_cast<void*>(kOwnerAlone));
  if (number == -1)
    return Error{ErrorCode::system,
                 std::string("cannot offer its memory (xpmem_make: ") + std::strerror(errno) + ")"};
  const std::shared_ptr<const Segment> made(new Segment(number));
  known().own = made;
  return made;
}

/// No peer is in a call that would use it, and what peers have attached, they let go themselves.
Segment::~Segment() {
  library().remove(number_);
}

Result<std::shared_ptr<PeerSpace>> PeerSpace::of(std::int64_t segment) {
  const std::lock_guard lock(known().mutex);
  auto& space = known().by_segment[segment];
  if (auto found = space.lock()) return found;
  const std::int64_t permit = library().get(segment, kReadAndWrite, kByMode, nullptr);
  if (permit == -1)
    return Error{ErrorCode::system, std::string("cannot attach a peer's memory (xpmem_get: ") +
                                        std::strerror(errno) + ")"};
  const std::shared_ptr<PeerSpace> made(new PeerSpace(permit));
  space = made;
  return made;
}

PeerSpace::PeerSpace(std::int64_t permit) : permit_(permit), ranges_(*this, page_bytes()) {}

/// Whatever is still attached goes with the permit, but ranges want to go first.
PeerSpace::~PeerSpace() {
  ranges_.clear();
  library().release(permit_);
}

AttachedRange* PeerSpace::take(std::uint64_t address, std::size_t bytes) noexcept {
  const std::lock_guard lock(mutex_);
  bool is_new = false;
  AttachedRange* const range = ranges_.take(address, bytes, is_new);
  if (range == nullptr || !is_new) return range;
  if (can_load(range->here(address)) && can_load(range->here(address) + bytes - 1)) return range;
  ranges_.give_back(*range);
  errno = EFAULT;
  return nullptr;
}

void PeerSpace::give_back(AttachedRange& range) noexcept {
  const std::lock_guard lock(mutex_);
  ranges_.give_back(range);
}

int PeerSpace::try_on(const MemoryProof& proof) noexcept {
  AttachedRange* const range = take(proof.address, sizeof proof.value);
  if (range == nullptr) return errno;
  std::uint64_t found = 0;
  std::memcpy(&found, range->here(proof.address), sizeof found);
  give_back(*range);
  return found == proof.value ? 0 : EIO;
}

std::byte* PeerSpace::attach(std::uint64_t begin, std::size_t bytes) noexcept {
  void* const at = library().attach({permit_, static_cast<off_t>(begin)}, bytes, nullptr);
  return at == reinterpret_cast<void*>(-1) ? nullptr : static_cast<std::byte*>(at);
}

void PeerSpace::detach(std::byte* at) noexcept {
  library().detach(at);
}

}  // namespace terrace::preload
