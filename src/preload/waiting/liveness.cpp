// SPDX-License-Identifier: BSD-3-Clause
// Locks of open file descriptions (F_OFD_SETLK) on a memfd.
#include "preload/waiting/liveness.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace terrace::preload {

namespace {

/// Files to lock per process. Each takes a file descriptor. The first is usually that of
/// MPI_COMM_WORLD's rank 0, which is enough for all.
constexpr std::size_t kMostFiles = 16;

struct flock byte_lock(int rank) {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_start = rank;
  lock.l_len = 1;
  return lock;
}

struct FileIdentity {
  dev_t device = 0;
  ino_t number = 0;

  bool operator==(const FileIdentity&) const = default;
};

FileIdentity identity_of(int file) {
  struct stat status {};
  return fstat(file, &status) == 0 ? FileIdentity{status.st_dev, status.st_ino} : FileIdentity{};
}

/// A liveness file as this process holds it: mapped, which keeps its own lock, and opened a second
/// time to query the locks of others.
class LivenessFile {
 public:
  /// Locks the byte of `rank`. Null if the system does not allow it.
  static std::unique_ptr<LivenessFile> with(std::unique_ptr<SharedMemory> memory, int rank) {
    const int locked = memory->address().file;
    struct flock lock = byte_lock(rank);
    const std::string path = "/proc/self/fd/" + std::to_string(locked);
    const int asking =
        fcntl(locked, F_OFD_SETLK, &lock) == 0 ? ::open(path.c_str(), O_RDWR | O_CLOEXEC) : -1;
    if (asking < 0) return nullptr;
    MemoryAddress address = memory->address();
    address.file = asking;
    memory->close_file();
    return std::unique_ptr<LivenessFile>(new LivenessFile(std::move(memory), address));
  }
  ~LivenessFile() { close(address_.file); }
  LivenessFile(const LivenessFile&) = delete;
  LivenessFile& operator=(const LivenessFile&) = delete;

  const MemoryAddress& address() const { return address_; }

  void see(int rank) {
    if (is_held(rank).value_or(false)) seen_.insert(rank);
  }
  bool is_gone(int rank) const { return seen_.count(rank) != 0 && is_held(rank) == false; }

 private:
  LivenessFile(std::unique_ptr<SharedMemory> memory, const MemoryAddress& address)
      : memory_(std::move(memory)), address_(address), identity_(identity_of(address.file)) {}

  /// Nothing if unknown: programs may close file descriptors that they did not open.
  std::optional<bool> is_held(int rank) const {
    struct flock lock = byte_lock(rank);
    if (fcntl(address_.file, F_OFD_GETLK, &lock) != 0) return std::nullopt;
    if (!(identity_of(address_.file) == identity_)) return std::nullopt;
    return lock.l_type != F_UNLCK;
  }

  std::unique_ptr<SharedMemory> memory_;
  MemoryAddress address_;
  FileIdentity identity_;
  std::set<int> seen_;
};

struct LivenessFiles {
  std::mutex mutex;
  std::vector<std::unique_ptr<LivenessFile>> all;
  LivenessFile* own = nullptr;

  LivenessFile* add(Result<std::unique_ptr<SharedMemory>> memory, int rank) {
    auto file = memory ? LivenessFile::with(std::move(memory).value(), rank) : nullptr;
    if (!file) return nullptr;
    all.push_back(std::move(file));
    return all.back().get();
  }
};

LivenessFiles& liveness_files() {
  static auto* const the = new LivenessFiles;  // never destroyed: locks last as long as the process
  return *the;
}

}  // namespace

MemoryAddress own_liveness_file(int rank) {
  LivenessFiles& files = liveness_files();
  const std::lock_guard lock(files.mutex);
  if (files.own == nullptr) files.own = files.add(SharedMemory::make(0), rank);
  return files.own ? files.own->address() : MemoryAddress{};
}

void show_liveness(const MemoryAddress& file, int rank) {
  LivenessFiles& files = liveness_files();
  const std::lock_guard lock(files.mutex);
  const bool is_known = std::any_of(files.all.begin(), files.all.end(), [&](const auto& one) {
    return one->address().token == file.token;
  });
  if (file.file < 0 || is_known || files.all.size() >= kMostFiles) return;
  files.add(SharedMemory::open(file), rank);
}

void check_liveness(std::span<const int> ranks) {
  LivenessFiles& files = liveness_files();
  const std::lock_guard lock(files.mutex);
  for (const auto& file : files.all)
    for (const int rank : ranks) file->see(rank);
}

bool is_gone(int rank) {
  LivenessFiles& files = liveness_files();
  const std::lock_guard lock(files.mutex);
  return std::any_of(files.all.begin(), files.all.end(),
                     [rank](const auto& file) { return file->is_gone(rank); });
}

}  // namespace terrace::preload
