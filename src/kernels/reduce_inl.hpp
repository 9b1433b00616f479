// SPDX-License-Identifier: BSD-3-Clause
// The loops that all reductions share, compiled once per instruction set by each file that includes
// this one. A kernel is `reduce<Combine, T>` for a `Combine` with `apply(tag, accumulated, next)`.
//
// Tails are handled with ever narrower vectors, never with scalar code: one definition of each
// operator serves body, tail and single elements, so they cannot disagree.

// Included once per instruction set, hence no ordinary guard.
#if defined(TERRACE_KERNELS_REDUCE_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TERRACE_KERNELS_REDUCE_INL
#undef TERRACE_KERNELS_REDUCE_INL
#else
#define TERRACE_KERNELS_REDUCE_INL
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "hwy/highway.h"
#include "kernels/copy_inl.hpp"
#include "kernels/kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace terrace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Operands read side by side. More streams than this outrun the prefetchers and the registers that
// hold their addresses.
constexpr std::size_t kOperandsPerPass = 8;
// Up to here a call skips the set-up of the wide loops.
constexpr std::size_t kSmallBytes = 64;
// The narrowest full vector of all instruction sets.
constexpr std::size_t kNarrowBytes = 16;

// Lanes that belong together: 2 for an operator on pairs of lanes, else 1. Calls then come with
// that many times the elements.
template <class Combine>
constexpr std::size_t least_lanes() {
  if constexpr (requires { Combine::kLeastLanes; })
    return Combine::kLeastLanes;
  else
    return 1;
}

// One vector of results at element i. All operands are read before any target is written, which is
// what lets a target be one of the operands.
template <class Combine, class Tag>
HWY_INLINE void step(Tag tag, const void* const* operands, std::size_t operand_count,
                     void* const* targets, std::size_t target_count, std::size_t i) {
  using T = hn::TFromD<Tag>;
  auto sum = load(tag, static_cast<const T*>(operands[0]) + i);
  for (std::size_t j = 1; j < operand_count; ++j)
    sum = Combine::apply(tag, sum, load(tag, static_cast<const T*>(operands[j]) + i));
  for (std::size_t t = 0; t < target_count; ++t) store(sum, tag, static_cast<T*>(targets[t]) + i);
}

// The last elements, fewer than twice `kLanes`: at most one vector of each width.
template <class Combine, class T, std::size_t kLanes>
HWY_INLINE void finish(const void* const* operands, std::size_t operand_count, void* const* targets,
                       std::size_t target_count, std::size_t i, std::size_t element_count) {
  const hn::CappedTag<T, kLanes> tag;
  if (element_count - i >= kLanes) {
    step<Combine>(tag, operands, operand_count, targets, target_count, i);
    i += kLanes;
  }
  if constexpr (kLanes > least_lanes<Combine>())
    finish<Combine, T, kLanes / 2>(operands, operand_count, targets, target_count, i,
                                   element_count);
}

// Elements from i on in narrow vectors: for short calls and for tails of the wide loops.
template <class Combine, class T>
HWY_NOINLINE void reduce_narrow(const void* const* operands, std::size_t operand_count,
                                void* const* targets, std::size_t target_count, std::size_t i,
                                std::size_t element_count) {
  const hn::CappedTag<T, kNarrowBytes / sizeof(T)> tag;
  const std::size_t lanes = hn::Lanes(tag);
  for (; element_count - i >= lanes; i += lanes)
    step<Combine>(tag, operands, operand_count, targets, target_count, i);
#if HWY_TARGET != HWY_SCALAR  // whose only lane has left nothing over
  constexpr std::size_t kRest = kNarrowBytes / sizeof(T) / 2;
  if constexpr (kRest >= least_lanes<Combine>())
    if (i < element_count)
      finish<Combine, T, kRest>(operands, operand_count, targets, target_count, i, element_count);
#endif
}

// Combines four vectors with those of one more operand.
template <class Combine, class Tag, class V>
HWY_INLINE void combine_four(Tag tag, const hn::TFromD<Tag>* from, V& sum0, V& sum1, V& sum2,
                             V& sum3) {
  const std::size_t lanes = hn::Lanes(tag);
  sum0 = Combine::apply(tag, sum0, load(tag, from));
  sum1 = Combine::apply(tag, sum1, load(tag, from + lanes));
  sum2 = Combine::apply(tag, sum2, load(tag, from + 2 * lanes));
  sum3 = Combine::apply(tag, sum3, load(tag, from + 3 * lanes));
}

template <std::size_t kCount>
using Constant = std::integral_constant<std::size_t, kCount>;

