// SPDX-License-Identifier: BSD-3-Clause
// Makes types from others, and copies from one layout to another.
#include "threadranks/types/datatype.hpp"

#include <algorithm>
#include <utility>

#include "base/contract.hpp"
#include "threadranks/types/external32.hpp"
#include "threadranks/types/layout_cursor.hpp"

namespace terrace::threadranks {

namespace {

/// The size and the bounds of blocks, of the elements' own and of their bytes.
class Bounds {
 public:
  void add(const TypeBlock& block) {
    const Datatype& type = *block.type;
    const std::ptrdiff_t ways[] = {product(block.count - 1, type.extent()),
                                   product(block.repeats - 1, block.stride)};
    const std::ptrdiff_t elements = product(block.count, block.repeats);
    size = sum(size, product(elements, static_cast<std::ptrdiff_t>(type.size())));
    const std::ptrdiff_t lower = sum(block.displacement, type.lower());
    own.include(*this, lower, sum(lower, type.extent()), ways);
    if (type.size() == 0) return;
    const std::ptrdiff_t first = sum(block.displacement, type.true_lower());
    of_bytes.include(*this, first, sum(first, type.true_extent()), ways);
  }
  /// Whether a number is too large for what says it.
  bool overflows() {
    difference(own.upper, own.lower);
    difference(of_bytes.upper, of_bytes.lower);
    return overflows_;
  }

  struct Range {
    std::ptrdiff_t lower = 0, upper = 0;
    bool is_empty = true;

    void include(Bounds& all, std::ptrdiff_t low, std::ptrdiff_t high,
                 std::span<const std::ptrdiff_t> ways) {
      for (const std::ptrdiff_t way : ways) {
        low = all.sum(low, std::min<std::ptrdiff_t>(way, 0));
        high = all.sum(high, std::max<std::ptrdiff_t>(way, 0));
      }
      lower = is_empty ? low : std::min(lower, low);
      upper = is_empty ? high : std::max(upper, high);
      is_empty = false;
    }
  };

  std::ptrdiff_t size = 0;
  Range own, of_bytes;

 private:
  std::ptrdiff_t sum(std::ptrdiff_t a, std::ptrdiff_t b) {
    std::ptrdiff_t result;
    overflows_ |= __builtin_add_overflow(a, b, &result);
    return result;
  }
  std::ptrdiff_t difference(std::ptrdiff_t a, std::ptrdiff_t b) {
    std::ptrdiff_t result;
    overflows_ |= __builtin_sub_overflow(a, b, &result);
    return result;
  }
  std::ptrdiff_t product(std::ptrdiff_t a, std::ptrdiff_t b) {
    std::ptrdiff_t result;
    overflows_ |= __builtin_mul_overflow(a, b, &result);
    return result;
  }

  bool overflows_ = false;
};

bool is_nothing(const TypeBlock& block) {
  return block.count <= 0 || block.repeats <= 0;
}

/// Pads an extent as C does a struct's. False: it overflows.
bool round_up(std::ptrdiff_t& extent, std::ptrdiff_t alignment) {
  if (__builtin_add_overflow(extent, alignment - 1, &extent)) return false;
  extent = extent / alignment * alignment;
  return true;
}

}  // namespace

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
  DataloopList loops;
  SignatureList basics;
  loops.add(0, contiguous_dataloop(first));
  if (predefined.is_pair()) {
    loops.add(static_cast<std::ptrdiff_t>(predefined.second_at()),
              contiguous_dataloop(size_ - first));
    for (const std::size_t half : {first, size_ - first}) basics.add({half, 1, nullptr, half});
  } else {
    basics.add({size_, 1, &predefined, external_bytes(predefined)});
  }
  placed_ = loops.joined();
  signature_ = basics.joined();
  true_extent_ = placed_.loop->span;
  extent_ = static_cast<std::ptrdiff_t>(predefined.extent());
  settle();
}

