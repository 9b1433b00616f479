// SPDX-License-Identifier: BSD-3-Clause
// Combines elements of an origin with those of a target.
#include "threadranks/windows/accumulate.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>

#include "base/cache_aligned.hpp"
#include "threadranks/types/layout_cursor.hpp"

namespace terrace::threadranks {

namespace {

/// Bytes that are combined before others get the lock: some microseconds' work. An estimate.
constexpr std::size_t kMostAtOnce = std::size_t{32} << 10;

/// An accumulate, piece by piece.
class PiecewiseAccumulate {
 public:
  PiecewiseAccumulate(const Accumulation& how, const Layout& origin, const Layout& fetched,
                      const Layout& target)
      : how_(how),
        read_(target),
        written_(target),
        wanted_(fetched.type != nullptr ? fetched.bytes() : 0),
        left_(how.kind == Accumulation::Kind::nothing ? wanted_ : target.bytes()),
        most_(std::min(left_, kMostAtOnce / how.element_bytes * how.element_bytes)) {
    if (how.kind != Accumulation::Kind::nothing) origin_.emplace(origin);
    if (wanted_ > 0) fetched_.emplace(fetched);
    room_ = std::max(kLineBytes, (most_ + kLineBytes - 1) / kLineBytes * kLineBytes);
    if (how.kind == Accumulation::Kind::combine && room_ > kLineBytes)
      large_ = std::make_unique<std::byte[]>(2 * room_);
  }

  bool is_over() const { return left_ == 0; }
  /// The caller has the lock.
  void make_piece() {
    const std::size_t bytes = std::min(left_, most_);
    if (how_.kind == Accumulation::Kind::combine) {
      combine(bytes);
    } else {
      if (fetched_) copy_next(read_, *fetched_, take_wanted(bytes));
      if (origin_) copy_next(*origin_, written_, bytes);
    }
    left_ -= bytes;
  }

 private:
  /// Packs elements, as kernels have no cursors.
  void combine(std::size_t bytes) {
    std::byte* const sums = large_ ? large_.get() : small_;
    std::byte* const given = sums + room_;
    pack_next(read_, sums, bytes);
    if (fetched_) unpack_next(sums, *fetched_, take_wanted(bytes));
    pack_next(*origin_, given, bytes);
    accumulate(how_, given, sums, bytes);
    unpack_next(sums, written_, bytes);
  }
  std::size_t take_wanted(std::size_t bytes) {
    const std::size_t now = std::min(bytes, wanted_);
    wanted_ -= now;
    return now;
  }

  const Accumulation& how_;
  LayoutCursor read_, written_;  ///< both of the target
  std::optional<LayoutCursor> origin_, fetched_;
  std::size_t wanted_;  ///< of `fetched`, which may have fewer elements
  std::size_t left_;
  const std::size_t most_;
  std::size_t room_;  ///< for a piece of each operand, in one of the two:
  std::unique_ptr<std::byte[]> large_;
  alignas(kLineBytes) std::byte small_[2 * kLineBytes];
};

}  // namespace

void accumulate(const Accumulation& how, const Layout& origin, const Layout& fetched,
                const Layout& target, AccumulateLock& lock) {
  PiecewiseAccumulate call(how, origin, fetched, target);
  if (call.is_over()) return;
  const std::lock_guard guard(lock);
  for (call.make_piece(); !call.is_over(); call.make_piece()) lock.let_others_in();
}

void accumulate(const Accumulation& how, const std::byte* given, std::byte* sums,
                std::size_t bytes) {
  const void* operands[] = {sums, given};
  void* result = sums;
  how.reduction(operands, 2, &result, 1, bytes / how.element_bytes, Stores::cached);
}

}  // namespace terrace::threadranks