// Combines with operands kFirst to kCount - 1, unrolled whatever the compiler thinks of it.
template <class Combine, std::size_t kFirst = 1, std::size_t kCount, class Tag, class V>
HWY_INLINE void combine_rest(Tag tag, const hn::TFromD<Tag>* const* from, Constant<kCount> count,
                             std::size_t i, V& sum0, V& sum1, V& sum2, V& sum3) {
  combine_four<Combine>(tag, from[kFirst] + i, sum0, sum1, sum2, sum3);
  if constexpr (kFirst + 1 < kCount)
    combine_rest<Combine, kFirst + 1>(tag, from, count, i, sum0, sum1, sum2, sum3);
}

template <class Combine, class Tag, class V>
HWY_INLINE void combine_rest(Tag tag, const hn::TFromD<Tag>* const* from, std::size_t count,
                             std::size_t i, V& sum0, V& sum1, V& sum2, V& sum3) {
  for (std::size_t j = 1; j < count; ++j)
    combine_four<Combine>(tag, from[j] + i, sum0, sum1, sum2, sum3);
}

// One pass over up to kOperandsPerPass operands. `Count` is a Constant where the loop over operands
// shall be unrolled, or a plain number. Four independent vectors at a time hide the latency of the
// operator.
template <class Combine, class T, class Count>
HWY_NOINLINE void pass(const void* const* operands, Count operand_count, void* target,
                       std::size_t element_count) {
  const hn::ScalableTag<T> tag;
  const std::size_t lanes = hn::Lanes(tag);
  const T* from[kOperandsPerPass];
  for (std::size_t j = 0; j < operand_count; ++j) from[j] = static_cast<const T*>(operands[j]);
  T* const to = static_cast<T*>(target);

  std::size_t i = 0;
  for (; element_count - i >= 4 * lanes; i += 4 * lanes) {
    auto sum0 = load(tag, from[0] + i);
    auto sum1 = load(tag, from[0] + i + lanes);
    auto sum2 = load(tag, from[0] + i + 2 * lanes);
    auto sum3 = load(tag, from[0] + i + 3 * lanes);
    combine_rest<Combine>(tag, from, operand_count, i, sum0, sum1, sum2, sum3);
    store(sum0, tag, to + i);
    store(sum1, tag, to + i + lanes);
    store(sum2, tag, to + i + 2 * lanes);
    store(sum3, tag, to + i + 3 * lanes);
  }
  for (; element_count - i >= lanes; i += lanes)
    step<Combine>(tag, operands, operand_count, &target, 1, i);
  if (i < element_count)
    reduce_narrow<Combine, T>(operands, operand_count, &target, 1, i, element_count);
}

#if HWY_TARGET != HWY_SCALAR
// Combines a line of each of `kPages` pages; see copy_line_of_each.
template <class Combine, std::size_t kPages, class Tag>
HWY_INLINE void combine_line_of_each(Tag tag, const hn::TFromD<Tag>* one,
                                     const hn::TFromD<Tag>* two, hn::TFromD<Tag>* to) {
  constexpr std::size_t kLine = kLineBytes / sizeof(hn::TFromD<Tag>);
  constexpr std::size_t kPage = kPageBytes / sizeof(hn::TFromD<Tag>);
  for (std::size_t i = 0; i < kLine; i += hn::Lanes(tag))
    store(Combine::apply(tag, load(tag, one + i), load(tag, two + i)), tag, to + i);
  if constexpr (kPages > 1)
    combine_line_of_each<Combine, kPages - 1>(tag, one + kPage, two + kPage, to + kPage);
}

// Combines two operands several pages at once, as far as there are that many.
template <class Combine, class T>
HWY_NOINLINE void pass_over_pages(const void* const* operands, void* target,
                                  std::size_t element_count) {
  const hn::CappedTag<T, kLineBytes / sizeof(T)> tag;
  constexpr std::size_t kLine = kLineBytes / sizeof(T), kPage = kPageBytes / sizeof(T);
  const T* const one = static_cast<const T*>(operands[0]);
  const T* const two = static_cast<const T*>(operands[1]);
  T* const to = static_cast<T*>(target);
  const auto combine_part = [&](std::size_t from, std::size_t count) {
    const void* const part[] = {one + from, two + from};
    if (count != 0) pass<Combine, T>(part, Constant<2>(), to + from, count);
  };
  // So that no store lies in two lines, if the target's address is a multiple of its elements.
  const std::size_t head = (kLineBytes - misalignment(to)) % kLineBytes / sizeof(T);
  std::size_t done = head - head % least_lanes<Combine>();
  combine_part(0, done);
  for (; element_count - done >= kPagesAtOnce * kPage; done += kPagesAtOnce * kPage)
    for (std::size_t i = done; i < done + kPage; i += kLine)
      combine_line_of_each<Combine, kPagesAtOnce>(tag, one + i, two + i, to + i);
  combine_part(done, element_count - done);
}
#endif

