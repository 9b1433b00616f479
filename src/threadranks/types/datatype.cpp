// SPDX-License-Identifier: BSD-3-Clause
// Makes types from others, and copies from one layout to another.
#include "threadranks/types/datatype.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

#include "threadranks/types/layout_cursor.hpp"

namespace terrace::threadranks {

Datatype::Datatype(const NamedType& predefined, std::uintptr_t standard)
    : name(predefined.name),
      is_committed(true),
      predefined_(&predefined),
      combined_as_(&predefined),
      standard_(standard) {
  only_basic_ = &predefined;
  size_ = predefined.bytes;
  alignment_ = predefined.alignment;
  const std::size_t first = predefined.first_bytes();
  add_piece({0, first});
  if (predefined.is_pair()) {
    add_piece({static_cast<std::ptrdiff_t>(predefined.second_at()), size_ - first});
    basics_ = {{first, 1}, {size_ - first, 1}};
  } else {
    basics_ = {{size_, 1, &predefined}};
  }
  extent_ = static_cast<std::ptrdiff_t>(predefined.extent());
  settle();
}

Datatype* Datatype::of_blocks(std::span<const TypeBlock> blocks, Recipe recipe, bool pads) {
  Datatype* const made = new Datatype;
  made->recipe_ = std::move(recipe);
  for (Datatype* type : made->recipe_.types) type->retain();
  constexpr std::ptrdiff_t kMost = std::numeric_limits<std::ptrdiff_t>::max();
  std::ptrdiff_t lowest = kMost, highest = -kMost;
  bool is_first = true, has_elements = false;
  for (const TypeBlock& block : blocks) {
    if (block.count <= 0) continue;
    const Datatype& type = *block.type;
    const std::ptrdiff_t last = (block.count - 1) * type.extent();
    lowest =
        std::min(lowest, block.displacement + type.lower() + std::min<std::ptrdiff_t>(0, last));
    highest = std::max(highest, block.displacement + type.lower() + type.extent() +
                                    std::max<std::ptrdiff_t>(0, last));
    if (type.size() > 0) {  // an empty member of a struct has no basic type
      const bool is_alike = !has_elements || made->only_basic_ == type.only_basic();
      made->only_basic_ = is_alike ? type.only_basic() : nullptr;
      has_elements = true;
    }
    is_first = false;
    made->add(block);
  }
  if (is_first) lowest = highest = 0;
  made->lower_ = lowest;
  made->extent_ = highest - lowest;
  const auto alignment = static_cast<std::ptrdiff_t>(made->alignment_);
  if (pads) made->extent_ = (made->extent_ + alignment - 1) / alignment * alignment;
  made->settle();
  return made;
}

Datatype* Datatype::resized(Datatype& old, std::ptrdiff_t lower, std::ptrdiff_t extent,
                            Recipe recipe) {
  const TypeBlock whole{0, 1, &old};
  Datatype* const made = of_blocks({&whole, 1}, std::move(recipe));
  made->lower_ = lower;
  made->extent_ = extent;
  made->settle();
  return made;
}

Datatype* Datatype::alike(Datatype& predefined, Recipe recipe) {
  Datatype* const made =
      resized(predefined, predefined.lower(), predefined.extent(), std::move(recipe));
  made->combined_as_ = predefined.predefined();
  made->is_committed = true;
  return made;
}

void Datatype::destroy() {
  for (Datatype* type : recipe_.types) type->release();
  delete this;
}

void Datatype::add(const TypeBlock& block) {
  const Datatype& type = *block.type;
  alignment_ = std::max(alignment_, type.alignment_);
  size_ += static_cast<std::size_t>(block.count) * type.size();
  add_basics(type, static_cast<std::size_t>(block.count));
  if (type.is_dense()) {
    add_piece({block.displacement, static_cast<std::size_t>(block.count) * type.size()});
    return;
  }
  for (std::ptrdiff_t i = 0; i < block.count; ++i)
    for (const TypePiece& piece : type.pieces())
      add_piece({block.displacement + i * type.extent() + piece.offset, piece.bytes});
}

void Datatype::add_piece(TypePiece piece) {
  if (piece.bytes == 0) return;
  if (!pieces_.empty()) {
    TypePiece& last = pieces_.back();
    if (last.offset + static_cast<std::ptrdiff_t>(last.bytes) == piece.offset) {
      last.bytes += piece.bytes;
      return;
    }
  }
  pieces_.push_back(piece);
}

/// A run of one kind stays a run, however many elements.
void Datatype::add_basics(const Datatype& type, std::size_t count) {
  const std::size_t rounds = type.basics_.size() == 1 ? 1 : count;
  for (std::size_t i = 0; i < rounds; ++i)
    for (const BasicRun& run : type.basics_) {
      const std::size_t more = rounds == count ? run.count : run.count * count;
      if (!basics_.empty() && basics_.back().bytes == run.bytes && basics_.back().type == run.type)
        basics_.back().count += more;
      else
        basics_.push_back({run.bytes, more, run.type});
    }
}

void Datatype::settle() {
  std::ptrdiff_t lowest = 0, highest = 0;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const std::ptrdiff_t end = pieces_[i].offset + static_cast<std::ptrdiff_t>(pieces_[i].bytes);
    lowest = i == 0 ? pieces_[i].offset : std::min(lowest, pieces_[i].offset);
    highest = i == 0 ? end : std::max(highest, end);
  }
  true_lower_ = lowest;
  true_extent_ = highest - lowest;
  is_dense_ = pieces_.size() <= 1 && lowest == 0 && extent_ == static_cast<std::ptrdiff_t>(size_);
}

std::int64_t Datatype::elements_in(std::size_t bytes) const {
  if (size_ == 0) return 0;
  std::size_t per_element = 0;
  for (const BasicRun& run : basics_) per_element += run.count;
  auto count = static_cast<std::int64_t>(bytes / size_ * per_element);
  std::size_t rest = bytes % size_;
  for (const BasicRun& run : basics_) {
    if (rest == 0) break;
    const std::size_t whole = std::min(run.count, rest / run.bytes);
    count += static_cast<std::int64_t>(whole);
    rest -= whole * run.bytes;
    if (whole < run.count) break;
  }
  return rest == 0 ? count : -1;
}

void copy_elements(const Layout& from, const Layout& to, std::size_t bytes) {
  bytes = std::min({bytes, from.bytes(), to.bytes()});
  LayoutCursor source(from), target(to);
  copy_next(source, target, bytes);
}

void pack_pieces(const Layout& from, std::byte* packed, std::size_t bytes) {
  LayoutCursor source(from);
  pack_next(source, packed, std::min(bytes, from.bytes()));
}

void unpack_pieces(const std::byte* packed, const Layout& to, std::size_t bytes) {
  LayoutCursor target(to);
  unpack_next(packed, target, std::min(bytes, to.bytes()));
}

}  // namespace terrace::threadranks
