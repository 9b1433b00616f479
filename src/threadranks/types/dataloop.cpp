// SPDX-License-Identifier: BSD-3-Clause
// Makes dataloops, as small as they can be.
#include "threadranks/types/dataloop.hpp"

#include <algorithm>
#include <utility>

#include "base/contract.hpp"

namespace terrace::threadranks {

namespace {

/// Pieces that are so few that they are listed rather than referred to: that takes hardly more
/// memory, and cursors move on sooner.
constexpr std::size_t kFewToList = 8;

/// Widens the order, the ends and the span of the blocks so far by what follows them.
void extend(Dataloop& loop, std::ptrdiff_t offset, std::ptrdiff_t last_begin,
            std::ptrdiff_t last_end, std::ptrdiff_t span, bool is_first) {
  loop.ascends &= is_first || offset >= loop.last_begin;
  loop.is_disjoint &= is_first || offset >= loop.last_end;
  loop.last_begin = offset + last_begin;
  loop.last_end = offset + last_end;
  loop.span = std::max(loop.span, offset + span);
}

}  // namespace

std::size_t Dataloop::block_at(std::size_t packed) const {
  const auto is_behind = [](std::size_t place, const Block& block) { return place < block.end; };
  const auto found = std::upper_bound(blocks.begin(), blocks.end(), packed, is_behind);
  return static_cast<std::size_t>(found - blocks.begin());
}

SharedDataloop contiguous_dataloop(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  const auto made = std::make_shared<Dataloop>();
  made->bytes = bytes;
  made->span = made->last_end = static_cast<std::ptrdiff_t>(bytes);
  made->blocks.push_back({0, bytes});
  return made;
}

namespace {

SharedDataloop listed(const SharedDataloop& loop) {
  DataloopList list;
  list.add(0, loop);
  return list.joined().loop;
}

}  // namespace

SharedDataloop repeated(const SharedDataloop& loop, std::size_t count, std::ptrdiff_t stride) {
  if (loop == nullptr || count == 0) return nullptr;
  if (count == 1) return loop;
  if (loop->is_contiguous() && stride == static_cast<std::ptrdiff_t>(loop->bytes))
    return contiguous_dataloop(loop->bytes * count);
  std::ptrdiff_t behind;  // where a vector would go on
  if (loop->kind == Dataloop::Kind::vector &&
      !__builtin_mul_overflow(loop->count, loop->stride, &behind) && stride == behind)
    return repeated(loop->child, loop->count * count, loop->stride);
  if (loop->kind == Dataloop::Kind::vector && loop->is_innermost() && loop->pieces <= kFewToList)
    return repeated(listed(loop), count, stride);
  const auto made = std::make_shared<Dataloop>();
  made->kind = Dataloop::Kind::vector;
  made->ascends = loop->ascends && stride >= loop->last_begin;
  made->is_disjoint = loop->is_disjoint && stride >= loop->last_end;
  made->bytes = loop->bytes * count;
  made->pieces = loop->pieces * count;
  const std::ptrdiff_t way = static_cast<std::ptrdiff_t>(count - 1) * stride;
  made->span = loop->span + std::max<std::ptrdiff_t>(way, 0);
  made->last_begin = way + loop->last_begin;
  made->last_end = way + loop->last_end;
  made->count = count;
  made->stride = stride;
  made->child = loop;
  return made;
}

namespace {

std::size_t bytes_before_in_vector(const Dataloop& loop, std::ptrdiff_t offset) {
  const Dataloop& child = *loop.child;
  if (loop.stride == 0) return loop.count * bytes_before(child, offset);
  // Those that end in front of the offset, and those that also reach behind it: one, or several if
  // they overlap.
  const std::ptrdiff_t behind = offset - child.span;
  std::size_t i = behind < 0 ? 0 : static_cast<std::size_t>(behind / loop.stride) + 1;
  i = std::min(i, loop.count);
  std::size_t bytes = i * child.bytes;
  for (; i < loop.count; ++i) {
    const std::ptrdiff_t within = offset - static_cast<std::ptrdiff_t>(i) * loop.stride;
    if (within <= 0) break;
    bytes += bytes_before(child, within);
  }
  return bytes;
}

std::size_t bytes_before_in_list(const Dataloop& loop, std::ptrdiff_t offset) {
  const auto is_before = [](const Dataloop::Block& block, std::ptrdiff_t place) {
    return block.offset < place;
  };
  const auto behind = std::lower_bound(loop.blocks.begin(), loop.blocks.end(), offset, is_before);
  auto block = static_cast<std::size_t>(behind - loop.blocks.begin());
  std::size_t bytes = 0;
  while (block-- > 0) {
    const std::size_t whole = loop.blocks[block].end - loop.begin_of(block);
    const std::ptrdiff_t within = offset - loop.blocks[block].offset;
    const Dataloop* const child = loop.child_at(block);
    const std::size_t here = child != nullptr ? bytes_before(*child, within)
                                              : std::min(whole, static_cast<std::size_t>(within));
    if (here == whole && loop.is_disjoint) return bytes + loop.blocks[block].end;
    bytes += here;
  }
  return bytes;
}

}  // namespace

std::size_t bytes_before(const Dataloop& loop, std::ptrdiff_t offset) {
  TERRACE_ASSERT(loop.ascends, loop.bytes);
  if (offset <= 0) return 0;
  if (offset >= loop.span) return loop.bytes;
  switch (loop.kind) {
    case Dataloop::Kind::contiguous:
      return static_cast<std::size_t>(offset);
    case Dataloop::Kind::vector:
      return bytes_before_in_vector(loop, offset);
    case Dataloop::Kind::indexed:
      return bytes_before_in_list(loop, offset);
  }
  return 0;
}

void DataloopList::add(std::ptrdiff_t offset, const SharedDataloop& loop) {
  if (loop == nullptr) return;
  if (loop->is_contiguous())
    add_bytes(offset, loop->bytes);
  else if (loop->is_innermost() && loop->pieces <= kFewToList)
    splice(offset, *loop);
  else
    add_child(offset, loop);
}

void DataloopList::add_repeated(std::ptrdiff_t offset, const SharedDataloop& loop,
                                std::size_t count, std::ptrdiff_t stride) {
  if (loop == nullptr || count == 0) return;
  if (loop->is_contiguous() && (count == 1 || stride == static_cast<std::ptrdiff_t>(loop->bytes)))
    return add_bytes(offset, loop->bytes * count);
  if (count == 1) return add(offset, loop);
  SharedDataloop& made = repeated_[{loop.get(), count, stride}];
  if (made == nullptr) made = repeated(loop, count, stride);
  add(offset, made);
}

void DataloopList::add_bytes(std::ptrdiff_t offset, std::size_t more) {
  if (!blocks_.empty() && (children_.empty() || children_.back() == nullptr)) {
    Dataloop::Block& last = blocks_.back();
    const std::size_t before = blocks_.size() == 1 ? 0 : blocks_[blocks_.size() - 2].end;
    if (last.offset + static_cast<std::ptrdiff_t>(last.end - before) == offset) {
      last.end += more;
      return;
    }
  }
  blocks_.push_back({offset, bytes() + more});
  if (!children_.empty()) children_.push_back(nullptr);
}

void DataloopList::add_child(std::ptrdiff_t offset, const SharedDataloop& loop) {
  children_.resize(blocks_.size());
  blocks_.push_back({offset, bytes() + loop->bytes});
  children_.push_back(loop);
}

void DataloopList::splice(std::ptrdiff_t offset, const Dataloop& loop) {
  const bool is_vector = loop.kind == Dataloop::Kind::vector;
  const Dataloop& list = is_vector ? *loop.child : loop;
  for (std::size_t i = 0; i < loop.count; ++i) {
    for (std::size_t block = 0; block < list.blocks.size(); ++block)
      add_bytes(offset + list.blocks[block].offset, list.blocks[block].end - list.begin_of(block));
    offset += loop.stride;
  }
}

PlacedDataloop DataloopList::joined() {
  if (blocks_.empty()) return {};
  const std::ptrdiff_t first = blocks_.front().offset;
  for (Dataloop::Block& block : blocks_) block.offset -= first;
  SharedDataloop made = only_block();
  if (made == nullptr) made = as_vector();
  if (made == nullptr) made = as_indexed();
  return {first, std::move(made)};
}

SharedDataloop DataloopList::only_block() const {
  if (blocks_.size() > 1) return nullptr;
  return children_.empty() ? contiguous_dataloop(bytes()) : children_.front();
}

/// Makes a vector if all blocks are alike, and equally far apart; otherwise null.
SharedDataloop DataloopList::as_vector() const {
  if (blocks_.size() <= kFewToList) return nullptr;
  const std::size_t length = blocks_.front().end;
  const std::ptrdiff_t stride = blocks_[1].offset;
  for (std::size_t i = 1; i < blocks_.size(); ++i) {
    const bool is_alike = children_.empty() || children_[i] == children_.front();
    if (!is_alike || blocks_[i].end - blocks_[i - 1].end != length ||
        blocks_[i].offset - blocks_[i - 1].offset != stride)
      return nullptr;
  }
  const bool is_of_bytes = children_.empty() || children_.front() == nullptr;
  return repeated(is_of_bytes ? contiguous_dataloop(length) : children_.front(), blocks_.size(),
                  stride);
}

SharedDataloop DataloopList::as_indexed() {
  const auto made = std::make_shared<Dataloop>();
  made->kind = Dataloop::Kind::indexed;
  made->bytes = bytes();
  made->pieces = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    const Dataloop* const child = children_.empty() ? nullptr : children_[i].get();
    const auto [offset, end] = blocks_[i];
    const auto length = static_cast<std::ptrdiff_t>(end - begin);
    begin = end;
    made->pieces += child != nullptr ? child->pieces : 1;
    if (child != nullptr) {
      made->ascends &= child->ascends;
      made->is_disjoint &= child->is_disjoint;
      extend(*made, offset, child->last_begin, child->last_end, child->span, i == 0);
    } else {
      extend(*made, offset, 0, length, length, i == 0);
    }
  }
  made->blocks = std::move(blocks_);
  made->blocks.shrink_to_fit();
  made->children = std::move(children_);
  return made;
}

}  // namespace terrace::threadranks
