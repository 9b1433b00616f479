// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes pieces of files.
#include "threadranks/files/file_access.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>

#include "base/contract.hpp"
#include "threadranks/ranks/rank_state.hpp"

namespace terrace::threadranks {

namespace {

/// Pieces below this length are worth a copy to be moved together.
constexpr std::size_t kSmallPiece = 64 * 1024;
/// Bytes of a file that are moved together at one time.
constexpr std::size_t kBufferBytes = 4 * 1024 * 1024;
/// Parts of the file that ranks move for all begin at a multiple of this.
constexpr std::int64_t kPartAlignment = 64 * 1024;
/// Sieving reads at most so many times the bytes that are wanted.
constexpr std::size_t kMostSieved = 8;

/// Reads or writes all of it, but for what lies behind the file's end.
Moved move_one(int descriptor, std::byte* memory, const FileSegment& segment, bool writes) {
  Moved moved;
  while (moved.bytes < segment.bytes) {
    const std::size_t left = segment.bytes - moved.bytes;
    const auto offset = segment.offset + static_cast<std::int64_t>(moved.bytes);
    const ssize_t now = writes ? pwrite(descriptor, memory + moved.bytes, left, offset)
                               : pread(descriptor, memory + moved.bytes, left, offset);
    if (now < 0 && errno == EINTR) continue;
    if (now < 0) moved.error = errno;
    if (now == 0 && writes) moved.error = ENOSPC;
    if (now <= 0) break;
    moved.bytes += static_cast<std::size_t>(now);
  }
  return moved;
}

/// A lock of a part of the file, in the atomic mode against all other accesses to it.
class RangeLock {
 public:
  RangeLock(FileDescriptor& descriptor, const FileSegment& part, bool writes)
      : descriptor_(descriptor.number) {
    if (!descriptor.is_atomic || part.bytes == 0) return;
    threads_ = std::unique_lock(descriptor.atomic_access);
    lock_.l_type = static_cast<short>(writes ? F_WRLCK : F_RDLCK);
    lock_.l_whence = SEEK_SET;
    lock_.l_start = part.offset;
    lock_.l_len = static_cast<off_t>(part.bytes);
    int outcome;
    while ((outcome = fcntl(descriptor_, F_OFD_SETLKW, &lock_)) != 0 && errno == EINTR) {
    }
    error_ = outcome != 0 ? errno : 0;
    is_held_ = outcome == 0;
  }
  ~RangeLock() {
    if (!is_held_) return;
    lock_.l_type = F_UNLCK;
    fcntl(descriptor_, F_OFD_SETLK, &lock_);
  }
  RangeLock(const RangeLock&) = delete;
  RangeLock& operator=(const RangeLock&) = delete;

  int error() const { return error_; }

