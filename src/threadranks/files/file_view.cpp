// SPDX-License-Identifier: BSD-3-Clause
// Converts positions in views to offsets in files, and back.
#include "threadranks/files/file_view.hpp"

#include "base/contract.hpp"

namespace terrace::threadranks {

bool FileView::is_filetype(const Datatype& type, bool may_overlap) {
  const auto& [offset, loop] = type.placed();
  if (loop == nullptr) return type.extent() >= 0;
  return offset >= 0 && (may_overlap ? loop->ascends : loop->is_disjoint) && type.extent() > 0;
}

FileView::FileView(std::int64_t displacement, std::size_t etype_bytes, Datatype& filetype)
    : displacement_(displacement),
      etype_bytes_(etype_bytes),
      extent_(filetype.extent()),
      bytes_(static_cast<std::int64_t>(filetype.size())),
      tile_(filetype.is_dense() ? nullptr : &filetype) {
  TERRACE_REQUIRE(displacement >= 0 && is_filetype(filetype, true), displacement);
}

LayoutCursor FileView::cursor_at(std::int64_t position, std::size_t bytes) const {
  const auto begin = static_cast<std::size_t>(position), tile = static_cast<std::size_t>(bytes_);
  const Layout layout{reinterpret_cast<const void*>(displacement_), (begin + bytes) / tile + 1,
                      tile_};
  return LayoutCursor(layout, begin);
}

std::int64_t FileView::offset_of(std::int64_t position) const {
  TERRACE_ASSERT(position >= 0, position);
  if (tile_ == nullptr || bytes_ == 0) return displacement_ + position;
  return static_cast<std::int64_t>(cursor_at(position, 0).address());
}

std::optional<std::int64_t> FileView::position_of(std::int64_t etypes, std::int64_t behind) const {
  std::int64_t position, offset;
  if (__builtin_mul_overflow(etypes, static_cast<std::int64_t>(etype_bytes_), &position) ||
      __builtin_add_overflow(position, behind, &position) || position < 0)
    return std::nullopt;
  offset = position;
  if (tile_ != nullptr && bytes_ != 0 &&
      __builtin_mul_overflow(position / bytes_ + 1, extent_, &offset))
    return std::nullopt;
  return __builtin_add_overflow(offset, displacement_, &offset) ? std::nullopt
                                                                : std::optional(position);
}

std::vector<FileSegment> FileView::segments(std::int64_t position, std::size_t bytes) const {
  if (bytes == 0 || bytes_ == 0) return {};
  if (tile_ == nullptr) return {{displacement_ + position, bytes}};
  std::vector<FileSegment> found;
  const std::size_t piece = static_cast<std::size_t>(bytes_) / tile_->placed().loop->pieces;
  found.reserve(bytes / piece + 2);  // if all pieces are equal
  LayoutCursor cursor = cursor_at(position, bytes);
  while (bytes > 0) {
    const std::size_t length = cursor.room(bytes);
    const auto offset = static_cast<std::int64_t>(cursor.address());
    if (!found.empty() && found.back().end() == offset)
      found.back().bytes += length;
    else
      found.push_back({offset, length});
    cursor.pass(length);
    bytes -= length;
  }
  return found;
}

std::int64_t FileView::bytes_before(std::int64_t offset) const {
  const std::int64_t distance = offset - displacement_;
  if (distance <= 0 || bytes_ == 0) return 0;
  if (tile_ == nullptr) return distance;
  const std::int64_t tiles = distance / extent_, rest = distance % extent_;
  const auto& [first, loop] = tile_->placed();
  return tiles * bytes_ +
         static_cast<std::int64_t>(terrace::threadranks::bytes_before(*loop, rest - first));
}

}  // namespace terrace::threadranks
