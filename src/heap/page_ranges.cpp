// SPDX-License-Identifier: BSD-3-Clause
// Allocates by best fit, and joins freed ranges with their neighbours.
#include "heap/page_ranges.hpp"

#include <algorithm>
#include <iterator>

#include "base/contract.hpp"

namespace terrace {

namespace {

constexpr std::size_t kMostPages = ~std::size_t{0};

}  // namespace

void FreeRanges::insert(std::size_t first, std::size_t count) {
  TERRACE_ASSERT(count != 0, first);
  by_place_.emplace(first, count);
  by_length_.emplace(count, first);
  total_ += count;
}

void FreeRanges::erase(Places::const_iterator range) {
  TERRACE_ASSERT(range != by_place_.end());
  TERRACE_ASSERT(total_ >= range->second, total_, range->second);
  TERRACE_ASSERT(by_place_.size() == by_length_.size(), by_place_.size(), by_length_.size());
  by_length_.erase({range->second, range->first});
  total_ -= range->second;
  by_place_.erase(range);
}

void FreeRanges::add(std::size_t first, std::size_t count) {
  auto next = by_place_.lower_bound(first);
  // No page is free twice.
  TERRACE_REQUIRE(next == by_place_.end() || first + count <= next->first, first, count);
  if (next != by_place_.end() && next->first == first + count) {
    count += next->second;
    erase(next++);
  }
  if (next != by_place_.begin()) {
    const auto before = std::prev(next);
    TERRACE_REQUIRE(before->first + before->second <= first, before->first, before->second, first);
    if (before->first + before->second == first) {
      first = before->first;
      count += before->second;
      erase(before);
    }
  }
  insert(first, count);
}

/// Takes [first, first + count) out of a free range; what is left on both sides stays free.
void FreeRanges::cut(Places::const_iterator range, std::size_t first, std::size_t count) {
  TERRACE_REQUIRE(range != by_place_.end(), first, count);
  const auto [begin, length] = *range;
  TERRACE_REQUIRE(begin <= first && first + count <= begin + length, begin, length, first, count);
  erase(range);
  if (begin < first) insert(begin, first - begin);
  if (first + count < begin + length) insert(first + count, begin + length - first - count);
}

std::optional<std::size_t> FreeRanges::take(std::size_t count, std::size_t alignment) {
  TERRACE_ASSERT(count != 0 && alignment != 0, count, alignment);
  for (auto fit = by_length_.lower_bound({count, 0}); fit != by_length_.end(); ++fit) {
    const auto [length, begin] = *fit;
    const std::size_t first = (begin + alignment - 1) / alignment * alignment;
    if (first + count > begin + length) continue;
    cut(by_place_.find(begin), first, count);
    return first;
  }
  return std::nullopt;
}

/// The free range that a page lies in; the end if it is not free.
FreeRanges::Places::const_iterator FreeRanges::range_with(std::size_t page) const {
  auto range = by_place_.upper_bound(page);
  if (range == by_place_.begin()) return by_place_.end();
  --range;
  return page < range->first + range->second ? range : by_place_.end();
}

std::size_t FreeRanges::free_from(std::size_t first) const {
  const auto range = range_with(first);
  return range == by_place_.end() ? 0 : range->first + range->second - first;
}

void FreeRanges::take_at(std::size_t first, std::size_t count) {
  if (count != 0) cut(range_with(first), first, count);
}

std::optional<PageRanges::Taken> PageRanges::take(std::size_t count, std::size_t alignment) {
  std::optional<Taken> taken = take_free(count, alignment);
  if (taken) return taken;
  for (auto& [first, range] : taken_) give_back_room(first, range);
  return take_free(count, alignment);
}

std::optional<PageRanges::Taken> PageRanges::take_free(std::size_t count, std::size_t alignment) {
  bool is_zero = false;
  std::optional<std::size_t> first = warm_.take(count, alignment);
  if (!first) {
    first = zero_.take(count, alignment);
    is_zero = true;
  }
  if (!first) return std::nullopt;
  TERRACE_ASSERT(*first % alignment == 0, *first, alignment);
  return record_taken(*first, {count}, is_zero);
}

std::optional<PageRanges::Taken> PageRanges::take_with_room(std::size_t count, std::size_t room) {
  TERRACE_ASSERT(count != 0);
  if (const auto first = warm_.take(count, 1)) {
    const std::size_t end = *first + count;
    const std::size_t warm = std::min(warm_.free_from(end), room);
    if (warm == room || zero_.free_from(end + warm) >= room - warm) {
      warm_.take_at(end, warm);
      zero_.take_at(end + warm, room - warm);
      return record_taken(*first, {count, warm, room - warm}, false);
    }
    warm_.add(*first, count);
  }
  const auto first = room <= kMostPages - count ? zero_.take(count + room, 1) : std::nullopt;
  if (!first) return std::nullopt;
  return record_taken(*first, {count, 0, room}, true);
}

PageRanges::Taken PageRanges::record_taken(std::size_t first, const Range& range, bool is_zero) {
  taken_.emplace(first, range);
  taken_pages_ += range.count;
  end_before_ = end_;
  end_ = std::max(end_, first + range.count);
  return {first, is_zero};
}

void PageRanges::undo_take(const Taken& taken) {
  release(taken.first, taken.is_zero ? zero_ : warm_);
  end_ = end_before_;
}

std::size_t PageRanges::count_at(std::size_t first) const {
  const auto found = taken_.find(first);
  return found == taken_.end() ? 0 : found->second.count;
}

std::optional<std::size_t> PageRanges::end_of_range_with(std::size_t page) const {
  auto range = taken_.upper_bound(page);
  if (range == taken_.begin()) return std::nullopt;
  --range;
  const std::size_t end = range->first + range->second.count;
  return page < end ? std::optional(end) : std::nullopt;
}

bool PageRanges::resize(std::size_t first, std::size_t count) {
  const auto range = taken_.find(first);
  TERRACE_REQUIRE(range != taken_.end(), first);
  TERRACE_ASSERT(count != 0, first);
  const std::size_t before = range->second.count;
  if (count < before) {
    give_back_room(first, range->second);
    warm_.add(first + count, before - count);
  }
  if (count > before && !grow(first, range->second, count - before)) return false;
  range->second.count = count;
  taken_pages_ += count - before;  // modulo 2^64, where it shrinks
  end_ = std::max(end_, first + count);
  return true;
}

void PageRanges::give_back_room(std::size_t first, Range& range) {
  const std::size_t warm = first + range.count, zero = warm + range.warm_room;
  if (range.warm_room > 0) warm_.add(warm, range.warm_room);
  if (range.zero_room > 0) zero_.add(zero, range.zero_room);
  range.warm_room = range.zero_room = 0;
}

/// Takes `count` more pages behind a taken range: out of its room, or whatever is free there, used
/// ones, and behind these such as are not.
bool PageRanges::grow(std::size_t first, Range& range, std::size_t count) {
  if (count <= range.warm_room + range.zero_room) {
    const std::size_t warm = std::min(count, range.warm_room);
    range.warm_room -= warm;
    range.zero_room -= count - warm;
    return true;
  }
  give_back_room(first, range);
  const std::size_t end = first + range.count;
  const std::size_t warm = std::min(warm_.free_from(end), count);
  if (warm < count && zero_.free_from(end + warm) < count - warm) return false;
  warm_.take_at(end, warm);
  zero_.take_at(end + warm, count - warm);
  return true;
}

void PageRanges::release(std::size_t first, FreeRanges& to) {
  const auto range = taken_.find(first);
  TERRACE_REQUIRE(range != taken_.end(), first);
  const std::size_t count = range->second.count;
  TERRACE_ASSERT(taken_pages_ >= count, taken_pages_, count);
  give_back_room(first, range->second);
  to.add(first, count);
  taken_pages_ -= count;
  taken_.erase(range);
}

}  // namespace terrace