Datatype* Datatype::of_blocks(std::span<const TypeBlock> blocks, Recipe recipe, bool pads) {
  Bounds bounds;
  std::size_t alignment = 1;
  for (const TypeBlock& block : blocks) {
    if (is_nothing(block)) continue;
    bounds.add(block);
    alignment = std::max(alignment, block.type->alignment_);
  }
  if (bounds.overflows()) return nullptr;
  std::ptrdiff_t extent = bounds.own.upper - bounds.own.lower, upper;
  if (pads && (!round_up(extent, static_cast<std::ptrdiff_t>(alignment)) ||
               __builtin_add_overflow(bounds.own.lower, extent, &upper)))
    return nullptr;
  Datatype* const made = new Datatype;
  made->recipe_ = std::move(recipe);
  for (Datatype* type : made->recipe_.types) type->retain();
  made->size_ = static_cast<std::size_t>(bounds.size);
  made->lower_ = bounds.own.lower;
  made->extent_ = extent;
  made->true_lower_ = bounds.of_bytes.lower;
  made->true_extent_ = bounds.of_bytes.upper - bounds.of_bytes.lower;
  made->alignment_ = alignment;
  made->join(blocks);
  made->settle();
  TERRACE_REQUIRE(bounds.size >= 0 && made->true_extent_ >= 0, bounds.size, made->true_extent_);
  made->require_sound();
  return made;
}

/// Three descriptions are made of the same blocks: bounds, dataloops and a signature.
void Datatype::require_sound() const {
  const std::size_t looped = placed_.loop ? placed_.loop->bytes : 0;
  [[maybe_unused]] const std::size_t basic = signature_ ? signature_->bytes : 0;
  TERRACE_REQUIRE(looped == size_, looped, size_);
  TERRACE_ASSERT(basic == size_, basic, size_);
  if (!placed_.loop) return;
  // Of elements that overlap, or come in another order, the first byte is not the lowest.
  TERRACE_REQUIRE(placed_.offset >= true_lower_, placed_.offset, true_lower_);
  TERRACE_REQUIRE(placed_.offset + placed_.loop->span == true_lower_ + true_extent_,
                  placed_.loop->span, placed_.offset, true_lower_, true_extent_);
}

Datatype* Datatype::resized(Datatype& old, std::ptrdiff_t lower, std::ptrdiff_t extent,
                            Recipe recipe) {
  std::ptrdiff_t upper;
  if (__builtin_add_overflow(lower, extent, &upper)) return nullptr;
  const TypeBlock whole{0, 1, &old};
  Datatype* const made = of_blocks({&whole, 1}, std::move(recipe));
  if (made == nullptr) return nullptr;
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

void Datatype::join(std::span<const TypeBlock> blocks) {
  DataloopList loops;
  SignatureList basics;
  bool is_first = true;
  for (const TypeBlock& block : blocks) {
    const Datatype& type = *block.type;
    if (is_nothing(block) || type.size() == 0) continue;  // an empty member of a struct
    only_basic_ = is_first || only_basic_ == type.only_basic_ ? type.only_basic_ : nullptr;
    is_first = false;
    const auto count = static_cast<std::size_t>(block.count);
    const auto repeats = static_cast<std::size_t>(block.repeats);
    basics.add(type.signature_, count * repeats);
    const std::ptrdiff_t first = block.displacement + type.placed_.offset;
    if (repeats == 1 && blocks.size() > 1) {
      loops.add_repeated(first, type.placed_.loop, count, type.extent_);
      continue;
    }
    const SharedDataloop elements = repeated(type.placed_.loop, count, type.extent_);
    placed_ = {first, repeated(elements, repeats, block.stride)};
    loops.add(first, placed_.loop);
  }
  if (blocks.size() > 1) placed_ = loops.joined();
  signature_ = basics.joined();
}

void Datatype::settle() {
  const bool is_contiguous =
      placed_.loop == nullptr || (placed_.offset == 0 && placed_.loop->is_contiguous());
  is_dense_ = is_contiguous && extent_ == static_cast<std::ptrdiff_t>(size_);
}

void copy_elements(const Layout& from, const Layout& to, std::size_t bytes) {
  bytes = std::min({bytes, from.bytes(), to.bytes()});
  if (bytes == 0 || copy_at_once(from, to, bytes)) return;
  LayoutCursor source(from), target(to);
  copy_next(source, target, bytes);
}

void pack_pieces(const Layout& from, std::byte* packed, std::size_t bytes) {
  bytes = std::min(bytes, from.bytes());
  if (bytes == 0 || pack_at_once(from, packed, bytes)) return;
  LayoutCursor source(from);
  pack_next(source, packed, bytes);
}

void unpack_pieces(const std::byte* packed, const Layout& to, std::size_t bytes) {
  bytes = std::min(bytes, to.bytes());
  if (bytes == 0 || unpack_at_once(packed, to, bytes)) return;
  LayoutCursor target(to);
  unpack_next(packed, target, bytes);
}

}  // namespace terrace::threadranks
