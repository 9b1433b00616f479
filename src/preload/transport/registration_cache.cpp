// SPDX-License-Identifier: BSD-3-Clause
// Finds, joins and drops ranges.
#include "preload/transport/registration_cache.hpp"

#include <algorithm>
#include <cerrno>
#include <iterator>

#include "base/contract.hpp"

namespace terrace::preload {

namespace {

/// Buffers near each other share a range, and where the owner has huge pages, ranges begin and end
/// with them.
constexpr std::uint64_t kUnit = std::uint64_t{2} << 20;

std::uint64_t round_down(std::uint64_t address, std::uint64_t unit) {
  return address / unit * unit;
}

/// Rounds up; to the last multiple where the next is beyond all addresses.
std::uint64_t round_up(std::uint64_t address, std::uint64_t unit) {
  const std::uint64_t most = round_down(~std::uint64_t{0}, unit);
  return address > most ? most : round_down(address + unit - 1, unit);
}

}  // namespace

void RangeCache::clear() noexcept {
  while (!ranges_.empty()) detach(ranges_.begin());
}

AttachedRange* RangeCache::take(std::uint64_t address, std::size_t bytes, bool& is_new) noexcept {
  TERRACE_REQUIRE(address + bytes >= address, address, bytes);
  const auto found = std::find_if(ranges_.begin(), ranges_.end(), [&](const AttachedRange& range) {
    return range.holds(address, bytes);
  });
  is_new = found == ranges_.end();
  AttachedRange* const range = is_new ? attach(address, bytes) : &*found;
  if (range == nullptr) return nullptr;
  ++range->users;
  range->last_use = ++clock_;
  return range;
}

/// Near the end of a process's addresses what is rounded up may be refused.
AttachedRange* RangeCache::attach(std::uint64_t address, std::size_t bytes) noexcept {
  const std::uint64_t end = address + bytes;
  AttachedRange* const range = attach_whole(round_down(address, kUnit), round_up(end, kUnit));
  if (range != nullptr) return range;
  return attach_whole(round_down(address, page_bytes_), round_up(end, page_bytes_));
}

/// Takes in what is not in use and overlaps, so that buffers that move do not leave a heap of
/// ranges with the same bytes.
AttachedRange* RangeCache::attach_whole(std::uint64_t begin, std::uint64_t end) noexcept {
  for (auto range = ranges_.begin(); range != ranges_.end();) {
    const auto next = std::next(range);
    const std::uint64_t first = std::min(begin, range->begin);
    const std::uint64_t last = std::max(end, range->begin + range->bytes);
    const bool overlaps = range->begin < end && begin < range->begin + range->bytes;
    if (overlaps && range->users == 0 && last - first <= bounds_.most_bytes) {
      begin = first;
      end = last;
      detach(range);
    }
    range = next;
  }
  TERRACE_REQUIRE(begin <= end && begin % page_bytes_ == 0 && end % page_bytes_ == 0, begin, end);
  make_room_for(end - begin);
  std::byte* const at = mapper_.attach(begin, end - begin);
  if (at == nullptr) return nullptr;
  bytes_ += end - begin;
  return &ranges_.emplace_back(AttachedRange{begin, end - begin, at});
}

/// The least recently used go first; those in use stay, even beyond the bounds.
void RangeCache::make_room_for(std::size_t bytes) noexcept {
  while (ranges_.size() >= bounds_.most_ranges || bytes_ + bytes > bounds_.most_bytes) {
    auto oldest = ranges_.end();
    for (auto range = ranges_.begin(); range != ranges_.end(); ++range)
      if (range->users == 0 && (oldest == ranges_.end() || range->last_use < oldest->last_use))
        oldest = range;
    if (oldest == ranges_.end()) return;
    detach(oldest);
  }
}

void RangeCache::detach(std::list<AttachedRange>::iterator range) noexcept {
  const int error = errno;  // of what may have been tried before
  TERRACE_REQUIRE(range->bytes <= bytes_, range->bytes, bytes_);
  bytes_ -= range->bytes;
  mapper_.detach(range->at);
  ranges_.erase(range);
  errno = error;
}

}  // namespace terrace::preload