// Combines once the number of operands has been looked at; its address stands for (Combine, T)
// below.
template <class Combine, class T>
HWY_NOINLINE void pass_of(const void* const* operands, std::size_t operand_count, void* target,
                          std::size_t element_count) {
  switch (operand_count) {
    case 2:
      return pass<Combine, T>(operands, Constant<2>(), target, element_count);
    case 4:
      return pass<Combine, T>(operands, Constant<4>(), target, element_count);
    case 8:
      return pass<Combine, T>(operands, Constant<8>(), target, element_count);
    default:
      return pass<Combine, T>(operands, operand_count, target, element_count);
  }
}

// A kernel as far as the blocked loops need to know it; they are the same machine code for all.
struct Blocked {
  void (*pass)(const void* const* operands, std::size_t operand_count, void* target,
               std::size_t element_count);
  std::size_t element_bytes;
  std::size_t uncut_bytes;  // blocks are cut at multiples of this
};

// Combines `bytes` at `offset` of each operand into `result`, by way of `block` if there are more
// operands than one pass takes. `result` is written by the last pass only, because it may be one of
// the operands.
inline void reduce_block(const Blocked& by, const void* const* operands, std::size_t operand_count,
                         std::size_t offset, std::size_t bytes, void* block, void* result) {
  const void* from[kOperandsPerPass];
  std::size_t used = 0;  // places of `from` taken
  for (std::size_t j = 0; j < operand_count; ++j) {
    from[used++] = static_cast<const std::uint8_t*>(operands[j]) + offset;
    const bool last = j + 1 == operand_count;
    if (used < kOperandsPerPass && !last) continue;
    by.pass(from, used, last ? result : block, bytes / by.element_bytes);
    from[0] = block;
    used = 1;
  }
}

// Block by block, so that what one pass leaves for the next, or for further targets, is still in
// the first-level cache.
inline void reduce_blocks(const Blocked& by, const void* const* operands, std::size_t operand_count,
                          void* const* targets, std::size_t target_count, std::size_t bytes,
                          Stores stores) {
  alignas(kLineBytes) std::uint8_t block[kBlockBytes];
  const bool streams_any = stores.streams_any(target_count), streams_all = stores.streams(0);
  // The first block is cut so that the others begin at a line of the first streamed target.
  std::size_t length = kBlockBytes;
  if (streams_any)
    length -= misalignment(targets[stores.cached_targets]) / by.uncut_bytes * by.uncut_bytes;
  for (std::size_t i = 0; i < bytes; i += length, length = kBlockBytes) {
    if (length > bytes - i) length = bytes - i;
    void* const result = streams_all ? block : static_cast<std::uint8_t*>(targets[0]) + i;
    reduce_block(by, operands, operand_count, i, length, block, result);
    for (std::size_t t = streams_all ? 0 : 1; t < target_count; ++t)
      copy_piece(result, static_cast<std::uint8_t*>(targets[t]) + i, length, stores, t);
  }
  if (streams_any) hwy::FlushStream();
}

// More than a few elements. Not inlined: short calls are not to save registers for it. `Wide` is
// the type of the long loops where the operator does not care about the width of its elements, so
// that all widths share them.
template <class Combine, class Wide>
HWY_NOINLINE void reduce_long(const void* const* operands, std::size_t operand_count,
                              void* const* targets, std::size_t target_count, std::size_t bytes,
                              Stores stores) {
  if (operand_count == 1) return copy(operands[0], targets, target_count, bytes, stores);
#if HWY_TARGET != HWY_SCALAR
  if (operand_count == 2 && target_count == 1 && bytes >= kGroupBytes && !stores.streams(0) &&
      stores.by == CopyBy::pages)
    return pass_over_pages<Combine, Wide>(operands, targets[0], bytes / sizeof(Wide));
#endif
  if (operand_count <= kOperandsPerPass && target_count == 1 && !stores.streams(0))
    return pass_of<Combine, Wide>(operands, operand_count, targets[0], bytes / sizeof(Wide));
  constexpr Blocked kBy = {pass_of<Combine, Wide>, sizeof(Wide),
                           sizeof(Wide) * least_lanes<Combine>()};
  reduce_blocks(kBy, operands, operand_count, targets, target_count, bytes, stores);
}

// The kernel itself.
template <class Combine, class T, class Wide = T>
void reduce(const void* const* operands, std::size_t operand_count, void* const* targets,
            std::size_t target_count, std::size_t element_count, Stores stores) noexcept {
  if constexpr (least_lanes<Combine>() == 1)
    if (element_count == 1) {
      const hn::CappedTag<T, 1> one;
      if (operand_count == 2 && target_count == 1)  // without loops
        return step<Combine>(one, operands, 2, targets, 1, 0);
      return step<Combine>(one, operands, operand_count, targets, target_count, 0);
    }
  const std::size_t bytes = element_count * sizeof(T);
  if (bytes <= kSmallBytes)
    return reduce_narrow<Combine, T>(operands, operand_count, targets, target_count, 0,
                                     element_count);
  reduce_long<Combine, Wide>(operands, operand_count, targets, target_count, bytes, stores);
}

}  // namespace HWY_NAMESPACE
}  // namespace terrace
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