 private:
  int descriptor_;
  std::unique_lock<std::mutex> threads_;
  struct flock lock_ {};
  int error_ = 0;
  bool is_held_ = false;
};

Moved move_each(int descriptor, const FileTransfer& transfer) {
  Moved moved;
  for (const FileSegment& segment : transfer.segments) {
    const Moved now = move_one(descriptor, transfer.memory + moved.bytes, segment, transfer.writes);
    moved.bytes += now.bytes;
    moved.error = now.error;
    if (now.error != 0 || now.bytes < segment.bytes) break;
  }
  return moved;
}

/// Whether one longer read is better than one for each piece.
bool are_to_be_sieved(const FileTransfer& transfer, const FileTransfer::Shape& shape) {
  return !transfer.writes && shape.pieces > 1 && shape.ascends &&
         shape.bytes / shape.pieces < kSmallPiece && shape.span.bytes / kMostSieved <= shape.bytes;
}

/// Reads the file from the first piece to the last, a buffer at a time.
Moved sieve(int descriptor, const FileTransfer& transfer, const FileSegment& span) {
  Moved moved;
  const auto& segments = transfer.segments;
  TERRACE_ASSERT(span.end() == segments.back().end(), segments.size());
  const auto buffer =
      std::make_unique_for_overwrite<std::byte[]>(std::min(span.bytes, kBufferBytes));
  std::int64_t begin = 0, end = 0;  // of the file, what the buffer has
  for (const FileSegment& segment : segments) {
    for (std::size_t done = 0; done < segment.bytes;) {
      const std::int64_t at = segment.offset + static_cast<std::int64_t>(done);
      if (at >= end) {
        const auto left = static_cast<std::size_t>(span.end() - at);
        const Moved now =
            move_one(descriptor, buffer.get(), {at, std::min(left, kBufferBytes)}, false);
        if (now.error != 0 || now.bytes == 0) return {now.error, moved.bytes};
        begin = at;
        end = at + static_cast<std::int64_t>(now.bytes);
      }
      const std::size_t length = std::min(segment.bytes - done, static_cast<std::size_t>(end - at));
      std::memcpy(transfer.memory + moved.bytes, buffer.get() + (at - begin), length);
      done += length;
      moved.bytes += length;
    }
  }
  return moved;
}

}  // namespace

FileTransfer::Shape FileTransfer::shape() const {
  if (segments.empty()) return {};
  Shape shape;
  shape.pieces = segments.size();
  std::int64_t begin = segments.front().offset, end = begin;
  for (const FileSegment& segment : segments) {
    if (shape.bytes > 0 && segment.offset < end) shape.ascends = false;
    begin = std::min(begin, segment.offset);
    end = std::max(end, segment.end());
    shape.bytes += segment.bytes;
  }
  shape.span = {begin, static_cast<std::size_t>(end - begin)};
  return shape;
}

Moved move_alone(FileDescriptor& descriptor, const FileTransfer& transfer) {
  const FileTransfer::Shape shape = transfer.shape();
  const RangeLock lock(descriptor, shape.span, transfer.writes);
  if (lock.error() != 0) return {lock.error(), 0};
  return are_to_be_sieved(transfer, shape) ? sieve(descriptor.number, transfer, shape.span)
                                           : move_each(descriptor.number, transfer);
}

namespace {

/// The offer that members make each other of their transfers.
struct Offer {
  const FileTransfer* transfer;  ///< there until its member knows that all parts have been moved
  FileTransfer::Shape shape;
};

/// A piece of some member, within the part of the file that is in the buffer.
struct PieceInBuffer {
  std::size_t at;  ///< in the buffer
  std::size_t bytes;
  std::byte* memory;
};

/// Goes through one member's pieces in ascending order.
class Cursor {
 public:
  explicit Cursor(const FileTransfer& transfer) : transfer_(transfer) {}

  /// Adds all pieces within [begin, end), which lies behind what was asked for before.
  void take(std::int64_t begin, std::int64_t end, std::vector<PieceInBuffer>& pieces) {
    const auto& segments = transfer_.segments;
    for (; next_ < segments.size() && segments[next_].end() <= begin; ++next_)
      start_ += segments[next_].bytes;
    std::size_t start = start_;
    for (std::size_t i = next_; i < segments.size() && segments[i].offset < end; ++i) {
      const std::int64_t first = std::max(begin, segments[i].offset);
      const std::int64_t last = std::min(end, segments[i].end());
      const auto skipped = static_cast<std::size_t>(first - segments[i].offset);
      pieces.push_back({static_cast<std::size_t>(first - begin),
                        static_cast<std::size_t>(last - first),
                        transfer_.memory + start + skipped});
      start += segments[i].bytes;
    }
  }

