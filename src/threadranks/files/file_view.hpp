// SPDX-License-Identifier: BSD-3-Clause
// File views (MPI 5.0, section 14.3): which bytes of a file a rank sees, in which order. A view is
// a filetype, repeated from a displacement on; its holes are not seen.
//
//     file     . . . . | A A . . B . | A A . . B . | A A . . B .
//                      displacement  one extent further
//     view               0 1     2     3 4     5     6 7     8     positions, in bytes
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "threadranks/types/layout_cursor.hpp"

namespace terrace::threadranks {

/// Contiguous bytes of a file.
struct FileSegment {
  std::int64_t offset;  ///< from the file's begin
  std::size_t bytes;

  std::int64_t end() const { return offset + static_cast<std::int64_t>(bytes); }
};

class FileView {
 public:
  /// All bytes from the first one on.
  FileView() = default;
  /// The filetype must be `is_filetype`, and live as long.
  FileView(std::int64_t displacement, std::size_t etype_bytes, Datatype& filetype);
  /// Whether a view may be made of it: its bytes follow each other in the file. Only bytes that are
  /// read may be there twice.
  static bool is_filetype(const Datatype& type, bool may_overlap);

  std::int64_t displacement() const { return displacement_; }
  std::size_t etype_bytes() const { return etype_bytes_; }
  /// The offset in the file of the byte at that position.
  std::int64_t offset_of(std::int64_t position) const;
  /// The position so many etypes behind another; nothing if it is negative, or its offset is no
  /// file's.
  std::optional<std::int64_t> position_of(std::int64_t etypes, std::int64_t behind = 0) const;
  /// Returns where so many bytes from that position on lie; in the order of positions, neighbours
  /// joined.
  std::vector<FileSegment> segments(std::int64_t position, std::size_t bytes) const;
  /// Returns how many of the view's bytes lie in front of that offset in the file.
  std::int64_t bytes_before(std::int64_t offset) const;

 private:
  /// A cursor at that byte of the view, which counts in offsets of the file instead of addresses.
  LayoutCursor cursor_at(std::int64_t position, std::size_t bytes) const;

  std::int64_t displacement_ = 0;
  std::size_t etype_bytes_ = 1;
  std::int64_t extent_ = 1;   ///< from one filetype to the next
  std::int64_t bytes_ = 1;    ///< of one filetype, without holes
  Datatype* tile_ = nullptr;  ///< null: no holes
};

}  // namespace terrace::threadranks
