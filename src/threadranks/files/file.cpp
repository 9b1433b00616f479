// SPDX-License-Identifier: BSD-3-Clause
// Opens files, and what all members do with them together.
#include "threadranks/files/file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <numeric>

#include "base/contract.hpp"
#include "threadranks/files/file_access.hpp"
#include "threadranks/ranks/rank_state.hpp"
#include "threadranks/types/external32.hpp"

namespace terrace::threadranks {

namespace {

constexpr int kPermissions = 0666;  // less the process's umask

int flags_of(const FileMode& mode) {
  return (mode.reads && mode.writes ? O_RDWR : mode.writes ? O_WRONLY : O_RDONLY) | O_CLOEXEC;
}

int error_of(int outcome) {
  return outcome == 0 ? 0 : errno;
}

}  // namespace

std::unique_ptr<File> File::open(Communicator& communicator, const std::string& path,
                                 const FileMode& mode, int& error) {
  // The first member creates it, before the others open it.
  const int creation = (mode.creates ? O_CREAT : 0) | (mode.is_new ? O_EXCL : 0);
  int descriptor = -1;
  error = 0;
  if (communicator.rank() == 0) {
    descriptor = ::open(path.c_str(), flags_of(mode) | creation, kPermissions);
    error = descriptor < 0 ? errno : 0;
  }
  bcast(communicator, &error, sizeof error, 0);
  if (error == 0 && communicator.rank() != 0) {
    descriptor = ::open(path.c_str(), flags_of(mode));
    error = descriptor < 0 ? errno : 0;
  }
  std::unique_ptr<File> file(new File(communicator, path, mode, descriptor));
  error = first_error(communicator, error);
  if (error != 0) return nullptr;
  if (mode.appends) {
    std::int64_t bytes = 0;
    error = file->size(bytes);
    file->position = bytes;
    file->shared_pointer_.set(bytes);
  }
  return file;
}

File::File(Communicator& communicator, std::string path, const FileMode& mode, int descriptor)
    : HandledObject(kObjectKind),
      communicator_(&communicator),
      shared_pointer_(communicator),
      path_(std::move(path)),
      mode_(mode) {
  descriptor_.number = descriptor;
  etype_ = filetype_ = predefined_type(kByte);
}

File::~File() {
  if (descriptor_.number >= 0) ::close(descriptor_.number);
  etype_->release();
  filetype_->release();
  communicator_->release();
}

int first_error(Communicator& communicator, int error) {
  std::vector<int> all(static_cast<std::size_t>(communicator.size()));
  allgather(communicator, &error, all.data(), sizeof error);
  const auto found = std::find_if(all.begin(), all.end(), [](int one) { return one != 0; });
  return found != all.end() ? *found : 0;
}

RankState& File::state() const {
  return communicator_->state();
}

void File::set_view(std::int64_t displacement, Datatype& etype, Datatype& filetype,
                    Representation representation) {
  etype.retain();
  filetype.retain();
  etype_->release();
  filetype_->release();
  etype_ = &etype;
  filetype_ = &filetype;
  representation_ = representation;
  view_ = FileView(displacement, etype.size(), filetype);
  position = 0;
  shared_pointer_.set(0);
}

int File::set_size(std::int64_t bytes) {
  const bool is_first = communicator_->rank() == 0;
  return first_error(*communicator_, is_first ? error_of(ftruncate(descriptor_.number, bytes)) : 0);
}

int File::preallocate(std::int64_t bytes) {
  const bool is_first = communicator_->rank() == 0 && bytes > 0;
  return first_error(*communicator_, is_first ? posix_fallocate(descriptor_.number, 0, bytes) : 0);
}

int File::sync() {
  int error = 0;
  {
    const Unlocked unlocked(state().call_lock());
    if (mode_.writes) error = error_of(fsync(descriptor_.number));
  }
  return first_error(*communicator_, error);
}

int File::close() {
  TERRACE_ASSERT(descriptor_.number >= 0, descriptor_.number);
  shared_pointer_.close();
  int error = error_of(::close(descriptor_.number));
  descriptor_.number = -1;
  error = first_error(*communicator_, error);
  if (mode_.deletes_on_close && communicator_->rank() == 0 && error == 0)
    error = error_of(unlink(path_.c_str()));
  bcast(*communicator_, &error, sizeof error, 0);
  return error;
}

int File::size(std::int64_t& bytes) const {
  struct stat status {};
  const int error = error_of(fstat(descriptor_.number, &status));
  bytes = status.st_size;
  return error;
}

std::size_t File::file_bytes(const Layout& layout) const {
  return representation_ == Representation::native ? layout.bytes()
                                                   : layout.count * external_bytes(*layout.type);
}

Moved File::move(std::int64_t at, const Layout& layout, const FileAccess& how) {
  const std::size_t bytes = file_bytes(layout);
  const bool is_native = representation_ == Representation::native;
  const bool is_direct = is_native && layout.type->is_dense();
  std::unique_ptr<std::byte[]> packed;
  if (!is_direct) packed = std::make_unique_for_overwrite<std::byte[]>(bytes);
  if (!is_direct && how.writes)
    is_native ? pack(layout, packed.get(), bytes) : pack_external(layout, packed.get());
  std::byte* const memory =
      is_direct ? static_cast<std::byte*>(const_cast<void*>(layout.buffer)) : packed.get();
  FileTransfer transfer{memory, view_.segments(at, bytes), how.writes};
  Moved moved;
  if (how.is_collective && !communicator_->spans()) {
    moved = move_together(*communicator_, descriptor_, std::move(transfer));
  } else {
    const Unlocked unlocked(state().call_lock());
    moved = move_alone(descriptor_, transfer);
  }
  if (!is_native) {  // told as bytes in memory
    const std::size_t element = std::max<std::size_t>(external_bytes(*layout.type), 1);
    const std::size_t elements = moved.bytes / element;
    if (!how.writes) unpack_external(packed.get(), {layout.buffer, elements, layout.type});
    moved.bytes = elements * layout.type->size();
  } else if (!is_direct && !how.writes) {
    unpack(packed.get(), layout, moved.bytes);
  }
  return moved;
}

std::int64_t File::take_shared_in_order(std::size_t bytes) {
  std::vector<std::size_t> all(static_cast<std::size_t>(communicator_->size()));
  allgather(*communicator_, &bytes, all.data(), sizeof bytes);
  std::int64_t first = 0;
  if (communicator_->rank() == 0)
    first = shared_pointer_.advance(std::accumulate(all.begin(), all.end(), std::int64_t{0}));
  bcast(*communicator_, &first, sizeof first, 0);
  const auto before = all.begin() + communicator_->rank();
  return first + std::accumulate(all.begin(), before, std::int64_t{0});
}

}  // namespace terrace::threadranks
