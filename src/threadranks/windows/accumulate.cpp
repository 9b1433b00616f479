// SPDX-License-Identifier: BSD-3-Clause
// Combines elements of an origin with those of a target.
#include "threadranks/windows/accumulate.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>

#include "threadranks/types/layout_cursor.hpp"

namespace terrace::threadranks {

namespace {

/// What is combined before others get the lock: some microseconds.
constexpr std::size_t kMostAtOnce = std::size_t{32} << 10;
constexpr std::size_t kLine = 64;

/// The sides of a call, piece by piece.
class PieceMaker {
 public:
  PieceMaker(const Accumulation& how, const Layout& origin, const Layout& fetched,
             const Layout& target)
      : how_(how),
        read_(target),
        written_(target),
        wanted_(fetched.type != nullptr ? fetched.bytes() : 0),
        left_(how.kind == Accumulation::Kind::nothing ? wanted_ : target.bytes()),
        most_(std::min(left_, kMostAtOnce / how.element_bytes * how.element_bytes)) {
    if (how.kind != Accumulation::Kind::nothing) given_.emplace(origin);
    if (wanted_ > 0) fetched_.emplace(fetched);
    room_ = std::max(kLine, (most_ + kLine - 1) / kLine * kLine);
    if (how.kind == Accumulation::Kind::combine && room_ > kLine)
      many_ = std::make_unique<std::byte[]>(2 * room_);
  }

  bool is_over() const { return left_ == 0; }
  /// The caller has the lock.
  void make() {
    const std::size_t bytes = std::min(left_, most_);
    if (how_.kind == Accumulation::Kind::combine) {
      combine(bytes);
    } else {
      if (fetched_) move_next(read_, *fetched_, take_wanted(bytes));
      if (given_) move_next(*given_, written_, bytes);
    }
    left_ -= bytes;
  }

 private:
  /// Packed, as kernels want elements.
  void combine(std::size_t bytes) {
    std::byte* const sums = many_ ? many_.get() : few_;
    std::byte* const given = sums + room_;
    pack_next(read_, sums, bytes);
    if (fetched_) unpack_next(sums, *fetched_, take_wanted(bytes));
    pack_next(*given_, given, bytes);
    accumulate(how_, given, sums, bytes);
    unpack_next(sums, written_, bytes);
  }
  std::size_t take_wanted(std::size_t bytes) {
    const std::size_t now = std::min(bytes, wanted_);
    wanted_ -= now;
    return now;
  }

  const Accumulation& how_;
  LayoutCursor read_, written_;
  std::optional<LayoutCursor> given_, fetched_;
  std::size_t wanted_;  ///< of `fetched`, which may have fewer elements
  std::size_t left_;
  const std::size_t most_;
  std::size_t room_;
  std::unique_ptr<std::byte[]> many_;
  alignas(kLine) std::byte few_[2 * kLine];
};

}  // namespace

void accumulate(const Accumulation& how, const Layout& origin, const Layout& fetched,
                const Layout& target, AccumulateLock& lock) {
  PieceMaker pieces(how, origin, fetched, target);
  if (pieces.is_over()) return;
  const std::lock_guard guard(lock);
  for (pieces.make(); !pieces.is_over(); pieces.make()) lock.let_others_in();
}

void accumulate(const Accumulation& how, const std::byte* given, std::byte* sums,
                std::size_t bytes) {
  const void* operands[] = {sums, given};
  void* result = sums;
  how.reduction(operands, 2, &result, 1, bytes / how.element_bytes, Stores::cached);
}

}  // namespace terrace::threadranks
