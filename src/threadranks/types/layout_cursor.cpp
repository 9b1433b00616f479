// SPDX-License-Identifier: BSD-3-Clause
// Moves cursors from dataloop to dataloop, and copies what they pass.
#include "threadranks/types/layout_cursor.hpp"

#include <cstring>

#include "base/contract.hpp"

namespace terrace::threadranks {

void LayoutCursor::Levels::push(const Level& level) {
  if (depth_ < kUsual)
    usual_[depth_] = level;
  else
    deep_.push_back(level);
  ++depth_;
}

void LayoutCursor::Levels::pop() {
  if (depth_ > kUsual) deep_.pop_back();
  --depth_;
}

LayoutCursor::LayoutCursor(const Layout& layout)
    : loop_(layout.type->placed().loop.get()),
      element_(reinterpret_cast<std::uintptr_t>(layout.buffer) +
               static_cast<std::uintptr_t>(layout.type->placed().offset)),
      extent_(layout.type->extent()) {
  if (loop_ == nullptr || layout.count == 0) return;
  if (layout.type->is_dense()) {
    place_ = element_;
    left_ = layout.bytes();
  } else if (loop_->is_of_bytes()) {
    begin_rounds(*loop_, element_, extent_, layout.count);
  } else {
    enter(*loop_, element_);
  }
}

LayoutCursor::LayoutCursor(const Layout& layout, std::size_t packed) : LayoutCursor(layout) {
  TERRACE_ASSERT(packed < layout.bytes(), packed);
  if (layout.type->is_dense()) {
    pass(packed);
  } else if (loop_->is_of_bytes()) {
    pass_in_rounds(packed);
  } else {
    levels_ = {};
    rounds_ = {};
    block_ = nullptr;
    left_ = 0;
    element_ += packed / loop_->bytes * static_cast<std::uintptr_t>(extent_);
    enter_at(*loop_, element_, packed % loop_->bytes);
  }
}

void LayoutCursor::begin_rounds(const Dataloop& list, std::uintptr_t base, std::ptrdiff_t stride,
                                std::size_t count) {
  const Dataloop::Block* const first = list.blocks.data();
  rounds_ = {base, stride, count, first, first + list.blocks.size()};
  block_ = rounds_.end;
}

/// Passes that many bytes from the beginning of the rounds on.
void LayoutCursor::pass_in_rounds(std::size_t packed) {
  rounds_.skip(packed / rounds_.bytes());
  begin_round();
  const std::size_t within = packed % rounds_.bytes();
  const auto is_behind = [](std::size_t place, const Dataloop::Block& one) {
    return place < one.end;
  };
  block_ = std::upper_bound(rounds_.first, rounds_.end, within, is_behind);
  if (block_ != rounds_.first) block_begin_ = block_[-1].end;
  const std::size_t passed = within - block_begin_;
  take_block();
  pass(passed);
}

/// Enters the next innermost loops, as those before are over.
void LayoutCursor::advance() {
  while (!levels_.is_empty()) {
    Level& level = levels_.lowest();
    const Dataloop& loop = *level.loop;
    const std::size_t number = level.next++;
    if (loop.kind == Dataloop::Kind::vector && number < loop.count) {
      level.base += static_cast<std::uintptr_t>(loop.stride);
      return enter(*loop.child, level.base);
    }
    if (loop.kind == Dataloop::Kind::indexed && number < loop.blocks.size())
      return enter_block(loop, number, level.base);
    levels_.pop();
  }
  element_ += static_cast<std::uintptr_t>(extent_);
  enter(*loop_, element_);
}

void LayoutCursor::enter(const Dataloop& whole, std::uintptr_t base) {
  const Dataloop* loop = &whole;
  while (loop->kind == Dataloop::Kind::vector && !loop->is_innermost()) {
    levels_.push({loop, base, 1});
    loop = loop->child.get();
  }
  if (loop->kind == Dataloop::Kind::vector)
    return begin_rounds(*loop->child, base, loop->stride, loop->count);
  if (loop->is_of_bytes()) return begin_rounds(*loop, base, 0, 1);
  levels_.push({loop, base, 1});
  enter_block(*loop, 0, base);
}

void LayoutCursor::enter_block(const Dataloop& list, std::size_t block, std::uintptr_t base) {
  base += static_cast<std::uintptr_t>(list.blocks[block].offset);
  if (const Dataloop* const child = list.child_at(block)) return enter(*child, base);
  place_ = base;
  left_ = list.blocks[block].end - list.begin_of(block);
}

/// Enters it where that many of its packed bytes have been passed.
void LayoutCursor::enter_at(const Dataloop& whole, std::uintptr_t base, std::size_t packed) {
  const Dataloop* loop = &whole;
  while (!loop->is_innermost()) {
    const bool is_vector = loop->kind == Dataloop::Kind::vector;
    const std::size_t number = is_vector ? packed / loop->child->bytes : loop->block_at(packed);
    packed -= is_vector ? number * loop->child->bytes : loop->begin_of(number);
    if (is_vector) base += number * static_cast<std::uintptr_t>(loop->stride);
    levels_.push({loop, base, number + 1});
    if (!is_vector) base += static_cast<std::uintptr_t>(loop->blocks[number].offset);
    const Dataloop* const child = is_vector ? loop->child.get() : loop->child_at(number);
    if (child == nullptr) {
      place_ = base;
      left_ = loop->blocks[number].end - loop->begin_of(number);
      return pass(packed);
    }
    loop = child;
  }
  enter(*loop, base);
  pass_in_rounds(packed);
}

namespace {

std::byte* memory_at(std::uintptr_t address) {
  return reinterpret_cast<std::byte*>(address);
}

/// Copies the first and the last `bytes` bytes, which may overlap each other: no loop, no branch.
template <std::size_t bytes>
[[gnu::always_inline]] inline void copy_ends(const std::byte* from, std::byte* to,
                                             std::size_t whole) {
  std::byte first[bytes], last[bytes];
  std::memcpy(first, from, bytes);
  std::memcpy(last, from + whole - bytes, bytes);
  std::memcpy(to, first, bytes);
  std::memcpy(to + whole - bytes, last, bytes);
}

/// Copies a piece. Most are short, and a call of memmove takes longer than their copy.
[[gnu::always_inline]] inline void copy_piece(const std::byte* from, std::byte* to,
                                              std::size_t bytes) {
  if (bytes > 32)
    std::memmove(to, from, bytes);
  else if (bytes >= 16)
    copy_ends<16>(from, to, bytes);
  else if (bytes >= 8)
    copy_ends<8>(from, to, bytes);
  else if (bytes >= 4)
    copy_ends<4>(from, to, bytes);
  else if (bytes >= 2)
    copy_ends<2>(from, to, bytes);
  else
    *to = *from;
}

/// Bytes that are a stride apart.
struct Strided {
  std::byte* place;
  std::ptrdiff_t stride;
};

template <std::size_t bytes>
void copy_equal(Strided from, Strided to, std::size_t count) {
  for (; count > 0; --count) {
    std::byte piece[bytes];
    std::memcpy(piece, from.place, bytes);
    std::memcpy(to.place, piece, bytes);
    from.place += from.stride;
    to.place += to.stride;
  }
}

void copy_strided(Strided from, Strided to, std::size_t bytes, std::size_t count) {
  switch (bytes) {
    case 1:
      return copy_equal<1>(from, to, count);
    case 2:
      return copy_equal<2>(from, to, count);
    case 4:
      return copy_equal<4>(from, to, count);
    case 8:
      return copy_equal<8>(from, to, count);
    case 12:
      return copy_equal<12>(from, to, count);
    case 16:
      return copy_equal<16>(from, to, count);
    case 24:
      return copy_equal<24>(from, to, count);
    case 32:
      return copy_equal<32>(from, to, count);
    default:
      break;
  }
  for (; count > 0; --count) {
    copy_piece(from.place, to.place, bytes);
    from.place += from.stride;
    to.place += to.stride;
  }
}

constexpr std::ptrdiff_t kFewBlocks = 16;   // so that their lines stay in the first cache, ...
constexpr std::size_t kRoundsAtOnce = 128;  // ... as often as that

/// Copies rounds of the same blocks in both; `begin(block)` is where a block lies in a round there.
/// Few blocks are copied one by one for many rounds, each by a loop over a known length.
template <class FromBegin, class ToBegin>
[[gnu::always_inline]] inline void copy_blocks(const BlockRounds& form, std::size_t rounds,
                                               Strided from, FromBegin&& from_begin, Strided to,
                                               ToBegin&& to_begin) {
  const bool is_short = form.end - form.first <= kFewBlocks;
  while (rounds > 0) {
    const std::size_t now = is_short ? std::min(rounds, kRoundsAtOnce) : 1;
    std::size_t begin = 0;
    for (const Dataloop::Block* block = form.first; block != form.end; ++block) {
      const std::size_t bytes = block->end - begin;
      std::byte* const there = from.place + from_begin(block, begin);
      std::byte* const here = to.place + to_begin(block, begin);
      if (now == 1)
        copy_piece(there, here, bytes);
      else
        copy_strided({there, from.stride}, {here, to.stride}, bytes, now);
      begin = block->end;
    }
    from.place += static_cast<std::ptrdiff_t>(now) * from.stride;
    to.place += static_cast<std::ptrdiff_t>(now) * to.stride;
    rounds -= now;
  }
}

constexpr auto kOfList = [](const Dataloop::Block* block, std::size_t) { return block->offset; };
constexpr auto kOfPacked = [](const Dataloop::Block*, std::size_t begin) {
  return static_cast<std::ptrdiff_t>(begin);
};

Strided strided(const BlockRounds& rounds) {
  return {memory_at(rounds.base), rounds.stride};
}

template <bool packs>
void move_rounds(const BlockRounds& rounds, std::size_t count, std::byte* packed) {
  const Strided there{packed, static_cast<std::ptrdiff_t>(rounds.bytes())};
  if constexpr (packs)
    copy_blocks(rounds, count, strided(rounds), kOfList, there, kOfPacked);
  else
    copy_blocks(rounds, count, there, kOfPacked, strided(rounds), kOfList);
}

template <bool packs>
void move_next(LayoutCursor& cursor, std::byte* packed, std::size_t bytes) {
  while (bytes > 0) {
    std::size_t now = 0;
    if (BlockRounds* const rounds = cursor.rounds()) {
      const std::size_t count = std::min(rounds->left, bytes / rounds->bytes());
      now = count * rounds->bytes();
      move_rounds<packs>(*rounds, count, packed);
      rounds->skip(count);
    }
    if (now == 0) {
      now = cursor.room(bytes);
      copy_piece(packs ? cursor.place() : packed, packs ? packed : cursor.place(), now);
      cursor.pass(now);
    }
    packed += now;
    bytes -= now;
  }
}

/// Whether the blocks of both have the same lengths; few ones, which are soon compared.
bool are_alike(const BlockRounds& one, const BlockRounds& other) {
  if (one.first == other.first) return true;
  const auto has_same_end = [](const Dataloop::Block& a, const Dataloop::Block& b) {
    return a.end == b.end;
  };
  return one.end - one.first <= kFewBlocks &&
         std::equal(one.first, one.end, other.first, other.end, has_same_end);
}

/// Copies so many rounds of both, which are alike.
void copy_alike(const BlockRounds& from, const BlockRounds& to, std::size_t count) {
  const auto of_other = [&](const Dataloop::Block* block, std::size_t) {
    return to.first[block - from.first].offset;
  };
  copy_blocks(from, count, strided(from), kOfList, strided(to), of_other);
}

/// Copies rounds of both cursors at once, if both have some that are alike. Returns their bytes.
std::size_t copy_rounds(LayoutCursor& from, LayoutCursor& to, std::size_t bytes) {
  BlockRounds *const given = from.rounds(), *const wanted = to.rounds();
  if (given == nullptr || wanted == nullptr || !are_alike(*given, *wanted)) return 0;
  const std::size_t count = std::min({given->left, wanted->left, bytes / given->bytes()});
  copy_alike(*given, *wanted, count);
  given->skip(count);
  wanted->skip(count);
  return count * given->bytes();
}

/// Rounds that are all of a layout; none if it has loops within loops.
BlockRounds rounds_of(const Layout& layout) {
  const auto& [offset, loop] = layout.type->placed();
  const bool is_one_vector = layout.count == 1 && loop->kind == Dataloop::Kind::vector;
  const Dataloop& list = is_one_vector ? *loop->child : *loop;
  if (!list.is_of_bytes()) return {};
  const std::uintptr_t first =
      reinterpret_cast<std::uintptr_t>(layout.buffer) + static_cast<std::uintptr_t>(offset);
  const Dataloop::Block* const blocks = list.blocks.data();
  const Dataloop::Block* const end = blocks + list.blocks.size();
  if (is_one_vector) return {first, loop->stride, loop->count, blocks, end};
  return {first, layout.type->extent(), layout.count, blocks, end};
}

template <bool packs>
bool move_at_once(const Layout& layout, std::byte* packed, std::size_t bytes) {
  const BlockRounds rounds = rounds_of(layout);
  if (rounds.left == 0 || bytes != layout.bytes()) return false;
  move_rounds<packs>(rounds, rounds.left, packed);
  return true;
}

}  // namespace

bool copy_at_once(const Layout& from, const Layout& to, std::size_t bytes) {
  if (to.type->is_dense()) {
    return !from.type->is_dense() &&
           pack_at_once(from, static_cast<std::byte*>(const_cast<void*>(to.buffer)), bytes);
  }
  if (from.type->is_dense())
    return unpack_at_once(static_cast<const std::byte*>(from.buffer), to, bytes);
  const BlockRounds given = rounds_of(from), wanted = rounds_of(to);
  if (given.left == 0 || wanted.left == 0 || bytes != from.bytes() || !are_alike(given, wanted))
    return false;
  copy_alike(given, wanted, given.left);
  return true;
}

bool pack_at_once(const Layout& from, std::byte* packed, std::size_t bytes) {
  return move_at_once<true>(from, packed, bytes);
}

bool unpack_at_once(const std::byte* packed, const Layout& to, std::size_t bytes) {
  return move_at_once<false>(to, const_cast<std::byte*>(packed), bytes);
}

void unpack_next(const std::byte* packed, LayoutCursor& to, std::size_t bytes) {
  move_next<false>(to, const_cast<std::byte*>(packed), bytes);
}

void pack_next(LayoutCursor& from, std::byte* packed, std::size_t bytes) {
  move_next<true>(from, packed, bytes);
}

void copy_next(LayoutCursor& from, LayoutCursor& to, std::size_t bytes) {
  while (bytes > 0) {
    if (const std::size_t copied = copy_rounds(from, to, bytes)) {
      bytes -= copied;
      continue;
    }
    // What is contiguous in one is packed for the other.
    const std::size_t readable = from.room(bytes), writable = to.room(bytes);
    const std::size_t now = std::max(readable, writable);
    if (readable == now) {
      std::byte* const packed = from.place();
      from.pass(now);
      unpack_next(packed, to, now);
    } else {
      std::byte* const packed = to.place();
      to.pass(now);
      pack_next(from, packed, now);
    }
    bytes -= now;
  }
}

}  // namespace terrace::threadranks
