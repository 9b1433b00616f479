// SPDX-License-Identifier: BSD-3-Clause
// Allocates ranges of pages. It knows which pages are free and which of these have been used
// before, and never touches one. Its records lie outside the pages: peers who can write to the
// pages cannot corrupt them, and a forked child has its own.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace terrace {

/// Free ranges, found by place and by length; neighbours are joined.
class FreeRanges {
 public:
  void add(std::size_t first, std::size_t count);
  /// Takes pages from the shortest range that has room. `alignment` counts pages, from page 0.
  std::optional<std::size_t> take(std::size_t count, std::size_t alignment);
  /// Returns how many pages are free from `first` on.
  std::size_t free_from(std::size_t first) const;
  /// The pages from `first` on, which must be free.
  void take_at(std::size_t first, std::size_t count);
  std::size_t total() const { return total_; }

 private:
  using Places = std::map<std::size_t, std::size_t>;
  Places::const_iterator range_with(std::size_t page) const;
  void insert(std::size_t first, std::size_t count);
  void erase(Places::const_iterator range);
  void cut(Places::const_iterator range, std::size_t first, std::size_t count);

  Places by_place_;  ///< first page to count
  std::set<std::pair<std::size_t, std::size_t>> by_length_;
  std::size_t total_ = 0;
};

class PageRanges {
 public:
  struct Taken {
    std::size_t first = 0;
    bool is_zero = false;  ///< never written
  };

  explicit PageRanges(std::size_t pages) { zero_.add(0, pages); }

  /// Pages that were used before come first: they are in memory already.
  std::optional<Taken> take(std::size_t count, std::size_t alignment = 1);
  /// Takes pages, and keeps `room` more behind them, into which this range alone may grow, until
  /// `take` finds no others.
  std::optional<Taken> take_with_room(std::size_t count, std::size_t room);
  /// Returns the length of the taken range that begins there; 0 if none does.
  std::size_t count_at(std::size_t first) const;
  /// Returns the end of the taken range that holds a page; nothing if it is free.
  std::optional<std::size_t> end_of_range_with(std::size_t page) const;
  /// Makes a taken range longer or shorter where it lies. False if what follows is not free.
  bool resize(std::size_t first, std::size_t count);
  void give_back(std::size_t first) { release(first, warm_); }
  /// Gives back a range whose pages have been emptied: they are zero, and in no memory.
  void give_back_emptied(std::size_t first) { release(first, zero_); }
  /// Gives back the range that was taken last, as if it had never been.
  void undo_take(const Taken& taken);

  std::size_t taken_pages() const { return taken_pages_; }
  std::size_t warm_pages() const { return warm_.total(); }
  /// Pages from here on have never been handed out.
  std::size_t end() const { return end_; }

  template <class Visit>
  void for_each_taken(Visit visit) const {
    for (const auto& [first, range] : taken_) visit(first, range.count);
  }

 private:
  /// A taken range, and the room behind it: used pages, and behind these such as are not.
  struct Range {
    std::size_t count = 0, warm_room = 0, zero_room = 0;
  };

  std::optional<Taken> take_free(std::size_t count, std::size_t alignment);
  Taken record_taken(std::size_t first, const Range& range, bool is_zero);
  void give_back_room(std::size_t first, Range& range);
  bool grow(std::size_t first, Range& range, std::size_t count);
  void release(std::size_t first, FreeRanges& to);

  FreeRanges warm_;  ///< used before
  FreeRanges zero_;
  std::map<std::size_t, Range> taken_;
  std::size_t taken_pages_ = 0;
  std::size_t end_ = 0;
  std::size_t end_before_ = 0;  ///< the last range was taken
};

}  // namespace terrace