 private:
  const FileTransfer& transfer_;
  std::size_t next_ = 0, start_ = 0;  ///< a segment, and where it begins in memory
};

/// The parts of the buffer that pieces cover, neighbours joined. `ends`: where the pieces of each
/// member, which ascend, end.
std::vector<FileSegment> covered_by(const std::vector<PieceInBuffer>& pieces,
                                    std::vector<std::size_t> ends, std::int64_t begin) {
  std::vector<FileSegment> parts;
  parts.reserve(pieces.size());
  for (const PieceInBuffer& piece : pieces)
    parts.push_back({begin + static_cast<std::int64_t>(piece.at), piece.bytes});
  const auto is_before = [](const FileSegment& a, const FileSegment& b) {
    return a.offset < b.offset;
  };
  const auto at = [&](std::size_t index) {
    return parts.begin() + static_cast<std::ptrdiff_t>(index);
  };
  // Merges two neighbouring runs into one, until there is one.
  while (ends.size() > 1) {
    std::vector<std::size_t> longer;
    std::size_t first = 0;
    for (std::size_t run = 0; run < ends.size(); run += 2) {
      const std::size_t end = ends[std::min(run + 1, ends.size() - 1)];
      std::inplace_merge(at(first), at(ends[run]), at(end), is_before);
      longer.push_back(end);
      first = end;
    }
    ends = std::move(longer);
  }
  std::vector<FileSegment> joined;
  for (const FileSegment& part : parts) {
    if (joined.empty() || joined.back().end() < part.offset)
      joined.push_back(part);
    else
      joined.back().bytes = static_cast<std::size_t>(std::max(joined.back().end(), part.end()) -
                                                     joined.back().offset);
  }
  return joined;
}

/// Moves one part of the file for all members; returns the system's error.
int move_part(int descriptor, const std::vector<Offer>& offers, std::int64_t begin,
              std::int64_t end, bool writes) {
  std::vector<Cursor> cursors;
  for (const Offer& offer : offers) cursors.emplace_back(*offer.transfer);
  const auto room = std::min(static_cast<std::size_t>(end - begin), kBufferBytes);
  const auto buffer = std::make_unique_for_overwrite<std::byte[]>(room);
  std::vector<PieceInBuffer> pieces;
  std::vector<std::size_t> ends;
  for (std::int64_t at = begin; at < end; at += static_cast<std::int64_t>(room)) {
    pieces.clear();
    ends.clear();
    const std::int64_t behind = std::min(end, at + static_cast<std::int64_t>(room));
    for (Cursor& cursor : cursors) {
      cursor.take(at, behind, pieces);
      ends.push_back(pieces.size());
    }
    if (writes)
      for (const PieceInBuffer& piece : pieces)
        std::memcpy(buffer.get() + piece.at, piece.memory, piece.bytes);
    for (const FileSegment& part : covered_by(pieces, ends, at)) {
      const Moved moved = move_one(descriptor, buffer.get() + (part.offset - at), part, writes);
      if (moved.error != 0) return moved.error;
    }
    if (!writes)
      for (const PieceInBuffer& piece : pieces)
        std::memcpy(piece.memory, buffer.get() + piece.at, piece.bytes);
  }
  return 0;
}

/// Drops what lies behind the file's end, where there is nothing to read, if the pieces ascend.
void cut_at_end(int descriptor, FileTransfer& transfer, int& error) {
  struct stat status {};
  error = fstat(descriptor, &status) == 0 ? 0 : errno;
  auto& segments = transfer.segments;
  if (!transfer.shape().ascends) return;
  while (!segments.empty() && segments.back().offset >= status.st_size) segments.pop_back();
  if (!segments.empty() && segments.back().end() > status.st_size)
    segments.back().bytes = static_cast<std::size_t>(status.st_size - segments.back().offset);
}

}  // namespace

Moved move_together(Communicator& communicator, FileDescriptor& descriptor, FileTransfer transfer) {
  int error = 0;
  if (!transfer.writes) cut_at_end(descriptor.number, transfer, error);
  const Offer own{&transfer, transfer.shape()};
  std::vector<Offer> offers(static_cast<std::size_t>(communicator.size()));
  allgather(communicator, &own, offers.data(), sizeof own);
  [[maybe_unused]] const auto rank = static_cast<std::size_t>(communicator.rank());
  TERRACE_ASSERT(offers[rank].transfer == &transfer, rank, offers[rank].transfer, &transfer);

  std::int64_t begin = INT64_MAX, end = 0;
  std::size_t bytes = 0, pieces = 0;
  bool ascend = true;
  for (const Offer& offer : offers) {
    const FileTransfer::Shape& shape = offer.shape;
    if (shape.pieces == 0) continue;
    begin = std::min(begin, shape.span.offset);
    end = std::max(end, shape.span.end());
    bytes += shape.bytes;
    pieces += shape.pieces;
    ascend = ascend && shape.ascends;
  }
  const bool are_small = ascend && pieces > offers.size() && bytes / pieces < kSmallPiece;
  if (!are_small) {
    const Unlocked unlocked(communicator.state().call_lock());
    return error != 0 ? Moved{error, 0} : move_alone(descriptor, transfer);
  }
  const std::int64_t size = communicator.size();
  const std::int64_t share = (end - begin + size - 1) / size;
  const std::int64_t part = (share + kPartAlignment - 1) / kPartAlignment * kPartAlignment;
  const std::int64_t first = std::min(end, begin + part * communicator.rank());
  const std::int64_t last = std::min(end, first + part);
  if (first < last && error == 0) {
    const Unlocked unlocked(communicator.state().call_lock());
    const RangeLock lock(descriptor, {first, static_cast<std::size_t>(last - first)},
                         transfer.writes);
    error = lock.error();
    if (error == 0) error = move_part(descriptor.number, offers, first, last, transfer.writes);
  }
  // Who moved a part has used the others' memory, and knows alone whether that went well.
  error = first_error(communicator, error);
  return error != 0 ? Moved{error, 0} : Moved{0, own.shape.bytes};
}

}  // namespace terrace::threadranks
