// SPDX-License-Identifier: BSD-3-Clause
// Files that the ranks of a communicator have opened together (MPI 5.0, chapter 14).
//
//     File                    one for each member: a descriptor, a view, a pointer, settings
//       SharedPointer         its way to the pointer of all members
//
// Each rank has its own descriptor, so that locks of the atomic mode keep ranks apart as they keep
// processes apart. What is read and written goes through the system's page cache; ROMIO, which
// would be the alternative, needs MPICH's internals, and a copy of its variables for each rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "threadranks/files/file_view.hpp"
#include "threadranks/files/shared_pointer.hpp"
#include "threadranks/ranks/communicator.hpp"

namespace terrace::threadranks {

/// The way in which a file is opened.
struct FileMode {
  bool reads = false, writes = false;
  bool creates = false, is_new = false;  ///< with `is_new`, the file must not be there
  bool deletes_on_close = false, appends = false;
  bool is_sequential = false;  ///< only by the shared pointer
};

/// The representation of elements in the file.
enum class Representation : std::uint8_t { native, external32 };

/// The outcome of an operation: an error of the system, 0 if there is none, and bytes moved, in
/// memory.
struct Moved {
  int error = 0;
  std::size_t bytes = 0;
};

/// Whether memory is written to the file, else read from it; and whether all members take part, so
/// that their pieces are merged.
struct FileAccess {
  bool writes = false, is_collective = false;
};

/// Contiguous memory, and where its bytes lie in the file.
struct FileTransfer {
  std::byte* memory = nullptr;
  std::vector<FileSegment> segments;
  bool writes = false;

  struct Shape {
    FileSegment span{};     ///< from the lowest byte to the highest
    std::size_t bytes = 0;  ///< without holes
    std::size_t pieces = 0;
    bool ascends = true;  ///< each segment lies behind the one before
  };
  /// Segments do not ascend if filetypes reach into the next ones, or overlap, as those of files
  /// that are only read may.
  Shape shape() const;
};

/// A member's way to the file. Locks of the atomic mode keep descriptors apart, and the mutex the
/// threads that use one.
struct FileDescriptor {
  int number = -1;
  bool is_atomic = false;
  std::mutex atomic_access;
};

/// Collective: the first error of any member, in the order of ranks; 0: there is none.
int first_error(Communicator& communicator, int error);

class File : public HandledObject {
 public:
  static constexpr ObjectKind kObjectKind = ObjectKind::file;
  static void* operator new(std::size_t bytes) { return take_handle_block(kObjectKind, bytes); }
  static void operator delete(void* file) noexcept { give_handle_block(kObjectKind, file); }

  using Hints = std::vector<std::pair<std::string, std::string>>;

  /// Collective. The communicator is the file's own from then on. Null: `error` is the system's.
  static std::unique_ptr<File> open(Communicator& communicator, const std::string& path,
                                    const FileMode& mode, int& error);
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  Communicator& communicator() const { return *communicator_; }
  RankState& state() const;
  const FileMode& mode() const { return mode_; }
  const std::string& path() const { return path_; }

  /// Collective, as all that follow up to `sync`. The file's types are kept.
  void set_view(std::int64_t displacement, Datatype& etype, Datatype& filetype,
                Representation representation);
  /// Each returns the system's error.
  int set_size(std::int64_t bytes);
  int preallocate(std::int64_t bytes);
  int sync();
  /// Closes the file; returns the first error of any member.
  int close();

  const FileView& view() const { return view_; }
  Datatype* etype() const { return etype_; }
  Datatype* filetype() const { return filetype_; }
  Representation representation() const { return representation_; }
  int size(std::int64_t& bytes) const;

  /// Reads or writes from that position of the view on. Elements in memory may have any layout.
  Moved move(std::int64_t at, const Layout& layout, const FileAccess& how);
  /// Bytes in the file of these elements.
  std::size_t file_bytes(const Layout& layout) const;
  SharedPointer& shared_pointer() { return shared_pointer_; }
  /// Collective: the part of this rank where ranks follow each other at the shared pointer.
  std::int64_t take_shared_in_order(std::size_t bytes);

  std::int64_t position = 0;  ///< of the individual pointer, in bytes of the view
  int access_mode = 0;        ///< as the program has given it
  bool is_atomic() const { return descriptor_.is_atomic; }
  void set_atomic(bool is_atomic) { descriptor_.is_atomic = is_atomic; }
  Hints hints;
  std::shared_ptr<void> errhandler;  ///< the adapter's
  /// A split collective that has begun: the function that ends it; null: none.
  const char* split = nullptr;
  std::uint64_t split_bytes = 0;

 private:
  File(Communicator& communicator, std::string path, const FileMode& mode, int descriptor);

  Communicator* communicator_;
  SharedPointer shared_pointer_;
  std::string path_;
  FileMode mode_;
  FileDescriptor descriptor_;
  FileView view_;
  Datatype* etype_ = nullptr;
  Datatype* filetype_ = nullptr;
  Representation representation_ = Representation::native;
};

}  // namespace terrace::threadranks
