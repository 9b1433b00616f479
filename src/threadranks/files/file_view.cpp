// SPDX-License-Identifier: BSD-3-Clause
// Converts positions in views to offsets in files, and back.
#include "threadranks/files/file_view.hpp"

#include <algorithm>

#include "base/contract.hpp"

namespace terrace::threadranks {

bool FileView::is_filetype(const Datatype& type, bool may_overlap) {
  std::ptrdiff_t least = 0;
  for (const TypePiece& piece : type.pieces()) {
    if (piece.offset < least) return false;
    least = piece.offset + (may_overlap ? 0 : static_cast<std::ptrdiff_t>(piece.bytes));
  }
  return type.extent() >= 0 && (type.size() == 0 || type.extent() > 0);
}

FileView::FileView(std::int64_t displacement, std::size_t etype_bytes, const Datatype& filetype)
    : displacement_(displacement),
      etype_bytes_(etype_bytes),
      extent_(filetype.extent()),
      bytes_(static_cast<std::int64_t>(filetype.size())),
      pieces_(filetype.pieces()) {
  TERRACE_REQUIRE(displacement >= 0 && is_filetype(filetype, true), displacement);
  starts_.clear();
  std::int64_t start = 0;
  for (const TypePiece& piece : pieces_) {
    starts_.push_back(start);
    start += static_cast<std::int64_t>(piece.bytes);
  }
  has_holes_ = pieces_.size() != 1 || pieces_.front().offset != 0 || extent_ != bytes_;
}

std::size_t FileView::piece_at(std::int64_t within) const {
  const auto behind = std::upper_bound(starts_.begin(), starts_.end(), within);
  return static_cast<std::size_t>(behind - starts_.begin()) - 1;
}

std::int64_t FileView::offset_of(std::int64_t position) const {
  TERRACE_ASSERT(position >= 0, position);
  if (!has_holes_ || bytes_ == 0) return displacement_ + position;
  const std::int64_t within = position % bytes_;
  const std::size_t piece = piece_at(within);
  return displacement_ + position / bytes_ * extent_ + pieces_[piece].offset + within -
         starts_[piece];
}

std::vector<FileSegment> FileView::segments(std::int64_t position, std::size_t bytes) const {
  if (bytes == 0 || bytes_ == 0) return {};
  if (!has_holes_) return {{displacement_ + position, bytes}};
  std::vector<FileSegment> found;
  const std::size_t tiles = bytes / static_cast<std::size_t>(bytes_) + 2;
  found.reserve(std::min(tiles * pieces_.size(), bytes));
  std::int64_t tile = position / bytes_, within = position % bytes_;
  std::size_t piece = piece_at(within);
  within -= starts_[piece];
  while (bytes > 0) {
    const TypePiece& next = pieces_[piece];
    const std::size_t length = std::min(bytes, next.bytes - static_cast<std::size_t>(within));
    const std::int64_t offset = displacement_ + tile * extent_ + next.offset + within;
    if (!found.empty() && found.back().end() == offset)
      found.back().bytes += length;
    else if (length > 0)
      found.push_back({offset, length});
    bytes -= length;
    within = 0;
    if (++piece == pieces_.size()) {
      piece = 0;
      ++tile;
    }
  }
  return found;
}

std::int64_t FileView::bytes_before(std::int64_t offset) const {
  const std::int64_t distance = offset - displacement_;
  if (distance <= 0 || bytes_ == 0) return 0;
  if (!has_holes_) return distance;
  const std::int64_t tiles = distance / extent_, rest = distance % extent_;
  std::int64_t bytes = tiles * bytes_;
  for (const TypePiece& piece : pieces_)
    bytes +=
        std::clamp<std::int64_t>(rest - piece.offset, 0, static_cast<std::int64_t>(piece.bytes));
  return bytes;
}

}  // namespace terrace::threadranks
