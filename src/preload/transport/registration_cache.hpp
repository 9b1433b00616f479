// SPDX-License-Identifier: BSD-3-Clause
// A registration cache: ranges of a peer's addresses that stay attached from call to call, because
// attaching is expensive, up to a bound. It does not attach anything itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>

#include "base/contract.hpp"

namespace terrace::preload {

/// Attaches ranges of one process's memory.
class RangeMapper {
 public:
  virtual ~RangeMapper() = default;
  /// `begin` and `bytes` are whole pages. Null: it could not be done, and errno says why.
  virtual std::byte* attach(std::uint64_t begin, std::size_t bytes) noexcept = 0;
  virtual void detach(std::byte* at) noexcept = 0;
};

/// Bounds of what is attached from now on, in addition to what calls still use.
struct RangeBounds {
  std::size_t most_ranges = 64;
  std::size_t most_bytes = std::size_t{4} << 30;
};

struct AttachedRange {
  std::uint64_t begin = 0;  ///< in the peer's addresses
  std::size_t bytes = 0;
  std::byte* at = nullptr;  ///< where it is here
  std::uint64_t last_use = 0;
  std::uint32_t users = 0;

  bool holds(std::uint64_t address, std::size_t some) const {
    return address - begin < bytes && some <= bytes - (address - begin);
  }
  std::byte* here(std::uint64_t address) const { return at + (address - begin); }
};

/// Not for several threads at once.
class RangeCache {
 public:
  /// `mapper` must outlive the cache.
  RangeCache(RangeMapper& mapper, std::size_t page_bytes, const RangeBounds& bounds = {})
      : mapper_(mapper), page_bytes_(page_bytes), bounds_(bounds) {}
  ~RangeCache() { clear(); }
  RangeCache(const RangeCache&) = delete;
  RangeCache& operator=(const RangeCache&) = delete;

  /// A range with all of these bytes, which stays until it is given back. Null: none can be
  /// attached, and errno says why. `is_new`: it has been attached for this.
  AttachedRange* take(std::uint64_t address, std::size_t bytes, bool& is_new) noexcept;
  void give_back(AttachedRange& range) noexcept {
    TERRACE_REQUIRE(range.users > 0, range.begin, range.bytes);
    --range.users;
  }
  /// Detaches all, in use or not.
  void clear() noexcept;

  std::size_t range_count() const { return ranges_.size(); }
  std::size_t byte_count() const { return bytes_; }

 private:
  AttachedRange* attach(std::uint64_t address, std::size_t bytes) noexcept;
  AttachedRange* attach_whole(std::uint64_t begin, std::uint64_t end) noexcept;
  void make_room_for(std::size_t bytes) noexcept;
  void detach(std::list<AttachedRange>::iterator range) noexcept;

  RangeMapper& mapper_;
  std::size_t page_bytes_;
  RangeBounds bounds_;
  std::list<AttachedRange> ranges_;  ///< no order
  std::size_t bytes_ = 0;            ///< of all of them
  std::uint64_t clock_ = 0;
};

}  // namespace terrace::preload
