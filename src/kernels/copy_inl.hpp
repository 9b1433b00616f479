// SPDX-License-Identifier: BSD-3-Clause
// Copies of one instruction set, for `copy_to_all` and the blocked reductions.

// Included once per instruction set, hence no ordinary guard.
#if defined(TERRACE_KERNELS_COPY_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef TERRACE_KERNELS_COPY_INL
#undef TERRACE_KERNELS_COPY_INL
#else
#define TERRACE_KERNELS_COPY_INL
#endif

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "base/cache_aligned.hpp"
#include "base/prefetch.hpp"
#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "kernels/kernels.hpp"

HWY_BEFORE_NAMESPACE();
namespace terrace {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Small enough that a block and the operands read beside it stay in a first-level cache of 32 KiB
// or more, large enough to amortise the change of streams.
constexpr std::size_t kBlockBytes = 4096;

// The smallest page of a processor, at whose end its prefetchers begin anew; and how many are gone
// through at once. More gain nothing, and values would have to be longer.
constexpr std::size_t kPageBytes = 4096, kPagesAtOnce = 4;
constexpr std::size_t kGroupBytes = kPagesAtOnce * kPageBytes;
// The distance at which lines of each page are prefetched, in bytes.
constexpr std::size_t kPrefetchDistance = 512;

HWY_INLINE std::size_t misalignment(const void* address) {
  return reinterpret_cast<std::uintptr_t>(address) % kLineBytes;
}

// Vectors from and to any address. Highway asks for the alignment of an element, which users of
// packed records do not give; so elements travel as bytes.
template <class Tag>
HWY_INLINE hn::Vec<Tag> load(Tag tag, const hn::TFromD<Tag>* from) {
#if HWY_TARGET == HWY_SCALAR
  hn::TFromD<Tag> element;
  std::memcpy(&element, from, sizeof element);
  return hn::Set(tag, element);
#else
  const hn::Repartition<std::uint8_t, Tag> bytes;
  return hn::BitCast(tag, hn::LoadU(bytes, reinterpret_cast<const std::uint8_t*>(from)));
#endif
}

template <class Tag>
HWY_INLINE void store(hn::Vec<Tag> v, Tag, hn::TFromD<Tag>* to) {
#if HWY_TARGET == HWY_SCALAR
  const hn::TFromD<Tag> element = hn::GetLane(v);
  std::memcpy(to, &element, sizeof element);
#else
  const hn::Repartition<std::uint8_t, Tag> bytes;
  hn::StoreU(hn::BitCast(bytes, v), bytes, reinterpret_cast<std::uint8_t*>(to));
#endif
}

// Non-temporal stores, line by line; the ragged ends go through the cache. The caller fences.
inline void stream_piece(const void* from, void* to, std::size_t bytes) {
#if HWY_TARGET == HWY_SCALAR  // has no such stores
  std::memcpy(to, from, bytes);
#else
  const hn::CappedTag<std::uint8_t, kLineBytes> tag;  // vectors of SVE may be longer
  const std::size_t lanes = hn::Lanes(tag);
  const auto* in = static_cast<const std::uint8_t*>(from);
  auto* out = static_cast<std::uint8_t*>(to);
  std::size_t head = (kLineBytes - misalignment(to)) % kLineBytes;
  if (head > bytes) head = bytes;
  std::memcpy(out, in, head);
  std::size_t i = head;
  for (; bytes - i >= kLineBytes; i += kLineBytes)
    for (std::size_t lane = 0; lane < kLineBytes; lane += lanes)
      hn::Stream(hn::LoadU(tag, in + i + lane), tag, out + i + lane);
  std::memcpy(out + i, in + i, bytes - i);
#endif
}

#if HWY_TARGET != HWY_SCALAR
// Copies a line of each of `kPages` pages, whole: of half a line, first caches might have dropped
// the rest when its turn comes.
template <std::size_t kPages, class Tag>
HWY_INLINE void copy_line_of_each(Tag tag, const std::uint8_t* from, std::uint8_t* to) {
  for (std::size_t i = 0; i < kLineBytes; i += hn::Lanes(tag))
    hn::StoreU(hn::LoadU(tag, from + i), tag, to + i);
  if constexpr (kPages > 1) copy_line_of_each<kPages - 1>(tag, from + kPageBytes, to + kPageBytes);
}

template <std::size_t kPages>
HWY_INLINE void prefetch_line_of_each(const std::uint8_t* to) {
  prefetch_for_writing(to);
  if constexpr (kPages > 1) prefetch_line_of_each<kPages - 1>(to + kPageBytes);
}

// Copies several pages at once, as long as there are that many. Returns how many bytes it copied.
template <bool kPrefetches>
inline std::size_t copy_pages(const std::uint8_t* from, std::uint8_t* to, std::size_t bytes) {
  const hn::CappedTag<std::uint8_t, kLineBytes> tag;
  std::size_t done = 0;
  if (kPrefetches && bytes >= kGroupBytes)
    for (std::size_t i = 0; i < kPrefetchDistance; i += kLineBytes)
      prefetch_line_of_each<kPagesAtOnce>(to + i);
  for (; bytes - done >= kGroupBytes; done += kGroupBytes) {
    const bool is_last = bytes - done < 2 * kGroupBytes;
    for (std::size_t i = 0; i < kPageBytes; i += kLineBytes) {
      const std::size_t ahead = i + kPrefetchDistance;
      if (kPrefetches && ahead < kPageBytes)
        prefetch_line_of_each<kPagesAtOnce>(to + done + ahead);
      else if (kPrefetches && !is_last)  // in the next pages
        prefetch_line_of_each<kPagesAtOnce>(to + done + kGroupBytes + ahead - kPageBytes);
      copy_line_of_each<kPagesAtOnce>(tag, from + done + i, to + done + i);
    }
  }
  return done;
}
#endif

// Through the caches. Not by memcpy: where that copies with `rep movsb`, it takes up to 2.5 times
// as long for some distances between source and target modulo 4 KiB (docs/design/choices.md).
inline void cached_piece(const void* from, void* to, std::size_t bytes,
                         [[maybe_unused]] Stores stores) {
#if HWY_TARGET == HWY_SCALAR
  std::memcpy(to, from, bytes);
#else
  constexpr std::size_t kLeast = 256;  // shorter ones are memcpy's strength
  static_assert(kLineBytes <= kLeast);
  if (bytes < kLeast) {
    std::memcpy(to, from, bytes);
    return;
  }
  const hn::ScalableTag<std::uint8_t> tag;
  const std::size_t lanes = hn::Lanes(tag);
  const auto* in = static_cast<const std::uint8_t*>(from);
  auto* out = static_cast<std::uint8_t*>(to);
  // So that no store lies in two lines.
  const std::size_t head = (kLineBytes - misalignment(to)) % kLineBytes;
  std::memcpy(out, in, head);
  std::size_t i = head;
  if (stores.by == CopyBy::pages)
    i += stores.prefetches ? copy_pages<true>(in + i, out + i, bytes - i)
                           : copy_pages<false>(in + i, out + i, bytes - i);
  for (; bytes - i >= 4 * lanes; i += 4 * lanes) {
    const auto v0 = hn::LoadU(tag, in + i);
    const auto v1 = hn::LoadU(tag, in + i + lanes);
    const auto v2 = hn::LoadU(tag, in + i + 2 * lanes);
    const auto v3 = hn::LoadU(tag, in + i + 3 * lanes);
    hn::StoreU(v0, tag, out + i);
    hn::StoreU(v1, tag, out + i + lanes);
    hn::StoreU(v2, tag, out + i + 2 * lanes);
    hn::StoreU(v3, tag, out + i + 3 * lanes);
  }
  std::memcpy(out + i, in + i, bytes - i);
#endif
}

// The piece of the target with number `target`.
HWY_INLINE void copy_piece(const void* from, void* to, std::size_t bytes, Stores stores,
                           std::size_t target) {
  if (stores.streams(target))
    stream_piece(from, to, bytes);
  else
    cached_piece(from, to, bytes, stores);
}

// See copy_to_all. Block by block, so that the source comes from memory once.
inline void copy(const void* from, void* const* targets, std::size_t target_count,
                 std::size_t bytes, Stores stores) noexcept {
  if (bytes == 0) return;
  const bool streams_any = stores.streams_any(target_count);
  const std::size_t block = target_count == 1 ? bytes : kBlockBytes;
  std::size_t length = block;
  if (target_count > 1 && streams_any) length -= misalignment(targets[stores.cached_targets]);
  for (std::size_t i = 0; i < bytes; i += length, length = block) {
    if (length > bytes - i) length = bytes - i;
    for (std::size_t t = 0; t < target_count; ++t)
      if (targets[t] != from)
        copy_piece(static_cast<const std::uint8_t*>(from) + i,
                   static_cast<std::uint8_t*>(targets[t]) + i, length, stores, t);
  }
  if (streams_any) hwy::FlushStream();
}

}  // namespace HWY_NAMESPACE
}  // namespace terrace
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
